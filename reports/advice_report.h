/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of `spotsim advise`, as text and as JSON. */
#pragma once

#include "base/assumed.h"
#include "reports/table/document.h"
#include "sim/bench/analysis/advice_result.h"

/* The answer for a terminal or a page: the verdict, what is in doubt, cost and time, the
 * others, and what would change it. is_whole: with all that was looked at; else about a
 * dozen lines. */
void spot_advice_document(
    const spot_advice_result_t *self, bool is_whole, spot_document_t *document);

/* One object with all figures. assumed: of the study that was run. */
void spot_advice_json(const spot_advice_result_t *self, const spot_assumed_t *assumed, FILE *out);
