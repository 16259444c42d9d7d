/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of one run as a short text for a terminal. */
#pragma once

#include <stdio.h>

#include "sim/train/job/train.h"
#include "sim/train/run_theory.h"

/* Writes what the job did, the paid time by category, the cost, the theory (NULL: none)
 * and the warnings. */
void spot_run_text_write(const spot_scenario_t *scenario, const spot_train_result_t *result,
    const spot_run_theory_t *theory, FILE *out);
