/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a store found, for a terminal. */
#pragma once

#include "reports/report.h"
#include "reports/table/terminal.h"

/* Question and answer, the tables of reports/result_table.h, a sparkline for each curve
 * of the main metric, and where the time of each point goes, where the study tells it.
 * Errors of reading the store, NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_report_text_write(
    const spot_report_t *report, const spot_terminal_t *terminal, FILE *out);

/* Parts of it, each behind an empty line; nothing where there is nothing to show. */
SPOT_MUST_CHECK int spot_sparklines_write(
    const spot_report_t *report, const spot_terminal_t *terminal, FILE *out);
void spot_ledger_bars_write(
    const spot_report_t *report, const spot_terminal_t *terminal, FILE *out);
