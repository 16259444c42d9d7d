#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# estimators_agree.sh SPOTSIM WORK: an estimator says the same of a job in the engine, where
# jobs wait, end and are dropped, as in `spotsim schedule estimate`: with the table that the
# latter writes a run has the same result. Four weeks of an invented log, which starts at no
# whole minute; several jobs are submitted in one second; often one ends in the next second;
# some have no room in their VC.
set -u
spotsim=$1
work=$2
mkdir -p "$work" || exit 1
awk '
    function draw(n) { state = (state * 1103515245 + 12345) % 2147483648; return int(state / 65536) % n }
    BEGIN {
        state = 1
        print "job_id,user,vc,gpu_num,submit_time,duration"
        time = 1037
        for (job = 1; job <= 1400; job++) {
            user = draw(200)
            gpus = 2 ^ draw(5)
            if (job % 90 == 0) { gpus = 128 }
            seconds = 30 * 2 ^ (user % 6) + draw(2000) * (gpus > 4 ? 4 : 1)
            seconds = int(seconds / 900 + 1) * 900 + 1
            printf "j%d,u%d,%s,%d,%d,%d\n", job, user, draw(3) == 0 ? "b" : "a", gpus, time, seconds
            time += draw(4) > 0 ? 0 : draw(8) * 900
        }
    }' >"$work/log.csv"
cat >"$work/log.yaml" <<END
scenario: agree
engine: schedule
jobs: {log: log.csv, oversize: drop}
cluster: {vcs: {a: 4, b: 3}, start: 0 s}
policy: qssf
qssf: {estimator: oracle, sigma: 1}
lucid: {estimator: oracle, sigma: 1, profiler: {from: {a: 1}, limit: 300 s, gpu_limit: 4}, packing: {switch: never}}
END
num_failed=0

# result NAME ARGUMENT...: the run with these arguments.
result() {
    name=$1
    shift
    "$spotsim" run "$work/log.yaml" -q --json -o "$work/$name.json" "$@" || exit 1
}

for method in oracle noisy running-mean gam; do
    "$spotsim" schedule estimate "$work/log.csv" --method "$method" --seed 3 \
        -o "$work/$method.csv" >"$work/errors.txt" || exit 1
    for policy in qssf lucid; do
        result own --seed 3 --set policy="$policy" --set "$policy.estimator=$method" \
            --set "$policy.history=nominal"
        result table --seed 3 --set policy="$policy" --set "$policy.estimator=table" \
            --set "jobs.estimates={file: $work/$method.csv, column: est}"
        if ! cmp -s "$work/own.json" "$work/table.json"; then
            num_failed=$((num_failed + 1))
            echo "--- $policy with $method: another result than with its table"
            diff "$work/own.json" "$work/table.json" | head -6
        fi
        cp "$work/own.json" "$work/$policy-$method.json"
    done
done

# Each estimator decides otherwise, so that a difference would show.
for policy in qssf lucid; do
    if [ "$(cksum "$work/$policy"-*.json | cut -d' ' -f1 | sort -u | wc -l)" -ne 4 ]; then
        num_failed=$((num_failed + 1))
        echo "--- $policy: two estimators have the same result"
    fi
done
exit $((num_failed > 0))
