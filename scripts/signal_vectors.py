#!/usr/bin/env python3
"""Writes tests/data/signal.txt: windows and frequencies by SciPy, which tests/host/signal.rs reads.

Run it with any SciPy from 1.8 on: python3 scripts/signal_vectors.py > tests/data/signal.txt
"""

import scipy
from scipy import fft
from scipy.signal import windows

WINDOWS = [
    ("boxcar", windows.boxcar, [()]),
    ("hann", windows.hann, [()]),
    ("hamming", windows.hamming, [()]),
    ("blackman", windows.blackman, [()]),
    ("blackman-harris", windows.blackmanharris, [()]),
    ("kaiser", windows.kaiser, [(0.0,), (8.6,), (39.5,), (120.0,)]),
    ("tukey", windows.tukey, [(-1.0,), (0.0,), (0.1,), (0.5,), (0.8,), (1.0,), (3.0,)]),
    ("gaussian", windows.gaussian, [(0.4,), (3.0,)]),
]


def line(*fields, values):
    words = [str(field) for field in fields]
    print(" ".join([" ".join(words) + ":", *(f"{value:.17g}" for value in values)]))


def main():
    print(f"# By scripts/signal_vectors.py with SciPy {scipy.__version__}.")
    for name, window, parameters in WINDOWS:
        for parameter in parameters:
            for n in (0, 1, 2, 3, 8, 11):
                for symmetric in (False, True):
                    kind = "symmetric" if symmetric else "periodic"
                    line(name, *parameter, kind, n, values=window(n, *parameter, sym=symmetric))
    for name, frequencies in (("fftfreq", fft.fftfreq), ("rfftfreq", fft.rfftfreq)):
        for d in (1.0, 0.001, -3.0):
            for n in (1, 2, 3, 8, 9):
                line(name, d, n, values=frequencies(n, d))


main()
