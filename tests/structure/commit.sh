#!/bin/sh
# commit.sh CMAKE SCRIPT: the header of the script outside git, after commits, with changes and
# within another repository. An unchanged header is not written again.
set -eu
cmake=$1
script=$2
command -v git >/dev/null || {
    echo "skipped: git is not installed"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
export GIT_CEILING_DIRECTORIES="$work" GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
source=$work/source
mkdir -p "$source/inner"

# says EXPECTED [FOLDER]: the header after one more build.
says() {
    "$cmake" -DSOURCE_DIR="${2:-$source}" -DHEADER="$work/generated/commit.h" -P "$script"
    told=$(sed -n 's/^#define SPOT_COMMIT "\(.*\)"$/\1/p' "$work/generated/commit.h")
    [ "$told" = "$1" ] || {
        echo "the header says \"$told\", expected \"$1\"" >&2
        exit 1
    }
}

commit() {
    echo "$1" >"$source/file"
    git -C "$source" add file
    git -C "$source" commit -q -m "$1"
    git -C "$source" rev-parse --short HEAD
}

says unknown
git -C "$source" init -q
says unknown
first=$(commit one)
says "$first"
touch -d '2020-01-01' "$work/generated/commit.h"
before=$(ls -l --time-style=full-iso "$work/generated/commit.h")
says "$first"
[ "$before" = "$(ls -l --time-style=full-iso "$work/generated/commit.h")" ] || {
    echo "the header was written anew, all would be compiled anew" >&2
    exit 1
}
echo changed >"$source/file"
says "$first-dirty"
second=$(commit two)
[ "$first" != "$second" ]
says "$second"
says unknown "$source/inner"
echo "commits $first and $second were told"
