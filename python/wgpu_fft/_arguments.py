"""The arguments that transforms have in common, checked as SciPy does."""

from __future__ import annotations

import functools
import operator
import os
from typing import Any

import numpy as np

from ._array import Array, from_host, number, resized
from ._geometry import whole_numbers

# Axes, and a length for each.
Along = tuple[tuple[int, ...], tuple[int, ...]]

SCALES = {
    # Of forward transforms, and of inverse ones.
    None: ("", "1/n"),
    "backward": ("", "1/n"),
    "ortho": ("1/sqrt(n)", "1/sqrt(n)"),
    "forward": ("1/n", ""),
}


def scale(norm: str | None, inverse: bool) -> str:
    """The word for the factor on the results."""
    if not isinstance(norm, (str, type(None))) or norm not in SCALES:
        raise ValueError(f'Invalid norm value {norm!r}, should be "backward", "ortho" or "forward"')
    return SCALES[norm][inverse]


def check(workers: Any, plan: Any = None) -> None:
    """Refuses what SciPy refuses. A device decides itself how many workers it has."""
    if plan is not None:
        raise NotImplementedError(
            "a precomputed plan cannot be passed here: plans are kept and found by themselves, and wgpu_fft.Plan runs one of yours"
        )
    if workers is None:
        return
    count = operator.index(workers)
    processors = os.cpu_count() or 1
    if count == 0:
        raise ValueError("workers must not be zero")
    if count < -processors:
        raise ValueError(f"workers value out of range; got {count}, must not be less than {-processors}")


def operand(x: Any, workers: Any = None, plan: Any = None) -> np.ndarray | Array:
    """The array to transform, with numbers that the device computes with."""
    if workers is not None or plan is not None:
        check(workers, plan)
    return x if isinstance(x, Array) else number(from_host(x))


def one_axis(ndim: int, axis: Any) -> int:
    """An axis, counted from the first."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise ValueError(f"axis {axis} is out of bounds for an array of {ndim} axes")
    return axis % ndim


def along_one(shape: tuple[int, ...], n: Any, axis: Any) -> Along:
    """The axis to transform, and the length along it."""
    return _along_one(shape, None if n is None else operator.index(n), operator.index(axis))


@functools.lru_cache(4096)
def _along_one(shape: tuple[int, ...], n: int | None, axis: int) -> Along:
    axis = one_axis(len(shape), axis)
    if n is not None and n < 1:
        raise ValueError(f"invalid number of data points ({n}) specified")
    return _along_several(shape, None if n is None else (n,), (axis,))


def along_several(shape: tuple[int, ...], s: Any, axes: Any) -> Along:
    """The axes to transform, counted from the first, and the length along each."""
    given = None if s is None else tuple(whole_numbers(s, "shape"))
    asked = None if axes is None else tuple(whole_numbers(axes, "axes"))
    return _along_several(shape, given, asked)


@functools.lru_cache(4096)
def _along_several(shape: tuple[int, ...], given: tuple[int, ...] | None, asked: tuple[int, ...] | None) -> Along:
    ndim = len(shape)
    if asked is None:
        count = ndim if given is None else len(given)
        if count > ndim:
            raise ValueError("shape requires more axes than are present")
        chosen = tuple(range(ndim - count, ndim))
    else:
        chosen = tuple(axis + ndim if axis < 0 else axis for axis in asked)
        if any(not 0 <= axis < ndim for axis in chosen):
            raise ValueError("axes exceeds dimensionality of input")
        if len(set(chosen)) != len(chosen):
            raise ValueError("all axes must be unique")
        if given is not None and chosen and len(given) != len(chosen):
            raise ValueError("when given, axes and shape arguments have to be of the same length")
    lengths = tuple(shape[axis] for axis in chosen)
    if given is not None:
        lengths = tuple(own if n == -1 else n for n, own in zip(given, lengths))
    if any(n < 1 for n in lengths):
        raise ValueError(f"invalid number of data points ({list(lengths)}) specified")
    return chosen, lengths


@functools.lru_cache(4096)
def resized_shape(shape: tuple[int, ...], axes: tuple[int, ...], lengths: tuple[int, ...]) -> tuple[int, ...]:
    """A shape with these lengths along some axes."""
    wanted = dict(zip(axes, lengths))
    return tuple([wanted.get(axis, n) for axis, n in enumerate(shape)])


def fitted(x: np.ndarray | Array, axes: tuple[int, ...], lengths: tuple[int, ...]) -> np.ndarray | Array:
    """The array cut, or filled up with zeros, to these lengths."""
    shape = resized_shape(x.shape, axes, lengths)
    if shape == x.shape:
        return x
    if isinstance(x, Array):
        return resized(x, shape)
    common = tuple(slice(min(sizes)) for sizes in zip(x.shape, shape))
    if all(n <= own for n, own in zip(shape, x.shape)):
        return x[common]
    result = np.zeros(shape, x.dtype)
    result[common] = x[common]
    return result
