/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rates that depend on the hour of the day: a gap that was drawn for a constant rate of
 * 1 ends where the integral of the rate has reached it. */
#ifndef SPOT_TRACES_GENERATE_HOURLY_H
#define SPOT_TRACES_GENERATE_HOURLY_H

#include <stdbool.h>

#include "base/bind.h"

#define SPOT_HOURS_PER_DAY 24

/* Rates by hour of the day; their mean is 1. */
typedef struct {
    double rates[SPOT_HOURS_PER_DAY]; /* >= 0 */
} spot_hours_t;

typedef struct {
    bool is_given;
    double start_hour; /* hour of the day at time 0 */
    spot_hours_t preempt;
    spot_hours_t add;
} spot_hourly_t;

/* Of a map {start_hour: H, preempt: [24 numbers], add: [24 numbers]}. */
extern const spot_field_t spot_hourly_fields[];

/* When the integral of the rate from time_s on is gap_s; start_hour is that of time 0.
 * O(1): at most two turns of the clock. */
double spot_hours_end(
    const spot_hours_t *self, double start_hour, double time_s, double gap_s);

#endif
