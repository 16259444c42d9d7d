/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/compare/fidelity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/units.h"
#include "traces/describe/sample.h"

/* The finest tick of a comparison. */
#define COMPARE_TICK_MS 60000

static int fidelity_sample_resize(spot_fidelity_sample_t *self, size_t num_values);
static int fidelity_take_figures(spot_fidelity_t *self, const spot_observation_t *observation);

/* ---- The trace at the tick of a comparison ---- */

/* A population above the losses of any tick, so that the recorder keeps them all. */
#define UNLIMITED_POPULATION (INT64_MAX / 4)

int64_t spot_observation_tick_ms(int64_t resolution_ms, int64_t other_resolution_ms)
{
    const int64_t coarsest_ms =
        resolution_ms > other_resolution_ms ? resolution_ms : other_resolution_ms;

    return coarsest_ms > COMPARE_TICK_MS ? coarsest_ms : COMPARE_TICK_MS;
}

static int64_t change_of(spot_event_kind_t kind, int64_t count)
{
    return kind == SPOT_EVENT_ADD ? count : -count;
}

void spot_observation_start(spot_observation_t *self, const spot_observation_frame_t *frame,
    int64_t initial, bool is_unlimited)
{
    self->frame = *frame;
    self->initial = initial;
    self->num_events = 0;
    spot_recorder_init(&self->recorder, frame->tick_ms, frame->is_net,
        is_unlimited ? UNLIMITED_POPULATION : initial);
}

/* Appends the events seen up to the end; those of a tick after the end are lost. */
static int append(spot_observation_t *self, const spot_event_t *seen, size_t num_seen)
{
    const int ret = SPOT_ARRAY_ROOM(self, events, self->num_events + num_seen);

    for (size_t j = 0; ret == 0 && j < num_seen; j++) {
        if ((double) seen[j].time_ms <= self->frame.end_ms) {
            self->events[self->num_events++] =
                (spot_observation_event_t){(double) seen[j].time_ms, seen[j].kind, seen[j].count};
        }
    }
    return ret;
}

int spot_observation_take(
    spot_observation_t *self, int64_t time_ms, spot_event_kind_t kind, int64_t count)
{
    spot_event_t seen[SPOT_RECORDER_EVENTS];
    const size_t num_seen =
        spot_recorder_take(&self->recorder, (double) time_ms, kind, count, seen);

    return num_seen == 0 ? 0 : append(self, seen, num_seen);
}

int spot_observation_finish(spot_observation_t *self)
{
    spot_event_t seen[SPOT_RECORDER_EVENTS];
    const size_t num_seen = spot_recorder_finish(&self->recorder, seen);

    return append(self, seen, num_seen);
}

static int64_t largest_population(const spot_observation_t *self)
{
    int64_t population = self->initial, largest = self->initial;

    for (size_t j = 0; j < self->num_events; j++) {
        population += change_of(self->events[j].kind, self->events[j].count);
        largest = population > largest ? population : largest;
    }
    return largest;
}

int spot_observation_of_trace(
    spot_observation_t *self, const spot_trace_t *trace, int64_t tick_ms, bool is_net)
{
    const spot_observation_frame_t frame = {.tick_ms = tick_ms,
        .is_net = is_net,
        .end_ms = (double) trace->end_ms,
        .capacity = trace->capacity};
    int ret = 0;

    spot_observation_start(self, &frame, trace->initial, false);
    for (size_t j = 0; ret == 0 && j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        ret = spot_observation_take(self, event->time_ms, event->kind, event->count);
    }
    ret = ret == 0 ? spot_observation_finish(self) : ret;
    if (ret == 0 && trace->capacity == SPOT_UNBOUNDED) {
        self->frame.capacity = largest_population(self);
        self->frame.capacity += self->frame.capacity == 0; /* nothing ever ran */
    }
    return ret;
}

/* Population after the events of the last tick up to time_ms. */
static int64_t population_at_tick(const spot_observation_t *self, double time_ms)
{
    const double tick_ms = (double) self->frame.tick_ms;
    const double last_ms = floor(time_ms / tick_ms) * tick_ms;
    int64_t population = self->initial;

    for (size_t j = 0; j < self->num_events && self->events[j].time_ms <= last_ms; j++) {
        population += change_of(self->events[j].kind, self->events[j].count);
    }
    return population;
}

int spot_observation_half(spot_observation_t *self, const spot_observation_t *whole, bool is_second)
{
    const double half_ms = whole->frame.end_ms / 2; /* exact */
    const double start_ms = is_second ? half_ms : 0;
    const int ret = SPOT_ARRAY_ROOM(self, events, whole->num_events);

    self->frame = whole->frame;
    self->frame.end_ms = half_ms;
    self->initial = population_at_tick(whole, start_ms);
    self->num_events = 0;
    for (size_t j = 0; ret == 0 && j < whole->num_events; j++) {
        const spot_observation_event_t *event = &whole->events[j];

        if (event->time_ms > start_ms && event->time_ms <= start_ms + half_ms) {
            self->events[self->num_events] = *event;
            self->events[self->num_events++].time_ms -= start_ms;
        }
    }
    return ret;
}

void spot_observation_free(spot_observation_t *self)
{
    free(self->events);
    memset(self, 0, sizeof(*self));
}

/* Number of whole intervals of length_ms up to the end of an observation. */
static size_t num_intervals(const spot_observation_t *observation, int64_t length_ms)
{
    return (size_t) floor(observation->frame.end_ms / (double) length_ms);
}

/* Clears all runs and makes room for max_runs. */
static int start_runs(spot_counts_t *self, size_t max_runs)
{
    const int ret = SPOT_ARRAY_ROOM(self, runs, max_runs);

    self->num_runs = 0;
    self->num_values = 0;
    self->min = self->max = self->sum = 0;
    return ret;
}

/* Appends num_values equal values; num_values may be 0. */
static void add_run(spot_counts_t *self, int64_t value, size_t num_values)
{
    if (num_values == 0) {
        return;
    }
    self->min = self->num_values == 0 || value < self->min ? value : self->min;
    self->max = self->num_values == 0 || value > self->max ? value : self->max;
    self->sum += value * (int64_t) num_values;
    self->num_values += num_values;
    if (self->num_runs > 0 && self->runs[self->num_runs - 1].value == value) {
        self->runs[self->num_runs - 1].num_values += (int64_t) num_values;
    } else {
        self->runs[self->num_runs++] = (spot_counts_run_t){value, (int64_t) num_values};
    }
}

static int compare_runs(const void *left, const void *right)
{
    const int64_t a = ((const spot_counts_run_t *) left)->value;
    const int64_t b = ((const spot_counts_run_t *) right)->value;

    return (a > b) - (a < b);
}

/* Sorts a copy of the runs by value and merges those of one value. */
static int count_levels(spot_counts_t *self)
{
    size_t num_levels = 0;
    const int ret = SPOT_ARRAY_ROOM(self, levels, self->num_runs);

    if (ret != 0) {
        return ret;
    }
    memcpy(self->levels, self->runs, self->num_runs * sizeof(*self->runs));
    qsort(self->levels, self->num_runs, sizeof(*self->levels), compare_runs);
    for (size_t j = 0; j < self->num_runs; j++) {
        if (num_levels > 0 && self->levels[num_levels - 1].value == self->levels[j].value) {
            self->levels[num_levels - 1].num_values += self->levels[j].num_values;
        } else {
            self->levels[num_levels++] = self->levels[j];
        }
    }
    self->num_levels = num_levels;
    return 0;
}

/* Takes N at 0, s, 2s, ... up to the end, s the tick, each after the events of that
 * instant. NO_MEMORY; free self even then. O(events log events). */
static int counts_of_population(spot_counts_t *self, const spot_observation_t *observation)
{
    const int64_t tick_ms = observation->frame.tick_ms;
    const size_t num_ticks = num_intervals(observation, tick_ms) + 1;
    int64_t population = observation->initial;

    if (start_runs(self, observation->num_events + 1) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < observation->num_events; j++) {
        const spot_observation_event_t *event = &observation->events[j];
        const size_t tick_id = (size_t) ceil(event->time_ms / (double) tick_ms);

        if (tick_id >= num_ticks) {
            break; /* after the last tick */
        }
        add_run(self, population, tick_id - self->num_values);
        population += event->kind == SPOT_EVENT_ADD ? event->count : -event->count;
    }
    add_run(self, population, num_ticks - self->num_values);
    return count_levels(self);
}

/* Contribution of an event to its window: instances preempted, or 1 per event. */
static int64_t weight_of(const spot_observation_event_t *event, bool is_preempted)
{
    if (is_preempted) {
        return event->kind == SPOT_EVENT_PREEMPT ? event->count : 0;
    }
    return event->kind != SPOT_EVENT_STOP;
}

/* Takes the events of both directions, or with is_preempted the preempted instances, per
 * whole window [k W, (k + 1) W) from 0 on, the last one closed. NO_MEMORY; free self
 * even then. O(events). */
static int counts_of_events(spot_counts_t *self, const spot_observation_t *observation,
    int64_t window_ms, bool is_preempted)
{
    const size_t num_windows = num_intervals(observation, window_ms);
    const double last_ms = (double) ((int64_t) num_windows * window_ms);
    size_t window_id = 0;
    int64_t sum = 0;

    if (start_runs(self, 2 * observation->num_events + 2) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (num_windows == 0) {
        return 0;
    }
    for (size_t j = 0; j < observation->num_events; j++) {
        const spot_observation_event_t *event = &observation->events[j];
        size_t of_event = (size_t) floor(event->time_ms / (double) window_ms);

        if (event->time_ms > last_ms) {
            break;
        }
        of_event = of_event < num_windows ? of_event : num_windows - 1;
        if (of_event > window_id) {
            add_run(self, sum, 1);
            add_run(self, 0, of_event - window_id - 1);
            window_id = of_event;
            sum = 0;
        }
        sum += weight_of(event, is_preempted);
    }
    add_run(self, sum, 1);
    add_run(self, 0, num_windows - window_id - 1);
    return 0;
}

static void counts_free(spot_counts_t *self)
{
    free(self->runs);
    free(self->levels);
    memset(self, 0, sizeof(*self));
}

/* NAN without values. */
static double counts_mean(const spot_counts_t *self)
{
    return self->num_values > 0 ? (double) self->sum / (double) self->num_values : (double) NAN;
}

/* Variance (with n - 1) / mean; NAN for fewer than two values or mean 0.
 * O(num_values). */
static double counts_vmr(const spot_counts_t *self)
{
    const double n = (double) self->num_values, mean = counts_mean(self);
    double sum_squares = 0;

    if (self->num_values < 2 || self->sum == 0) {
        return (double) NAN;
    }
    for (size_t j = 0; j < self->num_runs; j++) {
        const double difference = (double) self->runs[j].value - mean;

        for (int64_t k = 0; k < self->runs[j].num_values; k++) {
            sum_squares += difference * difference; /* rounded as value by value */
        }
    }
    return sum_squares / (n - 1) / mean;
}

/* Share of the values that are <= limit, or >= limit; NAN without values. */
static double counts_share_up_to(const spot_counts_t *self, int64_t limit)
{
    int64_t num_such = 0;

    for (size_t j = 0; j < self->num_runs; j++) {
        num_such += self->runs[j].value <= limit ? self->runs[j].num_values : 0;
    }
    return self->num_values > 0 ? (double) num_such / (double) self->num_values : (double) NAN;
}

static double counts_share_from(const spot_counts_t *self, int64_t limit)
{
    return 1 - counts_share_up_to(self, limit - 1);
}

/* The change of y = x - centre at the start of a run; y is 0 before the first run and
 * after the last one. */
static double jump_at(const spot_counts_t *self, int64_t centre, size_t run_id)
{
    const int64_t before = run_id > 0 ? self->runs[run_id - 1].value - centre : 0;
    const int64_t from = run_id < self->num_runs ? self->runs[run_id].value - centre : 0;

    return (double) (from - before);
}

/* Sums of d_i d_{i+k}, d_i = y_i - y_{i-1}, for k = 0 ... num_lags - 1. d is 0 except at
 * the starts of runs: O(runs times runs within num_lags values). */
static void sum_jump_products(
    const spot_counts_t *self, int64_t centre, size_t num_lags, double *sums)
{
    for (size_t k = 0; k < num_lags; k++) {
        sums[k] = 0;
    }
    for (size_t j = 0; j <= self->num_runs; j++) {
        const double jump = jump_at(self, centre, j);
        int64_t lag = 0;

        for (size_t k = j; lag < (int64_t) num_lags; k++) {
            sums[lag] += jump * jump_at(self, centre, k);
            if (k == self->num_runs) {
                break;
            }
            lag += self->runs[k].num_values;
        }
    }
}

static double sum_of_squares(const spot_counts_t *self, int64_t centre)
{
    double sum = 0;

    for (size_t j = 0; j < self->num_runs; j++) {
        const double y = (double) (self->runs[j].value - centre);

        sum += y * y * (double) self->runs[j].num_values;
    }
    return sum;
}

/* A place in the values, which moves one by one from either end. */
typedef struct {
    size_t run_id;
    int64_t num_passed; /* values of the run */
} cursor_t;

static int64_t next_value(const spot_counts_t *self, cursor_t *cursor, bool is_from_end)
{
    const spot_counts_run_t *run =
        &self->runs[is_from_end ? self->num_runs - 1 - cursor->run_id : cursor->run_id];

    if (++cursor->num_passed == run->num_values) {
        cursor->run_id++;
        cursor->num_passed = 0;
    }
    return run->value;
}

/* Sets acf[k - 1] to the autocorrelation r_k = sum (x_i - m)(x_{i+k} - m) / sum (x_i -
 * m)^2, k = 1 ... num_lags; 0 from lag num_values on and if all values are equal. O(runs
 * times runs within num_lags values, plus num_lags). */
/* Let y = x - c, c an integer near the mean, and d = m - c. The sum of (y_i - d)(y_{i+k}
 * - d) is the sum of y_i y_{i+k}, minus d times (the sum of y without the last k values
 * + the sum without the first k), plus (n - k) d^2. With |d| <= 1/2 nothing cancels.
 *
 * The sums S_k of y_i y_{i+k} follow from those of jumps, D_k = 2 S_k - S_{k-1} -
 * S_{k+1} and S_{-1} = S_1. All are integers, exact below 2^53; beyond that the error of
 * S_k is about k^2 roundings of S_0. */
static void counts_acf(const spot_counts_t *self, size_t num_lags, double *acf)
{
    const size_t n = self->num_values;
    const int64_t centre = n > 0 ? llround(counts_mean(self)) : 0;
    const int64_t sum = self->sum - (int64_t) n * centre;
    const double offset = n > 0 ? (double) sum / (double) n : 0;
    int64_t head = sum, tail = sum; /* sums of y without the last, the first k values */
    cursor_t first = {0}, last = {0};
    double product = 0, earlier_product = 0, sum_squares = 0;
    size_t num_known = 0;

    if (self->min != self->max) {
        sum_jump_products(self, centre, num_lags, acf);
        product = sum_of_squares(self, centre);
        sum_squares = product - offset * (double) (head + tail) + (double) n * offset * offset;
        num_known = num_lags < n ? num_lags : n - 1;
    }
    for (size_t k = 1; k <= num_known; k++) {
        const double jumps = acf[k - 1];
        const double next_product =
            k == 1 ? product - jumps / 2 : 2 * product - earlier_product - jumps;

        earlier_product = product;
        product = next_product;
        head -= next_value(self, &last, true) - centre;
        tail -= next_value(self, &first, false) - centre;
        acf[k - 1] =
            (product - offset * (double) (head + tail) + (double) (n - k) * offset * offset) /
            sum_squares;
    }
    for (size_t k = num_known; k < num_lags; k++) {
        acf[k] = 0;
    }
}

/* A level; INT64_MAX after the last one. */
static int64_t level_at(const spot_counts_t *self, size_t level_id)
{
    return level_id < self->num_levels ? self->levels[level_id].value : INT64_MAX;
}

/* Integrals over all levels of |F - H| and (F - H)^2, F and H the empirical distribution
 * functions of two populations with at least one value. O(levels). */
static void counts_distance(
    const spot_counts_t *self, const spot_counts_t *other, double *area, double *area_squared)
{
    int64_t num_self = 0, num_other = 0; /* values up to the level */
    int64_t level = spot_smaller(level_at(self, 0), level_at(other, 0)), next;
    size_t j = 0, k = 0;

    *area = *area_squared = 0;
    for (; level != INT64_MAX; level = next) {
        double difference, width;

        num_self += level_at(self, j) == level ? self->levels[j++].num_values : 0;
        num_other += level_at(other, k) == level ? other->levels[k++].num_values : 0;
        next = spot_smaller(level_at(self, j), level_at(other, k));
        width = next == INT64_MAX ? 0 : (double) (next - level);
        difference = (double) num_self / (double) self->num_values -
                     (double) num_other / (double) other->num_values;
        *area += fabs(difference) * width;
        *area_squared += difference * difference * width;
    }
}

/* ---- Figures and distances ---- */

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
    const int ret = fidelity_sample_resize(acf, num_lags);

    if (ret == 0) {
        counts_acf(counts, num_lags, acf->values);
    }
    return ret;
}

int spot_fidelity_measure(
    spot_fidelity_t *self, const spot_observation_t *observation, const spot_fidelity_t *against)
{
    const int64_t tick_ms = observation->frame.tick_ms;
    const int64_t window_ms = 2 * tick_ms > MIN_WINDOW_MS ? 2 * tick_ms : MIN_WINDOW_MS;
    int ret = fidelity_take_figures(self, observation);

    ret = ret == 0 ? counts_of_events(&self->windows, observation, window_ms, false) : ret;
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
    counts_free(&self->population);
    counts_free(&self->windows);
    counts_free(&self->hours);
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
    counts_distance(&self->population, &against->population, &area, &area_squared);
    metrics[SPOT_FIDELITY_D_MEAN_N] =
        fabs(counts_mean(&self->population) - counts_mean(&against->population)) / capacity;
    metrics[SPOT_FIDELITY_W1_N] = area / capacity;
    metrics[SPOT_FIDELITY_ENERGY_N] = sqrt(2 * area_squared) / sqrt(capacity);
    metrics[SPOT_FIDELITY_ACF_N] = compare_acf(&self->acf_population, &against->acf_population);
    metrics[SPOT_FIDELITY_ACF_EVENTS] = compare_acf(&self->acf_windows, &against->acf_windows);
}

/* Fewest whole hours for the Fano factor. */
#define MIN_HOURS 8

/* Sets the number of values, whose contents may be undefined. NO_MEMORY. */
static int fidelity_sample_resize(spot_fidelity_sample_t *self, size_t num_values)
{
    const int ret = SPOT_ARRAY_ROOM(self, values, num_values);

    self->num_values = ret == 0 ? num_values : 0;
    return ret;
}

static int append_value(spot_fidelity_sample_t *self, double value)
{
    const int ret = fidelity_sample_resize(self, self->num_values + 1);

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
            ret = append_value(gaps_s, (event->time_ms - latest_ms) / (double) SPOT_MS_PER_S);
        }
        ret = ret == 0 ? append_value(counts, (double) event->count) : ret;
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
    figures[SPOT_FIDELITY_MEAN_N] = counts_mean(population);
    figures[SPOT_FIDELITY_MIN_N] = (double) population->min;
    figures[SPOT_FIDELITY_MAX_N] = (double) population->max;
    figures[SPOT_FIDELITY_FRAC_FULL] = counts_share_from(population, capacity);
    figures[SPOT_FIDELITY_FRAC_EMPTY] = counts_share_up_to(population, 0);
}

/* Sorts a sample; one without values may have no memory. */
static void sort(spot_fidelity_sample_t *self)
{
    if (self->num_values > 0) {
        spot_sort(self->values, self->num_values);
    }
}

/* Fills the samples, the counts and the figures; sorts the samples. NO_MEMORY. */
static int fidelity_take_figures(spot_fidelity_t *self, const spot_observation_t *observation)
{
    int ret = 0;

    self->capacity = observation->frame.capacity;
    for (int j = 0; j < SPOT_FIDELITY_NUM_DIRECTIONS && ret == 0; j++) {
        ret = take_samples(self, observation, j);
    }
    ret = ret == 0 ? counts_of_population(&self->population, observation) : ret;
    if (ret == 0) {
        ret = counts_of_events(&self->hours, observation, SPOT_MS_PER_H, true);
    }
    if (ret != 0) {
        return ret;
    }
    take_gap_figures(&self->gaps_s[SPOT_FIDELITY_PREEMPT], self->figures);
    take_size_figures(self->counts, self->figures);
    take_population_figures(&self->population, self->capacity, self->figures);
    self->figures[SPOT_FIDELITY_FANO_1H] =
        self->hours.num_values >= MIN_HOURS ? counts_vmr(&self->hours) : (double) NAN;
    for (int j = 0; j < SPOT_FIDELITY_NUM_DIRECTIONS; j++) {
        sort(&self->gaps_s[j]);
        sort(&self->counts[j]);
    }
    return 0;
}

/* ---- Replications of a model ---- */

/* Called for each replication. */
typedef int (*visit_t)(void *context, int64_t replication, const spot_observation_t *observation);

static int record(
    const spot_replicate_t *self, void *state, int64_t replication, spot_observation_t *observation)
{
    const spot_dice_t dice = {self->seed, (uint64_t) replication, 0};
    spot_event_t event;
    int ret = 0;

    self->model->generator->start(state, self->model->model, &dice);
    spot_observation_start(observation, &self->frame,
        spot_trace_model_initial_of(self->model, state),
        spot_trace_model_is_unlimited(self->model));
    while (ret == 0 && spot_trace_model_next(self->model, state, &event) &&
           (double) event.time_ms <= self->frame.end_ms) {
        ret = spot_observation_take(observation, event.time_ms, event.kind, event.count);
    }
    if (ret == 0 && spot_trace_model_stopped_ms(self->model, state) >= 0) {
        ret = SPOT_ERR_OVERDRAW; /* the rest of the replication is missing */
    }
    return ret == 0 ? spot_observation_finish(observation) : ret;
}

static int visit_all(const spot_replicate_t *self, visit_t visit, void *context)
{
    void *state = spot_calloc(1, spot_trace_model_state_bytes(self->model));
    spot_observation_t observation = {0};
    int ret = state == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (int64_t j = 0; ret == 0 && j < self->num_replications; j++) {
        ret = spot_watch_is_stopped(&self->watch) ? SPOT_ERR_INTERRUPTED
                                                  : record(self, state, j, &observation);
        if (ret == 0) {
            ret = visit(context, j, &observation);
            spot_watch_report(&self->watch, j + 1, self->num_replications);
        }
    }
    spot_observation_free(&observation);
    free(state);
    return ret;
}

typedef struct {
    const spot_fidelity_t *against;
    spot_fidelity_t fidelity;
    spot_moments_t *moments; /* [SPOT_FIDELITY_NUM_METRICS] */
} measuring_t;

static int measure(void *context, int64_t replication, const spot_observation_t *observation)
{
    measuring_t *self = context;
    double metrics[SPOT_FIDELITY_NUM_METRICS];
    const int ret = spot_fidelity_measure(&self->fidelity, observation, self->against);

    (void) replication;
    if (ret != 0) {
        return ret;
    }
    spot_fidelity_compare(&self->fidelity, self->against, metrics);
    for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
        if (isfinite(metrics[j])) {
            spot_moments_add(&self->moments[j], metrics[j]);
        }
    }
    return 0;
}

int spot_replicate_fidelity(const spot_replicate_t *self, const spot_fidelity_t *against,
    spot_moments_t moments[SPOT_FIDELITY_NUM_METRICS])
{
    measuring_t measuring = {.against = against, .moments = moments};
    int ret;

    memset(moments, 0, SPOT_FIDELITY_NUM_METRICS * sizeof(*moments));
    ret = visit_all(self, measure, &measuring);
    spot_fidelity_free(&measuring.fidelity);
    return ret;
}

/* State of sampling the replications. */
typedef struct {
    const spot_band_t *band;
    size_t stride; /* ticks from point to point of a population */
    int direction; /* of gaps */
    int64_t num_replications;
    double *values; /* [points][num_replications]; NAN: none */
    spot_counts_t ticks;
    spot_fidelity_t fidelity;
} sampling_t;

static double *value_at(const sampling_t *self, size_t point_id, int64_t replication)
{
    return &self->values[point_id * (size_t) self->num_replications + (size_t) replication];
}

static int sample_population(
    void *context, int64_t replication, const spot_observation_t *observation)
{
    sampling_t *self = context;
    const int ret = counts_of_population(&self->ticks, observation);
    const spot_counts_run_t *run = self->ticks.runs;
    size_t num_before = 0; /* ticks of earlier runs */

    for (size_t j = 0; ret == 0 && j < self->band->num_points; j++) {
        while (num_before + (size_t) run->num_values <= j * self->stride) {
            num_before += (size_t) run->num_values;
            run++;
        }
        *value_at(self, j, replication) = (double) run->value;
    }
    return ret;
}

static int sample_gaps(void *context, int64_t replication, const spot_observation_t *observation)
{
    sampling_t *self = context;
    const int ret = fidelity_take_figures(&self->fidelity, observation);
    const spot_fidelity_sample_t *gaps_s = &self->fidelity.gaps_s[self->direction];
    const double num_gaps = (double) gaps_s->num_values;
    size_t num_up_to = 0;

    for (size_t j = 0; ret == 0 && j < self->band->num_points; j++) {
        while (
            num_up_to < gaps_s->num_values && gaps_s->values[num_up_to] <= self->band->time_s[j]) {
            num_up_to++;
        }
        *value_at(self, j, replication) =
            num_gaps > 0 ? 1 - (double) num_up_to / num_gaps : (double) NAN;
    }
    return ret;
}

static void take_quantiles(spot_band_t *self, const sampling_t *sampling, double *sorted)
{
    for (size_t j = 0; j < self->num_points; j++) {
        size_t num_values = 0;

        for (int64_t k = 0; k < sampling->num_replications; k++) {
            const double value = *value_at(sampling, j, k);

            if (!isnan(value)) {
                sorted[num_values++] = value;
            }
        }
        spot_sort(sorted, num_values);
        self->low[j] = spot_quantile(sorted, num_values, 0.05);
        self->median[j] = spot_quantile(sorted, num_values, 0.5);
        self->high[j] = spot_quantile(sorted, num_values, 0.95);
    }
}

static int allocate(spot_band_t *self, size_t num_points)
{
    memset(self, 0, sizeof(*self));
    self->num_points = num_points;
    SPOT_ARENA_ARRAY(&self->memory, self->time_s, num_points);
    SPOT_ARENA_ARRAY(&self->memory, self->low, num_points);
    SPOT_ARENA_ARRAY(&self->memory, self->median, num_points);
    SPOT_ARENA_ARRAY(&self->memory, self->high, num_points);
    return self->memory.error;
}

/* Fills a band whose times are set. */
static int fill(
    spot_band_t *self, const spot_replicate_t *replicate, sampling_t *sampling, visit_t visit)
{
    const size_t num_replications = (size_t) replicate->num_replications;
    double *sorted = spot_calloc(num_replications, sizeof(*sorted));
    int ret = SPOT_ERR_NO_MEMORY;

    sampling->band = self;
    sampling->num_replications = replicate->num_replications;
    sampling->values = spot_calloc(self->num_points, num_replications * sizeof(*sampling->values));
    if (sorted != NULL && sampling->values != NULL) {
        ret = visit_all(replicate, visit, sampling);
    }
    if (ret == 0) {
        take_quantiles(self, sampling, sorted);
    }
    counts_free(&sampling->ticks);
    spot_fidelity_free(&sampling->fidelity);
    free(sampling->values);
    free(sorted);
    return ret;
}

int spot_band_init(spot_band_t *self, const spot_replicate_t *replicate, size_t max_points)
{
    const double tick_ms = (double) replicate->frame.tick_ms;
    const size_t num_ticks = (size_t) floor(replicate->frame.end_ms / tick_ms) + 1;
    sampling_t sampling = {0};
    int ret;

    spot_bug_assert(max_points > 0 && replicate->num_replications > 0);
    sampling.stride = (num_ticks + max_points - 1) / max_points;
    ret = allocate(self, (num_ticks + sampling.stride - 1) / sampling.stride);
    for (size_t j = 0; ret == 0 && j < self->num_points; j++) {
        self->time_s[j] = (double) (j * sampling.stride) * tick_ms / (double) SPOT_MS_PER_S;
    }
    return ret == 0 ? fill(self, replicate, &sampling, sample_population) : ret;
}

int spot_band_init_gaps(spot_band_t *self, const spot_replicate_t *replicate, int direction,
    size_t num_points, const double *time_s)
{
    sampling_t sampling = {.direction = direction};
    int ret;

    spot_bug_assert(num_points > 0 && replicate->num_replications > 0);
    ret = allocate(self, num_points);
    if (ret == 0) {
        memcpy(self->time_s, time_s, num_points * sizeof(*time_s));
        ret = fill(self, replicate, &sampling, sample_gaps);
    }
    return ret;
}

void spot_band_free(spot_band_t *self)
{
    spot_arena_free(&self->memory);
    memset(self, 0, sizeof(*self));
}
