#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# parallel.sh SPOTSIM WORK_DIR: a study of 8 shards under GNU parallel. One shard is killed with -9 in
# the middle of its work; the same line again must run this one only, and the merged store must hold
# the rows of a run in one process.
# Exit code 77: skipped, GNU parallel is not there.
set -euo pipefail
spotsim=$1
work=$2/parallel
here=$(cd "$(dirname "$0")" && pwd)

skip() {
    echo "skipped: $*"
    exit 77
}

for program in sqlite3 pkill; do
    command -v $program >/dev/null || skip "$program is not installed"
done
parallel --version 2>/dev/null | grep -q '^GNU parallel' || skip "GNU parallel is not installed"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

rm -rf "$work"
mkdir -p "$work/results"
cd "$work"
# shellcheck source=tests/cluster/small_study.sh
. "$here/small_study.sh"

run_shards() {
    parallel --jobs 8 --joblog results/log --resume-failed \
        "$spotsim" study "$work/study.yaml" -o results/shard-{}-of-8.db --shard {}/8 --threads 1 \
        ::: 1 2 3 4 5 6 7 8 >/dev/null 2>>errors.txt
}

# Numbers of the shards in the log, in order; of those only that ended well if $1 is "good".
shards_logged() {
    awk -F '\t' -v which="$1" 'NR > 1 && (which == "all" || ($7 == 0 && $8 == 0)) { print $1 }' \
        results/log | sort -n | tr '\n' ' '
}

# A store that another process is just making cannot be read.
rows_so_far() {
    num_rows results/shard-3-of-8.db 2>/dev/null || echo 0
}

make_study "$spotsim"
run_shards &
parallel_pid=$!
trap 'kill $parallel_pid 2>/dev/null || true' EXIT INT TERM
tries=0
until [ -e results/shard-3-of-8.db ] && [ "$(rows_so_far)" -gt 0 ]; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || fail "shard 3 wrote nothing in a minute"
    sleep 0.1
done
pkill -KILL -f -- "study $work/study.yaml .*--shard 3/8" || fail "shard 3 was not running"
code=0
wait $parallel_pid || code=$?
trap - EXIT INT TERM
killed_rows=$(rows_so_far)
echo "shard 3 was killed after $killed_rows rows, parallel ends with $code"
[ $code -eq 1 ] || fail "parallel must end with the number of failed shards, 1"
[ "$(shards_logged good)" = "1 2 4 5 6 7 8 " ] || fail "others than shard 3 failed"

run_shards || fail "the second run did not complete"
[ "$(shards_logged all)" = "1 2 3 3 4 5 6 7 8 " ] || fail "the second run did more than shard 3"
[ "$(rows_so_far)" -gt "$killed_rows" ] || fail "shard 3 was not in the middle of its work"
"$spotsim" merge merged.db results/shard-*-of-8.db
sh "$here/same_rows.sh" whole.db merged.db
