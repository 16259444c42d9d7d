/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/compare/fidelity_figures.h"

#include <math.h>

#include "base/memory.h"
#include "base/stats.h"
#include "base/units.h"
#include "traces/describe/series.h"

/* Fewest whole hours for the Fano factor. */
#define MIN_HOURS 8

int
spot_fidelity_sample_resize(spot_fidelity_sample_t *self, size_t num_values)
{
    const int ret = SPOT_ARRAY_ROOM(self, values, num_values);

    self->num_values = ret == 0 ? num_values : 0;
    return ret;
}

static int
append(spot_fidelity_sample_t *self, double value)
{
    const int ret = spot_fidelity_sample_resize(self, self->num_values + 1);

    if (ret == 0) {
        self->values[self->num_values - 1] = value;
    }
    return ret;
}

/* Takes the complete gaps between the events of a direction, and the sizes of the
 * events. */
static int
take_samples(spot_fidelity_t *self, const spot_observation_t *observation, int direction)
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

static spot_moments_t
moments_of(const spot_fidelity_sample_t *sample)
{
    spot_moments_t moments = {0};

    for (size_t j = 0; j < sample->num_values; j++) {
        spot_moments_add(&moments, sample->values[j]);
    }
    return moments;
}

/* Takes the figures of the gaps, which must be in order of time. */
static void
take_gap_figures(const spot_fidelity_sample_t *gaps_s, double *figures)
{
    const spot_moments_t moments = moments_of(gaps_s);
    const double mean_s = spot_moments_mean(&moments);

    figures[SPOT_FIDELITY_MTBP_S] = mean_s;
    figures[SPOT_FIDELITY_GAP_SD_S] = spot_moments_std(&moments);
    figures[SPOT_FIDELITY_GAP_CV] = figures[SPOT_FIDELITY_GAP_SD_S] / mean_s;
    figures[SPOT_FIDELITY_GAP_ACF1] = (double) NAN;
    if (gaps_s->num_values >= 2) {
        spot_series_acf(
            gaps_s->values, gaps_s->num_values, 1, &figures[SPOT_FIDELITY_GAP_ACF1]);
    }
}

static void
take_size_figures(const spot_fidelity_sample_t *counts, double *figures)
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

static void
take_population_figures(
    const spot_counts_t *population, int64_t capacity, double *figures)
{
    figures[SPOT_FIDELITY_MEAN_N] = spot_counts_mean(population);
    figures[SPOT_FIDELITY_MIN_N] = (double) population->min;
    figures[SPOT_FIDELITY_MAX_N] = (double) population->max;
    figures[SPOT_FIDELITY_FRAC_FULL] = spot_counts_share_from(population, capacity);
    figures[SPOT_FIDELITY_FRAC_EMPTY] = spot_counts_share_up_to(population, 0);
}

/* Sorts a sample; one without values may have no memory. */
static void
sort(spot_fidelity_sample_t *self)
{
    if (self->num_values > 0) {
        spot_sort(self->values, self->num_values);
    }
}

int
spot_fidelity_take_figures(spot_fidelity_t *self, const spot_observation_t *observation)
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
    self->figures[SPOT_FIDELITY_FANO_1H] = self->hours.num_values >= MIN_HOURS
                                               ? spot_counts_vmr(&self->hours)
                                               : (double) NAN;
    for (int j = 0; j < SPOT_FIDELITY_NUM_DIRECTIONS; j++) {
        sort(&self->gaps_s[j]);
        sort(&self->counts[j]);
    }
    return 0;
}
