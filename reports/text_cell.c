/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/text_cell.h"

#include <string.h>

#include "base/utf8.h"

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
