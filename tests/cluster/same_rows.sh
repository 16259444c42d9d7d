#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# same_rows.sh A.db B.db: whether two stores are sound and hold the same rows, bit for bit.
set -eu

# One line a replication: each value as SQL writes it, and a double also as its eight bytes.
print_rows() {
    columns=$(sqlite3 "$1" "SELECT group_concat('quote(\"' || name || '\"), hex(ieee754_to_blob(\"'
        || name || '\"))', ', ') FROM pragma_table_info('replication')")
    sqlite3 "$1" "SELECT name FROM pragma_table_info('replication')"
    sqlite3 "$1" "SELECT $columns FROM replication ORDER BY point, replication"
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for db in "$1" "$2"; do
    [ "$(sqlite3 "$db" 'PRAGMA integrity_check')" = ok ]
done
print_rows "$1" >"$folder/a"
print_rows "$2" >"$folder/b"
num_rows=$(sqlite3 "$1" 'SELECT count(*) FROM replication')
num_keys=$(sqlite3 "$1" 'SELECT count(*) FROM (SELECT DISTINCT point, replication FROM replication)')
if [ "$num_rows" -eq 0 ] || [ "$num_rows" -ne "$num_keys" ]; then
    echo "$1: $num_rows rows, $num_keys of them different" >&2
    exit 1
fi
if ! cmp -s "$folder/a" "$folder/b"; then
    echo "$1 and $2 differ:" >&2
    diff "$folder/a" "$folder/b" | head -20 >&2
    exit 1
fi
echo "$num_rows rows are the same"
