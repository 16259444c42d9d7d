#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# same_output.sh BEFORE AFTER FOLDER [RUNS]: whether two programs give the same bytes, for a change that
# must change nothing: rows of all shipped studies with RUNS replications (8) of each point, and with those
# of each point together; of the examples of all engines, and of the scenarios beside the studies, the
# JSON of `run` for three seeds, its text, its events and its series. The last line is "compared N, M differ".
set -eu
before=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
after=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
work=$3/same-output
num_runs=${4:-8}
studies=$(cd "$(dirname "$0")/../../reports/studies" && pwd)
rm -rf "$work"
mkdir -p "$work/examples"
num_compared=0
num_different=0

# compare NAME ARGUMENT...: standard output, exit code and what is written into the folder "out".
compare() {
    name=$1
    shift
    for side in before after; do
        eval "program=\$$side"
        rm -rf "$work/$side"
        mkdir -p "$work/$side/out"
        code=0
        (cd "$work/$side" && "$program" "$@" >stdout 2>stderr </dev/null) || code=$?
        sed -i "/ replications run on /d; /%  .* runs, .* left/d" "$work/$side/stderr" # they have times
        echo "$code" >"$work/$side/code"
    done
    num_compared=$((num_compared + 1))
    if ! diff -r "$work/before" "$work/after" >"$work/diff.txt"; then
        num_different=$((num_different + 1))
        echo "$name: spotsim $*"
        head -5 "$work/diff.txt"
    fi
}

scenarios=$(for engine in train schedule serve input tasks; do
    if "$before" engine $engine --example -o "$work/examples/$engine.yaml" >/dev/null 2>&1; then
        echo "$work/examples/$engine.yaml"
    fi
done)
for file in "$studies"/*/*.yaml; do
    if grep -q '^scenario:' "$file" && ! grep -q '^study:' "$file"; then
        scenarios="$scenarios $file"
    fi
done
for file in $scenarios; do
    name=$(basename "$(dirname "$file")")/$(basename "$file")
    for seed in 1 2 3; do
        compare "$name" run "$file" --seed $seed --json
    done
    compare "$name" run "$file"
    compare "$name" run "$file" --series out
    compare "$name" run "$file" --events out/events.jsonl
done
for file in "$studies"/*/study.yaml; do
    name=$(basename "$(dirname "$file")")
    compare "$name" study "$file" --set "replications.count=$num_runs" -o out/rows.csv
    compare "$name" study "$file" --set "replications.count=$num_runs" --json
done
echo "compared $num_compared, $num_different differ"
[ "$num_different" -eq 0 ] && [ "$num_compared" -gt 60 ]
