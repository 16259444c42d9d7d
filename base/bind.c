/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/bind.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "base/units.h"
#include "base/utf8.h"

const char *const spot_no_yes[] = {"no", "yes", NULL};

void
spot_bind_error(spot_bind_t *self, const spot_node_t *node, const char *name,
    const char *format, ...)
{
    char message[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    if (name == NULL) {
        spot_diag_error(self->diag, node->file, node->line, node->column, "%s", message);
    } else {
        spot_diag_error(self->diag, node->file, node->line, node->column, "%s%s: %s",
            self->path, name, message);
    }
}

/* What a value looks like in a message: the start of its text, or its kind. */
#define SHOWN_BYTES (SPOT_UTF8_SHOWN_BYTES + 2)
static const char *
shown(const spot_node_t *node, char text[SHOWN_BYTES])
{
    char inner[SPOT_UTF8_SHOWN_BYTES];

    if (node->kind == SPOT_NODE_LIST) {
        return node->num_children == 0 ? "an empty list" : "a list";
    }
    if (node->kind == SPOT_NODE_MAP) {
        return node->num_children == 0 ? "an empty map" : "a map";
    }
    if (node->text[0] == '\0' && !node->is_quoted) {
        return "nothing";
    }
    snprintf(text, SHOWN_BYTES, "\"%s\"", spot_utf8_shown(node->text, inner));
    return text;
}

static void
report_unexpected(spot_bind_t *self, const char *name, const spot_node_t *node,
    const char *what, const char *problem)
{
    const bool is_nothing = node->kind == SPOT_NODE_SCALAR && node->text[0] == '\0';
    const bool has_problem = !is_nothing && *problem != '\0';
    char text[SHOWN_BYTES];

    spot_bind_error(self, node, name, "expected %s, got %s%s%s", what, shown(node, text),
        has_problem ? ": " : "", has_problem ? problem : "");
}

void
spot_bind_unexpected(spot_bind_t *self, const spot_field_t *field,
    const spot_node_t *node, const char *problem)
{
    report_unexpected(self, field->name, node, field->expected, problem);
}

static void
report_range(spot_bind_t *self, const spot_field_t *field, const spot_node_t *node,
    const char *what, const char *low, const char *high)
{
    const bool is_number =
        field->type == SPOT_FIELD_INTEGER || field->type == SPOT_FIELD_NUMBER;
    const char *problem =
        is_number && node->is_quoted ? "a text, since it is quoted" : "";
    char range[128];

    if (field->min == 0 && field->max == 0) {
        snprintf(range, sizeof(range), "%s", what);
    } else if (field->max >= HUGE_VAL) {
        snprintf(range, sizeof(range), "%s from %s", what, low);
    } else if (field->min < field->max) {
        snprintf(range, sizeof(range), "%s from %s to %s", what, low, high);
    } else {
        snprintf(range, sizeof(range), "%s", low);
    }
    report_unexpected(self, field->name, node, range, problem);
}

static bool
is_in_range(const spot_field_t *field, double value)
{
    return (field->min == 0 && field->max == 0) ||
           (value >= field->min && value <= field->max);
}

static bool
is_plain(const spot_node_t *node)
{
    return node->kind == SPOT_NODE_SCALAR && !node->is_quoted;
}

static void
bind_integer(spot_bind_t *self, const spot_field_t *field, const spot_node_t *node,
    int64_t *target)
{
    char low[SPOT_NUMBER_TEXT_BYTES], high[SPOT_NUMBER_TEXT_BYTES];
    int64_t value = 0;

    if (!is_plain(node) || spot_integer_parse(node->text, &value) != 0 ||
        !is_in_range(field, (double) value)) {
        spot_number_text(field->min, low);
        spot_number_text(field->max, high);
        report_range(self, field, node, "an integer", low, high);
        return;
    }
    *target = value;
}

static void
bind_number(spot_bind_t *self, const spot_field_t *field, const spot_node_t *node,
    double *target)
{
    char low[SPOT_NUMBER_TEXT_BYTES], high[SPOT_NUMBER_TEXT_BYTES];
    double value = 0;

    if (!is_plain(node) || spot_number_parse(node->text, &value) != 0 ||
        !is_in_range(field, value)) {
        spot_number_text(field->min, low);
        spot_number_text(field->max, high);
        report_range(self, field, node, "a number", low, high);
        return;
    }
    *target = value;
}

/* A limit that may be infinite. */
static int64_t
limit_ms(double limit)
{
    const double longest_ms = (double) SPOT_MAX_DURATION_MS;

    return (int64_t) fmax(fmin(limit, longest_ms), -longest_ms);
}

static void
bind_duration(spot_bind_t *self, const spot_field_t *field, const spot_node_t *node,
    int64_t *target)
{
    static const char what[] = "a duration such as \"88 s\", \"1.5 h\" or \"250 ms\"";
    char low[SPOT_DURATION_TEXT_BYTES], high[SPOT_DURATION_TEXT_BYTES];
    const char *problem = "";
    int64_t value_ms = 0;

    if (node->kind != SPOT_NODE_SCALAR ||
        spot_duration_parse(node->text, &value_ms, &problem) != 0) {
        report_unexpected(self, field->name, node, what, problem);
    } else if (!is_in_range(field, (double) value_ms)) {
        spot_duration_text(limit_ms(field->min), low);
        spot_duration_text(limit_ms(field->max), high);
        report_range(self, field, node, "a duration", low, high);
    } else {
        *target = value_ms;
    }
}

#define PRICE_TEXT_BYTES (SPOT_NUMBER_TEXT_BYTES + 8)
static void
price_text(double price_usd_per_h, char text[PRICE_TEXT_BYTES])
{
    char number[SPOT_NUMBER_TEXT_BYTES];

    spot_number_text(price_usd_per_h, number);
    snprintf(text, PRICE_TEXT_BYTES, "%s USD/h", number);
}

static void
bind_price(spot_bind_t *self, const spot_field_t *field, const spot_node_t *node,
    double *target)
{
    char low[PRICE_TEXT_BYTES], high[PRICE_TEXT_BYTES];
    const char *problem = "";
    double value = 0;

    if (node->kind != SPOT_NODE_SCALAR ||
        spot_price_parse(node->text, &value, &problem) != 0) {
        report_unexpected(
            self, field->name, node, "a price such as \"0.91 USD/h\"", problem);
    } else if (!is_in_range(field, value)) {
        price_text(field->min, low);
        price_text(field->max, high);
        report_range(self, field, node, "a price", low, high);
    } else {
        *target = value;
    }
}

static void
bind_text(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, char **target)
{
    if (node->kind != SPOT_NODE_SCALAR || node->text[0] == '\0') {
        report_unexpected(self, field->name, node,
            field->type == SPOT_FIELD_PATH ? "a file name" : "a text", "");
        return;
    }
    *target = field->type == SPOT_FIELD_PATH
                  ? spot_node_file_path(node)
                  : spot_text_copy(node->text, strlen(node->text));
    self->is_out_of_memory = self->is_out_of_memory || *target == NULL;
}

static void
bind_choice(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, int *target)
{
    char list[256] = "", text[SHOWN_BYTES];
    spot_suggest_t near;

    if (node->kind == SPOT_NODE_SCALAR) {
        spot_suggest_init(&near, node->text);
    }
    for (int j = 0; field->choices[j] != NULL; j++) {
        const size_t used = strlen(list);

        if (node->kind == SPOT_NODE_SCALAR) {
            if (strcmp(node->text, field->choices[j]) == 0) {
                *target = j;
                return;
            }
            spot_suggest_offer(&near, field->choices[j]);
        }
        snprintf(list + used, sizeof(list) - used, "%s%s",
            j == 0                          ? ""
            : field->choices[j + 1] == NULL ? " or "
                                            : ", ",
            field->choices[j]);
    }
    if (node->kind == SPOT_NODE_SCALAR && near.nearest != NULL) {
        spot_bind_error(self, node, field->name,
            "expected %s, got %s, did you mean \"%s\"?", list, shown(node, text),
            near.nearest);
    } else {
        report_unexpected(self, field->name, node, list, "");
    }
}

void
spot_bind_field(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    switch (field->type) {
        case SPOT_FIELD_INTEGER:
            bind_integer(self, field, node, target);
            break;
        case SPOT_FIELD_NUMBER:
            bind_number(self, field, node, target);
            break;
        case SPOT_FIELD_DURATION:
            bind_duration(self, field, node, target);
            break;
        case SPOT_FIELD_PRICE:
            bind_price(self, field, node, target);
            break;
        case SPOT_FIELD_TEXT:
        case SPOT_FIELD_PATH:
            bind_text(self, field, node, target);
            break;
        case SPOT_FIELD_CHOICE:
            bind_choice(self, field, node, target);
            break;
        case SPOT_FIELD_MAP:
            spot_bind_map(self, field->fields, field->name, node, target);
            break;
        case SPOT_FIELD_CUSTOM:
            field->bind(self, field, node, target);
            break;
        case SPOT_FIELD_SELECTOR:
            break;
    }
}

const spot_field_t *
spot_field_first(const spot_field_t *fields)
{
    while (fields != NULL && fields->name == NULL) {
        fields = fields->fields;
    }
    return fields;
}

const spot_field_t *
spot_field_next(const spot_field_t *self)
{
    return spot_field_first(self + 1);
}

static const spot_field_t *
find_field(const spot_field_t *fields, const char *name)
{
    const spot_field_t *field = spot_field_first(fields);

    while (field != NULL && strcmp(field->name, name) != 0) {
        field = spot_field_next(field);
    }
    return field;
}

void
spot_bind_unknown(spot_bind_t *self, const spot_node_t *node, const char *key,
    const char *what, const spot_suggest_t *near, const char *otherwise)
{
    char text[SPOT_UTF8_SHOWN_BYTES];

    spot_utf8_shown(near->text, text);
    if (near->nearest != NULL) {
        spot_bind_error(self, node, key, "unknown %s \"%s\", did you mean \"%s\"?", what,
            text, near->nearest);
    } else {
        spot_bind_error(self, node, key, "unknown %s \"%s\"%s", what, text, otherwise);
    }
}

static void
report_unknown_key(spot_bind_t *self, const spot_field_t *fields, const spot_node_t *key)
{
    spot_suggest_t near;

    spot_suggest_init(&near, key->text);
    for (const spot_field_t *field = spot_field_first(fields); field != NULL;
         field = spot_field_next(field)) {
        spot_suggest_offer(&near, field->name);
    }
    spot_bind_unknown(self, key, NULL, "key", &near, "");
}

/* Binds the default of a field as if it stood in the document. */
static void
bind_initial(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *map, void *target)
{
    spot_yaml_t document;
    const int ret = spot_yaml_parse(
        &document, map->file, field->initial, strlen(field->initial), self->diag);

    if (ret == SPOT_ERR_NO_MEMORY) {
        self->is_out_of_memory = true;
    } else {
        spot_bug_assert(ret == 0);
        spot_bind_field(self, field, document.root, target);
    }
    spot_yaml_free(&document);
}

static void
bind_missing(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *map, void *target)
{
    if (field->initial == NULL) {
        spot_bind_error(
            self, map, NULL, "missing key \"%s%s\"", self->path, field->name);
    } else if (field->initial[0] != '\0') {
        bind_initial(self, field, map, target);
    }
}

static void
bind_members(
    spot_bind_t *self, const spot_field_t *fields, const spot_node_t *map, char *target)
{
    for (size_t j = 0; j < map->num_children; j++) {
        const spot_field_t *field = find_field(fields, map->keys[j]->text);

        if (field == NULL) {
            report_unknown_key(self, fields, map->keys[j]);
        } else {
            spot_bind_field(self, field, map->children[j], target + field->offset);
        }
    }
    for (const spot_field_t *field = spot_field_first(fields); field != NULL;
         field = spot_field_next(field)) {
        if (spot_node_get(map, field->name) == NULL) {
            bind_missing(self, field, map, target + field->offset);
        }
    }
}

void
spot_bind_map(spot_bind_t *self, const spot_field_t *fields, const char *name,
    const spot_node_t *node, void *target)
{
    const size_t length = strlen(self->path);

    if (node->kind != SPOT_NODE_MAP) {
        report_unexpected(self, name, node, "a map of keys", "");
        return;
    }
    if (name != NULL) {
        snprintf(self->path + length, sizeof(self->path) - length, "%s.", name);
    }
    bind_members(self, fields, node, target);
    self->path[length] = '\0';
}

int
spot_bind_document(
    const spot_field_t *fields, const spot_node_t *node, spot_diag_t *diag, void *target)
{
    const size_t num_errors = diag->num_errors;
    spot_bind_t bind = {.diag = diag};

    spot_bind_map(&bind, fields, NULL, node, target);
    if (bind.is_out_of_memory) {
        return SPOT_ERR_NO_MEMORY;
    }
    return diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : 0;
}

void
spot_bind_keep_node(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    (void) self;
    (void) field;
    *(const spot_node_t **) target = node;
}

char *
spot_node_file_path(const spot_node_t *node)
{
    const char *slash = strrchr(node->file, '/');
    const bool is_absolute = node->text[0] == '/';
    const size_t folder_bytes =
        slash == NULL || is_absolute ? 0 : (size_t) (slash - node->file) + 1;
    const size_t path_bytes = strlen(node->text);
    char *path = malloc(folder_bytes + path_bytes + 1);

    if (path != NULL) {
        memcpy(path, node->file, folder_bytes);
        memcpy(path + folder_bytes, node->text, path_bytes + 1);
    }
    return path;
}
