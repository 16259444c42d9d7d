/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replications of a model, recorded in the same way as the trace they are compared
 * with. */
#pragma once

#include "base/memory.h"
#include "base/stats.h"
#include "base/watch.h"
#include "traces/compare/fidelity.h"
#include "traces/generate/model.h"

typedef struct {
    const spot_trace_model_t *model; /* its horizon is the end of the frame */
    spot_observation_frame_t frame;
    uint64_t seed;
    int64_t num_replications; /* 0 ... num_replications - 1 */
    spot_watch_t watch;       /* counts replications */
} spot_replicate_t;

/* Fills moments with the figures and distances to a trace, over the replications in
 * their order, without undefined values. NO_MEMORY, INTERRUPTED; OVERDRAW if a
 * replication ends in an overdraw (see generator.h, stopped_ms). */
SPOT_MUST_CHECK int spot_replicate_fidelity(const spot_replicate_t *self,
    const spot_fidelity_t *against, spot_moments_t moments[SPOT_FIDELITY_NUM_METRICS]);

/* Quantiles of the replications at each time, to draw a trace over its model. */
typedef struct {
    spot_arena_t memory;
    size_t num_points;
    double *time_s; /* [num_points] increasing */
    double *low;    /* [num_points] 5 % quantile of the replications, type 7 */
    double *median;
    double *high; /* 95 % */
} spot_band_t;

/* Takes the populations from 0 on. Every tick is a point; with more than max_points
 * ticks, every second, third, ... tick. NO_MEMORY, INTERRUPTED, OVERDRAW; free self even
 * then. 8 bytes per point and replication. */
SPOT_MUST_CHECK int spot_band_init(
    spot_band_t *self, const spot_replicate_t *replicate, size_t max_points);

/* Takes the share of gaps between events of a direction (SPOT_FIDELITY_PREEMPT or _ADD)
 * that are longer than each time. Replications without a gap are left out; NAN if none
 * is left. Copies time_s, [num_points] increasing. Errors and memory as above. */
SPOT_MUST_CHECK int spot_band_init_gaps(spot_band_t *self, const spot_replicate_t *replicate,
    int direction, size_t num_points, const double *time_s);
void spot_band_free(spot_band_t *self);
