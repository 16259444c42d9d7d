/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The training engine: the state machine of one elastic training job, event by event.
 *
 * The controller looks at the cluster at ticks only. The job runs in its own time, and a
 * recovery system may ask for a wake in it. The engine does nothing between the ticks
 * that see a change of the cluster and the wakes: what the job did in between follows in
 * closed form (models/checkpoint.h). So the computing time depends on the numbers of
 * events of the trace, ends of preparation and wakes, not on those of ticks, steps or
 * checkpoints.
 *
 * Life: init -> run, as often as wanted -> free. The result stays until the next run. */
#pragma once

#include "sim/train/job/train_state.h"

/* NO_MEMORY; free self even then. */
SPOT_API SPOT_MUST_CHECK int spot_train_init(spot_train_t *self, const spot_scenario_t *scenario);
SPOT_API void spot_train_free(spot_train_t *self);

/* Runs one replication; the result is in self->result. log (may be NULL) is cleared and
 * filled in order of time. O(events of the trace), up to O(records of the log) more with
 * a log. NO_MEMORY; INTERRUPTED by stop; OVERDRAW if the trace ends in an overdraw
 * before the run ends. */
SPOT_API SPOT_MUST_CHECK int spot_train_run(
    spot_train_t *self, uint64_t seed, uint64_t replication, spot_event_log_t *log);

/* The same in pieces, for tests: start, then step while it returns 1. A step visits at
 * most max_ticks instants: ticks that see a change, at which a preparation ends or a
 * notice may come, and wakes. */
void spot_train_start(
    spot_train_t *self, uint64_t seed, uint64_t replication, spot_event_log_t *log);
SPOT_MUST_CHECK int spot_train_step(spot_train_t *self, int64_t max_ticks);
