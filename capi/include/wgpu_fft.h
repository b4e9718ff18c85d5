/*
 * Fourier transforms, transposes and reductions on the GPU: link with -lwgpu_fft.
 *
 * Every function that can fail returns a status, and wgpu_fft_error_message says why in words. All
 * functions may be called by any number of threads at once; only a handle that is closed or
 * destroyed must not be in use. capi/README.md of the repository has the details.
 *
 * This file is made from capi/src by `cargo run -p wgpu-fft-cbindgen`.
 */

#ifndef WGPU_FFT_H
#define WGPU_FFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * By the rules, or by what this library's authors measured. It takes no time.
 */
#define WGPU_FFT_ESTIMATE 0

/**
 * By the record of measurements, or else as WGPU_FFT_ESTIMATE. It takes no time.
 */
#define WGPU_FFT_RECORDED 1

/**
 * By the record, or else by a search of about 2 seconds, whose result the record keeps.
 */
#define WGPU_FFT_MEASURE 2

/**
 * By the record, or else by a search of up to a minute.
 */
#define WGPU_FFT_PATIENT 3

/**
 * The most axes of a transform.
 */
#define WGPU_FFT_MOST_AXES 3

/**
 * From complex to complex numbers, with exp(-2*pi*i*j*k/n).
 */
#define WGPU_FFT_C2C_FORWARD 1

/**
 * From complex to complex numbers, with exp(+2*pi*i*j*k/n).
 */
#define WGPU_FFT_C2C_INVERSE 2

/**
 * From n reals to the first n/2+1 of their frequencies along the last axis.
 */
#define WGPU_FFT_R2C 3

/**
 * From those back to n reals.
 */
#define WGPU_FFT_C2R 4

/**
 * From reals to reals, as `real_kinds` says.
 */
#define WGPU_FFT_R2R 5

/**
 * Cosine transform of type I, FFTW's REDFT00.
 */
#define WGPU_FFT_DCT1 1

/**
 * Cosine transform of type II, FFTW's REDFT10.
 */
#define WGPU_FFT_DCT2 2

/**
 * Cosine transform of type III, FFTW's REDFT01.
 */
#define WGPU_FFT_DCT3 3

/**
 * Cosine transform of type IV, FFTW's REDFT11.
 */
#define WGPU_FFT_DCT4 4

/**
 * Sine transform of type I, FFTW's RODFT00.
 */
#define WGPU_FFT_DST1 5

/**
 * Sine transform of type II, FFTW's RODFT10.
 */
#define WGPU_FFT_DST2 6

/**
 * Sine transform of type III, FFTW's RODFT01.
 */
#define WGPU_FFT_DST3 7

/**
 * Sine transform of type IV, FFTW's RODFT11.
 */
#define WGPU_FFT_DST4 8

/**
 * Hartley's transform, FFTW's DHT.
 */
#define WGPU_FFT_HARTLEY 9

/**
 * A spectrum of reals as reals, FFTW's R2HC.
 */
#define WGPU_FFT_TO_HALF_COMPLEX 10

/**
 * The way back, FFTW's HC2R.
 */
#define WGPU_FFT_OF_HALF_COMPLEX 11

/**
 * Numbers of 32 bits: `float`.
 */
#define WGPU_FFT_F32 0

/**
 * Numbers of 64 bits, `double`, on devices whose shaders have them.
 */
#define WGPU_FFT_F64 1

/**
 * `double` on any device, with about 46 of its 53 bits.
 */
#define WGPU_FFT_F64_BY_F32 2

/**
 * No factor.
 */
#define WGPU_FFT_SCALE_ONE 0

/**
 * 1/n, where n is the product of the transformed lengths.
 */
#define WGPU_FFT_SCALE_INV_LEN 1

/**
 * 1/sqrt(n).
 */
#define WGPU_FFT_SCALE_INV_SQRT_LEN 2

/**
 * An array on the device. Any number of threads may use it at once.
 */
typedef struct wgpu_fft_buffer wgpu_fft_buffer;

/**
 * A convolution of a stream on a device, with the blocks that its taps still reach. Threads that push
 * take turns.
 */
typedef struct wgpu_fft_convolve_stream wgpu_fft_convolve_stream;

/**
 * An opened device, with its plans. Any number of threads may use it at once.
 */
typedef struct wgpu_fft_gpu wgpu_fft_gpu;

/**
 * What the device computes meanwhile: the result of wgpu_fft_execute_start, or what
 * wgpu_fft_buffer_read_start reads. One thread at a time waits for it.
 */
typedef struct wgpu_fft_pending wgpu_fft_pending;

/**
 * Something to compute, ready on a device. Any number of threads may execute it at once.
 */
typedef struct wgpu_fft_plan wgpu_fft_plan;

/**
 * What functions return: WGPU_FFT_OK, or why there is no result.
 */
typedef int32_t wgpu_fft_status;

/**
 * An array to read.
 */
typedef struct wgpu_fft_array {
    /**
     * Its first byte.
     */
    const void *data;
    /**
     * How many there are.
     */
    size_t bytes;
} wgpu_fft_array;

/**
 * Which device to open, and how. With zeros behind the size it means the same as NULL in its place:
 * the best device, or the one that WGPU_ADAPTER_NAME and WGPU_BACKEND name.
 */
typedef struct wgpu_fft_gpu_options {
    /**
     * sizeof(wgpu_fft_gpu_options).
     */
    size_t size;
    /**
     * Part of the name of the adapter or of its driver, in any case.
     */
    const char *adapter_name;
    /**
     * The file that keeps compiled pipelines; wgpu_fft_gpu_save_pipelines writes it.
     */
    const char *pipeline_cache;
    /**
     * The file that keeps what was measured. With NULL it is the one of WGPU_FFT_RECORD, or else
     * one in the user's folder for caches.
     */
    const char *record;
} wgpu_fft_gpu_options;

/**
 * How far a search for a recipe is.
 */
typedef struct wgpu_fft_search {
    /**
     * What is planned. It is there while the listener runs.
     */
    const char *spec;
    /**
     * The recipe that is tried, or NULL. It is there while the listener runs.
     */
    const char *recipe;
    /**
     * How many recipes have been measured.
     */
    size_t measured;
    /**
     * The time of the best one over that of the recipe by the rules: 1 or less.
     */
    double best;
    /**
     * Seconds since the search began, and its limit.
     */
    double elapsed;
    double limit;
} wgpu_fft_search;

/**
 * How a specification is computed. With zeros behind the size it means the same as NULL in its place.
 */
typedef struct wgpu_fft_plan_options {
    /**
     * sizeof(wgpu_fft_plan_options).
     */
    size_t size;
    /**
     * WGPU_FFT_ESTIMATE and the like.
     */
    int32_t rigor;
    /**
     * How long a search may take, in seconds. 0 is the default of the rigor.
     */
    double time_limit;
    /**
     * The text of a recipe, as wgpu_fft_plan_recipe returned it, in place of any choice.
     */
    const char *recipe;
    /**
     * Called with the progress of a search, on the thread that plans, between measurements. If it
     * returns anything but 0, the search ends: the plan is by the best recipe so far, and the record
     * does not keep it. May be NULL. It must not call this library, nor leave by longjmp.
     */
    int32_t (*listener)(void *user, const struct wgpu_fft_search *search);
    /**
     * What the listener gets first.
     */
    void *user;
} wgpu_fft_plan_options;

/**
 * Where the elements of an array are. Everything counts elements: reals, or complex numbers.
 */
typedef struct wgpu_fft_layout {
    /**
     * From one element to the next along each axis, slowest axis first.
     */
    size_t strides[WGPU_FFT_MOST_AXES];
    /**
     * From one array of the batch to the next. 0 is the first extent times its stride.
     */
    size_t batch_distance;
    /**
     * The index of the first element.
     */
    size_t offset;
    /**
     * The length of the whole array, if it continues behind the last element. 0 if it does not.
     */
    size_t within;
} wgpu_fft_layout;

/**
 * A Fourier transform. Zeros mean the default in all fields but `size`, `kind`, `rank` and `shape`.
 */
typedef struct wgpu_fft_transform {
    /**
     * sizeof(wgpu_fft_transform).
     */
    size_t size;
    /**
     * WGPU_FFT_C2C_FORWARD and the like.
     */
    int32_t kind;
    /**
     * The number of axes: 1 to 3.
     */
    size_t rank;
    /**
     * Their extents, slowest axis first. For real transforms those of the reals.
     */
    size_t shape[WGPU_FFT_MOST_AXES];
    /**
     * The number of arrays, one behind the other. 0 counts as 1.
     */
    size_t batch;
    /**
     * How many axes are transformed. 0 means all.
     */
    size_t axis_count;
    /**
     * Which ones, counted from the slowest.
     */
    size_t axes[WGPU_FFT_MOST_AXES];
    /**
     * For WGPU_FFT_R2R: the kind along each axis that is transformed, WGPU_FFT_DCT1 and the like.
     */
    int32_t real_kinds[WGPU_FFT_MOST_AXES];
    /**
     * WGPU_FFT_F32 and the like.
     */
    int32_t numbers;
    /**
     * WGPU_FFT_SCALE_ONE and the like.
     */
    int32_t scale;
    /**
     * If it is not 0: the factor on every result, in place of `scale`.
     */
    double factor;
    /**
     * Where the input's elements are. NULL if it is dense.
     */
    const struct wgpu_fft_layout *input;
    /**
     * Where the output's elements are. NULL if it is dense. Elements between them become 0.
     */
    const struct wgpu_fft_layout *output;
    /**
     * Lets the device use one array for both, which saves memory there. The layouts must be equal.
     */
    bool in_place;
} wgpu_fft_transform;

/**
 * A convolution of a signal that comes in blocks.
 */
typedef struct wgpu_fft_stream_convolution {
    /**
     * sizeof(wgpu_fft_stream_convolution).
     */
    size_t size;
    /**
     * Samples of a block, for each channel.
     */
    size_t block;
    /**
     * Taps of a kernel.
     */
    size_t taps;
    /**
     * Channels. 0 counts as 1.
     */
    size_t channels;
    /**
     * Whether each channel has a kernel of its own, one behind the other.
     */
    bool kernel_for_each;
} wgpu_fft_stream_convolution;

/**
 * All is well.
 */
#define WGPU_FFT_OK 0

/**
 * An argument makes no sense: NULL where something must be, a text that is not UTF-8, a number
 * that means nothing.
 */
#define WGPU_FFT_ERROR_ARGUMENT 1

/**
 * An array has another length than the plan needs.
 */
#define WGPU_FFT_ERROR_LENGTH 2

/**
 * A text is no specification, recipe or the like.
 */
#define WGPU_FFT_ERROR_TEXT 3

/**
 * The combination is not supported, on this device or at all.
 */
#define WGPU_FFT_ERROR_UNSUPPORTED 4

/**
 * Something is larger than the device or its indices allow.
 */
#define WGPU_FFT_ERROR_LIMIT 5

/**
 * No adapter matches, or it could not be opened.
 */
#define WGPU_FFT_ERROR_NO_DEVICE 6

/**
 * The device does not have enough memory.
 */
#define WGPU_FFT_ERROR_MEMORY 7

/**
 * The device was lost. Open it again, and plan again.
 */
#define WGPU_FFT_ERROR_DEVICE_LOST 8

/**
 * A file could not be read or written.
 */
#define WGPU_FFT_ERROR_FILE 9

/**
 * A bug of the library or of the driver.
 */
#define WGPU_FFT_ERROR_INTERNAL 10

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Why the last function that failed in this thread did so: a sentence in UTF-8 with the numbers.
 * Empty if none has failed. It is there until the next function fails in this thread.
 */
const char *wgpu_fft_error_message(void);

/**
 * The version of the library, such as `0.1.0`.
 */
const char *wgpu_fft_version(void);

/**
 * Makes an array on the device of so many bytes, which are zeros. Destroy it with
 * wgpu_fft_buffer_destroy.
 */
wgpu_fft_status wgpu_fft_buffer_create(const struct wgpu_fft_gpu *gpu,
                                       size_t bytes,
                                       struct wgpu_fft_buffer **buffer);

/**
 * Destroys a buffer. What is queued with it still runs. NULL does nothing.
 */
void wgpu_fft_buffer_destroy(struct wgpu_fft_buffer *buffer);

/**
 * Copies bytes of the host to the beginning of a buffer, after what was queued before: all of the
 * buffer, or a multiple of 4 bytes.
 */
wgpu_fft_status wgpu_fft_buffer_write(const struct wgpu_fft_buffer *buffer,
                                      const void *data,
                                      size_t count);

/**
 * Copies bytes from the beginning of a buffer to the host, when everything queued before has run.
 */
wgpu_fft_status wgpu_fft_buffer_read(const struct wgpu_fft_buffer *buffer,
                                     void *data,
                                     size_t count);

/**
 * Queues a plan on buffers, and returns at once. A submission costs more than a small transform, so
 * what is queued is submitted together: with the next call that reads or writes a buffer, by
 * wgpu_fft_flush, and where much is queued.
 *
 * Each buffer has as many bytes as the plan's input or output, and none is both: a plan of a
 * specification that works in place takes no inputs, and its buffer is the output. Calls of all
 * threads run in their order.
 *
 * An error may be of a plan that was queued earlier: then the message names it, and all others
 * have run.
 */
wgpu_fft_status wgpu_fft_enqueue(const struct wgpu_fft_plan *plan,
                                 const struct wgpu_fft_buffer *const *inputs,
                                 size_t count,
                                 const struct wgpu_fft_buffer *output);

/**
 * Submits what is queued, if anything is, so that the device begins before anybody reads.
 */
wgpu_fft_status wgpu_fft_flush(const struct wgpu_fft_gpu *gpu);

/**
 * Executes a plan with one input on arrays of the host, and returns when the output is written.
 * The output may be the input. If it fails, what the output holds means nothing.
 *
 * Any number of threads may execute plans at once, also the same plan.
 */
wgpu_fft_status wgpu_fft_execute(const struct wgpu_fft_plan *plan,
                                 const void *input,
                                 size_t input_bytes,
                                 void *output,
                                 size_t output_bytes);

/**
 * Executes a plan with any number of inputs, as wgpu_fft_execute does one with one.
 */
wgpu_fft_status wgpu_fft_execute_many(const struct wgpu_fft_plan *plan,
                                      const struct wgpu_fft_array *inputs,
                                      size_t count,
                                      void *output,
                                      size_t output_bytes);

/**
 * Opens a device. Close it with wgpu_fft_gpu_close.
 *
 * Fails with WGPU_FFT_ERROR_NO_DEVICE if no adapter matches; the message lists those that are
 * there and says what to install.
 *
 * A process that was forked from one that had opened a device cannot use any: there this function
 * and those that plan and execute fail with WGPU_FFT_ERROR_UNSUPPORTED, and what is closed or
 * destroyed leaks. So fork first.
 */
wgpu_fft_status wgpu_fft_gpu_open(const struct wgpu_fft_gpu_options *options,
                                  struct wgpu_fft_gpu **gpu);

/**
 * Closes a device. Plans that are still there keep it open until they are destroyed. NULL does
 * nothing.
 */
void wgpu_fft_gpu_close(struct wgpu_fft_gpu *gpu);

/**
 * The name of the adapter, which is there as long as the handle. Empty for NULL.
 */
const char *wgpu_fft_gpu_name(const struct wgpu_fft_gpu *gpu);

/**
 * Whether the device was lost: removed, reset, or hung, or left behind by a fork. Nothing can be
 * planned or executed on it any more. False for NULL.
 */
bool wgpu_fft_gpu_is_lost(const struct wgpu_fft_gpu *gpu);

/**
 * Writes the compiled pipelines into the file of the options, so that the next run of the program
 * need not compile them again.
 */
wgpu_fft_status wgpu_fft_gpu_save_pipelines(const struct wgpu_fft_gpu *gpu);

/**
 * Lists all adapters, best first, in UTF-8 with a line each: `NVIDIA H200 (Vulkan, DiscreteGpu)`.
 * At most `size` bytes are written, with a zero byte at the end. `needed` becomes the number of
 * bytes that all of it needs. Both places may be NULL.
 */
wgpu_fft_status wgpu_fft_adapters(char *text, size_t size, size_t *needed);

/**
 * Begins to execute a plan on arrays of the host, and returns as soon as the inputs are copied:
 * they may change then. Take the result with wgpu_fft_pending_take.
 */
wgpu_fft_status wgpu_fft_execute_start(const struct wgpu_fft_plan *plan,
                                       const struct wgpu_fft_array *arrays,
                                       size_t count,
                                       struct wgpu_fft_pending **pending);

/**
 * Begins to copy bytes from the beginning of a buffer to the host, as they are when everything queued
 * before has run. Take them with wgpu_fft_pending_take.
 */
wgpu_fft_status wgpu_fft_buffer_read_start(const struct wgpu_fft_buffer *buffer,
                                           size_t count,
                                           struct wgpu_fft_pending **pending);

/**
 * Waits for a result, but no longer than so many seconds: 0 asks whether it is there, and INFINITY waits
 * for it. `done` becomes whether it is. While another thread waits for it, this waits for that.
 */
wgpu_fft_status wgpu_fft_pending_wait(const struct wgpu_fft_pending *pending,
                                      double seconds,
                                      bool *done);

/**
 * Waits for a result, and copies all of its bytes to the host. It can be taken once.
 */
wgpu_fft_status wgpu_fft_pending_take(const struct wgpu_fft_pending *pending,
                                      void *data,
                                      size_t count);

/**
 * The bytes of a result. 0 for NULL.
 */
size_t wgpu_fft_pending_bytes(const struct wgpu_fft_pending *pending);

/**
 * Destroys what wgpu_fft_execute_start and wgpu_fft_buffer_read_start made, taken or not: what has
 * not come by then is nobody's, and nothing waits for it. NULL does nothing.
 */
void wgpu_fft_pending_destroy(struct wgpu_fft_pending *pending);

/**
 * Plans a specification from its text, such as `c2c fwd 512x512` or `sum f32 480x640 axes=1`. The
 * documentation of the Rust module wgpu_fft::dynamic lists all of them. `options` may be NULL.
 * Destroy the plan with wgpu_fft_plan_destroy.
 *
 * Planning compiles shaders, which takes milliseconds to seconds the first time. Planning the same
 * again costs little.
 */
wgpu_fft_status wgpu_fft_plan_text(const struct wgpu_fft_gpu *gpu,
                                   const char *spec,
                                   const struct wgpu_fft_plan_options *options,
                                   struct wgpu_fft_plan **plan);

/**
 * Plans a Fourier transform, as wgpu_fft_plan_text does.
 */
wgpu_fft_status wgpu_fft_plan_transform(const struct wgpu_fft_gpu *gpu,
                                        const struct wgpu_fft_transform *transform,
                                        const struct wgpu_fft_plan_options *options,
                                        struct wgpu_fft_plan **plan);

/**
 * Destroys a plan that no thread executes any more. NULL does nothing.
 */
void wgpu_fft_plan_destroy(struct wgpu_fft_plan *plan);

/**
 * What the plan computes, which is there as long as the plan. Empty for NULL.
 */
const char *wgpu_fft_plan_spec(const struct wgpu_fft_plan *plan);

/**
 * How the plan computes it, which is there as long as the plan. Empty for NULL.
 */
const char *wgpu_fft_plan_recipe(const struct wgpu_fft_plan *plan);

/**
 * What the input holds, such as `f32` or `complex f32`; of two inputs, both. It is there as long
 * as the plan. Empty for NULL.
 */
const char *wgpu_fft_plan_input_element(const struct wgpu_fft_plan *plan);

/**
 * What the output holds. It is there as long as the plan. Empty for NULL.
 */
const char *wgpu_fft_plan_output_element(const struct wgpu_fft_plan *plan);

/**
 * How many inputs the plan takes: 1 or 2. 0 for NULL.
 */
size_t wgpu_fft_plan_input_count(const struct wgpu_fft_plan *plan);

/**
 * The bytes of an input, counted from 0. 0 if there is none of that number.
 */
size_t wgpu_fft_plan_input_bytes(const struct wgpu_fft_plan *plan, size_t input);

/**
 * The bytes of the output. 0 for NULL.
 */
size_t wgpu_fft_plan_output_bytes(const struct wgpu_fft_plan *plan);

/**
 * The elements of an input, counted from 0. 0 if there is none of that number.
 */
size_t wgpu_fft_plan_input_len(const struct wgpu_fft_plan *plan, size_t input);

/**
 * The elements of the output. 0 for NULL.
 */
size_t wgpu_fft_plan_output_len(const struct wgpu_fft_plan *plan);

/**
 * The bytes that the plan holds on the device besides arrays. 0 for NULL.
 */
size_t wgpu_fft_plan_workspace_bytes(const struct wgpu_fft_plan *plan);

/**
 * Begins a convolution of a stream, with silence before its first block: y[t] is the sum of h[k] x[t-k]
 * over the taps h[k]. `kernel` has `count` floats: the taps, or those of each channel. Destroy the stream
 * with wgpu_fft_stream_convolve_destroy.
 */
wgpu_fft_status wgpu_fft_stream_convolve_open(const struct wgpu_fft_gpu *gpu,
                                              const struct wgpu_fft_stream_convolution *convolution,
                                              const float *kernel,
                                              size_t count,
                                              struct wgpu_fft_convolve_stream **stream);

/**
 * Takes the next block, and writes the same block of the results: `count` floats each, channels times
 * samples, with the samples of a channel side by side. It waits for the device. `output` may be `input`.
 */
wgpu_fft_status wgpu_fft_stream_convolve_push(const struct wgpu_fft_convolve_stream *stream,
                                              const float *input,
                                              float *output,
                                              size_t count);

/**
 * Exchanges the kernel for one with as many taps, for the blocks that come.
 */
wgpu_fft_status wgpu_fft_stream_convolve_set_kernel(const struct wgpu_fft_convolve_stream *stream,
                                                    const float *kernel,
                                                    size_t count);

/**
 * Forgets all blocks: the next one is the first again.
 */
wgpu_fft_status wgpu_fft_stream_convolve_reset(const struct wgpu_fft_convolve_stream *stream);

/**
 * Destroys a stream. NULL does nothing.
 */
void wgpu_fft_stream_convolve_destroy(struct wgpu_fft_convolve_stream *stream);

/**
 * The text of a transform, as wgpu_fft_plan_text takes it: `c2c fwd 480x640 x8`. It needs no
 * device. At most `size` bytes are written to `text`, with a zero byte at the end. `needed`
 * becomes the number of bytes that all of it needs. Both places may be NULL.
 */
wgpu_fft_status wgpu_fft_transform_text(const struct wgpu_fft_transform *transform,
                                        char *text,
                                        size_t size,
                                        size_t *needed);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* WGPU_FFT_H */
