#!/usr/bin/env bash
# Tests the package in web/pkg, and the Rust crate itself, in Chromium: web/tests. Then a share of the
# tests of the package in Firefox, in Deno, and in Node on Dawn, and with WGPU_FFT_THOROUGH=1 all of
# those. scripts/web.sh builds the package first.
#
# Needs node 20 with npm, and Chromium: the command $CHROMIUM, or chromium, chromium-browser or
# google-chrome. On Debian and Ubuntu it is installed after asking (scripts/lib.sh). Firefox is
# $FIREFOX, firefox or firefox-esr, and with Deno it needs a Vulkan driver; Dawn takes SwiftShader.
# What of these cannot be had is skipped.
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
node_tool deno
# The tests that are written in Rust.
target=wasm32-unknown-unknown
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}
cargo build --quiet --profile web -p wgpu-fft-web-tests --target "$target"
cargo build --quiet -p wgpu-fft-bindgen
"$CARGO_TARGET_DIR/debug/wgpu-fft-bindgen" "$CARGO_TARGET_DIR/$target/web/wgpu_fft_web_tests.wasm" web/tests/rust/wasm wgpu_fft_web_tests
cd web
# The types of the package, as its users' compilers see them.
node_modules/.bin/tsc -p tests/types
npm test --silent
cd ..

# Ubuntu's package of Firefox is none.
if ! scripts/adapter.sh; then
    say 'SKIPPED: the package in Firefox and in Deno: there is no Vulkan driver'
else
    if [ -n "${FIREFOX:-}" ] || command -v firefox >/dev/null || needs firefox-esr firefox-esr; then
        export WGPU_FFT_BROWSER=firefox
        (cd web && node --test --test-reporter=spec tests/browser.test.js)
        if [ "${WGPU_FFT_THOROUGH:-}" = 1 ]; then
            (cd web && node --test --test-reporter=spec --test-name-pattern='^the example shows' tests/ui/filter.test.js)
        fi
    else
        say 'SKIPPED: the package in Firefox: there is no Firefox'
    fi
    if web/node_modules/.bin/deno --version >/dev/null; then
        (cd web && node_modules/.bin/deno test --allow-all --no-check tests/outside.js)
    else
        say 'SKIPPED: the package in Deno: npm has no Deno for this system'
    fi
fi
# Rationale: Dawn refuses the lavapipe of Debian 12.
if use_swiftshader; then
    (cd web && node --test --test-reporter=spec tests/outside.js)
else
    say 'SKIPPED: the package in Node on Dawn: SwiftShader could not be had'
fi
