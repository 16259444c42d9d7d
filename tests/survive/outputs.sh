#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# outputs.sh SPOTSIM WORK_DIR: INT, TERM and HUP at many moments of commands that write files. Each
# time the exit code is 130, no file under way is left and no program that draws goes on; a file
# under its final name is whole. A command that ended before the signal has all its files.
set -euo pipefail
spotsim=$1
work=$2/outputs
moments=${SPOT_MOMENTS:-6}
rm -rf "$work"
mkdir -p "$work/in"
cd "$work"
num_interrupted=0
num_done=0

fail() {
    echo "FAILED: $*" >&2
    ls -lR "$work/out" >&2 || true
    cat "$work/stderr" >&2
    exit 1
}

# The programs that draw in the folder of outputs.
drawing() {
    find /proc/[0-9]*/cwd -maxdepth 0 -lname "$work/out" 2>/dev/null || true
}

# wait_for_the_end WHAT: a program that was told to end takes a moment on a busy machine.
wait_for_the_end() {
    local tries=0
    while [ -n "$(drawing)" ]; do
        [ $((tries += 1)) -lt 100 ] || fail "$1: still running: $(drawing)"
        sleep 0.02
    done
}

files_of() {
    find "$1" -type f -printf '%P\n' | sort
}

# check WHAT CODE MAY_STAY...: the files in out are among those of an undisturbed run, and alike, but
# for MAY_STAY.
check() {
    local what=$1 code=$2 file
    shift 2
    case $code in
        130) num_interrupted=$((num_interrupted + 1)) ;;
        0) num_done=$((num_done + 1)) ;;
        *) fail "$what: exit code $code" ;;
    esac
    [ "$code" -eq 0 ] || grep -q '^spotsim: interrupted$' stderr || fail "$what: says nothing"
    while read -r file; do
        case " $* " in *" $file "*) continue ;; esac
        cmp -s "whole/$file" "out/$file" || fail "$what: $file is left"
    done < <(files_of out)
    [ "$code" -ne 0 ] || [ "$(files_of out)" = "$(files_of whole)" ] ||
        fail "$what: exit code 0 without all files"
    wait_for_the_end "$what"
    [ "$(ls in)" = "$inputs" ] || fail "$what: files beside the inputs: $(ls in)"
}

# wait_until_it_listens PID: a signal before the program has its handlers ends it by default, with
# nothing written yet. Returns when TERM (bit 14 of the mask of caught signals) has a handler or the
# program has ended; until exec the mask is the shell's own.
wait_until_it_listens() {
    local mask
    while [ "$(readlink "/proc/$1/exe" 2>/dev/null)" != "" ]; do
        mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null) || mask=
        [ "$(readlink "/proc/$1/exe" 2>/dev/null)" != "$(readlink -f "$spotsim")" ] ||
            [ $((0x${mask:-0} & 0x4000)) -eq 0 ] || return 0
        sleep 0.002
    done
}

# interrupt NAME MAY_STAY COMMAND...: runs the command in out undisturbed, then again and again up to a
# signal at a later and later moment. One that was done by then, as on a machine that is less busy than
# before, shortens the time over which the next moments lie.
interrupt() {
    local name=$1 may_stay=$2 started took number signal pid code
    shift 2
    rm -rf out whole
    mkdir out
    inputs=$(ls in)
    started=$(date +%s%N)
    (cd out && "$spotsim" "$@") >/dev/null 2>stderr || fail "$name"
    took=$(($(date +%s%N) - started))
    mv out whole
    for number in $(seq 1 "$moments"); do
        case $((number % 3)) in 0) signal=INT ;; 1) signal=TERM ;; 2) signal=HUP ;; esac
        mkdir -p out
        (cd out && exec "$spotsim" "$@") >/dev/null 2>stderr &
        pid=$!
        wait_until_it_listens $pid
        sleep "$(printf '%d.%09d' $((took * number / (moments + 1) / 1000000000)) \
            $((took * number / (moments + 1) % 1000000000)))"
        kill -$signal $pid 2>/dev/null || true
        code=0
        wait $pid || code=$?
        [ $code -ne 0 ] || took=$((took * number / (moments + 2)))
        check "$name, $signal at moment $number" $code "$may_stay"
        rm -rf out
    done
}

cat >in/scenario.yaml <<YAML
scenario: outputs
horizon: 6 h
fleet: {capacity: 64, initial: 32, preparation: 180 s}
job: {pipeline_depth: 16, step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}}
trace:
  generator: seed
  preemption: {per_minute: 0.2, count: {normal: {mean: 2.4, std: 2.1}}}
  addition: {per_minute: 0.2, count: {normal: {mean: 2.5, std: 1.9}}}
YAML
{
    echo 'study: outputs'
    echo 'scenario:'
    sed 's/^/  /' in/scenario.yaml
    echo 'sweep: {trace.preemption.per_minute: [0.05, 0.2], job.pipeline_depth: [8, 16]}'
    echo 'replications: {count: 3000}'
} >in/study.yaml
cd in
"$spotsim" study study.yaml -o results.db --threads 2 >/dev/null 2>../stderr || fail "the study"
"$spotsim" trace generate scenario.yaml --horizon '200 d' -o trace.csv 2>../stderr || fail "the trace"
cd ..

interrupt export '' export ../in/results.db -o rows.csv
interrupt 'export --jsonl' '' export ../in/results.db --jsonl -o rows.jsonl
interrupt report '' report ../in/results.db -o report.html
interrupt generate '' trace generate ../in/scenario.yaml --horizon '200 d' -o trace.csv.gz
interrupt convert '' trace convert ../in/trace.csv -o converted.csv
interrupt study 'results.csv.partial' study ../in/study.yaml --threads 2 -o results.csv
interrupt run '' run ../in/scenario.yaml --set 'horizon=40 d' --events events.jsonl --series series
interrupt 'report --svg' '' report ../in/results.db --svg pictures --latex tables.tex
interrupt 'run --plot' '' run ../in/scenario.yaml --plot run.svg
interrupt describe '' trace describe ../in/trace.csv --csv figures.csv --svg pictures
[ $num_interrupted -gt $((num_done * 2)) ] || fail "only $num_interrupted interrupts of $num_done met a command at work"

# A program that draws for long does not outlive the command.
mkdir -p bin
printf '#!/bin/sh\nexec sleep 60\n' >bin/rsvg-convert
chmod +x bin/rsvg-convert
for signal in INT TERM HUP; do
    mkdir out
    (cd out && PATH=$work/bin:$PATH exec "$spotsim" report ../in/results.db --png pictures) 2>stderr &
    pid=$!
    while [ "$(drawing | wc -l)" -lt 2 ] && kill -0 $pid; do # the command and its child
        sleep 0.01
    done
    kill -$signal $pid
    code=0
    wait $pid || code=$?
    [ $code -eq 130 ] || fail "$signal while a program draws: exit code $code"
    wait_for_the_end "$signal while a program draws"
    [ -z "$(find out -name '*.png*')" ] || fail "$signal while a program draws: $(ls out/*)"
    rm -r out
done

# The second signal ends a command at once, and leaves no file of its own either.
mkdir out
(cd out && exec "$spotsim" export ../in/results.db -o rows.csv) 2>stderr &
pid=$!
wait_until_it_listens $pid
kill -INT $pid
kill -TERM $pid 2>/dev/null || true
code=0
wait $pid || code=$?
[ $code -eq 130 ] || fail "two signals: exit code $code"
[ -z "$(ls out)" ] || fail "two signals: $(ls out)"

# nohup: HUP is ignored.
(trap '' HUP && cd out && exec "$spotsim" export ../in/results.db -o rows.csv) 2>stderr &
pid=$!
wait_until_it_listens $pid
kill -HUP $pid
wait $pid || fail "HUP under nohup"
[ "$(ls out)" = rows.csv ] || fail "HUP under nohup"

echo "$num_interrupted interrupts, $num_done commands done before"
