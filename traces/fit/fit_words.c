/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/fit_words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"
#include "base/units.h"

/* Fewer events, of one type or of both, are no basis for a generator. */
#define FIT_FEW_EVENTS 10

static const char *fit_count(char text[64], size_t number, const char *noun);

/* ---- Closing sentences and doubts ---- */

/* Size of a quoted path: two paths and the command fit into a line. */
#define PATH_BYTES 960

/* Largest KS distance of a law that needs no warning. */
#define LARGE_DISTANCE 0.1

/* Writes a word of a shell command, quoted if needed. Writes name instead of a word that
 * is too long for a line. */
static void quote(char *text, const char *word, const char *name)
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

void spot_fit_say_far_life(spot_fit_words_t *self, const spot_law_t *law, double ks)
{
    if (ks > LARGE_DISTANCE) {
        spot_fit_say(self,
            "Not to be trusted: %s is far from these lives, KS %.3f; a model with it "
            "ends instances at other times than the cloud did.",
            law->family->name, ks);
    }
}

/* Shows the law of the lives as a model contains it, then warns if it fits badly. */
static void say_lifetime(spot_fit_words_t *self, const spot_fit_advice_t *advice)
{
    char text[256] = "";
    FILE *out = fmemopen(text, sizeof(text), "w");

    if (out == NULL) {
        return;
    }
    spot_law_write(out, "law", advice->lifetime);
    fclose(out);
    spot_fit_say(self,
        "The generator of lives is lifetimes; what a sample of lives does not say are "
        "capacity, initial and the refill law: {spotsim-model: 1, generator: lifetimes, "
        "capacity: INSTANCES, initial: INSTANCES, horizon_s: SECONDS, refill: {family: "
        "exponential, mu: SECONDS}, lifetime: %s}",
        text);
    spot_fit_say(self, "In an mrp model: lifetimes: %s", text);
    spot_fit_say_far_life(self, advice->lifetime, advice->lifetime_ks);
}

/* Describes the deaths from the cut on. */
static void say_cut(spot_fit_words_t *self, const spot_fit_cut_t *cut)
{
    char deaths[64];

    if (cut->num_deaths > 0) {
        spot_fit_say(self,
            "%s at %.6g s or behind it, %.4g s late in the mean and %.4g s at most: the "
            "overrun of the deadline.",
            fit_count(deaths, cut->num_deaths, "death"), cut->cut_s, cut->mean_s, cut->max_s);
    } else {
        spot_fit_say(
            self, "No death at %.6g s or behind it: there is no wall to be cut at.", cut->cut_s);
    }
}

static void say_generator(spot_fit_words_t *self, const spot_fit_advice_t *advice)
{
    char trace[PATH_BYTES], model[PATH_BYTES];

    quote(trace, advice->path, "TRACE");
    if (advice->cut.cut_s > 0) {
        say_cut(self, &advice->cut);
    }
    if (advice->lifetime != NULL) {
        say_lifetime(self, advice);
    }
    if (advice->is_lifetimes) {
        spot_fit_say(self, "Next: spotsim trace describe %s", trace);
    } else if (advice->model_path != NULL) {
        quote(model, advice->model_path, "MODEL");
        spot_fit_say(self, "See how far traces of the model are from the recorded one.");
        spot_fit_say(self, "Next: spotsim trace compare %s %s", model, trace);
    } else if (advice->num_events < FIT_FEW_EVENTS) {
        spot_fit_say(self,
            "Recommended generator: replay, the recording itself. Its %zu event%s no "
            "basis for another one.",
            advice->num_events, advice->num_events == 1 ? " is" : "s are");
        spot_fit_say(self, "Next: spotsim trace fit %s --emit replay -o model.yaml", trace);
    } else {
        spot_fit_say(self, "Recommended generator: block, pieces of the recording; mrp where only "
                           "parameters may be passed on.");
        spot_fit_say(self, "Next: spotsim trace fit %s --emit block -o model.yaml", trace);
    }
}

void spot_fit_words_of_trace(spot_fit_words_t *self, const spot_fit_advice_t *advice)
{
    memset(self, 0, sizeof(*self));
    if (advice->is_obtainable) {
        spot_fit_say(
            self, "Nothing ran: preempt means fewer obtainable at a probe, add means more.");
    }
    if (advice->resolution_s > 0) {
        spot_fit_say(self,
            "Seen every %.6g s: whatever came and went between two looks is missing.",
            advice->resolution_s);
    }
    if (!advice->is_tested) {
        spot_fit_say(self, "Whether the best fit at all is not tested: --likelihood continuous "
                           "--bootstrap 399 does, where nothing is censored.");
    }
    spot_fit_say(self, "All of this describes that day and that zone, nothing else.");
    for (size_t j = 0; advice->doubts != NULL && j < advice->doubts->num_lines; j++) {
        spot_fit_say(self, "%s", advice->doubts->lines[j]);
    }
    say_generator(self, advice);
}

void spot_fit_say(spot_fit_words_t *self, const char *format, ...)
{
    va_list arguments;

    if (self->num_lines == SPOT_FIT_MAX_LINES) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(self->lines[self->num_lines++], SPOT_FIT_LINE_BYTES, format, arguments);
    va_end(arguments);
}

/* Writes a number with its noun into text: "1 preemption", "3 preemptions". Returns
 * text. */
static const char *fit_count(char text[64], size_t number, const char *noun)
{
    snprintf(text, 64, "%zu %s%s", number, noun, number == 1 ? "" : "s");
    return text;
}

/* Shortest silence reported, as a share of the recording. */
#define SILENCE_SHARE 0.1

typedef struct {
    size_t num_events[2]; /* preemptions, additions */
    int64_t first_ms, last_ms, longest_ms;
} events_t;

static int take_events(events_t *self, const spot_trace_t *trace)
{
    spot_bulks_t bulks;
    const int ret = spot_bulks_init(&bulks, trace);

    memset(self, 0, sizeof(*self));
    self->first_ms = -1;
    for (size_t j = 0; ret == 0 && j < bulks.num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks.bulks[j];

        if (bulk->kind == SPOT_EVENT_STOP) {
            continue;
        }
        self->num_events[bulk->kind == SPOT_EVENT_PREEMPT ? 0 : 1]++;
        if (self->first_ms < 0) {
            self->first_ms = bulk->time_ms;
        } else if (bulk->time_ms - self->last_ms > self->longest_ms) {
            self->longest_ms = bulk->time_ms - self->last_ms;
        }
        self->last_ms = bulk->time_ms;
    }
    spot_bulks_free(&bulks);
    return ret;
}

/* The model mrp counts half an event of a type that never occurs; others leave it
 * out. */
static const char *consequence(const char *model, bool is_addition)
{
    static const char *const words[3][2] = {
        {"preemptions of an mrp model are invented, other models have none",
            "additions of an mrp model are invented, other models have none"},
        {"the model's preemptions are invented", "the model's additions are invented"},
        {"the model has no preemption", "the model has no addition"}};

    return words[model == NULL ? 0 : strcmp(model, "mrp") == 0 ? 1 : 2][is_addition];
}

static void say_few(spot_fit_words_t *self, const events_t *events, const char *model)
{
    const size_t num_preempts = events->num_events[0], num_adds = events->num_events[1];
    char preemptions[64], additions[64];

    if (num_preempts >= FIT_FEW_EVENTS && num_adds >= FIT_FEW_EVENTS) {
        return;
    }
    spot_fit_say(self, "%s, %s: %s.", fit_count(preemptions, num_preempts, "preemption"),
        fit_count(additions, num_adds, "addition"),
        num_preempts == 0 || num_adds == 0 ? consequence(model, num_adds == 0)
                                           : "fewer than 10 of a type say little about their law");
}

static void say_silence(
    spot_fit_words_t *self, const events_t *events, const spot_trace_t *trace, const char *model)
{
    const struct {
        int64_t silence_ms, at_ms;
        const char *event;
    } ends[] = {{events->first_ms, events->first_ms, "First"},
        {trace->end_ms - events->last_ms, events->last_ms, "Last"}};

    for (size_t j = 0; j < sizeof(ends) / sizeof(ends[0]); j++) {
        if (ends[j].silence_ms > events->longest_ms &&
            (double) ends[j].silence_ms > SILENCE_SHARE * (double) trace->end_ms) {
            spot_fit_say(self, "%s event at %.4g h of %.4g h: %s that silence.", ends[j].event,
                (double) ends[j].at_ms / (double) SPOT_MS_PER_H,
                (double) trace->end_ms / (double) SPOT_MS_PER_H,
                model != NULL ? "the model does not know" : "block, mrp and seed do not know");
        }
    }
}

int spot_fit_doubts(spot_fit_words_t *self, const spot_trace_t *trace, const char *model)
{
    events_t events;
    const int ret = take_events(&events, trace);

    memset(self, 0, sizeof(*self));
    if (ret == 0 && events.first_ms >= 0) {
        say_few(self, &events, model);
        say_silence(self, &events, trace, model);
    }
    return ret;
}

/* ---- Words of a ranking ---- */

/* A smaller sample says little about its law. */
#define FEW_VALUES 50

/* Relative error of the mean from which on a sentence warns of it. */
#define MEAN_MARGIN 0.05

/* An autocorrelation beyond this many standard errors, 1 / sqrt(n), is not chance. */
#define ACF_MARGIN 2

/* Shares of values that differ by less are the same. */
#define CLOSE 0.005

/* Sizes up to this one are all compared, larger ones only if an event has them. */
#define MANY_SIZES 100

/* Fewest values for sentences on halves and autocorrelation. */
#define MIN_VALUES 10

/* The meaning of an AIC lower by difference, "hardly better than" ... "far better than".
 * Burnham and Anderson, Sociol. Methods Res. 33(2), 2004. */
static const char *difference_words(double difference)
{
    static const struct {
        double limit;
        const char *words;
    } steps[] = {{2, "hardly better than"}, {4, "a little better than"}, {7, "clearly better than"},
        {10, "much better than"}};

    for (size_t j = 0; j < sizeof(steps) / sizeof(steps[0]); j++) {
        if (difference < steps[j].limit) {
            return steps[j].words;
        }
    }
    return "far better than";
}

/* Names the best fit, how sure it is, and families that did not converge; fits are
 * ordered by AIC. Returns the best one; NULL: there is none, because of the note of a
 * fit, or of nothing. */
static const spot_fit_t *say_best(spot_fit_words_t *self, const char *what, const spot_fit_t *fits,
    size_t num_fits, const char *nothing)
{
    const spot_fit_t *best = NULL, *next = NULL;
    char left_out[256] = "";

    memset(self, 0, sizeof(*self));
    for (size_t j = 0; j < num_fits; j++) {
        if (fits[j].is_fitted && !fits[j].converged) {
            const size_t used = strlen(left_out);

            snprintf(left_out + used, sizeof(left_out) - used, "%s%s", used > 0 ? ", " : "",
                fits[j].name);
        } else if (fits[j].is_fitted && best == NULL) {
            best = &fits[j];
        } else if (fits[j].is_fitted && next == NULL) {
            next = &fits[j];
        }
    }
    if (best == NULL) {
        spot_fit_say(self, "No family could be fitted to %s: %s.", what,
            num_fits > 0 && fits[0].note[0] != '\0' ? fits[0].note : nothing);
        return NULL;
    }
    if (next != NULL) {
        spot_fit_say(self, "%s fits best: %s %s (AIC lower by %.3g).", best->name,
            difference_words(next->aic - best->aic), next->name, next->aic - best->aic);
    } else {
        spot_fit_say(self,
            num_fits > 1 ? "%s is the only family that could be fitted."
                         : "%s was fitted alone: other families may fit better.",
            best->name);
    }
    if (left_out[0] != '\0') {
        spot_fit_say(self, "Left out, since the search found no maximum: %s.", left_out);
    }
    return best;
}

static void say_number(spot_fit_words_t *self, const char *what, size_t num_values)
{
    if (num_values < FEW_VALUES) {
        spot_fit_say(self, "Only %zu values of %s: another day may well prefer another family.",
            num_values, what);
    }
}

static void say_test(spot_fit_words_t *self, double p_value)
{
    if (p_value < 0.05) {
        spot_fit_say(self,
            "Being the best does not make it right: it is rejected (bootstrap p = "
            "%.3g).",
            p_value);
    } else if (!isnan(p_value)) {
        spot_fit_say(self, "The data do not contradict it (bootstrap p = %.3g).", p_value);
    }
}

typedef struct {
    double difference; /* F of the law - F of the sample */
    double at_s;
    bool is_before; /* just before that time */
} distance_t;

static void take_distance(distance_t *self, double difference, double at_s, bool is_before)
{
    if (fabs(difference) > fabs(self->difference)) {
        *self = (distance_t){difference, at_s, is_before};
    }
}

/* The largest difference between F of the law and the product-limit estimate of the
 * sample; on a lattice only at ticks. */
static distance_t find_distance(
    const spot_fit_t *fit, const spot_kaplan_meier_t *km, bool is_lattice)
{
    distance_t distance = {0};
    double before = 0;

    for (size_t j = 0; j < km->num_steps; j++) {
        const double time_s = km->steps[j].time, after = 1 - km->steps[j].survival;
        const double at = -expm1(fit->law.family->log_survival(fit->law.parameters, time_s));

        if (!is_lattice) {
            take_distance(&distance, at - before, time_s, true);
        }
        take_distance(&distance, at - after, time_s, false);
        before = after;
    }
    return distance;
}

/* Complete values of 0 count as one resolution, or 1 s without one. */
static int say_distance(spot_fit_words_t *self, const spot_fit_t *fit, const spot_sample_t *sample,
    const spot_fit_view_t *view)
{
    const double raised_s = view->resolution_s > 0 ? view->resolution_s : 1;
    double *values = spot_calloc(sample->num_values, sizeof(*values));
    const bool is_censored = fit->num_complete < fit->num_values;
    spot_kaplan_meier_t km = {0};
    distance_t distance;
    int ret = SPOT_ERR_NO_MEMORY;

    for (size_t j = 0; values != NULL && j < sample->num_values; j++) {
        const bool is_open = sample->is_censored != NULL && sample->is_censored[j];

        values[j] = sample->values[j] > 0 || is_open ? sample->values[j] : raised_s;
    }
    if (values != NULL) {
        ret = spot_kaplan_meier_init(&km, values, sample->is_censored, sample->num_values);
    }
    if (ret != 0) {
        goto out;
    }
    distance = find_distance(fit, &km, view->tick_s > 0);
    if (fabs(distance.difference) < CLOSE) {
        spot_fit_say(self, "It puts the right share of values below every time, within %.3g %%.",
            100 * CLOSE);
    } else {
        spot_fit_say(self, "It is furthest off %s%s %.4g s: it puts %.2g %% too %s values below%s.",
            is_censored                                      ? ""
            : distance.at_s <= spot_kaplan_meier_median(&km) ? "among the short ones, "
                                                             : "among the long ones, ",
            distance.is_before ? "just before" : "at", distance.at_s,
            100 * fabs(distance.difference), distance.difference > 0 ? "many" : "few",
            is_censored ? ", as far as the censored ones let it be known (Kaplan-Meier)" : "");
    }
out:
    spot_kaplan_meier_free(&km);
    free(values);
    return ret;
}

/* Sentences on families with a limit, and on a wall in the sample. */
static int say_limits(
    spot_fit_words_t *self, const spot_fit_view_t *view, const spot_sample_t *sample)
{
    spot_fit_wall_t wall;
    int ret;

    if (view->lacks_limit) {
        spot_fit_say(self, "bathtub was left out: it needs --limit, the longest "
                           "possible life.");
    }
    ret = spot_fit_find_wall(&wall, sample);
    if (ret == 0 && wall.time_s > 0) {
        spot_fit_say(self,
            "A wall: %zu of %zu deaths are from %.6g s to %.6g s; lives look cut off "
            "there. Try --cut %.10g%s.",
            wall.num_deaths, wall.num_deaths + wall.num_before, wall.time_s, wall.last_s,
            wall.time_s, view->lacks_limit ? ", or --limit for bathtub" : "");
    }
    return ret;
}

static double mean_of(const double *values, size_t num_values)
{
    spot_moments_t moments = {0};

    for (size_t j = 0; j < num_values; j++) {
        spot_moments_add(&moments, values[j]);
    }
    return spot_moments_mean(&moments);
}

/* Sentences on autocorrelation and drift, which independent draws do not have. */
static void say_order(spot_fit_words_t *self, const spot_sample_t *sample)
{
    const size_t half = sample->num_values / 2;
    double acf;

    if (sample->num_values < MIN_VALUES) {
        return;
    }
    if (spot_series_acf(sample->values, sample->num_values, 1, &acf)) {
        const double chance = ACF_MARGIN / sqrt((double) sample->num_values);

        spot_fit_say(self,
            fabs(acf) > chance
                ? "Values are not independent, as draws from a law would be: "
                  "autocorrelation %.2f at lag 1, chance stays within %.2f."
                : "Values look independent: autocorrelation %.2f at lag 1, chance stays "
                  "within %.2f.",
            acf, chance);
    }
    spot_fit_say(self, "The first half of the values has mean %.4g s, the second %.4g s.",
        mean_of(sample->values, half), mean_of(sample->values + half, sample->num_values - half));
}

/* Warns of a mean far from that of the sample; ratio NAN: no sentence. */
static void say_mean(spot_fit_words_t *self, const char *name, double ratio)
{
    if (isinf(ratio)) {
        spot_fit_say(self, "%s has no mean at all: do not generate from it.", name);
    } else if (fabs(ratio - 1) > MEAN_MARGIN) {
        spot_fit_say(
            self, "Its mean is %.3g times that of the sample: do not generate from it.", ratio);
    }
}

int spot_fit_words_of_law(spot_fit_words_t *self, const spot_fit_view_t *view,
    const spot_fit_ranking_t *ranking, const spot_sample_t *sample)
{
    const spot_fit_t *best =
        say_best(self, view->what, ranking->fits, ranking->num_fits, "no values");
    int ret;

    if (best == NULL) {
        return 0;
    }
    if (view->is_first) {
        say_number(self, view->what, best->num_values);
    }
    say_test(self, best->p_value);
    if (!best->is_mean_exact) { /* on a lattice exact means within half a tick */
        const bool is_known = best->num_complete == best->num_values || isinf(best->mean_ratio);

        say_mean(self, best->name, is_known ? best->mean_ratio : (double) NAN);
    }
    if ((best->flags & SPOT_FIT_DEGENERATE) != 0) {
        return 0;
    }
    if (view->is_first && best->num_complete == best->num_values) {
        say_order(self, sample);
    }
    ret = say_distance(self, best, sample, view);
    return ret == 0 && view->is_life && view->is_first ? say_limits(self, view, sample) : ret;
}

/* P(size) of a law; for a law given the limit, the mean over the events. */
static double share_of_size(const spot_fit_t *fit, const spot_size_sample_t *sample, int32_t size)
{
    double sum = 0;

    if (!fit->size_family->is_given_limit) {
        return exp(fit->size_family->log_probability(fit->law.parameters, size, 0));
    }
    for (size_t j = 0; j < sample->num_cells; j++) {
        const spot_size_cell_t *cell = &sample->cells[j];

        if (size <= cell->limit) {
            sum += cell->weight *
                   exp(fit->size_family->log_probability(fit->law.parameters, size, cell->limit));
        }
    }
    return sum / sample->num_events;
}

/* Names the size at which the law is furthest from the sample. */
static void say_wrong_size(
    spot_fit_words_t *self, const spot_fit_t *fit, const spot_size_sample_t *sample)
{
    double furthest = 0, at_law = 0, at_sample = 0;
    int32_t at_size = 0;
    size_t j = 0;

    for (int64_t next = 1; j < sample->num_cells; next++) {
        int32_t size = (int32_t) next;
        double seen = 0, expected;

        if (next > MANY_SIZES) {
            next = size = sample->cells[j].size;
        }
        for (; j < sample->num_cells && sample->cells[j].size == size; j++) {
            seen += sample->cells[j].weight / sample->num_events;
        }
        expected = share_of_size(fit, sample, size);
        if (fabs(expected - seen) > furthest) {
            furthest = fabs(expected - seen);
            at_law = expected;
            at_sample = seen;
            at_size = size;
        }
    }
    if (furthest < CLOSE) {
        spot_fit_say(self, "It gives every size its share, within %.3g %%.", 100 * CLOSE);
    } else {
        spot_fit_say(self,
            "It is furthest off at size %d: %.3g %% of its events have it, %.3g %% of "
            "those seen.",
            (int) at_size, 100 * at_law, 100 * at_sample);
    }
}

void spot_fit_words_of_sizes(spot_fit_words_t *self, const char *what, const spot_fit_t *fits,
    size_t num_fits, const spot_size_sample_t *sample)
{
    const spot_fit_t *best = say_best(self, what, fits, num_fits, "fewer than 2 events: no fit");

    if (best == NULL) {
        return;
    }
    if (!best->size_family->is_given_limit) {
        say_number(self, what, (size_t) sample->num_events);
        say_mean(self, best->name, best->mean_ratio);
    } else if (fabs(best->mean_ratio - 1) > MEAN_MARGIN) {
        spot_fit_say(self, "Its mean is %.3g times that of the sample.", best->mean_ratio);
    }
    say_wrong_size(self, best, sample);
}
