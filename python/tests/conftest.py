"""What the tests share: arrays of noise, and how far results may be from NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import wgpu_fft

#: Relative errors in the two-norm.
TOLERANCES = {"f": 1e-5, "F": 1e-5, "d": 1e-13, "D": 1e-13}


@pytest.fixture(autouse=True)
def default_options():
    before = wgpu_fft.get_options()
    yield
    wgpu_fft.set_options(**vars(before))


@pytest.fixture
def noise():
    """A function that makes noise of a shape and a type."""
    random = np.random.default_rng(2026)

    def make(shape, dtype=np.float32):
        data = random.standard_normal(shape)
        if np.dtype(dtype).kind == "c":
            data = data + 1j * random.standard_normal(shape)
        return np.asarray(data, dtype)

    return make


@pytest.fixture
def agrees():
    """A function that compares a result with what it should be: its shape, its type and its numbers."""

    def check(actual, expected, tolerance=None):
        actual, expected = np.asarray(actual), np.asarray(expected)
        assert actual.shape == expected.shape
        assert actual.dtype == expected.dtype
        error = np.linalg.norm((actual - expected).ravel())
        bound = (tolerance or TOLERANCES[actual.dtype.char]) * np.linalg.norm(expected.ravel())
        assert error <= bound, f"the error is {error}, and may be {bound}"

    return check
