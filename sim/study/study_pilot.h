/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study will take, measured on a few of its runs, of which nothing is kept. */
#ifndef SPOT_SIM_STUDY_STUDY_PILOT_H
#define SPOT_SIM_STUDY_STUDY_PILOT_H

#include "base/watch.h"
#include "sim/study/study.h"

typedef struct {
    int64_t num_runs; /* that were measured, over all points measured */
    size_t num_points;
    double open_s; /* processor time to go to a point */
    double run_s;  /* and of a replication */
} spot_pilot_t;

/* Runs replications of some points, spread evenly over all, until budget_s of the
 * thread's processor time are spent, each point getting the same share; at least one. On
 * the calling thread. The first error of the experiment, INTERRUPTED. */
SPOT_MUST_CHECK int spot_study_measure(const spot_study_t *self, double budget_s,
    const spot_watch_t *watch, spot_pilot_t *pilot);

#endif
