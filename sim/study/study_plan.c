/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/study_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "base/utf8.h"

static const char inline_prefix[] = "scenario.";

static bool
has_scenario_file(const spot_study_t *self)
{
    return self->scenario_file.root != NULL;
}

/* Sets a dotted key of the scenario, wherever its document is. */
static int
set_scenario_key(spot_study_t *self, const char *path, spot_node_t *value)
{
    char *whole;
    int ret;

    if (has_scenario_file(self)) {
        return spot_yaml_set(&self->scenario_file, path, value);
    }
    whole = malloc(sizeof(inline_prefix) + strlen(path));
    if (whole == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    sprintf(whole, "%s%s", inline_prefix, path);
    ret = spot_yaml_set(&self->document, whole, value);
    free(whole);
    return ret;
}

/* Whether the key of "KEY=VALUE" is one of the study's own, such as replications.count.
 */
static bool
is_study_key(const char *assignment)
{
    const size_t length = strcspn(assignment, ".=");

    for (const spot_field_t *field = spot_study_fields; field != NULL;
         field = spot_field_next(field)) {
        if (strlen(field->name) == length &&
            strncmp(field->name, assignment, length) == 0) {
            return strncmp(assignment, inline_prefix, sizeof(inline_prefix) - 1) != 0;
        }
    }
    return false;
}

/* Whether the key of "KEY=VALUE" is among those of a sweep, which may be NULL. */
static bool
is_swept_key(const spot_node_t *sweep, const char *assignment)
{
    const size_t length = strcspn(assignment, "=");

    for (size_t j = 0;
         sweep != NULL && sweep->kind == SPOT_NODE_MAP && j < sweep->num_children; j++) {
        if (strlen(sweep->keys[j]->text) == length &&
            strncmp(sweep->keys[j]->text, assignment, length) == 0) {
            return true;
        }
    }
    return false;
}

/* "KEY=VALUE" with a prefix before the key, carried out on the study's document. */
static int
assign_with_prefix(
    spot_study_t *self, const char *prefix, const char *assignment, spot_diag_t *diag)
{
    char *whole = malloc(strlen(prefix) + strlen(assignment) + 1);
    int ret;

    if (whole == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    sprintf(whole, "%s%s", prefix, assignment);
    ret = spot_yaml_assign(&self->document, "--set", whole, diag);
    free(whole);
    return ret;
}

static int
apply_scenario_set(spot_study_t *self, const char *assignment, spot_diag_t *diag)
{
    const spot_node_t *root = self->document.root;
    const spot_node_t *over = spot_node_get(spot_node_get(root, "optimise"), "over");

    if (strncmp(assignment, inline_prefix, sizeof(inline_prefix) - 1) == 0) {
        assignment += sizeof(inline_prefix) - 1;
    }
    if (is_swept_key(spot_node_get(root, "sweep"), assignment)) {
        return assign_with_prefix(self, "sweep.", assignment, diag);
    }
    if (is_swept_key(over, assignment)) {
        return assign_with_prefix(self, "optimise.over.", assignment, diag);
    }
    if (has_scenario_file(self)) {
        return spot_yaml_assign(&self->scenario_file, "--set", assignment, diag);
    }
    return assign_with_prefix(self, inline_prefix, assignment, diag);
}

/* Reads the scenario if the study names a file. */
static int
read_scenario_file(spot_study_t *self, spot_diag_t *diag)
{
    const spot_node_t *node = spot_node_get(self->document.root, "scenario");
    const spot_node_t *root;
    char *path;
    int ret;

    if (node == NULL || node->kind != SPOT_NODE_SCALAR || node->text[0] == '\0') {
        return 0;
    }
    path = spot_node_file_path(node);
    if (path == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = spot_yaml_read(&self->scenario_file, path, diag);
    free(path);
    root = self->scenario_file.root;
    if (root != NULL && root->kind != SPOT_NODE_MAP) {
        const spot_field_t whole = {.expected = "a scenario, a map of keys"};
        spot_bind_t bind = {.diag = diag};

        spot_bind_unexpected(&bind, &whole, root, "");
        self->scenario_file.root = NULL;
        ret = SPOT_ERR_BAD_INPUT;
    }
    return ret;
}

int
spot_study_apply_sets(
    spot_study_t *self, const char *const *sets, size_t num_sets, spot_diag_t *diag)
{
    int error = 0, ret = 0;

    if (self->document.root->kind != SPOT_NODE_MAP) {
        return 0; /* binding it says what is wrong */
    }
    for (size_t j = 0; j < num_sets; j++) {
        if (is_study_key(sets[j])) {
            ret = spot_yaml_assign(&self->document, "--set", sets[j], diag);
            error = error != 0 ? error : ret;
        }
    }
    ret = read_scenario_file(self, diag);
    error = error != 0 ? error : ret;
    for (size_t j = 0; j < num_sets; j++) {
        if (!is_study_key(sets[j])) {
            ret = apply_scenario_set(self, sets[j], diag);
            error = error != 0 ? error : ret;
        }
    }
    return error;
}

typedef struct {
    char *from;
    char *to;
    int64_t points;
} range_t;

static void
bind_end(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const spot_field_t text = {.name = field->name, .type = SPOT_FIELD_TEXT};

    if (node->kind != SPOT_NODE_SCALAR || node->text[0] == '\0') {
        spot_bind_unexpected(bind, field, node, "");
    } else {
        spot_bind_field(bind, &text, node, target);
    }
}

static const spot_field_t range_fields[] = {
    {.name = "from",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(range_t, from),
        .bind = bind_end,
        .expected = "a number or a duration"},
    {.name = "to",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(range_t, to),
        .bind = bind_end,
        .expected = "a number or a duration"},
    {.name = "points",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(range_t, points),
        .min = 2,
        .max = SPOT_MAX_POINTS},
    {.name = NULL},
};

/* The values of a sweep in one of its forms, as nodes. */
typedef struct {
    spot_study_t *study;
    spot_bind_t *bind;
    const spot_node_t *node; /* the list, range or single value */
    const char *path;
    spot_axis_t *axis;
    spot_node_t **values;
} sweep_t;

/* Number j of a range between two numbers or two durations, as text. Both ends are
 * exact. */
static void
range_text(const range_t *range, int64_t j, char text[SPOT_NUMBER_TEXT_BYTES])
{
    const double share = (double) j / (double) (range->points - 1);
    const char *problem = "";
    double from = 0, to = 0;
    int64_t from_ms = 0, to_ms = 0;

    if (spot_number_parse(range->from, &from) == 0 &&
        spot_number_parse(range->to, &to) == 0) {
        snprintf(text, SPOT_NUMBER_TEXT_BYTES, "%.15g",
            j == range->points - 1 ? to : from + (to - from) * share);
    } else if (spot_duration_parse(range->from, &from_ms, &problem) == 0 &&
               spot_duration_parse(range->to, &to_ms, &problem) == 0) {
        spot_duration_text(
            from_ms + (int64_t) nearbyint((double) (to_ms - from_ms) * share), text);
    } else {
        text[0] = '\0';
    }
}

static int
expand_range(sweep_t *self, const range_t *range)
{
    char text[SPOT_NUMBER_TEXT_BYTES];

    range_text(range, 0, text);
    if (text[0] == '\0') {
        char from[SPOT_UTF8_SHOWN_BYTES], to[SPOT_UTF8_SHOWN_BYTES];

        spot_bind_error(self->bind, self->node, self->path,
            "from and to must be two numbers or two durations, got \"%s\" and \"%s\"",
            spot_utf8_shown(range->from, from), spot_utf8_shown(range->to, to));
        return 0;
    }
    self->values = spot_calloc((size_t) range->points, sizeof(spot_node_t *));
    if (self->values == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->axis->num_values = (size_t) range->points;
    for (int64_t j = 0; j < range->points; j++) {
        range_text(range, j, text);
        self->values[j] = spot_yaml_new_scalar(&self->study->document, text, self->node);
        if (self->values[j] == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
    }
    return 0;
}

static int
bind_range(sweep_t *self)
{
    const size_t num_errors = self->bind->diag->num_errors;
    range_t range = {0};
    int ret = 0;

    spot_bind_map(self->bind, range_fields, self->path, self->node, &range);
    if (self->bind->is_out_of_memory) {
        ret = SPOT_ERR_NO_MEMORY;
    } else if (self->bind->diag->num_errors == num_errors) {
        ret = expand_range(self, &range);
    }
    free(range.from);
    free(range.to);
    return ret;
}

static int
bind_values(sweep_t *self, spot_node_t *const *items, size_t num_items)
{
    if (num_items == 0) {
        spot_bind_error(
            self->bind, self->node, self->path, "expected at least one value");
        return 0;
    }
    self->values = spot_calloc(num_items, sizeof(spot_node_t *));
    if (self->values == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(self->values, items, num_items * sizeof(*items));
    self->axis->num_values = num_items;
    return 0;
}

/* Appends a node to text as YAML on one line, cut to the space there is. */
static void
append_text(const spot_node_t *node, char *text, size_t num_bytes)
{
    const size_t used = strlen(text);

    if (node->kind == SPOT_NODE_SCALAR) {
        snprintf(text + used, num_bytes - used, "%s", node->text);
        return;
    }
    snprintf(
        text + used, num_bytes - used, "%c", node->kind == SPOT_NODE_MAP ? '{' : '[');
    for (size_t j = 0; j < node->num_children; j++) {
        const size_t now = strlen(text);

        snprintf(text + now, num_bytes - now, "%s%s%s", j == 0 ? "" : ", ",
            node->kind == SPOT_NODE_MAP ? node->keys[j]->text : "",
            node->kind == SPOT_NODE_MAP ? ": " : "");
        append_text(node->children[j], text, num_bytes);
    }
    snprintf(text + strlen(text), num_bytes - strlen(text), "%c",
        node->kind == SPOT_NODE_MAP ? '}' : ']');
}

/* The number in "0.05", "30 s" (in s) or "10 steps", and what it counts; NAN if none. */
static double
number_of(const char *text, const char **unit)
{
    const size_t length = strcspn(text, " ");
    const char *problem = "";
    char number[SPOT_NUMBER_TEXT_BYTES];
    int64_t value_ms = 0;
    double value = (double) NAN;

    *unit = "";
    if (spot_duration_parse(text, &value_ms, &problem) == 0) {
        *unit = "s";
        return (double) value_ms / (double) SPOT_MS_PER_S;
    }
    if (length < sizeof(number)) {
        memcpy(number, text, length);
        number[length] = '\0';
        if (spot_number_parse(number, &value) == 0 && text[length] == ' ') {
            *unit = text + length + 1;
        }
    }
    return value;
}

/* What reports read of the values: texts, and numbers if all of them count the same. */
static int
describe_values(sweep_t *self)
{
    spot_axis_t *axis = self->axis;
    const char *unit = "", *first_unit = NULL;
    bool is_repeated = false;

    axis->texts = spot_calloc(axis->num_values, sizeof(*axis->texts));
    axis->numbers = spot_calloc(axis->num_values, sizeof(*axis->numbers));
    if (axis->texts == NULL || axis->numbers == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    spot_bug_assert(axis->num_values == 0 || self->values != NULL);
    for (size_t j = 0; j < axis->num_values; j++) {
        char text[256] = "";

        append_text(self->values[j], text, sizeof(text));
        axis->texts[j] = spot_text_copy(text, strlen(text));
        if (axis->texts[j] == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        if (!is_repeated && j > 0 && strcmp(axis->texts[j], axis->texts[j - 1]) == 0) {
            spot_bind_error(self->bind, self->values[j], self->path,
                "the value %s stands twice", axis->texts[j]);
            is_repeated = true;
        }
        axis->numbers[j] = number_of(axis->texts[j], &unit);
        if (first_unit == NULL) {
            first_unit = unit;
        } else if (strcmp(unit, first_unit) != 0) {
            axis->numbers[j] = (double) NAN;
        }
    }
    unit = first_unit == NULL ? "" : first_unit;
    axis->unit = spot_text_copy(unit, strlen(unit));
    return axis->unit == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static int
bind_sweep(sweep_t *self)
{
    const spot_node_t *node = self->node;
    spot_node_t *single = NULL;
    int ret;

    if (!spot_yaml_is_path(self->path)) {
        spot_bind_error(self->bind, node, self->path, "is no key of a scenario");
        return 0;
    }
    self->axis->path = spot_text_copy(self->path, strlen(self->path));
    if (self->axis->path == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (node->kind == SPOT_NODE_LIST) {
        ret = bind_values(self, node->children, node->num_children);
    } else if (node->kind == SPOT_NODE_MAP) {
        ret = bind_range(self);
    } else {
        single = spot_yaml_new_scalar(&self->study->document, node->text, node);
        ret = single == NULL ? SPOT_ERR_NO_MEMORY : bind_values(self, &single, 1);
    }
    return ret == 0 ? describe_values(self) : ret;
}

/* Whether a dotted key is another one or lies within it. */
static bool
is_within(const char *path, const char *outer)
{
    const size_t length = strlen(outer);

    return strncmp(path, outer, length) == 0 &&
           (path[length] == '\0' || path[length] == '.');
}

/* A swept value that contains another swept key would hide it, or be changed by it. */
static void
check_overlap(spot_bind_t *bind, const spot_node_t *sweep)
{
    for (size_t j = 0; j < sweep->num_children; j++) {
        for (size_t k = 0; k < sweep->num_children; k++) {
            if (j != k && is_within(sweep->keys[j]->text, sweep->keys[k]->text)) {
                char inner[SPOT_UTF8_SHOWN_BYTES], outer[SPOT_UTF8_SHOWN_BYTES];

                spot_bind_error(bind, sweep->keys[j], NULL,
                    "sweep: %s lies within %s, which is swept too",
                    spot_utf8_shown(sweep->keys[j]->text, inner),
                    spot_utf8_shown(sweep->keys[k]->text, outer));
            }
        }
    }
}

static int
bind_sweeps(spot_study_t *self, spot_bind_t *bind, const spot_node_t *sweep)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < sweep->num_children; j++) {
        sweep_t item = {.study = self,
            .bind = bind,
            .node = sweep->children[j],
            .path = sweep->keys[j]->text,
            .axis = &self->head.axes[j]};

        ret = bind_sweep(&item);
        self->values[j] = item.values;
        if (ret == 0 &&
            item.axis->num_values > SPOT_MAX_POINTS / self->head.num_points) {
            spot_bind_error(bind, item.node, item.path, "more than %d points in all",
                SPOT_MAX_POINTS);
            return SPOT_ERR_BAD_INPUT;
        }
        if (item.axis->num_values > 0) { /* else it is reported */
            self->head.num_points *= item.axis->num_values;
        }
    }
    return ret;
}

int
spot_study_plan(spot_study_t *self, spot_bind_t *bind)
{
    const size_t num_errors = bind->diag->num_errors;
    const spot_node_t *sweep = self->sweep_node;
    int ret = 0;

    self->head.num_points = 1;
    if (sweep != NULL) {
        self->head.axes = spot_calloc(sweep->num_children, sizeof(*self->head.axes));
        self->values = spot_calloc(sweep->num_children, sizeof(*self->values));
        if (self->head.axes == NULL || self->values == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        self->head.num_axes = sweep->num_children;
        strcpy(
            bind->path, sweep == self->optimise.over_node ? "optimise.over." : "sweep.");
        check_overlap(bind, sweep);
        ret = bind_sweeps(self, bind, sweep);
        bind->path[0] = '\0';
    }
    return ret == 0 && bind->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}

int
spot_study_place_values(spot_study_t *self, size_t point_id, const spot_node_t **root)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < self->head.num_axes; j++) {
        const size_t value_id = spot_study_value_id(&self->head, point_id, j);

        ret = set_scenario_key(self, self->head.axes[j].path, self->values[j][value_id]);
    }
    *root = spot_study_scenario_root(self);
    return ret;
}

const spot_node_t *
spot_study_scenario_root(const spot_study_t *self)
{
    return has_scenario_file(self) ? self->scenario_file.root
                                   : spot_node_get(self->document.root, "scenario");
}
