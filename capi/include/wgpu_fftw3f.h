/*
 * FFTW's interface for single precision, on the GPU: link with -lwgpu_fftw3f.
 *
 * Written from FFTW's manual, https://www.fftw.org/fftw3_doc/, which says what each function does.
 * capi/README.md and docs/from_fftw.md of the repository say what differs. A program that was
 * written for FFTW includes this file in place of fftw3.h; wgpu-fftw/fftw3.h, which includes this
 * one, saves even that.
 *
 * wgpu_fftw3.h has the functions of double precision. Of long double precision, only the types are
 * here, for programs that name them.
 */
#ifndef WGPU_FFTW3F_H
#define WGPU_FFTW3F_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C's own complex numbers, if <complex.h> is included before; they lie in memory alike. */
#if !defined(__cplusplus) && defined(_Complex_I) && defined(complex) && defined(I)
typedef float _Complex fftwf_complex;
typedef double _Complex fftw_complex;
typedef long double _Complex fftwl_complex;
#else
typedef float fftwf_complex[2];
typedef double fftw_complex[2];
typedef long double fftwl_complex[2];
#endif

typedef struct fftwf_plan_s *fftwf_plan;
typedef struct fftw_plan_s *fftw_plan;
typedef struct fftwl_plan_s *fftwl_plan;

/* An axis or a loop: its length, and the strides of input and output. */
typedef struct {
    int n;
    int is;
    int os;
} fftwf_iodim;
typedef fftwf_iodim fftw_iodim;
typedef fftwf_iodim fftwl_iodim;

typedef struct {
    ptrdiff_t n;
    ptrdiff_t is;
    ptrdiff_t os;
} fftwf_iodim64;
typedef fftwf_iodim64 fftw_iodim64;
typedef fftwf_iodim64 fftwl_iodim64;

/* The numbers are those of FFTW's binary interface. */
typedef enum {
    FFTW_R2HC = 0,
    FFTW_HC2R = 1,
    FFTW_DHT = 2,
    FFTW_REDFT00 = 3,
    FFTW_REDFT01 = 4,
    FFTW_REDFT10 = 5,
    FFTW_REDFT11 = 6,
    FFTW_RODFT00 = 7,
    FFTW_RODFT01 = 8,
    FFTW_RODFT10 = 9,
    FFTW_RODFT11 = 10
} fftwf_r2r_kind;
typedef fftwf_r2r_kind fftw_r2r_kind;
typedef fftwf_r2r_kind fftwl_r2r_kind;

#define FFTW_FORWARD (-1)
#define FFTW_BACKWARD (+1)

#define FFTW_NO_TIMELIMIT (-1.0)

#define FFTW_MEASURE (0U)
#define FFTW_DESTROY_INPUT (1U << 0)
#define FFTW_UNALIGNED (1U << 1)
#define FFTW_CONSERVE_MEMORY (1U << 2)
#define FFTW_EXHAUSTIVE (1U << 3)
#define FFTW_PRESERVE_INPUT (1U << 4)
#define FFTW_PATIENT (1U << 5)
#define FFTW_ESTIMATE (1U << 6)
#define FFTW_WISDOM_ONLY (1U << 21)

/* `wgpu-fft-0.1.0`, and what FFTW says of its compiler. */
extern const char fftwf_version[];
extern const char fftwf_cc[];
extern const char fftwf_codelet_optim[];

/* Memory, aligned for what FFTW's programs expect. */
void *fftwf_malloc(size_t n);
float *fftwf_alloc_real(size_t n);
fftwf_complex *fftwf_alloc_complex(size_t n);
void fftwf_free(void *p);
int fftwf_alignment_of(float *p);

/* The basic interface: dense arrays, row by row. */
fftwf_plan fftwf_plan_dft(
    int rank, const int *n, fftwf_complex *in, fftwf_complex *out, int sign, unsigned flags);
fftwf_plan fftwf_plan_dft_1d(
    int n, fftwf_complex *in, fftwf_complex *out, int sign, unsigned flags);
fftwf_plan fftwf_plan_dft_2d(
    int n0, int n1, fftwf_complex *in, fftwf_complex *out, int sign, unsigned flags);
fftwf_plan fftwf_plan_dft_3d(
    int n0, int n1, int n2, fftwf_complex *in, fftwf_complex *out, int sign, unsigned flags);
fftwf_plan fftwf_plan_dft_r2c(
    int rank, const int *n, float *in, fftwf_complex *out, unsigned flags);
fftwf_plan fftwf_plan_dft_r2c_1d(int n, float *in, fftwf_complex *out, unsigned flags);
fftwf_plan fftwf_plan_dft_r2c_2d(int n0, int n1, float *in, fftwf_complex *out, unsigned flags);
fftwf_plan fftwf_plan_dft_r2c_3d(
    int n0, int n1, int n2, float *in, fftwf_complex *out, unsigned flags);
fftwf_plan fftwf_plan_dft_c2r(
    int rank, const int *n, fftwf_complex *in, float *out, unsigned flags);
fftwf_plan fftwf_plan_dft_c2r_1d(int n, fftwf_complex *in, float *out, unsigned flags);
fftwf_plan fftwf_plan_dft_c2r_2d(int n0, int n1, fftwf_complex *in, float *out, unsigned flags);
fftwf_plan fftwf_plan_dft_c2r_3d(
    int n0, int n1, int n2, fftwf_complex *in, float *out, unsigned flags);
fftwf_plan fftwf_plan_r2r(
    int rank, const int *n, float *in, float *out, const fftwf_r2r_kind *kind, unsigned flags);
fftwf_plan fftwf_plan_r2r_1d(int n, float *in, float *out, fftwf_r2r_kind kind, unsigned flags);
fftwf_plan fftwf_plan_r2r_2d(
    int n0, int n1, float *in, float *out, fftwf_r2r_kind kind0, fftwf_r2r_kind kind1,
    unsigned flags);
fftwf_plan fftwf_plan_r2r_3d(
    int n0, int n1, int n2, float *in, float *out, fftwf_r2r_kind kind0, fftwf_r2r_kind kind1,
    fftwf_r2r_kind kind2, unsigned flags);

/* The advanced interface: several arrays, with strides. */
fftwf_plan fftwf_plan_many_dft(
    int rank, const int *n, int howmany, fftwf_complex *in, const int *inembed, int istride,
    int idist, fftwf_complex *out, const int *onembed, int ostride, int odist, int sign,
    unsigned flags);
fftwf_plan fftwf_plan_many_dft_r2c(
    int rank, const int *n, int howmany, float *in, const int *inembed, int istride, int idist,
    fftwf_complex *out, const int *onembed, int ostride, int odist, unsigned flags);
fftwf_plan fftwf_plan_many_dft_c2r(
    int rank, const int *n, int howmany, fftwf_complex *in, const int *inembed, int istride,
    int idist, float *out, const int *onembed, int ostride, int odist, unsigned flags);
fftwf_plan fftwf_plan_many_r2r(
    int rank, const int *n, int howmany, float *in, const int *inembed, int istride, int idist,
    float *out, const int *onembed, int ostride, int odist, const fftwf_r2r_kind *kind,
    unsigned flags);

/* The guru interface: any axes and loops. */
fftwf_plan fftwf_plan_guru_dft(
    int rank, const fftwf_iodim *dims, int howmany_rank, const fftwf_iodim *howmany_dims,
    fftwf_complex *in, fftwf_complex *out, int sign, unsigned flags);
fftwf_plan fftwf_plan_guru_dft_r2c(
    int rank, const fftwf_iodim *dims, int howmany_rank, const fftwf_iodim *howmany_dims, float *in,
    fftwf_complex *out, unsigned flags);
fftwf_plan fftwf_plan_guru_dft_c2r(
    int rank, const fftwf_iodim *dims, int howmany_rank, const fftwf_iodim *howmany_dims,
    fftwf_complex *in, float *out, unsigned flags);
fftwf_plan fftwf_plan_guru_split_dft(
    int rank, const fftwf_iodim *dims, int howmany_rank, const fftwf_iodim *howmany_dims, float *ri,
    float *ii, float *ro, float *io, unsigned flags);
fftwf_plan fftwf_plan_guru_split_dft_r2c(
    int rank, const fftwf_iodim *dims, int howmany_rank, const fftwf_iodim *howmany_dims, float *in,
    float *ro, float *io, unsigned flags);
fftwf_plan fftwf_plan_guru_split_dft_c2r(
    int rank, const fftwf_iodim *dims, int howmany_rank, const fftwf_iodim *howmany_dims, float *ri,
    float *ii, float *out, unsigned flags);
fftwf_plan fftwf_plan_guru_r2r(
    int rank, const fftwf_iodim *dims, int howmany_rank, const fftwf_iodim *howmany_dims, float *in,
    float *out, const fftwf_r2r_kind *kind, unsigned flags);

/* The guru interface: any axes and loops, with numbers of 64 bits. */
fftwf_plan fftwf_plan_guru64_dft(
    int rank, const fftwf_iodim64 *dims, int howmany_rank, const fftwf_iodim64 *howmany_dims,
    fftwf_complex *in, fftwf_complex *out, int sign, unsigned flags);
fftwf_plan fftwf_plan_guru64_dft_r2c(
    int rank, const fftwf_iodim64 *dims, int howmany_rank, const fftwf_iodim64 *howmany_dims,
    float *in, fftwf_complex *out, unsigned flags);
fftwf_plan fftwf_plan_guru64_dft_c2r(
    int rank, const fftwf_iodim64 *dims, int howmany_rank, const fftwf_iodim64 *howmany_dims,
    fftwf_complex *in, float *out, unsigned flags);
fftwf_plan fftwf_plan_guru64_split_dft(
    int rank, const fftwf_iodim64 *dims, int howmany_rank, const fftwf_iodim64 *howmany_dims,
    float *ri, float *ii, float *ro, float *io, unsigned flags);
fftwf_plan fftwf_plan_guru64_split_dft_r2c(
    int rank, const fftwf_iodim64 *dims, int howmany_rank, const fftwf_iodim64 *howmany_dims,
    float *in, float *ro, float *io, unsigned flags);
fftwf_plan fftwf_plan_guru64_split_dft_c2r(
    int rank, const fftwf_iodim64 *dims, int howmany_rank, const fftwf_iodim64 *howmany_dims,
    float *ri, float *ii, float *out, unsigned flags);
fftwf_plan fftwf_plan_guru64_r2r(
    int rank, const fftwf_iodim64 *dims, int howmany_rank, const fftwf_iodim64 *howmany_dims,
    float *in, float *out, const fftwf_r2r_kind *kind, unsigned flags);

/* Running plans. Several threads may do so at once, also with one plan. */
void fftwf_execute(const fftwf_plan p);
void fftwf_execute_dft(const fftwf_plan p, fftwf_complex *in, fftwf_complex *out);
void fftwf_execute_dft_r2c(const fftwf_plan p, float *in, fftwf_complex *out);
void fftwf_execute_dft_c2r(const fftwf_plan p, fftwf_complex *in, float *out);
void fftwf_execute_r2r(const fftwf_plan p, float *in, float *out);
void fftwf_execute_split_dft(const fftwf_plan p, float *ri, float *ii, float *ro, float *io);
void fftwf_execute_split_dft_r2c(const fftwf_plan p, float *in, float *ro, float *io);
void fftwf_execute_split_dft_c2r(const fftwf_plan p, float *ri, float *ii, float *out);
void fftwf_destroy_plan(fftwf_plan p);
void fftwf_cleanup(void);

/* What a plan is. Counts of operations are the usual ones for its lengths, not what runs. */
void fftwf_flops(const fftwf_plan p, double *add, double *mul, double *fma);
double fftwf_cost(const fftwf_plan p);
double fftwf_estimate_cost(const fftwf_plan p);
void fftwf_print_plan(const fftwf_plan p);
void fftwf_fprint_plan(const fftwf_plan p, FILE *file);
char *fftwf_sprint_plan(const fftwf_plan p);

/* Planning. */
void fftwf_set_timelimit(double seconds);

/* Wisdom: this library's own, and no other's. */
void fftwf_export_wisdom(void (*write_char)(char c, void *data), void *data);
char *fftwf_export_wisdom_to_string(void);
void fftwf_export_wisdom_to_file(FILE *file);
int fftwf_export_wisdom_to_filename(const char *name);
int fftwf_import_wisdom(int (*read_char)(void *data), void *data);
int fftwf_import_wisdom_from_string(const char *text);
int fftwf_import_wisdom_from_file(FILE *file);
int fftwf_import_wisdom_from_filename(const char *name);
int fftwf_import_system_wisdom(void);
void fftwf_forget_wisdom(void);

/* Threads. The device has its own: these accept what programs ask for. */
int fftwf_init_threads(void);
void fftwf_plan_with_nthreads(int threads);
int fftwf_planner_nthreads(void);
void fftwf_cleanup_threads(void);
void fftwf_make_planner_thread_safe(void);
void fftwf_threads_set_callback(
    void (*parallel_loop)(void *(*work)(char *), char *jobs, size_t size, int count, void *data),
    void *data);

#ifdef __cplusplus
}
#endif

#endif
