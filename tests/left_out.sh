#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# left_out.sh FOLDER forget|print|NAME: the tests that left something out for lack of the data beside
# the repository (../shared/data). NAME adds one to FOLDER/left-out, as skip_without_data() of the unit
# tests does; ctest forgets them before it starts and prints them once, together, at its end. Without
# FOLDER, in a test that is run by hand, nothing is noted.
set -eu
[ -n "$1" ] || exit 0
list=$1/left-out
case $2 in
    forget) rm -f "$list" ;;
    print)
        if [ -s "$list" ]; then
            tests=$(sort -u "$list")
            printf '\nTests that left out what compares with ../shared/data, which is not there: %d\n' \
                "$(printf '%s\n' "$tests" | wc -l)"
            printf '%s\n' "$tests" | fmt -w 100 2>/dev/null || printf '%s\n' "$tests"
        fi
        ;;
    *) echo "$2" >>"$list" ;;
esac
