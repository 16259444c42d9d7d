#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# hardening.sh PROGRAM LIBRARY BUILD_DIR SOURCE_DIR: what users run is built with what SECURITY.md says,
# and nothing of it depends on the folder that it is built in: neither folder stands in it, and three
# sources with what they include, copied to another folder, compiled and linked as here, are the same
# bytes. tests/structure/same_bytes.sh compares whole builds.
set -eu
program=$1
library=$2
build=$(cd "$3" && pwd)
source=$(cd "$4" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
num_wrong=0
wrong() {
    echo "$*" >&2
    num_wrong=$((num_wrong + 1))
}

for file in "$program" "$library"; do
    readelf -hW "$file" >"$work/head"
    readelf -lW "$file" >"$work/segments"
    readelf -dW "$file" >"$work/dynamic"
    readelf -W --dyn-syms "$file" >"$work/symbols"
    grep -q 'Type: *DYN' "$work/head" || wrong "$file: not position-independent"
    grep -q 'GNU_RELRO' "$work/segments" || wrong "$file: no RELRO"
    grep -q 'BIND_NOW\|Flags:.*NOW' "$work/dynamic" || wrong "$file: RELRO is not full"
    grep 'GNU_STACK' "$work/segments" | grep -q 'RW ' || wrong "$file: the stack is executable"
    grep -q '__stack_chk_fail' "$work/symbols" || wrong "$file: no stack protector"
    grep -q '__snprintf_chk\|__vsnprintf_chk' "$work/symbols" || wrong "$file: no _FORTIFY_SOURCE"
    for folder in "$source/" "$build/"; do
        ! grep -qaF "$folder" "$file" || wrong "$file: holds $folder"
    done
done

sources="base/calendar.c base/csv.c base/rng.c"
mkdir "$work/elsewhere"
cp -r "$source/base" "$work/elsewhere/base"
# link FOLDER NAME: the sources of a folder, compiled by the commands of this build.
link() {
    mkdir "$work/$2"
    for name in $sources; do
        object=$work/$2/$(basename "$name" .c).o
        sed -n "s|^ *\"command\": \"\(.*\) -o [^ ]* -c $source/$name\",\$|\1|p" "$build/compile_commands.json" |
            sed "s|$source\([/ ]\)|$1\1|g" >"$work/command"
        test -s "$work/command" || { wrong "$name is not compiled" && return; }
        grep -q -- "-ffile-prefix-map=$1/=" "$work/command" || wrong "$name is compiled without -ffile-prefix-map"
        (cd "$work" && eval "$(cat "$work/command") -o $object -c $1/$name") || wrong "$name is not compiled"
        LC_ALL=C grep -qa "$name" "$object" || wrong "$name does not name itself: the comparison says nothing"
    done
    compiler=$(sed 's/ .*//' "$work/command")
    "$compiler" -shared -O2 -Wl,--unresolved-symbols=ignore-all -o "$work/$2.so" "$work/$2"/*.o
}
link "$source" here
link "$work/elsewhere" there
cmp "$work/here.so" "$work/there.so" || wrong "the folder changes the bytes of: $sources"
[ $num_wrong -eq 0 ] || exit 1
echo "$program and its library: full RELRO, stack protector, checked copies, the same bytes in any folder"
