/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/durations.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"

typedef struct {
    double value_s;
    bool is_censored;
} value_t;

static int compare_values(const void *left, const void *right)
{
    const double a = ((const value_t *) left)->value_s;
    const double b = ((const value_t *) right)->value_s;

    return (a > b) - (a < b);
}

static int compare_numbers(const void *left, const void *right)
{
    const double a = *(const double *) left, b = *(const double *) right;

    return (a > b) - (a < b);
}

static bool is_multiple(double value_s, double tick_s)
{
    const double ticks = value_s / tick_s;

    return fabs(ticks - round(ticks)) <= SPOT_FIT_ON_TICK * fmax(1, ticks);
}

static void group_values(spot_fit_durations_t *self, const value_t *values, size_t num_values)
{
    for (size_t j = 0; j < num_values; j++) {
        if (self->num_groups == 0 ||
            self->groups[self->num_groups - 1].value_s != values[j].value_s) {
            self->groups[self->num_groups++] = (spot_duration_t){
                .value_s = values[j].value_s, .log_value = log(values[j].value_s)};
        }
        if (values[j].is_censored) {
            self->groups[self->num_groups - 1].num_censored++;
        } else {
            self->groups[self->num_groups - 1].num_deaths++;
        }
    }
}

/* Start of the interval of a value; the first one starts at 0. */
static double lower_end(const spot_fit_durations_t *self, double value_s)
{
    const double below_s = value_s - self->tick_s;

    return below_s > SPOT_FIT_ON_TICK * self->tick_s ? below_s : 0;
}

static size_t find_point(const spot_fit_durations_t *self, double point_s)
{
    const double *found = bsearch(
        &point_s, self->points_s, self->num_points, sizeof(*self->points_s), compare_numbers);

    return (size_t) (found - self->points_s);
}

/* Lists the distinct points at which survival is needed: on a lattice the end of one
 * interval is often the start of another. */
static void list_points(spot_fit_durations_t *self)
{
    double *points_s = self->points_s;
    size_t num_points = 0, num_kept = 0;

    for (size_t j = 0; j < self->num_groups; j++) {
        points_s[num_points++] = self->groups[j].value_s;
        if (self->tick_s > 0) {
            points_s[num_points++] = lower_end(self, self->groups[j].value_s);
        }
    }
    if (num_points > 0) {
        qsort(points_s, num_points, sizeof(*points_s), compare_numbers);
    }
    for (size_t j = 0; j < num_points; j++) {
        if (num_kept == 0 || points_s[j] != points_s[num_kept - 1]) {
            points_s[num_kept++] = points_s[j];
        }
    }
    self->num_points = num_kept;
    for (size_t j = 0; j < self->num_groups; j++) {
        self->groups[j].at_id = find_point(self, self->groups[j].value_s);
        self->groups[j].below_id = self->tick_s > 0
                                       ? find_point(self, lower_end(self, self->groups[j].value_s))
                                       : self->groups[j].at_id;
    }
}

static void measure(spot_fit_durations_t *self)
{
    spot_sum_t sum = {0}, sum_log = {0}, sum_log_complete = {0}, sum_squares = {0};
    double n = 0, first_s = (double) INFINITY, last_s = 0;

    self->is_on_ticks = self->tick_s > 0;
    for (size_t j = 0; j < self->num_groups; j++) {
        const spot_duration_t *group = &self->groups[j];
        const double count = (double) (group->num_deaths + group->num_censored);

        n += count;
        spot_sum_add(&sum, count * group->value_s);
        spot_sum_add(&sum_log, count * group->log_value);
        spot_sum_add(&sum_log_complete, (double) group->num_deaths * group->log_value);
        if (group->num_deaths > 0) {
            first_s = fmin(first_s, group->value_s);
            last_s = group->value_s;
        }
        self->is_on_ticks = self->is_on_ticks && is_multiple(group->value_s, self->tick_s);
        self->max_s = group->value_s;
    }
    self->sum_s = spot_sum_total(&sum);
    self->mean_s = self->sum_s / (double) self->num_values;
    self->mean_log = spot_sum_total(&sum_log) / n;
    self->mean_log_complete = spot_sum_total(&sum_log_complete) / (double) self->num_complete;
    for (size_t j = 0; j < self->num_groups; j++) {
        const spot_duration_t *group = &self->groups[j];

        spot_sum_add(&sum_squares, (double) (group->num_deaths + group->num_censored) *
                                       pow(group->log_value - self->mean_log, 2));
    }
    self->std_log = sqrt(spot_sum_total(&sum_squares) / n);
    self->is_one_value = first_s >= last_s || last_s <= self->tick_s * (1 + SPOT_FIT_ON_TICK);
}

int spot_fit_durations_init(spot_fit_durations_t *self, const double *values,
    const bool *is_censored, size_t num_values, double tick_s, double resolution_s)
{
    spot_arena_t scratch = {0};
    value_t *sorted;
    double *raised;
    bool *censored;
    size_t num_known = 0; /* all values but those censored at 0 */
    int error;

    memset(self, 0, sizeof(*self));
    self->tick_s = tick_s;
    self->num_values = num_values;
    SPOT_ARENA_ARRAY(&self->memory, self->groups, num_values);
    SPOT_ARENA_ARRAY(&self->memory, self->points_s, 2 * num_values);
    SPOT_ARENA_ARRAY(&self->memory, self->log_survival, 2 * num_values);
    SPOT_ARENA_ARRAY(&scratch, sorted, num_values);
    SPOT_ARENA_ARRAY(&scratch, raised, num_values);
    SPOT_ARENA_ARRAY(&scratch, censored, num_values);
    error = spot_error_first(self->memory.error, scratch.error);
    if (error != 0) {
        goto out;
    }
    for (size_t j = 0; j < num_values; j++) {
        const bool is_open = is_censored != NULL && is_censored[j];

        self->num_complete += is_open ? 0 : 1;
        if (is_open && !(values[j] > 0)) {
            continue;
        }
        raised[num_known] = values[j] > 0 ? values[j] : tick_s > 0 ? tick_s : resolution_s;
        censored[num_known] = is_open;
        sorted[num_known] = (value_t){raised[num_known], is_open};
        self->num_raised += values[j] > 0 ? 0 : 1;
        num_known++;
    }
    if (num_known > 0) {
        qsort(sorted, num_known, sizeof(*sorted), compare_values);
    }
    group_values(self, sorted, num_known);
    list_points(self);
    measure(self);
    error = spot_kaplan_meier_init(&self->kaplan_meier, raised, censored, num_known);
out:
    spot_arena_free(&scratch);
    return error;
}

void spot_fit_durations_free(spot_fit_durations_t *self)
{
    spot_arena_free(&self->memory);
    spot_kaplan_meier_free(&self->kaplan_meier);
    memset(self, 0, sizeof(*self));
}

/* ln(e^from - e^to) without cancellation: Maechler, "Accurately computing
 * log(1 - exp(-|a|))", 2012. */
static double log_difference(double from, double to)
{
    const double e = to - from;

    if (!(e < 0)) {
        return (double) -INFINITY; /* the interval is empty, or both survivals are 0 */
    }
    return from + (e > -M_LN2 ? log(-expm1(e)) : log1p(-exp(e)));
}

static double lattice_log_likelihood(spot_fit_durations_t *self, const spot_law_t *law)
{
    double *log_survival = self->log_survival, sum = 0;

    for (size_t j = 0; j < self->num_points; j++) {
        log_survival[j] = self->points_s[j] > 0
                              ? law->family->log_survival(law->parameters, self->points_s[j])
                              : 0;
    }
    for (size_t j = 0; j < self->num_groups; j++) {
        const spot_duration_t *group = &self->groups[j];
        const double at = log_survival[group->at_id];

        if (group->num_deaths > 0) {
            sum += (double) group->num_deaths * log_difference(log_survival[group->below_id], at);
        }
        if (group->num_censored > 0) {
            sum += (double) group->num_censored * at;
        }
    }
    return sum;
}

double spot_fit_durations_log_likelihood(spot_fit_durations_t *self, const spot_law_t *law)
{
    const spot_family_t *family = law->family;
    double sum = 0;

    if (self->tick_s > 0) {
        return lattice_log_likelihood(self, law);
    }
    for (size_t j = 0; j < self->num_groups; j++) {
        const spot_duration_t *group = &self->groups[j];

        if (group->num_deaths > 0) {
            sum +=
                (double) group->num_deaths * family->log_density(law->parameters, group->value_s);
        }
        if (group->num_censored > 0) {
            sum += (double) group->num_censored *
                   family->log_survival(law->parameters, group->value_s);
        }
    }
    return sum;
}

double spot_fit_default_tick(
    const spot_sample_t *sample, spot_sample_kind_t kind, double resolution_s)
{
    if (kind == SPOT_SAMPLE_LIFETIME || !(resolution_s >= SPOT_FIT_MIN_TICK_S)) {
        return 0;
    }
    for (size_t j = 0; j < sample->num_values; j++) {
        if (!is_multiple(sample->values[j], resolution_s)) {
            return 0;
        }
    }
    return resolution_s;
}

/* Least probabilities: one impossible value must not make all families equal. */
#define LEAST_P 1e-300
#define LEAST_1_P 1e-16

static double law_log_survival(const spot_law_t *law, double t_s)
{
    return t_s > 0 ? law->family->log_survival(law->parameters, t_s) : 0;
}

static double cumulative(const spot_law_t *law, double t_s)
{
    return -expm1(law_log_survival(law, t_s));
}

/* F_n is a staircase and F never falls: between two values the largest difference is at
 * the first tick or at the last one. */
static double lattice_ks(const spot_fit_durations_t *durations, const spot_law_t *law)
{
    const double tick_s = durations->tick_s, n = (double) durations->num_values;
    double largest = 0, before = 1;
    size_t num_below = 0;

    for (size_t j = 0; j < durations->num_groups; j++) {
        const double tick = ceil(durations->groups[j].value_s / tick_s - SPOT_FIT_ON_TICK);

        if (tick > before) {
            largest =
                fmax(largest, fabs((double) num_below / n - cumulative(law, (tick - 1) * tick_s)));
        }
        num_below += durations->groups[j].num_deaths;
        if (j + 1 == durations->num_groups ||
            ceil(durations->groups[j + 1].value_s / tick_s - SPOT_FIT_ON_TICK) > tick) {
            largest = fmax(largest, fabs((double) num_below / n - cumulative(law, tick * tick_s)));
        }
        before = tick;
    }
    return largest;
}

double spot_fit_ks(const spot_fit_durations_t *durations, const spot_law_t *law)
{
    const spot_kaplan_meier_t *km = &durations->kaplan_meier;
    double largest = 0, before = 0;

    if (durations->tick_s > 0) {
        return durations->num_complete == durations->num_values ? lattice_ks(durations, law)
                                                                : (double) NAN;
    }
    for (size_t j = 0; j < km->num_steps; j++) {
        const double at = cumulative(law, km->steps[j].time);
        const double after = 1 - km->steps[j].survival;

        largest = fmax(largest, fmax(fabs(after - at), fabs(at - before)));
        before = after;
    }
    return largest;
}

static double log_f(double log_s)
{
    return log(fmax(LEAST_P, -expm1(log_s)));
}

static double log_1_f(double log_s)
{
    return fmax(log(LEAST_1_P), log_s);
}

/* -n - sum (2 i - 1)/n [ln F(x_i) + ln(1 - F(x_{n+1-i}))]. The factors of equal values
 * add up to differences of squares of ranks. */
static double complete_ad(const spot_fit_durations_t *durations, const spot_law_t *law)
{
    const double n = (double) durations->num_values;
    double sum = 0, below = 0;

    for (size_t j = 0; j < durations->num_groups; j++) {
        const double log_s = law_log_survival(law, durations->groups[j].value_s);
        const double count = (double) durations->groups[j].num_deaths;
        const double above = below + count;

        sum += count * ((below + above) * log_f(log_s) + (2 * n - below - above) * log_1_f(log_s));
        below = above;
    }
    return -n - sum / n;
}

/* Antiderivative of (c - F)^2/(F (1 - F)), F_n = c, at the F with ln(1 - F) = log_s. */
static double antiderivative(double c, double log_s)
{
    const double left = 1 - c;
    double value = expm1(fmax(log(LEAST_1_P), log_s));

    if (c > 0) {
        value += c * c * log_f(log_s);
    }
    if (left > 0) {
        value -= left * left * log_1_f(log_s);
    }
    return value;
}

static double censored_ad(const spot_fit_durations_t *durations, const spot_law_t *law)
{
    const spot_kaplan_meier_t *km = &durations->kaplan_meier;
    double sum = 0, c = 0, from = 0;

    for (size_t j = 0; j < km->num_steps; j++) {
        const double to = law_log_survival(law, km->steps[j].time);

        sum += antiderivative(c, to) - antiderivative(c, from);
        c = 1 - km->steps[j].survival;
        from = to;
    }
    return (double) durations->num_values * sum;
}

double spot_fit_ad(const spot_fit_durations_t *durations, const spot_law_t *law)
{
    if (durations->tick_s > 0) {
        return (double) NAN;
    }
    return durations->num_complete == durations->num_values ? complete_ad(durations, law)
                                                            : censored_ad(durations, law);
}
