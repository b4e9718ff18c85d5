#!/usr/bin/env python3
"""Times FFTW and SciPy's pocketfft on the processor, in f32, on one thread and on all, beside our own
benchmark on a software adapter.

    apt-get install libfftw3-single3 python3-scipy
    cargo build --release --bench measure
    python3 benches/peers/processor.py --ours "target/release/deps/measure-... fft --adapter llvmpipe" \\
        --spec "c2c fwd 1000x1000" --spec "r2c fwd 1080x1920" > processor.jsonl

Each specification is measured --rounds times: first by `COMMAND --against rustfft`, then by
the peers, so that what disturbs the machine disturbs all of them. Without --ours the peers are
measured alone. A peer whose library is not there is left out, with a line on stderr.

Data stays where it is, and results go to another array. FFTW plans with FFTW_MEASURE. Before the
first sample each transform runs once, and some numbers of its result are compared with those of the
other peers, but for c2r, where input that is no spectrum of reals means different things. A sample
is as many runs as take 50 ms. Each line of JSON has the case, who computed it and the median of its
samples in ms; the table on stderr has the medians over the rounds, divided by rustfft on one thread
where that was measured.
"""

import argparse
import ctypes
import json
import math
import os
import shlex
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cufft import Case, say

SAMPLE_SECONDS = 0.05
SAMPLES = 5
FFTW_MEASURE = 0
FFTW_FORWARD, FFTW_BACKWARD = -1, 1
FFTW_LIBRARIES = ["libfftw3f.so.3", "libfftw3f_threads.so.3"]


def noise(words):
    """So many pseudorandom floats, which repeat after a prime number of them."""
    period = (ctypes.c_float * 4093)(*(math.sin(i * i + 1.0) for i in range(4093)))
    whole = (ctypes.c_float * words)()
    for begin in range(0, words, 4093):
        ctypes.memmove(ctypes.byref(whole, 4 * begin), period, 4 * min(4093, words - begin))
    return whole


class Fftw:
    """FFTW in single precision, as Debian has it, or a library with its names."""

    def __init__(self, threads, libraries=FFTW_LIBRARIES, mode=ctypes.RTLD_GLOBAL):
        self.name = f"FFTW x{threads}"
        # The library for threads refers to the other one.
        single, several = (ctypes.CDLL(name, mode=mode) for name in libraries)
        several.fftwf_init_threads()
        self.library, self.threads, self.of_threads = single, threads, several
        for make in ("dft", "dft_r2c", "dft_c2r"):
            getattr(single, f"fftwf_plan_many_{make}").restype = ctypes.c_void_p
        single.fftwf_malloc.restype = ctypes.c_void_p
        single.fftwf_malloc.argtypes = [ctypes.c_size_t]
        for name in ("fftwf_execute", "fftwf_destroy_plan", "fftwf_free"):
            getattr(single, name).argtypes = [ctypes.c_void_p]

    def prepare(self, case):
        """A function that runs the transform once, one that gives the result as floats, and one that frees what
        the case took."""
        library = self.library
        self.of_threads.fftwf_plan_with_nthreads(self.threads)
        arrays = [library.fftwf_malloc(4 * words) for words in (case.input_words, case.output_words)]
        extents = (ctypes.c_int * len(case.extents))(*case.extents)
        sides = []
        for array, shape in zip(arrays, (case.halved if case.kind == "c2r" else case.real, case.halved if case.kind == "r2c" else case.real)):
            sides += [ctypes.c_void_p(array), None, 1, math.prod(shape[1:])]
        make = {"c2c": "dft", "r2c": "dft_r2c", "c2r": "dft_c2r"}[case.kind]
        direction = [FFTW_BACKWARD if case.inverse else FFTW_FORWARD] if case.kind == "c2c" else []
        plan = getattr(library, f"fftwf_plan_many_{make}")(len(extents), extents, case.batch, *sides, *direction, FFTW_MEASURE)
        if not plan:
            raise RuntimeError("FFTW has no plan")
        # Planning overwrites the arrays.
        ctypes.memmove(arrays[0], noise(case.input_words), 4 * case.input_words)

        def free():
            library.fftwf_destroy_plan(plan)
            for array in arrays:
                library.fftwf_free(array)

        output = (ctypes.c_float * case.output_words).from_address(arrays[1])
        return lambda: library.fftwf_execute(plan), lambda: output, free


class Pocketfft:
    """SciPy's transforms, which allocate their results."""

    def __init__(self, threads):
        import numpy
        import scipy.fft

        self.name, self.threads, self.numpy, self.fft = f"pocketfft x{threads}", threads, numpy, scipy.fft

    def prepare(self, case):
        shape = case.halved if case.kind == "c2r" else case.real
        numbers = self.numpy.frombuffer(noise(case.input_words), dtype=self.numpy.float32)
        data = (numbers if case.kind == "r2c" else numbers.view(self.numpy.complex64)).reshape(shape)
        on_axes = {"axes": case.axes, "workers": self.threads}
        if case.kind == "c2c":
            # FFTW has no factor.
            transform, on_axes = (self.fft.ifftn, {**on_axes, "norm": "forward"}) if case.inverse else (self.fft.fftn, on_axes)
        elif case.kind == "r2c":
            transform = self.fft.rfftn
        else:
            transform, on_axes = self.fft.irfftn, {**on_axes, "s": case.extents, "norm": "forward"}

        def run():
            return transform(data, **on_axes)

        return run, lambda: run().reshape(-1).view(self.numpy.float32), lambda: None


def peers(threads):
    found = []
    for peer, package in ((Fftw, "libfftw3-single3"), (Pocketfft, "python3-scipy")):
        try:
            found += [peer(count) for count in sorted({1, threads})]
        except (ImportError, OSError) as error:
            say(f"{package} is not here: {error}")
    return found


def milliseconds(run):
    """The median time of a run over the samples."""
    begin = time.perf_counter()
    run()
    count = max(1, round(SAMPLE_SECONDS / max(time.perf_counter() - begin, 1e-9)))
    samples = []
    for _ in range(SAMPLES):
        begin = time.perf_counter()
        for _ in range(count):
            run()
        samples.append((time.perf_counter() - begin) / count * 1e3)
    return statistics.median(samples)


def probe(values):
    """Some numbers from all over a result."""
    return [float(values[i * (len(values) - 1) // 63]) for i in range(64)]


def compare(case, name, values, expected):
    most = max(map(abs, expected))
    if any(abs(a - b) > 1e-4 * most for a, b in zip(values, expected)):
        raise SystemExit(f"{name} gives something else for `{case.text}`")


def ours(command, text):
    """Our times and those of rustfft by our benchmark: (candidate, ms)."""
    command = [*shlex.split(command), "--spec", text, "--against", "rustfft", "--json"]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    for row in map(json.loads, filter(None, lines)):
        if row.get("ms") is not None and row.get("spec") == text:
            yield row["candidate"], row["ms"]


def table(times):
    """Medians over the rounds, divided by those of rustfft on one thread. `times`: by case, then by candidate."""
    rows = []
    for text, by in times.items():
        base = statistics.median(by["rustfft x1"]) if "rustfft x1" in by else None
        cells = []
        for name, own in by.items():
            ms = statistics.median(own)
            cells.append(f"{name} {ms:.3g} ms" + (f" ({ms / base:.2f})" if base else ""))
        rows.append(f"{text}: " + ", ".join(cells))
    return "\n".join(rows)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spec", action="append", required=True, help="a specification; may be repeated")
    parser.add_argument("--ours", metavar="COMMAND", help="our benchmark `fft`, compiled, and perhaps options of its own")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    options = parser.parse_args(arguments)
    cases = [Case(text) for text in options.spec]
    known = peers(options.threads)
    times = {}
    for turn in range(options.rounds):
        for case in cases:
            def keep(name, ms):
                print(json.dumps({"spec": case.text, "candidate": name, "round": turn, "ms": float(f"{ms:.4g}")}), flush=True)
                times.setdefault(case.text, {}).setdefault(name, []).append(ms)

            if options.ours:
                for name, ms in ours(options.ours, case.text):
                    keep(name, ms)
            expected = None
            for peer in known:
                run, result, free = peer.prepare(case)
                run()
                if case.kind != "c2r":
                    values = probe(result())
                    expected = expected or values
                    compare(case, peer.name, values, expected)
                keep(peer.name, milliseconds(run))
                free()
    say(table(times))


if __name__ == "__main__":
    main()
