"""Fourier transforms with the signatures of `scipy.fft`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._arguments import check, fitted, one_axis, operand, scale, several_axes
from ._array import Array
from ._dtypes import complex_of, is_complex, real_of
from ._execute import transform, zeros
from ._geometry import halved
from ._typing import Integers, Numbers, OfOne, of_one

__all__ = [
    "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2", "rfftn", "irfftn",
    "hfft", "ihfft", "hfft2", "ihfft2", "hfftn", "ihfftn",
]


def _conj(x: np.ndarray | Array) -> np.ndarray | Array:
    return x.conj() if isinstance(x, Array) else np.conj(x)


def _as_complex(x: np.ndarray | Array) -> np.ndarray | Array:
    return x if is_complex(x.dtype) else x.astype(complex_of(x.dtype))


def _c2c(x: np.ndarray | Array, axes: Sequence[int], lengths: Sequence[int], inverse: bool, factor: str) -> np.ndarray | Array:
    """Of reals, the whole spectrum, as SciPy has it."""
    if not axes:
        return _as_complex(x)
    x = _as_complex(fitted(x, axes, lengths))
    if math.prod(x.shape) == 0:
        return zeros(x, x.shape, x.dtype)
    return transform("c2c inv" if inverse else "c2c fwd", x, x.shape, axes, factor, x.dtype)


def _r2c(x: np.ndarray | Array, axes: Sequence[int], lengths: Sequence[int], factor: str) -> np.ndarray | Array:
    if is_complex(x.dtype):
        raise TypeError("x must be a real sequence")
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    x = fitted(x, axes, lengths)
    dtype = complex_of(x.dtype)
    if math.prod(x.shape) == 0:
        return zeros(x, halved(x.shape, axes[-1]), dtype)
    return transform("r2c fwd", x, x.shape, axes, factor, dtype)


def _c2r(x: np.ndarray | Array, axes: Sequence[int], lengths: Sequence[int], factor: str) -> np.ndarray | Array:
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    x = _as_complex(x)
    x = fitted(x, axes, [*lengths[:-1], lengths[-1] // 2 + 1])
    shape = list(x.shape)
    shape[axes[-1]] = lengths[-1]
    dtype = real_of(x.dtype)
    if math.prod(shape) == 0:
        return zeros(x, tuple(shape), dtype)
    return transform("c2r inv", x, shape, axes, factor, dtype)


def _full_lengths(x: np.ndarray | Array, s: Integers, axes: Integers) -> tuple[Sequence[int], Sequence[int]]:
    """The axes of a transform to reals, and its lengths in reals."""
    chosen, lengths = several_axes(x, s, axes)
    if chosen and s is None:
        # As in SciPy, one number is the spectrum of one.
        lengths = (*lengths[:-1], max((x.shape[chosen[-1]] - 1) * 2, 1))
    return chosen, lengths


def _full_length(x: np.ndarray | Array, n: int | None, axis: int) -> tuple[Sequence[int], Sequence[int]]:
    """The same of one axis, where SciPy refuses a spectrum of one number without a length."""
    if n is None:
        n = (int(x.shape[axis]) - 1) * 2
        if n < 1:
            raise ValueError(f"Invalid number of data points ({n}) specified")
    return several_axes(x, n, axis)


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
    check(workers, plan)
    x = operand(x)
    axis, n = one_axis(x, n, axis)
    axes, lengths = several_axes(x, n, axis)
    return _c2c(x, axes, lengths, False, scale(norm, False))


@of_one
def ifft(
    x: Numbers, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The inverse of `fft`, as `scipy.fft.ifft`."""
    check(workers, plan)
    x = operand(x)
    axis, n = one_axis(x, n, axis)
    axes, lengths = several_axes(x, n, axis)
    return _c2c(x, axes, lengths, True, scale(norm, True))


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
    check(workers, plan)
    x = operand(x)
    axis, n = one_axis(x, n, axis)
    axes, lengths = several_axes(x, n, axis)
    return _r2c(x, axes, lengths, scale(norm, False))


@of_one
def irfft(
    x: Numbers, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The inverse of `rfft`, to n reals, as `scipy.fft.irfft`."""
    check(workers, plan)
    x = operand(x)
    axis, n = one_axis(x, n, axis)
    axes, lengths = _full_length(x, n, axis)
    return _c2r(x, axes, lengths, scale(norm, True))


@of_one
def hfft(
    x: Numbers, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The real spectrum of a signal with Hermitian symmetry, as `scipy.fft.hfft`."""
    check(workers, plan)
    x = operand(x)
    axis, n = one_axis(x, n, axis)
    axes, lengths = _full_length(x, n, axis)
    return _c2r(_conj(x), axes, lengths, scale(norm, False))


@of_one
def ihfft(
    x: Numbers, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The inverse of `hfft`, as `scipy.fft.ihfft`."""
    check(workers, plan)
    x = operand(x)
    axis, n = one_axis(x, n, axis)
    axes, lengths = several_axes(x, n, axis)
    return _conj(_r2c(x, axes, lengths, scale(norm, True)))


@of_one
def fftn(
    x: Numbers, s: Integers = None, axes: Integers = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The transform along several axes, as `scipy.fft.fftn`."""
    check(workers, plan)
    x = operand(x)
    return _c2c(x, *several_axes(x, s, axes), False, scale(norm, False))


@of_one
def ifftn(
    x: Numbers, s: Integers = None, axes: Integers = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The inverse of `fftn`, as `scipy.fft.ifftn`."""
    check(workers, plan)
    x = operand(x)
    return _c2c(x, *several_axes(x, s, axes), True, scale(norm, True))


@of_one
def rfftn(
    x: Numbers, s: Integers = None, axes: Integers = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The half-spectrum of reals along several axes, as `scipy.fft.rfftn`. The last one is halved."""
    check(workers, plan)
    x = operand(x)
    return _r2c(x, *several_axes(x, s, axes), scale(norm, False))


@of_one
def irfftn(
    x: Numbers, s: Integers = None, axes: Integers = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The inverse of `rfftn`, as `scipy.fft.irfftn`."""
    check(workers, plan)
    x = operand(x)
    return _c2r(x, *_full_lengths(x, s, axes), scale(norm, True))


@of_one
def hfftn(
    x: Numbers, s: Integers = None, axes: Integers = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The real spectrum of Hermitian symmetric arrays, as `scipy.fft.hfftn`."""
    check(workers, plan)
    x = operand(x)
    return _c2r(_conj(x), *_full_lengths(x, s, axes), scale(norm, False))


@of_one
def ihfftn(
    x: Numbers, s: Integers = None, axes: Integers = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: None = None,
) -> Any:
    """The inverse of `hfftn`, as `scipy.fft.ihfftn`."""
    check(workers, plan)
    x = operand(x)
    return _conj(_r2c(x, *several_axes(x, s, axes), scale(norm, True)))


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
