/* FFTW's MPI transforms of complex single precision, beside benches/ranks.rs.
 *
 *   mpirun -n RANKS fftw_mpi [--rounds N] SHAPE...        such as 512x512 or 128x128x128
 *
 * For each shape it prints one line of JSON. Positions are slabs of axis 0, frequencies slabs of
 * axis 1 with axes 0 and 1 exchanged (FFTW_MPI_TRANSPOSED_OUT): FFTW's form of transposed order.
 * Plans are made with FFTW_MEASURE. A time counts from a barrier until the last rank has its
 * result, and the median of the rounds counts. A transform and its inverse must give the input
 * again, or the program fails. */
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    fftwf_mpi_init();
    int rank, size, rounds = 9, status = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int arg = 1; arg < argc; arg++) {
        if (!strcmp(argv[arg], "--rounds") && arg + 1 < argc) {
            rounds = atoi(argv[++arg]);
            continue;
        }
        ptrdiff_t n[3];
        int axes = 0;
        for (const char *text = argv[arg]; axes < 3 && *text; axes++) {
            char *end;
            n[axes] = strtol(text, &end, 10);
            text = *end == 'x' ? end + 1 : end;
        }
        if (axes < 2 || rounds < 1 || rounds > 1000) {
            if (rank == 0) fprintf(stderr, "two or three extents, such as 128x128x128, and 1 to 1000 rounds\n");
            status = 2;
            break;
        }
        ptrdiff_t rows, first_row, columns, first_column;
        ptrdiff_t count = fftwf_mpi_local_size_many_transposed(axes, n, 1, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK,
                                                               MPI_COMM_WORLD, &rows, &first_row, &columns, &first_column);
        fftwf_complex *in = fftwf_alloc_complex(count), *out = fftwf_alloc_complex(count);
        fftwf_plan there = fftwf_mpi_plan_dft(axes, n, in, out, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT);
        fftwf_plan back = fftwf_mpi_plan_dft(axes, n, out, in, MPI_COMM_WORLD, FFTW_BACKWARD, FFTW_MEASURE | FFTW_MPI_TRANSPOSED_IN);
        ptrdiff_t plane = n[1] * (axes == 3 ? n[2] : 1), own = rows * plane;
        double times[1000];
        for (int round = -1; round < rounds; round++) {
            for (ptrdiff_t i = 0; i < own; i++) {
                in[i][0] = (float)((first_row * plane + i) % 17);
                in[i][1] = (float)((first_row * plane + i) % 11);
            }
            MPI_Barrier(MPI_COMM_WORLD);
            double time = -MPI_Wtime(), slowest;
            fftwf_execute(there);
            time += MPI_Wtime();
            MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            if (round >= 0) times[round] = slowest;
        }
        fftwf_execute(back);
        double worst = 0, all = (double)n[0] * plane;
        for (ptrdiff_t i = 0; i < own; i++) {
            worst = fmax(worst, fabs(in[i][0] / all - (double)((first_row * plane + i) % 17)));
            worst = fmax(worst, fabs(in[i][1] / all - (double)((first_row * plane + i) % 11)));
        }
        MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        qsort(times, rounds, sizeof *times, by_size);
        if (rank == 0)
            printf("{\"library\":\"FFTW %s\",\"spec\":\"c2c fwd %s\",\"ranks\":%d,\"ms\":%.3f,\"least_ms\":%.3f,\"worst\":%.1e}\n", fftwf_version,
                   argv[arg], size, times[rounds / 2] * 1e3, times[0] * 1e3, worst);
        if (worst > 1e-3) status = 1;
        fftwf_destroy_plan(there);
        fftwf_destroy_plan(back);
        fftwf_free(in);
        fftwf_free(out);
    }
    MPI_Finalize();
    return status;
}
