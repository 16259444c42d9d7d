/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/best.h"

#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "sim/study/study_axes.h"

static void
keep_list_node(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    if (node->kind == SPOT_NODE_LIST) {
        spot_bind_keep_node(bind, field, node, target);
    } else {
        spot_bind_unexpected(bind, field, node, "");
    }
}

const spot_field_t spot_best_fields[] = {
    {.name = "key",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(spot_best_request_t, key),
        .help = "the swept key whose values compete"},
    {.name = "minimise",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(spot_best_request_t, minimise),
        .initial = "",
        .help = "metric of which the lowest mean wins"},
    {.name = "maximise",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(spot_best_request_t, maximise),
        .initial = "",
        .help = "metric of which the highest mean wins, instead of minimise"},
    {.name = "except",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(spot_best_request_t, except_node),
        .initial = "",
        .bind = keep_list_node,
        .expected = "a list of values of the key such as [ideal]",
        .help = "values that do not compete, such as bounds"},
    {.name = NULL},
};

/* Where best has no place. */
static void
check_plan(const spot_study_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    if (self->head.optimise.metric != NULL) {
        spot_bind_error(bind, node, "best",
            "is not used with optimise, which looks for the best of all points");
    }
    if (spot_plan_is_design(self->head.plan.kind)) {
        spot_bind_error(bind, node, "best",
            "a %s plan has no points that differ in one key only",
            spot_plan_name(self->head.plan.kind));
    }
}

static int
leave_out(spot_study_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    spot_best_t *best = &self->head.best;
    const spot_axis_t *axis = &self->head.axes[best->axis_id];
    size_t value_id, num_competing = 0;
    int ret = 0;

    best->is_left_out = spot_calloc(axis->num_values, sizeof(*best->is_left_out));
    if (best->is_left_out == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; ret == 0 && node != NULL && j < node->num_children; j++) {
        ret = spot_study_find_value(self, best->axis_id, node->children[j], &value_id);
        if (ret == 0 && value_id < axis->num_values) {
            best->is_left_out[value_id] = true;
        } else if (ret == 0) {
            spot_bind_error(bind, node->children[j], "best.except",
                "%s never has this value", axis->path);
        }
    }
    for (size_t j = 0; j < axis->num_values; j++) {
        num_competing += !best->is_left_out[j];
    }
    if (ret == 0 && num_competing < 2) {
        spot_bind_error(bind, spot_node_get(self->document.root, "best"), "best",
            "expected two values of %s or more that compete", axis->path);
    }
    return ret;
}

int
spot_study_find_best(spot_study_t *self, spot_bind_t *bind)
{
    const spot_node_t *node = spot_node_get(self->document.root, "best");
    const spot_best_request_t *request = &self->best;
    spot_best_t *best = &self->head.best;
    char shown[SPOT_UTF8_SHOWN_BYTES];

    if (node == NULL || request->key == NULL) {
        return 0;
    }
    check_plan(self, bind, node);
    if ((request->minimise == NULL) == (request->maximise == NULL)) {
        spot_bind_error(bind, node, "best", "needs either minimise or maximise");
        return 0;
    }
    best->is_maximised = request->maximise != NULL;
    best->metric_id = spot_study_metric_id(
        &self->head, best->is_maximised ? request->maximise : request->minimise);
    for (size_t j = 0; j < self->head.num_axes; j++) {
        if (strcmp(self->head.axes[j].path, request->key) == 0) {
            best->axis_id = j;
            best->is_asked = best->metric_id < self->head.num_metrics;
            return leave_out(self, bind, request->except_node);
        }
    }
    spot_bind_error(bind, spot_node_get(node, "key"), "best.key", "\"%s\" is not swept",
        spot_utf8_shown(request->key, shown));
    return 0;
}
