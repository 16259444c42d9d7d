#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# nightly.sh HOURS [SEED]: what takes longer than a change may wait for, in turn until HOURS are over, and
# one table at the end: what, how many were tried, how many were wrong, and the seed of each wrong one.
#
# Each part is run in batches; batch k has the seed SEED + k, so the same seed tries the same things in
# the same order, and as many of them as the time allows. The part that has had the least time is next.
# SEED is 1 unless it is given: give another one each night. An interrupt ends it with the table of what
# was done. What is wrong stays in build/nightly with its logs; the corpora of the fuzz targets stay and
# grow there. It builds what it runs in build/dev, build/release and, where there is clang, build/clang;
# parts whose programs or scripts are missing are named in the table. Exit code 1: something was wrong.
set -u
cd "$(dirname "$0")/.." || exit 1
source=$PWD
work=$source/build/nightly
mkdir -p "$work" || exit 1
dev=$source/build/dev
release=$source/build/release
clang=$source/build/clang
child=
is_ended=

# ---- The parts: run_NAME SEED FOLDER FOR_S tries a batch, whose last line is "tried N, wrong M" ----

parts="kills outputs stops refusals stores mutants fuzz coverage bytes"

words() {
    case $1 in
        kills) echo "studies killed and interrupted" ;;
        outputs) echo "outputs interrupted" ;;
        stops) echo "every command stopped" ;;
        refusals) echo "commands refused one allocation" ;;
        stores) echo "damaged stores" ;;
        mutants) echo "mutants of inputs of the tests" ;;
        fuzz) echo "fuzz executions" ;;
        coverage) echo "studies for coverage of intervals" ;;
        bytes) echo "builds in two folders" ;;
    esac
}

# lacks NAME: says what a part lacks; nothing where it can run.
lacks() {
    case $1 in
        kills) command -v sqlite3 >/dev/null || echo "no sqlite3" ;;
        stops) [ -r tests/survive/stop_everywhere.sh ] || echo "no tests/survive/stop_everywhere.sh" ;;
        refusals) command -v python3 >/dev/null || echo "no python3" ;;
        stores) [ -r tests/survive/damaged_stores.sh ] || echo "no tests/survive/damaged_stores.sh" ;;
        mutants) command -v python3 >/dev/null || echo "no python3" ;;
        fuzz) [ -x "$clang/bin/fuzz_yaml" ] || echo "no clang" ;;
        bytes) command -v git >/dev/null || echo "no git" ;;
    esac
}

# judged COMMAND...: a test that says nothing of numbers is one thing that was tried.
judged() {
    num_judged=$((num_judged + 1))
    "$@" || num_bad=$((num_bad + 1))
}

run_kills() {
    num_judged=0
    num_bad=0
    for case in kill shards interrupt; do
        SPOT_SEED=$1 judged bash tests/survive/survive.sh "$release/spotsim" "$2" $case
    done
    echo "tried $num_judged, wrong $num_bad"
}

run_outputs() {
    num_judged=0
    num_bad=0
    judged bash tests/survive/outputs.sh "$release/spotsim" "$2"
    echo "tried $num_judged, wrong $num_bad"
}

run_stops() {
    sh tests/survive/stop_everywhere.sh "$release/spotsim" "$2" all "$1"
}

run_refusals() {
    cmake --build "$dev" --target spotsim_short >/dev/null &&
        sh tests/survive/refuse_memory.sh "$dev/spotsim" "$dev/tests/survive/spotsim_short" "$2" 300 "$1"
}

run_stores() {
    sh tests/survive/damaged_stores.sh "$release/spotsim" "$2" 50 "$1"
}

run_mutants() {
    python3 tests/mutants/mutants.py "$dev/spotsim" "$source" "$2" 200 "$1"
}

# What was found stands in the folder of the target as crash-..., leak-... or timeout-...
run_fuzz() {
    num_bad=0
    sh tests/fuzz/run.sh "$clang" "$3" "$work/corpus" "$1" >"$2/fuzz" 2>&1 || num_bad=$(grep -c 'ERROR\|SUMMARY' "$2/fuzz")
    cat "$2/fuzz"
    awk -v bad="$num_bad" '{ for (j = 2; j <= NF; j++) if ($(j - 1) ~ /number_of_executed_units/) num += $j }
        END { printf "tried %.0f, wrong %d\n", num, bad }' "$2/fuzz"
}

# The test draws 1,000 studies for each figure, and says WRONG where an interval does not hold.
run_coverage() {
    num_bad=0
    SPOT_SEED=$1 "$release/bin/test_study_coverage" >"$2/figures" 2>&1 || num_bad=$(grep -c WRONG "$2/figures")
    cat "$2/figures"
    echo "tried $(($(grep -c 'holds' "$2/figures") * 1000)), wrong $num_bad"
}

run_bytes() {
    sh tests/structure/same_bytes.sh "$2"
}


# A batch is a process of its own: nightly.sh --batch NAME SEED FOLDER FOR_S
if [ "${1-}" = --batch ]; then
    "run_$2" "$3" "$4" "$5"
    exit
fi
case ${1-} in
    '' | *[!0-9.]*)
        echo "usage: sh tests/nightly.sh HOURS [SEED]" >&2
        exit 2
        ;;
esac
num_seconds=$(awk -v hours="$1" 'BEGIN { printf "%.0f", 3600 * hours }')
first_seed=${2:-1}

# ---- Build ----

build() {
    preset=$1
    shift
    {
        cmake --preset "$preset" "$@" && cmake --build --preset "$preset" --target $targets
    } >"$work/build-$preset.log" 2>&1 || {
        tail -n 20 "$work/build-$preset.log"
        return 1
    }
}
targets=spotsim
build dev || exit 1
targets="spotsim test_study_coverage"
build release -DBUILD_TESTING=ON || exit 1
targets=$(sed -n 's/^foreach(target \(.*\))$/\1/p' tests/fuzz/CMakeLists.txt | sed 's/\([a-z]*\)/fuzz_\1/g')
! command -v clang >/dev/null || build clang || exit 1

# ---- Batches, and the table ----

print_table() {
    printf '\n%-36s %12s %7s %8s  %s\n' what tried wrong seconds "seeds of what was wrong"
    awk -F '\t' '{ printf "%-36s %12s %7s %8s  %s\n", $1, $2, $3, $4, $5 }' "$work/table"
}

finish() {
    : >"$work/table"
    num_all=0
    for part in $parts; do
        eval "tried=\$tried_$part wrong=\$wrong_$part seconds=\$seconds_$part seeds=\$seeds_$part"
        reason=$(lacks "$part")
        printf '%s\t%s\t%s\t%s\t%s\n' "$(words "$part")" "$tried" "$wrong" "$seconds" \
            "${reason:+not run: $reason}$seeds" >>"$work/table"
        num_all=$((num_all + wrong))
    done
    print_table
    [ $num_all -eq 0 ] || exit 1
    exit 0
}

stop() {
    is_ended=yes
    [ -z "$child" ] || kill -TERM -- "-$child" 2>/dev/null
}
trap stop INT TERM HUP

# run_batch PART SEED SECONDS: in a process group of its own, so that it can be stopped as a whole.
run_batch() {
    folder=$work/$1
    rm -rf "$folder/run"
    mkdir -p "$folder/run"
    log=$folder/seed-$2.log
    started=$(date +%s)
    setsid sh "$source/tests/nightly.sh" --batch "$1" "$2" "$folder/run" "$3" >"$log" 2>&1 </dev/null &
    child=$!
    wait $child
    [ -z "$is_ended" ] || wait $child 2>/dev/null
    child=
    took=$(($(date +%s) - started))
    line=$(grep -a '^tried [0-9]*, wrong [0-9]*$' "$log" | tail -n 1)
    if [ -z "$line" ]; then
        # It was stopped, or ended without a word, which is wrong.
        line="tried 0, wrong 1"
        [ -z "$is_ended" ] || line="tried 0, wrong 0"
    fi
    num=$(echo "$line" | sed 's/tried \([0-9]*\),.*/\1/')
    bad=$(echo "$line" | sed 's/.*wrong //')
    eval "tried_$1=\$((tried_$1 + num)) wrong_$1=\$((wrong_$1 + bad)) seconds_$1=\$((seconds_$1 + took))"
    if [ "$bad" -gt 0 ]; then
        eval "seeds_$1=\"\$seeds_$1 $2\""
        echo "$(words "$1"): seed $2: $line ($log)"
        grep -a '^wrong' "$log" | head -n 20
        mv "$folder/run" "$folder/wrong-$2" 2>/dev/null
    else
        rm -f "$log"
    fi
}

able=
for part in $parts; do
    eval "tried_$part=0 wrong_$part=0 seconds_$part=0 seeds_$part= batch_$part=0"
    [ -n "$(lacks "$part")" ] || able="$able $part"
done
num_able=$(echo "$able" | wc -w)
echo "commit $(git describe --always --dirty 2>/dev/null), seed $first_seed, $num_seconds s for:$able"
began=$(date +%s)
while [ -z "$is_ended" ] && [ $(($(date +%s) - began)) -lt "$num_seconds" ]; do
    least=
    for part in $able; do
        eval "seconds=\$seconds_$part batch=\$batch_$part"
        # Two builds of one commit are as good as twenty.
        [ "$part" != bytes ] || [ "$batch" -eq 0 ] || continue
        if [ -z "$least" ] || [ "$seconds" -lt "$least" ]; then
            least=$seconds
            next=$part
        fi
    done
    eval "batch=\$batch_$next"
    run_batch "$next" $((first_seed + batch)) $((num_seconds / num_able / 4 + 9))
    eval "batch_$next=\$((batch + 1))"
done
finish
