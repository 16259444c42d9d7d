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
#include "traces/fit/fit_model.h"

/* A sample below this says little about its law. */
#define FEW_VALUES 50

/* A mean that is off by more is worth a word. */
#define MEAN_MARGIN 0.05

/* Autocorrelation is told beyond this many standard errors, 1 / sqrt(n). */
#define ACF_MARGIN 2

/* Shares of values that differ by less are the same. */
#define CLOSE 0.005

/* A trace with fewer events is no basis for a generator. */
#define FEW_EVENTS 10

/* Of a quoted path: two of them, and the command, fit into a line. */
#define PATH_BYTES 960

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

/* next NULL: no other one; num_families: that were tried. */
static void
say_sureness(spot_fit_words_t *self, const char *best, const char *next,
    double difference, size_t num_families)
{
    if (next != NULL) {
        say(self, "%s fits best: %s %s (AIC lower by %.3g).", best,
            spot_fit_difference_words(difference), next, difference);
    } else if (num_families > 1) {
        say(self, "%s is the only family that could be fitted.", best);
    } else {
        say(self, "%s was fitted alone: other families may fit better.", best);
    }
}

/* names: of the fits that did not converge, "" for none. */
static void
say_left_out(spot_fit_words_t *self, const char *names)
{
    if (names[0] != '\0') {
        say(self, "Left out, since the search found no maximum: %s.", names);
    }
}

static void
append_name(char *names, size_t num_bytes, const char *name)
{
    const size_t used = strlen(names);

    snprintf(names + used, num_bytes - used, "%s%s", used > 0 ? ", " : "", name);
}

static void
say_number(spot_fit_words_t *self, const char *what, size_t num_values)
{
    if (num_values < FEW_VALUES) {
        say(self, "Only %zu values of %s: another day may well prefer another family.",
            num_values, what);
    }
}

static void
say_test(spot_fit_words_t *self, double p_value)
{
    if (p_value < 0.05) {
        say(self,
            "Being the best does not make it right: it is rejected (bootstrap p = "
            "%.3g).",
            p_value);
    } else if (!isnan(p_value)) {
        say(self, "The data do not contradict it (bootstrap p = %.3g).", p_value);
    }
}

/* Where F of the law and of the sample are furthest apart. Values of 0 count as
 * raised_s.
 */
static int
say_distance(spot_fit_words_t *self, const spot_fit_t *fit, const spot_sample_t *sample,
    double raised_s)
{
    double *sorted = spot_calloc(sample->num_values, sizeof(*sorted));
    const double n = (double) sample->num_values;
    double furthest = 0, at_s = 0;
    bool is_too_many = false;

    if (sorted == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < sample->num_values; j++) {
        sorted[j] = sample->values[j] > 0 ? sample->values[j] : raised_s;
    }
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
    if (furthest < CLOSE) {
        say(self, "It puts the right share of values below every time, within %.3g %%.",
            100 * CLOSE);
    } else {
        say(self,
            "It is furthest off among the %s ones, at %.4g s: it puts %.2g %% too %s "
            "values below.",
            at_s <= spot_quantile(sorted, sample->num_values, 0.5) ? "short" : "long",
            at_s, 100 * furthest, is_too_many ? "many" : "few");
    }
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
    if (spot_series_acf(sample->values, sample->num_values, 1, &acf)) {
        const double chance = ACF_MARGIN / sqrt((double) sample->num_values);

        say(self,
            fabs(acf) > chance
                ? "Values are not independent, as draws from a law would be: "
                  "autocorrelation %.2f at lag 1, chance stays within %.2f."
                : "Values look independent: autocorrelation %.2f at lag 1, chance stays "
                  "within %.2f.",
            acf, chance);
    }
    say(self, "The first half of the values has mean %.4g s, the second %.4g s.",
        mean_of(sample->values, half),
        mean_of(sample->values + half, sample->num_values - half));
}

/* A ratio that is NAN says nothing. */
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

int
spot_fit_words_of_law(spot_fit_words_t *self, const char *what,
    const spot_fit_ranking_t *ranking, const spot_sample_t *sample, bool is_first,
    double resolution_s)
{
    const spot_fit_t *best, *next = NULL;
    char left_out[256] = "";

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

        next = fit != best && fit->is_fitted && fit->converged ? fit : NULL;
    }
    for (size_t j = 0; j < ranking->num_fits; j++) {
        if (ranking->fits[j].is_fitted && !ranking->fits[j].converged) {
            append_name(left_out, sizeof(left_out), ranking->fits[j].family->name);
        }
    }
    say_sureness(self, best->family->name, next != NULL ? next->family->name : NULL,
        next != NULL ? next->aic - best->aic : 0, ranking->num_fits);
    say_left_out(self, left_out);
    if (is_first) {
        say_number(self, what, best->num_values);
    }
    say_test(self, best->p_value);
    if (!best->is_mean_exact) { /* on a lattice exact but for half a tick */
        const bool is_known =
            best->num_complete == best->num_values || isinf(best->mean_ratio);

        say_mean(self, best->family->name, is_known ? best->mean_ratio : (double) NAN);
    }
    if ((best->flags & SPOT_FIT_DEGENERATE) != 0 ||
        best->num_complete < best->num_values) {
        return 0;
    }
    if (is_first) {
        say_order(self, sample);
    }
    return say_distance(self, best, sample, resolution_s > 0 ? resolution_s : 1);
}

void
spot_fit_words_of_sizes(spot_fit_words_t *self, const char *what,
    const spot_size_fit_t *fits, size_t num_fits, const spot_size_sample_t *sample)
{
    const spot_size_fit_t *best = NULL, *next = NULL;
    char left_out[256] = "";

    memset(self, 0, sizeof(*self));
    for (size_t j = 0; j < num_fits; j++) {
        if (fits[j].is_fitted && !fits[j].converged) {
            append_name(left_out, sizeof(left_out), fits[j].family->name);
        } else if (fits[j].is_fitted && best == NULL) {
            best = &fits[j];
        } else if (fits[j].is_fitted && next == NULL) {
            next = &fits[j];
        }
    }
    if (best == NULL) {
        say(self, "No family could be fitted to %s: %s.", what,
            num_fits > 0 && fits[0].note[0] != '\0' ? fits[0].note
                                                    : "fewer than 2 events: no fit");
        return;
    }
    say_sureness(self, best->family->name, next != NULL ? next->family->name : NULL,
        next != NULL ? next->aic - best->aic : 0, num_fits);
    say_left_out(self, left_out);
    if (!best->family->is_given_limit) {
        say_number(self, what, (size_t) sample->num_events);
    }
    if (!best->family->is_given_limit) {
        say_mean(self, best->family->name, best->mean_ratio);
    } else if (fabs(best->mean_ratio - 1) > MEAN_MARGIN) {
        say(self, "Its mean is %.3g times that of the sample.", best->mean_ratio);
    }
}

/* A word of a shell command, in quotes where it needs them; a path that is too long for
 * a line is only named. */
static void
quote(char *text, const char *word, const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_./+:,@%-";
    size_t used = 0;

    if (strlen(word) * strlen("'\\''") + sizeof("''") > PATH_BYTES) {
        word = name;
    }
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        memcpy(text, word, strlen(word) + 1);
        return;
    }
    text[used++] = '\'';
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            memcpy(text + used, "'\\''", strlen("'\\''"));
            used += strlen("'\\''");
        } else {
            text[used++] = *word;
        }
    }
    text[used++] = '\'';
    text[used] = '\0';
}

/* The line of an mrp model. */
static void
say_lifetime(spot_fit_words_t *self, const spot_law_t *law)
{
    char text[256] = "";
    FILE *out = fmemopen(text, sizeof(text), "w");

    if (out != NULL) {
        spot_fit_write_law(out, "law", law);
        fclose(out);
        say(self, "In an mrp model: lifetimes: %s", text);
    }
}

static void
say_generator(spot_fit_words_t *self, const spot_fit_advice_t *advice)
{
    char trace[PATH_BYTES], model[PATH_BYTES];

    quote(trace, advice->path, "TRACE");
    if (advice->is_lifetimes) {
        say(self,
            "Lives alone make no generator; a model of a trace may take their law.");
        if (advice->lifetime != NULL) {
            say_lifetime(self, advice->lifetime);
        }
        say(self, "Next: spotsim trace describe %s", trace);
    } else if (advice->model_path != NULL) {
        quote(model, advice->model_path, "MODEL");
        say(self, "See how far traces of the model are from the recorded one.");
        say(self, "Next: spotsim trace compare %s %s", model, trace);
    } else if (advice->num_events < FEW_EVENTS) {
        say(self,
            "Recommended generator: replay, the recording itself. Its %zu event%s no "
            "basis "
            "for another one.",
            advice->num_events, advice->num_events == 1 ? " is" : "s are");
        say(self, "Next: spotsim trace fit %s --emit replay -o model.yaml", trace);
    } else {
        say(self,
            "Recommended generator: block, pieces of the recording; mrp where only "
            "parameters may be passed on.");
        say(self, "Next: spotsim trace fit %s --emit block -o model.yaml", trace);
    }
}

void
spot_fit_words_of_trace(spot_fit_words_t *self, const spot_fit_advice_t *advice)
{
    memset(self, 0, sizeof(*self));
    if (advice->is_obtainable) {
        say(self, "Nothing ran: preempt means fewer obtainable at a probe, add means "
                  "more.");
    }
    if (advice->resolution_s > 0) {
        say(self,
            "Seen every %.6g s: whatever came and went between two looks is missing.",
            advice->resolution_s);
    }
    if (!advice->is_tested) {
        say(self, "Whether the best fit at all is not tested: --likelihood continuous "
                  "--bootstrap 399 does, where nothing is censored.");
    }
    say(self, "All of this describes that day and that zone, nothing else.");
    say_generator(self, advice);
}
