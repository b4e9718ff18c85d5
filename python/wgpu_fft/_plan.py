"""Plans by the text of a specification."""

from __future__ import annotations

from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from ._array import Array, empty, for_result, from_host
from ._callers import caller
from ._device import Device, as_bytes, get_device
from ._dtypes import ELEMENTS, dtype_of
from ._geometry import Placed, shapes_of_inputs
from ._options import RIGORS


# What `check` verifies.
CHECKED = (
    "c2c fwd 1000 x30", "c2c inv 480x640", "r2c fwd 1013 x20", "c2r inv 48x60x64", "r2r dct2 240x320",
    "permute f32 480x640 order=1,0", "sum f32 100000", "convolve f32 200x300 by 15x15 same",
)


def check(device: Device | None = None) -> dict[str, str]:
    """Verifies that a device computes as it should: a driver that nobody tested may not.

    Transforms, a permutation, a reduction and a convolution are verified as `Plan.verify` does it.
    The result says of each specification how. A wrong result is an `Error`, which names the driver.

    >>> import wgpu_fft
    >>> "c2c fwd 1000 x30" in wgpu_fft.check()
    True
    """
    return {spec: Plan(spec, device=device).verify() for spec in CHECKED}


class Tuned(NamedTuple):
    """What `tune` found."""

    #: How a plan computes it, for `Plan`.
    recipe: str
    #: Where it comes from: a search, with its times; the record; or the rules, if a search failed.
    source: str


def tune(spec: str, rigor: str = "measure", time_limit: float | None = None, again: bool = False, device: Device | None = None) -> Tuned:
    """Searches for the fastest way to compute a specification on a device, and records it.

    spec : str
        As for `Plan`. Each plan tells its own: `Plan.spec`.
    rigor : {"measure", "patient"}
        A search of about 2 seconds, or of up to a minute.
    time_limit : float, optional
        Seconds, in place of these.
    again : bool
        Search also if there is a result of such a search already.

    The record is a file that all programs share: the one that the environment variable
    `WGPU_FFT_RECORD` names, or one in the user's folder for caches. Plans that are made under
    `options(rigor="recorded")` use it, in this program and in others. Under `options(rigor="measure")`
    each new plan is searched for.

    >>> import wgpu_fft
    >>> found = wgpu_fft.tune("c2c fwd 64 x100", time_limit=0.1)
    >>> plan = wgpu_fft.Plan("c2c fwd 64 x100", recipe=found.recipe)
    """
    if rigor not in ("measure", "patient"):
        raise ValueError(f"rigor must be measure or patient, not {rigor!r}")
    device = device or get_device()
    found = Tuned(*device._core.choose(spec, rigor, time_limit, again))
    # Plans by an earlier result.
    with device._lock:
        for kind in RIGORS:
            device._entries.pop((spec, kind), None)
    return found


class Plan:
    """What a device does for a specification of the crate, given as its text.

    spec : str
        Such as "c2c fwd 512x512 1/n", "sum f32 480x640 axes=1" or "convolve f32 480x640 by 31x31 same".
        The guides of the Rust crate list all of them.
    recipe : str, optional
        How to compute it. By default `options(rigor=...)` decides.

    >>> import numpy as np, wgpu_fft
    >>> total = wgpu_fft.Plan("sum f32 1000")
    >>> total(np.ones(1000, np.float32))
    array([1000.], dtype=float32)

    An array has the shape that the specification says, with the batch in front if there is one, or
    one axis with all elements. Arrays of NumPy are one-dimensional results then, and arrays on the
    device stay there.
    """

    def __init__(self, spec: str, recipe: str | None = None, device: Device | None = None) -> None:
        self.device = device or get_device()
        if recipe is None:
            self._core = self.device._plan_of(spec)
        else:
            self._core = self.device._plan(("by recipe", spec, recipe), lambda: self.device._core.plan(spec, recipe))
        self._inputs, self._output = self._core.inputs, self._core.output
        self._shapes = shapes_of_inputs(self.spec, [(count, dtype_of(element)[1]) for element, count in self._inputs])

    @property
    def spec(self) -> str:
        """What it computes."""
        return self._core.spec

    @property
    def recipe(self) -> str:
        """How it computes that."""
        return self._core.recipe

    @property
    def program(self) -> str:
        """The dispatches that it runs."""
        return self._core.program

    @property
    def inputs(self) -> list[tuple[str, int]]:
        """The elements of each input, and how many there are."""
        return self._inputs

    @property
    def output(self) -> tuple[str, int]:
        """The elements of the output, and how many there are."""
        return self._output

    @overload
    def __call__(self, *inputs: Array) -> Array: ...  # pyright: ignore[reportOverlappingOverload]
    @overload
    def __call__(self, *inputs: ArrayLike) -> np.ndarray: ...
    def __call__(self, *inputs: Any) -> Any:
        """Runs the plan on arrays, one for each input, on the host or on the device."""
        if len(inputs) != len(self.inputs):
            raise TypeError(f"`{self.spec}` takes {len(self.inputs)} arrays, not {len(inputs)}")
        inputs = tuple(x if isinstance(x, Array) else from_host(x) for x in inputs)
        for x, shape, (element, count) in zip(inputs, self._shapes, self.inputs):
            dtype, each = dtype_of(element)
            if x.dtype != dtype:
                raise TypeError(f"`{self.spec}` takes elements of {element}, not of {x.dtype}")
            if x.shape not in ((count * each,), shape):
                which = "an array" if shape is None else f"an array of shape {shape}, or one"
                raise ValueError(f"`{self.spec}` takes {which} with its {count} elements of {element} in one axis, not one of shape {x.shape}")
        if any(isinstance(x, Array) for x in inputs):
            return self._on_device(inputs)
        dtype, count = dtype_of(self.output[0])
        result = self._core.run([as_bytes(x) for x in inputs]).view(dtype)
        return result if count == 1 else result.reshape(-1, count)

    def _on_device(self, inputs: tuple) -> Array:
        if not all(isinstance(x, Array) for x in inputs):
            raise TypeError("either all arrays are on the device, or none: use wgpu_fft.asarray")
        if self._core.in_place:
            raise TypeError(f"`{self.spec}` works in place; arrays on the device take plans that do not")
        element, count = self.output
        # There are zeros between the elements of a layout.
        make = empty if self._core.leaves_gaps else for_result
        result = make(self.device, (count,), dtype_of(element)[0])
        if result.dtype not in ELEMENTS:
            raise TypeError(f"`{self.spec}` makes {element}, which arrays on the device do not hold: pass arrays of NumPy")
        self._core.run_on(caller(), [x.contiguous()._buffer for x in inputs], result._buffer)
        return Array._of(self.device, result._buffer, result.dtype, Placed.of((count,)))

    def verify(self) -> str:
        """Verifies that this device computes what the plan says, and says how that was found out.

        The plan runs twice on random numbers. Some of the results are compared with the definition,
        in float64 on the host, and those of both runs with one another. A result that is wrong is an
        `Error`, which names the driver.

        >>> import wgpu_fft
        >>> "equal in two runs" in wgpu_fft.Plan("c2c fwd 1000").verify()
        True
        """
        return self._core.verify()

    def __repr__(self) -> str:
        return f"<wgpu_fft.Plan `{self.spec}`>"
