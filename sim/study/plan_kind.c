/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The key "plan" of a study. */
#include <math.h>
#include <string.h>

#include "sim/store/sensitivity.h"
#include "sim/study/study_plan.h"

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

/* The kind of a name; tells that there is none. */
static bool
find_kind(spot_bind_t *bind, const spot_node_t *name, spot_plan_kind_t *kind)
{
    spot_suggest_t near;

    spot_suggest_init(&near, name->text);
    for (spot_plan_kind_t j = SPOT_PLAN_GRID; j <= SPOT_PLAN_SENSITIVITY; j++) {
        if (strcmp(name->text, spot_plan_name(j)) == 0) {
            *kind = j;
            return true;
        }
        spot_suggest_offer(&near, spot_plan_name(j));
    }
    spot_bind_unknown(bind, name, "plan", "plan", &near,
        ": there are grid, zip, list, latin-hypercube, sobol and sensitivity");
    return false;
}

static bool
read_name(spot_bind_t *bind, const spot_node_t *node, spot_plan_t *plan)
{
    if (!find_kind(bind, node, &plan->kind)) {
        return false;
    }
    if (spot_plan_is_design(plan->kind)) {
        spot_bind_error(bind, node, "plan",
            "how many points? expected {%s: {points: 64, seed: 1}}",
            spot_plan_name(plan->kind));
        return false;
    }
    return true;
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
            spot_plan_name(plan->kind), spot_plan_name(plan->kind));
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

/* Whether the form of the sweep is that of the plan. */
static bool
check_form(const spot_study_t *self, spot_bind_t *bind, spot_plan_kind_t kind)
{
    const spot_node_t *sweep = self->sweep_node;
    const bool is_list = sweep != NULL && sweep->kind == SPOT_NODE_LIST;

    if (self->plan_node == NULL || is_list == (kind == SPOT_PLAN_LIST)) {
        if (sweep != NULL || kind == SPOT_PLAN_GRID) {
            return true;
        }
        spot_bind_error(
            bind, self->plan_node, "plan", "%s needs a sweep", spot_plan_name(kind));
    } else if (is_list) {
        spot_bind_error(bind, self->plan_node, "plan",
            "%s needs a sweep that is a map; this one is a list of points",
            spot_plan_name(kind));
    } else {
        spot_bind_error(bind, self->plan_node, "plan",
            "list needs a sweep that is a list of points such as "
            "[{job.pipeline_depth: 8}, {job.pipeline_depth: 16}]");
    }
    return false;
}

/* What has no place beside a sensitivity plan. */
static bool
check_sensitivity(const spot_study_t *self, spot_bind_t *bind)
{
    if (self->head.keep == SPOT_KEEP_SUMMARIES) {
        spot_bind_error(bind, spot_node_place(self->document.root, "keep"), "keep",
            "a sensitivity plan needs rows");
        return false;
    }
    if (spot_node_get(self->document.root, "optimise") != NULL) {
        spot_bind_error(bind, self->plan_node, "plan",
            "a sensitivity plan needs all replications of all points: it is not used "
            "with optimise, which stops those that are worse");
        return false;
    }
    return true;
}

bool
spot_plan_read(
    spot_study_t *self, spot_bind_t *bind, spot_plan_t *plan, int64_t *num_drawn)
{
    const spot_node_t *sweep = self->sweep_node;
    const spot_node_t *node = self->plan_node;
    bool is_read = true;

    *num_drawn = 0;
    if (node == NULL) {
        plan->kind = sweep != NULL && sweep->kind == SPOT_NODE_LIST ? SPOT_PLAN_LIST
                                                                    : SPOT_PLAN_GRID;
    } else if (node->kind == SPOT_NODE_MAP) {
        is_read = read_design(bind, node, plan, num_drawn);
    } else {
        is_read = read_name(bind, node, plan);
    }
    if (is_read && plan->kind == SPOT_PLAN_SENSITIVITY) {
        is_read = check_sensitivity(self, bind);
    }
    return is_read && check_form(self, bind, plan->kind);
}
