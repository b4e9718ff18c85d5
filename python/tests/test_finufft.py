"""Transforms on non-uniform points: against the sums by their definition, and against finufft where it is
installed."""

from __future__ import annotations

import numpy as np
import pytest

import wgpu_fft
import wgpu_fft.finufft as ours

#: Modes, and for type 3 where frequencies are, by the number of axes.
MODES = {1: (24,), 2: (12, 9), 3: (6, 5, 8)}
POINTS = 60


class Case:
    """Points and numbers at random."""

    def __init__(self, kind, dim, double=False, transforms=None, seed=1):
        random = np.random.default_rng(seed + 10 * dim + kind)
        real, self.complex = ("f8", np.complex128) if double else ("f4", np.complex64)
        self.kind, self.dim, self.modes = kind, dim, MODES[dim]
        self.points = [random.uniform(-np.pi, np.pi, POINTS).astype(real) for _ in self.modes]
        # As many of them as there are none of points, so that the two cannot be mistaken.
        self.frequencies = [random.uniform(-n / 2, n / 2, 35).astype(real) for n in self.modes] if kind == 3 else []
        shape = self.modes if kind == 2 else (POINTS,)
        shape = shape if transforms is None else (transforms, *shape)
        self.data = (random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(self.complex)

    def run(self, module, **options):
        function = getattr(module, f"nufft{self.dim}d{self.kind}")
        modes = (self.modes,) if self.kind == 1 else ()
        return function(*self.points, self.data, *modes, *self.frequencies, **options)

    def expected(self, isign=None, modeord=0):
        """By the definition, in f64."""
        isign = isign or (-1 if self.kind == 2 else 1)
        if self.kind == 3:
            angles = sum(np.outer(s.astype("f8"), x.astype("f8")) for s, x in zip(self.frequencies, self.points))
            return self.data.astype("c16") @ np.exp(1j * isign * angles).T
        wave = [np.arange(n) - n // 2 for n in self.modes]
        wave = [np.fft.ifftshift(k) for k in wave] if modeord else wave
        angles = sum(np.multiply.outer(k, x.astype("f8")) for k, x in zip(np.meshgrid(*wave, indexing="ij"), self.points))
        factors = np.exp(1j * isign * angles)
        if self.kind == 1:
            return np.tensordot(self.data.astype("c16"), factors, (-1, -1))
        return np.tensordot(self.data.astype("c16"), factors, self.dim)


def error(found, expected):
    assert found.shape == expected.shape
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("kind", [1, 2, 3])
def test_sums(kind, dim, double):
    case = Case(kind, dim, double)
    found = case.run(ours, eps=1e-5)
    assert found.dtype == case.complex
    assert error(found, case.expected()) < 1.2e-5
    assert error(case.run(ours, eps=1e-5, isign=-7), case.expected(-1)) < 1.2e-5
    assert error(case.run(ours), case.expected()) < 2.5e-6


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("kind", [1, 2, 3])
def test_double_precision(kind, dim):
    case = Case(kind, dim, double=True, transforms=2)
    if not wgpu_fft.get_device().has_f64:
        with pytest.raises(wgpu_fft.Error, match="eps=1e-11 .* no 64-bit floats in shaders .SHADER_F64.* at least 1e-06"):
            case.run(ours, eps=1e-11)
        return
    found = case.run(ours, eps=1e-11)
    assert found.dtype == np.complex128
    assert error(found, case.expected()) < 1.2e-11
    # Rounded to f32, coordinates alone would be off by more.
    mixed = Case(kind, dim, double=True)
    mixed.points = [x.astype("f4") if axis else x for axis, x in enumerate(mixed.points)]
    assert error(mixed.run(ours, eps=1e-12, modeord=1), mixed.expected(modeord=1)) < 1.2e-12
    with wgpu_fft.options(double="single"):
        assert error(case.run(ours, eps=1e-5), case.expected()) < 1.2e-5
        with pytest.raises(wgpu_fft.Error, match="complex128 is computed in single precision here, and .* at least 1e-06"):
            case.run(ours, eps=1e-11)


def test_double_precision_in_a_plan():
    if not wgpu_fft.get_device().has_f64:
        with wgpu_fft.options(double="f64"), pytest.raises(wgpu_fft.Error, match="non-uniform points in f64.*SHADER_F64"):
            ours.nufft1d1(np.zeros(3), np.ones(3, "c16"), 5)
        return
    case = Case(1, 2, double=True)
    plan = ours.Plan(1, case.modes, eps=1e-10)
    plan.setpts(*case.points)
    found = plan.execute(case.data)
    other = found + 1
    back = plan.execute_adjoint(other)
    assert (found.dtype, back.dtype) == (np.complex128, np.complex128)
    assert error(found, case.expected()) < 1.2e-10
    assert abs(np.vdot(other, found) - np.vdot(back, case.data)) < 1e-13 * np.linalg.norm(other) * np.linalg.norm(found)
    with pytest.raises(wgpu_fft.Error, match="eps=1e-13 .* in double precision eps is at least 1e-12"):
        ours.Plan(1, 5, eps=1e-13)


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("kind", [1, 2, 3])
def test_as_finufft(kind, dim):
    finufft = pytest.importorskip("finufft")
    for double in (False, True):
        for transforms in (None, 1, 3):
            case = Case(kind, dim, double, transforms)
            for options in ({"eps": 1e-4}, {"eps": 1e-3, "isign": -1}, {"eps": 1e-4, "isign": 1, "modeord": 1, "nthreads": 1}):
                theirs, own = case.run(finufft, **options), case.run(ours, **options)
                assert own.dtype == theirs.dtype
                assert error(own, theirs) < 3 * options["eps"]


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_several_transforms_and_orders(kind):
    case = Case(kind, 2, transforms=3)
    for modeord in (0, 1):
        assert error(case.run(ours, eps=1e-5, modeord=modeord), case.expected(modeord=modeord)) < 1.2e-5


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_plan(kind):
    case = Case(kind, 2, transforms=2)
    plan = ours.Plan(kind, 2 if kind == 3 else case.modes, 2, 1e-5, dtype="complex64")
    assert (plan.type, plan.dim, plan.n_trans, plan.n_modes) == (kind, 2, 2, None if kind == 3 else case.modes)
    for seed in (1, 2):
        case = Case(kind, 2, transforms=2, seed=seed)
        plan.setpts(*case.points, *[None] * bool(case.frequencies), *case.frequencies)
        found = plan.execute(case.data)
        assert error(found, case.expected()) < 1.2e-5
        out = np.empty_like(found)
        assert plan.execute(case.data, out) is out and np.array_equal(out, found)
        # <A x, y> = <x, A* y>, to rounding errors for types 1 and 2.
        other = (found + 1).astype("c8")
        back = plan.execute_adjoint(other)
        difference = np.vdot(other, found) - np.vdot(back, case.data)
        assert abs(difference) < 2e-5 * np.linalg.norm(other) * np.linalg.norm(found)
        assert back.shape == case.data.shape


def test_out_and_modes():
    case = Case(1, 1)
    out = np.empty(24, np.complex64)
    assert ours.nufft1d1(case.points[0], case.data, out=out, eps=1e-4) is out
    assert error(out, case.expected()) < 1.2e-4
    assert np.array_equal(out, ours.nufft1d1(case.points[0], case.data, 24, eps=1e-4))
    # Digits of coordinates beyond f32 count.
    far = np.array([1e4 + 1e-5])
    found = ours.nufft1d1(far, np.ones(1, np.complex128), 1000)
    assert error(found, np.exp(1j * np.arange(-500, 500) * far)) < 5e-6


def test_nothing():
    none = np.empty(0, np.float32)
    assert not ours.nufft1d1(none, np.empty(0, np.complex64), 5).any()
    assert ours.nufft1d2(none, np.ones(5, np.complex64)).shape == (0,)
    assert ours.nufft1d3(none, np.empty(0, np.complex64), np.ones(3, np.float32)).tolist() == [0, 0, 0]
    assert ours.nufft1d3(np.ones(3, np.float32), np.ones(3, np.complex64), none).shape == (0,)


def test_mistakes():
    x, c = np.zeros(3, np.float32), np.ones(3, np.complex64)
    for message, call in {
        "eps=1e-09 .* at least 1e-06": lambda: ours.nufft1d1(x, c, 5, eps=1e-9),
        "eps=nan": lambda: ours.nufft1d1(x, c, 5, eps=np.nan),
        "n_modes or out": lambda: ours.nufft1d1(x, c),
        "n_modes has 2 axes, and the points have 1": lambda: ours.nufft1d1(x, c, (5, 5)),
        r"integers from 1 on, not \(0,\)": lambda: ours.nufft1d1(x, c, (0,)),
        r"data has the shape \(4,\), and should have \(3,\)": lambda: ours.nufft1d1(x, np.ones(4, np.complex64), 5),
        r"y has the shape \(2,\), and should have \(3,\)": lambda: ours.nufft2d1(x, x[:2], c, (5, 5)),
        r"x\[1\] is nan": lambda: ours.nufft1d1(np.array([0, np.nan, 0]), c, 5),
        r"out is complex64 of the shape \(4,\).*complex64 of the shape \(5,\)": lambda: ours.nufft1d1(x, c, 5, np.empty(4, np.complex64)),
        "f has 2 axes": lambda: ours.nufft2d2(x, x, c),
        "no type 4": lambda: ours.Plan(4, 5),
        "no modeord 2": lambda: ours.Plan(1, 5, modeord=2),
        "at least 1, not 0": lambda: ours.Plan(1, 5, 0),
        "1 to 3 axes, not 4": lambda: ours.Plan(1, (2, 2, 2, 2)),
        "number of axes, not": lambda: ours.Plan(3, (2, 2)),
        "call setpts first": lambda: ours.Plan(1, 5).execute(c),
        "2 axes have x, y; y is NoneType": lambda: ours.Plan(1, (5, 5)).setpts(x),
        "1 axes have x; y is ndarray": lambda: ours.Plan(1, 5).setpts(x, x),
    }.items():
        with pytest.raises(wgpu_fft.Error, match=message):
            call()
    with pytest.raises(TypeError, match="spreading: no such option"):
        ours.Plan(1, 5, spreading=3)
    with pytest.raises(TypeError, match="complex64 or complex128, not float32"):
        ours.Plan(1, 5, dtype="float32")
    with pytest.raises(wgpu_fft.Error, match="grid"):
        ours.nufft1d3(np.array([0, 1e6], "f4"), np.ones(2, "c8"), np.array([0, 1e6], "f4"))
