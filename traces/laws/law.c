/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/laws/law.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_erf.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_log.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/units.h"

/* Range of a parameter that must be above 0 and finite. */
#define LAW_TINY 1e-300
#define LAW_HUGE 1e300
#define LAW_LOG_TINY (-690.0)

/* P(T <= t) up to which S = 1 - P keeps its digits. */
#define LAW_NOT_LATE 0.9

#define LAW_PARAMETER(place, key, low, high, text)                                                 \
    {                                                                                              \
        .name = key, .type = SPOT_FIELD_NUMBER, .offset = (place) * sizeof(double), .min = low,    \
        .max = high, .help = text                                                                  \
    }

#define LAW_POSITIVE(place, key, text) LAW_PARAMETER(place, key, LAW_TINY, LAW_HUGE, text)

/* The last rows of each table: both keys name the family. */
#define LAW_NAMES                                                                                  \
    {.name = "family", .type = SPOT_FIELD_SELECTOR, .initial = "", .help = "name of the family"},  \
        {.name = "law", .type = SPOT_FIELD_SELECTOR, .initial = "", .help = "the same"},           \
    {                                                                                              \
        .name = NULL                                                                               \
    }

/* The fields and functions of a family, which begin with its name. */
#define FAMILY_FUNCTIONS(family)                                                                   \
    .fields = family##_fields, .log_density = family##_log_density,                                \
    .log_survival = family##_log_survival, .moment = family##_moment, .draw = family##_draw

/* ln(e^a + e^b) */
static inline double law_log_sum(double a, double b)
{
    const double high = fmax(a, b);

    return isinf(high) ? high : high + log1p(exp(fmin(a, b) - high));
}

typedef spot_size_family_parameters_t parameters_t;

/* ---- Laws ---- */

const spot_family_t *const spot_families[] = {
    &spot_family_exponential,
    &spot_family_weibull,
    &spot_family_gamma,
    &spot_family_lognormal,
    &spot_family_loglogistic,
    &spot_family_hyperexp2,
    &spot_family_bathtub,
    &spot_family_deadline,
    NULL,
};

const char spot_law_expected[] =
    "{family: exponential|weibull|gamma|lognormal|loglogistic|hyperexp2|bathtub|"
    "deadline, PARAMETER: NUMBER, ...}";

const spot_family_t *spot_family_find(const char *name)
{
    for (size_t j = 0; spot_families[j] != NULL; j++) {
        if (strcmp(spot_families[j]->name, name) == 0) {
            return spot_families[j];
        }
    }
    return NULL;
}

/* The name of a law's family: gaps have families, lifetimes laws. */
static const spot_node_t *name_node(const spot_node_t *node)
{
    const spot_node_t *family = spot_node_get(node, "family");

    return family != NULL ? family : spot_node_get(node, "law");
}

const spot_field_t *spot_law_table(const spot_node_t *node)
{
    const spot_node_t *name = name_node(node);
    const spot_family_t *family =
        name == NULL || name->kind != SPOT_NODE_SCALAR ? NULL : spot_family_find(name->text);

    return family == NULL ? NULL : family->fields;
}

void spot_law_bind(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const spot_node_t *name = name_node(node);
    spot_law_t *self = target;
    spot_suggest_t near;

    if (name == NULL || name->kind != SPOT_NODE_SCALAR) {
        spot_bind_unexpected(bind, field, node, "");
        return;
    }
    if (spot_node_get(node, "family") != NULL && spot_node_get(node, "law") != NULL) {
        spot_bind_unexpected(bind, field, node, "both family and law are given");
        return;
    }
    self->family = spot_family_find(name->text);
    if (self->family != NULL) {
        spot_bind_map(bind, self->family->fields, field->name, node, self->parameters);
        return;
    }
    spot_suggest_init(&near, name->text);
    for (size_t j = 0; spot_families[j] != NULL; j++) {
        spot_suggest_offer(&near, spot_families[j]->name);
    }
    spot_bind_unknown(bind, name, field->name, "family", &near, "");
}

void spot_law_write(FILE *out, const char *selector, const spot_law_t *law)
{
    const spot_family_t *family = law->family;
    char text[SPOT_NUMBER_TEXT_BYTES];

    fprintf(out, "{%s: %s", selector, family->name);
    for (int j = 0; j < family->num_parameters + family->num_settings; j++) {
        spot_number_text(law->parameters[j], text);
        fprintf(out, ", %s: %s", family->fields[j].name, isinf(law->parameters[j]) ? "none" : text);
    }
    fputc('}', out);
}

double spot_law_cv(const spot_law_t *self)
{
    const double mean = self->family->moment(self->parameters, 1);
    const double mean_square = self->family->moment(self->parameters, 2);

    return isfinite(mean) && isfinite(mean_square) ? sqrt(fmax(0, mean_square / (mean * mean) - 1))
                                                   : (double) INFINITY;
}

/* Bisection over ln t: survival is monotone in every family, and no start is needed. */
double spot_law_quantile(const spot_law_t *self, double p)
{
    const double target = log1p(-p);
    double low = -745, high = 709; /* all positive doubles */

    spot_bug_assert(p >= 0 && p < 1);
    if (p == 0) {
        return 0;
    }
    while (high - low > 1e-13) {
        const double middle = low + (high - low) / 2;
        const bool is_beyond = self->family->log_survival(self->parameters, exp(middle)) <= target;

        if (middle <= low || middle >= high) {
            break;
        }
        *(is_beyond ? &high : &low) = middle;
    }
    return exp(high);
}

/* ---- Families without a limit ----
 * The families without an upper limit. Formulas: Johnson, Kotz, Balakrishnan,
 * "Continuous Univariate Distributions", 2nd edition; survival functions as logarithms,
 * so that tails do not underflow. */

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
    LAW_POSITIVE(0, "mu", "mean in s"),
    LAW_NAMES,
};

const spot_family_t spot_family_exponential = {"exponential", "no memory: the rate never changes",
    "Poisson process", FAMILY_FUNCTIONS(exponential), .num_parameters = 1, .keeps_mean = true};

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
    LAW_POSITIVE(0, "scale", "scale in s"),
    LAW_POSITIVE(1, "shape", "shape; below 1: the rate falls with time"),
    LAW_NAMES,
};

const spot_family_t spot_family_weibull = {"weibull",
    "a rate that falls (shape below 1) or rises with time", "W. Weibull, J. Appl. Mech. 18, 1951",
    FAMILY_FUNCTIONS(weibull), .num_parameters = 2};

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
    double b = x + 1 - a, c = LAW_HUGE, d = 1 / b, fraction = d;

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

    if (!(x > 0) || !(x < LAW_HUGE)) {
        return x > 0 ? (double) -INFINITY : 0;
    }
    if (gamma_log_size(a, x) < LAW_LOG_TINY) {
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
    LAW_POSITIVE(0, "shape", "shape"),
    LAW_POSITIVE(1, "scale", "scale in s"),
    LAW_NAMES,
};

const spot_family_t spot_family_gamma = {"gamma",
    "sums of waits (shape above 1), or more short ones than exponential (below)",
    "Pearson type III", FAMILY_FUNCTIONS(gamma), .num_parameters = 2, .keeps_mean = true};

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

/* ln P(Z > z) of a standard normal Z. */
/* Below the median as log1p of minus the small tail, so that S near 1 keeps its
 * digits. */
static double law_log_normal_tail(double z)
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
    return t > 0 ? law_log_normal_tail((log(t) - p[0]) / p[1]) : 0;
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
    LAW_PARAMETER(0, "zeta", -700, 700, "mean of ln t, t in s"),
    LAW_POSITIVE(1, "sigma", "standard deviation of ln t"),
    LAW_NAMES,
};

const spot_family_t spot_family_lognormal = {"lognormal",
    "products of many factors: a long tail, few very short ones",
    "Aitchison and Brown, The Lognormal Distribution, 1957", FAMILY_FUNCTIONS(lognormal),
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
    LAW_POSITIVE(0, "scale", "median in s"),
    LAW_POSITIVE(1, "shape", "shape; up to 1: no mean"),
    LAW_NAMES,
};

const spot_family_t spot_family_loglogistic = {"loglogistic",
    "a tail like a power of t; without a mean for a shape up to 1",
    "P. R. Fisk, Econometrica 29, 1961", FAMILY_FUNCTIONS(loglogistic), .num_parameters = 2};

/* Both functions take one logarithm of the sum where it keeps all its digits. */
static double hyperexp2_log_density(const double *p, double t)
{
    const double density = p[0] / p[1] * exp(-t / p[1]) + (1 - p[0]) / p[2] * exp(-t / p[2]);

    return density > LAW_TINY && density < LAW_HUGE
               ? log(density)
               : law_log_sum(log(p[0]) - log(p[1]) - t / p[1], log1p(-p[0]) - log(p[2]) - t / p[2]);
}

static double hyperexp2_log_survival(const double *p, double t)
{
    const double p_end = -p[0] * expm1(-t / p[1]) - (1 - p[0]) * expm1(-t / p[2]);

    return p_end < LAW_NOT_LATE ? log1p(-p_end)
                                : law_log_sum(log(p[0]) - t / p[1], log1p(-p[0]) - t / p[2]);
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
    LAW_PARAMETER(0, "p1", 0, 1, "probability of the first mean"),
    LAW_POSITIVE(1, "mu1", "first mean in s"),
    LAW_POSITIVE(2, "mu2", "second mean in s"),
    LAW_NAMES,
};

const spot_family_t spot_family_hyperexp2 = {"hyperexp2",
    "two kinds of waits, short ones within a burst and long ones between bursts",
    "Feldmann and Whitt, Performance Evaluation 31, 1998", FAMILY_FUNCTIONS(hyperexp2),
    .num_parameters = 3, .keeps_mean = true};

/* ---- Families with a limit ----
 * Laws of lives with a limit, such as the 24 h of preemptible machines. TE(tau; [0, L])
 * is the exponential law truncated to [0, L]. */

/* P(0 < Y <= L) of the exponential law before truncation. */
static double mass(double tau, double limit)
{
    return -expm1(-limit / tau);
}

/* limit / tau below which the closed forms cancel. */
#define FLAT 0.5

/* E(Y^k) of a law that is nearly uniform: both integrals of u^k e^(-x u) over [0, 1] as
 * series in x = limit/tau. */
static double flat_moment(double tau, double limit, int k)
{
    enum { NUM_TERMS = 16 };
    const double x = limit / tau;
    double above = 0, below = 0, term = 1;

    for (int j = 0; j < NUM_TERMS; j++) {
        above += term / (j + k + 1);
        below += term / (j + 1);
        term *= -x / (j + 1);
    }
    return pow(limit, k) * above / below;
}

static double truncated_moment(double tau, double limit, int k)
{
    if (limit < FLAT * tau) {
        return flat_moment(tau, limit, k);
    }
    return k == 1 ? tau - limit / expm1(limit / tau)
                  : 2 * tau * tau - limit * (limit + 2 * tau) / expm1(limit / tau);
}

static double draw_truncated(double tau, double limit, double u)
{
    return -tau * log1p(-u * mass(tau, limit));
}

/* Parameters of bathtub: early deaths fall off with tau1, deaths before the limit rise
 * with tau2. */
enum { W, TAU1, TAU2, LIMIT };

static double bathtub_log_density(const double *p, double t)
{
    if (t > p[LIMIT]) {
        return (double) -INFINITY;
    }
    const double early = p[TAU1] * mass(p[TAU1], p[LIMIT]);
    const double late = p[TAU2] * mass(p[TAU2], p[LIMIT]);
    const double density =
        p[W] / early * exp(-t / p[TAU1]) + (1 - p[W]) / late * exp((t - p[LIMIT]) / p[TAU2]);

    if (density > LAW_TINY && density < LAW_HUGE) {
        return log(density);
    }
    return law_log_sum(
        log(p[W]) - t / p[TAU1] - log(early), log1p(-p[W]) + (t - p[LIMIT]) / p[TAU2] - log(late));
}

static double bathtub_log_survival(const double *p, double t)
{
    const double rest = p[LIMIT] - t;
    const double p_early = mass(p[TAU1], t) / mass(p[TAU1], p[LIMIT]);
    const double p_late = exp(-rest / p[TAU2]) * mass(p[TAU2], t) / mass(p[TAU2], p[LIMIT]);
    const double p_end = p[W] * p_early + (1 - p[W]) * p_late;

    if (rest <= 0) {
        return (double) -INFINITY;
    }
    if (p_end < LAW_NOT_LATE) {
        return log1p(-p_end);
    }
    return law_log_sum(log(p[W]) - t / p[TAU1] + log(mass(p[TAU1], rest) / mass(p[TAU1], p[LIMIT])),
        log1p(-p[W]) + log(mass(p[TAU2], rest) / mass(p[TAU2], p[LIMIT])));
}

static double bathtub_moment(const double *p, int k)
{
    const double early = truncated_moment(p[TAU1], p[LIMIT], k);
    const double late_mean = truncated_moment(p[TAU2], p[LIMIT], 1);
    const double late =
        k == 1 ? p[LIMIT] - late_mean
               : p[LIMIT] * (p[LIMIT] - 2 * late_mean) + truncated_moment(p[TAU2], p[LIMIT], 2);

    return p[W] * early + (1 - p[W]) * late;
}

static double bathtub_draw(const double *p, spot_rng_t *rng)
{
    const double u = spot_rng_uniform(rng);
    const double v = spot_rng_uniform(rng);

    return u < p[W] ? draw_truncated(p[TAU1], p[LIMIT], v)
                    : p[LIMIT] - draw_truncated(p[TAU2], p[LIMIT], v);
}

static const spot_field_t bathtub_fields[] = {
    LAW_PARAMETER(W, "w", 0, 1, "share of early deaths"),
    LAW_POSITIVE(TAU1, "tau1", "time constant of early deaths in s"),
    LAW_POSITIVE(TAU2, "tau2", "time constant of deaths before the limit in s"),
    LAW_POSITIVE(LIMIT, "limit_s", "longest life in s"),
    LAW_NAMES,
};

const spot_family_t spot_family_bathtub = {"bathtub",
    "early deaths, then few, then many before a limit",
    "Kadupitiya, Jadhao, Sharma, HPDC 2020, scaled to a distribution", FAMILY_FUNCTIONS(bathtub),
    .num_parameters = 3, .num_settings = 1};

/* Parameters of deadline: min(X, deadline + Y), X lognormal, Y from TE(overrun_mean; [0,
 * overrun_max]). An overrun_max of 0 ends every life at the deadline itself. */
enum { ZETA, SIGMA, DEADLINE, OVERRUN_MEAN, OVERRUN_MAX };

static double log_overrun_survival(const double *p, double overrun)
{
    const double rest = p[OVERRUN_MAX] - overrun;

    if (rest <= 0) {
        return (double) -INFINITY;
    }
    return -overrun / p[OVERRUN_MEAN] +
           log(mass(p[OVERRUN_MEAN], rest) / mass(p[OVERRUN_MEAN], p[OVERRUN_MAX]));
}

static double deadline_log_survival(const double *p, double t)
{
    const double overrun = t - p[DEADLINE];

    return spot_family_lognormal.log_survival(p, t) +
           (overrun >= 0 ? log_overrun_survival(p, overrun) : 0);
}

static double deadline_log_density(const double *p, double t)
{
    const double overrun = t - p[DEADLINE];
    const double log_density = spot_family_lognormal.log_density(p, t);

    if (overrun < 0) {
        return log_density;
    }
    if (overrun >= p[OVERRUN_MAX]) {
        return (double) -INFINITY;
    }
    return law_log_sum(log_density + log_overrun_survival(p, overrun),
        spot_family_lognormal.log_survival(p, t) - overrun / p[OVERRUN_MEAN] -
            log(p[OVERRUN_MEAN] * mass(p[OVERRUN_MEAN], p[OVERRUN_MAX])));
}

/* Above this sigma, E(X^k) is so large that its product with a small tail cancels. */
#define WIDE_SIGMA 1e5

/* ln E(X^k; X < deadline), X lognormal. */
static double deadline_log_early(const double *p, int k)
{
    const double y = (log(p[DEADLINE]) - p[ZETA]) / p[SIGMA];
    const double z = k * p[SIGMA] - y;

    if (p[SIGMA] > WIDE_SIGMA) {
        return k * log(p[DEADLINE]) - y * y / 2 - log(z) - (M_LN2 + M_LNPI) / 2;
    }
    return k * p[ZETA] + k * k * p[SIGMA] * p[SIGMA] / 2 + law_log_normal_tail(z);
}

/* E(min(X, deadline)^k) plus the integral of k t^(k-1) P(T > t) over the overrun, by
 * Simpson's rule: the integrand is smooth there. */
static double deadline_moment(const double *p, int k)
{
    enum { NUM_STEPS = 2000 };
    const double deadline = p[DEADLINE];
    const double step = p[OVERRUN_MAX] / NUM_STEPS;
    double sum = 0;

    if (!isfinite(deadline)) {
        return exp(k * p[ZETA] + k * k * p[SIGMA] * p[SIGMA] / 2);
    }
    for (int j = 0; j <= NUM_STEPS; j++) {
        const double t = deadline + j * step;
        const double weight = j == 0 || j == NUM_STEPS ? 1 : 2 + 2 * (j % 2);

        sum += weight * k * exp((k - 1) * log(t) + deadline_log_survival(p, t));
    }
    return exp(deadline_log_early(p, k)) +
           exp(k * log(deadline) + spot_family_lognormal.log_survival(p, deadline)) +
           sum * step / 3;
}

static double deadline_draw(const double *p, spot_rng_t *rng)
{
    const double life = gsl_ran_lognormal(spot_rng_gsl(rng), p[ZETA], p[SIGMA]);
    double end;

    if (life <= p[DEADLINE]) {
        return life;
    }
    end = p[DEADLINE] + draw_truncated(p[OVERRUN_MEAN], p[OVERRUN_MAX], spot_rng_uniform(rng));
    return life < end ? life : end;
}

#define DEADLINE_EXPECTED "a number of seconds above 0, or none"

static const char *const none_names[] = {"none", NULL};

static const spot_field_t deadline_forms[] = {
    {.name = "", .type = SPOT_FIELD_CHOICE, .offset = SPOT_NOWHERE, .choices = none_names},
    {.name = "",
        .type = SPOT_FIELD_NUMBER,
        .min = DBL_TRUE_MIN,
        .max = HUGE_VAL,
        .expected = DEADLINE_EXPECTED},
    {.name = NULL},
};

static void settle_deadline(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    (void) bind;
    if (spot_field_form(field, node) == deadline_forms) {
        *(double *) target = (double) INFINITY;
    }
}

static const spot_field_t deadline_fields[] = {
    LAW_PARAMETER(ZETA, "zeta", -700, 700, "mean of ln t, t in s"),
    LAW_POSITIVE(SIGMA, "sigma", "standard deviation of ln t"),
    {.name = "deadline_s",
        .label = "life limit",
        .type = SPOT_FIELD_ONE_OF,
        .offset = DEADLINE * sizeof(double),
        .initial = "none",
        .expected = DEADLINE_EXPECTED,
        .fields = deadline_forms,
        .settle = settle_deadline,
        .help = "end of every life in s: 86400 for preemptible machines of GCP"},
    {.name = "overrun_mean_s",
        .type = SPOT_FIELD_NUMBER,
        .offset = OVERRUN_MEAN * sizeof(double),
        .min = LAW_TINY,
        .max = LAW_HUGE,
        .initial = "1",
        .help = "mean time in s by which the end comes late"},
    {.name = "overrun_max_s",
        .type = SPOT_FIELD_NUMBER,
        .offset = OVERRUN_MAX * sizeof(double),
        .min = 0,
        .max = LAW_HUGE,
        .initial = "0",
        .help = "longest time in s by which the end comes late"},
    LAW_NAMES,
};

const spot_family_t spot_family_deadline = {"deadline",
    "lognormal lives, cut by a wall that comes a little late",
    "own; data of Kadupitiya, Jadhao, Sharma, HPDC 2020", FAMILY_FUNCTIONS(deadline),
    .num_parameters = 2, .num_settings = 3};

/* ---- Sizes ---- */

const char spot_size_family_expected[] =
    "one of {normal: {mean: 2.4, std: 2.1}}, {moments: {mean: 2.4, std: 2.1}}, "
    "{geometric: {p: 0.4}}, {negbin: {r: 0.7, p: 0.3}} or {fixed: 3}";

#define PARAMETER(parameter_name, member, low, high)                                               \
    {                                                                                              \
        .name = (parameter_name), .type = SPOT_FIELD_NUMBER,                                       \
        .offset = offsetof(parameters_t, member), .min = (low), .max = (high)                      \
    }

/* The smallest positive probability that a parameter may take. */
#define TINY 1e-9

static const spot_field_t normal_fields[] = {
    PARAMETER("mean", a, -1e6, 1e6),
    PARAMETER("std", b, 0, 1e6),
    {.name = NULL},
};
static const spot_field_t moments_fields[] = {
    PARAMETER("mean", a, 1, 1e6),
    PARAMETER("std", b, 0, 1e6),
    {.name = NULL},
};
static const spot_field_t geometric_fields[] = {
    PARAMETER("p", a, TINY, 1),
    {.name = NULL},
};
static const spot_field_t negbin_fields[] = {
    PARAMETER("r", a, TINY, 1e9),
    PARAMETER("p", b, TINY, 1),
    {.name = NULL},
};

#define LAW_FORM(law_name, law_fields)                                                             \
    {                                                                                              \
        .name = (law_name), .type = SPOT_FIELD_MAP, .fields = (law_fields)                         \
    }

const spot_field_t spot_size_family_forms[] = {
    [SPOT_SIZE_NORMAL] = LAW_FORM("normal", normal_fields),
    [SPOT_SIZE_MOMENTS] = LAW_FORM("moments", moments_fields),
    [SPOT_SIZE_GEOMETRIC] = LAW_FORM("geometric", geometric_fields),
    [SPOT_SIZE_NEGBIN] = LAW_FORM("negbin", negbin_fields),
    [SPOT_SIZE_FIXED] = {.name = "fixed",
        .type = SPOT_FIELD_INTEGER,
        .offset = SPOT_NOWHERE,
        .min = 1,
        .max = SPOT_MAX_INSTANCES},
    {.name = NULL},
};

_Static_assert(sizeof(spot_size_family_t) == sizeof(int), "a form is kept as an int");

/* Warns if the law cannot have the standard deviation given: no law of this family has a
 * smaller variance than 1 + Poisson. */
static void warn_of_other_std(
    spot_bind_t *bind, const char *name, const spot_node_t *node, const parameters_t *parameters)
{
    const double used = sqrt(fmax(0, parameters->a - 1));

    if (parameters->family == SPOT_SIZE_MOMENTS && parameters->a >= 1 &&
        (parameters->b < used * (1 - 1e-6) || (used == 0 && parameters->b > 0))) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "%s%s.moments: the standard deviation is %.6g, not %.6g: the law (1 + "
            "Poisson) has no other with this mean",
            bind->path, name, used, parameters->b);
    }
}

void spot_size_family_settle(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    parameters_t *self = target;

    if (self->family == SPOT_SIZE_FIXED) {
        self->a = strtod(node->children[0]->text, NULL);
    }
    warn_of_other_std(bind, field->name, node, self);
}

_Static_assert(offsetof(spot_size_big_t, high) == offsetof(spot_size_big_t, low) + sizeof(int64_t),
    "a range is bound in place");

static const spot_field_t size_item = {
    .type = SPOT_FIELD_INTEGER, .min = 1, .max = SPOT_MAX_INSTANCES};

static void check_range(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const int64_t *range = target;

    if (range[0] > range[1]) {
        spot_bind_error(bind, node, field->name, "the smallest size is above the largest");
    }
}

const spot_field_t spot_size_big_fields[] = {
    {SPOT_RANGE(NUMBER, "probability", spot_size_big_t, probability, 0, 1, NULL,
        "probability of a big event", "probability that an event is big")},
    {.name = "range",
        .type = SPOT_FIELD_LIST,
        .offset = offsetof(spot_size_big_t, low),
        .is_in_place = true,
        .item = &size_item,
        .item_size = sizeof(int64_t),
        .min = 2,
        .max = 2,
        .settle = check_range,
        .expected = "two sizes such as [11, 31]",
        .help = "smallest and largest number of instances of a big event, all equally "
                "likely"},
    {.name = NULL},
};

/* Relative excess of the variance below which the law is Poisson: the incomplete beta
 * function with r near infinity is all rounding error, and the two laws agree to eight
 * digits. */
#define NEAR_POISSON 1e-8

/* P(size <= k) of events that are not big. */
static double cumulative_of_family(const parameters_t *parameters, double k)
{
    const double a = parameters->a, b = parameters->b;
    double excess, variance;

    switch (parameters->family) {
        case SPOT_SIZE_NORMAL:
            if (b == 0) {
                return k >= fmax(1, fabs(round(a))) ? 1 : 0;
            }
            return gsl_cdf_gaussian_P(k + 0.5 - a, b) - gsl_cdf_gaussian_P(-k - 0.5 - a, b);
        case SPOT_SIZE_MOMENTS:
            excess = a - 1;
            variance = b * b;
            if (excess == 0) {
                return 1;
            }
            if (variance - excess <= NEAR_POISSON * excess) {
                return gsl_cdf_poisson_P((unsigned) k - 1, excess);
            }
            return gsl_cdf_negative_binomial_P(
                (unsigned) k - 1, excess / variance, excess * excess / (variance - excess));
        case SPOT_SIZE_GEOMETRIC:
            return -expm1(k * log1p(-a));
        case SPOT_SIZE_NEGBIN:
            return b == 1 ? 1 : gsl_cdf_negative_binomial_P((unsigned) k - 1, b, a);
        case SPOT_SIZE_FIXED:
            break;
    }
    return k >= a ? 1 : 0;
}

static double cumulative_of_big(const spot_size_big_t *big, double k)
{
    const double low = (double) big->low, high = (double) big->high;

    if (k < low) {
        return 0;
    }
    return k >= high ? 1 : (k - low + 1) / (high - low + 1);
}

/* Enough guides that a draw hardly ever takes a step. */
#define MIN_GUIDES ((size_t) 256)

/* u may be slightly below j/num_guides although u * num_guides rounds up to j. */
#define MARGIN 0x1p-50

/* Fills the guide table of Chen and Asau (AIIE Transactions 6(2), 1974). */
static int init_guides(spot_size_law_t *self)
{
    const size_t most = self->num_sizes > MIN_GUIDES ? self->num_sizes : MIN_GUIDES;
    const double num_guides = (double) most;
    size_t size_id = 0;

    self->num_guides = most;
    self->guides = spot_calloc(self->num_guides, sizeof(*self->guides));
    if (self->guides == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->num_guides; j++) {
        while (self->cumulative[size_id] <= (double) j / num_guides * (1 - MARGIN)) {
            size_id++;
        }
        self->guides[j] = (uint32_t) size_id;
    }
    return 0;
}

int spot_size_law_init(spot_size_law_t *self, const parameters_t *parameters,
    const spot_size_big_t *big, int64_t max_size)
{
    size_t max_sizes = 0;
    double cumulative = 0;

    memset(self, 0, sizeof(*self));
    while (cumulative < 1 - 0x1p-53 && (int64_t) self->num_sizes < max_size) {
        const double k = (double) self->num_sizes + 1;

        if (spot_array_reserve(&self->cumulative, &max_sizes, self->num_sizes + 1,
                sizeof(*self->cumulative)) != 0) {
            return SPOT_ERR_NO_MEMORY;
        }
        cumulative = fmax(cumulative, (1 - big->probability) * cumulative_of_family(parameters, k) +
                                          big->probability * cumulative_of_big(big, k));
        self->cumulative[self->num_sizes++] = cumulative;
    }
    self->cumulative[self->num_sizes - 1] = 1;
    return init_guides(self);
}

int spot_size_law_copy(spot_size_law_t *self, const spot_size_law_t *other)
{
    *self = *other;
    self->cumulative = spot_calloc(other->num_sizes, sizeof(*self->cumulative));
    self->guides = spot_calloc(other->num_guides, sizeof(*self->guides));
    if (self->cumulative == NULL || self->guides == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(self->cumulative, other->cumulative, other->num_sizes * sizeof(*self->cumulative));
    memcpy(self->guides, other->guides, other->num_guides * sizeof(*self->guides));
    return 0;
}

void spot_size_law_free(spot_size_law_t *self)
{
    free(self->cumulative);
    free(self->guides);
    memset(self, 0, sizeof(*self));
}

int32_t spot_size_law_draw(const spot_size_law_t *self, spot_rng_t *rng)
{
    return spot_size_law_invert(self, spot_rng_uniform(rng));
}

int32_t spot_size_law_invert(const spot_size_law_t *self, double u)
{
    /* Signed, as processors convert signed numbers faster. */
    size_t size_id = self->guides[(int64_t) (u * (double) (int64_t) self->num_guides)];

    while (self->cumulative[size_id] <= u) {
        size_id++;
    }
    return (int32_t) size_id + 1;
}

double spot_size_law_p_rounded_to_0(
    const spot_size_law_t *self, const parameters_t *parameters, const spot_size_big_t *big)
{
    const double mean = parameters->a, std = parameters->b, p_one = self->cumulative[0];
    double p_zero;

    if (parameters->family != SPOT_SIZE_NORMAL || p_one == 0) {
        return 0;
    }
    if (std == 0) {
        p_zero = fabs(round(mean)) < 1;
    } else {
        p_zero = gsl_cdf_gaussian_P(0.5 - mean, std) - gsl_cdf_gaussian_P(-0.5 - mean, std);
    }
    return fmin(1, (1 - big->probability) * p_zero / p_one);
}

/* ---- Trials up to the first success ---- */

/* Bits of a number: the first ones are the cell, the next ones the place in it. */
#define NUMBER_DIGITS 53
#define CELL_DIGITS 9
#define PLACE_DIGITS 32
#define REST_DIGITS (NUMBER_DIGITS - CELL_DIGITS - PLACE_DIGITS)

#define NUM_PLACES (UINT64_C(1) << PLACE_DIGITS)

/* Of a place that the inverse gives, in places. */
#define ROUNDING 0.05

_Static_assert(1 << CELL_DIGITS == SPOT_TRIAL_CELLS, "the first digits are the cell");

/* The number of failures for a number. It is infinite or NAN if p is 0. 1 - u is exact;
 * it is 0 only after the last number, so that the last cell keeps the formula. */
static int64_t count_failures(const spot_trial_law_t *self, uint64_t number)
{
    const double u = (double) number * 0x1p-53;
    const double num_failures = log(1 - u) * self->failures_per_log;

    return num_failures < (double) SPOT_TRIALS_NEVER ? (int64_t) num_failures
                                                     : SPOT_TRIALS_NEVER - 1;
}

/* The first number at a place of a cell, place <= 2^32. */
static uint64_t number_at(uint64_t cell_id, uint64_t place)
{
    return ((cell_id << PLACE_DIGITS) + place) << REST_DIGITS;
}

/* Finds the place of a cell at which there is one failure more; only numbers at this
 * place need the logarithm. The inverse gives the place up to rounding, which is far
 * less than a place; where that is in doubt, bisection does the rest. */
static uint32_t find_limit(const spot_trial_law_t *self, uint64_t cell_id, int64_t num_failures)
{
    const double u = -expm1((double) (num_failures + 1) / self->failures_per_log);
    const double place = (u * SPOT_TRIAL_CELLS - (double) cell_id) * (double) NUM_PLACES;
    const bool is_inside = place > 1 && place < (double) NUM_PLACES - 1;
    uint64_t low = is_inside ? (uint64_t) (place - ROUNDING) : 0;
    uint64_t high = is_inside ? (uint64_t) (place + ROUNDING) + 1 : NUM_PLACES;

    low = count_failures(self, number_at(cell_id, low)) == num_failures ? low : 0;
    high = count_failures(self, number_at(cell_id, high)) > num_failures ? high : NUM_PLACES;
    while (high - low > 1) {
        const uint64_t middle = (low + high) / 2;

        if (count_failures(self, number_at(cell_id, middle)) == num_failures) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (uint32_t) low;
}

void spot_trial_law_init(spot_trial_law_t *self, double num_trials, double p)
{
    int64_t first, next;

    self->failures_per_log = num_trials / log1p(-p);
    next = count_failures(self, 0);
    for (uint64_t j = 0; j < SPOT_TRIAL_CELLS; j++) {
        spot_trial_cell_t *cell = &self->cells[j];

        first = next;
        next = count_failures(self, number_at(j + 1, 0));
        cell->num_failures = UINT32_MAX;
        cell->limit = UINT32_MAX;
        if (next <= first + 1 && next < UINT32_MAX) {
            cell->num_failures = (uint32_t) first;
        }
        if (next == first + 1) {
            cell->limit = find_limit(self, j, first);
        }
    }
}

int64_t spot_trial_law_invert(const spot_trial_law_t *self, uint64_t number)
{
    const spot_trial_cell_t *cell = &self->cells[number >> (PLACE_DIGITS + REST_DIGITS)];
    const uint32_t place = (uint32_t) (number >> REST_DIGITS);

    if (cell->num_failures == UINT32_MAX || place == cell->limit) {
        return 1 + count_failures(self, number);
    }
    return 1 + (int64_t) cell->num_failures + (place > cell->limit);
}
