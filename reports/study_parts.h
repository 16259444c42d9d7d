/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study's results say, for a terminal and for papers; its parts, each for
 * terminal and page, which keep their errors in the document; and what programs read of
 * them. */
#pragma once

#include "base/json.h"
#include "reports/report.h"
#include "reports/table/document.h"
#include "reports/table/table_paper.h"

/* ---- All of it on a terminal: report_text.c ---- */

/* Question and answer, the tables below, a sparkline for each curve of the main metric,
 * and where the time of each point goes, where the study has it. Errors of reading the
 * store, NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_report_text_write(
    const spot_report_t *report, const spot_terminal_t *terminal, FILE *out);

/* The study, what its figures rest on and what makes them doubtful, then one line a
 * point: see reports/point_table.h; where it has a baseline, the differences to it and
 * what pairing is worth; where it looks for an optimum, the answer first and only the
 * points that may be the best; what wins where, and Sobol indices, where it asks. elsewhere:
 * a file with all points, in place of a table of more than 10,000 and nothing else, which
 * is then not made; or NULL. The same errors. */
SPOT_MUST_CHECK int spot_result_table_write(
    const spot_store_t *store, const char *elsewhere, const spot_terminal_t *terminal, FILE *out);

/* Parts of it; nothing where there is nothing to show. */
void spot_sparklines_write(const spot_report_t *report, spot_document_t *document);
void spot_ledger_bars_write(const spot_report_t *report, spot_document_t *document);

/* values[num_values] between low and high as one line of text, a character a value, its
 * height one of eight: at most max_chars of them, each then the mean of some values side
 * by side. Values are as far apart as characters are, also where the numbers they belong
 * to are not: a line says how a curve goes, a picture how steep it is. NAN is a blank;
 * where all is the same, it is in the middle. */
const char *spot_sparkline(spot_texts_t *texts, const double *values, size_t num_values, double low,
    double high, size_t max_chars, bool is_utf8);

/* ---- For papers: paper_table.c ---- */

/* The tables of reports/point_table.h in words of people: one row a point, each metric
 * as mean and half width of its interval, and the differences to the baseline where
 * there is one. The pairs of the report must have been read. IO, NO_MEMORY, errors of
 * reading the store. */
SPOT_MUST_CHECK int spot_paper_table_write(
    const spot_report_t *report, const spot_table_dialect_t *dialect, FILE *out);

/* In place of them where there are no replications yet: the question of the study, what
 * is missing and how to get it, as write_text writes text from outside in the language
 * of the document. IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_paper_nothing_write(
    const spot_report_t *report, void (*write_text)(FILE *out, const char *text), FILE *out);

/* ---- The best point of a study that looks for it: race_report.c ---- */

/* The answer, and the points that may be the best. */
void spot_race_write(const spot_report_t *report, spot_document_t *document);

/* The answer alone: the best point, what else may be the best, how sure that is and what
 * it took; or why there is none. */
void spot_race_text_write(const spot_race_answer_t *answer, spot_document_t *document);

/* How the search for the best point ended or that it did not, whatever the verdict on the
 * limits: "decided", "open" (the maximum of replications is reached with several points
 * that matter), "infeasible" (no point keeps
 * the constraints), "unknown" (none is known to), "undefined" (the metric is null too
 * often at all points that keep the constraints), "unfinished". */
const char *spot_race_outcome(const spot_race_answer_t *answer);

/* "optimise": what was asked for, the outcome, the best point, and for each swept key
 * the values that may be the best. What is not there is null. */
void spot_race_json_write(const spot_race_answer_t *answer, spot_json_t *json);

/* "the best point rests on step times that were not measured: ...; no point without
 * them keeps the limits", the first thing to know of it; "" if it does not. The race has
 * a best point. */
const char *spot_race_beyond_text(const spot_race_t *race, spot_texts_t *texts);

/* "the lowest estimate", or "the lowest estimate of those shown to keep the limits" where
 * others that are left have better ones: what the race's best point has. */
const char *spot_race_leader(const spot_race_t *race, const char *which, spot_texts_t *texts);

/* ---- Which value of a key wins where: winner_report.c ---- */

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

/* ---- Differences to the baseline: difference_table.c ---- */

/* A row a point: each metric that was asked for as mean and half width of the interval
 * of its paired differences, marked where 0 is outside; then how much narrower these
 * intervals are than unpaired ones. The study has a baseline; pairs were read. */
void spot_differences_write(const spot_report_t *report, spot_document_t *document);

/* ---- Sobol indices of a sensitivity design: sensitivity_report.c ---- */

/* A table for each metric, keys with the largest total first. */
void spot_sensitivity_write(const spot_report_t *report, spot_document_t *document);

/* One row a metric and key: metric,key,first_order,first_order_ci95_low,
 * first_order_ci95_high,total,total_ci95_low,total_ci95_high,noise_share,base_samples,
 * left_out. Empty where undefined. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_sensitivity_csv_write(const spot_store_t *store, FILE *out);

/* "sensitivity": by metric and key. NO_MEMORY. */
SPOT_MUST_CHECK int spot_sensitivity_json(spot_json_t *json, const spot_store_t *store);
