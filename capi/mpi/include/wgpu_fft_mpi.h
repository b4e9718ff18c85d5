/*
 * Fourier transforms over the ranks of an MPI communicator, each with a GPU: link with
 * -lwgpu_fft_mpi.
 *
 * Every function that can fail returns a status, and wgpu_fft_mpi_error_message says why in words.
 * Functions that are collective must be called by all ranks in the same order, from the thread that
 * opened the cluster. capi/mpi/README.md of the repository has the details.
 *
 * This file is made from capi/mpi/src by `cargo run -p wgpu-fft-cbindgen`.
 */

#ifndef WGPU_FFT_MPI_H
#define WGPU_FFT_MPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The file holds the input of a job.
 */
#define WGPU_FFT_MPI_INPUT 0

/**
 * The file holds the output of a job.
 */
#define WGPU_FFT_MPI_OUTPUT 1

/**
 * A file as NumPy's `save` makes it: a header, and the elements.
 */
#define WGPU_FFT_MPI_NPY 0

/**
 * Nothing but the elements, from the byte `begin` to the end of the file.
 */
#define WGPU_FFT_MPI_RAW 1

/**
 * In the file the last axis is the fastest one.
 */
#define WGPU_FFT_MPI_C_ORDER 0

/**
 * In the file the first axis is the fastest one, and a batch is faster still.
 */
#define WGPU_FFT_MPI_FORTRAN_ORDER 1

/**
 * The most axes of a transform.
 */
#define WGPU_FFT_MOST_AXES 3

/**
 * One axis is divided: the batch, or axis 0 if there is one array.
 */
#define WGPU_FFT_MPI_SLABS 0

/**
 * Two axes are divided: the batch and axis 0, or axes 0 and 1 if there is one array. The grid of
 * ranks is as square as it can be.
 */
#define WGPU_FFT_MPI_PENCILS 1

/**
 * The same, on the grid of ranks that `grid` says. With {1, ranks} a batch is on every rank, and
 * axis 0 of all of its arrays is divided.
 */
#define WGPU_FFT_MPI_GRID 2

/**
 * Frequencies lie with the axes that were divided last: [n1, n0], [n1, n2, n0]. It saves an
 * exchange.
 */
#define WGPU_FFT_MPI_TRANSPOSED 0

/**
 * Frequencies lie as the positions do.
 */
#define WGPU_FFT_MPI_NATURAL 1

/**
 * For transforms from reals to reals alone, which have no direction: the input lies as the output of
 * one with WGPU_FFT_MPI_TRANSPOSED does, and the output as its input. It is for the way back.
 */
#define WGPU_FFT_MPI_TRANSPOSED_INPUT 2

/**
 * All ranks have equal shares.
 */
#define WGPU_FFT_MPI_EQUAL 0

/**
 * Shares follow the speed of the ranks, which is measured when the job is made.
 */
#define WGPU_FFT_MPI_MEASURED 1

/**
 * Ranks send each other numbers as they are.
 */
#define WGPU_FFT_MPI_EXACT 0

/**
 * Ranks send each other f16, in half the bytes, with a relative error of some 2e-4 for each exchange,
 * of at most 2^-11 + 2^-37 sqrt(n) M/r behind transforms of n points, where M is the largest number
 * and r the root of the mean square. Numbers are scaled, so that none overflows. For transforms in f32.
 */
#define WGPU_FFT_MPI_F16 1

/**
 * An array on this rank's device. Destroy it before the cluster is closed.
 */
typedef struct wgpu_fft_mpi_buffer wgpu_fft_mpi_buffer;

/**
 * The ranks of a communicator, each with a device. Close it before MPI_Finalize.
 */
typedef struct wgpu_fft_mpi_cluster wgpu_fft_mpi_cluster;

/**
 * A transform that all ranks of a cluster compute together. Destroy it before MPI_Finalize.
 */
typedef struct wgpu_fft_mpi_job wgpu_fft_mpi_job;

/**
 * Which rank sends which elements to which, where an array goes from some parts of the ranks to
 * others. Destroy it before MPI_Finalize.
 */
typedef struct wgpu_fft_mpi_redistribution wgpu_fft_mpi_redistribution;

/**
 * A transform that was started.
 */
typedef struct wgpu_fft_mpi_running wgpu_fft_mpi_running;

/**
 * What functions return: WGPU_FFT_OK, or why there is no result.
 */
typedef int32_t wgpu_fft_mpi_status;

/**
 * Which device this rank opens. With zeros behind the size it means the same as NULL in its place: the
 * i-th process of a machine takes the i-th GPU. Ranks may have different options.
 */
typedef struct wgpu_fft_mpi_open_options {
    /**
     * sizeof(wgpu_fft_mpi_open_options).
     */
    size_t size;
    /**
     * Part of the name of the adapter or of its driver, in any case. The i-th process of a machine
     * takes the i-th adapter with its name, modulo their number. May be NULL.
     */
    const char *adapter_name;
    /**
     * In place of a name: the PCI address of a card, such as `0000:65:00.0`. May be NULL.
     */
    const char *pci_bus;
    /**
     * In place of both: which of the machine's best adapters, counted from 1. 0 means none.
     */
    size_t adapter_number;
    /**
     * Seconds to wait for other ranks that open their devices and plan. 0 is the default, 600.
     */
    double timeout;
} wgpu_fft_mpi_open_options;

/**
 * How an array lies in a file. With zeros behind the size it means the same as NULL in its place. All
 * ranks give the same.
 */
typedef struct wgpu_fft_mpi_file_options {
    /**
     * sizeof(wgpu_fft_mpi_file_options).
     */
    size_t size;
    /**
     * WGPU_FFT_MPI_NPY or WGPU_FFT_MPI_RAW.
     */
    int32_t format;
    /**
     * WGPU_FFT_MPI_C_ORDER or WGPU_FFT_MPI_FORTRAN_ORDER. A file of NumPy that is read says so itself.
     */
    int32_t order;
    /**
     * The byte at which the elements of a raw file begin. 0 for one that is written.
     */
    uint64_t begin;
    /**
     * 1 to replace a file that is there, which is an error otherwise.
     */
    int32_t replace;
    /**
     * 0.
     */
    int32_t reserved;
} wgpu_fft_mpi_file_options;

/**
 * How a transform is divided. With zeros behind the size it means the same as NULL in its place. All
 * ranks give the same.
 */
typedef struct wgpu_fft_mpi_plan_options {
    /**
     * sizeof(wgpu_fft_mpi_plan_options).
     */
    size_t size;
    /**
     * WGPU_FFT_MPI_SLABS and the like.
     */
    int32_t decomposition;
    /**
     * For WGPU_FFT_MPI_GRID: the ranks along the first and the second divided axis.
     */
    size_t grid[2];
    /**
     * WGPU_FFT_MPI_TRANSPOSED, WGPU_FFT_MPI_NATURAL or WGPU_FFT_MPI_TRANSPOSED_INPUT.
     */
    int32_t order;
    /**
     * WGPU_FFT_MPI_EQUAL or WGPU_FFT_MPI_MEASURED.
     */
    int32_t shares;
    /**
     * In place of `shares`: a job whose shares this one takes, so that the output of one fits the
     * input of the other. May be NULL.
     */
    const struct wgpu_fft_mpi_job *shares_of;
    /**
     * Seconds that a device may take for a piece of work, and half of what a rank is waited for. 0
     * is the default, 600.
     */
    double timeout;
    /**
     * WGPU_FFT_MPI_EXACT or WGPU_FFT_MPI_F16.
     */
    int32_t exchange;
    /**
     * 0.
     */
    int32_t reserved;
} wgpu_fft_mpi_plan_options;

/**
 * The part of an array that a rank holds: a box, slowest axis first, stored without gaps but for
 * `padding`. Behind each other lie `batch_count` of them.
 */
typedef struct wgpu_fft_mpi_part {
    /**
     * The number of elements, with the padding.
     */
    size_t elements;
    /**
     * The size of one: of a `float` or a `double`, or of two of them.
     */
    size_t element_bytes;
    /**
     * 1, or 2 if elements are complex: a real and an imaginary part.
     */
    size_t element_reals;
    /**
     * The first array of the batch that the rank holds, how many it holds, and how many there are.
     */
    size_t batch_begin;
    size_t batch_count;
    size_t batch_extent;
    /**
     * The number of axes.
     */
    size_t rank;
    /**
     * The axes of the transform in the order in which they are stored.
     */
    size_t axes[WGPU_FFT_MOST_AXES];
    /**
     * The first index along each of these.
     */
    size_t begin[WGPU_FFT_MOST_AXES];
    /**
     * The number of indices.
     */
    size_t count[WGPU_FFT_MOST_AXES];
    /**
     * The extent of the whole array.
     */
    size_t extent[WGPU_FFT_MOST_AXES];
    /**
     * Elements behind each row of the last of these axes that mean nothing. 0 unless
     * wgpu_fft_mpi_set_parts asks for them: with 2 * (n / 2 + 1) - n for n reals, as FFTW's
     * arrays have, the frequencies have room in the array of the reals.
     */
    size_t padding;
} wgpu_fft_mpi_part;

/**
 * How far a run is, on this rank.
 */
typedef struct wgpu_fft_mpi_progress {
    /**
     * What is done at the moment, such as `rows` or `exchange`. It is there while the function runs.
     */
    const char *label;
    /**
     * The index of the phase, from 0, and how many there are.
     */
    size_t phase;
    size_t phases;
    /**
     * The bytes of the phase's output that are done, and all of them.
     */
    uint64_t done;
    uint64_t total;
} wgpu_fft_mpi_progress;

/**
 * A rank could not do its part, or the ranks asked for different things. All ranks get the same
 * message, which names the rank. The handles stay usable.
 */
#define WGPU_FFT_ERROR_RANK 11

/**
 * A rank does not answer. All later calls on the cluster fail so, and MPI cannot end without that
 * rank: call MPI_Abort.
 */
#define WGPU_FFT_ERROR_SILENT 12

/**
 * A function of wgpu_fft_mpi_set_progress has ended the run. All ranks get the same message, which names
 * the rank. The job can be run again.
 */
#define WGPU_FFT_ERROR_CANCELLED 13

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
const char *wgpu_fft_mpi_error_message(void);

/**
 * The version of the library, such as `0.1.0`.
 */
const char *wgpu_fft_mpi_version(void);

/**
 * Makes an array on this rank's device of so many bytes, which are zeros. 0 bytes are right for a part
 * without elements. Destroy it with wgpu_fft_mpi_buffer_destroy.
 */
wgpu_fft_mpi_status wgpu_fft_mpi_buffer_create(const struct wgpu_fft_mpi_cluster *cluster,
                                               size_t bytes,
                                               struct wgpu_fft_mpi_buffer **buffer);

/**
 * Destroys a buffer. NULL does nothing. After MPI_Finalize it leaks.
 */
void wgpu_fft_mpi_buffer_destroy(struct wgpu_fft_mpi_buffer *buffer);

/**
 * Copies bytes of the host to a buffer, which has as many.
 */
wgpu_fft_mpi_status wgpu_fft_mpi_buffer_write(const struct wgpu_fft_mpi_buffer *buffer,
                                              const void *data,
                                              size_t count);

/**
 * Copies the bytes of a buffer to the host, which has room for as many.
 */
wgpu_fft_mpi_status wgpu_fft_mpi_buffer_read(const struct wgpu_fft_mpi_buffer *buffer,
                                             void *data,
                                             size_t count);

/**
 * As wgpu_fft_mpi_run, from one buffer to another. Collective. Between two transforms nothing but
 * what ranks exchange passes the host then: with WGPU_FFT_MPI_NATURAL the output of a forward
 * transform is part of that, and with parts of the caller's so are both.
 */
wgpu_fft_mpi_status wgpu_fft_mpi_run_on_device(const struct wgpu_fft_mpi_job *job,
                                               const struct wgpu_fft_mpi_buffer *input,
                                               const struct wgpu_fft_mpi_buffer *output);

/**
 * Computes every element of a buffer from those of two others at the same place: `expression` is
 * WGSL, such as `value * factor.x`, of `value`, an element of `input`, and `factor`, one of `factors`.
 * They are f32 if `element_reals` is 1, and complex numbers, vec2<f32>, if it is 2. All three have as
 * many bytes, and the output is neither of the others. `i0` is the index, a u32. Not collective: it
 * runs on this rank's device, in order with the transforms there.
 */
wgpu_fft_mpi_status wgpu_fft_mpi_map(const char *expression,
                                     size_t element_reals,
                                     const struct wgpu_fft_mpi_buffer *input,
                                     const struct wgpu_fft_mpi_buffer *factors,
                                     const struct wgpu_fft_mpi_buffer *output);

/**
 * Opens a device on every rank of a communicator. Collective: all of its ranks call it. Close it with
 * wgpu_fft_mpi_close.
 *
 * `comm` is the communicator as Fortran has it, MPI_Comm_c2f(comm) in C, so this header needs
 * no mpi.h. MPI must have begun, and be the one that this library was built with. The library
 * sends on a duplicate of the communicator, from the thread that calls it: MPI_THREAD_FUNNELED
 * suffices.
 *
 * Fails with WGPU_FFT_ERROR_NO_DEVICE on all ranks if one has no adapter; the message names it,
 * and lists the adapters that are there.
 */
wgpu_fft_mpi_status wgpu_fft_mpi_open(int comm,
                                      const struct wgpu_fft_mpi_open_options *options,
                                      struct wgpu_fft_mpi_cluster **cluster);

/**
 * Closes the devices. Jobs that are still there keep them open until they are destroyed. NULL does
 * nothing. Collective, as MPI_Comm_free is; after MPI_Finalize it leaks.
 */
void wgpu_fft_mpi_close(struct wgpu_fft_mpi_cluster *cluster);

/**
 * The name of this rank's adapter, which is there as long as the handle. Empty for NULL.
 */
const char *wgpu_fft_mpi_device(const struct wgpu_fft_mpi_cluster *cluster);

/**
 * Reads this rank's part of the input of a job from a file, or of its output: WGPU_FFT_MPI_INPUT or
 * WGPU_FFT_MPI_OUTPUT. Collective. All ranks name the same file, and each reads only what it has.
 *
 * The file holds the array in the order of the transform's axes, with the batch in front, whatever
 * the order in which a part lies in memory. Elements are not converted: the file must have those of
 * the job, and its shape. `options` may be NULL. If it fails, what the array holds means nothing.
 */
wgpu_fft_mpi_status wgpu_fft_mpi_read(const struct wgpu_fft_mpi_job *job,
                                      int32_t side,
                                      const char *path,
                                      const struct wgpu_fft_mpi_file_options *options,
                                      void *array,
                                      size_t array_bytes);

/**
 * Writes this rank's part of the input of a job to a new file, or of its output, for wgpu_fft_mpi_read
 * or NumPy's `load`. Collective. Every element must be in exactly one rank's part.
 *
 * The ranks write beside it. The file is there when all is on the disk: what a failure leaves is what
 * was there before. A file that is there already is an error on all ranks, unless `replace` is 1.
 */
wgpu_fft_mpi_status wgpu_fft_mpi_write(const struct wgpu_fft_mpi_job *job,
                                       int32_t side,
                                       const char *path,
                                       const struct wgpu_fft_mpi_file_options *options,
                                       const void *array,
                                       size_t array_bytes);

/**
 * The parts of the input and of the output that `rank` of `ranks` will have, without planning:
 * nothing is measured, compiled or sent. It needs neither a device nor MPI, and
 * WGPU_FFT_MPI_MEASURED is refused. `spec` and `options` are those of wgpu_fft_mpi_plan. Both
 * places may be NULL.
 */
wgpu_fft_mpi_status wgpu_fft_mpi_local_parts(const char *spec,
                                             const struct wgpu_fft_mpi_plan_options *options,
                                             size_t rank,
                                             size_t ranks,
                                             struct wgpu_fft_mpi_part *input,
                                             struct wgpu_fft_mpi_part *output);

/**
 * Plans a Fourier transform from its text, such as `r2c fwd 64x64x64`, `c2c inv 512x512 f64 1/n`, or
 * `r2r dct2,dst1 64x64` from reals to reals, for all ranks together. Collective. `options` may be NULL. Destroy it with
 * wgpu_fft_mpi_destroy.
 *
 * Planning compiles shaders, which takes milliseconds to seconds the first time. If ranks ask for
 * different transforms or options, it fails on all with WGPU_FFT_ERROR_RANK.
 */
wgpu_fft_mpi_status wgpu_fft_mpi_plan(const struct wgpu_fft_mpi_cluster *cluster,
                                      const char *spec,
                                      const struct wgpu_fft_mpi_plan_options *options,
                                      struct wgpu_fft_mpi_job **job);

/**
 * Destroys a job. NULL does nothing. The last one of a cluster that is closed frees its
 * communicator, so then this is collective. After MPI_Finalize it leaks.
 */
void wgpu_fft_mpi_destroy(struct wgpu_fft_mpi_job *job);

/**
 * The parts of the input and of the output that this rank has. Both places may be NULL.
 */
wgpu_fft_mpi_status wgpu_fft_mpi_parts(const struct wgpu_fft_mpi_job *job,
                                       struct wgpu_fft_mpi_part *input,
                                       struct wgpu_fft_mpi_part *output);

/**
 * Lets a job take and return other parts: any box of each rank, so that a program keeps its own
 * decomposition. Of `input` and `output` the batch, `begin`, `count` and `padding` are read, along
 * the axes in the order of wgpu_fft_mpi_parts: with WGPU_FFT_MPI_NATURAL that of the shape. NULL
 * keeps the part that the rank has now. If it fails, the job keeps all parts. Collective. It costs
 * an exchange before the transform and one after it.
 *
 * Every element of the input must come from exactly one rank, or it fails with
 * WGPU_FFT_ERROR_RANK. Parts of the output may overlap, for halos, or leave something out.
 */
wgpu_fft_mpi_status wgpu_fft_mpi_set_parts(struct wgpu_fft_mpi_job *job,
                                           const struct wgpu_fft_mpi_part *input,
                                           const struct wgpu_fft_mpi_part *output);

/**
 * Computes this rank's part of the output from its part of the input, and returns when it is
 * written. Collective. The output may be the input. If it fails, what the output holds means
 * nothing.
 *
 * A wrong length on one rank fails on all with WGPU_FFT_ERROR_RANK; NULL counts as length 0. The
 * parts of a rank may be empty, and then NULL is right.
 */
wgpu_fft_mpi_status wgpu_fft_mpi_run(const struct wgpu_fft_mpi_job *job,
                                     const void *input,
                                     size_t input_bytes,
                                     void *output,
                                     size_t output_bytes);

/**
 * Lets the runs of a job call a function with their progress: at the begin and the end of each phase, and
 * after each message or piece, on the thread that runs or tests them. `user` is handed to it. NULL calls
 * none any more. It is this rank's own matter, and not collective.
 *
 * If it returns anything but 0, the run ends with the phase, on all ranks, with
 * WGPU_FFT_ERROR_CANCELLED. What the output holds then means nothing. The job can be run again. The
 * function must not call this library, nor leave by longjmp.
 */
wgpu_fft_mpi_status wgpu_fft_mpi_set_progress(struct wgpu_fft_mpi_job *job,
                                              int32_t (*listener)(void *user,
                                                                  const struct wgpu_fft_mpi_progress *progress),
                                              void *user);

/**
 * Prepares to move an array from some parts of the ranks to others, without a transform: any box of
 * each rank before it, and any box after it. So it is a transpose over ranks, a change from slabs to
 * pencils, or a collection of halos. Collective. Destroy it with wgpu_fft_mpi_redistribution_destroy.
 *
 * `before` and `after` are this rank's parts: those of a job, or any of your own. Of them are read
 * `element_bytes`, which may be any number, `rank`, `axes`, `begin`, `count`, `extent`, `padding` and
 * the batch, of which `batch_extent` 0 means that there is none. Both name the same axes with the same extents, each in
 * the order in which it is stored, slowest first: {0, 1} before and {1, 0} after is a transpose.
 *
 * Every element that is wanted must come from exactly one rank, or it fails with WGPU_FFT_ERROR_RANK.
 * Parts after it may overlap, for halos, or leave something out.
 */
wgpu_fft_mpi_status wgpu_fft_mpi_redistribution_create(const struct wgpu_fft_mpi_cluster *cluster,
                                                       const struct wgpu_fft_mpi_part *before,
                                                       const struct wgpu_fft_mpi_part *after,
                                                       struct wgpu_fft_mpi_redistribution **redistribution);

/**
 * Destroys what wgpu_fft_mpi_redistribution_create made. NULL does nothing. The last handle of a
 * cluster that is closed frees its communicator, so then this is collective. After MPI_Finalize it
 * leaks.
 */
void wgpu_fft_mpi_redistribution_destroy(struct wgpu_fft_mpi_redistribution *redistribution);

/**
 * Moves the array: reads this rank's part before it, and writes the one after it. Collective. Lengths,
 * NULL and an output in the memory of the input are as in wgpu_fft_mpi_run.
 */
wgpu_fft_mpi_status wgpu_fft_mpi_redistribute(const struct wgpu_fft_mpi_redistribution *redistribution,
                                              const void *input,
                                              size_t input_bytes,
                                              void *output,
                                              size_t output_bytes);

/**
 * Begins what wgpu_fft_mpi_run does and returns, so that the program works while the device computes
 * and messages travel. Collective. End it with wgpu_fft_mpi_wait, also if it has failed. Until then
 * the arrays must stay, nobody may touch the output or write to the input, and all other collective
 * calls on the cluster are refused.
 *
 * It goes on by itself only where the device and MPI do. The next piece and the next message wait for
 * wgpu_fft_mpi_test: call it often, such as every 0.2 ms.
 */
wgpu_fft_mpi_status wgpu_fft_mpi_start(const struct wgpu_fft_mpi_job *job,
                                       const void *input,
                                       size_t input_bytes,
                                       void *output,
                                       size_t output_bytes,
                                       struct wgpu_fft_mpi_running **run);

/**
 * Goes on with what can be done without waiting, and says whether the run is done.
 */
wgpu_fft_mpi_status wgpu_fft_mpi_test(struct wgpu_fft_mpi_running *run, bool *is_done);

/**
 * Waits until the run is done, and frees it. It fails as wgpu_fft_mpi_run does.
 */
wgpu_fft_mpi_status wgpu_fft_mpi_wait(struct wgpu_fft_mpi_running *run);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* WGPU_FFT_MPI_H */
