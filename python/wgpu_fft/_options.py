"""Settings of the package."""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
from collections.abc import Iterator
from numbers import Integral
from typing import Any

DOUBLES = ("auto", "f64", "f64-by-f32", "single")
RIGORS = ("estimate", "recorded", "measure", "patient")


@dataclasses.dataclass(frozen=True)
class Options:
    """The settings that `get_options` returns; `set_options` describes them."""

    double: str = "auto"
    smallest: int | None = None
    plans: int = 64
    fuse: int = 100
    rigor: str = "estimate"

    def __post_init__(self) -> None:
        if self.double not in DOUBLES:
            raise ValueError(f"double must be one of {', '.join(DOUBLES)}, not {self.double!r}")
        if self.rigor not in RIGORS:
            raise ValueError(f"rigor must be one of {', '.join(RIGORS)}, not {self.rigor!r}")
        for name in ("smallest", "plans", "fuse"):
            value = getattr(self, name)
            if name == "smallest" and value is None:
                continue
            if not isinstance(value, Integral) or value < 0:
                raise ValueError(f"{name} must be a whole number from 0 on, not {value!r}")


_everywhere = Options()
_here: contextvars.ContextVar[Options | None] = contextvars.ContextVar("wgpu_fft_options", default=None)


def get_options() -> Options:
    """The settings that hold here."""
    return _here.get() or _everywhere


def set_options(**changes: Any) -> None:
    """Changes settings for all threads. Those that are not named stay as they are.

    double : {"auto", "f64", "f64-by-f32", "single"}
        How float64 and complex128 are computed. "f64" needs a device with 64-bit floats in
        shaders. "f64-by-f32" computes in double-single arithmetic, on any device: about 46 of the 53
        bits, and the range of f32. "auto", the default, is "f64" where the device has it. On other
        devices it leaves such arrays to SciPy when the package is a backend, and is "f64-by-f32"
        for direct calls. "single" computes in f32 and returns float32 and complex64.
    smallest : int, optional
        As a backend, arrays with fewer elements are left to SciPy: moving them to a device and
        back takes longer than transforming them. 0 takes all. None, the default, is the power of two
        from which on SciPy takes longer for a transform than the device by an estimate. Both are
        measured once in a process, in tenths of a second, when an array first asks for it.
    plans : int
        How many plans are kept for each device. The one that was used longest ago goes first.
    fuse : int
        An expression of several operators on arrays on the device gets a kernel of its own when it
        was computed so many times by kernels of its operators, since compiling it takes as long as
        many of these. Each MiB of results within it that a kernel would not store counts as one time
        more, so that large arrays wait for few. 0 for never. The results are the same.
    rigor : {"estimate", "recorded", "measure", "patient"}
        How plans are chosen. "estimate", the default, takes no time: rules, and what the authors
        measured. "recorded" takes what was measured on this device, see `tune`, and else the same.
        "measure" and "patient" measure whatever is not recorded: for about 2 seconds, and up to a
        minute, for each new plan.

    >>> import wgpu_fft
    >>> wgpu_fft.set_options(double="single", smallest=0)
    """
    global _everywhere
    _everywhere = dataclasses.replace(_everywhere, **changes)


@contextlib.contextmanager
def options(**changes: Any) -> Iterator[Options]:
    """Changes settings within a `with` block, for this thread alone. See `set_options`.

    >>> import wgpu_fft
    >>> with wgpu_fft.options(double="single"):
    ...     wgpu_fft.get_options().double
    'single'
    """
    token = _here.set(dataclasses.replace(get_options(), **changes))
    try:
        yield get_options()
    finally:
        _here.reset(token)
