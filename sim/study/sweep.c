/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two forms of a sweep, a map from keys to their values and a list of points, and
 * the key "plan". */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "sim/analysis/sensitivity.h"
#include "sim/study/documents.h"
#include "sim/study/reading.h"

/* ---- The plan ---- */

typedef struct {
    int64_t points;
    int64_t seed;
} design_keys_t;

static const spot_field_t design_fields[] = {
    {.name = "points",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(design_keys_t, points),
        .min = 2,
        .max = SPOT_MAX_POINTS},
    {.name = "seed",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(design_keys_t, seed),
        .max = HUGE_VAL,
        .initial = "1"},
    {.name = NULL},
};

/* The kind of a name; false: there is none. */
static bool
find_kind(spot_bind_t *bind, const spot_node_t *name, spot_plan_kind_t *kind)
{
    spot_suggest_t near;

    spot_suggest_init(&near, name->text);
    for (spot_plan_kind_t j = SPOT_PLAN_GRID; j <= SPOT_PLAN_SENSITIVITY; j++) {
        if (strcmp(name->text, spot_plan_names[j]) == 0) {
            *kind = j;
            return true;
        }
        spot_suggest_offer(&near, spot_plan_names[j]);
    }
    spot_bind_unknown(bind, name, "plan", "plan", &near,
        ": there are grid, zip, list, latin-hypercube, sobol and sensitivity");
    return false;
}

/* A design of other than a power of 2 of points is good, but not as good as it might be.
 */
static void
warn_of_imbalance(spot_bind_t *bind, const spot_node_t *node, spot_plan_kind_t kind,
    int64_t num_points)
{
    int64_t below = 1;

    if (kind == SPOT_PLAN_LATIN_HYPERCUBE ||
        spot_design_is_balanced((size_t) num_points)) {
        return;
    }
    while (2 * below < num_points) {
        below *= 2;
    }
    spot_diag_warn(bind->diag, node->file, node->line, node->column,
        "plan: %lld points of a Sobol sequence are not balanced, %lld or %lld would be",
        (long long) num_points, (long long) below, (long long) (2 * below));
}

/* {NAME: {points: 64, seed: 1}} */
static bool
read_design(
    spot_bind_t *bind, const spot_node_t *node, spot_plan_t *plan, int64_t *num_drawn)
{
    spot_field_t fields[] = {design_fields[0], design_fields[1], design_fields[2]};
    const size_t num_errors = bind->diag->num_errors;
    design_keys_t keys = {0};

    if (node->num_children != 1) {
        spot_bind_error(
            bind, node, "plan", "expected one plan, got %zu", node->num_children);
        return false;
    }
    if (!find_kind(bind, node->keys[0], &plan->kind)) {
        return false;
    }
    if (!spot_plan_is_design(plan->kind)) {
        spot_bind_error(bind, node, "plan", "%s has no settings: expected plan: %s",
            spot_plan_names[plan->kind], spot_plan_names[plan->kind]);
        return false;
    }
    if (plan->kind == SPOT_PLAN_SENSITIVITY) {
        fields[0].min = SPOT_SENSITIVITY_MIN_SAMPLES;
    }
    strcpy(bind->path, "plan.");
    spot_bind_map(bind, fields, node->keys[0]->text, node->children[0], &keys);
    bind->path[0] = '\0';
    if (bind->diag->num_errors > num_errors) {
        return false;
    }
    warn_of_imbalance(
        bind, spot_node_get(node->children[0], "points"), plan->kind, keys.points);
    plan->seed = (uint64_t) keys.seed;
    *num_drawn = keys.points;
    return true;
}

/* Which plan it is; false: that is unknown. */
static bool
read_plan(
    spot_bind_t *bind, const spot_node_t *node, spot_plan_t *plan, int64_t *num_drawn)
{
    if (node->kind == SPOT_NODE_MAP) {
        return read_design(bind, node, plan, num_drawn);
    }
    if (!find_kind(bind, node, &plan->kind)) {
        return false;
    }
    if (spot_plan_is_design(plan->kind)) {
        spot_bind_error(bind, node, "plan",
            "how many points? expected {%s: {points: 64, seed: 1}}",
            spot_plan_names[plan->kind]);
        return false;
    }
    return true;
}

/* Whether plan, sweep and the rest of the study go together; plan may be NULL. */
static bool
check_plan(const spot_reading_t *self, const spot_node_t *sweep, const spot_node_t *plan)
{
    const spot_plan_kind_t kind = self->study->head.plan.kind;
    const bool is_list = sweep != NULL && sweep->kind == SPOT_NODE_LIST;

    if (kind == SPOT_PLAN_SENSITIVITY && self->study->head.optimise.metric != NULL) {
        spot_reading_error(self, "plan",
            "a sensitivity plan needs all replications of all points: it is not used "
            "with optimise, which stops those that are worse");
    } else if (plan != NULL && is_list != (kind == SPOT_PLAN_LIST)) {
        if (is_list) {
            spot_reading_error(self, "plan",
                "%s needs a sweep that is a map; this one is a list of points",
                spot_plan_names[kind]);
        } else {
            spot_reading_error(self, "plan",
                "list needs a sweep that is a list of points such as "
                "[{job.pipeline_depth: 8}, {job.pipeline_depth: 16}]");
        }
    } else if (sweep == NULL && kind != SPOT_PLAN_GRID) {
        spot_reading_error(self, "plan", "%s needs a sweep", spot_plan_names[kind]);
    } else {
        return true;
    }
    return false;
}

/* ---- Keys ---- */

/* Tells which keys a point lacks and which the first one does not have. */
static void
check_point(spot_bind_t *bind, const spot_node_t *point, const spot_node_t *first)
{
    char key[SPOT_UTF8_SHOWN_BYTES];

    if (point->kind != SPOT_NODE_MAP) {
        const spot_field_t field = {.name = "sweep",
            .expected = "a point such as {job.pipeline_depth: 8, fleet.initial: 16}"};

        spot_bind_unexpected(bind, &field, point, "");
        return;
    }
    for (size_t j = 0; j < first->num_children; j++) {
        if (spot_node_get(point, first->keys[j]->text) == NULL) {
            spot_bind_error(bind, point, "sweep",
                "the point has no %s, which the first one has",
                spot_utf8_shown(first->keys[j]->text, key));
        }
    }
    for (size_t j = 0; j < point->num_children; j++) {
        if (spot_node_get(first, point->keys[j]->text) == NULL) {
            spot_bind_error(bind, point->keys[j], "sweep", "the first point has no %s",
                spot_utf8_shown(point->keys[j]->text, key));
        }
    }
}

bool
spot_path_is_within(const char *path, const char *outer)
{
    const size_t length = strlen(outer);

    return strncmp(path, outer, length) == 0 &&
           (path[length] == '\0' || path[length] == '.' || path[length] == '[');
}

/* A swept value that contains another swept key would hide it, or be changed by it. All
 * points are of one engine, which is known before there are points. An index must be
 * that of an item. */
static void
check_keys(const spot_reading_t *self, spot_bind_t *bind, const spot_node_t *keys)
{
    const spot_node_t *scenario = spot_documents_scenario(self->study->documents);
    char problem[SPOT_YAML_PROBLEM_BYTES];

    for (size_t j = 0; j < keys->num_children; j++) {
        const char *path = keys->keys[j]->text;

        for (size_t k = 0; k < keys->num_children; k++) {
            if (j != k && spot_path_is_within(path, keys->keys[k]->text)) {
                char inner[SPOT_UTF8_SHOWN_BYTES], outer[SPOT_UTF8_SHOWN_BYTES];

                spot_bind_error(bind, keys->keys[j], NULL,
                    "sweep: %s lies within %s, which is swept too",
                    spot_utf8_shown(path, inner),
                    spot_utf8_shown(keys->keys[k]->text, outer));
            }
        }
        if (strcmp(path, "engine") == 0) {
            spot_bind_error(bind, keys->children[j], NULL,
                "%s: engine cannot be swept: one engine runs all points of a study",
                self->request.sweep);
        }
        if (spot_yaml_is_path(path) && !spot_yaml_has_place(scenario, path, problem)) {
            spot_bind_error(bind, keys->keys[j], self->request.sweep, "%s", problem);
        }
    }
}

static int
keep_items(spot_reading_t *self, spot_swept_t *swept, spot_node_t *const *nodes,
    size_t num_nodes)
{
    spot_words_t *items = &swept->items;
    int ret = SPOT_ERR_NO_MEMORY;

    items->words = spot_calloc(num_nodes, sizeof(*items->words));
    if (items->words != NULL) {
        ret = spot_documents_add_axis(
            self->study->documents, swept->path, &swept->place, nodes, num_nodes);
    }
    for (size_t j = 0; ret == 0 && j < num_nodes; j++) {
        ret = spot_word_copy(&items->words[items->num_words++], nodes[j]);
    }
    swept->num_items = items->num_words;
    return ret;
}

/* Of a grid the values of a range are known now. */
static int
read_range(spot_reading_t *self, spot_bind_t *bind, spot_swept_t *swept,
    const spot_node_t *node)
{
    const bool is_design = spot_plan_is_design(self->study->head.plan.kind);
    const size_t num_errors = bind->diag->num_errors;
    char text[SPOT_RANGE_TEXT_BYTES];
    int ret;

    spot_range_bind(&swept->range, bind, swept->path, node, is_design, SPOT_MAX_POINTS);
    if (bind->is_out_of_memory) {
        return SPOT_ERR_NO_MEMORY;
    }
    swept->is_spread = is_design && bind->diag->num_errors == num_errors;
    ret = spot_documents_add_axis(self->study->documents, swept->path, node, NULL, 0);
    if (ret != 0 || swept->range.num_values == 0) {
        return ret;
    }
    swept->drawn = spot_calloc((size_t) swept->range.num_values, sizeof(*swept->drawn));
    if (swept->drawn == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (int64_t j = 0; j < swept->range.num_values; j++) {
        spot_range_text(&swept->range, j, text);
        swept->drawn[swept->num_items++] = spot_text_copy(text, strlen(text));
        if (swept->drawn[j] == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
    }
    return 0;
}

/* A list, a range or a single value. */
static int
read_values(
    spot_reading_t *self, spot_bind_t *bind, spot_swept_t *swept, spot_node_t *node)
{
    if (!spot_yaml_is_path(swept->path)) {
        spot_bind_error(bind, node, swept->path, "is no key of a scenario");
        return 0;
    }
    if (node->kind == SPOT_NODE_MAP) {
        return read_range(self, bind, swept, node);
    }
    if (node->kind == SPOT_NODE_SCALAR) {
        return keep_items(self, swept, &node, 1);
    }
    if (node->num_children == 0) {
        spot_bind_error(bind, node, swept->path, "expected at least one value");
        return 0;
    }
    return keep_items(self, swept, node->children, node->num_children);
}

/* Item k of each key is its value at point k. */
static int
read_column(spot_reading_t *self, spot_bind_t *bind, spot_swept_t *swept,
    const spot_node_t *key, const spot_node_t *points)
{
    spot_node_t **nodes = spot_calloc(points->num_children, sizeof(spot_node_t *));
    char shown[SPOT_UTF8_SHOWN_BYTES];
    int ret = nodes == NULL ? SPOT_ERR_NO_MEMORY : 0;

    if (!spot_yaml_is_path(swept->path)) {
        spot_bind_error(bind, key, "sweep", "\"%s\" is no key of a scenario",
            spot_utf8_shown(swept->path, shown));
    }
    for (size_t j = 0; ret == 0 && j < points->num_children; j++) {
        nodes[j] = spot_node_get(points->children[j], swept->path);
    }
    if (ret == 0) {
        ret = keep_items(self, swept, nodes, points->num_children);
    }
    free(nodes);
    return ret;
}

static int
read_key(spot_reading_t *self, spot_bind_t *bind, const spot_node_t *sweep,
    const spot_node_t *keys, size_t key_id)
{
    const char *path = keys->keys[key_id]->text;
    spot_node_t *node = keys->children[key_id];
    spot_swept_t *swept = &self->request.swept[self->request.num_swept++];
    int ret;

    swept->place = (spot_node_t){.kind = node->kind,
        .file = node->file,
        .line = node->line,
        .column = node->column};
    swept->path = spot_text_copy(path, strlen(path));
    if (swept->path == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (sweep->kind == SPOT_NODE_LIST) {
        return read_column(self, bind, swept, keys->keys[key_id], sweep);
    }
    sprintf(bind->path, "%s.", self->request.sweep);
    ret = read_values(self, bind, swept, node);
    bind->path[0] = '\0';
    return ret;
}

static int
read_keys(spot_reading_t *self, spot_bind_t *bind, const spot_node_t *sweep)
{
    const bool is_list = sweep->kind == SPOT_NODE_LIST;
    const spot_node_t *keys = is_list ? sweep->children[0] : sweep;
    const size_t num_errors = bind->diag->num_errors;
    int ret = 0;

    for (size_t j = 0; is_list && j < sweep->num_children; j++) {
        check_point(bind, sweep->children[j], keys);
    }
    if (bind->diag->num_errors > num_errors) {
        return 0;
    }
    if (keys->num_children == 0) {
        spot_bind_error(bind, keys, "sweep", "expected at least one key");
        return 0;
    }
    self->request.swept = spot_calloc(keys->num_children, sizeof(*self->request.swept));
    if (self->request.swept == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    check_keys(self, bind, keys);
    for (size_t j = 0; ret == 0 && j < keys->num_children; j++) {
        ret = read_key(self, bind, sweep, keys, j);
    }
    return ret;
}

int
spot_request_read_sweep(
    spot_reading_t *self, const spot_node_t *sweep, const spot_node_t *plan)
{
    const size_t num_errors = self->diag->num_errors;
    spot_plan_t *planned = &self->study->head.plan;
    spot_bind_t bind = {.diag = self->diag};
    int ret = 0;

    if (plan == NULL) {
        planned->kind = sweep != NULL && sweep->kind == SPOT_NODE_LIST ? SPOT_PLAN_LIST
                                                                       : SPOT_PLAN_GRID;
    } else if (!read_plan(&bind, plan, planned, &self->request.num_drawn)) {
        return SPOT_ERR_BAD_INPUT;
    }
    if (!check_plan(self, sweep, plan)) {
        return SPOT_ERR_BAD_INPUT;
    }
    if (sweep != NULL) {
        ret = read_keys(self, &bind, sweep);
    }
    return ret == 0 && self->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}
