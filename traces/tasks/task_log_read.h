/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the log of a task graph from a file and seals it.
 *
 * The first line says which format it is: JSON lines, trace lines, markers, or a
 * document of another program (Dask, Ray, Chrome traces), which is cut into lines of one
 * event each. docs/tasks.md has the formats. Every error is reported at its line and
 * column.
 *
 * Use: fill a spot_task_reading_t, spot_task_log_read(); free the log with
 * spot_task_log_free(). */
#pragma once

#include <stdbool.h>

#include "base/diag.h"
#include "base/error.h"
#include "traces/tasks/task_log.h"

/* The action of such an event in JSON lines: "taskPlanned". */
const char *spot_task_action_name(bool is_transmit, int stage);

typedef struct {
    const char *controller_path; /* further lines, of the controller; NULL: none */
    const char *edges_path;      /* taskInputs records; NULL: none */
    spot_task_names_t names;
    bool skips_bad; /* lines with errors are counted, and the first three shown */
} spot_task_reading_t;

/* Reads a log, of the format that its first line has, and seals it. BAD_INPUT and IO
 * with the reasons in diag, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_task_log_read(
    spot_task_log_t *self, const char *path, const spot_task_reading_t *reading, spot_diag_t *diag);
