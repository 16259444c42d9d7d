#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# out_of_memory.sh SPOTSIM WORK_DIR: commands with less and less memory, which the system enforces.
# Each prints and writes what it does without a limit, or says why not, fails, and leaves no file.
set -euo pipefail
spotsim=$(realpath "$1")
rm -rf "$2/out_of_memory"
mkdir -p "$2/out_of_memory"
cd "$2/out_of_memory"

for engine in train schedule serve input tasks; do
    "$spotsim" engine $engine --example >$engine.yaml
done
cat >study.yaml <<YAML
study: small
scenario: train.yaml
replications: {count: 200}
sweep: {job.reload: [10 s, 20 s, 30 s]}
YAML
cat >model.yaml <<YAML
generator: seed
capacity: 64
initial: 32
preemption: {per_minute: 0.16, count: {fixed: 2}}
addition: {per_minute: 0.14, count: {fixed: 2}}
YAML
num_failed=0 num_refused=0 num_done=0

fail() {
    echo "FAILED: $*" >&2
    num_failed=$((num_failed + 1))
}

# try OUTPUT COMMAND...: OUTPUT is the file or folder that the command writes.
try() {
    local output=$1 limit code
    shift
    rm -rf whole "$output"
    "$spotsim" "$@" -q >whole.txt 2>/dev/null || fail "$*: does not run"
    [ ! -e "$output" ] || mv "$output" whole
    for limit in 1 2 3 3500k 4 4500k 5 6 7 8 9 10 12 14 16 20 25 30 40 60 100 200; do
        code=0
        case $limit in *k) limit="${limit%k} kB" ;; *) limit="$limit MB" ;; esac
        timeout 60 "$spotsim" "$@" -q --max-memory "$limit" >stdout 2>stderr || code=$?
        if [ $code -eq 0 ]; then
            num_done=$((num_done + 1))
            cmp -s stdout whole.txt || fail "$*, $limit: another output"
            case $output in
                *.db) "$spotsim" check "$output" -q >/dev/null || fail "$*, $limit: damaged" ;;
                *) [ ! -e whole ] || diff -rq whole "$output" >/dev/null || fail "$*, $limit: another file" ;;
            esac
        else
            num_refused=$((num_refused + 1))
            [ $code -eq 1 ] || [ $code -eq 2 ] || fail "$*, $limit: exit code $code"
            grep -q 'out of memory\|--max-memory' stderr || fail "$*, $limit: $(head -1 stderr)"
            case $output in # what a database has committed stays, and can be gone on with
                *.db) [ ! -e "$output" ] || "$spotsim" "$@" -q >/dev/null || fail "$*, $limit: is stuck" ;;
                svg) [ ! -e svg ] || ! diff -rq whole svg | grep -v '^Only in whole' || fail "$*, $limit: a picture is not whole" ;;
                *) [ ! -e "$output" ] || fail "$*, $limit: $output is left" ;;
            esac
        fi
        [ -z "$(find . -name '.*spotsim-*')" ] || fail "$*, $limit: $(find . -name '.*spotsim-*') is left"
        rm -rf "$output" "$output"-wal "$output"-shm
    done
}

for engine in train schedule serve input tasks; do
    try series run $engine.yaml --series series
done
try page.html run train.yaml --plot page.html
try rows.csv study study.yaml -o rows.csv --threads 4
try rows.db study study.yaml -o rows.db --threads 4
"$spotsim" study study.yaml -o kept.db -q >/dev/null
try report.html report kept.db -o report.html
try rows.jsonl export kept.db --jsonl -o rows.jsonl
try trace.csv trace generate model.yaml --set horizon_s=864000 -o trace.csv
"$spotsim" trace generate model.yaml --set horizon_s=2592000 -o long.csv -q
try fit.csv trace fit long.csv --csv fit.csv
try svg trace describe long.csv --svg svg
try none serve plan serve.yaml --csv -
echo "$num_done done, $num_refused refused"
[ $num_failed -eq 0 ] && [ $num_refused -gt 20 ] && [ $num_done -gt 100 ]
