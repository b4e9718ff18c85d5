#!/usr/bin/env python3
"""How much of double-single arithmetic is left in drivers' own code, as a table.

    additions.py --compare TABLE FOLDER CHIP...   fails if anything is less than in TABLE
    additions.py --write TABLE FOLDER CHIP...     writes TABLE

FOLDER/hidden/CHIP and FOLDER/naive/CHIP have the code of each pipeline and the benchmark's lines, which
scripts/reach.sh makes. A compiler that computes a + b - a as b deletes most additions of
shaders/fft/double.wgsl, and with them the low parts of all numbers. Compilers of different vendors make
equally many additions of one text, unless one of them deletes some.
"""

import json
import re
import sys
from pathlib import Path

from table import aligned, stored

# Additions and subtractions of f32, also of products: of AMD, Qualcomm, NVIDIA, and Intel.
ADDITION = re.compile(
    r"\bv_(?:dual_)?(?P<two>pk_)?(?:add|sub|subrev|fma|fmac|fmaak|fmamk|mad|mac|madak|madmk)(?:_legacy)?_f32(?:_e32|_e64)?\b"
    r"|\b(?:add|mad)\.f(?:32)?\b|\bf(?:add|fma)\b|\b(?:add|mad) \(\d+\).*:f\b"
)
REPEATED = re.compile(r"\(rpt(\d)\)")
# Of those of other chips with the same recipe, or of the stored ones.
LEAST = 0.99


def additions(path):
    # The last of the representations is the code itself.
    code = path.read_text(errors="replace").split("\n--- ")[-1]
    count = 0
    for line in code.splitlines():
        found = ADDITION.findall(line)
        repeated = REPEATED.search(line)
        count += sum(2 if two else 1 for two in found) * (1 + int(repeated[1]) if repeated else 1)
    return count


def counts(folder):
    """Additions by specification and recipe."""
    lines = [json.loads(line) for line in (folder / "lines.jsonl").read_text().splitlines()]
    specs = {}
    for line in lines:
        if "step" in line:
            specs.setdefault((line["spec"], line["recipe"]), []).append(additions(folder / f"{line['pipeline']}.txt"))
    return {key: sum(own) for key, own in specs.items()}


def main():
    mode, file, folder, *chips = sys.argv[1:]
    hidden, naive = ({chip: counts(Path(folder) / name / chip) for chip in chips} for name in ("hidden", "naive"))
    cells = {(spec, chip): (count, naive[chip][spec, recipe]) for chip in chips for (spec, recipe), count in hidden[chip].items()}
    names = sorted({spec for spec, _ in cells})
    rows = [["specification", *chips]]
    rows += [[spec, *("/".join(map(str, cells[spec, chip])) if (spec, chip) in cells else "-" for chip in chips)] for spec in names]
    print(aligned(rows), end="")
    if mode == "--write":
        Path(file).write_text(aligned(rows))
        return
    # Equal recipes are equal texts.
    most = {}
    for own in [*hidden.values(), *naive.values()]:
        for key, count in own.items():
            most[key] = max(most.get(key, 0), count)
    before = stored(Path(file))
    bad = []
    for chip in chips:
        for (spec, recipe), count in hidden[chip].items():
            kept = int(before.get((chip, spec), "0").split("/")[0])
            if count < LEAST * max(most[spec, recipe], kept):
                bad.append(f"{chip}: `{spec}` by {recipe}: {count} of {most[spec, recipe]}, stored {kept}")
    if bad:
        sys.exit("\n".join(["additions are missing:", *bad, "with other recipes than before, scripts/reach.sh bless"]))


if __name__ == "__main__":
    main()
