/*
 * A program for FFTW: the same source with <fftw3.h> and -lfftw3f runs on the processor.
 *
 *   cc -I.../include/wgpu-fftw fftw.c -lwgpu_fftw3f -lm
 */
#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <stdio.h>

#define N0 30
#define N1 50

int main(void)
{
    fftwf_complex *data = fftwf_alloc_complex(N0 * N1);
    fftwf_plan there, back;
    double worst = 0;
    int i;

    if (!data)
        return 1;
    there = fftwf_plan_dft_2d(N0, N1, data, data, FFTW_FORWARD, FFTW_ESTIMATE);
    back = fftwf_plan_dft_2d(N0, N1, data, data, FFTW_BACKWARD, FFTW_ESTIMATE);
    if (!there || !back) {
        fprintf(stderr, "there is no plan: WGPU_FFT_FFTW_LOG=1 says why\n");
        return 1;
    }
    for (i = 0; i < N0 * N1; i++)
        data[i] = (float)i + (float)(i % 7) * I;
    fftwf_execute(there);
    printf("the sum of all numbers is %.0f%+.0fi\n", crealf(data[0]), cimagf(data[0]));
    fftwf_execute(back);
    /* FFTW scales nothing, and so nothing is scaled here. */
    for (i = 0; i < N0 * N1; i++)
        worst = fmax(worst, cabs(data[i] / (N0 * N1) - ((float)i + (float)(i % 7) * I)));
    printf("there and back: the largest difference is %.1e\n", worst);
    fftwf_destroy_plan(there);
    fftwf_destroy_plan(back);
    fftwf_free(data);
    fftwf_cleanup();
    return worst < 1e-2 ? 0 : 1;
}
