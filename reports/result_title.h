/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands above a table of results: the study, how many replications its figures
 * rest on, and what is missing. */
#ifndef SPOT_REPORTS_RESULT_TITLE_H
#define SPOT_REPORTS_RESULT_TITLE_H

#include <stdio.h>

#include "sim/analysis/summary.h"

/* summaries: [num_points][num_metrics] of the store. */
void spot_result_title_write(
    const spot_store_t *store, const spot_summary_t *summaries, FILE *out);

/* The same without the name and the question. */
void spot_result_basis_write(
    const spot_store_t *store, const spot_summary_t *summaries, FILE *out);

#endif
