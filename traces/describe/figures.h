/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures by name: JSON, CSV and the manual are made from one table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/json.h"
#include "traces/describe/describe.h"

typedef struct {
    const char *name; /* column of the CSV, key of the JSON */
    const char *unit; /* "" for plain numbers */
    const char *help;
    bool is_integer;
    size_t offset; /* in spot_describe_t */
} spot_describe_figure_t;

/* All columns of the CSV but the first two, "trace" and "kind". */
#define SPOT_NUM_DESCRIBE_FIGURES 76
extern const spot_describe_figure_t spot_describe_figures[SPOT_NUM_DESCRIBE_FIGURES];

/* Address and value of a figure in describe. */
double *spot_describe_figure_place(
    spot_describe_t *describe, const spot_describe_figure_t *figure);
double spot_describe_figure_value(
    const spot_describe_t *describe, const spot_describe_figure_t *figure);

/* "named", "counts", "availability" or "lifetimes". */
const char *spot_describe_kind(const spot_describe_t *self);

/* Writes one object: trace, kind, n_is (what the population counts), then the figures.
 * An undefined figure is null, an infinite one the text "inf". key as of
 * spot_json_open(). */
void spot_describe_write_json(
    const spot_describe_t *self, spot_json_t *json, const char *key);

/* Write the row of column names, and a row of figures: 8 significant digits, integers
 * exact, undefined ones empty, infinite ones "inf". */
void spot_describe_write_csv_head(FILE *out);
void spot_describe_write_csv(const spot_describe_t *self, FILE *out);
