/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job log holds, for people and for programs. */
#pragma once

#include <stdio.h>

#include "reports/table/terminal.h"
#include "traces/jobs/job_log.h"

/* rows: [num_vcs + 1] of spot_job_coverage(), of which the last is of all. */
typedef struct {
    const spot_job_counts_t *counts;
    const spot_job_coverage_t *rows;
    size_t num_rows;
} spot_coverage_t;

/* A sentence on the rows that were read, and a line for each VC. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_coverage_write_text(
    const spot_coverage_t *self, const spot_terminal_t *terminal, FILE *out);

/* A line for each VC; counts of rows are in the line of all. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_coverage_write_csv(const spot_coverage_t *self, FILE *out);

/* An object with the counts of rows and the VCs. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_coverage_write_json(const spot_coverage_t *self, FILE *out);
