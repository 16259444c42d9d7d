/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/fit_seed.h"

#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "base/units.h"
#include "traces/bulk.h"
#include "traces/describe/sample.h"
#include "traces/fit/size_family.h"

#define TICK_S 60

/* Sizes above SPOT_SIZE_REGULAR_MAX are big if has_big. */
static void
take_sizes(spot_fit_seed_direction_t *self, const spot_sample_t *sizes, bool has_big)
{
    spot_moments_t moments = {0};
    double num_big = 0;

    self->num_events = sizes->num_values;
    for (size_t j = 0; j < sizes->num_values; j++) {
        const int32_t size = (int32_t) sizes->values[j];

        if (!has_big || size <= SPOT_SIZE_REGULAR_MAX) {
            spot_moments_add(&moments, size);
            continue;
        }
        self->big_low = num_big == 0 || size < self->big_low ? size : self->big_low;
        self->big_high = size > self->big_high ? size : self->big_high;
        num_big++;
    }
    self->p_big = num_big > 0 ? num_big / (double) sizes->num_values : 0;
    self->mean = moments.num_values > 0 ? spot_moments_mean(&moments) : 1;
    self->std = moments.num_values > 1 ? spot_moments_std(&moments) : 0;
}

static int
fit_direction(spot_fit_seed_direction_t *self, const spot_trace_t *trace,
    spot_sample_kind_t counts, spot_sample_kind_t gaps)
{
    spot_sample_t sizes = {0}, times = {0};
    spot_moments_t moments = {0};
    int ret = spot_sample_init(&sizes, trace, counts);

    ret = ret == 0 ? spot_sample_init(&times, trace, gaps) : ret;
    if (ret == 0) {
        take_sizes(self, &sizes, counts == SPOT_SAMPLE_ADD_COUNT);
        for (size_t j = 0; j < times.num_values; j++) {
            spot_moments_add(&moments, times.values[j]);
        }
        self->gap_cv = spot_moments_std(&moments) / spot_moments_mean(&moments);
        self->per_minute = fmin(1, (double) self->num_events * (double) SPOT_MS_PER_MIN /
                                       (double) trace->end_ms);
    }
    spot_sample_free(&times);
    spot_sample_free(&sizes);
    return ret;
}

int
spot_fit_seed(spot_seed_t *self, const spot_trace_t *trace)
{
    spot_bulks_t bulks;
    int ret;

    memset(self, 0, sizeof(*self));
    ret = spot_bulks_init(&bulks, trace);
    if (ret == 0) {
        self->capacity = spot_sample_capacity(trace, &bulks);
        self->initial = trace->initial;
        self->tick_s = TICK_S;
        self->horizon_s = (double) trace->end_ms / (double) SPOT_MS_PER_S;
        ret = fit_direction(&self->preemption, trace, SPOT_SAMPLE_PREEMPT_COUNT,
            SPOT_SAMPLE_PREEMPT_GAP);
    }
    if (ret == 0) {
        ret = fit_direction(
            &self->addition, trace, SPOT_SAMPLE_ADD_COUNT, SPOT_SAMPLE_ADD_GAP);
    }
    if (ret == 0 && self->preemption.num_events + self->addition.num_events == 0) {
        ret = SPOT_ERR_BAD_INPUT;
    }
    spot_bulks_free(&bulks);
    return ret;
}
