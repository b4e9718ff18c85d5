"""Times and errors of transforms on non-uniform points, beside those of finufft.

    cargo build --release -p wgpu-fft-nufft --example throughput
    OMP_NUM_THREADS=2 python3 benches/peers/finufft_times.py target/release/examples/throughput > OUT.md

It needs finufft and NumPy, from PyPI. Both libraries take turns on each case, `ROUNDS` times, and the
smallest times count: once for the points (sorting), once for a transform of points that are sorted.
Errors are relative, of 20 results, against sums in f64. Coordinates and strengths are random.
"""

import os
import subprocess
import sys
import time

import finufft
import numpy

CASES = [
    ((100000,), 1000000, 1e-3),
    ((100000,), 1000000, 1e-6),
    ((512, 512), 1000000, 1e-3),
    ((512, 512), 1000000, 1e-6),
    ((64, 64, 64), 300000, 1e-3),
    ((64, 64, 64), 300000, 1e-6),
]
ROUNDS = 3


def ours(program, shape, points, tolerance):
    """Smallest times in ms to sort and to run, and the error, by type."""
    command = [program, "x".join(map(str, shape)), str(points), str(tolerance)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return {int(line.split()[0]): [float(number) for number in line.split()[4:]] for line in lines}


def theirs(shape, points, tolerance, random):
    """The same of finufft."""
    places = [random.uniform(-numpy.pi, numpy.pi, points).astype("f4") for _ in shape]
    results = {}
    for kind in 1, 2:
        sign = 1 if kind == 1 else -1
        plan = finufft.Plan(kind, shape, eps=tolerance, isign=sign, dtype="complex64")
        parts = random.uniform(-0.5, 0.5, (2, points) if kind == 1 else (2, *shape)).astype("f4")
        values = (parts[0] + 1j * parts[1]).astype("c8")
        sort = run = float("inf")
        for _ in range(8):
            begin = time.perf_counter()
            plan.setpts(*places)
            middle = time.perf_counter()
            found = plan.execute(values)
            sort, run = min(sort, middle - begin), min(run, time.perf_counter() - middle)
        difference = norm = 0.0
        for k in random.integers(0, found.size, 20):
            if kind == 1:
                angle = sum((i - n // 2) * x.astype("f8") for i, n, x in zip(numpy.unravel_index(k, shape), shape, places))
                exact = (values * numpy.exp(1j * angle)).sum()
            else:
                axes = [numpy.exp(-1j * (numpy.arange(n) - n // 2) * x.astype("f8")[k]) for n, x in zip(shape, places)]
                exact = values.astype("c16")
                for axis in axes:
                    exact = numpy.tensordot(axis, exact, (0, 0))
            difference += abs(found.reshape(-1)[k] - exact) ** 2
            norm += abs(exact) ** 2
        results[kind] = [1e3 * sort, 1e3 * run, (difference / norm) ** 0.5]
    return results


def better(one, other):
    """The smaller times, and the larger error."""
    return {kind: [*map(min, zip(one[kind][:2], other[kind][:2])), max(one[kind][2], other[kind][2])] for kind in one}


def main():
    program = sys.argv[1]
    random = numpy.random.default_rng(1)
    print(f"finufft {finufft.__version__}, OMP_NUM_THREADS={os.environ.get('OMP_NUM_THREADS')}; times in ms")
    print()
    print("| type | modes | points | tolerance | sort | finufft | run | finufft | ratio of runs | of both | error | finufft |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for case in CASES:
        own, other = ours(program, *case), theirs(*case, random)
        for _ in range(1, ROUNDS):
            own, other = better(own, ours(program, *case)), better(other, theirs(*case, random))
        for kind in own:
            (sort, run, error), (their_sort, their_run, their_error) = own[kind], other[kind]
            shape = " x ".join(map(str, case[0]))
            print(
                f"| {kind} | {shape} | {case[1]} | {case[2]:.0e} | {sort:.0f} | {their_sort:.0f} | {run:.0f} | {their_run:.0f} "
                f"| {run / their_run:.2f} | {(sort + run) / (their_sort + their_run):.2f} | {error:.1e} | {their_error:.1e} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
