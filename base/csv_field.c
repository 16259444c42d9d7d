/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/csv_field.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

void spot_csv_field_text(FILE *out, const char *text)
{
    const size_t num_bytes = strlen(text);
    const bool has_edge_blank = num_bytes > 0 && (text[0] == ' ' || text[num_bytes - 1] == ' ');

    if (strpbrk(text, ",\"\r\n") == NULL && !has_edge_blank) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (size_t j = 0; j < num_bytes; j++) {
        if (text[j] == '"') {
            fputc('"', out);
        }
        fputc(text[j], out);
    }
    fputc('"', out);
}

void spot_csv_field_number(FILE *out, double value)
{
    fputc(',', out);
    if (isfinite(value)) {
        fprintf(out, "%.8g", value);
    }
}
