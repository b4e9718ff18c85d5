#!/usr/bin/env python3
"""Times cuFFT for the cases of anchors.json. Prints one line of JSON per case on stdout, which
ratios.py compares with our times.

    python3 cufft.py > cufft.jsonl
    python3 cufft.py --group planes --filter 4096 --spec "c2c fwd 512x512 x16"

It uses CuPy if that can be imported, else PyTorch (whose transforms allocate their output, so that
nothing is measured in place). The method is that of our own benches. Data stays on the device.
Arrays are used in rotation and are together larger than the caches. A plan is made once. About a
second of work precedes the first sample. A sample is many runs between two CUDA events. The runs are
recorded in a CUDA graph, so that gaps between launches do not count. If a graph cannot be recorded,
the launches queue up behind a kernel that waits. The result is the median of the samples, for the
faster of out of place and in place. If a case fails, the reason is printed on stderr and the case is
skipped.
"""

import argparse
import gc
import json
import math
import os
import sys
import time

ROTATION_BYTES = 240 << 20
SAMPLE_SECONDS = 2e-3
MAX_RUNS = 512
MAX_PAIRS = 512


def say(*words):
    print(*words, file=sys.stderr, flush=True)


class Case:
    """A specification, parsed from a text such as `c2c fwd 512x512 x4`."""

    def __init__(self, text):
        words = text.split()
        if len(words) not in (3, 4) or words[0] not in ("c2c", "r2c", "c2r") or words[1] not in ("fwd", "inv"):
            raise ValueError(f"`{text}` is no specification such as `c2c fwd 512x512 x4`")
        self.kind, self.inverse = words[0], words[1] == "inv"
        self.extents = tuple(int(extent) for extent in words[2].split("x"))
        self.batch = int(words[3].removeprefix("x")) if len(words) == 4 else 1
        if min(self.extents + (self.batch,)) < 1 or len(self.extents) > 3:
            raise ValueError(f"`{text}`: the shape")
        if self.kind == "c2r" and not self.inverse or self.kind == "r2c" and self.inverse:
            raise ValueError(f"`{text}`: r2c is fwd and c2r is inv")
        batch = f" x{self.batch}" if self.batch > 1 else ""
        self.text = f"{self.kind} {words[1]} {'x'.join(map(str, self.extents))}{batch}"

    @property
    def axes(self):
        return tuple(range(1, 1 + len(self.extents)))

    @property
    def real(self):
        return (self.batch,) + self.extents

    @property
    def halved(self):
        return (self.batch,) + self.extents[:-1] + (self.extents[-1] // 2 + 1,)

    # 32-bit numbers.
    @property
    def input_words(self):
        return {"c2c": 2 * math.prod(self.real), "r2c": math.prod(self.real), "c2r": 2 * math.prod(self.halved)}[self.kind]

    @property
    def output_words(self):
        return {"c2c": 2 * math.prod(self.real), "r2c": 2 * math.prod(self.halved), "c2r": math.prod(self.real)}[self.kind]

    @property
    def bytes(self):
        return 4 * (self.input_words + self.output_words)


class Cupy:
    """cuFFT through CuPy. Arrays are flat f32."""

    def __init__(self):
        import cupy
        from cupy.cuda import cufft

        self.cp, self.cufft = cupy, cufft
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.stream.use()
        self.block = cupy.sin(cupy.arange(1 << 20, dtype=cupy.float32))
        self.name = f"cupy {cupy.__version__}"
        try:
            self.version = str(cufft.getVersion())
        except Exception:  # Only a label.
            self.version = ""
        name = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"]
        self.device = name.decode() if isinstance(name, bytes) else str(name)
        self.wait = None

    def array(self, words):
        array = self.cp.empty(words, dtype=self.cp.float32)
        self.fill(array)
        return array

    def fill(self, array):
        """Noise that repeats after some megabytes."""
        whole = array.size // self.block.size * self.block.size
        if whole:
            array[:whole].reshape(-1, self.block.size)[...] = self.block
        array[whole:] = self.block[: array.size - whole]

    def out_of_place(self, case):
        """A function of two arrays. Its plan is made in this call."""
        cufft = self.cufft
        fft_type = {"c2c": cufft.CUFFT_C2C, "r2c": cufft.CUFFT_R2C, "c2r": cufft.CUFFT_C2R}[case.kind]
        return self._plan(case, fft_type, None, None)

    def in_place(self, case):
        """A function that gets one array twice, and the number of f32 that the array needs. For real input, rows are padded by two numbers."""
        if case.kind == "c2c":
            return self.out_of_place(case), 2 * math.prod(case.real)
        cufft = self.cufft
        fft_type = {"r2c": cufft.CUFFT_R2C, "c2r": cufft.CUFFT_C2R}[case.kind]
        padded, halved = list(case.halved[1:]), list(case.halved[1:])
        padded[-1] *= 2
        embedded = (padded, halved) if case.kind == "r2c" else (halved, padded)
        return self._plan(case, fft_type, *embedded), 2 * math.prod(case.halved)

    def _plan(self, case, fft_type, inembed, onembed):
        cufft, extents = self.cufft, case.extents
        direction = cufft.CUFFT_INVERSE if case.inverse else cufft.CUFFT_FORWARD
        if len(extents) == 1 and inembed is None:
            plan = cufft.Plan1d(extents[0], fft_type, case.batch)
        else:
            # The strides matter only if the rows are padded.
            idist, odist = (math.prod(extents),) * 2 if inembed is None else (math.prod(inembed), math.prod(onembed))
            plan = cufft.PlanNd(extents, inembed, 1, idist, onembed, 1, odist, fft_type, case.batch, "C", len(extents) - 1, extents[-1])
        complexes = {"c2c": (True, True), "r2c": (False, True), "c2r": (True, False)}[case.kind]

        def view(array, is_complex):
            return array.view(self.cp.complex64) if is_complex else array

        def run(source, target):
            plan.fft(view(source, complexes[0]), view(target, complexes[1]), direction)

        return run

    def record(self, run, turns):
        """A function that enqueues all runs."""
        for turn in turns[:2]:
            run(*turn)
        self.synchronize()
        try:
            self.stream.begin_capture()
            try:
                for turn in turns:
                    run(*turn)
            finally:
                graph = self.stream.end_capture()
            graph.launch(self.stream)
            self.synchronize()
            return (lambda: graph.launch(self.stream)), "graph"
        except Exception as error:
            say(f"  no graph: {error}")
            self.synchronize()
        return (lambda: [run(*turn) for turn in turns]), "queue"

    def time(self, work, hold):
        """Seconds on the device. With `hold`, the device first waits that many seconds while the work is enqueued."""
        begin, end = self.cp.cuda.Event(), self.cp.cuda.Event()
        if hold:
            if self.wait is None:
                code = 'extern "C" __global__ void hold(long long ticks) { long long start = clock64(); while (clock64() - start < ticks) {} }'
                self.wait = self.cp.RawKernel(code, "hold")
            self.wait((1,), (1,), (self.cp.int64(int(hold * 2e9)),))
        begin.record(self.stream)
        work()
        end.record(self.stream)
        end.synchronize()
        return self.cp.cuda.get_elapsed_time(begin, end) * 1e-3

    def synchronize(self):
        self.stream.synchronize()

    def first(self, array, count):
        return [float(number) for number in self.cp.asnumpy(array[:count])]

    def zero(self, array):
        array[...] = 0

    def one(self, array):
        array[0] = 1

    def free(self):
        self.synchronize()
        self.cp.get_default_memory_pool().free_all_blocks()


class Torch:
    """cuFFT through PyTorch, which allocates an array for each output."""

    def __init__(self):
        import torch

        if not torch.cuda.is_available():
            raise RuntimeError("torch sees no CUDA device")
        self.torch = torch
        self.stream = torch.cuda.Stream()
        torch.cuda.set_stream(self.stream)
        self.block = torch.rand(1 << 20, device="cuda") - 0.5
        self.name, self.version = f"torch {torch.__version__}", ""
        self.device = torch.cuda.get_device_name()
        self.kept = []

    def array(self, words):
        array = self.torch.empty(words, device="cuda")
        self.fill(array)
        return array

    def fill(self, array):
        size = self.block.numel()
        whole = array.numel() // size * size
        if whole:
            array[:whole].view(-1, size)[...] = self.block
        array[whole:] = self.block[: array.numel() - whole]

    def out_of_place(self, case):
        fft, axes = self.torch.fft, case.axes
        if case.kind == "c2c":
            transform, shape = (fft.ifftn if case.inverse else fft.fftn), case.real + (2,)
        elif case.kind == "r2c":
            transform, shape = fft.rfftn, case.real
        else:
            transform, shape = (lambda source, dim, norm: fft.irfftn(source, s=case.extents, dim=dim, norm=norm)), case.halved + (2,)
        # The `norm` that does not scale in this direction.
        norm = "forward" if case.inverse else "backward"

        def run(source, target):
            source = source.view(shape)
            source = self.torch.view_as_complex(source) if shape[-1] == 2 and len(shape) > len(case.real) else source
            result = transform(source, dim=axes, norm=norm)
            if self.capturing:
                # Every run of a graph has an output of its own, until the outputs exceed the caches.
                self.kept.append(result)
                del self.kept[: -self.keep]
            return result

        return run

    capturing, keep = False, 1

    def in_place(self, case):
        raise NotImplementedError("torch has no FFT in place")

    def record(self, run, turns):
        for turn in turns[:2]:
            run(*turn)
        self.synchronize()
        graph = self.torch.cuda.CUDAGraph()
        self.capturing, self.keep, self.kept = True, len({id(turn[0]) for turn in turns}), []
        try:
            with self.torch.cuda.graph(graph, stream=self.stream):
                for turn in turns:
                    run(*turn)
            graph.replay()
            self.synchronize()
            return graph.replay, "graph"
        except Exception as error:
            say(f"  no graph: {error}")
            self.synchronize()
        finally:
            self.capturing = False
        return (lambda: [run(*turn) for turn in turns]), "queue"

    def time(self, work, hold):
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        if hold:
            self.torch.cuda._sleep(int(hold * 2e9))
        begin.record(self.stream)
        work()
        end.record(self.stream)
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3

    def synchronize(self):
        self.torch.cuda.synchronize()

    def first(self, array, count):
        array = self.torch.view_as_real(array) if array.is_complex() else array
        return [float(number) for number in array.flatten()[:count].cpu()]

    def zero(self, array):
        array.zero_()

    def one(self, array):
        array[0] = 1

    def free(self):
        self.kept = []
        self.synchronize()
        self.torch.backends.cuda.cufft_plan_cache.clear()
        self.torch.cuda.empty_cache()


def cycle(turns, count):
    return [turns[i % len(turns)] for i in range(count)]


class Variant:
    """A plan on arrays in rotation."""

    def __init__(self, backend, name, run, turns, refill):
        self.backend, self.name, self.refill, self.seconds = backend, name, refill, []
        # A few runs are enough to find out how many fill a sample.
        work, _ = backend.record(run, cycle(turns, 4))
        [backend.time(work, 0) for _ in range(2)]
        once = min(backend.time(work, 0) for _ in range(3)) / 4
        self.runs = max(1, min(MAX_RUNS, math.ceil(SAMPLE_SECONDS / max(once, 1e-7))))
        # Every array is used equally often.
        self.runs = max(self.runs - self.runs % len(turns), min(len(turns), MAX_RUNS))
        self.work, self.mode = backend.record(run, cycle(turns, self.runs))
        self.hold = 0 if self.mode == "graph" else 2e-5 * self.runs + 1e-3

    def once(self):
        return self.backend.time(self.work, self.hold) / self.runs

    def sample(self):
        # Repeated transforms in place, or with a destroyed input, would grow to infinity.
        for array in self.refill:
            self.backend.fill(array)
        self.seconds.append(self.once())

    def median(self):
        return quantile(self.seconds, 0.5)


def quantile(values, q):
    values = sorted(values)
    position = q * (len(values) - 1)
    below = math.floor(position)
    above = min(below + 1, len(values) - 1)
    return values[below] + (values[above] - values[below]) * (position - below)


def check(backend, case, run, source, target):
    """Checks that the spectrum of an impulse at 0 is 1 everywhere. Returns the largest error among the first outputs."""
    backend.zero(source)
    backend.one(source)
    result = run(source, target)
    backend.synchronize()
    got = backend.first(target if result is None else result, 16)
    numbers = 1 if case.kind == "c2r" else 2
    row = case.halved[-1] if case.kind == "r2c" else case.extents[-1]
    expected = [1.0, 0.0][:numbers] * min(row, 8)
    backend.fill(source)
    return max(abs(got - want) for got, want in zip(got, expected))


def measure(backend, case, rounds, warm_up):
    count = max(1, min(MAX_PAIRS, -(-ROTATION_BYTES // case.bytes)))
    pairs = [(backend.array(case.input_words), backend.array(case.output_words)) for _ in range(count)]
    run = backend.out_of_place(case)
    error = check(backend, case, run, *pairs[0])
    if not error < 1e-4:
        raise RuntimeError(f"the spectrum of an impulse is off by {error}")
    spoilt = [source for source, _ in pairs] if case.kind == "c2r" else []
    variants = [Variant(backend, "out of place", run, pairs, spoilt)]
    try:
        run, words = backend.in_place(case)
        arrays = [array for pair in pairs for array in pair if array.size >= words] if case.kind == "c2c" else []
        if not arrays:
            arrays = [backend.array(words) for _ in range(max(1, min(MAX_PAIRS, -(-ROTATION_BYTES // (4 * words)))))]
        variants.append(Variant(backend, "in place", run, [(array, array) for array in arrays], arrays))
    except NotImplementedError:
        pass
    except Exception as error:
        say(f"  in place: {type(error).__name__}: {error}")
        backend.synchronize()
    start = time.monotonic()
    while time.monotonic() - start < warm_up:
        for variant in variants:
            variant.once()
    for _ in range(rounds):
        for variant in variants:
            variant.sample()
    best = min(variants, key=Variant.median)
    median = best.median()
    line = {
        "bench": "cufft", "spec": case.text, "adapter": backend.device, "backend": backend.name, "version": backend.version,
        "ms": round_to(median * 1e3), "min_ms": round_to(min(best.seconds) * 1e3),
        "spread": round_to((quantile(best.seconds, 0.9) - quantile(best.seconds, 0.1)) / median),
        "placement": best.name, "bytes": case.bytes, "gb_per_s": round_to(case.bytes / median * 1e-9),
        "samples": rounds, "repetitions": best.runs, "mode": best.mode,
    }
    for variant in variants:
        line["ms_" + variant.name.replace(" ", "_")] = round_to(variant.median() * 1e3)
    return line


def round_to(number):
    return float(f"{number:.4e}")


def open_backend(name):
    backends = {"cupy": Cupy, "torch": Torch}
    names = list(backends) if name == "auto" else [name]
    for name in names:
        try:
            return backends[name]()
        except Exception as error:
            say(f"{name}: {type(error).__name__}: {error}")
    return None


def wanted(arguments):
    """The texts of the cases, without duplicates."""
    texts = list(arguments.spec)
    if not texts or arguments.group:
        with open(arguments.anchors, encoding="utf-8") as file:
            cases = json.load(file)["cases"]
        texts += [case["spec"] for case in cases if not arguments.group or case["group"] in arguments.group]
    texts = [text for text in texts if not arguments.filter or any(part in text for part in arguments.filter)]
    return list(dict.fromkeys(texts))


def main(argv=None):
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description="Times cuFFT; one line of JSON per case on stdout.")
    parser.add_argument("--anchors", default=os.path.join(here, "anchors.json"), help="the list of cases")
    parser.add_argument("--group", action="append", default=[], help="only this group of it: planes, one pass, long, other, primes")
    parser.add_argument("--spec", action="append", default=[], help="this case instead, such as 'c2c fwd 512x512 x4'")
    parser.add_argument("--filter", action="append", default=[], help="only cases whose text contains this")
    parser.add_argument("--rounds", type=int, default=11, help="samples of each case (11)")
    parser.add_argument("--warm-up", type=float, default=1.0, help="seconds of work before each case (1)")
    parser.add_argument("--backend", choices=("auto", "cupy", "torch"), default="auto")
    arguments = parser.parse_args(argv)
    backend = open_backend(arguments.backend)
    if backend is None:
        say("neither CuPy nor PyTorch reaches a GPU")
        return 1
    say(f"cuFFT {backend.version} by {backend.name} on {backend.device}")
    start, failed = time.monotonic(), 0
    for text in wanted(arguments):
        try:
            line = measure(backend, Case(text), max(1, arguments.rounds), arguments.warm_up)
            print(json.dumps(line), flush=True)
            say(f"{text:24} {line['ms']:10.4f} ms  {line['placement']}, {line['mode']}")
        except Exception as error:
            failed += 1
            say(f"{text} is left out: {type(error).__name__}: {error}")
        gc.collect()
        try:
            backend.free()
        except Exception as error:
            say(f"  freeing memory: {type(error).__name__}: {error}")
    say(f"cuFFT: {time.monotonic() - start:.0f} s, {failed} left out")
    return 0


if __name__ == "__main__":
    sys.exit(main())
