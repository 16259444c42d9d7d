/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The queue of a virtual cluster: jobs in the order of the keys that the policy gives them,
 * in blocks, and behind them those that have joined since it was sorted. */
#pragma once

#include "sim/schedule/vc_state.h"

/* ---- What a policy sees and does ---- */

/* The next job of the queue, at place, which moves on; -1: there is none. Jobs that start meanwhile
 * stay in it until the decision ends. */
int32_t spot_vc_next_queued(const spot_vc_t *self, spot_queue_place_t *place);

/* The next one with at most so many GPUs. */
int32_t spot_vc_next_queued_up_to(
    const spot_vc_t *self, spot_queue_place_t *place, int32_t most_gpus);

/* Where the jobs are that have joined since the queue was sorted, perhaps with one before them. */
spot_queue_place_t spot_vc_unsorted_queue(const spot_vc_t *self);

/* Puts the queue in order of the keys; the order of equals stays. Call it after keys
 * have been set and before a job starts; from_scratch: keys of jobs that were sorted before have
 * changed too. O(log queue) for a job. */
void spot_vc_sort_queue(spot_vc_t *self, bool from_scratch);

/* ---- What the cluster does ---- */

void spot_vc_queue_clear(spot_vc_queue_t *self);
void spot_vc_queue_free(spot_vc_queue_t *self);

/* A job joins the queue. */
void spot_vc_enqueue(spot_vc_t *self, int32_t job);

/* A job that starts leaves it, when the decision ends. */
void spot_vc_leave_queue(spot_vc_t *self, int32_t job);
void spot_vc_compact_queue(spot_vc_t *self);
