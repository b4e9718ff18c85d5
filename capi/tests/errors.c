/*
 * Mistakes, without a device: run it where there is no adapter. Each must return a status with a
 * message or NULL, and leave nothing allocated.
 */
#include <limits.h>
#include <math.h>
#include <string.h>
#include <wgpu_fft.h>
#include <wgpu_fftw3f.h>

#include "check.h"

/* Whether the last message has this part. */
static int said(const char *part)
{
    return strstr(wgpu_fft_error_message(), part) != NULL;
}

static void own_interface(void)
{
    wgpu_fft_gpu *gpu = (wgpu_fft_gpu *)&gpu;
    wgpu_fft_plan *plan = (wgpu_fft_plan *)&plan;
    wgpu_fft_gpu_options options = {0};
    struct {
        wgpu_fft_gpu_options known;
        size_t more;
    } later;
    wgpu_fft_transform transform;
    wgpu_fft_layout layout;
    float numbers[4] = {0};
    char text[64];
    size_t needed;

    CHECK(strcmp(wgpu_fft_error_message(), "") == 0);
    CHECK(strchr(wgpu_fft_version(), '.') != NULL);
    CHECK(wgpu_fft_gpu_open(NULL, NULL) == WGPU_FFT_ERROR_ARGUMENT && said("gpu is NULL"));
    CHECK(wgpu_fft_gpu_open(NULL, &gpu) == WGPU_FFT_ERROR_NO_DEVICE && said("no GPU adapter"));
    CHECK(gpu == NULL);
    options.size = sizeof options;
    options.adapter_name = "no such adapter";
    CHECK(wgpu_fft_gpu_open(&options, &gpu) == WGPU_FFT_ERROR_NO_DEVICE && said("no such adapter"));
    /* A program of a later version, with and without what this one does not know. */
    memset(&later, 0, sizeof later);
    later.known.size = sizeof later;
    later.known.adapter_name = "no such adapter";
    CHECK(wgpu_fft_gpu_open(&later.known, &gpu) == WGPU_FFT_ERROR_NO_DEVICE && said("no such adapter"));
    later.more = 1;
    CHECK(wgpu_fft_gpu_open(&later.known, &gpu) == WGPU_FFT_ERROR_UNSUPPORTED && said("40 bytes"));
    options.size = 8;
    CHECK(wgpu_fft_gpu_open(&options, &gpu) == WGPU_FFT_ERROR_ARGUMENT && said("options.size is 8") && said("32"));
    options.size = sizeof options;
    options.adapter_name = "\xff";
    CHECK(wgpu_fft_gpu_open(&options, &gpu) == WGPU_FFT_ERROR_ARGUMENT && said("UTF-8"));
    CHECK(wgpu_fft_adapters(text, sizeof text, &needed) == WGPU_FFT_ERROR_NO_DEVICE);

    CHECK(wgpu_fft_plan_text(NULL, "c2c fwd 8", NULL, &plan) == WGPU_FFT_ERROR_ARGUMENT);
    CHECK(plan == NULL && said("gpu is NULL"));
    CHECK(wgpu_fft_plan_text(NULL, "c2c sideways 8", NULL, &plan) == WGPU_FFT_ERROR_TEXT && said("sideways"));
    CHECK(wgpu_fft_plan_text(NULL, NULL, NULL, &plan) == WGPU_FFT_ERROR_ARGUMENT && said("spec is NULL"));
    CHECK(wgpu_fft_plan_text(NULL, "c2c fwd 8", NULL, NULL) == WGPU_FFT_ERROR_ARGUMENT);
    CHECK(wgpu_fft_execute(NULL, numbers, 16, numbers, 16) == WGPU_FFT_ERROR_ARGUMENT && said("plan is NULL"));
    CHECK(wgpu_fft_execute_many(NULL, NULL, 3, numbers, 16) == WGPU_FFT_ERROR_ARGUMENT);
    CHECK(wgpu_fft_gpu_save_pipelines(NULL) == WGPU_FFT_ERROR_ARGUMENT);

    memset(&transform, 0, sizeof transform);
    CHECK(wgpu_fft_transform_text(&transform, text, sizeof text, NULL) == WGPU_FFT_ERROR_ARGUMENT && said("sizeof(wgpu_fft_transform)"));
    transform.size = sizeof transform;
    CHECK(wgpu_fft_transform_text(&transform, text, sizeof text, NULL) == WGPU_FFT_ERROR_ARGUMENT && said("kind"));
    transform.kind = WGPU_FFT_R2R;
    transform.rank = 2;
    transform.shape[0] = 30;
    transform.shape[1] = 50;
    CHECK(wgpu_fft_transform_text(&transform, text, sizeof text, NULL) == WGPU_FFT_ERROR_ARGUMENT && said("real_kinds"));
    transform.real_kinds[0] = WGPU_FFT_DCT2;
    transform.real_kinds[1] = WGPU_FFT_DST1;
    transform.batch = 7;
    transform.scale = WGPU_FFT_SCALE_INV_SQRT_LEN;
    CHECK(wgpu_fft_transform_text(&transform, text, sizeof text, &needed) == WGPU_FFT_OK);
    CHECK(strcmp(text, "r2r dct2,dst1 30x50 x7 1/sqrt(n)") == 0 && needed == strlen(text) + 1);
    /* Too small a place has as much of it as it can. */
    CHECK(wgpu_fft_transform_text(&transform, text, 8, &needed) == WGPU_FFT_OK && strcmp(text, "r2r dct") == 0);
    CHECK(wgpu_fft_transform_text(&transform, NULL, 0, &needed) == WGPU_FFT_OK && needed == 33);
    memset(&transform, 0, sizeof transform);
    transform.size = sizeof transform;
    memset(&layout, 0, sizeof layout);
    layout.strides[0] = 1;
    layout.strides[2] = 20;
    layout.strides[1] = 400;
    layout.offset = 3;
    transform.kind = WGPU_FFT_C2C_INVERSE;
    transform.rank = 3;
    transform.shape[0] = transform.shape[1] = transform.shape[2] = 20;
    transform.axis_count = 2;
    transform.axes[1] = 2;
    transform.numbers = WGPU_FFT_F64;
    transform.factor = 0.125;
    transform.output = &layout;
    CHECK(wgpu_fft_transform_text(&transform, text, sizeof text, NULL) == WGPU_FFT_OK);
    CHECK(strcmp(text, "c2c inv 20x20x20 f64 axes=0,2 out=1,400,20@3 *0.125") == 0);
    /* Kinds are those of the axes that are transformed. */
    transform.kind = WGPU_FFT_R2R;
    transform.real_kinds[0] = WGPU_FFT_DCT2;
    transform.real_kinds[1] = WGPU_FFT_DST1;
    transform.numbers = WGPU_FFT_F32;
    transform.output = NULL;
    transform.factor = 0;
    CHECK(wgpu_fft_transform_text(&transform, text, sizeof text, NULL) == WGPU_FFT_OK);
    CHECK(strcmp(text, "r2r dct2,-,dst1 20x20x20 axes=0,2") == 0);
    transform.axes[1] = 3;
    CHECK(wgpu_fft_transform_text(&transform, text, sizeof text, NULL) == WGPU_FFT_ERROR_ARGUMENT && said("axis 3"));
    transform.rank = 4;
    CHECK(wgpu_fft_transform_text(&transform, text, sizeof text, NULL) == WGPU_FFT_ERROR_ARGUMENT && said("3 axes"));

    wgpu_fft_gpu_close(NULL);
    wgpu_fft_plan_destroy(NULL);
    CHECK(wgpu_fft_plan_input_count(NULL) == 0 && wgpu_fft_plan_input_bytes(NULL, 0) == 0);
    CHECK(wgpu_fft_plan_output_len(NULL) == 0 && strcmp(wgpu_fft_plan_recipe(NULL), "") == 0);
    CHECK(strcmp(wgpu_fft_gpu_name(NULL), "") == 0 && !wgpu_fft_gpu_is_lost(NULL));
}

/* A byte of a text, for fftwf_import_wisdom. */
static int next_byte(void *data)
{
    const char **text = data;
    return **text ? *(*text)++ : EOF;
}

static void count_byte(char c, void *data)
{
    (void)c;
    ++*(size_t *)data;
}

static void fftw_interface(void)
{
    float data[32] = {0};
    fftwf_complex *numbers = (fftwf_complex *)data;
    int n[3] = {2, -2, 2};
    fftwf_r2r_kind kind = FFTW_REDFT00;
    fftwf_iodim dim = {4, 1, 1};
    fftwf_iodim64 wide = {PTRDIFF_MAX, PTRDIFF_MAX, 1};
    double add = 1, mul = 1, fma = 1;
    const char *text = "(fftw-3.3.10 fftwf_wisdom #x0 #x0 #x0 #x0\n)\n";
    size_t bytes = 0;
    char *wisdom;
    void *memory;

    /* There is no device, so there is no plan. */
    CHECK(fftwf_plan_dft_1d(4, numbers, numbers, FFTW_FORWARD, FFTW_ESTIMATE) == NULL);
    /* And these are none anywhere. */
    CHECK(fftwf_plan_dft_1d(4, numbers, numbers, 0, FFTW_ESTIMATE) == NULL);
    CHECK(fftwf_plan_dft_1d(0, numbers, numbers, FFTW_FORWARD, FFTW_ESTIMATE) == NULL);
    CHECK(fftwf_plan_dft_1d(-1, numbers, numbers, FFTW_FORWARD, FFTW_ESTIMATE) == NULL);
    CHECK(fftwf_plan_dft(-1, n, numbers, numbers, FFTW_FORWARD, FFTW_ESTIMATE) == NULL);
    CHECK(fftwf_plan_dft(3, n, numbers, numbers, FFTW_FORWARD, FFTW_ESTIMATE) == NULL);
    CHECK(fftwf_plan_dft(3, NULL, numbers, numbers, FFTW_FORWARD, FFTW_ESTIMATE) == NULL);
    CHECK(fftwf_plan_dft_2d(INT_MAX, INT_MAX, numbers, numbers, FFTW_FORWARD, FFTW_ESTIMATE) == NULL);
    CHECK(fftwf_plan_r2r_1d(1, data, data, FFTW_REDFT00, FFTW_ESTIMATE) == NULL);
    CHECK(fftwf_plan_r2r_1d(4, data, data, (fftwf_r2r_kind)11, FFTW_ESTIMATE) == NULL);
    CHECK(fftwf_plan_guru_r2r(1, &dim, -1, NULL, data, data, &kind, FFTW_ESTIMATE) == NULL);
    CHECK(fftwf_plan_guru64_dft(1, &wide, 0, NULL, numbers, numbers, FFTW_FORWARD, FFTW_ESTIMATE) == NULL);
    CHECK(fftwf_plan_many_dft(1, n, -3, numbers, NULL, 1, 2, numbers, NULL, 1, 2, FFTW_FORWARD, 0) == NULL);

    fftwf_destroy_plan(NULL);
    fftwf_execute(NULL);
    fftwf_flops(NULL, &add, &mul, &fma);
    CHECK(add == 0 && mul == 0 && fma == 0 && fftwf_cost(NULL) == 0);
    wisdom = fftwf_sprint_plan(NULL);
    CHECK(wisdom != NULL);
    free(wisdom);

    /* Another library's wisdom is none, and ours is. */
    fftwf_forget_wisdom();
    CHECK(fftwf_import_wisdom_from_string(text) == 0);
    CHECK(fftwf_import_wisdom(next_byte, &text) == 0);
    CHECK(fftwf_import_wisdom_from_string(NULL) == 0 && fftwf_import_wisdom_from_filename(NULL) == 0);
    CHECK(fftwf_import_wisdom_from_filename("/no/such/file") == 0);
    wisdom = fftwf_export_wisdom_to_string();
    CHECK(wisdom != NULL && fftwf_import_wisdom_from_string(wisdom) == 1);
    text = wisdom;
    CHECK(fftwf_import_wisdom(next_byte, &text) == 1);
    fftwf_export_wisdom(count_byte, &bytes);
    CHECK(bytes == strlen(wisdom));
    free(wisdom);

    memory = fftwf_malloc(1000);
    CHECK(memory != NULL && (size_t)memory % 16 == 0);
    fftwf_free(memory);
    fftwf_free(NULL);
    memory = fftwf_alloc_complex(7);
    CHECK(memory != NULL && fftwf_alignment_of(memory) == fftwf_alignment_of(data + 1));
    fftwf_free(memory);
    CHECK(fftwf_alloc_real((size_t)-1) == NULL);
    CHECK(fftwf_init_threads() != 0);
    fftwf_plan_with_nthreads(3);
    CHECK(fftwf_planner_nthreads() == 3);
    fftwf_make_planner_thread_safe();
    fftwf_set_timelimit(0.5);
    fftwf_set_timelimit(FFTW_NO_TIMELIMIT);
    fftwf_set_timelimit(NAN);
    fftwf_cleanup_threads();
    fftwf_cleanup();
    CHECK(strstr(fftwf_version, "wgpu-fft") == fftwf_version);
}

int main(void)
{
    own_interface();
    fftw_interface();
    puts("errors: all as they should be");
    return 0;
}
