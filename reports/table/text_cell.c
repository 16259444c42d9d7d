/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/table/text_cell.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

void spot_text_write_cut(FILE *out, const char *text, size_t max_chars)
{
    char character[8] = "", shown[SPOT_UTF8_SHOWN_BYTES];

    for (size_t num_chars = 1; *text != '\0'; num_chars++) {
        const size_t length = spot_utf8_length(text, strnlen(text, 4));
        const size_t num_bytes = length == 0 ? 1 : length;

        memcpy(character, text, num_bytes);
        character[num_bytes] = '\0';
        text += num_bytes;
        if (num_chars == max_chars && *text != '\0') {
            fputs("…", out);
            return;
        }
        fputs(spot_utf8_shown(character, shown), out);
    }
}

void spot_text_write(FILE *out, const char *text)
{
    spot_text_write_cut(out, text, SIZE_MAX);
}
