"""Fourier transforms with the signatures of `scipy.fft`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arguments import Along, along_one, along_several, fitted, operand, resized_shape, scale
from ._array import Array
from ._dtypes import complex_of, is_complex, real_of
from ._execute import transform
from ._typing import Integers, Numbers, OfOne, of_one

__all__ = [
    "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2", "rfftn", "irfftn",
    "hfft", "ihfft", "hfft2", "ihfft2", "hfftn", "ihfftn",
]


def _conj(x: np.ndarray | Array) -> np.ndarray | Array:
    return x.conj() if isinstance(x, Array) else np.conj(x)


def _as_complex(x: np.ndarray | Array) -> np.ndarray | Array:
    return x if is_complex(x.dtype) else x.astype(complex_of(x.dtype))


def _c2c(x: np.ndarray | Array, axes: tuple[int, ...], lengths: tuple[int, ...], inverse: bool, factor: str) -> np.ndarray | Array:
    """Of reals, the whole spectrum, as SciPy has it."""
    if not axes:
        return _as_complex(x)
    x = _as_complex(fitted(x, axes, lengths))
    return transform("c2c inv" if inverse else "c2c fwd", x, x.shape, axes, factor, x.dtype)


def _r2c(x: np.ndarray | Array, axes: tuple[int, ...], lengths: tuple[int, ...], factor: str) -> np.ndarray | Array:
    if is_complex(x.dtype):
        raise TypeError("x must be a real sequence")
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    x = fitted(x, axes, lengths)
    return transform("r2c fwd", x, x.shape, axes, factor, complex_of(x.dtype))


def _c2r(x: np.ndarray | Array, axes: tuple[int, ...], lengths: tuple[int, ...], factor: str) -> np.ndarray | Array:
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    x = _as_complex(fitted(x, axes, (*lengths[:-1], lengths[-1] // 2 + 1)))
    return transform("c2r inv", x, resized_shape(x.shape, axes, lengths), axes, factor, real_of(x.dtype))


def _in_reals(along: Along, given: Any, least: int) -> Along:
    """Axes and lengths in reals, of those in an array with a half-spectrum, unless lengths were given.

    As in SciPy, one number is the spectrum of one, but for the functions of one axis.
    """
    axes, lengths = along
    if given is not None or not axes:
        return along
    n = max((lengths[-1] - 1) * 2, least)
    if n < 1:
        raise ValueError(f"Invalid number of data points ({n}) specified")
    return axes, (*lengths[:-1], n)


@of_one
def fft(
    x: Numbers, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The discrete Fourier transform along an axis, as `scipy.fft.fft`.

    >>> import numpy as np, wgpu_fft
    >>> abs(wgpu_fft.fft(np.ones(4, np.complex64)))
    array([4., 0., 0., 0.], dtype=float32)
    """
    x = operand(x, workers, plan)
    return _c2c(x, *along_one(x.shape, n, axis), False, scale(norm, False))


@of_one
def ifft(
    x: Numbers, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The inverse of `fft`, as `scipy.fft.ifft`."""
    x = operand(x, workers, plan)
    return _c2c(x, *along_one(x.shape, n, axis), True, scale(norm, True))


@of_one
def rfft(
    x: Numbers, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The half of the spectrum of reals with frequencies from 0 on, as `scipy.fft.rfft`.

    >>> import numpy as np, wgpu_fft
    >>> abs(wgpu_fft.rfft(np.ones(4, np.float32)))
    array([4., 0., 0.], dtype=float32)
    """
    x = operand(x, workers, plan)
    return _r2c(x, *along_one(x.shape, n, axis), scale(norm, False))


@of_one
def irfft(
    x: Numbers, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The inverse of `rfft`, to n reals, as `scipy.fft.irfft`."""
    x = operand(x, workers, plan)
    return _c2r(x, *_in_reals(along_one(x.shape, n, axis), n, 0), scale(norm, True))


@of_one
def hfft(
    x: Numbers, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The real spectrum of a signal with Hermitian symmetry, as `scipy.fft.hfft`."""
    x = operand(x, workers, plan)
    return _c2r(_conj(x), *_in_reals(along_one(x.shape, n, axis), n, 0), scale(norm, False))


@of_one
def ihfft(
    x: Numbers, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The inverse of `hfft`, as `scipy.fft.ihfft`."""
    x = operand(x, workers, plan)
    return _conj(_r2c(x, *along_one(x.shape, n, axis), scale(norm, True)))


@of_one
def fftn(
    x: Numbers, s: Integers = None, axes: Integers = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The transform along several axes, as `scipy.fft.fftn`."""
    x = operand(x, workers, plan)
    return _c2c(x, *along_several(x.shape, s, axes), False, scale(norm, False))


@of_one
def ifftn(
    x: Numbers, s: Integers = None, axes: Integers = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The inverse of `fftn`, as `scipy.fft.ifftn`."""
    x = operand(x, workers, plan)
    return _c2c(x, *along_several(x.shape, s, axes), True, scale(norm, True))


@of_one
def rfftn(
    x: Numbers, s: Integers = None, axes: Integers = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The half-spectrum of reals along several axes, as `scipy.fft.rfftn`. The last one is halved."""
    x = operand(x, workers, plan)
    return _r2c(x, *along_several(x.shape, s, axes), scale(norm, False))


@of_one
def irfftn(
    x: Numbers, s: Integers = None, axes: Integers = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The inverse of `rfftn`, as `scipy.fft.irfftn`."""
    x = operand(x, workers, plan)
    return _c2r(x, *_in_reals(along_several(x.shape, s, axes), s, 1), scale(norm, True))


@of_one
def hfftn(
    x: Numbers, s: Integers = None, axes: Integers = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The real spectrum of Hermitian symmetric arrays, as `scipy.fft.hfftn`."""
    x = operand(x, workers, plan)
    return _c2r(_conj(x), *_in_reals(along_several(x.shape, s, axes), s, 1), scale(norm, False))


@of_one
def ihfftn(
    x: Numbers, s: Integers = None, axes: Integers = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The inverse of `hfftn`, as `scipy.fft.ihfftn`."""
    x = operand(x, workers, plan)
    return _conj(_r2c(x, *along_several(x.shape, s, axes), scale(norm, True)))


def _of_two_axes(function: OfOne[...], text: str) -> OfOne[...]:
    name = function.__name__.replace("n", "2")

    def two(
        x: Numbers, s: Integers = None, axes: Integers = (-2, -1), norm: str | None = None, overwrite_x: bool = False,
        workers: int | None = None, *, plan: None = None,
    ) -> Any:
        return function(x, s, axes, norm, overwrite_x, workers, plan=plan)

    two.__name__ = two.__qualname__ = name
    # Errors find it there.
    two.__code__ = two.__code__.replace(co_name=name)
    two.__doc__ = f"{text}, as `scipy.fft.{name}`."
    return of_one(two)


fft2 = _of_two_axes(fftn, "The transform along two axes")
ifft2 = _of_two_axes(ifftn, "The inverse of `fft2`")
rfft2 = _of_two_axes(rfftn, "The half-spectrum of reals along two axes")
irfft2 = _of_two_axes(irfftn, "The inverse of `rfft2`")
hfft2 = _of_two_axes(hfftn, "The real spectrum of Hermitian symmetric arrays along two axes")
ihfft2 = _of_two_axes(ihfftn, "The inverse of `hfft2`")
