/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cell of a table of estimates or of their differences, and what a table says of all
 * of its cells. Internal to reports. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/paired.h"
#include "reports/shown_unit.h"
#include "reports/table/decimals.h"
#include "sim/analysis/summary.h"

/* "mean ±half width", with an asterisk behind it if it is marked, and an exclamation
 * mark if its tail is too heavy for the interval. */
typedef struct {
    double mean;       /* NAN: shown as -; INFINITY: as "> least" */
    double half_width; /* NAN: none; INFINITY: as "?", it has no upper end */
    double least;
    int64_t num_left_out; /* of num_all replications; 0: the estimate is of all */
    int64_t num_cut_off;  /* of these: lower bounds that it takes as they are */
    int64_t num_all;
    bool is_marked;
    bool is_heavy;
    bool is_left_out; /* the point has no line: true in all of its cells, see below */
} spot_mean_cell_t;

/* The cell of a point that is left out. */
#define SPOT_MEAN_CELL_LEFT_OUT                                                         \
    ((spot_mean_cell_t){                                                                \
        .mean = (double) NAN, .half_width = (double) NAN, .is_left_out = true})

spot_mean_cell_t spot_mean_cell_of(const spot_summary_t *summary);

/* Of differences in a metric; marked: 0 is outside of the interval. */
spot_mean_cell_t spot_mean_cell_of_pair(
    const spot_metric_t *metric, const spot_paired_t *pair);

/* "(563 of 1000)" or "(437 of 1000 cut off)", or "". Returns text. */
const char *spot_mean_cell_count(
    const spot_mean_cell_t *self, char text[SPOT_DECIMAL_TEXT_BYTES]);

/* The unit for a metric of the head; cells: [num_points][num_listed]. */
spot_shown_unit_t spot_mean_cells_unit(
    const spot_study_head_t *head, const spot_mean_cell_t *cells, size_t metric_id);

/* Marks that need an explanation below the table. */
typedef struct {
    bool has_star, has_heavy, has_open;
} spot_mean_marks_t;

spot_mean_marks_t spot_mean_cells_marks(
    const spot_study_head_t *head, const spot_mean_cell_t *cells);

/* Explanations of "*", "!" and "?". */
#define SPOT_STAR_NOTE                                                                  \
    "0 is outside of the interval; where nothing differs, chance does that in 1 of 20"
#define SPOT_HEAVY_NOTE                                                                 \
    "the largest values decide this estimate, and larger ones may be missing: its "     \
    "interval is too narrow"
#define SPOT_OPEN_NOTE                                                                  \
    "the interval lacks an end: too few replications, or too many are cut off"
