/*
 * Counts collective operations: MPI's profiling interface, to be loaded before a program. Rank 0 prints
 * how many there were when MPI ends.
 */
#include <mpi.h>
#include <stdio.h>

static int reductions, gathers, broadcasts;

int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    reductions++;
    return PMPI_Iallreduce(from, to, count, type, op, comm, request);
}

int MPI_Iallgather(const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type, MPI_Comm comm,
                   MPI_Request *request)
{
    gathers++;
    return PMPI_Iallgather(from, count, type, to, to_count, to_type, comm, request);
}

int MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
    broadcasts++;
    return PMPI_Ibcast(data, count, type, root, comm, request);
}

int MPI_Finalize(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("%d reductions, %d gathers, %d broadcasts\n", reductions, gathers, broadcasts);
    return PMPI_Finalize();
}
