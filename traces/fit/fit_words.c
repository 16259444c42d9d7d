/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/fit_words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/stats.h"
#include "traces/describe/series.h"

/* A sample below this says little about its law. */
#define FEW_EVENTS 50

/* A mean that is off by more is worth a word. */
#define MEAN_MARGIN 0.05

/* Autocorrelation is told beyond this many standard errors, 1 / sqrt(n). */
#define ACF_MARGIN 2

/* Values from which halves and autocorrelations are told. */
#define MIN_VALUES 10

static void say(spot_fit_words_t *self, const char *format, ...) SPOT_PRINTF(2, 3);

static void
say(spot_fit_words_t *self, const char *format, ...)
{
    va_list arguments;

    if (self->num_lines == SPOT_FIT_MAX_LINES) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(self->lines[self->num_lines++], SPOT_FIT_LINE_BYTES, format, arguments);
    va_end(arguments);
}

const char *
spot_fit_difference_words(double difference)
{
    static const struct {
        double limit;
        const char *words;
    } steps[] = {{2, "hardly better than"}, {4, "a little better than"},
        {7, "clearly better than"}, {10, "much better than"}};

    for (size_t j = 0; j < sizeof(steps) / sizeof(steps[0]); j++) {
        if (difference < steps[j].limit) {
            return steps[j].words;
        }
    }
    return "far better than";
}

static void
say_sureness(spot_fit_words_t *self, const char *best, const char *next,
    double difference, size_t num_values, double p_value)
{
    if (next == NULL) {
        say(self, "%s is the only family that could be fitted.", best);
    } else {
        say(self, "%s fits best: %s %s (AIC lower by %.3g).", best,
            spot_fit_difference_words(difference), next, difference);
    }
    if (num_values < FEW_EVENTS) {
        say(self, "Only %zu events: another day may well prefer another family.",
            num_values);
    }
    if (isnan(p_value)) {
        say(self, "Whether it fits at all is not tested: bootstrap p not computed.");
    } else if (p_value < 0.05) {
        say(self,
            "Being the best does not make it right: it is rejected (bootstrap p = "
            "%.3g).",
            p_value);
    } else {
        say(self, "The data do not contradict it (bootstrap p = %.3g).", p_value);
    }
}

/* Where F of the law and of the sample are furthest apart. */
static int
say_distance(spot_fit_words_t *self, const spot_fit_t *fit, const spot_sample_t *sample)
{
    double *sorted = spot_calloc(sample->num_values, sizeof(*sorted));
    const double n = (double) sample->num_values;
    double furthest = 0, at_s = 0;
    bool is_too_many = false;

    if (sorted == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(sorted, sample->values, sample->num_values * sizeof(*sorted));
    spot_sort(sorted, sample->num_values);
    for (size_t j = 0; j < sample->num_values; j++) {
        const bool is_last = j + 1 == sample->num_values || sorted[j + 1] != sorted[j];
        const double above =
            -expm1(fit->law.family->log_survival(fit->law.parameters, sorted[j])) -
            (double) (j + 1) / n;

        if (is_last && fabs(above) > furthest) {
            furthest = fabs(above);
            at_s = sorted[j];
            is_too_many = above > 0;
        }
    }
    say(self,
        "It is furthest off among the %s ones, at %.4g s: it puts %.2g %% too %s values "
        "below.",
        at_s <= spot_quantile(sorted, sample->num_values, 0.5) ? "short" : "long", at_s,
        100 * furthest, is_too_many ? "many" : "few");
    free(sorted);
    return 0;
}

static double
mean_of(const double *values, size_t num_values)
{
    spot_moments_t moments = {0};

    for (size_t j = 0; j < num_values; j++) {
        spot_moments_add(&moments, values[j]);
    }
    return spot_moments_mean(&moments);
}

/* What independent values of one law cannot have. */
static void
say_order(spot_fit_words_t *self, const spot_sample_t *sample)
{
    const size_t half = sample->num_values / 2;
    double acf;

    if (sample->num_values < MIN_VALUES) {
        return;
    }
    if (spot_series_acf(sample->values, sample->num_values, 1, &acf) &&
        fabs(acf) > ACF_MARGIN / sqrt((double) sample->num_values)) {
        say(self,
            "Values are not independent (autocorrelation %.2f at lag 1), as draws from "
            "a law would be.",
            acf);
    }
    say(self, "The first half of the values has mean %.4g, the second %.4g.",
        mean_of(sample->values, half),
        mean_of(sample->values + half, sample->num_values - half));
}

static void
say_mean(spot_fit_words_t *self, const char *name, double ratio)
{
    if (isinf(ratio)) {
        say(self, "%s has no mean at all: do not generate from it.", name);
    } else if (fabs(ratio - 1) > MEAN_MARGIN) {
        say(self, "Its mean is %.3g times that of the sample: do not generate from it.",
            ratio);
    }
}

static void
say_limits(spot_fit_words_t *self, double resolution_s)
{
    if (resolution_s > 0) {
        say(self,
            "Seen every %.6g s: whatever came and went between two looks is missing.",
            resolution_s);
    }
    say(self, "All of this describes that day and that zone, nothing else.");
}

int
spot_fit_words_of_law(spot_fit_words_t *self, const char *what,
    const spot_fit_ranking_t *ranking, const spot_sample_t *sample, double resolution_s)
{
    const spot_fit_t *best, *next = NULL;
    int ret;

    memset(self, 0, sizeof(*self));
    if (ranking->best_id < 0) {
        say(self, "No family could be fitted to %s: %s.", what,
            ranking->num_fits > 0 && ranking->fits[0].note[0] != '\0'
                ? ranking->fits[0].note
                : "no values");
        return 0;
    }
    best = &ranking->fits[ranking->best_id];
    for (size_t j = 0; j < ranking->num_fits && next == NULL; j++) {
        const spot_fit_t *fit = &ranking->fits[j];

        next = fit != best && fit->is_fitted && fit->aic >= best->aic ? fit : NULL;
    }
    say_sureness(self, best->family->name, next != NULL ? next->family->name : NULL,
        next != NULL ? next->aic - best->aic : 0, best->num_values, best->p_value);
    if (!best->is_mean_exact) { /* on a lattice exact but for half a tick */
        say_mean(self, best->family->name, best->mean_ratio);
    }
    ret = best->num_complete == best->num_values ? say_distance(self, best, sample) : 0;
    say_order(self, sample);
    say_limits(self, resolution_s);
    return ret;
}

void
spot_fit_words_of_sizes(spot_fit_words_t *self, const char *what,
    const spot_size_fit_t *fits, size_t num_fits, const spot_size_sample_t *sample)
{
    const char *next = NULL;
    double difference = 0;

    memset(self, 0, sizeof(*self));
    if (num_fits == 0 || !fits[0].is_fitted) {
        say(self, "No family could be fitted to %s: %s.", what,
            num_fits > 0 ? fits[0].note : "no values");
        return;
    }
    if (num_fits > 1 && fits[1].is_fitted) {
        next = fits[1].family->name;
        difference = fits[1].aic - fits[0].aic;
    }
    say_sureness(self, fits[0].family->name, next, difference,
        (size_t) sample->num_events, (double) NAN);
    say_mean(self, fits[0].family->name, fits[0].mean_ratio);
    say_limits(self, 0);
}
