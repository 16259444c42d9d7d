/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rates that depend on the hour of the day: a gap drawn for a constant rate of 1 ends
 * when the integral of the rate reaches it. */
#pragma once

#include <stdbool.h>

#include "base/bind.h"
#include "base/units.h"

/* A list of one number an hour, in the struct itself. */
#define SPOT_HOURS_FIELD(hour)                                                                     \
    .is_in_place = true, .item = (hour), .item_size = sizeof(double), .min = SPOT_HOURS_PER_DAY,   \
    .max = SPOT_HOURS_PER_DAY

/* Rates by hour of the day; their mean is 1. */
typedef struct {
    double rates[SPOT_HOURS_PER_DAY]; /* >= 0 */
} spot_hourly_rates_t;

typedef struct {
    bool is_given;
    double start_hour; /* hour of the day at time 0 */
    spot_hourly_rates_t preempt;
    spot_hourly_rates_t add;
} spot_hourly_t;

/* Fields of a map {start_hour: H, preempt: [24 numbers], add: [24 numbers]}. */
extern const spot_field_t spot_hourly_fields[];

/* The time at which the integral of the rate from time_s on reaches gap_s; start_hour is
 * the hour of the day at time 0. O(1): at most two turns of the clock. */
double spot_hourly_rates_end(
    const spot_hourly_rates_t *self, double start_hour, double time_s, double gap_s);
