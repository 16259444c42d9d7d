/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads conditions: from the text of a scalar, through tokens, to operations in postfix
 * order. The language is described in base/condition.h, which has all that comes after.
 * An expression that is not one is reported at the place of its first wrong token, with
 * what was expected there. */
#pragma once

#include "base/condition.h"

#define SPOT_CONDITION_MAX_BYTES 4096 /* of an expression */

/* The estimates of a metric: mean(M), probability(C) and p95(M). */
typedef enum {
    SPOT_ESTIMATE_NONE,
    SPOT_ESTIMATE_MEAN,
    SPOT_ESTIMATE_PROBABILITY,
    SPOT_ESTIMATE_QUANTILE
} spot_estimate_kind_t;

/* The estimate that the word before a parenthesis names. *percent is set for a quantile
 * only, to any number. */
spot_estimate_kind_t spot_condition_estimate(const char *word, size_t num_bytes, double *percent);

/* Reads the expression of a scalar. key (copied) names it in messages, e.g. "where".
 * BAD_INPUT with the reason in diag, NO_MEMORY; free self even then. The reason has its
 * place in the file; where the YAML folds or escapes the text, it has the place of the
 * scalar and the number of the character. O(bytes + names^2). */
SPOT_MUST_CHECK int spot_condition_parse(
    spot_condition_t *self, const spot_node_t *node, const char *key, spot_diag_t *diag);
