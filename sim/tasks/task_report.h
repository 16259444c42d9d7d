/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What logs of task graphs say: tables of a document, CSV files, a page with pictures, a Chrome
 * trace. Everything is written from logs that were read and analysed (traces/tasks/). */
#pragma once

#include "base/verb/document.h"
#include "traces/tasks/task_compare.h"

/* Writes what put() writes of context as JSON: maps of maps as tables, ns as seconds.
 * The document keeps errors. */
void spot_task_text(spot_document_t *self, void (*put)(const void *context, spot_json_t *json),
    const void *context);

/* The main figures of logs, a column for each. */
void spot_task_summary(spot_document_t *self, size_t num_runs, const spot_task_run_t *runs);

/* Writes tasks.csv, transmits.csv, workers.csv and concurrency.csv; or compare.csv, if
 * comparison is not NULL, with run as the first one. Makes the folder if only the last
 * part of its path is missing. Times are in ns, what is missing is empty, rows are in
 * order of id, worker, attempt. A file appears whole or not at all. IO with the reason
 * in diag, NO_MEMORY. */
SPOT_MUST_CHECK int spot_task_csv(const spot_task_run_t *run,
    const spot_task_comparison_t *comparison, const char *folder, spot_diag_t *diag);

/* ---- Pictures ---- */

/* One or two logs as pictures: what every worker did when, how many tasks ran, where the time of
 * every worker went. Two logs have one scale of time, each from its own t0.
 *
 * A self-contained page, or, with is_trace, a Chrome trace with hosts as processes and
 * workers as threads. Of more than 20,000 bars a page shows how busy workers were. path:
 * of messages. BAD_PARAM with the reason in diag: a page of nothing; NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_task_runs_draw(size_t num_runs, const spot_task_run_t *runs, bool is_trace,
    const char *path, FILE *out, spot_diag_t *diag);
