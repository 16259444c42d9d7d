/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of a size alone. Formulas: Johnson, Kemp, Kotz, "Univariate Discrete
 * Distributions", 3rd edition. Estimates: likelihood equations, solved by Brent's
 * method. */
#include <gsl/gsl_math.h>
#include <gsl/gsl_sf_erf.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_psi.h>
#include <gsl/gsl_sf_zeta.h>
#include <math.h>

#include "traces/fit/fit_size.h"
#include "traces/fit/maximise.h"

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
    const bool is_big = size > SPOT_SIZE_REGULAR_MAX && size <= SPOT_SIZE_BIG_MAX;
    const double regular = log1p(-p[0]) + log_absnormal(p[1], p[2], size);
    const double big =
        is_big ? log(p[0] / (SPOT_SIZE_BIG_MAX - SPOT_SIZE_REGULAR_MAX)) : -(double) INFINITY;
    const double high = fmax(regular, big);

    (void) limit;
    return isinf(high) ? high : high + log1p(exp(fmin(regular, big) - high));
}

static double seed_mixture_mean(const double *p)
{
    return p[0] * (SPOT_SIZE_REGULAR_MAX + 1 + SPOT_SIZE_BIG_MAX) / 2.0 +
           (1 - p[0]) * absnormal_mean(&p[1]);
}

/* ---- Estimates ---- */

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
    const spot_size_search_t inside = {.num_free = 2,
        .free_ids = {0, 1},
        .num_starts = 3,
        .starts = {{sample->mean, log_std}, {0, log(sample->std + sample->mean)}, {1, log_std}}};
    const spot_size_search_t centred = {.num_free = 1,
        .free_ids = {1},
        .num_starts = 1,
        .starts = {{log(sample->std + sample->mean)}}};
    spot_fit_t at_zero = *fit;
    double best, cost;

    if (sample->min == sample->max) {
        absnormal_moments_estimate(sample, fit);
        return;
    }
    best = spot_size_maximise(&inside, sample, fit);
    cost = best - spot_size_maximise(&centred, sample, &at_zero);
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

/* ---- The families ---- */

const spot_size_family_table_t spot_size_geometric = {"geometric",
    "each further instance with the same probability 1 - p", 1, {"p"}, {SPOT_FIT_SCALE_LOGIT},
    geometric_log_probability, geometric_estimate, .mean = geometric_mean};

const spot_size_family_table_t spot_size_shifted_poisson = {"shifted-poisson",
    "one and a Poisson number", 1, {"lam"}, {SPOT_FIT_SCALE_LOG}, shifted_poisson_log_probability,
    shifted_poisson_estimate, .mean = shifted_poisson_mean};

const spot_size_family_table_t spot_size_zt_poisson = {"zt-poisson",
    "a Poisson number that is not 0", 1, {"lam"}, {SPOT_FIT_SCALE_LOG}, zt_poisson_log_probability,
    zt_poisson_estimate, .mean = zt_poisson_mean};

const spot_size_family_table_t spot_size_logarithmic = {"logarithmic", "P(k) as p^k / k", 1, {"p"},
    {SPOT_FIT_SCALE_LOGIT}, logarithmic_log_probability, logarithmic_estimate,
    .mean = logarithmic_mean};

const spot_size_family_table_t spot_size_zeta = {"zeta", "a power law: P(k) as k^-s", 1, {"s"},
    {SPOT_FIT_SCALE_LOG}, zeta_log_probability, zeta_estimate, .mean = zeta_mean};

const spot_size_family_table_t spot_size_shifted_negbin = {"shifted-negbin",
    "one and a negative binomial number", 2, {"r", "p"}, {SPOT_FIT_SCALE_LOG, SPOT_FIT_SCALE_LOGIT},
    shifted_negbin_log_probability, shifted_negbin_estimate, .mean = shifted_negbin_mean};

const spot_size_family_table_t spot_size_absnormal_moments = {"absnormal-moments",
    "the seed notebook's: a rounded normal number, with the sample's mean and std", 2,
    {"mu", "sigma"}, {SPOT_FIT_SCALE_PLAIN, SPOT_FIT_SCALE_LOG}, absnormal_log_probability,
    absnormal_moments_estimate, .mean = absnormal_mean, .is_by_moments = true};

const spot_size_family_table_t spot_size_absnormal_mle = {"absnormal-mle",
    "a rounded normal number, without its sign and at least 1", 2, {"mu", "sigma"},
    {SPOT_FIT_SCALE_PLAIN, SPOT_FIT_SCALE_LOG}, absnormal_log_probability, absnormal_mle_estimate,
    .mean = absnormal_mean};

const spot_size_family_table_t spot_size_seed_mixture = {"seed-mixture",
    "the seed notebook's: a share of big events, 11 to 31, else absnormal-moments", 3,
    {"p_big", "mu", "sigma"}, {SPOT_FIT_SCALE_LOGIT, SPOT_FIT_SCALE_PLAIN, SPOT_FIT_SCALE_LOG},
    seed_mixture_log_probability, seed_mixture_estimate, .mean = seed_mixture_mean,
    .is_by_moments = true};
