#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# short_answers.sh SPOTSIM SOURCE_DIR WORK_DIR: an answer of `spotsim advise` has at most 14 lines,
# none wider than 80 columns, whatever is asked: of training jobs, clusters and serving pipelines,
# yes, no, undecided and in the middle of a run, with long names and with all doubts at once. What
# touches the verdict stands in the first three lines.
set -u
spotsim=$1
source=$2
work=$3
rm -rf "$work"
mkdir -p "$work"
cp -r "$source/tests/golden/cli/advice" "$source/tests/golden/cli/advise-serve.yaml" \
    "$source/tests/golden/cli/advise-cluster.yaml" "$work"
cd "$work" || exit 1
num_asked=0
num_failed=0

fail() {
    num_failed=$((num_failed + 1))
    echo "FAILED: $1"
    cat answer errors
}
# asks CODES ARGUMENT...: one of these exit codes, and a short answer.
asks() {
    codes=$1
    shift
    num_asked=$((num_asked + 1))
    "$spotsim" advise "$@" --max-replications 256 --threads 2 --progress-form none \
        >answer 2>errors
    code=$?
    case " $codes " in
        *" $code "*) ;;
        *) fail "$*: exit code $code, expected one of $codes" ;;
    esac
    [ "$(wc -l <answer)" -le 14 ] || fail "$*: $(wc -l <answer) lines"
    LC_ALL=C tr -d '\200-\277' <answer | LC_ALL=C awk 'length($0) > 80 { n++ } END { exit n > 0 }' ||
        fail "$*: wider than 80 columns"
    grep -q "alternatives in" answer || fail "$*: no last line"
}
# first WORD: it is in the first three lines of the latest answer.
first() {
    head -n 3 answer | tr '\n' ' ' | tr -s ' ' | grep -q -e "$1" || fail "not in three lines: $1"
}

# Training: what is assumed beside all verdicts.
grep -v 'reload\|reconfiguration' advice/job.yaml >bare.yaml
calm=very-long-name-of-a-recording-of-which-a-user-keeps-many-in-one-folder-for-a-whole-year.csv
cp advice/calm.csv "$calm"
printf '%s\n' "# spotsim-trace: 1" "# name: still" "# start: unknown" "# resolution_s: 60" \
    "# kind: counts" "# capacity: 8" time_s,event,count,instances 0,init,8, 86400,end,8, >still.csv
for steps in 1 1500 3000 4500 5200 6000 20000; do
    asks "0 1 4" advice/job.yaml --steps $steps --finish-by "2 d"
done
asks "0 1 4" bare.yaml --steps 4800 --finish-by "2 d" --sure 0.99 --budget 300 --trace "$calm" \
    --trace advice/rough.csv --trace still.csv
first "nothing was ever lost"
asks "0 1 4" bare.yaml --steps 4800 --finish-by "2 d" --trace still.csv
first "nothing was ever lost"
asks 1 bare.yaml --steps 90000 --finish-by "2 d" --trace still.csv --budget 10
asks "0 1 4" bare.yaml --steps 4000 --finish-by "2 d" --recovery checkpoint,bamboo,oobleck,varuna
asks "0 1 4" bare.yaml --steps 4000 --finish-by "2 d" --recovery all --trace advice/rough.csv
asks "0 1 4" advice/job.yaml --steps 4000 --finish-by "2026-01-07 02:00 +02:00" \
    --starts-at 2026-01-05T00:00:00Z --trace advice/log.jsonl --until 2026-01-07T00:00:00Z
first "Probability to keep 4000 steps by 2026-01-07 02:00 +02:00, 2 d after the start"
for steps in 3500 5900 9000; do
    asks "0 3 4" advice/job.yaml --steps $steps --finish-by "2 d" --now advice/so-far.csv \
        --progress 700 --trace still.csv
    first "nothing was ever lost"
done
# What was measured does not reach below 6 instances.
sed 's/step_time: .*/step_time: {6: 45 s, 8: 38 s}/' advice/job.yaml >few.yaml
asks "0 1 4" few.yaml --steps 1500 --finish-by "2 d" --trace advice/rough.csv --trace still.csv

# A cluster with and without a deadline, with VCs of long names.
asks "0 1 4" advise-cluster.yaml --finish-by "6 h" --sure 0.8
asks "0 1 4" advise-cluster.yaml --sure 0.85
grep -q "No --finish-by: .* is twice the mean duration of .* jobs of one drawn log" answer ||
    fail "the goal has no source"
asks 1 advise-cluster.yaml --max-fleet 2

# A serving pipeline of many stages.
asks "0 1 4" advise-serve.yaml --sure 0.9
{
    printf '%s\n' "scenario: many" "engine: serve" \
        "hardware: {a-very-long-name-of-a-machine-with-eight-accelerators: {on_demand: 3, spot: 1}}" \
        "profiles:"
    for stage in 1 2 3 4 5 6 7 8; do
        printf '  - %s\n' "{model: Model-of-stage-$stage-which-has-a-long-name-too, hardware: \
a-very-long-name-of-a-machine-with-eight-accelerators, batches: {1: {throughput_qps: 60, p99_ms: 40}}}"
    done
    echo "pipeline:"
    from=source
    for stage in 1 2 3 4 5 6 7 8; do
        echo "  - {id: Model-of-stage-$stage-which-has-a-long-name-too, from: $from}"
        from=Model-of-stage-$stage-which-has-a-long-name-too
    done
    printf '%s\n' "arrivals: {poisson: {rate_qps: 20, count: 200}}" \
        "slo: {latency: 2 s, percentile: 95}" "preemptions: {hazard: {mtbf: 400 s, recover: 5 s}}"
} >many.yaml
asks "0 1 4" many.yaml --sure 0.9

echo "$num_asked questions, $num_failed failed"
[ "$num_asked" -gt 20 ] && [ "$num_failed" -eq 0 ]
