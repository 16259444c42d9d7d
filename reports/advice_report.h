/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of `spotsim advise`, as text and as JSON, and the picture of what it searched. */
#pragma once

#include "base/assumed.h"
#include "reports/draw.h"
#include "reports/table/document.h"
#include "sim/bench/analysis/advice_result.h"

/* The answer for a terminal or a page: what is assumed, the verdict, what is in doubt, cost and
 * time, the others, and what would change it. assumed: of the study that was run; NULL: it stands
 * elsewhere. is_whole: with all that was looked at; else at most 14 lines on a terminal of 80
 * columns, whatever was asked: what does not fit is cut or left out. Doubts that touch the verdict
 * stand in the first three lines of the answer. */
void spot_advice_document(const spot_advice_result_t *self, const spot_assumed_t *assumed,
    bool is_whole, spot_document_t *document);

/* One object with all figures. assumed: of the study that was run. */
void spot_advice_json(const spot_advice_result_t *self, const spot_assumed_t *assumed, FILE *out);

/* ---- The picture: mean cost by the size of the fleet ---- */

/* A marker for each alternative, filled if it keeps the goal and the budget, by market;
 * the answer has its name. context is a spot_advice_result_t. */
SPOT_MUST_CHECK int spot_advice_declare(spot_chart_t *chart, const void *context);
