/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replications of a model, recorded as the trace that they are held against was. */
#ifndef SPOT_COMPARE_REPLICATE_H
#define SPOT_COMPARE_REPLICATE_H

#include "base/stats.h"
#include "base/watch.h"
#include "traces/compare/fidelity.h"
#include "traces/generate/model.h"

typedef struct {
    const spot_trace_model_t *model; /* its horizon is the end of the frame */
    spot_observation_frame_t frame;
    uint64_t seed;
    int64_t num_replications; /* 0 ... num_replications - 1 */
    spot_watch_t watch;       /* progress: in replications */
} spot_replicate_t;

/* Figures and distances to a trace over the replications, each summed up in order of
 * replication; values that are undefined are left out. NO_MEMORY, INTERRUPTED, OVERDRAW
 * where a replication ends in an overdraw (see generator.h, stopped_ms). */
SPOT_MUST_CHECK int spot_replicate_fidelity(const spot_replicate_t *self,
    const spot_fidelity_t *against, spot_moments_t moments[SPOT_FIDELITY_NUM_METRICS]);

/* Where the replications are, time by time: for drawing a trace over what its model
 * makes of it. */
typedef struct {
    size_t num_points;
    double *time_s; /* [num_points] increasing */
    double *low;    /* [num_points] 5 % quantile of the replications, type 7 */
    double *median;
    double *high; /* 95 % */
} spot_band_t;

/* The populations from 0 on. Every tick is a point, unless there were more than
 * max_points: then every second, third, ... one. NO_MEMORY, INTERRUPTED, OVERDRAW; free
 * band even then. 8 bytes a point and replication. */
SPOT_MUST_CHECK int spot_band_init(
    spot_band_t *self, const spot_replicate_t *replicate, size_t max_points);

/* The shares of the gaps between events of a direction (SPOT_FIDELITY_PREEMPT or _ADD)
 * that are longer than each time; replications without a gap are left out, and NAN is
 * where none is left. time_s: [num_points] increasing, is copied. The same errors and
 * memory. */
SPOT_MUST_CHECK int spot_band_init_gaps(spot_band_t *self,
    const spot_replicate_t *replicate, int direction, size_t num_points,
    const double *time_s);
void spot_band_free(spot_band_t *self);

#endif
