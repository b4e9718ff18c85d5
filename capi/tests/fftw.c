/*
 * FFTW's interface on a device, compared with the definitions in FFTW's manual. FFTW's own verifier
 * (scripts/capi.sh verify) tries thousands of problems; here is what it does not ask for.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wgpu_fftw3f.h>

#include "check.h"
#include "child.h"
#include "transform.h"

#define THREADS 6

/* Strides backwards, gaps that stay as they are, and other arrays than those planned for. */
static void strides(void)
{
    enum { N = 30, STRIDE = 3 };
    fftwf_complex in[N], out[N * STRIDE], other[N], backwards[N];
    fftwf_iodim dim = {N, -1, STRIDE};
    fftwf_plan plan;
    double add, mul, fma;
    char *text;
    int i;

    noise(in[0], 2 * N, 1);
    noise(other[0], 2 * N, 2);
    for (i = 0; i < N * STRIDE; i++)
        out[i][0] = out[i][1] = 77;
    plan = fftwf_plan_guru_dft(1, &dim, 0, NULL, in + N - 1, out, FFTW_BACKWARD, FFTW_ESTIMATE);
    CHECK(plan != NULL);
    fftwf_execute(plan);
    for (i = 0; i < N; i++)
        memcpy(backwards[i], in[N - 1 - i], sizeof in[0]);
    CHECK(distance(N, backwards, 1, out, STRIDE, FFTW_BACKWARD) < 1e-5);
    for (i = 0; i < N * STRIDE; i++)
        CHECK(i % STRIDE == 0 || (out[i][0] == 77 && out[i][1] == 77));
    fftwf_execute_dft(plan, other + N - 1, out);
    for (i = 0; i < N; i++)
        memcpy(backwards[i], other[N - 1 - i], sizeof in[0]);
    CHECK(distance(N, backwards, 1, out, STRIDE, FFTW_BACKWARD) < 1e-5);

    fftwf_flops(plan, &add, &mul, &fma);
    CHECK(add > N && mul > N && fma == 0 && fftwf_cost(plan) == add + mul);
    text = fftwf_sprint_plan(plan);
    CHECK(text != NULL && strstr(text, "c2c inv 30") != NULL);
    free(text);
    fftwf_destroy_plan(plan);
}

/* Rows of reals with room for their spectra, in one array, for arrays that are not there yet. */
static void padded(void)
{
    enum { ROWS = 4, N = 10, HALF = N / 2 + 1 };
    float data[ROWS * 2 * HALF], kept[ROWS * 2 * HALF];
    float *other = fftwf_alloc_real(ROWS * 2 * HALF);
    int n = N, i, j, k;
    fftwf_plan there, back;

    /* Equal pointers mean in place, and nothing is read before the plan is executed. */
    there = fftwf_plan_many_dft_r2c(1, &n, ROWS, data, NULL, 1, 2 * HALF, (fftwf_complex *)data, NULL, 1, HALF,
                                    FFTW_ESTIMATE);
    back = fftwf_plan_many_dft_c2r(1, &n, ROWS, (fftwf_complex *)data, NULL, 1, HALF, data, NULL, 1, 2 * HALF,
                                   FFTW_ESTIMATE);
    CHECK(there != NULL && back != NULL && other != NULL);
    noise(data, ROWS * 2 * HALF, 3);
    memcpy(kept, data, sizeof data);
    fftwf_execute(there);
    for (i = 0; i < ROWS; i++)
        for (k = 0; k < HALF; k++) {
            double re = 0, im = 0;
            for (j = 0; j < N; j++) {
                re += kept[i * 2 * HALF + j] * cos(TURN * j * k / N);
                im -= kept[i * 2 * HALF + j] * sin(TURN * j * k / N);
            }
            CHECK(hypot(data[2 * (i * HALF + k)] - re, data[2 * (i * HALF + k) + 1] - im) < 1e-5);
        }
    memcpy(other, data, sizeof data);
    fftwf_execute_dft_c2r(back, (fftwf_complex *)other, other);
    for (i = 0; i < ROWS; i++)
        for (j = 0; j < N; j++)
            CHECK(fabs(other[i * 2 * HALF + j] / N - kept[i * 2 * HALF + j]) < 1e-5);
    fftwf_destroy_plan(there);
    fftwf_destroy_plan(back);
    fftwf_free(other);
}

/* Real and imaginary parts in arrays of their own; the other direction has them swapped. */
static void split(void)
{
    enum { N = 24 };
    float parts[4][N], again[2][N];
    fftwf_iodim64 dim = {N, 1, 1};
    fftwf_complex in[N], out[N];
    fftwf_plan plan;
    int i;

    noise(parts[0], 2 * N, 4);
    plan = fftwf_plan_guru64_split_dft(1, &dim, 0, NULL, parts[0], parts[1], parts[2], parts[3], FFTW_ESTIMATE);
    CHECK(plan != NULL);
    fftwf_execute(plan);
    for (i = 0; i < N; i++) {
        in[i][0] = parts[0][i];
        in[i][1] = parts[1][i];
        out[i][0] = parts[2][i];
        out[i][1] = parts[3][i];
    }
    CHECK(distance(N, in, 1, out, 1, FFTW_FORWARD) < 1e-5);
    fftwf_execute_split_dft(plan, parts[3], parts[2], again[1], again[0]);
    for (i = 0; i < N; i++)
        CHECK(hypot(again[0][i] / N - in[i][0], again[1][i] / N - in[i][1]) < 1e-5);
    fftwf_destroy_plan(plan);
}

/* Nothing but places, no arrays at all, five axes, and kinds that differ by axis. */
static void shapes(void)
{
    enum { A = 3, B = 5 };
    fftwf_complex square[A * B], kept[A * B];
    fftwf_iodim loops[2] = {{A, B, 1}, {B, 1, A}}, none = {0, 1, 1};
    float five[2 * 2 * 3 * 2 * 5 * 2], same[2 * 2 * 3 * 2 * 5 * 2];
    int n[5] = {2, 3, 2, 5, 2}, i, j;
    float grid[6] = {1, 2, 3, 4, 5, 6}, result[6];
    fftwf_plan plan, back;

    /* A transpose in place. */
    noise(square[0], 2 * A * B, 5);
    memcpy(kept, square, sizeof square);
    plan = fftwf_plan_guru_dft(0, NULL, 2, loops, square, square, FFTW_FORWARD, FFTW_ESTIMATE);
    CHECK(plan != NULL);
    fftwf_execute(plan);
    for (i = 0; i < A; i++)
        for (j = 0; j < B; j++)
            CHECK(memcmp(square[j * A + i], kept[i * B + j], sizeof square[0]) == 0);
    fftwf_destroy_plan(plan);

    loops[1].is = loops[1].os = 1;
    plan = fftwf_plan_guru_dft(1, loops + 1, 1, &none, square, kept, FFTW_FORWARD, FFTW_ESTIMATE);
    CHECK(plan != NULL);
    memcpy(kept, square, sizeof square);
    fftwf_execute(plan);
    CHECK(memcmp(square, kept, sizeof square) == 0);
    fftwf_destroy_plan(plan);

    noise(five, 240, 6);
    plan = fftwf_plan_dft(5, n, (fftwf_complex *)five, (fftwf_complex *)same, FFTW_FORWARD, FFTW_ESTIMATE);
    back = fftwf_plan_dft(5, n, (fftwf_complex *)same, (fftwf_complex *)same, FFTW_BACKWARD, FFTW_ESTIMATE);
    CHECK(plan != NULL && back != NULL);
    fftwf_execute(plan);
    fftwf_execute(back);
    for (i = 0; i < 240; i++)
        CHECK(fabs(same[i] / 120 - five[i]) < 1e-5);
    fftwf_destroy_plan(plan);
    fftwf_destroy_plan(back);

    /* Sums and differences along the rows of a type I cosine transform, and Hartley's columns. */
    plan = fftwf_plan_r2r_2d(3, 2, grid, result, FFTW_DHT, FFTW_REDFT00, FFTW_ESTIMATE);
    CHECK(plan != NULL);
    fftwf_execute(plan);
    CHECK(fabs(result[0] - 21) < 1e-4 && fabs(result[1] + 3) < 1e-4);
    fftwf_destroy_plan(plan);
}

/*
 * Transforms lines of n numbers that are `inner` apart by their definition: with the sign of an
 * exponent, or without one by a kind.
 */
static void axis(double (*data)[2], int count, int n, int inner, int sign, fftwf_r2r_kind kind)
{
    double line[8][2];
    int first, j, k;

    for (first = 0; first < count; first++) {
        if (first / inner % n != 0)
            continue;
        for (j = 0; j < n; j++)
            memcpy(line[j], data[first + j * inner], sizeof line[j]);
        for (k = 0; k < n; k++) {
            double *to = data[first + k * inner], c, s;
            to[0] = to[1] = 0;
            for (j = 0; j < n; j++) {
                c = cos(TURN * j * k / n);
                s = sin(TURN * j * k / n) * sign;
                if (sign == 0)
                    c = kind == FFTW_DHT ? c + sin(TURN * j * k / n) : 2 * cos(TURN * (2 * j + 1) * k / (4 * n));
                to[0] += line[j][0] * c - line[j][1] * s;
                to[1] += line[j][0] * s + line[j][1] * c;
            }
        }
    }
}

/* Random transforms of up to eight axes, beside their definition. */
static void any_rank(int cases)
{
    enum { MOST_RANK = 8, MOST = 1024 };
    static fftwf_complex in[MOST], out[MOST];
    static float reals[MOST], results[MOST];
    static double exact[MOST][2];
    fftwf_r2r_kind kinds[MOST_RANK];
    unsigned seed = 1;
    int i, j, k, n[MOST_RANK];

    for (i = 0; i < cases; i++) {
        int rank = 1 + (int)draw(&seed, MOST_RANK), howmany = 1 + (int)draw(&seed, 2), kind = (int)draw(&seed, 4);
        int size = 1, inner = 1, last, sign = draw(&seed, 2) ? FFTW_FORWARD : FFTW_BACKWARD;
        fftwf_plan plan, back = NULL;

        for (j = 0; j < rank; j++) {
            n[j] = 1 + (int)draw(&seed, size > 32 ? 2 : 5);
            if (size * n[j] * howmany > MOST / 2)
                n[j] = 1;
            size *= n[j];
            kinds[j] = draw(&seed, 2) ? FFTW_DHT : FFTW_REDFT10;
        }
        last = n[rank - 1];
        noise(in[0], 2 * MOST, seed);
        noise(reals, MOST, seed + 1);
        for (j = 0; j < size * howmany; j++) {
            exact[j][0] = kind < 2 ? in[j][0] : reals[j];
            exact[j][1] = kind < 2 ? in[j][1] : 0;
        }
        for (j = rank; j-- > 0; inner *= n[j])
            axis(exact, size * howmany, n[j], inner, kind < 2 ? sign : kind == 2 ? -1 : 0, kinds[j]);
        /* 0 and 1: complex, out of place and in place. 2: reals there and back. 3: reals to reals. */
        if (kind < 2)
            plan = fftwf_plan_many_dft(rank, n, howmany, in, NULL, 1, size, kind ? in : out, NULL, 1, size, sign,
                                       FFTW_ESTIMATE);
        else if (kind == 2) {
            int half = size / last * (last / 2 + 1);
            plan = fftwf_plan_many_dft_r2c(rank, n, howmany, reals, NULL, 1, size, out, NULL, 1, half, FFTW_ESTIMATE);
            back = fftwf_plan_many_dft_c2r(rank, n, howmany, out, NULL, 1, half, results, NULL, 1, size, FFTW_ESTIMATE);
        } else
            plan = fftwf_plan_many_r2r(rank, n, howmany, reals, NULL, 1, size, results, NULL, 1, size, kinds,
                                       FFTW_ESTIMATE);
        if (!plan || (kind == 2 && !back))
            fprintf(stderr, "case %d: no plan of kind %d for %d axes\n", i, kind, rank);
        CHECK(plan != NULL && (kind != 2 || back != NULL));
        fftwf_execute(plan);
        for (j = k = 0; j < size * howmany; j++) {
            double re, im = 0;
            if (kind == 2 && j % last > last / 2)
                continue;
            re = kind == 3 ? results[j] : kind == 1 ? in[j][0] : out[k][0];
            if (kind != 3)
                im = kind == 1 ? in[j][1] : out[k][1];
            CHECK(hypot(re - exact[j][0], im - exact[j][1]) < 1e-5 * size);
            k++;
        }
        if (back) {
            fftwf_execute(back);
            for (j = 0; j < size * howmany; j++)
                CHECK(fabs(results[j] / size - reals[j]) < 1e-5);
        }
        fftwf_destroy_plan(plan);
        fftwf_destroy_plan(back);
    }
}

/*
 * What is measured becomes wisdom, and goes from one run of the library to the next. Nothing is
 * measured unless the user asks for it.
 */
static void wisdom(void)
{
    enum { N = 128 };
    fftwf_complex data[N], out[N];
    fftwf_plan plan;
    FILE *file;
    char *text;

    fftwf_forget_wisdom();
    CHECK(fftwf_plan_dft_1d(N, data, out, FFTW_FORWARD, FFTW_WISDOM_ONLY) == NULL);
    plan = fftwf_plan_dft_1d(N, data, out, FFTW_FORWARD, FFTW_PATIENT);
    CHECK(plan != NULL);
    fftwf_destroy_plan(plan);
    CHECK(fftwf_plan_dft_1d(N, data, out, FFTW_FORWARD, FFTW_WISDOM_ONLY) == NULL);
    CHECK(setenv("WGPU_FFT_FFTW_RIGOR", "flags", 1) == 0);
    fftwf_set_timelimit(10);
    plan = fftwf_plan_dft_1d(N, data, out, FFTW_FORWARD, FFTW_MEASURE);
    CHECK(plan != NULL);
    noise(data[0], 2 * N, 7);
    fftwf_execute(plan);
    CHECK(distance(N, data, 1, out, 1, FFTW_FORWARD) < 1e-4);
    fftwf_destroy_plan(plan);
    text = fftwf_export_wisdom_to_string();
    CHECK(text != NULL && strstr(text, "c2c fwd 128") != NULL);
    file = tmpfile();
    CHECK(file != NULL);
    fputs("before\n", file);
    fftwf_export_wisdom_to_file(file);
    fputs("behind\n", file);

    fftwf_cleanup();
    fftwf_forget_wisdom();
    CHECK(fftwf_plan_dft_1d(N, data, out, FFTW_FORWARD, FFTW_WISDOM_ONLY) == NULL);
    CHECK(fftwf_import_wisdom_from_string(text) == 1);
    plan = fftwf_plan_dft_1d(N, data, out, FFTW_FORWARD, FFTW_WISDOM_ONLY | FFTW_MEASURE);
    CHECK(plan != NULL);
    fftwf_destroy_plan(plan);
    free(text);

    fftwf_forget_wisdom();
    rewind(file);
    CHECK(fgetc(file) == 'b' && fftwf_import_wisdom_from_file(file) == 0);
    rewind(file);
    while (fgetc(file) != '\n')
        ;
    CHECK(fftwf_import_wisdom_from_file(file) == 1);
    CHECK(fgetc(file) == 'b');
    plan = fftwf_plan_dft_1d(N, data, out, FFTW_FORWARD, FFTW_WISDOM_ONLY);
    CHECK(plan != NULL);
    fftwf_destroy_plan(plan);
    fclose(file);
    fftwf_set_timelimit(FFTW_NO_TIMELIMIT);
}

/* Executes the plan of all threads, and plans of its own, which needs no lock of the program's. */
static void *thread(void *shared)
{
    enum { N = 200 };
    fftwf_complex in[N], out[N];
    fftwf_plan own;
    int i, n = 20 + (int)((size_t)&own / 4096 % 7);

    for (i = 0; i < 5; i++) {
        noise(in[0], 2 * N, (unsigned)i + 10);
        fftwf_execute_dft((fftwf_plan)shared, in, out);
        CHECK(distance(N, in, 1, out, 1, FFTW_FORWARD) < 1e-4);
        own = fftwf_plan_dft_1d(n + i, in, out, FFTW_BACKWARD, FFTW_ESTIMATE);
        CHECK(own != NULL);
        fftwf_execute(own);
        CHECK(distance(n + i, in, 1, out, 1, FFTW_BACKWARD) < 1e-4);
        fftwf_destroy_plan(own);
    }
    return NULL;
}

static void threads(void)
{
    fftwf_complex *data = fftwf_alloc_complex(200);
    pthread_t running[THREADS];
    fftwf_plan plan;
    int i;

    plan = fftwf_plan_dft_1d(200, data, data + 0, FFTW_FORWARD, FFTW_ESTIMATE);
    CHECK(plan != NULL);
    for (i = 0; i < THREADS; i++)
        CHECK(pthread_create(&running[i], NULL, thread, plan) == 0);
    for (i = 0; i < THREADS; i++)
        CHECK(pthread_join(running[i], NULL) == 0);
    fftwf_destroy_plan(plan);
    fftwf_free(data);
}

/* What the parent of children planned. */
static fftwf_complex parents[4] = {{1, 0}};
static fftwf_plan plans[8];

/*
 * Random calls in a child process, which has no device: results are NaN and plans are NULL, and
 * nothing waits for what is not there.
 */
static int child_of_a_device(unsigned seed)
{
    int left = sizeof plans / sizeof plans[0], i;
    fftwf_plan plan;

    for (i = 0; i < 12; i++)
        switch (draw(&seed, 9)) {
        case 0:
            fftwf_cleanup();
            break;
        case 1:
            parents[3][1] = 0;
            if (left > 0)
                fftwf_execute(plans[left - 1]);
            CHECK(left == 0 || isnan(parents[3][1]));
            break;
        case 2:
        case 3:
            if (left > 0)
                fftwf_destroy_plan(plans[--left]);
            break;
        case 4:
            CHECK(fftwf_plan_dft_1d(4, parents, parents, FFTW_FORWARD, FFTW_MEASURE) == NULL);
            break;
        case 5:
            fftwf_forget_wisdom();
            free(fftwf_export_wisdom_to_string());
            break;
        case 6:
            fftwf_set_timelimit(draw(&seed, 3));
            fftwf_plan_with_nthreads(2);
            break;
        case 7:
            if (left > 0)
                free(fftwf_sprint_plan(plans[left - 1]));
            break;
        case 8:
            /* Places alone need no device. */
            plan = fftwf_plan_guru_dft(0, NULL, 0, NULL, parents, parents + 1, FFTW_FORWARD, FFTW_ESTIMATE);
            CHECK(plan != NULL);
            fftwf_execute(plan);
            fftwf_destroy_plan(plan);
            break;
        }
    /* Whose child has none either. */
    if (draw(&seed, 4) == 0)
        in_a_child(child_of_a_device, seed);
    return 0;
}

static void *searches(void *data)
{
    fftwf_plan plan;

    (void)data;
    fftwf_set_timelimit(0.5);
    plan = fftwf_plan_dft_1d(243, NULL, NULL, FFTW_FORWARD, FFTW_MEASURE);
    CHECK(plan != NULL);
    fftwf_destroy_plan(plan);
    fftwf_set_timelimit(FFTW_NO_TIMELIMIT);
    return NULL;
}

static void forked(void)
{
    enum { CHILDREN = 20 };
    const struct timespec a_moment = {0, 100000000};
    pthread_t searching;
    unsigned i;

    for (i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        plans[i] = fftwf_plan_dft_1d(4, parents, parents, FFTW_FORWARD, FFTW_ESTIMATE);
        CHECK(plans[i] != NULL);
    }
    /* Some while another thread has all locks of the planner. */
    CHECK(pthread_create(&searching, NULL, searches, NULL) == 0);
    nanosleep(&a_moment, NULL);
    for (i = 0; i < CHILDREN / 2; i++)
        in_a_child(child_of_a_device, i);
    CHECK(pthread_join(searching, NULL) == 0);
    fftwf_execute(plans[0]);
    CHECK(fabs(parents[3][0] - 1) < 1e-6);
    /* Some after the parent has closed everything but the plans. */
    fftwf_cleanup();
    for (; i < CHILDREN; i++)
        in_a_child(child_of_a_device, i);
    fftwf_execute(plans[0]);
    CHECK(fabs(parents[3][0]) < 1e-6 && fabs(parents[0][0] - 4) < 1e-6);
    for (i = 0; i < sizeof plans / sizeof plans[0]; i++)
        fftwf_destroy_plan(plans[i]);
}

/* Where nobody has opened a device, a child may. */
static int child_of_none(unsigned seed)
{
    (void)seed;
    strides();
    fftwf_cleanup();
    padded();
    return 0;
}

int main(int argc, char **argv)
{
    fftwf_set_timelimit(FFTW_NO_TIMELIMIT);
    in_a_child(child_of_none, 0);
    strides();
    padded();
    split();
    shapes();
    any_rank(argc > 1 ? atoi(argv[1]) : 24);
    wisdom();
    threads();
    forked();
    fftwf_cleanup();
    puts("fftw: all as the manual says");
    return 0;
}
