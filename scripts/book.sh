#!/usr/bin/env bash
# Renders the guides as a book: target/book/index.html.
#
#   scripts/book.sh
#
# Needs mdbook: of the path, or in target/tools. If there is none, it is compiled there by `cargo
# install`, which takes some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/lib.sh

target=${CARGO_TARGET_DIR:-target}
if ! mdbook=$(PATH=$PATH:$PWD/target/tools/bin command -v mdbook); then
    say "cargo install mdbook, into target/tools"
    cargo install --quiet --locked --root target/tools mdbook
    mdbook=target/tools/bin/mdbook
fi

# Rationale: pages of the whole repository are in the book, and refer to each other by their places.
# So the book's sources are a copy of these files, at the same places.
sources=$target/book-sources
rm -rf "$sources"
mkdir -p "$sources"
{
    # The pages of docs/SUMMARY.md.
    sed -n 's/.*](\(.*\))$/docs\/\1/p' docs/SUMMARY.md
    # What they show, and the files without a page that they lead to.
    find docs examples/data crates/*/docs web/page -name '*.svg' -o -name '*.png'
    printf '%s\n' LICENSE-* docs/public-api.txt
    find shaders src -name '*.wgsl' -o -name '*.rs'
} | sed ':again; s|[^/.][^/]*/\.\./||; t again' | xargs -d '\n' cp --parents -t "$sources"
sed 's/](/](docs\//; :again; s|](docs/\.\./|](|; t again' docs/SUMMARY.md >"$sources/SUMMARY.md"
cat >"$sources/book.toml" <<'END'
[book]
title = "wgpu-fft"
description = "Fast Fourier transforms, transposes and reductions on any GPU, from Rust"
src = "."

[build]
# Without the one that renames README.md, to which pages link.
use-default-preprocessors = false

[output.html]
default-theme = "light"
smart-punctuation = false

[output.html.playground]
runnable = false
END
"$mdbook" build "$sources" --dest-dir "$PWD/$target/book"
say "$target/book/index.html"
