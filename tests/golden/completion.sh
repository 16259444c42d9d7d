#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# completion.sh SPOTSIM SOURCE_DIR: what bash completes, with the script that the program prints.
set -u
folder=$(cd "$(dirname "$1")" && pwd)
PATH=$folder:$PATH
cd "$2/tests/golden/cli" || exit 1
num_checks=0
num_failed=0

# Bash has it only while it completes; here its options are kept.
compopt()
{
    compopts="${compopts:-} $*"
}

# complete WORD...: the last word is what is typed so far.
complete_line()
{
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    compopts=
    _spotsim
}

# gives EXPECTED WORD...: all candidates, with blanks between.
gives()
{
    local expected=$1
    shift
    complete_line "$@"
    num_checks=$((num_checks + 1))
    if [ "${COMPREPLY[*]}" != "$expected" ]; then
        num_failed=$((num_failed + 1))
        printf '%s\n' "--- $*: expected and got:" "$expected" "${COMPREPLY[*]}"
    fi
}

# offers WANTED WORD...: it is among the candidates.
offers()
{
    local wanted=$1
    shift
    complete_line "$@"
    num_checks=$((num_checks + 1))
    case " ${COMPREPLY[*]} " in
    *" $wanted "*) ;;
    *)
        num_failed=$((num_failed + 1))
        echo "--- $*: no $wanted in ${COMPREPLY[*]}"
        ;;
    esac
}

# shellcheck disable=SC1090
source <("$folder/spotsim" completion bash) || exit 1

# Commands.
gives "trace" spotsim tr
gives "convert compare" spotsim trace co
offers "--version" spotsim ""
gives "merge metrics" spotsim help me
gives "describe" spotsim help trace de
# Options, and those of all commands.
gives "--seed --set --series" spotsim run scenario.yaml --se
offers "--quiet" spotsim merge --
# Values: choices, names, files by their endings, folders.
gives "wait" spotsim theory checkpoint --busy w
gives "point" spotsim export --per = po
gives "block" spotsim trace fit trace.csv --emit bl
gives "checkpoint" spotsim recovery che
gives "bash" spotsim completion ba
gives "scenario.yaml" spotsim run scena
gives "report.tex" spotsim report results.db --latex repo
gives "fit" spotsim report results.db --svg "fi"
gives "generated.yaml" spotsim trace generate -o out.csv genera
# Keys of the scenario on the line, of a study too.
gives "job.checkpoint.busy=" spotsim run scenario.yaml --set job.checkpoint.bu
gives "sweep=" spotsim study study.yaml --set swe
case $compopts in
*nospace*) ;;
*)
    echo "--- a key ends with a blank"
    num_failed=$((num_failed + 1))
    ;;
esac
gives "" spotsim nonsense ""
gives "" spotsim run --set job.

echo "$num_checks checks, $num_failed failed"
[ $num_failed -eq 0 ] && [ $num_checks -ge 20 ]
