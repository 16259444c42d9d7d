/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/fit_law.h"

#include <gsl/gsl_sf_psi.h>
#include <math.h>
#include <string.h>

#include "traces/fit/maximise.h"

#define MAX_K SPOT_MAXIMISE_MAX_PARAMETERS

/* Width of a start if all values are equal. */
#define LEAST_STD_LOG 1e-3

/* Bracket of a Weibull shape. */
#define LEAST_SHAPE 0.02
#define LARGEST_SHAPE 50

static size_t copy_starts(const double (*from)[MAX_K], size_t num_starts, double (*starts)[MAX_K])
{
    memcpy(starts, from, num_starts * sizeof(*starts));
    return num_starts;
}

static size_t exponential_starts(const spot_fit_durations_t *durations, double (*starts)[MAX_K])
{
    starts[0][0] = log(durations->mean_s);
    return 1;
}

/* On ticks the law is geometric, one Bernoulli draw per tick. If all values end in the
 * first tick, the mean is unknown, only far below the tick. */
static bool exponential_exact(const spot_fit_durations_t *durations, double *theta)
{
    const double num_complete = (double) durations->num_complete;
    double p_end;

    if (durations->tick_s == 0) {
        theta[0] = log(durations->sum_s / num_complete);
        return true;
    }
    if (!durations->is_on_ticks) {
        return false;
    }
    p_end = fmin(num_complete / round(durations->sum_s / durations->tick_s), 1 - 0x1p-53);
    theta[0] = log(-durations->tick_s / log1p(-p_end));
    return true;
}

static size_t weibull_starts(const spot_fit_durations_t *durations, double (*starts)[MAX_K])
{
    starts[0][0] = starts[1][0] = log(durations->mean_s);
    starts[0][1] = 0;
    starts[1][1] = -0.5;
    return 2;
}

/* Sums of t^b and of t^b ln t, t in units of the largest value: no power overflows. */
static void weibull_sums(
    const spot_fit_durations_t *durations, double shape, double *sum, double *sum_log)
{
    const double log_max = log(durations->max_s);

    *sum = *sum_log = 0;
    for (size_t j = 0; j < durations->num_groups; j++) {
        const spot_duration_t *group = &durations->groups[j];
        const double log_ratio = group->log_value - log_max;
        const double power =
            (double) (group->num_deaths + group->num_censored) * exp(shape * log_ratio);

        *sum += power;
        *sum_log += power * log_ratio;
    }
}

static double weibull_score(double shape, void *context)
{
    const spot_fit_durations_t *durations = *(const spot_fit_durations_t **) context;
    double sum, sum_log;

    weibull_sums(durations, shape, &sum, &sum_log);
    return sum_log / sum - 1 / shape - (durations->mean_log_complete - log(durations->max_s));
}

static bool weibull_exact(const spot_fit_durations_t *durations, double *theta)
{
    double shape, sum, sum_log;

    if (durations->tick_s > 0 ||
        !spot_root_find(weibull_score, &durations, LEAST_SHAPE, LARGEST_SHAPE, &shape)) {
        return false;
    }
    weibull_sums(durations, shape, &sum, &sum_log);
    theta[0] = log(durations->max_s) + log(sum / (double) durations->num_complete) / shape;
    theta[1] = log(shape);
    return true;
}

static size_t gamma_starts(const spot_fit_durations_t *durations, double (*starts)[MAX_K])
{
    starts[0][0] = 0;
    starts[0][1] = log(durations->mean_s);
    starts[1][0] = -0.7;
    starts[1][1] = log(2 * durations->mean_s);
    return 2;
}

/* ln a - psi(a) - (ln mean - mean ln) */
static double gamma_score(double log_shape, void *context)
{
    const double *excess = context, shape = exp(log_shape);
    gsl_sf_result psi;

    return gsl_sf_psi_e(shape, &psi) == 0 ? log_shape - psi.val - *excess : (double) NAN;
}

/* 1/(2 a) < ln a - psi(a) < 1/a brackets the root: Alzer, Math. Comp. 66, 1997. */
static bool gamma_exact(const spot_fit_durations_t *durations, double *theta)
{
    double excess = log(durations->mean_s) - durations->mean_log;

    if (durations->tick_s > 0 || durations->num_complete < durations->num_values || !(excess > 0) ||
        !spot_root_find(gamma_score, &excess, -log(2 * excess), -log(excess), &theta[0])) {
        return false;
    }
    theta[1] = log(durations->mean_s) - theta[0];
    return true;
}

static size_t lognormal_starts(const spot_fit_durations_t *durations, double (*starts)[MAX_K])
{
    starts[0][0] = durations->mean_log;
    starts[0][1] = log(durations->std_log + LEAST_STD_LOG);
    return 1;
}

static bool lognormal_exact(const spot_fit_durations_t *durations, double *theta)
{
    if (durations->tick_s > 0 || durations->num_complete < durations->num_values) {
        return false;
    }
    theta[0] = durations->mean_log;
    theta[1] = log(durations->std_log);
    return true;
}

static size_t loglogistic_starts(const spot_fit_durations_t *durations, double (*starts)[MAX_K])
{
    starts[0][0] = durations->mean_log;
    starts[0][1] = log(1.8 / (durations->std_log + LEAST_STD_LOG));
    return 1;
}

static size_t hyperexp2_starts(const spot_fit_durations_t *durations, double (*starts)[MAX_K])
{
    /* logit p1, mu1 and mu2 over the mean */
    static const double ratios[][MAX_K] = {
        {0, 0.2, 1.8}, {1.5, 0.4, 3}, {-1.5, 0.05, 1.2}, {2.5, 0.6, 8}};
    const size_t num_starts = copy_starts(ratios, 4, starts);

    for (size_t j = 0; j < num_starts; j++) {
        starts[j][1] = log(ratios[j][1] * durations->mean_s);
        starts[j][2] = log(ratios[j][2] * durations->mean_s);
    }
    return num_starts;
}

static size_t bathtub_starts(const spot_fit_durations_t *durations, double (*starts)[MAX_K])
{
    static const double times_s[][MAX_K] = {
        {0, 3600, 3600}, {0, 7200, 1000}, {1, 14400, 1800}, {3, 14400, 7200}};
    const size_t num_starts = copy_starts(times_s, 4, starts);

    (void) durations;
    for (size_t j = 0; j < num_starts; j++) {
        starts[j][1] = log(times_s[j][1]);
        starts[j][2] = log(times_s[j][2]);
    }
    return num_starts;
}

static const spot_fit_family_t families[] = {
    {&spot_family_exponential, {SPOT_FIT_SCALE_LOG}, exponential_starts, exponential_exact},
    {&spot_family_weibull, {SPOT_FIT_SCALE_LOG, SPOT_FIT_SCALE_LOG}, weibull_starts, weibull_exact},
    {&spot_family_gamma, {SPOT_FIT_SCALE_LOG, SPOT_FIT_SCALE_LOG}, gamma_starts, gamma_exact},
    {&spot_family_lognormal, {SPOT_FIT_SCALE_PLAIN, SPOT_FIT_SCALE_LOG}, lognormal_starts,
        lognormal_exact},
    {&spot_family_loglogistic, {SPOT_FIT_SCALE_LOG, SPOT_FIT_SCALE_LOG}, loglogistic_starts, NULL},
    {&spot_family_hyperexp2, {SPOT_FIT_SCALE_LOGIT, SPOT_FIT_SCALE_LOG, SPOT_FIT_SCALE_LOG},
        hyperexp2_starts, NULL},
    {&spot_family_bathtub, {SPOT_FIT_SCALE_LOGIT, SPOT_FIT_SCALE_LOG, SPOT_FIT_SCALE_LOG},
        bathtub_starts, NULL},
};

const spot_fit_family_t *spot_fit_family_find(const spot_family_t *family)
{
    for (size_t j = 0; j < sizeof(families) / sizeof(families[0]); j++) {
        if (families[j].family == family) {
            return &families[j];
        }
    }
    return NULL;
}

void spot_fit_family_law(const spot_fit_family_t *self, const double *theta, double *parameters)
{
    for (int j = 0; j < self->family->num_parameters; j++) {
        switch (self->scales[j]) {
            case SPOT_FIT_SCALE_PLAIN:
                parameters[j] = theta[j];
                break;
            case SPOT_FIT_SCALE_LOG:
                parameters[j] = exp(theta[j]);
                break;
            case SPOT_FIT_SCALE_LOGIT:
                parameters[j] = 1 / (1 + exp(-theta[j]));
                break;
        }
    }
}
