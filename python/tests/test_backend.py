"""The package as a backend of SciPy: what it takes and what it leaves."""

from __future__ import annotations

import collections

import numpy as np
import pytest
import scipy.fft
import scipy.signal

import wgpu_fft
from wgpu_fft import _backend


@pytest.fixture
def counted(monkeypatch):
    counts = collections.Counter()
    monkeypatch.setattr(_backend, "counts", counts)
    with scipy.fft.set_backend(wgpu_fft):
        yield counts


def test_what_stands_on_scipy_runs_on_the_device(counted, noise, agrees):
    wgpu_fft.set_options(smallest=0)
    x, y = noise((50, 60)), noise((5, 6))
    with scipy.fft.set_backend("scipy", only=True):
        expected = scipy.signal.fftconvolve(x, y)
    agrees(scipy.signal.fftconvolve(x, y), expected)
    assert counted["served"] == 3 and sum(counted.values()) == 3


def test_few_elements_are_left(counted, noise):
    x = noise(1000)
    wgpu_fft.set_options(smallest=1001)
    scipy.fft.fft(x)
    assert counted == {"left: few elements": 1}
    wgpu_fft.set_options(smallest=1000)
    assert scipy.fft.fft(x=x).dtype == np.complex64
    assert counted["served"] == 1


def test_how_few_is_measured_once(counted, noise, monkeypatch):
    monkeypatch.setattr(_backend, "MOST", 4096)
    device, (fewest, most) = wgpu_fft.get_device(), (_backend.FEWEST, _backend.MOST)
    monkeypatch.setattr(device, "_smallest", None)
    # Nothing is measured where it does not matter.
    assert scipy.fft.fft(noise(fewest - 1)).dtype == np.complex64
    scipy.fft.fft(noise(most))
    assert counted == {"left: few elements": 1, "served": 1} and device._smallest is None
    found = _backend.smallest(device)
    assert fewest <= found <= most and found & (found - 1) == 0 and found == device._smallest
    monkeypatch.setattr(device, "_smallest", 2000)
    scipy.fft.fft(noise(1999))
    scipy.fft.fft(noise(2000))
    assert counted == {"left: few elements": 2, "served": 2}


def test_types_that_no_device_has_are_left(counted):
    wgpu_fft.set_options(smallest=0)
    assert scipy.fft.fft(np.ones(4, np.longdouble)).dtype == np.clongdouble
    assert counted["served"] == 0


def test_double_without_f64_is_left(counted, noise, monkeypatch):
    wgpu_fft.set_options(smallest=0)
    monkeypatch.setitem(wgpu_fft.get_device().info, "f64", False)
    x = noise(64, np.float64)
    assert scipy.fft.fft(x).dtype == np.complex128
    assert counted == {"left: float64 on a device without it": 1}
    with wgpu_fft.options(double="single"):
        assert scipy.fft.fft(x).dtype == np.complex64
    with wgpu_fft.options(double="f64-by-f32"):
        assert np.allclose(scipy.fft.fft(x), np.fft.fft(x), rtol=0, atol=1e-12)
    assert counted["served"] == 2
    # A direct call does not leave it.
    assert np.allclose(wgpu_fft.fft(x), np.fft.fft(x), rtol=0, atol=1e-12)


def test_arrays_on_the_device_pass_through(counted, noise):
    result = scipy.fft.fft(wgpu_fft.asarray(noise(8)))
    assert isinstance(result, wgpu_fft.Array) and counted["served"] == 1


def test_scipy_is_the_last_resort_of_a_global_backend(noise):
    scipy.fft.set_global_backend(wgpu_fft)
    try:
        assert scipy.fft.fft(noise(8)).shape == (8,)
    finally:
        scipy.fft.set_global_backend("scipy")


def test_mistakes_are_errors_here_too(counted, noise):
    with pytest.raises(ValueError, match="invalid number of data points"):
        scipy.fft.fft(noise(5000), 0)


def test_options():
    with pytest.raises(ValueError, match="double"):
        wgpu_fft.set_options(double="quad")
    with pytest.raises(ValueError, match="plans"):
        wgpu_fft.set_options(plans=-1)
    with pytest.raises(TypeError):
        wgpu_fft.set_options(colour="red")
    with wgpu_fft.options(plans=5):
        assert wgpu_fft.get_options().plans == 5
    assert wgpu_fft.get_options().plans == 64
