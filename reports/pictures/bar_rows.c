/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/pictures/bar_rows.h"

#include <math.h>
#include <string.h>

#include "reports/pictures/parts.h"

/* num_axes: the points are not drawn in groups. */
static size_t choose_row_axis(const spot_study_head_t *head)
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

static void add_row(spot_bar_rows_t *self, size_t point_id, bool is_first)
{
    self->rows[self->num_rows++] = (spot_bar_row_t){point_id, is_first};
}

/* As many whole groups as there is room for, spread evenly; of one that is too large the
 * rows are. */
static void add_groups(spot_bar_rows_t *self, const spot_point_lines_t *groups)
{
    size_t num_largest = 1, num_shown;

    for (size_t j = 0; j < groups->num_lines; j++) {
        const size_t num_rows = groups->starts[j + 1] - groups->starts[j];

        num_largest = num_rows > num_largest ? num_rows : num_largest;
    }
    num_shown = num_largest < SPOT_MAX_BARS ? SPOT_MAX_BARS / num_largest : 1;
    num_shown = num_shown < groups->num_lines ? num_shown : groups->num_lines;
    for (size_t j = 0; j < num_shown; j++) {
        const size_t group_id = spot_spread(j, num_shown, groups->num_lines);
        const size_t start = groups->starts[group_id];
        const size_t num_all = groups->starts[group_id + 1] - start;
        const size_t num_rows = num_all < SPOT_MAX_BARS ? num_all : SPOT_MAX_BARS;

        for (size_t k = 0; k < num_rows; k++) {
            add_row(self, groups->point_ids[start + spot_spread(k, num_rows, num_all)], k == 0);
        }
    }
    self->is_spread = self->num_rows < self->head->num_points;
}

int spot_bar_rows_init(spot_bar_rows_t *self, const spot_study_head_t *head)
{
    spot_point_lines_t groups = {0};
    int ret = 0;

    memset(self, 0, sizeof(*self));
    self->head = head;
    self->row_axis_id = choose_row_axis(head);
    if (self->row_axis_id < head->num_axes) {
        ret = spot_point_lines_init(&groups, head, self->row_axis_id, false);
        if (ret == 0) {
            add_groups(self, &groups);
        }
        spot_point_lines_free(&groups);
        return ret;
    }
    for (size_t j = 0; j < head->num_points && j < SPOT_MAX_BARS; j++) {
        add_row(self, j, false);
    }
    return 0;
}

const char *spot_bar_row_words(const spot_bar_rows_t *self, size_t row_id, spot_texts_t *texts)
{
    const size_t point_id = self->rows[row_id].point_id;

    return self->row_axis_id < self->head->num_axes
               ? spot_words_point_label(texts, self->head, point_id, self->row_axis_id)
               : spot_words_point(texts, self->head, point_id, SPOT_PICTURE_CHARS);
}

const char *spot_bar_group_words(const spot_bar_rows_t *self, size_t row_id, spot_texts_t *texts)
{
    const spot_axis_t *axis = &self->head->axes[self->row_axis_id];
    const char *words = spot_words_values(
        texts, self->head, self->rows[row_id].point_id, self->row_axis_id, self->row_axis_id);

    return spot_axis_is_numeric(axis)
               ? spot_texts_add(texts, "%s, by %s", words, spot_words_key(texts, axis))
               : words;
}
