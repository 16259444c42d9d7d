/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/compare/fidelity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"
#include "base/units.h"
#include "traces/describe/sample.h"

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

int spot_fidelity_metric_id(const char *name)
{
    for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
        if (strcmp(spot_fidelity_metrics[j].name, name) == 0) {
            return j;
        }
    }
    return -1;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t num_population_lags(size_t num_ticks, int64_t tick_ms)
{
    const size_t num_in_reach = (size_t) (LAGS_MS / tick_ms);

    return least(num_ticks / 4, num_in_reach > MIN_LAGS ? num_in_reach : MIN_LAGS);
}

static int take_acf(spot_fidelity_sample_t *acf, const spot_counts_t *counts, size_t num_lags)
{
    const int ret = spot_fidelity_sample_resize(acf, num_lags);

    if (ret == 0) {
        spot_counts_acf(counts, num_lags, acf->values);
    }
    return ret;
}

int spot_fidelity_measure(
    spot_fidelity_t *self, const spot_observation_t *observation, const spot_fidelity_t *against)
{
    const int64_t tick_ms = observation->frame.tick_ms;
    const int64_t window_ms = 2 * tick_ms > MIN_WINDOW_MS ? 2 * tick_ms : MIN_WINDOW_MS;
    int ret = spot_fidelity_take_figures(self, observation);

    ret = ret == 0 ? spot_counts_of_events(&self->windows, observation, window_ms, false) : ret;
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

void spot_fidelity_free(spot_fidelity_t *self)
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
static spot_distance_t distance_of(const spot_fidelity_sample_t *a, const spot_fidelity_sample_t *b)
{
    if (a->num_values < MIN_VALUES || b->num_values < MIN_VALUES) {
        return (spot_distance_t){.ks = 1, .area = 1, .area_squared = 1};
    }
    return spot_series_distance(a->values, a->num_values, b->values, b->num_values);
}

static spot_moments_t moments_of(const spot_fidelity_sample_t *sample)
{
    spot_moments_t moments = {0};

    for (size_t j = 0; j < sample->num_values; j++) {
        spot_moments_add(&moments, sample->values[j]);
    }
    return moments;
}

static void compare_gaps(
    const spot_fidelity_sample_t *a, const spot_fidelity_sample_t *b, double *ks, double *w1)
{
    const spot_distance_t distance = distance_of(a, b);
    const spot_moments_t moments = moments_of(b);

    *ks = distance.ks;
    *w1 = a->num_values < MIN_VALUES || b->num_values < MIN_VALUES
              ? 1
              : distance.area / spot_moments_mean(&moments);
}

/* Rms difference; NAN without lags, when the series of B is too short. */
static double compare_acf(const spot_fidelity_sample_t *a, const spot_fidelity_sample_t *b)
{
    double sum = 0;

    spot_bug_assert(a->num_values == b->num_values);
    for (size_t j = 0; j < b->num_values; j++) {
        sum += (a->values[j] - b->values[j]) * (a->values[j] - b->values[j]);
    }
    return b->num_values > 0 ? sqrt(sum / (double) b->num_values) : (double) NAN;
}

void spot_fidelity_compare(const spot_fidelity_t *self, const spot_fidelity_t *against,
    double metrics[SPOT_FIDELITY_NUM_METRICS])
{
    const double capacity = (double) against->capacity;
    double area, area_squared;

    memcpy(metrics, self->figures, sizeof(self->figures));
    compare_gaps(&self->gaps_s[SPOT_FIDELITY_PREEMPT], &against->gaps_s[SPOT_FIDELITY_PREEMPT],
        &metrics[SPOT_FIDELITY_KS_PREEMPT_GAP], &metrics[SPOT_FIDELITY_W1_PREEMPT_GAP]);
    compare_gaps(&self->gaps_s[SPOT_FIDELITY_ADD], &against->gaps_s[SPOT_FIDELITY_ADD],
        &metrics[SPOT_FIDELITY_KS_ADD_GAP], &metrics[SPOT_FIDELITY_W1_ADD_GAP]);
    metrics[SPOT_FIDELITY_KS_PREEMPT_COUNT] =
        distance_of(&self->counts[SPOT_FIDELITY_PREEMPT], &against->counts[SPOT_FIDELITY_PREEMPT])
            .ks;
    spot_counts_distance(&self->population, &against->population, &area, &area_squared);
    metrics[SPOT_FIDELITY_D_MEAN_N] =
        fabs(spot_counts_mean(&self->population) - spot_counts_mean(&against->population)) /
        capacity;
    metrics[SPOT_FIDELITY_W1_N] = area / capacity;
    metrics[SPOT_FIDELITY_ENERGY_N] = sqrt(2 * area_squared) / sqrt(capacity);
    metrics[SPOT_FIDELITY_ACF_N] = compare_acf(&self->acf_population, &against->acf_population);
    metrics[SPOT_FIDELITY_ACF_EVENTS] = compare_acf(&self->acf_windows, &against->acf_windows);
}

/* Fewest whole hours for the Fano factor. */
#define MIN_HOURS 8

int spot_fidelity_sample_resize(spot_fidelity_sample_t *self, size_t num_values)
{
    const int ret = SPOT_ARRAY_ROOM(self, values, num_values);

    self->num_values = ret == 0 ? num_values : 0;
    return ret;
}

static int append(spot_fidelity_sample_t *self, double value)
{
    const int ret = spot_fidelity_sample_resize(self, self->num_values + 1);

    if (ret == 0) {
        self->values[self->num_values - 1] = value;
    }
    return ret;
}

/* Takes the complete gaps between the events of a direction, and the sizes of the
 * events. */
static int take_samples(spot_fidelity_t *self, const spot_observation_t *observation, int direction)
{
    const spot_event_kind_t kind =
        direction == SPOT_FIDELITY_ADD ? SPOT_EVENT_ADD : SPOT_EVENT_PREEMPT;
    spot_fidelity_sample_t *gaps_s = &self->gaps_s[direction];
    spot_fidelity_sample_t *counts = &self->counts[direction];
    double latest_ms = 0;
    int ret = 0;

    gaps_s->num_values = counts->num_values = 0;
    for (size_t j = 0; ret == 0 && j < observation->num_events; j++) {
        const spot_observation_event_t *event = &observation->events[j];

        if (event->kind != kind) {
            continue;
        }
        if (counts->num_values > 0) {
            ret = append(gaps_s, (event->time_ms - latest_ms) / (double) SPOT_MS_PER_S);
        }
        ret = ret == 0 ? append(counts, (double) event->count) : ret;
        latest_ms = event->time_ms;
    }
    return ret;
}

/* Takes the figures of the gaps, which must be in order of time. */
static void take_gap_figures(const spot_fidelity_sample_t *gaps_s, double *figures)
{
    const spot_moments_t moments = moments_of(gaps_s);
    const double mean_s = spot_moments_mean(&moments);

    figures[SPOT_FIDELITY_MTBP_S] = mean_s;
    figures[SPOT_FIDELITY_GAP_SD_S] = spot_moments_std(&moments);
    figures[SPOT_FIDELITY_GAP_CV] = figures[SPOT_FIDELITY_GAP_SD_S] / mean_s;
    figures[SPOT_FIDELITY_GAP_ACF1] = (double) NAN;
    if (gaps_s->num_values >= 2) {
        spot_series_acf(gaps_s->values, gaps_s->num_values, 1, &figures[SPOT_FIDELITY_GAP_ACF1]);
    }
}

static void take_size_figures(const spot_fidelity_sample_t *counts, double *figures)
{
    const spot_moments_t preempted = moments_of(&counts[SPOT_FIDELITY_PREEMPT]);
    const spot_moments_t added = moments_of(&counts[SPOT_FIDELITY_ADD]);
    const double std = spot_moments_std(&preempted);
    double sums[SPOT_FIDELITY_NUM_DIRECTIONS] = {0, 0};

    for (int j = 0; j < SPOT_FIDELITY_NUM_DIRECTIONS; j++) {
        for (size_t k = 0; k < counts[j].num_values; k++) {
            sums[j] += counts[j].values[k]; /* whole numbers: exact */
        }
    }
    figures[SPOT_FIDELITY_PREEMPT_EVENTS] = (double) preempted.num_values;
    figures[SPOT_FIDELITY_ADD_EVENTS] = (double) added.num_values;
    figures[SPOT_FIDELITY_PREEMPTED] = sums[SPOT_FIDELITY_PREEMPT];
    figures[SPOT_FIDELITY_ADDED] = sums[SPOT_FIDELITY_ADD];
    figures[SPOT_FIDELITY_PREEMPT_COUNT_MEAN] = spot_moments_mean(&preempted);
    figures[SPOT_FIDELITY_PREEMPT_COUNT_VMR] = std * std / spot_moments_mean(&preempted);
    figures[SPOT_FIDELITY_ADD_COUNT_MEAN] = spot_moments_mean(&added);
}

static void take_population_figures(
    const spot_counts_t *population, int64_t capacity, double *figures)
{
    figures[SPOT_FIDELITY_MEAN_N] = spot_counts_mean(population);
    figures[SPOT_FIDELITY_MIN_N] = (double) population->min;
    figures[SPOT_FIDELITY_MAX_N] = (double) population->max;
    figures[SPOT_FIDELITY_FRAC_FULL] = spot_counts_share_from(population, capacity);
    figures[SPOT_FIDELITY_FRAC_EMPTY] = spot_counts_share_up_to(population, 0);
}

/* Sorts a sample; one without values may have no memory. */
static void sort(spot_fidelity_sample_t *self)
{
    if (self->num_values > 0) {
        spot_sort(self->values, self->num_values);
    }
}

int spot_fidelity_take_figures(spot_fidelity_t *self, const spot_observation_t *observation)
{
    int ret = 0;

    self->capacity = observation->frame.capacity;
    for (int j = 0; j < SPOT_FIDELITY_NUM_DIRECTIONS && ret == 0; j++) {
        ret = take_samples(self, observation, j);
    }
    ret = ret == 0 ? spot_counts_of_population(&self->population, observation) : ret;
    if (ret == 0) {
        ret = spot_counts_of_events(&self->hours, observation, SPOT_MS_PER_H, true);
    }
    if (ret != 0) {
        return ret;
    }
    take_gap_figures(&self->gaps_s[SPOT_FIDELITY_PREEMPT], self->figures);
    take_size_figures(self->counts, self->figures);
    take_population_figures(&self->population, self->capacity, self->figures);
    self->figures[SPOT_FIDELITY_FANO_1H] =
        self->hours.num_values >= MIN_HOURS ? spot_counts_vmr(&self->hours) : (double) NAN;
    for (int j = 0; j < SPOT_FIDELITY_NUM_DIRECTIONS; j++) {
        sort(&self->gaps_s[j]);
        sort(&self->counts[j]);
    }
    return 0;
}
