/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/roff.h"

#include <ctype.h>
#include <string.h>

#include "cli/field_text.h"

void
spot_roff_text(FILE *out, const char *text)
{
    for (const char *byte = text; *byte != '\0'; byte++) {
        if (*byte == '\\') {
            fputs("\\e", out);
        } else if (*byte == '-') {
            fputs("\\-", out);
        } else if ((*byte == '.' || *byte == '\'') &&
                   (byte == text || byte[-1] == '\n')) {
            fprintf(out, "\\&%c", *byte);
        } else {
            putc(*byte, out);
        }
    }
}

void
spot_roff_head(FILE *out, const char *title, int section, const char *summary)
{
    char upper[64];
    size_t length = 0;

    for (; title[length] != '\0' && length + 1 < sizeof(upper); length++) {
        upper[length] = (char) toupper((unsigned char) title[length]);
    }
    upper[length] = '\0';
    fprintf(out, ".TH \"%s\" \"%d\" \"\" \"spotsim %s\" \"spotsim manual\"\n", upper,
        section, SPOT_VERSION);
    fprintf(out, ".SH NAME\n%s \\- ", title);
    spot_roff_text(out, summary);
    putc('\n', out);
}

void
spot_roff_fields(
    FILE *out, const spot_field_t *field, const spot_field_t *until, const char *path)
{
    for (; field != NULL && field != until; field = spot_field_next(field)) {
        const char *between = "";
        const spot_field_t *keys = spot_field_keys(field, &between);
        char name[128];

        snprintf(name, sizeof(name), "%s%s", path, field->name);
        fputs(".TP\n\\fB", out);
        spot_roff_text(out, name);
        fputs("\\fR: ", out);
        spot_field_put_type(out, field, spot_roff_text);
        putc('\n', out);
        spot_roff_text(out, field->help != NULL ? field->help : "");
        spot_field_put_default(out, field, spot_roff_text);
        fputs(".\n", out);
        if (keys != NULL) {
            strncat(name, between, sizeof(name) - strlen(name) - 1);
            spot_roff_fields(out, keys, NULL, name);
        }
    }
}
