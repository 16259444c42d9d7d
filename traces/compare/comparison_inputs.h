/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a comparison, and the comparison that is made of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "traces/compare/comparison.h"
#include "traces/compare/reference.h"
#include "traces/compare/trace_model.h"
#include "traces/trace.h"

typedef struct {
    size_t num_paths;
    const char *const *paths;   /* [num_paths] the last one is held against the others */
    bool is_halves;             /* one trace alone */
    const char *reference_path; /* NULL: none */
    int64_t num_replications;   /* of each model */
    int64_t seed;
} spot_comparison_request_t;

typedef struct {
    spot_trace_t trace; /* that the others are held against */
    bool has_other;     /* a trace is compared, not models */
    spot_trace_t other;
    size_t num_models;
    spot_trace_model_file_t *models; /* [num_models] */
    spot_reference_t reference;
} spot_comparison_inputs_t;

/* Reads on after an error. BAD_INPUT, IO, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_comparison_inputs_read(spot_comparison_inputs_t *self,
    const spot_comparison_request_t *request, spot_diag_t *diag);
void spot_comparison_inputs_free(spot_comparison_inputs_t *self);

/* Makes the comparison. A generated trace has the name of its model or source: one of
 * the same name is called as its file, like models. Warns of a seed model where gaps
 * vary more than its own can. NO_MEMORY, INTERRUPTED, OVERDRAW; free self even then. */
SPOT_MUST_CHECK int spot_comparison_run(spot_comparison_t *self,
    const spot_comparison_request_t *request, const spot_comparison_inputs_t *inputs,
    const spot_watch_t *watch, spot_diag_t *diag);

/* A metric that must not exceed a value. */
typedef struct {
    int metric_id;
    double value;
} spot_comparison_limit_t;

/* The first column that limits are for: the halves are judged only where nothing else
 * is. */
size_t spot_comparison_first_judged(const spot_comparison_t *self);

/* Undefined is not within a limit. */
bool spot_comparison_is_within(
    const spot_comparison_column_t *column, const spot_comparison_limit_t *limit);
