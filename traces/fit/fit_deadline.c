/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/fit_deadline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"
#include "traces/fit/maximise.h"

/* Mean / limit above which a truncated exponential law equals the uniform one within the
 * precision of a double. */
#define UNIFORM 1e6

/* Conditions of a wall. */
#define WALL_MIN_DEATHS 10
#define WALL_SHARE 0.1
#define WALL_WIDTH 0.1 /* of its time */
#define WALL_DENSITY 10
#define STRAY_GAPS 5 /* in mean gaps */
#define OUTLIERS 50  /* one in this many deaths may come later */

void spot_fit_cut(spot_fit_cut_t *self, spot_sample_t *sample, double cut_s)
{
    spot_moments_t moments = {0};

    *self = (spot_fit_cut_t){.cut_s = cut_s};
    for (size_t j = 0; j < sample->num_values; j++) {
        if (!(sample->values[j] >= cut_s)) {
            continue;
        }
        if (!sample->is_censored[j]) {
            const double overrun_s = sample->values[j] - cut_s;

            spot_moments_add(&moments, overrun_s);
            self->max_s = fmax(self->max_s, overrun_s);
            self->num_deaths++;
        }
        sample->values[j] = cut_s;
        sample->is_censored[j] = true;
    }
    self->mean_s = self->num_deaths > 0 ? spot_moments_mean(&moments) : 0;
}

typedef struct {
    double mean_s;
    double limit_s;
} overrun_t;

/* Mean of TE(tau; [0, L]) - observed mean; it rises with ln tau. TE is a bathtub with
 * early deaths only. */
static double mean_equation(double log_tau, void *context)
{
    const overrun_t *self = context;
    const double bathtub[] = {1, exp(log_tau), 1, self->limit_s};

    return spot_family_bathtub.moment(bathtub, 1) - self->mean_s;
}

static double overrun_mean_s(overrun_t *self)
{
    const double high = log(self->limit_s * UNIFORM);
    double log_tau;

    return spot_root_find(mean_equation, self, log(self->mean_s), high, &log_tau) ? exp(log_tau)
                                                                                  : exp(high);
}

/* Rounds up to two significant digits. */
static double rounded_up(double value)
{
    const double unit = pow(10, floor(log10(value)) - 1);

    return fmax(value, ceil(value / unit) * unit);
}

void spot_fit_deadline(spot_law_t *law, const spot_law_t *lognormal, const spot_fit_cut_t *cut)
{
    overrun_t overrun = {.mean_s = cut->mean_s};

    *law = (spot_law_t){.family = &spot_family_deadline,
        .parameters = {lognormal->parameters[0], lognormal->parameters[1],
            cut->num_deaths > 0 ? cut->cut_s : (double) INFINITY, 1, 0}};
    if (cut->max_s > 0) {
        overrun.limit_s = rounded_up(cut->max_s);
        law->parameters[3] = overrun_mean_s(&overrun);
        law->parameters[4] = overrun.limit_s;
    }
}

/* The largest of the usual units that has a multiple in (low, high], else high. */
static double roundest(double low, double high)
{
    static const double units[] = {86400, 3600, 600, 60, 10, 1};

    for (size_t j = 0; j < sizeof(units) / sizeof(units[0]); j++) {
        const double time_s = floor(high / units[j]) * units[j];

        if (time_s > low) {
            return time_s;
        }
    }
    return high;
}

/* Index of the death at which the density jumps: there the distribution function is
 * furthest below the straight line to the last death. */
static size_t find_knee(const double *deaths, size_t num_deaths, double last_s)
{
    double furthest = 0;
    size_t knee = 0;

    for (size_t j = 0; j < num_deaths && deaths[j] <= last_s; j++) {
        const double below = deaths[j] / last_s - (double) j / (double) num_deaths;

        if (below > furthest) {
            furthest = below;
            knee = j;
        }
    }
    /* Skip stray deaths: the gap after one is wider than the gaps of the wall. */
    while (knee + 1 < num_deaths &&
           (deaths[knee + 1] - deaths[knee]) * (double) (num_deaths - knee - 1) >
               STRAY_GAPS * (last_s - deaths[knee + 1])) {
        knee++;
    }
    return knee;
}

int spot_fit_find_wall(spot_fit_wall_t *self, const spot_sample_t *sample)
{
    double *deaths = spot_calloc(sample->num_values, sizeof(*deaths));
    double time_s, last_s, density, density_before;
    size_t num_deaths = 0, knee;

    memset(self, 0, sizeof(*self));
    if (deaths == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < sample->num_values; j++) {
        if (!sample->is_censored[j]) {
            deaths[num_deaths++] = sample->values[j];
        }
    }
    if (num_deaths < WALL_MIN_DEATHS) {
        goto out;
    }
    spot_sort(deaths, num_deaths);
    last_s = deaths[num_deaths - 1 - num_deaths / OUTLIERS];
    knee = find_knee(deaths, num_deaths, last_s);
    time_s = roundest(knee > 0 ? deaths[knee - 1] : 0, deaths[knee]);
    density = (double) (num_deaths - knee) / (last_s - time_s);
    density_before = (double) knee / time_s;
    if (knee > 0 && num_deaths - knee >= WALL_MIN_DEATHS &&
        (double) (num_deaths - knee) >= WALL_SHARE * (double) num_deaths &&
        last_s - time_s <= WALL_WIDTH * time_s && density > WALL_DENSITY * density_before) {
        *self = (spot_fit_wall_t){.time_s = time_s,
            .last_s = last_s,
            .num_deaths = num_deaths - knee,
            .num_before = knee};
    }
out:
    free(deaths);
    return 0;
}
