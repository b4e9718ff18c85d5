"""Arrays on the device."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from . import _core, _deferred, _elementwise, _indexing
from ._callers import caller
from ._device import Device, as_bytes, checked, get_device
from ._dtypes import ELEMENTS, is_complex, is_double, single_of
from ._geometry import Placed, TooManyAxes, copy, dense
from ._operators import Operators
from ._options import get_options

# The integers from which on float64 does not have each.
LARGEST_INTEGER = 1 << 53


# Elements of an array that is printed with all of them, and how many of a larger one at each end.
SHOWN, EDGE = 1000, 3


class Array(Operators):
    """An array that stays on the device between calls.

    `asarray` makes one, and all transforms of this package take and return them. It has the
    numbers float32, float64, complex64 or complex128. A slice, a transpose and a reshape without
    gaps share the memory of the array that they are made of, as those of NumPy do. What an
    operation returns is new. Assignments to parts, and operators such as `+=`, change the memory.

    >>> import numpy as np, wgpu_fft
    >>> x = wgpu_fft.asarray(np.ones((480, 640), np.float32))
    >>> spectrum = wgpu_fft.rfft2(x)
    >>> blurred = wgpu_fft.irfft2(spectrum * 0.5)
    >>> blurred[0, 0].to_numpy()
    array(0.5, dtype=float32)

    Arithmetic in float64 goes through the host, since kernels of callers compute in f32. So do
    comparisons, and their results are arrays of NumPy, since the device has no booleans.
    """

    __slots__ = ("__weakref__", "_dtype", "_expression", "_held", "_placed", "device")
    # What is to be computed, until somebody needs it.
    _expression: _deferred.Expression | None
    # Where the elements are then.
    _held: _core.Buffer
    _dtype: np.dtype
    _placed: Placed
    #: Where it is.
    device: Device

    def __init__(self, *_: object) -> None:
        raise TypeError("an Array is made by wgpu_fft.asarray")

    @classmethod
    def _of(cls, device: Device, buffer: _core.Buffer, dtype: np.dtype, placed: Placed) -> Array:
        self = object.__new__(cls)
        self.device, self._held, self._dtype, self._placed = device, buffer, dtype, placed
        self._expression = None
        return self

    @classmethod
    def _of_expression(cls, device: Device, expression: _deferred.Expression) -> Array:
        self = object.__new__(cls)
        self.device, self._expression = device, expression
        self._dtype, self._placed = expression.dtype, Placed.of(expression.shape)
        return self

    @property
    def _buffer(self) -> _core.Buffer:
        """Where the elements are, which may have to be computed."""
        if self._expression is not None:
            _deferred.compute(self)
        return self._held

    @property
    def shape(self) -> tuple[int, ...]:
        return self._placed.shape

    @property
    def dtype(self) -> np.dtype:
        return self._dtype

    @property
    def ndim(self) -> int:
        return len(self._placed.shape)

    @property
    def size(self) -> int:
        return math.prod(self._placed.shape)

    @property
    def itemsize(self) -> int:
        return self._dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def T(self) -> Array:
        """The array with its axes in reverse, without a copy."""
        return self.transpose()

    @property
    def mT(self) -> Array:
        """The array with its last two axes exchanged, without a copy."""
        if self.ndim < 2:
            raise ValueError(f"a matrix has at least 2 axes, and the array has {self.ndim}")
        return self.transpose(*range(self.ndim - 2), self.ndim - 1, self.ndim - 2)

    @property
    def real(self) -> Array:
        """The real parts."""
        return _elementwise.real(self)

    @property
    def imag(self) -> Array:
        """The imaginary parts."""
        return _elementwise.imag(self)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without axes")
        return self.shape[0]

    def __repr__(self) -> str:
        what = f"<wgpu_fft.Array {self.shape} {self.dtype} on {self.device.info['name']}>"
        # Of larger ones the edges alone are read.
        text = np.array2string(_edges(self), threshold=0, edgeitems=EDGE) if self.size > SHOWN else str(self.to_numpy())
        return f"{what}\n{text}"

    def __format__(self, spec: str) -> str:
        if self.shape:
            return object.__format__(self, spec)
        # Without a word on how, the digits of its own type.
        number = self.to_numpy()[()]
        return format(number, spec) if spec else str(number)

    # To and from the host.

    def to_numpy(self) -> np.ndarray:
        """The elements on the host, in a new array, after everything submitted so far has run."""
        if self.size == 0:
            return np.zeros(self.shape, self.dtype)
        placed = self._placed
        # What lies before and behind stays on the device.
        first, span = placed.offset * self.itemsize, placed.span * self.itemsize
        data = self._buffer.part(first, span).download().view(self.dtype)
        if placed.has_no_gaps:
            return data.reshape(self.shape)
        strides = [stride * self.itemsize for stride in placed.strides]
        return np.lib.stride_tricks.as_strided(data, self.shape, strides).copy()

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(f"the truth value of an array of {self.size} elements is ambiguous: compare it, and use all() or any()")
        return bool(self.item())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("an array on the device cannot be had on the host without a copy")
        data = self.to_numpy()
        return data if dtype is None else data.astype(dtype, copy=False)

    def __dlpack__(self, *, copy: bool | None = None, **options: Any) -> Any:
        """A copy on the host, for other libraries."""
        if copy is False:
            raise BufferError("an array on the device cannot be had on the host without a copy")
        return self.to_numpy().__dlpack__(**options)

    def __copy__(self) -> Array:
        return self.copy()

    def __deepcopy__(self, memo: dict) -> Array:
        return self.copy()

    def __reduce__(self) -> tuple:
        """For pickle: the numbers, which another process puts on the device that it uses."""
        return asarray, (self.to_numpy(), self.dtype)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The functions of the Python array API standard: `wgpu_fft.array_api`."""
        from . import array_api

        if api_version not in (None, "2021.12", "2022.12", "2023.12", array_api.__array_api_version__):
            raise ValueError(f"there is no version {api_version} of the array API here: {array_api.__array_api_version__} is the newest")
        return array_api

    def to_device(self, device: Device, /, *, stream: Any = None) -> Array:
        """The array on another device: this one, if it is there already."""
        if stream is not None:
            raise ValueError("the device has no streams")
        return asarray(self, device=device)

    def tolist(self) -> list:
        return self.to_numpy().tolist()

    def item(self) -> complex | float:
        """The only element."""
        return self.to_numpy().item()

    def __complex__(self) -> complex:
        return complex(self.item())

    def __float__(self) -> float:
        return float(self.to_numpy())

    def __int__(self) -> int:
        return int(self.to_numpy())

    def __contains__(self, value: Any) -> bool:
        return value in self.to_numpy()

    # Places.

    def _view(self, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Array:
        return Array._of(self.device, self._buffer, self.dtype, Placed(shape, strides, offset, self._placed.within))

    def __getitem__(self, key: Any) -> Array:
        """A part of the array. Whole numbers, slices that go forwards, `...` and None share its
        memory; slices that go backwards are copied, and masks and arrays of places through the host."""
        found = _indexing.part(self, key)
        if found is None:
            return asarray(np.asarray(self.to_numpy()[_indexing.on_host(key)]), dtype=self.dtype, device=self.device)
        part, backwards = found
        return _elementwise.flipped(part, backwards) if backwards else part

    def __setitem__(self, key: Any, value: Any) -> None:
        """Writes to a part of the array, and so to all arrays that share its memory."""
        found = _indexing.part(self, key)
        if found is None:
            data = self.to_numpy()
            data[_indexing.on_host(key)] = self._own(_indexing.on_host(value))
            found, value = (self, []), data
        part, backwards = found
        if not isinstance(value, Array):
            value = asarray(self._own(value), dtype=self.dtype, device=self.device)
        elif value.dtype == self.dtype and not backwards:
            # What is read must not be what is written, nor lie beside it in one buffer.
            value = value.copy()
        if backwards:
            behind = [axis - part.ndim + value.ndim for axis in backwards]
            value = _elementwise.flipped(value, [axis for axis in behind if axis >= 0])
        part._write(value)

    def _own(self, values: Any) -> np.ndarray:
        """Values on the host as the type of this array."""
        values = np.asarray(values)
        if is_complex(values.dtype) and not is_complex(self.dtype):
            raise TypeError(f"complex numbers cannot be written to an array of {self.dtype}")
        return np.asarray(values, self.dtype)

    def _write(self, value: Array) -> None:
        """Writes an array with a buffer of its own over this one."""
        if is_complex(value.dtype) and not is_complex(self.dtype):
            raise TypeError(f"complex numbers cannot be written to an array of {self.dtype}")
        part, value = self._based(), value.astype(self.dtype, copy=False)
        # As in NumPy, further axes of length 1 in front do not matter.
        while value.ndim > part.ndim and value.shape[0] == 1:
            value = value[0]
        if np.broadcast_shapes(value.shape, part.shape) != part.shape:
            raise ValueError(f"an array of the shape {value.shape} cannot be broadcast to {part.shape}")
        if part.size == 0:
            return
        value = _elementwise._spread(value, part.shape)._based()
        try:
            spec, _ = copy(ELEMENTS[self.dtype], value._placed, part._placed)
        except TooManyAxes:
            for i in range(part.shape[0]):
                part[i]._write(value[i])
            return
        plan, read, written = self.device._plan_of(spec), value._buffer, part._buffer
        with self.device._deferring:
            _deferred.settle(self.device, written)
            plan.run_on(caller(), [read], written)

    def transpose(self, *axes: Any) -> Array:
        """The array with its axes in another order, without a copy."""
        order = () if not axes or axes[0] is None else _unpacked(axes, "axes")
        order = order or tuple(range(self.ndim))[::-1]
        order = tuple(axis + self.ndim if axis < 0 else axis for axis in order)
        if sorted(order) != list(range(self.ndim)):
            raise ValueError(f"axes {order} are not those of an array of {self.ndim} axes, each once")
        return self._view(tuple(self.shape[i] for i in order), tuple(self._placed.strides[i] for i in order), self._placed.offset)

    def reshape(self, *shape: Any, copy: bool | None = None) -> Array:
        """The same elements in another shape. It needs a copy if there are gaps between them, which
        `copy=False` refuses."""
        asked = _unpacked(shape, "shape")
        known = math.prod(n for n in asked if n != -1)
        if asked.count(-1) > 1:
            raise ValueError("can only specify one unknown dimension")
        shape = tuple(self.size // known if n == -1 and known else n for n in asked)
        if math.prod(shape) != self.size or any(n < 0 for n in shape):
            raise ValueError(f"cannot reshape an array of size {self.size} into shape {asked}")
        whole = self._without_gaps(copy)
        return Array._of(whole.device, whole._buffer, whole.dtype, Placed.of(shape))

    def ravel(self) -> Array:
        """The elements in one axis."""
        return self.reshape(-1)

    def contiguous(self) -> Array:
        """An array with these elements without gaps: this one, if it has none."""
        return self._without_gaps(None)

    def _without_gaps(self, copy: bool | None) -> Array:
        array = self if self._placed.is_dense else self._based()
        dense = array._placed.is_dense
        if copy is False and not dense:
            raise ValueError(f"the elements of this array of the shape {self.shape} have gaps between them, which takes a copy")
        return array.copy() if copy or not dense else array

    def copy(self) -> Array:
        """A new array with the same elements."""
        placed = self._placed
        if placed.has_no_gaps and self.size:
            # A copy of bytes needs no plan.
            part = self._buffer.part(placed.offset * self.itemsize, self.nbytes)
            return Array._of(self.device, part.copied(caller()), self.dtype, Placed.of(self.shape))
        return _placed_in(self._based(), self.shape)

    def _based(self) -> Array:
        """The same elements, in a buffer that begins with the first one, or shortly before it.

        Plans are made for where the elements lie in the buffer. So the slices of an array share a
        plan as far as their first elements are where a buffer may begin.
        """
        placed, based, size = self._placed, self._based_place(), self._dtype.itemsize
        if based is placed:
            return self
        part = self._buffer.part((placed.offset - based.offset) * size, based.within * size)
        return Array._of(self.device, part, self.dtype, based)

    def _based_place(self) -> Placed:
        """Where the elements of `_based` are in its buffer."""
        placed, size = self._placed, self._dtype.itemsize
        if placed is Placed.of(placed.shape):
            return placed
        before = placed.offset * size % self.device.info["alignment"] // size
        within = before + placed.span
        if not self.size or (placed.offset, placed.within) == (before, within):
            return placed
        return Placed(placed.shape, placed.strides, before, within)

    def _for_a_plan(self) -> Array:
        """The same elements where an expensive plan may be made for them: in a buffer that begins
        with the first one, or else in a copy."""
        if self._placed is Placed.of(self._placed.shape):
            return self
        array = self._based()
        return array.copy() if array._placed.offset else array

    def astype(self, dtype: Any, copy: bool = True) -> Array:
        """The numbers as another type: float32, complex64, float64 or complex128. The result is a new array,
        unless `copy` is False and the array has this type."""
        dtype = np.dtype(dtype).newbyteorder("=")
        if dtype not in ELEMENTS:
            raise TypeError(f"arrays on the device have no numbers of type {dtype}: use to_numpy().astype(...)")
        if dtype == self.dtype:
            return self.copy() if copy else self
        if not is_double(dtype) and not is_double(self.dtype) and is_complex(dtype):
            return _elementwise.as_complex(self)
        return asarray(self.to_numpy().astype(dtype), device=self.device)

    # Arithmetic.

    def map(self, wgsl: str, dtype: Any = None) -> Array:
        """Applies an expression of WGSL to every element: `value` is an f32, or a vec2<f32>.

        The result has the type `dtype`, which the expression must return; by default it is that of
        the array. Only float32 and complex64.

        >>> import numpy as np, wgpu_fft
        >>> x = wgpu_fft.asarray(np.array([1, 4, 9], np.float32))
        >>> x.map("sqrt(value)").to_numpy()
        array([1., 2., 3.], dtype=float32)
        """
        return _elementwise.mapped(self, wgsl, np.dtype(dtype or self.dtype))

    def conj(self) -> Array:
        """The complex conjugates."""
        return _elementwise.conjugate(self)

    conjugate = conj


def asarray(data: Any, dtype: Any = None, device: Device | None = None) -> Array:
    """An array on the device with the elements of `data`: of an array, a list, or whatever NumPy takes.

    float16 becomes float32. Integers and booleans become float64, or float32 where
    `set_options(double="single")` holds; integers beyond 2**53 are refused, unless `dtype` says
    that they may be rounded. An `Array` is returned as it is, or copied to another device.

    >>> import numpy as np, wgpu_fft
    >>> wgpu_fft.asarray(np.zeros((2, 3), np.float32)).shape
    (2, 3)
    """
    if isinstance(data, Array):
        data = data if dtype is None else data.astype(dtype, copy=False)
        if device is None or checked(device) is data.device:
            return data
        data = data.to_numpy()
    elif dtype is not None:
        data = np.asarray(data, dtype)
        if data.dtype != np.float16 and data.dtype.newbyteorder("=") not in ELEMENTS:
            raise TypeError(f"arrays on the device have no numbers of type {data.dtype}")
    else:
        data = from_host(data)
        if data.dtype.kind in "iu" and data.size and max(-int(data.min()), int(data.max())) > LARGEST_INTEGER:
            raise ValueError("integers beyond 2**53 become other numbers as float64: dtype=np.float64 allows that")
    data = number(data)
    device = get_device() if device is None else checked(device)
    # No buffer has nothing in it.
    buffer = device._upload(data) if data.size else device._core.zeros(4)
    return Array._of(device, buffer, data.dtype, Placed.of(data.shape))


def from_host(data: Any) -> np.ndarray:
    """An array of NumPy, also of what other libraries have on the host."""
    if not isinstance(data, np.ndarray) and hasattr(data, "__dlpack__") and not hasattr(data, "__array__"):
        return np.from_dlpack(data)
    return np.asarray(data)


def number(data: np.ndarray) -> np.ndarray:
    """The same numbers as one of the types that the device computes with."""
    dtype = data.dtype
    if dtype == np.float16:
        dtype = np.dtype(np.float32)
    elif dtype.kind not in "fc":
        if dtype.kind not in "biu":
            raise TypeError(f"the device computes with numbers, not with {dtype}")
        dtype = np.dtype(np.float64)
    dtype = dtype.newbyteorder("=")
    if get_options().double == "single" and is_double(dtype):
        dtype = single_of(dtype)
    if dtype not in ELEMENTS:
        raise TypeError(f"the device has no numbers of type {dtype}: convert them to float64 or complex128")
    return np.asarray(data, dtype)


def _edges(array: Array) -> np.ndarray:
    """The elements of a large array that are printed, and one more between them on each axis."""
    chosen = [range(n) if n <= 2 * EDGE else [*range(EDGE + 1), *range(n - EDGE, n)] for n in array.shape]
    if array.size <= SHOWN:
        return array.to_numpy()[np.ix_(*chosen)]
    if array.ndim == 1:
        return np.concatenate([array[: EDGE + 1].to_numpy(), array[-EDGE:].to_numpy()])
    return np.stack([_edges(array[i]) for i in chosen[0]])


def _unpacked(given: tuple, name: str) -> tuple[int, ...]:
    """The integers of a call that takes them one by one, or all in a sequence."""
    for values in (given, *given[:1]):
        try:
            return tuple(operator.index(value) for value in values)
        except TypeError:
            pass
    raise TypeError(f"{name} must be integers, not {given!r}")


def empty(device: Device, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """An array of zeros."""
    return Array._of(device, device._core.zeros(_nbytes(shape, dtype)), dtype, Placed.of(shape))


def for_result(device: Device, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """An array with anything in it, for a plan that writes every element."""
    placed = Placed.of(shape)
    return Array._of(device, device._core.for_result(max(placed.within * dtype.itemsize, 4)), dtype, placed)


def _nbytes(shape: tuple[int, ...], dtype: np.dtype) -> int:
    return max(math.prod(shape) * dtype.itemsize, 4)


def _placed_in(array: Array, shape: tuple[int, ...]) -> Array:
    """A new array of zeros with this one in its corner, as far as both reach."""
    result = empty(array.device, shape, array.dtype)
    array = array._based()
    common = tuple(min(sizes) for sizes in zip(array.shape, shape))
    if math.prod(common) == 0:
        return result
    source = Placed(common, array._placed.strides, array._placed.offset, array._placed.within)
    target = Placed(common, dense(shape), 0, math.prod(shape))
    try:
        spec, _ = copy(ELEMENTS[array.dtype], source, target)
    except TooManyAxes:
        data = np.zeros(shape, array.dtype)
        corner = tuple(slice(n) for n in common)
        data[corner] = array.to_numpy()[corner]
        result._buffer.write(as_bytes(data))
        return result
    array.device._plan_of(spec).run_on(caller(), [array._buffer], result._buffer)
    return result


def resized(array: Array, shape: tuple[int, ...]) -> Array:
    """The corner of an array, or the array with zeros behind it."""
    if shape == array.shape:
        return array
    if all(n <= own for n, own in zip(shape, array.shape)):
        return array[tuple(slice(n) for n in shape)]
    return _placed_in(array, shape)
