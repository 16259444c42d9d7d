/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The key "plan", and the two forms of a sweep: a map from keys to their values and a
 * list of points. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "sim/analysis/sensitivity.h"
#include "sim/study/reading.h"

/* ---- The key "plan" ---- */

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

/* Finds the plan with a name. Returns false after an error. */
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

/* A design whose number of points is no power of 2 is valid, but not balanced. */
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

/* Reads the kind of plan. Returns false after an error. */
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

/* Whether plan and sweep fit each other and the rest of the study. */
static bool
check_plan(const spot_reading_t *self)
{
    const spot_node_t *sweep = self->request.sweep, *plan = self->request.plan;
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

/* Reports which keys a point lacks and which the first one does not have. */
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

/* A swept key must not lie within another one, whose values would hide it. The engine is
 * chosen before there are points. An index must be that of an item. */
static void
check_keys(const spot_reading_t *self, spot_bind_t *bind, const spot_node_t *keys)
{
    const spot_node_t *scenario = spot_template_scenario(self->study->template);
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
                self->request.sweep_key);
        }
        if (spot_yaml_is_path(path) && !spot_yaml_has_place(scenario, path, problem)) {
            spot_bind_error(bind, keys->keys[j], self->request.sweep_key, "%s", problem);
        }
    }
}

/* Keeps nodes as the items of a key. */
static int
keep_items(spot_swept_t *swept, spot_node_t *const *nodes, size_t num_nodes)
{
    swept->nodes = spot_calloc(num_nodes, sizeof(spot_node_t *));
    if (swept->nodes == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(swept->nodes, nodes, num_nodes * sizeof(spot_node_t *));
    swept->num_items = num_nodes;
    return 0;
}

/* A list, a range or a single value. */
static int
read_values(
    spot_reading_t *self, spot_bind_t *bind, spot_swept_t *swept, spot_node_t *node)
{
    const bool is_design = spot_plan_is_design(self->study->head.plan.kind);

    if (!spot_yaml_is_path(swept->path)) {
        spot_bind_error(bind, node, swept->path, "is no key of a scenario");
        return 0;
    }
    if (node->kind == SPOT_NODE_MAP) {
        swept->is_spread =
            spot_range_bind(&swept->range, bind, swept->path, node, is_design) &&
            is_design;
        swept->num_items = swept->range.num_values;
        return bind->is_out_of_memory ? SPOT_ERR_NO_MEMORY : 0;
    }
    if (node->kind == SPOT_NODE_SCALAR) {
        return keep_items(swept, &node, 1);
    }
    if (node->num_children == 0) {
        spot_bind_error(bind, node, swept->path, "expected at least one value");
        return 0;
    }
    return keep_items(swept, node->children, node->num_children);
}

/* Item k of each key is its value at point k. */
static int
read_column(spot_bind_t *bind, spot_swept_t *swept, const spot_node_t *key,
    const spot_node_t *points)
{
    char shown[SPOT_UTF8_SHOWN_BYTES];

    if (!spot_yaml_is_path(swept->path)) {
        spot_bind_error(bind, key, "sweep", "\"%s\" is no key of a scenario",
            spot_utf8_shown(swept->path, shown));
    }
    swept->nodes = spot_calloc(points->num_children, sizeof(spot_node_t *));
    if (swept->nodes == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < points->num_children; j++) {
        swept->nodes[j] = spot_node_get(points->children[j], swept->path);
    }
    swept->num_items = points->num_children;
    return 0;
}

static int
read_key(spot_reading_t *self, spot_bind_t *bind, const spot_node_t *sweep,
    const spot_node_t *keys, size_t key_id)
{
    spot_swept_t *swept = &self->request.swept[self->request.num_swept++];
    int ret;

    swept->path = keys->keys[key_id]->text;
    swept->place = keys->children[key_id];
    if (sweep->kind == SPOT_NODE_LIST) {
        return read_column(bind, swept, keys->keys[key_id], sweep);
    }
    sprintf(bind->path, "%s.", self->request.sweep_key);
    ret = read_values(self, bind, swept, keys->children[key_id]);
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
spot_sweep_read(spot_reading_t *self)
{
    const size_t num_errors = self->diag->num_errors;
    const spot_node_t *sweep = self->request.sweep, *plan = self->request.plan;
    spot_plan_t *planned = &self->study->head.plan;
    spot_bind_t bind = {.diag = self->diag};
    int ret = 0;

    planned->kind =
        sweep != NULL && sweep->kind == SPOT_NODE_LIST ? SPOT_PLAN_LIST : SPOT_PLAN_GRID;
    if ((plan != NULL && !read_plan(&bind, plan, planned, &self->request.num_drawn)) ||
        !check_plan(self)) {
        return SPOT_ERR_BAD_INPUT;
    }
    if (sweep != NULL) {
        ret = read_keys(self, &bind, sweep);
    }
    return ret == 0 && self->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}
