/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of the durations of a run, as a scenario of the engine tasks. */
#pragma once

#include <stdio.h>

#include "traces/tasks/task_compare.h"

/* Writes the scenario, with comments on what it rests on, for a file at model_path
 * (NULL: standard output). run is not of markers; edges_path is where its edges were
 * read, or NULL. comparison: of solo, the same tasks on one worker, with run, or NULL:
 * no solo. Attempts without an end and durations below 0 are left out. The caller checks
 * out for errors. BAD_INPUT with the reason in diag: no task ran; NO_MEMORY. O(classes n
 * log n) */
SPOT_MUST_CHECK int spot_task_fit(const spot_task_run_t *run, const char *edges_path,
    const spot_task_run_t *solo, const spot_task_comparison_t *comparison, const char *model_path,
    FILE *out, spot_diag_t *diag);
