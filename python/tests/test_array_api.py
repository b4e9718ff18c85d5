"""The Python array API standard, with NumPy's namespace as the reference."""

import importlib
import os
import subprocess
import sys

import numpy as np
import pytest

import wgpu_fft
from wgpu_fft import array_api as xp

RNG = np.random.default_rng(7)
X = RNG.normal(size=(5, 6)).astype(np.float32)
Z = (X + 1j * RNG.normal(size=X.shape)).astype(np.complex64)


def host(value):
    if isinstance(value, (tuple, list)):
        return [host(one) for one in value]
    return value.to_numpy() if isinstance(value, wgpu_fft.Array) else value


def same(actual, expected, where):
    if isinstance(expected, (tuple, list)):
        assert len(actual) == len(expected), where
        for one, other in zip(actual, expected):
            same(one, other, where)
        return
    expected = np.asarray(expected)
    on_device = expected.dtype.kind in "fc"
    assert isinstance(actual, wgpu_fft.Array) == on_device, f"{where}: {type(actual)}"
    assert actual.dtype == expected.dtype and actual.shape == expected.shape, where
    np.testing.assert_allclose(host(actual), expected, rtol=3e-6, atol=3e-6, err_msg=where)


STANDARD = """
e inf nan newaxis pi bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128
asarray arange empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu zeros zeros_like
astype broadcast_arrays broadcast_to can_cast finfo iinfo isdtype result_type
abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or bitwise_right_shift
bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot imag isfinite
isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum minimum
multiply negative nextafter not_equal positive pow real reciprocal remainder round sign signbit sin sinh square sqrt subtract
tan tanh trunc take take_along_axis matmul matrix_transpose tensordot vecdot concat expand_dims flip moveaxis permute_dims
repeat reshape roll squeeze stack tile unstack argmax argmin count_nonzero nonzero searchsorted where
unique_all unique_counts unique_inverse unique_values argsort sort cumulative_prod cumulative_sum max mean min prod std sum var
all any diff fft linalg __array_namespace_info__ __array_api_version__
""".split()


def test_every_name_of_the_standard_is_there():
    assert [name for name in STANDARD if not hasattr(xp, name)] == []
    strict = importlib.import_module("array_api_strict")
    own = ("Device", "ArrayAPIStrictFlags", "__version__")
    names = [name for name in strict.__all__ if name not in own and not name.endswith("_flags")]
    assert [name for name in names if not hasattr(xp, name)] == []
    for extension in ("fft", "linalg"):
        module = getattr(strict, extension)
        assert [name for name in module.__all__ if not hasattr(getattr(xp, extension), name)] == []


ONE = """abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor isfinite isinf isnan log log1p log2 log10 logical_not
negative positive reciprocal round sign signbit sin sinh square sqrt tan tanh trunc""".split()
ONE_COMPLEX = "abs conj cos cosh exp imag isfinite isinf isnan log negative positive real sign sin sqrt square tanh".split()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_array(name):
    x = np.concatenate([X.ravel(), np.float32([0, -0.0, 0.5, 1.5, -2.5, np.inf, -np.inf, np.nan])]).reshape(2, -1)
    if name in ("ceil", "floor", "round", "trunc", "sign"):
        # What an integer function makes of what is none, WGSL leaves to the driver.
        x = np.nan_to_num(x, nan=0.25, posinf=7.5, neginf=-7.5)
    same(getattr(xp, name)(wgpu_fft.asarray(x)), getattr(np, name)(x), name)


@pytest.mark.parametrize("name", ONE_COMPLEX)
def test_functions_of_one_complex_array(name):
    same(getattr(xp, name)(wgpu_fft.asarray(Z)), getattr(np, name)(Z), name)


TWO = """add atan2 copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp logical_and logical_or
logical_xor maximum minimum multiply nextafter not_equal pow remainder subtract""".split()


@pytest.mark.parametrize("name", TWO)
def test_functions_of_two_arrays(name):
    y = np.abs(RNG.normal(size=6)).astype(np.float32) + 0.5
    x = np.abs(X) if name == "pow" else X
    for left, right in ((x, y), (y, x), (x, np.float32(2)), (x, 2.0)):
        on_device = [wgpu_fft.asarray(side) if isinstance(side, np.ndarray) else side for side in (left, right)]
        same(getattr(xp, name)(*on_device), getattr(np, name)(left, right), name)


@pytest.mark.parametrize("data", [X, Z, X.astype(np.float64)])
def test_reductions(data):
    x = wgpu_fft.asarray(data)
    names = ["sum", "prod", "mean", "any", "all", "var", "std"] + ([] if data.dtype.kind == "c" else ["max", "min", "argmax", "argmin"])
    for name in names:
        for axis in (None, 0, 1):
            for keepdims in (False, True):
                options = {"axis": axis, "keepdims": keepdims}
                same(xp.asarray(getattr(xp, name)(x, **options)), getattr(np, name)(data, **options), f"{name} {options}")
    same(xp.var(x, axis=0, correction=1), np.var(data, axis=0, ddof=1), "correction")
    same(xp.sum(x, dtype=np.complex64), np.sum(data.astype(np.complex64)), "dtype")


def test_shapes():
    x = wgpu_fft.asarray(X)
    for name, arguments, options in [
        ("reshape", ((3, 10),), {}), ("permute_dims", ((1, 0),), {}), ("matrix_transpose", (), {}), ("expand_dims", (), {"axis": 1}),
        ("expand_dims", (), {"axis": -1}), ("flip", (), {"axis": 0}), ("roll", (2,), {"axis": 1}), ("tile", ((2, 1),), {}),
        ("repeat", (3,), {"axis": 0}), ("broadcast_to", ((4, 5, 6),), {}), ("moveaxis", (0, 1), {}), ("unstack", (), {"axis": 1}),
        ("take", (np.array([1, 3]),), {"axis": 1}), ("sort", (), {"axis": 0}), ("argsort", (), {}), ("nonzero", (), {}), ("diff", (), {}),
        ("cumulative_sum", (), {"axis": 1}), ("unique_values", (), {}), ("clip", (-0.5, 0.5), {}), ("astype", (np.float64,), {}),
        ("astype", (np.int32,), {}), ("astype", (np.complex64,), {}), ("tril", (), {}),
    ]:
        same(getattr(xp, name)(x, *arguments, **options), getattr(np, name)(X, *arguments, **options), f"{name} {arguments} {options}")
    same(xp.squeeze(xp.expand_dims(x, axis=0), axis=0), X, "squeeze")
    same(xp.concat([x, x * 2], axis=1), np.concat([X, X * 2], axis=1), "concat")
    same(xp.stack([x, x]), np.stack([X, X]), "stack")
    same(xp.where(x > 0, x, 0.0), np.where(X > 0, X, np.float32(0)), "where")
    same(xp.matmul(x, x.mT), X @ X.T, "matmul")
    same(x @ x.mT, X @ X.T, "@")
    same(xp.broadcast_arrays(x, x[0]), list(np.broadcast_arrays(X, X[0])), "broadcast_arrays")
    three = RNG.normal(size=(2, 3, 4)).astype(np.float32)
    for own, new in (([0, 2], [1, 0]), (-1, 0), ((0, 1), (2, 1))):
        same(xp.moveaxis(wgpu_fft.asarray(three), own, new), np.moveaxis(three, own, new), f"moveaxis {own} {new}")
    with pytest.raises(ValueError, match="length 1"):
        xp.squeeze(x, axis=0)
    with pytest.raises(ValueError, match="broadcast"):
        xp.broadcast_to(x, (5, 7))


def test_creation():
    for made, expected in [
        (xp.zeros((2, 3)), np.zeros((2, 3), np.float32)), (xp.ones(4, dtype=xp.complex64), np.ones(4, np.complex64)),
        (xp.full((2,), 3), np.full((2,), 3)), (xp.full((2,), 2.5), np.full((2,), 2.5, np.float32)),
        (xp.zeros_like(wgpu_fft.asarray(Z)), np.zeros_like(Z)), (xp.full_like(wgpu_fft.asarray(X), 7), np.full_like(X, 7)),
        (xp.arange(5), np.arange(5)), (xp.arange(0.0, 1.0, 0.25), np.arange(0.0, 1.0, 0.25).astype(np.float32)),
        (xp.linspace(0, 1, 5), np.linspace(0, 1, 5).astype(np.float32)), (xp.eye(3), np.eye(3, dtype=np.float32)),
        (xp.asarray([1.5, 2]), np.array([1.5, 2], np.float32)), (xp.asarray([1, 2]), np.array([1, 2])), (xp.asarray(True), np.array(True)),
        (xp.asarray(np.arange(3.0)), np.arange(3.0)), (xp.asarray([1, 2], dtype=xp.float64), np.array([1.0, 2.0])),
        (xp.asarray([wgpu_fft.asarray(X[0, 0]), 2.0]), np.array([X[0, 0], 2.0], np.float64).astype(np.result_type(X[:1, 0], 2.0))),
        (xp.fft.fftfreq(6), np.fft.fftfreq(6).astype(np.float32)), (xp.from_dlpack(X), X),
    ]:
        same(made, expected, str(expected))
    x = wgpu_fft.asarray(X)
    assert xp.asarray(x) is x and xp.asarray(x, copy=True) is not x and xp.astype(x, xp.float32, copy=False) is x


def test_types_and_what_there_is():
    x = wgpu_fft.asarray(X)
    assert x.__array_namespace__() is xp and x.__array_namespace__(api_version="2024.12") is xp
    with pytest.raises(ValueError, match="2030"):
        x.__array_namespace__(api_version="2030.12")
    assert xp.result_type(x, xp.complex64) == xp.complex64 and xp.can_cast(xp.float32, xp.float64) and xp.isdtype(x.dtype, "real floating")
    assert xp.finfo(x).eps == np.finfo(np.float32).eps and xp.iinfo(xp.int8).max == 127
    info = xp.__array_namespace_info__()
    assert info.default_dtypes()["real floating"] == xp.float32 and x.device in info.devices()
    assert set(info.dtypes(kind="complex floating")) == {"complex64", "complex128"} and info.capabilities()["boolean indexing"] is True
    assert x.to_device(x.device) is x and int(x[0, 0]) == int(X[0, 0])
    with pytest.raises(TypeError):
        x % "text"


def test_transforms():
    for name in ("fft", "ifft", "fftn", "ifftn", "hfft"):
        same(getattr(xp.fft, name)(wgpu_fft.asarray(Z)), getattr(np.fft, name)(Z), name)
    for name in ("rfft", "rfftn", "ihfft"):
        same(getattr(xp.fft, name)(wgpu_fft.asarray(X)), getattr(np.fft, name)(X), name)
    same(xp.fft.irfft(xp.fft.rfft(wgpu_fft.asarray(X)), n=6), X, "irfft")
    same(xp.fft.fftshift(wgpu_fft.asarray(X)), np.fft.fftshift(X), "fftshift")


def test_other_libraries_find_the_namespace():
    compat = importlib.import_module("array_api_compat")
    x = wgpu_fft.asarray(X)
    assert compat.array_namespace(x, x) is xp and compat.is_array_api_obj(x)


SCIPY = """
import numpy as np, scipy.fft, scipy.signal, wgpu_fft
rng = np.random.default_rng(1)
x = rng.normal(size=(6, 100)).astype(np.float32)
k = rng.normal(size=(6, 9)).astype(np.float32)
on_device = wgpu_fft.asarray(x), wgpu_fft.asarray(k)
for name, function in {
    "fft": lambda x, k: scipy.fft.fft(x), "rfftn": lambda x, k: scipy.fft.rfftn(x), "irfft": lambda x, k: scipy.fft.irfft(scipy.fft.rfft(x)),
    "fftshift": lambda x, k: scipy.fft.fftshift(x), "fftconvolve": lambda x, k: scipy.signal.fftconvolve(x, k, axes=1),
    "oaconvolve": lambda x, k: scipy.signal.oaconvolve(x, k, axes=1), "hilbert": lambda x, k: scipy.signal.hilbert(x),
    "resample": lambda x, k: scipy.signal.resample(x, 70, axis=1), "detrend": lambda x, k: scipy.signal.detrend(x, type="constant"),
}.items():
    result, expected = function(*on_device), function(x, k)
    assert isinstance(result, wgpu_fft.Array), (name, type(result))
    error = np.abs(result.to_numpy() - expected).max() / np.abs(expected).max()
    assert error < 1e-5, (name, error)
    print(name)
"""


def test_scipy_takes_arrays_on_the_device():
    run = subprocess.run([sys.executable, "-c", SCIPY], env={**os.environ, "SCIPY_ARRAY_API": "1"}, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
