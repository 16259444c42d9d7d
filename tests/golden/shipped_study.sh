#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# shipped_study.sh SPOTSIM SOURCE_DIR WORK_DIR PART NAME: a shipped study.
# rows: it gives the rows that are committed beside it, byte for byte.
# answer: run into a database, its report has the answer that is committed beside it and that
# docs/gallery.md has with its question; and picture.svg is one of the pictures of the report.
# seeds: with two other seeds its answer says the same, but for figures.
# few: with two replications, for sanitizers, it is run into a database and its page is made.
set -eu
spotsim=$1
source=$2
part=$4
name=$5
work=$3/$part-$name
folder=$source/reports/studies/$name
LC_ALL=C.UTF-8 # as the gallery and the answers are written
export LC_ALL
rm -rf "$work"
mkdir -p "$work"

fail() {
    echo "$name: $*" >&2
    exit 1
}

rows() {
    COLUMNS=200 "$spotsim" study "$folder/study.yaml" -o "$work/rows.csv" >"$work/study.txt" 2>/dev/null
    cmp "$folder/expected.csv" "$work/rows.csv"
    case $name in
        idle-vs-preemption)
            # Differences of paired replications are known better than by unpaired ones.
            for metric in idle_fraction goodput_fraction; do
                awk -v metric=$metric '
                    /^paired intervals are .* times narrower than unpaired ones/ { is_gain = 1 }
                    is_gain && $1 == metric { gain = $2 }
                    END {
                        print "paired intervals of " metric " are " gain " times narrower"
                        exit !(gain > 1)
                    }' "$work/study.txt"
            done
            ;;
        recovery-vs-preemption)
            # A sentence a line: who wins at which frequency, and until when.
            sed -n '/^best recovery: /,$p' "$work/study.txt" >"$work/winners.txt"
            cmp "$folder/winners.txt" "$work/winners.txt"
            grep -q ' stays ahead of varuna while recovery.regroup is below ' "$work/winners.txt"
            ;;
    esac
}

# Whether some text is in the gallery, whose lines are broken at blanks.
is_in_gallery() {
    tr '\n' ' ' <"$source/docs/gallery.md" | tr -s ' ' | grep -qF -- "$1"
}

answer() {
    "$spotsim" study "$folder/study.yaml" -o "$work/$name.db" >/dev/null 2>&1
    COLUMNS=1000 "$spotsim" report "$work/$name.db" >"$work/report.txt" 2>/dev/null
    sed -n 2p "$work/report.txt" >"$work/answer.txt"
    cmp "$folder/answer.txt" "$work/answer.txt" || fail "$(cat "$work/answer.txt")"
    is_in_gallery "$(cat "$folder/answer.txt")" || fail "docs/gallery.md lacks its answer"
    question=$(sed -n 's/^question: //p' "$folder/study.yaml")
    is_in_gallery "$question" || fail "docs/gallery.md lacks its question"
    is_in_gallery "](../reports/studies/$name/picture.svg)" || fail "docs/gallery.md lacks its picture"
    "$spotsim" report "$work/$name.db" --svg "$work/pictures" 2>/dev/null
    is_same=
    for picture in "$work"/pictures/*.svg; do
        cmp -s "$picture" "$folder/picture.svg" && is_same=yes
    done
    [ -n "$is_same" ] || fail "no picture of the report is picture.svg"
}

# An answer without its figures: what it claims.
claims() {
    sed -E 's/-?[0-9][0-9.,]*/N/g; s/ ±N//g; s/N to N/N/g'
}

seeds() {
    claims <"$folder/answer.txt" >"$work/claims.txt"
    for seed in 2 3; do
        "$spotsim" study "$folder/study.yaml" --seed $seed -o "$work/$seed.db" >/dev/null 2>&1
        COLUMNS=1000 "$spotsim" report "$work/$seed.db" >"$work/report.txt" 2>/dev/null
        sed -n 2p "$work/report.txt" >"$work/answer.txt"
        claims <"$work/answer.txt" >"$work/other.txt"
        cmp "$work/claims.txt" "$work/other.txt" || fail "seed $seed: $(cat "$work/answer.txt")"
    done
}

few() {
    two='--set replications.count=2'
    grep -q '^optimise:' "$folder/study.yaml" && two='--set replications.min=2 --set replications.max=2'
    # shellcheck disable=SC2086
    "$spotsim" study "$folder/study.yaml" $two -o "$work/$name.db" >"$work/study.txt" || [ $? = 4 ]
    "$spotsim" report "$work/$name.db" -o "$work/page.html"
}

$part
rm -rf "$work"
