/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/field_text.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

void
spot_plain_text(FILE *out, const char *text)
{
    fputs(text, out);
}

static void
put_type(FILE *out, const spot_field_t *field, spot_put_text_t put)
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
            put(out, field->choices[j]);
        }
    } else {
        put(out,
            field->type == SPOT_FIELD_CUSTOM ? field->expected : names[field->type]);
    }
}

/* The limits of a number; durations are at least 0 everywhere. */
static void
put_range(FILE *out, const spot_field_t *field, spot_put_text_t put)
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
    put(out, low);
    if (isfinite(field->max)) {
        fputs(" to ", out);
        put(out, high);
    }
}

void
spot_field_put_type(FILE *out, const spot_field_t *field, spot_put_text_t put)
{
    put_type(out, field, put);
    put_range(out, field, put);
}

void
spot_field_put_default(FILE *out, const spot_field_t *field, spot_put_text_t put)
{
    if (field->initial == NULL) {
        fputs(" (required)", out);
    } else if (field->initial[0] != '\0' && strcmp(field->initial, "{}") != 0) {
        fputs(" (default ", out);
        put(out, field->initial);
        fputs(")", out);
    }
}
