/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study has left to run, as its store tells. */
#ifndef SPOT_SIM_STUDY_STUDY_LEFT_H
#define SPOT_SIM_STUDY_STUDY_LEFT_H

#include "sim/study/study.h"

/* The same numbers of a study with a count of replications. With until: and optimise:
 * the least is what the next round runs, and the most what there is left of the points
 * of that round up to max. */
typedef struct {
    int64_t num_there; /* replications in the store, of all points */
    int64_t least_runs, most_runs;
    size_t least_points, most_points; /* that these are of */
} spot_study_left_t;

/* Goes through the rounds of the study, or of a shard of it, up to the one whose rows
 * are not all there. store may be NULL: nothing is there. Of run only the shard matters.
 * NO_MEMORY, or an error of reading, of which the store's flush() says why. */
SPOT_MUST_CHECK int spot_study_find_left(const spot_study_t *self,
    const spot_store_t *store, const spot_study_run_t *run, spot_study_left_t *left);

#endif
