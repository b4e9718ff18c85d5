/* An all-to-all of blocks of B bytes: a message for each pair of ranks, or by nodes. By nodes each of the L
 * ranks of a node serves every L-th other node: it collects what its node has for that one, sends it to the
 * rank there that serves this node, and what that one sends is handed out.
 *
 *   mpicc -O2 nodes.c -o nodes && mpirun -n 8 ./nodes [NODES]
 *
 * Without NODES they are found by MPI_Comm_split_type; with it, ranks are as many nodes, in order. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As the library waits: ranks that spin would take the cores from each other, and from the network. */
static void wait_all(int n, MPI_Request *requests)
{
    struct timespec pause = {0, 50000};
    int done = 0;

    for (;;) {
        MPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE);
        if (done)
            return;
        nanosleep(&pause, NULL);
    }
}

static int rank, size, here, node, nodes, per;

static void direct(const char *from, char *to, int block)
{
    MPI_Request *requests = malloc(2 * (size_t)size * sizeof *requests);
    int i, n = 0;

    for (i = 1; i < size; i++)
        MPI_Irecv(to + (size_t)((rank + i) % size) * block, block, MPI_BYTE, (rank + i) % size, 0, MPI_COMM_WORLD, &requests[n++]);
    for (i = 1; i < size; i++)
        MPI_Isend(from + (size_t)((rank + i) % size) * block, block, MPI_BYTE, (rank + i) % size, 0, MPI_COMM_WORLD, &requests[n++]);
    memcpy(to + (size_t)rank * block, from + (size_t)rank * block, block);
    wait_all(n, requests);
    free(requests);
}

/* Which of a node's ranks exchanges with the other one: the same on both. */
static int served_by(int a, int b)
{
    return (a + b) % per;
}

static void by_nodes(const char *from, char *to, int block)
{
    size_t part = (size_t)block * per;
    MPI_Request *requests = malloc((size_t)(4 * size + 4 * nodes * per) * sizeof *requests);
    /* For each node that this rank serves: of each rank here the blocks for each rank there. */
    char *out = malloc((size_t)nodes * per * part), *in = malloc((size_t)nodes * per * part);
    int m, l, i, n = 0;

    for (m = 0; m < nodes; m++) {
        if (m == node || served_by(node, m) != here)
            continue;
        for (l = 0; l < per; l++) {
            if (l == here)
                memcpy(out + (m * per + l) * part, from + m * part, part);
            else
                MPI_Irecv(out + (m * per + l) * part, (int)part, MPI_BYTE, node * per + l, m, MPI_COMM_WORLD, &requests[n++]);
        }
    }
    for (m = 0; m < nodes; m++)
        if (m != node && served_by(node, m) != here)
            MPI_Isend(from + m * part, (int)part, MPI_BYTE, node * per + served_by(node, m), m, MPI_COMM_WORLD, &requests[n++]);
    /* In the node, as before. */
    for (l = 1; l < per; l++) {
        i = node * per + (here + l) % per;
        MPI_Irecv(to + (size_t)i * block, block, MPI_BYTE, i, 100000, MPI_COMM_WORLD, &requests[n++]);
        MPI_Isend(from + (size_t)i * block, block, MPI_BYTE, i, 100000, MPI_COMM_WORLD, &requests[n++]);
    }
    memcpy(to + (size_t)rank * block, from + (size_t)rank * block, block);
    wait_all(n, requests);
    n = 0;
    for (i = 1; i < nodes; i++) {
        m = (node + i) % nodes;
        if (served_by(node, m) == here) {
            MPI_Irecv(in + m * per * part, (int)(per * part), MPI_BYTE, m * per + here, 100001, MPI_COMM_WORLD, &requests[n++]);
            MPI_Isend(out + m * per * part, (int)(per * part), MPI_BYTE, m * per + here, 100001, MPI_COMM_WORLD, &requests[n++]);
        }
    }
    wait_all(n, requests);
    n = 0;
    for (m = 0; m < nodes; m++)
        if (m != node && served_by(node, m) != here)
            MPI_Irecv(to + m * part, (int)part, MPI_BYTE, node * per + served_by(node, m), 200000 + m, MPI_COMM_WORLD, &requests[n++]);
    for (m = 0; m < nodes; m++)
        if (m != node && served_by(node, m) == here)
            for (l = 0; l < per; l++) {
                /* What the ranks there have for rank l, in their order. */
                char *own = out + (m * per + l) * part;

                for (i = 0; i < per; i++)
                    memcpy(own + (size_t)i * block, in + (m * per + i) * part + (size_t)l * block, block);
                if (l == here)
                    memcpy(to + m * part, own, part);
                else
                    MPI_Isend(own, (int)part, MPI_BYTE, node * per + l, 200000 + m, MPI_COMM_WORLD, &requests[n++]);
            }
    wait_all(n, requests);
    free(requests);
    free(out);
    free(in);
}

static int compare(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

int main(int argc, char **argv)
{
    enum { ROUNDS = 21 };
    MPI_Comm local;
    int block, i, way;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1) {
        nodes = atoi(argv[1]);
        per = size / nodes;
        here = rank % per;
    } else {
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &local);
        MPI_Comm_rank(local, &here);
        MPI_Comm_size(local, &per);
        nodes = size / per;
    }
    node = rank / per;
    if (here != rank % per || size % per != 0) {
        fprintf(stderr, "ranks of a node must follow one another\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (rank == 0)
        printf("%d ranks on %d nodes; ms, median of %d\n   block   direct  by nodes\n", size, nodes, ROUNDS);
    for (block = 64; block <= 1 << 18; block *= 8) {
        char *from = malloc((size_t)size * block), *to = malloc((size_t)size * block);
        double times[2][ROUNDS];

        for (i = 0; i < size * block; i++)
            from[i] = (char)(rank * 31 + i / block * 7 + i);
        for (i = 0; i < ROUNDS; i++)
            for (way = 0; way < 2; way++) {
                MPI_Request barrier;
                double begin, own;
                int k;

                memset(to, 0, (size_t)size * block);
                MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
                wait_all(1, &barrier);
                begin = MPI_Wtime();
                (way ? by_nodes : direct)(from, to, block);
                own = MPI_Wtime() - begin;
                MPI_Iallreduce(&own, &times[way][i], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &barrier);
                wait_all(1, &barrier);
                for (k = 0; k < size * block; k++)
                    if (to[k] != (char)(k / block * 31 + rank * 7 + rank * block + k % block)) {
                        fprintf(stderr, "way %d: rank %d, byte %d is wrong\n", way, rank, k);
                        MPI_Abort(MPI_COMM_WORLD, 1);
                    }
            }
        for (way = 0; way < 2; way++)
            qsort(times[way], ROUNDS, sizeof(double), compare);
        if (rank == 0)
            printf("%8d %8.3f %9.3f\n", block, 1e3 * times[0][ROUNDS / 2], 1e3 * times[1][ROUNDS / 2]);
        free(from);
        free(to);
    }
    MPI_Finalize();
    return 0;
}
