"""Fourier transforms over the ranks of an MPI communicator, each with a GPU: by NumPy and mpi4py.

    import numpy
    import wgpu_fft_mpi
    from mpi4py import MPI

    with wgpu_fft_mpi.Cluster(MPI.COMM_WORLD) as cluster:
        job = cluster.plan("r2c fwd 64x64x64")
        spectrum = job(numpy.ones(job.input.shape, job.input.dtype))

All ranks must make the same calls in the same order. `capi/mpi/README.md` of the repository, and the
header `wgpu_fft_mpi.h`, have the details. The library is that of WGPU_FFT_MPI_LIBRARY, or the one
beside this file, or the system's.
"""

import ctypes
import ctypes.util
import os
import pathlib
import sys
import threading
import weakref
from ctypes import c_char_p, c_double, c_int, c_int32, c_size_t, c_uint64, c_void_p
from typing import NamedTuple

import numpy

__all__ = ["Buffer", "Cluster", "Error", "Job", "Part", "Redistribution", "Run", "box", "local_parts"]


class Error(RuntimeError):
    """Why a call failed. `status` is one of the header's constants: 11 for a mistake or a failure of a
    rank, which the message names; after 12, a rank that does not answer, call `comm.Abort()`."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Part(NamedTuple):
    """The part of an array that a rank holds: a box, stored without gaps, slowest axis first."""

    #: The shape of the rank's array: the batch in front, if there is one, and rows with their padding.
    shape: tuple
    dtype: numpy.dtype
    #: The arrays of the batch.
    batch: range
    #: The axes of the transform in the order in which they are stored.
    axes: tuple
    #: The indices along each of these.
    ranges: tuple
    #: The extents of the whole array.
    extents: tuple
    #: How many arrays the whole batch has.
    batch_extent: int


class _Part(ctypes.Structure):
    _fields_ = [
        ("elements", c_size_t),
        ("element_bytes", c_size_t),
        ("element_reals", c_size_t),
        ("batch_begin", c_size_t),
        ("batch_count", c_size_t),
        ("batch_extent", c_size_t),
        ("rank", c_size_t),
        ("axes", c_size_t * 3),
        ("begin", c_size_t * 3),
        ("count", c_size_t * 3),
        ("extent", c_size_t * 3),
        ("padding", c_size_t),
    ]

    def part(self):
        axes = range(self.rank)
        batch = range(self.batch_begin, self.batch_begin + self.batch_count)
        ranges = tuple(range(self.begin[i], self.begin[i] + self.count[i]) for i in axes)
        stored = [len(indices) for indices in (batch, *ranges)]
        stored[-1] += self.padding
        shape = tuple(stored[self.batch_extent == 1 :])
        dtype = numpy.dtype(f"{'fc'[self.element_reals - 1]}{self.element_bytes}")
        return Part(shape, dtype, batch, tuple(self.axes[i] for i in axes), ranges, tuple(self.extent[i] for i in axes), self.batch_extent)


class _OpenOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("adapter_name", c_char_p),
        ("pci_bus", c_char_p),
        ("adapter_number", c_size_t),
        ("timeout", c_double),
    ]


class _PlanOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("decomposition", c_int32),
        ("grid", c_size_t * 2),
        ("order", c_int32),
        ("shares", c_int32),
        ("shares_of", c_void_p),
        ("timeout", c_double),
        ("exchange", c_int32),
        ("reserved", c_int32),
    ]


class _FileOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("format", c_int32),
        ("order", c_int32),
        ("begin", c_uint64),
        ("replace", c_int32),
        ("reserved", c_int32),
    ]


class _Progress(ctypes.Structure):
    _fields_ = [("label", c_char_p), ("phase", c_size_t), ("phases", c_size_t), ("done", c_uint64), ("total", c_uint64)]


_Listener = ctypes.CFUNCTYPE(c_int32, c_void_p, ctypes.POINTER(_Progress))

_SIGNATURES = {
    "error_message": (c_char_p, []),
    "open": (c_int32, [c_int, ctypes.POINTER(_OpenOptions), ctypes.POINTER(c_void_p)]),
    "close": (None, [c_void_p]),
    "device": (c_char_p, [c_void_p]),
    "local_parts": (c_int32, [c_char_p, ctypes.POINTER(_PlanOptions), c_size_t, c_size_t] + [ctypes.POINTER(_Part)] * 2),
    "plan": (c_int32, [c_void_p, c_char_p, ctypes.POINTER(_PlanOptions), ctypes.POINTER(c_void_p)]),
    "destroy": (None, [c_void_p]),
    "parts": (c_int32, [c_void_p] + [ctypes.POINTER(_Part)] * 2),
    "set_parts": (c_int32, [c_void_p] + [ctypes.POINTER(_Part)] * 2),
    "set_progress": (c_int32, [c_void_p, _Listener, c_void_p]),
    "run": (c_int32, [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t]),
    "start": (c_int32, [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, ctypes.POINTER(c_void_p)]),
    "test": (c_int32, [c_void_p, ctypes.POINTER(ctypes.c_bool)]),
    "wait": (c_int32, [c_void_p]),
    "buffer_create": (c_int32, [c_void_p, c_size_t, ctypes.POINTER(c_void_p)]),
    "buffer_destroy": (None, [c_void_p]),
    "buffer_write": (c_int32, [c_void_p, c_void_p, c_size_t]),
    "buffer_read": (c_int32, [c_void_p, c_void_p, c_size_t]),
    "run_on_device": (c_int32, [c_void_p, c_void_p, c_void_p]),
    "redistribution_create": (c_int32, [c_void_p] + [ctypes.POINTER(_Part)] * 2 + [ctypes.POINTER(c_void_p)]),
    "redistribution_destroy": (None, [c_void_p]),
    "redistribute": (c_int32, [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t]),
    "read": (c_int32, [c_void_p, c_int32, c_char_p, ctypes.POINTER(_FileOptions), c_void_p, c_size_t]),
    "write": (c_int32, [c_void_p, c_int32, c_char_p, ctypes.POINTER(_FileOptions), c_void_p, c_size_t]),
    "map": (c_int32, [c_char_p, c_size_t, c_void_p, c_void_p, c_void_p]),
}


def _load():
    name = {"darwin": "libwgpu_fft_mpi.dylib"}.get(sys.platform, "libwgpu_fft_mpi.so")
    beside = pathlib.Path(__file__).with_name(name)
    path = os.environ.get("WGPU_FFT_MPI_LIBRARY") or (str(beside) if beside.exists() else ctypes.util.find_library("wgpu_fft_mpi"))
    if not path:
        raise ImportError(f"there is no {name} beside {__file__}: `scripts/mpi.sh install PREFIX` makes it, or set WGPU_FFT_MPI_LIBRARY")
    library = ctypes.CDLL(path)
    for function, (result, arguments) in _SIGNATURES.items():
        own = getattr(library, f"wgpu_fft_mpi_{function}")
        own.restype, own.argtypes = result, arguments
    return library


_library = _load()


def _call(function, *arguments):
    _settle()
    status = getattr(_library, f"wgpu_fft_mpi_{function}")(*arguments)
    if status:
        raise Error(status, _library.wgpu_fft_mpi_error_message().decode())


# What was collected on a thread that may not call MPI: the thread that may, and what it has to do.
_left = []


def _give_back(function, own):
    """Ends what `own` holds: now, or where another thread collects it, with the next call of its own."""
    handle, own._handle = own._handle, c_void_p()
    if handle:
        # With `own`, as a run writes to its arrays and calls the listener of its job until it has ended.
        _left.append((own._thread, function, handle, own))
        _settle()


def _settle():
    for item in [item for item in _left if item[0] == threading.get_ident()]:
        _left.remove(item)
        getattr(_library, f"wgpu_fft_mpi_{item[1]}")(item[2])


def _both(function, *arguments):
    parts = _Part(), _Part()
    _call(function, *arguments, *map(ctypes.byref, parts))
    return tuple(part.part() for part in parts)


def _options(decomposition="slabs", grid=(0, 0), order="transposed", shares="equal", timeout=0.0, exchange="exact"):
    own = _PlanOptions(ctypes.sizeof(_PlanOptions), timeout=timeout, grid=tuple(grid))
    own.decomposition = ["slabs", "pencils"].index(decomposition) if not any(grid) else 2
    own.order = ["transposed", "natural", "transposed_input"].index(order)
    own.exchange = ["exact", "f16"].index(exchange)
    if isinstance(shares, Job):
        if not shares._handle:
            raise ValueError("shares are those of a job that is closed")
        own.shares_of = shares._handle
    else:
        own.shares = ["equal", "measured"].index(shares)
    return own


def local_parts(spec, rank, ranks, **options):
    """The parts of input and output that one of so many ranks will have, in no time. The options are those
    of `Cluster.plan`."""
    return _both("local_parts", spec.encode(), _options(**options), rank, ranks)


def _plain(dtype):
    """A type whose elements mean the same in every process."""
    dtype = numpy.dtype(dtype)
    if dtype.hasobject:
        raise TypeError(f"elements of the type {dtype} refer to objects of Python, which no other process or device has")
    return dtype


def box(extents, ranges, dtype, axes=None):
    """A part of an array that belongs to no job, for `Cluster.redistribution`: a range for each axis, stored in
    the order of `axes`, slowest first."""
    axes = tuple(range(len(extents)) if axes is None else axes)
    if len(ranges) != len(extents) or sorted(axes) != list(range(len(extents))):
        raise ValueError(f"a part of axes {axes} is a range for each of {len(extents)}, and not {ranges}")
    ranges = tuple(ranges[axis] for axis in axes)
    shape = tuple(map(len, ranges))
    return Part(shape, _plain(dtype), range(1), axes, ranges, tuple(extents[axis] for axis in axes), 1)


class Cluster:
    """The ranks of a communicator of mpi4py, each with a device. Collective.

    The i-th process of a machine takes the i-th GPU, or `adapter`: part of a name, whose cards are taken
    in turn, or the number of a card, counted from 0; or the card at a PCI address, `pci_bus`.
    """

    def __init__(self, comm, *, adapter=None, pci_bus=None, timeout=0.0):
        self._handle, self._jobs = c_void_p(), weakref.WeakSet()
        options = _OpenOptions(ctypes.sizeof(_OpenOptions), timeout=timeout, pci_bus=pci_bus and pci_bus.encode())
        if isinstance(adapter, int):
            options.adapter_number = adapter + 1
        elif adapter:
            options.adapter_name = adapter.encode()
        _call("open", comm.py2f(), options, ctypes.byref(self._handle))

    @property
    def device(self):
        """The name of this rank's adapter."""
        return _library.wgpu_fft_mpi_device(self._handle).decode()

    def plan(self, spec, **options):
        """A transform from its text, such as `r2c fwd 64x64x64 f64`, for all ranks together. Collective.

        `decomposition` is "slabs" or "pencils"; `grid=(p, q)` is that of pencils, and (1, ranks) keeps a
        batch whole on every rank. `order` of the frequencies is "transposed" or "natural"; "transposed_input" is for
        the way back of transforms from reals to reals, which have no direction. `shares` are
        "equal", "measured", or those of another job. `timeout` is in seconds. `exchange="f16"` halves the
        bytes between ranks, with a relative error of some 2e-4 for each exchange; the README bounds it.
        """
        job = Job(self, spec, _options(**options))
        self._jobs.add(job)
        return job

    def buffer(self, shape, dtype):
        """An array of zeros on this rank's device, such as `buffer(job.input.shape, job.input.dtype)`."""
        buffer = Buffer(self, shape, dtype)
        self._jobs.add(buffer)
        return buffer

    def redistribution(self, before, after):
        """What moves an array from one `Part` of each rank to another one, without a transform: parts of jobs, or
        any `box`. Both name the same axes, each in its own order, so it is also a transpose. Collective."""
        redistribution = Redistribution(self, before, after)
        self._jobs.add(redistribution)
        return redistribution

    def close(self):
        """Closes the jobs, the buffers and the device. Collective, before MPI ends."""
        for job in list(self._jobs):
            job.close()
        _library.wgpu_fft_mpi_close(self._handle)
        self._handle = c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class _Moves:
    """What takes this rank's part `input` to its part `output`."""

    def _arrays(self, array, out):
        array = numpy.ascontiguousarray(array, self.input.dtype)
        if out is None:
            out = numpy.empty(self.output.shape, self.output.dtype)
        elif out.dtype != self.output.dtype or not out.flags.c_contiguous or not out.flags.writeable:
            raise TypeError(f"out must be a writeable, contiguous array of {self.output.dtype}, and is one of {out.dtype}")
        # An array of another shape has no right length, which all ranks must learn.
        sizes = [own.nbytes if own.shape == part.shape else 0 for own, part in ((array, self.input), (out, self.output))]
        return array, out, (array.ctypes.data, sizes[0], out.ctypes.data, sizes[1])


class Job(_Moves):
    """A transform of all ranks. `input` and `output` are this rank's parts."""

    def __init__(self, cluster, spec, options):
        self._handle, self._thread, self._raised = c_void_p(), threading.get_ident(), []
        _call("plan", cluster._handle, spec.encode(), options, ctypes.byref(self._handle))
        self.input, self.output = _both("parts", self._handle)

    def set_parts(self, input=None, output=None, padding=(None, None)):
        """Takes and returns other parts: any box of each rank. A part is a range for each axis, in the order of
        `axes`, and one for the batch in front if it is divided too; None keeps what the rank has. Collective.

        Every element of the input must come from exactly one rank. Parts of the output may overlap. Rows of
        input and output have `padding` behind them: elements that are neither read nor written. If it fails,
        the job keeps all parts.
        """
        boxes = []
        for part, ranges, own in zip((self.input, self.output), (input, output), padding):
            # NULL keeps the part, with its padding.
            box = None if ranges is None and own is None else self._box(ranges or part.ranges, part)
            if box is not None:
                box.padding = own or 0
            boxes.append(box)
        _call("set_parts", self._handle, *boxes)
        self.input, self.output = _both("parts", self._handle)

    @staticmethod
    def _box(ranges, part):
        batch, *ranges = ranges if len(ranges) > len(part.axes) else (part.batch, *ranges)
        if len(ranges) != len(part.axes) or any(own.step != 1 for own in (batch, *ranges)):
            raise ValueError(f"a part of axes {part.axes} is a range for each, and not {ranges}")
        own = _Part(batch_begin=batch.start, batch_count=len(batch))
        own.begin[: len(ranges)], own.count[: len(ranges)] = [r.start for r in ranges], [len(r) for r in ranges]
        return own

    def on_progress(self, listener):
        """Lets runs call `listener(label, phase, phases, done, total)` at the begin and the end of each phase and
        after each message or piece, with the bytes of the phase that are done on this rank. If it returns something
        true or raises, the run ends with the phase, on all ranks, with an `Error` of status 13; an exception of the
        listener is its cause on this rank. None calls nobody any more."""

        # Without `self`, which holds the function and would be collected late.
        raised = self._raised

        def call(_, progress):
            now = progress.contents
            try:
                return bool(listener(now.label.decode(), now.phase, now.phases, now.done, now.total))
            except BaseException as error:  # It must not pass the library; the call raises it.
                raised[:] = [error]
                return True

        # It must live as long as the library may call it.
        own = _Listener() if listener is None else _Listener(call)
        _call("set_progress", self._handle, own, None)
        self._listener = own

    def _run(self, function, *arguments):
        """A call that may call the listener, whose exception is the cause of an error."""
        if function != "wait":
            # It begins a run.
            self._raised.clear()
        try:
            _call(function, *arguments)
        except Error as error:
            raise error from (self._raised.pop() if self._raised else None)

    def __call__(self, array, out=None):
        """Transforms this rank's part, into `out` if it is given. Collective. A wrong size on one rank is an
        error on all."""
        array, out, arguments = self._arrays(array, out)
        self._run("run", self._handle, *arguments)
        return out

    def start(self, array, out=None):
        """Begins what a call does, and returns a `Run`. Collective. Until it is waited for, the array and `out`
        must not change, and all other collective calls on the cluster are refused."""
        return Run(self, *self._arrays(array, out))

    def run_on_device(self, input, output):
        """Transforms the array of a `Buffer` into that of another one. Collective. Nothing but what the ranks
        exchange passes the host, if `order` is "transposed" and the parts are the job's own."""
        self._run("run_on_device", self._handle, input._handle, output._handle)

    def read(self, path, side="input", *, raw=None, order="C"):
        """This rank's part of the array in a file: of the "input" of the transform, or of its "output".
        Collective. The file is NumPy's `.npy`, or with `raw`, the byte at which they begin, nothing but the
        elements, in the `order` "C" or "F". It holds the array in the order of the transform's axes.
        """
        part = self._side(side)
        array = numpy.empty(part.shape, part.dtype)
        options = self._file(raw, order, False)
        _call("read", self._handle, part is self.output, os.fsencode(path), options, array.ctypes.data, array.nbytes)
        return array

    def write(self, path, array, side="output", *, raw=False, order="C", replace=False):
        """Writes this rank's part of an array to a new file for `numpy.load`, or with `raw` for `numpy.fromfile`.
        Collective. The file is there when all of it is; one that was there is an error, unless it is to be
        replaced."""
        part = self._side(side)
        array = numpy.ascontiguousarray(array, part.dtype)
        # An array of another shape has no right length, which all ranks must learn.
        size = array.nbytes if array.shape == part.shape else 0
        options = self._file(0 if raw else None, order, replace)
        _call("write", self._handle, part is self.output, os.fsencode(path), options, array.ctypes.data, size)

    def _side(self, side):
        return (self.input, self.output)[["input", "output"].index(side)]

    @staticmethod
    def _file(raw, order, replace):
        options = _FileOptions(ctypes.sizeof(_FileOptions), raw is not None, "CF".index(order), raw or 0)
        options.replace = replace
        return options

    def close(self):
        """Frees its memory on the device."""
        _give_back("destroy", self)

    def __del__(self):
        self.close()


class Redistribution(_Moves):
    """Moves an array from the part `input` of each rank to its part `output`."""

    def __init__(self, cluster, before, after):
        self._handle, self._thread = c_void_p(), threading.get_ident()
        self.input, self.output = before, after
        parts = [ctypes.byref(self._structure(part)) for part in (before, after)]
        _call("redistribution_create", cluster._handle, *parts, ctypes.byref(self._handle))

    @staticmethod
    def _structure(part):
        own = Job._box((part.batch, *part.ranges), part)
        own.element_bytes, own.rank, own.batch_extent = _plain(part.dtype).itemsize, len(part.axes), part.batch_extent
        own.axes[: own.rank], own.extent[: own.rank] = part.axes, part.extents
        own.padding = part.shape[-1] - len(part.ranges[-1])
        return own

    def __call__(self, array, out=None):
        """Moves this rank's part, into `out` if it is given. Collective."""
        array, out, arguments = self._arrays(array, out)
        _call("redistribute", self._handle, *arguments)
        return out

    def close(self):
        """Frees it."""
        _give_back("redistribution_destroy", self)

    def __del__(self):
        self.close()


class Run:
    """A transform that was started. It goes on in `test`, to be called often, such as every 0.2 ms, and in
    `wait`."""

    def __init__(self, job, array, out, arguments):
        # The library uses the arrays, and calls the listener of the job, until the run has ended.
        self._handle, self._job, self._array, self._out, self._error = c_void_p(), job, array, out, None
        self._thread = threading.get_ident()
        job._run("start", job._handle, *arguments, ctypes.byref(self._handle))

    def test(self):
        """Goes on with what can be done without waiting, and says whether all is done."""
        is_done = ctypes.c_bool(True)
        if self._handle:
            _call("test", self._handle, ctypes.byref(is_done))
        return is_done.value

    def wait(self):
        """The result, when it is there."""
        if self._handle:
            handle, self._handle = self._handle, c_void_p()
            try:
                self._job._run("wait", handle)
            except Error as error:
                self._error = error
            self._job = None
        if self._error:
            raise self._error
        return self._out

    def __del__(self):
        _give_back("wait", self)


class Buffer:
    """An array on this rank's device."""

    def __init__(self, cluster, shape, dtype):
        self._handle, self._thread = c_void_p(), threading.get_ident()
        self.shape, self.dtype = tuple(shape), _plain(dtype)
        _call("buffer_create", cluster._handle, self.nbytes, ctypes.byref(self._handle))

    @property
    def nbytes(self):
        return int(numpy.prod(self.shape, dtype=int)) * self.dtype.itemsize

    def write(self, array):
        """Copies an array of the same shape to the device."""
        array = numpy.ascontiguousarray(array, self.dtype)
        if array.shape != self.shape:
            raise ValueError(f"the array has the shape {array.shape}, and the buffer {self.shape}")
        _call("buffer_write", self._handle, array.ctypes.data, array.nbytes)

    def read(self):
        """The array, from the device."""
        array = numpy.empty(self.shape, self.dtype)
        _call("buffer_read", self._handle, array.ctypes.data, array.nbytes)
        return array

    def map(self, expression, input, factors):
        """Becomes what the expression of WGSL says for each `value` of one buffer and `factor` of another, such as
        `value * factor.x`; complex numbers are `vec2f`. All have the same shape and type, f32 or complex
        numbers of it."""
        if {(own.shape, own.dtype) for own in (input, factors)} != {(self.shape, self.dtype)}:
            raise ValueError("the three buffers must have the same shape and type")
        reals = {"float32": 1, "complex64": 2}.get(self.dtype.name, 0)
        _call("map", expression.encode(), reals, input._handle, factors._handle, self._handle)

    def close(self):
        """Frees its memory."""
        _give_back("buffer_destroy", self)

    def __del__(self):
        self.close()
