/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/roff.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/units.h"

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

/* What a value of the field looks like. */
static void
put_type(FILE *out, const spot_field_t *field)
{
    static const char *const names[] = {
        [SPOT_FIELD_INTEGER] = "integer",
        [SPOT_FIELD_NUMBER] = "number",
        [SPOT_FIELD_DURATION] = "duration such as \"88 s\", \"1.5 h\" or \"250 ms\"",
        [SPOT_FIELD_PRICE] = "USD per instance-hour such as 0.91 or \"0.91 USD/h\"",
        [SPOT_FIELD_TEXT] = "text",
        [SPOT_FIELD_PATH] = "file, relative to the one that names it",
        [SPOT_FIELD_MAP] = "map",
        [SPOT_FIELD_SELECTOR] = "name",
    };

    if (field->type == SPOT_FIELD_CHOICE) {
        for (int j = 0; field->choices[j] != NULL; j++) {
            fputs(j == 0 ? "" : " | ", out);
            spot_roff_text(out, field->choices[j]);
        }
    } else {
        spot_roff_text(out,
            field->type == SPOT_FIELD_CUSTOM ? field->expected : names[field->type]);
    }
}

/* The limits of a number; durations are at least 0 everywhere. */
static void
put_range(FILE *out, const spot_field_t *field)
{
    const bool is_number = field->type == SPOT_FIELD_INTEGER ||
                           field->type == SPOT_FIELD_NUMBER ||
                           field->type == SPOT_FIELD_PRICE;
    char low[SPOT_NUMBER_TEXT_BYTES], high[SPOT_NUMBER_TEXT_BYTES];

    if (!is_number || (field->min == 0 && field->max == 0)) {
        return;
    }
    spot_number_text(field->min, low);
    spot_number_text(field->max, high);
    fputs(" from ", out);
    spot_roff_text(out, low);
    if (isfinite(field->max)) {
        fputs(" to ", out);
        spot_roff_text(out, high);
    }
}

void
spot_roff_fields(
    FILE *out, const spot_field_t *field, const spot_field_t *until, const char *path)
{
    for (; field != NULL && field != until; field = spot_field_next(field)) {
        char name[128];

        snprintf(name, sizeof(name), "%s%s", path, field->name);
        fputs(".TP\n\\fB", out);
        spot_roff_text(out, name);
        fputs("\\fR: ", out);
        put_type(out, field);
        put_range(out, field);
        putc('\n', out);
        spot_roff_text(out, field->help != NULL ? field->help : "");
        if (field->initial == NULL) {
            fputs(" (required)", out);
        } else if (field->initial[0] != '\0' && strcmp(field->initial, "{}") != 0) {
            fputs(" (default ", out);
            spot_roff_text(out, field->initial);
            fputs(")", out);
        }
        fputs(".\n", out);
        if (field->type == SPOT_FIELD_MAP) {
            strncat(name, ".", sizeof(name) - strlen(name) - 1);
            spot_roff_fields(out, field->fields, NULL, name);
        }
    }
}
