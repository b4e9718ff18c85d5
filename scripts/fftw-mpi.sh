#!/bin/sh
# Builds FFTW's side of the comparison in crates/distributed/benches/peers, as
# target/fftw_mpi. It needs mpicc and FFTW's MPI library in single precision, on Debian
# libopenmpi-dev and libfftw3-mpi-dev. No test needs it.
#
#   scripts/fftw-mpi.sh
#   mpirun -n 4 target/fftw_mpi 512x512 128x128x128
#
# Exit status: 0 if it was built.
set -eu
cd "$(dirname "$0")/.."
mkdir -p target
mpicc -O3 -march=native -o target/fftw_mpi crates/distributed/benches/peers/fftw_mpi.c -lfftw3f_mpi -lfftw3f -lm
echo "fftw-mpi.sh: built target/fftw_mpi"
