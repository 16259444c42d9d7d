/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study found, as tables for papers: one row a point, each metric as mean and
 * half width of its interval, and the differences to the baseline where there is one. */
#ifndef SPOT_REPORTS_PAPER_TABLE_H
#define SPOT_REPORTS_PAPER_TABLE_H

#include <stdio.h>

#include "reports/report.h"

/* How a kind of document writes a table. */
typedef struct spot_paper_dialect spot_paper_dialect_t;

/* For pdflatex with the package booktabs, and longtable for tables longer than a page;
 * wide tables go on below themselves. */
extern const spot_paper_dialect_t spot_paper_latex;

/* Of GitHub and pandoc. */
extern const spot_paper_dialect_t spot_paper_markdown;

/* Numbers have two digits of their half width; fractions are in percent, differences of
 * fractions in percentage points. Letters mark points that met a warning, and means
 * that are of fewer replications as some gave none. The pairs of the report must have
 * been read. IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_paper_table_write(
    const spot_report_t *report, const spot_paper_dialect_t *dialect, FILE *out);

#endif
