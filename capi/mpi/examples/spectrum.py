"""Spectra that the ranks of a communicator share, beside NumPy's, and what mistakes give.

    PYTHONPATH=PREFIX/lib mpirun -n 4 python -m mpi4py spectrum.py
"""

import os
import shutil
import tempfile
import threading
import weakref

import numpy
import wgpu_fft_mpi
from mpi4py import MPI

comm = MPI.COMM_WORLD
shape = (3, 12, 10, 14)
whole = numpy.random.default_rng(5).standard_normal(shape, numpy.float32)
expected = numpy.fft.rfftn(whole, axes=(1, 2, 3))
spec = "r2c fwd 12x10x14 x3"


def cut(array, part):
    """A part of a whole array whose axes are in order."""
    order = [0, *(1 + axis for axis in part.axes)]
    return array.transpose(order)[numpy.ix_(part.batch, *part.ranges)]


def check(actual, part):
    assert actual.shape == part.shape and actual.dtype == part.dtype
    assert actual.size == 0 or abs(actual - cut(expected, part)).max() < 1e-5 * abs(expected).max()


def failure(call, kind=wgpu_fft_mpi.Error):
    """The error of a call that must fail."""
    try:
        call()
    except kind as error:
        return error
    raise AssertionError("what must fail does not")


with wgpu_fft_mpi.Cluster(comm) as cluster:
    for options in [{}, {"decomposition": "pencils"}, {"grid": (1, comm.size)}, {"grid": (1, comm.size), "order": "natural"}]:
        job = cluster.plan(spec, **options)
        assert (job.input, job.output) == wgpu_fft_mpi.local_parts(spec, comm.rank, comm.size, **options)
        check(job(cut(whole, job.input)), job.output)

        # Boxes of our own: shares of axis 1, and of the frequencies an index more on either side.
        begin, end = (10 * rank // comm.size for rank in (comm.rank, comm.rank + 1))
        ranges = [range(extent) for extent in job.output.extents]
        ranges[1] = range(max(begin - 1, 0), min(end + 1, len(ranges[1])))
        job.set_parts((range(3), range(12), range(begin, end), range(14)), (range(3), *ranges))
        check(job(cut(whole, job.input), out=numpy.empty(job.output.shape, numpy.complex64)), job.output)
        # The same with two numbers behind each row, which nobody reads.
        job.set_parts((range(3), range(12), range(begin, end), range(14)), (range(3), *ranges), padding=(2, 0))
        check(job(numpy.pad(cut(whole, job.input), [(0, 0)] * 3 + [(0, 2)], constant_values=numpy.nan)), job.output)

        # A mistake of the last rank, which all learn.
        error = failure(lambda: job(numpy.zeros(job.input.shape)[: 2 if comm.rank + 1 == comm.size else None]))
        assert error.status == 11 and f"rank {comm.size - 1}" in str(error), error
        job.close()

    # Cosines and sines, and back.
    there = cluster.plan("r2r dct2,dst1,dct3 12x10x14", decomposition="pencils")
    back = cluster.plan("r2r dct3,dst1,dct2 12x10x14 1/n", decomposition="pencils", order="transposed_input")
    x = cut(whole[:1], there.input)[0]
    again = back(there(x))
    assert x.size == 0 or abs(again - x).max() < 1e-5
    # One axis by the definition.
    lines = cluster.plan("r2r dct2 14 x120")
    x = cut(whole[0].reshape(120, 14), lines.input)
    cosines = 2 * numpy.cos(numpy.pi * numpy.outer(2 * numpy.arange(14) + 1, numpy.arange(14)) / 28)
    assert x.size == 0 or abs(lines(x) - x @ cosines).max() < 1e-4

    # Without a transform: from transposed order to boxes that overlap, of records of 12 bytes.
    records = numpy.arange(12 * 10 * 3).reshape(12, 10, 3).astype(numpy.float32).view("V12")[..., 0]
    share = lambda extent: range(extent * comm.rank // comm.size, extent * (comm.rank + 1) // comm.size)
    turn = cluster.redistribution(
        wgpu_fft_mpi.box((12, 10), (range(12), share(10)), records.dtype, axes=(1, 0)),
        wgpu_fft_mpi.box((12, 10), (range(share(12).start, 12), range(2, 9)), records.dtype),
    )
    moved = turn(records.T[numpy.ix_(*turn.input.ranges)])
    assert moved.tobytes() == records[numpy.ix_(*turn.output.ranges)].tobytes()
    natural = cluster.plan(spec, order="natural")
    there = cluster.plan(spec)
    turn = cluster.redistribution(there.output, natural.output)
    check(turn(there(cut(whole, there.input))), turn.output)
    # Objects of Python stay in their process.
    part = wgpu_fft_mpi.box((4,), (range(4),), float)
    for call in (
        lambda: wgpu_fft_mpi.box((4,), (range(4),), object),
        lambda: cluster.redistribution(part, part._replace(dtype=numpy.dtype([("name", object)]))),
        lambda: cluster.buffer((4,), object),
    ):
        assert "objects of Python" in str(failure(call, TypeError))

    # On the devices: there, times i, and back, which is the same on the host.
    there, back = cluster.plan("c2c fwd 12x10x14"), cluster.plan("c2c inv 12x10x14 1/n")
    field = cut(whole[:1], there.input)[0].astype(numpy.complex64)
    factors = numpy.full(there.output.shape, 1j, numpy.complex64)
    x = cluster.buffer(there.input.shape, there.input.dtype)
    k, weights, product = (cluster.buffer(there.output.shape, there.output.dtype) for _ in range(3))
    x.write(field)
    weights.write(factors)
    there.run_on_device(x, k)
    product.map("vec2f(value.x * factor.x - value.y * factor.y, value.x * factor.y + value.y * factor.x)", k, weights)
    back.run_on_device(product, x)
    assert numpy.array_equal(x.read(), back(there(field) * factors))
    error = failure(lambda: there.run_on_device(x, x if comm.rank + 1 == comm.size else k))
    assert error.status == 11 and "rank" in str(error), error

    # A listener ends a run by what it returns or raises, on all ranks.
    heard = []
    there.on_progress(lambda label, phase, phases, done, total: heard.append((label, done, total)))
    expected_field = there(field)
    assert {label for label, _, _ in heard} == {"rows", "exchange", "columns"} and all(done <= total for _, done, total in heard)

    def interrupt(label, *_):
        if label == "columns" and comm.rank == comm.size - 1:
            raise KeyboardInterrupt

    there.on_progress(interrupt)
    for run in (lambda: there(field), lambda: there.start(field).wait(), lambda: there.run_on_device(x, k)):
        error = failure(run)
        assert error.status == 13 and f"rank {comm.size - 1}" in str(error), error
        assert (comm.rank == comm.size - 1) == isinstance(error.__cause__, KeyboardInterrupt)
        # It is not the cause of what fails later, also where nobody waited for the run.
        there.start(field)
        error = failure(lambda: there(field[:1]))
        assert error.status == 11 and error.__cause__ is None, error
    there.on_progress(None)
    assert numpy.array_equal(there(field), expected_field)

    # A run keeps its job, whose listener it calls, until it has ended.
    job = cluster.plan("c2c fwd 12x10x14")
    heard.clear()
    job.on_progress(lambda *now: heard.append(now))
    run, kept = job.start(field), weakref.ref(job)
    del job
    assert kept() and numpy.array_equal(run.wait(), expected_field) and heard and not kept()
    # One that another thread collects ends with the next call, and keeps its arrays until then.
    out = numpy.empty_like(expected_field)
    runs, kept = [there.start(field, out)], weakref.ref(out)
    del out
    thread = threading.Thread(target=runs.clear)
    thread.start()
    thread.join()
    assert kept() is not None
    assert numpy.array_equal(there(field), expected_field) and kept() is None

    # Through files, which NumPy writes and reads.
    folder = comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None)
    path, result = (os.path.join(folder, name) for name in ("whole.npy", "spectrum.npy"))
    for save, options in ((numpy.save, {}), (lambda path, array: array.T.tofile(path), {"raw": 0, "order": "F"})):
        if comm.rank == 0:
            save(path, whole)
        comm.barrier()
        job = cluster.plan(spec, decomposition="pencils")
        x = job.read(path, **options)
        assert numpy.array_equal(x, cut(whole, job.input))
        job.write(result, job(x), replace=bool(options))
        check(cut(numpy.load(result), job.output), job.output)
        job.write(result, job(x), raw=True, order="F", replace=True)
        check(cut(numpy.fromfile(result, job.output.dtype).reshape(expected.shape[::-1]).T, job.output), job.output)
    error = failure(lambda: job.write(result, job(x)))
    assert error.status == 11 and "not to be replaced" in str(error), error
    comm.barrier()
    if comm.rank == 0:
        shutil.rmtree(folder)

    # Started, with half the bytes between ranks.
    half = cluster.plan("c2c fwd 12x10x14", exchange="f16")
    run = half.start(field)
    while not run.test():
        pass
    actual, exact = run.wait(), there(field)
    errors = [comm.allreduce(numpy.sum(abs(own.astype(complex)) ** 2)) for own in (actual - exact, exact)]
    assert 2e-5 < (errors[0] / errors[1]) ** 0.5 < 2**-11, errors
    # A mistake of one rank is one of all, however often they wait.
    wrong = half.start(field[:1] if comm.rank == 0 else field)
    for _ in range(2):
        error = failure(wrong.wait)
        assert error.status == 11 and "rank 0" in str(error), error
if comm.rank == 0:
    print(f"all is well on {comm.size} ranks")
