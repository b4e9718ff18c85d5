"""Arrays on the device."""

from __future__ import annotations

import itertools
import operator
import os
from concurrent.futures import ThreadPoolExecutor

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
    assert x.astype(">f4", copy=False) is x
    for dtype in (np.int32, np.float16, bool, "U1"):
        with pytest.raises(TypeError, match="use to_numpy"):
            x.astype(dtype)
    for dtype in (np.int64, bool):
        with pytest.raises(TypeError, match="no numbers of type"):
            wgpu_fft.asarray([1, 2], dtype)


def test_integers_that_would_become_others():
    limit = 1 << 53
    for data in ([limit], [-limit], [limit - 1]):
        assert wgpu_fft.asarray(data).to_numpy().astype(np.int64).tolist() == data
    for data in (np.array([1, limit + 1]), np.array([-limit - 1]), np.array([2**64 - 1], np.uint64), np.array([-(2**63)])):
        with pytest.raises(ValueError, match="beyond 2"):
            wgpu_fft.asarray(data)
        assert np.array_equal(wgpu_fft.asarray(data, np.float64), data.astype(np.float64))


def test_arrays_go_to_the_device_that_is_asked_for():
    other, x = wgpu_fft.Device(), wgpu_fft.asarray(np.arange(6, dtype=np.float32))
    moved = wgpu_fft.asarray(x[1:5], device=other)
    assert moved.device is other and np.array_equal(moved, np.arange(1, 5))
    assert wgpu_fft.asarray(x, np.complex64, other).device is other
    assert wgpu_fft.asarray(x, device=x.device) is x
    assert wgpu_fft.signal.fftconvolve(moved, moved).device is other


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("left", [np.float32, np.complex64, np.float64])
@pytest.mark.parametrize("right", [np.float32, np.complex64])
def test_arithmetic(noise, agrees, name, left, right):
    function, x, y = OPERATORS[name], noise((3, 4, 5), left), noise((3, 4, 5), right)
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


@pytest.mark.parametrize("fuse", [0, 1])
def test_both_sides_may_be_repeated(noise, agrees, fuse):
    """The order stays: a difference is no negative one."""
    shapes = [((4, 1), (5,)), ((5,), (4, 1)), ((), (1,)), ((1,), ()), ((3, 1, 5), (4, 1)), ((1, 1), (1,))]
    with wgpu_fft.options(fuse=fuse):
        for left, right in shapes:
            x, y = np.asarray(noise(left)), np.asarray(noise(right))
            for name in ("-", "/"):
                for _ in range(2):
                    agrees(OPERATORS[name](wgpu_fft.asarray(x), wgpu_fft.asarray(y)), np.asarray(OPERATORS[name](x, y)))
                    agrees(OPERATORS[name](wgpu_fft.asarray(x) * 2, wgpu_fft.asarray(y)), np.asarray(OPERATORS[name](x * 2, y)))


def test_division_keeps_its_range(agrees):
    x = np.array([1e30 + 1e30j, 1e-30j, 3], np.complex64)
    y = np.array([1e30 + 1e30j, 1e-30 + 0j, 0 - 2j], np.complex64)
    agrees(wgpu_fft.asarray(x) / wgpu_fft.asarray(y), np.array([1, 1j, 1.5j], np.complex64))
    # Both far away, and their quotient is not.
    x, y = (np.array([3e37 + 2e37j, 4e-37 + 3e-37j], np.complex64) * np.complex64(z) for z in (1, 2j))
    agrees(wgpu_fft.asarray(x) / wgpu_fft.asarray(y), np.array([-0.5j, -0.5j], np.complex64))


def test_magnitudes_keep_their_range():
    """Those that f32 has are right wherever squares are not, to a few bits."""
    random = np.random.default_rng(2026)
    x = random.standard_normal((2, 100_000)).astype(np.float32) * np.exp2(random.integers(-123, 126, (2, 100_000))).astype(np.float32)
    x[1, ::2] = x[0, ::2] * random.standard_normal(50_000).astype(np.float32)
    z = (x[0] + 1j * x[1]).astype(np.complex64)
    z[:6] = [1e20 + 1e20j, 1e-30j, 1e-30, 3e-30 + 4e-30j, 0, 3e38]
    expected = np.hypot(z.real.astype(np.float64), z.imag.astype(np.float64))
    # Devices may take both parts below the normal numbers for zeros.
    np.testing.assert_allclose(abs(wgpu_fft.asarray(z)).to_numpy(), expected, rtol=1e-6, atol=2.0**-125)
    odd = np.array([complex(np.inf, 1), complex(-1, -np.inf), complex(np.nan, np.inf), complex(np.inf, np.nan), complex(np.nan, 1)])
    np.testing.assert_array_equal(abs(wgpu_fft.asarray(odd.astype(np.complex64))).to_numpy(), np.abs(odd).astype(np.float32))


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
    for key in (4, (0, 0, 0, 0)):
        with pytest.raises(IndexError):
            array[key]


def test_shapes_are_integers(noise):
    x = noise((4, 6))
    array = wgpu_fft.asarray(x)
    for shape in [(np.int64(3), np.int32(8)), ((3, 8),), ([3, 8],), (np.array([3, 8]),), (np.int64(24),), (-1, 8), (3, np.int64(-1))]:
        assert np.array_equal(array.reshape(*shape), x.reshape(*shape)), shape
    for axes in [(), (None,), (np.int64(1), np.int64(0)), ((1, 0),), (np.array([1, 0]),), ([-1, 0],)]:
        assert np.array_equal(array.transpose(*axes), x.transpose(*axes)), axes
    assert np.array_equal(array[0].transpose(np.int64(0)), x[0])
    for shape in [(-1, -1), (-2, -12), (5, -1), (0, -1), (7,)]:
        with pytest.raises(ValueError):
            array.reshape(*shape)
    for shape in [(2.0, 12), ("24",), (None,), ((2.0, 12),)]:
        with pytest.raises(TypeError):
            array.reshape(*shape)
    with pytest.raises(ValueError):
        wgpu_fft.asarray(x[:0]).reshape(-1, 0)
    for axes in [(0, 0), (0,), (2, 0)]:
        with pytest.raises(ValueError):
            array.transpose(*axes)


def test_comparisons(noise):
    x, y = np.round(noise((4, 6))), np.round(noise((6,)))
    for dtype in (np.float32, np.complex64, np.float64):
        a, b, c = x.astype(dtype), y.astype(dtype), wgpu_fft.asarray(x.astype(dtype))
        for compare in (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal):
            name = {"equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge"}
            own = getattr(operator, name[compare.__name__])
            for result in (own(c, wgpu_fft.asarray(b)), own(c, b), own(wgpu_fft.asarray(a.T).T, b)):
                assert result.dtype == bool and np.array_equal(result, compare(a, b))
            assert np.array_equal(own(b, c), compare(b, a))
            assert np.array_equal(own(c, 1), compare(a, 1))
    assert 1 in c and 77 not in c
    assert not c == "text" and c != "text" and not c == None  # noqa: E711
    with pytest.raises(ValueError):
        c == wgpu_fft.asarray(np.ones(5))
    with pytest.raises(TypeError, match="hash"):
        hash(c)


def test_truth():
    assert not wgpu_fft.asarray([0.0]) and wgpu_fft.asarray([[2.0]]) and not wgpu_fft.asarray(np.complex64(0))
    for data in ([], [0.0, 0.0], [1.0, 1.0]):
        with pytest.raises(ValueError, match="ambiguous"):
            bool(wgpu_fft.asarray(data))


def test_slices_share_plans(noise, agrees):
    """Where a slice begins is no part of a plan: a loop over an array makes one."""
    device = wgpu_fft.Device()
    # Rows that begin at any element, and some that begin where a binding may.
    x = noise((70, 33), np.complex64)
    array, other = wgpu_fft.asarray(x, device=device), wgpu_fft.asarray(noise(33, np.complex64), device=device)
    for key, most in [("row", 1), ("column", 1 + device.info["alignment"] // 8 + 1)]:
        device.clear()
        for i in range(70 if key == "row" else 33):
            row, own = (array[i], x[i]) if key == "row" else (array[:, i], x[:, i])
            agrees(wgpu_fft.fft(row), np.fft.fft(own))
            assert np.array_equal(row.to_numpy(), own)
        assert len(device._entries) <= most
    device.clear()
    for i in range(70):
        agrees(array[i] * other + array[i][3], x[i] * other.to_numpy() + x[i][3])
        agrees(abs(array[i]), abs(x[i]))
    plans = len(device._entries)
    assert plans <= 3 * device.info["alignment"] // 8 + 3, plans


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
    with pytest.raises(TypeError, match="f32, not of float64"):
        plan(x.astype(np.float64))
    with pytest.raises(ValueError) as error:
        wgpu_fft.Plan("no such thing")
    assert isinstance(error.value, wgpu_fft.ArgumentError) and error.value.kind == "parse"


SHAPES_OF_INPUTS = [
    ("sum f32 20x30 axes=1", [(20, 30)]),
    ("sum f32 20x30 x4 axes=1", [(4, 20, 30)]),
    ("c2c fwd 6x5", [(6, 5)]),
    ("r2c fwd 6x5 x2", [(2, 6, 5)]),
    ("c2r inv 6x9", [(6, 5)]),
    ("c2c fwd 6x5 in=1,6:30", [None]),
    ("c2c fwd 6x5 in-part=0..3,1..4", [(3, 3)]),
    ("convolve f32 20x30 by 3x5 same", [(20, 30), (3, 5)]),
    ("correlate complex f32 20 x3 by 5", [(3, 20), (5,)]),
    ("roll f32 4x6 by=2,3", [(4, 6)]),
    ("transpose f32x2 4x6", [(4, 6, 2)]),
    ("phase-correlate 12x10 x2", [(2, 12, 10), (2, 12, 10)]),
    ("radial-average f32 8x6 half", [(8, 4)]),
    ("resample f32 6x8 to 12x16", [(6, 8)]),
    ("c2c fwd 6x5 out=8,1:48", [(6, 5)]),
    ("c2c fwd 8x6 out-part=-2..2,0..3", [(8, 6)]),
    ("transpose f32 4x6 out=6,1:40", [(4, 6)]),
    ("zoom f32 100 to 20 in 0.1..0.2", [(100,)]),
    ("frequencies f32 5x100 bins 3,17", [(5, 100)]),
]


@pytest.mark.parametrize("spec, shapes", SHAPES_OF_INPUTS, ids=[spec for spec, _ in SHAPES_OF_INPUTS])
def test_plans_take_arrays_of_their_shape(spec, shapes):
    plan = wgpu_fft.Plan(spec)
    assert plan._shapes == shapes
    kinds = {"f32": np.float32, "complex f32": np.complex64, "f32x2": np.float32}
    arrays = []
    for (element, count), shape in zip(plan.inputs, shapes):
        flat = np.arange(count * (2 if element == "f32x2" else 1)).astype(kinds[element])
        arrays.append((flat, flat if shape is None else flat.reshape(shape)))
    flat, shaped = zip(*arrays)
    expected = plan(*flat)
    assert np.array_equal(plan(*shaped), expected)
    if plan.output[0] in kinds and plan.output[0] != "f32x2":
        # A result takes memory that was freed, and has zeros where a plan stores nothing.
        freed = [wgpu_fft.asarray(np.full(expected.nbytes // 4, np.nan, np.float32)) for _ in range(2)]
        freed.clear()
        assert np.array_equal(plan(*map(wgpu_fft.asarray, shaped)), expected)
    for i, (data, x) in enumerate(arrays):
        for wrong in (data[None], data[:, None], x.T, x[None], data[:-1], x[..., :-1]):
            if wrong.shape in (data.shape, x.shape):
                continue
            for place in (lambda x: x, wgpu_fft.asarray):
                given = [place(wrong if j == i else x) for j, x in enumerate(shaped)]
                with pytest.raises(ValueError, match="takes an array"):
                    plan(*given)


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


def test_calls_are_queued_in_their_order(noise):
    """More of them than one submission takes, from several threads, between copies, writes and reads."""

    def chain(seed):
        x = noise((8, 8), np.complex64)
        array, expected = wgpu_fft.asarray(x), x.astype(np.complex128)
        for i in range(100):
            array, expected = wgpu_fft.fft2(array, norm="ortho"), np.fft.fft2(expected, norm="ortho")
            if i % 7 == seed:
                array = array.copy() * 1.0
            if i % 31 == seed:
                wgpu_fft.flush()
                np.testing.assert_allclose(array.to_numpy(), expected, atol=1e-4)
        np.testing.assert_allclose(array.to_numpy(), expected, atol=1e-4)

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(chain, range(3)))


def test_results_are_verified():
    found = wgpu_fft.check()
    assert all("equal in two runs" in how for how in found.values()) and len(found) == 8
    assert "64 elements by their definition" in found["c2c fwd 1000 x30"], found
    assert "bound" in wgpu_fft.Plan("c2r inv 30x40").verify()


REDUCTIONS = ["sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax", "any", "all"]


@pytest.mark.parametrize("dtype", [np.float32, np.complex64, np.float64, np.complex128])
@pytest.mark.parametrize("shape", [(7,), (4, 5), (3, 4, 5), (2, 3, 2, 4), (1, 5), (1,)])
def test_reductions_are_numpys(noise, shape, dtype):
    x = noise(shape, dtype)
    x.reshape(-1)[::3] = 0
    array = wgpu_fft.asarray(x)
    axes = [None, *range(-1, len(shape)), *itertools.combinations(range(len(shape)), 2)]
    every = list(itertools.product(REDUCTIONS, axes, [False, True]))
    # Each is a pipeline. Seven shares no factor with twice the number of axes.
    share = every if os.environ.get("WGPU_FFT_THOROUGH") or len(every) < 100 else every[len(shape) :: 7]
    assert {name for name, _, _ in share} == set(REDUCTIONS) and {axis for _, axis, _ in share} == set(axes)
    for name, axis, keepdims in share:
        if name.startswith("arg") and isinstance(axis, tuple):
            continue
        own = getattr(array, name)(axis=axis, keepdims=keepdims)
        expected = getattr(x, name)(axis=axis, keepdims=keepdims)
        found = np.asarray(own)
        assert (found.shape, found.dtype) == (np.shape(expected), np.asarray(expected).dtype), (name, axis)
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5, err_msg=f"{name} {axis}")
    if len(shape) > 1:
        part = array.T[1:, ::2]
        np.testing.assert_allclose(part.sum(axis=0).to_numpy(), x.T[1:, ::2].sum(axis=0), rtol=2e-5, atol=2e-5)
    if shape[0] > 1:
        np.testing.assert_allclose(array.var(axis=0, ddof=1).to_numpy(), x.var(axis=0, ddof=1), rtol=2e-5, atol=2e-5)


def test_reductions_of_what_numpy_refuses():
    x = np.array([[1, np.nan, 3], [4, 5, 6]], np.float32)
    array = wgpu_fft.asarray(x)
    for name in ("min", "max", "sum", "argmin", "argmax"):
        assert np.array_equal(np.asarray(getattr(array, name)(axis=1)), getattr(x, name)(axis=1), equal_nan=True), name
    for axis, why in ((2, "out of bounds"), (-3, "out of bounds"), ((0, 0), "twice"), ("a", "integers")):
        with pytest.raises(ValueError, match=why):
            array.sum(axis=axis)
    empty = wgpu_fft.asarray(np.ones((0, 3), np.float32))
    assert np.array_equal(empty.sum(axis=0).to_numpy(), np.zeros(3)) and float(empty.sum()) == 0
    with pytest.raises(ValueError):
        empty.max()


def test_powers(noise):
    for dtype in (np.float32, np.complex64):
        x = noise((3, 4), dtype)
        array = wgpu_fft.asarray(x)
        for result, expected in ((array**2, x**2), (array**3, x**3), (array**-1.0, x**-1.0), (2.0**array, 2.0**x), (abs(array) ** array, abs(x) ** x)):
            assert result.dtype == expected.dtype
            np.testing.assert_allclose(result.to_numpy(), expected, rtol=1e-5)


def test_numbers_are_uploaded_once():
    device = wgpu_fft.get_device()
    device.clear()
    x = wgpu_fft.asarray(np.ones(3, np.float32))
    for _ in range(4):
        y = x * 2.0 + 0.0
        y.to_numpy()
    z = x * -0.0
    assert np.array_equal(y.to_numpy(), [2, 2, 2]) and np.all(np.signbit(z.to_numpy()))
    assert len(device._scalars) == 3
    for i in range(300):
        y = x + float(i)
        wgpu_fft.flush()
    assert len(device._scalars) == 256 and np.array_equal(y.to_numpy(), [300, 300, 300])


def test_views_drawn_at_random(noise, agrees):
    """Slices of transposes of slices, wherever they begin. WGPU_FFT_FUZZ draws more of them."""
    random = np.random.default_rng(43)
    for case in range(int(os.environ.get("WGPU_FFT_FUZZ", "60"))):
        shape = tuple(int(n) for n in random.integers(1, 9, int(random.integers(1, 5))))
        x = noise(shape, random.choice(list("fFdD")))
        array, words = wgpu_fft.asarray(x), f"case {case}: {x.dtype} {shape}"
        for _ in range(random.integers(1, 4)):
            key = []
            for n in x.shape:
                first = int(random.integers(0, n + 1))
                key.append([slice(first, None, int(random.integers(1, 4))), slice(None), min(first, n - 1), slice(None, first)][random.integers(4)])
                if n == 0 or x.ndim == 1:
                    key[-1] = slice(None)
            order = random.permutation(x[tuple(key)].ndim)
            x, array = x[tuple(key)].transpose(order), array[tuple(key)].transpose(order)
            words += f" [{key}] {order}"
        for own in (array, array.copy(), array.contiguous(), array.ravel().reshape(x.shape)):
            np.testing.assert_array_equal(own.to_numpy(), x, words)
        assert np.all(array == x), words
        agrees(array + array.copy(), x + x)
        agrees(array - np.float32(1), x - np.float32(1))
        agrees(abs(array), abs(x))
        if x.ndim and x.size and case % 3 == 0:
            agrees(wgpu_fft.fft(array, axis=0), np.fft.fft(x, axis=0).astype(np.result_type(x, np.complex64)))


def test_parts_are_written():
    data = np.arange(2 * 5 * 6, dtype=np.float32).reshape(2, 5, 6)
    for key, value in [
        (..., 0), (0, 7.5), ((1, slice(1, 4)), np.ones((3, 6))), ((slice(None), slice(None, None, 2), 3), [[1], [2]]), ((1, 4, 5), 9),
        ((slice(None), slice(0, 0)), 3), ((..., slice(2, None)), np.arange(4)), (None, 2), ((0, None, 2), np.ones((1, 1, 1, 6))),
    ]:
        expected, x = data.copy(), wgpu_fft.asarray(data)
        expected[key] = value
        x[key] = value
        np.testing.assert_array_equal(x.to_numpy(), expected, str(key))
        on_device = wgpu_fft.asarray(data)
        on_device[key] = wgpu_fft.asarray(np.asarray(value, np.float32))
        np.testing.assert_array_equal(on_device.to_numpy(), expected, str(key))
    # Within one array, and seen by what shares its memory.
    x = wgpu_fft.asarray(np.arange(6, dtype=np.float32))
    view = x[::2]
    x[1:] = x[:-1]
    np.testing.assert_array_equal(x.to_numpy(), [0, 0, 1, 2, 3, 4])
    np.testing.assert_array_equal(view.to_numpy(), [0, 1, 3])
    x.T[:2] += 1
    np.testing.assert_array_equal(x.to_numpy(), [1, 1, 1, 2, 3, 4])
    for change in ("+=", "-=", "*=", "/=", "**="):
        expected, y = np.linspace(1, 2, 6, dtype=np.float32), wgpu_fft.asarray(np.linspace(1, 2, 6, dtype=np.float32))
        shared, seen = expected[1:4], y[1:4]
        exec(f"shared {change} 2; seen {change} 2")
        np.testing.assert_allclose(y.to_numpy(), expected, rtol=1e-6)
    with pytest.raises(TypeError):
        y += "text"
    with pytest.raises(TypeError, match="complex"):
        y += 1j
    many = np.arange(2**6, dtype=np.complex64).reshape((2,) * 6)
    on_device = wgpu_fft.asarray(many)
    on_device[::1, 1, :, ::1, 0] = on_device[:, 0, :, :, 1].transpose()
    many[:, 1, :, :, 0] = many[:, 0, :, :, 1].transpose().copy()
    np.testing.assert_array_equal(on_device.to_numpy(), many)
    with pytest.raises(ValueError, match="broadcast"):
        x[:2] = np.ones(3)
    with pytest.raises(TypeError, match="complex"):
        x[0] = wgpu_fft.asarray(np.ones((), np.complex64))
    with pytest.raises(IndexError):
        x[6] = 1
