#!/usr/bin/env python3
"""Writes tests/data/convolve.txt: convolutions by SciPy, which tests/device/convolve.rs reads.

Run it with any SciPy from 1.12 on: python3 scripts/convolve_vectors.py > tests/data/convolve.txt

Signals and kernels are given by formulas whose values are exact in f32. A line has the
specification as the crate prints it, the two-norm of the result, and 24 of its elements.
"""

import numpy as np
import scipy
from scipy.signal import convolve, convolve2d, correlate, correlate2d

SAMPLES = 24

# Operation, type, shape, kernel, mode, edge.
CASES = [
    ("convolve", "f32", (20000,), (501,), "full", ""),
    ("correlate", "complex f32", (9973,), (1000,), "same", ""),
    ("convolve", "f32", (70,), (300,), "full", ""),
    ("convolve", "f32", (300, 400), (31, 31), "same", ""),
    ("convolve", "f32", (211, 307), (64, 20), "full", ""),
    ("correlate", "f32", (129, 200), (9, 150), "valid", ""),
    ("correlate", "complex f32", (150, 111), (30, 7), "full", ""),
    ("convolve", "f32", (40, 50), (90, 70), "full", ""),
    ("convolve", "f32", (200, 150), (15, 16), "same", "wrap"),
    ("correlate", "f32", (180, 222), (31, 17), "same", "reflect"),
    ("convolve", "complex f32", (101, 64), (8, 21), "full", "wrap"),
    ("convolve", "f32", (97, 301), (1, 1), "same", "reflect"),
    ("convolve", "f32", (30, 40, 50), (5, 6, 7), "same", ""),
    ("correlate", "complex f32", (12, 25, 31), (4, 25, 3), "valid", ""),
]

BOUNDARY = {"": "fill", "wrap": "wrap", "reflect": "symm"}


def numbers(shape, a, b, modulus, offset):
    i = np.arange(np.prod(shape), dtype=np.int64) + offset
    return ((i * i * a + i * b) % modulus / ((modulus - 1) // 2) - 1).reshape(shape)


def signal(shape, is_complex):
    x = numbers(shape, 7, 3, 257, 0)
    return x + 1j * numbers(shape, 7, 3, 257, 5) if is_complex else x


def kernel(shape, is_complex):
    x = numbers(shape, 5, 11, 129, 0)
    return x + 1j * numbers(shape, 5, 11, 129, 5) if is_complex else x


def text(value):
    return f"{value.real:.9g},{value.imag:.9g}" if np.iscomplexobj(value) else f"{value:.9g}"


def main():
    print(f"# By scripts/convolve_vectors.py with SciPy {scipy.__version__}.")
    for name, number, shape, own, mode, edge in CASES:
        is_complex = number != "f32"
        x, w = signal(shape, is_complex), kernel(own, is_complex)
        if len(shape) == 2:
            function = convolve2d if name == "convolve" else correlate2d
            y = function(x, w, mode, BOUNDARY[edge])
        else:
            y = (convolve if name == "convolve" else correlate)(x, w, mode, "direct")
        y = y.ravel()
        places = [j * (len(y) - 1) // (SAMPLES - 1) for j in range(SAMPLES)]
        spec = f"{name} {number} {'x'.join(map(str, shape))} by {'x'.join(map(str, own))} {mode}" + (f" {edge}" if edge else "")
        print(f"{spec}: {len(y)} {np.linalg.norm(y):.9g} " + " ".join(text(y[place]) for place in places))


main()
