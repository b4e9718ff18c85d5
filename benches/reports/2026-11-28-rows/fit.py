"""Fits the estimate of rows in any number of stages (src/fft/choose/rows.rs) to grid.jsonl, and says how
well it chooses for lengths that are left out. Needs numpy.

    python3 benches/reports/2026-11-28-rows/fit.py
"""

import json
import math
import re
from collections import defaultdict
from pathlib import Path

import numpy as np

RECIPE = re.compile(r"axis 0: stockham ([\d.]+) lanes=(\d+) lines=(\d+) exchange=split pieces=(\d+) banks=32 roots=products")
GAIN = 0.08


def terms(n, radices, lanes, lines):
    elements = max(-(-(n // radix) // lanes) * radix for radix in radices)
    above = lambda least: max(0.0, math.log2(elements / least))
    together = lanes * lines
    return [
        len(radices),
        above(20),
        above(32),
        math.log2(math.ceil(together / 32) * 32 / together),
        max(0.0, math.log2(8 / lanes)),
        float(n % lanes != 0),
    ]


NAMES = ["stages", "elements above 20", "above 32", "subgroups not filled", "fewer than 8 lanes", "lanes do not divide"]


def main():
    times, rules = defaultdict(dict), {}
    for line in (Path(__file__).parent / "grid.jsonl").read_text().splitlines():
        case = json.loads(line)
        n, found = int(case["spec"].split()[2]), RECIPE.fullmatch(case["recipe"])
        if case["candidate"] == "rules":
            rules[n, case["run"]] = math.log(case["ms"])
        if found and "." in found[1]:
            shape = (tuple(map(int, found[1].split("."))), int(found[2]), int(found[3]))
            times[n, case["run"]][shape] = math.log(case["ms"])
    # Each length in each run has a level of its own; fast recipes count more.
    groups = {key: own for key, own in times.items() if len(own) > 1}
    rows, levels, lengths, where = [], [], [], {}
    for key, own in groups.items():
        x, y = np.array([terms(key[0], *shape) for shape in own]), np.array(list(own.values()))
        weight = (np.exp(-1.5 * (y - y.min())) / math.sqrt(len(y)))[:, None]
        where[key] = (x, y, list(own))
        rows.append((x - x.mean(0)) * weight)
        levels.append((y - y.mean()) * weight[:, 0])
        lengths += [key[0]] * len(y)
    rows, levels, lengths = np.vstack(rows), np.concatenate(levels), np.array(lengths)

    def solve(kept):
        a, b = rows[kept], levels[kept]
        return np.linalg.solve(a.T @ a + 0.002 * np.eye(len(NAMES)), a.T @ b)

    print(len(lengths), "recipes,", len(set(lengths)), "lengths")
    print({name: round(float(weight), 3) for name, weight in zip(NAMES, solve(lengths > 0))})
    of_best, of_rules = [], []
    for n in sorted(set(lengths)):
        weights = solve(lengths != n)
        for key in (key for key in groups if key[0] == n):
            x, y, shapes = where[key]
            costs = x @ weights
            choice = int(np.argmin(costs))
            before = rules.get(key)
            of_best.append((y[choice] - min(y.min(), before if before is not None else y.min()), n))
            own = [i for i in range(len(y)) if before is not None and abs(y[i] - before) < 1e-9]
            if own:
                taken = choice if costs[choice] < costs[own[0]] - GAIN else own[0]
                of_rules.append((y[taken] - before, n))
    mean = lambda ratios: math.exp(np.mean([ratio for ratio, _ in ratios]))
    most = lambda ratios: [(round(math.exp(ratio), 2), n) for ratio, n in sorted(ratios, reverse=True)[:4]]
    print("left out, over the best:", round(mean(of_best), 3), most(of_best))
    print("left out, over the rules before:", round(mean(of_rules), 3), most(of_rules))


if __name__ == "__main__":
    main()
