/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of one run as a JSON object. */
#pragma once

#include <stdio.h>

#include "base/json.h"
#include "sim/train/job/train.h"
#include "sim/train/run_theory.h"

/* The exact figures of a run: its length, times, steps and counts. */
void spot_run_json_figures(spot_json_t *json, const spot_train_result_t *result);

/* The members of the object of a run. Milliseconds, instance-milliseconds, steps and counts are
 * exact integers. theory NULL: none. */
void spot_run_json_write(const spot_scenario_t *scenario, const spot_train_result_t *result,
    const spot_run_theory_t *theory, spot_json_t *json);
