"""`wgpu_fft.signal` against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

import wgpu_fft
from wgpu_fft import signal

SHAPES = [((100,), (13,)), ((13,), (100,)), ((20, 30), (5, 7)), ((6, 7, 8), (3, 2, 3)), ((2, 3, 4, 5), (1, 2, 3, 2))]


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("shapes", SHAPES)
def test_convolutions(noise, agrees, shapes, mode):
    for dtype in (np.float32, np.complex64):
        x, y = (noise(shape, dtype) for shape in shapes)
        for name in ("fftconvolve", "oaconvolve", "convolve", "correlate"):
            expected = getattr(scipy.signal, name)(x, y, mode)
            agrees(getattr(signal, name)(x, y, mode), expected, 2e-5)
        agrees(signal.fftconvolve(wgpu_fft.asarray(x), wgpu_fft.asarray(y), mode), scipy.signal.fftconvolve(x, y, mode), 2e-5)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions_along_some_axes(noise, agrees, mode):
    x, y = noise((4, 30, 5)), noise((1, 7, 5))
    agrees(signal.fftconvolve(x, y, mode, axes=1), scipy.signal.fftconvolve(x, y, mode, axes=1), 2e-5)


def test_convolutions_of_double(noise, agrees):
    if not wgpu_fft.get_device().has_f64:
        pytest.skip("the device has no f64")
    x, y = noise((20, 30), np.float64), noise((5, 7), np.float64)
    agrees(signal.fftconvolve(x, y), scipy.signal.fftconvolve(x, y), 1e-13)


FRAMES = [
    {},
    {"nperseg": 64},
    {"nperseg": 65, "noverlap": 20},
    {"nperseg": 100, "nfft": 128, "boundary": None},
    {"nperseg": 64, "boundary": None, "padded": False},
    {"nperseg": 64, "return_onesided": False},
    {"nperseg": 50, "scaling": "psd", "fs": 10.0},
]


@pytest.mark.parametrize("kwargs", FRAMES)
@pytest.mark.parametrize("axis", [0, -1])
def test_frames(noise, agrees, kwargs, axis):
    x = noise((3, 1000)) if axis == -1 else noise((1000, 3))
    freqs, times, spectra = scipy.signal.stft(x, axis=axis, **kwargs)
    for data in (x, wgpu_fft.asarray(x)):
        own = signal.stft(data, axis=axis, **kwargs)
        assert np.allclose(own[0], freqs) and np.allclose(own[1], times)
        agrees(own[2], spectra)


def test_shifts(noise):
    picture = noise((48, 64))
    shift, height = signal.phase_correlate(picture, np.roll(picture, (3, -5), (0, 1)))
    assert np.allclose(shift, [-3, 5], atol=1e-2) and height > 0.9


def test_what_is_refused(noise):
    x = noise((4, 5))
    with pytest.raises(ValueError, match="mode"):
        signal.fftconvolve(x, x, "some")
    with pytest.raises(ValueError, match="dimensionality"):
        signal.fftconvolve(x, x[0])
    with pytest.raises(ValueError, match="valid"):
        signal.fftconvolve(x, x.T, "valid")
    with pytest.raises(NotImplementedError, match="detrend"):
        signal.stft(x, detrend="linear")
    with pytest.raises(ValueError, match="shapes"):
        signal.phase_correlate(x, x.T)
