/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study found, as tables for papers: one row a point, each metric as mean and
 * half width of its interval, and the differences to the baseline where there is one. */
#pragma once

#include <stdio.h>

#include "reports/report.h"
#include "reports/table/table_paper.h"

/* The tables of reports/point_table.h in words of people. The pairs of the report must
 * have been read. IO, NO_MEMORY, errors of reading the store. */
SPOT_MUST_CHECK int spot_paper_table_write(
    const spot_report_t *report, const spot_table_dialect_t *dialect, FILE *out);
