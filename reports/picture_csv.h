/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a picture of a study shows, as CSV: one row a point. */
#pragma once

#include <stdio.h>

#include "reports/report.h"

/* Columns: point, the swept keys (named by their path, with the unit where they have
 * one: job.reload_s), and of each of the metrics, whose names say their units, _mean,
 * _ci95_low and _ci95_high; undefined is empty. IO. */
SPOT_MUST_CHECK int spot_picture_csv_write(const spot_report_t *report,
    size_t num_metrics, const size_t *metric_ids, FILE *out);

/* The columns that tell the points, in the head and in the row of one of them; the end
 * of the line is the caller's. */
void spot_picture_csv_point_names(const spot_study_head_t *head, FILE *out);
void spot_picture_csv_point(const spot_study_head_t *head, size_t point_id, FILE *out);

/* The names of the columns of an estimate: NAME, what, and _mean, _ci95_low or
 * _ci95_high. */
void spot_picture_csv_estimate_names(
    const spot_study_head_t *head, size_t metric_id, const char *what, FILE *out);
