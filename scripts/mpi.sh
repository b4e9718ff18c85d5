#!/usr/bin/env bash
# Makes sure that MPI is installed for the feature `mpi` of crates/distributed, runs its tests, and
# builds, tests and installs the library for C, Fortran and Python (capi/mpi).
#
#   scripts/mpi.sh             look for MPI and libclang, and install them if they are missing
#   scripts/mpi.sh test [...]  do the same, then build the tests and run them on 1, 2, 3 and 4 ranks;
#                              further arguments go to the tests, such as --adapters A,B
#   scripts/mpi.sh ranks [...] the same without the tests that need no ranks
#   scripts/mpi.sh doors [ADAPTER...]
#                              compile the examples of capi/mpi, and run them on these adapters, or on the
#                              best one; those in Python need mpi4py, which comes from PyPI
#   scripts/mpi.sh install PREFIX
#                              the library, its header and its modules into a folder: a release build
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
set -euo pipefail
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
test | ranks | doors | install) shift ;;
*) exit 0 ;;
esac

# Settings for Open MPI: there may be more ranks than cores, the user may be root, and a container
# may forbid ptrace. Other MPIs ignore these.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=true PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_btl_vader_single_copy_mechanism=none

target=${CARGO_TARGET_DIR:-target}

# built PROFILE FOLDER PREFIX: builds the library, and puts it there with its header and modules. Files
# are written beside and renamed: a program that runs goes on with the file that it has loaded.
built() {
    # shellcheck disable=SC2086 # several arguments
    cargo build --profile "$1" ${WGPU_FFT_CARGO_SELECTION:--p wgpu-fft-mpi} ${WGPU_FFT_CARGO_SELECTION:+--all-targets}
    mkdir -p "$3/lib" "$3/include"
    case $(uname -s) in
    Darwin) from=libwgpu_fft_mpi.dylib named=libwgpu_fft_mpi.0.dylib ;;
    *) from=libwgpu_fft_mpi.so named=libwgpu_fft_mpi.so.0 ;;
    esac
    put "$target/$2/$from" "$3/lib/$named"
    ln -sf "$named" "$3/lib/$from"
    for file in wgpu_fft_mpi.h wgpu_fft_mpi.f90; do
        put "capi/mpi/include/$file" "$3/include/$file"
    done
    put capi/mpi/wgpu_fft_mpi.py "$3/lib/wgpu_fft_mpi.py"
}

put() {
    cp "$1" "$2.new"
    mv -f "$2.new" "$2"
}

if [ "$what" = install ]; then
    built release release "${1:?the folder to install into}"
    exit
fi

# on_ranks NUMBER PROGRAM...
on_ranks() {
    say "mpirun -n $*"
    mpirun -n "$@"
}

if [ "$what" = doors ]; then
    work=$(mkdir -p "$target/mpi" && cd "$target/mpi" && pwd)
    examples=$PWD/capi/mpi/examples
    built dev debug "$work"
    if [ "$(uname -s)" = Linux ]; then
        say 'the library exports what the header and the module for Fortran declare'
        header=$work/include/wgpu_fft_mpi.h
        sed -nE 's/^[a-z].*\b(wgpu_fft_mpi_[a-z_]+)\(.*/\1/p' "$header" | sort >"$work/declared"
        nm -D --defined-only "$work/lib/libwgpu_fft_mpi.so" | awk '{ print $3 }' | sort | diff - "$work/declared"
        sed -nE 's/^ *(function|subroutine) (wgpu_fft_\w+)\(.*bind\(C\).*/\2/p' "${header%.h}.f90" | sort | diff - "$work/declared"
        sed -nE 's/^#define (WGPU_FFT_[A-Z0-9_]+ [0-9]+)$/\1/p' "$header" | sort >"$work/declared"
        sed -nE 's/.*parameter :: (WGPU_FFT_\w+) = ([0-9]+)$/\1 \2/p' "${header%.h}.f90" | sort | diff - "$work/declared"
    fi
    link="-I$work/include -L$work/lib -lwgpu_fft_mpi -lm -Wl,-rpath,$work/lib"
    # The programs of the page.
    for language in c python; do
        sed -n "/^\`\`\`$language$/,/^\`\`\`$/{/^\`/d;p}" capi/mpi/README.md >"$work/page.${language%ython}"
    done
    for name in "$examples/spectrum" "$examples/turbulence" "$work/page"; do
        # shellcheck disable=SC2086 # several arguments
        mpicc -O2 -Wall -Wextra -Werror -pedantic -std=c99 "$name.c" -o "$work/${name##*/}" $link
    done
    # With the other library's header, in C and in C++.
    printf '#include <%s>\n' wgpu_fft.h wgpu_fft_mpi.h >"$work/both.h"
    for language in 'c -std=c99' 'c++ -std=c++11'; do
        # shellcheck disable=SC2086 # several arguments
        cc -x $language -pedantic -Wall -Wextra -Werror -fsyntax-only -Icapi/include -Icapi/mpi/include "$work/both.h"
    done
    if [ "$(uname -s)" = Linux ]; then
        say 'as many collective operations on 2 ranks as on 4, and no broadcast of texts'
        mpicc -O2 -Wall -Wextra -Werror -pedantic -std=c99 -shared -fPIC capi/mpi/tests/collectives.c -o "$work/collectives.so"
        for ranks in 2 4; do
            mpirun -n $ranks env LD_PRELOAD="$work/collectives.so" "$work/page"
        done | tee "$work/log"
        [ "$(grep -c ', 0 broadcasts' "$work/log") $(sort -u "$work/log" | wc -l)" = '2 1' ]
        say 'where there is no driver, ranks say so'
        (! VK_DRIVER_FILES=/no/driver mpirun -n 2 "$work/page" >"$work/log" 2>&1)
        # The first that ends the program may do so before the others have printed it.
        grep -q '^wgpu_fft_mpi_open: rank 0: .*adapter' "$work/log"
    fi
    if command -v mpifort >/dev/null && needs gfortran gfortran; then
        # shellcheck disable=SC2086 # several arguments
        (cd "$work" && mpifort -Wall -Werror include/wgpu_fft_mpi.f90 "$examples/spectrum.f90" -o spectrum-fortran $link)
    else
        say 'SKIPPED: Fortran over MPI: there is no mpifort'
        rm -f "$work/spectrum-fortran"
    fi
    python=$PWD/$target/python-venv/bin/python
    if [ ! -x "$python" ] || ! "$python" -c 'import mpi4py.MPI, numpy'; then
        say 'SKIPPED: Python over MPI: mpi4py is not in target/python-venv (scripts/python.sh packages), or finds no MPI'
        python=
    fi
    # The examples write files there.
    cd "$work"
    for adapter in "${@:-}"; do
        export WGPU_ADAPTER_NAME="$adapter"
        on_ranks 2 "$work/page"
        [ -z "$python" ] || PYTHONPATH=$work/lib on_ranks 2 "$python" -m mpi4py "$work/page.p"
        on_ranks 1 "$work/spectrum"
        on_ranks 4 "$work/spectrum"
        [ ! -x "$work/spectrum-fortran" ] || on_ranks 3 "$work/spectrum-fortran"
        [ -z "$python" ] || PYTHONPATH=$work/lib on_ranks 3 "$python" -m mpi4py "$examples/spectrum.py"
        # The numbers must be the same on any number of ranks, and in both languages.
        : >"$work/log"
        for ranks in 2 4; do
            on_ranks $ranks "$work/turbulence" 16 20 0.01 | tee -a "$work/log"
            [ -z "$python" ] || PYTHONPATH=$work/lib on_ranks $ranks "$python" "$examples/turbulence.py" 16 20 0.01 | tee -a "$work/log"
        done
        awk '/^energy/ { if (!n++) least = most = $2; if ($2 < least) least = $2; if ($2 > most) most = $2 }
            END { print "energies differ by", most - least; exit n < 2 || most - least > 2e-7 }' "$work/log"
    done
    say 'all is well'
    exit
fi

selection=${WGPU_FFT_CARGO_SELECTION:--p wgpu-fft-distributed --features mpi}
if [ "$what" = test ]; then
    cargo test -p wgpu-fft-distributed --features mpi --lib
    cargo test -p wgpu-fft-distributed --features mpi --doc
fi
# shellcheck disable=SC2086 # several arguments
program=$(cargo test $selection --test ranks --no-run --message-format=json |
    sed -n 's/.*"name":"ranks".*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
log=$target/mpi-test.log
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
