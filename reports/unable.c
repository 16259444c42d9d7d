/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/unable.h"

#include <stdio.h>

#include "reports/study_words.h"
#include "reports/value_label.h"

static size_t
kind_of(const spot_study_head_t *head, size_t point_id)
{
    return head->kind_ids == NULL ? 0 : head->kind_ids[point_id];
}

/* Whether all points of a kind have one value of an axis; *point_id is one of them. */
static bool
is_common(
    const spot_study_head_t *head, size_t kind_id, size_t axis_id, size_t *point_id)
{
    bool is_any = false;

    for (size_t j = 0; j < head->num_points; j++) {
        if (kind_of(head, j) != kind_id) {
            continue;
        }
        if (is_any && spot_study_value_id(head, j, axis_id) !=
                          spot_study_value_id(head, *point_id, axis_id)) {
            return false;
        }
        *point_id = j;
        is_any = true;
    }
    return is_any;
}

/* " (recovery bamboo)": what the points of a kind have in common; nothing for all points
 * of a study. */
static void
name_common(const spot_study_head_t *head, size_t kind_id, char text[SPOT_POINT_BYTES])
{
    char label[SPOT_VALUE_LABEL_BYTES];
    size_t used = 0, point_id = 0;

    text[0] = '\0';
    for (size_t j = 0; j < head->num_axes && used + 1 < SPOT_POINT_BYTES; j++) {
        if (head->axes[j].num_values > 1 && is_common(head, kind_id, j, &point_id)) {
            used += (size_t) snprintf(text + used, SPOT_POINT_BYTES - used, "%s%s %s",
                used == 0 ? " (" : ", ", head->axes[j].path,
                spot_point_label(head, point_id, j, label));
        }
    }
    if (used > 0 && used + 1 < SPOT_POINT_BYTES) {
        snprintf(text + used, SPOT_POINT_BYTES - used, ")");
    }
}

bool
spot_unable_next(
    const spot_study_head_t *head, size_t *kind_id, char text[SPOT_UNABLE_BYTES])
{
    char common[SPOT_POINT_BYTES];
    size_t num_points = 0;

    while (*kind_id < head->num_kinds && head->kinds[*kind_id].cannot_run == NULL) {
        ++*kind_id;
    }
    if (*kind_id >= head->num_kinds) {
        return false;
    }
    for (size_t j = 0; j < head->num_points; j++) {
        num_points += kind_of(head, j) == *kind_id;
    }
    name_common(head, *kind_id, common);
    snprintf(text, SPOT_UNABLE_BYTES, "%zu of %zu points%s cannot run: %s", num_points,
        head->num_points, common, head->kinds[*kind_id].cannot_run);
    ++*kind_id;
    return true;
}
