"""What users of NumPy write, on arrays on the device."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import wgpu_fft

X = np.arange(24, dtype=np.float32).reshape(4, 6) - 7
BACKWARDS = slice(None, None, -1)


def same(actual, expected, words=""):
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.dtype == expected.dtype, words
    np.testing.assert_array_equal(actual, expected, str(words))


KEYS = [
    X > 0, np.array([0, 1]), [0, 2], (slice(None), [1, 1]), ([0, 1], [2, 3]), (X[:, 0] > 0, BACKWARDS), (..., np.array([1])), True, np.False_,
    np.array(2), BACKWARDS, (slice(3, 0, -2), BACKWARDS), (None, slice(4, 2, -1)), (1, BACKWARDS), (slice(0, 0, -1), 1), (BACKWARDS, slice(2, 3)),
]


@pytest.mark.parametrize("dtype", [np.float32, np.complex64, np.float64])
@pytest.mark.parametrize("key", KEYS, ids=str)
def test_masks_places_and_slices_backwards(key, dtype):
    data = X.astype(dtype)
    array = wgpu_fft.asarray(data)
    assert isinstance(array[key], wgpu_fft.Array)
    same(array[key], data[key])
    expected = data * 2
    expected[key] = data[key] + 1
    for value in (data[key] + 1, array[key] + 1):
        written = array * 2
        view = written[...]
        written[key] = value
        same(view, expected)
    expected[key] = 5
    written[key] = 5
    same(written, expected)
    same(array, data, "nothing else is written")


def test_keys_and_values_that_are_refused():
    x = wgpu_fft.asarray(X)
    for key in ("a", 1.5, x[0, 0], x, np.array([9]), np.ones(3, bool), (0, 0, 0), (..., ...)):
        with pytest.raises(IndexError):
            x[key]
        with pytest.raises(IndexError):
            x[key] = 0
    for key in (X > 0, 0, BACKWARDS):
        for value in (1j, np.ones((), np.complex64), wgpu_fft.asarray(np.ones((), np.complex64))):
            with pytest.raises(TypeError, match="complex"):
                x[key] = value
    with pytest.raises(ValueError, match="broadcast"):
        x[::-1] = np.ones(5)
    same(x, X)


def test_reductions_over_axes_that_are_no_neighbours(noise):
    data = noise((2, 3, 4, 5, 6))
    x = wgpu_fft.asarray(data)
    for name in ("sum", "mean", "max", "var", "any", "prod"):
        for axes in ((0, 2, 4), (1, 3), (4, 2, 0)):
            for keepdims in (False, True):
                result = np.asarray(getattr(x, name)(axis=axes, keepdims=keepdims))
                expected = getattr(data, name)(axis=axes, keepdims=keepdims)
                assert result.shape == expected.shape
                np.testing.assert_allclose(result, expected, rtol=2e-5, atol=2e-5)
    same(x.argmax(axis=2), data.argmax(axis=2))


def test_functions_of_numpy():
    x = wgpu_fft.asarray(X)
    for name in "sin exp abs sqrt square conj arctan rint negative sum max min mean std var prod".split():
        with np.errstate(invalid="ignore"):
            result, expected = getattr(np, name)(x), getattr(np, name)(X)
        assert isinstance(result, wgpu_fft.Array) and result.dtype == expected.dtype, name
        np.testing.assert_allclose(result.to_numpy(), expected, rtol=1e-5, err_msg=name)
    for name in ("isnan", "argmax", "argmin", "any", "all", "median"):
        same(getattr(np, name)(x), getattr(np, name)(X), name)
    for name in "add subtract multiply divide power remainder floor_divide maximum arctan2 greater equal logical_and".split():
        for left, right in ((X, 2), (2, X), (X, X[::-1]), (X, [1.0, 2, 3, 4, 5, 6])):
            places = [[wgpu_fft.asarray(one) if isinstance(one, np.ndarray) else one for one in (left, right)]]
            places += [[places[0][0], right], [left, places[0][1]]]
            with np.errstate(all="ignore"):
                expected = getattr(np, name)(left, right)
                for sides in places:
                    np.testing.assert_allclose(np.asarray(getattr(np, name)(*sides)), expected, rtol=1e-5, err_msg=name)
    same(np.float32(2) * x, X * 2)
    same(np.float64(2) * x, np.float64(2) * X)
    same(np.sum(x, dtype=np.complex64), X.sum(dtype=np.complex64))
    for result, expected in zip(divmod(x, 2) + divmod(2, x + 8), divmod(X, 2) + divmod(2, X + 8)):
        same(result, expected)
    host = X.copy()
    host += x
    same(host, X * 2)
    same(np.cbrt(x, out=host), np.cbrt(X))
    same(np.add(x, 1, out=x), X + 1)
    for call, what in (
        (lambda: np.cbrt(x), r"cbrt\(x.to_numpy"), (lambda: np.add.reduce(x), r"add.reduce\(x.to_numpy"), (lambda: np.sum(x, out=host), "no out"),
        (lambda: np.add(x, 1, where=X > 0), "where=..."), (lambda: x.max(out=host), "no out"), (lambda: np.add(x, "a"), "str"),
    ):
        with pytest.raises(TypeError, match=what):
            call()


def test_results_in_arrays_of_the_caller():
    host, ones = X.astype(np.float64), np.ones(6)
    for written in (wgpu_fft.asarray(X), wgpu_fft.asarray(np.repeat(X, 2, 1))[:, ::2]):
        expected = X.copy()
        for call in (
            lambda out: np.add(ones, 1, out=out), lambda out: np.remainder(host, 3, out=out), lambda out: np.cbrt(host, out=out),
            lambda out: np.add(host, 1, out=out, where=X > 0), lambda out: np.add.reduce(host, axis=0, out=out[0]),
            lambda out: np.frexp(host, out=(out, None))[0], lambda out: np.modf(host[0], out=(out[1], out[2]))[1],
        ):
            same(call(written), call(expected))
            same(written, expected)
    # The operand on the device, and the results on either side.
    x, whole, rest = wgpu_fft.asarray(X), wgpu_fft.asarray(X), X.copy()
    results = np.divmod(x, 4, out=(whole, rest))
    assert results[0] is whole and results[1] is rest
    for result, expected in zip(results, np.divmod(X, 4)):
        same(result, expected)
    for refused in (lambda: np.add(host, 1j, out=x), lambda: np.add(host, ones, out=x[0])):
        with pytest.raises((TypeError, ValueError), match="cast|broadcast"):
            refused()
    same(x, X)


def test_ufuncs_of_others_are_not_taken_for_numpys():
    special = pytest.importorskip("scipy.special")
    x = wgpu_fft.asarray(X)
    for ufunc in (special.round, special.log1p):
        assert ufunc.__name__ in dir(wgpu_fft.array_api)
        with pytest.raises(TypeError, match=rf"call {ufunc.__name__}\(x.to_numpy\(\)"):
            ufunc(x)


def test_copies_share_nothing():
    x, z = wgpu_fft.asarray(X), wgpu_fft.asarray(X + 1j)
    assert x.astype(np.float32, copy=False) is x and z.astype(np.complex64, copy=False) is z
    for function in (np.positive, np.conj, lambda one: one.astype(one.dtype), lambda one: wgpu_fft.array_api.astype(one, one.dtype)):
        for array, data in ((x, X), (z, X + 1j)):
            own, expected = function(array), function(data) if isinstance(function, np.ufunc) else data
            same(own, expected)
            own += 1
            same(array, data)
    for own in (copy.copy(x), copy.deepcopy([x])[0], pickle.loads(pickle.dumps(x))):
        assert own.device is x.device
        same(own, X)
        own += 1
        same(x, X)
    for change in ("%=", "//="):
        expected, written = X.copy(), wgpu_fft.asarray(X)
        row, view = expected[0], written[0]
        exec(f"row {change} 4; view {change} 4")
        same(written, expected, change)
    square, weights = wgpu_fft.asarray(X[:, :4]), np.arange(16, dtype=np.float32).reshape(4, 4)
    view = square[...]
    square @= weights
    same(view, X[:, :4] @ weights)
    with pytest.raises(ValueError, match=r"shape \(4,\)"):
        square @= weights[0]
    same(square, X[:, :4] @ weights)


def test_what_would_copy_says_so():
    x, xp = wgpu_fft.asarray(X), wgpu_fft.array_api
    with pytest.raises(BufferError, match="without a copy"):
        x.__dlpack__(copy=False)
    with pytest.raises(BufferError, match="without a copy"):
        np.from_dlpack(x, copy=False)
    for call in (
        lambda: xp.asarray(X, copy=False), lambda: xp.asarray([1, 2], copy=False), lambda: xp.asarray(x, dtype=xp.complex64, copy=False),
        lambda: xp.reshape(x.T, (24,), copy=False), lambda: xp.from_dlpack(X, copy=False),
    ):
        with pytest.raises(ValueError, match="copy"):
            call()
    integers = np.arange(4)
    assert xp.asarray(integers, copy=False) is integers and xp.asarray(x, copy=False) is x and xp.from_dlpack(x, copy=False) is x
    shared, copied = xp.reshape(x, (24,), copy=False), xp.reshape(x, (24,), copy=True)
    shared += 1
    same(x, X + 1)
    same(copied, X.ravel())
    same(xp.reshape(integers, (2, 2), copy=False), integers.reshape(2, 2))


def test_devices_that_are_none():
    x, xp = wgpu_fft.asarray(X), wgpu_fft.array_api
    for call in (
        lambda: xp.asarray(X, device="cpu"), lambda: xp.asarray(x, device="cpu"), lambda: x.to_device("cpu"),
        lambda: xp.from_dlpack(X, device="cpu"), lambda: xp.zeros(3, device="cpu"), lambda: xp.ones(3, device="cpu"),
    ):
        with pytest.raises(TypeError, match="not 'cpu'"):
            call()
    # NumPy's arrays say that they are there.
    integers = np.arange(3)
    same(xp.astype(integers, xp.float32), integers.astype(np.float32))
    same(xp.zeros_like(integers, dtype=xp.float32), np.zeros(3, np.float32))


def test_sorting_clipping_and_shapes_of_the_standard(monkeypatch):
    xp = wgpu_fft.array_api
    data = np.float32([[3, 1, 3, 2, 1], [0, 0, 5, 4, 5]])
    x = wgpu_fft.asarray(data)
    with monkeypatch.context() as patch:
        uploads, upload = [], type(x.device)._upload
        patch.setattr(type(x.device), "_upload", lambda *given: uploads.append(given) or upload(*given))
        same(xp.sort(x, descending=True), -np.sort(-data))
        assert len(uploads) == 1
    same(xp.sort(x, axis=0, descending=True), -np.sort(-data, axis=0))
    same(xp.argsort(x, descending=True), np.argsort(-data, stable=True))
    same(xp.argsort(x, axis=0, descending=True), np.argsort(-data, axis=0, stable=True))
    same(xp.argsort(x), np.argsort(data, stable=True))
    for limits in ({"min": 2}, {"max": 2}, {"min": 1, "max": 3}, {}):
        same(xp.clip(x, **limits), np.clip(data, **limits))
    same(xp.clip(x, 2), np.clip(data, 2, None))
    for axis in (None, 0, -1, (0, 1)):
        same(xp.flip(x, axis=axis), np.flip(data, axis))
        same(xp.flip(x.T, axis=axis), np.flip(data.T, axis))
    same(xp.zeros(np.int64(3)), np.zeros(3, np.float32))
    same(xp.ones((np.int64(2), 1)), np.ones((2, 1), np.float32))
    for make in (xp.zeros, xp.ones):
        for shape in (-1, (2, -3)):
            with pytest.raises(ValueError, match="negative"):
                make(shape)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_parts_of_numbers_without_axes(dtype):
    x = wgpu_fft.asarray(np.asarray(3 + 4j, dtype))
    for part, expected in ((x.real, 3), (x.imag, 4), (abs(x), 5)):
        assert part.shape == () and float(part) == expected


def test_printed():
    x = wgpu_fft.asarray(X / 10)
    assert f"{x[0, 0]:.2f} {x[0, 1]}" == "-0.70 -0.6" and repr(x[0, 1]).endswith("\n-0.6") and str(X / 10) in f"{x}"
    with pytest.raises(TypeError):
        f"{x:.2f}"


@pytest.mark.parametrize("shape", [(1001,), (3, 1000), (100, 50, 3), (7, 7, 30), (6, 6, 6, 6), (2, 1, 600)])
def test_large_arrays_are_printed_by_their_edges(noise, shape):
    data = noise(shape)
    assert repr(wgpu_fft.asarray(data)).split("\n", 1)[1] == str(data)
    assert repr(wgpu_fft.asarray(data).T).split("\n", 1)[1] == str(data.T)
