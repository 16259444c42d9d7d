#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# models_of_p3.sh SPOTSIM SOURCE_DIR WORK_DIR: the shipped study of trace models on a recorded trace,
# bamboo-p3-2xlarge-32 (../shared, not part of the repository: without it the test is skipped).
# Against the replay, idle time under block and under mrp is nearer to the truth than under seed,
# by more than the 95 % intervals.
set -eu
spotsim=$1
folder=$2/reports/studies/trace-model
trace=$2/../shared/data/traces/bamboo-p3-2xlarge-32.csv
if [ ! -r "$trace" ]; then
    echo "skipped: $trace is not there"
    exit 77
fi
mkdir -p "$3/models-of-p3"
cd "$3/models-of-p3"
cp "$trace" recorded.csv
cp "$folder/study.yaml" "$folder/job.yaml" "$folder/replay.yaml" "$folder/block.yaml" .
for model in mrp seed; do
    "$spotsim" trace fit recorded.csv --emit $model -o $model.yaml >/dev/null 2>&1
done
"$spotsim" study study.yaml -o rows.csv --set fleet.capacity=32 --set fleet.initial=18 \
    --set job.pipeline_depth=8 --set "horizon=682 min" --set replications.count=4000 2>/dev/null
awk -F, '
    $3 == "idle_fraction" { mean[$2] = $7; half[$2] = $11 - $7 }
    function error(model) { d = mean[model] - mean["replay.yaml"]; return d < 0 ? -d : d }
    END {
        for (model in mean) {
            printf "%s: idle %.5f +- %.5f, error %.5f\n", model, mean[model], half[model],
                error(model)
        }
        num_bad = 0
        for (model in mean) {
            if (model != "replay.yaml" && model != "seed.yaml") {
                gap = error("seed.yaml") - error(model)
                num_bad += !(gap > sqrt(half["seed.yaml"] ^ 2 + half[model] ^ 2))
                num_better++
            }
        }
        exit !(num_better == 2 && num_bad == 0)
    }' rows.csv
