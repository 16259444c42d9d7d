/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two runs of the same tasks: how much longer each took, and how much of that is
 * contention: a task of class c progresses at rate 1 / (1 + beta_c (k - 1)) while k
 * tasks run in its scope. */
#pragma once

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
