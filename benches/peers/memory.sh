#!/usr/bin/env bash
# Runs our transposes and reductions and those of CUDA in one go on a machine with an NVIDIA GPU,
# and compares the times.
#
#   benches/peers/memory.sh BINARIES OUT [OPTIONS OF transpose AND reduce ...]
#
# BINARIES is the folder with the benchmarks (`measure-0123…`, as `cargo bench --no-run` makes it in
# target/release/deps; the newest is used), or the program itself. OUT receives transpose.jsonl, reduce.jsonl, memory.jsonl, each with a .txt, memory.md, and
# the program memory. If one part fails, the others still run. NVCC names the compiler (default
# nvcc), and PYTHON the Python (default python3). MEMORY_OPTIONS are passed to memory, for instance
# `--filter transpose`.
set -uo pipefail

if [ $# -lt 2 ]; then
    sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
    exit 2
fi
binaries=$1 out=$2
shift 2
peers=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$out" || exit
out=$(cd "$out" && pwd)
binary=$("$peers/binary.sh" "$binaries") || exit
failed=0

for bench in transpose reduce; do
    echo "== $binary $bench $*" >&2
    "$binary" "$bench" "$@" >"$out/$bench.jsonl" 2> >(tee "$out/$bench.txt" >&2) || failed=1
done
echo "== memory ${MEMORY_OPTIONS:-}" >&2
: >"$out/memory.jsonl"
if "${NVCC:-nvcc}" -O3 -arch=native -std=c++17 -o "$out/memory" "$peers/memory.cu"; then
    # Options are separate words.
    # shellcheck disable=SC2086
    "$out/memory" ${MEMORY_OPTIONS:-} >"$out/memory.jsonl" 2> >(tee "$out/memory.txt" >&2) || failed=1
else
    failed=1
fi
wait
"${PYTHON:-python3}" "$peers/memory_ratios.py" --ours "$out/transpose.jsonl" --ours "$out/reduce.jsonl" --peer "$out/memory.jsonl" |
    tee "$out/memory.md" || failed=1
exit $failed
