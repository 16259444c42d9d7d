#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# refuse_memory.sh SPOTSIM SPOTSIM_SHORT WORK_DIR [NUM [SEED]]: commands of the goldens that are refused one
# allocation, see refuse_memory.py. NUM: about that many of them, chosen by SEED; without it, ten of each.
# The last line is "tried N, wrong M". Exit code 77: skipped, python3 is not there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    echo "skipped: there is no python3, or it is older than 3.9"
    exit 77
fi
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
short=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
work=$3/refuse-memory
rm -rf "$work"
mkdir -p "$work"
cd "$work"
export PYTHONDONTWRITEBYTECODE=1
exec python3 "$here/refuse_memory.py" "$program" "$short" "${4:-all}" "${5:-1}"
