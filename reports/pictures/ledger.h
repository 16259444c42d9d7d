/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which points of a study a picture with a row for each can show, and in which groups.
 * Where several keys are swept the rows of a group differ in one of them only: the key
 * without numbers, so that systems stand below each other, or the one drawn along. */
#pragma once

#include <stdbool.h>

#include "base/texts.h"
#include "sim/bench/store/head.h"

#define SPOT_MAX_BARS 40

typedef struct {
    size_t point_id;
    bool is_first; /* of a group that has a heading */
} spot_bar_row_t;

typedef struct {
    const spot_study_head_t *head;
    size_t row_axis_id; /* in which the rows of a group differ; num_axes: no groups */
    bool is_spread;     /* of more points than rows some were chosen evenly; else the
                           first ones */
    size_t num_rows;
    spot_bar_row_t rows[SPOT_MAX_BARS]; /* [num_rows] */
} spot_bar_rows_t;

/* NO_MEMORY. O(n log n). */
SPOT_MUST_CHECK int spot_bar_rows_init(spot_bar_rows_t *self, const spot_study_head_t *head);

/* What a row is called in its group, and what a group is called: "pipeline depth 8, by
 * preemption per minute" where rows have numbers. */
const char *spot_bar_row_words(const spot_bar_rows_t *self, size_t row_id, spot_texts_t *texts);
const char *spot_bar_group_words(const spot_bar_rows_t *self, size_t row_id, spot_texts_t *texts);
