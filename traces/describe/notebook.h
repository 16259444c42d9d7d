/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The statistics of the seed study's notebook under their own names, exact to the last
 * bit: integer sums, then one division. The figures of describe.h are better: mttp_s is
 * the mean gap between any two changes of the count, not a time to preemption. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/json.h"
#include "traces/trace.h"

/* ---- The two files that a cluster of the seed study logged ----
 * timestamp,count of running nodes and timestamp,number of terminated ones. */

typedef struct {
    int64_t time_s; /* since 1970-01-01T00:00:00Z, never decreasing */
    int32_t count;  /* >= 0 */
} spot_stamped_count_t;

typedef struct {
    size_t num_rows;
    size_t max_rows;
    spot_stamped_count_t *rows; /* [num_rows] in file order */
} spot_stamped_counts_t;

/* Whether the first line of a file ends in the columns timestamp,column. False if the
 * file cannot be read. */
bool spot_stamped_counts_is_file(const char *path, const char *column);

/* Reads the columns timestamp,column and skips index columns before them. Reports every
 * error, also fewer than min_rows rows, as file:line:column. BAD_INPUT, IO, NO_MEMORY;
 * free self even then. */
SPOT_MUST_CHECK int spot_stamped_counts_read(spot_stamped_counts_t *self, const char *path,
    const char *column, size_t min_rows, spot_diag_t *diag);
void spot_stamped_counts_free(spot_stamped_counts_t *self);

/* ---- The figures ---- */

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
