/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/text_cell.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

#define SHORT_NAME 12 /* bytes: not broken */

void
spot_text_widen(int *width, const char *text)
{
    const int needed = (int) spot_utf8_count(text, strlen(text));

    *width = *width > needed ? *width : needed;
}

void
spot_text_cell(FILE *out, const char *text, size_t num_bytes, int width)
{
    const int num_blanks = width - (int) spot_utf8_count(text, num_bytes);

    fprintf(out, "%*s%.*s", num_blanks > 0 ? num_blanks : 0, "", (int) num_bytes, text);
}

size_t
spot_text_break(const char *name, int *width)
{
    const int num_bytes = (int) strlen(name);
    const bool is_broken = num_bytes > *width && num_bytes > SHORT_NAME;
    int narrowest = num_bytes;
    size_t num_first = 0;

    for (int j = 1; is_broken && j < num_bytes; j++) {
        const int wider = j > num_bytes - j ? j : num_bytes - j;

        if (strchr("._", name[j - 1]) != NULL && wider < narrowest) {
            narrowest = wider;
            num_first = (size_t) j;
        }
    }
    *width = *width > narrowest ? *width : narrowest;
    return num_first;
}

void
spot_text_shown(FILE *out, const char *text)
{
    char character[8] = "", shown[SPOT_UTF8_SHOWN_BYTES];

    while (*text != '\0') {
        const size_t found = spot_utf8_length(text, strnlen(text, 4));
        const size_t length = found == 0 ? 1 : found;

        memcpy(character, text, length);
        character[length] = '\0';
        fputs(spot_utf8_shown(character, shown), out);
        text += length;
    }
}
