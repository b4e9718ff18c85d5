"""Which specifications a transform of an n-dimensional array becomes.

The crate's transforms have up to three axes and a batch, each with a stride of its own. Arrays of
NumPy have any number of axes. Axes that are not transformed and follow one another in memory are
one axis; what then has too many is done in several steps. Nothing here needs a device.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
import re
from collections.abc import Sequence
from numbers import Number
from typing import Any, NamedTuple

# Axes of a specification, and with its batch.
AXES = 3
PLACES = AXES + 1


def whole_numbers(values: Any, name: str) -> list[int]:
    """One integer or several, also those of NumPy."""
    # What is usual first: asking for an abstract class takes longer than all else here.
    if not isinstance(values, (tuple, list)) and isinstance(values, Number):
        values = (values,)
    try:
        return [operator.index(value) for value in values]
    except TypeError as why:
        raise ValueError(f"{name} must be a scalar or iterable of integers") from why


def dense(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of an array without gaps, in elements."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * max(shape[axis + 1], 1)
    return tuple(strides)


class Placed(NamedTuple):
    """Where the elements of an array lie: strides and an offset, in a buffer of so many elements."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    within: int

    @staticmethod
    def of(shape: Sequence[int]) -> Placed:
        """An array without gaps."""
        return _placed(tuple(shape))

    @property
    def is_dense(self) -> bool:
        return self is _placed(self.shape) or self.offset == 0 and self.within == math.prod(self.shape) and self.has_no_gaps

    @property
    def has_no_gaps(self) -> bool:
        """Whether the elements follow one another in their order, wherever the first one is."""
        return all(n == 1 or own == other for n, own, other in zip(self.shape, self.strides, dense(self.shape)))

    @property
    def span(self) -> int:
        """The number of elements from the first to the last one, with those between them."""
        return 1 + sum((n - 1) * stride for n, stride in zip(self.shape, self.strides)) if math.prod(self.shape) else 0


@functools.lru_cache(4096)
def _placed(shape: tuple[int, ...]) -> Placed:
    return Placed(shape, dense(shape), 0, math.prod(shape))


@dataclasses.dataclass(frozen=True)
class Step:
    """A specification, and the shape of its output, which has no gaps."""

    spec: str
    shape: tuple[int, ...]


@dataclasses.dataclass
class _Axis:
    """An axis of the specification: its extent and its strides on both sides."""

    n: int
    strides: list[int]
    transformed: bool


def _follows(axis: _Axis, outer: _Axis) -> bool:
    """Whether two axes that are not transformed are one in memory."""
    if axis.transformed or outer.transformed:
        return False
    return all(own == axis.n * inner for own, inner in zip(outer.strides, axis.strides))


def _merged(axes: list[_Axis]) -> list[_Axis]:
    """The same places with fewer axes, as far as they follow one another on both sides."""
    merged: list[_Axis] = []
    for axis in axes:
        if merged and _follows(axis, merged[-1]):
            merged[-1] = _Axis(merged[-1].n * axis.n, axis.strides, False)
        else:
            merged.append(axis)
    return merged


def _layout(axes: list[_Axis], batch: _Axis | None, side: int, placed: Placed) -> str:
    strides = ",".join(str(axis.strides[side]) for axis in axes)
    distance = f"/{batch.strides[side]}" if batch is not None else ""
    offset = f"@{placed.offset}" if placed.offset else ""
    return f"{strides}{distance}{offset}:{placed.within}"


def _spec(head: str, axes: list[_Axis], sides: tuple[Placed, Placed], tail: str, half: int | None) -> str | None:
    """The text of a transform along some axes, or None if there are too many.

    `half` is the side on which the last of `axes` has n/2+1 elements.
    """
    axes = list(axes)
    last = [axes.pop()] if half is not None else []
    # Axes of one element are everywhere, unless nothing else is left to transform.
    needed = [axis for axis in axes if axis.n > 1 or head.startswith("r2r") and axis.transformed]
    if not last and not any(axis.transformed for axis in needed):
        needed = [axis for axis in axes if axis.n > 1 or axis.transformed]
    axes = _merged(needed) + last
    batch = None
    free = [axis for axis in axes if not axis.transformed]
    if free and (len(axes) > AXES or axes[0] is free[0]) and len(axes) > 1:
        batch = free[0]
        axes = [axis for axis in axes if axis is not batch]
    if len(axes) > AXES:
        return None
    words = [head, "x".join(str(axis.n) for axis in axes)]
    if batch is not None:
        words.append(f"x{batch.n}")
    chosen = [i for i, axis in enumerate(axes) if axis.transformed]
    if len(chosen) < len(axes):
        words.append(f"axes={','.join(map(str, chosen))}")
    for side, (name, placed) in enumerate(zip(("in", "out"), sides)):
        if not _is_natural(axes, batch, side, placed, half):
            words.append(f"{name}={_layout(axes, batch, side, placed)}")
    return " ".join(words + ([tail] if tail else []))


def _is_natural(axes: list[_Axis], batch: _Axis | None, side: int, placed: Placed, half: int | None) -> bool:
    """Whether the elements lie as the specification has them by default."""
    if placed.offset:
        return False
    extents = [axis.n for axis in axes]
    if half == side:
        extents[-1] = extents[-1] // 2 + 1
    strides = dense(extents)
    if any(axis.strides[side] != stride and n > 1 for axis, stride, n in zip(axes, strides, extents)):
        return False
    whole = math.prod(extents)
    return (batch is None or batch.strides[side] == whole) and placed.within == whole * (batch.n if batch else 1)


def steps(kind: str, source: Placed, shape: Sequence[int], axes: Sequence[int], tail: str) -> list[Step]:
    """What transforms `axes` of an array.

    `kind` begins the texts: "c2c fwd", "c2c inv", "r2c fwd", "c2r inv" or "r2r dct2". `shape` is
    that of the reals, or of the whole array where there is no half-spectrum, and `source` says
    where the input lies. The last of `axes` is the one with n/2+1 elements. `tail` ends the texts:
    numbers and a scale.
    """
    shape, axes = tuple(shape), list(axes)
    if kind == "r2c fwd":
        return _forward(source, shape, axes, tail)
    if kind == "c2r inv":
        return _inverse(source, shape, axes, tail)
    return _plain(kind, source, shape, axes, tail)


def _strided(shape: Sequence[int], sides: tuple[Placed, Placed], axes: Sequence[int], last: int | None) -> list[_Axis]:
    order = [axis for axis in range(len(shape)) if axis != last] + ([] if last is None else [last])
    return [_Axis(shape[axis], [side.strides[axis] for side in sides], axis in axes) for axis in order]


def _plain(kind: str, source: Placed, shape: tuple[int, ...], axes: list[int], tail: str) -> list[Step]:
    sides = (source, Placed.of(shape))
    spec = _spec(kind, _strided(shape, sides, axes, None), sides, tail, None)
    if spec is not None:
        return [Step(spec, shape)]
    if len(axes) == 1:
        raise _too_many(shape)
    middle = len(axes) // 2
    first = _plain(kind, source, shape, axes[middle:], tail)
    return first + _plain(kind, Placed.of(shape), shape, axes[:middle], tail)


def halved(shape: Sequence[int], axis: int) -> tuple[int, ...]:
    """The shape with n/2+1 instead of n elements along an axis."""
    return tuple(n // 2 + 1 if i == axis else n for i, n in enumerate(shape))


def _forward(source: Placed, shape: tuple[int, ...], axes: list[int], tail: str) -> list[Step]:
    last, half = axes[-1], halved(shape, axes[-1])
    sides = (source, Placed.of(half))
    spec = _spec("r2c fwd", _strided(shape, sides, axes, last), sides, tail, 1)
    if spec is not None:
        return [Step(spec, half)]
    if len(axes) == 1:
        raise _too_many(shape)
    return _forward(source, shape, [last], tail) + _plain("c2c fwd", Placed.of(half), half, axes[:-1], tail)


def _inverse(source: Placed, shape: tuple[int, ...], axes: list[int], tail: str) -> list[Step]:
    last, half = axes[-1], halved(shape, axes[-1])
    sides = (source, Placed.of(shape))
    spec = _spec("c2r inv", _strided(shape, sides, axes, last), sides, tail, 0)
    if spec is not None:
        return [Step(spec, shape)]
    if len(axes) == 1:
        raise _too_many(shape)
    first = _plain("c2c inv", source, half, axes[:-1], tail)
    return first + _inverse(Placed.of(half), shape, [last], tail)


def shapes_of_inputs(spec: str, inputs: Sequence[tuple[int, int]]) -> list[tuple[int, ...] | None]:
    """The shape of each input of a specification as it prints, or None where that does not say it.

    `inputs` has the number of elements of each, and the numbers that an element consists of. The
    batch is an axis in front, and the numbers of an element are one behind if there are several.
    """
    words = spec.split()
    shapes = [tuple(map(int, word.split("x"))) for word in words if re.fullmatch(r"\d+(x\d+)*", word)]
    batches = [(int(word[1:]),) for word in words if re.fullmatch(r"x\d+", word)] + [()]
    if words[0] == "c2r" or "half" in words:
        shapes[0] = halved(shapes[0], len(shapes[0]) - 1)
    for word in words:
        if word.startswith("in-part="):
            ends = [part.split("..") for part in word.removeprefix("in-part=").split(",")]
            shapes[0] = tuple(int(end) - int(first) for first, end in ends)
    found: list[tuple[int, ...] | None] = []
    for i, (count, each) in enumerate(inputs):
        own = shapes[1] if i and words[0] in ("convolve", "correlate") else shapes[0]
        # A kernel may be one for all arrays of a batch.
        fitting = [batch + own for batch in (batches[0], ()) if math.prod(batch + own) == count]
        # With a layout, the elements have another order in memory.
        known = fitting and not any(word.startswith("in=") for word in words)
        found.append(fitting[0] + ((each,) if each > 1 else ()) if known else None)
    return found


class TooManyAxes(Exception):
    """The places of an array are too irregular for one specification."""


def _too_many(shape: Sequence[int]) -> TooManyAxes:
    return TooManyAxes(f"an array of {len(shape)} axes with gaps between its elements")


def copy(element: str, source: Placed, target: Placed) -> tuple[str, str]:
    """The specification that copies elements from one place to another, and WGSL for an element's
    number in the order of the array."""
    sides = (source, target)
    axes = [axis for axis in _strided(source.shape, sides, (), None) if axis.n > 1]
    axes = _merged(axes) or [_Axis(1, [1, 1], False)]
    batch = axes.pop(0) if len(axes) > PLACES else None
    if len(axes) > PLACES:
        raise _too_many(source.shape)
    words = [f"permute {element}", "x".join(str(axis.n) for axis in axes)]
    if batch is not None:
        words.append(f"x{batch.n}")
    words.append(f"order={','.join(str(i) for i in range(len(axes)))}")
    for side, (name, placed) in enumerate(zip(("in", "out"), sides)):
        if not _is_natural(axes, batch, side, placed, None):
            words.append(f"{name}={_layout(axes, batch, side, placed)}")
    flat = "batch" if batch is not None else "0u"
    for i in range(len(axes)):
        flat = f"({flat} * n{i} + i{i})" if flat != "0u" else f"i{i}"
    return " ".join(words), flat
