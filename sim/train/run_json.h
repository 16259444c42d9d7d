/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of one run as a JSON object. */
#pragma once

#include <stdio.h>

#include "sim/train/run_theory.h"
#include "sim/train/train.h"

/* Milliseconds, instance-milliseconds, steps and counts are exact integers. theory NULL:
 * none. */
void spot_run_json_write(const spot_scenario_t *scenario,
    const spot_train_result_t *result, const spot_run_theory_t *theory, FILE *out);
