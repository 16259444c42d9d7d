#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# learned_inputs.sh SPOTSIM SOURCE WORK: Lucid and QSSF on the published log with inputs that
# spotsim learns itself, against figures of an independent implementation. Skipped (exit
# code 77) without the data.
set -u
spotsim=$1
data=$2/../shared/data/jobs
work=$3
restricted=$data/slab-noncommercial
for file in "$data/venus_base.csv.gz" "$restricted/venus_workload.csv.gz"; do
    if [ ! -r "$file" ]; then
        echo "skipped: no $file"
        sh "$2/tests/left_out.sh" "${SPOT_TEST_TMP-}" learned_inputs
        exit 77
    fi
done
mkdir -p "$work" || exit 1
cat >"$work/venus.yaml" <<EOF
scenario: venus
engine: schedule
jobs:
  log: $data/venus_base.csv.gz
  workload: $restricted/venus_workload.csv.gz
  estimates: {file: $restricted/venus_estimates.csv.gz, column: est_ebm}
cluster: {vcs: $data/venus_vc_config.csv, start: 13219200 s}
policy: lucid
compat: lucid
lucid:
  estimator: table
  profiler:
    from: {vc8Gr: 1, vcefl: 1}
    limit: 200 s
    gpu_limit: 8
    scaling: {lender: vcYVn, up_queue: 10, down_queue: 5}
  packing:
    switch: forecast
    forecast: $restricted/venus_forecast.csv.gz
    threshold: 2
    table: $restricted/colocate_info.csv.gz
EOF
num_failed=0

# reaches WHAT JCT TOLERANCE ARGUMENT...: the average JCT is that, and so is the queue
# where it is given as JCT/QUEUE.
reaches() {
    what=$1
    wanted=$2
    tolerance=$3
    shift 3
    got=$("$spotsim" run "$work/venus.yaml" --json "$@" 2>"$work/progress" |
        sed -n 's/^  "avg_\(jct\|queue\)": \(.*\),$/\2/p' | tr '\n' ' ')
    if ! echo "$got" "$wanted" "$tolerance" | tr / ' ' | awk '{
        jct = $1 - $3; queue = $2 - $4
        exit !(NF == 5 && jct * jct <= $5 * $5 && queue * queue <= $5 * $5)
    }'; then
        num_failed=$((num_failed + 1))
        echo "--- $what: $got, expected $wanted within $tolerance"
    fi
}

reaches "the mean of similar jobs" 12993.37/1040.59 0.005 \
    --set lucid.estimator=running-mean --set lucid.history=nominal

# The running mean has one answer, in the engine and as a table.
"$spotsim" schedule estimate "$data/venus_base.csv.gz" --vcs "$data/venus_vc_config.csv" \
    --workload "$restricted/venus_workload.csv.gz" -o "$work/means.csv" >"$work/means.txt" || exit 1
reaches "qssf by the mean of similar jobs" 16890.02/5120.75 0.005 \
    --set policy=qssf --set 'qssf={estimator: running-mean, history: nominal}'
for policy in qssf lucid; do
    wanted=16890.02/5120.75
    [ "$policy" = qssf ] || wanted=12993.37/1040.59
    reaches "$policy by a table of these means" "$wanted" 0.005 --set policy="$policy" \
        --set "$policy.estimator=table" --set "jobs.estimates={file: $work/means.csv, column: est}"
done

"$spotsim" schedule pack-train "$restricted/single_data.csv.gz" -o "$work/labels.csv" \
    --colocation "$restricted/colocate_info.csv.gz" >"$work/rules.txt" || exit 1
# relabel COLUMN: the workloads of jobs with the labels of that column.
relabel() {
    gzip -dc "$restricted/venus_workload.csv.gz" | awk -F, -v OFS=, -v column="$1" '
        FILENAME != "-" { label[$1, $2, $3, $4] = $column; next }
        FNR > 1 { $10 = label[$2, $3, $4, $5] }
        { print }' "$work/labels.csv" - >"$work/relabelled.csv"
}
relabel 9
reaches "labels of trees that did not see them" 13027.48/1215.67 0.005 \
    --set jobs.workload="$work/relabelled.csv"
relabel 11
reaches "labels from co-location" 13090.00/1082.58 0.005 \
    --set jobs.workload="$work/relabelled.csv"

"$spotsim" schedule forecast "$restricted/venus_throughput.csv.gz" -q \
    -o "$work/forecast.csv" >"$work/errors.txt" || exit 1
reaches "an additive model of throughput" 12886/915 128 \
    --set lucid.packing.forecast="$work/forecast.csv"
exit $((num_failed > 0))
