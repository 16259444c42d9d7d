#!/bin/sh
# symbols.sh NM LIBRARY SOURCE_DIR: every symbol that the library exports starts with spot_, is
# marked SPOT_API in a header that <spotsim.h> includes, and there are some.
set -eu
exported=$("$1" -D --defined-only "$2" | awk '{print $NF}' | grep -v '^__\|^_init$\|^_fini$' | sort)
num=$(printf '%s\n' "$exported" | grep -c . || true)
if [ "$num" -lt 5 ]; then
    echo "only $num exported symbols: the check or the library is broken" >&2
    exit 1
fi
bad=$(printf '%s\n' "$exported" | grep -v '^spot_' || true)
if [ -n "$bad" ]; then
    echo "exported without the prefix spot_:" "$bad" >&2
    exit 1
fi
headers=$(sed -n 's/^#include "\(.*\)"/\1/p' "$3/spotsim.h")
for symbol in $exported; do
    found=
    for header in $headers; do
        tr '\n' ' ' <"$3/$header" | tr ';' '\n' | grep 'SPOT_API' | grep -qw "$symbol" && found=1
    done
    [ -n "$found" ] || {
        echo "exported but not part of <spotsim.h>: $symbol" >&2
        exit 1
    }
done
echo "$num exported symbols, all spot_* and all in <spotsim.h>"
