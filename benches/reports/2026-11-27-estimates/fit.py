"""Fits of estimates of passes to the stored grids: README.md."""
import collections
import json
import math
import pathlib
import re

import numpy as np
from scipy.optimize import nnls

REPORTS = pathlib.Path(__file__).parent.parent
GRIDS = ["2026-11-25-rows/grid", "2026-11-25-long-rows/grid", "2026-11-24-h200-long/grid"]
ROWS = range(1400, 16385)


def passes(recipe):
    """The passes of a transform of one axis, if it has such a recipe."""
    if not recipe.startswith("axis 0: stockham"):
        return None
    found = []
    for text in recipe.split(": ", 1)[1].split(" + "):
        name, radices, *settings = text.split()
        if name != "stockham" or ";" in text:
            return None
        own = dict(radices=[int(r) for r in radices.split(".")], lanes=1, lines=1, pieces=1)
        own |= {k: int(v) for k, v in (s.split("=") for s in settings) if k in own}
        own["n"] = math.prod(own["radices"])
        found.append(own)
    return found


def above(value, least):
    return max(0.0, math.log2(value / least))


def terms(own, distance):
    """The quantities of a pass. `distance`: of the lines side by side, None for rows."""
    radices, n, lanes, lines, pieces = (own[k] for k in ("radices", "n", "lanes", "lines", "pieces"))
    rounds = [-(-(n // r) // lanes) for r in radices]
    slots = [a * r for a, r in zip(rounds, radices)]
    stages, elements, invocations = len(radices), max(slots), lanes * lines
    memory = n * lines * 4 / pieces if stages > 1 else 0
    subgroups = -(-invocations // 32)
    registers = min(255, 4 * elements + 24 if stages > 1 else 3 * elements + 16)
    workgroups = min(65536 // (registers * 32 * subgroups), 233472 // (memory + 1024), 64 // subgroups, 32)
    first = radices[0]
    all_terms = dict(
        stages=stages - 2,
        idle=sum(slots) * lanes / (stages * n) - 1,
        elements_24=above(elements, 24),
        elements_32=above(elements, 32),
        lanes=math.log2(lanes),
        invocations=above(invocations, 200),
        workgroups=above(4, max(workgroups, 0.5)),
        kibibytes=max(0, memory / 16384 - 1),
        one_piece=pieces == 1 and stages > 1,
        many_pieces=pieces > 2,
        middle_rounds=sum(above(r, 1) for r in rounds[1:-1]),
        last_rounds=above(rounds[-1], 1) if stages > 1 else 0,
        first_radix=above(32, first),
        last_radix=above(20, radices[-1]),
        twos=0 if first & (first - 1) == 0 else (first & -first).bit_length() - 1,
        uneven=n % lanes > 0,
        length=above(n, 256),
    )
    all_terms |= {f"multiples_{k}": sum(r % k == 0 for r in radices) for k in (3, 5, 7, 9)}
    if distance is not None:
        apart = next(d for d in (16, 4, 2, 1) if distance % d == 0)
        all_terms |= {f"apart_{d}": 16 / lines * (d == apart) for d in (1, 2, 4, 16)}
    return all_terms


def groups(wanted):
    """For each grid and length: its recipes' passes, terms and times."""
    times = collections.defaultdict(lambda: collections.defaultdict(list))
    for grid in GRIDS:
        for line in open(REPORTS / f"{grid}.jsonl"):
            case = json.loads(line)
            if case.get("ms") and case.get("recipe") and not case.get("in_place"):
                times[grid, case.get("card", ""), case["spec"]][case["recipe"]].append(case["ms"])
    for (grid, _, spec), recipes in times.items():
        own = []
        for recipe, ms in recipes.items():
            all_passes = passes(recipe)
            if not all_passes or not wanted(all_passes):
                continue
            after = n = math.prod(p["n"] for p in all_passes)
            sums = collections.Counter()
            for one in all_passes:
                after //= one["n"]
                distance = None if len(all_passes) == 1 else after if after > 1 else n // one["n"]
                sums.update(terms(one, distance))
            own.append((sums, float(np.median(ms))))
        if len(own) >= 4:
            yield spec.split(" x")[0], own


def fit(matrices, positive):
    rows, values = [], []
    for terms_of, ms in matrices:
        # What is far from the best need not be right.
        weight = 1 / (1 + ((ms / ms.min() - 1) / 0.15) ** 2)
        log = np.log(ms)
        scale = np.sqrt(weight)
        rows.append((terms_of - np.average(terms_of, axis=0, weights=weight)) * scale[:, None])
        values.append((log - np.average(log, weights=weight)) * scale)
    rows, values = np.vstack(rows), np.concatenate(values)
    if positive:
        return nnls(rows, values)[0]
    return np.linalg.solve(rows.T @ rows + 0.01 * np.eye(rows.shape[1]), rows.T @ values)


def chosen(matrix, weights):
    terms_of, ms = matrix
    estimates = terms_of @ weights
    return ms[estimates <= estimates.min() + 1e-9].mean() / ms.min()


def left_out(title, lengths, names, positive=False):
    matrices = [(np.array([[float(t[k]) for k in names] for t, _ in own]), np.array([ms for _, ms in own])) for _, own in lengths]
    ratios = []
    for i, (spec, _) in enumerate(lengths):
        others = [m for m, (other, _) in zip(matrices, lengths) if other != spec]
        ratios.append(chosen(matrices[i], fit(others, positive)))
    print(f"{title}: {len(lengths)} lengths, {sum(len(o) for _, o in lengths)} recipes, mean {np.mean(ratios):.3f}, most {max(ratios):.3f}")
    for name, weight in zip(names, fit(matrices, positive)):
        print(f"  {name:14} {weight:.3f}")


one = list(groups(lambda p: len(p) == 1 and p[0]["n"] in ROWS and p[0]["lines"] == 1))
several = list(groups(lambda p: len(p) > 1))
of_rows = "stages idle elements_24 elements_32 workgroups lanes kibibytes one_piece many_pieces middle_rounds last_rounds first_radix last_radix twos uneven".split()
left_out("rows", one, of_rows)
left_out("rows, terms of the rules", one, "elements_24 lanes one_piece many_pieces first_radix twos middle_rounds last_rounds last_radix multiples_3 multiples_5 multiples_7 multiples_9 uneven".split())
of_passes = "elements_24 uneven one_piece idle invocations length multiples_5 apart_1 apart_2 apart_4".split()
left_out("several passes", several, of_passes)
left_out("several passes, no negative weight", several, of_passes + ["kibibytes", "first_radix", "last_radix"], True)
