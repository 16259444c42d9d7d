#!/bin/sh
# shipped_gallery.sh SPOTSIM SOURCE_DIR WORK_DIR: each shipped study, run again into a
# database, gives the answer that is committed beside it and that docs/gallery.md has
# with its question; and its picture.svg is one of those that a report draws, byte for
# byte where gnuplot is the one that drew it.
set -eu
spotsim=$1
source=$2
work=$3
LC_ALL=C.UTF-8 # as the gallery is written
export LC_ALL
mkdir -p "$work"
fail() {
    echo "$name: $*" >&2
    exit 1
}

# Whether some text is in the gallery, whose lines are broken at blanks.
tr '\n' ' ' <"$source/docs/gallery.md" | tr -s ' ' >"$work/gallery"
is_in_gallery() {
    grep -qF -- "$1" "$work/gallery"
}

num=0
for folder in "$source"/reports/studies/*/; do
    name=$(basename "$folder")
    rm -rf "$work/$name" "$work/$name.db"*
    "$spotsim" study "$folder/study.yaml" -o "$work/$name.db" >"$work/$name.txt" 2>/dev/null
    COLUMNS=1000 "$spotsim" report "$work/$name.db" >"$work/$name.report" 2>/dev/null
    sed -n 2p "$work/$name.report" >"$work/$name.answer"
    cmp "$folder/answer.txt" "$work/$name.answer" || fail "$(cat "$work/$name.answer")"
    is_in_gallery "$(cat "$folder/answer.txt")" || fail "docs/gallery.md lacks its answer"
    question=$(sed -n 's/^question: //p' "$folder/study.yaml")
    is_in_gallery "$question" || fail "docs/gallery.md lacks its question"
    is_in_gallery "](../reports/studies/$name/picture.svg)" || fail "docs/gallery.md lacks its picture"
    "$spotsim" report "$work/$name.db" --svg "$work/$name" 2>/dev/null
    is_same=
    for picture in "$work/$name"/*.svg; do
        cmp -s "$picture" "$folder/picture.svg" && is_same=yes
    done
    [ -n "$is_same" ] || fail "no picture of the report is picture.svg"
    num=$((num + 1))
done
[ "$num" -ge 14 ] || { echo "studies are missing" >&2; exit 1; }
echo "$num shipped studies have their place in the gallery"
