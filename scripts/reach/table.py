#!/usr/bin/env python3
"""What drivers made of the kernels, as tables: chips, and specifications by chips.

    table.py --compare REPORT FOLDER CHIP...   fails if anything is worse than in REPORT-specs.txt
    table.py --write REPORT FOLDER CHIP...     writes REPORT-chips.txt and REPORT-specs.txt

FOLDER has the lines of JSON of each chip, which scripts/reach.sh makes. Every driver has names of its
own for what it says of a pipeline; DRIVERS lists them.
"""

import json
import math
import statistics
import sys
from pathlib import Path

# By the statistic that tells the driver: registers, what an invocation or a core holds at a time and
# the most of it, what was spilled, and an estimate of cycles of one subgroup.
DRIVERS = {
    "VGPRs": ("VGPRs", "Subgroups per SIMD", ("Spilled VGPRs", "Spilled SGPRs"), "Inverse Throughput"),
    "GPRs": ("GPRs", "Threads", ("Spills", "Fills"), "ALU"),
    "Max Waves Per Core": ("Registers used", "Max Waves Per Core", ("STP Count", "LDP Count"), "Instruction Count"),
    # An Intel thread has as many invocations as its registers have room for, and the number of threads is fixed.
    "SENDs": ("Max live registers", "Max dispatch width", ("Spills", "Fills"), "Cycles"),
    "Max warps/SM": ("Number of GPRs", "Max warps/SM", ("Spills to memory", "Fills from memory"), "Static cycle count"),
}


class Pipeline:
    def __init__(self, line):
        self.error = line.get("error")
        said = line.get("statistics") or {}
        driver = next((own for name, own in DRIVERS.items() if name in said), None)
        if driver is None:
            self.error = self.error or "the driver says nothing of it"
            return
        registers, occupancy, spills, cycles = driver
        self.registers = said.get(registers, 0)
        self.occupancy = said[occupancy]
        self.spills = sum(said.get(name, 0) for name in spills)
        subgroups = line["workgroups"] * math.ceil(line["invocations"] / line["subgroup"])
        self.cycles = said.get(cycles, 0) * subgroups


class Spec:
    """The worst of the pipelines of a specification."""

    def __init__(self, pipelines):
        self.pipelines = pipelines
        self.error = next((own.error for own in pipelines if own.error), None)
        if not self.error:
            self.occupancy = min(own.occupancy for own in pipelines)
            self.spills = sum(own.spills for own in pipelines)
            self.cycles = sum(own.cycles for own in pipelines)

    def cell(self):
        if self.error:
            return "error"
        return f"{self.occupancy}!{self.spills}" if self.spills else f"{self.occupancy}"


def read(path):
    """The specifications of a chip; those that it cannot run are left out."""
    pipelines = {}
    for text in path.read_text().splitlines():
        line = json.loads(text)
        # A case that the device refuses has no step.
        if "step" in line:
            pipelines.setdefault(line["spec"], []).append(Pipeline(line))
    return {spec: Spec(own) for spec, own in pipelines.items()}


def aligned(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() + "\n" for row in rows)


def chips_table(chips):
    rows = [["chip", "specifications", "pipelines", "errors", "spill", "registers", "occupancy: least", "tenth", "median", "cycles"]]
    for chip, specs in chips.items():
        all_own = [own for spec in specs.values() for own in spec.pipelines]
        own = [pipeline for pipeline in all_own if not pipeline.error]
        if not own:
            sys.exit(f"{chip}: nothing was compiled")
        occupancy = sorted(pipeline.occupancy for pipeline in own)
        cycles = [math.log(spec.cycles) for spec in specs.values() if not spec.error and spec.cycles]
        figures = [
            len(specs),
            len(all_own),
            len(all_own) - len(own),
            sum(pipeline.spills > 0 for pipeline in own),
            max(pipeline.registers for pipeline in own),
            occupancy[0],
            occupancy[len(occupancy) // 10],
            statistics.median_low(occupancy),
        ]
        # The geometric mean over the specifications, to compare two versions by.
        rows.append([chip, *map(str, figures), f"{math.exp(statistics.mean(cycles)):.4g}"])
    return aligned(rows)


def specs_table(chips):
    names = sorted({spec for specs in chips.values() for spec in specs})
    cells = ([chips[chip][spec].cell() if spec in chips[chip] else "-" for chip in chips] for spec in names)
    return aligned([["specification", *chips], *([spec, *own] for spec, own in zip(names, cells))])


def stored(path):
    """The cells of a table by chip and specification."""
    lines = path.read_text().splitlines()
    names = lines[0].split()[1:]
    # Specifications have single spaces, and columns are two apart.
    rows = [[cell for cell in line.split("  ") if cell.strip()] for line in lines[1:]]
    return {(chip, row[0]): cell.strip() for row in rows for chip, cell in zip(names, row[1:])}


def worse(before, now):
    if before == "-" or before == "error":
        return False
    if now in ("-", "error"):
        return True
    (before, spilled), (now, spills) = (map(int, (cell + "!0").split("!")[:2]) for cell in (before, now))
    return spills > spilled or now < before


def main():
    mode, report, folder, *names = sys.argv[1:]
    folder, chips_file, specs_file = Path(folder), Path(f"{report}-chips.txt"), Path(f"{report}-specs.txt")
    chips = {name: read(folder / f"{name}.jsonl") for name in names}
    print(chips_table(chips), end="")
    if mode == "--write":
        chips_file.parent.mkdir(exist_ok=True)
        chips_file.write_text(chips_table(chips))
        specs_file.write_text(specs_table(chips))
        return
    before = stored(specs_file)
    cells = {(chip, spec): own.cell() for chip, specs in chips.items() for spec, own in specs.items()}
    bad = [f"{chip}: `{spec}` {before[chip, spec]} -> {now}" for (chip, spec), now in cells.items()
           if (chip, spec) in before and worse(before[chip, spec], now)]
    errors = [f"{chip}: `{spec}`: {own.error}" for chip, specs in chips.items() for spec, own in specs.items()
              if own.error and before.get((chip, spec)) != "error"]
    print("\n".join(["", *(f"worse (occupancy!spills): {text}" for text in bad), *errors]))
    if bad or errors:
        sys.exit(f"{len(bad)} are worse than in {specs_file}, {len(errors)} do not compile; scripts/reach.sh CHIP --spec TEXT shows one")


if __name__ == "__main__":
    main()
