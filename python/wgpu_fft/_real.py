"""Cosine and sine transforms with the signatures of `scipy.fft`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arguments import along_one, along_several, fitted, operand, scale
from ._array import Array
from ._dtypes import is_complex, real_of
from ._execute import transform
from ._geometry import Placed
from ._typing import Integers, Numbers, of_one

__all__ = ["dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn"]

# Type II and III undo one another, the others themselves.
INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _reals(x: np.ndarray | Array) -> np.ndarray | Array:
    """The real and imaginary parts along another axis, the last one."""
    dtype = real_of(x.dtype)
    if isinstance(x, Array):
        x, placed = x, x._placed
        strides = (*(2 * stride for stride in placed.strides), 1)
        return Array._of(x.device, x._buffer, dtype, Placed((*x.shape, 2), strides, 2 * placed.offset, 2 * placed.within))
    x = np.ascontiguousarray(x)
    return x.view(dtype).reshape(*x.shape, 2)


def _check(name: str, type: Any, lengths: tuple[int, ...]) -> None:
    """Refuses what is no transform."""
    if type not in INVERSE:
        raise ValueError(f"Invalid type ({type}): it must be 1, 2, 3 or 4")
    if name == "dct" and type == 1 and any(n < 2 for n in lengths):
        raise ValueError(f"DCT-I is not defined for size < 2, here {min(lengths)}")


def _r2r(
    name: str, x: Any, type: Any, axes: tuple[int, ...], lengths: tuple[int, ...], norm: str | None, inverse: bool, orthogonalize: bool | None
) -> Any:
    _check(name, type, lengths)
    word = scale(norm, inverse)
    if orthogonalize or (orthogonalize is None and norm == "ortho"):
        word = f"{word} orthogonal".strip()
    if not axes:
        return x
    x = fitted(x, axes, lengths)
    kind = f"r2r {name}{INVERSE[type] if inverse else type}"
    if not is_complex(x.dtype):
        return transform(kind, x, x.shape, axes, word, x.dtype)
    parts = _reals(x)
    result = transform(kind, parts, parts.shape, axes, word, parts.dtype)
    if isinstance(result, Array):
        return Array._of(result.device, result._buffer, x.dtype, Placed.of(x.shape))
    return result.view(x.dtype).reshape(x.shape)


def _one(name: str, inverse: bool, x: Any, type: Any, n: Any, axis: Any, norm: Any, workers: Any, orthogonalize: Any) -> Any:
    x = operand(x, workers)
    return _r2r(name, x, type, *along_one(x.shape, n, axis), norm, inverse, orthogonalize)


def _several(name: str, inverse: bool, x: Any, type: Any, s: Any, axes: Any, norm: Any, workers: Any, orthogonalize: Any) -> Any:
    x = operand(x, workers)
    return _r2r(name, x, type, *along_several(x.shape, s, axes), norm, inverse, orthogonalize)


@of_one
def dct(
    x: Numbers, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, orthogonalize: bool | None = None,
) -> Any:
    """The discrete cosine transform of type 1, 2, 3 or 4, as `scipy.fft.dct`.

    >>> import numpy as np, wgpu_fft
    >>> np.round(wgpu_fft.dct(np.ones(4, np.float32), norm="ortho"), 3)
    array([2., 0., 0., 0.], dtype=float32)
    """
    return _one("dct", False, x, type, n, axis, norm, workers, orthogonalize)


@of_one
def idct(
    x: Numbers, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, orthogonalize: bool | None = None,
) -> Any:
    """The inverse of `dct`, as `scipy.fft.idct`."""
    return _one("dct", True, x, type, n, axis, norm, workers, orthogonalize)


@of_one
def dst(
    x: Numbers, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, orthogonalize: bool | None = None,
) -> Any:
    """The discrete sine transform of type 1, 2, 3 or 4, as `scipy.fft.dst`."""
    return _one("dst", False, x, type, n, axis, norm, workers, orthogonalize)


@of_one
def idst(
    x: Numbers, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, orthogonalize: bool | None = None,
) -> Any:
    """The inverse of `dst`, as `scipy.fft.idst`."""
    return _one("dst", True, x, type, n, axis, norm, workers, orthogonalize)


@of_one
def dctn(
    x: Numbers, type: int = 2, s: Integers = None, axes: Integers = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, orthogonalize: bool | None = None,
) -> Any:
    """The cosine transform along several axes, as `scipy.fft.dctn`."""
    return _several("dct", False, x, type, s, axes, norm, workers, orthogonalize)


@of_one
def idctn(
    x: Numbers, type: int = 2, s: Integers = None, axes: Integers = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, orthogonalize: bool | None = None,
) -> Any:
    """The inverse of `dctn`, as `scipy.fft.idctn`."""
    return _several("dct", True, x, type, s, axes, norm, workers, orthogonalize)


@of_one
def dstn(
    x: Numbers, type: int = 2, s: Integers = None, axes: Integers = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, orthogonalize: bool | None = None,
) -> Any:
    """The sine transform along several axes, as `scipy.fft.dstn`."""
    return _several("dst", False, x, type, s, axes, norm, workers, orthogonalize)


@of_one
def idstn(
    x: Numbers, type: int = 2, s: Integers = None, axes: Integers = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, orthogonalize: bool | None = None,
) -> Any:
    """The inverse of `dstn`, as `scipy.fft.idstn`."""
    return _several("dst", True, x, type, s, axes, norm, workers, orthogonalize)
