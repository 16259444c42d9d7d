/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The results of a study as tables for a terminal. */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "reports/report.h"
#include "reports/table/terminal.h"

/* The study, what its figures rest on, then one line a point: see
 * reports/point_table.h; where it has a baseline, the differences to it and what pairing
 * is worth; where it looks for an optimum, the answer first and only the points that may
 * be the best; who wins where, and Sobol indices, where it asks. Errors of reading,
 * NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_result_table_write(
    const spot_store_t *store, const spot_terminal_t *terminal, FILE *out);

/* The same of what was read already, without name and question. */
SPOT_MUST_CHECK int spot_result_tables_write(
    const spot_report_t *report, const spot_terminal_t *terminal, FILE *out);
