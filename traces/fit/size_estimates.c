/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimates of the laws of a size alone: likelihood equations, solved by Brent's
 * method. */
#include <gsl/gsl_math.h>
#include <gsl/gsl_sf_psi.h>
#include <gsl/gsl_sf_zeta.h>
#include <math.h>

#include "traces/fit/root.h"
#include "traces/fit/size_estimate.h"

/* An equation for a parameter: a sum over the sample, or a function, equals target. */
typedef struct {
    const spot_size_sample_t *sample;
    double target;
} equation_t;

/* Solves the equation between low and high, or notes that there is no solution. */
static double
solve(spot_root_function_t function, equation_t *equation, double low, double high,
    spot_size_fit_t *fit)
{
    double root = low;

    fit->converged = spot_root_find(function, equation, low, high, &root);
    if (!fit->converged) {
        spot_size_note(fit, "no root between %g and %g", low, high);
    }
    return root;
}

void
spot_size_estimate_geometric(
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser, spot_size_fit_t *fit)
{
    (void) maximiser;
    fit->parameters[0] = 1 / sample->mean;
    fit->converged = true;
}

void
spot_size_estimate_shifted_poisson(
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser, spot_size_fit_t *fit)
{
    (void) maximiser;
    fit->parameters[0] = sample->mean - 1;
    fit->converged = true;
}

static double
zt_poisson_equation(double lam, void *context)
{
    const equation_t *equation = context;

    return -lam / expm1(-lam) - equation->target;
}

/* lam / (1 - e^-lam) is between 1 + lam / 2 and 1 + lam. */
void
spot_size_estimate_zt_poisson(
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser, spot_size_fit_t *fit)
{
    equation_t equation = {sample, sample->mean};

    (void) maximiser;
    fit->converged = true;
    fit->parameters[0] = sample->max == 1
                             ? 0
                             : solve(zt_poisson_equation, &equation,
                                   (sample->mean - 1) / 2, 2 * sample->mean, fit);
}

/* u = -ln(1 - p): the mean is (e^u - 1) / u. */
static double
logarithmic_equation(double u, void *context)
{
    const equation_t *equation = context;

    return expm1(u) / u - equation->target;
}

void
spot_size_estimate_logarithmic(
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser, spot_size_fit_t *fit)
{
    equation_t equation = {sample, sample->mean};

    (void) maximiser;
    fit->converged = true;
    fit->parameters[0] =
        sample->max == 1
            ? 0
            : -expm1(-solve(logarithmic_equation, &equation, 1e-12, 100, fit));
}

#define ZETA_DIFFERENCE 1e-4
#define ZETA_MIN 1.02
#define ZETA_MAX 30

static double
log_zeta(double s)
{
    gsl_sf_result result;

    return gsl_sf_zetam1_e(s, &result) == 0 ? log1p(result.val) : (double) NAN;
}

/* -zeta'(s) / zeta(s) by the 5-point rule, minus the mean of ln k. */
static double
zeta_equation(double s, void *context)
{
    const equation_t *equation = context;
    const double h = ZETA_DIFFERENCE;

    return -(log_zeta(s - 2 * h) - 8 * log_zeta(s - h) + 8 * log_zeta(s + h) -
               log_zeta(s + 2 * h)) /
               (12 * h) -
           equation->target;
}

void
spot_size_estimate_zeta(
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser, spot_size_fit_t *fit)
{
    equation_t equation = {sample, 0};

    (void) maximiser;
    fit->converged = true;
    for (size_t j = 0; j < sample->num_cells; j++) {
        equation.target +=
            sample->cells[j].weight / sample->num_events * log(sample->cells[j].size);
    }
    fit->parameters[0] = sample->max == 1
                             ? (double) INFINITY
                             : solve(zeta_equation, &equation, ZETA_MIN, ZETA_MAX, fit);
}

/* psi(x + n) - psi(x) */
static double
psi_rise(double x, int32_t n)
{
    double sum = 0;

    for (int32_t j = 0; j < n; j++) {
        sum += 1 / (x + j);
    }
    return sum;
}

/* Sum psi(k - 1 + r) - n psi(r) + n ln p at ln r; p = r / (r + mean - 1) */
static double
negbin_equation(double log_r, void *context)
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
static double
negbin_r(const spot_size_sample_t *sample, spot_size_fit_t *fit)
{
    equation_t equation = {sample, 0};
    double before = negbin_equation(LOG_R_MIN, &equation);

    for (int j = 1; j <= LOG_R_STEPS; j++) {
        const double log_r = LOG_R_MIN + j * LOG_R_STEP;
        const double value = negbin_equation(log_r, &equation);

        if (before * value <= 0) {
            return exp(
                solve(negbin_equation, &equation, log_r - LOG_R_STEP, log_r, fit));
        }
        before = value;
    }
    if (before > 0) {
        return (double) INFINITY;
    }
    fit->converged = false;
    spot_size_note(fit, "no root in ln r");
    return exp(LOG_R_MIN);
}

/* Sets the limit of the law for large r, shifted Poisson. */
static void
take_poisson(spot_size_fit_t *fit, double mean)
{
    fit->parameters[0] = (double) INFINITY;
    fit->parameters[1] = 1;
    fit->parameters[2] = mean;
    spot_size_note(fit, "r=inf: shifted-poisson");
}

void
spot_size_estimate_shifted_negbin(
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser, spot_size_fit_t *fit)
{
    const double n = sample->num_events, y = sample->mean - 1;

    (void) maximiser;
    fit->converged = true;
    if (sample->std * sample->std * (n - 1) / n <= y) {
        take_poisson(fit, y);
        return;
    }
    fit->parameters[0] = negbin_r(sample, fit);
    if (isinf(fit->parameters[0])) {
        take_poisson(fit, y);
        return;
    }
    fit->parameters[1] = fit->parameters[0] / (fit->parameters[0] + y);
}

void
spot_size_estimate_absnormal_moments(
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser, spot_size_fit_t *fit)
{
    (void) maximiser;
    fit->parameters[0] = sample->mean;
    fit->parameters[1] = sample->std;
    fit->converged = true;
}

/* Loss of ln L up to which mu = 0 is taken: the sign of mu is not observable. */
#define SMALL_COST 1e-5

void
spot_size_estimate_absnormal_mle(
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser, spot_size_fit_t *fit)
{
    const double log_std = log(sample->std);
    const spot_size_search_t inside = {.num_free = 2,
        .free_ids = {0, 1},
        .num_starts = 3,
        .starts = {{sample->mean, log_std}, {0, log(sample->std + sample->mean)},
            {1, log_std}}};
    const spot_size_search_t centred = {.num_free = 1,
        .free_ids = {1},
        .num_starts = 1,
        .starts = {{log(sample->std + sample->mean)}}};
    spot_size_fit_t at_zero = *fit;
    double best, cost;

    if (sample->min == sample->max) {
        spot_size_estimate_absnormal_moments(sample, maximiser, fit);
        return;
    }
    best = spot_size_maximise(&inside, sample, maximiser, fit);
    cost = best - spot_size_maximise(&centred, sample, maximiser, &at_zero);
    if (cost < SMALL_COST) {
        *fit = at_zero;
        spot_size_note(fit, "mu=0");
    }
    fit->parameters[0] = fabs(fit->parameters[0]);
}

/* Estimates mean and std of the sizes up to SPOT_SIZE_REGULAR_MAX, and the share of
 * larger ones. */
void
spot_size_estimate_seed_mixture(
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser, spot_size_fit_t *fit)
{
    double num_regular = 0, mean = 0, sum_squares = 0;

    (void) maximiser;
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
        spot_size_note(fit, "fewer than 2 sizes up to %d", SPOT_SIZE_REGULAR_MAX);
        return;
    }
    fit->parameters[0] = 1 - num_regular / sample->num_events;
    fit->parameters[1] = mean;
    fit->parameters[2] = sqrt(sum_squares / (num_regular - 1));
    fit->converged = true;
}
