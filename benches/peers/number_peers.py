#!/usr/bin/env python3
"""Times cuFFT in f16 and f64, and cosine transforms of cupyx.scipy.fft, for the cases of
`cargo bench --bench measure -- numbers`.

    python3 number_peers.py > peer.jsonl
    python3 number_peers.py --ours numbers.jsonl --peer peer.jsonl     # a table of ratios

Prints one line of JSON per case. Data stays on the device; plans are kept. About a second of work
precedes the first sample, and a sample is many runs between two CUDA events, of a CUDA graph where
CuPy's calls can be recorded. A case that fails is reported on stderr and skipped.
"""

import argparse
import json
import math
import sys
import time

HALF = [
    "c2c fwd 64 x1048576", "c2c fwd 256 x262144", "c2c fwd 1024 x65536", "c2c fwd 4096 x16384", "c2c fwd 1048576 x64",
    "c2c fwd 512x512", "c2c fwd 1024x1024", "c2c fwd 2048x2048", "c2c fwd 4096x4096", "c2c fwd 128x128x128", "c2c fwd 256x256x256",
]
F64 = [
    "c2c fwd 64 x524288", "c2c fwd 256 x131072", "c2c fwd 1024 x32768", "c2c fwd 4096 x8192", "c2c fwd 1000 x32768",
    "c2c fwd 1048576 x32", "c2c fwd 512x512", "c2c fwd 1024x1024", "c2c fwd 2048x2048", "c2c fwd 4096x4096", "c2c fwd 128x128x128",
    "c2c fwd 256x256x256", "r2c fwd 1024 x32768", "r2c fwd 4096x4096", "c2r inv 4096x4096",
]
REAL = ["4096x4096", "2048x2048", "1024x1024", "1080x1920", "256x256x256", "1024 x65536", "1048576 x64"]


def parsed(text):
    words = text.split()
    batch = int(words.pop()[1:]) if words[-1].startswith("x") else 1
    return tuple(int(extent) for extent in words[-1].split("x")), batch


class Timer:
    def __init__(self):
        import cupy as cp

        self.cp = cp

    def sample(self, run, count):
        cp = self.cp
        begin, end = cp.cuda.Event(), cp.cuda.Event()
        begin.record()
        for _ in range(count):
            run()
        end.record()
        end.synchronize()
        return cp.cuda.get_elapsed_time(begin, end) / count

    def graph(self, run):
        cp = self.cp
        try:
            stream = cp.cuda.Stream(non_blocking=True)
            with stream:
                run()
                stream.synchronize()
                stream.begin_capture()
                for _ in range(8):
                    run()
                graph = stream.end_capture()
            return (lambda: graph.launch(cp.cuda.get_current_stream())), 8
        except Exception:
            return run, 1

    def median(self, run):
        start = time.time()
        while time.time() - start < 0.5:
            run()
            self.cp.cuda.get_current_stream().synchronize()
        own, each = self.graph(run)
        count = max(1, int(20 / max(self.sample(own, 1), 0.02)))
        return sorted(self.sample(own, count) / each for _ in range(9))[4]


def half(timer, text):
    """cuFFT's half transforms, of powers of two only."""
    cp = timer.cp
    extents, batch = parsed(text)
    shape, size = list(extents), math.prod(extents)
    x = cp.random.rand(batch * size * 2).astype(cp.float16)
    y = cp.empty_like(x)
    plan = cp.cuda.cufft.XtPlanNd(shape, None, 1, size, "E", None, 1, size, "E", batch, "E", order="C", last_axis=len(shape) - 1, last_size=None)
    # CuPy knows no complex f16: the plan takes pointers.
    return lambda: plan.fft(x, y, cp.cuda.cufft.CUFFT_FORWARD)


def wide(timer, text):
    cp = timer.cp
    import cupy.fft  # noqa: F401

    extents, batch = parsed(text)
    axes, kind = tuple(range(1, 1 + len(extents))), text[:3]
    from cupyx.scipy.fftpack import get_fft_plan

    if kind == "c2c":
        x = cp.random.rand(batch, *extents) + 1j * cp.random.rand(batch, *extents)
        plan = get_fft_plan(x, axes=axes, value_type="C2C")
        y = cp.empty_like(x)
        return lambda: plan.fft(x, y, cp.cuda.cufft.CUFFT_FORWARD)
    halved = (batch, *extents[:-1], extents[-1] // 2 + 1)
    reals, halves = cp.random.rand(batch, *extents), cp.random.rand(*halved) + 1j * cp.random.rand(*halved)
    if kind == "r2c":
        plan = get_fft_plan(reals, axes=axes, value_type="R2C")
        return lambda: plan.fft(reals, halves, cp.cuda.cufft.CUFFT_FORWARD)
    plan = get_fft_plan(halves, shape=extents, axes=axes, value_type="C2R")
    return lambda: plan.fft(halves, reals, cp.cuda.cufft.CUFFT_INVERSE)


def cosine(timer, text, kind):
    from cupyx.scipy.fft import dctn

    extents, batch = parsed(text)
    x = timer.cp.random.rand(batch, *extents, dtype=timer.cp.float32)
    return lambda: dctn(x, type=kind, axes=tuple(range(1, 1 + len(extents))))


def measure():
    timer = Timer()
    cases = [("half", text, "all f16", lambda text=text: half(timer, text)) for text in HALF]
    cases += [("f64", text, "f64", lambda text=text: wide(timer, text)) for text in F64]
    cases += [("real", f"real {text}", f"dct{k}", lambda text=text, k=k: cosine(timer, text, k)) for text in REAL for k in (2, 3)]
    for table, spec, candidate, make in cases:
        try:
            run = make()
            run()
            line = {"table": table, "spec": spec, "candidate": candidate, "ms": timer.median(run)}
            print(json.dumps(line), flush=True)
        except Exception as error:
            print(f"{spec} {candidate}: {error}", file=sys.stderr, flush=True)


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.startswith("{")]


def compare(ours, peer):
    own = {(line["spec"], line["candidate"]): line["ms"] for line in ours if line.get("ms")}
    ratios = {}
    print("| | candidate | ours, ms | peer, ms | ratio |\n|---|---|---|---|---|")
    for line in peer:
        key = (line["spec"], line["candidate"])
        # Of one axis there is no array between two.
        ms = own.get(key) or own.get((line["spec"], "f16"))
        if ms:
            ratios.setdefault(line["table"], []).append(ms / line["ms"])
            print(f"| {line['spec']} | {line['candidate']} | {ms:.4g} | {line['ms']:.4g} | {ms / line['ms']:.3f} |")
    for table, all_of_it in ratios.items():
        mean = math.exp(sum(map(math.log, all_of_it)) / len(all_of_it))
        print(f"{table}: geometric mean {mean:.3f}, from {min(all_of_it):.3f} to {max(all_of_it):.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours")
    parser.add_argument("--peer")
    options = parser.parse_args()
    if options.ours and options.peer:
        compare(lines(options.ours), lines(options.peer))
    else:
        measure()


if __name__ == "__main__":
    main()
