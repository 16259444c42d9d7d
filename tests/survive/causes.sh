#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# causes.sh SPOTSIM WORK_DIR: what stands in the way of a command is named, with its path. One row of the
# table below each: what is set up, the command, its exit code, and what standard error must have. No
# row leaves a file under way.
set -uo pipefail
spotsim=$1
work=$2/causes
rm -rf "$work"
mkdir -p "$work/in"
cd "$work" || exit 1
LC_ALL=C
export LC_ALL
num_rows=0
num_failed=0
num_skipped=0

cat >in/scenario.yaml <<'END'
scenario: causes
horizon: 12 h
job: {step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}}
trace:
  generator: seed
  preemption: {per_minute: 0.2, count: {fixed: 1}}
  addition: {per_minute: 0.2, count: {fixed: 1}}
END
cat >in/study.yaml <<'END'
study: causes
scenario: scenario.yaml
sweep: {fleet.initial: [16, 32]}
replications: {count: 6000}
metrics: [idle_fraction]
END
"$spotsim" study in/study.yaml --threads 2 -o in/results.db >/dev/null 2>stderr || {
    cat stderr
    exit 1
}
"$spotsim" trace generate in/scenario.yaml --horizon '60 d' -o in/trace.csv || exit 1

# Sanitizers reserve more address space than any limit of it.
has_sanitizer=no
grep -qa __asan_init "$spotsim" && has_sanitizer=yes

# row CODE CAUSE SETUP -- COMMAND: SETUP is shell code, run in the subshell of the command, in a folder of
# its own; NAME in CAUSE is the longest name. CAUSE is part of standard error.
row() {
    local code=$1 cause=$2 setup=$3 got=0 left
    shift 4
    num_rows=$((num_rows + 1))
    chmod -R u+w out 2>/dev/null
    rm -rf out
    mkdir out
    (
        cd out || exit 99
        trap '' XFSZ
        eval "$setup" || exit 99
        "$spotsim" "$@"
    ) >stdout 2>stderr </dev/null || got=$?
    left=$(find out -name '.*.spotsim-*' | head -3)
    if [ "$got" -ne "$code" ] || { [ -n "$cause" ] && ! grep -qF -- "$cause" stderr; } || [ -n "$left" ]; then
        echo "FAILED: [$setup] $*: exit code $got, expected $code and \"$cause\"; left: $left"
        head -c 1000 stderr
        num_failed=$((num_failed + 1))
    fi
}

longest=$(printf 'n%.0s' {1..251}).csv
path=$(printf 'folder/%.0s' {1..700})x.csv
no=No
space="$no space left on device"
full=/dev/full

# ---- A disk that is full, at the first byte and at the last ones ----
row 1 "$full: cannot write: $space" : -- run ../in/scenario.yaml -o $full
row 1 "$full: cannot write: $space" : -- run ../in/scenario.yaml --events $full
row 1 "$full: cannot write: $space" : -- run ../in/scenario.yaml --plot $full
row 1 "$full: cannot write: $space" : -- run ../in/scenario.yaml --chrome $full
row 1 "$full: cannot write: $space" : -- study ../in/study.yaml --set replications.count=2 -o $full
row 1 "$full: cannot write: $space" : -- export ../in/results.db -o $full
row 1 "$full: cannot write: $space" : -- report ../in/results.db -o $full
row 1 "$full: cannot write: $space" : -- report ../in/results.db --latex $full
row 1 "$full: cannot write: $space" : -- report ../in/results.db --markdown $full
row 1 "$full: cannot write: $space" : -- trace generate ../in/scenario.yaml --horizon '10 d' -o $full
row 1 "$full: cannot write: $space" : -- trace convert ../in/trace.csv -o $full
row 1 "$full: cannot write: $space" : -- trace describe ../in/trace.csv -o $full
row 1 "$full: cannot write: $space" : -- trace describe ../in/trace.csv --csv $full
row 1 "$full: cannot write: $space" : -- engine train -o $full
row 1 "$full: cannot write: $space" : -- recovery -o $full
for command in "run ../in/scenario.yaml" "export ../in/results.db" "report ../in/results.db" \
    "report ../in/results.db -o -" "trace convert ../in/trace.csv" "engine train" "--help"; do
    # shellcheck disable=SC2086
    row 1 "standard output: cannot write: $space" 'exec >/dev/full' -- $command
done
large='File too large'
row 1 "rows.csv: cannot write: $large" 'ulimit -f 50' -- export ../in/results.db -o rows.csv
row 1 "trace.csv.gz: cannot write: $large" 'ulimit -f 1' -- \
    trace generate ../in/scenario.yaml --horizon '60 d' -o trace.csv.gz
row 1 "page.html: cannot write: $large" 'ulimit -f 50' -- report ../in/results.db -o page.html
row 1 "standard output: cannot write: $large" 'ulimit -f 50; exec >rows.csv' -- export ../in/results.db
row 1 "all.db: cannot write the merged database: $large" 'ulimit -f 100' -- merge all.db ../in/results.db
row 1 "instances.csv: cannot write: $large" 'ulimit -f 2' -- run ../in/scenario.yaml -q --series . -o /dev/null

# ---- Memory ----
if [ $has_sanitizer = no ]; then
    row 1 'GB were asked for, the process may have 2.05e+03 MB (ulimit -v)' 'ulimit -v 2000000' -- \
        study ../in/study.yaml --set replications.count=400000000 --max-memory '100 GB'
else
    num_skipped=$((num_skipped + 1))
fi

# ---- Names ----
row 1 "$longest"n': cannot write: File name too long' : -- export ../in/results.db -o "$longest"n
row 0 '' : -- export ../in/results.db -o "$longest"
row 1 "$path: cannot write: File name too long" : -- export ../in/results.db -o "$path"
row 1 ': cannot write: No such file or directory' : -- export ../in/results.db -o ''
row 1 'none/rows.csv: cannot write: No such file or directory' : -- export ../in/results.db -o none/rows.csv
row 1 'rows.csv: cannot write: Is a directory' 'mkdir rows.csv' -- export ../in/results.db -o rows.csv
row 1 'file/rows.csv: cannot write: Not a directory' 'touch file' -- export ../in/results.db -o file/rows.csv
row 1 'file: expected a folder, but this is none' 'touch file' -- \
    trace generate ../in/scenario.yaml --horizon '1 d' --replications 2 -o file
row 1 'none/in: cannot make this folder: No such file or directory' : -- \
    trace generate ../in/scenario.yaml --horizon '1 d' --replications 2 -o none/in

# ---- Links ----
row 0 '' 'ln -s rows.csv link' -- export ../in/results.db -o link
[ -L out/link ] && [ -s out/rows.csv ] || num_failed=$((num_failed + 1))
row 0 '' 'mkdir a; ln -s ../b a/link; ln -s a/link link' -- export ../in/results.db -o link
[ -L out/link ] && [ -L out/a/link ] && [ -s out/b ] || num_failed=$((num_failed + 1))
row 0 '' 'ln -s new.db link.db' -- study ../in/study.yaml --set replications.count=2 -o link.db
[ -L out/link.db ] && [ -s out/new.db ] || num_failed=$((num_failed + 1))
row 0 '' 'ln -s new.db link.db' -- merge link.db ../in/results.db
[ -L out/link.db ] && [ -s out/new.db ] || num_failed=$((num_failed + 1))
row 0 '' 'ln -s new link' -- trace generate ../in/scenario.yaml --horizon '1 d' --replications 2 -o link
[ -L out/link ] && [ "$(find out/new -name '*.csv' | wc -l)" -eq 2 ] || num_failed=$((num_failed + 1))
row 0 '' 'ln -s new link' -- run ../in/scenario.yaml --series link
row 0 '' 'ln -s new link' -- trace describe ../in/trace.csv --svg link
row 1 'link: cannot write where this link leads, none/x: No such file or directory' \
    'ln -s none/x link' -- export ../in/results.db -o link
row 1 'link: cannot write: Too many levels of symbolic links' 'ln -s link link' -- \
    export ../in/results.db -o link
row 1 'link: cannot make this folder: Too many levels of symbolic links' 'ln -s link link' -- \
    trace generate ../in/scenario.yaml --horizon '1 d' --replications 2 -o link

# ---- No right to write ----
if [ "$(id -u)" -ne 0 ]; then
    row 1 'rows.csv: cannot write: Permission denied' 'touch rows.csv; chmod 444 rows.csv' -- \
        export ../in/results.db -o rows.csv
    row 1 'sub/rows.csv: cannot write: Permission denied' 'mkdir sub; chmod 555 sub' -- \
        export ../in/results.db -o sub/rows.csv
    row 1 'sub/rows.csv: cannot write: its folder takes no new file: Permission denied' \
        'mkdir sub; touch sub/rows.csv; chmod 555 sub' -- export ../in/results.db -o sub/rows.csv
    row 1 'sub/rows.csv: cannot write: Permission denied' 'mkdir sub; chmod 0 sub' -- \
        export ../in/results.db -o sub/rows.csv
    row 1 'sub/in: cannot make this folder: Permission denied' 'mkdir sub; chmod 555 sub' -- \
        trace generate ../in/scenario.yaml --horizon '1 d' --replications 2 -o sub/in
else
    row 1 '/proc/rows.csv: cannot write: ' : -- export ../in/results.db -o /proc/rows.csv
    num_skipped=$((num_skipped + 5))
fi

chmod -R u+w out
echo "$num_rows rows, $num_failed failed, $num_skipped skipped"
[ $num_rows -ge 45 ] && [ $num_failed -eq 0 ]
