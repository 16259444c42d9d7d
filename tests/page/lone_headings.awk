# SPDX-License-Identifier: GPL-3.0-or-later
# The headings and captions that end a sheet of paper, one a line: "H2 at the end of a sheet".
# Reads the structure of a PDF of Chromium, one entry a line, as grep leaves it: objects, the
# kind of an element (/S), its parent (/P), its page (/Pg) and its pieces on that page (/K).
$2 == "0" && $3 == "obj" { id = $1 }
$1 == "/S" { kind[id] = $2 }
$1 == "/P" { parent[id] = $2 }
$1 == "/Pg" { page[id] = $2 }
$1 == "/K" {
    gsub(/[^0-9 ]/, " ")
    for (j = 1; j <= NF && (id in page); j++)
        if (!(page[id] in last) || $j >= last[page[id]]) {
            last[page[id]] = $j + 0
            owner[page[id]] = id
        }
}
END {
    for (sheet in owner)
        for (at = owner[sheet]; at in kind; at = parent[at])
            if (kind[at] ~ /^\/(H[1-6]|Caption)$/)
                print substr(kind[at], 2) " at the end of a sheet"
}
