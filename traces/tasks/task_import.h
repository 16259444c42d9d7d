/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Documents of other programs as task logs. Internal to traces/tasks.
 *
 * Chrome traces: a list of events, or an object with the list traceEvents. Every span is
 * a task: ph X, or B and E of one thread. A process is a host, a thread a worker;
 * process_name and thread_name (ph M) name them.
 * Timelines of Ray (ray-project/ray, python/ray/_private/profiling.py) are such lists:
 * spans of cat "task::NAME" are the tasks; "task:execute" begins with the inputs loaded.
 * Task streams of Dask (dask/distributed, diagnostics/task_stream.py, worker.py): lists
 * of records with key, worker, thread, startstops; a thread is a worker.
 *
 * The id of a task is NAME:ID with a task_id or key, else NAME(k), the k-th of its name.
 * In NAME, ( ) : become [ ] . as a class ends there. A process or thread with the name
 * of another has its pid or tid behind. Times are rounded to ns. */
#pragma once

#include "traces/tasks/task_log_internal.h"

typedef struct spot_task_import spot_task_import_t;

/* Begins to read if the first bytes of a file are those of a document, and cuts them;
 * else self stays NULL. NO_MEMORY. */
SPOT_MUST_CHECK int spot_task_import_open(
    spot_task_import_t **self, spot_task_log_t *log, char *bytes, size_t num_bytes);

/* Turns the next bytes into lines, of one event or record each. NO_MEMORY. */
SPOT_MUST_CHECK int spot_task_import_cut(
    spot_task_import_t *self, char *bytes, size_t num_bytes);

/* Sets where in the file the next line that is not empty was. */
void spot_task_import_place(spot_task_import_t *self, spot_task_text_t *line);

/* Takes the values of a line, or says why they are bad. NO_MEMORY. */
SPOT_MUST_CHECK int spot_task_import_take(
    spot_task_import_t *self, spot_task_text_t *line, spot_task_fault_t *fault);

/* Names workers and hosts, reports what is not known, and frees self. ret: how the
 * reading ended. The same, BAD_INPUT, NO_MEMORY. */
int spot_task_import_close(
    spot_task_import_t *self, int ret, const char *file, spot_diag_t *diag);
