/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_math.h>
#include <math.h>

#include "base/stats.h"
#include "base/units.h"
#include "traces/describe/describe_internal.h"

/* Fewest whole windows, whole days and preemptions for the figures of them. */
#define MIN_WINDOWS 8
#define MIN_DAYS 2
#define MIN_PREEMPTIONS 10

/* Sums over the plateaus of N(t), the times between two changes. */
typedef struct {
    int64_t full_ms;
    int64_t empty_ms;
    int64_t shortest_ms; /* -1: none yet */
    spot_sum_t instance_ms;
} plateaus_t;

static void
take_plateau(
    plateaus_t *self, spot_describe_t *figures, int64_t population, int64_t length_ms)
{
    const double n = (double) population;

    self->full_ms += n >= figures->capacity ? length_ms : 0;
    self->empty_ms += population == 0 ? length_ms : 0;
    spot_sum_add(&self->instance_ms, n * (double) length_ms);
    figures->max_n = fmax(figures->max_n, n); /* fmax of n and NAN is n */
    figures->min_n = fmin(figures->min_n, n);
}

/* N(t) is the number after all changes of one time; numbers between them last no
 * time. */
void
spot_describe_fill_population(
    spot_describe_t *self, const spot_trace_t *trace, const spot_bulks_t *bulks)
{
    plateaus_t plateaus = {.shortest_ms = -1};
    int64_t population = trace->initial, time_ms = 0;

    for (size_t j = 0; j < bulks->num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks->bulks[j];
        const int64_t length_ms = bulk->time_ms - time_ms;

        if (length_ms > 0) {
            take_plateau(&plateaus, self, population, length_ms);
            if (plateaus.shortest_ms < 0 || length_ms < plateaus.shortest_ms) {
                plateaus.shortest_ms = length_ms;
            }
        }
        population += bulk->kind == SPOT_EVENT_ADD ? bulk->size : -bulk->size;
        time_ms = bulk->time_ms;
    }
    take_plateau(&plateaus, self, population, trace->end_ms - time_ms);
    self->mean_n = spot_sum_total(&plateaus.instance_ms) / (double) trace->end_ms;
    self->frac_full = (double) plateaus.full_ms / (double) trace->end_ms;
    self->frac_empty = (double) plateaus.empty_ms / (double) trace->end_ms;
    if (plateaus.shortest_ms > 0) {
        self->shortest_plateau_s =
            (double) plateaus.shortest_ms / (double) SPOT_MS_PER_S;
    }
}

/* Variance / mean over all windows; filled holds only those with an event. */
static double
fano(const spot_moments_t *filled, int64_t num_windows)
{
    const double num_filled = (double) filled->num_values;
    const double num_empty = (double) num_windows - num_filled;
    const double mean = num_filled * filled->mean / (double) num_windows;
    /* Sums of squares of two groups. Chan, Golub and LeVeque, Am. Stat. 37(3), 1983. */
    const double sum_squares = filled->sum_squares + filled->mean * filled->mean *
                                                         num_filled * num_empty /
                                                         (double) num_windows;

    return mean > 0 ? sum_squares / (double) (num_windows - 1) / mean : (double) NAN;
}

/* Losses of the open window, and the moments of the windows before it with a loss. */
typedef struct {
    int64_t window; /* -1: none open */
    double instances;
    double events;
    spot_moments_t by_instances;
    spot_moments_t by_events;
} windows_t;

static void
close_window(windows_t *self)
{
    if (self->window >= 0) {
        spot_moments_add(&self->by_instances, self->instances);
        spot_moments_add(&self->by_events, self->events);
    }
    self->instances = self->events = 0;
}

/* Windows are [kW, (k + 1) W), the last one closed; a rest shorter than W is left
 * out. */
static void
fill_fano(const spot_bulks_t *bulks, int64_t end_ms, int64_t length_ms,
    double *by_instances, double *by_events)
{
    const int64_t num_windows = end_ms / length_ms;
    windows_t windows = {.window = -1};

    if (num_windows < MIN_WINDOWS) {
        return;
    }
    for (size_t j = 0; j < bulks->num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks->bulks[j];
        int64_t window = bulk->time_ms / length_ms;

        if (bulk->kind != SPOT_EVENT_PREEMPT ||
            bulk->time_ms > num_windows * length_ms) {
            continue;
        }
        window -= window == num_windows ? 1 : 0;
        if (window != windows.window) {
            close_window(&windows);
            windows.window = window;
        }
        windows.instances += bulk->size;
        windows.events += 1;
    }
    close_window(&windows);
    *by_instances = fano(&windows.by_instances, num_windows);
    *by_events = fano(&windows.by_events, num_windows);
}

/* Rayleigh's test: preemptions prefer no time of day. K. V. Mardia and P. E. Jupp,
 * Directional Statistics, 2000, 6.3.1. */
static void
fill_day(spot_describe_t *self, const spot_bulks_t *bulks, int64_t end_ms)
{
    const int64_t num_days = end_ms / SPOT_MS_PER_D;
    spot_sum_t cosines = {0}, sines = {0};
    double num = 0, c, s;

    for (size_t j = 0; j < bulks->num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks->bulks[j];
        const double angle =
            2 * M_PI * (double) (bulk->time_ms % SPOT_MS_PER_D) / (double) SPOT_MS_PER_D;

        if (bulk->kind == SPOT_EVENT_PREEMPT &&
            bulk->time_ms < num_days * SPOT_MS_PER_D) {
            num += 1;
            spot_sum_add(&cosines, cos(angle));
            spot_sum_add(&sines, sin(angle));
        }
    }
    if (num_days < MIN_DAYS || num < MIN_PREEMPTIONS) {
        return;
    }
    c = spot_sum_total(&cosines) / num;
    s = spot_sum_total(&sines) / num;
    self->day_n = num;
    self->day_rayleigh_r = hypot(c, s);
    self->day_rayleigh_p = exp(-num * (c * c + s * s));
    self->day_peak_h = atan2(s, c) * 12 / M_PI;
    self->day_peak_h += self->day_peak_h < 0 ? 24 : 0;
}

void
spot_describe_fill_events(
    spot_describe_t *self, const spot_trace_t *trace, const spot_bulks_t *bulks)
{
    const double instance_h = self->mean_n * self->span_h;

    self->preempt_events = self->preempted = self->add_events = self->added = 0;
    for (size_t j = 0; j < bulks->num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks->bulks[j];

        if (bulk->kind == SPOT_EVENT_PREEMPT) {
            self->preempt_events += 1;
            self->preempted += bulk->size;
        } else if (bulk->kind == SPOT_EVENT_ADD) {
            self->add_events += 1;
            self->added += bulk->size;
        }
    }
    if (instance_h > 0) {
        self->preempted_per_instance_h = self->preempted / instance_h;
    }
    fill_fano(bulks, trace->end_ms, 10 * SPOT_MS_PER_MIN, &self->fano_instances_10min,
        &self->fano_events_10min);
    fill_fano(bulks, trace->end_ms, SPOT_MS_PER_H, &self->fano_instances_1h,
        &self->fano_events_1h);
    fill_day(self, bulks, trace->end_ms);
}
