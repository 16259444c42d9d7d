#!/bin/sh
# consume.sh BUILD_DIR: installs to a prefix of its own and builds a small program with nothing
# but pkg-config; then runs it, the installed program and reads the installed manual.
set -eu
build=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT INT TERM

cmake --install "$build" --prefix "$prefix" >/dev/null
libdir=$(dirname "$(find "$prefix" -name libspotsim.so)")
export PKG_CONFIG_PATH="$libdir/pkgconfig" LD_LIBRARY_PATH="$libdir"

# shellcheck disable=SC2046 # words are meant to be split
cc -std=c17 -Wall -Wextra -Werror "$source/tests/structure/consumer.c" \
    $(pkg-config --cflags --libs spotsim) -o "$prefix/consumer"
scenario=$prefix/share/spotsim/studies/idle-vs-preemption/seed-64.yaml
idle=$("$prefix/consumer" "$scenario")
told=$("$prefix/bin/spotsim" run "$scenario" --json | sed -n 's/^ *"idle_fraction": \(.*\),$/\1/p')
if [ -z "$idle" ] || [ "$idle" != "$told" ]; then
    echo "the library says \"$idle\", the program \"$told\"" >&2
    exit 1
fi
for page in man1/spotsim.1 man5/spotsim-scenario.5 man5/spotsim-study.5; do
    grep -q '^\.SH NAME' "$prefix/share/man/$page"
done
test -r "$prefix/share/spotsim/slurm/spotsim-array.sbatch"
echo "installed, consumed through pkg-config: idle_fraction $idle"
