"""Arithmetic that is computed when it is needed, so that several operators are one kernel.

An operator on arrays on the device makes an `Expression`: what is to be computed, of which arrays.
`Array` computes it when somebody needs the elements. Until then another operator can take it up, and
`x * 2 + x` is one dispatch that reads `x` once.

Compiling a kernel takes as long as many runs of the kernels of its operators. So an expression is
computed by these, until it was computed `options(fuse=...)` times; then it gets a kernel of its own.
benches/reports/2026-11-28-python-expressions has what both take.

Both compute the same bits. Compilers contract and reorder arithmetic within a kernel, `a * b + c` to one
rounding. They cannot look through an exclusive or with bits that they do not know, which are zeros, so
each result within a kernel passes through one.

Everything is as if computed at once: before memory is written, what reads it is computed, see
`settle`. `keep` bounds how much is put off. A device's `_deferring` lock guards all of it.
"""

from __future__ import annotations

import functools
import math
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _array, _core, _elementwise
from ._callers import Caller, caller, said
from ._dtypes import ELEMENTS, is_complex
from ._errors import Error
from ._geometry import TooManyAxes
from ._options import get_options

if TYPE_CHECKING:
    from ._array import Array
    from ._device import Device

# Of one expression. A kernel binds an array for each leaf, one for the numbers and one for the result,
# and a fragment may have 512 tokens and 32 brackets within one another.
MOST_OPERATORS = 8
MOST_LEAVES = 4
# How many arrays of a device are put off, and the bytes that they keep from being freed.
MOST_ARRAYS = 32
MOST_BYTES = 256 << 20
# An expression may keep so many times the bytes of its result, such as of an array of which it reads a
# row, and any number that is small.
MOST_TIMES = 4
SMALL_BYTES = 1 << 20
# Expressions that are counted.
MOST_COUNTED = 1024

FUNCTIONS = """
fn kept_real(value: f32, zeros: u32) -> f32 {
    return bitcast<f32>(bitcast<u32>(value) ^ zeros);
}
fn kept_complex(value: vec2<f32>, zeros: u32) -> vec2<f32> {
    return bitcast<vec2<f32>>(bitcast<vec2<u32>>(value) ^ vec2(zeros));
}
"""


class Form:
    """An expression without its arrays and numbers. Equal ones are one object, see `_form`."""

    __slots__ = ("numbers", "operator", "parts", "places", "types")

    def __init__(self, operator: str, types: tuple[np.dtype, ...], parts: tuple[Form, ...], places: tuple[tuple[int, ...], ...]) -> None:
        # An operator of two parts by its name, or an expression of `value` in WGSL of one part; of
        # leaves, what they are.
        self.operator = operator
        # Of the parts, and of the result.
        self.types = types
        self.parts = parts
        # For each part, which leaves of this form its own leaves are.
        self.places = places
        self.numbers = sum(part.numbers for part in parts) if parts else int(operator == "number")

    def text(self, leaves: tuple[str, ...], first_number: int, zeros: str) -> str:
        """WGSL for the result, of WGSL for each leaf and the number of the first number."""
        if not self.parts:
            if self.operator != "number":
                return leaves[0]
            return f"numbers[{first_number}u]" if is_complex(self.types[-1]) else f"numbers[{first_number}u].x"
        texts = []
        for part, places in zip(self.parts, self.places):
            text = part.text(tuple(leaves[place] for place in places), first_number, zeros)
            first_number += part.numbers
            if part.parts:
                kept = "kept_complex" if is_complex(part.types[-1]) else "kept_real"
                text = f"{kept}({text}, {zeros})"
            texts.append(text)
        if len(texts) == 1:
            return self.operator.replace("value", texts[0])
        # What is an operand is a name, an element or a call.
        return _elementwise.expression(self.operator, self.types, texts)


# An array of the shape of the result, one of one element, and a number.
_LEAVES = {
    (kind, dtype): Form(kind, (dtype,), (), ())
    for kind in ("array", "one", "number")
    for dtype in (np.dtype(np.float32), np.dtype(np.complex64))
}


# Of one that was forgotten, another is made, which begins to be counted anew.
_form = functools.lru_cache(4 * MOST_COUNTED)(Form)


class Expression:
    """An operator and what it is applied to: expressions, arrays on the device, and numbers."""

    __slots__ = ("caller", "form", "leaves", "numbers", "operators", "parts", "shape", "value")

    def __init__(self, form: Form, parts: tuple, leaves: tuple[Array, ...], numbers: tuple, operators: int, shape: tuple[int, ...]) -> None:
        self.form, self.parts, self.leaves, self.numbers = form, parts, leaves, numbers
        self.operators, self.shape = operators, shape
        self.caller: Caller = caller()
        # The elements, if they were computed by themselves.
        self.value: Array | None = None

    @property
    def dtype(self) -> np.dtype:
        return self.form.types[-1]

    def reads(self, buffer: _core.Buffer) -> bool:
        """Whether it reads any memory of a buffer."""
        if any(leaf._held.shares(buffer) for leaf in self.leaves):
            return True
        todo = list(self.parts)
        for part in todo:
            if isinstance(part, Expression):
                if part.value is not None and part.value._held.shares(buffer):
                    return True
                todo.extend(part.parts)
        return False

    def kept_bytes(self) -> int:
        return sum([leaf._held.whole_nbytes for leaf in self.leaves])


def binary(name: str, left: Any, right: Any, dtype: np.dtype, shape: tuple[int, ...], device: Device) -> Array:
    """An operator on arrays and numbers, whose result has this type and this shape."""
    _core.check_process()
    with device._deferring:
        parts = [_part(left, shape), _part(right, shape)]
        leaves = _leaves(parts)
        while _operators(parts[0]) + _operators(parts[1]) >= MOST_OPERATORS or len(leaves) > MOST_LEAVES:
            # Both in one are too much: the larger one is computed.
            largest = max((0, 1), key=lambda i: (_operators(parts[i]), len(_leaves(parts[i : i + 1]))))
            parts[largest] = value_of(device, parts[largest])
            leaves = _leaves(parts)
        return _put_off(device, name, parts, leaves, dtype, shape)


def unary(array: Array, wgsl: str, dtype: np.dtype) -> Array:
    """An expression of `value`, which is in it once."""
    _core.check_process()
    with array.device._deferring:
        part = _part(array, array.shape)
        if _operators(part) >= MOST_OPERATORS:
            part = value_of(array.device, part)
        return _put_off(array.device, wgsl, [part], _leaves([part]), dtype, array.shape)


def _part(side: Any, shape: tuple[int, ...]) -> Any:
    """What an operator is applied to: an expression, an array of the result's shape or of one element, or a number."""
    if type(side) is not _array.Array:
        return side
    if side._expression is not None:
        if side.shape == shape:
            return side._expression
        compute(side)
    return side if side.size == 1 else _elementwise._spread(side, shape)


def _operators(part: Any) -> int:
    return part.operators if type(part) is Expression else 0


def _leaves(parts: list) -> tuple[Array, ...]:
    """The arrays that parts read, each once."""
    found: list[Array] = []
    for part in parts:
        for leaf in part.leaves if type(part) is Expression else (part,) if type(part) is _array.Array else ():
            if not any(own is leaf for own in found):
                found.append(leaf)
    return tuple(found)


def _put_off(device: Device, operator: str, parts: list, leaves: tuple[Array, ...], dtype: np.dtype, shape: tuple[int, ...]) -> Array:
    forms, places, numbers, operators = [], [], (), 1
    for part in parts:
        if type(part) is Expression:
            forms.append(part.form)
            places.append(tuple([_place(leaves, leaf) for leaf in part.leaves]))
            numbers += part.numbers
            operators += part.operators
        elif type(part) is _array.Array:
            # Of several elements in an array of one element: as its place does not matter, both are it.
            forms.append(_LEAVES["array" if part._placed.shape == shape else "one", part._dtype])
            places.append((_place(leaves, part),))
        else:
            forms.append(_LEAVES["number", part.dtype])
            places.append(())
            numbers += (part,)
    form = _form(operator, (*[form.types[-1] for form in forms], dtype), tuple(forms), tuple(places))
    result = _array.Array._of_expression(device, Expression(form, tuple(parts), leaves, numbers, operators, shape))
    keep(device, result)
    return result


def _place(leaves: tuple[Array, ...], leaf: Array) -> int:
    for i, own in enumerate(leaves):
        if own is leaf:
            return i
    raise AssertionError("a leaf is one of the leaves")


# Computing.


def value_of(device: Device, part: Any) -> Any:
    """The array of an expression. What is none already stays."""
    if not isinstance(part, Expression):
        return part
    if part.value is None:
        part.value = _computed(device, part)
    return part.value


def compute(array: Array) -> None:
    """Computes an array that was put off."""
    # A lock may have been held when this process was forked.
    _core.check_process()
    with array.device._deferring:
        expression = array._expression
        if expression is None:
            return
        try:
            array._held = value_of(array.device, expression)._held
        except Error as why:
            if hasattr(why, "add_note"):
                why.add_note(f"computing what {said(expression.caller)} has put off")
            raise
        array._expression = None


def _computed(device: Device, expression: Expression) -> Array:
    if expression.operators > 1 and _is_known(device, expression):
        return _by_one_kernel(device, expression)
    form, parts = expression.form, [value_of(device, part) for part in expression.parts]
    if len(parts) == 1:
        return _elementwise.mapped(parts[0], form.operator, expression.dtype, expression.caller)
    return _elementwise.apply(form.operator, parts[0], parts[1], expression.dtype, expression.shape, expression.caller)


def _is_known(device: Device, expression: Expression) -> bool:
    """Whether an expression was computed often enough for a kernel of its own, this time included."""
    fuse = get_options().fuse
    if fuse == 0:
        return False
    # Slices that differ in where they begin have one kernel.
    key = (expression.form, expression.leaves[_value(expression)]._based_place() if expression.leaves else None)
    saved_bytes = (expression.operators - 1) * math.prod(expression.shape) * expression.dtype.itemsize
    count = device._computed[key] = device._computed.pop(key, 0) + 1 + (saved_bytes >> 20)
    if len(device._computed) > MOST_COUNTED:
        device._computed.popitem(last=False)
    return count > fuse


def _value(expression: Expression) -> int:
    """Which leaf is copied, since it may lie anywhere. Others must have no gaps."""
    leaves = [(i, leaf) for i, leaf in enumerate(expression.leaves) if leaf.shape == expression.shape]
    return next((i for i, leaf in leaves if not leaf._placed.is_dense), leaves[0][0] if leaves else 0)


def _by_one_kernel(device: Device, expression: Expression) -> Array:
    value = _value(expression)
    leaves = list(expression.leaves)
    source = leaves.pop(value)
    if source.shape != expression.shape:
        source = _elementwise._spread(source, expression.shape)
    others = [leaf.contiguous() for leaf in leaves]
    sizes = tuple(other.size for other in others)
    types = tuple(leaf._dtype for leaf in expression.leaves)
    fragment = _fragment(expression.form, value, types, sizes)
    numbers = device._number(np.array([*expression.numbers, 0], np.complex64))
    arrays = [(f"leaf{i}", other._buffer) for i, other in enumerate(others)] + [("numbers", numbers)]
    return _elementwise.run(source, expression.dtype, fragment, arrays, expression.caller)


@functools.lru_cache(1024)
def _fragment(form: Form, value: int, types: tuple[np.dtype, ...], sizes: tuple[int, ...]) -> tuple:
    """The fragment that computes a form, with the leaf `value` as its value."""
    names = [f"leaf{i}[{'0u' if size == 1 else '{flat}'}]" for i, size in enumerate(sizes)]
    names.insert(value, "value")
    declared = [(f"leaf{i}", ELEMENTS[dtype], size) for i, (dtype, size) in enumerate(zip([*types[:value], *types[value + 1 :]], sizes))]
    text = form.text(tuple(names), 0, f"bitcast<u32>(numbers[{form.numbers}u].x)")
    return (text, _elementwise.FUNCTIONS + FUNCTIONS, ELEMENTS[types[value]], (*declared, ("numbers", ELEMENTS[np.dtype(np.complex64)], form.numbers + 1)))


# What is put off.


def keep(device: Device, array: Array) -> None:
    """Lets an array be computed later, if that keeps little memory from being freed; others meanwhile."""
    expression = array._expression
    assert expression is not None
    kept = expression.kept_bytes()
    # What no device can hold is an error of this call.
    is_too_large = array.nbytes > device.info["binding_bytes"]
    if is_too_large or kept > max(MOST_TIMES * array.nbytes, SMALL_BYTES) or kept > MOST_BYTES:
        compute(array)
        return
    device._put_off.append((weakref.ref(array), kept))
    device._put_off_bytes += kept
    if len(device._put_off) <= MOST_ARRAYS and device._put_off_bytes <= MOST_BYTES:
        return
    waiting = _waiting(device)
    while len(waiting) > MOST_ARRAYS // 2 or sum(kept for _, kept in waiting) > MOST_BYTES // 2:
        compute(waiting.pop(0)[0])
    device._put_off = [(weakref.ref(array), kept) for array, kept in waiting]
    device._put_off_bytes = sum(kept for _, kept in waiting)


def _waiting(device: Device) -> list[tuple[Array, int]]:
    """Arrays that somebody holds and that are not computed, the oldest first."""
    arrays = [(reference(), kept) for reference, kept in device._put_off]
    return [(array, kept) for array, kept in arrays if array is not None and array._expression is not None]


def settle(device: Device, buffer: _core.Buffer | None = None) -> None:
    """Computes what reads a buffer, before it is written; or all that is put off."""
    with device._deferring:
        for array, _ in _waiting(device):
            if buffer is None or array._expression is not None and array._expression.reads(buffer):
                compute(array)
