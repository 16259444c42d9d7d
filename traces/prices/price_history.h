/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The price of one kind of instance over time, from what clouds write about many. */
#pragma once

#include "base/diag.h"
#include "models/price.h"

/* What tells series of prices apart. A market is "spot", "on demand", "low priority". */
enum { SPOT_PRICE_ZONE, SPOT_PRICE_TYPE, SPOT_PRICE_PRODUCT, SPOT_PRICE_MARKET };
enum { SPOT_PRICE_CURRENCY = SPOT_PRICE_MARKET + 1, SPOT_NUM_PRICE_KEYS };

/* All may be NULL. Times are as spot_instant_parse() reads them. */
typedef struct {
    const char *form;                      /* "aws"; NULL: recognised */
    const char *keys[SPOT_NUM_PRICE_KEYS]; /* of the series; the currency is also that of
                                              records that do not say it */
    const char *start, *end;               /* time 0 (NULL: the first record), and of no record */
} spot_price_request_t;

/* Up to NULL: "aws", "azure", "stamped", "steps". */
extern const char *const spot_price_form_names[];

/* Reads the files of a history in any order, records of JSON or CSV, or one file of
 * steps. *end_ms: until when the price is known. BAD_INPUT with the reason in diag, also
 * where several series fit, which it lists; IO, NO_MEMORY; free the steps even then. */
SPOT_MUST_CHECK int spot_price_history_read(spot_price_steps_t *steps, int64_t *end_ms,
    const spot_price_request_t *request, size_t num_paths, const char *const *paths,
    spot_diag_t *diag);

/* `price convert`, `price describe`, up to NULL. */
extern const struct spot_verb *const spot_price_verbs[];
