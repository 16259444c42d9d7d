/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far the points of a study are from those that its baseline names, as a table for a
 * terminal. */
#pragma once

#include <stdio.h>

#include "reports/point_table.h"
#include "reports/report.h"
#include "reports/table/terminal.h"
#include "sim/analysis/difference.h"

/* What tables of differences are made of. Texts are plain, without an end of line. */
typedef struct {
    const spot_study_head_t *head;
    const spot_paired_t *pairs; /* [num_points][num_metrics] */
    size_t *base_ids;           /* [num_points] or SPOT_NO_POINT */
    double *gains;              /* [num_points * num_listed] room to sort them in */
    int64_t fewest, most;       /* pairs of a point */
} spot_differences_t;

/* The head has a baseline; it and the pairs, of spot_store_differences(), must outlive
 * self. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_differences_init(
    spot_differences_t *self, const spot_study_head_t *head, const spot_paired_t *pairs);
void spot_differences_free(spot_differences_t *self);

/* "difference to job.pipeline_depth = 16: mean of 256 to 9984 pairs of replications"; a
 * mean of one pair is none. */
void spot_differences_title_write(const spot_differences_t *self, FILE *out);

/* Whether any point has an interval to compare with an unpaired one. */
bool spot_differences_have_gain(spot_differences_t *self);

/* "paired intervals are 2.63 times narrower than unpaired ones ...", where any is. */
void spot_differences_gain_write(spot_differences_t *self, FILE *out);

/* How many times narrower they are, a row a metric. */
void spot_gain_table_fill(
    spot_differences_t *self, spot_point_voice_t voice, spot_table_t *table);

/* One line a point: each metric that was asked for as mean and half width of the
 * interval of its paired differences, marked where 0 is outside; below, how much
 * narrower these intervals are than unpaired ones. The study has a baseline. Errors of
 * spot_store_differences(), NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_difference_table_write(
    const spot_report_t *report, const spot_terminal_t *terminal, FILE *out);
