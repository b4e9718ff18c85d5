#!/usr/bin/env python3
"""Writes tests/data/spectra.txt: zoomed spectra and resampled signals by SciPy, which
tests/host/spectra.rs reads.

Run it with SciPy (the file says which one wrote it): python3 scripts/spectra_vectors.py > tests/data/spectra.txt

Signals are given by a formula whose values are exact in f32. A line has the case and then the
numbers of the result in their order, re and im of complex ones.
"""

import numpy as np
import scipy
from scipy.signal import resample, zoom_fft

# Shape, axis, begin and end of the band, points, whether the end is included.
ZOOMS = [
    ((12,), 0, 0.0, 1.0, 12, False),
    ((13,), 0, 0.125, 0.25, 7, False),
    ((13,), 0, 0.125, 0.25, 7, True),
    ((9,), 0, 0.4, -0.3, 20, True),
    ((4, 5), 0, -0.5, 0.5, 3, False),
    ((3, 8), 1, 1.2, 1.3, 4, False),
]

# The shapes before and after.
RESAMPLES = [
    ((8,), (4,)), ((8,), (5,)), ((9,), (4,)), ((9,), (5,)), ((4,), (8,)), ((5,), (8,)), ((4,), (9,)), ((5,), (9,)),
    ((2,), (5,)), ((5,), (2,)), ((1,), (4,)), ((4,), (1,)), ((6,), (7,)), ((7,), (6,)),
    ((4, 6), (6, 4)), ((5, 6), (2, 9)), ((6, 3), (4, 3)), ((3, 4), (6, 4)), ((4, 2, 6), (2, 4, 5)), ((4, 3, 2), (6, 3, 2)),
]


def signal(shape, offset):
    i = np.arange(np.prod(shape)).reshape(shape) + offset
    return (i * i * 7 + 3 * i) % 17 / 8 - 1


def line(head, values):
    numbers = np.stack([values.real, values.imag], -1) if np.iscomplexobj(values) else values
    print(" ".join(map(str, head)) + ": " + " ".join(f"{value:.8g}" for value in numbers.ravel()))


def text(shape):
    return "x".join(map(str, shape))


def main():
    print(f"# By scripts/spectra_vectors.py with SciPy {scipy.__version__}.")
    for shape, axis, f0, f1, points, endpoint in ZOOMS:
        for kind, x in (("real", signal(shape, 0)), ("complex", signal(shape, 0) + 1j * signal(shape, 5))):
            y = zoom_fft(x, [f0, f1], points, fs=1, endpoint=endpoint, axis=axis)
            line(["zoom", kind, text(shape), axis, f0, f1, points, "closed" if endpoint else "open"], y)
    for shape, to in RESAMPLES:
        for kind, x in (("real", signal(shape, 0)), ("complex", signal(shape, 0) + 1j * signal(shape, 5))):
            y = x
            for axis, m in enumerate(to):
                y = resample(y, m, axis=axis)
            assert y.shape == to
            line(["resample", kind, text(shape), text(to)], y)


main()
