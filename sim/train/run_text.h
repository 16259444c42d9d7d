/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of one run as a short text for a terminal. */
#ifndef SPOT_SIM_TRAIN_RUN_TEXT_H
#define SPOT_SIM_TRAIN_RUN_TEXT_H

#include <stdio.h>

#include "sim/train/run_theory.h"
#include "sim/train/train.h"

/* What was done, where the paid time went, what it cost, the theory (NULL: not asked)
 * and the warnings. */
void spot_run_text_write(const spot_scenario_t *scenario,
    const spot_train_result_t *result, const spot_run_theory_t *theory, FILE *out);

#endif
