#!/usr/bin/env bash
# Builds the npm package into web/pkg.
#
#   scripts/web.sh            the package: small, which takes some minutes the first time
#   scripts/web.sh --tests    the same, and beside it what scripts/web-test.sh needs
#   scripts/web.sh --target   only sees to it that Rust can compile for browsers, and fails if not
#
# Needs Rust with the target wasm32-unknown-unknown (added if rustup is there), and node with npm for
# wasm-opt; without npm, a wasm-opt of the path is taken, or the module stays larger.
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/lib.sh

target=wasm32-unknown-unknown

if command -v rustup >/dev/null && ! rustup target list --installed | grep -qx "$target"; then
    say "rustup target add $target"
    rustup target add "$target"
fi
if ! compgen -G "$(rustc --print target-libdir --target "$target")/libstd-*.rlib" >/dev/null; then
    say "Rust has no standard library for $target: install Rust by rustup, or the package of your system that has it"
    exit 1
fi
if [ "${1:-}" = --target ]; then
    exit
fi

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}
# Rationale: the linker's optimisation of a module keeps one core busy for minutes, so two modules
# are made at once.
tests=
[ "${1:-}" != --tests ] || tests='-p wgpu-fft-web-tests'
# shellcheck disable=SC2086 # two arguments or none
cargo build --profile web -p wgpu-fft-web $tests --target "$target"
# The same version of wasm-bindgen, by the same Cargo.lock.
cargo build --quiet -p wgpu-fft-bindgen
rm -rf web/pkg
mkdir -p web/pkg/wasm
"$CARGO_TARGET_DIR/debug/wgpu-fft-bindgen" "$CARGO_TARGET_DIR/$target/web/wgpu_fft_web.wasm" web/pkg/wasm wgpu_fft_web

module=web/pkg/wasm/wgpu_fft_web_bg.wasm
node_tool binaryen || say 'wasm-opt can only be one of the path'
if wasm_opt=$(PATH=web/node_modules/.bin:$PATH command -v wasm-opt); then
    # What rustc uses, and no more: every browser with WebGPU has these.
    "$wasm_opt" -Oz --enable-bulk-memory --enable-bulk-memory-opt --enable-call-indirect-overlong --enable-multivalue \
        --enable-mutable-globals --enable-nontrapping-float-to-int --enable-reference-types --enable-sign-ext \
        --strip-debug --strip-producers --strip-target-features "$module" -o "$module.small"
    mv "$module.small" "$module"
else
    say 'there is no wasm-opt: the module stays larger'
fi

cp web/js/*.js web/js/*.d.ts web/README.md LICENSE-MIT LICENSE-APACHE web/pkg/
cp web/package.publish.json web/pkg/package.json
# What the module's own glue says of its types is no interface.
rm -f web/pkg/wasm/*.d.ts web/pkg/wasm/package.json
say "$(wc -c <"$module") bytes of wasm, $(gzip -9c "$module" | wc -c) gzipped; the package is in web/pkg"
