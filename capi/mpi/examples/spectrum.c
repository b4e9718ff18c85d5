/*
 * The spectrum of a plane wave in a periodic box that the ranks of MPI_COMM_WORLD share: finds the
 * frequency, goes back, and shows what mistakes give.
 *
 *   mpicc spectrum.c -lwgpu_fft_mpi -lm && mpirun -n 4 ./a.out [part of an adapter's name]
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wgpu_fft_mpi.h>

#define N0 12
#define N1 10
#define N2 14

static void check(int is_right, const char *what)
{
    if (!is_right) {
        fprintf(stderr, "%s: %s\n", what, wgpu_fft_mpi_error_message());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

#define CHECK(call) check((call) == WGPU_FFT_OK, #call)

/* Allocates a part. */
static float *array(const wgpu_fft_mpi_part *part)
{
    float *own = calloc(part->elements + 1, part->element_bytes);

    check(own != NULL, "memory");
    return own;
}

/* The wave in a part. */
static void fill(const wgpu_fft_mpi_part *x, float *wave)
{
    const double tau = 6.28318530717958647692;
    size_t i, j, l;

    for (i = 0; i < x->count[0]; i++)
        for (j = 0; j < x->count[1]; j++, wave += x->padding)
            for (l = 0; l < x->count[2]; l++)
                *wave++ = (float)cos(tau * (3.0 * (double)(x->begin[0] + i) / N0 + 4.0 * (double)(x->begin[1] + j) / N1
                                            + 5.0 * (double)(x->begin[2] + l) / N2));
}

/* Like fmax, but a NaN stays. */
static double larger(double a, double b)
{
    return a != a || b <= a ? a : b;
}

struct ends {
    int rank, calls;
    size_t phase, phases;
    uint64_t done, total;
};

static int32_t listener(void *user, const wgpu_fft_mpi_progress *progress)
{
    struct ends *ends = user;

    ends->calls++;
    ends->phase = progress->phase;
    ends->phases = progress->phases;
    ends->done = progress->done;
    ends->total = progress->total;
    return ends->rank && strcmp(progress->label, "exchange") == 0;
}

static size_t bytes_of(const wgpu_fft_mpi_part *part)
{
    return part->elements * part->element_bytes;
}

int main(int argc, char **argv)
{
    wgpu_fft_mpi_open_options options = {0};
    wgpu_fft_mpi_plan_options same_shares = {0};
    wgpu_fft_mpi_cluster *cluster;
    wgpu_fft_mpi_job *forward, *inverse, *other = NULL;
    wgpu_fft_mpi_part x, k, expected[2];
    wgpu_fft_mpi_plan_options half = {0};
    wgpu_fft_mpi_buffer *from, *to, *mapped;
    wgpu_fft_mpi_running *run;
    wgpu_fft_mpi_redistribution *turn;
    struct ends ends = {0};
    wgpu_fft_mpi_file_options file = {0};
    float *wave, *spectrum, *again, *copy;
    char path[40];
    size_t i, j, l, bytes[2];
    double error = 0, worst, sums[2];
    bool is_done;
    int rank, ranks;

    options.size = sizeof options;
    same_shares.size = sizeof same_shares;
    half.size = sizeof half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1)
        options.adapter_name = argv[1];
    CHECK(wgpu_fft_mpi_open(MPI_Comm_c2f(MPI_COMM_WORLD), &options, &cluster));
    printf("rank %d of %d: %s\n", rank, ranks, wgpu_fft_mpi_device(cluster));

    /* Before anything is planned. */
    CHECK(wgpu_fft_mpi_local_parts("r2c fwd 12x10x14", NULL, rank, ranks, &expected[0], &expected[1]));
    CHECK(wgpu_fft_mpi_plan(cluster, "r2c fwd 12x10x14", NULL, &forward));
    same_shares.shares_of = forward;
    CHECK(wgpu_fft_mpi_plan(cluster, "c2r inv 12x10x14 1/n", &same_shares, &inverse));
    CHECK(wgpu_fft_mpi_parts(forward, &x, &k));
    check(memcmp(&x, &expected[0], sizeof x) == 0 && memcmp(&k, &expected[1], sizeof k) == 0, "the parts");

    wave = array(&x);
    spectrum = array(&k);
    again = array(&x);
    bytes[0] = x.elements * x.element_bytes;
    bytes[1] = k.elements * k.element_bytes;
    fill(&x, wave);
    CHECK(wgpu_fft_mpi_run(forward, wave, bytes[0], spectrum, bytes[1]));

    /* It is half of the number of elements at (3, 4, 5), and 0 elsewhere. The axes lie as k.axes says: 1, 2, 0. */
    for (i = 0; i < k.count[0]; i++)
        for (j = 0; j < k.count[1]; j++)
            for (l = 0; l < k.count[2]; l++) {
                const float *value = spectrum + 2 * ((i * k.count[1] + j) * k.count[2] + l);
                size_t at[3];

                at[k.axes[0]] = k.begin[0] + i;
                at[k.axes[1]] = k.begin[1] + j;
                at[k.axes[2]] = k.begin[2] + l;
                error = larger(error, hypot(value[0] - (at[0] == 3 && at[1] == 4 && at[2] == 5 ? N0 * N1 * N2 / 2 : 0), value[1]));
            }
    error /= N0 * N1 * N2;
    CHECK(wgpu_fft_mpi_run(inverse, spectrum, bytes[1], again, bytes[0]));
    for (i = 0; i < x.elements; i++)
        error = larger(error, fabs(again[i] - wave[i]));
    MPI_Allreduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("the largest error is %.1e\n", worst);
    check(worst < 1e-6, "the spectrum is wrong");

    /* Through a file, which holds the spectrum in the order of the axes. */
    sprintf(path, "spectrum-%d.npy", ranks);
    file.size = sizeof file;
    file.replace = 1;
    CHECK(wgpu_fft_mpi_write(forward, WGPU_FFT_MPI_OUTPUT, path, &file, spectrum, bytes[1]));
    check(wgpu_fft_mpi_write(forward, WGPU_FFT_MPI_OUTPUT, path, NULL, spectrum, bytes[1]) == WGPU_FFT_ERROR_RANK,
          "a file was replaced");
    copy = array(&k);
    CHECK(wgpu_fft_mpi_read(inverse, WGPU_FFT_MPI_INPUT, path, NULL, copy, bytes[1]));
    check(memcmp(copy, spectrum, bytes[1]) == 0, "the file holds another spectrum");
    check(wgpu_fft_mpi_read(inverse, WGPU_FFT_MPI_OUTPUT, path, NULL, again, bytes[0]) == WGPU_FFT_ERROR_RANK, "complex numbers for reals");
    free(copy);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        remove(path);

    /* Mistakes of one rank are errors on all, which name it. */
    check(wgpu_fft_mpi_run(inverse, spectrum, bytes[1] + (rank == ranks - 1 ? 4 : 0), again, bytes[0]) == WGPU_FFT_ERROR_RANK
              && strstr(wgpu_fft_mpi_error_message(), "expected") != NULL,
          "a wrong length");
    if (rank == 0)
        printf("an error in words: %s\n", wgpu_fft_mpi_error_message());
    check(wgpu_fft_mpi_plan(cluster, rank == ranks - 1 ? "c2c fwd 8x" : "c2c fwd 8x8", NULL, &other)
                  == (ranks > 1 ? WGPU_FFT_ERROR_RANK : WGPU_FFT_ERROR_TEXT)
              && other == NULL,
          "a wrong text on one rank");
    check(wgpu_fft_mpi_plan(cluster, "sum f32 64", NULL, &other) == WGPU_FFT_ERROR_UNSUPPORTED, "a sum");
    check(wgpu_fft_mpi_plan(NULL, "c2c fwd 8x8", NULL, &other) == WGPU_FFT_ERROR_ARGUMENT, "no cluster");
    CHECK(wgpu_fft_mpi_run(forward, wave, bytes[0], spectrum, bytes[1]));

    /* Boxes of the caller's: all of axes 0 and 1, and a share of axis 2. */
    expected[0] = x;
    expected[0].begin[0] = 0;
    expected[0].count[0] = N0;
    expected[0].begin[2] = (size_t)(N2 * rank / ranks);
    expected[0].count[2] = (size_t)(N2 * (rank + 1) / ranks) - expected[0].begin[2];
    CHECK(wgpu_fft_mpi_set_parts(forward, &expected[0], NULL));
    CHECK(wgpu_fft_mpi_parts(forward, &x, &k));
    wave = realloc(wave, (x.elements + 1) * x.element_bytes);
    again = realloc(again, (k.elements + 1) * k.element_bytes);
    check(wave != NULL && again != NULL, "memory");
    fill(&x, wave);
    CHECK(wgpu_fft_mpi_run(forward, wave, x.elements * x.element_bytes, again, bytes[1]));
    check(memcmp(again, spectrum, bytes[1]) == 0, "other parts have another spectrum");
    x.begin[2] += 1;
    check(wgpu_fft_mpi_set_parts(forward, &x, NULL) == WGPU_FFT_ERROR_RANK, "parts beside the array");

    /* Rows with room for frequencies, as FFTW has them, and the frequencies in their place. */
    CHECK(wgpu_fft_mpi_parts(inverse, NULL, &x));
    x.padding = 2 * (N2 / 2 + 1) - N2;
    CHECK(wgpu_fft_mpi_set_parts(forward, &x, NULL));
    CHECK(wgpu_fft_mpi_parts(forward, &x, &k));
    bytes[0] = x.elements * x.element_bytes;
    wave = realloc(wave, (bytes[0] > bytes[1] ? bytes[0] : bytes[1]) + 1);
    check(wave != NULL, "memory");
    fill(&x, wave);
    CHECK(wgpu_fft_mpi_run(forward, wave, bytes[0], wave, bytes[1]));
    check(memcmp(wave, spectrum, bytes[1]) == 0, "rows with padding have another spectrum");

    /* Without a transform: from columns that follow one another to rows. */
    memset(expected, 0, sizeof expected);
    for (i = 0; i < 2; i++) {
        expected[i].rank = 2;
        expected[i].element_bytes = sizeof(float);
        expected[i].axes[i == 0] = 0;
        expected[i].axes[i == 1] = 1;
        expected[i].extent[i == 0] = N0;
        expected[i].extent[i == 1] = N1;
        /* Its slowest axis is divided. */
        j = expected[i].extent[0];
        expected[i].begin[0] = j * (size_t)rank / (size_t)ranks;
        expected[i].count[0] = j * (size_t)(rank + 1) / (size_t)ranks - expected[i].begin[0];
        expected[i].count[1] = expected[i].extent[1];
        bytes[i] = expected[i].count[0] * expected[i].count[1] * sizeof(float);
    }
    check((copy = malloc(bytes[0] + bytes[1] + 1)) != NULL, "memory");
    for (i = 0; i < expected[0].count[0]; i++)
        for (j = 0; j < N0; j++)
            copy[i * N0 + j] = (float)(j * N1 + expected[0].begin[0] + i);
    CHECK(wgpu_fft_mpi_redistribution_create(cluster, &expected[0], &expected[1], &turn));
    CHECK(wgpu_fft_mpi_redistribute(turn, copy, bytes[0], copy, bytes[1]));
    for (i = 0; i < bytes[1] / sizeof(float); i++)
        check(copy[i] == (float)(expected[1].begin[0] * N1 + i), "the rows are wrong");
    check(wgpu_fft_mpi_redistribute(turn, copy, bytes[0] + 4, copy, bytes[1]) == WGPU_FFT_ERROR_RANK, "a wrong length");
    wgpu_fft_mpi_redistribution_destroy(turn);
    expected[1].axes[1] = 2;
    check(wgpu_fft_mpi_redistribution_create(cluster, &expected[0], &expected[1], &turn) == WGPU_FFT_ERROR_RANK && turn == NULL,
          "other axes");
    free(copy);

    /* The last rank ends a run in the middle, for all. */
    ends.rank = rank == ranks - 1;
    CHECK(wgpu_fft_mpi_set_progress(forward, listener, &ends));
    check(wgpu_fft_mpi_run(forward, wave, bytes_of(&x), spectrum, bytes_of(&k)) == WGPU_FFT_ERROR_CANCELLED
              && strstr(wgpu_fft_mpi_error_message(), "cancelled") != NULL && ends.calls > 0,
          "a run that goes on");
    ends.rank = 0;
    CHECK(wgpu_fft_mpi_run(forward, wave, bytes_of(&x), spectrum, bytes_of(&k)));
    check(ends.done == ends.total && ends.phase + 1 == ends.phases, "a run without an end");
    CHECK(wgpu_fft_mpi_set_progress(forward, NULL, NULL));

    /* In the memory of the input. */
    wgpu_fft_mpi_destroy(forward);
    CHECK(wgpu_fft_mpi_plan(cluster, "c2c fwd 12x10", NULL, &forward));
    CHECK(wgpu_fft_mpi_parts(forward, &x, &k));
    wave = realloc(wave, (x.elements + k.elements + 1) * x.element_bytes);
    spectrum = realloc(spectrum, (k.elements + 1) * k.element_bytes);
    check(wave != NULL && spectrum != NULL, "memory");
    for (i = 0; i < 2 * x.elements; i++)
        wave[i] = (float)(i % 7) - 3;
    CHECK(wgpu_fft_mpi_run(forward, wave, x.elements * x.element_bytes, spectrum, k.elements * k.element_bytes));
    CHECK(wgpu_fft_mpi_run(forward, wave, x.elements * x.element_bytes, wave, k.elements * k.element_bytes));
    check(memcmp(wave, spectrum, k.elements * k.element_bytes) == 0, "in place");

    /* On the devices: the same spectrum. Twice it, and minus it, is it. */
    CHECK(wgpu_fft_mpi_parts(forward, &x, &k));
    bytes[0] = x.elements * x.element_bytes;
    bytes[1] = k.elements * k.element_bytes;
    for (i = 0; i < 2 * x.elements; i++)
        wave[i] = (float)(i % 7) - 3;
    mapped = (wgpu_fft_mpi_buffer *)&mapped;
    check(wgpu_fft_mpi_buffer_create(NULL, 8, &mapped) != WGPU_FFT_OK && mapped == NULL, "a buffer of no cluster");
    CHECK(wgpu_fft_mpi_buffer_create(cluster, bytes[0], &from));
    CHECK(wgpu_fft_mpi_buffer_create(cluster, bytes[1], &to));
    CHECK(wgpu_fft_mpi_buffer_create(cluster, bytes[1], &mapped));
    CHECK(wgpu_fft_mpi_buffer_write(from, wave, bytes[0]));
    CHECK(wgpu_fft_mpi_run_on_device(forward, from, to));
    check(bytes[1] == 0 || wgpu_fft_mpi_map("value * gain", 2, to, to, mapped) != WGPU_FFT_OK, "a name that there is not");
    CHECK(wgpu_fft_mpi_map("2.0 * value - factor", 2, to, to, mapped));
    again = realloc(again, bytes[1] + 1);
    check(again != NULL, "memory");
    CHECK(wgpu_fft_mpi_buffer_read(mapped, again, bytes[1]));
    check(memcmp(again, spectrum, bytes[1]) == 0, "the spectrum on the devices");
    check(wgpu_fft_mpi_buffer_read(mapped, again, bytes[1] + 1) == WGPU_FFT_ERROR_LENGTH, "a wrong length of a buffer");
    check(wgpu_fft_mpi_run_on_device(forward, from, rank == ranks - 1 ? from : to) == WGPU_FFT_ERROR_RANK, "one array for both");

    /* Started: the program works, and nothing else may be called meanwhile. In half the bytes, with an error. */
    half.exchange = WGPU_FFT_MPI_F16;
    CHECK(wgpu_fft_mpi_plan(cluster, "c2c fwd 12x10", &half, &other));
    CHECK(wgpu_fft_mpi_start(other, wave, bytes[0], wave, bytes[1], &run));
    check(wgpu_fft_mpi_run(forward, wave, bytes[0], again, bytes[1]) == WGPU_FFT_ERROR_UNSUPPORTED, "two runs at once");
    for (is_done = false; !is_done;)
        CHECK(wgpu_fft_mpi_test(run, &is_done));
    CHECK(wgpu_fft_mpi_wait(run));
    sums[0] = sums[1] = 0;
    for (i = 0; i < 2 * k.elements; i++) {
        sums[0] += (double)(wave[i] - spectrum[i]) * (wave[i] - spectrum[i]);
        sums[1] += (double)spectrum[i] * spectrum[i];
    }
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    error = sqrt(sums[0] / sums[1]);
    if (rank == 0)
        printf("with exchanges in f16 the error is %.1e\n", error);
    check(error > 2e-5 && error < 1.0 / 2048, "exchanges in f16");

    wgpu_fft_mpi_buffer_destroy(from);
    wgpu_fft_mpi_buffer_destroy(to);
    wgpu_fft_mpi_buffer_destroy(mapped);
    wgpu_fft_mpi_destroy(other);
    wgpu_fft_mpi_destroy(forward);
    wgpu_fft_mpi_destroy(inverse);
    wgpu_fft_mpi_close(cluster);
    free(wave);
    free(spectrum);
    free(again);
    MPI_Finalize();
    return 0;
}
