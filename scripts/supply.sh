#!/usr/bin/env bash
# The supply chain: licences and sources of dependencies, their oldest versions, and whether the
# package can be made again to the last bit.
#
#   scripts/supply.sh deny       needs cargo-deny (`cargo install cargo-deny`); status 75 without it
#   scripts/supply.sh minimal    the oldest versions that Cargo.toml allows compile
#   scripts/supply.sh package    two packages have equal bytes
set -euo pipefail
cd "$(dirname "$0")/.."

deny() {
    if ! cargo deny --version >/dev/null 2>&1; then
        echo "cargo-deny is not here (cargo install cargo-deny): licences and sources are not checked"
        return 75
    fi
    cargo deny --workspace check bans licenses sources
    # The database of advisories is a repository on GitHub, which may be out of reach.
    cargo deny --workspace check advisories || echo "The advisories could not be checked, or there are some: see above."
}

# In a copy with nothing but the library in its workspace: the other members ask for newer versions.
minimal() {
    local copy=target/minimal
    rm -rf "$copy/tree" && mkdir -p "$copy/tree"
    cp -r Cargo.toml src shaders docs README.md LICENSE-MIT LICENSE-APACHE tests benches crates "$copy/tree/"
    cd "$copy/tree"
    sed -i -e 's/^members = .*/members = ["crates\/interpreter"]/' -e '/^default-members = /d' Cargo.toml
    RUSTC_BOOTSTRAP=1 cargo update -Z direct-minimal-versions
    CARGO_TARGET_DIR=../target cargo check -p wgpu-fft --locked --features ndarray
}

package() {
    local sums=()
    # Not local: the trap runs after this function.
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    for turn in 1 2; do
        cargo package -p wgpu-fft --allow-dirty --no-verify --quiet --target-dir "$folder/$turn"
        sums+=("$(sha256sum <"$(echo "$folder/$turn"/package/*.crate)")")
        # The time must not matter.
        sleep 2
    done
    [ "${sums[0]}" = "${sums[1]}" ] || { echo "two packages differ: ${sums[*]}" && return 1; }
    echo "two packages have equal bytes: ${sums[0]}"
}

case ${1:-} in
    deny | minimal | package) "$1" ;;
    *) sed -n '2,7s/^# \{0,1\}//p' "$0" && exit 2 ;;
esac
