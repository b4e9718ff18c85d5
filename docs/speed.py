#!/usr/bin/env python3
"""Draws docs/speed.svg from a table of ratios that benches/peers/run.sh made.

    python3 docs/speed.py benches/reports/2026-11-21-h200-fft/ratios.md docs/speed.svg
"""

import sys

ROW = 17
TOP = 74
PANEL = 270
# Where the scale of each panel begins, from the left.
PANELS = [120, 530]
LARGEST = 1.2
OURS, THEIRS = "#1f5fa8", "#c0641a"


def cases(path):
    """(spec, ours/cuFFT, ours/VkFFT) of each row of the first table."""
    for line in open(path, encoding="utf-8"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 8 and cells[0].startswith(("c2c", "r2c")):
            yield cells[0], float(cells[3]), float(cells[4])


def text(x, y, words, anchor="start", size=12):
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}">{words}</text>'


def panel(left, title, rows, height):
    yield text(left, TOP - 26, title, size=13)
    for tenths in range(0, 13, 2):
        x = left + PANEL * tenths / 10 / LARGEST
        colour, width = ("#444444", 1.5) if tenths == 10 else ("#dddddd", 1)
        yield f'<path d="M{x:g} {TOP}V{height - 30}" stroke="{colour}" stroke-width="{width}"/>'
        yield text(x, TOP - 6, f"{tenths / 10:g}", "middle", 11)
    for i, (spec, cufft, vkfft) in enumerate(rows):
        y = TOP + 12 + ROW * i
        label = spec.replace("c2c fwd ", "").replace("r2c fwd", "real").replace(" x", " × ").replace("x", "×")
        a, b = (left + PANEL * ratio / LARGEST for ratio in (cufft, vkfft))
        yield text(left - 8, y + 4, label, "end")
        yield f'<path d="M{a:g} {y}H{b:g}" stroke="#cccccc"/>'
        yield f'<circle cx="{a:g}" cy="{y}" r="4" fill="{OURS}"/>'
        yield f'<circle cx="{b:g}" cy="{y}" r="5.5" fill="none" stroke="{THEIRS}" stroke-width="1.5"/>'


def main():
    source, target = sys.argv[1:]
    rows = list(cases(source))
    volumes = [row for row in rows if "x" in row[0].split()[2]]
    lines = [row for row in rows if row not in volumes]
    height = TOP + ROW * max(len(volumes), len(lines)) + 40
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 {height}" font-family="sans-serif">',
        '<rect width="100%" height="100%" fill="white"/>',
        text(20, 22, "Time of wgpu-fft divided by the time of another library, NVIDIA H200. Left of 1: wgpu-fft is faster.", size=14),
        *panel(PANELS[0], "two and three axes", volumes, height),
        *panel(PANELS[1], "one axis: length × batch", lines, height),
        f'<circle cx="120" cy="{height - 14}" r="4" fill="{OURS}"/>',
        text(130, height - 10, "cuFFT 12.0, same run"),
        f'<circle cx="300" cy="{height - 14}" r="5.5" fill="none" stroke="{THEIRS}" stroke-width="1.5"/>',
        text(310, height - 10, "VkFFT 1.3.4, Vulkan backend, an earlier run on the same kind of card"),
        "</svg>",
    ]
    with open(target, "w", encoding="utf-8") as file:
        file.write("\n".join(svg) + "\n")


main()
