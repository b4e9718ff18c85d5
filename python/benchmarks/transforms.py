"""Compares transforms of this package with those of SciPy and pyFFTW, on this machine.

    python python/benchmarks/transforms.py            a table, and a line of JSON for each case
    python python/benchmarks/transforms.py --smoke    small arrays, to see that it works
    python python/benchmarks/transforms.py --json FILE

"host" takes and returns arrays of NumPy, and "device" arrays on the device: the time of a call
with those is that of many calls in a row, the last of which is waited for. Times are medians of
rounds in which all candidates take turns. pyFFTW and CuPy are measured if they are installed, with
plans that they keep. Build the extension with `--release` first.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable

import numpy as np
import scipy.fft

import wgpu_fft

CASES = [
    ("fft", (1 << 20,), "complex64"),
    ("fft", (4096, 1024), "complex64"),
    ("fft2", (1024, 1024), "complex64"),
    ("fft2", (4096, 4096), "complex64"),
    ("rfft2", (1080, 1920), "float32"),
    ("rfft2", (4096, 4096), "float32"),
    ("fftn", (256, 256, 256), "complex64"),
    ("dctn", (1024, 1024), "float32"),
    ("fft2", (1024, 1024), "complex128"),
]
SMOKE = [("fft", (64, 64), "complex64"), ("rfft2", (32, 48), "float32"), ("dctn", (16, 16), "float32")]


def candidates(name: str, x: np.ndarray, calls: int) -> dict[str, Callable[[], object]]:
    """What is measured. Each takes `calls` transforms."""
    own, theirs = getattr(wgpu_fft, name), getattr(scipy.fft, name)
    kept = wgpu_fft.asarray(x)

    def on_device() -> None:
        for _ in range(calls):
            y = own(kept)
        # Waits for everything, and moves one number.
        y.ravel()[:1].copy().to_numpy()

    def repeated(function: Callable, *args: object, **kwargs: object) -> Callable[[], None]:
        def run() -> None:
            for _ in range(calls):
                function(*args, **kwargs)

        return run

    found: dict[str, Callable[[], object]] = {
        "scipy, 1 worker": repeated(theirs, x, workers=1),
        f"scipy, {os.cpu_count()} workers": repeated(theirs, x, workers=-1),
        "wgpu_fft, host": repeated(own, x),
        "wgpu_fft, device": on_device,
    }
    return found | of_pyfftw(name, x, repeated) | of_cupy(name, x, repeated)


def of_pyfftw(name: str, x: np.ndarray, repeated: Callable) -> dict[str, Callable[[], object]]:
    try:
        import pyfftw.interfaces as pyfftw
    except ImportError:
        return {}
    pyfftw.cache.enable()
    function = getattr(pyfftw.scipy_fft, name, None)
    return {} if function is None else {f"pyFFTW, {os.cpu_count()} threads": repeated(function, x, workers=os.cpu_count())}


def of_cupy(name: str, x: np.ndarray, repeated: Callable) -> dict[str, Callable[[], object]]:
    try:
        import cupy
        import cupyx.scipy.fft
    except ImportError:
        return {}
    function = getattr(cupyx.scipy.fft, name)
    on_device = repeated(function, cupy.asarray(x))

    def waited() -> None:
        on_device()
        cupy.cuda.Device().synchronize()

    return {"CuPy, host": repeated(lambda own: cupy.asnumpy(function(cupy.asarray(own))), x), "CuPy, device": waited}


def measured(found: dict[str, Callable[[], object]], rounds: int, calls: int) -> dict[str, float]:
    """Milliseconds of one transform."""
    for run in found.values():
        run()
    times: dict[str, list[float]] = {name: [] for name in found}
    for _ in range(rounds):
        for name, run in found.items():
            start = time.perf_counter()
            run()
            times[name].append((time.perf_counter() - start) / calls * 1e3)
    return {name: statistics.median(own) for name, own in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", help="append a line of JSON for each case to this file")
    arguments = parser.parse_args()
    random = np.random.default_rng(1)
    device = wgpu_fft.get_device()
    print(device)
    for name, shape, dtype in SMOKE if arguments.smoke else CASES:
        x = random.standard_normal(shape).astype(dtype)
        # Enough calls in a row for the device to be busy.
        calls = 1 if arguments.smoke else max(1, min(20, (1 << 24) // x.size))
        times = measured(candidates(name, x, calls), 1 if arguments.smoke else arguments.rounds, calls)
        print(f"{name} {'x'.join(map(str, shape))} {dtype}")
        best = min(times.values())
        for candidate, milliseconds in times.items():
            print(f"    {candidate:24} {milliseconds:10.3f} ms {milliseconds / best:8.2f}")
        line = {"case": name, "shape": shape, "dtype": dtype, "calls": calls, "device": device.info["name"], "ms": times}
        if arguments.json:
            with open(arguments.json, "a") as file:
                file.write(json.dumps(line) + "\n")
        else:
            print(json.dumps(line))


if __name__ == "__main__":
    main()
