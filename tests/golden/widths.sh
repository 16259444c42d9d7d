#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# widths.sh FOLDER: no line that the program prints for people is wider than 80 characters,
# in all texts of FOLDER. A line without blanks, such as a long path, may be wider.
set -u
cd "$1" || exit 1

num_texts=0
num_failed=0
for text in *.txt */*.txt; do
    num_texts=$((num_texts + 1))
    LC_ALL=C tr -d '\200-\277' <"$text" |
        LC_ALL=C awk -v text="$text" '
            length($0) > 80 && /[^ ] +[^ ]/ { print text ":" NR ": " $0; n++ }
            END { exit n > 0 }' || num_failed=$((num_failed + 1))
done
echo "$num_texts texts, $num_failed have lines wider than 80 characters"
[ "$num_texts" -gt 50 ] && [ "$num_failed" -eq 0 ]
