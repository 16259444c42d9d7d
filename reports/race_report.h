/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best point of a study that looks for it: the answer in words, as a table and as JSON. The
 * race itself is run by sim/bench/analysis/race.h. */
#pragma once

#include "base/json.h"
#include "reports/report.h"
#include "reports/table/document.h"

/* The answer, and the points that may be the best. */
void spot_race_write(const spot_report_t *report, spot_document_t *document);

/* The answer alone: the best point, what else may be the best, how sure that is and what
 * it took; or why there is none. */
void spot_race_text_write(const spot_race_answer_t *answer, spot_document_t *document);

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
