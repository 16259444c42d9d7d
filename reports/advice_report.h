/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of `spotsim advise`, as text and as JSON. */
#pragma once

#include "reports/table/document.h"
#include "sim/bench/analysis/advice_result.h"

/* The answer in a paragraph, what nearly wins, what would change it, and what it rests
 * on; for a terminal or a page. */
void spot_advice_document(const spot_advice_result_t *self, spot_document_t *document);

/* One object with all figures. */
void spot_advice_json(const spot_advice_result_t *self, FILE *out);
