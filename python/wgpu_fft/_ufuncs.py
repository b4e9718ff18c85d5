"""NumPy's functions of elements (ufuncs), on arrays on the device."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _array, _elementwise

# Operators, which also older versions of NumPy have without `array_api`.
OPERATORS: dict[str, Callable] = {
    "power": _elementwise.power,
    **{name: functools.partial(_elementwise.binary, name) for name in _elementwise.REAL},
    **{name: functools.partial(_elementwise.by_numpy, name) for name in ("remainder", "floor_divide", "matmul")},
    **{
        name: functools.partial(_elementwise.compared, name)
        for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
    },
}
# By NumPy's names, those of the standard where they are others.
STANDARD = {
    "absolute": "abs", "conjugate": "conj", "rint": "round", "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift", "right_shift": "bitwise_right_shift",
    **{f"arc{name}": f"a{name}" for name in ("cos", "cosh", "sin", "sinh", "tan", "tan2", "tanh")},
}


def call(ufunc: np.ufunc, method: str, inputs: tuple, out: tuple | None, options: dict) -> Any:
    """The function of `wgpu_fft.array_api` of that name, or NumPy's where operands or results are on the host."""
    if out is not None and (any(isinstance(one, np.ndarray) for one in out) or not any(isinstance(one, _array.Array) for one in inputs)):
        return _on_host(getattr(ufunc, method), inputs, out, options)
    name = ufunc.__name__
    # Other libraries have functions of the same names.
    is_numpys = getattr(np, name, None) is ufunc
    function = OPERATORS.get(name) or _of_the_standard(STANDARD.get(name, name)) if is_numpys else None
    if function is None or method != "__call__" or options:
        what = name if method == "__call__" else f"{name}.{method}"
        how = "".join(f", {option}=..." for option in options)
        raise TypeError(f"the ufunc {what} takes no arrays on the device{' with' * bool(how)}{how[1:]}: call {what}(x.to_numpy(), ...{how})")
    result = function(*(np.asarray(one) if isinstance(one, (list, tuple)) else one for one in inputs))
    if result is NotImplemented:
        return result
    if out is None:
        # A ufunc returns a new array.
        return result.copy() if any(result is one for one in inputs) else result
    out[0][...] = result
    return out[0]


def _on_host(function: Callable, inputs: tuple, out: tuple, options: dict) -> Any:
    """What NumPy writes to copies of `out`, written to the arrays on the device among them."""
    operands, copies = ([one.to_numpy() if isinstance(one, _array.Array) else one for one in given] for given in (inputs, out))
    results = function(*operands, out=tuple(copies), **options)
    results = results if len(out) > 1 else (results,)
    for own, result in zip(out, results):
        if isinstance(own, _array.Array):
            own[...] = result
    kept = tuple(result if own is None else own for own, result in zip(out, results))
    return kept if len(out) > 1 else kept[0]


def _of_the_standard(name: str) -> Callable | None:
    from . import array_api

    return getattr(array_api, name, None)
