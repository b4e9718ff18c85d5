"""Transforms along any axes, of arrays on the host and on the device, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft

import wgpu_fft

PLACES = {"host": lambda x: x, "device": wgpu_fft.asarray}
DTYPES = {np.float32: np.complex64, np.float64: np.complex128}


@pytest.fixture(params=PLACES)
def place(request):
    return PLACES[request.param]


@pytest.fixture(params=DTYPES, ids=["f32", "f64"])
def dtypes(request):
    if request.param == np.float64 and not wgpu_fft.get_device().has_f64:
        pytest.skip("the device has no f64")
    return request.param, DTYPES[request.param]


def both(name, x, *args, **kwargs):
    return getattr(scipy.fft, name)(x, *args, **kwargs)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("n", [None, 3, 8])
def test_one_axis(noise, agrees, place, dtypes, axis, n):
    real, complex_ = dtypes
    x, z = noise((4, 5, 6), real), noise((4, 5, 6), complex_)
    cases = [("fft", z), ("fft", x), ("ifft", z), ("rfft", x), ("irfft", z), ("hfft", z), ("ihfft", x), ("dct", x), ("dst", z)]
    for name, data in cases:
        kwargs = {"n": n, "axis": axis}
        agrees(getattr(wgpu_fft, name)(place(data), **kwargs), both(name, data, **kwargs))


@pytest.mark.parametrize("axes", [None, (0, 2), (1, 3), (2, 0), (3, 1, 0)])
def test_axes_of_four(noise, agrees, place, axes):
    x, z = noise((3, 4, 5, 6)), noise((3, 4, 5, 6), np.complex64)
    for name, data in [("fftn", z), ("rfftn", x), ("irfftn", z), ("hfftn", z), ("ihfftn", x), ("dctn", x), ("idstn", z)]:
        agrees(getattr(wgpu_fft, name)(place(data), axes=axes), both(name, data, axes=axes))


def test_axes_of_six(noise, agrees, place):
    z = noise((2, 3, 2, 3, 2, 3), np.complex64)
    agrees(wgpu_fft.fftn(place(z)), scipy.fft.fftn(z))
    agrees(wgpu_fft.fftn(place(z), axes=(0, 2, 4)), scipy.fft.fftn(z, axes=(0, 2, 4)))
    x = z.real.copy()
    agrees(wgpu_fft.rfftn(place(x), axes=(5, 3, 1)), scipy.fft.rfftn(x, axes=(5, 3, 1)))


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
def test_norms(noise, agrees, place, norm):
    x = noise((4, 6))
    for name in ("fft2", "ifft2", "rfft2", "ihfft2", "irfft2", "hfft2"):
        agrees(getattr(wgpu_fft, name)(place(x), norm=norm), both(name, x, norm=norm))
    for kind in (1, 2, 3, 4):
        for name in ("dct", "idct", "dst", "idst"):
            for orthogonalize in (None, True, False):
                kwargs = {"type": kind, "norm": norm, "orthogonalize": orthogonalize}
                agrees(getattr(wgpu_fft, name)(place(x), **kwargs), both(name, x, **kwargs))


def test_shapes_are_cut_and_filled(noise, agrees, place):
    x = noise((5, 6))
    for s in [(7, 3), (2, 9), (-1, 4)]:
        for name in ("fft2", "rfft2", "dctn"):
            agrees(getattr(wgpu_fft, name)(place(x), s=s), both(name, x, s=s))
    agrees(wgpu_fft.irfft2(place(x), (3, 7)), scipy.fft.irfft2(x, (3, 7)))
    for name in ("irfft2", "hfft2"):
        agrees(getattr(wgpu_fft, name)(place(x), (3, -1)), both(name, x, (3, -1)))
    # A last axis of one number is the half-spectrum of one; along one axis SciPy refuses it.
    for name in ("irfftn", "hfftn", "irfft2"):
        agrees(getattr(wgpu_fft, name)(place(x[:, :1])), both(name, x[:, :1]))
    with pytest.raises(ValueError, match="data points"):
        wgpu_fft.irfft(place(x[:, :1]))


def test_places_in_memory(noise, agrees):
    x = noise((6, 7, 8), np.complex64)
    for data in (x.T, x[::2, 1:, ::3], x[:, ::-1], np.asfortranarray(x), x[1, 2:]):
        agrees(wgpu_fft.fftn(data), scipy.fft.fftn(data))
    on_device = wgpu_fft.asarray(x)
    agrees(wgpu_fft.fftn(on_device.T), scipy.fft.fftn(x.T))
    agrees(wgpu_fft.fftn(on_device[::2, 1:, ::3]), scipy.fft.fftn(x[::2, 1:, ::3]))
    agrees(wgpu_fft.fft(on_device[1, 2:]), scipy.fft.fft(x[1, 2:]))


def test_types_of_numbers(agrees):
    arrays = [np.arange(4, dtype=dtype) for dtype in (np.int16, np.float16, ">f4", np.uint64)]
    for data in ([1, 2, 3], np.ones(3, bool), *arrays):
        agrees(wgpu_fft.fft(data), scipy.fft.fft(data))


def test_nothing_to_transform(place):
    empty = np.zeros((0, 4), np.float32)
    assert wgpu_fft.fft(place(empty)).shape == (0, 4)
    assert wgpu_fft.rfft(place(empty)).shape == (0, 3)
    assert wgpu_fft.dct(place(empty)).shape == (0, 4)
    assert np.asarray(wgpu_fft.fftn(place(np.ones((2, 2), np.float32)), axes=())).dtype == np.complex64


def test_what_scipy_refuses():
    x = np.ones((3, 4), np.float32)
    with pytest.raises(TypeError, match="real"):
        wgpu_fft.rfft(x.astype(np.complex64))
    with pytest.raises(ValueError, match="invalid number of data points"):
        wgpu_fft.fft(x, 0)
    with pytest.raises(ValueError, match="unique"):
        wgpu_fft.fftn(x, axes=(0, 0))
    with pytest.raises(ValueError, match="exceeds"):
        wgpu_fft.fftn(x, axes=(0, 5))
    with pytest.raises(ValueError, match="norm"):
        wgpu_fft.fft(x, norm="orthogonal")
    with pytest.raises(ValueError, match="type"):
        wgpu_fft.dct(x, 5)
    with pytest.raises(ValueError, match="workers"):
        wgpu_fft.fft(x, workers=0)
    with pytest.raises(NotImplementedError, match="precomputed plan"):
        wgpu_fft.fft(x, plan="any")
    with pytest.raises(TypeError, match="convert"):
        wgpu_fft.fft(x.astype(np.longdouble))


def test_helpers(noise):
    x = noise((4, 5, 6))
    on_device = wgpu_fft.asarray(x)
    for axes in (None, 0, (0, 2), (1,), -1):
        assert np.array_equal(np.asarray(wgpu_fft.fftshift(on_device, axes)), np.fft.fftshift(x, axes))
        assert np.array_equal(np.asarray(wgpu_fft.ifftshift(on_device, axes)), np.fft.ifftshift(x, axes))
    assert np.array_equal(wgpu_fft.fftfreq(5, 0.1), scipy.fft.fftfreq(5, 0.1))
    assert np.array_equal(wgpu_fft.rfftfreq(5, 0.1), scipy.fft.rfftfreq(5, 0.1))
    x = noise((2, 3, 4, 5, 2, 3))
    on_device = wgpu_fft.asarray(x)
    for axes in (None, (1, 3), (0, 2, 4), (5, 1, 3), (4, 2, 2), np.int64(0), np.array([1, -2]), ()):
        assert np.array_equal(np.asarray(wgpu_fft.fftshift(on_device, axes)), np.fft.fftshift(x, axes)), axes
        assert np.array_equal(np.asarray(wgpu_fft.ifftshift(on_device, axes)), np.fft.ifftshift(x, axes)), axes
    assert np.array_equal(np.asarray(wgpu_fft.fftn(on_device, axes=np.array([1, 3])).shape), x.shape)
    assert wgpu_fft.prev_fast_len(1_062_881) <= 1_062_881
    for n in range(1, 200):
        fast = [length for length in range(1, n + 1) if wgpu_fft.next_fast_len(length) == length]
        assert wgpu_fft.prev_fast_len(n) == fast[-1]
    for n in (1, 7, 1021, 5000):
        assert n <= wgpu_fft.next_fast_len(n) < 2 * n + 1
        assert wgpu_fft.prev_fast_len(n) <= n
        assert wgpu_fft.next_fast_len(wgpu_fft.prev_fast_len(n, True), True) == wgpu_fft.prev_fast_len(n, True)
    with pytest.raises(ValueError, match="positive"):
        wgpu_fft.next_fast_len(0)
