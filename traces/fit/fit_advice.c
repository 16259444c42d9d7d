/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/fit_advice.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "traces/fit/fit_model.h"
#include "traces/trace.h"

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
    spot_fit_write_law(out, "law", advice->lifetime);
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
            spot_fit_count(deaths, cut->num_deaths, "death"), cut->cut_s, cut->mean_s, cut->max_s);
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
    } else if (advice->num_events < SPOT_FIT_FEW_EVENTS) {
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

const char *spot_fit_count(char text[64], size_t number, const char *noun)
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

    if (num_preempts >= SPOT_FIT_FEW_EVENTS && num_adds >= SPOT_FIT_FEW_EVENTS) {
        return;
    }
    spot_fit_say(self, "%s, %s: %s.", spot_fit_count(preemptions, num_preempts, "preemption"),
        spot_fit_count(additions, num_adds, "addition"),
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
