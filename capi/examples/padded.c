/*
 * Pictures whose rows are padded: a transform from numbers in place of a text, and its way back.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wgpu_fft.h>

#define PICTURES 3
#define ROWS 48
#define COLUMNS 60
#define PITCH 64

static void check(wgpu_fft_status status)
{
    if (status != WGPU_FFT_OK) {
        fprintf(stderr, "%s\n", wgpu_fft_error_message());
        exit(1);
    }
}

int main(void)
{
    wgpu_fft_layout rows;
    wgpu_fft_transform forward, inverse;
    wgpu_fft_gpu *gpu;
    wgpu_fft_plan *there, *back;
    size_t i, bytes;
    float *pictures, *again, *spectra;
    double worst = 0;
    char text[128];

    memset(&rows, 0, sizeof rows);
    rows.strides[0] = PITCH;
    rows.strides[1] = 1;
    memset(&forward, 0, sizeof forward);
    forward.size = sizeof forward;
    forward.kind = WGPU_FFT_R2C;
    forward.rank = 2;
    forward.shape[0] = ROWS;
    forward.shape[1] = COLUMNS;
    forward.batch = PICTURES;
    forward.input = &rows;
    inverse = forward;
    inverse.kind = WGPU_FFT_C2R;
    inverse.input = NULL;
    inverse.output = &rows;
    inverse.scale = WGPU_FFT_SCALE_INV_LEN;
    check(wgpu_fft_transform_text(&inverse, text, sizeof text, NULL));
    printf("the way back is `%s`\n", text);

    check(wgpu_fft_gpu_open(NULL, &gpu));
    check(wgpu_fft_plan_transform(gpu, &forward, NULL, &there));
    check(wgpu_fft_plan_transform(gpu, &inverse, NULL, &back));
    bytes = wgpu_fft_plan_input_bytes(there, 0);
    pictures = malloc(bytes);
    again = malloc(bytes);
    spectra = malloc(wgpu_fft_plan_output_bytes(there));
    if (!pictures || !again || !spectra || bytes != wgpu_fft_plan_output_bytes(back))
        return 1;
    for (i = 0; i < bytes / sizeof(float); i++)
        pictures[i] = (float)(i * 7 % 101) / 50 - 1;
    check(wgpu_fft_execute(there, pictures, bytes, spectra, wgpu_fft_plan_output_bytes(there)));
    check(wgpu_fft_execute(back, spectra, wgpu_fft_plan_input_bytes(back, 0), again, bytes));
    for (i = 0; i < bytes / sizeof(float); i++)
        if (i % PITCH < COLUMNS)
            worst = fmax(worst, fabs(again[i] - pictures[i]));
    printf("there and back: the largest difference is %.1e\n", worst);

    free(pictures);
    free(again);
    free(spectra);
    /* Plans keep the device open. */
    wgpu_fft_gpu_close(gpu);
    wgpu_fft_plan_destroy(there);
    wgpu_fft_plan_destroy(back);
    return worst < 1e-5 ? 0 : 1;
}
