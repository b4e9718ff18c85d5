"""The Python array API standard (2024.12) on arrays of this package.

`Array.__array_namespace__` returns this module, so libraries that take arrays of any namespace call
its functions, such as SciPy with `SCIPY_ARRAY_API=1`.

>>> import numpy as np, wgpu_fft
>>> x = wgpu_fft.asarray(np.array([[1, 4], [9, 16]], np.float32))
>>> xp = x.__array_namespace__()
>>> xp.sum(xp.sqrt(x), axis=0).to_numpy()
array([4., 6.], dtype=float32)

The device has numbers of the types float32, float64, complex64 and complex128. Arrays of booleans and
of integers are therefore arrays of NumPy, also where a function of this module returns them:
comparisons, masks, places. float32 is the default type, as the devices compute in it.

What runs on the device: arithmetic, `abs`, `sqrt`, `square`, `conj`, `real`, `imag`, the signs and
roundings, `minimum` and `maximum`, sums, means, variances and extremes, shapes, and the transforms of
`fft`. Everything else is computed by NumPy on the host, and returned to the device: exponentials,
logarithms, sines, whose accuracy WGSL leaves to the driver, sorting, sets, and linear algebra.
"""

from __future__ import annotations

import builtins
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

if np.lib.NumpyVersion(np.__version__) < "2.1.0":
    raise ImportError(f"the array API needs NumPy 2.1 or later, and this is {np.__version__}")
from numpy.lib.array_utils import normalize_axis_tuple

from . import _elementwise, _fourier, _helper
from ._array import Array, asarray as _asarray, empty as _zeros
from ._device import Device, adapters, checked, get_device
from ._dtypes import ELEMENTS, is_complex, is_double
from ._geometry import whole_numbers

__array_api_version__ = "2024.12"

# Constants and types.
e, inf, nan, newaxis, pi = math.e, math.inf, math.nan, None, math.pi
bool = np.dtype(np.bool_)  # noqa: A001
int8, int16, int32, int64 = (np.dtype(name) for name in ("int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = (np.dtype(name) for name in ("uint8", "uint16", "uint32", "uint64"))
float32, complex64, float64, complex128 = ELEMENTS

_DEFAULTS = {"f": float32, "c": complex64, "i": int64, "b": bool}


def _host(value: Any) -> Any:
    """The same arguments on the host."""
    if isinstance(value, Array):
        return value.to_numpy()
    if isinstance(value, (list, tuple)):
        return type(value)(map(_host, value))
    return value


def _back(result: Any, device: Device | None) -> Any:
    """Results of NumPy: numbers that the device has go there."""
    if isinstance(result, tuple):
        kept = tuple(_back(one, device) for one in result)
        return type(result)(*kept) if hasattr(result, "_fields") else kept
    if isinstance(result, list):
        return [_back(one, device) for one in result]
    if isinstance(result, (np.ndarray, np.generic)) and result.dtype in ELEMENTS:
        return _asarray(np.asarray(result), dtype=result.dtype, device=device)
    return np.asarray(result) if isinstance(result, np.generic) else result


def _flat(values: Any) -> Any:
    """The elements of nested lists."""
    if isinstance(values, (list, tuple)):
        for one in values:
            yield from _flat(one)
    else:
        yield values


def _device_of(*values: Any) -> Device | None:
    """The device of the first array among arguments."""
    return next((value.device for value in _flat(values) if isinstance(value, Array)), None)


def _named(name: str, function: Callable) -> Callable:
    function.__name__ = function.__qualname__ = name
    return function


def _by_numpy(name: str, module: Any = np) -> Callable:
    """A function of NumPy on the host."""
    function = getattr(module, name)

    def on_host(*args: Any, **options: Any) -> Any:
        result = function(*map(_host, args), **{key: _host(value) for key, value in options.items()})
        return _back(result, _device_of(*args, *options.values()))

    on_host.__doc__ = f"`{module.__name__}.{name}`, on the host."
    return _named(name, on_host)


# Creation. All of it takes the types and devices of this package.


def _made(shape: Any, dtype: Any, device: Device | None, value: Any) -> Any:
    dtype = np.dtype(dtype)
    if dtype not in ELEMENTS:
        return np.full(shape, value, dtype)
    shape = tuple(whole_numbers(shape, "shape"))
    if builtins.any(n < 0 for n in shape):
        raise ValueError(f"no axis has a negative length: {shape}")
    if value == 0:
        return _zeros(get_device() if device is None else checked(device), shape, dtype)
    return _asarray(np.full(shape, value, dtype), dtype=dtype, device=device)


def asarray(obj: Any, /, *, dtype: Any = None, device: Device | None = None, copy: Any = None) -> Any:
    """An array on the device, or one of NumPy for booleans and integers."""
    if isinstance(obj, Array):
        array = obj if dtype is None else astype(obj, dtype, copy=False)
        if device is not None and isinstance(array, Array):
            array = _asarray(array, device=device)
        if copy is False and array is not obj:
            raise ValueError("an array of another type, or on another device, takes a copy")
        return array.copy() if copy and array is obj else array
    host = np.asarray(_host(obj), copy=False if copy is False else None)
    if dtype is None:
        # Numbers of Python have the default type, and beside others the type of those.
        typed = builtins.any(hasattr(one, "dtype") for one in _flat(obj))
        dtype = result_type(*_flat(obj)) if typed else _DEFAULTS.get(host.dtype.kind, host.dtype)
    host = np.array(host, dtype, copy=copy)
    if host.dtype not in ELEMENTS:
        return host
    if copy is False:
        raise ValueError("an array of the host comes to the device by a copy")
    return _asarray(host, dtype=host.dtype, device=device)


def zeros(shape: Any, *, dtype: Any = None, device: Device | None = None) -> Any:
    return _made(shape, float32 if dtype is None else dtype, device, 0)


def empty(shape: Any, *, dtype: Any = None, device: Device | None = None) -> Any:
    """Zeros: there are no arrays with anything in them."""
    return zeros(shape, dtype=dtype, device=device)


def ones(shape: Any, *, dtype: Any = None, device: Device | None = None) -> Any:
    return _made(shape, float32 if dtype is None else dtype, device, 1)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Device | None = None) -> Any:
    return _made(shape, _DEFAULTS[np.asarray(_host(fill_value)).dtype.kind] if dtype is None else dtype, device, _host(fill_value))


def _like(make: Callable) -> Callable:
    def like(x: Any, /, *args: Any, dtype: Any = None, device: Device | None = None) -> Any:
        return make(x.shape, *args, dtype=x.dtype if dtype is None else dtype, device=device or _device_of(x))

    return _named(f"{make.__name__}_like", like)


zeros_like, empty_like, ones_like, full_like = _like(zeros), _like(empty), _like(ones), _like(full)


def _created(name: str) -> Callable:
    function = getattr(np, name)

    def created(*args: Any, dtype: Any = None, device: Device | None = None, **options: Any) -> Any:
        host = function(*map(_host, args), **options) if dtype is None else function(*map(_host, args), dtype=dtype, **options)
        host = host.astype(_DEFAULTS[host.dtype.kind], copy=False) if dtype is None else host
        return _back(host, device)

    return _named(name, created)


arange, eye, linspace = map(_created, ("arange", "eye", "linspace"))
meshgrid, tril, triu = map(_by_numpy, ("meshgrid", "tril", "triu"))


def from_dlpack(x: Any, /, *, device: Device | None = None, copy: Any = None) -> Any:
    return asarray(x if isinstance(x, Array) else np.from_dlpack(x), device=device, copy=copy)


# Types.


def astype(x: Any, dtype: Any, /, *, copy: Any = True, device: Device | None = None) -> Any:
    """An array of another type: on the device, if the device has it."""
    if isinstance(x, Array) and np.dtype(dtype) in ELEMENTS and not (is_complex(x.dtype) and not is_complex(np.dtype(dtype))):
        return x.astype(dtype, copy=copy)
    return _back(np.asarray(_host(x)).astype(dtype, copy=copy), device or _device_of(x))


def finfo(type: Any, /) -> np.finfo:  # noqa: A002
    return np.finfo(getattr(type, "dtype", type))


def iinfo(type: Any, /) -> np.iinfo:  # noqa: A002
    return np.iinfo(getattr(type, "dtype", type))


def _types(values: Any) -> list:
    return [getattr(value, "dtype", value) for value in values]


def can_cast(from_: Any, to: Any, /) -> Any:
    return np.can_cast(*_types([from_, to]))


def result_type(*values: Any) -> np.dtype:
    """The type that arrays and types have in common; numbers of Python have none."""
    return np.result_type(*_types(values))


isdtype = np.isdtype

# Elementwise.


def _arithmetic(name: str) -> Callable:
    on_host = _by_numpy(name)

    def arithmetic(x1: Any, x2: Any, /) -> Any:
        return _elementwise.binary(name, x1, x2) if isinstance(x1, Array) or isinstance(x2, Array) else on_host(x1, x2)

    return _named(name, arithmetic)


add, subtract, multiply, divide = map(_arithmetic, ("add", "subtract", "multiply", "divide"))


def _mapped(name: str, of_reals: str | None, of_complex: str | None = None) -> Callable:
    """An expression of WGSL for each kind of number, where there is one that is exact or rounds once."""
    on_host = _by_numpy(name)

    def elementwise(x: Any, /) -> Any:
        if isinstance(x, Array) and not is_double(x.dtype):
            text = of_complex if is_complex(x.dtype) else of_reals
            if text is not None:
                return x.map(text)
        return on_host(x)

    return _named(name, elementwise)


# WGSL's round takes the even one of two, as NumPy's.
ceil, floor, round, trunc = (_mapped(name, f"{name}(value)") for name in ("ceil", "floor", "round", "trunc"))  # noqa: A001
negative = _mapped("negative", "-value", "-value")
square = _mapped("square", "value * value", "times(value, value)")
sqrt = _mapped("sqrt", "sqrt(value)")


def positive(x: Any, /) -> Any:
    return x


def abs(x: Any, /) -> Any:  # noqa: A001
    return _elementwise.absolute(x) if isinstance(x, Array) else np.abs(x)


def conj(x: Any, /) -> Any:
    return x.conj() if isinstance(x, Array) else np.conj(x)


def real(x: Any, /) -> Any:
    return x.real


def imag(x: Any, /) -> Any:
    return x.imag


def pow(x1: Any, x2: Any, /) -> Any:  # noqa: A001
    return _elementwise.power(x1, x2) if isinstance(x1, Array) or isinstance(x2, Array) else np.pow(x1, x2)


_HOST = """
acos acosh asin asinh atan atan2 atanh copysign cos cosh exp expm1 floor_divide hypot log log10 log1p log2 logaddexp
maximum minimum nextafter reciprocal remainder sign sin sinh tan tanh
bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor
equal greater greater_equal isfinite isinf isnan less less_equal logical_and logical_not logical_or logical_xor not_equal signbit
where isin searchsorted nonzero count_nonzero take take_along_axis
unique_all unique_counts unique_inverse unique_values
concat repeat roll stack tile unstack diff cumulative_prod cumulative_sum
matmul tensordot vecdot
""".split()
for _name in _HOST:
    globals()[_name] = _by_numpy(_name)

_clip, _argsort = map(_by_numpy, ("clip", "argsort"))


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:  # noqa: A002
    return _clip(x, min=min, max=max)


def sort(x: Any, /, *, axis: int = -1, descending: Any = False, stable: Any = True) -> Any:
    ascending = np.sort(_host(x), axis=axis, stable=stable)
    return _back(np.flip(ascending, axis) if descending else ascending, _device_of(x))


def argsort(x: Any, /, *, axis: int = -1, descending: Any = False, stable: Any = True) -> Any:
    if not descending:
        return _argsort(x, axis=axis, stable=stable)
    # Equal ones keep their order, as they are sorted from the end on.
    return x.shape[axis] - 1 - np.flip(_argsort(np.flip(_host(x), axis), axis=axis, stable=stable), axis)


def flip(x: Any, /, *, axis: Any = None) -> Any:
    if not isinstance(x, Array):
        return np.flip(x, axis)
    return _elementwise.flipped(x, list(range(x.ndim) if axis is None else normalize_axis_tuple(axis, x.ndim)))


# Shapes, without copies where the memory allows it.


def reshape(x: Any, /, shape: Any, *, copy: Any = None) -> Any:
    return x.reshape(shape, copy=copy)


def permute_dims(x: Any, /, axes: Any) -> Any:
    return x.transpose(axes)


def matrix_transpose(x: Any, /) -> Any:
    return x.mT


def moveaxis(x: Any, source: Any, destination: Any, /) -> Any:
    own, new = (normalize_axis_tuple(axes, x.ndim) for axes in (source, destination))
    order = [axis for axis in range(x.ndim) if axis not in own]
    for place, axis in sorted(zip(new, own)):
        order.insert(place, axis)
    return x.transpose(order)


def expand_dims(x: Any, /, *, axis: int = 0) -> Any:
    [at] = normalize_axis_tuple(axis, x.ndim + 1)
    return x.reshape((*x.shape[:at], 1, *x.shape[at:]))


def squeeze(x: Any, /, axis: Any) -> Any:
    own = normalize_axis_tuple(axis, x.ndim)
    if builtins.any(x.shape[i] != 1 for i in own):
        raise ValueError(f"axes {axis} of an array of the shape {x.shape} do not all have length 1")
    return x.reshape(tuple(n for i, n in enumerate(x.shape) if i not in own))


def broadcast_to(x: Any, /, shape: Any) -> Any:
    if not isinstance(x, Array):
        return np.broadcast_to(x, shape)
    if np.broadcast_shapes(x.shape, tuple(shape)) != tuple(shape):
        raise ValueError(f"an array of the shape {x.shape} cannot be broadcast to {shape}")
    return _elementwise._spread(x, tuple(shape))


broadcast_shapes = np.broadcast_shapes


def broadcast_arrays(*arrays: Any) -> list:
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    return [broadcast_to(array, shape) for array in arrays]


# Reductions.


def _reduced(name: str) -> Callable:
    on_host = _by_numpy(name)
    return lambda x, **options: getattr(x, name)(**options) if isinstance(x, Array) else on_host(x, **options)


def _reduction(name: str) -> Callable:
    reduced = _reduced(name)

    def reduction(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
        return reduced(x if dtype is None else astype(x, dtype), axis=axis, keepdims=keepdims)

    return _named(name, reduction)


def _variation(name: str) -> Callable:
    reduced = _reduced(name)

    def variation(x: Any, /, *, axis: Any = None, correction: float = 0.0, keepdims: Any = False) -> Any:
        return reduced(x, axis=axis, ddof=correction, keepdims=keepdims)

    return _named(name, variation)


sum, prod, mean, max, min, any, all, argmax, argmin = map(  # noqa: A001
    _reduction, ("sum", "prod", "mean", "max", "min", "any", "all", "argmax", "argmin")
)
std, var = map(_variation, ("std", "var"))


# Extensions.


def _frequencies(function: Callable) -> Callable:
    def frequencies(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Device | None = None) -> Any:
        return _back(function(n, d).astype(float32 if dtype is None else dtype), device)

    return _named(function.__name__, frequencies)


fft = types.SimpleNamespace(
    **{
        name: getattr(_fourier, name)
        for name in "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft".split()
    },
    fftfreq=_frequencies(_helper.fftfreq), rfftfreq=_frequencies(_helper.rfftfreq),
    fftshift=_helper.fftshift, ifftshift=_helper.ifftshift,
)


linalg = types.SimpleNamespace(
    **{
        name: _by_numpy(name, np.linalg)
        for name in """cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power matrix_rank
        matrix_transpose outer pinv qr slogdet solve svd svdvals tensordot trace vecdot vector_norm""".split()
    }
)


class _Info:
    """What this namespace can do."""

    def capabilities(self) -> dict:
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self) -> Device:
        return get_device()

    def devices(self) -> list:
        """The device in use. `adapters` lists what could be opened."""
        return [get_device()]

    def default_dtypes(self, *, device: Any = None) -> dict:
        return {"real floating": float32, "complex floating": complex64, "integral": int64, "indexing": int64}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict:
        every = {
            str(dtype): dtype
            for dtype in (bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, complex64, complex128)
        }
        return every if kind is None else {name: dtype for name, dtype in every.items() if np.isdtype(dtype, kind)}


def __array_namespace_info__() -> _Info:
    return _Info()
