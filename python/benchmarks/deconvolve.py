"""Deconvolves a stack of pictures by Richardson and Lucy, with NumPy and SciPy, this package, and CuPy.

    python python/benchmarks/deconvolve.py [--shape 64x256x256] [--rounds 50]

The function is the same for all three; what differs is the module it is given. Beads are blurred by a
microscope's Gaussian point spread function, and counted with noise. The program prints how far each
estimate is from the beads, how far the libraries are from one another, and the time of all rounds.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import scipy.fft

import wgpu_fft


def richardson_lucy(fft: Any, data: Any, spread: Any, rounds: int) -> Any:
    """The estimate x after so many rounds of x := x * (h' * (data / (h * x))), where * of h is a
    convolution with the point spread function, and of h' one with its mirror image."""
    shape = data.shape
    transfer = fft.rfftn(spread)
    estimate = data
    for _ in range(rounds):
        blurred = fft.irfftn(fft.rfftn(estimate) * transfer, s=shape)
        ratio = data / (blurred + 1e-3)
        estimate = estimate * fft.irfftn(fft.rfftn(ratio) * transfer.conj(), s=shape)
    return estimate


def stack(shape: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Beads, what a microscope counts of them, and its point spread function, which begins at 0."""
    random = np.random.default_rng(1)
    beads = np.zeros(shape, np.float32)
    beads[tuple(random.integers(0, n, 300) for n in shape)] = random.uniform(500, 5000, 300)
    axes = [np.minimum(np.arange(n), n - np.arange(n)) for n in shape]
    z, y, x = np.meshgrid(*axes, indexing="ij", sparse=True)
    spread = np.exp(-((z / 3) ** 2 + (y / 1.5) ** 2 + (x / 1.5) ** 2) / 2).astype(np.float32)
    spread /= spread.sum()
    blurred = scipy.fft.irfftn(scipy.fft.rfftn(beads) * scipy.fft.rfftn(spread), s=shape)
    data = random.poisson(np.maximum(blurred, 0) + 2).astype(np.float32)
    return beads, data, spread


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", default="64x256x256")
    parser.add_argument("--rounds", type=int, default=50)
    arguments = parser.parse_args()
    shape = tuple(map(int, arguments.shape.split("x")))
    beads, data, spread = stack(shape)
    # How to bring an array to the library, its transforms, and how to bring the result back.
    libraries: dict[str, Any] = {
        "NumPy and SciPy": (np.asarray, scipy.fft, np.asarray),
        "wgpu_fft": (wgpu_fft.asarray, wgpu_fft, np.asarray),
    }
    try:
        import cupy

        libraries["CuPy"] = (cupy.asarray, cupy.fft, cupy.asnumpy)
    except ImportError:
        pass
    print(wgpu_fft.get_device(), arguments.shape, f"{arguments.rounds} rounds")
    first = None
    for name, (there, fft, back) in libraries.items():
        if name != "NumPy and SciPy":
            # Plans and kernels are made once.
            back(richardson_lucy(fft, there(data), there(spread), 1))
        start = time.perf_counter()
        estimate = back(richardson_lucy(fft, there(data), there(spread), arguments.rounds))
        seconds = time.perf_counter() - start
        first = estimate if first is None else first
        error = np.linalg.norm(estimate - beads) / np.linalg.norm(beads)
        other = np.linalg.norm(estimate - first) / np.linalg.norm(first)
        print(f"{name:16} {seconds:8.3f} s   from the beads {error:.4f}   from NumPy {other:.2e}")
    print(f"{'the data':16} {'':8}     from the beads {np.linalg.norm(data - beads) / np.linalg.norm(beads):.4f}")


if __name__ == "__main__":
    main()
