#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# without_published.sh SPOTSIM: a program built with SPOT_PUBLISHED off has the systems but not the
# plug-ins that repeat published programs, and says so where a scenario asks for one.
set -eu
spotsim=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scenario=$work/scenario.yaml

# expect TEXT ARGUMENT...: the command fails and its messages have the text.
expect() {
    text=$1
    shift
    if "$spotsim" "$@" >"$work/out" 2>&1 || ! grep -qF "$text" "$work/out"; then
        echo "spotsim $*: expected: $text"
        cat "$work/out"
        exit 1
    fi
}

"$spotsim" recovery --json >"$work/systems"
if grep -E '"(bamboo|parcae-throughput|stale_timers|fault_one_counter)"' "$work/systems"; then
    exit 1
fi
grep -q '"varuna"' "$work/systems"
"$spotsim" engine train --example >"$scenario"
"$spotsim" run "$scenario" >/dev/null
"$spotsim" run "$scenario" --set recovery=varuna >/dev/null
leaves_out="is in a plug-in of share/published, which this build leaves out: build with cmake -DSPOT_PUBLISHED=ON"
sed '/^recovery:/d' "$scenario" >"$work/a.yaml"
echo 'recovery: {system: varuna, fault_one_counter: yes}' >>"$work/a.yaml"
expect "a.yaml:$(wc -l <"$work/a.yaml"):28: key \"fault_one_counter\" $leaves_out" run "$work/a.yaml"
expect "1:1: recovery: recovery system \"bamboo\" $leaves_out" run "$scenario" --set recovery=bamboo
expect "key \"stale_timers\" $leaves_out" run "$scenario" --set "recovery={system: oobleck, stale_timers: yes}"
expect "parcae-throughput" recovery parcae-throughput
