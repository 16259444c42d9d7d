/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The policy of a study: how many replications each point gets. It decides in rounds,
 * from the rows that are there, so that a study goes on where it was stopped and does
 * not depend on who ran what. Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_STUDY_POLICY_H
#define SPOT_SIM_STUDY_STUDY_POLICY_H

#include <stdbool.h>

#include "sim/study/study.h"

typedef struct {
    void *state;
    /* targets: [num_points] the replications that each point has got by now, 0 in the
     * first round; raises those that are to get more, none beyond the head's
     * num_replications. *is_more: whether there are any. May read the store, which has
     * all rows up to the targets. */
    int (*next)(void *state, const spot_store_t *store, int64_t *targets, bool *is_more);
    void (*free)(void *state);
    bool needs_whole_points; /* decides on all rows of a point: shards take points */
} spot_policy_t;

/* The policy that the study asks for; free it even after an error: NO_MEMORY. */
SPOT_MUST_CHECK int spot_study_policy(
    spot_policy_t *policy, const spot_study_t *study, const spot_study_run_t *run);

#endif
