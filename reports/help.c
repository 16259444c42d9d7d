/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/help.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "base/verb/terminal.h"

static bool is_short; /* of memory: an item was not written whole */

void spot_help_texts_free(spot_texts_t *texts)
{
    is_short = is_short || texts->error != 0;
    spot_texts_free(texts);
}

bool spot_help_is_whole(void)
{
    return !is_short;
}

static int columns_of(const char *text)
{
    return spot_wrap_width(text, strlen(text));
}

/* Paragraphs from a column on, all lines but the first one indented. */
static void wrap(const spot_help_t *self, const char *text, int column, int indent)
{
    do {
        size_t next;
        const size_t length = spot_wrap_line(text, self->width - column, &next);

        fprintf(self->out, "%.*s\n", (int) length, text);
        text += next;
        if (*text != '\0') {
            fprintf(self->out, "%s%*s", *text == '\n' ? "\n" : "", indent, "");
            text += strspn(text, "\n");
        }
        column = indent;
    } while (*text != '\0');
}

/* With the characters escaped that roff would take for its own. */
static void put_roff(FILE *out, const char *text)
{
    for (const char *byte = text; *byte != '\0'; byte++) {
        if (*byte == '\\') {
            fputs("\\e", out);
        } else if (*byte == '-') {
            fputs("\\-", out);
        } else if ((*byte == '.' || *byte == '\'') && (byte == text || byte[-1] == '\n')) {
            fprintf(out, "\\&%c", *byte);
        } else if (byte[0] == '\n' && byte[1] == '\n') {
            fputs("\n.PP", out);
        } else {
            putc(*byte, out);
        }
    }
}

void spot_help_section(const spot_help_t *self, const char *title)
{
    if (self->width > 0) {
        fprintf(self->out, "\n%s:\n", title);
        return;
    }
    fputs(".SH ", self->out);
    for (const char *byte = title; *byte != '\0'; byte++) {
        putc(toupper((unsigned char) *byte), self->out);
    }
    putc('\n', self->out);
}

void spot_help_text(const spot_help_t *self, const char *text)
{
    if (self->width > 0) {
        wrap(self, text, 0, 0);
        return;
    }
    put_roff(self->out, text);
    putc('\n', self->out);
}

/* Whether a text has another one in it, in any case. */
static bool contains(const char *text, const char *wanted)
{
    const size_t num_bytes = strlen(wanted);

    for (; *text != '\0'; text++) {
        if (strncasecmp(text, wanted, num_bytes) == 0) {
            return true;
        }
    }
    return num_bytes == 0;
}

void spot_help_item(
    const spot_help_t *self, const char *name, const char *note, const char *text, int column)
{
    const int used = 2 + columns_of(name) + columns_of(note);

    if (self->grep != NULL && !contains(name, self->grep) && !contains(text, self->grep)) {
        return;
    }
    if (self->heading != NULL && self->heading[0] != '\0') {
        fputs(self->heading, self->out);
        self->heading[0] = '\0';
    }
    if (self->width == 0) {
        fputs(".TP\n\\fB", self->out);
        put_roff(self->out, name);
        fputs("\\fR", self->out);
        put_roff(self->out, note);
        putc('\n', self->out);
        spot_help_text(self, text);
        return;
    }
    fputs("  ", self->out);
    if (used + 2 > column && used <= self->width) {
        fprintf(self->out, "%s%s\n%*s", name, note, column, "");
    } else if (used + 2 > column) {
        fputs(name, self->out);
        wrap(self, note, used - columns_of(note), SPOT_HELP_BELOW - 2);
        fprintf(self->out, "%*s", column, "");
    } else {
        fprintf(self->out, "%s%s%*s", name, note, column - used, "");
    }
    wrap(self, text, column, column);
}

void spot_help_lines(const spot_help_t *self, const char *text)
{
    if (self->width > 0) {
        fputs(text, self->out);
        return;
    }
    fputs(".PP\n.nf\n", self->out);
    put_roff(self->out, text);
    fputs(".fi\n", self->out);
}

/* ---- Keys of YAML ---- */

static void put_type(FILE *out, const spot_field_t *field)
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
            fprintf(out, "%s%s", j == 0 ? "" : " | ", field->choices[j]);
        }
    } else {
        fputs(field->expected != NULL ? field->expected : names[field->type], out);
    }
}

/* The limits of a plain number, if it has no words of its own; durations are at least 0
 * everywhere. */
static void put_range(FILE *out, const spot_field_t *field)
{
    const bool is_number = field->type == SPOT_FIELD_INTEGER || field->type == SPOT_FIELD_NUMBER ||
                           field->type == SPOT_FIELD_PRICE;
    char text[SPOT_NUMBER_TEXT_BYTES];

    if (!is_number || field->expected != NULL || (field->min == 0 && field->max == 0)) {
        return;
    }
    spot_number_text(field->min, text);
    fprintf(out, " from %s", text);
    if (isfinite(field->max)) {
        spot_number_text(field->max, text);
        fprintf(out, " to %s", text);
    }
}

/* What a value looks like, with the limits of a number: "integer from 1 to 64". */
static const char *type_text(spot_texts_t *texts, const spot_field_t *field)
{
    FILE *stream = spot_texts_begin(texts);

    if (stream != NULL) {
        put_type(stream, field);
        put_range(stream, field);
    }
    return spot_texts_end(texts, stream);
}

/* The help, " (required)" or " (default 0 s)" behind it, then "; here VALUE" of a scalar
 * value, which may be NULL, and a full stop. */
static const char *help_text(
    spot_texts_t *texts, const spot_field_t *field, const spot_node_t *value)
{
    const char *initial = field->initial;
    const bool has_default = initial != NULL && initial[0] != '\0' && strcmp(initial, "{}") != 0;
    char shown[SPOT_UTF8_SHOWN_BYTES];
    const char *here = value != NULL && value->kind == SPOT_NODE_SCALAR
                           ? spot_utf8_shown(value->text, shown)
                           : NULL;

    return spot_texts_add(texts, "%s%s%s%s%s%s.", field->help != NULL ? field->help : "",
        initial == NULL ? " (required)"
        : has_default   ? " (default "
                        : "",
        has_default ? initial : "", has_default ? ")" : "", here == NULL ? "" : "; here ",
        here == NULL ? "" : here);
}

static void put_field(
    const spot_help_t *self, const spot_field_t *field, const char *name, const spot_node_t *value)
{
    spot_texts_t texts = {0};

    if (self->prefix == NULL) {
        const char *note = spot_texts_add(&texts, ": %s", type_text(&texts, field));

        spot_help_item(self, name, note, help_text(&texts, field, value), SPOT_HELP_BELOW);
    } else if (strncmp(name, self->prefix, strlen(self->prefix)) == 0 &&
               strpbrk(name, "[K") == NULL) {
        fprintf(self->out, "%s=\n", name);
    }
    spot_help_texts_free(&texts);
}

/* The keys within a value: of a map, of the items of a list or dictionary, also where a
 * value may be one; between: what stands before their names. NULL: none. */
static const spot_field_t *keys_within(const spot_field_t *field, const char **between)
{
    const spot_field_t *keys = NULL;

    switch (field->type) {
        case SPOT_FIELD_MAP:
        case SPOT_FIELD_CUSTOM:
            *between = ".";
            return field->fields;
        case SPOT_FIELD_LIST:
        case SPOT_FIELD_DICT:
            *between = field->type == SPOT_FIELD_LIST ? "[]." : ".KEY.";
            return field->item->type == SPOT_FIELD_MAP ? field->item->fields : NULL;
        case SPOT_FIELD_ONE_OF:
            for (const spot_field_t *form = field->fields; keys == NULL && form->name != NULL;
                 form++) {
                const bool is_list = form->type == SPOT_FIELD_LIST || form->type == SPOT_FIELD_DICT;

                keys = is_list ? keys_within(form, between) : NULL;
            }
            return keys;
        default:
            return NULL;
    }
}

/* The keys below a field, of the map that it has or may have. */
static const spot_field_t *keys_below(
    const spot_field_t *field, const spot_node_t **node, const char **between)
{
    const spot_field_t *form = field;

    while (*node != NULL && form != NULL && form->type == SPOT_FIELD_ONE_OF) {
        form = spot_field_form(form, *node);
        if (form != NULL && form->name[0] != '\0') {
            return NULL;
        }
    }
    if (*node != NULL && form != NULL && form->table != NULL) {
        *between = ".";
        return form->table(*node);
    }
    if (*node != NULL && (*node)->kind != SPOT_NODE_MAP) {
        *node = NULL;
    }
    return keys_within(field, between);
}

void spot_help_fields(const spot_help_t *self, const spot_field_t *field, const spot_field_t *until,
    const spot_node_t *map, const char *path)
{
    for (; field != NULL && field != until; field = spot_field_next(field)) {
        const spot_node_t *value = map == NULL ? NULL : spot_node_get(map, field->name);
        const char *between = "";
        const spot_field_t *keys;
        char name[128];

        snprintf(name, sizeof(name), "%s%s", path, field->name);
        put_field(self, field, name, value);
        keys = keys_below(field, &value, &between);
        if (keys != NULL && strlen(name) + strlen(between) < sizeof(name)) {
            strcat(name, between);
            spot_help_fields(
                self, spot_field_first(keys), NULL, strcmp(between, ".") == 0 ? value : NULL, name);
        }
    }
}

void spot_help_fields_json(spot_json_t *json, const char *name, const spot_field_t *fields)
{
    spot_json_open(json, name, '[');
    for (const spot_field_t *field = spot_field_first(fields); field != NULL;
         field = spot_field_next(field)) {
        const bool has_default = field->initial != NULL && field->initial[0] != '\0';
        const char *between = "";
        const spot_field_t *keys = keys_within(field, &between);
        spot_texts_t texts = {0};

        spot_json_open(json, NULL, '{');
        spot_json_text(json, "name", field->name);
        spot_json_text(json, "type", type_text(&texts, field));
        spot_json_boolean(json, "is_required", field->initial == NULL);
        spot_json_text(json, "default", has_default ? field->initial : NULL);
        spot_json_text(json, "help", field->help);
        if (keys != NULL) {
            spot_help_fields_json(json, name, keys);
        }
        spot_json_close(json, '}');
        spot_help_texts_free(&texts);
    }
    spot_json_close(json, ']');
}
