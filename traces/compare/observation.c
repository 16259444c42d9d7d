/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/compare/observation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/memory.h"

/* A population above the losses of any tick, so that the recorder keeps them all. */
#define UNLIMITED_POPULATION (INT64_MAX / 4)

int64_t spot_observation_tick_ms(int64_t resolution_ms, int64_t other_resolution_ms)
{
    const int64_t coarsest_ms =
        resolution_ms > other_resolution_ms ? resolution_ms : other_resolution_ms;

    return coarsest_ms > SPOT_COMPARE_TICK_MS ? coarsest_ms : SPOT_COMPARE_TICK_MS;
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

int spot_counts_of_population(spot_counts_t *self, const spot_observation_t *observation)
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

int spot_counts_of_events(spot_counts_t *self, const spot_observation_t *observation,
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

void spot_counts_free(spot_counts_t *self)
{
    free(self->runs);
    free(self->levels);
    memset(self, 0, sizeof(*self));
}

double spot_counts_mean(const spot_counts_t *self)
{
    return self->num_values > 0 ? (double) self->sum / (double) self->num_values : (double) NAN;
}

double spot_counts_vmr(const spot_counts_t *self)
{
    const double n = (double) self->num_values, mean = spot_counts_mean(self);
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

double spot_counts_share_up_to(const spot_counts_t *self, int64_t limit)
{
    int64_t num_such = 0;

    for (size_t j = 0; j < self->num_runs; j++) {
        num_such += self->runs[j].value <= limit ? self->runs[j].num_values : 0;
    }
    return self->num_values > 0 ? (double) num_such / (double) self->num_values : (double) NAN;
}

double spot_counts_share_from(const spot_counts_t *self, int64_t limit)
{
    return 1 - spot_counts_share_up_to(self, limit - 1);
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

/* Let y = x - c, c an integer near the mean, and d = m - c. The sum of (y_i - d)(y_{i+k}
 * - d) is the sum of y_i y_{i+k}, minus d times (the sum of y without the last k values
 * + the sum without the first k), plus (n - k) d^2. With |d| <= 1/2 nothing cancels.
 *
 * The sums S_k of y_i y_{i+k} follow from those of jumps, D_k = 2 S_k - S_{k-1} -
 * S_{k+1} and S_{-1} = S_1. All are integers, exact below 2^53; beyond that the error of
 * S_k is about k^2 roundings of S_0. */
void spot_counts_acf(const spot_counts_t *self, size_t num_lags, double *acf)
{
    const size_t n = self->num_values;
    const int64_t centre = n > 0 ? llround(spot_counts_mean(self)) : 0;
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

void spot_counts_distance(
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
