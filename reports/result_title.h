/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands above a table of results: the study, how many replications its figures
 * rest on, and what is missing. */
#pragma once

#include <stdio.h>

#include "sim/analysis/summary.h"

/* The name of the study and its question. */
void spot_result_title_write(const spot_study_head_t *head, FILE *out);

/* What the figures rest on. summaries: [num_points][num_metrics] of the store. */
void spot_result_basis_write(
    const spot_store_t *store, const spot_summary_t *summaries, FILE *out);
