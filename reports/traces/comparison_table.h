/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How near models come to a recorded trace, as tables for a terminal. */
#pragma once

#include "reports/table/terminal.h"
#include "traces/compare/comparison.h"

/* The figures of the trace, its halves and the models; their distances to it; and how
 * much nearer each model is than the one of the seed study. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_comparison_table_write(
    const spot_comparison_t *self, const spot_terminal_t *terminal, FILE *out);
