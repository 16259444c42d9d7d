/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers that users read, computed from the exact result of a run. */
#ifndef SPOT_SIM_TRAIN_METRICS_H
#define SPOT_SIM_TRAIN_METRICS_H

#include "sim/store/metric.h"
#include "sim/train/train.h"

/* Every metric of a training run, in the order of values. */
#define SPOT_TRAIN_NUM_METRICS 40
extern const spot_metric_t spot_train_metrics[SPOT_TRAIN_NUM_METRICS];

/* values: [SPOT_TRAIN_NUM_METRICS]; NAN where undefined (a zero denominator, a job that
 * did not finish, fewer than two preemptions). */
SPOT_API void spot_train_metric_values(
    const spot_scenario_t *scenario, const spot_train_result_t *result, double *values);

/* One of them by name; NAN for an unknown name too. */
SPOT_API double spot_train_metric(const spot_scenario_t *scenario,
    const spot_train_result_t *result, const char *name);

/* Conditions that make a result doubtful. */
#define SPOT_TRAIN_NUM_WARNINGS 9
extern const spot_warning_t spot_train_warnings[SPOT_TRAIN_NUM_WARNINGS];

/* flags: [SPOT_TRAIN_NUM_WARNINGS] 1 where the condition holds. */
void spot_train_warning_flags(const spot_train_result_t *result, unsigned char *flags);

#endif
