#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh ARGUMENT...: mutants.py, and that it would see a fault: a program that ends by a signal is wrong
# with each mutant, and one that answers is not. Skipped (77) where there is no python3.
set -eu
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    echo "skipped: there is no python3, or it is older than 3.9"
    exit 77
fi
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$3"
printf '#!/bin/sh\nkill -SEGV $$\n' >"$3/faulty"
printf '#!/bin/sh\necho "file:1:1: no" >&2\nexit 2\n' >"$3/refuses"
chmod +x "$3/faulty" "$3/refuses"
said=$(python3 "$here/mutants.py" "$3/faulty" "$2" "$3/faulty-work" 5 "$5" | tail -n 1)
[ "$said" = "tried 5, wrong 5" ] || { echo "five faults: $said"; exit 1; }
said=$(python3 "$here/mutants.py" "$3/refuses" "$2" "$3/refuses-work" 5 "$5" | tail -n 1)
[ "$said" = "tried 5, wrong 0" ] || { echo "five errors: $said"; exit 1; }
rm -rf "$3/faulty-work" "$3/refuses-work"
exec python3 "$here/mutants.py" "$@"
