/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics of a training run, computed from its exact result. */
#pragma once

#include "sim/bench/engine/metric.h"
#include "sim/train/job/train.h"

/* Every metric of a training run, in the order of values. */
#define SPOT_TRAIN_NUM_METRICS 76
#define SPOT_TRAIN_NUM_INPUT 4 /* the first ones: only with job.input */
#define SPOT_TRAIN_NUM_UNTIL                                                                       \
    3 /* the last ones: time_to_finish_s and finished, only with                                   \
         until.steps, and met_deadline, only with a deadline */
extern const spot_metric_t spot_train_metrics[SPOT_TRAIN_NUM_METRICS];

/* Sets values[num_values] of the metrics from number first on but for those that are
 * derived. NAN: undefined. */
void spot_train_yield(const spot_scenario_t *scenario, const spot_train_result_t *result,
    size_t first, size_t num_values, double *values);

/* Sets values[SPOT_TRAIN_NUM_METRICS]. NAN: undefined. */
SPOT_API void spot_train_metric_values(
    const spot_scenario_t *scenario, const spot_train_result_t *result, double *values);

/* What the steps that a run kept would cost and take on demand. */
spot_same_work_t spot_train_same_work(
    const spot_scenario_t *scenario, const spot_train_result_t *result);

/* One metric by name; NAN for an unknown name too. */
SPOT_API double spot_train_metric(
    const spot_scenario_t *scenario, const spot_train_result_t *result, const char *name);

/* Conditions that make a result doubtful. */
#define SPOT_TRAIN_NUM_WARNINGS 10
extern const spot_warning_t spot_train_warnings[SPOT_TRAIN_NUM_WARNINGS];

/* Sets flags[SPOT_TRAIN_NUM_WARNINGS]: 1 if the condition holds, else 0. */
void spot_train_warning_flags(const spot_train_result_t *result, unsigned char *flags);
