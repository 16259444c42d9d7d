/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of one run as a JSON object. */
#ifndef SPOT_SIM_TRAIN_RUN_JSON_H
#define SPOT_SIM_TRAIN_RUN_JSON_H

#include <stdio.h>

#include "sim/train/run_theory.h"
#include "sim/train/train.h"

/* Integers are exact: milliseconds, instance-milliseconds, steps, counts. theory: NULL,
 * not asked. */
void spot_run_json_write(const spot_scenario_t *scenario,
    const spot_train_result_t *result, const spot_run_theory_t *theory, FILE *out);

#endif
