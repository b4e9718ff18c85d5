/* The numbers that the tests transform, and the definition that results are compared with. */
#ifndef TRANSFORM_H
#define TRANSFORM_H

#include <math.h>
#include <stddef.h>

static const double TURN = 6.28318530717958647692;

static void noise(float *to, size_t count, unsigned seed)
{
    size_t i;
    for (i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        to[i] = (float)(seed >> 8) / (1 << 24) - 0.5f;
    }
}

/* A number below a limit. */
static unsigned draw(unsigned *seed, unsigned below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

/*
 * How far a transform of n complex numbers is from its definition. The numbers are pairs of floats,
 * is and os numbers apart.
 */
static double distance(int n, float (*input)[2], int is, float (*output)[2], int os, int sign)
{
    double worst = 0;
    int j, k;

    for (k = 0; k < n; k++) {
        double re = 0, im = 0;
        for (j = 0; j < n; j++) {
            double angle = sign * TURN * (j * k % n) / n;
            re += input[j * is][0] * cos(angle) - input[j * is][1] * sin(angle);
            im += input[j * is][0] * sin(angle) + input[j * is][1] * cos(angle);
        }
        worst = fmax(worst, hypot(output[k * os][0] - re, output[k * os][1] - im));
    }
    return worst;
}

#endif
