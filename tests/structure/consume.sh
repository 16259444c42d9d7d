#!/bin/sh
# consume.sh BUILD_DIR COMPILER [OPTION...]: installs to a prefix of its own and builds a small
# program with nothing but pkg-config; then runs it, the installed program and reads the
# installed manual.
set -eu
build=$1
shift
if ! command -v "$1" >/dev/null; then
    echo "skipped: there is no compiler $1"
    exit 77
fi
source=$(cd "$(dirname "$0")/../.." && pwd)
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT INT TERM

cmake --install "$build" --prefix "$prefix" >/dev/null
libdir=$(dirname "$(find "$prefix" -name libspotsim.so)")
export PKG_CONFIG_PATH="$libdir/pkgconfig" LD_LIBRARY_PATH="$libdir"

scenario=$prefix/share/spotsim/reports/studies/idle-vs-preemption/seed-64.yaml
told=$("$prefix/bin/spotsim" run "$scenario" --json | sed -n 's/^ *"idle_fraction": \(.*\),$/\1/p')

# shellcheck disable=SC2046 # words are meant to be split
"$@" -Wall -Wextra -Wpedantic -Werror "$source/tests/structure/consumer.c" \
    $(pkg-config --cflags --libs spotsim) -o "$prefix/consumer"
idle=$("$prefix/consumer" "$scenario")
if [ -z "$idle" ] || [ "$idle" != "$told" ]; then
    echo "the library says \"$idle\", the program \"$told\"" >&2
    exit 1
fi
status=0
missing=$("$prefix/consumer" "$prefix/none.yaml" 2>&1) || status=$?
if [ $status -ne 1 ] || [ "$missing" != "$prefix/none.yaml: cannot open: No such file or directory" ]; then
    echo "a missing scenario is exit code $status and says \"$missing\"" >&2
    exit 1
fi
for page in man1/spotsim.1 man5/spotsim-scenario.5 man5/spotsim-study.5; do
    grep -q '^\.SH NAME' "$prefix/share/man/$page"
done
test -r "$prefix/share/spotsim/slurm/spotsim-array.sbatch"
test -r "$prefix/share/spotsim/python/spotsim/__init__.py"
test -r "$prefix/share/bash-completion/completions/spotsim"
echo "installed, consumed through pkg-config: idle_fraction $idle"
