/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of a size alone. Formulas: Johnson, Kemp, Kotz, "Univariate Discrete
 * Distributions", 3rd edition. */
#include <gsl/gsl_sf_erf.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_zeta.h>
#include <math.h>

#include "traces/fit/size_estimate.h"

/* The law that is always 1, the limit of most laws. */
static double
log_always_one(int32_t size)
{
    return size == 1 ? 0 : -(double) INFINITY;
}

/* Products of up to this many terms are computed term by term. */
#define NUM_EXACT_TERMS 64

/* The terms of Stirling's series of ln Gamma(x) after ln sqrt(2 pi), x >= 64. */
static double
stirling_rest(double x)
{
    const double x2 = x * x;

    return (1.0 / 12 - (1.0 / 360 - 1 / (1260 * x2)) / x2) / x;
}

/* ln Gamma(x + n) - ln Gamma(x), x >= 64. Two values of lgamma() would cancel. */
static double
log_gamma_ratio(double x, double n)
{
    return (x - 0.5) * log1p(n / x) + n * (log(x + n) - 1) + stirling_rest(x + n) -
           stirling_rest(x);
}

double
spot_size_log_rising(double x, int32_t n)
{
    double product = 1, sum = 0;

    if (n > NUM_EXACT_TERMS) {
        return spot_size_log_rising(x, NUM_EXACT_TERMS) +
               log_gamma_ratio(x + NUM_EXACT_TERMS, n - NUM_EXACT_TERMS);
    }
    for (int32_t j = 0; j < n; j++) {
        product *= x + j;
        if (!(product > 1e-200 && product < 1e200)) {
            sum += log(product);
            product = 1;
        }
    }
    return sum + log(product);
}

static double
geometric_log_probability(const double *p, int32_t size, int32_t limit)
{
    (void) limit;
    return p[0] >= 1 ? log_always_one(size) : log(p[0]) + (size - 1) * log1p(-p[0]);
}

static double
geometric_mean(const double *p)
{
    return 1 / p[0];
}

const spot_size_family_table_t spot_size_geometric = {
    .name = "geometric",
    .doc = "each further instance with the same probability 1 - p",
    .num_parameters = 1,
    .parameters = {"p"},
    .scales = {SPOT_FIT_SCALE_LOGIT},
    .log_probability = geometric_log_probability,
    .estimate = spot_size_estimate_geometric,
    .mean = geometric_mean,
};

static double
shifted_poisson_log_probability(const double *p, int32_t size, int32_t limit)
{
    (void) limit;
    return p[0] <= 0 ? log_always_one(size)
                     : (size - 1) * log(p[0]) - p[0] - lgamma(size);
}

static double
shifted_poisson_mean(const double *p)
{
    return 1 + p[0];
}

const spot_size_family_table_t spot_size_shifted_poisson = {
    .name = "shifted-poisson",
    .doc = "one and a Poisson number",
    .num_parameters = 1,
    .parameters = {"lam"},
    .scales = {SPOT_FIT_SCALE_LOG},
    .log_probability = shifted_poisson_log_probability,
    .estimate = spot_size_estimate_shifted_poisson,
    .mean = shifted_poisson_mean,
};

/* ln(e^lam - 1) = lam + ln(1 - e^-lam) */
static double
zt_poisson_log_probability(const double *p, int32_t size, int32_t limit)
{
    (void) limit;
    return p[0] <= 0 ? log_always_one(size)
                     : size * log(p[0]) - lgamma(size + 1.0) - p[0] - log(-expm1(-p[0]));
}

static double
zt_poisson_mean(const double *p)
{
    return p[0] <= 0 ? 1 : -p[0] / expm1(-p[0]);
}

const spot_size_family_table_t spot_size_zt_poisson = {
    .name = "zt-poisson",
    .doc = "a Poisson number that is not 0",
    .num_parameters = 1,
    .parameters = {"lam"},
    .scales = {SPOT_FIT_SCALE_LOG},
    .log_probability = zt_poisson_log_probability,
    .estimate = spot_size_estimate_zt_poisson,
    .mean = zt_poisson_mean,
};

static double
logarithmic_log_probability(const double *p, int32_t size, int32_t limit)
{
    (void) limit;
    return p[0] <= 0 ? log_always_one(size)
                     : size * log(p[0]) - log(size) - log(-log1p(-p[0]));
}

static double
logarithmic_mean(const double *p)
{
    return p[0] <= 0 ? 1 : -p[0] / ((1 - p[0]) * log1p(-p[0]));
}

const spot_size_family_table_t spot_size_logarithmic = {
    .name = "logarithmic",
    .doc = "P(k) as p^k / k",
    .num_parameters = 1,
    .parameters = {"p"},
    .scales = {SPOT_FIT_SCALE_LOGIT},
    .log_probability = logarithmic_log_probability,
    .estimate = spot_size_estimate_logarithmic,
    .mean = logarithmic_mean,
};

static double
zeta_of(double s)
{
    gsl_sf_result result;

    return gsl_sf_zeta_e(s, &result) == 0 ? result.val : (double) INFINITY;
}

static double
zeta_log_probability(const double *p, int32_t size, int32_t limit)
{
    (void) limit;
    return isinf(p[0]) ? log_always_one(size) : -p[0] * log(size) - log(zeta_of(p[0]));
}

static double
zeta_mean(const double *p)
{
    if (isinf(p[0])) {
        return 1;
    }
    return p[0] > 2 ? zeta_of(p[0] - 1) / zeta_of(p[0]) : (double) INFINITY;
}

const spot_size_family_table_t spot_size_zeta = {
    .name = "zeta",
    .doc = "a power law: P(k) as k^-s",
    .num_parameters = 1,
    .parameters = {"s"},
    .scales = {SPOT_FIT_SCALE_LOG},
    .log_probability = zeta_log_probability,
    .estimate = spot_size_estimate_zeta,
    .mean = zeta_mean,
};

static double
shifted_negbin_log_probability(const double *p, int32_t size, int32_t limit)
{
    if (isinf(p[0])) {
        return shifted_poisson_log_probability(&p[2], size, limit);
    }
    if (p[1] >= 1) {
        return log_always_one(size);
    }
    return spot_size_log_rising(p[0], size - 1) - lgamma(size) + p[0] * log(p[1]) +
           (size - 1) * log1p(-p[1]);
}

static double
shifted_negbin_mean(const double *p)
{
    return isinf(p[0]) ? 1 + p[2] : 1 + p[0] * (1 - p[1]) / p[1];
}

const spot_size_family_table_t spot_size_shifted_negbin = {
    .name = "shifted-negbin",
    .doc = "one and a negative binomial number",
    .num_parameters = 2,
    .parameters = {"r", "p"},
    .scales = {SPOT_FIT_SCALE_LOG, SPOT_FIT_SCALE_LOGIT},
    .log_probability = shifted_negbin_log_probability,
    .estimate = spot_size_estimate_shifted_negbin,
    .mean = shifted_negbin_mean,
};

static double
log_upper_tail(double z)
{
    gsl_sf_result result;

    return gsl_sf_log_erfc_e(z * M_SQRT1_2, &result) == 0 ? result.val - M_LN2
                                                          : -(double) INFINITY;
}

/* ln(Phi(high) - Phi(low)). Both tails are taken from their own side: a difference of
 * two Phi close to 1 would be 0 where the size is merely unlikely. */
static double
log_normal_cell(double low, double high)
{
    double log_low;

    if (low <= 0 && high >= 0) {
        return log((erf(high * M_SQRT1_2) - erf(low * M_SQRT1_2)) / 2);
    }
    if (high < 0) {
        return log_normal_cell(-high, -low);
    }
    log_low = log_upper_tail(low);
    return log_low + log(-expm1(log_upper_tail(high) - log_low));
}

/* |round X| is k if X is in the cell of k or of -k; 0 counts as 1. */
static double
log_absnormal(double mu, double sigma, int32_t size)
{
    const double k = size;
    double above, below, high;

    if (!(sigma > 0)) {
        return size == (int32_t) fmax(1, fabs(rint(mu))) ? 0 : -(double) INFINITY;
    }
    if (size == 1) {
        return log_normal_cell((-1.5 - mu) / sigma, (1.5 - mu) / sigma);
    }
    above = log_normal_cell((k - 0.5 - mu) / sigma, (k + 0.5 - mu) / sigma);
    below = log_normal_cell((-k - 0.5 - mu) / sigma, (-k + 0.5 - mu) / sigma);
    high = fmax(above, below);
    return isinf(high) ? high : high + log1p(exp(fmin(above, below) - high));
}

static double
absnormal_log_probability(const double *p, int32_t size, int32_t limit)
{
    (void) limit;
    return log_absnormal(p[0], p[1], size);
}

/* Mean = sum of P(size >= k); tails beyond MAX_SIGMAS are 0. */
#define MAX_SIGMAS 40
#define MAX_TAILS 1e7

static double
absnormal_mean(const double *p)
{
    const double last = fmin(fabs(p[0]) + MAX_SIGMAS * p[1], MAX_TAILS);
    double mean = 1;

    if (!(p[1] > 0)) {
        return fmax(1, fabs(rint(p[0])));
    }
    for (double k = 2; k <= last + 1; k++) {
        mean += (erfc((k - 0.5 - p[0]) / p[1] * M_SQRT1_2) +
                    erfc((k - 0.5 + p[0]) / p[1] * M_SQRT1_2)) /
                2;
    }
    return mean;
}

const spot_size_family_table_t spot_size_absnormal_moments = {
    .name = "absnormal-moments",
    .doc =
        "the seed notebook's: a rounded normal number, with the sample's mean and std",
    .num_parameters = 2,
    .is_by_moments = true,
    .parameters = {"mu", "sigma"},
    .scales = {SPOT_FIT_SCALE_PLAIN, SPOT_FIT_SCALE_LOG},
    .log_probability = absnormal_log_probability,
    .estimate = spot_size_estimate_absnormal_moments,
    .mean = absnormal_mean,
};

const spot_size_family_table_t spot_size_absnormal_mle = {
    .name = "absnormal-mle",
    .doc = "a rounded normal number, without its sign and at least 1",
    .num_parameters = 2,
    .parameters = {"mu", "sigma"},
    .scales = {SPOT_FIT_SCALE_PLAIN, SPOT_FIT_SCALE_LOG},
    .log_probability = absnormal_log_probability,
    .estimate = spot_size_estimate_absnormal_mle,
    .mean = absnormal_mean,
};

static double
seed_mixture_log_probability(const double *p, int32_t size, int32_t limit)
{
    const bool is_big = size > SPOT_SIZE_REGULAR_MAX && size <= SPOT_SIZE_BIG_MAX;
    const double regular = log1p(-p[0]) + log_absnormal(p[1], p[2], size);
    const double big = is_big ? log(p[0] / (SPOT_SIZE_BIG_MAX - SPOT_SIZE_REGULAR_MAX))
                              : -(double) INFINITY;
    const double high = fmax(regular, big);

    (void) limit;
    return isinf(high) ? high : high + log1p(exp(fmin(regular, big) - high));
}

static double
seed_mixture_mean(const double *p)
{
    return p[0] * (SPOT_SIZE_REGULAR_MAX + 1 + SPOT_SIZE_BIG_MAX) / 2.0 +
           (1 - p[0]) * absnormal_mean(&p[1]);
}

const spot_size_family_table_t spot_size_seed_mixture = {
    .name = "seed-mixture",
    .doc =
        "the seed notebook's: a share of big events, 11 to 31, else absnormal-moments",
    .num_parameters = 3,
    .is_by_moments = true,
    .parameters = {"p_big", "mu", "sigma"},
    .scales = {SPOT_FIT_SCALE_LOGIT, SPOT_FIT_SCALE_PLAIN, SPOT_FIT_SCALE_LOG},
    .log_probability = seed_mixture_log_probability,
    .estimate = spot_size_estimate_seed_mixture,
    .mean = seed_mixture_mean,
};
