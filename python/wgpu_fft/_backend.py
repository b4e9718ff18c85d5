"""The package as a backend of SciPy: `scipy.fft.set_backend(wgpu_fft)`."""

from __future__ import annotations

import collections
import functools
import math
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core
from ._array import Array
from ._device import Device, get_device
from ._dtypes import ELEMENTS, is_double
from ._errors import Error
from ._options import get_options

#: How many calls the device took, and how many were left to SciPy, by the reason.
counts: collections.Counter[str] = collections.Counter()

# What may not work out on a device, and works in SciPy.
BEYOND = ("too-large", "unsupported", "out-of-memory")
OWN = (list, tuple, int, float, complex)


# No device is so fast that fewer elements would pay, nor so slow that more would not.
FEWEST, MOST = 256, 1 << 20
# How often the shortest of some times is looked for.
TRIES = 9


def smallest(device: Device) -> int:
    """From how many elements on a device is faster than SciPy, measured once.

    The threshold is where SciPy takes as long as the device by its estimate, which measures what calls,
    copies and passes take. To measure each length itself would compile a kernel for each.
    """
    with device._lock:
        if device._smallest is None:
            device._smallest = _smallest(device)
        return device._smallest


def _smallest(device: Device) -> int:
    import scipy.fft

    def shortest(run: Callable[[], Any]) -> float:
        times = []
        for _ in range(TRIES):
            begun = time.perf_counter()
            run()
            times.append(time.perf_counter() - begun)
        return min(times)

    n = FEWEST
    while n < MOST:
        x = np.ones(n, np.complex64)
        with scipy.fft.set_backend("scipy", only=True):
            theirs = shortest(lambda: scipy.fft.fft(x))
        if theirs >= device._core.seconds_from_host(f"c2c fwd {n}"):
            break
        n *= 2
    return n


class _Left(Exception):
    """A call that is left to SciPy, and why."""


def _operand(x: Any) -> Any:
    """The array of a call, if the device should transform it."""
    if isinstance(x, Array):
        return x
    if not isinstance(x, (np.ndarray, np.generic, *OWN)) and hasattr(x, "__array_namespace__"):
        raise _Left("an array of another library")
    x = np.asarray(x)
    dtype = np.dtype(np.float32) if x.dtype == np.float16 else x.dtype.newbyteorder("=")
    if dtype.kind in "biu":
        dtype = np.dtype(np.float64)
    if dtype not in ELEMENTS:
        raise _Left("a type of numbers that no device has")
    options = get_options()
    size = math.prod(x.shape)
    if size < FEWEST if options.smallest is None else size < options.smallest:
        raise _Left("few elements")
    if options.smallest is None and size < MOST and size < smallest(get_device()):
        raise _Left("few elements")
    if is_double(dtype) and options.double == "auto" and not get_device().has_f64:
        raise _Left("float64 on a device without it")
    return x


@functools.cache
def _register_scipy() -> None:
    """Makes SciPy the last resort, also where this package was set as the global backend in its place."""
    import scipy.fft

    scipy.fft.register_backend("scipy")


def call(functions: dict[str, Callable], method: Any, args: tuple, kwargs: dict) -> Any:
    """What uarray asks a backend: a result, or NotImplemented."""
    _register_scipy()
    function = functions.get(method.__name__)
    try:
        if function is None:
            raise _Left(f"{method.__name__}, which is made of other functions")
        if _core.is_forked():
            warnings.warn("wgpu_fft leaves transforms to SciPy in a process forked after its device was used", RuntimeWarning, 3)
            raise _Left("a forked process")
        if args:
            args = (_operand(args[0]), *args[1:])
        elif "x" in kwargs:
            kwargs = kwargs | {"x": _operand(kwargs["x"])}
        result = function(*args, **kwargs)
    except _Left as why:
        counts[f"left: {why}"] += 1
        return NotImplemented
    except Error as error:
        if error.kind not in BEYOND:
            raise
        counts[f"left: {error.kind}"] += 1
        return NotImplemented
    counts["served"] += 1
    return result
