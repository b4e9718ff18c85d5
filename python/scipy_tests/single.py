"""Computes what SciPy's tests transform in f32, and compares results with a tolerance for that.

The types of results are those that SciPy expects, so that a test fails for its numbers alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import wgpu_fft

#: Relative to the number, and to the largest of an array: f32 has 24 bits, 6e-8.
TOLERANCE = 1e-5

NARROW = {np.dtype(np.float64): np.float32, np.dtype(np.complex128): np.complex64}
WIDE = {np.dtype(np.float32): np.float64, np.dtype(np.complex64): np.complex128}


class Backend:
    """The backend of `wgpu_fft`, which sees no number of 64 bits."""

    __ua_domain__ = wgpu_fft.__ua_domain__

    @staticmethod
    def __ua_function__(method: Any, args: tuple, kwargs: dict) -> Any:
        if args:
            x, args = args[0], args[1:]
        else:
            x = kwargs["x"]
            kwargs = {name: value for name, value in kwargs.items() if name != "x"}
        narrow = x
        # What SciPy itself makes doubles of, and no array of another library.
        is_own = isinstance(x, (np.ndarray, list, tuple)) and np.asarray(x).dtype.kind in "biufc"
        was_double = is_own and np.result_type(np.asarray(x).dtype, np.float32) in NARROW
        if was_double:
            narrow = np.asarray(x)
            narrow = narrow.astype(NARROW.get(narrow.dtype, np.float32))
        result = wgpu_fft.__ua_function__(method, (narrow, *args), kwargs)
        if result is NotImplemented or not was_double:
            return result
        return result.astype(WIDE[result.dtype])


def loosen() -> None:
    """Replaces the comparisons of NumPy and SciPy, before the tests import them."""
    import scipy._lib._array_api as scipys

    closes, close = np.testing.assert_allclose, scipys.xp_assert_close

    def least(desired: Any) -> float:
        numbers = np.abs(np.asarray(desired))
        numbers = numbers[np.isfinite(numbers)] if numbers.dtype.kind == "f" else numbers
        return TOLERANCE * float(numbers.max(initial=0.0))

    def assert_allclose(actual: Any, desired: Any, rtol: float = 1e-7, atol: float = 0, **others: Any) -> None:
        closes(actual, desired, rtol=max(rtol, TOLERANCE), atol=max(atol, least(desired)), **others)

    def assert_array_almost_equal(x: Any, y: Any, decimal: int = 6, **others: Any) -> None:
        assert_allclose(x, y, atol=1.5 * 10**-decimal, **others)

    def xp_assert_close(actual: Any, desired: Any, *, rtol: float | None = None, atol: float = 0, **others: Any) -> None:
        close(actual, desired, rtol=max(rtol or 0, TOLERANCE), atol=max(atol, least(desired)), **others)

    np.testing.assert_allclose = assert_allclose
    np.testing.assert_array_almost_equal = assert_array_almost_equal
    scipys.xp_assert_close = xp_assert_close
