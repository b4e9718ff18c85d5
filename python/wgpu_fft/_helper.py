"""What surrounds transforms: frequencies, shifts and lengths."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ._array import Array, for_result
from ._callers import caller
from ._device import get_device
from ._dtypes import ELEMENTS
from ._geometry import whole_numbers
from ._typing import Integers, Numbers, of_one


def fftfreq(n: int, d: float = 1.0) -> np.ndarray:
    """The frequencies of `fft` in cycles per unit of the distance `d`, as `scipy.fft.fftfreq`."""
    return np.fft.fftfreq(n, d)


def rfftfreq(n: int, d: float = 1.0) -> np.ndarray:
    """The frequencies of `rfft`, as `scipy.fft.rfftfreq`."""
    return np.fft.rfftfreq(n, d)


@of_one
def fftshift(x: Numbers, axes: Integers = None) -> Any:
    """Moves frequency 0 to the middle of the axes, as `scipy.fft.fftshift`."""
    return _rolled(x, axes, 1) if isinstance(x, Array) else np.fft.fftshift(x, axes)


@of_one
def ifftshift(x: Numbers, axes: Integers = None) -> Any:
    """Undoes `fftshift`, as `scipy.fft.ifftshift`."""
    return _rolled(x, axes, -1) if isinstance(x, Array) else np.fft.ifftshift(x, axes)


def _rolled(x: Array, axes: Any, sign: int) -> Array:
    axes = list(range(x.ndim)) if axes is None else whole_numbers(axes, "axes")
    if any(not -x.ndim <= axis < x.ndim for axis in axes):
        raise ValueError(f"axes {axes} are not those of an array of {x.ndim} axes")
    # As in NumPy, an axis that is named twice is shifted twice.
    chosen = sorted(axis % x.ndim for axis in axes)
    x = x.contiguous()
    # Neighbours that are not shifted are one axis.
    extents: list[list[int]] = []
    for axis, n in enumerate(x.shape):
        shift = sign * (n // 2) * chosen.count(axis)
        if extents and shift == 0 and extents[-1][1] == 0:
            extents[-1][0] *= n
        else:
            extents.append([n, shift])
    if x.size == 0 or not extents:
        return x
    if len(extents) > 4:
        # One axis has at most one on each side, so that it ends.
        middle = len(set(chosen)) // 2
        first = [axis for axis in chosen if axis in sorted(set(chosen))[:middle]]
        return _rolled(_rolled(x, first, sign), chosen[len(first) :], sign)
    shape, by = ("x".join(str(part[0]) for part in extents), ",".join(str(part[1]) for part in extents))
    result = for_result(x.device, x.shape, x.dtype)
    x.device._plan_of(f"roll {ELEMENTS[x.dtype]} {shape} by={by}").run_on(caller(), [x._buffer], result._buffer)
    return result


def next_fast_len(target: int, real: bool = False) -> int:
    """The length from `target` on that the device transforms fastest, as `scipy.fft.next_fast_len`.

    It is the device's own: other lengths are fast there than on a processor.
    """
    device, key = get_device(), (_length(target), bool(real))
    if key not in device._fast_lens:
        device._fast_lens[key] = device._core.next_fast_len(*key)
    return device._fast_lens[key]


def prev_fast_len(target: int, real: bool = False) -> int:
    """The largest length up to `target` that is worth padding to, as `scipy.fft.prev_fast_len`."""
    target = _length(target)
    if next_fast_len(target, real) == target:
        return target
    # A larger length never has a smaller next one, so that all lengths behind the result have one
    # beyond the target. Powers of two are their own.
    last, beyond = 1 << target.bit_length() - 1, target
    while beyond - last > 1:
        middle = (last + beyond) // 2
        if next_fast_len(middle, real) > target:
            beyond = middle
        else:
            last = middle
    return last


def _length(target: Any) -> int:
    target = operator.index(target)
    if target < 1:
        raise ValueError(f"a length must be positive, not {target}")
    return target
