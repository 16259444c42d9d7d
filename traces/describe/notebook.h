/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The statistics of the seed study's notebook under their own names, exact to the last
 * bit: integer sums, then one division. The figures of describe.h are better: mttp_s is
 * the mean gap between any two changes of the count, not a time to preemption. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/json.h"
#include "traces/describe/stamped_counts.h"
#include "traces/trace.h"

/* Additions above this size are "big". */
#define SPOT_NOTEBOOK_MAX_REGULAR 10

#define SPOT_NOTEBOOK_FIGURES 12

typedef struct {
    double values[SPOT_NOTEBOOK_FIGURES]; /* NAN where undefined */
} spot_notebook_t;

typedef struct {
    const char *name;
    const char *unit;
    const char *help;
} spot_notebook_figure_t;

extern const spot_notebook_figure_t spot_notebook_figures[SPOT_NOTEBOOK_FIGURES];

/* Takes the figures of a trace: the rows are time 0 and every time at which the number
 * changes. NO_MEMORY. */
SPOT_MUST_CHECK int spot_notebook_init(spot_notebook_t *self, const spot_trace_t *trace);

/* Takes the figures of the two logs, with every row of nodes. */
void spot_notebook_init_logs(spot_notebook_t *self, const spot_stamped_counts_t *nodes,
    const spot_stamped_counts_t *terminations);

/* Prints lines "key value": the shortest number that reads back the same, "-" if
 * undefined. */
void spot_notebook_print(const spot_notebook_t *self, FILE *out);

/* Writes one object: trace, then the figures. key as of spot_json_open(). */
void spot_notebook_write_json(
    const spot_notebook_t *self, const char *name, spot_json_t *json, const char *key);
