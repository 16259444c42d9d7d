#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# survive.sh SPOTSIM WORK_DIR CASE: a study whose processes are killed, interrupted or left without
# space ends with the rows of an undisturbed one, bit for bit. CASE: kill, shards,
# interrupt, full.
# Exit code 77: skipped, sqlite3 is not there.
set -euo pipefail
spotsim=$1
work=$2/survive-$3
here=$(cd "$(dirname "$0")" && pwd)

command -v sqlite3 >/dev/null || {
    echo "skipped: sqlite3 is not installed"
    exit 77
}
rm -rf "$work"
mkdir -p "$work"
cd "$work"
RANDOM=${SPOT_SEED:-20} # the moments are the same in every run, as far as the machine is

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# write_study NAME REPLICATIONS MORE
write_study() {
    cat >"$1" <<YAML
study: survive
scenario:
  scenario: survive
  horizon: 6 h
  fleet: {capacity: 64, initial: 32, preparation: 180 s}
  job: {pipeline_depth: 16, step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}}
  trace:
    generator: seed
    preemption: {per_minute: 0.2, count: {normal: {mean: 2.4, std: 2.1}}}
    addition: {per_minute: 0.2, count: {normal: {mean: 2.5, std: 1.9}}}
sweep:
  trace.preemption.per_minute: [0.05, 0.1, 0.2, 0.4]
  job.pipeline_depth: [8, 16]
replications: $2
metrics: [idle_fraction, lost_fraction, goodput_fraction, usd_per_1000_samples, mtbp_s]
$3
YAML
}

# Rows of a store that may be in the making.
num_rows() {
    sqlite3 "file:$1?mode=ro" 'SELECT count(*) FROM replication' 2>/dev/null || echo 0
}

assert_sound() {
    [ "$(sqlite3 "$1" 'PRAGMA integrity_check')" = ok ] || fail "$1 is damaged"
    [ "$(sqlite3 "$1" 'SELECT count(*) FROM replication')" = \
        "$(sqlite3 "$1" 'SELECT coalesce(sum(replications), 0) FROM batch')" ] ||
        fail "$1 has rows without their batch, or batches without their rows"
}

# A random time of up to $1 ms.
nap() {
    local ms=$((RANDOM % $1 + 5))
    sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
}

# Runs a study into a store, undisturbed; whole_ms is how long it took.
run_whole() {
    local started
    started=$(date +%s%N)
    "$spotsim" study "$1" -o "$2" --threads 2 >/dev/null 2>&1
    whole_ms=$((($(date +%s%N) - started) / 1000000))
}

# Begins with a store anew. The latest moment of a kill, in ms, is the end of an undisturbed run. It grows
# with every kill of a store: a process that needs longer to its first transaction, as on a busy machine,
# gets there in the end.
new_store() {
    rm -f "$1" "$1"-*
    latest=$whole_ms
}

# Runs the command at most until a random moment; returns whether it was killed. Its output is in
# errors.txt.
run_and_kill() {
    local pid
    "$@" >/dev/null 2>>errors.txt &
    pid=$!
    nap "$latest"
    latest=$((latest + latest / 20))
    kill -KILL $pid 2>/dev/null || true
    code=0
    wait $pid 2>/dev/null || code=$?
    [ $code -eq 137 ] || [ $code -eq 0 ] || fail "exit code $code: $(tail -3 errors.txt)"
    [ $code -eq 137 ]
}

# kill_until COUNT STUDY STORE WHOLE: kills runs of a study until it is complete, again and again
# with a new store until there were so many kills; each time the rows must be those of WHOLE.
kill_until() {
    local kills=0 stores=0 before now
    while [ $kills -lt "$1" ]; do
        new_store "$3"
        before=0
        while run_and_kill "$spotsim" study "$2" -o "$3" --threads 2; do
            kills=$((kills + 1))
            [ -e "$3" ] || continue
            now=$(num_rows "$3")
            [ "$now" -ge "$before" ] || fail "$before rows were there, now $now"
            before=$now
        done
        assert_sound "$3"
        sh "$here/../cluster/same_rows.sh" "$4" "$3"
        stores=$((stores + 1))
    done
    echo "$kills kills, $stores stores"
}

case $3 in
    kill)
        write_study fixed.yaml '{count: 3000}' ''
        write_study until.yaml '{until: {metric: idle_fraction, half_width: 0.0025}}' ''
        for study in fixed until; do
            run_whole $study.yaml $study.db
            kill_until 10 $study.yaml killed.db $study.db
        done
        ;;
    shards)
        write_study study.yaml '{count: 4000}' ''
        run_whole study.yaml whole.db
        kills=0
        for shard in 1 2 3; do
            killed=0
            while [ $killed -eq 0 ]; do # a fast machine may be done before it is killed
                new_store $shard.db
                while run_and_kill "$spotsim" study study.yaml -o $shard.db --shard $shard/3 --threads 2; do
                    killed=$((killed + 1))
                done
            done
            kills=$((kills + killed))
            assert_sound $shard.db
        done
        "$spotsim" merge merged.db 1.db 2.db 3.db
        assert_sound merged.db
        sh "$here/../cluster/same_rows.sh" whole.db merged.db
        echo "$kills kills"
        ;;
    interrupt)
        write_study study.yaml '{count: 8000}' ''
        "$spotsim" study study.yaml -o whole.db >/dev/null 2>&1
        "$spotsim" study study.yaml -o stopped.db >out.txt 2>errors.txt &
        pid=$!
        until [ "$(num_rows stopped.db)" -gt 0 ]; do
            kill -0 $pid 2>/dev/null || fail "it ended before it could be interrupted"
            sleep 0.02
        done
        kill -INT $pid
        code=0
        wait $pid || code=$?
        [ $code -eq 130 ] || fail "exit code $code after SIGINT"
        for told in 'the same command goes on' interrupted; do
            [ "$(grep -c "$told" errors.txt)" -eq 1 ] || fail "not said once: $told"
        done
        [ ! -s out.txt ] || fail "an interrupted study printed results"
        assert_sound stopped.db
        before=$(num_rows stopped.db)
        [ "$before" -lt 64000 ] || fail "it was complete already"
        "$spotsim" study study.yaml -o stopped.db >/dev/null 2>errors.txt
        run=$(sed -n 's/.*, \([0-9]*\) replications run .*/\1/p' errors.txt)
        [ "$run" -eq $((64000 - before)) ] || fail "$run were run, $((64000 - before)) missing"
        sh "$here/../cluster/same_rows.sh" whole.db stopped.db
        "$spotsim" study study.yaml -o stopped.db 2>&1 >/dev/null | grep -q ' 0 replications run ' ||
            fail "a complete study ran again"
        ;;
    full)
        write_study study.yaml '{count: 5000}' ''
        "$spotsim" study study.yaml -o whole.db >/dev/null 2>&1
        code=0
        (
            trap '' XFSZ # writing beyond the limit is an error then, as on a full disk
            ulimit -f 2500 # kB: some transactions, not all rows
            "$spotsim" study study.yaml -o full.db >/dev/null 2>errors.txt
        ) || code=$?
        [ $code -eq 1 ] || fail "exit code $code on a full disk: $(cat errors.txt)"
        grep -q 'full.db: ' errors.txt || fail "no message: $(cat errors.txt)"
        cat errors.txt
        assert_sound full.db
        before=$(num_rows full.db)
        [ "$before" -gt 0 ] || fail "nothing was kept"
        "$spotsim" study study.yaml -o full.db >/dev/null 2>errors.txt
        sh "$here/../cluster/same_rows.sh" whole.db full.db
        ;;
    *) fail "unknown case $3" ;;
esac
