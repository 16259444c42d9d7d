/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/fit_size.h"

#include <gsl/gsl_math.h>
#include <gsl/gsl_sf_erf.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_psi.h>
#include <gsl/gsl_sf_zeta.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"

#define SIZE_BIG_MAX 31

/* A search over the free parameters, with the others fixed at a boundary. */
typedef struct {
    size_t num_free;
    size_t free_ids[SPOT_SIZE_MAX_PARAMETERS];
    double parameters[SPOT_SIZE_MAX_PARAMETERS + 1]; /* values of the fixed ones */
    size_t num_starts;
    double starts[3][SPOT_MAXIMISE_MAX_PARAMETERS]; /* on the scales of the family */
} size_search_t;

static const spot_fit_size_family_t size_absnormal_moments;
static double size_maximise(
    const size_search_t *search, const spot_size_sample_t *sample, spot_fit_t *fit);
static double size_unscaled(spot_fit_scale_t scale, double theta);

/* ---- Laws of a size given its limit ----
 * Laws of a size given its limit n: the instances running for a preemption, those
 * missing for an addition. Probabilities that can be tiny are logarithms, and 1 - (1 -
 * p)^n is -expm1(n log1p(-p)).
 *
 * The maximum of the likelihood is often at a boundary, which a search over
 * unconstrained numbers only approaches: each boundary is tried on its own and kept if
 * it costs at most BOUNDARY_COST. */

/* Mean of a law for one limit. O(limit). */
static double size_mean_given(
    const spot_fit_size_family_t *family, const double *parameters, int32_t limit)
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

/* ---- Given its limit: estimates ---- */

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
    const size_search_t inside = {
        .num_free = 2, .free_ids = {0, 1}, .num_starts = 2, .starts = {{-2, 0}, {0, 0}}};
    const size_search_t uniform = {
        .num_free = 1, .free_ids = {0}, .num_starts = 2, .starts = {{-2}, {0}}};
    spot_fit_t alone = *fit, other = *fit;
    double best;

    if (sample->max == 1 || sample->is_all) {
        fit->law.parameters[0] = sample->max > 1 ? 1 : 0;
        fit->law.parameters[1] = sample->max > 1 ? 0 : 1;
        return;
    }
    best = size_maximise(&inside, sample, fit);
    offer(&other, size_maximise(&uniform, sample, &other), "p=0", &best, fit);
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
    const double q = size_unscaled(SPOT_FIT_SCALE_LOGIT, logit);
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
    fit->law.parameters[0] = size_unscaled(SPOT_FIT_SCALE_LOGIT, logit);
}

static void zt_betabinomial_estimate(const spot_size_sample_t *sample, spot_fit_t *fit)
{
    const size_search_t inside = {
        .num_free = 2, .free_ids = {0, 1}, .num_starts = 2, .starts = {{0, 0}, {-1, 1}}};
    const size_search_t limit = {
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
    best = size_maximise(&inside, sample, fit);
    offer(&other, spot_size_log_likelihood(fit->size_family, other.law.parameters, sample),
        "a=b=inf: zt-binomial", &best, fit);
    offer(&other, size_maximise(&limit, sample, &other), "a=0", &best, fit);
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
    const size_search_t inside = {
        .num_free = 2, .free_ids = {0, 1}, .num_starts = 2, .starts = {{0, 0}, {-1, -1}}};
    const size_search_t limit = {
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
    best = size_maximise(&inside, sample, fit);
    if (poisson.converged) {
        offer(&poisson, spot_size_log_likelihood(fit->size_family, poisson.law.parameters, sample),
            note, &best, fit);
    }
    offer(&other, size_maximise(&limit, sample, &other), "p=0", &best, fit);
}

/* ---- Given its limit: the families ---- */

const spot_fit_size_family_t spot_size_truncated_geometric = {"truncated-geometric",
    "each further instance with the same probability, at most n", 1, {"p"}, {SPOT_FIT_SCALE_LOGIT},
    truncated_geometric_log_probability, truncated_geometric_estimate, .is_given_limit = true};

const spot_fit_size_family_t spot_size_all_or_geometric = {"all-or-geometric",
    "all n with probability pi_all, else truncated-geometric", 2, {"pi_all", "p"},
    {SPOT_FIT_SCALE_LOGIT, SPOT_FIT_SCALE_LOGIT}, all_or_geometric_log_probability,
    all_or_geometric_estimate, .is_given_limit = true};

const spot_fit_size_family_t spot_size_zt_binomial = {"zt-binomial",
    "each of n alone with probability q, and at least one", 1, {"q"}, {SPOT_FIT_SCALE_LOGIT},
    zt_binomial_log_probability, zt_binomial_estimate, .is_given_limit = true};

const spot_fit_size_family_t spot_size_zt_betabinomial = {"zt-betabinomial",
    "zt-binomial with a q of its own for each event, Beta(a, b)", 2, {"a", "b"},
    {SPOT_FIT_SCALE_LOG, SPOT_FIT_SCALE_LOG}, zt_betabinomial_log_probability,
    zt_betabinomial_estimate, .is_given_limit = true};

const spot_fit_size_family_t spot_size_truncated_negbin = {"truncated-negbin",
    "one and a negative binomial number, at most n", 2, {"r", "p"},
    {SPOT_FIT_SCALE_LOG, SPOT_FIT_SCALE_LOGIT}, truncated_negbin_log_probability,
    truncated_negbin_estimate, .is_given_limit = true};

const spot_fit_size_family_t *const spot_size_families[] = {
    &spot_size_geometric,
    &spot_size_shifted_poisson,
    &spot_size_zt_poisson,
    &spot_size_logarithmic,
    &spot_size_zeta,
    &spot_size_shifted_negbin,
    &size_absnormal_moments,
    &spot_size_absnormal_mle,
    &spot_size_seed_mixture,
    &spot_size_truncated_geometric,
    &spot_size_all_or_geometric,
    &spot_size_zt_binomial,
    &spot_size_zt_betabinomial,
    &spot_size_truncated_negbin,
    NULL,
};

/* ---- Laws of a size alone ----
 * Laws of a size alone. Formulas: Johnson, Kemp, Kotz, "Univariate Discrete
 * Distributions", 3rd edition. Estimates: likelihood equations, solved by Brent's
 * method. */

/* The law that is always 1, the limit of most laws. */
static double log_always_one(int32_t size)
{
    return size == 1 ? 0 : -(double) INFINITY;
}

/* Products of up to this many terms are computed term by term. */
#define NUM_EXACT_TERMS 64

/* The terms of Stirling's series of ln Gamma(x) after ln sqrt(2 pi), x >= 64. */
static double stirling_rest(double x)
{
    const double x2 = x * x;

    return (1.0 / 12 - (1.0 / 360 - 1 / (1260 * x2)) / x2) / x;
}

/* ln Gamma(x + n) - ln Gamma(x), x >= 64. Two values of lgamma() would cancel. */
static double log_gamma_ratio(double x, double n)
{
    return (x - 0.5) * log1p(n / x) + n * (log(x + n) - 1) + stirling_rest(x + n) -
           stirling_rest(x);
}

double spot_size_log_rising(double x, int32_t n)
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

static double geometric_log_probability(const double *p, int32_t size, int32_t limit)
{
    (void) limit;
    return p[0] >= 1 ? log_always_one(size) : log(p[0]) + (size - 1) * log1p(-p[0]);
}

static double geometric_mean(const double *p)
{
    return 1 / p[0];
}

static double shifted_poisson_log_probability(const double *p, int32_t size, int32_t limit)
{
    (void) limit;
    return p[0] <= 0 ? log_always_one(size) : (size - 1) * log(p[0]) - p[0] - lgamma(size);
}

static double shifted_poisson_mean(const double *p)
{
    return 1 + p[0];
}

/* ln(e^lam - 1) = lam + ln(1 - e^-lam) */
static double zt_poisson_log_probability(const double *p, int32_t size, int32_t limit)
{
    (void) limit;
    return p[0] <= 0 ? log_always_one(size)
                     : size * log(p[0]) - lgamma(size + 1.0) - p[0] - log(-expm1(-p[0]));
}

static double zt_poisson_mean(const double *p)
{
    return p[0] <= 0 ? 1 : -p[0] / expm1(-p[0]);
}

static double logarithmic_log_probability(const double *p, int32_t size, int32_t limit)
{
    (void) limit;
    return p[0] <= 0 ? log_always_one(size) : size * log(p[0]) - log(size) - log(-log1p(-p[0]));
}

static double logarithmic_mean(const double *p)
{
    return p[0] <= 0 ? 1 : -p[0] / ((1 - p[0]) * log1p(-p[0]));
}

static double zeta_of(double s)
{
    gsl_sf_result result;

    return gsl_sf_zeta_e(s, &result) == 0 ? result.val : (double) INFINITY;
}

static double zeta_log_probability(const double *p, int32_t size, int32_t limit)
{
    (void) limit;
    return isinf(p[0]) ? log_always_one(size) : -p[0] * log(size) - log(zeta_of(p[0]));
}

static double zeta_mean(const double *p)
{
    if (isinf(p[0])) {
        return 1;
    }
    return p[0] > 2 ? zeta_of(p[0] - 1) / zeta_of(p[0]) : (double) INFINITY;
}

static double shifted_negbin_log_probability(const double *p, int32_t size, int32_t limit)
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

static double shifted_negbin_mean(const double *p)
{
    return isinf(p[0]) ? 1 + p[2] : 1 + p[0] * (1 - p[1]) / p[1];
}

static double log_upper_tail(double z)
{
    gsl_sf_result result;

    return gsl_sf_log_erfc_e(z * M_SQRT1_2, &result) == 0 ? result.val - M_LN2 : -(double) INFINITY;
}

/* ln(Phi(high) - Phi(low)). Both tails are taken from their own side: a difference of
 * two Phi close to 1 would be 0 where the size is merely unlikely. */
static double log_normal_cell(double low, double high)
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
static double log_absnormal(double mu, double sigma, int32_t size)
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

static double absnormal_log_probability(const double *p, int32_t size, int32_t limit)
{
    (void) limit;
    return log_absnormal(p[0], p[1], size);
}

/* Mean = sum of P(size >= k); tails beyond MAX_SIGMAS are 0. */
#define MAX_SIGMAS 40
#define MAX_TAILS 1e7

static double absnormal_mean(const double *p)
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

static double seed_mixture_log_probability(const double *p, int32_t size, int32_t limit)
{
    const bool is_big = size > SPOT_SIZE_REGULAR_MAX && size <= SIZE_BIG_MAX;
    const double regular = log1p(-p[0]) + log_absnormal(p[1], p[2], size);
    const double big =
        is_big ? log(p[0] / (SIZE_BIG_MAX - SPOT_SIZE_REGULAR_MAX)) : -(double) INFINITY;
    const double high = fmax(regular, big);

    (void) limit;
    return isinf(high) ? high : high + log1p(exp(fmin(regular, big) - high));
}

static double seed_mixture_mean(const double *p)
{
    return p[0] * (SPOT_SIZE_REGULAR_MAX + 1 + SIZE_BIG_MAX) / 2.0 +
           (1 - p[0]) * absnormal_mean(&p[1]);
}

/* ---- A size alone: estimates ---- */

/* An equation for a parameter: a sum over the sample, or a function, equals target. */
typedef struct {
    const spot_size_sample_t *sample;
    double target;
} equation_t;

/* Solves the equation between low and high, or notes that there is no solution. */
static double solve(
    spot_root_function_t function, equation_t *equation, double low, double high, spot_fit_t *fit)
{
    double root = low;

    fit->converged = spot_root_find(function, equation, low, high, &root);
    if (!fit->converged) {
        spot_fit_note(fit, 0, "no root between %g and %g", low, high);
    }
    return root;
}

static void geometric_estimate(const spot_size_sample_t *sample, spot_fit_t *fit)
{
    fit->law.parameters[0] = 1 / sample->mean;
}

static void shifted_poisson_estimate(const spot_size_sample_t *sample, spot_fit_t *fit)
{
    fit->law.parameters[0] = sample->mean - 1;
}

static double zt_poisson_equation(double lam, void *context)
{
    const equation_t *equation = context;

    return -lam / expm1(-lam) - equation->target;
}

/* lam / (1 - e^-lam) is between 1 + lam / 2 and 1 + lam. */
static void zt_poisson_estimate(const spot_size_sample_t *sample, spot_fit_t *fit)
{
    equation_t equation = {sample, sample->mean};

    fit->law.parameters[0] = sample->max == 1 ? 0
                                              : solve(zt_poisson_equation, &equation,
                                                    (sample->mean - 1) / 2, 2 * sample->mean, fit);
}

/* u = -ln(1 - p): the mean is (e^u - 1) / u. */
static double logarithmic_equation(double u, void *context)
{
    const equation_t *equation = context;

    return expm1(u) / u - equation->target;
}

static void logarithmic_estimate(const spot_size_sample_t *sample, spot_fit_t *fit)
{
    equation_t equation = {sample, sample->mean};

    fit->law.parameters[0] =
        sample->max == 1 ? 0 : -expm1(-solve(logarithmic_equation, &equation, 1e-12, 100, fit));
}

#define ZETA_DIFFERENCE 1e-4
#define ZETA_MIN 1.02
#define ZETA_MAX 30

static double log_zeta(double s)
{
    gsl_sf_result result;

    return gsl_sf_zetam1_e(s, &result) == 0 ? log1p(result.val) : (double) NAN;
}

/* -zeta'(s) / zeta(s) by the 5-point rule, minus the mean of ln k. */
static double zeta_equation(double s, void *context)
{
    const equation_t *equation = context;
    const double h = ZETA_DIFFERENCE;

    return -(log_zeta(s - 2 * h) - 8 * log_zeta(s - h) + 8 * log_zeta(s + h) -
               log_zeta(s + 2 * h)) /
               (12 * h) -
           equation->target;
}

static void zeta_estimate(const spot_size_sample_t *sample, spot_fit_t *fit)
{
    equation_t equation = {sample, 0};

    for (size_t j = 0; j < sample->num_cells; j++) {
        equation.target +=
            sample->cells[j].weight / sample->num_events * log(sample->cells[j].size);
    }
    fit->law.parameters[0] = sample->max == 1
                                 ? (double) INFINITY
                                 : solve(zeta_equation, &equation, ZETA_MIN, ZETA_MAX, fit);
}

/* psi(x + n) - psi(x) */
static double psi_rise(double x, int32_t n)
{
    double sum = 0;

    for (int32_t j = 0; j < n; j++) {
        sum += 1 / (x + j);
    }
    return sum;
}

/* Sum psi(k - 1 + r) - n psi(r) + n ln p at ln r; p = r / (r + mean - 1) */
static double negbin_equation(double log_r, void *context)
{
    const equation_t *equation = context;
    const double r = exp(log_r), y = equation->sample->mean - 1;
    double sum = -equation->sample->num_events * log1p(y / r);

    for (size_t j = 0; j < equation->sample->num_cells; j++) {
        const spot_size_cell_t *cell = &equation->sample->cells[j];

        sum += cell->weight * psi_rise(r, cell->size - 1);
    }
    return sum;
}

#define LOG_R_MIN (-6)
#define LOG_R_STEPS 360
#define LOG_R_STEP 0.05

/* Estimates r; INFINITY if the likelihood still rises at the largest r tried. */
static double negbin_r(const spot_size_sample_t *sample, spot_fit_t *fit)
{
    equation_t equation = {sample, 0};
    double before = negbin_equation(LOG_R_MIN, &equation);

    for (int j = 1; j <= LOG_R_STEPS; j++) {
        const double log_r = LOG_R_MIN + j * LOG_R_STEP;
        const double value = negbin_equation(log_r, &equation);

        if (before * value <= 0) {
            return exp(solve(negbin_equation, &equation, log_r - LOG_R_STEP, log_r, fit));
        }
        before = value;
    }
    if (before > 0) {
        return (double) INFINITY;
    }
    fit->converged = false;
    spot_fit_note(fit, 0, "no root in ln r");
    return exp(LOG_R_MIN);
}

/* Sets the limit of the law for large r, shifted Poisson. */
static void take_poisson(spot_fit_t *fit, double mean)
{
    fit->law.parameters[0] = (double) INFINITY;
    fit->law.parameters[1] = 1;
    fit->law.parameters[2] = mean;
    spot_fit_note(fit, 0, "r=inf: shifted-poisson");
}

static void shifted_negbin_estimate(const spot_size_sample_t *sample, spot_fit_t *fit)
{
    const double n = sample->num_events, y = sample->mean - 1;

    if (sample->std * sample->std * (n - 1) / n <= y) {
        take_poisson(fit, y);
        return;
    }
    fit->law.parameters[0] = negbin_r(sample, fit);
    if (isinf(fit->law.parameters[0])) {
        take_poisson(fit, y);
        return;
    }
    fit->law.parameters[1] = fit->law.parameters[0] / (fit->law.parameters[0] + y);
}

static void absnormal_moments_estimate(const spot_size_sample_t *sample, spot_fit_t *fit)
{
    fit->law.parameters[0] = sample->mean;
    fit->law.parameters[1] = sample->std;
}

/* Loss of ln L up to which mu = 0 is taken: the sign of mu is not observable. */
#define SMALL_COST 1e-5

static void absnormal_mle_estimate(const spot_size_sample_t *sample, spot_fit_t *fit)
{
    const double log_std = log(sample->std);
    const size_search_t inside = {.num_free = 2,
        .free_ids = {0, 1},
        .num_starts = 3,
        .starts = {{sample->mean, log_std}, {0, log(sample->std + sample->mean)}, {1, log_std}}};
    const size_search_t centred = {.num_free = 1,
        .free_ids = {1},
        .num_starts = 1,
        .starts = {{log(sample->std + sample->mean)}}};
    spot_fit_t at_zero = *fit;
    double best, cost;

    if (sample->min == sample->max) {
        absnormal_moments_estimate(sample, fit);
        return;
    }
    best = size_maximise(&inside, sample, fit);
    cost = best - size_maximise(&centred, sample, &at_zero);
    if (cost < SMALL_COST) {
        *fit = at_zero;
        spot_fit_note(fit, 0, "mu=0");
    }
    fit->law.parameters[0] = fabs(fit->law.parameters[0]);
}

/* Estimates mean and std of the sizes up to SPOT_SIZE_REGULAR_MAX, and the share of
 * larger ones. */
static void seed_mixture_estimate(const spot_size_sample_t *sample, spot_fit_t *fit)
{
    double num_regular = 0, mean = 0, sum_squares = 0;

    for (size_t j = 0; j < sample->num_cells; j++) {
        const spot_size_cell_t *cell = &sample->cells[j];

        if (cell->size <= SPOT_SIZE_REGULAR_MAX) {
            num_regular += cell->weight;
            mean += (cell->size - mean) * cell->weight / num_regular;
        }
    }
    for (size_t j = 0; j < sample->num_cells; j++) {
        const spot_size_cell_t *cell = &sample->cells[j];

        sum_squares += cell->size <= SPOT_SIZE_REGULAR_MAX
                           ? cell->weight * (cell->size - mean) * (cell->size - mean)
                           : 0;
    }
    if (num_regular < 2) {
        fit->is_fitted = false;
        spot_fit_note(fit, 0, "fewer than 2 sizes up to %d", SPOT_SIZE_REGULAR_MAX);
        return;
    }
    fit->law.parameters[0] = 1 - num_regular / sample->num_events;
    fit->law.parameters[1] = mean;
    fit->law.parameters[2] = sqrt(sum_squares / (num_regular - 1));
}

/* ---- A size alone: the families ---- */

const spot_fit_size_family_t spot_size_geometric = {"geometric",
    "each further instance with the same probability 1 - p", 1, {"p"}, {SPOT_FIT_SCALE_LOGIT},
    geometric_log_probability, geometric_estimate, .mean = geometric_mean};

const spot_fit_size_family_t spot_size_shifted_poisson = {"shifted-poisson",
    "one and a Poisson number", 1, {"lam"}, {SPOT_FIT_SCALE_LOG}, shifted_poisson_log_probability,
    shifted_poisson_estimate, .mean = shifted_poisson_mean};

const spot_fit_size_family_t spot_size_zt_poisson = {"zt-poisson", "a Poisson number that is not 0",
    1, {"lam"}, {SPOT_FIT_SCALE_LOG}, zt_poisson_log_probability, zt_poisson_estimate,
    .mean = zt_poisson_mean};

const spot_fit_size_family_t spot_size_logarithmic = {"logarithmic", "P(k) as p^k / k", 1, {"p"},
    {SPOT_FIT_SCALE_LOGIT}, logarithmic_log_probability, logarithmic_estimate,
    .mean = logarithmic_mean};

const spot_fit_size_family_t spot_size_zeta = {"zeta", "a power law: P(k) as k^-s", 1, {"s"},
    {SPOT_FIT_SCALE_LOG}, zeta_log_probability, zeta_estimate, .mean = zeta_mean};

const spot_fit_size_family_t spot_size_shifted_negbin = {"shifted-negbin",
    "one and a negative binomial number", 2, {"r", "p"}, {SPOT_FIT_SCALE_LOG, SPOT_FIT_SCALE_LOGIT},
    shifted_negbin_log_probability, shifted_negbin_estimate, .mean = shifted_negbin_mean};

static const spot_fit_size_family_t size_absnormal_moments = {"absnormal-moments",
    "the seed notebook's: a rounded normal number, with the sample's mean and std", 2,
    {"mu", "sigma"}, {SPOT_FIT_SCALE_PLAIN, SPOT_FIT_SCALE_LOG}, absnormal_log_probability,
    absnormal_moments_estimate, .mean = absnormal_mean, .is_by_moments = true};

const spot_fit_size_family_t spot_size_absnormal_mle = {"absnormal-mle",
    "a rounded normal number, without its sign and at least 1", 2, {"mu", "sigma"},
    {SPOT_FIT_SCALE_PLAIN, SPOT_FIT_SCALE_LOG}, absnormal_log_probability, absnormal_mle_estimate,
    .mean = absnormal_mean};

const spot_fit_size_family_t spot_size_seed_mixture = {"seed-mixture",
    "the seed notebook's: a share of big events, 11 to 31, else absnormal-moments", 3,
    {"p_big", "mu", "sigma"}, {SPOT_FIT_SCALE_LOGIT, SPOT_FIT_SCALE_PLAIN, SPOT_FIT_SCALE_LOG},
    seed_mixture_log_probability, seed_mixture_estimate, .mean = seed_mixture_mean,
    .is_by_moments = true};

/* ---- The sample, and the fit of a family ---- */

#define MAX_K SPOT_MAXIMISE_MAX_PARAMETERS

/* Tails below this are left out of AD, where the term would be 0 / 0. */
#define SMALL_TAIL 1e-9

/* Relative difference up to which a mean is that of the sample. */
#define EXACT_MEAN 1e-9

static int compare_cells(const void *left, const void *right)
{
    const spot_size_cell_t *a = left, *b = right;

    if (a->size != b->size) {
        return a->size < b->size ? -1 : 1;
    }
    return (a->limit > b->limit) - (a->limit < b->limit);
}

/* Merges equal cells; they are sorted and hold one event each. */
static void merge_cells(spot_size_sample_t *self)
{
    size_t num_cells = 0;

    for (size_t j = 0; j < self->num_cells; j++) {
        if (num_cells > 0 && compare_cells(&self->cells[num_cells - 1], &self->cells[j]) == 0) {
            self->cells[num_cells - 1].weight++;
        } else {
            self->cells[num_cells++] = self->cells[j];
        }
    }
    self->num_cells = num_cells;
}

int spot_size_sample_init(
    spot_size_sample_t *self, size_t num_values, const double *values, const int32_t *limits)
{
    spot_moments_t moments = {0};

    memset(self, 0, sizeof(*self));
    self->cells = spot_calloc(num_values, sizeof(*self->cells));
    if (self->cells == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->has_limits = self->is_all = limits != NULL && num_values > 0;
    for (size_t j = 0; j < num_values; j++) {
        const double limit = limits != NULL ? limits[j] : INT32_MAX;

        if (!(values[j] >= 1 && values[j] <= limit && values[j] == rint(values[j]))) {
            return SPOT_ERR_BAD_PARAM;
        }
        self->cells[j] = (spot_size_cell_t){(int32_t) values[j], limits != NULL ? limits[j] : 0, 1};
        self->is_all = self->is_all && values[j] == limit;
        spot_moments_add(&moments, values[j]);
    }
    self->num_events = (double) num_values;
    self->num_cells = num_values;
    self->mean = spot_moments_mean(&moments);
    self->std = spot_moments_std(&moments);
    if (num_values > 0) {
        qsort(self->cells, num_values, sizeof(*self->cells), compare_cells);
        self->min = self->cells[0].size;
        self->max = self->cells[num_values - 1].size;
        merge_cells(self);
    }
    return 0;
}

int spot_size_sample_of_trace(
    spot_size_sample_t *self, const spot_trace_t *trace, spot_sample_kind_t kind)
{
    spot_sample_t values = {0};
    int ret = spot_sample_init(&values, trace, kind);

    ret = ret == 0 ? spot_size_sample_init(self, values.num_values, values.values, values.limits)
                   : ret;
    spot_sample_free(&values);
    return ret;
}

void spot_size_sample_free(spot_size_sample_t *self)
{
    free(self->cells);
    memset(self, 0, sizeof(*self));
}

bool spot_size_family_fits(const spot_fit_size_family_t *family, const spot_size_sample_t *sample)
{
    if (family == &spot_size_seed_mixture) {
        return sample->max > SPOT_SIZE_REGULAR_MAX;
    }
    return sample->has_limits || !family->is_given_limit;
}

/* Map a parameter to its scale, and back. */
static double size_scaled(spot_fit_scale_t scale, double parameter)
{
    switch (scale) {
        case SPOT_FIT_SCALE_LOG:
            return log(parameter);
        case SPOT_FIT_SCALE_LOGIT:
            return log(parameter) - log1p(-parameter);
        case SPOT_FIT_SCALE_PLAIN:
            break;
    }
    return parameter;
}

static double size_unscaled(spot_fit_scale_t scale, double theta)
{
    switch (scale) {
        case SPOT_FIT_SCALE_LOG:
            return exp(theta);
        case SPOT_FIT_SCALE_LOGIT:
            return theta < 0 ? exp(theta) / (1 + exp(theta)) : 1 / (1 + exp(-theta));
        case SPOT_FIT_SCALE_PLAIN:
            break;
    }
    return theta;
}

double spot_size_log_likelihood(const spot_fit_size_family_t *family, const double *parameters,
    const spot_size_sample_t *sample)
{
    spot_sum_t sum = {0};

    for (size_t j = 0; j < sample->num_cells; j++) {
        const spot_size_cell_t *cell = &sample->cells[j];
        double value = family->log_probability(parameters, cell->size, cell->limit);

        if (family == &spot_size_seed_mixture) {
            value = fmax(value, SPOT_SIZE_LOG_FLOOR);
        }
        if (!isfinite(value)) {
            return (double) -INFINITY;
        }
        spot_sum_add(&sum, cell->weight * value);
    }
    return spot_sum_total(&sum);
}

/* Context of a search; theta are the free parameters on their scales. */
typedef struct {
    const spot_fit_size_family_t *family;
    const spot_size_sample_t *sample;
    size_t num_free;
    const size_t *free_ids;
    double parameters[SPOT_SIZE_MAX_PARAMETERS + 1];
} target_t;

static double log_likelihood_at(const double *theta, void *context)
{
    target_t *target = context;

    for (size_t j = 0; j < target->num_free; j++) {
        const size_t id = target->free_ids[j];

        target->parameters[id] = size_unscaled(target->family->scales[id], theta[j]);
    }
    return spot_size_log_likelihood(target->family, target->parameters, target->sample);
}

/* Runs the search, fills parameters and converged of fit, and returns ln L. */
static double size_maximise(
    const size_search_t *search, const spot_size_sample_t *sample, spot_fit_t *fit)
{
    target_t target = {.family = fit->size_family,
        .sample = sample,
        .num_free = search->num_free,
        .free_ids = search->free_ids};
    spot_maximum_t maximum;

    memcpy(target.parameters, search->parameters, sizeof(target.parameters));
    spot_maximise(fit->maximiser, search->num_free, search->num_starts, search->starts,
        log_likelihood_at, &target, &maximum);
    memcpy(fit->law.parameters, search->parameters, sizeof(search->parameters));
    for (size_t j = 0; j < search->num_free; j++) {
        const size_t id = search->free_ids[j];

        fit->law.parameters[id] = size_unscaled(fit->size_family->scales[id], maximum.theta[j]);
    }
    fit->converged = maximum.converged;
    return maximum.log_likelihood;
}

/* Whether a parameter is not at a boundary of its scale. */
static bool is_inside(spot_fit_scale_t scale, double parameter)
{
    switch (scale) {
        case SPOT_FIT_SCALE_LOG:
            return parameter > 0 && isfinite(parameter);
        case SPOT_FIT_SCALE_LOGIT:
            return parameter > 0 && parameter < 1;
        case SPOT_FIT_SCALE_PLAIN:
            break;
    }
    return true;
}

/* Standard errors from the curvature of the likelihood in the parameters inside their
 * scales; those at a boundary count as known. */
static void fill_std_errors(spot_fit_t *self, const spot_size_sample_t *sample)
{
    size_t free_ids[SPOT_SIZE_MAX_PARAMETERS];
    target_t target = {
        .family = self->size_family, .sample = sample, .num_free = 0, .free_ids = free_ids};
    spot_maximum_t maximum = {.num_parameters = 0};
    double covariance[MAX_K][MAX_K];

    memcpy(target.parameters, self->law.parameters, sizeof(target.parameters));
    for (int j = 0; j < self->size_family->num_parameters; j++) {
        const bool is_centre =
            self->size_family == &spot_size_absnormal_mle && j == 0 && self->law.parameters[j] == 0;

        if (!is_centre && is_inside(self->size_family->scales[j], self->law.parameters[j])) {
            maximum.theta[target.num_free] =
                size_scaled(self->size_family->scales[j], self->law.parameters[j]);
            free_ids[target.num_free++] = (size_t) j;
        }
    }
    maximum.num_parameters = target.num_free;
    if (target.num_free == 0) {
        return;
    }
    spot_maximum_differentiate(&maximum, log_likelihood_at, &target);
    if (!spot_maximum_covariance(&maximum, covariance)) {
        return;
    }
    for (size_t j = 0; j < target.num_free; j++) {
        const size_t id = free_ids[j];

        self->standard_errors[id] =
            spot_fit_scale_slope(self->size_family->scales[id], self->law.parameters[id]) *
            sqrt(covariance[j][j]);
    }
}

/* Discrete Kolmogorov-Smirnov and Anderson-Darling over the sizes up to the largest:
 * Choulakian, Lockhart, Stephens, Can. J. Statist. 22(1), 1994. */
static void fill_distances(spot_fit_t *self, const spot_size_sample_t *sample)
{
    const double n = sample->num_events;
    double observed = 0, expected = 0;
    size_t j = 0;

    self->ks = self->ad = 0;
    for (int32_t size = 1; size <= sample->max; size++) {
        const double p = exp(self->size_family->log_probability(self->law.parameters, size, 0));

        for (; j < sample->num_cells && sample->cells[j].size == size; j++) {
            observed += sample->cells[j].weight;
        }
        expected += p;
        self->ks = fmax(self->ks, fabs(observed / n - expected));
        if (expected >= SMALL_TAIL && 1 - expected >= SMALL_TAIL) {
            const double z = observed - n * expected;

            self->ad += z * z * p / (expected * (1 - expected)) / n;
        }
    }
}

static double implied_mean(const spot_fit_t *self, const spot_size_sample_t *sample)
{
    double sum = 0;

    if (self->size_family->mean != NULL) {
        return self->size_family->mean(self->law.parameters);
    }
    for (size_t j = 0; j < sample->num_cells; j++) {
        sum += sample->cells[j].weight *
               size_mean_given(self->size_family, self->law.parameters, sample->cells[j].limit);
    }
    return sum / sample->num_events;
}

static void note_shape(spot_fit_t *self, const spot_size_sample_t *sample)
{
    const char *shape = sample->max == 1 ? "all sizes are 1"
                        : sample->is_all && self->size_family->is_given_limit
                            ? "every event takes all"
                        : sample->min == sample->max && self->size_family->num_parameters > 1
                            ? "all sizes are equal"
                            : NULL;

    if (shape != NULL) {
        spot_fit_note(self, SPOT_FIT_DEGENERATE, "degenerate: %s", shape);
    }
}

/* Marks parameters that do not matter: those of the other part beside a share of 1, and
 * r of a negative binomial law with p = 1. */
static void mark_arbitrary(spot_fit_t *self)
{
    const spot_fit_size_family_t *family = self->size_family;
    const double *p = self->law.parameters;

    if (family == &spot_size_all_or_geometric && p[0] == 1) {
        self->arbitrary = 1u << 1;
    } else if (family == &spot_size_seed_mixture && p[0] == 1) {
        self->arbitrary = 1u << 1 | 1u << 2;
    } else if (family == &spot_size_truncated_negbin && p[1] == 1 && isfinite(p[0])) {
        self->arbitrary = 1u << 0;
    }
}

static void note_impossible(spot_fit_t *self, const spot_size_sample_t *sample)
{
    for (size_t j = 0; j < sample->num_cells; j++) {
        if (self->size_family == &spot_size_seed_mixture &&
            !(self->size_family->log_probability(self->law.parameters, sample->cells[j].size, 0) >
                SPOT_SIZE_LOG_FLOOR)) {
            spot_fit_note(self, 0, "logL uses a floor of 1e-300 per impossible count");
            return;
        }
    }
}

void spot_fit_size(spot_fit_t *self, const spot_fit_size_family_t *family,
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser)
{
    const int k = family->num_parameters;

    memset(self, 0, sizeof(*self));
    spot_fit_clear(self);
    self->name = family->name;
    self->size_family = family;
    self->num_values = self->num_complete = (size_t) sample->num_events;
    self->maximiser = maximiser;
    if (sample->num_events < 2) {
        spot_fit_note(self, 0, "fewer than 2 events: no fit");
        return;
    }
    self->is_fitted = self->converged = true;
    family->estimate(sample, self);
    if (!self->is_fitted) {
        spot_fit_clear(self);
        return;
    }
    self->log_likelihood = spot_size_log_likelihood(family, self->law.parameters, sample);
    self->aic = 2 * k - 2 * self->log_likelihood;
    self->bic = k * log(sample->num_events) - 2 * self->log_likelihood;
    self->converged = self->converged && isfinite(self->log_likelihood);
    self->mean_ratio = implied_mean(self, sample) / sample->mean;
    self->is_mean_exact = fabs(self->mean_ratio - 1) <= EXACT_MEAN;
    if (!family->is_by_moments) {
        fill_std_errors(self, sample);
    }
    if (!family->is_given_limit) {
        fill_distances(self, sample);
    }
    mark_arbitrary(self);
    note_shape(self, sample);
    note_impossible(self, sample);
}
