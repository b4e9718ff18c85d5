"""Gradients: adjoints by their definition, and those of `wgpu_fft.torch` and `wgpu_fft.jax` against what
these libraries find for functions of their own."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import sys

import numpy as np
import pytest

import wgpu_fft
from wgpu_fft import _gradients, signal

# Lengths that are cut, filled up, odd, even and 1; every norm; negative and repeated defaults of axes.
SHAPE = (3, 4, 5)
ONE_AXIS = [{}, {"n": 8}, {"n": 3, "axis": 0}, {"n": 3, "axis": -1, "norm": "ortho"}, {"axis": 1, "norm": "forward"}]
SEVERAL = [{}, {"s": (2, 7), "axes": (0, 2)}, {"s": (4, 3), "axes": (-1, 1), "norm": "forward"}, {"axes": (1,), "norm": "ortho"}]
REAL_ONLY = ("rfft", "ihfft")
FOURIER = [name for name in _gradients.NAMES if "fft" in name and name != "fftconvolve"]
REAL = [name for name in _gradients.NAMES if "ct" in name or "st" in name]
CALLS = [
    (name, arguments)
    for name in FOURIER
    for arguments in (ONE_AXIS if _gradients._one_axis(name) else SEVERAL)
    if not (name.endswith("2") and len(arguments.get("axes", (0, 1))) != 2)
]
REAL_CALLS = [
    (name, arguments | {"type": type, "orthogonalize": orthogonalize})
    for name in REAL
    for arguments in (ONE_AXIS if _gradients._one_axis(name) else SEVERAL)
    for type in (1, 2, 3, 4)
    for orthogonalize in (None, True)
]
CONVOLUTIONS = [
    ((9,), (4,), None), ((4,), (9,), None), ((5, 6), (2, 3), None), ((5, 6), (1, 4), None), ((3, 6), (3, 4), 1), ((1, 6), (3, 1), 1),
    ((2, 3, 4, 5), (1, 2, 3, 2), (1, 3, 2)),
]
# In place of a result, its form.
FORMS = dict(zip(_gradients.NAMES, _gradients.functions("forms", lambda form, *arrays: form(*arrays), lambda _: {})))
MODES = ("full", "same", "valid")


def types(name):
    return ("f", "d") if name.rstrip("2n") in REAL_ONLY else ("f", "D") if name in REAL else ("f", "d", "F", "D")


def product(x, y):
    return float(np.sum(np.conj(x) * y).real)


def is_adjoint(form, noise, tolerance):
    """Whether all maps of a form are of one T, which is linear."""
    arrays = [noise(shape, dtype) for shape, dtype in zip(form.shapes, form.dtypes)]
    values = []
    for i, own in enumerate(arrays):
        result = form.run(i, *arrays[:i], *arrays[i + 1 :])
        assert result.shape == own.shape and result.dtype == own.dtype
        values.append(product(own, result))
    sizes = np.prod([np.linalg.norm(x) for x in arrays])
    np.testing.assert_allclose(values, values[0], rtol=0, atol=tolerance * sizes)


@pytest.mark.parametrize(("name", "arguments"), CALLS + REAL_CALLS, ids=str)
def test_adjoints_of_transforms(noise, agrees, name, arguments):
    for kind in types(name):
        x = noise(SHAPE, kind)
        form = FORMS[name](x, **arguments)
        agrees(form.run(0, x), getattr(wgpu_fft, name)(x, **arguments))
        is_adjoint(form, noise, 1e-5 if kind in "fF" else 1e-12)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("shape", "kernel", "axes"), CONVOLUTIONS)
def test_adjoints_of_convolutions(noise, agrees, shape, kernel, axes, mode):
    for kinds in ("ff", "FF", "fF", "Ff", "dd", "fD"):
        x, y = noise(shape, kinds[0]), noise(kernel, kinds[1])
        form = FORMS["fftconvolve"](x, y, mode, axes)
        agrees(form.run(0, x, y), signal.fftconvolve(x, y, mode, axes), 1e-5)
        is_adjoint(form, noise, 1e-5)


def test_a_wrong_adjoint_is_found(noise):
    form = FORMS["rfft"](noise(8))
    # Without the factors of those numbers that stand for two.
    wrong = _gradients.Form(form.shapes, form.dtypes, [form._maps[0], lambda g: wgpu_fft.irfft(g, 8, norm="forward")])
    with pytest.raises(AssertionError):
        is_adjoint(wrong, noise, 1e-5)


def test_lengths_of_one(noise):
    for name in FOURIER + REAL:
        arguments = {"n" if _gradients._one_axis(name) else "s": 1}
        for shape in ((1,), (3,)):
            if name.endswith("2"):
                continue
            is_adjoint(FORMS[name](noise(shape), **arguments), noise, 1e-5)


def test_equal_calls_have_the_same_functions(noise):
    x = noise((4, 5))
    form = FORMS["fftn"](x, s=[3, 2], axes=(0, 1))
    assert FORMS["fftn"](2 * x, s=(np.int64(3), 2), axes=np.array([0, 1])) is form
    assert FORMS["rfft"](x, n=8) is FORMS["rfft"](x, 8, axis=np.int64(-1))
    assert FORMS["fftconvolve"](x, x, axes=[1]) is FORMS["fftconvolve"](x, x, axes=1)
    fftn = FORMS["fftn"]
    others = [FORMS["ifftn"](x, s=[3, 2]), fftn(x, s=[3, 2], norm="ortho"), fftn(x.astype("d"), s=[3, 2]), fftn(x[:3], s=[3, 2])]
    assert form not in others
    y = x.astype(np.float64)
    with wgpu_fft.options(double="single"):
        single = FORMS["rfft"](y)
    double = FORMS["rfft"](y)
    # Also where the options are others: JAX calls back in a thread of its own.
    assert single.run(0, y).dtype == np.complex64 and double.run(0, y).dtype == np.complex128
    with pytest.raises(TypeError):
        FORMS["rfft"](x, 8.0)


@pytest.mark.parametrize("name", FOURIER + REAL)
def test_batches_of_transforms(noise, agrees, name):
    form = FORMS[name](noise((4, 5)), **({"n": 7, "axis": 0} if _gradients._one_axis(name) else {"s": (7, 6)}))
    for i in (0, 1):
        x = noise((2, 3, *form.shapes[1 - i]), form.dtypes[1 - i])
        agrees(form.run(i, x), np.array([[form.run(i, each) for each in several] for several in x]), 1e-6)
        assert form.run(i, x[:0]).shape == (0, 3, *form.shapes[i])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("shape", "kernel", "axes"), CONVOLUTIONS)
def test_batches_of_convolutions(noise, agrees, shape, kernel, axes, mode):
    form = FORMS["fftconvolve"](noise(shape), noise(kernel), mode, axes)
    arrays = [noise((3, *shape), dtype) for shape, dtype in zip(form.shapes, form.dtypes)]
    for i in range(3):
        others = arrays[:i] + arrays[i + 1 :]
        agrees(form.run(i, *others), np.array([form.run(i, *each) for each in zip(*others)]), 1e-5)


@pytest.mark.parametrize("name", ["fftn", "ifft2", "dctn", "idstn"])
def test_results_are_no_views_of_arguments(noise, name):
    x = noise((4, 5), np.complex64 if name in FOURIER else np.float32)
    form = FORMS[name](x, axes=())
    for i in (0, 1):
        result = form.run(i, x)
        assert np.array_equal(result, x) and not np.may_share_memory(result, x)


def test_wrong_arguments(noise):
    x = noise((4, 5))
    with pytest.raises(TypeError, match="real sequence"):
        FORMS["rfft"](x.astype(np.complex64))
    with pytest.raises(ValueError, match="Invalid norm"):
        FORMS["dct"](x, norm="forwards")
    with pytest.raises(ValueError, match="out of bounds"):
        FORMS["fft"](x, axis=2)
    with pytest.raises(ValueError, match="type"):
        FORMS["dct"](x, 5)
    for name in ("dct", "idct"):
        with pytest.raises(ValueError, match="DCT-I .* 1$"):
            FORMS[name](x, 1, n=1)
    with pytest.raises(ValueError, match="dimensionality"):
        FORMS["fftconvolve"](x, x[0])
    with pytest.raises(ValueError, match="mode"):
        FORMS["fftconvolve"](x, x, "all")
    with pytest.raises(ValueError, match=r"\(0, 5\)"):
        FORMS["fftconvolve"](x[:0], x)
    with pytest.raises(TypeError, match="workers"):
        FORMS["fft"](x, workers=2)


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_a_library_that_is_not_there(monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"wgpu_fft.{library}", raising=False)
    with pytest.raises(ImportError, match=f"wgpu_fft.{library} needs .*: pip install {library}"):
        importlib.import_module(f"wgpu_fft.{library}")


class Torch:
    """What the tests need of PyTorch."""

    def __init__(self):
        self.torch = pytest.importorskip("torch", reason="PyTorch is not installed: scripts/python.sh torch")
        self.ours = importlib.import_module("wgpu_fft.torch")
        self.array, self.bfloat16, self.kinds = self.torch.tensor, self.torch.bfloat16, "fFdD"
        self.doubles = contextlib.nullcontext

    def theirs(self, name):
        return getattr(self.torch.fft, name, None)

    def arguments(self, arguments):
        return {{"axis": "dim", "axes": "dim"}.get(name, name): value for name, value in arguments.items()}

    def gradients(self, function, *arrays):
        tensors = [self.torch.tensor(x, requires_grad=True) for x in arrays]
        function(*tensors).backward()
        return [x.grad.numpy(force=True) for x in tensors]


class Jax:
    """The same of JAX."""

    def __init__(self):
        self.jax = pytest.importorskip("jax")
        self.ours = importlib.import_module("wgpu_fft.jax")
        self.array, self.bfloat16, self.kinds = self.jax.numpy.asarray, self.jax.numpy.bfloat16, "fF"
        # JAX makes float32 of float64 without it.
        self.doubles = lambda: self.jax.enable_x64(True)

    def theirs(self, name):
        return getattr(self.jax.numpy.fft, name, None)

    def arguments(self, arguments):
        return arguments

    def gradients(self, function, *arrays):
        found = self.jax.jit(self.jax.grad(function, tuple(range(len(arrays)))))(*arrays)
        return [np.asarray(x) for x in found]


@pytest.fixture(params=[Torch, Jax])
def library(request):
    return request.param()


def loss(library, y):
    """A real number that depends on every part of a result, and on no two alike."""
    random = np.random.default_rng(7)
    shape = tuple(y.shape)
    factor = library.array((random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(np.complex64))
    return (y * factor).real.sum() + (abs(y) ** 3).sum()


@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=str)
def test_gradients_of_fourier_transforms(noise, agrees, library, name, arguments):
    theirs, ours = library.theirs(name), getattr(library.ours, name)
    if theirs is None:
        pytest.skip(f"there is no {name} to compare with")
    arguments = library.arguments(arguments)
    for kind in types(name):
        if kind in library.kinds:
            x = noise(SHAPE, kind)
            actual, expected = (library.gradients(lambda x, f=f: loss(library, f(x, **arguments)), x) for f in (ours, theirs))
            agrees(actual[0], expected[0], 1e-4 if kind in "fF" else 1e-10)


@pytest.mark.parametrize("mode", MODES)
def test_gradients_of_convolutions(noise, agrees, mode):
    library = Jax()
    theirs = library.jax.scipy.signal.fftconvolve
    for kinds in ("ff", "FF", "fF"):
        for shapes in (((9,), (4,)), ((5, 6), (2, 3))):
            arrays = [noise(shape, kind) for shape, kind in zip(shapes, kinds)]
            actual, expected = (
                library.gradients(lambda x, y, f=f: loss(library, f(x, y, mode)), *arrays) for f in (library.ours.fftconvolve, theirs)
            )
            for ours, other in zip(actual, expected):
                agrees(ours, other, 1e-4)


@pytest.mark.parametrize("name", ["dct", "idct", "dctn", "idctn"])
def test_gradients_of_cosine_transforms(noise, agrees, name):
    library = Jax()
    x, theirs = noise((4, 5)), getattr(library.jax.scipy.fft, name)
    for norm in (None, "ortho"):
        actual, expected = (library.gradients(lambda x, f=f: loss(library, f(x, norm=norm)), x) for f in (getattr(library.ours, name), theirs))
        agrees(actual[0], expected[0], 1e-4)


def test_parameters_are_those_of_jax():
    library = Jax()
    scipy = library.jax.scipy
    for name in _gradients.NAMES:
        theirs = library.theirs(name) or getattr(scipy.fft, name, None) or getattr(scipy.signal, name, None)
        if theirs is not None:
            names = [list(inspect.signature(f).parameters) for f in (getattr(library.ours, name), theirs)]
            assert names[0][: len(names[1])] == names[1], name


def test_jax_keeps_one_function_for_equal_calls(noise, agrees, monkeypatch):
    library = Jax()
    jax, rfft = library.jax, library.ours.rfft
    original, called = jax.pure_callback, []
    monkeypatch.setattr(jax, "pure_callback", lambda f, *args, **kwargs: called.append(f) or original(f, *args, **kwargs))
    x = jax.numpy.asarray(noise((3, 8)))
    for _ in range(3):
        rfft(x[0], n=4)
        jax.grad(lambda x: loss(library, rfft(x, n=4)))(x[0])
    # Those of maps 0 and 1.
    assert len(called) >= 9 and len(set(called)) == 2
    # A batch is one call, and no loop.
    for batched in (jax.vmap(rfft), jax.vmap(jax.grad(lambda x: loss(library, rfft(x))))):
        assert "scan" not in str(jax.make_jaxpr(batched)(x))
    agrees(jax.vmap(jax.vmap(rfft))(x.reshape(3, 2, 4)), np.fft.rfft(np.asarray(x).reshape(3, 2, 4)))
    shared = jax.vmap(library.ours.fftconvolve, (1, None))(x, x[:, 0])
    agrees(shared, np.array([np.convolve(each, x[:, 0]) for each in np.asarray(x).T]))


def test_jax_transforms_its_functions(noise, agrees):
    library = Jax()
    jax, rfft = library.jax, library.ours.rfft
    x = noise((3, 8))
    agrees(jax.jit(jax.vmap(rfft))(x), np.fft.rfft(x))
    # Derivatives of the second order, in reverse mode twice.
    second = [jax.jacrev(jax.grad(lambda x, f=f: loss(library, f(x)))) for f in (rfft, jax.numpy.fft.rfft)]
    agrees(second[0](x[0]), second[1](x[0]), 1e-4)
    # Both arrays of a convolution have a part in it.
    kernel = noise(3)
    mixed = [
        jax.jacrev(jax.grad(lambda x, y, f=f: loss(library, f(x, y))), 1)
        for f in (library.ours.fftconvolve, jax.scipy.signal.fftconvolve)
    ]
    agrees(mixed[0](x[0], kernel), mixed[1](x[0], kernel), 1e-4)
    with pytest.raises(TypeError, match="forward-mode"):
        jax.jvp(rfft, (x,), (x,))
    with jax.enable_x64(True):
        x = noise(8, np.float64)
        actual, expected = (library.gradients(lambda x, f=f: loss(library, f(x)), x) for f in (rfft, jax.numpy.fft.rfft))
        agrees(actual[0], expected[0], 1e-10)


def test_numbers_of_other_types(library):
    one = library.array([1, 2, 3])
    assert str(library.ours.fft(one).dtype).endswith("complex64")
    halves = np.ones(4, np.float16)
    gradient = library.gradients(lambda x: abs(library.ours.rfft(x)).sum(), halves)[0]
    assert gradient.dtype == np.float16
    with library.doubles():
        ones = library.array(np.ones(4))
        assert str(library.ours.rfft(ones).dtype).endswith("complex128")
        with wgpu_fft.options(double="single"):
            assert str(library.ours.rfft(ones).dtype).endswith("complex64")
    with pytest.raises(TypeError, match="bfloat16"):
        library.ours.rfft(library.array([1, 2], dtype=library.bfloat16))


@pytest.mark.parametrize("function", ["rfft2", "irfft2", "dctn", "hfft", "ihfft", "dst", "fft"])
def test_pytorch_checks_gradients(noise, function):
    library = Torch()
    check = library.torch.autograd
    f = getattr(library.ours, function)
    x = library.array(noise((4, 5), "D" if function in ("irfft2", "hfft", "fft") else "d"), requires_grad=True)
    assert check.gradcheck(f, x, check_forward_ad=True)
    assert check.gradgradcheck(f, x)


def test_pytorch_checks_gradients_of_convolutions(noise):
    library = Torch()
    check = library.torch.autograd
    for kinds in ("dd", "DD", "dD"):
        x, y = (library.array(noise(shape, kind), requires_grad=True) for shape, kind in zip(((2, 6), (1, 3)), kinds))
        for mode in MODES:
            f = lambda x, y, mode=mode: library.ours.fftconvolve(x, y, mode, dim=1)
            assert check.gradcheck(f, (x, y), check_forward_ad=True)
        assert check.gradgradcheck(library.ours.fftconvolve, (x, y), check_fwd_over_rev=True)


def test_pytorch_transforms_its_functions(noise, agrees):
    library = Torch()
    func, rfft, x = library.torch.func, library.ours.rfft, library.array(noise((3, 8)))
    agrees(func.vmap(rfft, 1)(x), np.fft.rfft(x.numpy().T).astype(np.complex64))
    agrees(func.vmap(func.vmap(rfft))(x.reshape(3, 2, 4)), np.fft.rfft(x.numpy().reshape(3, 2, 4)).astype(np.complex64))
    empty = func.vmap(rfft)(x[:0])
    assert empty.shape == (0, 5) and empty.dtype == library.torch.complex64
    each = [func.grad(lambda x, f=f: loss(library, f(x))) for f in (rfft, library.torch.fft.rfft)]
    agrees(func.vmap(each[0])(x), func.vmap(each[1])(x), 1e-4)
    same = library.torch.arange(4.0)
    library.ours.fftn(same, dim=()).add_(1)
    library.ours.dctn(same, dim=()).add_(1)
    agrees(same, np.arange(4, dtype=np.float32))
    with pytest.raises(ValueError, match="cpu, and kernel on meta"):
        library.ours.fftconvolve(x[0], library.torch.ones(3, device="meta"))
    second = [func.hessian(lambda x, f=f: loss(library, f(x)))(x[0]) for f in (rfft, library.torch.fft.rfft)]
    agrees(second[0], second[1], 1e-4)
    # A view of conjugates in another order, of which only one needs a gradient.
    z = library.array(noise((3, 8), np.complex64), requires_grad=True)
    y = library.ours.fftconvolve(z.conj().T, x[:, :3].T)
    y.abs().sum().backward()
    assert z.grad.shape == z.shape and x.grad is None
    # A compiled function calls these as they are.
    w = x.clone().requires_grad_()
    library.torch.compile(lambda x: rfft(x * 2).abs().square().sum(), backend="aot_eager")(w).backward()
    v = x.clone().requires_grad_()
    library.torch.fft.rfft(v * 2).abs().square().sum().backward()
    agrees(w.grad, v.grad)
