#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# killed.sh SPOTSIM WORK_DIR: commands that write files are killed with KILL while they write. What is left
# is the old file, or the whole new one, and at most files under way, .NAME.spotsim-PID; the next run
# removes them, and nothing else.
set -euo pipefail
spotsim=$1
work=$2/killed
moments=${SPOT_MOMENTS:-6}
rm -rf "$work"
mkdir -p "$work/in"
cd "$work"
num_killed=0
num_left=0

fail() {
    echo "FAILED: $*" >&2
    ls -lAR "$work/out" >&2 || true
    cat "$work/stderr" >&2
    exit 1
}

files_of() {
    find "$1" -type f -printf '%P\n' | sort
}

# check WHAT: what a killed command left in out.
check() {
    local file name
    while read -r file; do
        name=${file##*/}
        if [[ $name =~ ^\.(.*)\.spotsim-[1-9][0-9]*(-[1-9][0-9]*)?$ ]]; then
            [ -e "whole/$(dirname "$file")/${BASH_REMATCH[1]}" ] || fail "$1: $file is that of no output"
            num_left=$((num_left + 1))
        elif [[ $name != mine* ]]; then
            cmp -s "whole/$file" "out/$file" || [ "$(cat "out/$file")" = old ] || fail "$1: $file is partial"
        fi
    done < <(files_of out)
}

# kill_it NAME COMMAND...: runs the command in out undisturbed, then kills it at a later and later moment,
# each time on top of what the last one left; in the end it runs whole.
kill_it() {
    local name=$1 started took number pid mine
    shift
    rm -rf out whole
    mkdir out
    started=$(date +%s%N)
    (cd out && "$spotsim" "$@") >/dev/null 2>stderr || fail "$name"
    took=$(($(date +%s%N) - started))
    mv out whole
    mkdir out
    while read -r file; do
        mkdir -p "out/$(dirname "$file")"
        echo old >"out/$file"
        # Of a PID that was used before, or is in use; and what only looks like one.
        for mine in ".$(basename "$file").spotsim-1" ".$(basename "$file").spotsim-$$-2"; do
            echo stale >"out/$(dirname "$file")/$mine"
        done
        echo mine >"out/$(dirname "$file")/mine-$(basename "$file").spotsim-1"
    done < <(case $name in merge) ;; *) files_of whole ;; esac)
    for number in $(seq 1 "$moments"); do
        (cd out && exec "$spotsim" "$@") >/dev/null 2>stderr &
        pid=$!
        sleep "$(printf '%d.%09d' $((took * number / (moments + 1) / 1000000000)) \
            $((took * number / (moments + 1) % 1000000000)))"
        kill -KILL $pid 2>/dev/null || true
        wait $pid 2>/dev/null || num_killed=$((num_killed + 1))
        check "$name, moment $number"
        [ "$name" != merge ] || rm -f out/all.db
    done
    (cd out && "$spotsim" "$@") >/dev/null 2>stderr || fail "$name, in the end"
    [ "$(files_of out | grep -cE '(^|/)\..*\.spotsim-')" = 0 ] || fail "$name: the next run leaves files under way"
    while read -r file; do
        [ "$name" = merge ] || cmp -s "whole/$file" "out/$file" || fail "$name: another $file in the end"
        [ "$name" = merge ] || [ -e "out/$(dirname "$file")/mine-$(basename "$file").spotsim-1" ] ||
            fail "$name: a file of the user is gone"
    done < <(files_of whole)
}

cat >in/scenario.yaml <<'YAML'
scenario: killed
horizon: 40 d
fleet: {capacity: 64, initial: 32, preparation: 180 s}
job: {pipeline_depth: 16, step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}}
trace:
  generator: seed
  preemption: {per_minute: 0.2, count: {normal: {mean: 2.4, std: 2.1}}}
  addition: {per_minute: 0.2, count: {normal: {mean: 2.5, std: 1.9}}}
YAML
{
    echo 'study: killed'
    echo 'scenario:'
    sed 's/^/  /; s/40 d/6 h/' in/scenario.yaml
    echo 'sweep: {trace.preemption.per_minute: [0.05, 0.2], job.pipeline_depth: [8, 16]}'
    echo 'replications: {count: 3000}'
} >in/study.yaml
"$spotsim" study in/study.yaml -o in/results.db --threads 2 >/dev/null 2>stderr || fail "the study"
"$spotsim" trace generate in/scenario.yaml --horizon '200 d' -o in/trace.csv 2>stderr || fail "the trace"

kill_it export export ../in/results.db -o rows.csv
kill_it report report ../in/results.db -o report.html
kill_it generate trace generate ../in/scenario.yaml --horizon '200 d' -o trace.csv.gz
kill_it folder trace generate ../in/scenario.yaml --horizon '20 d' --replications 8 -o traces
kill_it convert trace convert ../in/trace.csv -o converted.csv
kill_it run run ../in/scenario.yaml --events events.jsonl --series series
kill_it pictures report ../in/results.db --svg pictures --latex tables.tex
kill_it merge merge all.db ../in/results.db
[ $num_killed -ge $((moments * 4)) ] || fail "only $num_killed commands were killed"
[ $num_left -ge "$moments" ] || fail "only $num_left files under way were left"

# Two writers at once: each has its own file under way, and one whole file is there in the end.
rm -rf out
mkdir out
(cd out && "$spotsim" export ../in/results.db -o rows.csv) 2>stderr &
pid=$!
(cd out && "$spotsim" export ../in/results.db -o rows.csv) 2>stderr || fail "the first of two writers"
wait $pid || fail "the second of two writers"
[ "$(ls -A out)" = rows.csv ] || fail "two writers: $(ls -A out)"
(cd out && "$spotsim" export ../in/results.db -o one.csv && cmp rows.csv one.csv) 2>stderr || fail "two writers"

echo "$num_killed commands were killed and left $num_left files under way"
