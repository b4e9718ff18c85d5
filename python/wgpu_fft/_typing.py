"""What type checkers know of functions that take arrays on the device and on the host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from ._array import Array

Numbers = Any  # What NumPy takes, or an array on the device.
# Lengths or axes.
Integers = int | Sequence[int] | None
P = ParamSpec("P")


class OfOne(Protocol[P]):
    """Of an array on the device an array there, and of what NumPy takes an array of NumPy."""

    __name__: str

    # NumPy takes it as well, so the order counts.
    @overload
    def __call__(self, x: Array, /, *args: P.args, **kwargs: P.kwargs) -> Array: ...  # pyright: ignore[reportOverlappingOverload]
    @overload
    def __call__(self, x: ArrayLike, /, *args: P.args, **kwargs: P.kwargs) -> np.ndarray: ...


class OfTwo(Protocol[P]):
    """The same of two arrays."""

    @overload
    def __call__(self, in1: Array, in2: Array, /, *args: P.args, **kwargs: P.kwargs) -> Array: ...  # pyright: ignore[reportOverlappingOverload]
    @overload
    def __call__(self, in1: ArrayLike, in2: ArrayLike, /, *args: P.args, **kwargs: P.kwargs) -> np.ndarray: ...


def of_one(function: Callable[Concatenate[Numbers, P], Any]) -> OfOne[P]:
    return function  # pyright: ignore[reportReturnType]


def of_two(function: Callable[Concatenate[Numbers, Numbers, P], Any]) -> OfTwo[P]:
    return function  # pyright: ignore[reportReturnType]
