"""What one row or one frame holds reaches no other one, as with NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft
import scipy.signal

import wgpu_fft
import wgpu_fft.signal

LENGTHS = [15, 65, 74, 120, 1001]
TRANSFORMS = ["rfft", "irfft", "hfft", "ihfft", "dct", "idct", "dst", "idst"]


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_nan_stays_in_its_row(noise, agrees, name, n):
    x = noise((4, n))
    x[1, 3] = np.nan
    actual, expected = getattr(wgpu_fft, name)(x), getattr(scipy.fft, name)(x)
    assert np.isnan(actual[1]).any()
    others = [0, 2, 3]
    agrees(np.asarray(actual)[others], expected[others])


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("loud", [1e6, 1e12])
def test_a_loud_row_spoils_no_other(noise, agrees, name, n, loud):
    x = noise((4, n))
    x[1] *= loud
    actual, expected = np.asarray(getattr(wgpu_fft, name)(x)), getattr(scipy.fft, name)(x)
    for row in range(4):
        agrees(actual[row], expected[row])


def test_columns_and_batches_of_pictures(noise, agrees):
    x = noise((3, 65, 7))
    x[1, 5, 2] = np.nan
    actual, expected = np.asarray(wgpu_fft.rfft(x, axis=1)), scipy.fft.rfft(x, axis=1)
    assert (np.isnan(actual) == np.isnan(expected)).all()
    agrees(np.nan_to_num(actual), np.nan_to_num(expected))
    for name in ("rfft2", "dctn"):
        kwargs = {} if name == "rfft2" else {"axes": (1, 2)}
        actual, expected = np.asarray(getattr(wgpu_fft, name)(x, **kwargs)), getattr(scipy.fft, name)(x, **kwargs)
        agrees(actual[[0, 2]], expected[[0, 2]])
        assert np.isnan(actual[1]).all()


def test_through_scipy(noise, agrees):
    x = noise((3, 1001))
    x[1, 500] = np.nan
    expected = scipy.fft.rfft(x)
    with scipy.fft.set_backend(wgpu_fft):
        actual = scipy.fft.rfft(x)
    agrees(actual[[0, 2]], expected[[0, 2]])


def test_convolutions(noise, agrees):
    x, kernel = noise((3, 1001)), noise((1, 31))
    x[1, 500] = np.nan
    actual = np.asarray(wgpu_fft.signal.fftconvolve(x, kernel, axes=1))
    expected = scipy.signal.fftconvolve(x, kernel, axes=1)
    agrees(actual[[0, 2]], expected[[0, 2]])
    x[1] = 1e9
    actual = np.asarray(wgpu_fft.signal.fftconvolve(x, kernel, axes=1))
    agrees(actual[2], scipy.signal.fftconvolve(x, kernel, axes=1)[2])


@pytest.mark.parametrize("nperseg", [65, 74, 128])
def test_frames(noise, nperseg):
    x = noise(2000)
    x[1000] = np.nan
    _, _, actual = wgpu_fft.signal.stft(x, nperseg=nperseg)
    _, _, expected = scipy.signal.stft(x, nperseg=nperseg)
    assert (np.isnan(actual).any(axis=0) == np.isnan(expected).any(axis=0)).all()
    assert not np.isnan(actual).all()
