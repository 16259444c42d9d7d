# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# To be read by the other scripts here.

# make_study SPOTSIM: study.yaml in this folder, and whole.db, the study in one process. It has as many
# replications as keep each of 8 shards that run at a time busy for 10 s, so that three can be lost in the
# middle of their work: sanitizers are ten times slower, and other machines have other processors.
make_study() {
    local TIMEFORMAT=%U num_processors took_s count
    num_processors=$(nproc)
    write_study 64
    took_s=$({ time "$1" study study.yaml -o measure.db --threads 1 >measure.txt 2>&1; } 2>&1)
    count=$(awk -v took_s="$took_s" -v num_processors="$num_processors" 'BEGIN {
        busy_s = 10 * (num_processors < 8 ? num_processors : 8)
        count = 64 * int(busy_s / (took_s + 0.01))
        printf "%d", (count < 512) ? 512 : (count > 64000) ? 64000 : count
    }')
    write_study "$count"
    "$1" study study.yaml -o whole.db --threads "$num_processors" >/dev/null
    echo "6 points x $count replications, $(num_rows whole.db) rows in one process"
}

num_rows() {
    sqlite3 "$1" 'SELECT count(*) FROM replication'
}

# write_study COUNT: runs of 20 days, about a millisecond each.
write_study() {
    cat >study.yaml <<END
study: many-machines
scenario:
  scenario: small
  horizon: 20 d
  fleet: {capacity: 64, initial: 32, preparation: 180 s, price: {spot: 0.91, on_demand: 3.06}}
  job:
    pipeline_depth: 16
    samples_per_step: 1024
    step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}
    checkpoint: {mode: async, every: back-to-back, write: 89 s}
    reconfiguration: 88 s
    reload: 47 s
  trace:
    generator: seed
    preemption: {per_minute: 0.16, count: {normal: {mean: 2.4, std: 2.1}}}
    addition: {per_minute: 0.14, count: {normal: {mean: 2.5, std: 1.9}}}
sweep:
  trace.preemption.per_minute: [0.1, 0.2, 0.3]
  job.pipeline_depth: [16, 32]
replications: {count: $1, seed: 1}
metrics: [idle_fraction, lost_fraction, cost_usd]
END
}
