/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of a size given its limit n: the instances running for a preemption, those
 * missing for an addition. Probabilities that can be tiny are logarithms, and 1 - (1 -
 * p)^n is -expm1(n log1p(-p)). */
#include <math.h>

#include "traces/fit/size_estimate.h"

double
spot_size_mean_given(
    const spot_size_family_table_t *family, const double *parameters, int32_t limit)
{
    double mean = 0;

    for (int32_t size = 1; size <= limit; size++) {
        mean += size * exp(family->log_probability(parameters, size, limit));
    }
    return mean;
}

/* A geometric size of at most n; theta = -ln(1 - p). With p = 0 it is uniform. */
static double
truncated_geometric_log_probability(const double *p, int32_t size, int32_t limit)
{
    const double theta = -log1p(-p[0]);

    if (p[0] <= 0) {
        return -log(limit);
    }
    if (p[0] >= 1) {
        return size == 1 ? 0 : -(double) INFINITY;
    }
    return log(p[0]) - theta * (size - 1) - log(-expm1(-theta * limit));
}

const spot_size_family_table_t spot_size_truncated_geometric = {
    .name = "truncated-geometric",
    .doc = "each further instance with the same probability, at most n",
    .num_parameters = 1,
    .is_given_limit = true,
    .parameters = {"p"},
    .scales = {SPOT_FIT_SCALE_LOGIT},
    .log_probability = truncated_geometric_log_probability,
    .estimate = spot_size_estimate_truncated_geometric,
};

static double
all_or_geometric_log_probability(const double *p, int32_t size, int32_t limit)
{
    const double some = truncated_geometric_log_probability(&p[1], size, limit);

    return size == limit ? log(p[0] + (1 - p[0]) * exp(some)) : log1p(-p[0]) + some;
}

const spot_size_family_table_t spot_size_all_or_geometric = {
    .name = "all-or-geometric",
    .doc = "all n with probability pi_all, else truncated-geometric",
    .num_parameters = 2,
    .is_given_limit = true,
    .parameters = {"pi_all", "p"},
    .scales = {SPOT_FIT_SCALE_LOGIT, SPOT_FIT_SCALE_LOGIT},
    .log_probability = all_or_geometric_log_probability,
    .estimate = spot_size_estimate_all_or_geometric,
};

/* ln C(n, k) */
static double
log_choose(int32_t n, int32_t k)
{
    return spot_size_log_rising(n - k + 1.0, k) - lgamma(k + 1.0);
}

static double
zt_binomial_log_probability(const double *p, int32_t size, int32_t limit)
{
    if (p[0] <= 0 || p[0] >= 1) {
        return size == (p[0] <= 0 ? 1 : limit) ? 0 : -(double) INFINITY;
    }
    return log_choose(limit, size) + size * log(p[0]) + (limit - size) * log1p(-p[0]) -
           log(-expm1(limit * log1p(-p[0])));
}

const spot_size_family_table_t spot_size_zt_binomial = {
    .name = "zt-binomial",
    .doc = "each of n alone with probability q, and at least one",
    .num_parameters = 1,
    .is_given_limit = true,
    .parameters = {"q"},
    .scales = {SPOT_FIT_SCALE_LOGIT},
    .log_probability = zt_binomial_log_probability,
    .estimate = spot_size_estimate_zt_binomial,
};

/* ln(1 - P0), P0 = B(a, n + b) / B(a, b) = prod (b + j) / (a + b + j) */
static double
log_not_none(double a, double b, int32_t limit)
{
    double sum = log1p(a / b);

    for (int32_t j = 1; j < limit; j++) {
        sum += log1p(a / (b + j));
    }
    return log(-expm1(-sum));
}

/* a = 0: C(n, k) B(k, n - k + b) / (psi(n + b) - psi(b)), with the difference as a
 * sum. */
static double
log_betabinomial_limit(double b, int32_t size, int32_t limit)
{
    double sum = 1 / b;

    for (int32_t j = 1; j < limit; j++) {
        sum += 1 / (b + j);
    }
    return log_choose(limit, size) + lgamma(size) +
           spot_size_log_rising(b, limit - size) - spot_size_log_rising(b, limit) -
           log(sum);
}

static double
zt_betabinomial_log_probability(const double *p, int32_t size, int32_t limit)
{
    const double a = p[0], b = p[1];

    if (isinf(b)) {
        return zt_binomial_log_probability(&p[2], size, limit);
    }
    if (b <= 0) {
        return size == limit ? 0 : -(double) INFINITY;
    }
    if (a <= 0) {
        return log_betabinomial_limit(b, size, limit);
    }
    return log_choose(limit, size) + spot_size_log_rising(a, size) +
           spot_size_log_rising(b, limit - size) - spot_size_log_rising(a + b, limit) -
           log_not_none(a, b, limit);
}

const spot_size_family_table_t spot_size_zt_betabinomial = {
    .name = "zt-betabinomial",
    .doc = "zt-binomial with a q of its own for each event, Beta(a, b)",
    .num_parameters = 2,
    .is_given_limit = true,
    .parameters = {"a", "b"},
    .scales = {SPOT_FIT_SCALE_LOG, SPOT_FIT_SCALE_LOG},
    .log_probability = zt_betabinomial_log_probability,
    .estimate = spot_size_estimate_zt_betabinomial,
};

/* Terms of the sum above this are scaled down. */
#define LARGE_TERM 1e200

/* Successive terms of the sum have the ratio (r + j - 1) / j q, q = 1 - p; p^r cancels,
 * so that p = 0 needs no case of its own. With r INFINITY the law is truncated Poisson
 * of rate r q; with an infinite rate the size is n. */
static double
truncated_negbin_log_probability(const double *p, int32_t size, int32_t limit)
{
    const bool is_poisson = isinf(p[0]);
    double term = 1, sum = 1, log_scale = 0;

    if (is_poisson && isinf(p[2])) {
        return size == limit ? 0 : -(double) INFINITY;
    }
    if (p[1] >= 1 && !is_poisson) {
        return size == 1 ? 0 : -(double) INFINITY;
    }
    for (int32_t j = 1; j < limit; j++) {
        term *= is_poisson ? p[2] / j : (p[0] + j - 1) / j * (1 - p[1]);
        sum += term;
        if (sum > LARGE_TERM) {
            log_scale += log(sum);
            term /= sum;
            sum = 1;
        }
    }
    log_scale += lgamma(size) + log(sum);
    return is_poisson ? (size - 1) * log(p[2]) - log_scale
                      : spot_size_log_rising(p[0], size - 1) +
                            (size - 1) * log1p(-p[1]) - log_scale;
}

const spot_size_family_table_t spot_size_truncated_negbin = {
    .name = "truncated-negbin",
    .doc = "one and a negative binomial number, at most n",
    .num_parameters = 2,
    .is_given_limit = true,
    .parameters = {"r", "p"},
    .scales = {SPOT_FIT_SCALE_LOG, SPOT_FIT_SCALE_LOGIT},
    .log_probability = truncated_negbin_log_probability,
    .estimate = spot_size_estimate_truncated_negbin,
};

const spot_size_family_table_t *const spot_size_families[] = {
    &spot_size_geometric,
    &spot_size_shifted_poisson,
    &spot_size_zt_poisson,
    &spot_size_logarithmic,
    &spot_size_zeta,
    &spot_size_shifted_negbin,
    &spot_size_absnormal_moments,
    &spot_size_absnormal_mle,
    &spot_size_seed_mixture,
    &spot_size_truncated_geometric,
    &spot_size_all_or_geometric,
    &spot_size_zt_binomial,
    &spot_size_zt_betabinomial,
    &spot_size_truncated_negbin,
    NULL,
};
