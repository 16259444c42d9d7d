/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/describe/hours.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#include "base/datetime.h"
#include "base/units.h"
#include "traces/describe/sample.h"
#include "traces/trace.h"

/* Probability outside the interval on each side. */
#define TAIL 0.025

int64_t spot_hours_start_ms(const spot_trace_t *trace)
{
    const char *text = spot_trace_key(trace, "start");
    int64_t day, time_s;

    if (text == NULL || !spot_date_scan(&text, &day) || *text++ != 'T' ||
        !spot_time_of_day_scan(&text, &time_s)) {
        return -1;
    }
    return time_s * SPOT_MS_PER_S;
}

/* Adds length_ms from time_ms on to the hours of the day that it covers. */
static void expose(int64_t exposed_ms[SPOT_HOURS_PER_DAY], int64_t time_ms, int64_t length_ms)
{
    const int64_t num_days = length_ms / SPOT_MS_PER_D;
    const int64_t end_ms = time_ms + length_ms;

    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        exposed_ms[j] += num_days * SPOT_MS_PER_H;
    }
    time_ms += num_days * SPOT_MS_PER_D;
    while (time_ms < end_ms) {
        const int64_t hour = time_ms / SPOT_MS_PER_H;
        const int64_t next_ms = (hour + 1) * SPOT_MS_PER_H;
        const int64_t until_ms = next_ms < end_ms ? next_ms : end_ms;

        exposed_ms[hour % SPOT_HOURS_PER_DAY] += until_ms - time_ms;
        time_ms = until_ms;
    }
}

/* The mean of the Poisson law with P(X >= num) = TAIL, or with is_high P(X <= num) =
 * TAIL. By bisection, as gsl_cdf_chisq_Pinv() fails from some 2000 events on. */
static double limit_of(double num, bool is_high)
{
    double low = is_high ? num : 0;
    double high = is_high ? num + 10 * sqrt(num) + 20 : num;

    for (;;) {
        const double mean = low + (high - low) / 2;

        if (mean <= low || mean >= high) {
            return mean;
        }
        if (is_high ? gsl_cdf_chisq_Q(2 * mean, 2 * num + 2) > TAIL
                    : gsl_cdf_chisq_P(2 * mean, 2 * num) < TAIL) {
            low = mean;
        } else {
            high = mean;
        }
    }
}

static void fill_hour(spot_hour_t *self, int64_t exposed_ms)
{
    const double exposed_h = (double) exposed_ms / (double) SPOT_MS_PER_H;
    const double num = (double) self->num_events;

    self->exposed_s = (double) exposed_ms / (double) SPOT_MS_PER_S;
    if (exposed_ms == 0) {
        self->rate_per_h = self->low_per_h = self->high_per_h = (double) NAN;
        return;
    }
    self->rate_per_h = num / exposed_h;
    self->low_per_h = num > 0 ? limit_of(num, false) / exposed_h : 0;
    self->high_per_h = limit_of(num, true) / exposed_h;
}

int spot_hours_init(
    spot_hours_t *self, const spot_trace_t *trace, spot_event_kind_t kind, int64_t start_ms)
{
    const int64_t shift_ms = start_ms >= 0 ? start_ms : 0;
    int64_t exposed_ms[SPOT_HOURS_PER_DAY] = {0};
    int64_t population = trace->initial, time_ms = 0;
    spot_bulks_t bulks;
    int32_t capacity;

    memset(self, 0, sizeof(*self));
    self->is_start_known = start_ms >= 0;
    if (spot_bulks_init(&bulks, trace) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    capacity = spot_trace_most(trace);
    for (size_t j = 0; j <= bulks.num_bulks; j++) {
        const spot_bulk_t *bulk = j < bulks.num_bulks ? &bulks.bulks[j] : NULL;
        const int64_t next_ms = bulk != NULL ? bulk->time_ms : trace->end_ms;
        const bool is_exposed = kind == SPOT_EVENT_ADD ? population < capacity : population > 0;

        if (is_exposed) {
            expose(exposed_ms, shift_ms + time_ms, next_ms - time_ms);
        }
        if (bulk != NULL) {
            const int64_t hour = (shift_ms + next_ms) / SPOT_MS_PER_H;

            self->hours[hour % SPOT_HOURS_PER_DAY].num_events += bulk->kind == kind ? 1 : 0;
            population += bulk->kind == SPOT_EVENT_ADD ? bulk->size : -bulk->size;
        }
        time_ms = next_ms;
    }
    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        fill_hour(&self->hours[j], exposed_ms[j]);
    }
    spot_bulks_free(&bulks);
    return 0;
}
