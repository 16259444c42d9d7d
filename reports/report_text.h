/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole study as people read it: a text on a terminal, or tables and pictures for a paper.
 *
 * Each call writes one document from a report that was read (reports/report.h), or from a store.
 * The parts of the text are in reports/plan_report.h, race_report.h and study_parts.h. */
#pragma once

#include "reports/draw.h"
#include "reports/report.h"
#include "reports/table/document.h"
#include "reports/table/table_paper.h"

/* ---- On a terminal ---- */

/* Question and answer, the tables below, a sparkline for each curve of the main metric,
 * and where the time of each point goes, where the study has it. Errors of reading the
 * store, NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_report_text_write(
    const spot_report_t *report, const spot_terminal_t *terminal, FILE *out);

/* The study, what its figures rest on and what makes them doubtful, then one line a
 * point: see reports/plan_report.h; where it has a baseline, the differences to it and
 * what pairing is worth; where it looks for an optimum, the answer first and only the
 * points that may be the best; what wins where, and Sobol indices, where it asks. elsewhere:
 * a file with all points, in place of a table of more than 10,000 and nothing else, which
 * is then not made; or NULL. The same errors. */
SPOT_MUST_CHECK int spot_result_table_write(
    const spot_store_t *store, const char *elsewhere, const spot_terminal_t *terminal, FILE *out);

/* values[num_values] between low and high as one line of text, a character a value, its
 * height one of eight: at most max_chars of them, each then the mean of some values side
 * by side. Values are as far apart as characters are, also where the numbers they belong
 * to are not: a line says how a curve goes, a picture how steep it is. NAN is a blank;
 * where all is the same, it is in the middle. */
const char *spot_sparkline(spot_texts_t *texts, const double *values, size_t num_values, double low,
    double high, size_t max_chars, bool is_utf8);

/* ---- Tables for papers ---- */

/* The tables of reports/plan_report.h in words of people: one row a point, each metric
 * as mean and half width of its interval, and the differences to the baseline where
 * there is one. The pairs of the report must have been read. IO, NO_MEMORY, errors of
 * reading the store. */
SPOT_MUST_CHECK int spot_paper_table_write(
    const spot_report_t *report, const spot_table_dialect_t *dialect, FILE *out);

/* ---- Pictures for papers ---- */

/* The pictures of a study as files for papers: FOLDER/NAME-PICTURE.svg (or .png, .pdf),
 * and what it shows beside it as .csv. */

/* Where the pictures of a format go; NULL: nowhere. */
typedef struct {
    const char *folders[SPOT_NUM_FORMATS];
} spot_paper_folders_t;

/* Makes the folders, where only their last part is missing, and writes all pictures of
 * the study that can be drawn, those of the runs whose timelines the store keeps too (as
 * timeline-POINT-REPLICATION); of each other one a warning says why not. NAME is that of
 * the study, made safe. All data first, so that they are there after CHILD:
 * PNG or PDF, and rsvg-convert is missing or fails. IO, NO_MEMORY, errors of reading the
 * store. */
SPOT_MUST_CHECK int spot_paper_pictures_write(
    const spot_report_t *report, const spot_paper_folders_t *folders, spot_diag_t *diag);
