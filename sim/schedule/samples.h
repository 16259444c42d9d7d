/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of a VC at equal intervals: what its GPUs, jobs and nodes do. */
#pragma once

#include <stdint.h>

#include "sim/schedule/tables.h"

/* In the order of the columns of a sample; small: of fewer than 8 GPUs. */
enum {
    SPOT_SAMPLE_GPUS,
    SPOT_SAMPLE_IDLE,
    SPOT_SAMPLE_PENDING_GPUS,
    SPOT_SAMPLE_RUNNING,
    SPOT_SAMPLE_PENDING,
    SPOT_SAMPLE_PENDING_SMALL,
    SPOT_SAMPLE_NODES,
    SPOT_SAMPLE_SINGLE, /* nodes with one job */
    SPOT_SAMPLE_SHARED, /* with more */
    SPOT_SAMPLE_NUM_COUNTS
};

/* Means over nodes: utilisation in %, memory in MiB, over all GPUs of a node or over
 * those where they are above 0, and then over nodes that have one. */
enum {
    SPOT_SAMPLE_UTIL,
    SPOT_SAMPLE_MEMORY,
    SPOT_SAMPLE_ACTIVE_UTIL,
    SPOT_SAMPLE_ACTIVE_MEMORY,
    SPOT_SAMPLE_NUM_MEANS
};

typedef struct {
    int64_t counts[SPOT_SAMPLE_NUM_COUNTS];
    int64_t prepping_gpus;
    double means[SPOT_SAMPLE_NUM_MEANS]; /* NAN: the log does not say */
} spot_vc_sample_t;

/* Zero it to start. */
typedef struct {
    size_t max_shown;
    struct spot_shown *shown; /* [max_shown] by node of a VC */
    size_t num_all;
    size_t max_all;
    spot_vc_sample_t *all; /* [num_all] of all VCs, by time */
    int error;             /* NO_MEMORY */
} spot_samples_t;

void spot_samples_free(spot_samples_t *self);

/* The series of a VC, or of all; vc is its name. */
spot_series_kind_t spot_samples_kind(spot_arena_t *memory, const char *vc, bool is_profiler);

/* The last second that is recorded of a VC: that of its last end, or of the run if jobs
 * are left. */
int64_t spot_samples_last_s(const spot_schedule_t *schedule, int32_t vc_id);

/* Appends the samples before until_s to the series of a VC, all of its present state.
 * O(running jobs + nodes + queue) if there are any. */
void spot_samples_take(spot_samples_t *self, const spot_schedule_t *schedule,
    spot_recording_t *recording, const spot_vc_t *vc, int64_t until_s);

/* Cuts the series of each VC after its last second, and fills those of all, weighted by
 * nodes. With quirk Q11 they end with the shortest one, and their means are those of the
 * first VC, in whole numbers. NO_MEMORY. */
SPOT_MUST_CHECK int spot_samples_finish(
    spot_samples_t *self, const spot_schedule_t *schedule, spot_recording_t *recording);
