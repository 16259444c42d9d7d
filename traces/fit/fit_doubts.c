/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/fit_doubts.h"

#include <string.h>

#include "base/units.h"
#include "traces/bulk.h"

/* Shortest silence reported, as a share of the recording. */
#define SILENCE_SHARE 0.1

typedef struct {
    size_t num_events[2]; /* preemptions, additions */
    int64_t first_ms, last_ms, longest_ms;
} events_t;

static int
take_events(events_t *self, const spot_trace_t *trace)
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
static const char *
consequence(const char *model, bool is_addition)
{
    static const char *const words[3][2] = {
        {"preemptions of an mrp model are invented, other models have none",
            "additions of an mrp model are invented, other models have none"},
        {"the model's preemptions are invented", "the model's additions are invented"},
        {"the model has no preemption", "the model has no addition"}};

    return words[model == NULL ? 0 : strcmp(model, "mrp") == 0 ? 1 : 2][is_addition];
}

static void
say_few(spot_fit_words_t *self, const events_t *events, const char *model)
{
    const size_t num_preempts = events->num_events[0], num_adds = events->num_events[1];
    char preemptions[64], additions[64];

    if (num_preempts >= SPOT_FIT_FEW_EVENTS && num_adds >= SPOT_FIT_FEW_EVENTS) {
        return;
    }
    spot_fit_say(self, "%s, %s: %s.",
        spot_fit_count(preemptions, num_preempts, "preemption"),
        spot_fit_count(additions, num_adds, "addition"),
        num_preempts == 0 || num_adds == 0
            ? consequence(model, num_adds == 0)
            : "fewer than 10 of a type say little about their law");
}

static void
say_silence(spot_fit_words_t *self, const events_t *events, const spot_trace_t *trace,
    const char *model)
{
    const struct {
        int64_t silence_ms, at_ms;
        const char *event;
    } ends[] = {{events->first_ms, events->first_ms, "First"},
        {trace->end_ms - events->last_ms, events->last_ms, "Last"}};

    for (size_t j = 0; j < sizeof(ends) / sizeof(ends[0]); j++) {
        if (ends[j].silence_ms > events->longest_ms &&
            (double) ends[j].silence_ms > SILENCE_SHARE * (double) trace->end_ms) {
            spot_fit_say(self, "%s event at %.4g h of %.4g h: %s that silence.",
                ends[j].event, (double) ends[j].at_ms / (double) SPOT_MS_PER_H,
                (double) trace->end_ms / (double) SPOT_MS_PER_H,
                model != NULL ? "the model does not know"
                              : "block, mrp and seed do not know");
        }
    }
}

int
spot_fit_doubts(spot_fit_words_t *self, const spot_trace_t *trace, const char *model)
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
