#!/usr/bin/env python3
"""Tests of cufft.py (with NumPy in place of CuPy), of processor.py, of ratios.py and memory_ratios.py
(on made-up lines), and of memory.sh and run.sh (with programs that only print).

    python3 benches/peers/test_peers.py
"""

import cmath
import contextlib
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import cufft as peer
import memory_ratios
import processor
import ratios

try:
    import numpy as np
except ImportError:
    np = None


def fake_cupy(graphs=True, broken=()):
    """The part of CuPy that cufft.py uses, with a clock that advances by a picosecond per byte. In place counts half."""
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
        small = {"ROTATION_BYTES": 200_000, "MAX_RUNS": 8, "SAMPLE_SECONDS": 1e-6}
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
        # A picosecond per byte.
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


class Processor(unittest.TestCase):
    """processor.py with peers that only count."""

    class Peer:
        def __init__(self, name, result):
            self.name, self.result, self.runs, self.freed = name, result, 0, 0

        def prepare(self, case):
            def run():
                self.runs += 1

            def free():
                self.freed += 1

            return run, lambda: self.result, free

    def run_it(self, peers, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with mock.patch.object(processor, "peers", lambda threads: peers), mock.patch.object(processor, "SAMPLE_SECONDS", 0.0):
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                processor.main(["--rounds", "2", *arguments])
        return list(map(json.loads, out.getvalue().splitlines())), err.getvalue()

    def test_ours_and_the_peers_take_turns(self):
        peers = [self.Peer("a", [1.0] * 64), self.Peer("b", [1.00001] * 64)]
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "fft")
            lines = [("request", 6.0), ("rustfft x1", 4.0), ("slice to vector", None)]
            text = "\n".join(json.dumps({"spec": "c2c fwd 8", "candidate": name, "ms": ms}) for name, ms in lines)
            with open(program, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\necho '{text}'\n")
            os.chmod(program, 0o755)
            rows, err = self.run_it(peers, "--ours", program, "--spec", "c2c fwd 8")
        self.assertEqual([(row["round"], row["candidate"]) for row in rows], [(turn, name) for turn in (0, 1) for name in ("request", "rustfft x1", "a", "b")])
        self.assertIn("c2c fwd 8: request 6 ms (1.50), rustfft x1 4 ms (1.00), a ", err)
        self.assertEqual([peer.freed for peer in peers], [2, 2])

    def test_peers_must_agree(self):
        peers = [self.Peer("a", [1.0] * 64), self.Peer("b", [1.0] * 63 + [1.1])]
        with self.assertRaisesRegex(SystemExit, "b gives something else for `r2c fwd 8`"):
            self.run_it(peers, "--spec", "r2c fwd 8")
        self.assertEqual(len(self.run_it(peers, "--spec", "c2r inv 8")[0]), 4)

    def test_fftw_gets_the_transform_that_is_asked_for(self):
        try:
            fftw = processor.Fftw(1)
        except OSError as error:
            self.skipTest(f"FFTW is not here: {error}")
        for text, extents in [("c2c fwd 6x5 x2", (6, 5)), ("c2c inv 6x5 x2", (6, 5)), ("r2c fwd 6x5 x2", (6, 5))]:
            case = peer.Case(text)
            run, result, free = fftw.prepare(case)
            run()
            actual = list(result())
            free()
            numbers = list(processor.noise(case.input_words))
            if case.kind == "c2c":
                numbers = [complex(re, im) for re, im in zip(numbers[::2], numbers[1::2])]
            sign = 2j if case.inverse else -2j
            expected = []
            for item in (numbers[:30], numbers[30:]):
                for k in range(6):
                    for l in range(5 if case.kind == "c2c" else 3):
                        terms = (item[5 * r + c] * cmath.exp(sign * math.pi * (k * r / 6 + l * c / 5)) for r in range(6) for c in range(5))
                        z = sum(terms)
                        expected += [z.real, z.imag]
            self.assertEqual(len(actual), len(expected))
            self.assertLess(max(abs(a - b) for a, b in zip(actual, expected)), 1e-4, text)


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


class MemoryRatios(unittest.TestCase):
    def run_it(self, ours, peers, *arguments):
        """`ours` are the lines of several files."""
        with tempfile.TemporaryDirectory() as folder:
            words = []
            for i, (option, lines) in enumerate([*(("--ours", lines) for lines in ours), ("--peer", peers)]):
                path = os.path.join(folder, f"{i}.jsonl")
                with open(path, "w", encoding="utf-8") as file:
                    file.write("\n".join(map(json.dumps, lines)) + "\nno json\n")
                words += [option, path]
            out = io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
                code = memory_ratios.main([*words, *arguments])
        self.assertEqual(code, 0)
        return out.getvalue()

    @staticmethod
    def mine(spec, ms, recipe="", **more):
        return {"spec": spec, "ms": ms, "recipe": recipe, "gb_per_s": 100 / ms, "copy_fraction": 0.5, "adapter": "a GPU", "driver": "1", **more}

    @staticmethod
    def peer(spec, name, ms, **more):
        return {"bench": "memory", "spec": spec, "peer": name, "ms": ms, "gb_per_s": 100 / ms, "device": "a GPU", **more}

    def test_groups(self):
        groups = {
            "transpose f32 4096x4096": "transpose f32", "transpose complex f32 8192x8192": "transpose complex f32",
            "transpose f32x4 64x32 x2": "transpose f32x4", "transpose u8 1080x1920": "transpose u8", "sum f32 1048576": "sum f32", "sum f32 65536x1024 axes=1": "sum f32 axes=1",
            "argmax f32 16777216": "argmax f32",
        }
        self.assertEqual({spec: memory_ratios.group_of(spec) for spec in groups}, groups)

    def test_table_and_means(self):
        mine, peer = self.mine, self.peer
        transposes = [
            mine("transpose f32 64x64", 2.0, "first"), mine("transpose f32 64x64", 1.0, "request"), mine("transpose f32 32x32", 1.0),
            {"spec": "transpose u8 8x8", "recipe": "", "error": "it is too long"}, mine("transpose u8 4x4", 0.1, wrong="WRONG"),
        ]
        reductions = [mine("sum f32 1024", 5.0), mine("sum f32 64x32 axes=0", 3.0)]
        peers = [
            peer("transpose f32 64x64", "copy", 0.5), peer("transpose f32 64x64", "cuda tile", 1.0, recipe="tile=64 bytes=16"),
            peer("transpose f32 32x32", "cuda tile", 2.0), peer("transpose f32 32x32", "copy", 1.0), peer("sum f32 1024", "cub", 9.0),
            peer("sum f32 1024", "cub", 8.0), peer("sum f32 1024", "cuda two launches", 4.0), peer("sum f32 1024", "read", 2.0),
            peer("argmax f32 16", "cub", 1.0), peer("read f32 1024", "read", 0.25), peer("sum f32 1024", "broken", float("nan")),
        ]
        text = self.run_it([transposes, reductions], peers)
        self.assertIn("| transpose f32 64x64 | 2.0000 | 50 | 50% | 1.0000 | 100 | cuda tile (tile=64 bytes=16) | 2.00 | 200 |", text)
        self.assertIn("| sum f32 1024 | 5.0000 | 20 | 50% | 4.0000 | 25 | cuda two launches | 1.25 | 50 |", text)
        self.assertIn("| sum f32 64x32 axes=0 | 3.0000 | 33 | 50% | – | – | – | – | – |", text)
        self.assertIn("| argmax f32 16 | – | – | – | 1.0000 | 100 | cub | – | – |", text)
        # √(2 · 0.5), √(4 · 1), √(2 · 2)
        self.assertIn("| transpose f32 | 2 of 2 | 1.000 | 2.000 | 2.000 | 2.00 transpose f32 64x64 |", text)
        self.assertIn("| all reductions | 1 of 3 | 1.250 | 2.500 | 2.000 | 1.25 sum f32 1024 |", text)
        self.assertIn("- read f32 1024: 0.2500 ms, 400 GB/s (read)", text)
        self.assertIn("- transpose u8 8x8: it is too long", text)
        self.assertNotIn("| transpose u8 4x4", text)

    def test_which_of_our_lines_count(self):
        mine = self.mine
        spec, first = "transpose f32 8x8", "| transpose f32 8x8 | "
        several = [mine(spec, 4.0, variant="1"), mine(spec, 3.0, "rules"), mine(spec, 2.0, "request"), mine(spec, 1.0, candidate="request")]
        self.assertIn(first + "3.0000", self.run_it([several], []))
        self.assertIn(first + "1.0000", self.run_it([several], [], "--any"))
        # A later file replaces an earlier one, even if it is slower.
        self.assertIn(first + "5.0000", self.run_it([several, [mine(spec, 5.0)]], []))

    def test_nothing(self):
        self.assertIn("nothing in this run", self.run_it([[]], []))


@unittest.skipIf(shutil.which("bash") is None, "needs bash")
class Scripts(unittest.TestCase):
    here = os.path.dirname(os.path.abspath(__file__))

    def run_it(self, programs, script="memory.sh"):
        """Runs a script with shell scripts as programs. The compiler is a script too: it writes a program that prints a peer's line."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in programs.items():
                path = os.path.join(folder, name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write("#!/bin/sh\n" + text + "\n")
                os.chmod(path, 0o755)
            environment = {**os.environ, "NVCC": os.path.join(folder, "nvcc"), "PYTHON": sys.executable, "PYTHONDONTWRITEBYTECODE": "1", "CUFFT_OPTIONS": "--spec none"}
            command = ["bash", os.path.join(self.here, script), folder, os.path.join(folder, "out"), "--rounds", "3"]
            done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)
            return done.returncode, done.stdout, done.stderr

    def programs(self):
        def line(spec, ms, **more):
            return "echo '" + json.dumps({"spec": spec, "ms": ms, **more}) + "'"

        compiler = [
            'while [ "$1" != -o ]; do shift; done', """cat >"$2" <<'END'""", "#!/bin/sh", line("sum f32 8", 1.0, peer="cub"), "END", 'chmod +x "$2"',
        ]
        ours = {"transpose": line("transpose f32 2x2", 2.0), "reduce": line("sum f32 8", 3.0), "fft": line("c2c fwd 8", 4.0, candidate="rules")}
        cases = "".join(f"{name}) {command} ;;\n" for name, command in ours.items())
        return {"measure-0a": 'echo "$*" >&2\ncase $1 in\n' + cases + "*) exit 1 ;;\nesac", "nvcc": "\n".join(compiler)}

    def test_all_of_it(self):
        code, out, err = self.run_it(self.programs())
        self.assertEqual(code, 0, err)
        self.assertIn("reduce --rounds 3", err)
        self.assertIn("| transpose f32 2x2 | 2.0000 |", out)
        self.assertIn("| sum f32 8 | 3.0000 | – | – | 1.0000 | – | cub | 3.00 |", out)

    def test_what_fails_does_not_stop_the_rest(self):
        programs = self.programs()
        programs["measure-0a"] = programs["measure-0a"].replace("transpose)", "other)")
        code, out, err = self.run_it({**programs, "nvcc": "exit 1"})
        self.assertEqual(code, 1)
        self.assertNotIn("transpose f32 2x2", out)
        self.assertIn("| sum f32 8 | 3.0000 | – | – | – |", out)

    def test_no_program(self):
        code, out, err = self.run_it({"transpose": "exit 1"})
        self.assertEqual((code, out), (2, ""))
        self.assertIn("no program measure", err)

    def test_transforms(self):
        # cuFFT has nothing to do, and may not even be here.
        _, out, err = self.run_it(self.programs(), "run.sh")
        self.assertIn("fft --rounds 3", err)
        self.assertIn("| c2c fwd 8 | 4.0000 |", out)


class MemoryProgram(unittest.TestCase):
    """Checks of memory.cu that need no compiler."""

    def test_peers_and_fields(self):
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "memory.cu"), encoding="utf-8") as file:
            text = file.read()
        # The names that memory_ratios.py treats as bounds, and the fields that it reads.
        for name in memory_ratios.BOUNDS:
            self.assertIn(f'candidates.push_back({{"{name}", ', text)
        fields = re.findall(r'\\"(\w+)\\": ', text)
        self.assertLessEqual({"bench", "spec", "peer", "recipe", "device", "ms", "min_ms", "gb_per_s", "samples"}, set(fields))


if __name__ == "__main__":
    unittest.main()
