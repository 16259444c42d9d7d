#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# shipped_assume.sh SPOTSIM SOURCE_DIR WORK_DIR: shipped scenarios and studies, the examples of the
# engines and what `spotsim init` writes leave nothing that decides time or money to defaults.
set -eu
spotsim=$1
source=$2
work=$3
rm -rf "$work"
mkdir -p "$work"
cp -R "$source/reports" "$source/models" "$work/"
num_files=0

# checks FILE: the file is good, and says everything.
checks() {
    num_files=$((num_files + 1))
    if ! (cd "$(dirname "$1")" && "$spotsim" check "$(basename "$1")" --json >"$work/check.json" 2>"$work/check.txt"); then
        echo "$1: $(cat "$work/check.txt")"
        exit 1
    fi
    if ! grep -q '^  "assumed": \[\],$' "$work/check.json"; then
        echo "$1 assumes:"
        sed -n '/"assumed"/,/\]/p' "$work/check.json"
        exit 1
    fi
}

# What guides make before these are run: any recording, prices and step times will do.
cp "$work/reports/studies/trace-model/recorded.csv" "$work/reports/studies/bamboo-2023/recorded.csv"
cat >"$work/models/sample/advice/week.csv" <<END
# spotsim-trace: 1
# name: week
# start: unknown
# resolution_s: 1
# kind: named
# capacity: 24
time_s,event,count,instances
0,init,2,a b
604800,end,2,
END
printf 'time_s,usd_per_h\n0,9.8\n' >"$work/models/sample/advice/prices.csv"
printf 'D,P,step_ms\n1,12,90000\n2,12,46000\n' >"$work/models/sample/advice/steps.csv"

for file in "$work"/reports/studies/*/*.yaml "$work"/models/sample/*/*.yaml; do
    if grep -q '^scenario:\|^study:' "$file"; then
        checks "$file"
    fi
done
[ "$num_files" -ge 35 ] || { echo "only $num_files shipped scenarios and studies"; exit 1; }

for engine in train schedule serve input tasks; do
    "$spotsim" engine "$engine" --example -o "$work/$engine.yaml"
    checks "$work/$engine.yaml"
    "$spotsim" init --engine "$engine" -o "$work/$engine" >/dev/null 2>&1
    checks "$work/$engine/scenario.yaml"
    checks "$work/$engine/study.yaml"
done
rm -rf "$work"
