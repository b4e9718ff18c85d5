#!/usr/bin/env bash
# The supply chain: licences and sources of dependencies, their oldest versions, and whether the
# package can be made again to the last bit.
#
#   scripts/supply.sh deny       needs cargo-deny (`cargo install cargo-deny`); status 75 without it
#   scripts/supply.sh minimal    the oldest versions that Cargo.toml allows compile
#   scripts/supply.sh msrv       no dependency asks for a newer Rust than Cargo.toml promises, and
#                                that Rust compiles the library, if rustup has it
#   scripts/supply.sh semver REV what was taken from the API since a revision; needs
#                                cargo-semver-checks; status 75 without it
#   scripts/supply.sh package    two packages have equal bytes
set -euo pipefail
cd "$(dirname "$0")/.."

deny() {
    if ! cargo deny --version >/dev/null 2>&1; then
        echo "SKIPPED: licences and sources of dependencies: cargo-deny is not here (cargo install cargo-deny)"
        return 75
    fi
    cargo deny --workspace check bans licenses sources
    # The database of advisories is a repository on GitHub, which may be out of reach.
    cargo deny --workspace check advisories || echo "SKIPPED: advisories: they could not be fetched, or there are some"
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

# The library's own calls of the standard library are checked by clippy, which knows `rust-version`.
msrv() {
    local promised
    promised=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    cargo metadata --format-version 1 --filter-platform "$(rustc -vV | sed -n 's/^host: //p')" | python3 -c '
import json, sys

promised = tuple(map(int, sys.argv[1].split(".")))
data = json.load(sys.stdin)
nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
packages = {package["id"]: package for package in data["packages"]}
todo = [id for id, package in packages.items() if package["name"] == "wgpu-fft"]
seen = set()
while todo:
    id = todo.pop()
    if id in seen:
        continue
    seen.add(id)
    # What only tests and builds of tests take may be newer.
    todo += [dep["pkg"] for dep in nodes[id]["deps"] if any(kind["kind"] != "dev" for kind in dep["dep_kinds"])]
newer = []
for id in seen:
    version = packages[id]["rust_version"]
    if version and tuple(map(int, version.split(".")[:2])) > promised:
        newer.append("%s %s asks for Rust %s" % (packages[id]["name"], packages[id]["version"], version))
print("%d packages, none of which asks for more than Rust %s" % (len(seen), sys.argv[1]) if not newer else "\n".join(newer))
sys.exit(bool(newer))
' "$promised"
    local toolchain
    toolchain=$(rustup toolchain list 2>/dev/null | grep -o "^$promised[^ ]*" | head -n 1 || true)
    if [ -z "$toolchain" ]; then
        echo "SKIPPED: the library by Rust $promised: it is not here (rustup toolchain install $promised)"
        return
    fi
    cargo "+$toolchain" check -p wgpu-fft --target-dir target/msrv --features ndarray
}

semver() {
    if ! cargo semver-checks --version >/dev/null 2>&1; then
        echo "SKIPPED: the API since $1: cargo-semver-checks is not here (cargo install cargo-semver-checks)"
        return 75
    fi
    # Nothing is published yet, so a revision of this repository is the baseline.
    cargo semver-checks -p wgpu-fft --baseline-rev "${1:?which revision?}"
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
    deny | minimal | msrv | package) "$1" ;;
    semver) semver "${2:-}" ;;
    *) sed -n '2,11s/^# \{0,1\}//p' "$0" && exit 2 ;;
esac
