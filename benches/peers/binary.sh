#!/usr/bin/env bash
# Prints the newest `measure` or `measure-0123…` in a folder, such as target/release/deps after
# `cargo bench --no-run`. A path of a program is printed as it is.
#
#   benches/peers/binary.sh FOLDER
newest=
for candidate in "$1" "$1"/measure "$1"/measure-*; do
    if [ -f "$candidate" ] && [ -x "$candidate" ] && { [ -z "$newest" ] || [ "$candidate" -nt "$newest" ]; }; then newest=$candidate; fi
done
[ -n "$newest" ] || { echo "no program measure or measure-* in $1" >&2 && exit 2; }
echo "$newest"
