/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/fit_hourly.h"

#include "base/units.h"

/* Events at the mean rate that are added to each hour. */
#define PRIOR_EVENTS 10

static void
fill_rates(double *rates, const spot_hours_t *hours)
{
    double num_events = 0, exposed_s = 0, sum = 0;

    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        num_events += (double) hours->hours[j].num_events;
        exposed_s += hours->hours[j].exposed_s;
    }
    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        const spot_hour_t *hour = &hours->hours[j];

        rates[j] = num_events > 0
                       ? ((double) hour->num_events + PRIOR_EVENTS) /
                             (hour->exposed_s + PRIOR_EVENTS * exposed_s / num_events)
                       : 1;
        sum += rates[j];
    }
    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        rates[j] *= SPOT_HOURS_PER_DAY / sum;
    }
}

int
spot_fit_hourly(spot_fit_hourly_t *self, const spot_trace_t *trace, int64_t start_ms)
{
    spot_hours_t hours;
    int ret = spot_hours_init(&hours, trace, SPOT_EVENT_PREEMPT, start_ms);

    self->start_hour = (double) start_ms / (double) SPOT_MS_PER_H;
    if (ret != 0) {
        return ret;
    }
    fill_rates(self->preempt, &hours);
    ret = spot_hours_init(&hours, trace, SPOT_EVENT_ADD, start_ms);
    if (ret == 0) {
        fill_rates(self->add, &hours);
    }
    return ret;
}
