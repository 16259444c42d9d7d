/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/bind.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
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

    if (self->visitor != NULL) {
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

/* Reports "path.name: expected WHAT, got VALUE: problem"; ": problem" may be empty. */
static void report_expected(spot_bind_t *self, const char *name, const spot_node_t *node,
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
    report_expected(self, field->name, node, field->expected, problem);
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

/* ---- Visits ---- */

static void visit_scalar(spot_bind_t *self, const char *name, const char *text, spot_visited_t kind)
{
    if (self->visitor != NULL) {
        self->visitor->num_values++;
        self->visitor->scalar(self, name, text, kind);
    }
}

static void visit_file(spot_bind_t *self, const char *name, const spot_node_t *node)
{
    if (self->visitor != NULL) {
        self->visitor->num_values++;
        self->visitor->file(self, name, node);
    }
}

char *spot_path_escape(const char *key, char *escaped)
{
    if (*key == '\0') {
        *escaped++ = '\\';
        *escaped++ = SPOT_PATH_NO_KEY;
    }
    for (; *key != '\0'; key++) {
        if (strchr(".[]\\", *key) != NULL) {
            *escaped++ = '\\';
        }
        *escaped++ = *key;
    }
    *escaped = '\0';
    return escaped;
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

/* The noun for its values in messages: "an integer". */
static const char *field_what(const spot_field_t *self)
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
    const char *what = field_what(field);
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

/* Whether a value, or a number of items, is within the limits. */
static bool field_allows(const spot_field_t *self, double value)
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
    report_expected(self, field->name, node, expected, has_unit && is_read ? "" : problem);
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

/* Equal values give equal texts. */
static void visit_number(spot_bind_t *self, const spot_field_t *field, spot_amount_t amount)
{
    char text[SPOT_AMOUNT_TEXT_BYTES];

    if (field->type == SPOT_FIELD_INTEGER) {
        snprintf(text, sizeof(text), "%" PRId64, amount.whole);
    } else if (field->type == SPOT_FIELD_NUMBER || field->type == SPOT_FIELD_PRICE) {
        write_real(amount.real, text);
    } else {
        spot_units_text(kinds[field->type].units, amount, text);
    }
    visit_scalar(self, field->name, text, SPOT_VISITED_NUMBER);
}

static void bind_number(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const char *problem = "";
    spot_amount_t amount = {0};
    const bool is_read = parse_number(field, node, &amount, &problem) == 0;

    if (!is_read || !field_allows(field, value_of(field, amount))) {
        report_number(self, field, node, is_read, problem);
        return;
    }
    if (target != NULL) {
        memcpy(target, &amount, sizeof(amount)); /* an int64_t or a double */
    }
    if (self->visitor != NULL) {
        visit_number(self, field, amount);
    }
}

/* ---- Texts ---- */

static void bind_text(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, char **target)
{
    const bool is_path = field->type == SPOT_FIELD_PATH;

    if (node->kind != SPOT_NODE_SCALAR || node->text[0] == '\0') {
        report_expected(self, field->name, node,
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
    if (is_path) {
        visit_file(self, field->name, node);
    } else {
        visit_scalar(self, field->name, node->text, SPOT_VISITED_TEXT);
    }
}

/* The index of the choice that a node is; -1: none. */
static int field_find_choice(const spot_field_t *self, const spot_node_t *node)
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
        report_expected(self, field->name, node, list, "");
    }
}

static void bind_choice(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, int *target)
{
    const int choice = field_find_choice(field, node);

    if (choice < 0) {
        report_choice(self, field, node);
        return;
    }
    if (target != NULL) {
        *target = choice;
    }
    visit_scalar(self, field->name, node->text, SPOT_VISITED_TEXT);
}

/* Binds a value of a scalar type, and stores it unless target is NULL. */
static void bind_scalar(
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

#define NAME_BYTES 512
#define MAX_KEY_BYTES 64 /* of a dictionary */

/* The member of a field in the struct at target; NULL: nothing is stored. */
static void *member(const spot_field_t *field, void *target)
{
    return target == NULL || field->offset == SPOT_NOWHERE ? NULL : (char *) target + field->offset;
}

/* Another member of the struct of a field's member. */
static void *sibling(const spot_field_t *field, void *target, size_t offset)
{
    return (char *) target - field->offset + offset;
}

/* Binds a field under another name; target: the struct around it. */
static void bind_named(spot_bind_t *self, const spot_field_t *field, const char *name,
    const spot_node_t *node, void *target)
{
    spot_field_t named = *field;

    named.name = name;
    spot_bind_field(self, &named, node, member(field, target));
}

/* ---- Lists and dictionaries ---- */

/* Allocates all items, which the struct owns, and one spare item. NULL: nothing is
 * stored, or no memory. */
static char *make_items(
    spot_bind_t *self, const spot_field_t *field, size_t num_items, void *target)
{
    char *items;

    if (target == NULL || field->is_in_place) {
        return target;
    }
    items = spot_calloc(num_items + 1, field->item_size);
    self->is_out_of_memory = self->is_out_of_memory || items == NULL;
    *(char **) target = items;
    *(size_t *) sibling(field, target, field->num_offset) = items == NULL ? 0 : num_items;
    return items;
}

static bool has_kind(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, spot_node_kind_t kind)
{
    if (node->kind != kind || !field_allows(field, (double) node->num_children)) {
        spot_bind_unexpected(self, field, node, "");
        return false;
    }
    return true;
}

static void bind_list(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    char name[NAME_BYTES], *items;

    if (!has_kind(self, field, node, SPOT_NODE_LIST)) {
        return;
    }
    items = make_items(self, field, node->num_children, target);
    for (size_t j = 0; j < node->num_children; j++) {
        snprintf(name, sizeof(name), "%s[%zu]", field->name, j);
        bind_named(self, field->item, name, node->children[j],
            items == NULL ? NULL : items + j * field->item_size);
    }
}

static int64_t integer_key(const spot_field_t *field, const char *item)
{
    return *(const int64_t *) (const void *) (item + field->key->offset);
}

/* Moves the latest item to its place by key and returns the place. Uses the spare
 * item. */
static char *sort_item(spot_bind_t *self, const spot_field_t *field, const spot_node_t *node,
    size_t item_id, char *items)
{
    const size_t size = field->item_size;
    const int64_t key = integer_key(field, items + item_id * size);
    char *item = items + item_id * size, *spare = items + node->num_children * size;
    char name[NAME_BYTES];

    memcpy(spare, item, size);
    for (; item > items && integer_key(field, item - size) > key; item -= size) {
        memcpy(item, item - size, size);
    }
    memcpy(item, spare, size);
    if (item > items && integer_key(field, item - size) == key) {
        snprintf(name, sizeof(name), "%s.%" PRId64, field->name, key);
        spot_bind_error(self, node->keys[item_id], name, "repeated %s",
            strchr(field_what(field->key), ' ') + 1);
    }
    return item;
}

/* The name of an entry: integers in their usual form, other keys as in messages or, with
 * a visitor, as in paths. */
static void name_entry(
    const spot_bind_t *self, const spot_field_t *field, const char *key, char name[NAME_BYTES])
{
    char text[SPOT_UTF8_SHOWN_BYTES];
    int64_t number;

    if (field->key->type == SPOT_FIELD_INTEGER && spot_integer_parse(key, &number) == 0) {
        snprintf(name, NAME_BYTES, "%s.%" PRId64, field->name, number);
        return;
    }
    if (self->visitor != NULL) {
        spot_path_escape(key, text);
    } else {
        spot_utf8_shown(key, text);
    }
    snprintf(name, NAME_BYTES, "%s.%s", field->name, text);
}

/* Binds one key and its value. A number may have quotes here, since all keys are texts
 * in YAML. The value of a wrong key is not checked. */
static void bind_entry(spot_bind_t *self, const spot_field_t *field, const spot_node_t *node,
    size_t entry_id, char *items)
{
    char *item = items == NULL ? NULL : items + entry_id * field->item_size;
    spot_node_t key = *node->keys[entry_id];
    char name[NAME_BYTES];
    size_t num_errors;

    key.is_quoted = key.is_quoted && field->key->type != SPOT_FIELD_INTEGER;
    if (strlen(key.text) > MAX_KEY_BYTES) {
        spot_bind_error(self, &key, field->name, "a key of more than %d bytes", MAX_KEY_BYTES);
        return;
    }
    if (self->visitor == NULL) {
        num_errors = self->diag->num_errors;
        bind_named(self, field->key, field->name, &key, item);
        if (self->diag->num_errors > num_errors) {
            return;
        }
    }
    if (item != NULL && field->key->type == SPOT_FIELD_INTEGER) {
        item = sort_item(self, field, node, entry_id, items);
    }
    name_entry(self, field, key.text, name);
    bind_named(self, field->item, name, node->children[entry_id], item);
}

static void bind_dict(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    char *items;

    if (!has_kind(self, field, node, SPOT_NODE_MAP)) {
        return;
    }
    items = make_items(self, field, node->num_children, target);
    for (size_t j = 0; j < node->num_children; j++) {
        bind_entry(self, field, node, j, items);
    }
    if (field->is_ordered && self->visitor != NULL && self->visitor->scalar != NULL) {
        self->visitor->num_values += node->num_children;
        self->visitor->order(self, field->name, node);
    }
}

/* ---- One of several forms ---- */

/* Whether a node may be the value of a form without a name; choices are tried before. */
static bool has_shape(const spot_field_t *form, const spot_node_t *node)
{
    switch (form->type) {
        case SPOT_FIELD_LIST:
            return node->kind == SPOT_NODE_LIST;
        case SPOT_FIELD_MAP:
        case SPOT_FIELD_DICT:
        case SPOT_FIELD_CUSTOM:
            return node->kind == SPOT_NODE_MAP;
        default:
            return node->kind == SPOT_NODE_SCALAR && form->type != SPOT_FIELD_CHOICE;
    }
}

const spot_field_t *spot_field_form(const spot_field_t *self, const spot_node_t *node)
{
    for (const spot_field_t *form = self->fields; form->name != NULL; form++) {
        if (form->type == SPOT_FIELD_CHOICE && form->name[0] == '\0' &&
            field_find_choice(form, node) >= 0) {
            return form;
        }
    }
    for (const spot_field_t *form = self->fields; form->name != NULL; form++) {
        if (form->name[0] == '\0' ? has_shape(form, node)
                                  : spot_node_get(node, form->name) != NULL) {
            return form;
        }
    }
    return NULL;
}

/* Reports a value of no form, or a named form with other keys beside it. */
static void report_form(spot_bind_t *self, const spot_field_t *field, const spot_node_t *node)
{
    char problem[64] = "";
    spot_suggest_t near;

    if (node->kind == SPOT_NODE_MAP && field->what != NULL && node->num_children == 1) {
        spot_suggest_init(&near, node->keys[0]->text);
        for (const spot_field_t *form = field->fields; form->name != NULL; form++) {
            spot_suggest_offer(&near, form->name);
        }
        spot_bind_unknown(self, node->keys[0], field->name, field->what, &near, "");
        return;
    }
    if (node->kind == SPOT_NODE_MAP && field->what != NULL && node->num_children > 1) {
        snprintf(problem, sizeof(problem), "more than one %s", field->what);
    }
    spot_bind_unexpected(self, field, node, problem);
}

static void bind_one_of(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const spot_field_t *form = spot_field_form(field, node);
    const bool is_named = form != NULL && form->name[0] != '\0';
    char name[NAME_BYTES];

    if (form == NULL || (is_named && node->num_children > 1)) {
        report_form(self, field, node);
        return;
    }
    if (target != NULL && field->has_form) {
        *(int *) sibling(field, target, field->form_offset) = (int) (form - field->fields);
    }
    if (is_named) {
        snprintf(name, sizeof(name), "%s.%s", field->name, form->name);
    }
    bind_named(
        self, form, is_named ? name : field->name, is_named ? node->children[0] : node, target);
}

/* ---- Maps ---- */

const spot_field_t *spot_field_first(const spot_field_t *fields)
{
    while (fields != NULL && fields->name == NULL) {
        fields = fields->fields;
    }
    return fields;
}

const spot_field_t *spot_field_next(const spot_field_t *self)
{
    return spot_field_first(self + 1);
}

const spot_field_t *spot_field_find(const spot_field_t *fields, const char *name, size_t name_bytes)
{
    const spot_field_t *field = spot_field_first(fields);

    while (field != NULL &&
           (field->name[0] != name[0] || strncmp(field->name, name, name_bytes) != 0 ||
               field->name[name_bytes] != '\0')) {
        field = spot_field_next(field);
    }
    return field;
}

/* The table that binds a map, and the map itself within the form of a one-of. */
static const spot_field_t *table_of(const spot_field_t *field, const spot_node_t **node)
{
    while (field != NULL && field->type == SPOT_FIELD_ONE_OF) {
        field = spot_field_form(field, *node);
        if (field != NULL && field->name[0] != '\0') {
            return field; /* its name is the key of the map */
        }
    }
    if (field == NULL) {
        return NULL;
    }
    return field->type == SPOT_FIELD_MAP ? field->fields
           : field->table != NULL        ? field->table(*node)
                                         : NULL;
}

/* The dictionary that a value is, or NULL. */
static const spot_field_t *dict_of(const spot_field_t *field, const spot_node_t *node)
{
    if (field != NULL && node != NULL && field->type == SPOT_FIELD_ONE_OF) {
        field = spot_field_form(field, node);
    }
    return field == NULL || field->type != SPOT_FIELD_DICT ? NULL : field;
}

/* The first part of a path in key, without the dot that ends it. false: it is the last
 * part, or too long. */
static bool split_path(const char **path, char key[NAME_BYTES])
{
    const size_t key_bytes = strcspn(*path, ".");

    if ((*path)[key_bytes] == '\0' || key_bytes >= NAME_BYTES) {
        return false;
    }
    memcpy(key, *path, key_bytes);
    key[key_bytes] = '\0';
    *path += key_bytes + 1;
    return true;
}

/* Where a path leads. */
typedef struct {
    const spot_field_t *above; /* of the map with the value; NULL: the first map, or an
                                  item of a dictionary */
    char item[NAME_BYTES];     /* key of that item, "": none */
} place_t;

static const spot_field_t *field_at(
    const spot_field_t *fields, const spot_node_t *map, const char *path, place_t *place)
{
    const spot_field_t *field = spot_field_find(fields, path, strcspn(path, "."));
    const spot_field_t *dict;
    const spot_node_t *node;
    char key[NAME_BYTES];

    if (field == NULL || !split_path(&path, key)) {
        return field;
    }
    node = spot_node_get(map, key);
    place->above = field;
    dict = dict_of(field, node);
    if (dict == NULL) {
        fields = node == NULL ? NULL : table_of(field, &node);
    } else if (dict->item->type == SPOT_FIELD_MAP && split_path(&path, place->item)) {
        node = spot_node_get(node, place->item);
        place->above = NULL;
        fields = dict->item->fields;
    } else {
        fields = NULL;
    }
    return fields == NULL ? NULL : field_at(fields, node, path, place);
}

const spot_field_t *spot_field_at(
    const spot_field_t *fields, const spot_node_t *map, const char *path)
{
    place_t place = {NULL, ""};

    return field_at(fields, map, path, &place);
}

/* "nodes of a": the label of the items of a dictionary, which ends with a blank, and the
 * key of an item. NULL: the path is not that of one. */
static const char *item_label(
    const spot_field_t *fields, const spot_node_t *map, const char *path, const char **key)
{
    const char *dot = strrchr(path, '.');
    const spot_field_t *dict;
    char above[NAME_BYTES];

    if (dot == NULL || dot - path >= NAME_BYTES) {
        return NULL;
    }
    memcpy(above, path, (size_t) (dot - path));
    above[dot - path] = '\0';
    *key = dot + 1;
    dict = dict_of(spot_field_at(fields, map, above), spot_node_place(map, above));
    return dict == NULL ? NULL : dict->item->label;
}

bool spot_field_label(const spot_field_t *fields, const spot_node_t *map, const char *path,
    char *text, size_t num_bytes)
{
    place_t place = {NULL, ""};
    const spot_field_t *field = field_at(fields, map, path, &place);
    const char *label = field == NULL ? NULL : field->label;
    const char *before = place.above == NULL ? NULL : place.above->label;
    const char *key;

    if (field == NULL) {
        label = item_label(fields, map, path, &key);
        if (label != NULL) {
            snprintf(text, num_bytes, "%s%s", label, key);
        }
        return label != NULL;
    }
    if (label == NULL || (label[0] == ' ' && before == NULL)) {
        return false;
    }
    snprintf(text, num_bytes, "%s%s%s%s", label[0] == ' ' ? before : "", label,
        place.item[0] == '\0' ? "" : " of ", place.item);
    return true;
}

/* Whether a key of maps below has this name; path: what stands before their names.
 * found: its whole path. */
static bool find_below(
    const spot_field_t *fields, const char *name, const char *path, char found[NAME_BYTES])
{
    for (const spot_field_t *field = spot_field_first(fields); field != NULL;
         field = spot_field_next(field)) {
        char below[NAME_BYTES];

        if (*path != '\0' && strcmp(field->name, name) == 0) {
            snprintf(found, NAME_BYTES, "%s%s", path, name);
            return true;
        }
        snprintf(below, sizeof(below), "%s%s.", path, field->name);
        if (field->type == SPOT_FIELD_MAP && find_below(field->fields, name, below, found)) {
            return true;
        }
    }
    return false;
}

/* Candidates are the keys of the map, and at the top of a document those below. */
static void report_unknown_key(
    spot_bind_t *self, const spot_field_t *fields, const spot_node_t *key)
{
    spot_suggest_t near;
    char found[NAME_BYTES];

    spot_suggest_init(&near, key->text);
    for (const spot_field_t *field = spot_field_first(fields); field != NULL;
         field = spot_field_next(field)) {
        spot_suggest_offer(&near, field->name);
    }
    if (near.nearest == NULL && self->path[0] == '\0' && find_below(fields, key->text, "", found)) {
        near.nearest = found;
    }
    spot_bind_unknown(self, key, NULL, "key", &near, "");
}

/* Binds the default of a field as if the document had it. Most defaults are scalars or
 * {}, which are not parsed: a study binds many scenarios. */
static void bind_initial(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *map, void *target)
{
    const bool is_empty_map = strcmp(field->initial, "{}") == 0;
    char text[64];
    spot_node_t node = {.kind = is_empty_map ? SPOT_NODE_MAP : SPOT_NODE_SCALAR,
        .file = map->file,
        .line = 1,
        .column = 1,
        .text = text};
    spot_yaml_t document = {.root = &node};
    spot_diag_t diag;

    spot_diag_init(&diag);
    if (is_empty_map ||
        (strlen(field->initial) < sizeof(text) && strpbrk(field->initial, "{[\"'#:") == NULL)) {
        strcpy(text, field->initial);
    } else if (spot_yaml_parse(
                   &document, map->file, field->initial, strlen(field->initial), &diag) != 0) {
        self->is_out_of_memory = true;
    }
    spot_bug_assert(diag.num_errors == 0);
    if (self->visitor != NULL) {
        self->visitor->num_defaults++;
    }
    if (document.root != NULL) {
        spot_bind_field(self, field, document.root, member(field, target));
    }
    if (self->visitor != NULL) {
        self->visitor->num_defaults--;
    }
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

/* Whether a value may hold defaults of other fields. */
static bool is_walked(const spot_field_t *field)
{
    return field->type >= SPOT_FIELD_MAP && field->type != SPOT_FIELD_SELECTOR;
}

static void bind_missing(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *map, void *target)
{
    if (self->visitor != NULL && self->visitor->missing != NULL && field->decides) {
        self->visitor->missing(self, field);
    }
    if (field->initial == NULL) {
        spot_bind_error(self, map, NULL, "missing key \"%s%s\"", self->path, field->name);
    } else if (field->initial[0] != '\0' &&
               (self->visitor == NULL || self->visitor->scalar != NULL || is_walked(field))) {
        bind_initial(self, field, map, target);
    }
}

static void bind_members(
    spot_bind_t *self, const spot_field_t *fields, const spot_node_t *map, void *target)
{
    for (size_t j = 0; j < map->num_children; j++) {
        const spot_field_t *field =
            spot_field_find(fields, map->keys[j]->text, strlen(map->keys[j]->text));

        if (field == NULL) {
            report_unknown_key(self, fields, map->keys[j]);
        } else {
            spot_bind_field(self, field, map->children[j], member(field, target));
        }
    }
    for (const spot_field_t *field = spot_field_first(fields); field != NULL;
         field = spot_field_next(field)) {
        if (map->kind == SPOT_NODE_SCALAR && field->type == SPOT_FIELD_SELECTOR) {
            spot_bind_field(self, field, map, NULL);
        } else if (spot_node_get(map, field->name) == NULL) {
            bind_missing(self, field, map, target);
        }
    }
}

void spot_bind_chosen(spot_bind_t *self, const spot_field_t *fields, const char *name,
    const spot_node_t *node, void *target)
{
    const size_t length = strlen(self->path);
    const size_t num_bytes = name == NULL ? 0 : strlen(name);

    if (name != NULL && length + num_bytes + 2 <= sizeof(self->path)) {
        memcpy(self->path + length, name, num_bytes); /* a study binds many maps */
        memcpy(self->path + length + num_bytes, ".", 2);
    }
    bind_members(self, fields, node, target);
    self->path[length] = '\0';
}

void spot_bind_map(spot_bind_t *self, const spot_field_t *fields, const char *name,
    const spot_node_t *node, void *target)
{
    if (node->kind == SPOT_NODE_MAP) {
        spot_bind_chosen(self, fields, name, node, target);
    } else if (self->visitor == NULL) {
        report_expected(self, name, node, "a map of keys", "");
    }
}

/* Visits the value of a custom field by its table, if it has one. */
static void visit_custom(spot_bind_t *self, const spot_field_t *field, const spot_node_t *node)
{
    const spot_field_t *fields = field->table == NULL ? NULL : field->table(node);
    const bool was_chosen = self->visitor->is_chosen;

    if (fields != NULL) {
        self->visitor->is_chosen = true;
        spot_bind_chosen(self, fields, field->name, node, NULL);
        self->visitor->is_chosen = was_chosen;
    }
}

static void bind_by_type(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    switch (field->type) {
        case SPOT_FIELD_MAP:
            spot_bind_map(self, field->fields, field->name, node, target);
            break;
        case SPOT_FIELD_LIST:
            bind_list(self, field, node, target);
            break;
        case SPOT_FIELD_DICT:
            bind_dict(self, field, node, target);
            break;
        case SPOT_FIELD_ONE_OF:
            bind_one_of(self, field, node, target);
            break;
        case SPOT_FIELD_CUSTOM:
            if (self->visitor != NULL) {
                visit_custom(self, field, node);
            }
            break;
        case SPOT_FIELD_SELECTOR:
            if (node->kind == SPOT_NODE_SCALAR) {
                visit_scalar(self, field->name, node->text, SPOT_VISITED_SELECTOR);
            }
            break;
        default:
            bind_scalar(self, field, node, target);
    }
}

/* A walk that looks for missing keys alone: only maps and what may hold some matter. */
static void visit_missing(spot_bind_t *self, const spot_field_t *field, const spot_node_t *node)
{
    const char *label = self->visitor->label;

    if (field->file_table != NULL && node->kind == SPOT_NODE_SCALAR && node->text[0] != '\0') {
        self->visitor->document(self, field, node);
    } else if (is_walked(field)) {
        self->visitor->label = field->label;
        bind_by_type(self, field, node, NULL);
        self->visitor->label = label;
    }
}

/* A walk that takes all values. A value that no field has visited is of unknown type. */
static void visit_value(spot_bind_t *self, const spot_field_t *field, const spot_node_t *node)
{
    const size_t num_before = self->visitor->num_values;

    bind_by_type(self, field, node, NULL);
    if (self->visitor->num_values == num_before) {
        self->visitor->num_values++;
        self->visitor->unknown(self, field->name, node);
    }
}

void spot_bind_field(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    size_t num_before;

    if (self->visitor != NULL && self->visitor->scalar == NULL) {
        visit_missing(self, field, node);
        return;
    }
    if (self->visitor != NULL) {
        visit_value(self, field, node);
        return;
    }
    num_before = self->diag->num_errors;
    if (field->bind != NULL) {
        field->bind(self, field, node, target);
    } else {
        bind_by_type(self, field, node, target);
    }
    if (field->settle != NULL && target != NULL && self->diag->num_errors == num_before &&
        !self->is_out_of_memory) {
        field->settle(self, field, node, target);
    }
}

int spot_bind_document(
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

void spot_bind_keep_node(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    (void) self;
    (void) field;
    *(const spot_node_t **) target = node;
}
