# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of spotsim in fish: the program itself says which words there are.
function __spotsim_words
    set -l given (commandline -opc)
    set -l current (commandline -ct)
    for line in ($given[1] --complete $given[2..-1] $current 2>/dev/null)
        switch $line
            case ':files*'
                __fish_complete_path (string replace -r '^--[^=]*=' '' -- $current)
            case ':folders'
                __fish_complete_directories (string replace -r '^--[^=]*=' '' -- $current)
            case '*'
                echo $line
        end
    end
end
complete -c spotsim -f -a '(__spotsim_words)'
