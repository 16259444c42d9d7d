/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of what a study says, each for terminal and page, and as programs read it: which value of
 * a key wins where, differences to the baseline, Sobol indices.
 *
 * A part is written into a document, which keeps its errors; nothing is written where the study
 * does not ask for it. */
#pragma once

#include "base/json.h"
#include "reports/report.h"
#include "reports/table/document.h"

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

/* The one that is nearest to the value that its winner has, as a ratio; NULL: none was
 * found. O(winners * keys * break-evens). */
const spot_break_even_t *spot_break_even_nearest(const spot_winners_t *winners);

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

/* "sensitivity": by metric and key. NO_MEMORY. */
SPOT_MUST_CHECK int spot_sensitivity_json(spot_json_t *json, const spot_store_t *store);
