#!/usr/bin/env python3
"""Writes docs/public-api.txt: every public item of the crate, one a line, from rustdoc's JSON,
except those of the module low_level, which is exempt from semver.

    python3 scripts/public_api.py           # writes the file
    python3 scripts/public_api.py --check   # fails if the file is not up to date

rustdoc's JSON is not stable yet, so RUSTC_BOOTSTRAP=1 asks a stable compiler for it. The format
changes now and then; this script was written for FORMAT.
"""

import json
import os
import pathlib
import subprocess
import sys

FORMAT = 57
CRATE = "wgpu_fft"
# What may change in any release is not listed.
EXEMPT = [f"{CRATE}::low_level"]
ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE = ROOT / "docs" / "public-api.txt"


def documentation():
    """The crate as rustdoc sees it."""
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    target.mkdir(exist_ok=True)
    # Only rustdoc sees RUSTC_BOOTSTRAP. Build scripts would, and all dependencies be compiled again.
    rustdoc = target / "rustdoc-json"
    rustdoc.write_text('#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc -Z unstable-options --output-format json "$@"\n')
    rustdoc.chmod(0o755)
    # The packages and features of all else that is compiled, so that nothing is compiled for this alone.
    # The libraries for C and Python have other pages of the same names.
    others = "--exclude wgpu-fft-capi --exclude wgpu-fft-fftw --exclude wgpu-fft-python"
    selected = os.environ.get("WGPU_FFT_CARGO_SELECTION")
    # Libraries alone, without examples, do not ask for ndarray themselves.
    selection = (f"{selected} {others}" if selected else "--package wgpu-fft").split() + ["--features", "wgpu-fft/ndarray"]
    command = ["cargo", "doc", *selection, "--lib", "--no-deps", "--quiet"]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "RUSTDOC": str(rustdoc)}, check=True)
    crate = json.loads((target / "doc" / f"{CRATE}.json").read_text())
    if crate["format_version"] != FORMAT:
        print(f"rustdoc's format is {crate['format_version']}; this script was written for {FORMAT}", file=sys.stderr)
    return crate


class Printer:
    """Prints types and signatures as Rust, with paths by their last segment."""

    def arguments(self, arguments):
        if not arguments:
            return ""
        if "parenthesized" in arguments:
            own = arguments["parenthesized"]
            inputs = ", ".join(map(self.type, own["inputs"]))
            return f"({inputs})" + (f" -> {self.type(own['output'])}" if own["output"] else "")
        if "angle_bracketed" not in arguments:
            return ""
        own = arguments["angle_bracketed"]
        parts = []
        for argument in own["args"]:
            if argument == "infer":
                parts.append("_")
            elif "lifetime" in argument:
                parts.append(argument["lifetime"])
            elif "type" in argument:
                parts.append(self.type(argument["type"]))
            else:
                parts.append(argument["const"]["expr"])
        for constraint in own.get("constraints", []):
            binding = constraint["binding"]
            if "equality" in binding:
                term = binding["equality"]
                value = self.type(term["type"]) if "type" in term else term["constant"]["expr"]
                parts.append(f"{constraint['name']} = {value}")
            else:
                parts.append(f"{constraint['name']}: {self.bounds(binding['constraint'])}")
        return f"<{', '.join(parts)}>" if parts else ""

    def path(self, path):
        return path["path"].rsplit("::", 1)[-1] + self.arguments(path.get("args"))

    def bounds(self, bounds):
        parts = []
        for bound in bounds:
            if "outlives" in bound:
                parts.append(bound["outlives"])
            elif "trait_bound" in bound:
                own = bound["trait_bound"]
                relaxed = "?" if own["modifier"] == "maybe" else ""
                parts.append(relaxed + self.path(own["trait"]))
        return " + ".join(parts)

    def type(self, ty):
        [(kind, own)] = ty.items() if isinstance(ty, dict) else [(ty, None)]
        match kind:
            case "resolved_path":
                return self.path(own)
            case "generic" | "primitive":
                return own
            case "infer":
                return "_"
            case "tuple":
                inner = ", ".join(map(self.type, own))
                return f"({inner},)" if len(own) == 1 else f"({inner})"
            case "slice":
                return f"[{self.type(own)}]"
            case "array":
                return f"[{self.type(own['type'])}; {own['len']}]"
            case "borrowed_ref":
                lifetime = f"{own['lifetime']} " if own["lifetime"] else ""
                return f"&{lifetime}{'mut ' if own['is_mutable'] else ''}{self.type(own['type'])}"
            case "raw_pointer":
                return f"*{'mut' if own['is_mutable'] else 'const'} {self.type(own['type'])}"
            case "impl_trait":
                return f"impl {self.bounds(own)}"
            case "dyn_trait":
                traits = [self.path(one["trait"]) for one in own["traits"]]
                return "dyn " + " + ".join(traits + ([own["lifetime"]] if own["lifetime"] else []))
            case "qualified_path":
                return f"{self.type(own['self_type'])}::{own['name']}"
            case "function_pointer":
                return "fn" + self.inputs_and_output(own["sig"])
        raise ValueError(f"a type that this script does not know: {kind}")

    def generics(self, generics):
        parts = []
        for parameter in generics["params"]:
            [(kind, own)] = parameter["kind"].items()
            if kind == "lifetime":
                parts.append(parameter["name"])
            elif kind == "const":
                parts.append(f"const {parameter['name']}: {self.type(own['type'])}")
            elif not own["is_synthetic"]:
                bounds = self.bounds(own["bounds"])
                parts.append(parameter["name"] + (f": {bounds}" if bounds else ""))
        return f"<{', '.join(parts)}>" if parts else ""

    def where(self, generics):
        parts = []
        for predicate in generics["where_predicates"]:
            if "bound_predicate" in predicate:
                own = predicate["bound_predicate"]
                parts.append(f"{self.type(own['type'])}: {self.bounds(own['bounds'])}")
        return f" where {', '.join(parts)}" if parts else ""

    def inputs_and_output(self, signature):
        inputs = []
        for name, ty in signature["inputs"]:
            text = self.type(ty)
            if name == "self":
                text = {"Self": "self", "&Self": "&self", "&mut Self": "&mut self"}.get(text, f"self: {text}")
            else:
                text = f"{name}: {text}" if name and name != "_" else text
            inputs.append(text)
        output = signature["output"]
        return f"({', '.join(inputs)})" + (f" -> {self.type(output)}" if output else "")

    def function(self, path, own):
        header = own["header"]
        words = ["const "] * header["is_const"] + ["async "] * header["is_async"] + ["unsafe "] * header["is_unsafe"]
        generics = own["generics"]
        return f"{''.join(words)}fn {path}{self.generics(generics)}{self.inputs_and_output(own['sig'])}{self.where(generics)}"


class Listing(Printer):
    """The lines of a crate."""

    def __init__(self, crate):
        self.index = crate["index"]
        self.lines = set()
        self.seen = set()
        self.module(self.item(crate["root"]), CRATE)

    def item(self, number):
        return self.index.get(str(number))

    @staticmethod
    def kind(item):
        [(kind, own)] = item["inner"].items()
        return kind, own

    def add(self, item, line):
        marks = [mark for mark in ("non_exhaustive", "must_use") if any(mark in str(one) for one in item["attrs"])]
        hidden = ["doc(hidden)"] * any("hidden" in str(one) for one in item["attrs"])
        self.lines.add("".join(f"#[{mark}] " for mark in marks[:1] * ("non_exhaustive" in marks) + hidden) + line)

    def module(self, module, path):
        items = [self.item(number) for number in self.kind(module)[1]["items"]]
        # What has two names is described under the shorter one.
        for item in sorted(filter(None, items), key=lambda item: self.kind(item)[0] == "module"):
            if item["visibility"] == "public":
                self.public(item, path)

    def public(self, item, path):
        kind, own = self.kind(item)
        if kind == "use":
            target = self.item(own["id"]) if own["id"] is not None else None
            if target is None:
                self.add(item, f"pub use {path}::{own['name']} = {own['source']}")
            elif own["is_glob"]:
                self.module(target, path)
            elif (path, own["name"]) not in self.seen:
                self.seen.add((path, own["name"]))
                self.named(target, f"{path}::{own['name']}")
            return
        self.named(item, f"{path}::{item['name']}")

    def named(self, item, path):
        kind, own = self.kind(item)
        if item["id"] in self.seen and kind != "module":
            self.add(item, f"{kind} {path}, as under another name")
            return
        self.seen.add(item["id"])
        match kind:
            case "module":
                self.add(item, f"mod {path}")
                if path not in EXEMPT:
                    self.module(item, path)
            case "function":
                self.add(item, self.function(path, own))
            case "constant":
                self.add(item, f"const {path}: {self.type(own['type'])}")
            case "static":
                self.add(item, f"static {path}: {self.type(own['type'])}")
            case "type_alias":
                self.add(item, f"type {path}{self.generics(own['generics'])} = {self.type(own['type'])}")
            case "struct" | "union":
                self.add(item, f"struct {path}{self.generics(own['generics'])}")
                self.fields(own["kind"], path)
                self.impls(item, own["impls"], path)
            case "enum":
                self.add(item, f"enum {path}{self.generics(own['generics'])}")
                for number in own["variants"]:
                    variant = self.item(number)
                    self.add(variant, f"variant {path}::{variant['name']}")
                    self.fields(self.kind(variant)[1]["kind"], f"{path}::{variant['name']}")
                self.impls(item, own["impls"], path)
            case "trait":
                bounds = self.bounds(own["bounds"])
                self.add(item, f"trait {path}{self.generics(own['generics'])}" + (f": {bounds}" if bounds else ""))
                for number in own["items"]:
                    self.member(self.item(number), path)
            case "macro" | "proc_macro":
                self.add(item, f"macro {path}")

    def fields(self, kind, path):
        if not isinstance(kind, dict):
            return
        [(shape, own)] = kind.items()
        for number in own if shape == "tuple" else own["fields"]:
            field = self.item(number) if number is not None else None
            # Fields of variants have the visibility of their enum.
            if field and field["visibility"] in ("public", "default"):
                self.add(field, f"field {path}::{field['name']}: {self.type(self.kind(field)[1])}")

    def is_own(self, ty, item):
        """Whether a type is that of the item, or a reference to it."""
        if "borrowed_ref" in ty:
            return self.is_own(ty["borrowed_ref"]["type"], item)
        return "resolved_path" in ty and ty["resolved_path"]["id"] == item["id"]

    def impls(self, owner, impls, path):
        traits = set()
        for number in impls:
            item = self.item(number)
            own = self.kind(item)[1] if item else None
            if own is None or own["is_synthetic"] or own["blanket_impl"]:
                continue
            if own["trait"] is None:
                for member in own["items"]:
                    member = self.item(member)
                    if member and member["visibility"] == "public":
                        self.member(member, path)
            elif self.is_own(own["for"], owner):
                reference = "&" * ("borrowed_ref" in own["for"])
                traits.add(reference + self.path(own["trait"]) + self.where(own["generics"]))
        # The compiler's own, of every type that derives PartialEq.
        traits.discard("StructuralPartialEq")
        if traits:
            self.lines.add(f"impl {path}: {', '.join(sorted(traits))}")

    def member(self, item, path):
        if item is None:
            return
        kind, own = self.kind(item)
        path = f"{path}::{item['name']}"
        if kind == "function":
            self.add(item, self.function(path, own))
        elif kind == "assoc_const":
            self.add(item, f"const {path}: {self.type(own['type'])}")
        elif kind == "assoc_type":
            bounds = self.bounds(own["bounds"])
            self.add(item, f"type {path}" + (f": {bounds}" if bounds else ""))


def order(line):
    """By path, so that an item's members follow it."""
    words = line.removeprefix("#[non_exhaustive] ").removeprefix("#[doc(hidden)] ")
    path = words[words.index(CRATE) :] if CRATE in words else words
    return path.split("(")[0].split("<")[0], words


def main():
    listing = Listing(documentation())
    text = "".join(f"{line}\n" for line in sorted(listing.lines, key=order))
    if sys.argv[1:] == ["--check"]:
        if FILE.read_text() != text:
            sys.exit(f"{FILE.relative_to(ROOT)} is not up to date: run python3 scripts/public_api.py and review the difference")
    else:
        FILE.write_text(text)


if __name__ == "__main__":
    main()
