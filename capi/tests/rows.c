/*
 * What one row or one array of a batch holds reaches no other one: neither a NaN nor the rounding of
 * large numbers.
 */
#include <math.h>
#include <string.h>
#include <wgpu_fftw3f.h>

#include "check.h"

#define HOWMANY 3
#define MOST 1001

static void fill(float *to, int count)
{
    int i;
    for (i = 0; i < count; i++)
        to[i] = (float)(i * 37 % 101) / 101 - 0.5f;
}

/* Runs a plan, then runs it again after row 1 of the input got such a value. The other rows of the
 * result must have the same bits. */
static void apart(fftwf_plan plan, float *in, int in_row, int at, float *out, int out_row, float value)
{
    static float before[HOWMANY * 2 * MOST];
    int i;

    CHECK(plan != NULL);
    fftwf_execute(plan);
    memcpy(before, out, HOWMANY * out_row * sizeof *out);
    in[in_row + at] = value;
    fftwf_execute(plan);
    for (i = 0; i < HOWMANY * out_row; i++)
        if (i / out_row != 1)
            CHECK(!isnan(out[i]) && memcmp(&out[i], &before[i], sizeof *out) == 0);
    if (isnan(value))
        CHECK(isnan(out[out_row]));
    fftwf_destroy_plan(plan);
}

int main(void)
{
    static const int lengths[] = {15, 65, 74, MOST};
    static const float values[] = {NAN, 1e6f, 1e12f};
    static float reals[HOWMANY * MOST], results[HOWMANY * MOST];
    static fftwf_complex spectra[HOWMANY * (MOST / 2 + 1)];
    unsigned l, v;

    for (l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        int n = lengths[l], half = n / 2 + 1;
        for (v = 0; v < sizeof values / sizeof *values; v++) {
            fftwf_r2r_kind kinds[] = {FFTW_REDFT10, FFTW_RODFT01, FFTW_DHT};
            int k;

            fill(reals, HOWMANY * n);
            apart(fftwf_plan_many_dft_r2c(1, &n, HOWMANY, reals, NULL, 1, n, spectra, NULL, 1, half, FFTW_ESTIMATE), reals, n, 3,
                  spectra[0], 2 * half, values[v]);
            fill(spectra[0], 2 * HOWMANY * half);
            apart(fftwf_plan_many_dft_c2r(1, &n, HOWMANY, spectra, NULL, 1, half, reals, NULL, 1, n,
                                          FFTW_ESTIMATE | FFTW_PRESERVE_INPUT),
                  spectra[0], 2 * half, 4, reals, n, values[v]);
            for (k = 0; k < 3; k++) {
                fill(reals, HOWMANY * n);
                apart(fftwf_plan_many_r2r(1, &n, HOWMANY, reals, NULL, 1, n, results, NULL, 1, n, &kinds[k], FFTW_ESTIMATE), reals, n,
                      3, results, n, values[v]);
            }
        }
    }
    fftwf_cleanup();
    return 0;
}
