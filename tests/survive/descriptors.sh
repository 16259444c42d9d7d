#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# descriptors.sh SPOTSIM WORK_DIR: commands with fewer file descriptors than they need fail with exit
# code 1 and name the cause; they take no file for missing or damaged, and change none. With one more
# descriptor each time they work in the end, on whatever the failed ones left.
set -euo pipefail
spotsim=$1
work=$2/descriptors
most=18
rm -rf "$work"
mkdir -p "$work"
cd "$work"
LC_ALL=C
export LC_ALL
num_refused=0

fail() {
    echo "FAILED: $*" >&2
    cat stderr >&2
    exit 1
}

cat >model.yaml <<'END'
generator: seed
preemption: {per_minute: 0.1, count: {fixed: 1}}
addition: {per_minute: 0.1, count: {fixed: 1}}
END
cat >scenario.yaml <<'END'
scenario: few
horizon: 1 h
job: {step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}}
trace: model.yaml
END
cat >study.yaml <<'END'
study: few
scenario: scenario.yaml
sweep: {fleet.initial: [16, 32]}
replications: {count: 4}
metrics: [idle_fraction]
END
"$spotsim" study study.yaml --shard 1/2 -o part.db >stdout 2>stderr || fail "no study"
"$spotsim" study study.yaml --shard 2/2 -o more.db >stdout 2>stderr || fail "no study"
cksum part.db more.db ./*.yaml >inputs

# The loader of programs has to open their libraries one by one.
least=3
until (ulimit -n $least && exec "$spotsim" --version) >stdout 2>stderr; do
    [ $((least += 1)) -le $most ] || fail "no version"
done

# starve COMMAND...: from the fewest descriptors on; some commands do with them.
starve() {
    local n code has_worked=no
    for ((n = least; n <= most; n++)); do
        code=0
        rm -f merged.db # to merge into one that is there takes more
        (ulimit -n "$n" && exec "$spotsim" "$@") >stdout 2>stderr || code=$?
        cksum part.db more.db ./*.yaml | cmp -s - inputs || fail "$* with $n: an input has changed"
        if [ $code -eq 0 ]; then
            has_worked=yes
            continue
        fi
        num_refused=$((num_refused + 1))
        [ $code -eq 1 ] || fail "$* with $n: exit code $code"
        [ $has_worked = no ] || fail "$* with $n: fewer were enough"
        grep -qF 'Too many open files' stderr || fail "$* with $n: the cause is not named"
        ! grep -qiE 'no such|damaged|no right|empty' stderr || fail "$* with $n: a false cause"
        [ ! -s stdout ] || fail "$* with $n: prints $(head -c 200 stdout)"
    done
    [ $has_worked = yes ] || fail "$*: $most are not enough"
}

starve run scenario.yaml
starve run scenario.yaml --events events.jsonl --json
starve study study.yaml -o new.csv
starve study study.yaml -o new.db
starve study study.yaml --plan -o part.db
starve report part.db
starve report part.db --latex report.tex
starve export part.db
starve merge merged.db part.db more.db
for file in new merged; do
    "$spotsim" report $file.db >stdout 2>stderr || fail "$file.db cannot be read"
done
[ $num_refused -ge 15 ] || fail "only $num_refused commands lacked descriptors"
echo "$num_refused commands lacked descriptors"
