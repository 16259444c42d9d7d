/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far several runs have come over time: one curve a run, named at its end. */
#pragma once

#include "reports/draw.h"
#include "reports/run_series.h"

/* More could not be told apart. */
#define SPOT_MAX_PROGRESS_LINES 16

typedef struct {
    const char *title;
    const char *note;              /* what was run */
    size_t num_lines;              /* 1 ... SPOT_MAX_PROGRESS_LINES */
    const char *const *names;      /* [num_lines] */
    const spot_run_series_t *runs; /* [num_lines] of which the curve is drawn */
} spot_progress_lines_t;

/* context is a spot_progress_lines_t. BAD_PARAM where all runs are empty. */
SPOT_MUST_CHECK int spot_progress_declare(spot_chart_t *chart, const void *context);
