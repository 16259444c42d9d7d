#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# skipped.sh BUILD_DIR: fails where the last ctest of the build skipped what is not in .ci/may_be_skipped
# for a reason that this machine has, a whole test or a case in one. .ci/run calls it after each ctest.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
log=$1/Testing/Temporary/LastTest.log
reasons=" "
[ -d "$source/../shared/data" ] || reasons="${reasons}data "
[ "$(id -u)" -ne 0 ] || reasons="${reasons}root "
test -s "$log" || {
    echo "skipped.sh: $log: there is no log of tests" >&2
    exit 1
}
LC_ALL=C awk -v reasons="$reasons" '
    FNR == NR {
        if ($1 !~ /^#/ && index(reasons, " " $1 " ") > 0)
            may[$2 " " $3] = 1
        next
    }
    # "438/520 Testing: completion_fish" begins the output of a test.
    $2 == "Testing:" && $1 ~ /^[0-9]+\/[0-9]+$/ { name = $3; num++; next }
    # A script says why, and cmocka names each case, once where it is and once at the end.
    /^skipped: / { reason[name] = $0; seen[name] = 1; next }
    /^\[  SKIPPED \] [^0-9]/ { cases[name " " $4] = name; next }
    END {
        for (key in cases) {
            delete seen[cases[key]]  # what it printed is said of its cases
            if (!(key in may) && !((cases[key] " *") in may))
                bad[key] = reason[cases[key]]
        }
        for (key in seen)
            if (!((key " *") in may))
                bad[key] = reason[key]
        for (key in bad) {
            print "skipped, and not in .ci/may_be_skipped: " key (bad[key] == "" ? "" : " (" bad[key] ")")
            num_bad++
        }
        if (num == 0) {
            print "skipped.sh: no test in the log"
            exit 1
        }
        printf "%d tests, %d of them skipped what they should not\n", num, num_bad
        exit num_bad > 0
    }' "$source/.ci/may_be_skipped" "$log"
