/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cost of instances: a price that may change with time (keys of a scenario, CSV files,
 * a line of a trace), its currency, and a meter that sums the payments. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/bind.h"
#include "base/datetime.h"
#include "base/error.h"
#include "base/stats.h"

/* The highest price accepted. */
#define SPOT_MAX_PRICE_USD_PER_H 1e6

/* The most steps of a price; as text they fit into a header line of a trace. */
#define SPOT_MAX_PRICE_STEPS 20000

/* A currency is a label of three letters, "EUR". Prices are never converted: "usd" in
 * names of members and keys is the currency of the scenario. */
#define SPOT_CURRENCY_BYTES 4
#define SPOT_USUAL_CURRENCY "USD"

/* Whether a text, or NULL, is one. */
bool spot_currency_is(const char *text);

/* Reads "eur_per_h" at the start of text as "EUR" and returns its end, or NULL: text
 * does not start so. The other way round for writing. */
const char *spot_currency_scan(const char *text, char currency[SPOT_CURRENCY_BYTES]);
#define SPOT_CURRENCY_COLUMN_BYTES 10
void spot_currency_column(const char *currency, char column[SPOT_CURRENCY_COLUMN_BYTES]);

typedef struct {
    int64_t start_ms; /* since the start of the trace */
    double usd_per_h; /* per instance-hour, until the next start */
} spot_price_step_t;

/* A right-continuous step function of time. */
typedef struct {
    size_t num_steps; /* 0: no price is given */
    size_t max_steps;
    spot_price_step_t *steps;           /* [num_steps] start_ms increasing from 0 */
    char currency[SPOT_CURRENCY_BYTES]; /* as their source says; "": it does not */
    char start[SPOT_DATETIME_BYTES];    /* when time 0 was, the same */
} spot_price_steps_t;

/* Appends a step. BAD_PARAM: the first step is not at 0, a later one not after its
 * predecessor, or there are SPOT_MAX_PRICE_STEPS already; NO_MEMORY. */
SPOT_MUST_CHECK int spot_price_steps_add(
    spot_price_steps_t *self, int64_t start_ms, double usd_per_h);
void spot_price_steps_free(spot_price_steps_t *self);

/* Divides the times of all steps by factor > 0, rounded to ms. A step that would start
 * with a later one goes. */
void spot_price_steps_speed_up(spot_price_steps_t *self, double factor);

/* Reads a CSV file with the columns time_s,usd_per_h, or of another currency, before
 * which "# start: 2026-06-01T00:00:00Z" may say when time 0 was, and reports all errors to diag as
 * file:line:column. BAD_INPUT, IO, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_price_steps_read(
    spot_price_steps_t *self, const char *path, spot_diag_t *diag);

/* Writes such a file. */
void spot_price_steps_write(const spot_price_steps_t *self, FILE *out);

/* Warns at the place of a key below node if its prices and what is taken to start with
 * them, such as the trace "week", a text for messages, do not start together: start is
 * when that does, as it says, or NULL, shift_ms: it counts from so much later. Returns
 * whether it warned. */
bool spot_price_check_start(spot_diag_t *diag, const spot_node_t *node, const char *key,
    const spot_price_steps_t *price, const char *what, const char *start, int64_t shift_ms);

/* Reports at the place of a key below node that its prices are in another currency than
 * those of the scenario. currency "" or NULL: their source does not say. */
void spot_currency_check(spot_bind_t *bind, const spot_node_t *node, const char *key,
    const char *currency, const char *of_scenario);

/* Figures weighted with the time that a price holds. */
typedef struct {
    double mean;
    double quartiles[5]; /* from the least price to the highest one */
    double largest_jump; /* from one price to the next, with its sign */
} spot_price_figures_t;

/* Of at least one step, the last one until end_ms. NO_MEMORY. */
SPOT_MUST_CHECK int spot_price_figures(
    const spot_price_steps_t *self, int64_t end_ms, spot_price_figures_t *figures);

/* For a field of a spot_price_steps_t: the forms of a one-of and its settle(). */
#define SPOT_PRICE_EXPECTED                                                                        \
    "a price such as \"0.91 USD/h\", a list of its steps such as [{from: 0 s, "                    \
    "usd_per_h: 0.91}, {from: 6 h, usd_per_h: 1.2}], or {file: PRICES.csv} with the "              \
    "columns time_s,usd_per_h"
extern const spot_field_t spot_price_forms[];
void spot_price_steps_settle(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target);

typedef struct {
    spot_price_steps_t spot;
    double on_demand_usd_per_h; /* per instance-hour */
    char *currency;             /* "EUR", of all prices of the scenario; NULL: USD */
} spot_price_t;

extern const spot_field_t spot_price_fields[];
void spot_price_free(spot_price_t *self);

/* "USD" where it is not given. */
static inline const char *spot_price_currency(const spot_price_t *self)
{
    return self->currency == NULL ? SPOT_USUAL_CURRENCY : self->currency;
}

/* The money for instance_ms at a constant price. */
double spot_price_usd(double price_usd_per_h, int64_t instance_ms);

/* The cost of a changing number of instances at a changing price. Instance time is
 * summed in whole ms at each price, so that only its product with the price is
 * rounded. */
typedef struct {
    const spot_price_steps_t *price; /* must outlive self */
    size_t step_id;                  /* step of the price at now_ms */
    int64_t now_ms;                  /* the time before it is counted */
    int64_t num_instances;           /* paid from now_ms on */
    int64_t instance_ms;             /* paid at the price of the step */
    spot_sum_t usd;                  /* paid at earlier prices */
} spot_meter_t;

/* Starts a meter without instances. price must have at least one step. */
void spot_meter_start(spot_meter_t *self, const spot_price_steps_t *price);

/* Adds num_more instances (below 0: removes them) from now_ms on, which never decreases.
 * O(1), plus O(1) for each step of the price passed. */
void spot_meter_change(spot_meter_t *self, int64_t now_ms, int64_t num_more);

/* The money for all time before the latest change. O(1). */
double spot_meter_usd(const spot_meter_t *self);
