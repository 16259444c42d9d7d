/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/compare/population.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Whole intervals of length_ms up to the end of an observation. */
static size_t
num_intervals(const spot_observation_t *observation, int64_t length_ms)
{
    return (size_t) floor(observation->frame.end_ms / (double) length_ms);
}

static int
reserve_values(spot_counts_t *self, size_t num_values)
{
    void *values = self->values;
    const int ret = spot_array_reserve(
        &values, &self->max_values, num_values, sizeof(*self->values));

    self->values = values;
    self->num_values = ret == 0 ? num_values : 0;
    return ret;
}

static void
find_range(spot_counts_t *self)
{
    self->min = self->max = self->num_values > 0 ? self->values[0] : 0;
    self->sum = 0;
    for (size_t j = 0; j < self->num_values; j++) {
        self->min = self->values[j] < self->min ? self->values[j] : self->min;
        self->max = self->values[j] > self->max ? self->values[j] : self->max;
        self->sum += self->values[j];
    }
}

static int
compare_levels(const void *left, const void *right)
{
    const int64_t a = ((const spot_level_t *) left)->value;
    const int64_t b = ((const spot_level_t *) right)->value;

    return (a > b) - (a < b);
}

/* Values that follow one another are mostly alike: these runs are sorted, which are as
 * many as events at most, then those of one value are put together. */
static int
count_levels(spot_counts_t *self)
{
    void *levels = self->levels;
    size_t num_runs = 1, num_levels = 0;
    int ret;

    for (size_t j = 1; j < self->num_values; j++) {
        num_runs += self->values[j] != self->values[j - 1];
    }
    ret =
        spot_array_reserve(&levels, &self->max_levels, num_runs, sizeof(*self->levels));
    self->levels = levels;
    if (ret != 0) {
        return ret;
    }
    num_runs = 0;
    for (size_t j = 0; j < self->num_values; j++) {
        if (j > 0 && self->values[j] == self->values[j - 1]) {
            self->levels[num_runs - 1].num_values++;
        } else {
            self->levels[num_runs++] = (spot_level_t){self->values[j], 1};
        }
    }
    qsort(self->levels, num_runs, sizeof(*self->levels), compare_levels);
    for (size_t j = 0; j < num_runs; j++) {
        if (num_levels > 0 &&
            self->levels[num_levels - 1].value == self->levels[j].value) {
            self->levels[num_levels - 1].num_values += self->levels[j].num_values;
        } else {
            self->levels[num_levels++] = self->levels[j];
        }
    }
    self->num_levels = num_levels;
    return 0;
}

int
spot_counts_of_population(spot_counts_t *self, const spot_observation_t *observation)
{
    const int64_t tick_ms = observation->frame.tick_ms;
    const size_t num_ticks = num_intervals(observation, tick_ms) + 1;
    int64_t population = observation->initial;
    size_t event_id = 0;

    if (reserve_values(self, num_ticks) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_ticks; j++) {
        const double time_ms = (double) ((int64_t) j * tick_ms);

        for (; event_id < observation->num_events &&
               observation->events[event_id].time_ms <= time_ms;
             event_id++) {
            const spot_observation_event_t *event = &observation->events[event_id];

            population += event->kind == SPOT_EVENT_ADD ? event->count : -event->count;
        }
        self->values[j] = population;
    }
    find_range(self);
    return count_levels(self);
}

/* What a window adds up of an event: instances preempted, or 1 for each event. */
static int64_t
weight_of(const spot_observation_event_t *event, bool is_preempted)
{
    if (is_preempted) {
        return event->kind == SPOT_EVENT_PREEMPT ? event->count : 0;
    }
    return event->kind != SPOT_EVENT_STOP;
}

static int
count_windows(spot_counts_t *self, const spot_observation_t *observation,
    int64_t window_ms, bool is_preempted)
{
    const size_t num_windows = num_intervals(observation, window_ms);
    const double last_ms = (double) ((int64_t) num_windows * window_ms);

    if (reserve_values(self, num_windows) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_windows; j++) {
        self->values[j] = 0;
    }
    for (size_t j = 0; j < observation->num_events; j++) {
        const spot_observation_event_t *event = &observation->events[j];
        const size_t window_id = (size_t) floor(event->time_ms / (double) window_ms);

        if (event->time_ms <= last_ms && num_windows > 0) {
            self->values[window_id < num_windows ? window_id : num_windows - 1] +=
                weight_of(event, is_preempted);
        }
    }
    find_range(self);
    return 0;
}

int
spot_counts_of_events(
    spot_counts_t *self, const spot_observation_t *observation, int64_t window_ms)
{
    return count_windows(self, observation, window_ms, false);
}

int
spot_counts_of_preempted(
    spot_counts_t *self, const spot_observation_t *observation, int64_t window_ms)
{
    return count_windows(self, observation, window_ms, true);
}

void
spot_counts_free(spot_counts_t *self)
{
    free(self->values);
    free(self->levels);
    memset(self, 0, sizeof(*self));
}

double
spot_counts_mean(const spot_counts_t *self)
{
    return self->num_values > 0 ? (double) self->sum / (double) self->num_values
                                : (double) NAN;
}

double
spot_counts_vmr(const spot_counts_t *self)
{
    const double n = (double) self->num_values, mean = spot_counts_mean(self);
    double sum_squares = 0;

    if (self->num_values < 2 || self->sum == 0) {
        return (double) NAN;
    }
    for (size_t j = 0; j < self->num_values; j++) {
        const double difference = (double) self->values[j] - mean;

        sum_squares += difference * difference;
    }
    return sum_squares / (n - 1) / mean;
}

double
spot_counts_share_up_to(const spot_counts_t *self, int64_t limit)
{
    size_t num_such = 0;

    for (size_t j = 0; j < self->num_values; j++) {
        num_such += self->values[j] <= limit;
    }
    return self->num_values > 0 ? (double) num_such / (double) self->num_values
                                : (double) NAN;
}

double
spot_counts_share_from(const spot_counts_t *self, int64_t limit)
{
    return 1 - spot_counts_share_up_to(self, limit - 1);
}

/* Sum of y_i y_{i+k}, y = x - centre: exact in whole numbers, unless these are so large
 * that they do not fit. */
static double
sum_products(const spot_counts_t *self, int64_t centre, size_t k)
{
    const double range = (double) (self->max - self->min + 1);
    const bool is_exact = range * range * (double) self->num_values < 0x1p62;
    int64_t sum = 0;
    double large_sum = 0;

    for (size_t j = 0; is_exact && j + k < self->num_values; j++) {
        sum += (self->values[j] - centre) * (self->values[j + k] - centre);
    }
    for (size_t j = 0; !is_exact && j + k < self->num_values; j++) {
        large_sum += (double) (self->values[j] - centre) *
                     (double) (self->values[j + k] - centre);
    }
    return is_exact ? (double) sum : large_sum;
}

/* With y = x - c, c a whole number near the mean and d = m - c, the sum of (y_i -
 * d)(y_{i+k} - d) is that of y_i y_{i+k}, less d times what is left of the two sums of
 * y, plus (n - k) d^2. With |d| <= 1/2 nothing cancels. */
void
spot_counts_acf(const spot_counts_t *self, size_t num_lags, double *acf)
{
    const size_t n = self->num_values;
    const int64_t centre = n > 0 ? llround(spot_counts_mean(self)) : 0;
    const int64_t sum = self->sum - (int64_t) n * centre;
    const double offset = n > 0 ? (double) sum / (double) n : 0;
    int64_t head = sum, tail = sum; /* sums of y without the last, the first k values */
    double sum_squares = 0;

    for (size_t k = 0; k < num_lags; k++) {
        acf[k] = 0;
    }
    if (self->min == self->max) {
        return;
    }
    for (size_t k = 0; k <= num_lags && k < n; k++) {
        const double covariance = sum_products(self, centre, k) -
                                  offset * (double) (head + tail) +
                                  (double) (n - k) * offset * offset;

        if (k == 0) {
            sum_squares = covariance;
        } else {
            acf[k - 1] = covariance / sum_squares;
        }
        head -= self->values[n - 1 - k] - centre;
        tail -= self->values[k] - centre;
    }
}

/* INT64_MAX behind the last level. */
static int64_t
level_at(const spot_counts_t *self, size_t level_id)
{
    return level_id < self->num_levels ? self->levels[level_id].value : INT64_MAX;
}

static int64_t
least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void
spot_counts_distance(const spot_counts_t *self, const spot_counts_t *other, double *area,
    double *area_squared)
{
    int64_t num_self = 0, num_other = 0; /* values up to the level */
    int64_t level = least(level_at(self, 0), level_at(other, 0)), next;
    size_t j = 0, k = 0;

    *area = *area_squared = 0;
    for (; level != INT64_MAX; level = next) {
        double difference, width;

        num_self += level_at(self, j) == level ? self->levels[j++].num_values : 0;
        num_other += level_at(other, k) == level ? other->levels[k++].num_values : 0;
        next = least(level_at(self, j), level_at(other, k));
        width = next == INT64_MAX ? 0 : (double) (next - level);
        difference = (double) num_self / (double) self->num_values -
                     (double) num_other / (double) other->num_values;
        *area += fabs(difference) * width;
        *area_squared += difference * difference * width;
    }
}
