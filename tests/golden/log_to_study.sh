#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# log_to_study.sh SPOTSIM SOURCE_DIR WORK_DIR: the commands of the README's page "from my cloud's
# log to a study in three commands" are run as they stand there, on the shipped log, and give the
# trace, the model and the study that are committed beside it, and the tables that stand there.
set -eu
spotsim=$1
folder=$2/reports/studies/trace-model
heading="### From my cloud's log to a study in three commands"
rm -rf "$3/log-to-study"
mkdir -p "$3/log-to-study"
cp "$folder/study.yaml" "$folder/job.yaml" "$folder/replay.yaml" "$folder/block.yaml" \
    "$folder/seed.yaml" "$folder/zone.log" "$3/log-to-study"
cd "$3/log-to-study"

awk -v heading="$heading" '
    /^### / { is_page = $0 == heading }
    is_page && sub(/^    spotsim /, "") { sub(/ +#.*/, ""); print }' "$2/README.md" >commands
if [ "$(wc -l <commands)" -ne 3 ]; then
    echo "README.md has not three commands below \"$heading\"" >&2
    exit 1
fi
while read -r arguments; do
    echo "spotsim $arguments"
    eval "\"$spotsim\" $arguments" >printed.txt 2>messages.txt || {
        cat messages.txt >&2
        exit 1
    }
done <commands

cmp recorded.csv "$folder/recorded.csv"
# The last digits of a fit belong to the C library.
digits() {
    grep -v '^#' "$1" | awk '{
        while (match($0, /[0-9]+\.[0-9]+/)) {
            printf "%s%.6g", substr($0, 1, RSTART - 1), substr($0, RSTART, RLENGTH)
            $0 = substr($0, RSTART + RLENGTH)
        }
        print
    }'
}
digits mrp.yaml >fitted.txt
digits "$folder/mrp.yaml" >expected.txt
cmp fitted.txt expected.txt
[ "$(grep -c '^[0-3],.*\.yaml,idle_fraction,1,1000,0,' rows.csv)" -eq 4 ]

# The tables on that page are the first columns of those that the study prints.
awk -v heading="$heading" '
    /^### / { is_page = $0 == heading }
    is_page && /^```/ { is_table = !is_table; next }
    is_page && is_table' "$2/README.md" >tables.txt
first_columns() {
    awk '/^difference / { is_difference = 1; print; next }
        $1 == "trace" { is_first = !is_done[is_difference + 0]++ }
        $1 == "trace" && is_first && !is_difference { print $1, $2, $3, $4 }
        is_first && $1 ~ /\.yaml$/ { print $1, $2, $3, $4, $5, $6, $7 }' "$1"
}
first_columns tables.txt >expected.txt
first_columns printed.txt >got.txt
if [ "$(awk 'NF == 7' expected.txt | wc -l)" -ne 7 ]; then
    echo "README.md has not the two tables of three figures below \"$heading\"" >&2
    exit 1
fi
cmp got.txt expected.txt || {
    diff expected.txt got.txt
    exit 1
}
echo "trace, model and study are as shipped, and the README tells their numbers"
