#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# skipped.sh SCRIPT: tests/skipped.sh finds a test and a case that a log says were skipped, lets those
# pass that may be, and does not pass a log without tests. The repository has no data beside it here.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
mkdir -p "$work/source/tests" "$work/source/.ci" "$work/build/Testing/Temporary"
cp "$1" "$work/source/tests/skipped.sh"
cat >"$work/source/.ci/may_be_skipped" <<'END'
# reasons, tests, cases
data whole *
data test_some test_of_data
nowhere test_some test_elsewhere
END

# says CODE LINE... <OUTPUT: what it says of a log, without its last line.
says() {
    code=0
    cat >"$work/build/Testing/Temporary/LastTest.log"
    sh "$work/source/tests/skipped.sh" "$work/build" >"$work/said" 2>&1 || code=$?
    sort "$work/said" | sed '/ tests, /d' >"$work/lines"
    wanted=$1
    shift
    [ $# -eq 0 ] || printf '%s\n' "$@" | sort >"$work/wanted"
    [ $# -gt 0 ] || : >"$work/wanted"
    [ $code -eq "$wanted" ] && cmp -s "$work/lines" "$work/wanted" || {
        echo "exit code $code, expected $wanted:"
        cat "$work/said"
        exit 1
    }
}

says 0 <<'END'
1/3 Testing: whole
skipped: no data
2/3 Testing: test_some
[  SKIPPED ] test_of_data
[  SKIPPED ] 1 test(s), listed below:
[  SKIPPED ] test_of_data
3/3 Testing: page_in_browser
746 checks, 0 failed
END
says 1 "skipped, and not in .ci/may_be_skipped: page_in_browser (skipped: chromium is not installed)" \
    "skipped, and not in .ci/may_be_skipped: test_some test_elsewhere" <<'END'
1/2 Testing: test_some
[  SKIPPED ] test_elsewhere
2/2 Testing: page_in_browser
skipped: chromium is not installed
END
says 1 "skipped.sh: no test in the log" <<'END'
Start testing: today
END
echo "what is skipped is found"
