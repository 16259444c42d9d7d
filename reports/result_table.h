/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The results of a study as an aligned table for a terminal. */
#ifndef SPOT_REPORTS_RESULT_TABLE_H
#define SPOT_REPORTS_RESULT_TABLE_H

#include <stdio.h>

#include "base/error.h"
#include "reports/report.h"
#include "reports/terminal.h"

/* One line a point: the swept keys, then each metric that was asked for as mean and half
 * width of its interval, with units in the head; where the study has a baseline, the
 * differences to it; where it looks for an optimum, the
 * answer before all and only the points that may be the best; below, the nulls and
 * warnings, counted, the latter also by the value that is compared with a baseline. A
 * letter marks the points that met a warning; labels of values that lack options are
 * explained below. */
SPOT_MUST_CHECK int spot_result_table_write(const spot_store_t *store, FILE *out);

/* The same for a terminal; NULL: a file. */
SPOT_MUST_CHECK int spot_result_table_write_on(
    const spot_store_t *store, const spot_terminal_t *terminal, FILE *out);

/* The same of what was read already, without name and question. */
SPOT_MUST_CHECK int spot_result_tables_write(
    const spot_report_t *report, const spot_terminal_t *terminal, FILE *out);

#endif
