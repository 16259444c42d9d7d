/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What logs of task graphs say, as tables of a document and as CSV files. */
#pragma once

#include "reports/table/document.h"
#include "traces/tasks/task_compare.h"
#include "traces/tasks/task_markers.h"

/* A section for each part of one log; the document keeps errors. */
void spot_task_run_text(const spot_task_run_t *run, spot_document_t *to);
void spot_task_markers_text(const spot_task_markers_t *markers, spot_document_t *to);

/* A column for each log. */
void spot_task_summary_text(
    size_t num_runs, const spot_task_run_t *runs, spot_document_t *to);

/* first: the log of the ids. */
void spot_task_comparison_text(const spot_task_comparison_t *comparison,
    const spot_task_log_t *first, spot_document_t *to);

/* Writes tasks.csv, transmits.csv, workers.csv and concurrency.csv, or compare.csv alone
 * where comparison, of which run is the first one, is not NULL. Makes the folder if only
 * the last part of its path is missing. Times are in ns, what is missing is empty, rows
 * are in order of id, worker, attempt. A file appears whole or not at all. IO with the
 * reason in diag, NO_MEMORY. */
SPOT_MUST_CHECK int spot_task_csv(const spot_task_run_t *run,
    const spot_task_comparison_t *comparison, const char *folder, spot_diag_t *diag);
