/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The series of a training run, made from its event log: instances by category, events,
 * progress and cost. */
#pragma once

#include "sim/bench/engine/event_log.h"
#include "sim/bench/engine/series.h"
#include "sim/train/job/train.h"

#define SPOT_TRAIN_NUM_SERIES 4
extern const spot_series_kind_t *const spot_train_series[SPOT_TRAIN_NUM_SERIES];

/* Fills a recording of these series from the log of a finished run. NO_MEMORY; free
 * recording even then. O(records). */
SPOT_MUST_CHECK int spot_run_record(const spot_scenario_t *scenario,
    const spot_train_result_t *result, const spot_event_log_t *log, spot_recording_t *recording);
