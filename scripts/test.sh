#!/usr/bin/env bash
# Runs the tests on every adapter: `make test` and `make test-thorough`.
#
#   scripts/test.sh            what every change must pass
#   scripts/test.sh thorough   what a release must pass besides: all cases in place of a share, 3000
#                              random ones, all failures on purpose, the tests without default
#                              features, the kernels on GPUs that are not here and by the compilers
#                              of Direct3D, 1 to 4 MPI ranks, and FFTW's verifier on all small problems
#
# WGPU_FFT_CARGO_SELECTION names packages and features for Cargo in place of the default members.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

read -ra selection <<<"${WGPU_FFT_CARGO_SELECTION:-}"

# Before each program, its number of all and the seconds since the begin.
tests() {
    local all now=0
    say 'compiling'
    all=$(cargo test "${selection[@]}" --no-run 2>&1 | tee >(cat >&2) | grep -c '^ *Executable ')
    cargo test "${selection[@]}" 2>&1 | while IFS= read -r line; do
        case $line in
        *' Running '*) printf '\n=== %d of %d programs, after %d s\n' "$((now += 1))" "$all" "$SECONDS" ;;
        *' Doc-tests '*) printf '\n=== examples of documentation, after %d s\n' "$SECONDS" ;;
        esac
        printf '%s\n' "$line"
    done
}

if scripts/adapter.sh; then
    export WGPU_FFT_REQUIRE_GPU=1
else
    say 'SKIPPED: every test on a device: there is no adapter, so this run does not test the shaders on one.'
fi
case ${1:-} in
'') tests ;;
thorough)
    use_swiftshader || say 'SKIPPED: SwiftShader, a second software adapter: it could not be had.'
    export WGPU_FFT_THOROUGH=1 WGPU_FFT_FAULTS=all WGPU_FFT_RANDOM=cases=3000
    tests
    cargo clippy -p wgpu-fft --all-targets --no-default-features --features vulkan -- -D warnings
    scripts/reach.sh || [ $? = 75 ]
    scripts/hlsl.sh || [ $? = 75 ]
    scripts/mpi.sh ranks
    scripts/capi.sh verify 150 -0d -1d || [ $? = 75 ]
    ;;
*)
    say "unknown argument $1"
    exit 2
    ;;
esac
