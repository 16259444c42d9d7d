/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/hourly.h"

#include <math.h>

#include "base/units.h"

#define S_PER_H 3600.0
#define S_PER_D 86400.0

static const char hours_expected[] = "a list of 24 numbers from 0, one an hour of the day";

static const spot_field_t rate_item = {.type = SPOT_FIELD_NUMBER, .max = 1e9};

/* Divides the rates by their mean: only their ratios count. */
static void settle_hours(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_hourly_rates_t *self = target;
    double sum = 0;

    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        sum += self->rates[j];
    }
    if (!(sum > 0)) {
        spot_bind_unexpected(bind, field, node, "all are 0");
        return;
    }
    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        self->rates[j] /= sum / SPOT_HOURS_PER_DAY;
    }
}

const spot_field_t spot_hourly_fields[] = {
    {SPOT_RANGE(NUMBER, "start_hour", spot_hourly_t, start_hour, 0, 23.999999, NULL,
        "hour at the start", "hour of the day at time 0")},
    {.name = "preempt",
        .type = SPOT_FIELD_LIST,
        .offset = offsetof(spot_hourly_t, preempt.rates),
        SPOT_HOURS_FIELD(&rate_item),
        .expected = hours_expected,
        .settle = settle_hours,
        .help = "rates of preemption events from 0 h to 24 h, divided by their mean"},
    {.name = "add",
        .type = SPOT_FIELD_LIST,
        .offset = offsetof(spot_hourly_t, add.rates),
        SPOT_HOURS_FIELD(&rate_item),
        .expected = hours_expected,
        .settle = settle_hours,
        .help = "rates of addition events, in the same way"},
    {.name = NULL},
};

double spot_hourly_rates_end(
    const spot_hourly_rates_t *self, double start_hour, double time_s, double gap_s)
{
    const double clock_s = fmod(start_hour * S_PER_H + time_s, S_PER_D);
    const double num_days = floor(gap_s / S_PER_D);
    double end_s = time_s + num_days * S_PER_D, rest_s = gap_s - num_days * S_PER_D;
    int hour = (int) (clock_s / S_PER_H) % SPOT_HOURS_PER_DAY;
    double left_s = (hour + 1) * S_PER_H - clock_s; /* left of this hour */

    if (!isfinite(gap_s)) {
        return (double) INFINITY;
    }
    /* The integral over a day is 86,400 s up to rounding, for which the second turn
     * is. */
    for (int j = 0; j < 2 * SPOT_HOURS_PER_DAY; j++) {
        const double rate = self->rates[hour];

        if (rest_s <= rate * left_s && rate > 0) {
            return end_s + rest_s / rate;
        }
        rest_s -= rate * left_s;
        end_s += left_s;
        left_s = S_PER_H;
        hour = (hour + 1) % SPOT_HOURS_PER_DAY;
    }
    return end_s;
}
