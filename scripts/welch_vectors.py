#!/usr/bin/env python3
"""Writes tests/data/welch.txt: power spectra by SciPy, which tests/host/power.rs reads.

Run it with any SciPy from 1.12 on: python3 scripts/welch_vectors.py > tests/data/welch.txt

Signals and windows are given by formulas whose values are exact in f32. A line has the case and
then the result.
"""

import numpy as np
import scipy
from scipy.signal import periodogram, welch

# Length of the signal, window, overlap, nfft, sampling rate. Without a window: a periodogram.
CASES = [
    (40, 8, 4, 8, 1.0),
    (41, 9, 4, 9, 20.0),
    (41, 9, 0, 9, 20.0),
    (37, 6, 5, 6, 0.5),
    (50, 10, 3, 16, 8.0),
    (50, 7, 3, 15, 8.0),
    (12, 12, 6, 12, 3.0),
    (23, 1, 0, 1, 2.0),
    (30, 0, 0, 30, 2.0),
    (31, 0, 0, 40, 48000.0),
]


def signal(n, offset):
    i = np.arange(n) + offset
    return (i * i * 7 + 3 * i) % 17 / 8 - 1


def window(m):
    return ((5 * np.arange(m) + 3) % 11 + 1) / 8


def main():
    print(f"# By scripts/welch_vectors.py with SciPy {scipy.__version__}.")
    for n, m, overlap, nfft, rate in CASES:
        for kind, x in (("real", signal(n, 0)), ("complex", signal(n, 0) + 1j * signal(n, 5))):
            for scaling in ("density", "spectrum"):
                options = {"nfft": nfft, "detrend": False, "return_onesided": kind == "real", "scaling": scaling}
                if m > 0:
                    _, power = welch(x, rate, window(m), noverlap=overlap, **options)
                else:
                    _, power = periodogram(x, rate, **options)
                head = [kind, n, m, overlap, nfft, rate, scaling]
                print(" ".join(map(str, head)) + ": " + " ".join(f"{value:.8g}" for value in power))


main()
