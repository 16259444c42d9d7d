/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of what a study says, each for terminal and page, and as programs read it: which value of
 * a key wins where, differences to the baseline, Sobol indices; and the curves of metrics along a
 * key, which pictures draw.
 *
 * A part is written into a document, which keeps its errors; nothing is written where the study
 * does not ask for it. */
#pragma once

#include <stdbool.h>

#include "base/json.h"
#include "reports/report.h"
#include "reports/table/document.h"

/* Points in lines along an axis, those with the same values of all other axes, each by
 * number, then by place. is_one: all of them in one line. */
typedef struct {
    size_t num_lines;
    size_t *starts;    /* [num_lines + 1] into point_ids */
    size_t *point_ids; /* [num_points] */
} spot_point_lines_t;

/* NO_MEMORY; free self even then. O(n log n). */
SPOT_MUST_CHECK int spot_point_lines_init(
    spot_point_lines_t *self, const spot_study_head_t *head, size_t axis_id, bool is_one);
void spot_point_lines_free(spot_point_lines_t *self);

typedef struct {
    const spot_study_head_t *head;
    const spot_report_t *report;
    size_t axis_id;       /* to draw along */
    double x_low, x_high; /* of all points */
    size_t num_panels;    /* as lines */
    spot_point_lines_t lines;
    bool has_all_in_one; /* panel: the other axes are not constant there */
    bool is_scattered;
    bool has_curve_axis; /* then each of the panels is a curve of its own, and those that
                            differ in that axis only are drawn in one */
    size_t curve_axis_id;
    int32_t y_id;        /* a metric, as those below */
    int32_t second_x_id; /* -1: none */
    size_t num_parts;    /* of the stack */
    size_t *metric_ids;  /* [1 + num_parts] y and the stack from below, then room for one
                            more */
} spot_curves_t;

/* The report must outlive self. BAD_PARAM where nothing can be drawn: *problem says why.
 * Free self even then. */
SPOT_MUST_CHECK int spot_curves_init(
    spot_curves_t *self, const spot_report_t *report, const char **problem);
void spot_curves_free(spot_curves_t *self);

/* Why nothing can be drawn or no curve would be seen, as all points are undefined; NULL:
 * there is a picture. Builds no curves. */
const char *spot_curves_problem(const spot_report_t *report);

/* Points of a panel, and the x_id-th of them. */
size_t spot_curves_num_x(const spot_curves_t *self, size_t panel_id);
size_t spot_curves_point(const spot_curves_t *self, size_t panel_id, size_t x_id);

/* The value of another axis in a panel, where it is constant there. */
size_t spot_curves_value_id(const spot_curves_t *self, size_t panel_id, size_t axis_id);

/* The number along x of the x_id-th point of a panel, ascending. */
double spot_curves_x(const spot_curves_t *self, size_t panel_id, size_t x_id);

/* ---- Which value of a key wins where ---- */

/* A row for each combination of the other keys with the best value, the next one and by
 * how much it is ahead; then between which values the winner changes. */
void spot_winners_write(const spot_report_t *report, spot_document_t *document);

/* "not measured, so without bamboo (steps follow from step_factor)"; "" where all was
 * measured. */
const char *spot_winners_unmeasured(const spot_winners_t *winners, spot_texts_t *texts);

/* "the winner at 1 of 3 points rests on step times that were not measured: ...", of the
 * first such winner; "" if there is none. */
const char *spot_winners_beyond(const spot_winners_t *winners, spot_texts_t *texts);

/* "best": the same. Errors of spot_winners_init(). */
SPOT_MUST_CHECK int spot_winner_json(spot_json_t *json, const spot_store_t *store);

/* "trace.frequency = 8: oobleck stays ahead of varuna while recovery.regroup is below 77
 * s (75.7 to 78.9); it is 2 s", without an end of line. */
const char *spot_words_break_even(
    spot_texts_t *texts, const spot_winners_t *winners, const spot_break_even_t *item);

/* ---- Differences to the baseline ---- */

/* A row a point: each metric that was asked for as mean and half width of the interval
 * of its paired differences, marked where 0 is outside; then how much narrower these
 * intervals are than unpaired ones. The study has a baseline; pairs were read. */
void spot_differences_write(const spot_report_t *report, spot_document_t *document);

/* ---- Sobol indices of a sensitivity design ---- */

/* A table for each metric, keys with the largest total first. */
void spot_sensitivity_write(const spot_report_t *report, spot_document_t *document);

/* One row a metric and key: metric,key,first_order,first_order_ci95_low,
 * first_order_ci95_high,total,total_ci95_low,total_ci95_high,noise_share,base_samples,
 * left_out. Empty where undefined. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_sensitivity_csv_write(const spot_store_t *store, FILE *out);
