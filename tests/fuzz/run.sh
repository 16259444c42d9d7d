#!/bin/sh
# run.sh BUILD_DIR SECONDS [KEPT_DIR [SEED]]: every fuzz target side by side on a copy of its corpus; fails
# on the first crash, leak, hang or sanitizer report. With KEPT_DIR what they find there stays and
# grows from run to run, and one process at a time works, each for its share of the time.
set -eu
build=$(cd "$1" && pwd)
seconds=$2
kept=${3:-}
seed=${4:-0}
here=$(cd "$(dirname "$0")" && pwd)
if [ -n "$kept" ]; then
    mkdir -p "$kept"
    work=$(cd "$kept" && pwd)
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT INT TERM
fi
targets='yaml trace convert model condition jobs serve input tasks number'
[ -z "$kept" ] || seconds=$(((seconds + 9) / 10))
pids=
failed=0
for target in $targets; do
    mkdir -p "$work/$target"
    cp "$here/corpus/$target"/* "$work/$target"
    measured=
    [ "$target" != input ] || [ ! -d "$here/../../../shared/data/input" ] ||
        measured=$here/../../../shared/data/input
    (cd "$work" && "$build/bin/fuzz_$target" -max_total_time="$seconds" -timeout=25 \
        -rss_limit_mb=2048 -max_len=65536 -seed="$seed" -print_final_stats=1 "$target" ${measured:+"$measured"} \
        >"$target.log" 2>&1) &
    pids="$pids $!"
    if [ -n "$kept" ]; then
        wait $! || failed=1
        pids=
    fi
done
for pid in $pids; do
    wait "$pid" || failed=1
done
for target in $targets; do
    echo "fuzz_$target: $(grep -E 'number_of_executed_units|ERROR|SUMMARY' "$work/$target.log" | tr '\n' ' ')"
    [ "$failed" -eq 0 ] || tail -n 40 "$work/$target.log"
done
exit "$failed"
