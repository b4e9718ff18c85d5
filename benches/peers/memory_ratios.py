#!/usr/bin/env python3
"""Compares our transposes and reductions with those of memory.cu in the same run. Prints a table in
Markdown, followed by geometric means.

    python3 memory_ratios.py --ours transpose.jsonl --ours reduce.jsonl --peer memory.jsonl > memory.md

--ours are lines of `transpose` and `reduce`, --peer lines of `memory`. Both may be repeated, and
later files replace earlier ones. By default our line of a case is that of the rules' recipe, which
comes first; with --any it is the fastest. Lines that are marked as wrong or have no time do not
count. The copies and reads of `memory` are not peers but bounds, with a column of their own.
"""

import argparse
import re
import sys

from ratios import geometric_mean, lines, number, over, time_of

BOUNDS = {"copy", "read"}


def best_of_ours(paths, any_recipe):
    """Our line for each specification, and the reasons for cases that could not be measured."""
    best, errors = {}, {}
    for path in paths:
        own = {}
        for line in lines([path]):
            spec = line["spec"]
            if line.get("error") and not line.get("recipe"):
                errors[spec] = str(line["error"])
            if line.get("wrong"):
                print(f"{spec}: wrong by `{line.get('recipe')}`, passed over", file=sys.stderr)
            # A `variant` belongs to the ladder of the literature. The rules did not choose it.
            chosen = line.get("variant") is None and line.get("candidate", "rules") in ("rules", "in place")
            if not time_of(line) or not (chosen or any_recipe):
                continue
            if spec not in own or any_recipe and line["ms"] < own[spec]["ms"]:
                own[spec] = line
        best.update(own)
    return best, errors


def best_of_peers(paths):
    """For each specification the line of the fastest peer and that of the bound. A later line of the same peer replaces an earlier one."""
    by_peer, peers, bounds = {}, {}, {}
    for line in lines(paths):
        if time_of(line) and isinstance(line.get("peer"), str):
            by_peer[line["spec"], line["peer"]] = line
    for (spec, peer), line in by_peer.items():
        best = bounds if peer in BOUNDS else peers
        if spec not in best or line["ms"] < best[spec]["ms"]:
            best[spec] = line
    return peers, bounds


def group_of(spec):
    """The specification without its extents: `sum f32 65536x1024 axes=1` belongs to `sum f32 axes=1`."""
    return " ".join(word for word in spec.split() if not re.fullmatch(r"x?\d+(x\d+)*", word))


def rows_of(ours, peers, bounds):
    """One row of figures for each case, except cases that are only bounds."""
    rows = []
    for spec in dict.fromkeys([*ours, *peers]):
        mine, peer, bound = ours.get(spec, {}), peers.get(spec, {}), bounds.get(spec, {})
        rows.append({
            "spec": spec, "group": group_of(spec), "ms": mine.get("ms"), "gb_per_s": mine.get("gb_per_s"), "copy": mine.get("copy_fraction"),
            "peer": peer.get("peer"), "recipe": peer.get("recipe"), "peer_ms": peer.get("ms"), "peer_gb_per_s": peer.get("gb_per_s"),
            "bound_gb_per_s": bound.get("gb_per_s"), "over_peer": over(mine.get("ms"), peer.get("ms")),
            "over_bound": over(mine.get("ms"), bound.get("ms")), "peer_over_bound": over(peer.get("ms"), bound.get("ms")),
        })
    return rows


def share(value):
    return "–" if value is None else f"{value:.0%}"


def table_of_cases(rows):
    yield "| spec | ours, ms | GB/s | of our copy | peer, ms | GB/s | peer | ours/peer | CUDA's copy or read, GB/s |"
    yield "|---|---:|---:|---:|---:|---:|---|---:|---:|"
    for row in rows:
        peer = "–" if row["peer"] is None else row["peer"] + (f" ({row['recipe']})" if row["recipe"] else "")
        cells = [
            row["spec"], number(row["ms"], 4), number(row["gb_per_s"], 0), share(row["copy"]), number(row["peer_ms"], 4),
            number(row["peer_gb_per_s"], 0), peer, number(row["over_peer"]), number(row["bound_gb_per_s"], 0),
        ]
        yield "| " + " | ".join(cells) + " |"
    yield ""
    yield (
        "Transposes count what they read and write, reductions what they read. Of our copy: our bandwidth beside that of our copy kernel in the same "
        "rounds, which moves as many bytes. The peer is the fastest one."
    )


def table_of_means(rows):
    """Geometric means: of each group, then of all transposes and of all reductions."""
    groups = {group: [row for row in rows if row["group"] == group] for group in dict.fromkeys(row["group"] for row in rows)}
    transposes = [row for row in rows if row["spec"].startswith("transpose ")]
    reductions = [row for row in rows if not row["spec"].startswith("transpose ")]
    everything = [*groups.items(), ("all transposes", transposes), ("all reductions", reductions)]
    yield "| geometric means | cases | ours/peer | ours/bound | peer/bound | worst ours/peer |"
    yield "|---|---:|---:|---:|---:|---|"
    for title, group in everything:
        if not group:
            continue
        # Means over the same cases, so that they are comparable.
        known = [row for row in group if row["over_peer"]]
        worst = max(known, key=lambda row: row["over_peer"], default=None)
        means = [number(geometric_mean(row[key] for row in known), 3) for key in ("over_peer", "over_bound", "peer_over_bound")]
        worst = "–" if worst is None else f"{worst['over_peer']:.2f} {worst['spec']}"
        yield f"| {title} | {len(known)} of {len(group)} | " + " | ".join(means) + f" | {worst} |"
    yield ""
    yield "The bound is CUDA's copy of the same bytes for transposes, and reading them for reductions."


def report(ours, errors, peers, bounds):
    adapters = {line.get("adapter", "?") + ", " + line.get("driver", "?") for line in ours.values()}
    devices = {line.get("device", "?") for line in [*peers.values(), *bounds.values()]}
    yield f"Ours: {'; '.join(sorted(adapters)) or 'nothing'}. CUDA: {'; '.join(sorted(devices)) or 'nothing in this run'}."
    yield ""
    rows = rows_of(ours, peers, bounds)
    yield from table_of_cases(rows)
    yield ""
    yield from table_of_means(rows)
    alone = [line for spec, line in bounds.items() if spec not in ours and spec not in peers]
    if alone:
        yield "\nBounds alone:\n"
        yield from (f"- {line['spec']}: {line['ms']:.4f} ms, {number(line.get('gb_per_s'), 0)} GB/s ({line['peer']})" for line in alone)
    reasons = {spec: why for spec, why in errors.items() if spec not in ours}
    if reasons:
        yield "\nNot measured:\n"
        yield from (f"- {spec}: {why}" for spec, why in reasons.items())


def main(argv=None):
    parser = argparse.ArgumentParser(description="Ratios of our transposes and reductions to CUDA's, in Markdown.")
    parser.add_argument("--ours", action="append", default=[], required=True, help="JSON lines of the benchmarks transpose and reduce")
    parser.add_argument("--peer", action="append", default=[], help="JSON lines of memory.cu")
    parser.add_argument("--any", action="store_true", help="also recipes that were requested, not only those of the rules")
    arguments = parser.parse_args(argv)
    ours, errors = best_of_ours(arguments.ours, arguments.any)
    for line in report(ours, errors, *best_of_peers(arguments.peer)):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
