#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# labels.sh SPOTSIM WORK_DIR STUDIES: the charts of all shipped studies and of 25 random ones, wide and
# narrow, measured in headless Chromium; skipped (77) where Chromium is not installed.
set -u
spotsim=$1
mkdir -p "$2/random" || exit 1
work=$(cd "$2" && pwd) || exit 1
studies=$(cd "$3" && pwd) || exit 1
cd "$(dirname "$0")" || exit 1
num_random=25

chromium=
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null 2>&1; then
        chromium=$name
        break
    fi
done
if [ -z "$chromium" ]; then
    echo "skipped: chromium is not installed"
    exit 77
fi

# charts NAME STUDY OPTION...: the charts of the study's page, in an element with its name.
charts() {
    name=$1
    study=$2
    shift 2
    rm -f "$work/one.db" "$work/one.html"
    "$spotsim" study "$study" -o "$work/one.db" "$@" >"$work/log" 2>&1 &&
        "$spotsim" report "$work/one.db" -o "$work/one.html" >>"$work/log" 2>&1 || {
        echo "--- no page of $study" >&2
        cat "$work/log" "$study" >&2
        exit 1
    }
    echo "<div data-study=\"$name\">"
    sed -n '/<svg class="chart/,/<\/svg>/p' "$work/one.html"
    echo "</div>"
}

awk -v num=$num_random -v seed=17 -v scenario="$studies/idle-vs-preemption/seed-64.yaml" \
    -v folder="$work/random" -f random_studies.awk || exit 1
{
    for study in "$studies"/*/study.yaml; do
        few="--set replications.count=5"
        grep -q '^optimise:' "$study" && few="--set replications.min=4 --set replications.max=8"
        # shellcheck disable=SC2086
        charts "$(basename "$(dirname "$study")")" "$study" $few
    done
    k=1
    while [ $k -le $num_random ]; do
        charts "random $k" "$work/random/$k.yaml"
        k=$((k + 1))
    done
} >"$work/charts.html" || exit 1
{
    printf '<!doctype html>\n<html><head><meta charset="utf-8">\n'
    sed -n '/<style>/,/<\/style>/p' "$work/one.html"
    printf '<style>svg.chart{display:block!important;max-width:none!important}</style>\n</head><body>\n'
    cat "$work/charts.html" faulty_labels.html
    printf '<script>\n'
    cat labels.js
    printf '</script>\n</body></html>\n'
} >"$work/labels.html"
# measure HTML: the verdict of the browser.
measure() {
    rm -rf "$work/profile"
    timeout 100 "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
        --host-resolver-rules="MAP * ~NOTFOUND" --user-data-dir="$work/profile" --window-size=1400,1000 \
        --virtual-time-budget=60000 --dump-dom "file://$1" >"$work/dom" 2>"$work/browser.log"
    sed -n '/<pre id="verdict">/,/<\/pre>/p' "$work/dom" | sed 's/<[^>]*>//g' >"$work/verdict"
    for fault in 'overlaps "under"' 'overlaps "a marker"' 'leaves the picture' 'has 9 px'; do
        grep '^faulty' "$work/verdict" | grep -q "$fault" || {
            echo "what is wrong with the faulty chart was not found: $fault"
            exit 1
        }
    done
    if ! grep -q '^labels: 1 of [1-9][0-9][0-9]* charts' "$work/verdict"; then
        echo "labels overlap, leave their picture or are too small:"
        grep -v '^faulty' "$work/verdict"
        exit 1
    fi
    grep '^labels:' "$work/verdict"
}

measure "$work/labels.html"
# Where Inter is not installed another font takes its place.
sed 's/font-family:Inter,/font-family:/' "$work/labels.html" >"$work/without-inter.html"
measure "$work/without-inter.html"
