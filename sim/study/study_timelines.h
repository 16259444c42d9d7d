/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timelines that a study keeps: which ones, and making those that are missing.
 * Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_STUDY_TIMELINES_H
#define SPOT_SIM_STUDY_STUDY_TIMELINES_H

#include "sim/study/study.h"

/* Points of a study that keeps timelines without being asked, at most. */
#define SPOT_TIMELINES_MAX_POINTS 32

/* For the field "timelines". */
void spot_study_keep_timelines_node(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target);

/* Reads the replications, once the points are chosen and counted. Faults are told
 * through bind. NO_MEMORY. */
SPOT_MUST_CHECK int spot_study_find_timelines(spot_study_t *self, spot_bind_t *bind);

/* Makes the timelines that the store has the row of, but not the timeline, and puts them
 * there, on the threads of the run: those of its shard are those whose rows it ran. The
 * rows stay as they are. so_far: what was told of the runs; goes on being told. Errors
 * as of spot_study_run(). */
SPOT_MUST_CHECK int spot_study_make_timelines(const spot_study_t *self,
    spot_store_t *store, const spot_study_run_t *run,
    const spot_study_progress_t *so_far, spot_diag_t *diag);

#endif
