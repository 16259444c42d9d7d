#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# memory.sh SPOTSIM WORK_DIR: what --max-memory says that a count takes is between half of and twice
# what it does take: the highest memory of a run with many, less that of one with few.
set -euo pipefail
# A build with sanitizers keeps what was freed, which is no memory of the program.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1:thread_local_quarantine_size_kb=64"
spotsim=$(realpath "$1")
rm -rf "$2/memory"
mkdir -p "$2/memory"
cd "$2/memory"

cat >serve.yaml <<YAML
scenario: many
engine: serve
hardware: {gpu: {on_demand: 3, spot: 1}, cpu: {on_demand: 0.5}}
profiles:
  - {model: Detect, hardware: gpu, batches: {1: {throughput_qps: 12, p99_ms: 95}, 8: {throughput_qps: 60, p99_ms: 150}}}
  - {model: Classify, hardware: cpu, batches: {1: {throughput_qps: 90, p99_ms: 16}, 4: {throughput_qps: 160, p99_ms: 32}}}
pipeline: [{id: Detect, from: source}, {id: Classify, from: Detect}]
arrivals: {poisson: {rate_qps: 50, count: 1000}}
slo: {latency: 400 ms}
config:
  Detect: {hardware: gpu, batch: 8, replicas: 2, market: spot}
  Classify: {hardware: cpu, batch: 4, replicas: 1}
preemptions: {hazard: {mtbf: 5 min, recover: 20 s}, load: 10 s}
YAML
cat >schedule.yaml <<YAML
scenario: many
engine: schedule
jobs:
  generate: {per_hour: 100, horizon: 10 h, sizes: {1: 3, 4: 1}, duration: {family: exponential, mu: 3600}}
cluster: {vcs: {main: 4}, price: 20 USD/h}
policy: fifo
YAML
cat >jobs.yaml <<YAML
{per_hour: 100, horizon: 10 h, sizes: {1: 3, 4: 1}, duration: {family: exponential, mu: 3600}}
YAML
cat >study.yaml <<YAML
study: many
scenario:
  scenario: small
  horizon: 1 min
  fleet: {capacity: 2, initial: 2, preparation: 180 s}
  job: {step_time: {2: 8 s}, pipeline_depth: 2}
  trace:
    generator: seed
    preemption: {per_minute: 0.1, count: {fixed: 1}}
    addition: {per_minute: 0.1, count: {fixed: 1}}
replications: {count: 1000}
YAML

num_failed=0

# peak COMMAND...: the highest resident memory, kB, as the kernel has it a moment before the end.
peak() {
    local pid kb=0 now
    "$spotsim" "$@" -q >/dev/null 2>stderr &
    pid=$!
    while now=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$pid/status" 2>/dev/null) &&
        [ -n "$now" ]; do
        kb=$now
        sleep 0.005
    done
    wait $pid || { cat stderr >&2; exit 1; }
    echo "$kb"
}

# said COMMAND...: the figure of the refusal by $limit, kB.
said() {
    local code=0
    "$spotsim" "$@" -q --max-memory "${limit:-8 MB}" >/dev/null 2>stderr || code=$?
    [ $code -eq 2 ] || { echo "FAILED: $*: exit code $code" >&2; exit 1; }
    sed -n 's/.* takes\{0,1\} \([0-9.]*\) \([kMGT]\)B.*, more than .*/\1 \2/p' stderr |
        awk 'NR == 1 { print int($1 * ($2 == "k" ? 1 : $2 == "M" ? 1000 : 1e6)) }'
}

# compare NAME FEW MANY COMMAND...: {} stands for the number in the command.
compare() {
    local name=$1 few=$2 many=$3 base high took figure
    shift 3
    base=$(peak "${@/\{\}/$few}")
    high=$(peak "${@/\{\}/$many}")
    took=$(((high - base) * 1024 / 1000))
    figure=$(said "${@/\{\}/$many}")
    echo "$name: said $figure kB, took $took kB"
    [ "$figure" -gt 10000 ] && [ "$((figure * 2))" -gt "$took" ] && [ "$figure" -lt $((took * 2)) ] ||
        { echo "FAILED: $name" >&2; num_failed=$((num_failed + 1)); }
}

compare queries 1000 1500000 run serve.yaml --set 'arrivals.poisson.count={}'
compare planned 1000 400000 run serve.yaml --set config=greedy --set 'plan.max_cost=100' \
    --set 'arrivals.poisson.count={}'
limit="40 MB" compare recorded 1000 200000 run serve.yaml --series recorded --set 'arrivals.poisson.count={}'
compare written 1000 2000000 serve gen serve.yaml -o queries.txt --set 'arrivals.poisson.count={}'
compare nodes 10 900000 run schedule.yaml --set 'cluster.vcs={main: {}}'
compare samples 3000s 2s run schedule.yaml --series samples --set 'output.samples={}' \
    --set 'jobs.generate.per_hour=1' --set 'jobs.generate.horizon=20 d'
compare progress 3000s 1s run schedule.yaml --set 'output.progress={}' \
    --set 'jobs.generate.per_hour=1' --set 'jobs.generate.horizon=20 d'
compare generated 10 30000 schedule generate jobs.yaml -o jobs.csv --set 'per_hour={}'
compare jobs 10 20000 run schedule.yaml --set 'jobs.generate.per_hour={}'
compare rows 1000 100000 study study.yaml --threads 1 -o - --set 'replications.count={}'
[ $num_failed -eq 0 ]
