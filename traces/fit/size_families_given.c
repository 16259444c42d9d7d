/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of a size given its limit n: the instances running for a preemption, those
 * missing for an addition. Probabilities that can be tiny are logarithms, and 1 - (1 -
 * p)^n is -expm1(n log1p(-p)).
 *
 * The maximum of the likelihood is often at a boundary, which a search over
 * unconstrained numbers only approaches: each boundary is tried on its own and kept if
 * it costs at most BOUNDARY_COST. */
#include <math.h>
#include <stdio.h>

#include "traces/fit/fit_size.h"
#include "traces/fit/maximise.h"

double spot_size_mean_given(
    const spot_size_family_table_t *family, const double *parameters, int32_t limit)
{
    double mean = 0;

    for (int32_t size = 1; size <= limit; size++) {
        mean += size * exp(family->log_probability(parameters, size, limit));
    }
    return mean;
}

/* A geometric size of at most n; theta = -ln(1 - p). With p = 0 it is uniform. */
static double truncated_geometric_log_probability(const double *p, int32_t size, int32_t limit)
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

static double all_or_geometric_log_probability(const double *p, int32_t size, int32_t limit)
{
    const double some = truncated_geometric_log_probability(&p[1], size, limit);

    return size == limit ? log(p[0] + (1 - p[0]) * exp(some)) : log1p(-p[0]) + some;
}

/* ln C(n, k) */
static double log_choose(int32_t n, int32_t k)
{
    return spot_size_log_rising(n - k + 1.0, k) - lgamma(k + 1.0);
}

static double zt_binomial_log_probability(const double *p, int32_t size, int32_t limit)
{
    if (p[0] <= 0 || p[0] >= 1) {
        return size == (p[0] <= 0 ? 1 : limit) ? 0 : -(double) INFINITY;
    }
    return log_choose(limit, size) + size * log(p[0]) + (limit - size) * log1p(-p[0]) -
           log(-expm1(limit * log1p(-p[0])));
}

/* ln(1 - P0), P0 = B(a, n + b) / B(a, b) = prod (b + j) / (a + b + j) */
static double log_not_none(double a, double b, int32_t limit)
{
    double sum = log1p(a / b);

    for (int32_t j = 1; j < limit; j++) {
        sum += log1p(a / (b + j));
    }
    return log(-expm1(-sum));
}

/* a = 0: C(n, k) B(k, n - k + b) / (psi(n + b) - psi(b)), with the difference as a
 * sum. */
static double log_betabinomial_limit(double b, int32_t size, int32_t limit)
{
    double sum = 1 / b;

    for (int32_t j = 1; j < limit; j++) {
        sum += 1 / (b + j);
    }
    return log_choose(limit, size) + lgamma(size) + spot_size_log_rising(b, limit - size) -
           spot_size_log_rising(b, limit) - log(sum);
}

static double zt_betabinomial_log_probability(const double *p, int32_t size, int32_t limit)
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

/* Terms of the sum above this are scaled down. */
#define LARGE_TERM 1e200

/* Successive terms of the sum have the ratio (r + j - 1) / j q, q = 1 - p; p^r cancels,
 * so that p = 0 needs no case of its own. With r INFINITY the law is truncated Poisson
 * of rate r q; with an infinite rate the size is n. */
static double truncated_negbin_log_probability(const double *p, int32_t size, int32_t limit)
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
    return is_poisson
               ? (size - 1) * log(p[2]) - log_scale
               : spot_size_log_rising(p[0], size - 1) + (size - 1) * log1p(-p[1]) - log_scale;
}

/* ---- Estimates ---- */

/* Loss of ln L up to which a boundary is kept. */
#define BOUNDARY_COST 1e-6

/* Sums above LARGE_SUM are scaled down. The bracket of a log rate is +-LOG_RATE_MAX. */
#define LARGE_SUM 1e200
#define LOG_RATE_MAX 40

/* Replaces fit by the candidate with ln L = value if that is at most BOUNDARY_COST below
 * the best. */
static void offer(
    const spot_fit_t *candidate, double value, const char *note, double *best, spot_fit_t *fit)
{
    if (value >= *best - BOUNDARY_COST) {
        *best = fmax(*best, value);
        *fit = *candidate;
        fit->note[0] = '\0';
        spot_fit_note(fit, 0, "%s", note);
    }
}

/* 1 / (e^x - 1) - 1 / x; below SMALL_X by its series, as the difference cancels. */
#define SMALL_X 1e-2

static double bose(double x)
{
    if (fabs(x) < SMALL_X) {
        const double x2 = x * x;

        return -0.5 + x * (1.0 / 12 - x2 * (1.0 / 720 - x2 / 30240));
    }
    return 1 / expm1(x) - 1 / x;
}

/* d ln L / d theta of the truncated geometric law, in which 1 / theta cancels. */
static double truncated_geometric_score(double theta, void *context)
{
    const spot_size_sample_t *sample = context;
    double sum = 0;

    for (size_t j = 0; j < sample->num_cells; j++) {
        const spot_size_cell_t *cell = &sample->cells[j];

        sum += cell->weight *
               (bose(theta) - cell->limit * bose(cell->limit * theta) - (cell->size - 1));
    }
    return sum;
}

/* The score falls with theta. At THETA_MAX, about ln of the largest double, it is below
 * 0 unless all sizes are 1. */
#define THETA_MAX 700

static void truncated_geometric_estimate(const spot_size_sample_t *sample, spot_fit_t *fit)
{
    spot_size_sample_t borrowed = *sample;
    double theta = 0;

    if (sample->max == 1) {
        fit->law.parameters[0] = 1;
        return;
    }
    if (truncated_geometric_score(0, &borrowed) <= 0) {
        fit->law.parameters[0] = 0;
        spot_fit_note(fit, 0, "p=0");
        return;
    }
    fit->converged = spot_root_find(truncated_geometric_score, &borrowed, 0, THETA_MAX, &theta);
    fit->law.parameters[0] = -expm1(-theta);
}

static void all_or_geometric_estimate(const spot_size_sample_t *sample, spot_fit_t *fit)
{
    const spot_size_search_t inside = {
        .num_free = 2, .free_ids = {0, 1}, .num_starts = 2, .starts = {{-2, 0}, {0, 0}}};
    const spot_size_search_t uniform = {
        .num_free = 1, .free_ids = {0}, .num_starts = 2, .starts = {{-2}, {0}}};
    spot_fit_t alone = *fit, other = *fit;
    double best;

    if (sample->max == 1 || sample->is_all) {
        fit->law.parameters[0] = sample->max > 1 ? 1 : 0;
        fit->law.parameters[1] = sample->max > 1 ? 0 : 1;
        return;
    }
    best = spot_size_maximise(&inside, sample, fit);
    offer(&other, spot_size_maximise(&uniform, sample, &other), "p=0", &best, fit);
    truncated_geometric_estimate(sample, &alone);
    other = alone;
    other.law.parameters[0] = 0;
    other.law.parameters[1] = alone.law.parameters[0];
    offer(&other, spot_size_log_likelihood(fit->size_family, other.law.parameters, sample),
        other.law.parameters[1] > 0 ? "pi_all=0" : "pi_all=0; p=0", &best, fit);
}

/* Sum of n q / (1 - (1 - q)^n) - k at logit q; it rises with q. */
static double zt_binomial_equation(double logit, void *context)
{
    const spot_size_sample_t *sample = context;
    const double q = spot_size_unscaled(SPOT_FIT_SCALE_LOGIT, logit);
    const double log_rest = -log1p(exp(logit));
    double sum = 0;

    for (size_t j = 0; j < sample->num_cells; j++) {
        const spot_size_cell_t *cell = &sample->cells[j];

        sum += cell->weight * (cell->limit * q / -expm1(cell->limit * log_rest) - cell->size);
    }
    return sum;
}

/* Beyond it q is 0 or 1 within the precision of a double. */
#define LOGIT_MAX 36

static void zt_binomial_estimate(const spot_size_sample_t *sample, spot_fit_t *fit)
{
    spot_size_sample_t borrowed = *sample;
    double logit = 0;

    if (sample->max == 1 || sample->is_all) {
        fit->law.parameters[0] = sample->max > 1 ? 1 : 0;
        return;
    }
    fit->converged = spot_root_find(zt_binomial_equation, &borrowed, -LOGIT_MAX, LOGIT_MAX, &logit);
    fit->law.parameters[0] = spot_size_unscaled(SPOT_FIT_SCALE_LOGIT, logit);
}

static void zt_betabinomial_estimate(const spot_size_sample_t *sample, spot_fit_t *fit)
{
    const spot_size_search_t inside = {
        .num_free = 2, .free_ids = {0, 1}, .num_starts = 2, .starts = {{0, 0}, {-1, 1}}};
    const spot_size_search_t limit = {
        .num_free = 1, .free_ids = {1}, .num_starts = 2, .starts = {{0}, {1}}};
    spot_fit_t equal = *fit, other = *fit;
    double best = (double) -INFINITY;

    zt_binomial_estimate(sample, &equal);
    other = equal;
    other.law.parameters[0] = other.law.parameters[1] = (double) INFINITY;
    other.law.parameters[2] = equal.law.parameters[0];
    if (sample->max == 1 || sample->is_all) {
        *fit = other;
        spot_fit_note(fit, 0, "a=b=inf: zt-binomial");
        return;
    }
    best = spot_size_maximise(&inside, sample, fit);
    offer(&other, spot_size_log_likelihood(fit->size_family, other.law.parameters, sample),
        "a=b=inf: zt-binomial", &best, fit);
    offer(&other, spot_size_maximise(&limit, sample, &other), "a=0", &best, fit);
}

/* Mean of j < n with weights rate^j / j!. */
static double truncated_poisson_mean(double rate, int32_t limit)
{
    double term = 1, sum = 1, weighted = 0;

    for (int32_t j = 1; j < limit; j++) {
        term *= rate / j;
        sum += term;
        weighted += j * term;
        if (sum > LARGE_SUM) {
            term /= sum;
            weighted /= sum;
            sum = 1;
        }
    }
    return weighted / sum;
}

/* Sum of mean - (k - 1) at ln of the rate; it rises with the rate. */
static double truncated_poisson_equation(double log_rate, void *context)
{
    const spot_size_sample_t *sample = context;
    double sum = 0;

    for (size_t j = 0; j < sample->num_cells; j++) {
        const spot_size_cell_t *cell = &sample->cells[j];

        sum +=
            cell->weight * (truncated_poisson_mean(exp(log_rate), cell->limit) - (cell->size - 1));
    }
    return sum;
}

static void estimate_truncated_poisson(const spot_size_sample_t *sample, spot_fit_t *fit)
{
    spot_size_sample_t borrowed = *sample;
    double log_rate = 0;

    fit->law.parameters[0] = (double) INFINITY;
    fit->law.parameters[1] = 1;
    fit->law.parameters[2] = (double) INFINITY;
    fit->converged = sample->is_all || spot_root_find(truncated_poisson_equation, &borrowed,
                                           -LOG_RATE_MAX, LOG_RATE_MAX, &log_rate);
    if (!sample->is_all) {
        fit->law.parameters[2] = exp(log_rate);
    }
}

static void truncated_negbin_estimate(const spot_size_sample_t *sample, spot_fit_t *fit)
{
    const spot_size_search_t inside = {
        .num_free = 2, .free_ids = {0, 1}, .num_starts = 2, .starts = {{0, 0}, {-1, -1}}};
    const spot_size_search_t limit = {
        .num_free = 1, .free_ids = {0}, .num_starts = 2, .starts = {{0}, {-1}}};
    spot_fit_t poisson = *fit, other = *fit;
    char note[64];
    double best;

    if (sample->max == 1) {
        fit->law.parameters[0] = fit->law.parameters[1] = 1;
        return;
    }
    estimate_truncated_poisson(sample, &poisson);
    snprintf(
        note, sizeof(note), "r=inf: truncated Poisson of rate %.5g", poisson.law.parameters[2]);
    if (sample->is_all) {
        *fit = poisson;
        spot_fit_note(fit, 0, "%s", note);
        return;
    }
    best = spot_size_maximise(&inside, sample, fit);
    if (poisson.converged) {
        offer(&poisson, spot_size_log_likelihood(fit->size_family, poisson.law.parameters, sample),
            note, &best, fit);
    }
    offer(&other, spot_size_maximise(&limit, sample, &other), "p=0", &best, fit);
}

/* ---- The families ---- */

const spot_size_family_table_t spot_size_truncated_geometric = {"truncated-geometric",
    "each further instance with the same probability, at most n", 1, {"p"}, {SPOT_FIT_SCALE_LOGIT},
    truncated_geometric_log_probability, truncated_geometric_estimate, .is_given_limit = true};

const spot_size_family_table_t spot_size_all_or_geometric = {"all-or-geometric",
    "all n with probability pi_all, else truncated-geometric", 2, {"pi_all", "p"},
    {SPOT_FIT_SCALE_LOGIT, SPOT_FIT_SCALE_LOGIT}, all_or_geometric_log_probability,
    all_or_geometric_estimate, .is_given_limit = true};

const spot_size_family_table_t spot_size_zt_binomial = {"zt-binomial",
    "each of n alone with probability q, and at least one", 1, {"q"}, {SPOT_FIT_SCALE_LOGIT},
    zt_binomial_log_probability, zt_binomial_estimate, .is_given_limit = true};

const spot_size_family_table_t spot_size_zt_betabinomial = {"zt-betabinomial",
    "zt-binomial with a q of its own for each event, Beta(a, b)", 2, {"a", "b"},
    {SPOT_FIT_SCALE_LOG, SPOT_FIT_SCALE_LOG}, zt_betabinomial_log_probability,
    zt_betabinomial_estimate, .is_given_limit = true};

const spot_size_family_table_t spot_size_truncated_negbin = {"truncated-negbin",
    "one and a negative binomial number, at most n", 2, {"r", "p"},
    {SPOT_FIT_SCALE_LOG, SPOT_FIT_SCALE_LOGIT}, truncated_negbin_log_probability,
    truncated_negbin_estimate, .is_given_limit = true};

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
