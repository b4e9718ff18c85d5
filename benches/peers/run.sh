#!/usr/bin/env bash
# Runs our benchmark and cuFFT in one go on a machine with an NVIDIA GPU, and compares the times.
#
#   benches/peers/run.sh BINARIES OUT [OPTIONS OF fft ...]
#
# BINARIES is the folder with the benchmarks (`measure-0123…`, as `cargo bench --no-run` makes it in
# target/release/deps; the newest is used), or the program itself. OUT receives fft.jsonl, fft.txt, cufft.jsonl, cufft.txt and ratios.md. Without options, all anchors
# are measured, out of place and in place. If one part fails, the others still run. PYTHON names the
# Python that has CuPy or PyTorch (default python3). CUFFT_OPTIONS are passed to cufft.py, for
# instance `--filter 4096`.
set -uo pipefail

if [ $# -lt 2 ]; then
    sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
    exit 2
fi
binaries=$1 out=$2
shift 2
[ $# -gt 0 ] || set -- --table anchors --in-place
peers=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=${PYTHON:-python3}

binary=$("$peers/binary.sh" "$binaries") || exit
mkdir -p "$out" || exit
failed=0

echo "== $binary fft $*" >&2
"$binary" fft "$@" >"$out/fft.jsonl" 2> >(tee "$out/fft.txt" >&2) || failed=1
echo "== cufft.py ${CUFFT_OPTIONS:-}" >&2
# Options are separate words.
# shellcheck disable=SC2086
"$python" "$peers/cufft.py" ${CUFFT_OPTIONS:-} >"$out/cufft.jsonl" 2> >(tee "$out/cufft.txt" >&2) || failed=1
wait
"$python" "$peers/ratios.py" --ours "$out/fft.jsonl" --peer "$out/cufft.jsonl" | tee "$out/ratios.md" || failed=1
exit $failed
