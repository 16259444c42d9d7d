/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics of a training run, computed from its exact result. */
#ifndef SPOT_SIM_TRAIN_METRICS_H
#define SPOT_SIM_TRAIN_METRICS_H

#include "sim/engine/metric.h"
#include "sim/train/train.h"

/* Every metric of a training run, in the order of values. */
#define SPOT_TRAIN_NUM_METRICS 40
extern const spot_metric_t spot_train_metrics[SPOT_TRAIN_NUM_METRICS];

/* Sets values[SPOT_TRAIN_NUM_METRICS]. NAN: undefined (a zero denominator, a job that
 * did not finish, fewer than two preemptions). */
SPOT_API void spot_train_metric_values(
    const spot_scenario_t *scenario, const spot_train_result_t *result, double *values);

/* One metric by name; NAN for an unknown name too. */
SPOT_API double spot_train_metric(const spot_scenario_t *scenario,
    const spot_train_result_t *result, const char *name);

/* Conditions that make a result doubtful. */
#define SPOT_TRAIN_NUM_WARNINGS 10
extern const spot_warning_t spot_train_warnings[SPOT_TRAIN_NUM_WARNINGS];

/* Sets flags[SPOT_TRAIN_NUM_WARNINGS]: 1 if the condition holds, else 0. */
void spot_train_warning_flags(const spot_train_result_t *result, unsigned char *flags);

#endif
