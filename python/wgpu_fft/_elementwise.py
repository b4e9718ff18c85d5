"""Arithmetic on the elements of arrays on the device, by fragments of WGSL."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _array, _core, _deferred
from ._callers import Caller, caller
from ._device import Device
from ._dtypes import ELEMENTS, is_complex, is_double, real_of
from ._errors import ArgumentError
from ._geometry import Placed, TooManyAxes, copy, dense

if TYPE_CHECKING:
    from ._array import Array

FUNCTIONS = """
fn conjugate(a: vec2<f32>) -> vec2<f32> {
    return vec2(a.x, -a.y);
}
fn times(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
fn over(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    let size = max(abs(b.x), abs(b.y));
    let c = b / size;
    let d = a / size;
    return vec2(d.x * c.x + d.y * c.y, d.y * c.x - d.x * c.y) / dot(c, c);
}
""" + _core.MAGNITUDE
REAL = {"add": "{a} + {b}", "subtract": "{a} - {b}", "multiply": "{a} * {b}", "divide": "{a} / {b}"}
COMPLEX = REAL | {"multiply": "times({a}, {b})", "divide": "over({a}, {b})"}
# What an operator takes beside an array on the device.
OPERANDS = (np.ndarray, np.generic, int, float, complex)


def _on_host(device: Device, result: np.ndarray) -> Array:
    return _array.asarray(result, dtype=result.dtype, device=device)


def mapped(array: Array, wgsl: str, dtype: np.dtype, of: Caller | None = None) -> Array:
    """The results of an expression of `value`, computed at once."""
    if is_double(array.dtype) or dtype not in ELEMENTS or is_double(dtype):
        raise TypeError(f"fragments compute in f32: from float32 and complex64 to these, not from {array.dtype} to {dtype}")
    return run(array, dtype, (wgsl, FUNCTIONS, ELEMENTS[array.dtype], ()), [], of or caller())


def run(array: Array, dtype: np.dtype, fragment: tuple, others: list, of: Caller) -> Array:
    """Runs a fragment on every element. `{flat}` in it is the number of the element."""
    result = _array.for_result(array.device, array.shape, dtype)
    if array.size == 0:
        return result
    array = array._based()
    try:
        key = _specified(dtype, array._placed, fragment)
    except TooManyAxes:
        array = array.copy()
        key = _specified(dtype, array._placed, fragment)
    array.device._plan_of(*key).run_on(of, [array._buffer], result._buffer, others)
    return result


@functools.lru_cache(1024)
def _specified(dtype: np.dtype, placed: Placed, fragment: tuple) -> tuple[str, tuple]:
    """The text of a copy of such an array, and the fragment with the number of an element."""
    spec, flat = copy(ELEMENTS[dtype], placed, Placed.of(placed.shape))
    return spec, (fragment[0].replace("{flat}", flat), *fragment[1:])


def unary(array: Array, wgsl: str, function: Any) -> Array:
    """An expression of `value`, or the same by NumPy for float64."""
    if is_double(array.dtype):
        return _on_host(array.device, function(array.to_numpy()))
    return _mapped(array, wgsl, array.dtype)


def _mapped(array: Array, wgsl: str, dtype: np.dtype) -> Array:
    """An expression with one `value`, of an array in f32, computed when it is needed."""
    return _deferred.unary(array, wgsl, dtype) if array.size else mapped(array, wgsl, dtype)


def absolute(array: Array) -> Array:
    if is_double(array.dtype):
        return _on_host(array.device, np.abs(array.to_numpy()))
    return _mapped(array, "magnitude(value)" if is_complex(array.dtype) else "abs(value)", real_of(array.dtype))


def conjugate(array: Array) -> Array:
    return unary(array, "conjugate(value)", np.conj) if is_complex(array.dtype) else array


def real(array: Array) -> Array:
    return _part(array, "x", np.real) if is_complex(array.dtype) else array


def imag(array: Array) -> Array:
    return _part(array, "y", np.imag) if is_complex(array.dtype) else _array.empty(array.device, array.shape, array.dtype)


def _part(array: Array, name: str, function: Any) -> Array:
    if is_double(array.dtype):
        return _on_host(array.device, function(array.to_numpy()).copy())
    return _mapped(array, f"(value).{name}", real_of(array.dtype))


def as_complex(array: Array) -> Array:
    """The same numbers of float32 as complex64."""
    return _mapped(array, "vec2(value, 0.0)", np.dtype(np.complex64))


def binary(name: str, left: Any, right: Any) -> Array:
    """`left` and `right` by an operator; one of them is an array on the device."""
    own = left if isinstance(left, _array.Array) else right
    other = right if own is left else left
    if not isinstance(other, OPERANDS) and not isinstance(other, _array.Array):
        return NotImplemented
    other_type: Any = other.dtype if isinstance(other, (_array.Array, np.ndarray)) else other
    # NumPy says the same of floats of Python's, and takes a microsecond for it.
    is_same = other_type is own._dtype or type(other) is float
    dtype: np.dtype = own._dtype if is_same else np.result_type(own._dtype, other_type)
    if is_double(dtype) or dtype not in ELEMENTS:
        return by_numpy(name, left, right)
    if not isinstance(other, _array.Array):
        kept = real_of(dtype) if isinstance(other, float) or not np.iscomplexobj(other) else dtype
        data = np.asarray(other, kept)
        # It is read later, and an array of no axes may be written meanwhile.
        other = _array.asarray(data, dtype=kept, device=own.device) if data.ndim else data.copy()
    elif other.device is not own.device:
        error = ArgumentError(f"an array is on another device: {other.device} and {own.device}")
        error.kind = "foreign-object"
        raise error
    shape = own.shape if other.shape in ((), own.shape) else np.broadcast_shapes(own.shape, other.shape)
    left, right = (own, other) if own is left else (other, own)
    if 0 in shape:
        return _array.empty(own.device, shape, dtype)
    return _deferred.binary(name, left, right, dtype, shape, own.device)


def apply(name: str, left: Any, right: Any, dtype: np.dtype, shape: tuple[int, ...], of: Caller) -> Array:
    """An operator on two arrays, or on one and a number, computed at once."""
    own = left if isinstance(left, _array.Array) else right
    other = right if own is left else left
    if not isinstance(other, _array.Array):
        other = _number(own.device, other)
    # The larger one is `value`, and the other one is looked up.
    value, looked_up = (other, own) if other.size > own.size else (own, other)
    value_is_left = value is left
    value = _spread(value, shape)
    is_one = looked_up.size == 1
    looked_up = (looked_up if is_one else _spread(looked_up, shape)).contiguous()
    types = (value._dtype, looked_up._dtype, dtype)
    fragment = _fragment(name, value_is_left, types, is_one, looked_up._placed.within)
    return run(value, dtype, fragment, [("other", looked_up._buffer)], of)


def power(base: Any, exponent: Any) -> Array:
    """Squares on the device; NumPy computes others, which WGSL's `pow` does not for negative numbers."""
    if isinstance(exponent, (int, float)) and exponent == 2:
        return binary("multiply", base, base)
    return by_numpy("power", base, exponent)


def by_numpy(name: str, left: Any, right: Any) -> Array:
    """An operator of NumPy's, on the host."""
    own = left if isinstance(left, _array.Array) else right
    sides = _sides(left, right)
    if sides is None:
        return NotImplemented
    return _on_host(own.device, np.asarray(getattr(np, name)(*sides)))


@functools.lru_cache(1024)
def _fragment(name: str, value_is_left: bool, types: tuple[np.dtype, np.dtype, np.dtype], is_one: bool, within: int) -> tuple:
    """The operator on `value` and an element of the array `other`, or its only one."""
    value, other, dtype = types
    index = "0u" if is_one else "{flat}"
    sides = [(value, "value"), (other, f"other[{index}]")]
    (left, a), (right, b) = sides if value_is_left else sides[::-1]
    return (expression(name, (left, right, dtype), [a, b]), FUNCTIONS, ELEMENTS[value], (("other", ELEMENTS[other], within),))


def expression(name: str, types: tuple[np.dtype, ...], texts: list[str]) -> str:
    """WGSL for an operator on two texts, of the types of both and of the result."""
    left, right, dtype = types
    a, b = _numbers(left, dtype, texts[0]), _numbers(right, dtype, texts[1])
    return (COMPLEX if is_complex(dtype) else REAL)[name].format(a=a, b=b)


def _number(device: Device, data: np.ndarray) -> Array:
    """A number as an array, whose buffer is kept for the next operator."""
    return _array.Array._of(device, device._number(data), data.dtype, Placed.of(()))


def compared(name: str, left: Any, right: Any) -> Any:
    """A comparison of NumPy's, on the host: no device has arrays of booleans."""
    sides = _sides(left, right)
    return NotImplemented if sides is None else getattr(np, name)(*sides)


def _sides(*operands: Any) -> list | None:
    """Operands on the host, or None if NumPy should ask their own class."""
    sides = [side.to_numpy() if isinstance(side, _array.Array) else side for side in operands]
    return sides if all(isinstance(side, OPERANDS) for side in sides) else None


def flipped(array: Array, axes: list[int]) -> Array:
    """A copy with the elements along some axes in reverse."""
    if is_double(array.dtype) or array.size == 0:
        return _on_host(array.device, np.flip(array.to_numpy(), tuple(axes)))
    array, strides = array.contiguous(), dense(array.shape)
    # Modulo 2**32, so that differences may be negative on the way.
    axes_of = ((array.shape[i], strides[i]) for i in axes)
    index = "{flat}" + "".join(f" + ({n - 1}u - 2u * (({{flat}}) / {stride}u % {n}u)) * {stride}u" for n, stride in axes_of)
    element = ELEMENTS[array.dtype]
    fragment = (f"other[{index}]", FUNCTIONS, element, (("other", element, array._placed.within),))
    return run(array, array.dtype, fragment, [("other", array._buffer)], caller())


def _numbers(own: np.dtype, wanted: np.dtype, text: str) -> str:
    return f"vec2({text}, 0.0)" if is_complex(wanted) and not is_complex(own) else text


def _spread(array: Array, shape: tuple[int, ...]) -> Array:
    """The array with repeated elements, as NumPy's `broadcast_to`."""
    if array.shape == shape:
        return array
    missing = len(shape) - array.ndim
    sizes, strides = (1,) * missing + array.shape, (1,) * missing + array._placed.strides
    strides = tuple(stride if n == size else 0 for n, size, stride in zip(shape, sizes, strides))
    return array._view(shape, strides, array._placed.offset)
