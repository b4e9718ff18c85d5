"""Runs transforms, of arrays on the host and on the device."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._array import Array, empty, for_result
from ._callers import caller
from ._device import Device, as_bytes, get_device
from ._dtypes import is_double
from ._geometry import Placed, Step, TooManyAxes, halved, steps
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
    kind: str, x: np.ndarray | Array, shape: tuple[int, ...], axes: tuple[int, ...], scale: str, dtype: np.dtype
) -> np.ndarray | Array:
    """Transforms an array, which has the shape that the transform needs. See `_geometry.steps`."""
    if 0 in shape or 0 in x.shape:
        found = halved(shape, axes[-1]) if kind == "r2c fwd" else shape
        return empty(x.device, found, dtype) if isinstance(x, Array) else np.zeros(found, dtype)
    # What steps before the last one make.
    between = dtype if kind == "r2c fwd" else x.dtype
    if isinstance(x, Array):
        x = x._for_a_plan()
        tail = _tail(x._dtype, scale, x.device)
        try:
            todo = _steps(kind, x._placed, shape, axes, tail)
        except TooManyAxes:
            # It has gaps.
            x = x.copy()
            todo = _steps(kind, x._placed, shape, axes, tail)
        return _on_device(x, todo, between, dtype)
    device, placed = get_device(), Placed.of(x.shape)
    todo = _steps(kind, placed, shape, axes, _tail(x.dtype, scale, device))
    if len(todo) > 1:
        return _on_device(Array._of(device, device._upload(x), x.dtype, placed), todo, between, dtype).to_numpy()
    plan = device._plan_of(todo[0].spec)
    return plan.run([as_bytes(x)]).view(dtype).reshape(todo[0].shape)


def _tail(dtype: np.dtype, scale: str, device: Device) -> str:
    """The end of a text: the numbers, and the factor on the results."""
    return f"{numbers(dtype, device.has_f64)} {scale}".strip() if is_double(dtype) else scale


def _on_device(x: Array, todo: list[Step], between: np.dtype, dtype: np.dtype) -> Array:
    for step in todo:
        plan = x.device._plan_of(step.spec)
        result = for_result(x.device, step.shape, dtype if step is todo[-1] else between)
        plan.run_on(caller(), [x._buffer], result._held)
        x = result
    return x


def run(plan: _core.Plan, inputs: Sequence[Any], shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """Runs a plan that takes and leaves no gaps, on arrays that are all on the device or all on the host."""
    if not isinstance(inputs[0], Array):
        return plan.run([as_bytes(x) for x in inputs]).view(dtype).reshape(shape)
    result = for_result(inputs[0].device, shape, dtype)
    plan.run_on(caller(), [x.contiguous()._buffer for x in inputs], result._buffer)
    return result
