/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verbs `tasks` and `tasks fit`: what logs of task graphs say, as tables, CSV files, a page and
 * a Chrome trace. Others can draw the pictures of logs that were read and analysed (traces/tasks/).
 */
#pragma once

#include "traces/tasks/task_compare.h"

/* ---- Pictures ---- */

/* One or two logs as pictures: what every worker did when, how many tasks ran, where the time of
 * every worker went. Two logs have one scale of time, each from its own t0.
 *
 * A self-contained page, or, with is_trace, a Chrome trace with hosts as processes and
 * workers as threads. Of more than 20,000 bars a page shows how busy workers were. path:
 * of messages. BAD_PARAM with the reason in diag: a page of nothing; NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_task_runs_draw(size_t num_runs, const spot_task_run_t *runs, bool is_trace,
    const char *path, FILE *out, spot_diag_t *diag);
