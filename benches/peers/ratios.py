#!/usr/bin/env python3
"""Compares our times with those of cuFFT in the same run and with the anchors. Prints a table in
Markdown, followed by the goals.

    python3 ratios.py --ours fft.jsonl --peer cufft.jsonl > ratios.md

--ours are lines of `fft`, --peer lines of cufft.py. Both may be repeated, and later lines replace
earlier ones. By default our line of a case is that of the rules' recipe, out of place or in place,
whichever is faster, as for cuFFT; --any includes requested recipes. Lines that are marked as wrong or
have no time do not count. If the run has no time of cuFFT, that of the anchors is used, marked with a
dagger.
"""

import argparse
import json
import math
import os
import sys


def lines(paths):
    """The objects in files of JSON lines. Other lines are reported on stderr and skipped."""
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except OSError as error:
            print(f"{path}: {error}", file=sys.stderr)
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except ValueError as error:
                print(f"{path}, line {number}: {error}", file=sys.stderr)
                continue
            if isinstance(value, dict) and isinstance(value.get("spec"), str):
                yield value


def time_of(line):
    """A reliable time in ms, or None."""
    ms = line.get("ms")
    good = isinstance(ms, (int, float)) and not isinstance(ms, bool) and math.isfinite(ms) and ms > 0
    return ms if good and not line.get("wrong") else None


def best_of_ours(paths, any_recipe):
    """Our fastest line for each specification, and the reasons for cases that could not be measured."""
    wanted = {"rules", "in place"} | ({"request"} if any_recipe else set())
    by_candidate, errors = {}, {}
    for line in lines(paths):
        spec = line["spec"]
        if line.get("error") and not line.get("recipe"):
            errors[spec] = str(line["error"])
        if line.get("wrong"):
            print(f"{spec}: wrong by `{line.get('recipe')}`, passed over", file=sys.stderr)
        if wanted.intersection(str(line.get("candidate")).split(", ")) and time_of(line):
            by_candidate[spec, line["candidate"], line.get("recipe")] = line
    best = {}
    for (spec, _, _), line in by_candidate.items():
        if spec not in best or line["ms"] < best[spec]["ms"]:
            best[spec] = line
    return best, errors


def over(a, b):
    return a / b if a and b else None


def geometric_mean(ratios):
    ratios = [ratio for ratio in ratios if ratio]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def number(value, digits=2):
    return "–" if value is None else f"{value:.{digits}f}"


def verdict(value, goal):
    """The value with its goal, bold if the goal is missed."""
    if value is None or goal is None:
        return number(value) + ("" if goal is None else f" (≤ {goal:g})")
    return f"{number(value, 3)} (≤ {goal:g})" if value <= goal else f"**{number(value, 3)}** (≤ {goal:g})"


def rows_of(anchors, ours, peers):
    """One row of figures for each case."""
    rows = []
    for case in anchors["cases"]:
        spec = case["spec"]
        mine, peer = ours.get(spec), peers.get(spec)
        ms = mine["ms"] if mine else None
        cufft = time_of(peer) if peer else None
        rows.append({
            "spec": spec, "group": case["group"], "goal": case.get("goal", {}), "ms": ms, "in_place": bool(mine and mine.get("in_place")),
            "cufft": cufft or case.get("cufft"), "same_run": cufft is not None,
            "over_cufft": over(ms, cufft or case.get("cufft")), "over_vkc": over(ms, case.get("vkc")),
            "over_vkv": over(ms, case.get("vkv")), "over_floor": over(ms, case.get("floor")),
            "copy": mine.get("copy_fraction") if mine else None, "passes": mine.get("dispatches") if mine else None,
        })
    return rows


def table_of_cases(rows):
    yield "| spec | ours, ms | cuFFT, ms | ours/cuFFT | ours/VkV | ours/floor | of copy | dispatches |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for row in rows:
        cufft = "–" if row["cufft"] is None else f"{row['cufft']:.4f}" + ("" if row["same_run"] else " †")
        copy = "–" if row["copy"] is None else f"{row['copy']:.0%}"
        ms = number(row["ms"], 4) + (" *" if row["in_place"] else "")
        passes = "–" if row["passes"] is None else str(row["passes"])
        cells = [row["spec"], ms, cufft, number(row["over_cufft"]), number(row["over_vkv"]), number(row["over_floor"]), copy, passes]
        yield "| " + " | ".join(cells) + " |"
    yield ""
    notes = []
    if any(row["in_place"] for row in rows):
        notes.append("* in place.")
    if any(not row["same_run"] for row in rows):
        notes.append("† of the anchors, not of this run.")
    notes.append("VkV: VkFFT's Vulkan backend, of the anchors. Of copy: the array read once and written once, beside our copy kernel in the same rounds.")
    yield " ".join(notes)


def table_of_goals(anchors, rows):
    """Geometric means, and the missed goals."""
    missed = []
    yield "| geometric means | cases | ours/cuFFT | ours/VkC | ours/VkV | worst ours/cuFFT |"
    yield "|---|---:|---:|---:|---:|---|"
    for goal in anchors["goals"]:
        group = [row for row in rows if row["group"] in goal["groups"]]
        known = [row for row in group if row["ms"]]
        means = {peer: geometric_mean(row["over_" + peer] for row in known) for peer in ("cufft", "vkc", "vkv")}
        worst = max((row for row in known if row["over_cufft"]), key=lambda row: row["over_cufft"], default=None)
        worst = "–" if worst is None else f"{worst['over_cufft']:.2f} {worst['spec']}"
        cells = [f"{len(known)} of {len(group)}", verdict(means["cufft"], goal.get("over_cufft")), number(means["vkc"]),
                 verdict(means["vkv"], goal.get("over_vkv")), worst]
        yield f"| {goal['title']} | " + " | ".join(cells) + " |"
        for peer in ("cufft", "vkv"):
            limit = goal.get("over_" + peer)
            if limit is not None and (len(known) < len(group) or means[peer] is None or means[peer] > limit):
                got = number(means[peer], 3) + ("" if len(known) == len(group) else f" of {len(known)} of {len(group)} cases")
                missed.append(f"{goal['title']}: ours/{'cuFFT' if peer == 'cufft' else 'VkV'} {got}, goal {limit:g}")
        for row in group:
            limit = row["goal"].get("over_cufft", goal.get("each_over_cufft"))
            if "each_over_cufft" in goal and row["ms"] and row["over_cufft"] > limit:
                missed.append(f"{row['spec']}: ours/cuFFT {row['over_cufft']:.2f}, goal {limit:g}")
    for row in rows:
        limit = row["goal"].get("ms")
        if limit is not None and (row["ms"] is None or row["ms"] > limit):
            missed.append(f"{row['spec']}: {number(row['ms'], 4)} ms, goal {limit:g} ms (VkC)")
    yield ""
    yield "All goals are reached." if not missed else "Missed:\n\n" + "\n".join("- " + text for text in missed)


def report(anchors, ours, errors, peers):
    rows = rows_of(anchors, ours, peers)
    adapters = {line.get("adapter", "?") + ", " + line.get("driver", "?") for line in ours.values()}
    backends = {f"{line.get('backend', '?')} (cuFFT {line.get('version', '?')}) on {line.get('adapter', '?')}" for line in peers.values()}
    yield f"Ours: {'; '.join(sorted(adapters)) or 'nothing'}. cuFFT: {'; '.join(sorted(backends)) or 'nothing in this run'}. {anchors.get('source', '')}"
    yield ""
    yield from table_of_cases(rows)
    yield ""
    yield from table_of_goals(anchors, rows)
    known = {row["spec"] for row in rows}
    reasons = {spec: why for spec, why in errors.items() if spec in known and spec not in ours}
    if reasons:
        yield "\nNot measured:\n"
        yield from (f"- {spec}: {why}" for spec, why in reasons.items())
    others = sorted(set(ours) - known)
    if others:
        yield "\nOther cases:\n\n| spec | ours, ms | cuFFT, ms | ours/cuFFT | of copy |\n|---|---:|---:|---:|---:|"
        for spec in others:
            cufft = time_of(peers[spec]) if spec in peers else None
            copy = ours[spec].get("copy_fraction")
            copy = "–" if copy is None else f"{copy:.0%}"
            yield f"| {spec} | {ours[spec]['ms']:.4f} | {number(cufft, 4)} | {number(over(ours[spec]['ms'], cufft))} | {copy} |"


def main(argv=None):
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description="Ratios of our times to the peers', in Markdown.")
    parser.add_argument("--ours", action="append", default=[], required=True, help="JSON lines of the benchmark fft")
    parser.add_argument("--peer", action="append", default=[], help="JSON lines of cufft.py")
    parser.add_argument("--anchors", default=os.path.join(here, "anchors.json"))
    parser.add_argument("--any", action="store_true", help="also recipes that were requested, not only those of the rules")
    arguments = parser.parse_args(argv)
    with open(arguments.anchors, encoding="utf-8") as file:
        anchors = json.load(file)
    ours, errors = best_of_ours(arguments.ours, arguments.any)
    peers = {line["spec"]: line for line in lines(arguments.peer) if time_of(line)}
    for line in report(anchors, ours, errors, peers):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
