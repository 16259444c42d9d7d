/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimates of the laws given the limit. The maximum is often at a boundary, which a
 * search over unconstrained numbers only approaches: each boundary is tried on its own
 * and kept if it costs at most BOUNDARY_COST. */
#include <math.h>
#include <stdio.h>

#include "traces/fit/root.h"
#include "traces/fit/size_estimate.h"

/* Loss of ln L up to which a boundary is kept. */
#define BOUNDARY_COST 1e-6

/* Sums above LARGE_SUM are scaled down. The bracket of a log rate is +-LOG_RATE_MAX. */
#define LARGE_SUM 1e200
#define LOG_RATE_MAX 40

/* Replaces fit by the candidate with ln L = value if that is at most BOUNDARY_COST below
 * the best. */
static void
offer(const spot_size_fit_t *candidate, double value, const char *note, double *best,
    spot_size_fit_t *fit)
{
    if (value >= *best - BOUNDARY_COST) {
        *best = fmax(*best, value);
        *fit = *candidate;
        fit->note[0] = '\0';
        spot_size_note(fit, "%s", note);
    }
}

/* 1 / (e^x - 1) - 1 / x; below SMALL_X by its series, as the difference cancels. */
#define SMALL_X 1e-2

static double
bose(double x)
{
    if (fabs(x) < SMALL_X) {
        const double x2 = x * x;

        return -0.5 + x * (1.0 / 12 - x2 * (1.0 / 720 - x2 / 30240));
    }
    return 1 / expm1(x) - 1 / x;
}

/* d ln L / d theta of the truncated geometric law, in which 1 / theta cancels. */
static double
truncated_geometric_score(double theta, void *context)
{
    const spot_size_sample_t *sample = context;
    double sum = 0;

    for (size_t j = 0; j < sample->num_cells; j++) {
        const spot_size_cell_t *cell = &sample->cells[j];

        sum += cell->weight * (bose(theta) - cell->limit * bose(cell->limit * theta) -
                                  (cell->size - 1));
    }
    return sum;
}

/* The score falls with theta. At THETA_MAX, about ln of the largest double, it is below
 * 0 unless all sizes are 1. */
#define THETA_MAX 700

void
spot_size_estimate_truncated_geometric(
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser, spot_size_fit_t *fit)
{
    spot_size_sample_t borrowed = *sample;
    double theta = 0;

    (void) maximiser;
    fit->converged = true;
    if (sample->max == 1) {
        fit->parameters[0] = 1;
        return;
    }
    if (truncated_geometric_score(0, &borrowed) <= 0) {
        fit->parameters[0] = 0;
        spot_size_note(fit, "p=0");
        return;
    }
    fit->converged =
        spot_root_find(truncated_geometric_score, &borrowed, 0, THETA_MAX, &theta);
    fit->parameters[0] = -expm1(-theta);
}

void
spot_size_estimate_all_or_geometric(
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser, spot_size_fit_t *fit)
{
    const spot_size_search_t inside = {
        .num_free = 2, .free_ids = {0, 1}, .num_starts = 2, .starts = {{-2, 0}, {0, 0}}};
    const spot_size_search_t uniform = {
        .num_free = 1, .free_ids = {0}, .num_starts = 2, .starts = {{-2}, {0}}};
    spot_size_fit_t alone = *fit, other = *fit;
    double best;

    if (sample->max == 1 || sample->is_all) {
        fit->parameters[0] = sample->max > 1 ? 1 : 0;
        fit->parameters[1] = sample->max > 1 ? 0 : 1;
        fit->converged = true;
        return;
    }
    best = spot_size_maximise(&inside, sample, maximiser, fit);
    offer(&other, spot_size_maximise(&uniform, sample, maximiser, &other), "p=0", &best,
        fit);
    spot_size_estimate_truncated_geometric(sample, maximiser, &alone);
    other = alone;
    other.parameters[0] = 0;
    other.parameters[1] = alone.parameters[0];
    offer(&other, spot_size_log_likelihood(fit->family, other.parameters, sample),
        other.parameters[1] > 0 ? "pi_all=0" : "pi_all=0; p=0", &best, fit);
}

/* Sum of n q / (1 - (1 - q)^n) - k at logit q; it rises with q. */
static double
zt_binomial_equation(double logit, void *context)
{
    const spot_size_sample_t *sample = context;
    const double q = spot_size_unscaled(SPOT_FIT_SCALE_LOGIT, logit);
    const double log_rest = -log1p(exp(logit));
    double sum = 0;

    for (size_t j = 0; j < sample->num_cells; j++) {
        const spot_size_cell_t *cell = &sample->cells[j];

        sum += cell->weight *
               (cell->limit * q / -expm1(cell->limit * log_rest) - cell->size);
    }
    return sum;
}

/* Beyond it q is 0 or 1 within the precision of a double. */
#define LOGIT_MAX 36

void
spot_size_estimate_zt_binomial(
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser, spot_size_fit_t *fit)
{
    spot_size_sample_t borrowed = *sample;
    double logit = 0;

    (void) maximiser;
    fit->converged = true;
    if (sample->max == 1 || sample->is_all) {
        fit->parameters[0] = sample->max > 1 ? 1 : 0;
        return;
    }
    fit->converged =
        spot_root_find(zt_binomial_equation, &borrowed, -LOGIT_MAX, LOGIT_MAX, &logit);
    fit->parameters[0] = spot_size_unscaled(SPOT_FIT_SCALE_LOGIT, logit);
}

void
spot_size_estimate_zt_betabinomial(
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser, spot_size_fit_t *fit)
{
    const spot_size_search_t inside = {
        .num_free = 2, .free_ids = {0, 1}, .num_starts = 2, .starts = {{0, 0}, {-1, 1}}};
    const spot_size_search_t limit = {
        .num_free = 1, .free_ids = {1}, .num_starts = 2, .starts = {{0}, {1}}};
    spot_size_fit_t equal = *fit, other = *fit;
    double best = (double) -INFINITY;

    spot_size_estimate_zt_binomial(sample, maximiser, &equal);
    other = equal;
    other.parameters[0] = other.parameters[1] = (double) INFINITY;
    other.parameters[2] = equal.parameters[0];
    if (sample->max == 1 || sample->is_all) {
        *fit = other;
        spot_size_note(fit, "a=b=inf: zt-binomial");
        return;
    }
    best = spot_size_maximise(&inside, sample, maximiser, fit);
    offer(&other, spot_size_log_likelihood(fit->family, other.parameters, sample),
        "a=b=inf: zt-binomial", &best, fit);
    offer(&other, spot_size_maximise(&limit, sample, maximiser, &other), "a=0", &best,
        fit);
}

/* Mean of j < n with weights rate^j / j!. */
static double
truncated_poisson_mean(double rate, int32_t limit)
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
static double
truncated_poisson_equation(double log_rate, void *context)
{
    const spot_size_sample_t *sample = context;
    double sum = 0;

    for (size_t j = 0; j < sample->num_cells; j++) {
        const spot_size_cell_t *cell = &sample->cells[j];

        sum += cell->weight *
               (truncated_poisson_mean(exp(log_rate), cell->limit) - (cell->size - 1));
    }
    return sum;
}

static void
estimate_truncated_poisson(const spot_size_sample_t *sample, spot_size_fit_t *fit)
{
    spot_size_sample_t borrowed = *sample;
    double log_rate = 0;

    fit->parameters[0] = (double) INFINITY;
    fit->parameters[1] = 1;
    fit->parameters[2] = (double) INFINITY;
    fit->converged =
        sample->is_all || spot_root_find(truncated_poisson_equation, &borrowed,
                              -LOG_RATE_MAX, LOG_RATE_MAX, &log_rate);
    if (!sample->is_all) {
        fit->parameters[2] = exp(log_rate);
    }
}

void
spot_size_estimate_truncated_negbin(
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser, spot_size_fit_t *fit)
{
    const spot_size_search_t inside = {.num_free = 2,
        .free_ids = {0, 1},
        .num_starts = 2,
        .starts = {{0, 0}, {-1, -1}}};
    const spot_size_search_t limit = {
        .num_free = 1, .free_ids = {0}, .num_starts = 2, .starts = {{0}, {-1}}};
    spot_size_fit_t poisson = *fit, other = *fit;
    char note[64];
    double best;

    if (sample->max == 1) {
        fit->parameters[0] = fit->parameters[1] = 1;
        fit->converged = true;
        return;
    }
    estimate_truncated_poisson(sample, &poisson);
    snprintf(note, sizeof(note), "r=inf: truncated Poisson of rate %.5g",
        poisson.parameters[2]);
    if (sample->is_all) {
        *fit = poisson;
        spot_size_note(fit, "%s", note);
        return;
    }
    best = spot_size_maximise(&inside, sample, maximiser, fit);
    if (poisson.converged) {
        offer(&poisson,
            spot_size_log_likelihood(fit->family, poisson.parameters, sample), note,
            &best, fit);
    }
    offer(&other, spot_size_maximise(&limit, sample, maximiser, &other), "p=0", &best,
        fit);
}
