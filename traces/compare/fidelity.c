/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/compare/fidelity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/units.h"
#include "traces/compare/fidelity_figures.h"
#include "traces/describe/series.h"

const spot_fidelity_metric_t spot_fidelity_metrics[SPOT_FIDELITY_NUM_METRICS] = {
    {"preempt_events", "1", "preemption events"},
    {"add_events", "1", "addition events"},
    {"preempted", "instances", "instances preempted"},
    {"added", "instances", "instances added"},
    {"mtbp_s", "s", "mean time between preemption events"},
    {"gap_sd_s", "s", "standard deviation of the gaps between preemption events"},
    {"gap_cv", "1", "gap_sd_s / mtbp_s"},
    {"gap_acf1", "1", "autocorrelation of successive gaps between preemption events"},
    {"preempt_count_mean", "instances", "mean size of a preemption event"},
    {"preempt_count_vmr", "1", "variance / mean of the size of a preemption event"},
    {"add_count_mean", "instances", "mean size of an addition event"},
    {"mean_n", "instances", "mean population on the ticks"},
    {"min_n", "instances", "least population"},
    {"max_n", "instances", "largest population"},
    {"frac_full", "1", "share of the ticks at capacity"},
    {"frac_empty", "1", "share of the ticks without an instance"},
    {"fano_1h", "1", "variance / mean of the instances preempted per hour"},
    {"ks_preempt_gap", "1", "sup |F - H| of the gaps between preemption events"},
    {"w1_preempt_gap", "1", "integral |F - H| of these gaps / their mean"},
    {"ks_add_gap", "1", "sup |F - H| of the gaps between addition events"},
    {"w1_add_gap", "1", "integral |F - H| of these gaps / their mean"},
    {"ks_preempt_count", "1", "sup |F - H| of the sizes of preemption events"},
    {"d_mean_n", "1", "difference of the mean populations / capacity"},
    {"w1_n", "1", "integral |F - H| of the population / capacity"},
    {"energy_n", "1", "sqrt(2 integral (F - H)^2 of the population / capacity)"},
    {"acf_n", "1", "rms difference of the autocorrelations of the population"},
    {"acf_events", "1", "rms difference of the autocorrelations of events per window"},
};

/* Windows of events: at least 10 min and two ticks. */
#define MIN_WINDOW_MS (10 * SPOT_MS_PER_MIN)
#define MAX_WINDOW_LAGS 12

/* Lags of the population: over 2 h, at least 12, at most a quarter of the series. */
#define LAGS_MS (2 * SPOT_MS_PER_H)
#define MIN_LAGS 12

/* Fewest values of a distribution for a comparison. */
#define MIN_VALUES 3

int
spot_fidelity_metric_id(const char *name)
{
    for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
        if (strcmp(spot_fidelity_metrics[j].name, name) == 0) {
            return j;
        }
    }
    return -1;
}

static size_t
least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t
num_population_lags(size_t num_ticks, int64_t tick_ms)
{
    const size_t num_in_reach = (size_t) (LAGS_MS / tick_ms);

    return least(num_ticks / 4, num_in_reach > MIN_LAGS ? num_in_reach : MIN_LAGS);
}

static int
take_acf(spot_fidelity_sample_t *acf, const spot_counts_t *counts, size_t num_lags)
{
    const int ret = spot_fidelity_sample_resize(acf, num_lags);

    if (ret == 0) {
        spot_counts_acf(counts, num_lags, acf->values);
    }
    return ret;
}

int
spot_fidelity_measure(spot_fidelity_t *self, const spot_observation_t *observation,
    const spot_fidelity_t *against)
{
    const int64_t tick_ms = observation->frame.tick_ms;
    const int64_t window_ms = 2 * tick_ms > MIN_WINDOW_MS ? 2 * tick_ms : MIN_WINDOW_MS;
    int ret = spot_fidelity_take_figures(self, observation);

    ret = ret == 0 ? spot_counts_of_events(&self->windows, observation, window_ms, false)
                   : ret;
    if (ret == 0) {
        ret = take_acf(&self->acf_population, &self->population,
            against != NULL ? against->acf_population.num_values
                            : num_population_lags(self->population.num_values, tick_ms));
    }
    if (ret == 0) {
        ret = take_acf(&self->acf_windows, &self->windows,
            against != NULL ? against->acf_windows.num_values
                            : least(MAX_WINDOW_LAGS, self->windows.num_values / 4));
    }
    return ret;
}

void
spot_fidelity_free(spot_fidelity_t *self)
{
    for (int j = 0; j < SPOT_FIDELITY_NUM_DIRECTIONS; j++) {
        free(self->gaps_s[j].values);
        free(self->counts[j].values);
    }
    free(self->acf_population.values);
    free(self->acf_windows.values);
    spot_counts_free(&self->population);
    spot_counts_free(&self->windows);
    spot_counts_free(&self->hours);
    memset(self, 0, sizeof(*self));
}

/* Distances of two samples; all 1 if one has too few values. */
static spot_distance_t
distance_of(const spot_fidelity_sample_t *a, const spot_fidelity_sample_t *b)
{
    if (a->num_values < MIN_VALUES || b->num_values < MIN_VALUES) {
        return (spot_distance_t){.ks = 1, .area = 1, .area_squared = 1};
    }
    return spot_series_distance(a->values, a->num_values, b->values, b->num_values);
}

static void
compare_gaps(const spot_fidelity_sample_t *a, const spot_fidelity_sample_t *b,
    double *ks, double *w1)
{
    const spot_distance_t distance = distance_of(a, b);
    spot_moments_t moments = {0};

    for (size_t j = 0; j < b->num_values; j++) {
        spot_moments_add(&moments, b->values[j]);
    }
    *ks = distance.ks;
    *w1 = a->num_values < MIN_VALUES || b->num_values < MIN_VALUES
              ? 1
              : distance.area / spot_moments_mean(&moments);
}

/* Rms difference; NAN without lags, when the series of B is too short. */
static double
compare_acf(const spot_fidelity_sample_t *a, const spot_fidelity_sample_t *b)
{
    double sum = 0;

    spot_bug_assert(a->num_values == b->num_values);
    for (size_t j = 0; j < b->num_values; j++) {
        sum += (a->values[j] - b->values[j]) * (a->values[j] - b->values[j]);
    }
    return b->num_values > 0 ? sqrt(sum / (double) b->num_values) : (double) NAN;
}

void
spot_fidelity_compare(const spot_fidelity_t *self, const spot_fidelity_t *against,
    double metrics[SPOT_FIDELITY_NUM_METRICS])
{
    const double capacity = (double) against->capacity;
    double area, area_squared;

    memcpy(metrics, self->figures, sizeof(self->figures));
    compare_gaps(&self->gaps_s[SPOT_FIDELITY_PREEMPT],
        &against->gaps_s[SPOT_FIDELITY_PREEMPT], &metrics[SPOT_FIDELITY_KS_PREEMPT_GAP],
        &metrics[SPOT_FIDELITY_W1_PREEMPT_GAP]);
    compare_gaps(&self->gaps_s[SPOT_FIDELITY_ADD], &against->gaps_s[SPOT_FIDELITY_ADD],
        &metrics[SPOT_FIDELITY_KS_ADD_GAP], &metrics[SPOT_FIDELITY_W1_ADD_GAP]);
    metrics[SPOT_FIDELITY_KS_PREEMPT_COUNT] = distance_of(
        &self->counts[SPOT_FIDELITY_PREEMPT], &against->counts[SPOT_FIDELITY_PREEMPT])
                                                  .ks;
    spot_counts_distance(&self->population, &against->population, &area, &area_squared);
    metrics[SPOT_FIDELITY_D_MEAN_N] = fabs(spot_counts_mean(&self->population) -
                                           spot_counts_mean(&against->population)) /
                                      capacity;
    metrics[SPOT_FIDELITY_W1_N] = area / capacity;
    metrics[SPOT_FIDELITY_ENERGY_N] = sqrt(2 * area_squared) / sqrt(capacity);
    metrics[SPOT_FIDELITY_ACF_N] =
        compare_acf(&self->acf_population, &against->acf_population);
    metrics[SPOT_FIDELITY_ACF_EVENTS] =
        compare_acf(&self->acf_windows, &against->acf_windows);
}
