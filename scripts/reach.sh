#!/usr/bin/env bash
# Compiles the kernels that the rules choose for GPUs that are not here, by the real compilers of
# Mesa's Vulkan drivers, and compares registers, spills and occupancy with the report.
#
#   scripts/reach.sh             all chips, all cases, against the report (`make reach`)
#   scripts/reach.sh quick       four of AMD, the table `anchors`, by a Mesa that does not change any
#                                more: less than a minute after the build
#   scripts/reach.sh bless       all of both, and writes the report anew
#   scripts/reach.sh sums        whether the drivers' own code has all of double-single arithmetic, which
#                                the first of these does as well
#   scripts/reach.sh CHIP ARGUMENTS…   the statistics of one chip, with arguments of the benchmark
#                                `reach`, such as --spec "c2c fwd 4096x4096". Beside those of the table also
#                                mali-g610, v3d and powervr, whose drivers exist for ARM alone: the benchmark
#                                is built for it and runs in QEMU, at a minute and more for each kernel
#
# Debian's package mesa-drm-shim has libraries that answer in place of the kernel's drivers, but for
# Intel's, for which scripts/reach/intel.c does. So Mesa finds a chip that is not there and compiles for
# it; what is submitted is thrown away. Mesa comes from Debian unstable, or from the backports of Debian
# 12, with its own C library. It is unpacked into target/reach, 420 MB each; nothing is installed, but for
# ARM a compiler and QEMU. Needs x86-64, apt-get and dpkg-deb of Debian or Ubuntu, a C compiler, and Python 3.
#
# Exit status: 0 if nothing is worse than in the report, 75 if the drivers could not be had.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

report=benches/reports/reach
amd='polaris10 vega10 navi10 navi31'
intel='uhd630 icelake tigerlake a770 meteorlake lunarlake b580 pantherlake'
chips="$amd raven vega20 renoir navi21 phoenix strix1 gfx1201 adreno630 adreno660 adreno740 adreno750 m1 nvk $intel"
arm='mali-g610 v3d powervr'
# Apple's driver tells no code.
tell_code=${chips/ m1/}

out_of_reach() {
    say "SKIPPED: compiling for chips that are not here: $1"
    exit 75
}

# fetch: unpacks Mesa of a suite of Debian and its shims, with the libraries that they need.
fetch() {
    local apt=$folder/apt debian origin suite
    [ "$(uname -m)" = x86_64 ] || out_of_reach 'the shims are for x86-64'
    local tool
    for tool in apt-get dpkg-deb cc; do
        command -v "$tool" >/dev/null || out_of_reach "there is no $tool"
    done
    say "unpacking Mesa of Debian's $suites into $folder"
    rm -rf "$folder"
    mkdir -p "$apt"/{lists/partial,cache/archives/partial,debs} "$folder"/{root,icd}
    touch "$apt/status"
    # Where this system gets its packages from, if that is Debian's, or else Debian itself.
    debian=$(grep -ohE 'https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -1 || true)
    [ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || apt_install debian-archive-keyring || out_of_reach "Debian's keys are missing"
    origin="[arch=$architecture signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${debian:-http://deb.debian.org/debian}"
    for suite in $suites; do echo "deb $origin $suite main"; done >"$apt/list"
    local own=(-qq -o "Dir::Etc::sourcelist=$apt/list" -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferencesparts=/dev/null
        -o "Dir::State::lists=$apt/lists" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache"
        -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" -o APT::Sandbox::User=root -o "APT::Default-Release=${suites%% *}")
    apt-get "${own[@]}" update || out_of_reach 'Debian does not answer'
    # Nothing is installed by this status, so this names all that they need.
    local names
    names=$(apt-get "${own[@]}" install -y --no-install-recommends --print-uris \
        mesa-vulkan-drivers mesa-drm-shim libvulkan-dev libdrm-dev linux-libc-dev |
        sed -nE "s/^'[^']*' ([^_ ]+)_.*/\1/p") || out_of_reach 'its packages do not fit together today'
    # shellcheck disable=SC2086 # a list of words
    (cd "$apt/debs" && apt-get "${own[@]}" download $names) || out_of_reach 'its packages could not be downloaded'
    for deb in "$apt"/debs/*.deb; do dpkg-deb -x "$deb" "$folder/root"; done
    rm -r "$apt/debs" "$apt/cache"
    # Not those of another C library.
    mkdir "$folder/headers" && cp -r "$folder"/root/usr/include/{asm-generic,drm,libdrm,linux,vk_video,vulkan,xf86drm.h} "$folder/headers"
    # Intel's driver for older chips than ours has the same beginning of its name.
    rm -f "$folder"/root/usr/share/vulkan/icd.d/intel_hasvk*
    for json in "$folder"/root/usr/share/vulkan/icd.d/*.json; do
        sed -E "s#(\"library_path\": *\")([^\"]*/)?([^\"/]+)\"#\1$folder/root/usr/lib/$machine-linux-gnu/\3\"#" "$json" \
            >"$folder/icd/$(basename "$json" | sed 's/[_.].*//').json"
    done
    cat >"$folder/layer.json" <<END
{"file_format_version": "1.1.2", "layer": {"name": "VK_LAYER_reach", "type": "GLOBAL", "library_path": "$folder/layer.so",
"api_version": "1.3.0", "implementation_version": "1", "description": "statistics of pipelines",
"functions": {"vkGetInstanceProcAddr": "reach_instance", "vkGetDeviceProcAddr": "reach_device"}}}
END
}

# on CHIP COMMAND…: runs a program of this system on a chip that is not there.
on() {
    local chip=$1 lib=$folder/root/usr/lib/$machine-linux-gnu icd=radeon shim=amdgpu preload loader
    # Of older suites the C library is not below usr.
    loader=$(find "$folder/root" -path "*/$machine-linux-gnu/ld-linux-*" -print -quit)
    shift
    case $chip in
    adreno*) icd=freedreno shim=freedreno ;;
    m1) icd=asahi shim=asahi ;;
    nvk) icd=nouveau shim=nouveau ;;
    mali-*) icd=panfrost shim=panfrost ;;
    v3d) icd=broadcom shim=v3d ;;
    powervr) icd=powervr shim=powervr ;;
    esac
    preload=$lib/lib${shim}_noop_drm_shim.so
    [[ " $intel " != *" $chip "* ]] || icd=intel preload=$folder/intel.so
    rm -f "$folder/statistics"
    touch "$folder/statistics"
    env REACH_STATISTICS="$folder/statistics" VK_DRIVER_FILES="$folder/icd/$icd.json" VK_ADD_DRIVER_FILES= VK_LAYER_PATH="$folder" \
        VK_INSTANCE_LAYERS=VK_LAYER_reach AMDGPU_GPU_ID="$chip" FD_GPU_ID="${chip#adreno}" REACH_INTEL="$chip" \
        PAN_GPU_ID=a867 MESA_SHADER_CACHE_DISABLE=true WGPU_FFT_RECORD= \
        "${emulator[@]}" "$loader" --library-path "$lib:${loader%/*}" --preload "$preload" "$@"
}

read -ra selection <<<"${WGPU_FFT_CARGO_SELECTION:--p wgpu-fft}"
built() {
    [ -d "$folder/headers" ] || fetch
    local headers=$folder/headers
    local compile=("$compiler" -O1 -Wall -Wextra -shared -fPIC -isystem "$headers" -isystem "$headers/libdrm")
    "${compile[@]}" -o "$folder/layer.so" scripts/reach/statistics.c
    "${compile[@]}" -o "$folder/intel.so" scripts/reach/intel.c
    program=$(built_benchmarks "${selection[@]}")
}

# compile_for CHIP ARGUMENTS…: the lines of JSON of a chip.
compile_for() {
    local chip=$1
    shift
    say "compiling for $chip"
    on "$chip" "$program" reach --json "$@" >"$folder/$chip.jsonl" 2>"$folder/$chip.log" || {
        cat "$folder/$chip.log"
        say "$chip: see above"
        return 1
    }
}

# all CHIPS MODE ARGUMENTS…
all() {
    local failed=0
    built
    for chip in $1; do compile_for "$chip" "${@:3}" || failed=1; done
    # shellcheck disable=SC2086 # a list of words
    python3 scripts/reach/table.py "$2" "$report/${folder##*/}" "$folder" $1 || failed=1
    return "$failed"
}

# code NAME ARGUMENTS…: the lines of JSON and the code of all chips, for double-single arithmetic.
code() {
    local name=$1 chip
    for chip in $tell_code; do
        export REACH_CODE=$folder/code/$name/$chip
        rm -rf "$REACH_CODE"
        mkdir -p "$REACH_CODE"
        compile_for "$chip" --with f64-by-f32 "${@:2}" || return
        mv "$folder/$chip.jsonl" "$REACH_CODE/lines.jsonl"
    done
    unset REACH_CODE
}

# sums MODE
sums() {
    code hidden && code naive --naive || return
    # shellcheck disable=SC2086 # a list of words
    python3 scripts/reach/additions.py "$1" "$report/sums.txt" "$folder/code" $tell_code
}

# use FOLDER SUITES: from where Mesa comes.
use() {
    folder=$PWD/target/reach/$1 suites=$2 architecture=amd64 machine=x86_64 compiler=cc emulator=()
}
frozen() { use bookworm 'bookworm-backports bookworm'; }
newest() { use unstable sid; }
newest_of_arm() {
    use arm64 sid
    architecture=arm64 machine=aarch64 compiler=aarch64-linux-gnu-gcc emulator=(qemu-aarch64-static)
    local target=$machine-unknown-linux-gnu
    needs "$compiler" gcc-aarch64-linux-gnu && needs "${emulator[0]}" qemu-user-static && rustup target add "$target" ||
        out_of_reach 'there is no compiler for ARM, or no QEMU'
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=$compiler
    selection+=(--target "$target")
}

case ${1:-} in
'')
    newest
    all "$chips" --compare || failed=1
    sums --compare || failed=1
    exit "${failed:-0}"
    ;;
quick) frozen && all "$amd" --compare --table anchors ;;
bless)
    frozen && all "$amd" --write --table anchors
    newest && all "$chips" --write
    sums --write
    ;;
sums) newest && built && sums --compare ;;
*)
    if [[ " $arm " = *" $1 "* ]]; then newest_of_arm; else newest; fi
    built
    on "$1" "$program" reach "${@:2}"
    ;;
esac
