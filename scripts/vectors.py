#!/usr/bin/env python3
"""Writes the files of tests/data that other libraries computed.

    python3 scripts/vectors.py NAME > tests/data/NAME.txt

NAME is one of these:

    signal      windows and frequencies, by SciPy
    stft        short-time Fourier transforms, by SciPy
    convolve    convolutions, by SciPy
    welch       power spectra, by SciPy
    spectra     zoomed spectra and resampled signals, by SciPy
    real_kinds  cosine, sine and Hartley transforms, by SciPy in f64
    oracles     transforms of every kind, layout and scale, by FFTW in long double; SciPy must agree
    reductions  reductions by NumPy of arrays with NaN, infinities, zeros of both signs and numbers
                near the ends of their type

tests/data/README.md says who reads them. SciPy must be 1.12 or later; the files say which one wrote
them. oracles also needs FFTW's library for long double (Debian: libfftw3-long3).

Arrays are given by formulas whose values are exact in f32, as a reader in Rust computes them again.
"""

import ctypes
import ctypes.util
import functools
import itertools
import sys
import warnings

import numpy as np
import scipy
from scipy import fft
from scipy.signal import ShortTimeFFT, convolve2d, correlate2d, periodogram, resample, welch, windows, zoom_fft
from scipy.signal import convolve as convolve_any, correlate as correlate_any


def wave(shape, offset=0):
    """What spectra, stft and welch transform."""
    i = np.arange(np.prod(shape)).reshape(shape) + offset
    return (i * i * 7 + 3 * i) % 17 / 8 - 1


def real_and_complex(shape):
    return ("real", wave(shape)), ("complex", wave(shape) + 1j * wave(shape, 5))


def window(m):
    if m < 0:
        return np.concatenate([[0.0] * 3, window(-m - 4), [0.0]])
    return ((5 * np.arange(m) + 3) % 11 + 1) / 8


def pairs(values):
    """re and im of complex numbers."""
    return np.stack([values.real, values.imag], -1) if np.iscomplexobj(values) else values


def case(head, values, digits=8):
    print(" ".join([" ".join(map(str, head)) + ":", *(f"{value:.{digits}g}" for value in np.ravel(values))]))


def by_x(shape):
    return "x".join(map(str, shape))


# A line has a window or a function, its parameters, and the values.
WINDOWS = [
    ("boxcar", windows.boxcar, [()]),
    ("hann", windows.hann, [()]),
    ("hamming", windows.hamming, [()]),
    ("blackman", windows.blackman, [()]),
    ("blackman-harris", windows.blackmanharris, [()]),
    ("kaiser", windows.kaiser, [(0.0,), (8.6,), (39.5,), (120.0,)]),
    ("tukey", windows.tukey, [(-1.0,), (0.0,), (0.1,), (0.5,), (0.8,), (1.0,), (3.0,)]),
    ("gaussian", windows.gaussian, [(0.4,), (3.0,)]),
]


def signal():
    print(f"# By `scripts/vectors.py signal` with SciPy {scipy.__version__}.")
    for name, function, parameters in WINDOWS:
        for parameter in parameters:
            for n in (0, 1, 2, 3, 8, 11):
                for symmetric in (False, True):
                    kind = "symmetric" if symmetric else "periodic"
                    case([name, *parameter, kind, n], function(n, *parameter, sym=symmetric), 17)
    for name, frequencies in (("fftfreq", fft.fftfreq), ("rfftfreq", fft.rfftfreq)):
        for d in (1.0, 0.001, -3.0):
            for n in (1, 2, 3, 8, 9):
                case([name, d, n], frequencies(n, d), 17)


# Length of the signal, window, hop, mfft, phase shift, scaling, padding, frames.
FRAMES = [
    (12, 6, 2, 6, 0, None, "zeros", None),
    (13, 5, 3, 8, 0, None, "zeros", None),
    (13, 5, 3, 8, None, None, "edge", None),
    (12, 6, 2, 6, 2, None, "even", None),
    (12, 6, 5, 7, -3, None, "odd", None),
    (12, 6, 2, 6, 0, "magnitude", "zeros", (1, 4)),
    (12, 7, 2, 8, None, "psd", "zeros", (-1, 2)),
    # Windows with zeros at their ends.
    (12, -8, 2, 8, 0, None, "zeros", None),
    (13, -9, 1, 9, 0, None, "zeros", None),
]


def stft():
    """A line has the case and then re and im of each result, frame by frame."""
    print(f"# By `scripts/vectors.py stft` with SciPy {scipy.__version__}.")
    for n, m, hop, mfft, phase, scaling, padding, frames in FRAMES:
        for kind, x in real_and_complex(n):
            mode = "onesided" if kind == "real" else "twosided"
            transform = ShortTimeFFT(window(m), hop, 20.0, fft_mode=mode, mfft=mfft, phase_shift=phase, scale_to=scaling)
            p0, p1 = frames or (transform.p_min, transform.p_max(n))
            s = transform.stft(x, p0, p1, padding=padding).T
            assert s.shape[0] == p1 - p0
            chosen = "some" if frames else "all"
            head = [kind, n, m, hop, mfft, "none" if phase is None else phase, scaling or "unscaled", padding, chosen, p0, p1]
            case(head, pairs(s))


CONVOLVED = 24  # elements of the result in a line
# Operation, type, shape, kernel, mode, edge.
CONVOLUTIONS = [
    ("convolve", "f32", (20000,), (501,), "full", ""),
    ("correlate", "complex f32", (9973,), (1000,), "same", ""),
    ("convolve", "f32", (70,), (300,), "full", ""),
    ("convolve", "f32", (300, 400), (31, 31), "same", ""),
    ("convolve", "f32", (211, 307), (64, 20), "full", ""),
    ("correlate", "f32", (129, 200), (9, 150), "valid", ""),
    ("correlate", "complex f32", (150, 111), (30, 7), "full", ""),
    ("convolve", "f32", (40, 50), (90, 70), "full", ""),
    ("convolve", "f32", (200, 150), (15, 16), "same", "wrap"),
    ("correlate", "f32", (180, 222), (31, 17), "same", "reflect"),
    ("convolve", "complex f32", (101, 64), (8, 21), "full", "wrap"),
    ("convolve", "f32", (97, 301), (1, 1), "same", "reflect"),
    ("convolve", "f32", (30, 40, 50), (5, 6, 7), "same", ""),
    ("correlate", "complex f32", (12, 25, 31), (4, 25, 3), "valid", ""),
]

BOUNDARY = {"": "fill", "wrap": "wrap", "reflect": "symm"}


def noise(shape, a, b, modulus, offset):
    i = np.arange(np.prod(shape), dtype=np.int64) + offset
    return ((i * i * a + i * b) % modulus / ((modulus - 1) // 2) - 1).reshape(shape)


def convolved(shape, is_complex):
    x = noise(shape, 7, 3, 257, 0)
    return x + 1j * noise(shape, 7, 3, 257, 5) if is_complex else x


def kernel(shape, is_complex):
    x = noise(shape, 5, 11, 129, 0)
    return x + 1j * noise(shape, 5, 11, 129, 5) if is_complex else x


def convolved_text(value):
    return f"{value.real:.9g},{value.imag:.9g}" if np.iscomplexobj(value) else f"{value:.9g}"


def convolve():
    """A line has the specification as the crate prints it, the two-norm of the result, and some of its
    elements."""
    print(f"# By `scripts/vectors.py convolve` with SciPy {scipy.__version__}.")
    for name, number, shape, own, mode, edge in CONVOLUTIONS:
        is_complex = number != "f32"
        x, w = convolved(shape, is_complex), kernel(own, is_complex)
        if len(shape) == 2:
            function = convolve2d if name == "convolve" else correlate2d
            y = function(x, w, mode, BOUNDARY[edge])
        else:
            y = (convolve_any if name == "convolve" else correlate_any)(x, w, mode, "direct")
        y = y.ravel()
        places = [j * (len(y) - 1) // (CONVOLVED - 1) for j in range(CONVOLVED)]
        spec = f"{name} {number} {by_x(shape)} by {by_x(own)} {mode}" + (f" {edge}" if edge else "")
        print(f"{spec}: {len(y)} {np.linalg.norm(y):.9g} " + " ".join(convolved_text(y[place]) for place in places))


# Length of the signal, window, overlap, nfft, sampling rate. Without a window: a periodogram.
PERIODS = [
    (40, 8, 4, 8, 1.0),
    (41, 9, 4, 9, 20.0),
    (41, 9, 0, 9, 20.0),
    (37, 6, 5, 6, 0.5),
    (50, 10, 3, 16, 8.0),
    (50, 7, 3, 15, 8.0),
    (12, 12, 6, 12, 3.0),
    (23, 1, 0, 1, 2.0),
    (30, 0, 0, 30, 2.0),
    (31, 0, 0, 40, 48000.0),
]


def powers():
    """A line has the case and then the result."""
    print(f"# By `scripts/vectors.py welch` with SciPy {scipy.__version__}.")
    for n, m, overlap, nfft, rate in PERIODS:
        for kind, x in real_and_complex(n):
            for scaling in ("density", "spectrum"):
                options = {"nfft": nfft, "detrend": False, "return_onesided": kind == "real", "scaling": scaling}
                if m > 0:
                    _, power = welch(x, rate, window(m), noverlap=overlap, **options)
                else:
                    _, power = periodogram(x, rate, **options)
                case([kind, n, m, overlap, nfft, rate, scaling], power)


# Shape, axis, begin and end of the band, points, whether the end is included.
ZOOMS = [
    ((12,), 0, 0.0, 1.0, 12, False),
    ((13,), 0, 0.125, 0.25, 7, False),
    ((13,), 0, 0.125, 0.25, 7, True),
    ((9,), 0, 0.4, -0.3, 20, True),
    ((4, 5), 0, -0.5, 0.5, 3, False),
    ((3, 8), 1, 1.2, 1.3, 4, False),
]

# The shapes before and after.
RESAMPLES = [
    ((8,), (4,)), ((8,), (5,)), ((9,), (4,)), ((9,), (5,)), ((4,), (8,)), ((5,), (8,)), ((4,), (9,)), ((5,), (9,)),
    ((2,), (5,)), ((5,), (2,)), ((1,), (4,)), ((4,), (1,)), ((6,), (7,)), ((7,), (6,)),
    ((4, 6), (6, 4)), ((5, 6), (2, 9)), ((6, 3), (4, 3)), ((3, 4), (6, 4)), ((4, 2, 6), (2, 4, 5)), ((4, 3, 2), (6, 3, 2)),
]


def spectra():
    """A line has the case and then the numbers of the result in their order, re and im of complex ones."""
    print(f"# By `scripts/vectors.py spectra` with SciPy {scipy.__version__}.")
    for shape, axis, f0, f1, points, endpoint in ZOOMS:
        for kind, x in real_and_complex(shape):
            y = zoom_fft(x, [f0, f1], points, fs=1, endpoint=endpoint, axis=axis)
            case(["zoom", kind, by_x(shape), axis, f0, f1, points, "closed" if endpoint else "open"], pairs(y))
    for shape, to in RESAMPLES:
        for kind, x in real_and_complex(shape):
            y = x
            for axis, m in enumerate(to):
                y = resample(y, m, axis=axis)
            assert y.shape == to
            case(["resample", kind, by_x(shape), by_x(to)], pairs(y))


SHORT = [*range(1, 33), 37, 60, 64, 100, 127, 128, 243, 256, 509, 512]
LONGER = [1000, 4096, 10007, 1 << 15, 3 << 15, 1 << 20]
SHAPES = [(6, 10), (5, 7), (16, 9), (4, 6, 5), (64, 48)]


def plain(shape):
    i = np.arange(np.prod(shape), dtype=np.uint64)
    return ((i * i * 7 + i * 3) % 257 / 128 - 1).reshape(shape)


def some(values):
    values = values.ravel()
    n = len(values)
    at = range(n) if n <= 16 else [0, 1, 2, n // 3, n // 2 - 1, n // 2, n // 2 + 1, n - 2, n - 1]
    return [values[i] for i in at]


def real_kind(spec, values):
    numbers = [np.linalg.norm(values), *some(values)]
    print(f"{spec}: {values.size} " + " ".join(f"{number:.9g}" for number in numbers))


SCALES = [("", "backward", False), (" 1/n", "forward", False), (" 1/sqrt(n)", "ortho", False), (" 1/sqrt(n) orthogonal", "ortho", True)]


def cosine_and_sine(shape, norms, axes=None):
    for transform, name in ((fft.dctn, "dct"), (fft.dstn, "dst")):
        for kind in 1, 2, 3, 4:
            if name == "dct" and kind == 1 and 1 in shape:
                continue
            for words, norm, orthogonal in norms:
                of_axes = "" if axes is None else " axes=" + ",".join(map(str, axes))
                values = transform(plain(shape), kind, axes=axes, norm=norm, orthogonalize=orthogonal)
                real_kind(f"r2r {name}{kind} {by_x(shape)}{of_axes}{words}", values)


def real_kinds():
    """A line is the specification's text, and then the number of results, their two-norm, and some of the
    results: all of up to 16, else nine."""
    print(f"# By `scripts/vectors.py real_kinds` with SciPy {scipy.__version__}.")
    for n in SHORT:
        cosine_and_sine((n,), SCALES if n < 12 else SCALES[:1] + SCALES[3:])
    for n in LONGER:
        cosine_and_sine((n,), SCALES[:1])
    for shape in SHAPES:
        cosine_and_sine(shape, SCALES[:1] + SCALES[3:])
    cosine_and_sine((6, 10, 8), SCALES, axes=[1])
    cosine_and_sine((6, 10, 8), SCALES[3:], axes=[0, 2])
    for n in [*SHORT, *LONGER]:
        spectrum = fft.fft(plain((n,)))
        real_kind(f"r2r hartley {n}", spectrum.real - spectrum.imag)


LISTS = {
    "plain": [1.5, -2.0, 0.25, 3.0, -0.75, 2.0, -1.0],
    "nan": [1.5, -2.0, np.nan, 3.0, -0.75, 0.0, -1.0],
    "inf": [1.5, np.inf, 0.25, 3.0, -0.75, 2.0, -1.0],
    "-inf": [1.5, -2.0, 0.25, -np.inf, -0.75, 2.0, -1.0],
    "infinities": [1.5, np.inf, 0.25, -np.inf, -0.75, 2.0, -1.0],
    "all": [np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0],
    "zeros": [0.0, -0.0, 0.0],
    "minus-zeros": [-0.0],
    "-0": [-0.0, 1.0, -0.0, 2.0],
    "+0": [0.0, -1.0, 0.0, -2.0],
    "small": [2.0**-140, -(2.0**-141), 2.0**-126, -(2.0**-149), 0.0],
    "large": [2.0**127, 2.0**126, -(2.0**127), 1.0],
    "overflow": [2.0**127, 2.0**127, 2.0**127, 1.0],
}
WHOLE = {
    "plain": [3, -2, 0, 7, -1, 5],
    "ends": [2147483647, -2147483648, 0, 1, -1, 2147483647],
    "zeros": [0, 0],
}
REDUCED = [((37,), None), ((6, 10), (1,)), ((6, 10), (0,)), ((3, 4, 5), (0, 2)), ((4, 1, 6), (1,))]

FLOATS = {
    "sum": np.sum,
    "mean": np.mean,
    "product": np.prod,
    "min": np.min,
    "max": np.max,
    "argmin": None,
    "argmax": None,
    "any": np.any,
    "all": np.all,
    "count": np.count_nonzero,
    "var": np.var,
    "std": np.std,
    "norm": lambda x, axis: np.sqrt(np.sum(x * x, axis=axis)),
}
INTEGERS = ["sum", "product", "min", "max", "argmin", "argmax", "any", "all", "count"]


def positions(function, x, axes):
    """The index among the elements that are reduced to one result, in the order of the shape."""
    axes = tuple(range(x.ndim)) if axes is None else axes
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    moved = np.transpose(x, kept + list(axes))
    return function(moved.reshape([x.shape[axis] for axis in kept] + [-1]), axis=-1)


def number(x):
    if isinstance(x, (bool, np.bool_)):
        return str(int(x))
    if isinstance(x, (int, np.integer)):
        return str(int(x))
    return repr(float(x))


def reduced(ty, dtype, lists, names):
    for name, values in lists.items():
        for shape, axes in REDUCED:
            i = np.arange(int(np.prod(shape)), dtype=np.uint64)
            at = ((i * i * 7 + i * 3) % 23 % len(values)).astype(int)
            x = np.array(values, dtype=dtype)[at].reshape(shape)
            for operator in names:
                if operator.startswith("arg"):
                    results = positions(getattr(np, operator), x, axes)
                elif dtype in (np.int32, np.uint32) and operator in ("sum", "product"):
                    results = FLOATS[operator](x, axis=axes, dtype=dtype)
                else:
                    results = FLOATS[operator](x, axis=axes)
                own = "" if axes is None else " axes=" + ",".join(map(str, axes))
                print(f"{operator} {ty} {by_x(shape)}{own} | {name} | " + " ".join(number(x) for x in np.ravel(results)))


def reductions():
    """A line is the text of a specification, the name of a list, and the results. Element i of the array
    is number (7i² + 3i) mod 23 mod the length of the list, which stands in the file as well."""
    warnings.simplefilter("ignore")
    print(f"# By `scripts/vectors.py reductions` with NumPy {np.__version__}.")
    for kind, lists in (("floats", LISTS), ("integers", WHOLE)):
        for name, values in lists.items():
            print(f"{kind} {name} = " + " ".join(number(x) for x in values))
    reduced("f32", np.float32, LISTS, FLOATS)
    reduced("f64", np.float64, LISTS, FLOATS)
    reduced("i32", np.int32, WHOLE, INTEGERS)


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


@functools.cache
def library():
    return ctypes.CDLL(ctypes.util.find_library("fftw3l"))


class Dim(ctypes.Structure):
    _fields_ = [("n", ctypes.c_ssize_t), ("i", ctypes.c_ssize_t), ("o", ctypes.c_ssize_t)]


def dims(values):
    return (Dim * max(len(values), 1))(*[Dim(*value) for value in values])


def dense(shape):
    return tuple(int(np.prod(shape[axis + 1 :])) for axis in range(len(shape)))


def long_values(count, is_complex):
    i = np.arange(count, dtype=np.uint64)
    part = lambda i: ((i * i * 7 + i * 3) % 257).astype(LONG) / 128 - 1
    return part(i) + 1j * part(i + np.uint64(5)) if is_complex else part(i)


class Transform:
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
        words = [name, by_x(self.shape)]
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
        array = long_values(int(places.max()) + 1, self.kind in ("fwd", "inv", "c2r"))
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
        fftwl = library()
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


FACTORS = ["", " 1/n", " 1/sqrt(n)"]


def complex_and_real(shapes, norms):
    for kind, (shape, norm) in itertools.product(("fwd", "inv", "r2c", "c2r"), zip(shapes, itertools.cycle(norms))):
        yield Transform(kind, shape, norm=norm)


def one_axis():
    short = [*range(1, 26), 27, 30, 32, 33, 35, 36, 37, 49, 60, 64, 77, 81, 100, 101, 121, 128, 143, 169, 210, 243, 256, 257, 343, 512]
    yield from complex_and_real([(n,) for n in short], FACTORS)
    for kind, (n, norm) in itertools.product(KINDS, zip(short, itertools.cycle(FACTORS))):
        if not (kind == "dct1" and n == 1):
            yield Transform("r2r", (n,), kinds=kind, norm=norm)
    long = [n for n in ROCFFT if n not in short]
    for i, n in enumerate(long):
        yield Transform(("fwd", "r2c", "inv", "c2r")[i % 4], (n,), norm=FACTORS[i % 3])
        yield Transform("r2r", (n,), kinds=list(KINDS)[i % 11], norm=FACTORS[i % 3])


def several_axes():
    small = [(6, 10), (5, 7), (16, 9), (1, 6), (6, 1), (4, 6, 5), (3, 4, 8), (7, 11, 13)]
    yield from complex_and_real(small, FACTORS)
    for i, (shape, axes) in enumerate([((6, 10), (1,)), ((4, 6, 5), (0, 2)), ((4, 6, 5), (2,)), ((7, 1, 9), (1, 2))]):
        for kind in ("fwd", "inv", "r2c", "c2r"):
            yield Transform(kind, shape, batch=3, axes=axes, norm=FACTORS[i % 3])
    for shape, axes in [((6, 10), (0,)), ((4, 6, 5), (1,)), ((4, 6, 5), (0, 1))]:
        yield Transform("fwd", shape, batch=2, axes=axes)
        yield Transform("inv", shape, batch=2, axes=axes, norm=" 1/n")
        for kind in KINDS:
            yield Transform("r2r", shape, batch=2, axes=axes, kinds=kind, norm=" 1/sqrt(n)")
    for i, kind in enumerate(KINDS):
        yield Transform("r2r", small[i % 3], kinds=kind, norm=FACTORS[i % 3])
        yield Transform("r2r", (4, 6, 5), kinds=kind, batch=2)
    for i, shape in enumerate(ROCFFT_2D + ROCFFT_3D):
        for kind in ("fwd", "r2c") if i % 2 == 0 else ("inv", "c2r"):
            yield Transform(kind, shape, norm=FACTORS[i % 3])


def layouts():
    shape, half = (6, 10), (6, 6)

    def of(extents):
        """Padded rows, interleaved channels, columns, and every third element."""
        rows, columns = extents
        return [((columns + 3, 1), rows * (columns + 3) + 5, 4), ((4 * columns, 4), 1, 0), ((1, rows), rows * columns, 0), ((3 * columns + 1, 3), 3 * rows * columns + rows, 2)]

    for kind in ("fwd", "inv", "r2c", "c2r"):
        sides = [of(half if (kind, side) in (("r2c", 1), ("c2r", 0)) else shape) for side in (0, 1)]
        for i, (source, target) in enumerate(itertools.product(*sides)):
            yield Transform(kind, shape, batch=3, layouts=(source, target), norm=FACTORS[i % 3])
        yield Transform(kind, shape, batch=4, axes=(1,), layouts=(sides[0][0], sides[1][3]))
    for i, kind in enumerate(KINDS):
        yield Transform("r2r", shape, batch=3, kinds=kind, layouts=(of(shape)[i % 4], of(shape)[(i + 1) % 4]), norm=FACTORS[i % 3])
    # Strides of rocFFT's tests.
    yield Transform("fwd", (512, 64), batch=3, layouts=(((192, 3), 1, 0), ((192, 3), 1, 0)))
    yield Transform("fwd", (6144,), batch=34, layouts=(((35,), 1, 0), ((35,), 1, 0)))
    yield Transform("fwd", (2, 35), batch=2, layouts=(((90, 2), 200, 0), ((90, 2), 200, 0)))
    yield Transform("r2c", (4, 4, 4), batch=2, layouts=(((16, 4, 1), 64, 0), ((16, 4, 1), 64, 0)))
    yield Transform("r2c", (2, 2, 2), batch=2, layouts=(((20, 6, 1), 40, 0), ((20, 6, 1), 40, 0)))
    yield Transform("fwd", (1, 220), layouts=(((220, 1), 1, 1), ((220, 1), 1, 1)))


def oracles():
    """Results are long double rounded to f64. FFTW itself finds the elements by strides.

    A line is the text of a specification, the numbers of elements of both arrays with everything
    between them, the two-norm of the results, and some of the results: all of up to 12, else eight at
    equal distances.

    Element i of an input array, also between the elements, is ((7i² + 3i) mod 257) / 128 - 1, and for
    complex numbers the imaginary part is that of i + 5. A half-spectrum is made one of reals: where the
    last index is 0 or n/2, element k becomes X[k] + conj X[-k].
    """
    version = ctypes.c_char.in_dll(library(), "fftwl_version")
    version = ctypes.string_at(ctypes.addressof(version)).decode()
    print(f"# By `scripts/vectors.py oracles` with {version} in long double; SciPy {scipy.__version__} agrees.")
    worst = []
    for transform in itertools.chain(one_axis(), several_axes(), layouts()):
        transform.line(worst)
    print(f"FFTW and SciPy differ by at most {float(max(worst)):.1e} in long double, of {len(worst)} cases", file=sys.stderr)


FILES = {
    "signal": signal,
    "stft": stft,
    "convolve": convolve,
    "welch": powers,
    "spectra": spectra,
    "real_kinds": real_kinds,
    "oracles": oracles,
    "reductions": reductions,
}


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in FILES:
        sys.exit(__doc__)
    FILES[sys.argv[1]]()
