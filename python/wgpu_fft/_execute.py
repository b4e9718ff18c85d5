"""Runs transforms, of arrays on the host and on the device."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from ._array import Array, empty, for_result
from ._device import as_bytes, get_device
from ._dtypes import DTYPES, is_double
from ._geometry import Placed, Step, TooManyAxes, steps
from ._options import get_options

_steps = functools.lru_cache(4096)(steps)


def numbers(dtype: np.dtype, has_f64: bool) -> str:
    """The word for the numbers of a transform."""
    if not is_double(dtype):
        return ""
    double = get_options().double
    if double == "auto":
        return "f64" if has_f64 else "f64-by-f32"
    return "f64" if double == "single" else double


def transform(
    kind: str, x: np.ndarray | Array, shape: Sequence[int], axes: Sequence[int], scale: str, dtype: np.dtype
) -> np.ndarray | Array:
    """Transforms an array, which has the shape that the transform needs. See `_geometry.steps`."""
    device = x.device if isinstance(x, Array) else get_device()
    x = x._for_a_plan() if isinstance(x, Array) else x
    tail = f"{numbers(x.dtype, device.has_f64)} {scale}".strip()
    placed = x._placed if isinstance(x, Array) else Placed.of(x.shape)
    try:
        todo = _steps(kind, placed, tuple(shape), tuple(axes), tail)
    except TooManyAxes:
        # It has gaps, as only arrays on the device do here.
        assert isinstance(x, Array)
        x = x.copy()
        todo = _steps(kind, x._placed, tuple(shape), tuple(axes), tail)
    if isinstance(x, Array):
        return _on_device(x, todo)
    if len(todo) > 1:
        buffer = device._upload(x)
        return _on_device(Array._of(device, buffer, x.dtype, placed), todo).to_numpy()
    plan = device._plan_of(todo[0].spec)
    return plan.run([as_bytes(x)]).view(dtype).reshape(todo[0].shape)


def _on_device(x: Array, todo: list[Step]) -> Array:
    for step in todo:
        plan = x.device._plan_of(step.spec)
        element, _ = plan.output
        result = for_result(x.device, step.shape, DTYPES[element])
        plan.run_on([x._buffer], result._buffer)
        x = result
    return x


def zeros(like: np.ndarray | Array, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray | Array:
    """The result that has no elements, where `like` is."""
    assert math.prod(shape) == 0
    return empty(like.device, shape, dtype) if isinstance(like, Array) else np.zeros(shape, dtype)
