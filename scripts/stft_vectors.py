#!/usr/bin/env python3
"""Writes tests/data/stft.txt: short-time Fourier transforms by SciPy, which tests/host/stft.rs reads.

Run it with any SciPy from 1.12 on: python3 scripts/stft_vectors.py > tests/data/stft.txt

Signals and windows are given by formulas whose values are exact in f32. A line has the case and
then re and im of each result, frame by frame.
"""

import numpy as np
import scipy
from scipy.signal import ShortTimeFFT

# Length of the signal, window, hop, mfft, phase shift, scaling, padding, frames.
CASES = [
    (12, 6, 2, 6, 0, None, "zeros", None),
    (13, 5, 3, 8, 0, None, "zeros", None),
    (13, 5, 3, 8, None, None, "edge", None),
    (12, 6, 2, 6, 2, None, "even", None),
    (12, 6, 5, 7, -3, None, "odd", None),
    (12, 6, 2, 6, 0, "magnitude", "zeros", (1, 4)),
    (12, 7, 2, 8, None, "psd", "zeros", (-1, 2)),
    # Windows with zeros at their ends.
    (12, -8, 2, 8, 0, None, "zeros", None),
    (13, -9, 1, 9, 0, None, "zeros", None),
]


def signal(n, offset):
    i = np.arange(n) + offset
    return (i * i * 7 + 3 * i) % 17 / 8 - 1


def window(m):
    if m < 0:
        inner = window(-m - 4)
        return np.concatenate([[0.0] * 3, inner, [0.0]])
    return ((5 * np.arange(m) + 3) % 11 + 1) / 8


def main():
    print(f"# By scripts/stft_vectors.py with SciPy {scipy.__version__}.")
    for n, m, hop, mfft, phase, scaling, padding, frames in CASES:
        for kind, x in (("real", signal(n, 0)), ("complex", signal(n, 0) + 1j * signal(n, 5))):
            mode = "onesided" if kind == "real" else "twosided"
            stft = ShortTimeFFT(window(m), hop, 20.0, fft_mode=mode, mfft=mfft, phase_shift=phase, scale_to=scaling)
            p0, p1 = frames or (stft.p_min, stft.p_max(n))
            s = stft.stft(x, p0, p1, padding=padding).T
            assert s.shape[0] == p1 - p0
            values = np.stack([s.real, s.imag], -1).ravel()
            chosen = "some" if frames else "all"
            head = [kind, n, m, hop, mfft, "none" if phase is None else phase, scaling or "unscaled", padding, chosen, p0, p1]
            print(" ".join(map(str, head)) + ": " + " ".join(f"{value:.8g}" for value in values))


main()
