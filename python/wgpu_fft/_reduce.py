"""Reductions of arrays on the device along some axes."""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np

from . import _array
from ._callers import caller
from ._dtypes import DTYPES, ELEMENTS, is_complex, is_double, real_of
from ._geometry import PLACES, whole_numbers

# By the names of NumPy.
NAMES = {
    "sum": "sum", "prod": "product", "mean": "mean", "min": "min", "max": "max", "var": "variance", "std": "standard_deviation",
    "argmin": "argmin", "argmax": "argmax", "any": "any", "all": "all",
}
OF_REALS = ("min", "max", "argmin", "argmax")
OF_F64 = ("sum", "mean", "min", "max")


def reduced(array: _array.Array, name: str, axis: Any, keepdims: bool, ddof: float = 0, dtype: Any = None, out: Any = None) -> Any:
    """As the method of NumPy's arrays. Numbers stay on the device; places and truths do not."""
    if out is not None:
        raise TypeError(f"{name} of an array on the device takes no out: it returns a new array")
    array = array if dtype is None else array.astype(dtype, copy=False)
    axes = _axes(array.ndim, axis)
    on_host = functools.partial(_on_host, array, name, axis, keepdims, ddof)
    if array.size == 0 or not axes:
        return on_host()
    if is_double(array.dtype) and (is_complex(array.dtype) or not array.device.has_f64 or name not in OF_F64):
        return on_host()
    if is_complex(array.dtype) and name in OF_REALS:
        # NumPy orders complex numbers by their real parts first.
        return on_host()
    shape, count = _shape(array.shape, axes, keepdims), math.prod(array.shape[i] for i in axes)
    if _groups(array.shape, axes) > PLACES:
        # What is kept in front, and so two groups.
        kept = [i for i in range(array.ndim) if i not in axes]
        array, axes = array.transpose(*kept, *axes), tuple(range(len(kept), array.ndim))
    spec = _spec(NAMES[name], ELEMENTS[array.dtype], array.shape, axes)
    plan = array.device._plan_of(spec)
    element, _ = plan.output
    result = _array.for_result(array.device, shape, DTYPES[element])
    plan.run_on(caller(), [array.contiguous()._buffer], result._buffer)
    if name in ("argmin", "argmax"):
        return result.to_numpy().astype(np.intp)[()]
    if name in ("any", "all"):
        return result.to_numpy().astype(bool)[()]
    if ddof:
        factor = count / (count - ddof) if count > ddof else math.nan
        return result * (math.sqrt(factor) if name == "std" and factor > 0 else factor)
    return result


def _axes(ndim: int, axis: Any) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    axes = whole_numbers(axis, "axis")
    if any(not -ndim <= one < ndim for one in axes):
        raise ValueError(f"axis {axis} is out of bounds for an array of {ndim} axes")
    chosen = tuple(sorted(one % ndim for one in axes))
    if len(set(chosen)) < len(chosen):
        raise ValueError(f"axis {axis} names an axis twice")
    return chosen


@functools.lru_cache(1024)
def _shape(shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    if keepdims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def _groups(shape: tuple[int, ...], axes: tuple[int, ...]) -> int:
    """The axes of a reduction, where neighbours of which all are kept, or none, are one."""
    return sum(1 for _ in itertools.groupby(i in axes for i in range(len(shape))))


@functools.lru_cache(1024)
def _spec(name: str, element: str, shape: tuple[int, ...], axes: tuple[int, ...]) -> str:
    """The text of a reduction. Neighbouring axes of which all are kept, or none, are one."""
    groups = [
        (is_reduced, math.prod(shape[i] for i in group))
        for is_reduced, group in itertools.groupby(range(len(shape)), key=lambda i: i in axes)
    ]
    chosen = [str(i) for i, (is_reduced, _) in enumerate(groups) if is_reduced]
    return f"{name} {element} {'x'.join(str(n) for _, n in groups)} axes={','.join(chosen)}"


def _on_host(array: _array.Array, name: str, axis: Any, keepdims: bool, ddof: float) -> Any:
    axis = None if axis is None else tuple(whole_numbers(axis, "axis"))
    if name in ("argmin", "argmax"):
        axis = None if axis is None else axis[0]
    options = {"ddof": ddof} if name in ("var", "std") else {}
    result = getattr(np, name)(array.to_numpy(), axis=axis, keepdims=keepdims, **options)
    if name in ("argmin", "argmax", "any", "all"):
        return result
    kept = real_of(array.dtype) if name in ("var", "std") else array.dtype
    return _array.asarray(np.asarray(result, kept), dtype=kept, device=array.device)
