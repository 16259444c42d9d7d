/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The key "plan", and the two forms of a sweep: a map from keys to their values and a
 * list of points. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/canonical.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "sim/bench/analysis/sensitivity.h"
#include "sim/bench/engine/scenario_file.h"
#include "sim/bench/study/reading.h"

/* ---- The key "plan" ---- */

typedef struct {
    int64_t points;
    int64_t seed;
} design_keys_t;

/* Finds the plan with a name. Returns false after an error. */
static bool find_kind(spot_bind_t *bind, const spot_node_t *name, spot_plan_kind_t *kind)
{
    spot_suggest_t near;

    spot_suggest_init(&near, name->text);
    for (spot_plan_kind_t j = SPOT_PLAN_GRID; spot_plan_names[j] != NULL; j++) {
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

/* A Sobol design whose number of points is no power of 2 is valid, but not balanced. */
static void warn_of_imbalance(
    const spot_reading_t *self, const spot_node_t *points, int64_t num_points)
{
    int64_t below = 1;

    while (2 * below < num_points) {
        below *= 2;
    }
    if (2 * below > num_points) {
        spot_diag_warn(self->diag, points->file, points->line, points->column,
            "plan: %" PRId64 " points of a Sobol sequence are not balanced, %" PRId64 " or %" PRId64
            " would be",
            num_points, below, 2 * below);
    }
}

/* {NAME: {points: 64, seed: 1}}. Returns false after an error. */
static bool read_design(spot_reading_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    spot_plan_t *plan = &self->study->head.plan;
    const spot_field_t fields[] = {
        {SPOT_RANGE(INTEGER, "points", design_keys_t, points,
            plan->kind == SPOT_PLAN_SENSITIVITY ? SPOT_SENSITIVITY_MIN_SAMPLES : 2, SPOT_MAX_POINTS,
            NULL, NULL)},
        {SPOT_RANGE(INTEGER, "seed", design_keys_t, seed, 0, HUGE_VAL, "1", NULL)},
        {.name = NULL},
    };
    const size_t num_errors = bind->diag->num_errors;
    design_keys_t keys = {0};

    strcpy(bind->path, "plan.");
    spot_bind_map(bind, fields, node->keys[0]->text, node->children[0], &keys);
    bind->path[0] = '\0';
    if (bind->diag->num_errors > num_errors) {
        return false;
    }
    if (plan->kind != SPOT_PLAN_LATIN_HYPERCUBE) {
        warn_of_imbalance(self, spot_node_get(node->children[0], "points"), keys.points);
    }
    plan->seed = (uint64_t) keys.seed;
    self->request.num_drawn = keys.points;
    return true;
}

/* Reads the kind of plan and its settings. Returns false after an error. */
static bool read_plan(spot_reading_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    const bool is_map = node->kind == SPOT_NODE_MAP;
    spot_plan_t *plan = &self->study->head.plan;

    if (is_map && node->num_children != 1) {
        spot_reading_error(self, "plan", "expected one plan, got %zu", node->num_children);
        return false;
    }
    if (!find_kind(bind, is_map ? node->keys[0] : node, &plan->kind)) {
        return false;
    }
    if (is_map && spot_plan_is_design(plan->kind)) {
        return read_design(self, bind, node);
    }
    if (is_map) {
        spot_reading_error(self, "plan", "%s has no settings: expected plan: %s",
            spot_plan_names[plan->kind], spot_plan_names[plan->kind]);
    } else if (spot_plan_is_design(plan->kind)) {
        spot_reading_error(self, "plan", "how many points? expected {%s: {points: 64, seed: 1}}",
            spot_plan_names[plan->kind]);
    } else {
        return true;
    }
    return false;
}

/* Whether plan and sweep fit each other and the rest of the study. */
static bool check_plan(const spot_reading_t *self)
{
    const spot_node_t *sweep = self->request.sweep;
    const spot_plan_kind_t kind = self->study->head.plan.kind;
    const bool is_list = sweep != NULL && sweep->kind == SPOT_NODE_LIST;

    if (kind == SPOT_PLAN_SENSITIVITY && self->study->head.optimise.metric != NULL) {
        spot_reading_error(self, "plan",
            "a sensitivity plan needs all replications of all points: it is not used "
            "with optimise, which stops those that are worse");
    } else if (is_list && kind != SPOT_PLAN_LIST) {
        spot_reading_error(self, "plan",
            "%s needs a sweep that is a map; this one is a list of points", spot_plan_names[kind]);
    } else if (!is_list && kind == SPOT_PLAN_LIST) {
        spot_reading_error(self, "plan",
            "list needs a sweep that is a list of points such as [{job.pipeline_depth: "
            "8}, {job.pipeline_depth: 16}]");
    } else if (sweep == NULL && kind != SPOT_PLAN_GRID) {
        spot_reading_error(self, "plan", "%s needs a sweep", spot_plan_names[kind]);
    } else {
        return true;
    }
    return false;
}

/* ---- Keys ---- */

/* Reports which keys a point lacks and which the first one does not have. */
static void check_point(spot_bind_t *bind, const spot_node_t *point, const spot_node_t *first)
{
    const spot_field_t field = {
        .name = "sweep", .expected = "a point such as {job.pipeline_depth: 8, fleet.initial: 16}"};
    char key[SPOT_UTF8_SHOWN_BYTES];

    if (point->kind != SPOT_NODE_MAP) {
        spot_bind_unexpected(bind, &field, point, "");
        return;
    }
    if (first->kind != SPOT_NODE_MAP) {
        return; /* reported */
    }
    for (size_t j = 0; j < first->num_children; j++) {
        if (spot_node_get(point, first->keys[j]->text) == NULL) {
            spot_bind_error(bind, point, "sweep", "the point has no %s, which the first one has",
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

/* A swept key must not lie within another one, whose values would hide it. The engine is
 * chosen before there are points. An index must be that of an item. */
static void check_key(const spot_reading_t *self, const spot_node_t *keys, size_t key_id)
{
    const spot_node_t *scenario = self->study->template->scenario.root;
    const spot_node_t *key = keys->keys[key_id];
    char problem[SPOT_YAML_PROBLEM_BYTES];

    for (size_t j = 0; j < keys->num_children; j++) {
        char inner[SPOT_UTF8_SHOWN_BYTES], outer[SPOT_UTF8_SHOWN_BYTES];

        if (j != key_id && spot_canonical_is_within(key->text, keys->keys[j]->text)) {
            spot_node_error(self, key, "sweep", "%s lies within %s, which is swept too",
                spot_utf8_shown(key->text, inner), spot_utf8_shown(keys->keys[j]->text, outer));
        }
    }
    if (strcmp(key->text, "engine") == 0) {
        spot_node_error(self, keys->children[key_id], self->request.sweep_key,
            "engine cannot be swept: one engine runs all points of a study");
    }
    if (spot_yaml_is_path(key->text) && !spot_yaml_has_place(scenario, key->text, problem)) {
        spot_node_error(self, key, self->request.sweep_key, "%s", problem);
    }
}

/* Keeps the values of a key: those at the points of a list, of a list of its own, or a
 * single one. */
static int keep_items(spot_swept_t *swept, const spot_node_t *points, spot_node_t *value)
{
    const bool is_list = value->kind == SPOT_NODE_LIST;

    swept->num_items = points != NULL ? points->num_children : is_list ? value->num_children : 1;
    swept->nodes = spot_calloc(swept->num_items, sizeof(*swept->nodes));
    if (swept->nodes == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < swept->num_items; j++) {
        swept->nodes[j] = points != NULL ? spot_node_get(points->children[j], swept->path)
                          : is_list      ? value->children[j]
                                         : value;
    }
    return 0;
}

/* Reads a key of a map of keys, or of the first of the points of a list. */
static int read_key(spot_reading_t *self, spot_bind_t *bind, const spot_node_t *points,
    const spot_node_t *key, spot_node_t *value)
{
    const bool is_design = spot_plan_is_design(self->study->head.plan.kind);
    spot_template_t *template = self->study->template;
    spot_swept_t *swept = &template->swept[template->num_swept++];
    char shown[SPOT_UTF8_SHOWN_BYTES];

    swept->path = key->text;
    swept->place = value;
    if (!spot_yaml_is_path(swept->path) && points != NULL) {
        spot_bind_error(bind, key, "sweep", "\"%s\" is no key of a scenario",
            spot_utf8_shown(swept->path, shown));
    } else if (!spot_yaml_is_path(swept->path)) {
        spot_bind_error(bind, value, swept->path, "is no key of a scenario");
    } else if (points == NULL && value->kind == SPOT_NODE_MAP) {
        swept->is_spread =
            spot_range_bind(&swept->range, bind, swept->path, value, is_design) && is_design;
        swept->num_items = swept->range.num_values;
    } else if (points == NULL && value->kind == SPOT_NODE_LIST && value->num_children == 0) {
        spot_bind_error(bind, value, swept->path, "expected at least one value");
    } else {
        return keep_items(swept, points, value);
    }
    return bind->is_out_of_memory ? SPOT_ERR_NO_MEMORY : 0;
}

static int read_keys(spot_reading_t *self, spot_bind_t *bind, const spot_node_t *sweep)
{
    const spot_node_t *points = sweep->kind == SPOT_NODE_LIST ? sweep : NULL;
    const spot_node_t *keys = points != NULL ? points->children[0] : sweep;
    const size_t num_errors = bind->diag->num_errors;
    int ret = 0;

    for (size_t j = 0; points != NULL && j < points->num_children; j++) {
        check_point(bind, points->children[j], keys);
    }
    if (bind->diag->num_errors > num_errors) {
        return 0;
    }
    if (keys->num_children == 0) {
        spot_bind_error(bind, keys, self->request.sweep_key, "expected at least one key");
        return 0;
    }
    self->study->template->swept = spot_calloc(keys->num_children, sizeof(spot_swept_t));
    if (self->study->template->swept == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < keys->num_children; j++) {
        check_key(self, keys, j);
    }
    if (points == NULL) {
        sprintf(bind->path, "%s.", self->request.sweep_key);
    }
    for (size_t j = 0; ret == 0 && j < keys->num_children; j++) {
        ret = spot_scenario_spell_file(
            &self->study->template->scenario, keys->keys[j]->text, bind->diag);
        ret = ret == 0 ? read_key(self, bind, points, keys->keys[j], keys->children[j]) : ret;
    }
    return ret;
}

int spot_sweep_read(spot_reading_t *self)
{
    const size_t num_errors = self->diag->num_errors;
    const spot_node_t *sweep = self->request.sweep, *plan = self->request.plan;
    spot_bind_t bind = {.diag = self->diag};
    int ret;

    self->study->head.plan.kind =
        sweep != NULL && sweep->kind == SPOT_NODE_LIST ? SPOT_PLAN_LIST : SPOT_PLAN_GRID;
    if ((plan != NULL && !read_plan(self, &bind, plan)) || !check_plan(self)) {
        return SPOT_ERR_BAD_INPUT;
    }
    ret = sweep != NULL ? read_keys(self, &bind, sweep) : 0;
    return ret == 0 && self->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}
