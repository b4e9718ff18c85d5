"""`wgpu_fft.signal` against SciPy."""

from __future__ import annotations

import os

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


# Integers are exact at any size, and beside floats they are these.
LARGE = {"q": 1 << 28, "Q": 1 << 28, "i": 1 << 14, "H": 200}
METHODS = {"convolve": ("auto", "direct", "fft"), "correlate": ("auto", "direct", "fft")}


def drawn(random, case):
    """The operands and the arguments of a call, some of which SciPy refuses."""
    axes = int(random.integers(1, 4))
    kinds = random.choice(list("?bhHiqQefFdD"), 2)
    # A call with arrays on the device, which hold no other numbers.
    on_device = case % 4 == 0
    kinds = [kind if not on_device or kind in "fFdD" else "f" for kind in kinds]
    sizes = random.choice([1, 2, 3, 5], (2, axes))
    arrays = []
    for kind, shape in zip(kinds, sizes):
        data = random.standard_normal(shape) + 1j * random.standard_normal(shape)
        if kind not in "efFdD":
            data = np.floor(data.real * LARGE.get(kind, 20))
            data = abs(data) if kind in "?HQ" else data
        arrays.append((data if kind in "FD" else data.real).astype(kind))
    if random.integers(10) == 0:
        arrays[1] = arrays[1][..., None]
    name = str(random.choice(["fftconvolve", "oaconvolve", "convolve", "correlate"]))
    kwargs = {"mode": str(random.choice(["full", "same", "valid", "full", "same", "valid", "some"]))}
    if name in METHODS:
        kwargs["method"] = str(random.choice(METHODS[name]))
        # SciPy may choose direct sums, which it does not have of float16; ours transforms it.
        if "e" in kinds and kwargs["method"] == "auto":
            kwargs["method"] = "fft"
    elif random.integers(2):
        choices = [None, 0, -1, np.int64(axes - 1), (0,), tuple(range(axes)), (0, 0), 5, (), [-1, 0], (1.5,)]
        kwargs["axes"] = choices[int(random.integers(len(choices)))]
    return name, arrays, kwargs, on_device


def test_calls_drawn_at_random_are_those_of_scipy(agrees):
    """Numbers, shapes, types and refusals. WGPU_FFT_FUZZ draws more of them."""
    if not wgpu_fft.get_device().has_f64:
        pytest.skip("the device has no f64")
    random = np.random.default_rng(43)
    refused = 0
    for case in range(int(os.environ.get("WGPU_FFT_FUZZ", "200"))):
        name, arrays, kwargs, on_device = drawn(random, case)
        given = [wgpu_fft.asarray(x) for x in arrays] if on_device else arrays
        words = f"case {case}: {name} of {[(x.dtype.char, x.shape) for x in arrays]} with {kwargs}"
        try:
            expected = getattr(scipy.signal, name)(*arrays, **kwargs)
        except (ValueError, TypeError, IndexError):
            refused += 1
            with pytest.raises((ValueError, TypeError)):
                print(words, getattr(signal, name)(*given, **kwargs))
            continue
        actual = getattr(signal, name)(*given, **kwargs)
        assert isinstance(actual, wgpu_fft.Array) == on_device, words
        actual, expected = np.asarray(actual), np.asarray(expected)
        assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape), words
        if expected.dtype.kind in "biu":
            assert np.array_equal(actual, expected), words
        else:
            # An element has an error in proportion to the largest sum of magnitudes.
            sizes = [np.abs(x.astype(np.complex128)) for x in arrays]
            scale = np.sqrt((sizes[0] ** 2).sum() * (sizes[1] ** 2).sum())
            # SciPy transforms each operand in its own precision.
            coarsest = min(x.real.dtype.itemsize for x in (actual, *arrays) if x.dtype.kind in "fc")
            bound = {2: 2e-3, 4: 1e-5, 8: 1e-13}[coarsest] * scale
            worst = np.abs(actual.astype(np.complex128) - expected.astype(np.complex128)).max(initial=0)
            assert worst <= bound, f"{words}: {worst} instead of at most {bound}"
    assert refused > 10


def test_direct_sums_are_direct():
    x = np.array([1, 1e14, 3, 200, np.nan, 5, 6, 7, 8])
    for y in (np.array([1.0, 200.0]), np.array([[1.0]])):
        data = x.reshape(-1, *y.shape[1:])
        for name in ("convolve", "correlate"):
            expected = getattr(scipy.signal, name)(data, y, "same", "direct")
            for place in (lambda a: a, wgpu_fft.asarray):
                np.testing.assert_array_equal(getattr(signal, name)(place(data), place(y), "same", "direct"), expected)
    assert signal.convolve([314159265], [314159265])[0] == 98696043785340225


def test_a_convolution_repeats_axes_of_one(noise, agrees):
    """As SciPy's: "same" has the shape of the first one, whichever is longer."""
    for shapes in [((1, 30), (4, 5)), ((4, 30), (1, 5)), ((1, 30), (4, 1)), ((3, 1, 7), (1, 4, 7))]:
        x, y = (noise(shape) for shape in shapes)
        for mode in ("full", "same", "valid"):
            for axes in (None, -1):
                expected = scipy.signal.fftconvolve(x, y, mode, axes)
                agrees(signal.fftconvolve(x, y, mode, axes), expected, 2e-5)
                agrees(signal.fftconvolve(wgpu_fft.asarray(x), wgpu_fft.asarray(y), mode, axes), expected, 2e-5)


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


FRAMES_THAT_SCIPY_REFUSES = [
    {"axis": 5},
    {"axis": -3},
    {"window": np.ones(50), "nperseg": 50},
    {"window": np.ones(10), "nperseg": 9},
    {"window": np.ones((2, 5)), "nperseg": 10},
    {"nperseg": 0},
    {"nperseg": 8, "noverlap": 8},
    {"nperseg": 8, "nfft": 7},
    {"scaling": "some"},
]


@pytest.mark.parametrize("kwargs", FRAMES_THAT_SCIPY_REFUSES)
def test_frames_that_scipy_refuses(noise, kwargs):
    x = noise((40, 40))
    with pytest.raises(ValueError):
        scipy.signal.stft(x, **kwargs)
    for data in (x, wgpu_fft.asarray(x)):
        with pytest.raises(ValueError):
            signal.stft(data, **kwargs)


def test_frames_of_short_signals(noise, agrees):
    x = noise((3, 40))
    with pytest.warns(UserWarning, match="greater than input length"):
        expected = scipy.signal.stft(x)
    with pytest.warns(UserWarning, match="greater than input length"):
        agrees(signal.stft(x)[2], expected[2])
    with pytest.warns(UserWarning, match="complex"):
        signal.stft(x.astype(np.complex64), nperseg=8)
    assert [part.shape for part in signal.stft(x[:, :0])] == [part.shape for part in scipy.signal.stft(x[:, :0])]
    with pytest.raises(TypeError, match="real"):
        signal.stft(x, window=np.ones(8) * 1j)


@pytest.mark.parametrize("channels, each", [(None, False), (1, False), (3, False), (3, True)])
def test_streams_of_convolutions(noise, agrees, channels, each):
    shape = () if channels is None else (channels,)
    x, kernel = noise((*shape, 320)), noise((*(shape if each else ()), 75))
    stream = signal.StreamConvolve(kernel, 32, channels)
    blocks = [x[..., first : first + 32] for first in range(0, 320, 32)]
    expected = scipy.signal.fftconvolve(x, kernel if each or not shape else kernel[None], axes=-1)[..., :320]
    for _ in range(2):
        actual = np.concatenate([stream.push(block) for block in blocks], axis=-1)
        assert actual.dtype == np.float32
        agrees(actual, expected, 2e-5)
        stream.reset()
    stream.set_kernel(-kernel)
    agrees(stream.push(blocks[0]), -expected[..., :32], 2e-5)


@pytest.mark.parametrize("channels", [None, 2])
def test_streams_of_frames(noise, agrees, channels):
    shape = () if channels is None else (channels,)
    x, window = noise((*shape, 500)), scipy.signal.windows.hann(32, sym=False)
    stream = signal.StftStream(window, 8, channels, mfft=48, frames=5)
    pieces = np.split(x, [0, 3, 3, 100, 350], axis=-1)
    actual = np.concatenate([stream.push(piece) for piece in pieces], axis=-2)
    frames = np.lib.stride_tricks.sliding_window_view(x, 32, axis=-1)[..., ::8, :] * window
    # Phases count from the middle of the frame.
    padded = np.concatenate([frames, np.zeros((*frames.shape[:-1], 16))], axis=-1)
    expected = np.fft.rfft(np.roll(padded, -16, axis=-1)).astype(np.complex64)
    assert actual.dtype == np.complex64 and actual.shape == expected.shape
    agrees(actual, expected, 2e-5)
    stream.reset()
    agrees(stream.push(x), expected, 2e-5)


def test_streams_refuse_what_makes_no_sense(noise):
    with pytest.raises(wgpu_fft.ArgumentError, match=r"\(2, 8\)"):
        signal.StreamConvolve(noise((2, 8)), 16)
    with pytest.raises(wgpu_fft.ArgumentError, match="taps"):
        signal.StreamConvolve(1.0, 16)
    for kernel, block in ((noise(8), 0), ([], 16)):
        with pytest.raises(wgpu_fft.ArgumentError, match="0"):
            signal.StreamConvolve(kernel, block)
    stream = signal.StreamConvolve(noise(8), 16, channels=2)
    for wrong in (noise(16), noise((2, 15)), noise((3, 16))):
        with pytest.raises(wgpu_fft.ArgumentError, match=r"\(2, 16\)"):
            stream.push(wrong)
    with pytest.raises(TypeError, match="complex64"):
        stream.push(noise((2, 16), np.complex64))
    with pytest.raises(wgpu_fft.ArgumentError, match="9"):
        stream.set_kernel(noise(9))
    for hop, frames in ((0, 1), (-1, 1), (4, 0)):
        with pytest.raises(wgpu_fft.ArgumentError, match="at least 1"):
            signal.StftStream(np.ones(8), hop, frames=frames)
    with pytest.raises(TypeError, match="complex"):
        signal.StreamConvolve(np.ones(3) * 1j, 4)
    with pytest.raises(TypeError, match="complex"):
        signal.StftStream(np.ones(8) * 1j, 4)
    with pytest.raises(TypeError):
        signal.StreamConvolve(np.ones(3), 2.5)
    with pytest.raises(wgpu_fft.ArgumentError, match="one axis"):
        signal.StftStream(np.ones((2, 8)), 4)
