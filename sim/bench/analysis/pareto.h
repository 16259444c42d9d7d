/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Pareto front of choices with a cost and a gain: those that no other choice beats
 * in both. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "sim/bench/analysis/summary.h"

/* Less cost and more gain are better. A choice without a finite cost and gain is left
 * out. An end of an interval that is NAN is unknown. */
typedef struct {
    double cost;
    double gain;
    double cost_low, cost_high; /* an interval around cost */
    double gain_low, gain_high; /* the same of gain */
} spot_choice_t;

typedef enum {
    SPOT_CHOICE_LEFT_OUT,
    SPOT_CHOICE_FRONT,       /* no other one is at least equal in both, better in one */
    SPOT_CHOICE_DOMINATED,   /* by the means, perhaps by chance */
    SPOT_CHOICE_SURELY_WORSE /* another one is better in both beyond the intervals, or in
                                one, with the same value and interval in the other */
} spot_choice_fate_t;

/* fates: [num_choices]. Equal choices share their fate. NO_MEMORY. O(n log n). */
SPOT_MUST_CHECK int spot_pareto_find(
    const spot_choice_t *choices, size_t num_choices, spot_choice_fate_t *fates);

/* ---- Fronts of a study ---- */

/* What the points of a study cost and gain, and which of them are worth a look: the
 * Pareto front. The trace cannot be chosen, so points are compared where it is the
 * same; each of these groups has a front of its own. */

typedef struct {
    const spot_study_head_t *head;
    spot_choice_t *choices;    /* [num_points] estimates and their intervals */
    int64_t num_common;        /* replications that they rest on, the same of each point, where
                                  points have more of them, as after a race; 0: all */
    spot_choice_fate_t *fates; /* [num_points]; a bound is left out */
    bool is_over_traces;       /* one group, though the trace differs: no two points
                                  meet the same one */
    size_t num_groups;
    size_t *starts;                                 /* [num_groups + 1] into point_ids */
    size_t *point_ids;                              /* [num_points] by group, then by cost */
    size_t num_fates[SPOT_CHOICE_SURELY_WORSE + 1]; /* points of each fate */
} spot_fronts_t;

/* Of the cost and the gain of the overview, which the head has. summaries:
 * [num_points][num_metrics]. num_common > 0: the first so many replications of each
 * point are read, as not all have the same number of them, and means of others would
 * differ by chance alone. NO_MEMORY, errors of reading; free self even then.
 * O(n log n), or O(rows). */
SPOT_MUST_CHECK int spot_fronts_init(spot_fronts_t *self, const spot_store_t *store,
    const spot_summary_t *summaries, int64_t num_common);
void spot_fronts_free(spot_fronts_t *self);

/* Whether a key says what happens, as that of traces does, and not what is chosen. */
bool spot_axis_is_circumstance(const spot_axis_t *axis);
