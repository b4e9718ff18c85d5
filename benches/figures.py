#!/usr/bin/env python3
"""Draws the figures of docs/speed.md from the reports, as SVG. Needs nothing but Python.

    python3 benches/figures.py            draws docs/figures/*.svg
    python3 benches/figures.py --check    fails if a file there is not what the command draws
"""

import json
import math
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "peers"))
sys.dont_write_bytecode = True
import memory_ratios
import ratios

REPORTS = os.path.join(HERE, "reports")
TARGET = os.path.join(HERE, "..", "docs", "figures")

BLUE, ORANGE, GREEN, GREY = "#1f5fa8", "#c0641a", "#3a7d44", "#777777"
ROW = 17
TOP = 74
PANEL = 270
# Where the scale of each panel begins, from the left.
PANELS = [170, 570]


def report(*names):
    return os.path.join(REPORTS, *names)


# --- Drawing


def number(value):
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:.0f}"


def text(x, y, words, anchor="start", size=12, colour="#222222"):
    return f'<text x="{x:.4g}" y="{y:.4g}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">{words}</text>'


def path(points, colour, width=1.0, more=""):
    moves = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path d="M{moves}" fill="none" stroke="{colour}" stroke-width="{width:g}"{more}/>'


def mark(x, y, shape, colour):
    """A filled dot, a ring, a cross or a square: told apart without colours too."""
    if shape == "dot":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
    if shape == "ring":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" fill="none" stroke="{colour}" stroke-width="1.5"/>'
    if shape == "square":
        return f'<rect x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7" fill="none" stroke="{colour}" stroke-width="1.5"/>'
    return path([(x - 4, y - 4), (x + 4, y + 4)], colour, 1.5) + path([(x - 4, y + 4), (x + 4, y - 4)], colour, 1.5)


def page(width, height, title, body):
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', text(20, 24, title, size=14), *body, "</svg>"]) + "\n"


def legend(series, x, y):
    for name, shape, colour in series:
        yield mark(x, y - 4, shape, colour)
        yield text(x + 10, y, name)
        x += 40 + 6.6 * len(name)


def panel(left, title, rows, series, largest, bottom):
    """A row of marks for each case, over a scale of ratios where 1 stands out."""
    yield text(left, TOP - 26, title, size=13)
    step = 0.2 if largest <= 1.6 else 0.5
    for i in range(round(largest / step) + 1):
        x = left + PANEL * i * step / largest
        one = abs(i * step - 1) < 1e-9
        yield path([(x, TOP), (x, bottom)], "#444444" if one else "#dddddd", 1.5 if one else 1)
        yield text(x, TOP - 6, number(i * step), "middle", 11)
    for i, (label, values) in enumerate(rows):
        y = TOP + 12 + ROW * i
        yield text(left - 8, y + 4, label, "end")
        places = [(left + PANEL * value / largest, s) for value, s in zip(values, series) if value is not None]
        yield path([(min(x for x, _ in places), y), (max(x for x, _ in places), y)], "#cccccc")
        yield from (mark(x, y, shape, colour) for x, (_, shape, colour) in places)


def ratios_page(title, panels, series, largest):
    """Panels side by side, each of a title and rows of a label and a value for each series."""
    bottom = TOP + ROW * max(len(rows) for _, rows in panels) + 10
    body = [line for left, (name, rows) in zip(PANELS, panels) for line in panel(left, name, rows, series, largest, bottom)]
    return page(860, bottom + 40, title, [*body, *legend(series, PANELS[0], bottom + 26)])


def short(spec):
    """What stands beside a row: the shape, `real` before those of reals, long lengths as powers of two."""
    for long, word in (("c2c fwd ", ""), ("r2c fwd", "real"), ("c2r inv", "to real"), ("complex f32", "complex"), (" axes=", ", axis ")):
        spec = spec.replace(long, word)
    spec = re.sub(r"(?<=\d)x(?=\d{2})", "×", re.sub(r" x(?=\d)", " × ", spec))

    def power(match):
        number = int(match[0])
        return match[0] if number.bit_count() > 1 or number < 1 << 17 else "2" + superscript(number.bit_length() - 1)

    return re.sub(r"\d+", power, spec)


# --- The figures


def h200_fft():
    """Every case of the anchors over cuFFT in the same run, and over VkFFT in an earlier one."""
    with open(os.path.join(HERE, "peers", "anchors.json"), encoding="utf-8") as file:
        anchors = json.load(file)
    ours, _ = ratios.best_of_ours([report("2026-11-21-h200-fft", "fft.jsonl")], False)
    peers = {line["spec"]: line for line in ratios.lines([report("2026-11-21-h200-fft", "cufft.jsonl")]) if ratios.time_of(line)}
    rows = [(row["spec"], [row["over_cufft"], row["over_vkv"], row["over_vkc"]]) for row in ratios.rows_of(anchors, ours, peers)]
    volumes = [(short(spec), values) for spec, values in rows if "x" in spec.split()[2]]
    lines = [(short(spec), values) for spec, values in rows if "x" not in spec.split()[2]]
    series = [("cuFFT 12.0, same run", "dot", BLUE), ("VkFFT 1.3.4, Vulkan", "ring", ORANGE), ("VkFFT 1.3.4, CUDA", "cross", GREEN)]
    title = "Time of wgpu-fft divided by the time of another library, NVIDIA H200, f32. Left of 1: wgpu-fft is faster."
    return ratios_page(title, [("two and three axes", volumes), ("one axis: length × batch", lines)], series, 1.4)


def h200_numbers():
    """f16, f64 and cosine transforms, by the table of the report."""
    with open(report("2026-11-23-h200-numbers", "peers.md"), encoding="utf-8") as file:
        cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in file]
    rows = [(row[0], row[1], float(row[4])) for row in cells if len(row) == 5 and row[4].replace(".", "").isdigit()]
    kinds = ["all f16", "f64", "dct2", "dct3"]
    transforms, cosines = {}, {}
    for spec, kind, ratio in rows:
        if kind in kinds:
            table = cosines if kind.startswith("dct") else transforms
            table.setdefault(short(spec.replace("real ", "")), [None] * 4)[kinds.index(kind)] = ratio
    series = [
        ("f16, over cuFFT", "dot", BLUE),
        ("f64, over cuFFT", "ring", ORANGE),
        ("DCT II, over CuPy", "cross", GREEN),
        ("DCT III, over CuPy", "square", GREY),
    ]
    title = "Time of wgpu-fft divided by the time of another library, NVIDIA H200: other numbers, cosine transforms."
    return ratios_page(title, [("Fourier transforms", list(transforms.items())), ("cosine transforms", list(cosines.items()))], series, 1.4)


def h200_memory():
    """Transposes over CUDA kernels, and reductions over CUB, in the same run."""
    folder = "2026-11-21-h200-memory"
    ours, _ = memory_ratios.best_of_ours([report(folder, "transpose.jsonl"), report(folder, "reduce.jsonl")], False)
    peers, bounds = memory_ratios.best_of_peers([report(folder, "memory.jsonl")])
    rows = [row for row in memory_ratios.rows_of(ours, peers, bounds) if row["over_peer"]]
    panels = [[], []]
    for row in rows:
        transpose = row["spec"].startswith("transpose")
        label = row["spec"].removeprefix("transpose ") if transpose else row["spec"].replace(" f32", "")
        panels[0 if transpose else 1].append((short(label), [row["over_peer"]]))
    series = [("a tiled CUDA kernel for transposes, CUB for reductions, same run", "dot", BLUE)]
    title = "Time of wgpu-fft divided by the time of CUDA code, NVIDIA H200: transposes and reductions."
    return ratios_page(title, [("transposes", panels[0]), ("reductions", panels[1])], series, 2.0)


def h200_ladder():
    """The textbook's transposes and ours as shares of a copy, beside the source's shares of its card's peak."""
    panels = {"f32": {}, "complex f32": {}}
    names = {None: "the rules", "1": "naive", "3": "tile", "4": "padded tile"}
    for line in ratios.lines([report("2026-11-21-h200-memory", "ladder.jsonl")]):
        rows = panels.get(line["spec"].removeprefix("transpose ").removesuffix(" 4096x4096"), {})
        variant, recipe = line.get("variant"), line["recipe"]
        row = rows.setdefault(names.get(variant) or recipe.split("=")[-1] + " elements", [None] * 4)
        row[2 if variant is None else 0 if " 16" in recipe else 1] = line["copy_fraction"]
        source = re.search(r"([\d.]+)%", line.get("source") or "")
        if source:
            row[3] = float(source[1]) / 100
    series = [
        ("tile of 16", "dot", BLUE),
        ("tile of 32", "ring", ORANGE),
        ("the rules' recipe", "cross", GREEN),
        ("K40 in the source, of its peak", "square", GREY),
    ]
    title = "Bandwidth of transposes of 4096 × 4096 as a share of a copy's, NVIDIA H200. 1 is as fast as a copy."
    return ratios_page(title, [("f32", list(panels["f32"].items())), ("complex; f64 in the source", list(panels["complex f32"].items()))], series, 1.2)


def h200_convolve():
    """Convolutions over CuPy's fftconvolve, replayed as a CUDA graph on the same machine."""
    with open(report("2026-11-22-h200-fused", "cupy.jsonl"), encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    cupy = {("x".join(map(str, line["shape"])), "x".join(map(str, line["kernel"])), line["batch"]): line["graph_ms"] for line in lines}
    rows = {}
    with open(report("2026-11-22-h200-fused", "convolve.txt"), encoding="utf-8") as file:
        ours = [json.loads(line) for line in file if line.startswith("{")]
    for line in ours:
        words = line["spec"].split()
        shape, batch = words[2], int(words[3][1:]) if words[3].startswith("x") else 1
        kernel = words[words.index("by") + 1]
        series = {"convolve": 0, "with a spectrum": 1, "chain of plans": 2}.get(line["candidate"])
        peer = cupy.get((shape, kernel, batch))
        if series is not None and peer:
            rows.setdefault(short(" ".join(words[2:-1])), [None] * 3)[series] = line["ms"] / peer
    series = [
        ("Convolve", "dot", BLUE),
        ("the same, with the kernel's spectrum at hand", "ring", ORANGE),
        ("transforms and product by hand", "cross", GREY),
    ]
    title = "Time of convolutions divided by that of CuPy's fftconvolve as a CUDA graph, NVIDIA H200."
    return ratios_page(title, [("array by kernel", list(rows.items()))], series, 1.2)


def processors():
    """lavapipe over rustfft on one thread, with the data on the device."""
    rows = {}
    for line in ratios.lines([report("2026-11-21-lavapipe-fft", "fft.jsonl")]):
        series = {"rules": 0, "in place": 1, "rustfft x2": 2}.get(line["candidate"])
        if series is not None:
            rows.setdefault(short(line["spec"]), [None] * 3)[series] = line["ratio"]
    series = [("lavapipe, 2 cores", "dot", BLUE), ("the same, in place", "ring", ORANGE), ("rustfft, 2 threads", "cross", GREY)]
    title = "Time divided by that of rustfft on one thread, on a processor with 2 cores. Left of 1: faster."
    return ratios_page(title, [("through lavapipe", list(rows.items()))], series, 2.5)


def devices():
    """Two cards over the better one alone."""
    rows = {}
    for line in ratios.lines([report("2026-11-21-h200-multi", "multi.jsonl")]):
        series = {"equal": 0, "measured": 1, "dynamic": 2}.get(line["candidate"])
        if series is not None:
            label = short(line["spec"].replace(" across-devices", "").replace("transpose complex f32", "transpose"))
            rows.setdefault(label, [None] * 3)[series] = line["ratio"]
    series = [("equal shares", "dot", BLUE), ("measured shares", "ring", ORANGE), ("dynamic", "cross", GREEN)]
    title = "Time of two NVIDIA H200 divided by that of one, from host to host. Half as long would be 0.5."
    return ratios_page(title, [("jobs on two devices", list(rows.items()))], series, 1.2)


def accuracy():
    """Relative errors over the length, with their bounds, on logarithmic scales."""
    lines = list(ratios.lines([report("2026-11-23-accuracy", "lavapipe.jsonl")]))
    left, right, width = 80, 30, 860
    panels = [("f32", "f32", -8, -6, 60, 330), ("f64 by two f32", "f64-by-f32", -16, -13, 390, 560)]
    largest = math.log2(max(line["n"] for line in lines))
    at_x = lambda n: left + (width - left - right) * math.log2(n) / largest
    body = []
    for title, kind, least, most, top, bottom in panels:
        at_y = lambda value: bottom - (bottom - top) * (math.log10(value) - least) / (most - least)
        body.append(text(left, top - 8, title, size=13))
        for power in range(least, most + 1):
            body += [path([(left, at_y(10.0**power)), (width - right, at_y(10.0**power))], "#dddddd"),
                     text(left - 8, at_y(10.0**power) + 4, f"10{superscript(power)}", "end", 11)]
        for power in range(0, int(largest) + 1, 4):
            body += [path([(at_x(2**power), top), (at_x(2**power), bottom)], "#dddddd"),
                     text(at_x(2**power), bottom + 16, f"2{superscript(power)}", "middle", 11)]
        mine = sorted((line for line in lines if line["numbers"] == kind and line["n"] > 1), key=lambda line: line["n"])
        easy = [line for line in mine if not is_hard(line["n"])]
        hard = [line for line in mine if is_hard(line["n"])]
        for group, more in ((easy, ""), (hard, ' stroke-dasharray="5 4"')):
            if group:
                body.append(path([(at_x(line["n"]), at_y(line["bound"])) for line in group], GREY, 1.5, more))
        for group, shape, colour in ((easy, "dot", BLUE), (hard, "cross", ORANGE)):
            body += [mark(at_x(line["n"]), at_y(line["error"]), shape, colour) for line in group if line["error"] > 10.0**least]
        body += [mark(at_x(line["n"]), at_y(line["rustfft"]), "ring", GREY) for line in mine if line["rustfft"]]
    series = [("prime factors up to 31", "dot", BLUE), ("larger ones", "cross", ORANGE), ("rustfft in f32, on the host", "ring", GREY)]
    body += legend(series, left, 604)
    note = "Lines: the bounds that the documentation promises, dashed for larger prime factors. Errors of 0 are left out."
    body.append(text(left, 626, note))
    return page(width, 640, "Relative error in the two-norm over the length of a transform, against f64, on lavapipe.", body)


def superscript(power):
    return "".join("⁻" if digit == "-" else "⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(power))


def is_hard(n):
    """Whether a length has a prime factor above 31, so that it is computed as a convolution."""
    for factor in range(2, 32):
        while n % factor == 0:
            n //= factor
    return n > 1


FIGURES = {
    "h200-fft": h200_fft,
    "h200-numbers": h200_numbers,
    "h200-convolve": h200_convolve,
    "h200-memory": h200_memory,
    "h200-ladder": h200_ladder,
    "processors": processors,
    "accuracy": accuracy,
    "devices": devices,
}


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    os.makedirs(TARGET, exist_ok=True)
    stale = sorted(name for name in os.listdir(TARGET) if name.removesuffix(".svg") not in FIGURES)
    for name, draw in FIGURES.items():
        target, svg = os.path.join(TARGET, name + ".svg"), draw()
        if not arguments:
            with open(target, "w", encoding="utf-8") as file:
                file.write(svg)
            continue
        try:
            with open(target, encoding="utf-8") as file:
                same = file.read() == svg
        except OSError:
            same = False
        if not same:
            stale.append(name + ".svg")
    if stale:
        sys.exit(f"docs/figures: {', '.join(stale)}: not what `python3 benches/figures.py` draws")


if __name__ == "__main__":
    main(sys.argv[1:])
