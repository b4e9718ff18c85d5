"""The Navier-Stokes equations in a periodic box, as turbulence.c has them: the vortex of Taylor and Green,
pseudo-spectral, with the products of the 2/3 rule and the classical method of Runge and Kutta.

    PYTHONPATH=PREFIX/lib mpirun -n 4 python turbulence.py [n [steps [viscosity]]] [--double]
"""

import sys
import time

import numpy
from mpi4py import MPI

import wgpu_fft_mpi

numbers = [float(argument) for argument in sys.argv[1:] if argument != "--double"]
n, steps, viscosity = (*numbers, *(64, 50, 0)[len(numbers) :])
n, steps = int(n), int(steps)
is_double = "--double" in sys.argv
real, suffix, tolerance = (numpy.float64, " f64", 2e-8) if is_double else (numpy.float32, "", 2e-6)
comm = MPI.COMM_WORLD


def run(cluster):
    # Three components on every rank, and slabs of each.
    shape = f"{n}x{n}x{n} x3{suffix}"
    forward = cluster.plan(f"r2c fwd {shape}", grid=(1, comm.size))
    inverse = cluster.plan(f"c2r inv {shape} 1/n", grid=(1, comm.size))

    # The wave numbers, their square (0 for modes that are left out), and how often a mode counts, as the half
    # of the spectrum that is not stored counts too.
    wave = [None] * 3
    for place, (axis, indices) in enumerate(zip(forward.output.axes, forward.output.ranges)):
        own = numpy.array(indices)
        own = numpy.where((axis < 2) & (2 * own > n), own - n, own).astype(real)
        wave[axis] = own.reshape([-1 if i == place else 1 for i in range(3)])
    is_kept = (3 * abs(wave[0]) < n) & (3 * abs(wave[1]) < n) & (3 * abs(wave[2]) < n)
    square = numpy.where(is_kept, wave[0] ** 2 + wave[1] ** 2 + wave[2] ** 2, 0)
    inverse_square = numpy.where(square > 0, 1 / numpy.maximum(square, 1), 0).astype(real)
    weight = numpy.where(wave[2] == 0, 1.0, 2.0)

    def half_of_squares(field, factor=1.0):
        return float((weight * factor * (field.real.astype(float) ** 2 + field.imag.astype(float) ** 2)).sum()) / 2 / n**6

    def cross(a, b):
        return [a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3] for c in range(3)]

    def rate(field):
        velocity, vorticity = inverse(field), inverse(1j * numpy.array(cross(wave, field)))
        result = forward(numpy.array(cross(velocity, vorticity)))
        along = sum(wave[c] * result[c] for c in range(3)) * inverse_square
        for c in range(3):
            result[c] = numpy.where(square > 0, result[c] - wave[c] * along - real(viscosity) * square * field[c], 0)
        return result

    x, y, z = (2 * numpy.pi / n * numpy.array(indices) for indices in forward.input.ranges)
    x, y = x[:, None, None], y[:, None]
    velocity = [numpy.sin(x) * numpy.cos(y) * numpy.cos(z), -numpy.cos(x) * numpy.sin(y) * numpy.cos(z)]
    field = forward(numpy.array([*velocity, 0 * velocity[0]]))

    dt = 1.28 / n
    before = comm.allreduce(half_of_squares(field))
    dissipated, change = 0.0, numpy.zeros_like(field)
    begin = time.perf_counter()
    for _ in range(steps):
        following = field.copy()
        for until, share in [(0, dt / 6), (dt / 2, dt / 3), (dt / 2, dt / 3), (dt, dt / 6)]:
            stage = field + real(until) * change
            dissipated += share * 2 * viscosity * half_of_squares(stage, square)
            change = rate(stage)
            following += real(share) * change
        field = following
    seconds = time.perf_counter() - begin
    after, enstrophy = comm.allreduce(half_of_squares(field)), comm.allreduce(half_of_squares(field, square))
    dissipated = comm.allreduce(dissipated)
    error = abs((after + dissipated) / before - 1)
    if comm.rank == 0:
        each = seconds / steps * 1e3
        print(f"{n}^3 points, {steps} steps to t = {steps * dt:g}, viscosity {viscosity:g}, {comm.size} ranks, {each:.1f} ms a step")
        print(f"energy {after:.12f} of {before:.12f}, dissipated {dissipated:.12f}: a difference of {error:.1e}")
        print(f"enstrophy {enstrophy:.12f}")
    if not (error < tolerance and (viscosity > 0 or enstrophy > 0.375)):
        raise SystemExit("the energy is not conserved")


try:
    with wgpu_fft_mpi.Cluster(comm) as cluster:
        run(cluster)
except BaseException as error:
    print(f"rank {comm.rank}: {error}", file=sys.stderr, flush=True)
    comm.Abort(1)
