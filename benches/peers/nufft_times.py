"""Times and errors of finufft or cuFINUFFT on the cases of the example `throughput` of crates/nufft.

    cargo build --release -p wgpu-fft-nufft --example throughput
    target/release/examples/throughput large > ours.jsonl
    python3 benches/peers/nufft_times.py cufinufft large > theirs.jsonl
    python3 benches/peers/nufft_times.py table ours.jsonl theirs.jsonl

Both print a line of JSON for each case: the same points, strengths and results that are checked, in
single precision, or with `--f64` before the cases in double precision, where tolerances of the lists
are squared. `finufft` needs finufft and NumPy, `cufinufft` cuFINUFFT, CuPy and NumPy, from PyPI;
`OMP_NUM_THREADS` says how many threads finufft uses. `small` or `large` takes all cases, and
`1 256x256 1000000 1e-5` one: type, modes, points, tolerance. Times are the smallest of several runs
by the host's clock, in ms, with arrays that are on the device already; `sort_ms` is that of `setpts`,
and `run_ms` that of `execute`. `table` puts the smallest times of lines of both side by side, of as
many files as there are.
"""

import json
import pathlib
import re
import sys
import time

import numpy

ENOUGH = 0.15
TERMS = 30_000_000


def cases(name):
    """The cases of the example, as its source has them."""
    source = pathlib.Path(__file__).parents[2] / "crates/nufft/examples/throughput.rs"
    text = source.read_text()
    lists = [re.search(rf"const {name}{end}: [^=]*= \[(.*?)\];", text, re.DOTALL).group(1) for end in ("", "_3")]
    return re.findall(r'"([^"]*)"', "".join(lists))


def numbers(stream, count, real):
    """Those of `throughput.rs`, which says how they are drawn."""
    bits = (numpy.arange(1, count + 1, dtype="u8") + numpy.uint64(stream << 40)) * numpy.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    digits = 24 if real == "f4" else 53
    parts = ((bits ^ (bits >> numpy.uint64(31))) >> numpy.uint64(64 - digits)).astype("f8") / (1 << digits)
    return (parts - 0.5).astype(real)


class Host:
    """finufft, with arrays on the host."""

    def __init__(self):
        import finufft

        self.plan, self.name = finufft.Plan, f"finufft {finufft.__version__}"
        self.device = "the host"

    @staticmethod
    def to_device(array):
        return array

    to_host = to_device

    @staticmethod
    def wait():
        pass


class Device:
    """cuFINUFFT, with arrays on the device."""

    def __init__(self):
        import cufinufft
        import cupy

        self.plan, self.name = cufinufft.Plan, f"cufinufft {cufinufft.__version__}"
        self.device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        self.to_device, self.to_host = cupy.asarray, cupy.asnumpy
        self.wait = cupy.cuda.Device().synchronize
        # An idle GPU takes a while to reach its clock.
        square, begin = cupy.ones((4096, 4096), "f4"), time.perf_counter()
        while time.perf_counter() - begin < 1:
            square @ square
            self.wait()


def smallest(library, run):
    best, runs, begin = float("inf"), 0, time.perf_counter()
    while runs < 3 or time.perf_counter() - begin < ENOUGH:
        start = time.perf_counter()
        run()
        library.wait()
        best, runs = min(best, time.perf_counter() - start), runs + 1
    return 1e3 * best


def wave(angle):
    """exp(i · angle), where a long double has more digits of the angle than f64."""
    return numpy.exp(1j * numpy.remainder(angle, 8 * numpy.arctan(numpy.longdouble(1))).astype("f8"))


def exact(kind, values, modes, places, frequencies, k):
    """A result by the sum in f64."""
    places = [x.astype("g") if kind != 2 else numpy.longdouble(x[k]) for x in places]
    if kind == 3:
        angle = sum(x * numpy.longdouble(s[k]) for x, s in zip(places, frequencies))
    elif kind == 1:
        indices = numpy.unravel_index(k, modes)
        angle = sum((int(i) - n // 2) * x for i, n, x in zip(indices, modes, places))
    else:
        result = values.astype("c16")
        for n, x in zip(modes, places):
            result = numpy.tensordot(wave(-(numpy.arange(n) - n // 2) * x), result, (0, 0))
        return result
    return (values * wave(angle)).sum()


def squared(case):
    start, eps = case.rsplit(None, 1)
    return f"{start} {float(eps) ** 2:.0e}"


def measured(library, case, double):
    real, number = ("f8", "c16") if double else ("f4", "c8")
    kind, shape, points, eps = case.split()
    kind, modes, points, eps = int(kind), tuple(map(int, shape.split("x"))), int(points), float(eps)
    axes = len(modes)
    scaled = lambda stream, factor: numbers(stream, points, real) * numpy.dtype(real).type(factor)  # noqa: E731
    places = [scaled(axis, 2 * numpy.pi) for axis in range(axes)]
    frequencies = [scaled(3 + axis, n) for axis, n in enumerate(modes)] if kind == 3 else []
    inputs = int(numpy.prod(modes)) if kind == 2 else points
    values = (numbers(6, inputs, real) + 1j * numbers(7, inputs, real)).astype(number).reshape(modes if kind == 2 else -1)
    dtype = "complex128" if double else "complex64"
    plan = library.plan(kind, axes if kind == 3 else modes, eps=eps, isign=-1 if kind == 2 else 1, dtype=dtype)
    on_device = [library.to_device(array) for array in places]
    # What comes after the coordinates is by position: x, y, z, s, t, u.
    targets = [None] * (3 - axes) + [library.to_device(array) for array in frequencies]
    given, results = library.to_device(values), []
    sort = smallest(library, lambda: plan.setpts(*on_device, *(targets if kind == 3 else [])))
    run = smallest(library, lambda: results.append(plan.execute(given)) or results.__delitem__(slice(-1)))
    found = library.to_host(results[0]).reshape(-1)
    samples = min(max(TERMS // inputs, 3), 20)
    difference = norm = 0.0
    for sample in range(samples):
        k = (2 * sample + 1) * found.size // (2 * samples)
        right = exact(kind, values, modes, places, frequencies, k)
        difference, norm = difference + abs(found[k] - right) ** 2, norm + abs(right) ** 2
    return {
        "library": library.name,
        "gpu": library.device,
        "numbers": "f64" if double else "f32",
        "type": kind,
        "axes": axes,
        "modes": list(modes),
        "points": points,
        "eps": eps,
        "sort_ms": round(sort, 3),
        "run_ms": round(run, 3),
        "error": float(f"{(difference / norm) ** 0.5:.2e}"),
    }


def table(files):
    """Rows of Markdown: the smallest times of ours and of the other library, and their ratios."""
    best = {}
    for file in files:
        for line in map(json.loads, filter(lambda text: text.startswith("{"), pathlib.Path(file).read_text().splitlines())):
            # Reports of before f64 was there do not name the numbers.
            case = (line.get("numbers", "f32"), line["type"], " x ".join(map(str, line["modes"])), line["points"], line["eps"])
            side = best.setdefault(case, {}).setdefault(line["library"].startswith("wgpu"), line)
            for field, choice in ("sort_ms", min), ("run_ms", min), ("error", max):
                side[field] = choice(side[field], line[field])
    print("| numbers | type | modes | points | tolerance | sort | theirs | run | theirs | ratio of runs | of both | error | theirs |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for case, sides in best.items():
        if len(sides) < 2:
            continue
        own, other = sides[True], sides[False]
        both = (own["sort_ms"] + own["run_ms"]) / (other["sort_ms"] + other["run_ms"])
        print(
            f"| {case[0]} | {case[1]} | {case[2]} | {case[3]} | {case[4]:.0e} | {own['sort_ms']:.3g} | {other['sort_ms']:.3g} "
            f"| {own['run_ms']:.3g} | {other['run_ms']:.3g} | {own['run_ms'] / other['run_ms']:.2f} | {both:.2f} "
            f"| {own['error']:.1e} | {other['error']:.1e} |"
        )


def main():
    match sys.argv[1:]:
        case ["table", *files] if files:
            table(files)
        case ["finufft" | "cufinufft" as name, *rest] if rest:
            library = {"finufft": Host, "cufinufft": Device}[name]()
            double, rest = rest[0] == "--f64", rest[rest[0] == "--f64" :]
            listed = cases(rest[0].upper()) if rest in (["small"], ["large"]) else []
            for one in (map(squared, listed) if double else listed) if listed else [" ".join(rest)]:
                print(json.dumps(measured(library, one, double)), flush=True)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
