# What the other scripts share: `. scripts/lib.sh` in sh or bash.

# Mesa prints a warning if this is not set, although it does not need it.
export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-/tmp}"

# With RUST_BACKTRACE=1, wgpu-core of a debug build takes a backtrace for each of its locks, which
# adds half to the time of a small run. Panics keep theirs.
export RUST_LIB_BACKTRACE="${RUST_LIB_BACKTRACE:-0}"

say() {
    printf '%s: %s\n' "${0##*/}" "$*"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# apt_install PACKAGE…: installs packages of Debian or Ubuntu. If this runs on a terminal, it asks
# before. WGPU_FFT_INSTALL=1 (or CI=true) says yes in advance, and WGPU_FFT_INSTALL=0 says no.
# Without a terminal the answer is no. Fails if nothing was installed.
apt_install() {
    install="apt-get install $*"
    if [ "$(id -u)" != 0 ]; then
        if ! command -v sudo >/dev/null; then
            say "run \`$install\` as root"
            return 1
        fi
        install="sudo $install"
    fi
    answer=n
    if [ -n "${WGPU_FFT_INSTALL:-}" ]; then
        answer=$WGPU_FFT_INSTALL
    elif [ "${CI:-}" = true ]; then
        answer=y
    elif [ -t 0 ]; then
        printf '%s' "${0##*/}: run \`$install\` now? [Y/n] "
        read -r answer || answer=n
        answer=${answer:-y}
    fi
    case $answer in
    1 | [Yy]*) ;;
    *)
        say "nothing was installed. To install it, run \`$install\`, or set WGPU_FFT_INSTALL=1 and run this again."
        return 1
        ;;
    esac
    say "installing: $install"
    as_root apt-get -qq update || say 'apt-get update failed; continuing with the existing package lists.'
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# needs COMMAND PACKAGE: sees to it that a command is there.
needs() {
    command -v "$1" >/dev/null && return
    say "missing: $1"
    if ! command -v apt-get >/dev/null; then
        say "Install it by the package manager of your system; Debian's package is $2."
        return 1
    fi
    apt_install "$2" && command -v "$1" >/dev/null
}

# node_tool PACKAGE: sees to it that a package of web/package.json is in web/node_modules. Needs
# npm.
node_tool() {
    [ -d "web/node_modules/$1" ] && return
    if ! command -v npm >/dev/null; then
        say 'missing: node 20 or later, with npm'
        return 1
    fi
    say "npm ci, for $1"
    (cd web && npm ci --silent --no-audit --no-fund)
}

# built_benchmarks SELECTION…: compiles the program of the benchmarks without optimisation, and prints
# where it is.
built_benchmarks() {
    program=$(cargo bench "$@" --profile dev --bench measure --no-run --message-format=json 2>/dev/null |
        sed -nE 's/.*"executable":"([^"]*\/measure-[^"]*)".*/\1/p' | tail -1)
    [ -n "$program" ] || { cargo bench "$@" --profile dev --bench measure --no-run >&2; return 1; }
    echo "$program"
}

# Adds SwiftShader to the adapters. It is unpacked from Debian's package of Chromium, which is not
# installed. Ubuntu has no such package.
use_swiftshader() {
    swiftshader=$PWD/target/swiftshader/usr/lib/chromium/vk_swiftshader_icd.json
    [ -e "$swiftshader" ] || (
        mkdir -p target/swiftshader && cd target/swiftshader || exit
        rm -f ./*.deb
        apt-get download chromium-common || { as_root apt-get update && apt-get download chromium-common; } || exit
        dpkg-deb --fsys-tarfile ./*.deb | tar -x --wildcards '*swiftshader*' && rm ./*.deb
    ) || return
    # Next to the drivers that the environment or else the system names.
    if [ -n "${VK_DRIVER_FILES:-}" ]; then
        export VK_DRIVER_FILES="$VK_DRIVER_FILES:$swiftshader"
    else
        export VK_ADD_DRIVER_FILES="$swiftshader"
    fi
}
