#!/usr/bin/env bash
# Tests the package in web/pkg, and the Rust crate itself, in Chromium: web/tests. scripts/web.sh builds
# the package first.
#
# Needs node 20 with npm, and Chromium: the command $CHROMIUM, or chromium, chromium-browser or
# google-chrome. On Debian and Ubuntu it is installed after asking (scripts/lib.sh).
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/lib.sh

if [ -z "${CHROMIUM:-}" ] && ! command -v chromium chromium-browser google-chrome >/dev/null; then
    needs chromium chromium || { say 'CHROMIUM names the command of one that is elsewhere'; exit 1; }
fi
if [ ! -e web/pkg/index.js ]; then
    say 'web/pkg has no package: run scripts/web.sh first'
    exit 1
fi
node_tool playwright-core
# The tests that are written in Rust.
target=wasm32-unknown-unknown
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}
cargo build --quiet --profile web -p wgpu-fft-web-tests --target "$target"
cargo build --quiet -p wgpu-fft-bindgen
"$CARGO_TARGET_DIR/debug/wgpu-fft-bindgen" "$CARGO_TARGET_DIR/$target/web/wgpu_fft_web_tests.wasm" web/tests/rust/wasm wgpu_fft_web_tests
cd web
# The types of the package, as its users' compilers see them.
node_modules/.bin/tsc -p tests/types
exec npm test --silent
