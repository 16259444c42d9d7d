#!/bin/sh
# run.sh BUILD_DIR SECONDS: every fuzz target side by side on a copy of its corpus; fails on the
# first crash, leak, hang or sanitizer report.
set -eu
build=$(cd "$1" && pwd)
seconds=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
targets='yaml trace convert model condition jobs serve input tasks'
pids=
for target in $targets; do
    cp -r "$here/corpus/$target" "$work/$target"
    measured=
    [ "$target" != input ] || [ ! -d "$here/../../../shared/data/input" ] ||
        measured=$here/../../../shared/data/input
    (cd "$work" && "$build/bin/fuzz_$target" -max_total_time="$seconds" -timeout=25 \
        -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 "$target" ${measured:+"$measured"} \
        >"$target.log" 2>&1) &
    pids="$pids $!"
done
failed=0
for pid in $pids; do
    wait "$pid" || failed=1
done
for target in $targets; do
    echo "fuzz_$target: $(grep -E 'number_of_executed_units|ERROR|SUMMARY' "$work/$target.log" | tr '\n' ' ')"
    [ "$failed" -eq 0 ] || tail -n 40 "$work/$target.log"
done
exit "$failed"
