"""Arithmetic that is computed when it is needed: nobody sees it, but by the number of dispatches."""

from __future__ import annotations

import gc
import random
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import wgpu_fft
from wgpu_fft import _deferred, _elementwise

OPERATORS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b}


@pytest.fixture
def device():
    return wgpu_fft.Device()


@pytest.fixture
def runs(monkeypatch):
    """A list that gets an entry for each elementwise dispatch."""
    done, run = [], _elementwise.run

    def counted(*arguments):
        done.append(arguments)
        return run(*arguments)

    monkeypatch.setattr(_elementwise, "run", counted)
    return done


def test_an_expression_becomes_one_dispatch(device, runs, noise, agrees):
    x = noise((20, 30))
    array = wgpu_fft.asarray(x, device=device)
    wgpu_fft.set_options(fuse=2)
    counts = []
    for i in range(5):
        y = (array * 2 + array) / 3 - abs(array)
        assert not runs
        agrees(y, (x * 2 + x) / np.float32(3) - abs(x))
        counts.append(len(runs))
        runs.clear()
    assert counts == [5, 5, 1, 1, 1]
    # Another number is the same expression, another operator is not.
    agrees((array * 7 + array) / 5 - abs(array), (x * 7 + x) / np.float32(5) - abs(x))
    assert len(runs) == 1
    agrees((array * 7 + array) / 5 + abs(array), (x * 7 + x) / np.float32(5) + abs(x))
    # But a part of it is known.
    assert len(runs) == 4
    runs.clear()
    wgpu_fft.set_options(fuse=0)
    for i in range(4):
        agrees(array * 2 + array, x * 2 + x)
    assert len(runs) == 8
    # Large arrays wait for fewer: each MiB that is not stored counts.
    large = wgpu_fft.asarray(noise((1 << 20,)), device=device)
    with wgpu_fft.options(fuse=9):
        # 4 MiB, and one each time.
        for expected in (2, 1):
            runs.clear()
            (large * 2 + large).to_numpy()
            assert len(runs) == expected
    # What nobody reads is not computed, and what is read is computed once.
    runs.clear()
    array * 2 + array
    z = array + 1
    assert not runs
    z.to_numpy()
    z.to_numpy()
    assert len(runs) == 1


class Walk:
    """Arrays on the device beside those of NumPy, to which the same is done at random.

    The numbers are small integers, of which f32 computes sums and products exactly.
    """

    SHAPES = [(6, 8), (8,), (6, 1), (1,), (), (6, 8), (6, 8)]

    def __init__(self, device: wgpu_fft.Device, seed: int) -> None:
        self.device, self.random, self.log = device, random.Random(seed), []
        self.pairs = [self.fresh(shape) for shape in self.SHAPES]

    def fresh(self, shape=None) -> tuple:
        shape = self.random.choice(self.SHAPES) if shape is None else shape
        data = np.array([self.random.randint(-4, 4) for _ in range(int(np.prod(shape)))], np.float32).reshape(shape)
        if self.random.random() < 0.3:
            data = (data + 1j * data[..., ::-1] if data.ndim else data + 2j).astype(np.complex64)
        return wgpu_fft.asarray(data, device=self.device), data

    def operator(self) -> str:
        return self.random.choice("+-*")

    def pick(self) -> tuple:
        return self.random.choice(self.pairs)

    def add(self, array, data) -> None:
        if data.size and abs(data).max() > 1 << 10:
            array, data = self.fresh()
        # NumPy returns numbers where arrays have no axes.
        self.pairs[self.random.randrange(len(self.pairs))] = array, np.asarray(data)

    def step(self) -> None:
        choice = self.random.randrange(12)
        name, (a, x), (b, y) = self.operator(), self.pick(), self.pick()
        self.log.append((choice, name, x.shape, y.shape))
        if choice < 4:
            try:
                expected = OPERATORS[name](x, y)
            except ValueError:
                with pytest.raises(ValueError):
                    OPERATORS[name](a, b)
                return
            self.add(OPERATORS[name](a, b), expected)
        elif choice == 4:
            number = self.random.choice([2, -1, 3, 1j])
            sides = [(a, number), (number, a)][self.random.randrange(2)]
            self.add(OPERATORS[name](*sides), np.asarray(OPERATORS[name](*(x if side is a else side for side in sides))))
        elif choice == 5:
            function = self.random.choice([lambda x: -x, lambda x: x.conj(), lambda x: x.real, lambda x: x.imag])
            result = function(x)
            # Parts of complex numbers are views of NumPy's, and copies here; zeros cannot be written there.
            self.add(function(a), result if result is x else np.array(result))
        elif choice == 6 and x.ndim:
            first, step = self.random.randrange(x.shape[0]), self.random.choice([1, 2])
            key = slice(first, None, step) if self.random.random() < 0.7 else first
            # A view on both sides; numbers are copies in NumPy.
            if x[key].ndim:
                self.pairs.append((a[key], x[key]))
                self.pairs = self.pairs[-12:]
        elif choice == 7:
            self.pairs[self.random.randrange(len(self.pairs))] = a.T, x.T
        elif choice == 8 and x.ndim and abs(x).max(initial=0) < 1 << 9 and (np.iscomplexobj(x) or not np.iscomplexobj(y)):
            # In place, which views see.
            if _broadcast(x, y) == x.shape and abs(y).max(initial=0) < 100:
                a += b
                x += y
        elif choice == 9 and x.ndim:
            value = self.random.randint(-3, 3)
            key = (self.random.randrange(x.shape[0]), ...)
            a[key] = value
            x[key] = value
        elif choice == 10:
            np.testing.assert_array_equal(a.to_numpy(), x, err_msg=str(self.log[-20:]))
        else:
            self.add(*self.fresh())

    def compare(self) -> None:
        for array, data in self.pairs:
            np.testing.assert_array_equal(array.to_numpy(), data, err_msg=str(self.log[-30:]))


def _broadcast(x, y):
    try:
        return np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        return None



@pytest.mark.parametrize("fuse", [0, 1, 3])
def test_random_programs_compute_what_numpy_does(device, fuse):
    """Operators, views, writes through views and to operands of what is put off, and reads."""
    wgpu_fft.set_options(fuse=fuse, plans=1000)
    seed = random.randrange(1 << 30)
    for i in range(4):
        walk = Walk(device, seed + i)
        try:
            for _ in range(150):
                walk.step()
            walk.compare()
        except AssertionError as why:
            raise AssertionError(f"seed {seed + i}, fuse {fuse}: {why}") from why


def tree(random, leaves, depth):
    """A random expression of leaves, as a function of them."""
    if depth == 0 or random.random() < 0.1:
        i = random.randrange(len(leaves) + 1)
        return (lambda v: v[i]) if i < len(leaves) else (lambda v: 0.3)
    name = random.choice(["+", "-", "*", "*", "/", "-x", "abs"])
    a, b = tree(random, leaves, depth - 1), tree(random, leaves, depth - 1)
    if name == "-x":
        return lambda v: -a(v)
    if name == "abs":
        return lambda v: abs(a(v))
    return lambda v: OPERATORS[name](a(v), b(v))


def test_both_ways_compute_the_same_bits(device, runs, noise):
    """Also where a compiler would contract a product and a sum, and where it would take out a factor."""
    wgpu_fft.set_options(plans=1000)
    for dtypes in ([np.float32] * 3, [np.complex64] * 2, [np.float32, np.complex64]):
        data = [noise((500,), dtype) for dtype in dtypes]
        arrays = [wgpu_fft.asarray(x, device=device) for x in data]
        own = random.Random(5)
        functions = [lambda v: v[0] * v[1] + v[0], lambda v: v[0] * v[1] - v[-1] * v[0], lambda v: v[0] * v[1] + v[0] * v[-1]]
        functions += [tree(own, arrays, 3) for _ in range(12)]
        for function in functions:
            if not isinstance(function(arrays), wgpu_fft.Array):
                continue
            results = []
            for fuse in (0, 1, 1):
                runs.clear()
                with wgpu_fft.options(fuse=fuse):
                    results.append(function(arrays).to_numpy())
            # Of the last time, which is by one kernel.
            assert len(runs) <= 1
            np.testing.assert_array_equal(results[0].view(np.uint32), results[2].view(np.uint32))
            np.testing.assert_allclose(results[2], function(data), rtol=1e-3, atol=1e-3)


def test_arrays_of_no_axes_are_taken_as_they_are(device, noise):
    x, scale = noise((8,)), np.array(2, np.float32)
    product = wgpu_fft.asarray(x, device=device) * scale
    scale[...] = 5
    np.testing.assert_array_equal(product.to_numpy(), x * np.float32(2))


def test_long_expressions_are_cut(device, noise):
    x = np.asarray(noise(8))
    array = wgpu_fft.asarray(x, device=device)
    y, expected = array, x.copy()
    for _ in range(100):
        y, expected = y * 0.5 + y * 0.25, expected * np.float32(0.5) + expected * np.float32(0.25)
        assert y._expression is None or y._expression.operators <= _deferred.MOST_OPERATORS
    np.testing.assert_allclose(y, expected, rtol=1e-5)
    # Many arrays.
    others = [wgpu_fft.asarray(noise(8), device=device) for _ in range(9)]
    total = others[0]
    for other in others[1:]:
        total = total + other
        assert total._expression is None or len(total._expression.leaves) <= _deferred.MOST_LEAVES
    np.testing.assert_allclose(total, sum(other.to_numpy() for other in others), rtol=1e-5, atol=1e-5)


def test_the_longest_expressions_have_kernels(device, runs, noise):
    """The most operators, one within another, on the most arrays, of which none lies without gaps."""
    wgpu_fft.set_options(fuse=1)
    shape = (3, 2, 3, 2, 4)
    data = [noise(shape, np.complex64) for _ in range(_deferred.MOST_LEAVES - 1)] + [noise(shape)]
    arrays = [wgpu_fft.asarray(np.ascontiguousarray(x.T), device=device).T for x in data]
    for names in ("*", "/", "*+/-"):

        def chain(values, names=names):
            y = values[-1] * 0.5
            for i in range(_deferred.MOST_OPERATORS - 1):
                y = OPERATORS[names[i % len(names)]](values[i % len(values)], y)
            return y

        for _ in range(3):
            runs.clear()
            y = chain(arrays)
            assert y._expression.operators == _deferred.MOST_OPERATORS
            np.testing.assert_allclose(y.to_numpy(), chain(data), rtol=1e-4)
        # Of which copies without gaps are no operators.
        assert len(runs) == 1


def test_little_is_kept_from_being_freed(device, monkeypatch, noise):
    """What is put off keeps its operands: few of them, none that is much larger, and no more than some bytes."""
    array = wgpu_fft.asarray(noise((1 << 19,)), device=device)
    row = array[:10] * 2
    assert row._expression is None
    assert (array * 2)._expression is not None
    held = [array * i for i in range(40)]
    assert len(_deferred._waiting(device)) <= _deferred.MOST_ARRAYS
    for i in (0, 20, 39):
        np.testing.assert_array_equal(held[i].to_numpy(), array.to_numpy() * np.float32(i))
    monkeypatch.setattr(_deferred, "MOST_BYTES", 3 * array.nbytes)
    del held
    held = [array * i + 1 for i in range(10)]
    assert len(_deferred._waiting(device)) <= 3
    device.flush()
    assert not _deferred._waiting(device)
    # What is computed keeps its own elements alone.
    count = sys.getrefcount(array)
    y = array * 2
    assert sys.getrefcount(array) > count
    y.to_numpy()
    gc.collect()
    assert sys.getrefcount(array) == count


def test_errors_come_with_the_call(device, noise):
    a, b = (wgpu_fft.asarray(noise(n), device=device) for n in (3, 4))
    for wrong in (lambda: a + b, lambda: (a * 2) + b, lambda: a + np.ones(7, np.float32)):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        a + "text"
    with pytest.raises(wgpu_fft.ArgumentError, match="another device") as caught:
        a + wgpu_fft.asarray(noise(3), device=wgpu_fft.Device())
    assert caught.value.kind == "foreign-object"


def test_what_cannot_be_computed_names_its_call(device, monkeypatch, noise):
    a = wgpu_fft.asarray(noise(30), device=device)
    y, line = a * 2 + 1, sys._getframe().f_lineno

    def refused(*_):
        raise wgpu_fft.Error("out of memory")

    with monkeypatch.context() as patch:
        patch.setattr(_elementwise, "run", refused)
        with pytest.raises(wgpu_fft.Error) as caught:
            y.to_numpy()
    if sys.version_info >= (3, 11):
        assert f"`__add__` at {__file__}:{line}" in str(caught.value.__notes__)
    np.testing.assert_allclose(y, a.to_numpy() * 2 + 1, rtol=1e-6)


def test_threads_see_what_was_when_they_called(device):
    """Each puts off sums of an array that it then writes, while others do so with parts of the same buffer."""
    wgpu_fft.set_options(fuse=2)
    whole = wgpu_fft.asarray(np.zeros((4, 64), np.float32), device=device)

    def work(i):
        own = whole[i]
        for k in range(60):
            sums = own + own * 2 + k
            own += 1
            later = own * 3
            assert np.array_equal(sums.to_numpy(), np.full(64, 4 * k, np.float32)), (i, k)
            assert np.array_equal(later.to_numpy(), np.full(64, 3 * k + 3, np.float32)), (i, k)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
