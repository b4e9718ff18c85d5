"""Convolution, correlation and short-time transforms, with the signatures of `scipy.signal`.

>>> import numpy as np, wgpu_fft
>>> wgpu_fft.signal.fftconvolve(np.ones(3, np.float32), np.ones(2, np.float32))
array([1., 2., 2., 1.], dtype=float32)
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ._arguments import along_several, one_axis, operand
from ._array import Array, from_host
from ._device import get_device
from ._dtypes import ELEMENTS, complex_of, is_complex, is_double, single_of
from ._execute import run
from ._fourier import fftn, ifftn, irfftn, rfftn
from ._helper import next_fast_len
from ._plan import Plan
from ._streams import StftStream, StreamConvolve
from ._typing import Integers, Numbers, of_two

__all__ = [
    "StftStream",
    "StreamConvolve",
    "convolve",
    "correlate",
    "fftconvolve",
    "oaconvolve",
    "phase_correlate",
    "stft",
]

MODES = ("full", "same", "valid")


def _given(in1: Any, in2: Any) -> tuple[Any, Any]:
    """Both operands as arrays, with the numbers that they were given with."""
    x, y = (x if isinstance(x, Array) else from_host(x) for x in (in1, in2))
    if x.ndim != y.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    if isinstance(x, Array) != isinstance(y, Array):
        raise TypeError("either both arrays are on the device, or none: use wgpu_fft.asarray")
    return x, y


def _check(mode: str, method: str = "auto") -> None:
    if mode not in MODES:
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    if method not in ("auto", "fft", "direct"):
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")


@of_two
def fftconvolve(in1: Numbers, in2: Numbers, mode: str = "full", axes: Integers = None) -> Any:
    """The convolution of two arrays, as `scipy.signal.fftconvolve`.

    Up to three axes of float32 or complex64 are one plan of the crate's own. What lies between the
    transforms stays on the device. As in SciPy, `mode="same"` gives the shape of `in1`, also where
    an axis of one element meets a longer one: the result is the middle of that axis.
    """
    _check(mode)
    x, y = _given(in1, in2)
    if x.ndim == 0:
        return x * y
    if x.size == 0 or y.size == 0:
        return np.array([])
    chosen, swapped = _places(x, y, mode, axes)
    if swapped:
        x, y = y, x
    if not chosen:
        return _part(x * y, x, y, mode, chosen)
    x, y = operand(x), operand(y)
    dtype = np.result_type(x.dtype, y.dtype)
    x, y = x.astype(dtype, copy=False), y.astype(dtype, copy=False)
    repeated = any(1 not in (x.shape[axis], y.shape[axis]) for axis in range(x.ndim) if axis not in chosen)
    fits = mode != "valid" or all(n >= k for n, k in zip(x.shape, y.shape))
    if x.ndim <= 3 and not is_double(dtype) and not repeated and fits:
        spec = f"convolve {ELEMENTS[dtype]} {_by(x)} by {_by(y)} {mode}"
        return run(_device_of(x)._plan_of(spec), [x, y], _shape(x, y, mode), dtype)
    real = not is_complex(dtype)
    lengths = [next_fast_len(x.shape[axis] + y.shape[axis] - 1, real and axis == chosen[-1]) for axis in chosen]
    there, back = (rfftn, irfftn) if real else (fftn, ifftn)
    return _part(back(there(x, lengths, chosen) * there(y, lengths, chosen), lengths, chosen), x, y, mode, chosen)


def _places(x: Any, y: Any, mode: str, axes: Any) -> tuple[list[int], bool]:
    """The axes that need transforms, and whether the first array is the one that moves over the second."""
    # Axes of one element need none: a product repeats them.
    chosen = [axis for axis in _convolved(x, axes) if x.shape[axis] != 1 and y.shape[axis] != 1]
    others = [axis for axis in range(x.ndim) if axis not in chosen]
    if any(x.shape[axis] != y.shape[axis] and 1 not in (x.shape[axis], y.shape[axis]) for axis in others):
        raise ValueError(f"incompatible shapes for in1 and in2: {x.shape} and {y.shape}")
    return chosen, mode == "valid" and _is_contained(x, y, chosen)


def _convolved(x: Any, axes: Any) -> Sequence[int]:
    """The axes of a convolution, checked as SciPy does."""
    chosen, _ = along_several(x.shape, None, axes)
    if not chosen:
        raise ValueError("when provided, axes cannot be empty")
    return chosen


def _is_contained(x: Any, y: Any, axes: Iterable[int]) -> bool:
    """Whether the first array is the smaller one, where one has to be at least as large as the other."""
    sizes = [(x.shape[axis], y.shape[axis]) for axis in axes]
    if any(n < k for n, k in sizes) and any(n > k for n, k in sizes):
        raise ValueError("For 'valid' mode, one must be at least as large as the other in every dimension")
    return any(n < k for n, k in sizes)


def _device_of(x: Any) -> Any:
    return x.device if isinstance(x, Array) else get_device()


def _by(x: Any) -> str:
    return "x".join(map(str, x.shape))


def _shape(x: Any, y: Any, mode: str) -> tuple[int, ...]:
    lengths = {"full": lambda n, k: n + k - 1, "same": lambda n, _: n, "valid": lambda n, k: n - k + 1}
    return tuple(lengths[mode](n, k) for n, k in zip(x.shape, y.shape))


def _part(result: Any, x: Any, y: Any, mode: str, chosen: list[int]) -> Any:
    """The part of a whole result, which may have more elements behind, that a mode asks for."""
    return result[_cut((x.shape, y.shape), mode, chosen)]


def _cut(shapes: Sequence[Sequence[int]], mode: str, chosen: Sequence[int]) -> tuple[slice, ...]:
    """Where that part is, of arrays of these shapes."""
    cut = []
    for axis, (own, other) in enumerate(zip(*shapes)):
        whole = own + other - 1 if axis in chosen else max(own, other)
        count = own if mode == "same" else own - other + 1 if mode == "valid" and axis in chosen else whole
        first = (whole - count) // 2
        cut.append(slice(first, first + count))
    return tuple(cut)


@of_two
def oaconvolve(in1: Numbers, in2: Numbers, mode: str = "full", axes: Integers = None) -> Any:
    """The convolution of two arrays, as `scipy.signal.oaconvolve`: here the same as `fftconvolve`."""
    return fftconvolve(in1, in2, mode, axes)


@of_two
def convolve(in1: Numbers, in2: Numbers, mode: str = "full", method: str = "auto") -> Any:
    """The convolution of two arrays, as `scipy.signal.convolve`.

    The device computes those of floating-point and complex numbers, the ones with kernels of few
    elements without transforms. Those of integers and booleans, whose results are such numbers too,
    are left to SciPy, which computes them on the host. So is `method="direct"`.
    """
    return _convolved_by("convolve", in1, in2, mode, method)


@of_two
def correlate(in1: Numbers, in2: Numbers, mode: str = "full", method: str = "auto") -> Any:
    """The cross-correlation of two arrays, as `scipy.signal.correlate`. See `convolve`."""
    return _convolved_by("correlate", in1, in2, mode, method)


def _convolved_by(name: str, in1: Any, in2: Any, mode: str, method: str) -> Any:
    _check(mode, method)
    x, y = _given(in1, in2)
    if mode == "valid":
        # Here SciPy asks for that of all axes, and `fftconvolve` of those longer than one element.
        _is_contained(x, y, range(x.ndim))
    dtype = np.result_type(x.dtype, y.dtype)
    if method == "direct" or dtype.kind not in "fc" or x.size == 0 or y.size == 0:
        return _by_scipy(name, x, y, mode, method)
    if not isinstance(x, Array):
        # Integers beside floating-point numbers, as SciPy's results have them.
        x, y = x.astype(dtype, copy=False), y.astype(dtype, copy=False)
    if name == "correlate":
        y = _reversed(y)
    result = fftconvolve(x, y, mode)
    return result.astype(dtype) if dtype == np.float16 else result


def _by_scipy(name: str, x: Any, y: Any, mode: str, method: str) -> Any:
    """What SciPy computes on the host, also where this package is its backend."""
    import scipy.fft
    import scipy.signal

    on_host = [side.to_numpy() if isinstance(side, Array) else side for side in (x, y)]
    with scipy.fft.set_backend("scipy", only=True):
        result = getattr(scipy.signal, name)(*on_host, mode, method)
    return _as_array(result, x.device) if isinstance(x, Array) else result


def _reversed(y: Any) -> Any:
    """The conjugates in reverse order along all axes."""
    on_host = y.to_numpy() if isinstance(y, Array) else y
    on_host = np.ascontiguousarray(np.conj(on_host[(slice(None, None, -1),) * y.ndim])).reshape(y.shape)
    return _as_array(on_host, y.device) if isinstance(y, Array) else on_host


def phase_correlate(reference: Any, moving: Any, normalised: bool = True) -> tuple[Any, Any]:
    """By how much pictures are shifted against others, to a fraction of a pixel.

    reference, moving : arrays of float32
        Of one to three axes. Other reals are converted.
    normalised : bool
        Divide the spectra by their magnitudes: phase correlation. Otherwise cross-correlation.

    Returns the shift that brings `moving` onto `reference`, an element for each axis, and the
    height of the correlation there, 1 for pictures that differ in nothing else. The sign is that
    of `skimage.registration.phase_cross_correlation`.

    >>> import numpy as np, wgpu_fft
    >>> picture = np.random.default_rng(1).random((32, 48), np.float32)
    >>> shift, height = wgpu_fft.signal.phase_correlate(picture, np.roll(picture, (3, -5), (0, 1)))
    >>> np.round(shift).tolist()
    [-3.0, 5.0]
    """
    x, y = operand(reference), operand(moving)
    if x.shape != y.shape:
        raise ValueError(f"the pictures have the shapes {x.shape} and {y.shape}, and should have the same")
    if is_complex(x.dtype) or is_complex(y.dtype):
        raise TypeError("pictures are reals")
    x, y = x.astype(np.float32, copy=False), y.astype(np.float32, copy=False)
    plan = Plan(f"phase-correlate {_by(x)}{'' if normalised else ' unnormalised'}", device=_device_of(x))
    result = np.asarray(plan(x, y))
    return result[:-1], result[-1]


def _window(window: Any, n: int) -> np.ndarray:
    if isinstance(window, (str, tuple)):
        from scipy.signal import get_window

        return np.asarray(get_window(window, n))
    window = np.asarray(window)
    if is_complex(window.dtype):
        raise TypeError("a window is real")
    window = np.asarray(window, np.float64)
    if window.ndim != 1:
        raise ValueError("window must be 1-D")
    return window


def stft(
    x: Any, fs: float = 1.0, window: Any = "hann", nperseg: int | None = None, noverlap: int | None = None, nfft: int | None = None,
    detrend: Any = False, return_onesided: bool = True, boundary: str | None = "zeros", padded: bool = True, axis: int = -1,
    scaling: str = "spectrum",
) -> tuple[np.ndarray, np.ndarray, Any]:
    """The short-time Fourier transform, as `scipy.signal.stft`: frequencies, times, and the spectra.

    One plan cuts the frames, multiplies them with the window and transforms them. It computes in
    f32. Not here: `detrend`, and other boundaries than zeros and none.
    """
    if detrend is not False:
        raise NotImplementedError("stft does not take trends away: use scipy.signal.detrend before")
    if boundary not in ("zeros", None):
        raise NotImplementedError(f"stft continues a signal by zeros or not at all, not by {boundary!r}")
    if scaling not in ("spectrum", "psd"):
        raise ValueError(f"scaling is 'spectrum' or 'psd', not {scaling!r}")
    x = operand(x)
    axis = one_axis(x.ndim, axis)
    if x.size == 0:
        return np.empty(x.shape), np.empty(x.shape), np.empty(x.shape)
    x = x.astype(single_of(x.dtype), copy=False)
    named, n = isinstance(window, (str, tuple)), int(x.shape[axis])
    nperseg = (256 if named else len(window)) if nperseg is None else int(nperseg)
    if nperseg < 1:
        raise ValueError("nperseg must be a positive integer")
    if named and nperseg > n:
        warnings.warn(f"nperseg = {nperseg} is greater than input length = {n}, using nperseg = {n}", stacklevel=2)
        nperseg = n
    win = _window(window, nperseg)
    if len(win) > n:
        raise ValueError(f"window is longer than input signal: {len(win)} elements, and {n}")
    if len(win) != nperseg:
        raise ValueError("value specified for nperseg is different from length of window")
    noverlap = nperseg // 2 if noverlap is None else int(noverlap)
    nfft = nperseg if nfft is None else int(nfft)
    if noverlap < 0:
        raise ValueError(f"noverlap must not be negative, as {noverlap} is")
    if noverlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    if nfft < nperseg:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    hop = nperseg - noverlap
    return _stft(x, fs, win, hop, nfft, bool(return_onesided), boundary is not None, padded, axis, scaling)


def _stft(
    x: Any, fs: float, win: np.ndarray, hop: int, nfft: int, onesided: bool, extended: bool, padded: bool, axis: int, scaling: str
) -> tuple[np.ndarray, np.ndarray, Any]:
    n, m = x.shape[axis], len(win)
    total = n + (m // 2) * 2 if extended else n
    if padded:
        total += -(total - m) % hop
    count = (total - m) // hop + 1
    factor = 1 / abs(win.sum()) if scaling == "spectrum" else 1 / math.sqrt(fs * (win * win).sum())
    device = _device_of(x)
    if onesided and is_complex(x.dtype):
        warnings.warn("Input data is complex, switching to return_onesided=False", stacklevel=3)
        onesided = False
    if not onesided:
        x = x.astype(complex_of(x.dtype), copy=False)
    order = [i for i in range(x.ndim) if i != axis] + [axis]
    x = x.transpose(order)
    others, shape = math.prod(x.shape[:-1]), x.shape[:-1]
    # Frame p of the crate is centred at p * hop. Frames of SciPy begin half a window before the
    # signal, or with it. That is a whole number of hops behind, or else the signal gets zeros in front.
    lead = 0 if extended else m // 2
    front = -lead % hop
    if front:
        grown = np.zeros((*shape, n + front), x.dtype)
        grown[..., front:] = np.asarray(x)
        x = grown if not isinstance(x, Array) else _as_array(grown, device)
    first = (lead + front) // hop
    length = n + front
    # Frames without any element of the signal are zeros.
    last = min(first + count, -(-(length + m // 2) // hop))
    window = win * factor
    key = ("stft", x.dtype, length, others, window.tobytes(), hop, nfft, first, last)
    complex_input = is_complex(x.dtype)
    plan = device._plan(
        key, lambda: device._core.plan_stft(complex_input, length, others, np.ascontiguousarray(window), hop, nfft, None, (first, last))
    )
    bins = nfft // 2 + 1 if onesided else nfft
    spectra = run(plan, [x], (*shape, last - first, bins), np.dtype(np.complex64))
    if last - first < count:
        whole = np.zeros((*shape, count, bins), np.complex64)
        whole[..., : last - first, :] = np.asarray(spectra)
        spectra = whole if not isinstance(spectra, Array) else _as_array(whole, device)
    result = spectra.transpose([*range(len(shape)), len(shape) + 1, len(shape)])
    if axis != len(shape):
        # The frequencies take the place of the axis, and the times come last.
        back = list(range(len(shape)))
        back.insert(axis, len(shape))
        result = result.transpose([*back, len(shape) + 1])
    times = (np.arange(count) * hop + (0 if extended else m / 2)) / fs
    freqs = np.fft.rfftfreq(nfft, 1 / fs) if onesided else np.fft.fftfreq(nfft, 1 / fs)
    return freqs, times, result


def _as_array(data: np.ndarray, device: Any) -> Array:
    from ._array import asarray

    return asarray(data, device=device)
