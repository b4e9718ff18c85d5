#!/usr/bin/env python3
"""Times libwgpu_fftw3f, on the host, on the device and where it chooses to, beside FFTW on one thread.

    apt-get install libfftw3-single3
    cargo build --release -p wgpu-fft-fftw
    python3 benches/peers/fftw_names.py target/release/libwgpu_fftw3f.so > names.jsonl

A sample is as many calls of fftwf_execute as take 30 ms, from arrays on the host to arrays on the host.
All four take turns, so that what disturbs the machine disturbs all of them. FFTW plans with
FFTW_MEASURE. Results are compared with FFTW's before. Each line of JSON has the specification, who
computed it, and the median of the samples in ms; the table on stderr has the medians divided by FFTW's.
"""

import argparse
import ctypes
import json
import math
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cufft import Case, say
from processor import Fftw

SECONDS = 0.03
PLACES = ("always", "never", "auto")
NAMES = dict(zip(PLACES, ("host", "device", "chosen")))
SPECS = [f"c2c fwd {n}" for n in (64, 256, 1000, 4096, 16384, 65536, 1 << 18, 1 << 20, 1 << 22)]
SPECS += [f"{kind} {n}x{n}" for n in (32, 64, 128, 256, 512, 1024, 2048) for kind in ("c2c fwd", "r2c fwd")]
SPECS += ["c2c fwd 128 x64", "c2c fwd 1024 x256", "c2c fwd 32x32x32", "c2c fwd 64x64x64", "c2r inv 512x512"]


def sample(run):
    begin, count = time.perf_counter(), 0
    while (passed := time.perf_counter() - begin) < SECONDS:
        run()
        count += 1
    return passed / count


def difference(one, other):
    step = max(1, len(one) // 5000)
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(one[::step], other[::step])) / (sum(a * a for a in one[::step]) or 1.0))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--spec", action="append")
    arguments = parser.parse_args()
    fftw = Fftw(1)
    ours = Fftw(1, [os.path.abspath(arguments.library)] * 2, ctypes.RTLD_LOCAL)
    for spec in arguments.spec or SPECS:
        case = Case(spec)
        runs = {"FFTW": fftw.prepare(case)}
        for place in PLACES:
            os.environ["WGPU_FFT_FFTW_HOST"] = place
            runs[NAMES[place]] = ours.prepare(case)
        expected = None
        for name, (run, output, _) in runs.items():
            run()
            if expected is None:
                expected = output()
            elif (error := difference(expected, output())) > 1e-5:
                sys.exit(f"{spec}: the result of {name} differs from FFTW's by {error:.1e}")
        samples = {name: [] for name in runs}
        for _ in range(arguments.rounds):
            for name, (run, _, _) in runs.items():
                samples[name].append(sample(run))
        medians = {name: statistics.median(own) for name, own in samples.items()}
        for name, median in medians.items():
            print(json.dumps({"spec": spec, "by": name, "ms": round(median * 1e3, 6)}), flush=True)
        ratios = "  ".join(f"{name} {medians[name] / medians['FFTW']:7.2f}" for name in medians if name != "FFTW")
        say(f"{spec:24} FFTW {medians['FFTW'] * 1e3:9.4f} ms  {ratios}")
        for _, _, free in runs.values():
            free()


if __name__ == "__main__":
    main()
