/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/fit_quality.h"

#include <math.h>

/* Least probabilities: one impossible value must not make all families equal. */
#define LEAST_P 1e-300
#define LEAST_1_P 1e-16

static double
log_survival(const spot_law_t *law, double t_s)
{
    return t_s > 0 ? law->family->log_survival(law->parameters, t_s) : 0;
}

static double
cumulative(const spot_law_t *law, double t_s)
{
    return -expm1(log_survival(law, t_s));
}

/* F_n is a staircase and F never falls: between two values the largest difference is at
 * the first tick or at the last one. */
static double
lattice_ks(const spot_durations_t *durations, const spot_law_t *law)
{
    const double tick_s = durations->tick_s, n = (double) durations->num_values;
    double largest = 0, before = 1;
    size_t num_below = 0;

    for (size_t j = 0; j < durations->num_groups; j++) {
        const double tick =
            ceil(durations->groups[j].value_s / tick_s - SPOT_FIT_ON_TICK);

        if (tick > before) {
            largest = fmax(largest,
                fabs((double) num_below / n - cumulative(law, (tick - 1) * tick_s)));
        }
        num_below += durations->groups[j].num_deaths;
        if (j + 1 == durations->num_groups ||
            ceil(durations->groups[j + 1].value_s / tick_s - SPOT_FIT_ON_TICK) > tick) {
            largest = fmax(
                largest, fabs((double) num_below / n - cumulative(law, tick * tick_s)));
        }
        before = tick;
    }
    return largest;
}

double
spot_fit_ks(const spot_durations_t *durations, const spot_law_t *law)
{
    const spot_kaplan_meier_t *km = &durations->kaplan_meier;
    double largest = 0, before = 0;

    if (durations->tick_s > 0) {
        return durations->num_complete == durations->num_values
                   ? lattice_ks(durations, law)
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

static double
log_f(double log_s)
{
    return log(fmax(LEAST_P, -expm1(log_s)));
}

static double
log_1_f(double log_s)
{
    return fmax(log(LEAST_1_P), log_s);
}

/* -n - sum (2 i - 1)/n [ln F(x_i) + ln(1 - F(x_{n+1-i}))]. The factors of equal values
 * add up to differences of squares of ranks. */
static double
complete_ad(const spot_durations_t *durations, const spot_law_t *law)
{
    const double n = (double) durations->num_values;
    double sum = 0, below = 0;

    for (size_t j = 0; j < durations->num_groups; j++) {
        const double log_s = log_survival(law, durations->groups[j].value_s);
        const double count = (double) durations->groups[j].num_deaths;
        const double above = below + count;

        sum += count * ((below + above) * log_f(log_s) +
                           (2 * n - below - above) * log_1_f(log_s));
        below = above;
    }
    return -n - sum / n;
}

/* Antiderivative of (c - F)^2/(F (1 - F)), F_n = c, at the F with ln(1 - F) = log_s. */
static double
antiderivative(double c, double log_s)
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

static double
censored_ad(const spot_durations_t *durations, const spot_law_t *law)
{
    const spot_kaplan_meier_t *km = &durations->kaplan_meier;
    double sum = 0, c = 0, from = 0;

    for (size_t j = 0; j < km->num_steps; j++) {
        const double to = log_survival(law, km->steps[j].time);

        sum += antiderivative(c, to) - antiderivative(c, from);
        c = 1 - km->steps[j].survival;
        from = to;
    }
    return (double) durations->num_values * sum;
}

double
spot_fit_ad(const spot_durations_t *durations, const spot_law_t *law)
{
    if (durations->tick_s > 0) {
        return (double) NAN;
    }
    return durations->num_complete == durations->num_values
               ? complete_ad(durations, law)
               : censored_ad(durations, law);
}
