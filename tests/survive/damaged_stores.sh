#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# damaged_stores.sh SPOTSIM WORK_DIR [NUM [SEED [NUMBER]]]: what every command makes of NUM damaged copies
# of databases of a study: the right rows or a refusal, see damaged_stores.py. NUMBER: that one alone, as
# the line of what went wrong has it. The last line is "tried N, wrong M". Exit code 77: skipped, sqlite3
# or python3 is not there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

command -v sqlite3 >/dev/null || {
    echo "skipped: sqlite3 is not installed"
    exit 77
}
if ! python3 -c 'import sqlite3, sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    echo "skipped: there is no python3 with sqlite3, or it is older than 3.9"
    exit 77
fi
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$2/survive-damaged
rm -rf "$work"
mkdir -p "$work"
cd "$work"
export PYTHONPATH="$here/../../share/python" PYTHONDONTWRITEBYTECODE=1 SPOTSIM="$program"
exec python3 "$here/damaged_stores.py" "$program" "${3:-50}" "${4:-1}" ${5:+"$5"}
