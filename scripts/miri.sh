#!/usr/bin/env bash
# Runs the tests of threads and caches that need no GPU in Miri, which finds undefined behaviour, data
# races and deadlocks, each test in as many orders of threads as asked for. The library's unsafe code
# needs a device, so Miri cannot run it.
#
#   scripts/miri.sh [SEEDS]     16 unless given; status 75 without Miri
#                               (`rustup component add miri --toolchain nightly`)
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo +nightly miri --version >/dev/null 2>&1; then
    echo "SKIPPED: threads and caches in Miri: it is not here (rustup component add miri --toolchain nightly)"
    exit 75
fi
# Tests look at the clock and at files.
export MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-many-seeds=0..${1:-16} -Zmiri-ignore-leaks"
# Not beside what other compilers made.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/miri"
exec cargo +nightly miri test -p wgpu-fft --lib --no-default-features --features tune -- \
    plan::once:: threads:: gpu::submissions:: gpu::saved:: tune::isolated::
