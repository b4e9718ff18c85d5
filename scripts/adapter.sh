#!/bin/sh
# Makes sure that there is an adapter to compute on: a GPU, or else a software adapter.
#
#   scripts/adapter.sh
#
# On Linux it looks for the Vulkan loader and for drivers in the places that the loader searches. If
# there are none on a system with apt (Debian, Ubuntu), it installs the software adapter lavapipe.
# On other systems it prints what to install. If it runs on a terminal, it asks before it installs
# anything. Set WGPU_FFT_INSTALL=1 (or CI=true) to answer yes in advance, and WGPU_FFT_INSTALL=0 to
# answer no. Without a terminal the answer is no.
#
# Exit status: 0 if there is an adapter, 1 if there is none.
set -eu

. "$(dirname "$0")/lib.sh"

# Prints the drivers' JSON files. If the environment replaces the system's list, these are the named
# ones; otherwise the system's, and those that the environment adds.
driver_files() (
    places=${VK_DRIVER_FILES:-${VK_ICD_FILENAMES:-}}
    # The lists are separated by colons, and * has no special meaning in them.
    IFS=:
    set -f
    if [ -z "$places" ]; then
        places=${VK_ADD_DRIVER_FILES:-}
        for root in ${XDG_CONFIG_HOME:-${HOME:-}/.config}:${XDG_CONFIG_DIRS:-/etc/xdg}:/etc:/usr/local/etc \
            ${XDG_DATA_HOME:-${HOME:-}/.local/share}:${XDG_DATA_DIRS:-/usr/local/share:/usr/share}:/usr/local/share:/usr/share; do
            places=$places:$root/vulkan/icd.d
        done
    fi
    for place in $places; do
        # An entry is a file or a folder of files.
        [ -z "$place" ] || find -L "$place" -maxdepth 1 -name '*.json' 2>/dev/null || true
    done
)

has_loader() (
    # ldconfig is not in every user's PATH, and some Linux systems do not have it.
    PATH=$PATH:/usr/sbin:/sbin
    if ldconfig -p 2>/dev/null | grep -q 'libvulkan\.so\.1'; then
        exit 0
    fi
    IFS=:
    set -f
    for folder in ${LD_LIBRARY_PATH:-}:/usr/lib:/usr/lib64:/usr/local/lib; do
        if [ -n "$folder" ] && [ -e "$folder/libvulkan.so.1" ]; then
            exit 0
        fi
    done
    exit 1
)

found() {
    drivers=$(driver_files | sort -u)
    [ -n "$drivers" ] && has_loader
}

say_found() {
    say "found the Vulkan loader and these drivers:"
    printf '%s\n' "$drivers" | sed 's/^/    /'
}

case $(uname -s) in
Linux) ;;
Darwin)
    say 'macOS has Metal: nothing to install.'
    exit 0
    ;;
MINGW* | MSYS* | CYGWIN* | Windows*)
    say 'Windows has DX12, and a software adapter if there is no GPU. For a GPU, install the driver of its vendor.'
    exit 0
    ;;
*)
    say "this script does not support $(uname -s): install the Vulkan loader and a Vulkan driver."
    exit 1
    ;;
esac

if found; then
    say_found
    exit 0
fi

if [ -n "${VK_DRIVER_FILES:-${VK_ICD_FILENAMES:-}}" ]; then
    say 'no adapter. VK_DRIVER_FILES or VK_ICD_FILENAMES hides the drivers of the system but names no driver, or the loader'
    say "libvulkan.so.1 is missing. Unset the variable, or set it to a driver's JSON file."
    exit 1
fi

if ! command -v apt-get >/dev/null; then
    say 'no adapter. Install the Vulkan driver of your GPU, or the software adapter lavapipe:'
    say '    Fedora:   dnf install mesa-vulkan-drivers vulkan-loader'
    say '    Arch:     pacman -S vulkan-swrast vulkan-icd-loader'
    say '    Alpine:   apk add mesa-vulkan-swrast vulkan-loader'
    say '    openSUSE: zypper install libvulkan_lvp libvulkan1'
    exit 1
fi

say 'found no Vulkan driver, or no Vulkan loader. The software adapter lavapipe works without a GPU.'
apt_install mesa-vulkan-drivers libvulkan1 || exit 1
if ! found; then
    say 'no adapter, although the packages are installed.'
    exit 1
fi
say_found
