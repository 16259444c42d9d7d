/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study found, for papers. */
#pragma once

#include <stdio.h>

#include "reports/report.h"
#include "reports/table/table_paper.h"

/* The tables of reports/point_table.h in words of people: one row a point, each metric
 * as mean and half width of its interval, and the differences to the baseline where
 * there is one. The pairs of the report must have been read. IO, NO_MEMORY, errors of
 * reading the store. */
SPOT_MUST_CHECK int spot_paper_table_write(
    const spot_report_t *report, const spot_table_dialect_t *dialect, FILE *out);

/* In place of them where there are no replications yet: the question of the study, what
 * is missing and how to get it, as write_text writes text from outside in the language
 * of the document. IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_paper_nothing_write(const spot_report_t *report,
    void (*write_text)(FILE *out, const char *text), FILE *out);
