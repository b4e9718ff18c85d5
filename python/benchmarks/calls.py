"""What a call on arrays on the device costs, calls in a row, beside CuPy where it is installed.

    python python/benchmarks/calls.py [--rounds 9] [--json FILE] [--only TEXT]
    python python/benchmarks/calls.py --host          arrays on the host, beside SciPy
    python python/benchmarks/calls.py --binding       what the host does for a call, without submissions
    python python/benchmarks/calls.py --kernels       what a kernel for an expression costs and saves

All candidates take turns in one process. A time is the median of rounds, of which each waits for the
last result. Expressions are measured with a kernel for each operator (`fuse=0`) and with one for all
of them (`fuse=1`).
"""

from __future__ import annotations

import argparse
import collections
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.fft

import wgpu_fft
import wgpu_fft.signal
from wgpu_fft import _backend

try:
    import cupy
    import cupyx.scipy.signal
except ImportError:
    cupy = None

# More results than are put off at once, so that each of them is computed.
HELD = 40
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

    def expression(of: Callable[[Any, Any], Any], side: int) -> Callable:
        def case(library: Library) -> Callable[[], Any]:
            x, z = (library.asarray(random.standard_normal((side, side)).astype(np.float32)) for _ in range(2))
            held: collections.deque[Any] = collections.deque(maxlen=HELD if side < 4096 else 4)

            def run() -> Any:
                # What nobody holds is not computed.
                held.append(of(x, z))
                return held[-1]

            return run

        return case

    def slices(library: Library) -> Callable[[], Any]:
        x = library.asarray(random.standard_normal((200, 64, 64)).astype(np.complex64))

        def run() -> Any:
            for one in range(200):
                y = library.fftn(x[one])
            return y

        return run

    found = {f"fftn {'x'.join(map(str, shape))}": fftn(shape) for shape in SHAPES}
    found |= {"rfft2, product, irfft2 1080x1920": filtered, "fftconvolve 1080x1920 by 31x31": convolved}
    for side in (256, 1024, 4096):
        found[f"x * 2 + x {side}x{side}"] = expression(lambda x, z: x * 2.0 + x, side)
        found[f"five operators {side}x{side}"] = expression(lambda x, z: (x * 2.0 + z) * 0.5 - x / 3.0, side)
    return found | {"200 slices of 64x64": slices}


def libraries() -> dict[str, Library]:
    def wait(y: Any) -> None:
        wgpu_fft.flush()
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
    parser.add_argument("--only", default="", help="cases with this text in their name")
    parser.add_argument("--host", action="store_true")
    parser.add_argument("--binding", action="store_true")
    parser.add_argument("--kernels", action="store_true")
    arguments = parser.parse_args()
    device, found = wgpu_fft.get_device(), libraries()
    print(device)
    if arguments.kernels:
        return kernels()
    if arguments.binding:
        return binding()
    if arguments.host:
        return host(arguments.rounds)
    for name, case in cases().items():
        if arguments.only not in name:
            continue
        runs = {library: (case(own), own.wait) for library, own in found.items()}
        fused = {"one kernel": runs["wgpu_fft"]} if "*" in name or "operators" in name else {}
        runs |= fused
        times: dict[str, list[float]] = {library: [] for library in runs}
        calls = max(1, arguments.calls // (100 if "slices" in name or "4096" in name else 1))
        for round in range(-2, arguments.rounds):
            for library, (run, wait) in runs.items():
                wgpu_fft.set_options(fuse=int(library in fused))
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


def host(rounds: int) -> None:
    """Arrays on the host, from 16 to 65536 numbers, beside SciPy."""
    random = np.random.default_rng(1)
    print(f"as a backend the package takes arrays from {_backend.smallest(wgpu_fft.get_device())} numbers on")
    for n in (1 << k for k in range(4, 17)):
        x = random.standard_normal(n).astype(np.complex64)
        times: dict[str, list[float]] = {"wgpu_fft": [], "SciPy": []}
        for round in range(-2, rounds):
            for name, function in (("wgpu_fft", wgpu_fft.fft), ("SciPy", scipy.fft.fft)):
                start = time.perf_counter()
                for _ in range(50):
                    function(x)
                if round >= 0:
                    times[name].append((time.perf_counter() - start) / 50 * 1e6)
        medians = [f" {name} {statistics.median(own):9.1f}" for name, own in times.items()]
        print(f"fft of {n:6}{''.join(medians)}", flush=True)


def binding() -> None:
    """Microseconds of the host for a call on arrays on the device: the first decile of 300 rounds of 12
    calls, which are recorded and not submitted, unless they take half a millisecond."""
    x, z = (wgpu_fft.asarray(np.ones(shape, np.float32)) for shape in ((64, 64), (5, 5)))
    plan = wgpu_fft.Plan("r2c fwd 64x64")
    y, stack = wgpu_fft.rfft2(x), wgpu_fft.asarray(np.ones((200, 64, 64), np.complex64))
    calls: dict[str, Callable[[], Any]] = {
        "fft(y)": lambda: wgpu_fft.fft(y),
        "fftn(y)": lambda: wgpu_fft.fftn(y),
        "rfft2(x)": lambda: wgpu_fft.rfft2(x),
        "irfft2(y, s)": lambda: wgpu_fft.irfft2(y, (64, 64)),
        "dctn(x)": lambda: wgpu_fft.dctn(x),
        "fftn(stack[7])": lambda: wgpu_fft.fftn(stack[7]),
        "fftconvolve(x, z)": lambda: wgpu_fft.signal.fftconvolve(x, z),
        # Computed, and not put off.
        "x * 2.0": lambda: (x * 2.0)._buffer,
        "x + x": lambda: (x + x)._buffer,
        "abs(y)": lambda: abs(y)._buffer,
        "x.sum()": lambda: x.sum(),
        'Plan("r2c fwd 64x64")(x)': lambda: plan(x),
        "x.copy()": lambda: x.copy(),
    }
    for name, call in calls.items():
        times = []
        for _ in range(300):
            wgpu_fft.flush()
            z.to_numpy()
            start = time.perf_counter()
            for _ in range(12):
                call()
            times.append((time.perf_counter() - start) / 12 * 1e6)
        print(f"{name:34}{statistics.quantiles(times, n=10)[0]:9.1f}", flush=True)


def kernels() -> None:
    """How long it takes until the first result of an expression is there, by kernels of its operators,
    which are compiled already, and by one that is not. No expression comes twice."""
    x = wgpu_fft.asarray(np.random.default_rng(1).standard_normal(4096).astype(np.float32))
    fresh = [lambda i=i: (x * 2.0 + x) * 0.5 - x / 3.0 + (x if i % 2 else -x) * (x if i % 4 > 1 else 2.0) + (x if i > 3 else x * x) for i in range(8)]
    times: dict[int, list[float]] = {0: [], 1: []}
    for fuse in (0, 0, 1):
        for expression in fresh:
            with wgpu_fft.options(fuse=fuse):
                if fuse:
                    # The second time it gets a kernel.
                    expression().to_numpy()
                start = time.perf_counter()
                expression().to_numpy()
                times[fuse].append((time.perf_counter() - start) * 1e3)
    for fuse, own in times.items():
        print(f"{'one new kernel' if fuse else 'kernels of the operators':26} {statistics.median(own[-len(fresh):]):9.2f} ms")


def round_to(value: float) -> float:
    return float(f"{value:.4g}")


if __name__ == "__main__":
    main()
