/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two runs of the same tasks, and the laws of one.
 *
 * The comparison says how much longer each task took, and how much of that is
 * contention: a task of class c progresses at rate 1 / (1 + beta_c (k - 1)) while k
 * tasks run in its scope. The fit writes the durations of a run, with the contention
 * where a comparison is given, as a scenario of the engine tasks.
 *
 * Use: analyse both logs (task_analysis.h), spot_task_comparison_init(), then
 * spot_task_comparison_json() or spot_task_fit(). */
#pragma once

#include <stdio.h>

#include "traces/tasks/task_analysis.h"

#define SPOT_TASK_TOP 10

/* A task of both runs. */
typedef struct {
    int32_t id;            /* of the first log */
    int32_t rank;          /* of the id, in order of bytes */
    int64_t first, second; /* totals */
    double relative;       /* (second - first) / second; NAN: second is 0 */
} spot_task_pair_t;

typedef struct {
    const char *name; /* of the first analysis */
    int64_t count;    /* pairs with totals */
    spot_wide_t first, second;
    int64_t num_runs; /* pairs with runs */
    spot_wide_t solo, run;
    double mean_concurrency, beta; /* NAN: not identifiable */
} spot_task_class_pair_t;

typedef enum { SPOT_SCOPE_HOST, SPOT_SCOPE_MACHINE } spot_task_scope_t;
extern const char *const spot_task_scope_names[]; /* up to NULL */

typedef struct {
    int64_t rows, without_pair, only_in_second;
    spot_wide_t sum_first, sum_second;
    size_t num_pairs;
    size_t max_pairs;
    spot_task_pair_t *pairs; /* [num_pairs] by relative, ties by id */
    size_t num_top;
    spot_task_pair_t top[SPOT_TASK_TOP]; /* the largest differences */
    size_t num_classes;
    spot_task_class_pair_t *classes; /* [num_classes] in order of bytes */
    spot_task_scope_t scope;
    spot_wide_t lost; /* sum of run - solo */
    spot_arena_t arena;
} spot_task_comparison_t;

/* A run with its log. */
typedef struct {
    const char *file;
    const spot_task_log_t *log;
    const spot_task_analysis_t *analysis;
} spot_task_run_t;

/* BAD_INPUT with the reason in diag: no common task; NO_MEMORY; free self even then.
 * Warns where the first run has more than one worker. O(n log n) */
SPOT_MUST_CHECK int spot_task_comparison_init(spot_task_comparison_t *self,
    const spot_task_run_t *first, const spot_task_run_t *second, spot_task_scope_t scope,
    spot_diag_t *diag);
void spot_task_comparison_free(spot_task_comparison_t *self);

/* One object. log: the first one. */
void spot_task_comparison_json(
    const spot_task_comparison_t *self, const spot_task_log_t *log, spot_json_t *json);

/* ---- Laws of a run ----
 * Laws of the durations of a run, as a scenario of the engine tasks. */

/* Writes the scenario, with comments on what it rests on, for a file at model_path
 * (NULL: standard output). run is not of markers; edges_path is where its edges were
 * read, or NULL. comparison: of solo, the same tasks on one worker, with run, or NULL:
 * no solo. Attempts without an end and durations below 0 are left out. The caller checks
 * out for errors. BAD_INPUT with the reason in diag: no task ran; NO_MEMORY. O(classes n
 * log n) */
SPOT_MUST_CHECK int spot_task_fit(const spot_task_run_t *run, const char *edges_path,
    const spot_task_run_t *solo, const spot_task_comparison_t *comparison, const char *model_path,
    FILE *out, spot_diag_t *diag);
