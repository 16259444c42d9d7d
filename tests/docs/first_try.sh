#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# first_try.sh SPOTSIM WORK_DIR: what `spotsim --help` proposes as a first try runs in an empty folder,
# line by line.
set -eu
rm -rf "$2"
mkdir -p "$2/bin" "$2/empty"
ln -s "$1" "$2/bin/spotsim"
PATH="$2/bin:$PATH"
cd "$2/empty"
spotsim --help | sed -n '/First try/,$p' | sed -n 's/^  //p' >../lines
test -s ../lines
cat ../lines
sh -e ../lines >../printed 2>&1 || {
    cat ../printed >&2
    exit 1
}
