"""Runs a compiler on each text of a folder, for scripts/hlsl.sh.

compile.py INDEX FOLDER SECONDS COMMAND…: `{}` in COMMAND stands for a file. A text may take so
many seconds of a processor. The last lines are a summary in Markdown; the exit status is 1 if naga
or the compiler refuses a text, or the compiler warns of one. Results stay in FOLDER/results.json.
"""

import json
import os
import re
import resource
import subprocess
import sys
from collections import Counter

SLOW = 2

# That the library to sign a file is not there, that a text takes many registers, and how naga
# negates integers so that the least one wraps.
EXPECTED = re.compile(r"warning: DXIL\.dll not found\..*|.*warning (X4714|X3092): .*")


def compiled(command, limit):
    """Seconds, or None if the limit ends it; and what is said."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1)))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    said = done.stdout.decode(errors="replace")
    first, _, rest = said.partition("\n")
    told = re.fullmatch(r"(ok|refused) ([\d.]+) s, (\d+) bytes\r?", first)
    if told:
        return {"status": told[1], "seconds": float(told[2]), "bytes": int(told[3]), "said": rest.strip()}
    if done.returncode < 0 or seconds > limit - 1:
        return {"status": "stopped", "seconds": limit, "said": ""}
    # A compiler that says nothing of its own.
    return {"status": "refused" if done.returncode else "ok", "seconds": round(seconds, 3), "said": said.strip()}


def main(index, folder, limit, *command):
    limit = int(limit)
    with open(index, encoding="utf-8") as lines:
        lines = [json.loads(line) for line in lines]
    results = {}
    for file in sorted({line["file"] for line in lines if "file" in line}):
        path = os.path.join(folder, file)
        words = [word.replace("{}", path) for word in command]
        result = compiled(words, limit)
        if result["status"] == "refused" and not result["said"]:
            # Seen once: wine did not start.
            result = compiled(words, limit)
        result["said"] = EXPECTED.sub("", result["said"]).strip()
        results[file] = result
        print(file, result["status"], result["seconds"], result["said"][:300].replace("\n", " | "), file=sys.stderr, flush=True)
        with open(os.path.join(folder, "results.json"), "w", encoding="utf-8") as out:
            json.dump(results, out, indent=1)

    specs = {line["spec"] for line in lines}
    unplanned = Counter(line["unplanned"] for line in lines if "unplanned" in line)
    refused = [(line, line["error"]) for line in lines if "error" in line]
    refused += [(line, results[line["file"]]["said"]) for line in lines if "file" in line and results[line["file"]]["status"] == "refused"]
    of = {file: line for line in reversed(lines) if (file := line.get("file"))}
    warned = {file for file, result in results.items() if result["status"] == "ok" and result["said"]}
    stopped = {file for file, result in results.items() if result["status"] == "stopped"}
    seconds = sorted(result["seconds"] for result in results.values())
    print(f"{len(specs)} specifications, {len(lines) - unplanned.total()} dispatches, {len(results)} texts. Refused: {len(refused)}; "
          f"warned of: {len(warned)}; stopped after {limit} s: {len(stopped)}; over {SLOW} s: {sum(s > SLOW for s in seconds)}; "
          f"median {seconds[len(seconds) // 2]:.2f} s, most {seconds[-1]:.2f} s.")
    for why, count in unplanned.most_common():
        print(f"- {count} not planned: {why}")
    for line, why in refused:
        print(f"- refused: `{line['spec']}`, {line['step']}: {why[:500]}")
    for file in sorted(warned):
        print(f"- warned: `{of[file]['spec']}`, {of[file]['step']}: {results[file]['said'][:500]}")
    return bool(refused or warned)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
