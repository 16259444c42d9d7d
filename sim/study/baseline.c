/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/baseline.h"

#include <string.h>

#include "base/utf8.h"

/* Finds the value among those of its axis, by its text as in the sweep. */
static void
find_baseline_value(
    spot_study_t *self, spot_bind_t *bind, const char *path, const spot_node_t *value)
{
    const spot_axis_t *axis = &self->head.axes[self->head.baseline_axis_id];
    char text[SPOT_UTF8_SHOWN_BYTES];

    for (size_t j = 0; j < axis->num_values; j++) {
        if (value->kind == SPOT_NODE_SCALAR &&
            strcmp(axis->texts[j], value->text) == 0) {
            self->head.baseline_value_id = j;
            self->head.has_baseline = true;
            return;
        }
    }
    spot_bind_error(bind, value, "baseline", "%s is never \"%s\"", path,
        value->kind == SPOT_NODE_SCALAR ? spot_utf8_shown(value->text, text) : "that");
}

/* A point must have one partner at most, and in a design it has none. */
static void
check_baseline_plan(spot_study_t *self, spot_bind_t *bind)
{
    const spot_study_head_t *head = &self->head;
    size_t num_points = 0;

    if (spot_plan_is_design(head->plan.kind)) {
        spot_bind_error(bind, self->baseline_node, "baseline",
            "a %s plan has no points that differ in one key only",
            spot_plan_name(head->plan.kind));
    }
    for (size_t j = 0;
         head->plan.kind == SPOT_PLAN_ZIP && head->has_baseline && j < head->num_points;
         j++) {
        num_points += spot_study_value_id(head, j, head->baseline_axis_id) ==
                      head->baseline_value_id;
    }
    if (num_points > 1) {
        spot_bind_error(bind, self->baseline_node, "baseline",
            "%zu points of the zip have this value: expected one", num_points);
    }
}

void
spot_study_find_baseline(spot_study_t *self, spot_bind_t *bind)
{
    const spot_node_t *node = self->baseline_node;
    char text[SPOT_UTF8_SHOWN_BYTES];

    if (node == NULL) {
        return;
    }
    if (node->num_children != 1) {
        spot_bind_error(bind, node, "baseline", "expected one swept key with its value");
        return;
    }
    spot_utf8_shown(node->keys[0]->text, text);
    for (size_t j = 0; j < self->head.num_axes; j++) {
        if (strcmp(self->head.axes[j].path, node->keys[0]->text) == 0) {
            self->head.baseline_axis_id = j;
            find_baseline_value(self, bind, text, node->children[0]);
            check_baseline_plan(self, bind);
            return;
        }
    }
    spot_bind_error(bind, node->keys[0], "baseline", "\"%s\" is not swept", text);
}
