/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What instances cost: a price that may change with time, and a meter that adds up what
 * is paid. */
#ifndef SPOT_MODELS_PRICE_H
#define SPOT_MODELS_PRICE_H

#include <stddef.h>
#include <stdint.h>

#include "base/bind.h"
#include "base/error.h"
#include "base/stats.h"

/* The highest price that is read. */
#define SPOT_MAX_PRICE_USD_PER_H 1e6

/* The most steps of a price: as text they still fit into a line of a trace's header. */
#define SPOT_MAX_PRICE_STEPS 20000

typedef struct {
    int64_t start_ms; /* since the start of the trace */
    double usd_per_h; /* per instance-hour, until the next start */
} spot_price_step_t;

/* A right-continuous step function of time. */
typedef struct {
    size_t num_steps; /* 0: no price is given */
    size_t max_steps;
    spot_price_step_t *steps; /* [num_steps] start_ms increasing from 0 */
} spot_price_steps_t;

/* Appends a step. BAD_PARAM: the first one is not at 0, a later one not after the one
 * before, or there are too many; NO_MEMORY. */
SPOT_MUST_CHECK int spot_price_steps_add(
    spot_price_steps_t *self, int64_t start_ms, double usd_per_h);
void spot_price_steps_free(spot_price_steps_t *self);

/* Reads a CSV file with the columns time_s,usd_per_h. All errors are in diag with
 * file:line:column. BAD_INPUT, IO, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_price_steps_read(
    spot_price_steps_t *self, const char *path, spot_diag_t *diag);

/* Binds a price in any of its forms to a spot_price_steps_t. */
#define SPOT_PRICE_EXPECTED                                                             \
    "a price such as \"0.91 USD/h\", a list of its steps such as [{from: 0 s, "         \
    "usd_per_h: 0.91}, {from: 6 h, usd_per_h: 1.2}], or {file: PRICES.csv} with the "   \
    "columns time_s,usd_per_h"
void spot_price_steps_bind(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target);

typedef struct {
    spot_price_steps_t spot;
    double on_demand_usd_per_h; /* per instance-hour */
} spot_price_t;

extern const spot_field_t spot_price_fields[];
void spot_price_free(spot_price_t *self);

/* US dollars for a time that instances were paid for. */
double spot_price_usd(double price_usd_per_h, int64_t instance_ms);

/* What a changing number of instances costs at a changing price. Instance time is
 * counted in whole ms at each price, so that nothing is rounded but the product with it.
 */
typedef struct {
    const spot_price_steps_t *price; /* must outlive self */
    size_t step_id;                  /* of the price at now_ms */
    int64_t now_ms;                  /* all before is counted */
    int64_t num_instances;           /* that are paid from now on */
    int64_t instance_ms;             /* paid at the price of the step */
    spot_sum_t usd;                  /* paid at earlier prices */
} spot_meter_t;

/* price needs at least one step. Nothing is paid before the first change. */
void spot_meter_start(spot_meter_t *self, const spot_price_steps_t *price);

/* That many instances more (or fewer) from now_ms on, which never decreases. O(1), and
 * O(1) for each step of the price, once. */
void spot_meter_change(spot_meter_t *self, int64_t now_ms, int64_t num_more);

/* US dollars for all time before the latest change. */
double spot_meter_usd(const spot_meter_t *self);

#endif
