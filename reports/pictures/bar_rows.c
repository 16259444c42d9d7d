/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/pictures/bar_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/pictures/parts.h"
#include "reports/value_label.h"
#include "sim/analysis/point_groups.h"

#define MAX_CHARS 80 /* of the name of a point */

/* num_axes: the points are not drawn in groups. */
static size_t
choose_row_axis(const spot_study_head_t *head)
{
    size_t first_id = head->num_axes, wanted_id = head->num_axes;

    if (head->num_axes < 2 || head->plan.kind == SPOT_PLAN_ZIP ||
        spot_plan_is_design(head->plan.kind)) {
        return head->num_axes;
    }
    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_axis_t *axis = &head->axes[j];

        if (isnan(axis->numbers[0])) {
            return j;
        }
        first_id = first_id == head->num_axes && axis->num_values > 1 ? j : first_id;
        if (head->plot.x != NULL && strcmp(axis->path, head->plot.x) == 0) {
            wanted_id = j;
        }
    }
    return wanted_id < head->num_axes ? wanted_id : first_id;
}

static void
add_row(spot_bar_rows_t *self, size_t point_id, bool is_first)
{
    self->rows[self->num_rows++] = (spot_bar_row_t){point_id, is_first};
}

/* The first points, one by one. */
static void
add_first_points(spot_bar_rows_t *self)
{
    for (size_t j = 0; j < self->head->num_points && j < SPOT_MAX_BARS; j++) {
        add_row(self, j, false);
    }
}

/* order: [num_points] by group; starts: [num_groups + 1] into it. As many whole groups
 * as there is room for, spread evenly; of one that is too large the rows are. */
static void
add_groups(
    spot_bar_rows_t *self, const size_t *order, const size_t *starts, size_t num_groups)
{
    size_t num_largest = 1, num_shown;

    for (size_t j = 0; j < num_groups; j++) {
        const size_t num_rows = starts[j + 1] - starts[j];

        num_largest = num_rows > num_largest ? num_rows : num_largest;
    }
    num_shown = num_largest < SPOT_MAX_BARS ? SPOT_MAX_BARS / num_largest : 1;
    num_shown = num_shown < num_groups ? num_shown : num_groups;
    for (size_t j = 0; j < num_shown; j++) {
        const size_t group_id = spot_spread(j, num_shown, num_groups);
        const size_t num_all = starts[group_id + 1] - starts[group_id];
        const size_t num_rows = num_all < SPOT_MAX_BARS ? num_all : SPOT_MAX_BARS;

        for (size_t k = 0; k < num_rows; k++) {
            add_row(self, order[starts[group_id] + spot_spread(k, num_rows, num_all)],
                k == 0);
        }
    }
    self->is_spread = self->num_rows < self->head->num_points;
}

/* Sorts the points by their groups, where each keeps its place, by counting. */
static int
find_groups(spot_bar_rows_t *self)
{
    const size_t num_points = self->head->num_points;
    size_t *order = spot_calloc(num_points, sizeof(*order));
    size_t *starts = spot_calloc(num_points + 2, sizeof(*starts));
    spot_point_groups_t groups = {0};
    int ret = order == NULL || starts == NULL
                  ? SPOT_ERR_NO_MEMORY
                  : spot_point_groups_init(&groups, self->head, self->row_axis_id);

    if (ret == 0) {
        for (size_t j = 0; j < num_points; j++) {
            starts[groups.group_ids[j] + 2]++;
        }
        for (size_t j = 2; j < groups.num_groups + 2; j++) {
            starts[j] += starts[j - 1];
        }
        for (size_t j = 0; j < num_points; j++) {
            order[starts[groups.group_ids[j] + 1]++] = j;
        }
        add_groups(self, order, starts, groups.num_groups);
    }
    spot_point_groups_free(&groups);
    free(order);
    free(starts);
    return ret;
}

int
spot_bar_rows_init(spot_bar_rows_t *self, const spot_study_head_t *head)
{
    memset(self, 0, sizeof(*self));
    self->head = head;
    self->row_axis_id = choose_row_axis(head);
    if (self->row_axis_id < head->num_axes) {
        return find_groups(self);
    }
    add_first_points(self);
    return 0;
}

/* "pipeline depth 8", or "parcae" for what has no number. */
static size_t
add_value_words(const spot_bar_rows_t *self, size_t point_id, size_t axis_id,
    size_t used, char text[SPOT_POINT_BYTES])
{
    const spot_axis_t *axis = &self->head->axes[axis_id];
    const size_t value_id = spot_study_value_id(self->head, point_id, axis_id);
    const bool is_bare = isnan(axis->numbers[value_id]);
    char words[SPOT_WORDS_BYTES], label[SPOT_VALUE_LABEL_BYTES];

    if (used + 8 >= SPOT_POINT_BYTES) {
        return used;
    }
    spot_key_words(axis, words);
    return used + (size_t) snprintf(text + used, SPOT_POINT_BYTES - 4 - used, "%s%s%s%s",
                      used == 0 ? "" : ", ", is_bare ? "" : words, is_bare ? "" : " ",
                      spot_value_label(axis, value_id, label));
}

/* Of rows with numbers the heading names their key. */
static bool
has_numbers(const spot_bar_rows_t *self)
{
    return self->row_axis_id < self->head->num_axes &&
           spot_axis_is_numeric(&self->head->axes[self->row_axis_id]);
}

void
spot_bar_row_words(
    const spot_bar_rows_t *self, size_t row_id, char text[SPOT_POINT_BYTES])
{
    const size_t point_id = self->rows[row_id].point_id;
    char label[SPOT_VALUE_LABEL_BYTES];

    if (has_numbers(self)) {
        snprintf(text, SPOT_POINT_BYTES, "%s",
            spot_point_label(self->head, point_id, self->row_axis_id, label));
    } else if (self->row_axis_id < self->head->num_axes) {
        (void) add_value_words(self, point_id, self->row_axis_id, 0, text);
    } else {
        spot_point_words(self->head, point_id, MAX_CHARS, text);
    }
}

void
spot_bar_group_words(
    const spot_bar_rows_t *self, size_t row_id, char text[SPOT_POINT_BYTES])
{
    size_t used = 0;
    char words[SPOT_WORDS_BYTES];

    text[0] = '\0';
    for (size_t j = 0; j < self->head->num_axes; j++) {
        if (j != self->row_axis_id) {
            used = add_value_words(self, self->rows[row_id].point_id, j, used, text);
        }
    }
    if (has_numbers(self)) {
        spot_key_words(&self->head->axes[self->row_axis_id], words);
        snprintf(text + used, SPOT_POINT_BYTES - used, ", by %s", words);
    }
}
