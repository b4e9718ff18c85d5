#!/usr/bin/env python3
"""Times cupyx.scipy.signal.fftconvolve for the cases of `cargo bench --bench measure -- fused --table convolve`.

    python3 fftconvolve.py > fftconvolve.jsonl

Prints one line of JSON per case. Data stays on the device. About a second of work precedes the first
sample, and a sample is many runs between two CUDA events. CuPy plans and allocates from its caches.
`ms` is the median of the samples by events, which includes gaps between launches; `graph_ms` is that of
the same runs replayed as a CUDA graph, if CuPy's calls can be recorded.
"""

import json
import sys
import time

import cupy as cp
from cupyx.scipy.signal import fftconvolve

CASES = [
    ((1080, 1920), (31, 31), 1),
    ((1080, 1920), (255, 255), 1),
    ((4096, 4096), (31, 31), 1),
    ((4096, 4096), (255, 255), 1),
    ((512, 512), (31, 31), 64),
]


def sample(run, count):
    begin, end = cp.cuda.Event(), cp.cuda.Event()
    begin.record()
    for _ in range(count):
        run()
    end.record()
    end.synchronize()
    return cp.cuda.get_elapsed_time(begin, end) / count


def median(values):
    values = sorted(values)
    return values[len(values) // 2]


def graph_of(run):
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        run()
        stream.synchronize()
        stream.begin_capture()
        run()
        graph = stream.end_capture()
    return lambda: graph.launch(cp.cuda.get_current_stream())


def main():
    for shape, kernel, batch in CASES:
        x = cp.random.rand(batch, *shape, dtype=cp.float32)
        w = cp.random.rand(1, *kernel, dtype=cp.float32)
        run = lambda: fftconvolve(x, w, mode="same", axes=(1, 2))
        start = time.time()
        while time.time() - start < 1.0:
            run()
            cp.cuda.Device().synchronize()
        ms = median([sample(run, 20) for _ in range(11)])
        line = {"shape": shape, "kernel": kernel, "batch": batch, "ms": ms}
        try:
            replay = graph_of(run)
            line["graph_ms"] = median([sample(replay, 20) for _ in range(11)])
        except Exception as error:  # noqa: BLE001
            print(f"no graph: {error}", file=sys.stderr)
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
