#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# completion_other.sh SPOTSIM SOURCE_DIR FOLDER SHELL: what fish or zsh completes, with the script that
# the program prints. 77, skipped: this shell is not installed.
set -u
shell=$4
command -v "$shell" >/dev/null 2>&1 || {
    echo "skipped: $shell is not installed"
    exit 77
}
folder=$(cd "$(dirname "$1")" && pwd)
PATH=$folder:$PATH
export PATH
mkdir -p "$3" || exit 1
scripts=$(cd "$3" && pwd)
"$1" completion "$shell" >"$scripts/_spotsim" || exit 1
cd "$2/tests/golden/cli" || exit 1
num_failed=0

# What fish offers for a line, a candidate a line.
fish_offers()
{
    HOME=$scripts fish -N -c "source $scripts/_spotsim; complete -C '$1'"
}

# What zsh shows after a tab, on a terminal of its own.
zsh_offers()
{
    zsh -f -c '
        zmodload zsh/zpty
        zpty -b shell zsh -f -i
        zpty -w shell "PS1=; stty -echo cols 200; autoload -Uz compinit; fpath=($1 \$fpath)"
        zpty -w shell "compinit -u -D; setopt no_beep; print is-\${:-ready}"
        all= left=200
        until [[ $all == *is-ready* ]] || (( left-- == 0 )); do
            zpty -r -t shell more && all+=$more || sleep 0.05
        done
        zpty -n -w shell "$2"$'"'\t'"'
        all= left=200
        until [[ $all == *"$3"* ]] || (( left-- == 0 )); do
            zpty -r -t shell more && all+=$more || sleep 0.05
        done
        print -r -- "$all"' zsh "$scripts" "$1" "$2"
}

# offers LINE WANTED
offers()
{
    offered=$("${shell}_offers" "$1" "$2")
    case $offered in
    *"$2"*) ;;
    *)
        num_failed=$((num_failed + 1))
        printf -- '--- %s: no %s in\n%s\n' "$1" "$2" "$offered"
        ;;
    esac
}

offers 'spotsim tr' trace
offers 'spotsim help trace de' describe
offers 'spotsim run scenario.yaml --se' --series
offers 'spotsim theory checkpoint --busy w' wait
offers 'spotsim run scena' scenario.yaml
offers 'spotsim report results.db --latex repo' report.tex
offers 'spotsim run scenario.yaml --set job.checkpoint.bu' job.checkpoint.busy=
echo "7 checks, $num_failed failed"
[ $num_failed -eq 0 ]
