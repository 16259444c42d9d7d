#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# stop_everywhere.sh SPOTSIM WORK_DIR [NUM [SEED]]: INT, TERM and HUP at random instants of commands, see
# stop_everywhere.py: each command of the goldens (tests/golden/run.sh) in its place there, three times,
# then commands that take long. NUM: that many stops of commands chosen by SEED; without it, of all. The
# last line is "tried N, wrong M". SPOT_SLACK_S: seconds that a program with sanitizers may take longer
# to end, 0 by default. Exit code 77: skipped, python3 is not there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    echo "skipped: there is no python3, or it is older than 3.9"
    exit 77
fi
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$2/stop-everywhere
rm -rf "$work"
mkdir -p "$work"
cd "$work"
export PYTHONDONTWRITEBYTECODE=1
exec python3 "$here/stop_everywhere.py" "$program" "${3:-all}" "${4:-1}"
