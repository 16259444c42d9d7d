#compdef spotsim
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of spotsim in zsh: the program itself says which words there are.
_spotsim()
{
    local line
    local -a candidates ends
    local -a given=("${(@)words[2,CURRENT]}")
    compset -P '--*='
    for line in "${(@f)$("${words[1]}" --complete "${given[@]}" 2>/dev/null)}"; do
        case $line in
            (:files\ *)
                ends=(${(s: :)${line#:files }})
                _files -g "${(j: :)ends/#/*}"
                ;;
            (:files) _files ;;
            (:folders) _files -/ ;;
            (?*=) compadd -S '' -- "$line" ;;
            (?*) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
        esac
    done
    (( ${#candidates} )) && _describe 'spotsim' candidates
}
_spotsim "$@"
