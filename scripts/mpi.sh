#!/bin/sh
# Makes sure that MPI is installed for the feature `mpi` of crates/distributed, and runs its tests.
#
#   scripts/mpi.sh             look for MPI and libclang, and install them if they are missing
#   scripts/mpi.sh test [...]  do the same, then build the tests and run them on 1, 2, 3 and 4 ranks;
#                              further arguments go to the tests, such as --adapters A,B
#   scripts/mpi.sh ranks [...] the same without the tests that need no ranks
#
# WGPU_FFT_RANKS="1 4" names other numbers of ranks. WGPU_FFT_CARGO_SELECTION names packages and
# features for Cargo in place of those of the crate.
#
# On a system with apt (Debian, Ubuntu) it installs Open MPI and libclang. On other systems it
# prints what to install. If it runs on a terminal, it asks before it installs anything. Set
# WGPU_FFT_INSTALL=1 (or CI=true) to answer yes in advance, and WGPU_FFT_INSTALL=0 to answer no.
# Without a terminal the answer is no.
#
# Exit status: 0 if everything succeeded.
set -eu
cd "$(dirname "$0")/.."

. scripts/lib.sh

# bindgen generates the bindings from mpi.h at build time, and needs libclang for that.
has_libclang() {
    [ -n "${LIBCLANG_PATH:-}" ] && return 0
    PATH=$PATH:/usr/sbin:/sbin
    ldconfig -p 2>/dev/null | grep -q 'libclang[-.0-9]*\.so' && return 0
    for file in /usr/lib/llvm-*/lib/libclang*.so* /usr/lib*/libclang*.so* /Library/Developer/CommandLineTools/usr/lib/libclang.dylib; do
        [ -e "$file" ] && return 0
    done
    return 1
}

missing() {
    command -v mpicc >/dev/null || printf ' mpicc'
    command -v mpirun >/dev/null || printf ' mpirun'
    has_libclang || printf ' libclang'
}

if [ -n "$(missing)" ]; then
    say "missing:$(missing)."
    if ! command -v apt-get >/dev/null; then
        say 'The feature `mpi` of crates/distributed needs an MPI with mpicc and mpirun, and libclang:'
        say '    Fedora:   dnf install openmpi-devel clang-devel; module load mpi'
        say '    Arch:     pacman -S openmpi clang'
        say '    openSUSE: zypper install openmpi4-devel clang-devel'
        say '    macOS:    brew install open-mpi'
        say 'The crate wgpu-fft itself needs none of these.'
        exit 1
    fi
    apt_install openmpi-bin libopenmpi-dev libclang-dev || exit 1
    if [ -n "$(missing)" ]; then
        say "still missing:$(missing)."
        exit 1
    fi
fi
say "found $(mpirun --version 2>/dev/null | head -n 1)"

what=${1:-}
case $what in
test | ranks) shift ;;
*) exit 0 ;;
esac

# Settings for Open MPI: there may be more ranks than cores, the user may be root, and a container
# may forbid ptrace. Other MPIs ignore these.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=true PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_btl_vader_single_copy_mechanism=none

selection=${WGPU_FFT_CARGO_SELECTION:--p wgpu-fft-distributed --features mpi}
if [ "$what" = test ]; then
    cargo test -p wgpu-fft-distributed --features mpi --lib
    cargo test -p wgpu-fft-distributed --features mpi --doc
fi
# shellcheck disable=SC2086 # several arguments
program=$(cargo test $selection --test ranks --no-run --message-format=json |
    sed -n 's/.*"name":"ranks".*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
log=${CARGO_TARGET_DIR:-target}/mpi-test.log
numbers=${WGPU_FFT_RANKS:-1 2 3 4}
: >"$log"
for ranks in $numbers; do
    say "$ranks ranks: mpirun -n $ranks $program $*"
    # A pipe would hide the exit status.
    status=0
    mpirun -n "$ranks" "$program" "$@" >"$log.part" 2>&1 || status=$?
    cat "$log.part"
    cat "$log.part" >>"$log"
    if [ "$status" != 0 ]; then
        say "FAILED on $ranks ranks (exit status $status)"
        exit 1
    fi
done
if [ $# = 0 ]; then
    # The last rank is stopped, and the others end the program.
    say "2 ranks, one of them stopped: mpirun -n 2 $program --stopped"
    status=0
    timeout 120 mpirun -n 2 "$program" --stopped >"$log.part" 2>&1 || status=$?
    if [ "$status" = 0 ] || [ "$status" = 124 ] || ! grep 'rank 0: rank 1 does not answer' "$log.part"; then
        cat "$log.part"
        say "FAILED: exit status $status"
        exit 1
    fi
fi
rm -f "$log.part"
# The log has a line for each number of ranks whose adapters round alike: `portable bits HASH on
# ADAPTER`.
different=$(sed -n 's/^portable bits \([0-9a-f]*\) on \(.*\)/\2 \1/p' "$log" | sort -u | sed 's/ [0-9a-f]*$//' | uniq -d)
if [ -n "$different" ]; then
    say "FAILED: the bits depend on the number of ranks, on $different"
    exit 1
fi
say "all tests passed on these numbers of ranks: $numbers"
