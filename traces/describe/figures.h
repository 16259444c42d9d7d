/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures by name: one table from which JSON, CSV and the manual are made. */
#ifndef SPOT_DESCRIBE_FIGURES_H
#define SPOT_DESCRIBE_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/json.h"
#include "traces/describe/describe.h"

typedef struct {
    const char *name; /* column of the CSV, key of the JSON */
    const char *unit; /* "" for numbers */
    const char *help;
    bool is_integer;
    size_t offset; /* in spot_describe_t */
} spot_figure_t;

/* All but the first two columns, "trace" and "kind". */
#define SPOT_NUM_FIGURES 76
extern const spot_figure_t spot_figures[SPOT_NUM_FIGURES];

/* Where a figure is, and its value. */
double *spot_figure_place(spot_describe_t *describe, const spot_figure_t *figure);
double spot_figure_value(const spot_describe_t *describe, const spot_figure_t *figure);

/* "named", "counts", "availability" or "lifetimes". */
const char *spot_describe_kind(const spot_describe_t *self);

/* One object: trace, kind, n_is (what the population counts), then the figures;
 * undefined is null, infinite the text "inf". key as of spot_json_open(). */
void spot_describe_write_json(
    const spot_describe_t *self, spot_json_t *json, const char *key);

/* The row of columns, and a row of them with 8 significant digits, integers exact;
 * undefined is empty, infinite "inf". */
void spot_describe_write_csv_head(FILE *out);
void spot_describe_write_csv(const spot_describe_t *self, FILE *out);

#endif
