/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The statistics of the seed study's notebook under their own names, to the last bit:
 * whole numbers as long as possible, then one division. Other figures are better: its
 * mttp_s is the mean gap between any two changes of the count, not a time to preemption.
 */
#ifndef SPOT_DESCRIBE_NOTEBOOK_H
#define SPOT_DESCRIBE_NOTEBOOK_H

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

/* From a trace: its rows are time 0 and every time at which the number changes.
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_notebook_init(spot_notebook_t *self, const spot_trace_t *trace);

/* From the two logs, the node rows as they are. */
void spot_notebook_init_logs(spot_notebook_t *self, const spot_stamped_counts_t *nodes,
    const spot_stamped_counts_t *terminations);

/* Lines "key value" with the shortest numbers that read back, undefined ones "-". */
void spot_notebook_print(const spot_notebook_t *self, FILE *out);

/* One object: trace, then the figures. key as of spot_json_open(). */
void spot_notebook_write_json(
    const spot_notebook_t *self, const char *name, spot_json_t *json, const char *key);

#endif
