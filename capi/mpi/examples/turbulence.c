/*
 * The Navier-Stokes equations in a periodic box, which the ranks of MPI_COMM_WORLD share: the vortex of
 * Taylor and Green, pseudo-spectral, with the products of the 2/3 rule and the classical method of
 * Runge and Kutta. Without viscosity the energy is conserved; with it, the energy that is left and what
 * was dissipated add up to what there was. turbulence.py computes the same.
 *
 *   mpicc -O2 turbulence.c -lwgpu_fft_mpi -lm && mpirun -n 4 ./a.out [n [steps [viscosity]]]
 *
 * With -DDOUBLE it computes in double precision, for devices that have it.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <wgpu_fft_mpi.h>

#ifdef DOUBLE
typedef double real;
#define NUMBERS " f64"
/* By so much of itself the energy may change. */
#define TOLERANCE 2e-8
#else
typedef float real;
#define NUMBERS ""
#define TOLERANCE 2e-6
#endif

static wgpu_fft_mpi_job *forward, *inverse;
static wgpu_fft_mpi_part x, k;
/* The points and the modes of a component of a field on this rank. */
static size_t points, modes;
/* Of each mode: its wave numbers, their square (0 if the mode is left out), and how often it counts, as
   the half of the spectrum that is not stored counts too. */
static real *wave[3], *square, *weight;
static real *velocity, *vorticity, *curl;
static double viscosity;

static void check(int is_right, const char *what)
{
    if (!is_right) {
        fprintf(stderr, "%s: %s\n", what, wgpu_fft_mpi_error_message());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

#define CHECK(call) check((call) == WGPU_FFT_OK, #call)

static real *array(size_t reals)
{
    real *own = calloc(reals + 1, sizeof *own);

    check(own != NULL, "memory");
    return own;
}

static void transform(wgpu_fft_mpi_job *job, const real *input, real *output)
{
    const wgpu_fft_mpi_part *from = job == forward ? &x : &k, *to = job == forward ? &k : &x;

    CHECK(wgpu_fft_mpi_run(job, input, from->elements * from->element_bytes, output, to->elements * to->element_bytes));
}

/* The energy or, with the square of the wave number, the enstrophy of this rank's modes. */
static double half_of_squares(const real *field, int of_curl, size_t n)
{
    double sum = 0;
    size_t c, m;

    for (c = 0; c < 3; c++)
        for (m = 0; m < modes; m++) {
            double re = field[2 * (c * modes + m)], im = field[2 * (c * modes + m) + 1];
            sum += weight[m] * (re * re + im * im) * (of_curl ? square[m] : 1);
        }
    return sum / 2 / pow((double)n, 6);
}

static double of_all_ranks(double own)
{
    double sum;

    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* The rate of change of the field: the part without divergence of velocity times vorticity, and friction. */
static void rate(const real *field, real *result)
{
    size_t m, p;
    int c;

    for (c = 0; c < 3; c++) {
        const real *a = field + 2 * ((c + 1) % 3) * modes, *b = field + 2 * ((c + 2) % 3) * modes;
        const real *ka = wave[(c + 1) % 3], *kb = wave[(c + 2) % 3];

        for (m = 0; m < modes; m++) {
            curl[2 * (c * modes + m)] = -(ka[m] * b[2 * m + 1] - kb[m] * a[2 * m + 1]);
            curl[2 * (c * modes + m) + 1] = ka[m] * b[2 * m] - kb[m] * a[2 * m];
        }
    }
    transform(inverse, field, velocity);
    transform(inverse, curl, vorticity);
    for (p = 0; p < points; p++) {
        const real u[3] = {velocity[p], velocity[points + p], velocity[2 * points + p]};
        const real w[3] = {vorticity[p], vorticity[points + p], vorticity[2 * points + p]};

        for (c = 0; c < 3; c++)
            vorticity[c * points + p] = u[(c + 1) % 3] * w[(c + 2) % 3] - u[(c + 2) % 3] * w[(c + 1) % 3];
    }
    transform(forward, vorticity, result);
    for (m = 0; m < 2 * modes; m++) {
        const real k2 = square[m / 2];
        real along = 0;

        for (c = 0; c < 3 && k2 > 0; c++)
            along += wave[c][m / 2] * result[2 * c * modes + m] / k2;
        for (c = 0; c < 3; c++) {
            real *own = result + 2 * c * modes + m;
            *own = k2 > 0 ? *own - wave[c][m / 2] * along - (real)viscosity * k2 * field[2 * c * modes + m] : 0;
        }
    }
}

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 64, steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 50;
    const double dt = 1.28 / (double)n, two_pi = 6.28318530717958647692;
    const double until[4] = {0, dt / 2, dt / 2, dt}, share[4] = {dt / 6, dt / 3, dt / 3, dt / 6};
    wgpu_fft_mpi_plan_options options = {0};
    wgpu_fft_mpi_cluster *cluster;
    real *field, *next, *stage, *change;
    double energy[2], enstrophy, dissipated = 0, begin, error;
    size_t c, i, m, step;
    char text[64];
    int rank, ranks;

    options.size = sizeof options;
    viscosity = argc > 3 ? strtod(argv[3], NULL) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK(wgpu_fft_mpi_open(MPI_Comm_c2f(MPI_COMM_WORLD), NULL, &cluster));

    /* Three components on every rank, and slabs of each. */
    options.decomposition = WGPU_FFT_MPI_GRID;
    options.grid[0] = 1;
    options.grid[1] = (size_t)ranks;
    sprintf(text, "r2c fwd %lux%lux%lu x3" NUMBERS, (unsigned long)n, (unsigned long)n, (unsigned long)n);
    CHECK(wgpu_fft_mpi_plan(cluster, text, &options, &forward));
    sprintf(text, "c2r inv %lux%lux%lu x3" NUMBERS " 1/n", (unsigned long)n, (unsigned long)n, (unsigned long)n);
    CHECK(wgpu_fft_mpi_plan(cluster, text, &options, &inverse));
    CHECK(wgpu_fft_mpi_parts(forward, &x, &k));
    points = x.elements / 3;
    modes = k.elements / 3;

    for (c = 0; c < 3; c++)
        wave[c] = array(modes);
    square = array(modes);
    weight = array(modes);
    for (m = 0; m < modes; m++) {
        const size_t at[3] = {m / k.count[2] / k.count[1], m / k.count[2] % k.count[1], m % k.count[2]};
        int is_kept = 1;

        for (i = 0; i < 3; i++) {
            const size_t index = k.begin[i] + at[i], axis = k.axes[i];

            wave[axis][m] = (real)index - (axis < 2 && 2 * index > n ? (real)n : 0);
            is_kept = is_kept && fabs((double)wave[axis][m]) * 3 < (double)n;
        }
        weight[m] = wave[2][m] == 0 ? 1 : 2;
        square[m] = is_kept ? wave[0][m] * wave[0][m] + wave[1][m] * wave[1][m] + wave[2][m] * wave[2][m] : 0;
    }

    velocity = array(3 * points);
    vorticity = array(3 * points);
    curl = array(6 * modes);
    field = array(6 * modes);
    next = array(6 * modes);
    stage = array(6 * modes);
    change = array(6 * modes);
    for (m = 0; m < points; m++) {
        const double a = two_pi * (double)(x.begin[0] + m / n / n) / (double)n, b = two_pi * (double)(m / n % n) / (double)n,
                     d = two_pi * (double)(m % n) / (double)n;

        velocity[m] = (real)(sin(a) * cos(b) * cos(d));
        velocity[points + m] = (real)(-cos(a) * sin(b) * cos(d));
    }
    transform(forward, velocity, field);
    energy[0] = of_all_ranks(half_of_squares(field, 0, n));

    begin = MPI_Wtime();
    for (step = 0; step < steps; step++) {
        for (m = 0; m < 6 * modes; m++)
            next[m] = field[m];
        for (i = 0; i < 4; i++) {
            for (m = 0; m < 6 * modes; m++)
                stage[m] = field[m] + (real)until[i] * change[m];
            dissipated += share[i] * 2 * viscosity * half_of_squares(stage, 1, n);
            rate(stage, change);
            for (m = 0; m < 6 * modes; m++)
                next[m] += (real)share[i] * change[m];
        }
        for (m = 0; m < 6 * modes; m++)
            field[m] = next[m];
    }
    begin = MPI_Wtime() - begin;
    energy[1] = of_all_ranks(half_of_squares(field, 0, n));
    enstrophy = of_all_ranks(half_of_squares(field, 1, n));
    dissipated = of_all_ranks(dissipated);
    error = fabs((energy[1] + dissipated) / energy[0] - 1);
    if (rank == 0) {
        printf("%lu^3 points, %lu steps to t = %g, viscosity %g, %d ranks, %.1f ms a step\n", (unsigned long)n, (unsigned long)steps,
               (double)steps * dt, viscosity, ranks, begin / (double)steps * 1e3);
        printf("energy %.12f of %.12f, dissipated %.12f: a difference of %.1e\n", energy[1], energy[0], dissipated, error);
        printf("enstrophy %.12f\n", enstrophy);
    }
    check(error < TOLERANCE && enstrophy > 0.375 * (viscosity > 0 ? 0 : 1), "the energy is not conserved");

    wgpu_fft_mpi_destroy(forward);
    wgpu_fft_mpi_destroy(inverse);
    wgpu_fft_mpi_close(cluster);
    MPI_Finalize();
    return 0;
}
