#!/usr/bin/env bash
# Builds, installs and tests the libraries for C: libwgpu_fft, libwgpu_fftw3f and libwgpu_fftw3
# (capi/README.md).
#
#   scripts/capi.sh install PREFIX   libraries, headers, pkg-config and CMake files into a folder; a
#                                    release build, which takes some minutes the first time
#   scripts/capi.sh test [ADAPTER…]  compiles the examples and tests in C and C++ with the system's
#                                    compilers and runs them on these adapters, or on the best one; with
#                                    valgrind, if it is there, also what fails without an adapter
#   scripts/capi.sh memory           examples under valgrind with a driver, after test: minutes with lavapipe
#   scripts/capi.sh program          runs a program of Debian's that uses FFTW, minimodem, with FFTW and
#                                    with this library in its place, and compares what it prints
#   scripts/capi.sh verify [ROUNDS] [OPTION…]
#                                    FFTW's own verifier on random problems, some 15 in each round; 150
#                                    rounds by default. Further options go to its check.pl: -1d adds all
#                                    small lengths, -0d copies and transposes. It is fetched into target/,
#                                    as it is GPL
#
# All need Rust and a C compiler; test also a C++ compiler and, for some of it, pkg-config, gfortran,
# cmake and valgrind; program needs minimodem; verify needs curl and perl. On a system with apt, what is
# missing is installed after asking: WGPU_FFT_INSTALL=1 (or CI=true) says yes in advance,
# WGPU_FFT_INSTALL=0 no. test, program and verify use debug builds.
#
# Exit status: 0 if everything succeeded; 75 if verify could not fetch FFTW's source.
set -euo pipefail
cd "$(dirname "$0")/.."

# What is tested is the device, but where the host is named.
export WGPU_FFT_FFTW_HOST=never

. scripts/lib.sh

usage() {
    sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
    exit 2
}

target=${CARGO_TARGET_DIR:-target}
cc=${CC:-cc}
cxx=${CXX:-c++}
mkdir -p "$target/capi"
work=$(cd "$target/capi" && pwd)
case $(uname -s) in
Darwin) suffix=.dylib ;;
*) suffix=.so ;;
esac

# build PROFILE: the libraries.
build() {
    # CI names all packages that it compiled before with the same features, and compiles nothing anew.
    # shellcheck disable=SC2086 # several arguments
    cargo build --profile "$1" ${WGPU_FFT_CARGO_SELECTION:--p wgpu-fft-capi -p wgpu-fft-fftw -p wgpu-fft-fftw-double} \
        ${WGPU_FFT_CARGO_SELECTION:+--all-targets}
}

# filled FILE.in: with the values of this installation.
filled() {
    sed -e "s|@PREFIX@|$prefix|g; s|@VERSION@|$version|g; s|@NATIVE@|$native|g; s|@SUFFIX@|$suffix|g" "$1"
}

# pc_of_fftw NAME LIBRARY PRECISION [FOLDER]: the file for pkg-config of a library with FFTW's names.
pc_of_fftw() {
    filled capi/install/wgpu-fftw.pc.in | sed "s|@NAME@|$1|; s|@LIBRARY@|$2|; s|@PRECISION@|$3|; s|@FOLDER@|${4:-}|"
}

# doubled FILE: C of single precision as that of double precision.
doubled() {
    sed -e 's/\bfftwf_/fftw_/g; s/\bfloat\b/double/g; s/wgpu_fftw3f/wgpu_fftw3/g; s/WGPU_FFTW3F_H/WGPU_FFTW3_H/g' "$1"
}

# double_header: wgpu_fftw3.h, with the functions of wgpu_fftw3f.h in double precision. Types and
# constants are there.
double_header() {
    printf '%s\n' "/* FFTW's interface for double precision, on the GPU: link with -lwgpu_fftw3. See wgpu_fftw3f.h. */" \
        '#ifndef WGPU_FFTW3_H' '#define WGPU_FFTW3_H' '' '#include "wgpu_fftw3f.h"' '' '#ifdef __cplusplus' 'extern "C" {' '#endif' ''
    doubled capi/include/wgpu_fftw3f.h | sed -n '/^\/\* `wgpu-fft-/,$p'
}

# put FILE TO: a file, or what comes from stdin for `-`. It is written beside and renamed: a program
# that runs goes on with the file that it has loaded.
put() {
    if [ "$1" = - ]; then cat >"$2.new"; else cp "$1" "$2.new"; fi
    mv -f "$2.new" "$2"
}

# link TARGET NAME
link() {
    ln -sf "$1" "$2.new"
    mv -f "$2.new" "$2"
}

# install_into PREFIX PROFILE
install_into() {
    local prefix=$1 built=$target/$2 version native name part
    [ "$2" != dev ] || built=$target/debug
    mkdir -p "$prefix"/lib/{pkgconfig,wgpu-fftw/pkgconfig,cmake/wgpu-fft} "$prefix"/include/wgpu-fftw
    prefix=$(cd "$prefix" && pwd)
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' capi/Cargo.toml)
    # What programs that link the static libraries need besides, by rustc for this system.
    case $(uname -s) in
    Linux) native='-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc' ;;
    *) native='-lpthread -lm' ;;
    esac
    for name in wgpu_fft wgpu_fftw3f wgpu_fftw3; do
        put "$built/lib$name.a" "$prefix/lib/lib$name.a"
        if [ $suffix = .so ]; then
            # Programs look for the name with the number, and linkers for the one without.
            put "$built/lib$name.so" "$prefix/lib/lib$name.so.0"
            link "lib$name.so.0" "$prefix/lib/lib$name.so"
        else
            put "$built/lib$name.dylib" "$prefix/lib/lib$name.0.dylib"
            link "lib$name.0.dylib" "$prefix/lib/lib$name.dylib"
        fi
    done
    if [ $suffix = .so ]; then
        # With this folder in LD_LIBRARY_PATH, programs that were compiled for FFTW find this
        # library.
        for name in fftw3f fftw3; do
            for part in '' _threads _omp; do
                link "../libwgpu_$name.so.0" "$prefix/lib/wgpu-fftw/lib$name$part.so.3"
                link "lib$name$part.so.3" "$prefix/lib/wgpu-fftw/lib$name$part.so"
            done
        done
    fi
    for name in wgpu_fft.h wgpu_fft.f90 wgpu_fftw3f.h wgpu-fftw/fftw3.h; do
        put "capi/include/$name" "$prefix/include/$name"
    done
    double_header | put - "$prefix/include/wgpu_fftw3.h"
    filled capi/install/wgpu-fft.pc.in | put - "$prefix/lib/pkgconfig/wgpu-fft.pc"
    pc_of_fftw wgpu-fftw3f wgpu_fftw3f single | put - "$prefix/lib/pkgconfig/wgpu-fftw3f.pc"
    pc_of_fftw wgpu-fftw3 wgpu_fftw3 double | put - "$prefix/lib/pkgconfig/wgpu-fftw3.pc"
    # As FFTW's own, for builds that ask for those. Its version is that of the interface.
    for name in fftw3f:single fftw3:double; do
        version=3.3.10 pc_of_fftw "${name%:*}" "${name%:*}" "${name#*:}" /wgpu-fftw | put - "$prefix/lib/wgpu-fftw/pkgconfig/${name%:*}.pc"
    done
    for name in config config-version; do
        filled capi/install/wgpu-fft-$name.cmake.in | put - "$prefix/lib/cmake/wgpu-fft/wgpu-fft-$name.cmake"
    done
}

# The names that a library exports, and those that a header declares.
exported() {
    nm -D --defined-only "$1" | awk '{ print $3 }' | sort
}

declared() {
    # Functions, and the texts.
    sed 's|/\*.*\*/||' "$1" | grep -oE "\b$2[a-z0-9_]*(\(|\[\];)" | sed 's/[[(].*//' | sort -u
}

run() {
    say "$*"
    "$@"
}

# Only what is surely lost counts: the standard library keeps its handle of a thread by a pointer
# into its middle, which valgrind calls possibly lost.
under_valgrind() {
    run valgrind -q --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --error-exitcode=9 \
        --suppressions=capi/tests/valgrind.supp "$@"
}

# run_double PROGRAM FEW: a device without doubles must say so, and then computes by two f32, where that
# is allowed. Their texts are long, so the program may try few problems then.
run_double() {
    run "$1" 2>"$work/double/log" && return
    cat "$work/double/log"
    grep -q 'WGPU_FFT_FFTW_DOUBLE=f64-by-f32 allows' "$work/double/log"
    WGPU_FFT_FFTW_DOUBLE=f64-by-f32 run "$@"
}

compile_flags() {
    PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs "$@"
}

test_all() {
    local prefix strict name out
    build dev
    # Unoptimised, as it and what it depends on take a minute to optimise and a second to run. In a
    # folder of its own, or else what others depend on as well would be compiled anew in turns.
    CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_TARGET_DIR=$work/cbindgen cargo run -q -p wgpu-fft-cbindgen -- --check
    install_into "$work/prefix" dev
    prefix=$(cd "$work/prefix" && pwd)
    # Over what is there, which a program may have loaded.
    ln -f "$prefix/lib/libwgpu_fft.a" "$work/loaded"
    install_into "$work/prefix" dev
    [ ! "$work/loaded" -ef "$prefix/lib/libwgpu_fft.a" ]
    rm -f "$work"/page-* "$work/loaded" "$work/spectrum-fortran"
    strict="-O1 -Wall -Wextra -Werror -pedantic -std=c99"
    needs pkg-config pkg-config
    export LD_LIBRARY_PATH=$prefix/lib

    if [ $suffix = .so ]; then
        say 'the libraries export what the headers declare, and nothing else'
        diff <(exported "$prefix/lib/libwgpu_fft.so.0") <(declared "$prefix/include/wgpu_fft.h" wgpu_fft_)
        diff <(exported "$prefix/lib/libwgpu_fftw3f.so.0") <(declared "$prefix/include/wgpu_fftw3f.h" fftwf_)
        diff <(exported "$prefix/lib/libwgpu_fftw3.so.0") <(declared "$prefix/include/wgpu_fftw3.h" fftw_)
    fi

    # shellcheck disable=SC2046,SC2086 # several flags
    for name in spectrum padded; do
        $cc $strict capi/examples/$name.c -o "$work/$name" $(compile_flags wgpu-fft) -lm
    done
    # shellcheck disable=SC2046,SC2086
    $cc $strict capi/examples/fftw.c -o "$work/fftw-example" $(compile_flags wgpu-fftw3f) -lm
    # shellcheck disable=SC2046,SC2086
    for name in errors api fftw rows; do
        $cc $strict capi/tests/$name.c -o "$work/$name" $(compile_flags wgpu-fft wgpu-fftw3f) -lm -lpthread
    done
    # The test of FFTW's names again, in double precision.
    mkdir -p "$work/double"
    for name in fftw.c transform.h; do
        doubled capi/tests/$name | sed 's/1e-5\b/1e-13/g; s/1e-4\b/1e-12/g' >"$work/double/$name"
    done
    # shellcheck disable=SC2046,SC2086
    $cc $strict -Icapi/tests "$work/double/fftw.c" -o "$work/fftw-double" $(compile_flags wgpu-fftw3) -lm -lpthread
    # By the files for pkg-config that builds for FFTW look for.
    doubled capi/examples/fftw.c | sed 's/<wgpu_fftw3.h>/<fftw3.h>/' >"$work/double/example.c"
    # shellcheck disable=SC2046,SC2086
    $cc $strict "$work/double/example.c" -o "$work/example-double" \
        $(PKG_CONFIG_PATH=$prefix/lib/wgpu-fftw/pkgconfig pkg-config --cflags --libs 'fftw3 >= 3.3' fftw3f) -lm
    # shellcheck disable=SC2046
    $cxx -O1 -Wall -Wextra -Werror -std=c++11 capi/tests/headers.cpp -o "$work/headers" $(compile_flags wgpu-fft wgpu-fftw3f)

    # The programs of the pages: C blocks, each whole.
    for name in capi/README.md docs/from_fftw.md; do
        awk -v to="$work/page-$(basename "$name" .md)" '
            /^```c$/ { file = to "-" ++count ".c"; inside = 1; next }
            /^```$/ { if (inside) close(file); inside = 0 }
            inside { print > file }' "$name"
    done
    # shellcheck disable=SC2046,SC2086
    for name in "$work"/page-*.c; do
        $cc $strict "$name" -o "${name%.c}" $(compile_flags wgpu-fft wgpu-fftw3f)
    done

    # By the command of the page, as it stands there.
    cp "$work/page-README-1.c" "$work/program.c"
    name=$(sed -n '/^export PKG_CONFIG_PATH=/,/^cc program.c/p' capi/README.md)
    (cd "$work" && PREFIX=$prefix bash -euc "$name")

    say 'the module for Fortran declares what the header does'
    diff <(declared "$prefix/include/wgpu_fft.h" wgpu_fft_) \
        <(sed -nE 's/^ *(function|subroutine) (wgpu_fft_\w+)\(.*bind\(C\).*/\2/p' "$prefix/include/wgpu_fft.f90" | sort)
    diff <(sed -n 's/^#define \(WGPU_FFT_[A-Z0-9_]* [0-9]\)/\1/p' "$prefix/include/wgpu_fft.h" | sort) \
        <(sed -nE 's/.*parameter :: (WGPU_FFT_\w+) =/\1/p' "$prefix/include/wgpu_fft.f90" | sort)
    if needs gfortran gfortran; then
        # shellcheck disable=SC2046
        gfortran -std=f2008 -Wall -Wextra -Werror -pedantic -J"$work" "$prefix/include/wgpu_fft.f90" capi/examples/spectrum.f90 \
            -o "$work/spectrum-fortran" $(compile_flags wgpu-fft)
    else
        say 'SKIPPED: Fortran: gfortran is not here'
    fi

    # Where there is no driver at all.
    VK_DRIVER_FILES=/no/driver run "$work/errors"
    if [ "$(uname -s)" = Linux ] && needs valgrind valgrind; then
        VK_DRIVER_FILES=/no/driver under_valgrind "$work/errors"
    else
        say 'SKIPPED: leaks where there is no driver: valgrind is not here'
    fi
    for name in "${@:-}"; do
        # Tests begin without any record of measurements.
        export WGPU_ADAPTER_NAME=$name WGPU_FFT_RECORD=$work/record.jsonl
        rm -f "$WGPU_FFT_RECORD"
        run "$work/spectrum"
        run "$work/padded"
        [ ! -x "$work/spectrum-fortran" ] || run "$work/spectrum-fortran"
        WGPU_FFT_FFTW_HOST=auto WGPU_FFT_FFTW_LOG=2 run "$work/fftw-example" 2>&1 | tee "$work/fftw-example.log"
        # A transform so short stays there on any device.
        grep -q 'on the host' "$work/fftw-example.log"
        run_double "$work/example-double"
        run "$work/api"
        run "$work/fftw"
        run_double "$work/fftw-double" 2
        run "$work/rows"
        run "$work/headers"
        for out in "$work"/page-*.c; do
            run "${out%.c}"
        done
        LD_LIBRARY_PATH='' run "$work/program"
    done

    # Without the shared library.
    out=$work/static
    # shellcheck disable=SC2046,SC2086
    $cc $strict capi/examples/spectrum.c -o "$out" -I"$prefix/include" "$prefix/lib/libwgpu_fft.a" \
        $(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --static --libs-only-l wgpu-fft | sed 's/-lwgpu_fft\b//')
    LD_LIBRARY_PATH='' run "$out"

    if needs cmake cmake; then
        rm -rf "$work/cmake"
        cmake -S capi/tests/cmake -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
        cmake --build "$work/cmake" >/dev/null
        LD_LIBRARY_PATH='' run "$work/cmake/spectrum"
        LD_LIBRARY_PATH='' run "$work/cmake/fftw"
        cmake -DPREFIX="$prefix" -P capi/tests/cmake/version.cmake
    else
        say 'SKIPPED: the file for CMake: cmake is not here'
    fi
    say 'all is well'
}

# lavapipe compiles shaders to code of its own while valgrind watches: some 30 s of processor time
# each.
test_memory() {
    needs valgrind valgrind
    [ -x "$work/padded" ] || test_all
    export LD_LIBRARY_PATH=$work/prefix/lib
    under_valgrind "$work/padded"
    under_valgrind "$work/fftw-example"
    say 'nothing is lost, and nothing is read or written that is not there'
}

# A modem in software: it finds the carrier and the bits in a recording by a transform for each of
# them.
test_program() {
    needs minimodem minimodem
    build dev
    install_into "$work/prefix" dev
    local folder="$work/minimodem" baud
    rm -rf "$folder"
    mkdir -p "$folder"
    for baud in 300 1200; do
        minimodem --tx --file "$folder/sound.wav" $baud <LICENSE-MIT
        minimodem --rx --file "$folder/sound.wav" $baud >"$folder/fftw.txt" 2>"$folder/fftw.log"
        LD_PRELOAD=$work/prefix/lib/libwgpu_fftw3f.so.0 WGPU_FFT_FFTW_LOG=2 \
            minimodem --rx --file "$folder/sound.wav" $baud >"$folder/preloaded.txt" 2>"$folder/preloaded.log"
        LD_LIBRARY_PATH=$work/prefix/lib/wgpu-fftw \
            minimodem --rx --file "$folder/sound.wav" $baud >"$folder/found.txt" 2>"$folder/found.log"
        # What stays on the host, FFTW itself transforms where it is there.
        LD_PRELOAD=$work/prefix/lib/libwgpu_fftw3f.so.0 WGPU_FFT_FFTW_LOG=2 WGPU_FFT_FFTW_HOST=always \
            minimodem --rx --file "$folder/sound.wav" $baud >"$folder/passed.txt" 2>"$folder/passed.log"
        cmp "$folder/fftw.txt" LICENSE-MIT
        cmp "$folder/fftw.txt" "$folder/preloaded.txt"
        cmp "$folder/fftw.txt" "$folder/found.txt"
        cmp "$folder/fftw.txt" "$folder/passed.txt"
        # What it says of the carrier, its confidence and strength.
        diff "$folder/fftw.log" <(grep -v '^wgpu_fftw3f:' "$folder/preloaded.log")
        diff "$folder/fftw.log" "$folder/found.log"
        grep -m1 '^wgpu_fftw3f: (wgpu-fft' "$folder/preloaded.log"
        grep -m1 '^wgpu_fftw3f: (FFTW (rdft' "$folder/passed.log"
        say "minimodem hears the same at $baud baud with LD_PRELOAD and with LD_LIBRARY_PATH"
    done
}

# FFTW 3.3.10, as Debian has it.
archive=fftw3_3.3.10.orig.tar.gz
archive_sha256=56c932549852cddcfafdab3820b0200c7742675be92179e59e6215b340e26467

# Fails if it is out of reach.
fetch_verifier() {
    local folder=$work/verifier
    mkdir -p "$folder"
    if ! sha256sum --check --status <<<"$archive_sha256  $folder/$archive" 2>/dev/null; then
        curl --silent --show-error --fail --location -o "$folder/$archive" \
            "http://deb.debian.org/debian/pool/main/f/fftw3/$archive" || return 1
        sha256sum --check --quiet <<<"$archive_sha256  $folder/$archive" || return 1
    fi
}

# build_verifier PRECISION: compiles bench, FFTW's program for tests and benchmarks, against the header
# and the library of ours.
build_verifier() {
    local folder=$work/verifier flags source name library=wgpu_fftw3 own=
    [ "$1" = double ] || library=wgpu_fftw3f own='FFTW_SINGLE BENCHFFT_SINGLE'
    mkdir -p "$folder/ours/api" "$folder/objects"
    source=$folder/fftw-3.3.10
    [ -d "$source" ] || tar -xzf "$folder/$archive" -C "$folder"
    # In place of what configure finds out, as far as these files ask for it.
    for name in $own HAVE_GETTIMEOFDAY HAVE_SYS_TIME_H HAVE_UNISTD_H HAVE_STDLIB_H HAVE_STRING_H \
        HAVE_STDDEF_H HAVE_STDINT_H HAVE_ISNAN; do
        echo "#define $name 1"
    done >"$source/config.h"
    cp capi/include/wgpu_fftw3f.h "$folder/ours/api"
    double_header >"$folder/ours/api/wgpu_fftw3.h"
    echo '#include "wgpu_fftw3.h"' >"$folder/ours/api/fftw3.h"
    # Its hook looks into FFTW's planner, which is not here: without it, bench verifies the same.
    # Three flags that the manual does not have mean nothing here.
    echo 'void install_hook(void); void uninstall_hook(void); void install_hook(void) {} void uninstall_hook(void) {}' >"$folder/hook.c"
    flags="-O1 -w -DHAVE_CONFIG_H -DFFTW_ESTIMATE_PATIENT=0 -DFFTW_NO_SIMD=0 -DFFTW_NO_INDIRECT_OP=0"
    flags="$flags -I$folder/ours -I$source -I$source/libbench2"
    rm -f "$folder"/objects/*
    # shellcheck disable=SC2086 # several flags
    for name in "$source"/libbench2/*.c; do
        $cc $flags -c "$name" -o "$folder/objects/$(basename "$name" .c).o"
    done
    rm -f "$folder/libbench2.a"
    ar rc "$folder/libbench2.a" "$folder"/objects/*.o
    # shellcheck disable=SC2086
    $cc $flags -o "$folder/bench" "$source/tests/bench.c" "$source/tests/fftw-bench.c" "$folder/hook.c" "$folder/libbench2.a" \
        -L"$work/prefix/lib" "-l$library" -lm
}

verify() {
    local precision fftw
    needs curl curl
    needs perl perl
    if ! fetch_verifier; then
        say 'SKIPPED: the verifier of FFTW: its source is out of reach'
        return 75
    fi
    build dev
    install_into "$work/prefix" dev
    for precision in single double; do
        build_verifier "$precision"
        verify_in "$precision" "$@" || return
        WGPU_FFT_FFTW_HOST=always verify_in "$precision" "$@" || return
        # By FFTW itself behind our names, if this system has it.
        fftw=3f
        [ "$precision" = single ] || fftw=3
        if ldconfig -p 2>/dev/null | grep -F "libfftw$fftw.so.3 " >/dev/null; then
            preload=$work/prefix/lib/libwgpu_fftw$fftw.so.0:libfftw$fftw.so.3 \
                WGPU_FFT_FFTW_HOST=always verify_in "$precision" "$@" || return
        fi
    done
}

# verify_in PRECISION [ROUNDS] [OPTION…]
verify_in() {
    local precision=$1 rounds=${2:-150} seed=${WGPU_FFT_SEED:-$RANDOM} folder=$work/verifier
    local log=$work/verify-$1-host-$WGPU_FFT_FFTW_HOST${preload:+-by-fftw}.log
    local options=("${@:3}") verified failed start=$SECONDS
    say "$rounds rounds of random problems in $precision precision, WGPU_FFT_SEED=$seed; the log is $log"
    LD_LIBRARY_PATH=$work/prefix/lib LD_PRELOAD=${preload:-} perl -we 'srand(shift); my $script = shift; do $script; die $@ if $@' "$seed" \
        "$folder/fftw-3.3.10/tests/check.pl" -r -c="$rounds" ${options[@]+"${options[@]}"} --estimate --keep-going -v \
        "$folder/bench" >"$log" 2>&1 || true
    # A line with three errors for each problem: of the transform, of its shifts in time and in
    # impulse.
    verified=$(grep -cE '^[^ ]+( [0-9][0-9.e+-]*){3}$' "$log" || true)
    failed=$(grep -E '^(FAILED|bench:|No can_do|Found)|panicked|wgpu_fftw3f?:' "$log" || true)
    if [ -n "$failed" ] || [ "$verified" -lt "$rounds" ]; then
        printf '%s\n' "$failed"
        say "FAILED after $verified problems; see $log"
        return 1
    fi
    say "all $verified problems in $precision precision are right, in $((SECONDS - start)) s"
}

case ${1:-} in
install)
    [ $# = 2 ] || usage
    build release
    install_into "$2" release
    say "installed into $2"
    ;;
test) shift && test_all "$@" ;;
memory) test_memory ;;
program) test_program ;;
verify) shift && verify "$@" ;;
*) usage ;;
esac
