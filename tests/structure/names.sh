#!/bin/sh
# names.sh SOURCE_DIR: no type, macro or enumerator of the rooms has a name that another header
# gives to something else.
set -eu
cd "$1"

# "NAME HEADER" for each definition: "} spot_x_t;", a typedef of one line, #define, and enumerators,
# which stand alone on their lines or all on the line of their enum.
definitions=$(find base models traces sim reports cli -name '*.h' -exec awk '
    /^(typedef )?enum .*[{].*[}]/ {
        num_names = split(substr($0, index($0, "{") + 1), names, /[,}]/)
        for (j = 1; j <= num_names; j++) {
            if (match(names[j], /SPOT_[A-Z0-9_]+/)) {
                print substr(names[j], RSTART, RLENGTH), FILENAME
            }
        }
    }
    match($0, /^} spot_[a-z0-9_]+_t;/) { print substr($0, 3, RLENGTH - 3), FILENAME; next }
    /^typedef / && match($0, /[ *(]spot_[a-z0-9_]+_t(;|\)\()/) {
        name = substr($0, RSTART + 1, RLENGTH)
        sub(/_t[;)].*/, "_t", name)
        print name, FILENAME
        next
    }
    /^#define SPOT_/ { sub(/\(.*/, "", $2); print $2, FILENAME; next }
    match($0, /^ +SPOT_[A-Z0-9_]+( = [^,]*)?,?( *\/\*.*)?$/) {
        name = $1
        sub(/[^A-Z0-9_].*/, "", name)
        print name, FILENAME
    }' {} + | sort -u)
num=$(printf '%s\n' "$definitions" | wc -l)
if [ "$num" -lt 300 ]; then
    echo "only $num definitions: the check is broken" >&2
    exit 1
fi
twice=$(printf '%s\n' "$definitions" | cut -d' ' -f1 | uniq -d)
for name in $twice; do
    echo "$name is defined in:" $(printf '%s\n' "$definitions" | sed -n "s/^$name //p") >&2
done
[ -z "$twice" ] || exit 1
echo "$num types, macros and enumerators, each defined in one header"
