/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures of a study: what a page shows and what goes to files for papers. One file
 * and one const table each. */
#pragma once

#include "base/verb/table.h"
#include "reports/draw.h"
#include "reports/report.h"

typedef struct {
    const char *name;  /* of files and places: "curves" */
    const char *title; /* of a link to it: "Main curves"; its own says what it shows */
    /* Why it cannot be drawn of this report, or NULL. */
    const char *(*problem)(const spot_report_t *report);
    spot_declare_t declare; /* the context is a report without such a problem */
    /* What it shows, with units in the names of columns; the table keeps errors of its
     * own. NO_MEMORY, errors of reading the store. */
    int (*fill)(const spot_report_t *report, spot_table_t *table);
} spot_study_picture_t;

/* The CSV beside it; undefined is empty. Errors of fill, NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_study_picture_write_csv(
    const spot_study_picture_t *self, const spot_report_t *report, FILE *out);

/* A metric along a swept key with its interval, over the stack of the metrics it is made
 * of; one panel for each combination of the other keys, or with plot.curves one with a
 * curve for each value of that key, and a strip that tells the best of them. */
extern const spot_study_picture_t spot_picture_curves;
/* What each point is made of, as bars: the parts of the overview, or of plot.stack where
 * the store has no overview, with plot.second_x beside them. */
extern const spot_study_picture_t spot_picture_ledger;
/* What more throughput costs: a dot a point and the Pareto front, or a front for each
 * trace where that is swept. */
extern const spot_study_picture_t spot_picture_pareto;
/* Paired differences to the baseline in the metric that the study draws. */
extern const spot_study_picture_t spot_picture_differences;
/* Which key matters for the main metric: how far the means with its values are apart,
 * and its share of the variance between points. */
extern const spot_study_picture_t spot_picture_sensitivity;

/* All of them in order, up to NULL. */
extern const spot_study_picture_t *const spot_study_pictures[];

/* Whether the curves can be drawn at all; the report may still be empty. BAD_PARAM with
 * the reason in diag. */
SPOT_MUST_CHECK int spot_picture_curves_check(
    const spot_report_t *report, const char *path, spot_diag_t *diag);

/* Draws them to a file, an SVG: as spot_draw_file(), and BAD_PARAM with the reason in
 * diag where there is nothing to draw. */
SPOT_MUST_CHECK int spot_picture_curves_draw(
    const spot_report_t *report, const char *path, spot_diag_t *diag);
