/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of a study: a metric along a swept key with its confidence band, over the
 * stack of the metrics it is made of; one panel for each value of the other keys, or
 * with plot.curves one with a curve for each value of that key. */
#ifndef SPOT_REPORTS_STUDY_PLOT_H
#define SPOT_REPORTS_STUDY_PLOT_H

#include "base/diag.h"
#include "base/error.h"
#include "reports/report.h"

/* Draws to svg_path with gnuplot. Where the study does not say what to draw, the first
 * axis with numbers and the first metric are taken. CHILD with the reason in diag where
 * gnuplot is missing or fails; BAD_PARAM with the reason where the study has no axis to
 * draw along, or nothing of what it draws has a value. */
SPOT_MUST_CHECK int spot_study_plot(
    const spot_report_t *report, const char *svg_path, spot_diag_t *diag);

/* Whether the study can be drawn at all; the report may still be empty. BAD_PARAM with
 * the reason in diag. */
SPOT_MUST_CHECK int spot_study_plot_check(
    const spot_report_t *report, const char *svg_path, spot_diag_t *diag);

/* The gnuplot script with its data, as it would be run; for tests and for papers. */
SPOT_MUST_CHECK int spot_study_plot_script(
    const spot_report_t *report, const char *svg_path, FILE *out);

/* What it shows, as spot_picture_csv_write() has it. BAD_PARAM as above. */
SPOT_MUST_CHECK int spot_study_csv_write(const spot_report_t *report, FILE *out);

#endif
