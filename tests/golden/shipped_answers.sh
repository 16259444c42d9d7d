#!/bin/sh
# shipped_answers.sh SPOTSIM SOURCE_DIR WORK_DIR: the sentence that a page says about each
# shipped study with an answer.txt is the one committed there.
set -eu
mkdir -p "$3"
num=0
for answer in "$2"/reports/studies/*/answer.txt; do
    folder=$(dirname "$answer")
    name=$(basename "$folder")
    rm -f "$3/$name.db"
    "$1" study "$folder/study.yaml" -o "$3/$name.db" >"$3/$name.txt" 2>/dev/null
    "$1" report "$3/$name.db" -o "$3/$name.html" >/dev/null
    sed -n 's/.*<p id="answer">\([^<]*\)<.*/\1/p' "$3/$name.html" >"$3/$name.answer"
    cmp "$answer" "$3/$name.answer" || { cat "$3/$name.answer"; exit 1; }
    num=$((num + 1))
done
[ "$num" -ge 5 ] || { echo "answers are missing" >&2; exit 1; }
echo "$num shipped studies have their answers"
