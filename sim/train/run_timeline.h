/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run's event log as a picture's data: instances by what they do over time. */
#ifndef SPOT_SIM_TRAIN_RUN_TIMELINE_H
#define SPOT_SIM_TRAIN_RUN_TIMELINE_H

#include "sim/engine/event_log.h"
#include "sim/store/timeline.h"
#include "sim/train/train.h"

/* Fills an initialised timeline from the log of a finished run. NO_MEMORY; free it even
 * then. O(records). */
SPOT_MUST_CHECK int spot_run_timeline(const spot_scenario_t *scenario,
    const spot_train_result_t *result, const spot_event_log_t *log,
    spot_timeline_t *timeline);

#endif
