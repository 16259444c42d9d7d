/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deltas are drawn or copied as doubles, and each becomes whole nanoseconds on its own;
 * sums are of integers. */
#include "traces/queries/arrivals.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/units.h"
#include "base/watch.h"

#define NS_PER_MS 1e6
#define NS_PER_S 1e9
#define MS_PER_S 1e3

const char *const spot_arrivals_kind_names[] = {
    "poisson", "gamma", "constant", "deltas", "deltas_ms", "trace", "varying", "daily", NULL};

bool spot_arrivals_is_random(const spot_arrivals_setting_t *self)
{
    return self->kind == SPOT_ARRIVALS_POISSON || self->kind == SPOT_ARRIVALS_VARYING ||
           self->kind == SPOT_ARRIVALS_DAILY ||
           (self->kind == SPOT_ARRIVALS_GAMMA && self->scv > 0);
}

double spot_arrivals_mean_queries(const spot_arrivals_setting_t *self)
{
    const double end_s = (double) self->rates_end_ns / NS_PER_S;
    double num_deltas = 0;

    switch (self->kind) {
        case SPOT_ARRIVALS_POISSON:
        case SPOT_ARRIVALS_GAMMA:
        case SPOT_ARRIVALS_CONSTANT:
            num_deltas = (double) self->count;
            break;
        case SPOT_ARRIVALS_VARYING:
            for (size_t j = 0; j < self->num_rates; j++) {
                const double from_s = (double) self->rates[j].from_ns / NS_PER_S;
                const double to_s = j + 1 < self->num_rates
                                        ? (double) self->rates[j + 1].from_ns / NS_PER_S
                                        : end_s;

                num_deltas += self->rates[j].per_s * (to_s - from_s);
            }
            break;
        case SPOT_ARRIVALS_DAILY: /* whole days of a cosine */
            num_deltas = end_s * (self->low_qps + self->peak_qps) / 2;
            break;
        default:
            num_deltas = (double) self->num_deltas;
    }
    return num_deltas + 1;
}

double spot_arrivals_mean_ns(const spot_arrivals_setting_t *self)
{
    const double num_deltas = spot_arrivals_mean_queries(self) - 1;
    double sum_ms = 0;

    if (self->kind == SPOT_ARRIVALS_VARYING || self->kind == SPOT_ARRIVALS_DAILY) {
        return (double) self->rates_end_ns;
    }
    if (self->kind <= SPOT_ARRIVALS_CONSTANT || self->rescale_qps > 0) {
        const double per_s = self->rescale_qps > 0 ? self->rescale_qps : self->rate_qps;

        return fmax(NS_PER_S / per_s, (double) self->clip_ns) * num_deltas;
    }
    if (self->kind == SPOT_ARRIVALS_TRACE) {
        return (double) self->times_ns[self->num_deltas];
    }
    for (size_t j = 0; j < self->num_deltas; j++) {
        sum_ms += self->deltas_ms[j];
    }
    return sum_ms * NS_PER_MS;
}

/* ---- Deltas ---- */

/* Makes room for the queries of num_deltas deltas, and sets their number. */
static int reserve(spot_arrivals_t *self, size_t num_deltas)
{
    self->num_queries = num_deltas + 1;
    if (spot_array_reserve(
            &self->deltas_ms, &self->max_deltas, num_deltas, sizeof(*self->deltas_ms)) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    return spot_array_reserve(
        &self->source_ns, &self->max_queries, num_deltas + 1, sizeof(*self->source_ns));
}

/* Deltas that do not depend on each other. */
static int draw_alike(
    spot_arrivals_t *self, const spot_arrivals_setting_t *setting, spot_rng_t *rng)
{
    const double mean_ms = MS_PER_S / setting->rate_qps;
    const double clip_ms = (double) setting->clip_ns / NS_PER_MS;
    const bool is_random = spot_arrivals_is_random(setting);
    const int ret = reserve(self, (size_t) setting->count);

    for (size_t j = 0; ret == 0 && j + 1 < self->num_queries; j++) {
        double delta_ms = mean_ms;

        if (spot_stop_is_due(j)) {
            return SPOT_ERR_INTERRUPTED;
        }
        if (is_random && setting->kind == SPOT_ARRIVALS_POISSON) {
            delta_ms = spot_rng_exponential(rng, mean_ms);
        } else if (is_random) {
            delta_ms = gsl_ran_gamma(spot_rng_gsl(rng), 1 / setting->scv, setting->scv * mean_ms);
        }
        self->deltas_ms[j] = fmax(delta_ms, clip_ms);
    }
    return ret;
}

static int copy_deltas(spot_arrivals_t *self, const spot_arrivals_setting_t *setting)
{
    const int ret = reserve(self, setting->num_deltas);

    for (size_t j = 0; ret == 0 && j < setting->num_deltas; j++) {
        self->deltas_ms[j] =
            setting->kind == SPOT_ARRIVALS_TRACE
                ? (double) (setting->times_ns[j + 1] - setting->times_ns[j]) / NS_PER_MS
                : setting->deltas_ms[j];
    }
    return ret;
}

/* The rate at a time. *step_id: that of an earlier time, and its own afterwards. */
static double rate_at(const spot_arrivals_setting_t *self, double time_ns, size_t *step_id)
{
    const double turn = 2 * acos(-1.0) / (NS_PER_MS * (double) SPOT_MS_PER_D);

    if (self->kind == SPOT_ARRIVALS_DAILY) {
        return self->low_qps + (self->peak_qps - self->low_qps) *
                                   (1 + cos(turn * (time_ns - (double) self->peak_at_ns))) / 2;
    }
    while (
        *step_id + 1 < self->num_rates && (double) self->rates[*step_id + 1].from_ns <= time_ns) {
        ++*step_id;
    }
    return self->rates[*step_id].per_s;
}

/* Queries of a Poisson process whose rate changes, by thinning, which is exact: those of
 * the highest rate, each kept with probability rate / highest rate. Source: Lewis,
 * Shedler, "Simulation of nonhomogeneous Poisson processes by thinning", Naval Research
 * Logistics 26 (1979). */
static int draw_thinned(
    spot_arrivals_t *self, const spot_arrivals_setting_t *setting, spot_rng_t *rng)
{
    const double end_ns = (double) setting->rates_end_ns;
    const double highest = setting->peak_qps;
    double time_ns = 0, last_ns = 0;
    size_t num_deltas = 0, step_id = 0;

    for (size_t num_drawn = 0; highest > 0; num_drawn++) {
        double level;

        if (spot_stop_is_due(num_drawn)) {
            return SPOT_ERR_INTERRUPTED;
        }
        time_ns += spot_rng_exponential(rng, NS_PER_S / highest);
        level = highest * spot_rng_uniform(rng);
        if (!(time_ns < end_ns)) {
            break;
        }
        if (level < rate_at(setting, time_ns, &step_id)) {
            if (spot_array_reserve(&self->deltas_ms, &self->max_deltas, num_deltas + 1,
                    sizeof(*self->deltas_ms)) != 0) {
                return SPOT_ERR_NO_MEMORY;
            }
            self->deltas_ms[num_deltas++] = (time_ns - last_ns) / NS_PER_MS;
            last_ns = time_ns;
        }
    }
    return reserve(self, num_deltas);
}

/* ---- Whole nanoseconds ---- */

/* Sets rate, mean and CV of the whole deltas. */
static void describe(spot_arrivals_t *self)
{
    const size_t num_deltas = self->num_queries - 1;
    const double sum_ns = (double) self->source_ns[num_deltas];
    const double mean_ns = num_deltas == 0 ? (double) NAN : sum_ns / (double) num_deltas;
    double sum_squares = 0;

    for (size_t j = 0; j < num_deltas; j++) {
        const double off = (double) (self->source_ns[j + 1] - self->source_ns[j]) - mean_ns;

        sum_squares += off * off;
    }
    self->rate_qps = sum_ns > 0 ? (double) num_deltas * NS_PER_S / sum_ns : (double) NAN;
    self->mean_ms = mean_ns / NS_PER_MS;
    self->cv = sum_ns > 0 ? sqrt(sum_squares / (double) num_deltas) / mean_ns : (double) NAN;
}

/* Makes the times of the queries from the deltas times scale. */
static int place(spot_arrivals_t *self, double scale)
{
    int64_t time_ns = 0;

    self->source_ns[0] = 0;
    for (size_t j = 0; j + 1 < self->num_queries; j++) {
        const double delta_ms = self->deltas_ms[j] * scale;
        int64_t delta_ns;

        if (!(delta_ms <= (double) SPOT_MAX_ARRIVALS_NS / NS_PER_MS)) {
            return SPOT_ERR_BAD_PARAM;
        }
        delta_ns = spot_ns_from_ms(delta_ms);
        if (delta_ns > SPOT_MAX_ARRIVALS_NS - time_ns) {
            return SPOT_ERR_BAD_PARAM;
        }
        time_ns += delta_ns;
        self->source_ns[j + 1] = time_ns;
    }
    describe(self);
    return 0;
}

int spot_arrivals_draw(spot_arrivals_t *self, const spot_arrivals_setting_t *setting, uint64_t seed,
    uint64_t replication)
{
    spot_rng_t rng;
    int ret;

    spot_rng_seek(&rng, seed, replication, SPOT_STREAM_ARRIVAL, 0);
    switch (setting->kind) {
        case SPOT_ARRIVALS_POISSON:
        case SPOT_ARRIVALS_GAMMA:
        case SPOT_ARRIVALS_CONSTANT:
            ret = draw_alike(self, setting, &rng);
            break;
        case SPOT_ARRIVALS_VARYING:
        case SPOT_ARRIVALS_DAILY:
            ret = draw_thinned(self, setting, &rng);
            break;
        default:
            ret = copy_deltas(self, setting);
    }
    if (ret == 0 && setting->kind == SPOT_ARRIVALS_TRACE) {
        memcpy(self->source_ns, setting->times_ns, self->num_queries * sizeof(*self->source_ns));
        describe(self);
    } else if (ret == 0) {
        ret = place(self, 1);
    }
    self->base_qps = self->rate_qps;
    if (ret == 0 && setting->rescale_qps > 0 && !isnan(self->base_qps)) {
        ret = place(self, self->base_qps / setting->rescale_qps);
    }
    return ret;
}

int spot_arrivals_rescale(spot_arrivals_t *self, const spot_arrivals_t *from, double rate_qps)
{
    const int ret = reserve(self, from->num_queries - 1);

    if (ret != 0) {
        return ret;
    }
    if (from->num_queries > 1 && self != from) {
        memcpy(
            self->deltas_ms, from->deltas_ms, (from->num_queries - 1) * sizeof(*self->deltas_ms));
    }
    self->base_qps = from->base_qps;
    return place(self, from->base_qps / rate_qps);
}

void spot_arrivals_free(spot_arrivals_t *self)
{
    free(self->source_ns);
    free(self->deltas_ms);
    *self = (spot_arrivals_t){0};
}
