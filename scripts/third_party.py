#!/usr/bin/env python3
"""Writes the licences of every crate that a package of this workspace contains once it is compiled.

    scripts/third_party.py PACKAGE FILE

From `cargo metadata`: the normal dependencies of the package for this machine, not those of builds and
tests, with the texts that each crate carries. A text that several carry is there once. A crate that
carries none must name a licence of which another one's text is here.
"""

from __future__ import annotations

import collections
import json
import pathlib
import re
import subprocess
import sys

NAMES = re.compile(r"(licen[cs]e|copying|notice|unlicense|copyright)", re.IGNORECASE)


def host() -> str:
    version = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    return re.search(r"^host: (.*)$", version, re.MULTILINE)[1]


def contained(metadata: dict, name: str) -> list[dict]:
    """The package's dependencies and theirs, but for packages of this workspace and macros, sorted."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    todo = [package for package in metadata["workspace_members"] if packages[package]["name"] == name]
    if not todo:
        sys.exit(f"no package of the workspace is called {name}")
    found = set(todo)
    while todo:
        for dependency in nodes[todo.pop()]["deps"]:
            is_macro = any("proc-macro" in target["kind"] for target in packages[dependency["pkg"]]["targets"])
            if not is_macro and dependency["pkg"] not in found and any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                found.add(dependency["pkg"])
                todo.append(dependency["pkg"])
    others = [packages[package] for package in found if packages[package]["source"] is not None]
    return sorted(others, key=lambda package: (package["name"], package["version"]))


def texts_of(package: dict) -> list[str]:
    folder = pathlib.Path(package["manifest_path"]).parent
    files = [file for file in sorted(folder.iterdir()) if NAMES.match(file.name) and file.is_file()]
    # Spaces at the ends of lines and empty lines around a text make no other licence.
    return ["\n".join(line.rstrip() for line in file.read_text(errors="replace").splitlines()).strip() for file in files]


def written(packages: list[dict]) -> str:
    carriers: dict[str, list[str]] = collections.defaultdict(list)
    covered, bare = set(), []
    for package in packages:
        name, texts = f"{package['name']} {package['version']}", [text for text in texts_of(package) if text]
        if package["license"] is None and not texts:
            sys.exit(f"{name} says no licence")
        for text in texts:
            carriers[text].append(name)
        words = re.split(r"\s+OR\s+|\s+AND\s+|/|[()]", package["license"] or "")
        if texts:
            covered.update(words)
        else:
            bare.append((name, words))
    for name, words in bare:
        if not covered.intersection(words) - {""}:
            sys.exit(f"{name} carries no text of {' or '.join(words)}, and nothing else does")
    rule = "-" * 80
    lines = ["This package contains these crates, under the licences that they name, whose texts follow,"]
    lines += ["and Rust's standard library (MIT OR Apache-2.0, https://github.com/rust-lang/rust).", ""]
    for package in packages:
        where = package["repository"] or package["homepage"]
        lines.append(f"{package['name']} {package['version']}: {package['license'] or 'see its text'}{f'; {where}' if where else ''}")
    for text, names in carriers.items():
        lines += ["", rule, f"Of {', '.join(names)}:", rule, "", text]
    return "\n".join(lines) + "\n"


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", host()]
    metadata = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    packages = contained(metadata, sys.argv[1])
    pathlib.Path(sys.argv[2]).write_text(written(packages), encoding="utf-8")
    print(f"{sys.argv[2]}: the licences of {len(packages)} crates")


if __name__ == "__main__":
    main()
