/*
 * The spectrum of a tone: opens a device, plans a transform from its text, and finds the frequency.
 *
 *   cc spectrum.c -lwgpu_fft -lm && ./a.out [part of an adapter's name]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <wgpu_fft.h>

#define N 4096

static void check(wgpu_fft_status status)
{
    if (status != WGPU_FFT_OK) {
        fprintf(stderr, "%s\n", wgpu_fft_error_message());
        exit(1);
    }
}

int main(int argc, char **argv)
{
    static float signal[N], spectrum[2 * (N / 2 + 1)];
    wgpu_fft_gpu_options options = {0};
    wgpu_fft_gpu *gpu;
    wgpu_fft_plan *plan;
    int j, k, loudest = 0;
    double most = 0;

    options.size = sizeof options;
    if (argc > 1)
        options.adapter_name = argv[1];
    check(wgpu_fft_gpu_open(&options, &gpu));
    printf("adapter: %s\n", wgpu_fft_gpu_name(gpu));
    check(wgpu_fft_plan_text(gpu, "r2c fwd 4096", NULL, &plan));
    printf("%s: %lu elements of %s to %lu of %s\n", wgpu_fft_plan_spec(plan),
           (unsigned long)wgpu_fft_plan_input_len(plan, 0), wgpu_fft_plan_input_element(plan),
           (unsigned long)wgpu_fft_plan_output_len(plan), wgpu_fft_plan_output_element(plan));

    for (j = 0; j < N; j++)
        signal[j] = (float)sin(2 * 3.14159265358979323846 * 440 * j / N);
    check(wgpu_fft_execute(plan, signal, sizeof signal, spectrum, sizeof spectrum));

    for (k = 0; k <= N / 2; k++) {
        double size = hypot(spectrum[2 * k], spectrum[2 * k + 1]);
        if (size > most) {
            most = size;
            loudest = k;
        }
    }
    printf("the loudest of %d frequencies is number %d, of size %.1f\n", N / 2 + 1, loudest, most);
    wgpu_fft_plan_destroy(plan);
    wgpu_fft_gpu_close(gpu);
    return loudest == 440 && fabs(most - N / 2.0) < 0.1 ? 0 : 1;
}
