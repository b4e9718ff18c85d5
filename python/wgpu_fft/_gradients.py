"""Transforms and convolutions with what their gradients are, for `torch` and `jax`.

A function y = f(x) or y = f(x1, x2) that is linear in each of its arrays is described by a form: the
real number T(y, x1, ...) = Re Σ conj(y)·f(x1, ...), which is linear in each argument. Map i of the form
takes all arguments but argument i, and gives the gradient of T with respect to that one, ∂T/∂Re +
i·∂T/∂Im. Map 0 is f. The others are its adjoints: what takes a gradient of y to one of x1 or of x2.

The maps are closed under differentiation. Map i's result is linear in argument j, and a gradient h of
that result gives the gradient of argument j by map j, with h in the place of argument i. So one wrapper
for each library differentiates all functions, any number of times.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _fourier, _real, signal
from ._arguments import Along, along_one, along_several, fitted, operand, resized_shape, scale
from ._array import number
from ._dtypes import complex_of, is_complex, real_of
from ._fourier import _c2c, _c2r, _in_reals, _r2c
from ._geometry import halved, whole_numbers
from ._options import get_options, options
from ._real import INVERSE, _check, _r2r

NAMES = [*_fourier.__all__, *_real.__all__, "fftconvolve"]

Map = Callable[..., Any]


class Like(NamedTuple):
    """What a form has to know of an array."""

    shape: tuple[int, ...]
    dtype: np.dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)


class Form:
    """Shapes, types and maps. The arguments have the types that other libraries gave them; see above.

    Map i as a function of arrays on the host is `calls[i]`. Equal calls of a function get the same form,
    and so the same functions: JAX keeps what it compiles for each one that it meets.
    """

    #: The form of a batch of so many, for those that `_kept` makes.
    batched: Callable[[int], Form]

    def __init__(self, shapes: Sequence[tuple[int, ...]], dtypes: Sequence[np.dtype], maps: Sequence[Map]) -> None:
        self.shapes, self.dtypes, self._maps = shapes, dtypes, maps
        self.calls = [functools.partial(self.run, i) for i in range(len(maps))]
        # Whoever calls a map later may do so in a thread without the options of this one.
        self._double = get_options().double

    def run(self, i: int, *others: Any) -> np.ndarray:
        """Map i of arrays on the host, each with the same axes of a batch in front, if any."""
        others = tuple(np.asarray(x) for x in others)
        batch = others[0].shape[: others[0].ndim - len(self.shapes[0 if i else 1])]
        if batch:
            count = math.prod(batch)
            if count == 0:
                return np.empty((*batch, *self.shapes[i]), self.dtypes[i])
            one = [x.reshape(count, *x.shape[len(batch) :]) for x in others]
            return self.batched(count).run(i, *one).reshape(*batch, *self.shapes[i])
        with options(double=self._double):
            result = self._maps[i](*map(operand, others))
        if not is_complex(self.dtypes[i]):
            result = result.real
        assert result.shape == self.shapes[i]
        result = np.ascontiguousarray(result, self.dtypes[i]).reshape(self.shapes[i])
        # A transform along no axes is its argument.
        return result.copy() if any(np.may_share_memory(result, x) for x in others) else result

    def derivatives(self, i: int, others: Sequence[Any], h: Any) -> list[tuple[int, list[Any]]]:
        """Which map of which arguments gives each gradient, where h is one of map i's result."""
        every = [*others[:i], h, *others[i:]]
        return [(j, every[:j] + every[j + 1 :]) for j in range(len(every)) if j != i]


def _times(x: Any, axis: int, places: slice, factor: float) -> Any:
    """An array with some elements along an axis multiplied."""
    x = x.copy()
    x[(slice(None),) * axis + (places,)] *= factor
    return x


def _one_axis(name: str) -> bool:
    """Whether a function has one axis, and not several."""
    return name[-1] not in "2n" and name != "fftconvolve"


def _along(name: str, x: Any, s: Any, axes: Any) -> Along:
    return (along_one if _one_axis(name) else along_several)(x.shape, s, axes)


def _linear(x: Any, axes: tuple[int, ...], shape: tuple[int, ...], dtype: np.dtype, there: Map, back: Map) -> Form:
    """A transform of an array that is cut, or filled up, before; and its adjoint, which is so behind."""
    own = tuple([x.shape[axis] for axis in axes])
    return Form((shape, x.shape), (dtype, np.dtype(x.dtype)), (there, lambda g: fitted(back(g), axes, own)))


def _fourier_form(name: str, x: Any, s: Any, axes: Any, norm: str | None) -> Form:
    kind = name.rstrip("2n")
    inverse, hermitian, to_reals = kind[0] == "i", "h" in kind, kind in ("irfft", "hfft")
    along = _along(name, x, s, axes)
    axes, lengths = _in_reals(along, s, 1 - _one_axis(name)) if to_reals else along
    factor, dtype, shape = scale(norm, inverse), _computed(x.dtype), resized_shape(x.shape, axes, lengths)
    if kind in ("fft", "ifft"):
        there, back = (functools.partial(_c2c, axes=axes, lengths=lengths, inverse=way, factor=factor) for way in (inverse, not inverse))
        return _linear(x, axes, shape, complex_of(dtype), there, back)
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    last, paired = axes[-1], slice(1, (lengths[-1] + 1) // 2)
    # Of the numbers of a half-spectrum, those that stand for two.
    r2c, c2r = (functools.partial(transform, axes=axes, lengths=lengths, factor=factor) for transform in (_r2c, _c2r))
    conj = np.conj if hermitian else np.asarray
    if to_reals:
        return _linear(x, axes, shape, real_of(dtype), lambda x: c2r(conj(x)), lambda g: conj(_times(r2c(g), last, paired, 2)))
    if is_complex(dtype):
        raise TypeError("x must be a real sequence")
    half = halved(shape, last)
    return _linear(x, axes, half, complex_of(dtype), lambda x: conj(r2c(x)), lambda g: c2r(_times(conj(g), last, paired, 0.5)))


# The transposed matrix of a cosine or sine transform is that of the inverse kind, with factors for some
# elements before and behind, if neither is orthogonal.
_FACTORS = {
    "dct1": [(slice(1, -1), 0.5), (slice(1, -1), 2.0)],
    "dct2": [(slice(1), 2.0), None],
    "dct3": [None, (slice(1), 0.5)],
    "dst2": [(slice(-1, None), 2.0), None],
    "dst3": [None, (slice(-1, None), 0.5)],
}
_OPPOSITE = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def _real_form(name: str, x: Any, s: Any, axes: Any, norm: str | None, type: int, orthogonalize: bool | None) -> Form:
    kind, inverse = name.strip("in"), name[0] == "i"
    axes, lengths = _along(name, x, s, axes)
    scale(norm, inverse)
    _check(kind, type, lengths)
    orthogonal = norm == "ortho" if orthogonalize is None else orthogonalize
    factors = [None, None] if orthogonal else _FACTORS.get(f"{kind}{INVERSE[type] if inverse else type}", [None, None])

    def weighted(x: np.ndarray, factor: tuple[slice, float] | None) -> np.ndarray:
        return functools.reduce(lambda x, axis: _times(x, axis, *factor), axes, x) if factor else x

    def transform(x: np.ndarray, norm: Any, inverse: bool) -> Any:
        return _r2r(kind, x, type, axes, lengths, norm, inverse, orthogonal)

    def back(g: np.ndarray) -> np.ndarray:
        return weighted(transform(weighted(g, factors[0]), _OPPOSITE[norm], not inverse), factors[1])

    return _linear(x, axes, resized_shape(x.shape, axes, lengths), _computed(x.dtype), lambda x: transform(x, norm, inverse), back)


def _convolution_form(x: Any, y: Any, mode: str, axes: Any) -> Form:
    signal._check(mode)
    if x.ndim != y.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    if x.ndim == 0 or 0 in (*x.shape, *y.shape):
        raise ValueError(f"there are no gradients of convolutions of the shapes {tuple(x.shape)} and {tuple(y.shape)}")
    shapes = (x.shape, y.shape)
    chosen, swapped = signal._places(x, y, mode, axes)
    whole = signal._cut(shapes, "full", chosen)
    part = signal._cut(shapes[::-1] if swapped else shapes, mode, chosen)

    def correlated(g: np.ndarray, other: np.ndarray, shape: tuple[int, ...]) -> Any:
        padded = np.zeros([cut.stop for cut in whole], g.dtype)
        padded[part] = g
        other = np.conj(np.flip(other, tuple(chosen)))
        result = signal.fftconvolve(padded, other, "valid", chosen) if chosen else padded * other
        # Along axes that are not convolved, one element meets all.
        repeated = tuple(axis for axis, n in enumerate(shape) if n != result.shape[axis])
        return result.sum(repeated, keepdims=True)

    return Form(
        (tuple(cut.stop - cut.start for cut in part), *shapes),
        (np.result_type(_computed(x.dtype), _computed(y.dtype)), np.dtype(x.dtype), np.dtype(y.dtype)),
        (
            lambda x, y: signal.fftconvolve(x, y, mode, axes),
            lambda g, y: correlated(g, y, shapes[0]),
            lambda g, x: correlated(g, x, shapes[1]),
        ),
    )


def _computed(dtype: Any) -> np.dtype:
    """The type of the numbers that the device computes with."""
    return number(np.empty(0, dtype)).dtype


def _form(name: str, arrays: Sequence[Any], arguments: dict[str, Any]) -> Form:
    """The form of a call, the same one for equal calls. Of the arrays it reads `shape` and `dtype`, a type of NumPy's."""
    # One axis has a length, and several have a shape.
    given = {{"n": "s", "axis": "axes"}.get(key, key): value for key, value in arguments.items()}
    for key, what in (("s", "shape"), ("axes", "axes")):
        if given.get(key) is not None:
            given[key] = operator.index(given[key]) if _one_axis(name) else tuple(whole_numbers(given[key], what))
    return _kept(name, tuple(Like(tuple(x.shape), np.dtype(x.dtype)) for x in arrays), get_options().double, **given)


@functools.lru_cache(1024, typed=True)
def _kept(name: str, arrays: tuple[Like, ...], double: str, **arguments: Any) -> Form:
    transform: Callable[..., Form] = _real_form if name in _real.__all__ else _fourier_form
    make: Callable[..., Form] = _convolution_form if name == "fftconvolve" else functools.partial(transform, name)
    with options(double=double):
        form = make(*arrays, **arguments)
    # Axes are counted from the first, and those of a batch lie before it.
    axes = _along(name, arrays[0], arguments.get("s"), arguments["axes"])[0]
    behind = axes[0] + 1 if _one_axis(name) else tuple(axis + 1 for axis in axes)

    def batched(count: int) -> Form:
        each = tuple(Like((count, *x.shape), x.dtype) for x in arrays)
        return _kept(name, each, double, **(arguments | {"axes": behind}))

    form.batched = batched
    return form


def functions(library: str, apply: Callable[..., Any], renamed: Callable[[str], dict[str, str]]) -> list[Callable[..., Any]]:
    """The functions that `NAMES` lists, for another library.

    `apply` takes a function that makes a form of arrays, and the arrays. Parameters are those of the
    package's own functions, without those that say how to compute. `renamed` takes a function's name and
    gives those of its parameters that the library calls otherwise.
    """
    return [_function(name, library, apply, renamed) for name in NAMES]


def _function(name: str, library: str, apply: Callable[..., Any], renamed: Callable[[str], dict[str, str]]) -> Callable[..., Any]:
    own = next(getattr(module, name) for module in (_fourier, _real, signal) if name in module.__all__)
    taken = [p for p in inspect.signature(own).parameters.values() if p.name not in ("overwrite_x", "workers", "plan")]
    signature = inspect.Signature([p.replace(name=renamed(name).get(p.name, p.name), annotation=p.empty) for p in taken])
    count = sum(p.default is p.empty for p in taken)

    def function(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values = list(bound.arguments.values())
        arguments = {p.name: value for p, value in zip(taken[count:], values[count:])}
        return apply(lambda *arrays: _form(name, arrays, arguments), *values[:count])

    function.__name__ = function.__qualname__ = name
    function.__module__ = f"{__package__}.{library}"
    function.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess]
    function.__doc__ = f"`wgpu_fft.{'signal.' * (name == 'fftconvolve')}{name}` with gradients. {own.__doc__.splitlines()[0]}"
    return function
