#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# faulty.sh RUN_CASES SPOTSIM SOURCE_DIR WORK_DIR: the runner of cases fails where a case does not hold or
# is not well-formed, says where, and leaves what is not its own alone.
set -eu
run_cases=$1
spotsim=$2
source=$3
work=$4
rm -rf "$work/faulty"
mkdir -p "$work/faulty"

# fails WORDS: the runner fails on the file on standard input, and says WORDS.
fails() {
    file=$work/faulty/$(find "$work/faulty" -name '*.cases' | wc -l).cases
    cat >"$file"
    code=0
    "$run_cases" "$spotsim" "$source" "$work/faulty" "$file" \
        >"$work/faulty/said" 2>&1 || code=$?
    if [ "$code" -eq 0 ] || ! grep -qF -- "$1" "$work/faulty/said"; then
        echo "a faulty file passes, or not for this reason: $1" >&2
        cat "$file" "$work/faulty/said" >&2
        exit 1
    fi
}

# case_and LINE...: a case that holds, and these lines behind it.
case_and() {
    printf '%s\n' '== good' '$ spotsim run none.yaml' '-- exit 2' '-- stderr' \
        'none.yaml: cannot open: No such file or directory' "$@"
}

case_and >"$work/faulty/good.cases"
"$run_cases" "$spotsim" "$source" "$work/faulty" "$work/faulty/good.cases" >"$work/faulty/said"
grep -qx '1 cases, 0 failed, 0 skipped' "$work/faulty/said"

printf '%s\n' '== a' '$ spotsim run none.yaml' | fails 'exit code 2, expected 0'
printf '%s\n' '== a' '$ spotsim run none.yaml' '-- exit 2' | fails 'expected on stderr'
printf '%s\n' '== a' '$ spotsim --version' | fails 'expected on stdout'
printf '%s\n' '== a' '$ spotsim init -o mine.yaml' '-- stdout any' '-- stderr any' | fails 'files before'
printf '%s\n' '== a' '-- file b' | fails 'expected a command at the end'
case_and '' '== b' '-- stderr' | fails 'below a command'
case_and '-- file b' | fails 'expected a command at the end'
case_and '-- exit 2' | fails 'expected this mark once'
case_and '== b' | fails 'expected an empty line before a case'
case_and '' '== good' '$ spotsim' | fails 'this name is in line 1 too'
printf '%s\n' '== a' '$ cat x' | fails 'expected a command of spotsim'
printf '%s\n' '== a' '$ spotsim  run' | fails 'a blank too much'
printf '%s\n' '== a' '$ spotsim "run"' | fails 'quote this'
printf '%s\n' '== a' "\$ spotsim 'run" | fails 'an open quote'
printf '%s\n' '== a' '$ spotsim run' '-- exit two' | fails 'expected an exit code'
printf '%s\n' '== a' '$ spotsim run' '-- stdout any' 'more' | fails 'unexpected below this mark'
printf '%s\n' '-- copy a ../golden/b' | fails 'expected a path below the folder'
printf '%s\n' '-- file b/../../c' | fails 'expected a path below the folder'
printf '%s\n' '== a' '-- remove b' '$ spotsim run' | fails 'cannot make it'
printf '%s\n' '== a' '-- files b' '$ spotsim run' | fails 'an unknown mark'
[ "$(find "$work/faulty" -name '*.cases' | wc -l)" -eq 21 ] # none of them was removed
rm -rf "$work/faulty"
