#!/usr/bin/env python3
"""Writes tests/data/oracles.txt: transforms of every kind, layout and scale by FFTW in long double,
checked here against SciPy (pocketfft) in long double. tests/support/oracles.rs reads it.

Run it with SciPy and FFTW's library for long double (Debian: libfftw3-long3):
python3 scripts/oracle_vectors.py > tests/data/oracles.txt

A line is the text of a specification, the numbers of elements of both arrays with everything
between them, the two-norm of the results, and some of the results: all of up to 12, else eight at
equal distances. Results are long double rounded to f64. FFTW itself finds the elements by strides.

Element i of an input array, also between the elements, is ((7i² + 3i) mod 257) / 128 - 1, which f32
holds exactly, and for complex numbers the imaginary part is that of i + 5. A half-spectrum is made
one of reals: where the last index is 0 or n/2, element k becomes X[k] + conj X[-k].
"""

import ctypes
import ctypes.util
import itertools
import sys

import numpy as np
import scipy
from scipy import fft

fftwl = ctypes.CDLL(ctypes.util.find_library("fftw3l"))
ESTIMATE = 1 << 6
LONG, CLONG = np.longdouble, np.clongdouble

# The names of kinds and FFTW's numbers for them.
KINDS = {"dct1": 3, "dct3": 4, "dct2": 5, "dct4": 6, "dst1": 7, "dst3": 8, "dst2": 9, "dst4": 10, "hartley": 2, "r2hc": 0, "hc2r": 1}

# Lengths of the tables of rocFFT's accuracy tests (clients/tests), as facts: powers of 2, 3 and 5,
# mixed ones, primes, and lengths that once failed.
ROCFFT = [2, 4, 8, 16, 32, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536, 262144, 1048576]
ROCFFT += [3, 9, 27, 81, 243, 729, 2187, 6561, 19683, 177147, 5, 25, 125, 625, 3125, 15625, 78125, 390625]
ROCFFT += [6, 10, 12, 15, 20, 30, 120, 150, 225, 240, 300, 486, 600, 900, 1250, 1500, 1875, 2160, 2250, 2500, 3000, 4000]
ROCFFT += [12000, 24000, 72000, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 196597]
ROCFFT_2D = [(2, 4), (8, 16), (32, 128), (256, 512), (3, 9), (27, 81), (243, 729), (5, 25), (125, 625), (7, 25), (11, 625)]
ROCFFT_2D += [(1, 11), (11, 1), (7, 11), (7, 32), (1009, 1009), (1, 220), (1, 330), (19, 2053)]
ROCFFT_3D = [(81, 220, 36), (4, 4, 8192), (192, 84, 84), (98, 98, 98)]


class Dim(ctypes.Structure):
    _fields_ = [("n", ctypes.c_ssize_t), ("i", ctypes.c_ssize_t), ("o", ctypes.c_ssize_t)]


def dims(values):
    return (Dim * max(len(values), 1))(*[Dim(*value) for value in values])


def dense(shape):
    return tuple(int(np.prod(shape[axis + 1 :])) for axis in range(len(shape)))


def values(count, is_complex):
    i = np.arange(count, dtype=np.uint64)
    part = lambda i: ((i * i * 7 + i * 3) % 257).astype(LONG) / 128 - 1
    return part(i) + 1j * part(i + np.uint64(5)) if is_complex else part(i)


class Case:
    """A transform: side 0 is the input. A layout is strides, distance and offset."""

    def __init__(self, kind, shape, batch=1, axes=None, norm="", layouts=(None, None), kinds=None):
        self.kind, self.shape, self.batch, self.norm, self.kinds = kind, tuple(shape), batch, norm, kinds
        self.axes = tuple(range(len(shape))) if axes is None else tuple(axes)
        self.is_named = axes is not None
        self.given = layouts

    def extents(self, side):
        is_half = (self.kind, side) in (("r2c", 1), ("c2r", 0))
        return self.shape[:-1] + (self.shape[-1] // 2 + 1,) if is_half else self.shape

    def layout(self, side):
        extents = self.extents(side)
        return self.given[side] or (dense(extents), int(np.prod(extents)), 0)

    def places(self, side):
        strides, distance, offset = self.layout(side)
        grid = np.full((self.batch,) + self.extents(side), offset, dtype=np.int64)
        for axis, stride in enumerate((distance,) + tuple(strides)):
            index = np.arange(grid.shape[axis], dtype=np.int64) * stride
            grid += index.reshape([-1 if other == axis else 1 for other in range(grid.ndim)])
        return grid

    def text(self):
        name = {"fwd": "c2c fwd", "inv": "c2c inv", "r2c": "r2c fwd", "c2r": "c2r inv", "r2r": f"r2r {self.kinds}"}[self.kind]
        words = [name, "x".join(map(str, self.shape))]
        words += [f"x{self.batch}"] * (self.batch > 1)
        words += ["axes=" + ",".join(map(str, self.axes))] * self.is_named
        for side, word in enumerate(("in", "out")):
            if self.given[side]:
                strides, distance, offset = self.given[side]
                own = f"{word}=" + ",".join(map(str, strides))
                own += f"/{distance}" if self.batch > 1 else ""
                words.append(own + (f"@{offset}" if offset else ""))
        return " ".join(words) + self.norm

    def input(self):
        places = self.places(0)
        array = values(int(places.max()) + 1, self.kind in ("fwd", "inv", "c2r"))
        if self.kind == "c2r":
            # Reals have such a spectrum.
            own = array[places]
            mirrored = own
            for axis in self.axes:
                if axis != len(self.shape) - 1:
                    mirrored = np.roll(np.flip(mirrored, axis + 1), 1, axis + 1)
            for k in {0, self.shape[-1] // 2} if self.shape[-1] % 2 == 0 else {0}:
                own[..., k] = own[..., k] + np.conj(mirrored[..., k])
            array[places] = own
        return array

    def factor(self):
        lengths = [LONG(self.shape[axis]) for axis in self.axes]
        if self.kind == "r2r" and self.kinds not in ("hartley", "r2hc", "hc2r"):
            more = {"dct1": -1, "dst1": 1}.get(self.kinds, 0)
            lengths = [2 * (n + more) for n in lengths]
        n = np.prod(lengths)
        return {"": LONG(1), " 1/n": 1 / n, " 1/sqrt(n)": 1 / np.sqrt(n)}[self.norm]

    def by_fftw(self, array):
        """The whole output array, with NaN in the gaps."""
        source = array.copy()
        is_complex = self.kind not in ("c2r", "r2r")
        target = np.full(int(self.places(1).max()) + 1, np.nan, dtype=CLONG if is_complex else LONG)
        (i_strides, i_distance, i_offset), (o_strides, o_distance, o_offset) = self.layout(0), self.layout(1)
        extents = self.extents(0) if self.kind == "r2c" else self.extents(1)
        # The last axis is transformed last on the way back, and first on the way there.
        own = dims([(self.shape[axis], i_strides[axis], o_strides[axis]) for axis in self.axes])
        others = [(extents[axis], i_strides[axis], o_strides[axis]) for axis in range(len(self.shape)) if axis not in self.axes]
        others = dims(others + [(self.batch, i_distance, o_distance)])
        pointer = lambda data, at: ctypes.c_void_p(data.ctypes.data + at * data.itemsize)
        arguments = [len(self.axes), own, len(others), others, pointer(source, i_offset), pointer(target, o_offset)]
        name, more = {
            "fwd": ("dft", [-1]),
            "inv": ("dft", [1]),
            "r2c": ("dft_r2c", []),
            "c2r": ("dft_c2r", []),
            "r2r": ("r2r", [(ctypes.c_int * len(self.axes))(*[KINDS.get(self.kinds, 0)] * len(self.axes))]),
        }[self.kind]
        make = getattr(fftwl, "fftwl_plan_guru64_" + name)
        make.restype = ctypes.c_void_p
        plan = ctypes.c_void_p(make(*arguments, *more, ctypes.c_uint(ESTIMATE)))
        assert plan, self.text()
        fftwl.fftwl_execute(plan)
        fftwl.fftwl_destroy_plan(plan)
        return target

    def by_scipy(self, array):
        """Dense results, or nothing where SciPy has no such transform."""
        x = array[self.places(0)]
        axes = [axis + 1 for axis in self.axes]
        if self.kind == "fwd":
            return fft.fftn(x, axes=axes)
        if self.kind == "inv":
            return fft.ifftn(x, axes=axes, norm="forward")
        last, others = len(self.shape), [axis for axis in axes if axis != len(self.shape)]
        if self.kind == "r2c":
            return fft.fftn(fft.rfft(x, axis=last), axes=others) if others else fft.rfft(x, axis=last)
        if self.kind == "c2r":
            x = fft.ifftn(x, axes=others, norm="forward") if others else x
            return fft.irfft(x, self.shape[-1], axis=last, norm="forward")
        if self.kinds == "hartley":
            for axis in axes:
                z = fft.fft(x, axis=axis)
                x = z.real - z.imag
            return x
        if self.kinds in ("r2hc", "hc2r"):
            return None
        return (fft.dctn if self.kinds[:3] == "dct" else fft.dstn)(x, int(self.kinds[3]), axes=axes)

    def line(self, worst):
        array = self.input()
        output = self.by_fftw(array)
        results = output[self.places(1)]
        assert not np.isnan(results).any(), self.text()
        other = self.by_scipy(array)
        if other is not None:
            difference = np.linalg.norm((results - other).ravel().astype(CLONG)) / np.linalg.norm(other.ravel().astype(CLONG))
            assert difference < 4e-18, (self.text(), difference)
            worst.append(difference)
        results = results.ravel() * self.factor()
        count = len(results)
        at = range(count) if count <= 12 else [j * (count - 1) // 7 for j in range(8)]
        number = lambda x: repr(float(x)) if not np.iscomplexobj(x) else f"{float(x.real)!r},{float(x.imag)!r}"
        norm = np.sqrt(np.sum(np.abs(results) ** 2))
        print(f"{self.text()} | {len(array)} {len(output)} {float(norm)!r} " + " ".join(number(results[i]) for i in at))


NORMS = ["", " 1/n", " 1/sqrt(n)"]


def complex_and_real(shapes, norms):
    for kind, (shape, norm) in itertools.product(("fwd", "inv", "r2c", "c2r"), zip(shapes, itertools.cycle(norms))):
        yield Case(kind, shape, norm=norm)


def one_axis():
    short = [*range(1, 26), 27, 30, 32, 33, 35, 36, 37, 49, 60, 64, 77, 81, 100, 101, 121, 128, 143, 169, 210, 243, 256, 257, 343, 512]
    yield from complex_and_real([(n,) for n in short], NORMS)
    for kind, (n, norm) in itertools.product(KINDS, zip(short, itertools.cycle(NORMS))):
        if not (kind == "dct1" and n == 1):
            yield Case("r2r", (n,), kinds=kind, norm=norm)
    long = [n for n in ROCFFT if n not in short]
    for i, n in enumerate(long):
        yield Case(("fwd", "r2c", "inv", "c2r")[i % 4], (n,), norm=NORMS[i % 3])
        yield Case("r2r", (n,), kinds=list(KINDS)[i % 11], norm=NORMS[i % 3])


def several_axes():
    small = [(6, 10), (5, 7), (16, 9), (1, 6), (6, 1), (4, 6, 5), (3, 4, 8), (7, 11, 13)]
    yield from complex_and_real(small, NORMS)
    for i, (shape, axes) in enumerate([((6, 10), (1,)), ((4, 6, 5), (0, 2)), ((4, 6, 5), (2,)), ((7, 1, 9), (1, 2))]):
        for kind in ("fwd", "inv", "r2c", "c2r"):
            yield Case(kind, shape, batch=3, axes=axes, norm=NORMS[i % 3])
    for shape, axes in [((6, 10), (0,)), ((4, 6, 5), (1,)), ((4, 6, 5), (0, 1))]:
        yield Case("fwd", shape, batch=2, axes=axes)
        yield Case("inv", shape, batch=2, axes=axes, norm=" 1/n")
        for kind in KINDS:
            yield Case("r2r", shape, batch=2, axes=axes, kinds=kind, norm=" 1/sqrt(n)")
    for i, kind in enumerate(KINDS):
        yield Case("r2r", small[i % 3], kinds=kind, norm=NORMS[i % 3])
        yield Case("r2r", (4, 6, 5), kinds=kind, batch=2)
    for i, shape in enumerate(ROCFFT_2D + ROCFFT_3D):
        for kind in ("fwd", "r2c") if i % 2 == 0 else ("inv", "c2r"):
            yield Case(kind, shape, norm=NORMS[i % 3])


def layouts():
    shape, half = (6, 10), (6, 6)

    def of(extents):
        """Padded rows, interleaved channels, columns, and every third element."""
        rows, columns = extents
        return [((columns + 3, 1), rows * (columns + 3) + 5, 4), ((4 * columns, 4), 1, 0), ((1, rows), rows * columns, 0), ((3 * columns + 1, 3), 3 * rows * columns + rows, 2)]

    for kind in ("fwd", "inv", "r2c", "c2r"):
        sides = [of(half if (kind, side) in (("r2c", 1), ("c2r", 0)) else shape) for side in (0, 1)]
        for i, (source, target) in enumerate(itertools.product(*sides)):
            yield Case(kind, shape, batch=3, layouts=(source, target), norm=NORMS[i % 3])
        yield Case(kind, shape, batch=4, axes=(1,), layouts=(sides[0][0], sides[1][3]))
    for i, kind in enumerate(KINDS):
        yield Case("r2r", shape, batch=3, kinds=kind, layouts=(of(shape)[i % 4], of(shape)[(i + 1) % 4]), norm=NORMS[i % 3])
    # Strides of rocFFT's tests.
    yield Case("fwd", (512, 64), batch=3, layouts=(((192, 3), 1, 0), ((192, 3), 1, 0)))
    yield Case("fwd", (6144,), batch=34, layouts=(((35,), 1, 0), ((35,), 1, 0)))
    yield Case("fwd", (2, 35), batch=2, layouts=(((90, 2), 200, 0), ((90, 2), 200, 0)))
    yield Case("r2c", (4, 4, 4), batch=2, layouts=(((16, 4, 1), 64, 0), ((16, 4, 1), 64, 0)))
    yield Case("r2c", (2, 2, 2), batch=2, layouts=(((20, 6, 1), 40, 0), ((20, 6, 1), 40, 0)))
    yield Case("fwd", (1, 220), layouts=(((220, 1), 1, 1), ((220, 1), 1, 1)))


def main():
    version = ctypes.c_char.in_dll(fftwl, "fftwl_version")
    version = ctypes.string_at(ctypes.addressof(version)).decode()
    print(f"# By scripts/oracle_vectors.py with {version} in long double; SciPy {scipy.__version__} agrees.")
    worst = []
    for case in itertools.chain(one_axis(), several_axes(), layouts()):
        case.line(worst)
    print(f"FFTW and SciPy differ by at most {float(max(worst)):.1e} in long double, of {len(worst)} cases", file=sys.stderr)


main()
