/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The families without an upper limit. Formulas: Johnson, Kotz, Balakrishnan,
 * "Continuous Univariate Distributions", 2nd edition; survival functions as logarithms,
 * so that tails do not underflow. */
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_erf.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_log.h>
#include <math.h>

#include "traces/laws/family_internal.h"
#include "traces/laws/law.h"

static double exponential_log_density(const double *p, double t)
{
    return -log(p[0]) - t / p[0];
}

static double exponential_log_survival(const double *p, double t)
{
    return -t / p[0];
}

static double exponential_moment(const double *p, int k)
{
    return k == 1 ? p[0] : 2 * p[0] * p[0];
}

static double exponential_draw(const double *p, spot_rng_t *rng)
{
    return spot_rng_exponential(rng, p[0]);
}

static const spot_field_t exponential_fields[] = {
    SPOT_LAW_POSITIVE(0, "mu", "mean in s"),
    SPOT_LAW_NAMES,
};

const spot_family_t spot_family_exponential = {"exponential", "no memory: the rate never changes",
    "Poisson process", SPOT_FAMILY_FUNCTIONS(exponential), .num_parameters = 1, .keeps_mean = true};

/* ln of (e^log_base)^exponent, where 0^0 is 1. */
static double log_power(double log_base, double exponent)
{
    return exponent == 0 ? 0 : exponent * log_base;
}

static double weibull_log_density(const double *p, double t)
{
    const double log_ratio = log(t) - log(p[0]);

    return log(p[1]) - log(p[0]) + log_power(log_ratio, p[1] - 1) - exp(p[1] * log_ratio);
}

static double weibull_log_survival(const double *p, double t)
{
    return -pow(t / p[0], p[1]);
}

static double weibull_moment(const double *p, int k)
{
    return exp(k * log(p[0]) + lgamma(1 + k / p[1]));
}

static double weibull_draw(const double *p, spot_rng_t *rng)
{
    return gsl_ran_weibull(spot_rng_gsl(rng), p[0], p[1]);
}

static const spot_field_t weibull_fields[] = {
    SPOT_LAW_POSITIVE(0, "scale", "scale in s"),
    SPOT_LAW_POSITIVE(1, "shape", "shape; below 1: the rate falls with time"),
    SPOT_LAW_NAMES,
};

const spot_family_t spot_family_weibull = {"weibull",
    "a rate that falls (shape below 1) or rises with time", "W. Weibull, J. Appl. Mech. 18, 1951",
    SPOT_FAMILY_FUNCTIONS(weibull), .num_parameters = 2};

static double gamma_log_density(const double *p, double t)
{
    return log_power(log(t), p[0] - 1) - t / p[1] - lgamma(p[0]) - p[0] * log(p[1]);
}

/* ln of x^a e^-x/Gamma(a + 1), the magnitude of the smaller of P and Q. For large a by
 * Stirling's series, DLMF 5.11.1, as the terms cancel. */
static double gamma_log_size(double a, double x)
{
    const double excess = x / a - 1;
    gsl_sf_result log_ratio;

    if (a < 20) {
        return a * log(x) - x - lgamma(a + 1);
    }
    if (fabs(excess) > 0.5 || gsl_sf_log_1plusx_mx_e(excess, &log_ratio) != 0) {
        log_ratio.val = log(x / a) - excess;
    }
    return a * log_ratio.val - (M_LN2 + M_LNPI + log(a)) / 2 -
           (1 - (1 - (2 - 1.5 / (a * a)) / (7 * a * a)) / (30 * a * a)) / (12 * a);
}

/* ln Q far above a, where Q underflows: the continued fraction of DLMF 8.9.2 by Lentz's
 * method. */
static double gamma_log_tail(double a, double x)
{
    enum { MAX_TERMS = 2000 };
    double b = x + 1 - a, c = SPOT_LAW_HUGE, d = 1 / b, fraction = d;

    for (int j = 1; j < MAX_TERMS; j++) {
        const double term = j * (a - j);
        double factor;

        b += 2;
        d = 1 / (b + term * d);
        c = b + term / c;
        factor = c * d;
        fraction *= factor;
        if (fabs(factor - 1) < 1e-15) {
            break;
        }
    }
    return gamma_log_size(a, x) + log(a) + log(fraction);
}

/* Calls GSL only for the smaller of P and Q, and only if that does not underflow, which
 * would call its error handler. */
static double gamma_log_survival(const double *p, double t)
{
    const double x = t / p[1], a = p[0];
    gsl_sf_result smaller;

    if (!(x > 0) || !(x < SPOT_LAW_HUGE)) {
        return x > 0 ? (double) -INFINITY : 0;
    }
    if (gamma_log_size(a, x) < SPOT_LAW_LOG_TINY) {
        return x > a ? gamma_log_tail(a, x) : 0;
    }
    if (x < a) {
        if (gsl_sf_gamma_inc_P_e(a, x, &smaller) != 0) {
            return 0;
        }
        if (1 - smaller.val > 1e-6) {
            return log1p(-smaller.val);
        }
        /* A shape near 0: P = e^size (1 + x/(a + 1) + ...), DLMF 8.7.1. */
        return log(-expm1(gamma_log_size(a, x) + log1p(x / (a + 1))));
    }
    return gsl_sf_gamma_inc_Q_e(a, x, &smaller) == 0 && smaller.val > 0 ? log(smaller.val)
                                                                        : gamma_log_tail(a, x);
}

static double gamma_moment(const double *p, int k)
{
    return k == 1 ? p[0] * p[1] : p[0] * (1 + p[0]) * p[1] * p[1];
}

static double gamma_draw(const double *p, spot_rng_t *rng)
{
    return gsl_ran_gamma(spot_rng_gsl(rng), p[0], p[1]);
}

static const spot_field_t gamma_fields[] = {
    SPOT_LAW_POSITIVE(0, "shape", "shape"),
    SPOT_LAW_POSITIVE(1, "scale", "scale in s"),
    SPOT_LAW_NAMES,
};

const spot_family_t spot_family_gamma = {"gamma",
    "sums of waits (shape above 1), or more short ones than exponential (below)",
    "Pearson type III", SPOT_FAMILY_FUNCTIONS(gamma), .num_parameters = 2, .keeps_mean = true};

static double lognormal_log_density(const double *p, double t)
{
    const double z = (log(t) - p[0]) / p[1];

    if (!(t > 0)) {
        return (double) -INFINITY;
    }
    return -log(t) - log(p[1]) - M_LN2 / 2 - M_LNPI / 2 - z * z / 2;
}

/* Above this the first term of the asymptotic series suffices, and GSL's rational
 * approximation overflows. */
#define FAR_Z 1e8

/* Below the median as log1p of minus the small tail, so that S near 1 keeps its
 * digits. */
double spot_law_log_normal_tail(double z)
{
    gsl_sf_result log_erfc;

    if (z < 0) {
        return log1p(-erfc(-z * M_SQRT1_2) / 2);
    }
    if (z < FAR_Z && gsl_sf_log_erfc_e(z * M_SQRT1_2, &log_erfc) == 0) {
        return log_erfc.val - M_LN2;
    }
    return -z * z / 2 - log(z) - (M_LN2 + M_LNPI) / 2;
}

static double lognormal_log_survival(const double *p, double t)
{
    return t > 0 ? spot_law_log_normal_tail((log(t) - p[0]) / p[1]) : 0;
}

static double lognormal_moment(const double *p, int k)
{
    return exp(k * p[0] + k * k * p[1] * p[1] / 2);
}

static double lognormal_draw(const double *p, spot_rng_t *rng)
{
    return gsl_ran_lognormal(spot_rng_gsl(rng), p[0], p[1]);
}

static const spot_field_t lognormal_fields[] = {
    SPOT_LAW_PARAMETER(0, "zeta", -700, 700, "mean of ln t, t in s"),
    SPOT_LAW_POSITIVE(1, "sigma", "standard deviation of ln t"),
    SPOT_LAW_NAMES,
};

const spot_family_t spot_family_lognormal = {"lognormal",
    "products of many factors: a long tail, few very short ones",
    "Aitchison and Brown, The Lognormal Distribution, 1957", SPOT_FAMILY_FUNCTIONS(lognormal),
    .num_parameters = 2};

static double loglogistic_log_density(const double *p, double t)
{
    const double log_ratio = log(t) - log(p[0]), z = p[1] * log_ratio;

    if (z > 0) {
        return log(p[1]) - log(t) - z - 2 * log1p(exp(-z));
    }
    return log(p[1]) - log(p[0]) + log_power(log_ratio, p[1] - 1) - 2 * log1p(exp(z));
}

static double loglogistic_log_survival(const double *p, double t)
{
    const double z = p[1] * (log(t) - log(p[0]));

    return z > 0 ? -z - log1p(exp(-z)) : -log1p(exp(z));
}

/* E(T^k) = scale^k x / sin x with x = k pi / shape; INFINITY from x = pi on. */
static double loglogistic_moment(const double *p, int k)
{
    const double x = k * M_PI / p[1];

    return x < M_PI ? pow(p[0], k) * x / sin(x) : (double) INFINITY;
}

static double loglogistic_draw(const double *p, spot_rng_t *rng)
{
    const double u = spot_rng_uniform(rng);

    return p[0] * pow(u / (1 - u), 1 / p[1]);
}

static const spot_field_t loglogistic_fields[] = {
    SPOT_LAW_POSITIVE(0, "scale", "median in s"),
    SPOT_LAW_POSITIVE(1, "shape", "shape; up to 1: no mean"),
    SPOT_LAW_NAMES,
};

const spot_family_t spot_family_loglogistic = {"loglogistic",
    "a tail like a power of t; without a mean for a shape up to 1",
    "P. R. Fisk, Econometrica 29, 1961", SPOT_FAMILY_FUNCTIONS(loglogistic), .num_parameters = 2};

/* Both functions take one logarithm of the sum where it keeps all its digits. */
static double hyperexp2_log_density(const double *p, double t)
{
    const double density = p[0] / p[1] * exp(-t / p[1]) + (1 - p[0]) / p[2] * exp(-t / p[2]);

    return density > SPOT_LAW_TINY && density < SPOT_LAW_HUGE
               ? log(density)
               : spot_law_log_sum(
                     log(p[0]) - log(p[1]) - t / p[1], log1p(-p[0]) - log(p[2]) - t / p[2]);
}

static double hyperexp2_log_survival(const double *p, double t)
{
    const double p_end = -p[0] * expm1(-t / p[1]) - (1 - p[0]) * expm1(-t / p[2]);

    return p_end < SPOT_LAW_NOT_LATE
               ? log1p(-p_end)
               : spot_law_log_sum(log(p[0]) - t / p[1], log1p(-p[0]) - t / p[2]);
}

static double hyperexp2_moment(const double *p, int k)
{
    return k == 1 ? p[0] * p[1] + (1 - p[0]) * p[2]
                  : 2 * (p[0] * p[1] * p[1] + (1 - p[0]) * p[2] * p[2]);
}

static double hyperexp2_draw(const double *p, spot_rng_t *rng)
{
    const double mu = spot_rng_uniform(rng) < p[0] ? p[1] : p[2];

    return spot_rng_exponential(rng, mu);
}

static const spot_field_t hyperexp2_fields[] = {
    SPOT_LAW_PARAMETER(0, "p1", 0, 1, "probability of the first mean"),
    SPOT_LAW_POSITIVE(1, "mu1", "first mean in s"),
    SPOT_LAW_POSITIVE(2, "mu2", "second mean in s"),
    SPOT_LAW_NAMES,
};

const spot_family_t spot_family_hyperexp2 = {"hyperexp2",
    "two kinds of waits, short ones within a burst and long ones between bursts",
    "Feldmann and Whitt, Performance Evaluation 31, 1998", SPOT_FAMILY_FUNCTIONS(hyperexp2),
    .num_parameters = 3, .keeps_mean = true};
