# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of spotsim in bash: the program itself says which words there are.
_spotsim()
{
    local word=${COMP_WORDS[COMP_CWORD]} line file
    [ "$word" != "=" ] || word=
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        :files* | :folders)
            compopt -o filenames
            while IFS= read -r file; do
                if [ -d "$file" ] || [ "$line" = ":files" ] ||
                    { [[ $file == *.* ]] && [[ "$line " == *" .${file##*.} "* ]]; }; then
                    COMPREPLY+=("$file")
                fi
            done < <(compgen -f -- "$word")
            ;;
        *)
            line=${line%%$'\t'*}
            [ "${line%=}" = "$line" ] || compopt -o nospace
            COMPREPLY+=("$line")
            ;;
        esac
    done < <("${COMP_WORDS[0]}" --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _spotsim spotsim
