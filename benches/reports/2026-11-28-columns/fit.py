"""Fits the estimates of lines across an array (src/fft/choose/across.rs) to grid.jsonl and to the grid of
2026-11-24-h200-long, and says how well each chooses for lengths that are left out. Needs numpy.

    python3 benches/reports/2026-11-28-columns/fit.py
"""

import json
import math
import re
from collections import defaultdict
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
PASS = re.compile(r"stockham ([\d.]+) lanes=(\d+) lines=(\d+)(?: pieces=(\d+))?$")
NAMES = [
    "stages",
    "doublings of an invocation's numbers from 20",
    "runs of 16 lines",
    "runs of 16 lines inside of sectors",
    "workgroup memory after 16 KiB",
    "doublings of invocations from 200",
    "doublings of a workgroup's registers from 96 Ki",
    "four pieces",
    "a longer pass before a shorter one",
    "pass",  # of several passes, where some lengths have two and three; it cancels out in a choice
]
SMALL_ARRAY = 1 << 21
# Recipes with too many registers are slow beyond what a fit of logarithms says: the rules' weight for these.
GIVEN = {"columns": {6: 2.0}, "lines of several passes": {}}


def doublings(value, least):
    return max(0.0, math.log2(value / least))


def terms(radices, lanes, lines, pieces, whole_sectors, is_longer_first):
    n, several = math.prod(radices), len(radices) > 1
    elements = max(-(-(n // radix) // lanes) * radix for radix in radices)
    registers = 4 * elements + 24 if several else 3 * elements + 16
    runs, kib = 16 / lines, n * lines / 256 / pieces if several else 0.0
    return [
        len(radices),
        doublings(elements, 20),
        runs,
        0.0 if whole_sectors else runs,
        max(0.0, kib / 16 - 1),
        doublings(lanes * lines, 200),
        doublings(registers * math.ceil(lanes * lines / 32) * 32, 98_304),
        float(pieces == 4),
        float(is_longer_first),
        1.0,
    ]


def passes(recipe):
    if "block" in recipe or ";" in recipe or not recipe.startswith("axis 0: "):
        return None
    found = [PASS.fullmatch(part) for part in recipe[8:].split(" + ")]
    if not all(found):
        return None
    return [(tuple(map(int, own[1].split("."))), int(own[2]), int(own[3]), int(own[4] or 1)) for own in found]


def grids():
    for line in (HERE / "grid.jsonl").read_text().splitlines():
        case = json.loads(line)
        yield case["run"], case["spec"], case["recipe"], case["copies"], case["rules"]
    for line in (HERE.parent / "2026-11-24-h200-long" / "grid.jsonl").read_text().splitlines():
        case = json.loads(line)
        words = case["spec"].split()
        if not words[2].isdigit():
            continue
        batch = int(words[3][1:]) if len(words) > 3 else 1
        copies = case["ms"] / (16 * int(words[2]) * batch / case["copy_gb_per_s"] / 1e6)
        yield f"long {case['run']}", case["spec"], case["recipe"], copies, False


def load():
    """For each estimate, by run and specification: what recipe has which terms and time."""
    columns, several = defaultdict(list), defaultdict(list)
    for run, spec, recipe, copies, rules in grids():
        own, words = passes(recipe), spec.split()
        if own is None or words[1] != "fwd":
            continue
        if "axes=0" in spec and len(own) == 1:
            n, count = map(int, words[2].split("x"))
            if n * count > SMALL_ARRAY:
                columns[n, run, spec].append((terms(*own[0], count % 4 == 0, False), copies, rules))
        elif "x" not in words[2] and len(own) > 1:
            n, lengths, sums = int(words[2]), [math.prod(radices) for radices, *_ in own], np.zeros(len(NAMES))
            for i, one in enumerate(own):
                distance = math.prod(lengths[i + 1 :]) if i + 1 < len(own) else n // lengths[i]
                sums += terms(*one, distance % 4 == 0, i > 0 and lengths[i - 1] > lengths[i])
            several[n, run, spec].append((list(sums), copies, rules))
    return {"columns": columns, "lines of several passes": several}


def least_squares(a, b, given, ridge=0.003):
    """Without negative weights, and some of them given."""
    h, c, x = a.T @ a + ridge * np.eye(a.shape[1]), a.T @ b, np.zeros(a.shape[1])
    for _ in range(400):
        for j in range(len(c)):
            x[j] = given.get(j, max(0.0, x[j] + (c[j] - h[j] @ x) / h[j, j]))
    return x


def fit(name, groups):
    used = list(range(8)) if name == "columns" else list(range(10))
    blocks = []
    for key, own in groups.items():
        if len(own) < 2:
            continue
        x, y = np.array([one[0] for one in own])[:, used], np.array([one[1] for one in own])
        # Each run of a length has a level of its own; fast recipes count more.
        weight = np.exp(-1.5 * (y / y.min() - 1))
        share = weight / weight.sum()
        scale = weight / y.min() / math.sqrt(len(y))
        blocks.append((key[0], x, y, (x - share @ x) * scale[:, None], (y - share @ y) * scale, [one[2] for one in own]))
    solve = lambda kept: least_squares(np.vstack([b[3] for b in kept]), np.concatenate([b[4] for b in kept]), GIVEN[name])
    print(f"{name}: {sum(len(b[2]) for b in blocks)} recipes, {len({b[0] for b in blocks})} lengths")
    for i, weight in zip(used, solve(blocks)):
        print(f"  {NAMES[i]} | {weight:.3f}")
    of_best, of_rules = [], []
    for n in sorted({b[0] for b in blocks}):
        weights = solve([b for b in blocks if b[0] != n])
        for _, x, y, _, _, rules in (b for b in blocks if b[0] == n):
            costs = x @ weights
            # Of recipes with equal estimates the mean time counts.
            time = math.exp(np.log(y[costs < costs.min() + 1e-9]).mean())
            of_best.append((time / y.min(), n))
            of_rules += [(time / y[i], n) for i in range(len(y)) if rules[i]]
    for what, ratios in (("the best", of_best), ("the rules before", of_rules)):
        if ratios:
            mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))
            most = {}
            for ratio, n in sorted(ratios, reverse=True):
                most.setdefault(n, round(float(ratio), 2))
            print(f"  left out, over {what}: {mean:.3f}, above 1.15 {({n: ratio for n, ratio in most.items() if ratio > 1.15})}")


if __name__ == "__main__":
    for name, groups in load().items():
        fit(name, groups)
