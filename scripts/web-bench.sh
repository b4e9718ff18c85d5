#!/usr/bin/env bash
# Measures the package in web/pkg beside other libraries in Chromium, and prints a table.
#
#   scripts/web-bench.sh [SECONDS]    seconds per library and transform, 3 by default
#
# scripts/web.sh builds the package first; scripts/web-test.sh says what else is needed. The other
# libraries come from npm.
set -euo pipefail
cd "$(dirname "$0")/.."

target=wasm32-unknown-unknown
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}
RUSTFLAGS='-C target-feature=+simd128' cargo build --quiet --release -p wgpu-fft-web-bench --target "$target"
cargo build --quiet -p wgpu-fft-bindgen
"$CARGO_TARGET_DIR/debug/wgpu-fft-bindgen" "$CARGO_TARGET_DIR/$target/release/wgpu_fft_web_bench.wasm" web/bench/wasm wgpu_fft_web_bench
# Apart from the tools of the tests, which need none of it.
(cd web && npm install --silent --no-audit --no-fund --no-save --no-package-lock fft.js@4.0.4 \
    @tensorflow/tfjs-core@4.22.0 @tensorflow/tfjs-backend-cpu@4.22.0 @tensorflow/tfjs-backend-webgpu@4.22.0)
exec node web/bench/run.js "$@"
