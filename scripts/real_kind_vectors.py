#!/usr/bin/env python3
"""Writes tests/data/real_kinds.txt: cosine, sine and Hartley transforms by SciPy in f64, which the
tests tests/host/real_kinds.rs and tests/device/real_kinds.rs read.

Run it with SciPy (the file says which one wrote it):
python3 scripts/real_kind_vectors.py > tests/data/real_kinds.txt

Arrays are given by a formula whose values are exact in f32. A line is the specification's text, and
then the number of results, their two-norm, and some of the results: all of up to 16, else nine.
"""

import numpy as np
import scipy
from scipy import fft

SHORT = [*range(1, 33), 37, 60, 64, 100, 127, 128, 243, 256, 509, 512]
LONG = [1000, 4096, 10007, 1 << 15, 3 << 15, 1 << 20]
SHAPES = [(6, 10), (5, 7), (16, 9), (4, 6, 5), (64, 48)]


def array(shape):
    i = np.arange(np.prod(shape), dtype=np.uint64)
    return ((i * i * 7 + i * 3) % 257 / 128 - 1).reshape(shape)


def samples(values):
    values = values.ravel()
    n = len(values)
    at = range(n) if n <= 16 else [0, 1, 2, n // 3, n // 2 - 1, n // 2, n // 2 + 1, n - 2, n - 1]
    return [values[i] for i in at]


def line(spec, values):
    numbers = [np.linalg.norm(values), *samples(values)]
    print(f"{spec}: {values.size} " + " ".join(f"{number:.9g}" for number in numbers))


def text(shape):
    return "x".join(map(str, shape))


NORMS = [("", "backward", False), (" 1/n", "forward", False), (" 1/sqrt(n)", "ortho", False), (" 1/sqrt(n) orthogonal", "ortho", True)]


def cosine_and_sine(shape, norms, axes=None):
    for transform, name in ((fft.dctn, "dct"), (fft.dstn, "dst")):
        for kind in 1, 2, 3, 4:
            if name == "dct" and kind == 1 and 1 in shape:
                continue
            for words, norm, orthogonal in norms:
                of_axes = "" if axes is None else " axes=" + ",".join(map(str, axes))
                values = transform(array(shape), kind, axes=axes, norm=norm, orthogonalize=orthogonal)
                line(f"r2r {name}{kind} {text(shape)}{of_axes}{words}", values)


def main():
    print(f"# By scripts/real_kind_vectors.py with SciPy {scipy.__version__}.")
    for n in SHORT:
        cosine_and_sine((n,), NORMS if n < 12 else NORMS[:1] + NORMS[3:])
    for n in LONG:
        cosine_and_sine((n,), NORMS[:1])
    for shape in SHAPES:
        cosine_and_sine(shape, NORMS[:1] + NORMS[3:])
    cosine_and_sine((6, 10, 8), NORMS, axes=[1])
    cosine_and_sine((6, 10, 8), NORMS[3:], axes=[0, 2])
    for n in [*SHORT, *LONG]:
        spectrum = fft.fft(array((n,)))
        line(f"r2r hartley {n}", spectrum.real - spectrum.imag)


if __name__ == "__main__":
    main()
