#!/usr/bin/env bash
# Tests the package in web/pkg, and the Rust crate itself, in Chromium: web/tests. scripts/web.sh builds
# the package first.
#
# Needs node 20 with npm, and Chromium: the command $CHROMIUM, or chromium, chromium-browser or
# google-chrome. On Debian and Ubuntu it is installed if there is none and WGPU_FFT_INSTALL=1 or
# CI=true agrees to that.
set -euo pipefail
cd "$(dirname "$0")/.."

say() {
    printf 'web-test.sh: %s\n' "$*"
}

has_chromium() {
    [ -n "${CHROMIUM:-}" ] || command -v chromium chromium-browser google-chrome >/dev/null
}

if ! command -v npm >/dev/null; then
    say 'install node 20 or later, with npm'
    exit 1
fi
if ! has_chromium; then
    install='apt-get install -y --no-install-recommends chromium'
    if ! command -v apt-get >/dev/null || { [ "${WGPU_FFT_INSTALL:-}" != 1 ] && [ "${CI:-}" != true ]; }; then
        say "no Chromium: on Debian \`$install\`, or set CHROMIUM to its command; WGPU_FFT_INSTALL=1 installs it"
        exit 1
    fi
    sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    say "installing: $install"
    $sudo apt-get -qq update || say 'going on with the package lists that there are'
    # shellcheck disable=SC2086 # a command of several words
    $sudo env DEBIAN_FRONTEND=noninteractive $install >/dev/null
fi
if [ ! -e web/pkg/index.js ]; then
    say 'web/pkg has no package: run scripts/web.sh first'
    exit 1
fi
[ -d web/node_modules/playwright-core ] || (cd web && npm ci --silent --no-audit --no-fund)
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
