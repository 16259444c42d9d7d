/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a trace as text for a terminal. */
#pragma once

#include "reports/table/terminal.h"
#include "traces/describe/describe.h"

/* Prints the figures in groups, some ten lines. For kind availability the labels speak
 * of obtainable instances, as nothing ran. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_describe_print(
    const spot_describe_t *self, const spot_terminal_t *terminal, FILE *out);
