/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the points of a study cost and gain, and which of them are worth a look: the
 * Pareto front. Nobody can choose the trace, so points are compared where it is the
 * same; each of these groups has a front of its own. */
#pragma once

#include <stdbool.h>

#include "reports/report.h"
#include "sim/analysis/pareto.h"

/* The points that meet the same trace. */
typedef struct {
    size_t first; /* of its points in point_ids */
    size_t end;   /* behind the last of them */
} spot_cost_group_t;

typedef struct {
    const spot_report_t *report;
    const spot_study_head_t *head;
    size_t cost_id, gain_id; /* metrics */
    spot_choice_t *choices;  /* [num_points] means and their intervals */
    int64_t num_common; /* replications that they rest on, the same of each point, where
                           points have more of them, as after a race; 0: all */
    spot_choice_fate_t *fates; /* [num_points]; a bound is left out */
    bool is_over_traces;       /* one group, though the trace differs: no two points
                                  meet the same one */
    size_t num_groups;
    spot_cost_group_t *groups; /* [num_groups] */
    size_t *point_ids;         /* [num_points] by group, then by cost */
    size_t num_fates[SPOT_CHOICE_SURELY_WORSE + 1]; /* points of each fate */
} spot_cost_gain_t;

/* Why there is nothing to compare, or NULL. */
const char *spot_cost_gain_problem(const spot_report_t *report);

/* There is no problem; the report must outlive self. NO_MEMORY, errors of reading; free
 * self even then. O(n log n), and O(rows) where not all points have the same number of
 * them: means of other replications would differ by chance alone. */
SPOT_MUST_CHECK int spot_cost_gain_init(
    spot_cost_gain_t *self, const spot_report_t *report);
void spot_cost_gain_free(spot_cost_gain_t *self);

/* "trace preemption per minute 0.05": what the points of a group meet, in max_chars
 * characters; "" where the trace is not swept. text has SPOT_POINT_BYTES. */
void spot_cost_group_words(
    const spot_cost_gain_t *self, size_t group_id, size_t max_chars, char *text);

/* Columns of spot_picture_csv_write() for cost and gain, then front: "front",
 * "dominated", "surely worse" or "left out". IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_cost_gain_csv_write(const spot_report_t *report, FILE *out);

/* What the picture shows, in sentences. */
void spot_cost_gain_describe(const spot_report_t *report, FILE *out);
