#!/usr/bin/env bash
# Builds the tests for Windows, by mingw, and runs them under wine: files, records, locks between
# processes, the command line and what needs no device, and on lavapipe through wine's Vulkan what
# does. wine is not Windows: this finds what a system without Unix's rules does to files and paths, and
# says nothing of Windows' drivers or of Direct3D.
#
#   scripts/windows.sh               unit tests, the host's, the record's, ndarray's, the command line's
#   scripts/windows.sh device [...]  the tests on a device, those whose names contain the argument
#
# It needs rustup, and installs wine, mingw and Xvfb after asking, if apt is there: WGPU_FFT_INSTALL=1
# (or CI=true) says yes in advance. A build from nothing takes ten minutes on 2 cores.
#
# Exit status: 0 if all is well; 75 if something could not be had.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

triple=x86_64-pc-windows-gnu
command -v wine >/dev/null || apt_install wine wine64 || exit 75
needs x86_64-w64-mingw32-gcc gcc-mingw-w64-x86-64 || exit 75
needs Xvfb xvfb || exit 75
zlib=/usr/x86_64-w64-mingw32/lib/zlib1.dll
[ -e $zlib ] || apt_install libz-mingw-w64 || exit 75
rustup target add $triple || exit 75

target=$(mkdir -p "${CARGO_TARGET_DIR:-target}" && cd "${CARGO_TARGET_DIR:-target}" && pwd)
export WINEPREFIX=$target/wine WINEDEBUG=-all
if [ ! -e "$WINEPREFIX/ready" ]; then
    say "a folder for wine: $WINEPREFIX"
    wineboot -i >/dev/null 2>&1
    wineserver -w
    # wine 8 lacks what Rust takes its random numbers from, and its Vulkan loads a library of mingw's.
    system=$WINEPREFIX/drive_c/windows/system32
    cat >"$WINEPREFIX/prng.c" <<'C'
#include <windows.h>
#include <ntsecapi.h>
BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T bytes)
{
    return SystemFunction036(data, (ULONG)bytes);
}
C
    x86_64-w64-mingw32-gcc -shared "$WINEPREFIX/prng.c" -o "$system/bcryptprimitives.dll" -ladvapi32
    cp $zlib "$system/"
    touch "$WINEPREFIX/ready"
fi

# wine's Vulkan asks for a display.
display=:99
Xvfb $display -screen 0 640x480x24 >/dev/null 2>&1 &
trap 'kill $! 2>/dev/null' EXIT
# wine 8's Direct3D 12 opens devices and drops dispatches.
export DISPLAY=$display WGPU_BACKEND=vulkan CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine

if [ "${1:-}" = device ]; then
    shift
    cargo test --target $triple -p wgpu-fft-cases --test device -- "$@"
    exit
fi
cargo test --target $triple -p wgpu-fft --lib
cargo test --target $triple -p wgpu-fft-cases --test record --test ndarray
# tint runs in node, which wine starts without its pipes.
skip=()
for name in every_kernel_is_valid every_reachable_variant both_validators kernels_of_the_report validators_reject; do skip+=(--skip "$name"); done
cargo test --target $triple -p wgpu-fft-cases --test host -- "${skip[@]}"
cargo test --target $triple -p wgpu-fft-cli
say 'all is well'
