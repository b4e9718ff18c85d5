"""What a call on arrays on the device costs, calls in a row, beside CuPy where it is installed.

    python python/benchmarks/calls.py [--rounds 9] [--json FILE]

All candidates take turns in one process. A time is the median of rounds, of which each waits for the
last result.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import wgpu_fft
import wgpu_fft.signal

try:
    import cupy
    import cupyx.scipy.signal
except ImportError:
    cupy = None

SHAPES = [(16,), (1024,), (65536,), (256, 256), (512, 512), (1024, 1024), (64, 64, 64)]


class Library:
    """The functions that the cases call, of one package."""

    def __init__(self, asarray: Callable, fft: Any, fftconvolve: Callable, wait: Callable[[Any], None]) -> None:
        self.asarray, self.fftconvolve, self.wait = asarray, fftconvolve, wait
        self.fftn, self.rfft2, self.irfft2 = fft.fftn, fft.rfft2, fft.irfft2


def cases() -> dict[str, Callable[[Library], Callable[[], Any]]]:
    """Each makes a call of the functions of a library."""
    random = np.random.default_rng(1)

    def fftn(shape: tuple[int, ...]) -> Callable:
        data = random.standard_normal(shape).astype(np.complex64)

        def of(library: Library) -> Callable[[], Any]:
            x = library.asarray(data)
            return lambda: library.fftn(x)

        return of

    picture = random.standard_normal((1080, 1920)).astype(np.float32)
    kernel = random.standard_normal((31, 31)).astype(np.float32)

    def filtered(library: Library) -> Callable[[], Any]:
        x = library.asarray(picture)
        factor = library.rfft2(x)
        return lambda: library.irfft2(library.rfft2(x) * factor, s=picture.shape)

    def convolved(library: Library) -> Callable[[], Any]:
        x, y = library.asarray(picture), library.asarray(kernel)
        return lambda: library.fftconvolve(x, y, mode="same")

    def scaled(library: Library) -> Callable[[], Any]:
        x = library.asarray(picture[:256, :256].copy())
        return lambda: x * 2.0 + x

    def slices(library: Library) -> Callable[[], Any]:
        x = library.asarray(random.standard_normal((200, 64, 64)).astype(np.complex64))

        def run() -> Any:
            for one in range(200):
                y = library.fftn(x[one])
            return y

        return run

    found = {f"fftn {'x'.join(map(str, shape))}": fftn(shape) for shape in SHAPES}
    found |= {"rfft2, product, irfft2 1080x1920": filtered, "fftconvolve 1080x1920 by 31x31": convolved}
    return found | {"x * 2 + x 256x256": scaled, "200 slices of 64x64": slices}


def libraries() -> dict[str, Library]:
    def wait(y: Any) -> None:
        y.ravel()[:1].copy().to_numpy()

    found = {"wgpu_fft": Library(wgpu_fft.asarray, wgpu_fft, wgpu_fft.signal.fftconvolve, wait)}
    if cupy is not None:
        synchronize = cupy.cuda.Device().synchronize
        found["CuPy"] = Library(cupy.asarray, cupy.fft, cupyx.scipy.signal.fftconvolve, lambda _: synchronize())
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--json", help="append a line of JSON for each case to this file")
    arguments = parser.parse_args()
    device, found = wgpu_fft.get_device(), libraries()
    print(device)
    for name, case in cases().items():
        runs = {library: (case(own), own.wait) for library, own in found.items()}
        times: dict[str, list[float]] = {library: [] for library in runs}
        calls = max(1, arguments.calls // 100) if "slices" in name else arguments.calls
        for round in range(-2, arguments.rounds):
            for library, (run, wait) in runs.items():
                start = time.perf_counter()
                for _ in range(calls):
                    y = run()
                wait(y)
                if round >= 0:
                    times[library].append((time.perf_counter() - start) / calls * 1e6)
        medians = {library: round_to(statistics.median(own)) for library, own in times.items()}
        print(f"{name:34}" + "".join(f" {library} {median:9.1f}" for library, median in medians.items()), flush=True)
        if arguments.json:
            with open(arguments.json, "a") as file:
                file.write(json.dumps({"case": name, "device": device.info["name"], "calls": calls, "us": medians}) + "\n")


def round_to(value: float) -> float:
    return float(f"{value:.4g}")


if __name__ == "__main__":
    main()
