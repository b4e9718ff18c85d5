"""Arrays on the device."""

from __future__ import annotations

import numpy as np
import pytest

import wgpu_fft

OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


@pytest.mark.parametrize("dtype", [np.float32, np.complex64, np.float64, np.complex128])
def test_there_and_back(noise, dtype):
    x = noise((3, 5), dtype)
    array = wgpu_fft.asarray(x)
    assert (array.shape, array.dtype, array.ndim, array.size, array.nbytes, len(array)) == ((3, 5), dtype, 2, 15, x.nbytes, 3)
    assert np.array_equal(array.to_numpy(), x)
    assert np.array_equal(np.asarray(array), x)
    assert np.array_equal(np.from_dlpack(array), x)
    assert str(np.dtype(dtype)) in repr(array) and "(3, 5)" in repr(array)
    assert wgpu_fft.asarray(array) is array


def test_types_that_become_others():
    assert wgpu_fft.asarray([1, 2]).dtype == np.float64
    assert wgpu_fft.asarray(np.ones(2, np.float16)).dtype == np.float32
    with wgpu_fft.options(double="single"):
        assert wgpu_fft.asarray([1, 2]).dtype == np.float32
        assert wgpu_fft.fft(np.ones(4)).dtype == np.complex64
    with pytest.raises(TypeError, match="numbers"):
        wgpu_fft.asarray(["a"])
    x = wgpu_fft.asarray(np.arange(3, dtype=np.float32))
    assert np.array_equal(x.astype(np.complex64), np.arange(3, dtype=np.complex64))
    assert x.astype(np.float64).to_numpy().dtype == np.float64


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("left", [np.float32, np.complex64, np.float64])
@pytest.mark.parametrize("right", [np.float32, np.complex64])
def test_arithmetic(noise, agrees, operator, left, right):
    function, x, y = OPERATORS[operator], noise((3, 4, 5), left), noise((3, 4, 5), right)
    a, b = wgpu_fft.asarray(x), wgpu_fft.asarray(y)
    agrees(function(a, b), function(x, y))
    agrees(function(a, y), function(x, y))
    agrees(function(x, b), function(x, y))
    agrees(function(a.T, b.T), function(x.T, y.T))
    agrees(function(a[::2, 1:], b[::2, 1:]), function(x[::2, 1:], y[::2, 1:]))
    for scalar in (2, 0.5, 1 + 2j):
        agrees(function(a, scalar), function(x, scalar))
        agrees(function(scalar, a), function(scalar, x))
    for shape in [(5,), (4, 1), (3, 1, 1), (1, 1, 1)]:
        small = noise(shape, right)
        agrees(function(a, wgpu_fft.asarray(small)), function(x, small))
        agrees(function(wgpu_fft.asarray(small), a), function(small, x))


def test_division_keeps_its_range(agrees):
    x = np.array([1e30 + 1e30j, 1e-30j, 3], np.complex64)
    y = np.array([1e30 + 1e30j, 1e-30 + 0j, 0 - 2j], np.complex64)
    agrees(wgpu_fft.asarray(x) / wgpu_fft.asarray(y), np.array([1, 1j, 1.5j], np.complex64))


def test_unary(noise, agrees):
    for dtype in (np.float32, np.complex64, np.complex128):
        x = noise((4, 5), dtype)
        array = wgpu_fft.asarray(x)
        agrees(-array, -x)
        agrees(abs(array), abs(x))
        agrees(array.conj(), x.conj())
        agrees(array.real, x.real.copy())
        agrees(array.imag, x.imag.copy())
    x = abs(noise((4, 5)))
    agrees(wgpu_fft.asarray(x).map("sqrt(value)"), np.sqrt(x))
    agrees(wgpu_fft.asarray(x).map("vec2(0.0, value)", np.complex64), (1j * x).astype(np.complex64))
    with pytest.raises(wgpu_fft.Error, match="line 1") as error:
        wgpu_fft.asarray(x).map("nothing(value)")
    assert error.value.kind == "parse"


def test_places(noise):
    x = noise((4, 5, 6))
    array = wgpu_fft.asarray(x)
    for key in (0, -1, slice(1, 3), (slice(None), 2), (..., slice(None, None, 2)), (1, ..., 3), (None, 2), slice(4, 2)):
        assert np.array_equal(np.asarray(array[key]), x[key]), key
    assert np.array_equal(array[1:, ::2].copy(), x[1:, ::2])
    assert np.array_equal(array.transpose(2, 0, 1), x.transpose(2, 0, 1))
    assert np.array_equal(array.T.reshape(6, -1), x.T.reshape(6, -1))
    assert np.array_equal(array[0, 1].ravel(), x[0, 1])
    assert float(array[1, 2, 3]) == x[1, 2, 3]
    for key in (4, (0, 0, 0, 0), slice(None, None, -1), [0, 1]):
        with pytest.raises(IndexError):
            array[key]


def test_results_stay_on_the_device(noise, agrees):
    x = noise((64, 64))
    spectrum = wgpu_fft.rfft2(wgpu_fft.asarray(x))
    assert isinstance(spectrum, wgpu_fft.Array)
    agrees(wgpu_fft.irfft2(spectrum * np.float32(0.5)), x * np.float32(0.5))


def test_plans_by_text(noise, agrees):
    x = noise((20, 30))
    plan = wgpu_fft.Plan("sum f32 20x30 axes=1")
    assert (plan.inputs, plan.output, plan.spec) == ([("f32", 600)], ("f32", 20), "sum f32 20x30 axes=1")
    agrees(plan(x), x.sum(1))
    agrees(plan(wgpu_fft.asarray(x)), x.sum(1))
    assert np.array_equal(wgpu_fft.Plan("transpose u8 2x3")(np.arange(6, dtype=np.uint8)), [0, 3, 1, 4, 2, 5])
    assert wgpu_fft.Plan("c2c fwd 64", recipe=wgpu_fft.Plan("c2c fwd 64").recipe).recipe == wgpu_fft.Plan("c2c fwd 64").recipe
    assert "dispatch" in plan.program or "workgroups" in plan.program
    with pytest.raises(TypeError, match="600 elements of f32"):
        plan(x[:2])
    with pytest.raises(wgpu_fft.Error) as error:
        wgpu_fft.Plan("no such thing")
    assert error.value.kind == "parse"


def test_kept_plans_are_few(noise):
    device = wgpu_fft.Device()
    wgpu_fft.set_options(plans=3)
    for n in range(2, 12):
        device._plan_of(f"c2c fwd {n}")
    assert len(device._entries) == 3
    assert device._plan_of("c2c fwd 11") is device._plan_of("c2c fwd 11")
    device.clear()
    assert not device._entries


def test_freed_buffers_become_results(noise):
    """A result may lie where an earlier one lay that nobody holds any more, and nowhere else."""
    data = [noise((64, 48), np.complex64) for _ in range(4)]
    arrays = [wgpu_fft.asarray(x) for x in data]
    held = [wgpu_fft.fft2(array) for array in arrays]
    part = held[0][1:3]
    for array, x in zip(arrays, data):
        # Each of these is freed before the next one, or in the midst of a sum.
        y = wgpu_fft.ifft2(wgpu_fft.fft2(array) + wgpu_fft.fft2(array)) - array
        np.testing.assert_allclose(y.to_numpy(), x, atol=1e-5)
    for result, x in zip(held, data):
        np.testing.assert_allclose(result.to_numpy(), np.fft.fft2(x), rtol=1e-4, atol=1e-3)
    del held[0], result
    wgpu_fft.fft2(arrays[1])
    np.testing.assert_allclose(part.to_numpy(), np.fft.fft2(data[0])[1:3], rtol=1e-4, atol=1e-3)
    assert np.array_equal(wgpu_fft.asarray(np.ones((64, 96), np.float32)).imag.to_numpy(), np.zeros((64, 96), np.float32))
    wgpu_fft.get_device().clear()
    np.testing.assert_allclose(wgpu_fft.fft2(arrays[2]).to_numpy(), np.fft.fft2(data[2]), rtol=1e-4, atol=1e-3)
