/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/describe/series.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"

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
