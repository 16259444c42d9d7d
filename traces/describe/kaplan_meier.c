/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/describe/kaplan_meier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"

/* 1/2 with room for rounding. */
#define HALF (0.5 * (1 + 1e-12))

typedef struct {
    double time;
    bool is_censored;
} life_t;

/* Orders by time; at one time deaths first, as censored values are still at risk. */
static int
compare_lives(const void *left, const void *right)
{
    const life_t *a = left, *b = right;

    if (a->time != b->time) {
        return a->time > b->time ? 1 : -1;
    }
    return (int) a->is_censored - (int) b->is_censored;
}

/* Between two censorings the factors telescope: S is `from` times the share of `block`
 * still alive, with one rounding for any number of deaths. */
static void
take_steps(spot_kaplan_meier_t *self, const life_t *lives)
{
    double from = 1, survival = 1;
    size_t block = self->num_values, j = 0;

    while (j < self->num_values) {
        const double time = lives[j].time;
        const size_t num_at_risk = self->num_values - j;
        size_t num_deaths = 0;

        for (; j < self->num_values && lives[j].time == time && !lives[j].is_censored;
             j++) {
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

int
spot_kaplan_meier_init(spot_kaplan_meier_t *self, const double *values,
    const bool *is_censored, size_t num_values)
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

void
spot_kaplan_meier_free(spot_kaplan_meier_t *self)
{
    free(self->steps);
    memset(self, 0, sizeof(*self));
}

double
spot_kaplan_meier_survival(const spot_kaplan_meier_t *self, double time)
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

double
spot_kaplan_meier_median(const spot_kaplan_meier_t *self)
{
    for (size_t j = 0; j < self->num_steps; j++) {
        if (self->steps[j].survival <= HALF) {
            return self->steps[j].time;
        }
    }
    return self->num_values > 0 ? (double) INFINITY : (double) NAN;
}

double
spot_kaplan_meier_restricted_mean(const spot_kaplan_meier_t *self)
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
