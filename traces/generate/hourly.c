/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/hourly.h"

#include <math.h>

#include "base/units.h"

#define S_PER_H 3600.0
#define S_PER_D 86400.0

static const char hours_expected[] =
    "a list of 24 numbers from 0, one an hour of the day";

/* Divided by their mean: what counts is how the hours differ. */
static void
bind_hours(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    static const spot_field_t rate = {
        .name = NULL, .type = SPOT_FIELD_NUMBER, .min = 0, .max = 1e9};
    spot_hours_t *self = target;
    double sum = 0;

    if (node->kind != SPOT_NODE_LIST || node->num_children != SPOT_HOURS_PER_DAY) {
        spot_bind_unexpected(bind, field, node, "");
        return;
    }
    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        spot_field_t item = rate;

        item.name = field->name;
        spot_bind_field(bind, &item, node->children[j], &self->rates[j]);
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
    {.name = "start_hour",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(spot_hourly_t, start_hour),
        .max = 23.999999,
        .help = "hour of the day at time 0"},
    {.name = "preempt",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(spot_hourly_t, preempt),
        .expected = hours_expected,
        .bind = bind_hours,
        .help = "rates of preemption events from 0 h to 24 h, divided by their mean"},
    {.name = "add",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(spot_hourly_t, add),
        .expected = hours_expected,
        .bind = bind_hours,
        .help = "rates of addition events, in the same way"},
    {.name = NULL},
};

double
spot_hours_end(const spot_hours_t *self, double start_hour, double time_s, double gap_s)
{
    const double clock_s = fmod(start_hour * S_PER_H + time_s, S_PER_D);
    const double num_days = floor(gap_s / S_PER_D);
    double end_s = time_s + num_days * S_PER_D, rest_s = gap_s - num_days * S_PER_D;
    int hour = (int) (clock_s / S_PER_H) % SPOT_HOURS_PER_DAY;
    double left_s = (hour + 1) * S_PER_H - clock_s; /* of this hour */

    if (!isfinite(gap_s)) {
        return (double) INFINITY;
    }
    /* A day has an integral of 86,400 s but for rounding: the last turn is a guard. */
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
