/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/describe/sample.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/units.h"

/* ---- The samples of a trace ---- */

const char *const spot_sample_kind_names[] = {"preempt-gap", "add-gap", "change-gap",
    "preempt-count", "add-count", "up-spell", "down-spell", "lifetime", NULL};

static int reserve(spot_sample_t *self, size_t max_values, bool has_limits)
{
    memset(self, 0, sizeof(*self));
    SPOT_ARENA_ARRAY(&self->memory, self->values, max_values);
    SPOT_ARENA_ARRAY(&self->memory, self->is_censored, max_values);
    if (has_limits) {
        SPOT_ARENA_ARRAY(&self->memory, self->limits, max_values);
    }
    return self->memory.error;
}

void spot_sample_free(spot_sample_t *self)
{
    spot_arena_free(&self->memory);
    memset(self, 0, sizeof(*self));
}

static void append(spot_sample_t *self, double value, bool is_censored)
{
    self->is_censored[self->num_values] = is_censored;
    self->values[self->num_values++] = value;
}

static void append_duration(spot_sample_t *self, int64_t duration_ms, bool is_censored)
{
    append(self, (double) duration_ms / (double) SPOT_MS_PER_S, is_censored);
}

/* Takes the gaps between the distinct times of the events of kind. */
static void take_gaps(spot_sample_t *self, const spot_bulks_t *bulks, spot_sample_kind_t kind)
{
    int64_t last_ms = -1;

    for (size_t j = 0; j < bulks->num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks->bulks[j];
        const bool is_counted = kind == SPOT_SAMPLE_CHANGE_GAP ? bulk->kind != SPOT_EVENT_STOP
                                : kind == SPOT_SAMPLE_ADD_GAP  ? bulk->kind == SPOT_EVENT_ADD
                                                               : bulk->kind == SPOT_EVENT_PREEMPT;

        if (is_counted && bulk->time_ms != last_ms) {
            if (last_ms >= 0) {
                append_duration(self, bulk->time_ms - last_ms, false);
            }
            last_ms = bulk->time_ms;
        }
    }
}

static void take_counts(spot_sample_t *self, const spot_trace_t *trace, const spot_bulks_t *bulks,
    spot_event_kind_t kind)
{
    const int32_t capacity = spot_trace_most(trace);

    for (size_t j = 0; j < bulks->num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks->bulks[j];
        const int32_t missing = capacity - bulk->before;

        if (bulk->kind != kind) {
            continue;
        }
        self->limits[self->num_values] = kind == SPOT_EVENT_PREEMPT ? bulk->before
                                         : missing > bulk->size     ? missing
                                                                    : bulk->size;
        append(self, bulk->size, false);
    }
}

/* With a capacity of 1 every event starts a spell of the other kind. */
static void take_spells(
    spot_sample_t *self, const spot_trace_t *trace, const spot_bulks_t *bulks, bool is_up)
{
    const spot_bulk_t *start = NULL;

    for (size_t j = 0; j < bulks->num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks->bulks[j];

        if (start != NULL && start->time_ms > 0 && (start->kind == SPOT_EVENT_ADD) == is_up) {
            append_duration(self, bulk->time_ms - start->time_ms, bulk->kind == SPOT_EVENT_STOP);
        }
        start = bulk;
    }
    if (start != NULL && start->time_ms > 0 && start->time_ms < trace->end_ms &&
        (start->kind == SPOT_EVENT_ADD) == is_up) {
        append_duration(self, trace->end_ms - start->time_ms, true);
    }
}

/* The life of a running name: its index in the sample and its start. */
typedef struct {
    size_t life_id;
    int64_t birth_ms;
} running_t;

static void give_birth(spot_sample_t *self, const int32_t *name_ids, int32_t count, int64_t time_ms,
    int64_t end_ms, running_t *running)
{
    for (int32_t j = 0; j < count; j++) {
        running[name_ids[j]] = (running_t){self->num_values, time_ms};
        append_duration(self, end_ms - time_ms, true);
    }
}

static int take_lifetimes(spot_sample_t *self, const spot_trace_t *trace)
{
    running_t *running = spot_calloc(trace->num_names, sizeof(*running));

    if (running == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    give_birth(self, trace->name_ids, trace->initial, 0, trace->end_ms, running);
    for (size_t j = 0; j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        if (event->kind == SPOT_EVENT_ADD) {
            give_birth(self, event->name_ids, event->count, event->time_ms, trace->end_ms, running);
            continue;
        }
        for (int32_t k = 0; k < event->count; k++) {
            const running_t *life = &running[event->name_ids[k]];

            self->values[life->life_id] =
                (double) (event->time_ms - life->birth_ms) / (double) SPOT_MS_PER_S;
            self->is_censored[life->life_id] = event->kind == SPOT_EVENT_STOP;
        }
    }
    free(running);
    return 0;
}

static int init_lives(spot_sample_t *self, const spot_trace_t *trace)
{
    const bool has_lives = trace->kind == SPOT_TRACE_NAMED;
    const int ret = reserve(self, has_lives ? trace->num_name_ids : 0, false);

    return ret == 0 && has_lives ? take_lifetimes(self, trace) : ret;
}

int spot_sample_init(spot_sample_t *self, const spot_trace_t *trace, spot_sample_kind_t kind)
{
    const bool is_count = kind == SPOT_SAMPLE_PREEMPT_COUNT || kind == SPOT_SAMPLE_ADD_COUNT;
    spot_bulks_t bulks;
    int ret;

    if (kind == SPOT_SAMPLE_LIFETIME) {
        return init_lives(self, trace);
    }
    memset(self, 0, sizeof(*self));
    ret = spot_bulks_init(&bulks, trace);
    ret = ret == 0 ? reserve(self, bulks.num_bulks, is_count) : ret;
    if (ret == 0 && is_count) {
        take_counts(self, trace, &bulks,
            kind == SPOT_SAMPLE_ADD_COUNT ? SPOT_EVENT_ADD : SPOT_EVENT_PREEMPT);
    } else if (ret == 0 && kind <= SPOT_SAMPLE_CHANGE_GAP) {
        take_gaps(self, &bulks, kind);
    } else if (ret == 0 && trace->capacity == 1) {
        take_spells(self, trace, &bulks, kind == SPOT_SAMPLE_UP_SPELL);
    }
    spot_bulks_free(&bulks);
    return ret;
}

int spot_sample_init_lifetimes(spot_sample_t *self, const spot_lifetimes_t *lifetimes)
{
    const int ret = reserve(self, lifetimes->num_lives, false);

    for (size_t j = 0; ret == 0 && j < lifetimes->num_lives; j++) {
        append_duration(self, lifetimes->lives[j].duration_ms, !lifetimes->lives[j].is_preempted);
    }
    return ret;
}

void spot_sample_keep_complete(spot_sample_t *self)
{
    size_t num_kept = 0;

    for (size_t j = 0; j < self->num_values; j++) {
        if (!self->is_censored[j]) {
            if (self->limits != NULL) {
                self->limits[num_kept] = self->limits[j];
            }
            self->is_censored[num_kept] = false;
            self->values[num_kept++] = self->values[j];
        }
    }
    self->num_values = num_kept;
}

/* ---- Statistics of a series ---- */

int spot_value_stats_init(spot_value_stats_t *self, const double *values, size_t num_values)
{
    double *sorted = spot_calloc(num_values, sizeof(*sorted));
    spot_moments_t moments = {0};

    if (sorted == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_values; j++) {
        sorted[j] = values[j];
        spot_moments_add(&moments, values[j]);
    }
    spot_sort(sorted, num_values);
    self->num_values = num_values;
    self->mean = spot_moments_mean(&moments);
    self->sd = spot_moments_std(&moments);
    self->cv = self->mean != 0 ? self->sd / self->mean : (double) NAN;
    self->median = spot_quantile(sorted, num_values, 0.5);
    self->max = num_values > 0 ? sorted[num_values - 1] : (double) NAN;
    free(sorted);
    return 0;
}

static bool is_constant(const double *values, size_t num_values)
{
    for (size_t j = 1; j < num_values; j++) {
        if (values[j] != values[0]) {
            return false;
        }
    }
    return true;
}

bool spot_series_acf(const double *values, size_t num_values, size_t num_lags, double *acf)
{
    spot_moments_t moments = {0};

    for (size_t k = 0; k < num_lags; k++) {
        acf[k] = 0;
    }
    if (is_constant(values, num_values)) {
        return false; /* rounding could leave a sum of squares above 0 */
    }
    for (size_t j = 0; j < num_values; j++) {
        spot_moments_add(&moments, values[j]);
    }
    for (size_t k = 1; k <= num_lags && k < num_values; k++) {
        spot_sum_t sum = {0};

        for (size_t j = 0; j + k < num_values; j++) {
            spot_sum_add(&sum, (values[j] - moments.mean) * (values[j + k] - moments.mean));
        }
        acf[k - 1] = spot_sum_total(&sum) / moments.sum_squares;
    }
    return true;
}

double spot_series_ljung_box_p(const double *acf, size_t num_lags, size_t num_values)
{
    const double n = (double) num_values;
    double sum = 0;

    if (num_values <= num_lags) {
        return (double) NAN;
    }
    for (size_t k = 1; k <= num_lags; k++) {
        sum += acf[k - 1] * acf[k - 1] / (n - (double) k);
    }
    return gsl_cdf_chisq_Q(n * (n + 2) * sum, (double) num_lags);
}

spot_distance_t spot_series_distance(
    const double *sorted_f, size_t num_f, const double *sorted_h, size_t num_h)
{
    spot_distance_t distance = {0};
    spot_sum_t area = {0}, area_squared = {0};
    size_t f = 0, h = 0;

    spot_bug_assert(num_f > 0 && num_h > 0);
    while (f < num_f || h < num_h) {
        const bool is_f = h == num_h || (f < num_f && sorted_f[f] <= sorted_h[h]);
        const double value = is_f ? sorted_f[f] : sorted_h[h];
        double difference, next;

        while (f < num_f && sorted_f[f] <= value) {
            f++;
        }
        while (h < num_h && sorted_h[h] <= value) {
            h++;
        }
        difference = fabs((double) f / (double) num_f - (double) h / (double) num_h);
        next = f == num_f   ? (h == num_h ? value : sorted_h[h])
               : h == num_h ? sorted_f[f]
                            : fmin(sorted_f[f], sorted_h[h]);
        distance.ks = fmax(distance.ks, difference);
        spot_sum_add(&area, difference * (next - value));
        spot_sum_add(&area_squared, difference * difference * (next - value));
    }
    distance.area = spot_sum_total(&area);
    distance.area_squared = spot_sum_total(&area_squared);
    return distance;
}

/* ---- Survival ---- */

/* 1/2 with room for rounding. */
#define HALF (0.5 * (1 + 1e-12))

typedef struct {
    double time;
    bool is_censored;
} life_t;

/* Orders by time; at one time deaths first, as censored values are still at risk. */
static int compare_lives(const void *left, const void *right)
{
    const life_t *a = left, *b = right;

    if (a->time != b->time) {
        return a->time > b->time ? 1 : -1;
    }
    return (int) a->is_censored - (int) b->is_censored;
}

/* Between two censorings the factors telescope: S is `from` times the share of `block`
 * still alive, with one rounding for any number of deaths. */
static void take_steps(spot_kaplan_meier_t *self, const life_t *lives)
{
    double from = 1, survival = 1;
    size_t block = self->num_values, j = 0;

    while (j < self->num_values) {
        const double time = lives[j].time;
        const size_t num_at_risk = self->num_values - j;
        size_t num_deaths = 0;

        for (; j < self->num_values && lives[j].time == time && !lives[j].is_censored; j++) {
            num_deaths++;
        }
        if (num_deaths > 0) {
            survival = from * ((double) (num_at_risk - num_deaths) / (double) block);
            self->steps[self->num_steps++] =
                (spot_survival_step_t){time, survival, num_at_risk, num_deaths};
            self->num_deaths += num_deaths;
        }
        for (; j < self->num_values && lives[j].time == time; j++) {
            from = survival;
            block = self->num_values - j - 1;
        }
    }
}

int spot_kaplan_meier_init(
    spot_kaplan_meier_t *self, const double *values, const bool *is_censored, size_t num_values)
{
    life_t *lives = spot_calloc(num_values, sizeof(*lives));

    memset(self, 0, sizeof(*self));
    self->steps = spot_calloc(num_values, sizeof(*self->steps));
    if (lives == NULL || self->steps == NULL) {
        free(lives);
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_values; j++) {
        lives[j] = (life_t){values[j], is_censored[j]};
    }
    if (num_values > 0) {
        qsort(lives, num_values, sizeof(*lives), compare_lives);
    }
    self->num_values = num_values;
    self->max = num_values > 0 ? lives[num_values - 1].time : (double) NAN;
    take_steps(self, lives);
    free(lives);
    return 0;
}

void spot_kaplan_meier_free(spot_kaplan_meier_t *self)
{
    free(self->steps);
    memset(self, 0, sizeof(*self));
}

double spot_kaplan_meier_survival(const spot_kaplan_meier_t *self, double time)
{
    size_t low = 0, high = self->num_steps;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (self->steps[middle].time <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? self->steps[low - 1].survival : 1;
}

double spot_kaplan_meier_median(const spot_kaplan_meier_t *self)
{
    for (size_t j = 0; j < self->num_steps; j++) {
        if (self->steps[j].survival <= HALF) {
            return self->steps[j].time;
        }
    }
    return self->num_values > 0 ? (double) INFINITY : (double) NAN;
}

double spot_kaplan_meier_restricted_mean(const spot_kaplan_meier_t *self)
{
    spot_sum_t area = {0};
    double survival = 1, time = 0;

    for (size_t j = 0; j < self->num_steps; j++) {
        spot_sum_add(&area, survival * (self->steps[j].time - time));
        survival = self->steps[j].survival;
        time = self->steps[j].time;
    }
    spot_sum_add(&area, survival * (self->max - time));
    return spot_sum_total(&area);
}
