"""The operators and reductions of arrays on the device, as methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _deferred, _elementwise, _reduce, _ufuncs

if TYPE_CHECKING:
    from ._array import Array


class Operators:
    """What `Array` inherits."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: tuple | None = None, **options: Any) -> Any:
        """NumPy's functions of elements, as far as `wgpu_fft.array_api` has them."""
        return _ufuncs.call(ufunc, method, inputs, out, options)

    # Comparisons. As in NumPy, arrays that can be compared element by element have no hash.

    def __eq__(self, other: Any) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _elementwise.compared("equal", self, other)

    def __ne__(self, other: Any) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _elementwise.compared("not_equal", self, other)

    def __lt__(self, other: Any) -> np.ndarray:
        return _elementwise.compared("less", self, other)

    def __le__(self, other: Any) -> np.ndarray:
        return _elementwise.compared("less_equal", self, other)

    def __gt__(self, other: Any) -> np.ndarray:
        return _elementwise.compared("greater", self, other)

    def __ge__(self, other: Any) -> np.ndarray:
        return _elementwise.compared("greater_equal", self, other)

    # Reductions, with the parameters of NumPy's, which calls them: `np.sum(x)`. None takes an `out`.

    def sum(self: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Array:
        """The sum along some axes, or of all elements: an array on the device.

        Sums of float32 and complex64 are added in pairs, as NumPy's are.

        >>> import numpy as np, wgpu_fft
        >>> wgpu_fft.asarray(np.ones((3, 4), np.float32)).sum(axis=1).to_numpy()
        array([4., 4., 4.], dtype=float32)
        """
        return _reduce.reduced(self, "sum", axis, keepdims, dtype=dtype, out=out)

    def prod(self: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Array:
        """The product along some axes."""
        return _reduce.reduced(self, "prod", axis, keepdims, dtype=dtype, out=out)

    def mean(self: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Array:
        """The mean along some axes."""
        return _reduce.reduced(self, "mean", axis, keepdims, dtype=dtype, out=out)

    def var(self: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False) -> Array:
        """The variance along some axes, of real type: squares over their number less `ddof`."""
        return _reduce.reduced(self, "var", axis, keepdims, ddof, dtype, out)

    def std(self: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False) -> Array:
        """The square root of the variance."""
        return _reduce.reduced(self, "std", axis, keepdims, ddof, dtype, out)

    def min(self: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Array:
        """The least element along some axes; NaN if there is one."""
        return _reduce.reduced(self, "min", axis, keepdims, out=out)

    def max(self: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Array:
        """The largest element along some axes; NaN if there is one."""
        return _reduce.reduced(self, "max", axis, keepdims, out=out)

    def argmin(self: Any, axis: int | None = None, out: Any = None, keepdims: bool = False) -> Any:
        """Where the first least element is along an axis, or in all elements: on the host."""
        return _reduce.reduced(self, "argmin", axis, keepdims, out=out)

    def argmax(self: Any, axis: int | None = None, out: Any = None, keepdims: bool = False) -> Any:
        """Where the first largest element is along an axis, or in all elements: on the host."""
        return _reduce.reduced(self, "argmax", axis, keepdims, out=out)

    def any(self: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """Whether an element is not 0 along some axes: on the host."""
        return _reduce.reduced(self, "any", axis, keepdims, out=out)

    def all(self: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """Whether no element is 0 along some axes: on the host."""
        return _reduce.reduced(self, "all", axis, keepdims, out=out)

    # Arithmetic.

    def __add__(self, other: Any) -> Array:
        return _elementwise.binary("add", self, other)

    def __radd__(self, other: Any) -> Array:
        return _elementwise.binary("add", other, self)

    def __sub__(self, other: Any) -> Array:
        return _elementwise.binary("subtract", self, other)

    def __rsub__(self, other: Any) -> Array:
        return _elementwise.binary("subtract", other, self)

    def __mul__(self, other: Any) -> Array:
        return _elementwise.binary("multiply", self, other)

    def __rmul__(self, other: Any) -> Array:
        return _elementwise.binary("multiply", other, self)

    def __truediv__(self, other: Any) -> Array:
        return _elementwise.binary("divide", self, other)

    def __rtruediv__(self, other: Any) -> Array:
        return _elementwise.binary("divide", other, self)

    def __pow__(self, other: Any) -> Array:
        return _elementwise.power(self, other)

    def __rpow__(self, other: Any) -> Array:
        return _elementwise.power(other, self)

    def __mod__(self, other: Any) -> Array:
        return _elementwise.by_numpy("remainder", self, other)

    def __rmod__(self, other: Any) -> Array:
        return _elementwise.by_numpy("remainder", other, self)

    def __floordiv__(self, other: Any) -> Array:
        return _elementwise.by_numpy("floor_divide", self, other)

    def __rfloordiv__(self, other: Any) -> Array:
        return _elementwise.by_numpy("floor_divide", other, self)

    def __matmul__(self, other: Any) -> Array:
        return _elementwise.by_numpy("matmul", self, other)

    def __rmatmul__(self, other: Any) -> Array:
        return _elementwise.by_numpy("matmul", other, self)

    def __divmod__(self, other: Any) -> tuple[Array, Array]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Array, Array]:
        return other // self, other % self

    def __neg__(self: Any) -> Array:
        return _elementwise.unary(self, "-value", np.negative)

    def __pos__(self: Any) -> Array:
        return self.copy()

    def __abs__(self: Any) -> Array:
        return _elementwise.absolute(self)

    # In place, as of NumPy's arrays: what shares the memory sees it.

    def _become(self: Any, result: Any) -> Any:
        if result is NotImplemented:
            return result
        if result.shape != self.shape:
            raise ValueError(f"a result of the shape {result.shape} cannot be written to an array of the shape {self.shape}")
        with self.device._deferring:
            if result.dtype == self.dtype and self._expression is not None and result._expression is not None:
                # Nothing shares memory that is not written yet.
                self._expression = result._expression
                _deferred.keep(self.device, self)
            else:
                self._write(result)
        return self

    def __iadd__(self, other: Any) -> Array:
        return self._become(self + other)

    def __isub__(self, other: Any) -> Array:
        return self._become(self - other)

    def __imul__(self, other: Any) -> Array:
        return self._become(self * other)

    def __itruediv__(self, other: Any) -> Array:
        return self._become(self / other)

    def __ipow__(self, other: Any) -> Array:
        return self._become(self**other)

    def __imod__(self, other: Any) -> Array:
        return self._become(self % other)

    def __ifloordiv__(self, other: Any) -> Array:
        return self._become(self // other)

    def __imatmul__(self, other: Any) -> Array:
        return self._become(self @ other)
