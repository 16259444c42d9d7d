/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/field_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"

static void
put_type(FILE *out, const spot_field_t *field)
{
    static const char *const names[] = {
        [SPOT_FIELD_INTEGER] = "integer",
        [SPOT_FIELD_NUMBER] = "number",
        [SPOT_FIELD_DURATION] = "duration such as \"88 s\", \"1.5 h\" or \"250 ms\"",
        [SPOT_FIELD_DURATION_NS] = "duration such as \"1.5 s\", \"20 ms\" or \"350 us\"",
        [SPOT_FIELD_BYTES] = "size such as \"220 kB\" or \"24 GiB\"",
        [SPOT_FIELD_RATE] = "rate such as \"10 Gbit/s\" or \"1.25 GB/s\"",
        [SPOT_FIELD_PRICE] = "USD per instance-hour such as 0.91 or \"0.91 USD/h\"",
        [SPOT_FIELD_TEXT] = "text",
        [SPOT_FIELD_PATH] = "file, relative to the one that names it",
        [SPOT_FIELD_MAP] = "map",
        [SPOT_FIELD_LIST] = "list",
        [SPOT_FIELD_DICT] = "map with keys of your own",
        [SPOT_FIELD_SELECTOR] = "name",
    };

    if (field->type == SPOT_FIELD_CHOICE) {
        for (int j = 0; field->choices[j] != NULL; j++) {
            fputs(j == 0 ? "" : " | ", out);
            fputs(field->choices[j], out);
        }
    } else {
        fputs(field->expected != NULL ? field->expected : names[field->type], out);
    }
}

/* The limits of a plain number, if it has no words of its own; durations are at least 0
 * everywhere. */
static void
put_range(FILE *out, const spot_field_t *field)
{
    const bool is_number = field->type == SPOT_FIELD_INTEGER ||
                           field->type == SPOT_FIELD_NUMBER ||
                           field->type == SPOT_FIELD_PRICE;
    char low[SPOT_NUMBER_TEXT_BYTES], high[SPOT_NUMBER_TEXT_BYTES];

    if (!is_number || field->expected != NULL || (field->min == 0 && field->max == 0)) {
        return;
    }
    spot_number_text(field->min, low);
    spot_number_text(field->max, high);
    fputs(" from ", out);
    fputs(low, out);
    if (isfinite(field->max)) {
        fputs(" to ", out);
        fputs(high, out);
    }
}

char *
spot_field_type_text(const spot_field_t *field)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *stream = open_memstream(&text, &num_bytes);

    if (stream != NULL) {
        put_type(stream, field);
        put_range(stream, field);
        fclose(stream);
    }
    return text;
}

char *
spot_field_help_text(const spot_field_t *field, const spot_node_t *value)
{
    char shown[SPOT_UTF8_SHOWN_BYTES], *text = NULL;
    const char *initial = field->initial;
    size_t num_bytes;
    FILE *stream = open_memstream(&text, &num_bytes);

    if (stream != NULL) {
        fputs(field->help != NULL ? field->help : "", stream);
        if (initial == NULL) {
            fputs(" (required)", stream);
        } else if (initial[0] != '\0' && strcmp(initial, "{}") != 0) {
            fprintf(stream, " (default %s)", initial);
        }
        if (value != NULL && value->kind == SPOT_NODE_SCALAR) {
            fprintf(stream, "; here %s", spot_utf8_shown(value->text, shown));
        }
        putc('.', stream);
        fclose(stream);
    }
    return text;
}

const spot_field_t *
spot_field_keys(const spot_field_t *field, const char **between)
{
    const spot_field_t *keys = NULL;

    switch (field->type) {
        case SPOT_FIELD_MAP:
            *between = ".";
            return field->fields;
        case SPOT_FIELD_LIST:
        case SPOT_FIELD_DICT:
            *between = field->type == SPOT_FIELD_LIST ? "[]." : ".KEY.";
            return field->item->type == SPOT_FIELD_MAP ? field->item->fields : NULL;
        case SPOT_FIELD_ONE_OF:
            for (const spot_field_t *form = field->fields;
                 keys == NULL && form->name != NULL; form++) {
                const bool is_list =
                    form->type == SPOT_FIELD_LIST || form->type == SPOT_FIELD_DICT;

                keys = is_list ? spot_field_keys(form, between) : NULL;
            }
            return keys;
        default:
            return NULL;
    }
}

int
spot_fields_write_json(spot_json_t *json, const char *name, const spot_field_t *fields)
{
    int ret = 0;

    spot_json_open(json, name, '[');
    for (const spot_field_t *field = spot_field_first(fields); ret == 0 && field != NULL;
         field = spot_field_next(field)) {
        const bool has_default = field->initial != NULL && field->initial[0] != '\0';
        const char *between = "";
        const spot_field_t *keys = spot_field_keys(field, &between);
        char *type = spot_field_type_text(field);

        spot_json_open(json, NULL, '{');
        spot_json_text(json, "name", field->name);
        spot_json_text(json, "type", type == NULL ? "" : type);
        ret = type == NULL ? SPOT_ERR_NO_MEMORY : 0;
        free(type);
        spot_json_boolean(json, "is_required", field->initial == NULL);
        spot_json_text(json, "default", has_default ? field->initial : NULL);
        spot_json_text(json, "help", field->help);
        if (ret == 0 && keys != NULL) {
            ret = spot_fields_write_json(json, name, keys);
        }
        spot_json_close(json, '}');
    }
    spot_json_close(json, ']');
    return ret;
}
