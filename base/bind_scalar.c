/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bind_internal.h"
#include "base/memory.h"
#include "base/units.h"
#include "base/utf8.h"

const char *const spot_no_yes[] = {"no", "yes", NULL};
const char *const spot_false_true[] = {"false", "true", NULL};

/* ---- Messages ---- */

void spot_bind_error(
    spot_bind_t *self, const spot_node_t *node, const char *name, const char *format, ...)
{
    char message[1024];
    va_list arguments;

    if (self->writer != NULL) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    spot_diag_error(self->diag, node->file, node->line, node->column, "%s%s%s%s",
        name == NULL ? "" : self->path, name == NULL ? "" : name, name == NULL ? "" : ": ",
        message);
}

/* A value in a message: the start of its text, or its kind. */
#define SHOWN_BYTES (SPOT_UTF8_SHOWN_BYTES + 2)
static const char *shown(const spot_node_t *node, char text[SHOWN_BYTES])
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

void spot_bind_expect(spot_bind_t *self, const char *name, const spot_node_t *node,
    const char *what, const char *problem)
{
    const bool is_nothing = node->kind == SPOT_NODE_SCALAR && node->text[0] == '\0';
    const bool has_problem = !is_nothing && *problem != '\0';
    char text[SHOWN_BYTES];

    spot_bind_error(self, node, name, "expected %s, got %s%s%s", what, shown(node, text),
        has_problem ? ": " : "", has_problem ? problem : "");
}

void spot_bind_unexpected(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, const char *problem)
{
    spot_bind_expect(self, field->name, node, field->expected, problem);
}

void spot_bind_unknown(spot_bind_t *self, const spot_node_t *node, const char *key,
    const char *what, const spot_suggest_t *near, const char *otherwise)
{
    char text[SPOT_UTF8_SHOWN_BYTES];

    spot_utf8_shown(near->text, text);
    if (near->nearest != NULL) {
        spot_bind_error(
            self, node, key, "unknown %s \"%s\", did you mean \"%s\"?", what, text, near->nearest);
    } else {
        spot_bind_error(self, node, key, "unknown %s \"%s\"%s", what, text, otherwise);
    }
}

/* ---- Numbers ---- */

static const struct {
    const char *what;
    const char *example;       /* with a unit; NULL: none */
    const spot_units_t *units; /* NULL: none */
} kinds[] = {
    [SPOT_FIELD_INTEGER] = {"an integer", NULL, NULL},
    [SPOT_FIELD_NUMBER] = {"a number", NULL, NULL},
    [SPOT_FIELD_DURATION] = {"a duration", "a duration such as \"88 s\", \"1.5 h\" or \"250 ms\"",
        &spot_units_ms},
    [SPOT_FIELD_DURATION_NS] = {"a duration",
        "a duration such as \"1.5 s\", \"20 ms\" or \"350 us\"", &spot_units_ns},
    [SPOT_FIELD_PRICE] = {"a price", "a price such as \"0.91 USD/h\"", &spot_units_usd_per_h},
    [SPOT_FIELD_BYTES] = {"a size", "a size such as \"220 kB\" or \"24 GiB\"", &spot_units_bytes},
    [SPOT_FIELD_RATE] = {"a rate", "a rate such as \"10 Gbit/s\" or \"1.25 GB/s\"",
        &spot_units_bytes_per_s},
};

const char *spot_field_what(const spot_field_t *self)
{
    return self->what != NULL ? self->what : kinds[self->type].what;
}

static void limit_text(const spot_field_t *field, double limit, char text[SPOT_AMOUNT_TEXT_BYTES])
{
    const spot_units_t *units = kinds[field->type].units;

    if (units == NULL) {
        spot_number_text(limit, text);
    } else {
        spot_units_text(units, spot_units_nearest(units, limit), text);
    }
}

/* Writes a range such as "an integer from 1 to 64". */
#define RANGE_BYTES 160
static void range_text(const spot_field_t *field, char text[RANGE_BYTES])
{
    const char *what = spot_field_what(field);
    char low[SPOT_AMOUNT_TEXT_BYTES], high[SPOT_AMOUNT_TEXT_BYTES];

    limit_text(field, field->min, low);
    limit_text(field, field->max, high);
    if (field->min == 0 && field->max == 0) {
        snprintf(text, RANGE_BYTES, "%s", what);
    } else if (field->max >= HUGE_VAL) {
        snprintf(text, RANGE_BYTES, "%s from %s", what, low);
    } else if (field->min < field->max) {
        snprintf(text, RANGE_BYTES, "%s from %s to %s", what, low, high);
    } else {
        snprintf(text, RANGE_BYTES, "%s", low);
    }
}

bool spot_field_allows(const spot_field_t *self, double value)
{
    return (self->min == 0 && self->max == 0) || (value >= self->min && value <= self->max);
}

static int parse_number(
    const spot_field_t *field, const spot_node_t *node, spot_amount_t *amount, const char **problem)
{
    const spot_units_t *units = kinds[field->type].units;

    if (node->kind != SPOT_NODE_SCALAR) {
        return SPOT_ERR_BAD_INPUT;
    }
    if (units != NULL) {
        return spot_units_parse(units, node->text, amount, problem);
    }
    if (node->is_quoted) {
        *problem = "a text, since it is quoted";
        return SPOT_ERR_BAD_INPUT;
    }
    return field->type == SPOT_FIELD_INTEGER ? spot_integer_parse(node->text, &amount->whole)
                                             : spot_number_parse(node->text, &amount->real);
}

static double value_of(const spot_field_t *field, spot_amount_t amount)
{
    const spot_units_t *units = kinds[field->type].units;

    if (units != NULL) {
        return spot_units_value(units, amount);
    }
    return field->type == SPOT_FIELD_INTEGER ? (double) amount.whole : amount.real;
}

/* Reports a value that is no number or, with is_read, a number outside its limits. */
static void report_number(spot_bind_t *self, const spot_field_t *field, const spot_node_t *node,
    bool is_read, const char *problem)
{
    const bool has_unit = kinds[field->type].units != NULL;
    char range[RANGE_BYTES];
    const char *expected = range;

    if (field->says_range && is_read) {
        char low[SPOT_AMOUNT_TEXT_BYTES], high[SPOT_AMOUNT_TEXT_BYTES];

        limit_text(field, field->min, low);
        limit_text(field, field->max, high);
        spot_bind_error(self, node, field->name, "%s is not in %s..%s", node->text, low, high);
        return;
    }
    range_text(field, range);
    if (field->expected != NULL && !(has_unit && is_read)) {
        expected = field->expected;
    } else if (has_unit && !is_read) {
        expected = kinds[field->type].example;
    }
    spot_bind_expect(self, field->name, node, expected, has_unit && is_read ? "" : problem);
}

/* Writes whole numbers with all digits, so that they read as integers: 1e6 as 1000000.
 */
static void write_real(double number, char text[SPOT_NUMBER_TEXT_BYTES])
{
    if (nearbyint(number) == number && fabs(number) < 9e18) {
        snprintf(text, SPOT_NUMBER_TEXT_BYTES, "%" PRId64, (int64_t) number);
    } else {
        spot_number_text(number, text);
    }
}

/* Writes the canonical form of a number: equal values give equal texts. */
static void write_number(spot_bind_t *self, const spot_field_t *field, spot_amount_t amount)
{
    char text[SPOT_AMOUNT_TEXT_BYTES];

    if (field->type == SPOT_FIELD_INTEGER) {
        snprintf(text, sizeof(text), "%" PRId64, amount.whole);
    } else if (field->type == SPOT_FIELD_NUMBER || field->type == SPOT_FIELD_PRICE) {
        write_real(amount.real, text);
    } else {
        spot_units_text(kinds[field->type].units, amount, text);
    }
    spot_bind_write(self, field->name, spot_text_copy(text, strlen(text)));
}

static void bind_number(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const char *problem = "";
    spot_amount_t amount = {0};
    const bool is_read = parse_number(field, node, &amount, &problem) == 0;

    if (!is_read || !spot_field_allows(field, value_of(field, amount))) {
        report_number(self, field, node, is_read, problem);
        return;
    }
    if (target != NULL) {
        memcpy(target, &amount, sizeof(amount)); /* an int64_t or a double */
    }
    if (self->writer != NULL) {
        write_number(self, field, amount);
    }
}

/* ---- Texts ---- */

static void bind_text(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, char **target)
{
    const bool is_path = field->type == SPOT_FIELD_PATH;

    if (node->kind != SPOT_NODE_SCALAR || node->text[0] == '\0') {
        spot_bind_expect(self, field->name, node,
            field->expected != NULL ? field->expected
            : is_path               ? "a file name"
                                    : "a text",
            "");
        return;
    }
    if (target != NULL) {
        *target =
            is_path ? spot_node_file_path(node) : spot_text_copy(node->text, strlen(node->text));
        self->is_out_of_memory = self->is_out_of_memory || *target == NULL;
    }
    if (self->writer != NULL && is_path) {
        spot_bind_write_file(self, field->name, node);
    } else if (self->writer != NULL) {
        spot_bind_write(self, field->name, spot_canonical_scalar(node->text, true));
    }
}

int spot_field_find_choice(const spot_field_t *self, const spot_node_t *node)
{
    for (int j = 0; node->kind == SPOT_NODE_SCALAR && self->choices[j] != NULL; j++) {
        if (strcmp(node->text, self->choices[j]) == 0) {
            return j;
        }
    }
    return -1;
}

static void report_choice(spot_bind_t *self, const spot_field_t *field, const spot_node_t *node)
{
    char list[256] = "", text[SHOWN_BYTES];
    spot_suggest_t near = {0};

    if (node->kind == SPOT_NODE_SCALAR) {
        spot_suggest_init(&near, node->text);
    }
    for (int j = 0; field->choices[j] != NULL; j++) {
        const size_t used = strlen(list);

        if (node->kind == SPOT_NODE_SCALAR) {
            spot_suggest_offer(&near, field->choices[j]);
        }
        snprintf(list + used, sizeof(list) - used, "%s%s",
            j == 0                          ? ""
            : field->choices[j + 1] == NULL ? " or "
                                            : ", ",
            field->choices[j]);
    }
    if (near.nearest != NULL) {
        spot_bind_error(self, node, field->name, "expected %s, got %s, did you mean \"%s\"?", list,
            shown(node, text), near.nearest);
    } else {
        spot_bind_expect(self, field->name, node, list, "");
    }
}

static void bind_choice(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, int *target)
{
    const int choice = spot_field_find_choice(field, node);

    if (choice < 0) {
        report_choice(self, field, node);
        return;
    }
    if (target != NULL) {
        *target = choice;
    }
    if (self->writer != NULL) {
        spot_bind_write(self, field->name, spot_canonical_scalar(node->text, true));
    }
}

void spot_bind_scalar(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    if (field->type == SPOT_FIELD_CHOICE) {
        bind_choice(self, field, node, target);
    } else if (field->type == SPOT_FIELD_TEXT || field->type == SPOT_FIELD_PATH) {
        bind_text(self, field, node, target);
    } else {
        bind_number(self, field, node, target);
    }
}

char *spot_node_file_path(const spot_node_t *node)
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
