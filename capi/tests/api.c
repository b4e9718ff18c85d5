/* The interface of our own on a device. Arguments: the names of adapters, or none for the best. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wgpu_fft.h>

#include "check.h"
#include "child.h"
#include "transform.h"

#define N 240
#define THREADS 6

/* The numbers as pairs. */
static double distance_of(float *input, float *actual, int sign)
{
    return distance(N, (float (*)[2])input, 1, (float (*)[2])actual, 1, sign);
}

struct job {
    const wgpu_fft_gpu *gpu;
    unsigned seed;
};

/* Plans the same as the other threads, executes, and makes a mistake of its own. */
static void *thread(void *argument)
{
    const struct job *job = argument;
    wgpu_fft_plan *plan;
    float data[2 * N], spectrum[2 * N];
    char number[32];
    int i;

    CHECK(wgpu_fft_plan_text(job->gpu, "c2c fwd 240", NULL, &plan) == WGPU_FFT_OK);
    for (i = 0; i < 5; i++) {
        noise(data, 2 * N, job->seed + (unsigned)i);
        CHECK(wgpu_fft_execute(plan, data, sizeof data, spectrum, sizeof spectrum) == WGPU_FFT_OK);
        CHECK(distance_of(data, spectrum, -1) < 1e-4);
        CHECK(wgpu_fft_execute(plan, data, 8 * job->seed, spectrum, sizeof spectrum) == WGPU_FFT_ERROR_LENGTH);
        sprintf(number, "got %u", job->seed);
        CHECK(strstr(wgpu_fft_error_message(), number) != NULL);
    }
    wgpu_fft_plan_destroy(plan);
    return NULL;
}

/* What the parent of children opened and planned. */
static wgpu_fft_gpu *gpus[2];
static wgpu_fft_plan *plans[6];

/* Random calls in a child process, which has no device: it is told so, and waits for nothing. */
static int child_of_a_device(unsigned seed)
{
    int left = sizeof plans / sizeof plans[0], open = sizeof gpus / sizeof gpus[0], i;
    float data[2 * N] = {0};
    wgpu_fft_gpu *gpu;
    wgpu_fft_plan *plan;

    for (i = 0; i < 12; i++)
        switch (draw(&seed, 8)) {
        case 0:
        case 1:
            if (left > 0)
                wgpu_fft_plan_destroy(plans[--left]);
            break;
        case 2:
            if (open > 0)
                wgpu_fft_gpu_close(gpus[--open]);
            break;
        case 3:
            CHECK(wgpu_fft_gpu_open(NULL, &gpu) == WGPU_FFT_ERROR_UNSUPPORTED && gpu == NULL);
            CHECK(strstr(wgpu_fft_error_message(), "forked") != NULL);
            break;
        case 4:
            if (open > 0)
                CHECK(wgpu_fft_plan_text(gpus[0], "c2c fwd 240", NULL, &plan) == WGPU_FFT_ERROR_UNSUPPORTED);
            break;
        case 5:
            if (left > 0)
                CHECK(wgpu_fft_execute(plans[0], data, sizeof data, data, sizeof data) == WGPU_FFT_ERROR_UNSUPPORTED);
            break;
        case 6:
            CHECK(wgpu_fft_adapters(NULL, 0, NULL) == WGPU_FFT_ERROR_UNSUPPORTED);
            break;
        case 7:
            if (open > 0) {
                CHECK(wgpu_fft_gpu_is_lost(gpus[0]) && strlen(wgpu_fft_gpu_name(gpus[0])) > 0);
                CHECK(wgpu_fft_gpu_save_pipelines(gpus[0]) == WGPU_FFT_ERROR_UNSUPPORTED);
            }
            if (left > 0)
                CHECK(wgpu_fft_plan_output_bytes(plans[0]) == sizeof data);
            break;
        }
    /* Whose child has none either. */
    if (draw(&seed, 4) == 0)
        in_a_child(child_of_a_device, seed);
    return 0;
}

static void forked(const char *name)
{
    enum { CHILDREN = 20 };
    wgpu_fft_gpu_options options = {0};
    unsigned i;

    options.size = sizeof options;
    options.adapter_name = name;
    for (i = 0; i < 2; i++)
        CHECK(wgpu_fft_gpu_open(&options, &gpus[i]) == WGPU_FFT_OK);
    for (i = 0; i < sizeof plans / sizeof plans[0]; i++)
        CHECK(wgpu_fft_plan_text(gpus[i % 2], "c2c fwd 240", NULL, &plans[i]) == WGPU_FFT_OK);
    for (i = 0; i < CHILDREN; i++)
        in_a_child(child_of_a_device, i);
    CHECK(!wgpu_fft_gpu_is_lost(gpus[0]));
    for (i = 0; i < sizeof plans / sizeof plans[0]; i++)
        wgpu_fft_plan_destroy(plans[i]);
    for (i = 0; i < 2; i++)
        wgpu_fft_gpu_close(gpus[i]);
}

/* There and back many times on buffers, all queued, and what is refused. */
static void queued(const wgpu_fft_gpu *gpu)
{
    wgpu_fft_plan *there, *back, *dot, *over;
    wgpu_fft_buffer *x, *y, *number, *none;
    const wgpu_fft_buffer *pair[2], *null = NULL;
    float data[2 * N], read[2 * N], sum;
    double exact = 0, worst = 0;
    int i;

    CHECK(wgpu_fft_plan_text(gpu, "c2c fwd 240 1/sqrt(n)", NULL, &there) == WGPU_FFT_OK);
    CHECK(wgpu_fft_plan_text(gpu, "c2c inv 240 1/sqrt(n)", NULL, &back) == WGPU_FFT_OK);
    CHECK(wgpu_fft_plan_text(gpu, "c2c fwd 240 in-place", NULL, &over) == WGPU_FFT_OK);
    CHECK(wgpu_fft_plan_text(gpu, "dot f32 480", NULL, &dot) == WGPU_FFT_OK);
    CHECK(wgpu_fft_buffer_create(gpu, sizeof data, &x) == WGPU_FFT_OK);
    CHECK(wgpu_fft_buffer_create(gpu, sizeof data, &y) == WGPU_FFT_OK);
    CHECK(wgpu_fft_buffer_create(gpu, sizeof sum, &number) == WGPU_FFT_OK);
    noise(data, 2 * N, 7);
    CHECK(wgpu_fft_buffer_read(x, read, sizeof read) == WGPU_FFT_OK && read[0] == 0 && read[2 * N - 1] == 0);
    CHECK(wgpu_fft_buffer_write(x, data, sizeof data) == WGPU_FFT_OK);
    for (i = 0; i < 100; i++) {
        pair[0] = x;
        CHECK(wgpu_fft_enqueue(there, pair, 1, y) == WGPU_FFT_OK);
        if (i == 30)
            CHECK(wgpu_fft_flush(gpu) == WGPU_FFT_OK);
        pair[0] = y;
        CHECK(wgpu_fft_enqueue(back, pair, 1, x) == WGPU_FFT_OK);
    }
    CHECK(wgpu_fft_buffer_read(x, read, sizeof read) == WGPU_FFT_OK);
    for (i = 0; i < 2 * N; i++)
        worst = fmax(worst, fabs(data[i] - read[i]));
    CHECK(worst > 0 && worst < 1e-3);
    CHECK(wgpu_fft_flush(gpu) == WGPU_FFT_OK);

    /* In place, two inputs, and writes between what is queued. */
    CHECK(wgpu_fft_buffer_write(x, data, sizeof data) == WGPU_FFT_OK);
    CHECK(wgpu_fft_buffer_write(y, data, sizeof data) == WGPU_FFT_OK);
    pair[0] = x, pair[1] = y;
    CHECK(wgpu_fft_enqueue(dot, pair, 2, number) == WGPU_FFT_OK);
    CHECK(wgpu_fft_enqueue(over, NULL, 0, x) == WGPU_FFT_OK);
    data[0] += 1;
    CHECK(wgpu_fft_buffer_write(y, data, sizeof(float)) == WGPU_FFT_OK);
    data[0] -= 1;
    for (i = 0; i < 2 * N; i++)
        exact += (double)data[i] * data[i];
    CHECK(wgpu_fft_buffer_read(number, &sum, sizeof sum) == WGPU_FFT_OK && fabs(sum - exact) < 1e-3);
    CHECK(wgpu_fft_buffer_read(x, read, sizeof read) == WGPU_FFT_OK && distance_of(data, read, -1) < 1e-4);
    CHECK(wgpu_fft_buffer_read(y, read, 2 * sizeof(float)) == WGPU_FFT_OK);
    CHECK(read[0] == data[0] + 1 && read[1] == data[1]);

    /* Mistakes. */
    pair[0] = x;
    CHECK(wgpu_fft_enqueue(there, pair, 1, x) == WGPU_FFT_ERROR_ARGUMENT);
    CHECK(wgpu_fft_enqueue(there, pair, 1, number) == WGPU_FFT_ERROR_LENGTH);
    CHECK(wgpu_fft_enqueue(there, pair, 2, y) == WGPU_FFT_ERROR_ARGUMENT);
    CHECK(wgpu_fft_enqueue(there, NULL, 1, y) == WGPU_FFT_ERROR_ARGUMENT);
    CHECK(wgpu_fft_enqueue(there, &null, 1, y) == WGPU_FFT_ERROR_ARGUMENT);
    CHECK(wgpu_fft_buffer_read(number, read, 5) == WGPU_FFT_ERROR_LENGTH);
    CHECK(strstr(wgpu_fft_error_message(), "4 bytes, not 5") != NULL);
    CHECK(wgpu_fft_buffer_write(number, NULL, 4) == WGPU_FFT_ERROR_ARGUMENT);
    CHECK(wgpu_fft_buffer_create(NULL, 4, &none) == WGPU_FFT_ERROR_ARGUMENT);
    CHECK(wgpu_fft_flush(NULL) == WGPU_FFT_ERROR_ARGUMENT);

    /* What is queued outlives its handles. */
    pair[0] = x;
    CHECK(wgpu_fft_enqueue(there, pair, 1, y) == WGPU_FFT_OK);
    wgpu_fft_buffer_destroy(x);
    wgpu_fft_plan_destroy(there);
    CHECK(wgpu_fft_buffer_read(y, read, sizeof read) == WGPU_FFT_OK);
    wgpu_fft_plan_destroy(back);
    wgpu_fft_plan_destroy(over);
    wgpu_fft_plan_destroy(dot);
    wgpu_fft_buffer_destroy(y);
    wgpu_fft_buffer_destroy(number);
    wgpu_fft_buffer_destroy(NULL);
}

/* Results that are begun, asked for, taken once, and left alone. */
static void started(const wgpu_fft_gpu *gpu)
{
    enum { LONG = 1 << 18 };
    wgpu_fft_plan *plan, *slow;
    wgpu_fft_buffer *x;
    wgpu_fft_pending *pending = NULL, *other, *many[4];
    wgpu_fft_array array;
    float data[2 * N], kept[2 * N], spectrum[2 * N], *zeros;
    bool done = false;
    int i, asked = 0;

    CHECK(wgpu_fft_plan_text(gpu, "c2c fwd 240", NULL, &plan) == WGPU_FFT_OK);
    noise(data, 2 * N, 11);
    memcpy(kept, data, sizeof data);
    array.data = data;
    array.bytes = sizeof data;
    CHECK(wgpu_fft_execute_start(plan, &array, 1, &pending) == WGPU_FFT_OK);
    memset(data, 0, sizeof data); /* it is copied */
    while (!done) {
        CHECK(wgpu_fft_pending_wait(pending, 0, &done) == WGPU_FFT_OK);
        CHECK(asked++ < 100000000);
    }
    CHECK(wgpu_fft_pending_bytes(pending) == sizeof spectrum && wgpu_fft_pending_bytes(NULL) == 0);
    CHECK(wgpu_fft_pending_take(pending, spectrum, 8) == WGPU_FFT_ERROR_LENGTH);
    CHECK(wgpu_fft_pending_take(pending, spectrum, sizeof spectrum) == WGPU_FFT_OK);
    CHECK(distance_of(kept, spectrum, -1) < 1e-4);
    CHECK(wgpu_fft_pending_take(pending, spectrum, sizeof spectrum) == WGPU_FFT_ERROR_ARGUMENT);
    CHECK(strstr(wgpu_fft_error_message(), "taken") != NULL);
    CHECK(wgpu_fft_pending_wait(pending, 0, &done) == WGPU_FFT_ERROR_ARGUMENT && !done);
    wgpu_fft_pending_destroy(pending);

    /* Many at once, of which the last is taken first, and some never. The plan and the buffer go
       before them. */
    CHECK(wgpu_fft_plan_text(gpu, "c2c fwd 262144", NULL, &slow) == WGPU_FFT_OK);
    zeros = calloc(2 * LONG, sizeof(float));
    CHECK(zeros != NULL);
    array.data = zeros;
    array.bytes = 2 * LONG * sizeof(float);
    for (i = 0; i < 4; i++)
        CHECK(wgpu_fft_execute_start(slow, &array, 1, &many[i]) == WGPU_FFT_OK);
    CHECK(wgpu_fft_buffer_create(gpu, sizeof data, &x) == WGPU_FFT_OK);
    CHECK(wgpu_fft_buffer_write(x, kept, sizeof kept) == WGPU_FFT_OK);
    CHECK(wgpu_fft_buffer_read_start(x, sizeof data, &other) == WGPU_FFT_OK);
    CHECK(wgpu_fft_buffer_read_start(x, sizeof data + 4, &pending) == WGPU_FFT_ERROR_LENGTH && pending == NULL);
    wgpu_fft_buffer_destroy(x);
    wgpu_fft_plan_destroy(slow);
    CHECK(wgpu_fft_pending_take(other, data, sizeof data) == WGPU_FFT_OK && memcmp(data, kept, sizeof data) == 0);
    zeros[5] = 1;
    CHECK(wgpu_fft_pending_take(many[3], zeros, 2 * LONG * sizeof(float)) == WGPU_FFT_OK && zeros[5] == 0);
    for (i = 0; i < 4; i++)
        wgpu_fft_pending_destroy(many[i]);
    wgpu_fft_pending_destroy(other);
    wgpu_fft_pending_destroy(NULL);
    free(zeros);

    /* Mistakes. */
    pending = (wgpu_fft_pending *)&pending;
    CHECK(wgpu_fft_execute_start(plan, NULL, 1, &pending) == WGPU_FFT_ERROR_ARGUMENT && pending == NULL);
    pending = (wgpu_fft_pending *)&pending;
    CHECK(wgpu_fft_buffer_read_start(NULL, 8, &pending) == WGPU_FFT_ERROR_ARGUMENT && pending == NULL);
    array.bytes = 12;
    CHECK(wgpu_fft_execute_start(plan, &array, 1, &pending) != WGPU_FFT_OK && pending == NULL);
    CHECK(wgpu_fft_pending_wait(NULL, 0, &done) == WGPU_FFT_ERROR_ARGUMENT);
    array.data = data;
    array.bytes = sizeof data;
    CHECK(wgpu_fft_execute_start(plan, &array, 1, &pending) == WGPU_FFT_OK);
    CHECK(wgpu_fft_pending_wait(pending, -1, &done) == WGPU_FFT_ERROR_ARGUMENT);
    CHECK(wgpu_fft_pending_wait(pending, 1e19, &done) == WGPU_FFT_OK && done);
    CHECK(wgpu_fft_pending_wait(pending, HUGE_VAL, &done) == WGPU_FFT_OK && done);
    CHECK(wgpu_fft_pending_take(pending, NULL, sizeof data) == WGPU_FFT_ERROR_ARGUMENT);
    wgpu_fft_pending_destroy(pending);
    wgpu_fft_plan_destroy(plan);
}

struct listener {
    int calls, ends;
    size_t measured;
};

static int32_t listen(void *user, const wgpu_fft_search *search)
{
    struct listener *own = user;

    own->calls++;
    own->measured = search->measured;
    CHECK(strcmp(search->spec, "c2c fwd 96x80") == 0 && search->best <= 1 && search->elapsed >= 0 && search->limit > 0);
    return own->ends && search->recipe != NULL;
}

/* A search of a minute that its listener ends at the first recipe. */
static void searches(wgpu_fft_gpu *gpu)
{
    wgpu_fft_plan_options how = {0};
    wgpu_fft_plan *plan;
    struct listener own = {0};

    how.size = sizeof how;
    how.rigor = WGPU_FFT_PATIENT;
    how.listener = listen;
    how.user = &own;
    own.ends = 1;
    CHECK(wgpu_fft_plan_text(gpu, "c2c fwd 96x80", &how, &plan) == WGPU_FFT_OK);
    CHECK(own.calls >= 3 && own.measured <= 2);
    wgpu_fft_plan_destroy(plan);
    /* As programs of before there was a listener have it, and without a search. */
    own.calls = 0;
    how.rigor = WGPU_FFT_ESTIMATE;
    CHECK(wgpu_fft_plan_text(gpu, "c2c fwd 96x80", &how, &plan) == WGPU_FFT_OK && own.calls == 0);
    wgpu_fft_plan_destroy(plan);
    how.rigor = WGPU_FFT_RECORDED;
    how.size = offsetof(wgpu_fft_plan_options, listener);
    CHECK(wgpu_fft_plan_text(gpu, "c2c fwd 96x80", &how, &plan) == WGPU_FFT_OK);
    wgpu_fft_plan_destroy(plan);
}

/* A signal in blocks, against the definition. */
static void streamed(const wgpu_fft_gpu *gpu)
{
    enum { BLOCK = 32, TAPS = 500, CHANNELS = 2, BLOCKS = 40, ALL = CHANNELS * BLOCK };
    static float kernel[TAPS * CHANNELS], signal[BLOCKS * ALL];
    wgpu_fft_stream_convolution how = {0};
    wgpu_fft_convolve_stream *stream;
    float out[ALL];
    int each, b, c, t, k;

    noise(kernel, TAPS * CHANNELS, 21);
    noise(signal, BLOCKS * ALL, 22);
    how.size = sizeof how;
    how.block = BLOCK;
    how.taps = TAPS;
    how.channels = CHANNELS;
    for (each = 0; each < 2; each++) {
        size_t taps = each ? TAPS * CHANNELS : TAPS;
        how.kernel_for_each = each;
        CHECK(wgpu_fft_stream_convolve_open(gpu, &how, kernel, taps, &stream) == WGPU_FFT_OK);
        CHECK(wgpu_fft_stream_convolve_push(stream, signal, out, ALL) == WGPU_FFT_OK);
        CHECK(wgpu_fft_stream_convolve_reset(stream) == WGPU_FFT_OK);
        for (b = 0; b < BLOCKS; b++) {
            memcpy(out, signal + b * ALL, sizeof out);
            CHECK(wgpu_fft_stream_convolve_push(stream, b % 2 ? out : signal + b * ALL, out, ALL) == WGPU_FFT_OK);
            for (c = 0; c < CHANNELS; c++)
                for (t = 0; t < BLOCK; t++) {
                    double exact = 0;
                    int now = b * BLOCK + t;
                    for (k = 0; k < TAPS && k <= now; k++)
                        exact += (double)kernel[each * c * TAPS + k] * signal[(now - k) / BLOCK * ALL + c * BLOCK + (now - k) % BLOCK];
                    CHECK(fabs(out[c * BLOCK + t] - exact) < 1e-4);
                }
        }
        CHECK(wgpu_fft_stream_convolve_push(stream, signal, out, ALL - 1) == WGPU_FFT_ERROR_LENGTH);
        CHECK(strstr(wgpu_fft_error_message(), "63") != NULL);
        CHECK(wgpu_fft_stream_convolve_push(stream, NULL, out, ALL) == WGPU_FFT_ERROR_ARGUMENT);
        CHECK(wgpu_fft_stream_convolve_push(stream, signal, NULL, ALL) == WGPU_FFT_ERROR_ARGUMENT);
        CHECK(wgpu_fft_stream_convolve_set_kernel(stream, kernel, taps + 1) == WGPU_FFT_ERROR_LENGTH);
        CHECK(wgpu_fft_stream_convolve_set_kernel(stream, kernel, taps) == WGPU_FFT_OK);
        wgpu_fft_stream_convolve_destroy(stream);
    }
    stream = (wgpu_fft_convolve_stream *)&stream;
    CHECK(wgpu_fft_stream_convolve_open(gpu, &how, kernel, TAPS, &stream) == WGPU_FFT_ERROR_LENGTH && stream == NULL);
    how.block = 0;
    CHECK(wgpu_fft_stream_convolve_open(gpu, &how, kernel, TAPS * CHANNELS, &stream) == WGPU_FFT_ERROR_ARGUMENT);
    how.size = 1;
    CHECK(wgpu_fft_stream_convolve_open(gpu, &how, kernel, TAPS, &stream) == WGPU_FFT_ERROR_ARGUMENT);
    CHECK(wgpu_fft_stream_convolve_open(gpu, NULL, kernel, TAPS, &stream) == WGPU_FFT_ERROR_ARGUMENT);
    CHECK(wgpu_fft_stream_convolve_push(NULL, signal, out, ALL) == WGPU_FFT_ERROR_ARGUMENT);
    wgpu_fft_stream_convolve_destroy(NULL);
}

/* Where no file can be, no pipelines are saved: unless the device keeps none at all. */
static void no_folder(const char *name)
{
    wgpu_fft_gpu_options options = {0};
    wgpu_fft_gpu *gpu;
    wgpu_fft_status saved;

    options.size = sizeof options;
    options.adapter_name = name;
    options.pipeline_cache = "no such folder/pipelines";
    CHECK(wgpu_fft_gpu_open(&options, &gpu) == WGPU_FFT_OK);
    saved = wgpu_fft_gpu_save_pipelines(gpu);
    CHECK(saved == WGPU_FFT_ERROR_FILE ? strstr(wgpu_fft_error_message(), "no such folder") != NULL
                                       : saved == WGPU_FFT_ERROR_UNSUPPORTED);
    wgpu_fft_gpu_close(gpu);
}

static void device(const char *name)
{
    wgpu_fft_gpu_options options = {0};
    wgpu_fft_plan_options how = {0};
    wgpu_fft_transform transform;
    wgpu_fft_gpu *gpu;
    wgpu_fft_plan *plan, *again;
    wgpu_fft_array pair[2];
    float data[2 * N], spectrum[2 * N], kept[2 * N], sum;
    struct job jobs[THREADS];
    pthread_t threads[THREADS];
    double exact = 0;
    int i;

    options.size = sizeof options;
    options.adapter_name = name;
    CHECK(wgpu_fft_gpu_open(&options, &gpu) == WGPU_FFT_OK);
    printf("api: %s\n", wgpu_fft_gpu_name(gpu));
    CHECK(!wgpu_fft_gpu_is_lost(gpu));
    CHECK(wgpu_fft_gpu_save_pipelines(gpu) == WGPU_FFT_ERROR_UNSUPPORTED);

    no_folder(name);
    searches(gpu);

    /* What a plan says of itself, and its recipe by hand. */
    CHECK(wgpu_fft_plan_text(gpu, "c2c fwd 240", NULL, &plan) == WGPU_FFT_OK);
    CHECK(strcmp(wgpu_fft_plan_spec(plan), "c2c fwd 240") == 0);
    CHECK(wgpu_fft_plan_input_count(plan) == 1 && wgpu_fft_plan_input_bytes(plan, 0) == sizeof data);
    CHECK(wgpu_fft_plan_input_len(plan, 0) == N && wgpu_fft_plan_output_len(plan) == N);
    CHECK(wgpu_fft_plan_input_bytes(plan, 1) == 0 && wgpu_fft_plan_output_bytes(plan) == sizeof data);
    CHECK(strcmp(wgpu_fft_plan_input_element(plan), "complex f32") == 0);
    CHECK(strcmp(wgpu_fft_plan_output_element(plan), "complex f32") == 0);
    how.size = sizeof how;
    how.recipe = wgpu_fft_plan_recipe(plan);
    CHECK(wgpu_fft_plan_text(gpu, "c2c fwd 240", &how, &again) == WGPU_FFT_OK);
    CHECK(strcmp(wgpu_fft_plan_recipe(again), how.recipe) == 0);
    wgpu_fft_plan_destroy(again);
    how.recipe = "axis 0: nonsense";
    CHECK(wgpu_fft_plan_text(gpu, "c2c fwd 240", &how, &again) == WGPU_FFT_ERROR_TEXT && again == NULL);
    how.recipe = NULL;
    how.rigor = 9;
    CHECK(wgpu_fft_plan_text(gpu, "c2c fwd 240", &how, &again) == WGPU_FFT_ERROR_ARGUMENT);
    how.rigor = WGPU_FFT_RECORDED;
    how.time_limit = -1;
    CHECK(wgpu_fft_plan_text(gpu, "c2c fwd 240", &how, &again) == WGPU_FFT_ERROR_ARGUMENT);
    CHECK(wgpu_fft_plan_text(gpu, "c2c fwd 0", NULL, &again) == WGPU_FFT_ERROR_ARGUMENT);
    CHECK(wgpu_fft_plan_text(gpu, "c2c fwd 100000x100000", NULL, &again) == WGPU_FFT_ERROR_LIMIT);

    /* Out of place, over the input, and over a part of it. */
    noise(data, 2 * N, 1);
    memcpy(kept, data, sizeof data);
    CHECK(wgpu_fft_execute(plan, data, sizeof data, spectrum, sizeof spectrum) == WGPU_FFT_OK);
    CHECK(memcmp(kept, data, sizeof data) == 0 && distance_of(data, spectrum, -1) < 1e-4);
    CHECK(wgpu_fft_execute(plan, data, sizeof data, data, sizeof data) == WGPU_FFT_OK);
    CHECK(memcmp(data, spectrum, sizeof data) == 0);
    CHECK(wgpu_fft_execute(plan, data, sizeof data, spectrum, sizeof spectrum - 8) == WGPU_FFT_ERROR_LENGTH);
    CHECK(wgpu_fft_execute(plan, data, sizeof data - 1, spectrum, sizeof spectrum) != WGPU_FFT_OK);
    CHECK(wgpu_fft_execute(plan, NULL, sizeof data, spectrum, sizeof spectrum) == WGPU_FFT_ERROR_ARGUMENT);
    wgpu_fft_plan_destroy(plan);

    /* From numbers. */
    memset(&transform, 0, sizeof transform);
    transform.size = sizeof transform;
    transform.kind = WGPU_FFT_C2C_INVERSE;
    transform.rank = 1;
    transform.shape[0] = N;
    transform.in_place = true;
    CHECK(wgpu_fft_plan_transform(gpu, &transform, NULL, &plan) == WGPU_FFT_OK);
    CHECK(wgpu_fft_execute(plan, kept, sizeof kept, spectrum, sizeof spectrum) == WGPU_FFT_OK);
    CHECK(distance_of(kept, spectrum, 1) < 1e-4);
    wgpu_fft_plan_destroy(plan);

    /* Two inputs. */
    CHECK(wgpu_fft_plan_text(gpu, "dot f32 240", NULL, &plan) == WGPU_FFT_OK);
    CHECK(wgpu_fft_plan_input_count(plan) == 2);
    pair[0].data = kept;
    pair[1].data = kept + N;
    pair[0].bytes = pair[1].bytes = N * sizeof(float);
    for (i = 0; i < N; i++)
        exact += (double)kept[i] * kept[i + N];
    CHECK(wgpu_fft_execute_many(plan, pair, 2, &sum, sizeof sum) == WGPU_FFT_OK && fabs(sum - exact) < 1e-4);
    CHECK(wgpu_fft_execute(plan, kept, N * sizeof(float), &sum, sizeof sum) == WGPU_FFT_ERROR_ARGUMENT);
    wgpu_fft_plan_destroy(plan);

    queued(gpu);
    started(gpu);
    streamed(gpu);
    for (i = 0; i < THREADS; i++) {
        jobs[i].gpu = gpu;
        jobs[i].seed = 100 + (unsigned)i;
        CHECK(pthread_create(&threads[i], NULL, thread, &jobs[i]) == 0);
    }
    for (i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    wgpu_fft_gpu_close(gpu);
}

/* Where nobody has opened a device, a child may. */
static int child_of_none(unsigned seed)
{
    (void)seed;
    device(NULL);
    return 0;
}

int main(int argc, char **argv)
{
    char *list;
    size_t needed = 0;
    int i;

    in_a_child(child_of_none, 0);
    CHECK(wgpu_fft_adapters(NULL, 0, &needed) == WGPU_FFT_OK && needed > 1);
    list = malloc(needed);
    CHECK(list != NULL && wgpu_fft_adapters(list, needed, NULL) == WGPU_FFT_OK);
    CHECK(strlen(list) == needed - 1 && strchr(list, '(') != NULL);
    free(list);
    for (i = 1; i < argc || i == 1; i++) {
        device(argv[i]);
        forked(argv[i]);
    }
    return 0;
}
