#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh SCRIPT.py [ARGUMENT...]: a script beside this one; skipped without python3.
set -eu
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    echo "skipped: there is no python3, or it is older than 3.9"
    exit 77
fi
script=$(cd "$(dirname "$0")" && pwd)/$1
shift
PYTHONDONTWRITEBYTECODE=1 exec python3 -W error::ResourceWarning "$script" "$@"
