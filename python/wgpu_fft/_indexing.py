"""Which part of an array a key means."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from . import _array


def part(array: _array.Array, key: Any) -> tuple[_array.Array, list[int]] | None:
    """The part without a copy, and which of its axes the key has backwards. None for masks and
    arrays of places, which NumPy takes on the host."""
    keys = list(key) if isinstance(key, tuple) else [key]
    if any(_is_array(one) for one in keys):
        return None
    given = sum(1 for one in keys if one is not None and one is not Ellipsis)
    places = [i for i, one in enumerate(keys) if one is Ellipsis]
    if given > array.ndim or len(places) > 1:
        raise IndexError(f"too many indices: the array has {array.ndim} axes, and {given} were indexed")
    at = places[0] if places else len(keys)
    keys[at : at + 1] = [slice(None)] * (array.ndim - given)
    placed, backwards, axis = array._placed, [], 0
    shape, strides, offset = [], [], placed.offset
    for one in keys:
        if one is None:
            shape.append(1)
            strides.append(1)
            continue
        n, stride = placed.shape[axis], placed.strides[axis]
        if isinstance(one, slice):
            chosen = range(n)[one]
            if chosen.step < 0:
                chosen = chosen[::-1]
                backwards.append(len(shape))
            shape.append(len(chosen))
            strides.append(stride * chosen.step)
            offset += chosen.start * stride if chosen else 0
        else:
            try:
                index = operator.index(one)
            except TypeError:
                raise IndexError(f"arrays on the device take whole numbers, slices and arrays of places, not {type(one).__name__}") from None
            if not -n <= index < n:
                raise IndexError(f"index {index} is out of bounds for axis {axis} with size {n}")
            offset += index % n * stride
        axis += 1
    # One element is the same both ways.
    return array._view(tuple(shape), tuple(strides), offset), [i for i in backwards if shape[i] > 1]


def _is_array(key: Any) -> bool:
    """Whether a key is a mask or has several places. True is an integer in Python, and a mask in NumPy."""
    if isinstance(key, (bool, np.bool_, list)):
        return True
    return hasattr(key, "__array__") and not (np.ndim(key) == 0 and hasattr(key, "__index__") and np.asarray(key).dtype.kind in "iu")


def on_host(key: Any) -> Any:
    """The same key with arrays on the device as NumPy's, of which only places may be in it."""
    if isinstance(key, tuple):
        return tuple(map(on_host, key))
    return key.to_numpy() if isinstance(key, _array.Array) else key
