/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/fit_law.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "traces/fit/durations.h"

void spot_fit_note(spot_fit_t *fit, unsigned flags, const char *format, ...)
{
    const size_t used = strlen(fit->note);
    char words[SPOT_FIT_NOTE_BYTES];
    va_list arguments;

    fit->flags |= flags;
    va_start(arguments, format);
    vsnprintf(words, sizeof(words), format, arguments);
    va_end(arguments);
    snprintf(fit->note + used, sizeof(fit->note) - used, "%s%s", used > 0 ? "; " : "", words);
}

#define MAX_K SPOT_MAXIMISE_MAX_PARAMETERS

/* Ratio up to which two means are the same; number of means per tick from which on the
 * likelihood is flat; share that is 0, or from the other side 1. */
#define SAME_MEANS 1.001
#define TICKS_PER_FLAT_MEAN 20
#define LEAST_SHARE 1e-6

enum { SHARE, FIRST, SECOND }; /* parameters of hyperexp2 and bathtub */

typedef struct {
    const spot_fit_family_t *family;
    spot_fit_durations_t *durations;
    spot_law_t law;
} context_t;

static double log_likelihood(const double *theta, void *context)
{
    context_t *self = context;

    spot_fit_family_law(self->family, theta, self->law.parameters);
    return spot_fit_durations_log_likelihood(self->durations, &self->law);
}

void spot_fit_clear(spot_fit_t *fit)
{
    fit->is_fitted = fit->converged = false;
    fit->log_likelihood = fit->aic = fit->bic = fit->ks = fit->ad = (double) NAN;
    fit->implied_mean_s = fit->implied_cv = fit->mean_ratio = (double) NAN;
    fit->p_value = (double) NAN;
    for (int j = 0; j < SPOT_LAW_MAX_PARAMETERS; j++) {
        fit->law.parameters[j] = fit->standard_errors[j] = (double) NAN;
    }
}

static void start_fit(spot_fit_t *fit, const spot_fit_durations_t *durations,
    const spot_family_t *family, double limit_s)
{
    *fit = (spot_fit_t){.name = family->name,
        .family = family,
        .num_values = durations->num_values,
        .num_complete = durations->num_complete,
        .tick_s = durations->tick_s,
        .law = {.family = family}};
    spot_fit_clear(fit);
    for (int j = family->num_parameters; j < SPOT_LAW_MAX_PARAMETERS; j++) {
        fit->law.parameters[j] = limit_s;
    }
    if (durations->num_raised > 0) {
        spot_fit_note(
            fit, SPOT_FIT_RAISED, "%zu values of 0 s count as one tick", durations->num_raised);
    }
}

/* Whether the values allow the limit; notes why not. */
static bool can_have_limit(spot_fit_t *fit, const spot_fit_durations_t *durations)
{
    const double limit_s = fit->law.parameters[fit->family->num_parameters];

    if (!(limit_s > 0) || !isfinite(limit_s)) {
        spot_fit_note(fit, SPOT_FIT_NO_LIMIT, "no limit of the life is given: no fit");
        return false;
    }
    if (durations->max_s > limit_s) {
        spot_fit_note(fit, SPOT_FIT_BEYOND_LIMIT, "%.10g s is beyond the limit of %.10g s: no fit",
            durations->max_s, limit_s);
        return false;
    }
    if (durations->max_s == limit_s &&
        durations->groups[durations->num_groups - 1].num_censored > 0) {
        spot_fit_note(fit, SPOT_FIT_BEYOND_LIMIT,
            "a value was censored at the limit of %.10g s, which is to say beyond it: "
            "no fit",
            limit_s);
        return false;
    }
    if (durations->max_s == limit_s && !(durations->tick_s > 0)) {
        spot_fit_note(fit, SPOT_FIT_BEYOND_LIMIT,
            "a value is at the limit of %.10g s, where the likelihood is infinite: no "
            "fit, expected a limit beyond it",
            limit_s);
        return false;
    }
    return true;
}

/* Whether the sample allows a fit; notes why not. */
static bool can_fit(spot_fit_t *fit, const spot_fit_durations_t *durations)
{
    if (durations->num_values < 2) {
        spot_fit_note(fit, SPOT_FIT_TOO_FEW, "fewer than 2 values: no fit");
        return false;
    }
    if (durations->num_complete == 0) {
        spot_fit_note(
            fit, SPOT_FIT_TOO_FEW, "all values are censored, no life was seen to its end: no fit");
        return false;
    }
    if (durations->is_one_value && fit->family != &spot_family_exponential) {
        spot_fit_note(fit, SPOT_FIT_DEGENERATE, "degenerate: %s: no fit but the exponential",
            durations->groups[0].value_s <= durations->tick_s * (1 + SPOT_FIT_ON_TICK)
                ? "all complete values are in the first tick"
                : "all complete values are equal");
        return false;
    }
    return fit->family->num_settings == 0 || can_have_limit(fit, durations);
}

/* Puts the smaller mean of hyperexp2 first; the other order is the same law. */
static void order_means(context_t *context, spot_maximum_t *maximum)
{
    double *theta = maximum->theta;
    const double first = theta[FIRST];

    if (context->family->family != &spot_family_hyperexp2 || first <= theta[SECOND]) {
        return;
    }
    theta[SHARE] = -theta[SHARE];
    theta[FIRST] = theta[SECOND];
    theta[SECOND] = first;
    spot_maximum_differentiate(maximum, log_likelihood, context);
}

static void find_maximum(
    spot_maximiser_t *maximiser, context_t *context, spot_fit_t *fit, spot_maximum_t *maximum)
{
    double starts[SPOT_FIT_MAX_STARTS][MAX_K] = {{0}};
    const size_t k = (size_t) fit->family->num_parameters;

    memset(maximum, 0, sizeof(*maximum));
    maximum->num_parameters = k;
    fit->is_exact = context->family->exact != NULL &&
                    context->family->exact(context->durations, maximum->theta);
    if (fit->is_exact) {
        spot_maximum_differentiate(maximum, log_likelihood, context);
        maximum->converged = true;
        return;
    }
    const size_t num_starts = context->family->starts(context->durations, starts);

    spot_maximise(maximiser, k, num_starts, (const double(*)[MAX_K]) starts, log_likelihood,
        context, maximum);
    order_means(context, maximum);
}

/* Notes that a mixture is at a boundary. */
static void note_mixture(spot_fit_t *fit)
{
    const double *p = fit->law.parameters;
    const bool is_bathtub = fit->family == &spot_family_bathtub;
    const char *share = is_bathtub ? "w" : "p1";

    if (!is_bathtub && p[SECOND] < p[FIRST] * SAME_MEANS) {
        fit->arbitrary = 1u << SHARE;
        spot_fit_note(fit, SPOT_FIT_ARBITRARY, "degenerate: mu1 = mu2 and p1 is arbitrary");
    } else if (p[SHARE] > 1 - LEAST_SHARE) {
        fit->arbitrary = 1u << SECOND;
        spot_fit_note(fit, SPOT_FIT_ARBITRARY, "boundary: %s = 1 and %s is arbitrary", share,
            is_bathtub ? "tau2" : "mu2");
    } else if (p[SHARE] < LEAST_SHARE) {
        fit->arbitrary = 1u << FIRST;
        spot_fit_note(fit, SPOT_FIT_ARBITRARY, "boundary: %s = 0 and %s is arbitrary", share,
            is_bathtub ? "tau1" : "mu1");
    } else if (!is_bathtub && p[FIRST] * TICKS_PER_FLAT_MEAN < fit->tick_s) {
        fit->arbitrary = 1u << FIRST;
        spot_fit_note(fit, SPOT_FIT_FLAT, "flat: mu1 is far below the tick, its value arbitrary");
    }
}

static void note_doubts(spot_fit_t *fit, const spot_fit_durations_t *durations)
{
    if (fit->family == &spot_family_hyperexp2 || fit->family == &spot_family_bathtub) {
        note_mixture(fit);
    }
    if (fit->family == &spot_family_exponential && durations->is_one_value) {
        if (durations->max_s > durations->tick_s * (1 + SPOT_FIT_ON_TICK)) {
            spot_fit_note(fit, SPOT_FIT_DEGENERATE, "degenerate: all complete values are equal");
        } else {
            fit->arbitrary = 1u;
            spot_fit_note(fit, SPOT_FIT_DEGENERATE | SPOT_FIT_ARBITRARY,
                "degenerate: all complete values are in the first tick, the mean is "
                "unknown");
        }
    }
    if (!fit->converged) {
        spot_fit_note(fit, SPOT_FIT_NOT_CONVERGED,
            "not converged: the likelihood has no maximum that could be found");
    }
}

/* Notes a parameter on which the likelihood no longer depends, e.g. the time constant of
 * a part that has become uniform. */
static void note_flat(spot_fit_t *fit, const spot_maximum_t *maximum)
{
    for (size_t j = 0; j < maximum->num_parameters; j++) {
        if (spot_maximum_is_flat_in(maximum, j)) {
            fit->arbitrary |= 1u << j;
            spot_fit_note(fit, SPOT_FIT_ARBITRARY,
                "flat: %s is arbitrary, the likelihood does not depend on it",
                fit->family->fields[j].name);
        }
    }
}

/* Standard errors by the delta method; none if a parameter does not matter. */
static void estimate_errors(
    spot_fit_t *fit, const spot_fit_family_t *family, const spot_maximum_t *maximum)
{
    double covariance[MAX_K][MAX_K];

    if ((fit->flags & SPOT_FIT_NOT_COMPARABLE) == 0) {
        note_flat(fit, maximum);
    }
    if ((fit->flags & SPOT_FIT_NOT_COMPARABLE) != 0 || !fit->converged ||
        !spot_maximum_covariance(maximum, covariance)) {
        spot_fit_note(fit, SPOT_FIT_NO_ERRORS, "no standard errors");
        return;
    }
    for (size_t j = 0; j < maximum->num_parameters; j++) {
        fit->standard_errors[j] =
            sqrt(covariance[j][j]) *
            fabs(spot_fit_scale_slope(family->scales[j], fit->law.parameters[j]));
    }
}

/* Whether the mean is arbitrary: only if the last parameter is. The mean of a mixture
 * does not change with the others. */
static bool is_mean_arbitrary(const spot_fit_t *fit)
{
    const unsigned last = 1u << (fit->family->num_parameters - 1);

    return (fit->arbitrary & last) != 0;
}

static void judge(spot_fit_t *fit, const spot_fit_durations_t *durations)
{
    const double k = fit->family->num_parameters;

    fit->aic = 2 * k - 2 * fit->log_likelihood;
    fit->bic = k * log((double) durations->num_complete) - 2 * fit->log_likelihood;
    fit->ks = spot_fit_ks(durations, &fit->law);
    fit->ad = spot_fit_ad(durations, &fit->law);
    fit->implied_mean_s = fit->family->moment(fit->law.parameters, 1);
    fit->implied_cv = spot_law_cv(&fit->law);
    fit->mean_ratio = fit->implied_mean_s / durations->mean_s;
    fit->is_mean_exact = fit->family->keeps_mean;
    if (is_mean_arbitrary(fit)) {
        fit->implied_mean_s = fit->implied_cv = fit->mean_ratio = (double) NAN;
        fit->is_mean_exact = false;
    }
}

void spot_fit_law(spot_maximiser_t *maximiser, spot_fit_durations_t *durations,
    const spot_family_t *family, double limit_s, spot_fit_t *fit)
{
    context_t context = {.family = spot_fit_family_find(family), .durations = durations};
    spot_maximum_t maximum;

    spot_bug_assert(context.family != NULL);
    start_fit(fit, durations, family, limit_s);
    if (!can_fit(fit, durations)) {
        return;
    }
    context.law = fit->law;
    find_maximum(maximiser, &context, fit, &maximum);
    fit->num_evaluations = maximum.num_evaluations;
    fit->converged = maximum.converged;
    fit->log_likelihood = maximum.log_likelihood;
    fit->is_fitted = true;
    spot_fit_family_law(context.family, maximum.theta, fit->law.parameters);
    note_doubts(fit, durations);
    estimate_errors(fit, context.family, &maximum);
    judge(fit, durations);
}

bool spot_fit_has_family(const spot_family_t *family)
{
    return spot_fit_family_find(family) != NULL;
}

static bool is_before(const spot_fit_t *fit, const spot_fit_t *other)
{
    return fit->is_fitted != other->is_fitted ? fit->is_fitted : fit->aic < other->aic;
}

/* Stable insertion; there are seven families at most. */
static void insert(spot_fit_ranking_t *self, const spot_fit_t *fit)
{
    size_t place = self->num_fits++;

    spot_bug_assert(place < SPOT_FIT_MAX_FAMILIES);
    for (; place > 0 && is_before(fit, &self->fits[place - 1]); place--) {
        self->fits[place] = self->fits[place - 1];
    }
    self->fits[place] = *fit;
}

void spot_fit_rank(spot_fit_ranking_t *self, spot_maximiser_t *maximiser,
    spot_fit_durations_t *durations, const spot_family_t *const *families, double limit_s)
{
    const spot_family_t *const *chosen = families != NULL ? families : spot_families;

    self->num_fits = 0;
    self->best_id = self->best_mean_id = -1;
    for (size_t j = 0; chosen[j] != NULL; j++) {
        spot_fit_t fit;

        if (families == NULL &&
            (!spot_fit_has_family(chosen[j]) || (chosen[j]->num_settings > 0 && !(limit_s > 0)))) {
            continue;
        }
        spot_fit_law(maximiser, durations, chosen[j], limit_s, &fit);
        insert(self, &fit);
    }
    for (int j = (int) self->num_fits - 1; j >= 0; j--) {
        if (self->fits[j].is_fitted && self->fits[j].converged) {
            self->best_id = j;
            self->best_mean_id = self->fits[j].is_mean_exact ? j : self->best_mean_id;
        }
    }
}

/* The reason for no p-value, "" if the fit already has a note of it, or NULL. */
static const char *obstacle(const spot_fit_t *fit)
{
    if (!fit->is_fitted || !fit->converged) {
        return "";
    }
    if (fit->tick_s > 0) {
        return "no p-value: ticks have no Anderson-Darling distance, only --likelihood "
               "continuous has";
    }
    if (fit->num_complete < fit->num_values) {
        return "no p-value: what the censored values would have become is not known";
    }
    return NULL;
}

/* A draw rounded up as the recorder sees it. If that reaches the limit of the law, where
 * the likelihood does not exist, the draw stays unrounded. */
static double draw(const spot_law_t *law, double resolution_s, spot_rng_t *rng)
{
    const double value_s = law->family->draw(law->parameters, rng);
    const double seen_s = fmax(1, ceil(value_s / resolution_s - SPOT_FIT_ON_TICK)) * resolution_s;
    const double limit_s = law->family->num_settings > 0
                               ? law->parameters[law->family->num_parameters]
                               : (double) INFINITY;

    return fmin(seen_s < limit_s ? seen_s : value_s, SPOT_FIT_LONGEST_S);
}

/* Sets ad to AD*; INFINITY if the drawn values cannot be fitted. */
static int run_round(spot_maximiser_t *maximiser, const spot_fit_t *fit, double resolution_s,
    spot_rng_t *rng, double *values, double *ad)
{
    const double limit_s = fit->law.parameters[fit->family->num_parameters];
    spot_fit_durations_t durations;
    spot_fit_t again;
    int error;

    for (size_t j = 0; j < fit->num_values; j++) {
        values[j] = draw(&fit->law, resolution_s, rng);
    }
    error = spot_fit_durations_init(&durations, values, NULL, fit->num_values, 0, resolution_s);
    if (error == 0) {
        spot_fit_law(maximiser, &durations, fit->family, limit_s, &again);
        *ad = again.is_fitted ? again.ad : (double) INFINITY;
    }
    spot_fit_durations_free(&durations);
    return error;
}

int spot_fit_bootstrap(const spot_bootstrap_t *self, spot_maximiser_t *maximiser, spot_fit_t *fit)
{
    const char *reason = obstacle(fit);
    double *values;
    int num_as_bad = 0, error = 0;
    spot_rng_t rng;

    spot_bug_assert(self->num_rounds >= 1 && self->resolution_s > 0);
    fit->p_value = (double) NAN;
    if (reason != NULL) {
        if (reason[0] != '\0') {
            spot_fit_note(fit, SPOT_FIT_NO_P_VALUE, "%s", reason);
        }
        return 0;
    }
    values = spot_calloc(fit->num_values, sizeof(*values));
    if (values == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (int j = 0; j < self->num_rounds && error == 0; j++) {
        double ad = (double) NAN;

        spot_rng_seek(&rng, self->seed, self->replication, SPOT_STREAM_BOOTSTRAP, (uint64_t) j);
        error = spot_watch_is_stopped(&self->watch)
                    ? SPOT_ERR_INTERRUPTED
                    : run_round(maximiser, fit, self->resolution_s, &rng, values, &ad);
        num_as_bad += ad >= fit->ad ? 1 : 0;
        if (error == 0) {
            spot_watch_report(&self->watch, j + 1, self->num_rounds);
        }
    }
    free(values);
    if (error == 0) {
        fit->p_value = (1.0 + num_as_bad) / (self->num_rounds + 1.0);
    }
    return error;
}
