/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a store found, for a terminal. */
#pragma once

#include "reports/report.h"
#include "reports/table/document.h"

/* Question and answer, the tables below, a sparkline for each curve of the main metric,
 * and where the time of each point goes, where the study has it. Errors of reading the
 * store, NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_report_text_write(
    const spot_report_t *report, const spot_terminal_t *terminal, FILE *out);

/* The study, what its figures rest on and what makes them doubtful, then one line a
 * point: see reports/point_table.h; where it has a baseline, the differences to it and
 * what pairing is worth; where it looks for an optimum, the answer first and only the
 * points that may be the best; what wins where, and Sobol indices, where it asks. The
 * same errors. */
SPOT_MUST_CHECK int spot_result_table_write(
    const spot_store_t *store, const spot_terminal_t *terminal, FILE *out);

/* Parts of it; nothing where there is nothing to show. */
void spot_sparklines_write(const spot_report_t *report, spot_document_t *document);
void spot_ledger_bars_write(const spot_report_t *report, spot_document_t *document);

/* values[num_values] between low and high as one line of text, a character a value, its
 * height one of eight: at most max_chars of them, each then the mean of some values side
 * by side. Values are as far apart as characters are, also where the numbers they belong
 * to are not: a line says how a curve goes, a picture how steep it is. NAN is a blank;
 * where all is the same, it is in the middle. */
const char *spot_sparkline(spot_texts_t *texts, const double *values, size_t num_values,
    double low, double high, size_t max_chars, bool is_utf8);
