#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# same_bytes.sh WORK_DIR: the commit of this repository, built twice, in two folders with names of
# different lengths: program and library are the same bytes. Two whole builds, so tests/nightly.sh runs
# it and ctest runs hardening.sh. The last line is "tried N, wrong M".
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
num_wrong=0
for name in a folder-with-a-longer-name; do
    rm -rf "${work:?}/$name"
    git clone -q "$source" "$work/$name"
    (cd "$work/$name" && cmake --preset release -DBUILD_TESTING=OFF &&
        cmake --build build/release --target spotsim spotsim_shared) >"$work/$name.log" 2>&1 || {
        tail -n 20 "$work/$name.log"
        echo "tried 2, wrong 2"
        exit 1
    }
done
for file in spotsim libspotsim.so; do
    first=$(find "$work/a/build/release" -name "$file" -type f -o -name "$file" -type l | head -n 1)
    second=$(find "$work/folder-with-a-longer-name/build/release" -name "$file" -type f -o -name "$file" -type l | head -n 1)
    if ! cmp "$first" "$second"; then
        num_wrong=$((num_wrong + 1))
    fi
done
rm -rf "$work/a" "$work/folder-with-a-longer-name"
echo "tried 2, wrong $num_wrong"
[ $num_wrong -eq 0 ]
