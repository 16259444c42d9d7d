/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often to write a checkpoint, as `spotsim theory checkpoint` answers it. */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "models/checkpoint_theory.h"
#include "reports/table/terminal.h"

/* A title, a table of one line a rule, and what the best of them means. NO_MEMORY, IO.
 */
SPOT_MUST_CHECK int spot_theory_report_text(
    const spot_theory_question_t *question, const spot_terminal_t *terminal, FILE *out);

/* {theory, mode, busy, mtbf_s, write_s, snapshot_s, restart_s, step_s, intervals:
 * [{rule, interval_s, period_s, efficiency, efficiency_immune, expected_s,
 * expected_immune_s, run_ratio, first_order_waste, steps, steps_efficiency}],
 * best_steps: {steps, interval_s, efficiency}, memory: {share, every_s, fetch_s, losses:
 * [{rule, interval_s, loss, loss_without}]}}; null where undefined, infinite or not
 * asked. best_steps is there if the step is, memory if it is asked. NO_MEMORY. */
SPOT_MUST_CHECK int spot_theory_report_json(const spot_theory_question_t *question, FILE *out);
