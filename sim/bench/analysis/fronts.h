/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the points of a study cost and gain, and which of them are worth a look: the
 * Pareto front. The trace cannot be chosen, so points are compared where it is the
 * same; each of these groups has a front of its own. */
#pragma once

#include <stdbool.h>

#include "sim/bench/analysis/pareto.h"
#include "sim/bench/analysis/summary.h"

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
