#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh TEST.py SPOTSIM SOURCE_DIR WORK_DIR: a test of the Python package, on the program as built.
# Each works in a folder of its own below WORK_DIR, whose name has blanks and letters beyond ASCII.
set -eu
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    echo "skipped: there is no python3, or it is older than 3.9"
    exit 77
fi
test=$(cd "$(dirname "$0")" && pwd)/$1
export SPOTSIM="$2" SPOTSIM_SOURCE="$3" PYTHONPATH="$3/share/python" PYTHONDONTWRITEBYTECODE=1
folder="$4/$(basename "$1" .py) größe"
rm -rf "$folder"
mkdir -p "$folder"
cp "$3"/reports/studies/idle-vs-preemption/*.yaml "$folder"
cd "$folder"
exec python3 -W error::ResourceWarning "$test"
