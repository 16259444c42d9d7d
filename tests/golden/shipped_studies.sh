#!/bin/sh
# shipped_studies.sh SPOTSIM SOURCE_DIR WORK_DIR: every shipped study gives the rows that are
# committed beside it, byte for byte. In the main study differences of paired replications
# are known better than by unpaired ones; by how much is printed.
set -eu
LC_ALL=C.UTF-8 # as winners.txt is written, a sentence a line
COLUMNS=200
export LC_ALL COLUMNS
mkdir -p "$3"
num=0
for folder in "$2"/reports/studies/*/; do
    name=$(basename "$folder")
    "$1" study "$folder/study.yaml" -o "$3/$name.csv" >"$3/$name.txt" 2>/dev/null
    cmp "$folder/expected.csv" "$3/$name.csv"
    num=$((num + 1))
done
[ "$num" -ge 1 ] || { echo "no study found" >&2; exit 1; }
echo "$num shipped studies give their rows"
for metric in idle_fraction goodput_fraction; do
    awk -v metric=$metric '
        /^paired intervals are .* times narrower than unpaired ones/ { is_gain = 1 }
        is_gain && $1 == metric { gain = $2 }
        END {
            print "paired intervals of " metric " are " gain " times narrower"
            exit !(gain > 1)
        }' "$3/idle-vs-preemption.txt"
done
sed -n '/^best recovery: /,$p' "$3/recovery-vs-preemption.txt" >"$3/winners.txt"
cmp "$2/reports/studies/recovery-vs-preemption/winners.txt" "$3/winners.txt"
grep -q ' stays ahead of varuna while recovery.regroup is below ' "$3/winners.txt"
echo "who wins at which frequency, and until when, is as committed"
