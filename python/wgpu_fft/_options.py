"""Settings of the package."""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
from collections.abc import Iterator
from numbers import Integral
from typing import Any

DOUBLES = ("auto", "f64", "f64-by-f32", "single")


@dataclasses.dataclass(frozen=True)
class Options:
    """The settings that `get_options` returns; `set_options` describes them."""

    double: str = "auto"
    smallest: int = 4096
    plans: int = 64

    def __post_init__(self) -> None:
        if self.double not in DOUBLES:
            raise ValueError(f"double must be one of {', '.join(DOUBLES)}, not {self.double!r}")
        for name in ("smallest", "plans"):
            value = getattr(self, name)
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
    smallest : int
        As a backend, arrays with fewer elements are left to SciPy: moving them to a device and
        back takes longer than transforming them. 0 takes all.
    plans : int
        How many plans are kept for each device. The one that was used longest ago goes first.

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
