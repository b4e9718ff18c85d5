#!/usr/bin/env python3
"""Tests of cufft.py, on a CuPy that is NumPy in disguise, and of ratios.py, on made-up lines.

    python3 benches/peers/test_peers.py
"""

import contextlib
import io
import json
import math
import os
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import cufft as peer
import ratios

try:
    import numpy as np
except ImportError:
    np = None


def fake_cupy(graphs=True, broken=()):
    """CuPy as far as cufft.py uses it, with a clock that goes on by a picosecond for each byte. In place counts half."""
    clock = {"now": 0.0}

    class Stream:
        captured = None

        def __init__(self, non_blocking=False):
            pass

        def use(self):
            Stream.current = self

        def synchronize(self):
            assert self.captured is None, "synchronised while capturing"

        def begin_capture(self):
            if not graphs:
                raise RuntimeError("no capture")
            self.captured = []

        def end_capture(self):
            work, self.captured = self.captured, None
            return types.SimpleNamespace(launch=lambda stream: [run() for run in work])

    class Plan:
        def __init__(self, extents, inembed, onembed, fft_type, batch):
            self.extents, self.batch, self.fft_type = tuple(extents), batch, fft_type
            self.inembed, self.onembed = inembed, onembed
            if "x".join(map(str, extents)) in broken:
                raise MemoryError("no room")

        def fft(self, a, out, direction):
            def run():
                axes = tuple(range(1, len(self.extents) + 1))
                clock["now"] += (a.nbytes + out.nbytes) * 1e-12 * (0.5 if a is out or a.ctypes.data == out.ctypes.data else 1)
                if self.fft_type == "c2c":
                    data = a.reshape((self.batch,) + self.extents)
                    function = np.fft.fftn if direction < 0 else np.fft.ifftn
                    out[...] = function(data, axes=axes, norm="backward" if direction < 0 else "forward").ravel()
                elif self.fft_type == "r2c":
                    assert a.dtype == np.float32 and out.dtype == np.complex64
                    shape = (self.batch,) + (tuple(self.inembed) if self.inembed else self.extents)
                    data = a.reshape(shape)[..., : self.extents[-1]]
                    out[...] = np.fft.rfftn(data, axes=axes).ravel()
                else:
                    shape = (self.batch,) + self.extents[:-1] + (self.extents[-1] // 2 + 1,)
                    result = np.fft.irfftn(a.reshape(shape), s=self.extents, axes=axes, norm="forward")
                    if self.onembed:
                        out.reshape((self.batch,) + tuple(self.onembed))[..., : self.extents[-1]] = result
                    else:
                        out[...] = result.ravel()

            captured = Stream.current.captured
            run() if captured is None else captured.append(run)

    class Event:
        def record(self, stream):
            self.at = clock["now"]

        def synchronize(self):
            pass

    cufft = types.ModuleType("cupy.cuda.cufft")
    cufft.CUFFT_C2C, cufft.CUFFT_R2C, cufft.CUFFT_C2R, cufft.CUFFT_FORWARD, cufft.CUFFT_INVERSE = "c2c", "r2c", "c2r", -1, 1
    cufft.getVersion = lambda: 12000
    cufft.Plan1d = lambda nx, fft_type, batch: Plan((nx,), None, None, fft_type, batch)

    def plan_nd(extents, inembed, istride, idist, onembed, ostride, odist, fft_type, batch, order, last_axis, last_size):
        if inembed:
            assert idist == math.prod(inembed) and odist == math.prod(onembed)
        return Plan(extents, inembed, onembed, fft_type, batch)

    cufft.PlanNd = plan_nd
    cupy, cuda = types.ModuleType("cupy"), types.ModuleType("cupy.cuda")
    cuda.cufft, cuda.Stream, cuda.Event = cufft, Stream, Event
    cuda.Device = lambda: types.SimpleNamespace(id=0)
    cuda.runtime = types.SimpleNamespace(getDeviceProperties=lambda device: {"name": b"a fake GPU"})
    cuda.get_elapsed_time = lambda begin, end: (end.at - begin.at) * 1e3
    cupy.cuda, cupy.__version__ = cuda, "0"
    cupy.float32, cupy.complex64, cupy.int64 = np.float32, np.complex64, np.int64
    cupy.empty, cupy.arange, cupy.sin, cupy.asnumpy = np.empty, np.arange, np.sin, np.asarray
    cupy.RawKernel = lambda code, name: lambda grid, block, arguments: clock.__setitem__("now", clock["now"] + arguments[0] / 2e9)
    cupy.get_default_memory_pool = lambda: types.SimpleNamespace(free_all_blocks=lambda: None)
    return {"cupy": cupy, "cupy.cuda": cuda, "cupy.cuda.cufft": cufft}


@unittest.skipIf(np is None, "needs NumPy")
class Cufft(unittest.TestCase):
    def run_it(self, *arguments, **fake):
        out, err = io.StringIO(), io.StringIO()
        small = {"ROTATION_BYTES": 200_000, "MOST_RUNS": 8, "SAMPLE_SECONDS": 1e-6}
        with mock.patch.dict(sys.modules, fake_cupy(**fake)), mock.patch.multiple(peer, **small):
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), np.errstate(all="ignore"):
                code = peer.main(["--warm-up", "0", "--rounds", "3", "--backend", "cupy", *arguments])
        return code, [json.loads(line) for line in out.getvalue().splitlines()], err.getvalue()

    def test_every_kind(self):
        specs = ["c2c fwd 64x32", "c2c fwd 16 x8", "c2c inv 8x4x6", "r2c fwd 32x20", "r2c fwd 9x7", "c2r inv 16x16", "c2r inv 30 x5", "c2c fwd 2 x3"]
        code, lines, err = self.run_it(*(word for spec in specs for word in ("--spec", spec)))
        self.assertEqual((code, [line["spec"] for line in lines]), (0, specs), err)
        for line in lines:
            self.assertEqual((line["mode"], line["placement"]), ("graph", "in place"), err)
            self.assertLess(line["ms_in_place"], line["ms_out_of_place"])
            self.assertEqual(line["ms"], line["ms_in_place"])
        # A picosecond for each byte.
        self.assertAlmostEqual(lines[0]["ms_out_of_place"], 2 * 64 * 32 * 8 * 1e-9, delta=1e-9)
        self.assertEqual([line["bytes"] for line in lines[:4]], [32768, 2048, 3072, 4 * 640 + 8 * 32 * 11])

    def test_without_graphs(self):
        _, lines, err = self.run_it("--spec", "c2c fwd 64x32", graphs=False)
        self.assertEqual(lines[0]["mode"], "queue", err)
        self.assertIn("no graph", err)

    def test_what_fails_is_left_out(self):
        arguments = ["--spec", "c2c fwd 8x8", "--spec", "c2c fwd 16x16", "--spec", "dct 5"]
        code, lines, err = self.run_it(*arguments, broken=("8x8",))
        self.assertEqual((code, [line["spec"] for line in lines]), (0, ["c2c fwd 16x16"]))
        self.assertIn("no room", err)
        self.assertIn("2 left out", err)

    def test_list_of_cases(self):
        parsed = types.SimpleNamespace(spec=[], group=["primes"], filter=[], anchors=os.path.join(os.path.dirname(peer.__file__), "anchors.json"))
        self.assertEqual(peer.wanted(parsed), ["c2c fwd 1009 x33255", "c2c fwd 4099 x8186"])
        with open(parsed.anchors, encoding="utf-8") as file:
            for case in json.load(file)["cases"]:
                self.assertEqual(peer.Case(case["spec"]).text, case["spec"])


class Ratios(unittest.TestCase):
    anchors = {
        "source": "made up",
        "goals": [
            {"title": "planes", "groups": ["planes"], "over_cufft": 0.97, "over_vkv": 0.65, "each_over_cufft": 1.15},
            {"title": "rest", "groups": ["rest"]},
        ],
        "cases": [
            {"spec": "a", "group": "planes", "cufft": 1.0, "vkc": 1.0, "vkv": 2.0, "floor": None, "goal": {"over_cufft": 1.7}},
            {"spec": "b", "group": "planes", "cufft": 4.0, "vkc": 1.0, "vkv": 8.0, "floor": 1.0},
            {"spec": "c", "group": "rest", "cufft": 1.0, "vkc": 0.5, "vkv": 1.0, "floor": 1.0, "goal": {"ms": 0.5}},
        ],
    }

    def run_it(self, ours, peers, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("anchors.json", "ours.jsonl", "peer.jsonl")]
            for path, text in zip(paths, [json.dumps(self.anchors), *("\n".join(map(json.dumps, lines)) + "\nno json\n" for lines in (ours, peers))]):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            out = io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
                code = ratios.main(["--anchors", paths[0], "--ours", paths[1], "--peer", paths[2], *arguments])
        self.assertEqual(code, 0)
        return out.getvalue()

    def test_table_and_goals(self):
        def line(spec, ms, candidate="rules", **more):
            return {"spec": spec, "ms": ms, "candidate": candidate, "recipe": candidate, "copy_fraction": 0.5, "dispatches": 2, **more}

        ours = [
            line("a", 1.6), line("b", 3.0), line("b", 2.0, "in place", in_place=True), line("b", 0.1, "request"), line("b", 0.2, wrong="WRONG"),
            {"spec": "c", "recipe": "", "error": "it is too long"}, line("d", 7.0),
        ]
        text = self.run_it(ours, [{"spec": "b", "ms": 2.5}, {"spec": "d", "ms": 14.0}])
        self.assertIn("| a | 1.6000 | 1.0000 † | 1.60 | 0.80 | – | 50% | 2 |", text)
        self.assertIn("| b | 2.0000 * | 2.5000 | 0.80 | 0.25 | 2.00 | 50% | 2 |", text)
        self.assertIn("| c | – | 1.0000 † | – | – | – | – | – |", text)
        # √(1.6 · 0.8) and √(0.8 · 0.25)
        self.assertIn("| planes | 2 of 2 | **1.131** (≤ 0.97) | 1.79 | 0.447 (≤ 0.65) | 1.60 a |", text)
        self.assertIn("planes: ours/cuFFT 1.131, goal 0.97", text)
        self.assertIn("c: – ms, goal 0.5 ms", text)
        self.assertNotIn("a: ours/cuFFT", text)
        self.assertIn("- c: it is too long", text)
        self.assertIn("| d | 7.0000 | 14.0000 | 0.50 | 50% |", text)

    def test_requested_recipes_count_if_asked_for(self):
        text = self.run_it([{"spec": "b", "ms": 0.5, "candidate": "request"}], [], "--any")
        self.assertIn("| b | 0.5000 | 4.0000 † | 0.12 |", text)

    def test_nothing(self):
        self.assertIn("Missed", self.run_it([], []))


if __name__ == "__main__":
    unittest.main()
