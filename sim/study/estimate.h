/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study has left to run, and the time that it takes. */
#ifndef SPOT_SIM_STUDY_ESTIMATE_H
#define SPOT_SIM_STUDY_ESTIMATE_H

#include "base/watch.h"
#include "sim/study/study.h"

/* With a count of replications least and most are the same. With until: and optimise:
 * the least is what the next round runs, and the most is what the points of that round
 * lack of max. */
typedef struct {
    int64_t num_there; /* replications in the store, of all points */
    int64_t least_runs, most_runs;
    size_t least_points, most_points; /* that these are of */
} spot_study_left_t;

/* Goes through the rounds of the study, or of a shard of it, up to the first one whose
 * rows are not all in the store. store may be NULL: it has no rows. Of run only the
 * shard matters. NO_MEMORY, or an error of reading, whose reason the store's flush()
 * says. */
SPOT_MUST_CHECK int spot_study_find_left(const spot_study_t *self,
    const spot_store_t *store, const spot_study_run_t *run, spot_study_left_t *left);

typedef struct {
    int64_t num_runs; /* that were measured, over all points measured */
    size_t num_points;
    double open_s; /* processor time to go to a point */
    double run_s;  /* and of a replication */
} spot_pilot_t;

/* Runs at least one replication of some points, spread evenly over all, until budget_s
 * of processor time are spent; all points get the same share. No result is kept. Runs on
 * the calling thread. INTERRUPTED, or the first error of the experiment. */
SPOT_MUST_CHECK int spot_study_measure(const spot_study_t *self, double budget_s,
    const spot_watch_t *watch, spot_pilot_t *pilot);

#endif
