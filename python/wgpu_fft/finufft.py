"""Fourier transforms on non-uniform points, by the names and signatures of finufft.

>>> import numpy as np
>>> import wgpu_fft.finufft as finufft
>>> x = np.array([0.1, -2.0, 3.0], np.float32)
>>> c = np.array([1, 1j, 0.5], np.complex64)
>>> finufft.nufft1d1(x, c, 8, eps=1e-4).shape
(8,)

`nufft1d1` to `nufft3d3` are transforms of types 1, 2 and 3 in one to three axes, and `Plan` keeps what
it has compiled and the points. Arguments, shapes, order of axes and signs are those of finufft 2.

complex128 is computed in double precision where the device has it, with `eps` from 1e-12 on; a smaller
one is refused. Devices without it, and the option `double="single"` of `wgpu_fft.set_options`, compute
complex128 in single precision: it is taken and returned with an error of `eps` and 1e-6 more, and `eps`
is from 1e-6 on, as it is for complex64. Coordinates in float64 keep their digits everywhere. Of the
options, `modeord` chooses the order of modes; those that choose between ways to compute
the same, such as `nthreads` and `upsampfac`, are taken and do nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._device import get_device
from ._errors import ArgumentError, Error
from ._options import get_options

__all__ = [
    "Plan", "nufft1d1", "nufft1d2", "nufft1d3", "nufft2d1", "nufft2d2", "nufft2d3", "nufft3d1", "nufft3d2", "nufft3d3",
]

# By whether it is in double precision.
SMALLEST = {False: 1e-6, True: 1e-12}
# There is no larger one, and a more exact result serves as well.
LARGEST = 0.1

# Options of finufft that change how a result is computed, and not what it is.
_IGNORED = {
    "allow_eps_too_small", "chkbnds", "debug", "fftw", "fftw_lock_data", "fftw_lock_fun", "fftw_unlock_fun", "hint_nj", "maxbatchsize",
    "nthreads", "showwarn", "spread_debug", "spread_function", "spread_kerevalmeth", "spread_kerformula", "spread_kerpad",
    "spread_max_sp_size", "spread_nthr_atomic", "spread_sort", "spread_thread", "upsampfac",
}


def _refused(kind: str, message: str) -> Error:
    error = ArgumentError(message)
    error.kind = kind
    return error


class Plan:
    """A transform that is compiled once, for points that are set and arrays that are transformed as
    often as you like.

    nufft_type : 1, 2 or 3
    n_modes_or_dim : int or tuple of int
        The numbers of modes along the axes for types 1 and 2, and the number of axes for type 3.
    n_trans : int
        So many transforms at once, with the same points.
    eps : float
        The relative error that is asked for, from 1e-6 on, or in double precision from 1e-12 on.
    isign : int
        The sign of the exponent; without it + for types 1 and 3 and - for type 2.
    dtype : "complex64" or "complex128"
        Of the arrays. The arithmetic of complex128 is that of complex64 on a device without 64-bit
        floats.
    modeord : 0 or 1
        0 for modes from -n/2 on, 1 for modes from 0 on with the negative ones behind.

    >>> import numpy as np
    >>> plan = Plan(1, (16, 20), eps=1e-4, dtype="complex64")
    >>> plan.setpts(np.array([0.1, 2], np.float32), np.array([1.5, 0], np.float32))
    >>> plan.execute(np.array([1, 1j], np.complex64)).shape
    (16, 20)
    """

    def __init__(
        self,
        nufft_type: int,
        n_modes_or_dim: int | Sequence[int],
        n_trans: int = 1,
        eps: float = 1e-6,
        isign: int | None = None,
        dtype: Any = "complex128",
        **kwargs: Any,
    ) -> None:
        if nufft_type not in (1, 2, 3):
            raise _refused("parse", f"there is no type {nufft_type}: it is 1, 2 or 3")
        modeord = kwargs.pop("modeord", 0)
        if modeord not in (0, 1):
            raise _refused("parse", f"there is no modeord {modeord}: it is 0 or 1")
        if unknown := kwargs.keys() - _IGNORED:
            raise TypeError(f"{', '.join(sorted(unknown))}: no such option here")
        if n_trans < 1:
            raise _refused("empty", f"n_trans is at least 1, not {n_trans}")
        self.dtype = np.dtype(dtype)
        if self.dtype not in (np.complex64, np.complex128):
            raise TypeError(f"dtype is complex64 or complex128, not {self.dtype}")
        self._device, double = get_device(), get_options().double
        # Nothing here computes in double-single arithmetic.
        self._double = self.dtype == np.complex128 and (double == "f64" or double == "auto" and self._device.has_f64)
        if not eps >= SMALLEST[self._double] * 0.999:
            why = f"in {'double' if self._double else 'single'} precision eps is at least {SMALLEST[self._double]:g}"
            if self.dtype == np.complex128 and not self._double:
                lack = "" if self._device.has_f64 else f", for {self._device.info['name']} has no 64-bit floats in shaders (SHADER_F64)"
                why = f"complex128 is computed in single precision here{lack}, and {why}"
            raise _refused("unsupported", f"eps={eps:g} is not there: {why}")
        if nufft_type == 3:
            if not isinstance(n_modes_or_dim, (int, np.integer)):
                raise _refused("parse", f"for type 3 this is the number of axes, not {n_modes_or_dim!r}")
            self.dim, self.n_modes = int(n_modes_or_dim), None
        else:
            n_modes = np.atleast_1d(np.asarray(n_modes_or_dim))
            if n_modes.ndim != 1 or n_modes.dtype.kind not in "iu" or (n_modes < 1).any():
                raise _refused("parse", f"numbers of modes are integers from 1 on, not {n_modes_or_dim!r}")
            self.dim, self.n_modes = len(n_modes), tuple(map(int, n_modes))
        if not 1 <= self.dim <= 3:
            raise _refused("unsupported", f"there are 1 to 3 axes, not {self.dim}")
        self.type, self.n_trans = nufft_type, n_trans
        self._eps, self._ascending = min(float(eps), LARGEST), modeord == 0
        self._plus = (nufft_type != 2) if isign is None else isign >= 0
        # By whether it is the adjoint.
        self._plans: dict[bool, _core.NufftPlan | _core.Nufft3Plan] = {}
        self._coordinates: list[np.ndarray] | None = None
        self._frequencies: list[np.ndarray] = []
        self._points: _core.NufftPoints | None = None

    def setpts(
        self,
        x: ArrayLike | None = None,
        y: ArrayLike | None = None,
        z: ArrayLike | None = None,
        s: ArrayLike | None = None,
        t: ArrayLike | None = None,
        u: ArrayLike | None = None,
    ) -> None:
        """Sets the points, one array for each axis, and for type 3 the frequencies s, t and u."""
        coordinates = self._axes("xyz", (x, y, z))
        if self.type == 3:
            frequencies = self._axes("stu", (s, t, u))
            self._plans.clear()
            self._coordinates, self._frequencies = coordinates, frequencies
        else:
            points = self._two_way(False).points(coordinates) if len(coordinates[0]) else None
            self._coordinates, self._points = coordinates, points

    def execute(self, data: ArrayLike, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """The transform of strengths at the points, or for type 2 of modes. It is written to `out`, if
        that is given."""
        return self._execute(data, out, False)

    def execute_adjoint(self, data: ArrayLike, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """The adjoint transform, from what `execute` returns to what it takes."""
        return self._execute(data, out, True)

    def _axes(self, names: str, given: tuple[ArrayLike | None, ...]) -> list[np.ndarray]:
        """The arrays of all axes, in one precision."""
        arrays = []
        for i, (name, array) in enumerate(zip(names, given)):
            if (array is not None) != (i < self.dim):
                raise _refused("wrong-inputs", f"{self.dim} axes have {', '.join(names[: self.dim])}; {name} is {type(array).__name__}")
            if array is not None:
                values = np.asarray(array)
                if values.dtype.kind not in "fiu":
                    raise TypeError(f"{name} has real numbers, not {values.dtype}")
                if values.ndim != 1 or len(values) != len(arrays[0] if arrays else values):
                    expected = (len(arrays[0]),) if arrays else "one axis"
                    raise _refused("wrong-shape", f"{name} has the shape {values.shape}, and should have {expected}")
                if not np.isfinite(values).all():
                    at = int(np.flatnonzero(~np.isfinite(values))[0])
                    raise _refused("parse", f"{name}[{at}] is {values[at]}: coordinates are finite")
                arrays.append(values)
        dtype = np.float32 if all(array.dtype == np.float32 for array in arrays) else np.float64
        # Copies, as plans of type 3 are made later.
        return [np.array(array, dtype, order="C") for array in arrays]

    def _two_way(self, adjoint: bool) -> _core.NufftPlan:
        """The compiled plan of type 1 or 2."""
        if adjoint not in self._plans:
            kind, plus = (3 - self.type, not self._plus) if adjoint else (self.type, self._plus)
            core, modes = self._device._core, self.n_modes or ()
            self._plans[adjoint] = _core.plan_nufft(core, kind, modes, self.n_trans, self._eps, plus, self._ascending, self._double)
        plan = self._plans[adjoint]
        assert isinstance(plan, _core.NufftPlan)
        return plan

    def _three(self, adjoint: bool) -> _core.Nufft3Plan:
        """The compiled plan of type 3, with its points."""
        if adjoint not in self._plans:
            ends = self._coordinates or [], self._frequencies
            here, there = ends[::-1] if adjoint else ends
            plus = self._plus != adjoint
            self._plans[adjoint] = _core.plan_nufft3(self._device._core, here, there, self.n_trans, self._eps, plus, self._double)
        plan = self._plans[adjoint]
        assert isinstance(plan, _core.Nufft3Plan)
        return plan

    def _execute(self, data: ArrayLike, out: NDArray[Any] | None, adjoint: bool) -> NDArray[Any]:
        if self._coordinates is None:
            raise _refused("wrong-inputs", "there are no points yet: call setpts first")
        at_points, others = (len(self._coordinates[0]),), self.n_modes or (len(self._frequencies[0]),)
        given, wanted = (others, at_points) if (self.type == 2) != adjoint else (at_points, others)
        values = np.asarray(data)
        if values.dtype.kind not in "fiuc":
            raise TypeError(f"data has complex numbers, not {values.dtype}")
        shapes = [(self.n_trans, *given)] + ([given] if self.n_trans == 1 else [])
        if values.shape not in shapes:
            raise _refused("wrong-shape", f"data has the shape {values.shape}, and should have {shapes[-1]}")
        shape = (self.n_trans, *wanted) if values.shape == shapes[0] else wanted
        if out is not None and (not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != self.dtype):
            what = f"{getattr(out, 'dtype', type(out))} of the shape {getattr(out, 'shape', None)}"
            raise _refused("wrong-shape", f"out is {what}, and should be {self.dtype} of the shape {shape}")
        flat = np.ascontiguousarray(values, np.complex128 if self._double else np.complex64).reshape(-1)
        if flat.size == 0 or 0 in wanted:
            result = np.zeros(shape, self.dtype)
        elif self.type == 3:
            result = self._three(adjoint).run(flat)
        else:
            assert self._points is not None
            result = self._two_way(adjoint).run(self._points, flat)
        result = result.reshape(shape)
        if out is None:
            return result.astype(self.dtype, copy=False)
        out[...] = result
        return out


def _once(
    kind: int,
    coordinates: tuple[ArrayLike, ...],
    data: ArrayLike,
    modes: int | Sequence[int] | None,
    frequencies: tuple[ArrayLike, ...],
    out: NDArray[Any] | None,
    eps: float,
    isign: int,
    options: dict[str, Any],
) -> NDArray[Any]:
    """A transform of its own plan."""
    data, dim = np.asarray(data), len(coordinates)
    double = data.dtype not in (np.complex64, np.float32, np.float16)
    if kind == 1 and modes is None:
        if out is None:
            raise _refused("wrong-inputs", "n_modes or out says how many modes there are; both are missing")
        modes = out.shape[-dim:]
    if kind == 2:
        if data.ndim not in (dim, dim + 1):
            raise _refused("wrong-shape", f"f has {dim} axes, or one more for several transforms, and not {data.ndim}")
        modes = data.shape[-dim:]
    own = dim if kind == 2 else 1
    transforms = data.shape[0] if data.ndim == own + 1 else 1
    if transforms == 0:
        raise _refused("empty", "there are no transforms: the first axis of the data has the length 0")
    plan = Plan(kind, dim if modes is None else modes, transforms, eps, isign, "complex128" if double else "complex64", **options)
    if plan.dim != dim:
        raise _refused("wrong-shape", f"n_modes has {plan.dim} axes, and the points have {dim}")
    plan.setpts(*coordinates, *[None] * (3 - dim), *frequencies)
    return plan.execute(data, out)


def nufft1d1(
    x: ArrayLike, c: ArrayLike, n_modes: int | Sequence[int] | None = None, out: NDArray[Any] | None = None, eps: float = 1e-6,
    isign: int = 1, **kwargs: Any,
) -> NDArray[Any]:
    """Type 1: f[k] = Σ c[j] exp(±i k x[j]) for k from -n/2 on, as many as `n_modes`."""
    return _once(1, (x,), c, n_modes, (), out, eps, isign, kwargs)


def nufft2d1(
    x: ArrayLike, y: ArrayLike, c: ArrayLike, n_modes: int | Sequence[int] | None = None, out: NDArray[Any] | None = None,
    eps: float = 1e-6, isign: int = 1, **kwargs: Any,
) -> NDArray[Any]:
    """Type 1 in two axes: f[k, l] = Σ c[j] exp(±i (k x[j] + l y[j]))."""
    return _once(1, (x, y), c, n_modes, (), out, eps, isign, kwargs)


def nufft3d1(
    x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike, n_modes: int | Sequence[int] | None = None, out: NDArray[Any] | None = None,
    eps: float = 1e-6, isign: int = 1, **kwargs: Any,
) -> NDArray[Any]:
    """Type 1 in three axes: f[k, l, m] = Σ c[j] exp(±i (k x[j] + l y[j] + m z[j]))."""
    return _once(1, (x, y, z), c, n_modes, (), out, eps, isign, kwargs)


def nufft1d2(
    x: ArrayLike, f: ArrayLike, out: NDArray[Any] | None = None, eps: float = 1e-6, isign: int = -1, **kwargs: Any
) -> NDArray[Any]:
    """Type 2: c[j] = Σ f[k] exp(±i k x[j]), over k from -n/2 on."""
    return _once(2, (x,), f, None, (), out, eps, isign, kwargs)


def nufft2d2(
    x: ArrayLike, y: ArrayLike, f: ArrayLike, out: NDArray[Any] | None = None, eps: float = 1e-6, isign: int = -1, **kwargs: Any
) -> NDArray[Any]:
    """Type 2 in two axes: c[j] = Σ f[k, l] exp(±i (k x[j] + l y[j]))."""
    return _once(2, (x, y), f, None, (), out, eps, isign, kwargs)


def nufft3d2(
    x: ArrayLike, y: ArrayLike, z: ArrayLike, f: ArrayLike, out: NDArray[Any] | None = None, eps: float = 1e-6, isign: int = -1,
    **kwargs: Any,
) -> NDArray[Any]:
    """Type 2 in three axes: c[j] = Σ f[k, l, m] exp(±i (k x[j] + l y[j] + m z[j]))."""
    return _once(2, (x, y, z), f, None, (), out, eps, isign, kwargs)


def nufft1d3(
    x: ArrayLike, c: ArrayLike, s: ArrayLike, out: NDArray[Any] | None = None, eps: float = 1e-6, isign: int = 1, **kwargs: Any
) -> NDArray[Any]:
    """Type 3: f[k] = Σ c[j] exp(±i s[k] x[j])."""
    return _once(3, (x,), c, None, (s,), out, eps, isign, kwargs)


def nufft2d3(
    x: ArrayLike, y: ArrayLike, c: ArrayLike, s: ArrayLike, t: ArrayLike, out: NDArray[Any] | None = None, eps: float = 1e-6,
    isign: int = 1, **kwargs: Any,
) -> NDArray[Any]:
    """Type 3 in two axes: f[k] = Σ c[j] exp(±i (s[k] x[j] + t[k] y[j]))."""
    return _once(3, (x, y), c, None, (s, t), out, eps, isign, kwargs)


def nufft3d3(
    x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike, s: ArrayLike, t: ArrayLike, u: ArrayLike, out: NDArray[Any] | None = None,
    eps: float = 1e-6, isign: int = 1, **kwargs: Any,
) -> NDArray[Any]:
    """Type 3 in three axes: f[k] = Σ c[j] exp(±i (s[k] x[j] + t[k] y[j] + u[k] z[j]))."""
    return _once(3, (x, y, z), c, None, (s, t, u), out, eps, isign, kwargs)
