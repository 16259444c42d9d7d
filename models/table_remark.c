/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/table_remark.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"

/* The text after "key:" in a line in which the key is a word of its own, or NULL. */
static const char *
find_value(const char *line, const char *key)
{
    const size_t num_bytes = strlen(key);

    for (const char *at = strstr(line, key); at != NULL; at = strstr(at + 1, key)) {
        if (at[num_bytes] == ':' && at > line && strchr("# \t", at[-1]) != NULL) {
            return at + num_bytes + 1 + strspn(at + num_bytes + 1, " \t");
        }
    }
    return NULL;
}

bool
spot_table_remark_read(const spot_csv_row_t *row, const char *path, const char *key,
    int64_t *value, spot_diag_t *diag)
{
    const char *found = find_value(row->text, key);
    char word[SPOT_NUMBER_TEXT_BYTES], shown[SPOT_UTF8_SHOWN_BYTES];

    if (found == NULL) {
        return true;
    }
    snprintf(word, sizeof(word), "%.*s", (int) strcspn(found, " \t,;"), found);
    if (spot_integer_parse(word, value) == 0 && *value >= 1 && *value <= 1000000000000) {
        return true;
    }
    *value = 0;
    spot_diag_error(diag, path, row->line, (size_t) (found - row->text) + 1,
        "%s: expected an integer from 1 to 1000000000000, got \"%s\"", key,
        spot_utf8_shown(word, shown));
    return false;
}
