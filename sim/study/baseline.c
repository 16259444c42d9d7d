/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "sim/store/point_groups.h"
#include "sim/study/study_axes.h"

#define MAX_LISTED 12 /* values that a message lists */

/* "2, 4, 8 or 16", with the number of those that are too many to show. */
static void
list_values(const spot_axis_t *axis, char *text, size_t text_bytes)
{
    const size_t num_shown =
        axis->num_values <= MAX_LISTED ? axis->num_values : MAX_LISTED;
    size_t used = 0;

    for (size_t j = 0; j < num_shown && used < text_bytes; j++) {
        char shown[SPOT_UTF8_SHOWN_BYTES];

        used += (size_t) snprintf(text + used, text_bytes - used, "%s%s",
            j == 0                      ? ""
            : j + 1 == axis->num_values ? " or "
                                        : ", ",
            spot_utf8_shown(axis->texts[j], shown));
    }
    if (num_shown < axis->num_values && used < text_bytes) {
        snprintf(text + used, text_bytes - used, " or one of %zu more",
            axis->num_values - num_shown);
    }
}

/* Finds the value among those of its axis, however it is written. */
static int
find_baseline_value(
    spot_study_t *self, spot_bind_t *bind, const char *path, const spot_node_t *value)
{
    const size_t axis_id = self->head.baseline_axis_id;
    const spot_axis_t *axis = &self->head.axes[axis_id];
    char text[SPOT_UTF8_SHOWN_BYTES], values[SPOT_UTF8_SHOWN_BYTES * (MAX_LISTED + 1)];
    const int ret =
        spot_study_find_value(self, axis_id, value, &self->head.baseline_value_id);

    if (ret != 0) {
        return ret;
    }
    self->head.has_baseline = self->head.baseline_value_id < axis->num_values;
    if (!self->head.has_baseline) {
        self->head.baseline_value_id = 0;
        list_values(axis, values, sizeof(values));
        spot_bind_error(bind, value, "baseline", "%s is never \"%s\", it is %s", path,
            value->kind == SPOT_NODE_SCALAR ? spot_utf8_shown(value->text, text)
                                            : "that",
            values);
    }
    return 0;
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

int
spot_study_find_baseline(spot_study_t *self, spot_bind_t *bind)
{
    const spot_node_t *node = self->baseline_node;
    char text[SPOT_UTF8_SHOWN_BYTES];

    if (node == NULL) {
        return 0;
    }
    if (node->num_children != 1) {
        spot_bind_error(bind, node, "baseline", "expected one swept key with its value");
        return 0;
    }
    spot_utf8_shown(node->keys[0]->text, text);
    for (size_t j = 0; j < self->head.num_axes; j++) {
        if (strcmp(self->head.axes[j].path, node->keys[0]->text) == 0) {
            int ret;

            self->head.baseline_axis_id = j;
            ret = find_baseline_value(self, bind, text, node->children[0]);
            check_baseline_plan(self, bind);
            return ret;
        }
    }
    spot_bind_error(bind, node->keys[0], "baseline", "\"%s\" is not swept", text);
    return 0;
}

int
spot_study_check_baseline(const spot_study_t *self, spot_bind_t *bind)
{
    const spot_study_head_t *head = &self->head;
    const spot_axis_t *axis;
    char shown[SPOT_UTF8_SHOWN_BYTES];
    size_t *base_ids, num_compared = 0;
    int ret;

    if (!head->has_baseline) {
        return 0;
    }
    axis = &head->axes[head->baseline_axis_id];
    ret = spot_baseline_points(head, &base_ids);
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        num_compared += base_ids[j] != SPOT_NO_POINT && base_ids[j] != j;
    }
    free(base_ids);
    if (ret == 0 && num_compared == 0) {
        spot_bind_error(bind, self->baseline_node, "baseline",
            "nothing to compare: no point differs in %s only from one where it is %s",
            axis->path, spot_utf8_shown(axis->texts[head->baseline_value_id], shown));
    }
    return ret;
}
