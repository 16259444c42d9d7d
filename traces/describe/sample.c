/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/describe/sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

const char *const spot_sample_kind_names[] = {"preempt-gap", "add-gap", "change-gap",
    "preempt-count", "add-count", "up-spell", "down-spell", "lifetime", NULL};

static int reserve(spot_sample_t *self, size_t max_values, bool has_limits)
{
    memset(self, 0, sizeof(*self));
    SPOT_ARENA_ARRAY(&self->memory, self->values, max_values);
    SPOT_ARENA_ARRAY(&self->memory, self->is_censored, max_values);
    if (has_limits) {
        SPOT_ARENA_ARRAY(&self->memory, self->limits, max_values);
    }
    return self->memory.error;
}

void spot_sample_free(spot_sample_t *self)
{
    spot_arena_free(&self->memory);
    memset(self, 0, sizeof(*self));
}

static void append(spot_sample_t *self, double value, bool is_censored)
{
    self->is_censored[self->num_values] = is_censored;
    self->values[self->num_values++] = value;
}

static void append_duration(spot_sample_t *self, int64_t duration_ms, bool is_censored)
{
    append(self, (double) duration_ms / (double) SPOT_MS_PER_S, is_censored);
}

/* Takes the gaps between the distinct times of the events of kind. */
static void take_gaps(spot_sample_t *self, const spot_bulks_t *bulks, spot_sample_kind_t kind)
{
    int64_t last_ms = -1;

    for (size_t j = 0; j < bulks->num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks->bulks[j];
        const bool is_counted = kind == SPOT_SAMPLE_CHANGE_GAP ? bulk->kind != SPOT_EVENT_STOP
                                : kind == SPOT_SAMPLE_ADD_GAP  ? bulk->kind == SPOT_EVENT_ADD
                                                               : bulk->kind == SPOT_EVENT_PREEMPT;

        if (is_counted && bulk->time_ms != last_ms) {
            if (last_ms >= 0) {
                append_duration(self, bulk->time_ms - last_ms, false);
            }
            last_ms = bulk->time_ms;
        }
    }
}

static void take_counts(spot_sample_t *self, const spot_trace_t *trace, const spot_bulks_t *bulks,
    spot_event_kind_t kind)
{
    const int32_t capacity = spot_trace_most(trace);

    for (size_t j = 0; j < bulks->num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks->bulks[j];
        const int32_t missing = capacity - bulk->before;

        if (bulk->kind != kind) {
            continue;
        }
        self->limits[self->num_values] = kind == SPOT_EVENT_PREEMPT ? bulk->before
                                         : missing > bulk->size     ? missing
                                                                    : bulk->size;
        append(self, bulk->size, false);
    }
}

/* With a capacity of 1 every event starts a spell of the other kind. */
static void take_spells(
    spot_sample_t *self, const spot_trace_t *trace, const spot_bulks_t *bulks, bool is_up)
{
    const spot_bulk_t *start = NULL;

    for (size_t j = 0; j < bulks->num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks->bulks[j];

        if (start != NULL && start->time_ms > 0 && (start->kind == SPOT_EVENT_ADD) == is_up) {
            append_duration(self, bulk->time_ms - start->time_ms, bulk->kind == SPOT_EVENT_STOP);
        }
        start = bulk;
    }
    if (start != NULL && start->time_ms > 0 && start->time_ms < trace->end_ms &&
        (start->kind == SPOT_EVENT_ADD) == is_up) {
        append_duration(self, trace->end_ms - start->time_ms, true);
    }
}

/* The life of a running name: its index in the sample and its start. */
typedef struct {
    size_t life_id;
    int64_t birth_ms;
} running_t;

static void give_birth(spot_sample_t *self, const int32_t *name_ids, int32_t count, int64_t time_ms,
    int64_t end_ms, running_t *running)
{
    for (int32_t j = 0; j < count; j++) {
        running[name_ids[j]] = (running_t){self->num_values, time_ms};
        append_duration(self, end_ms - time_ms, true);
    }
}

static int take_lifetimes(spot_sample_t *self, const spot_trace_t *trace)
{
    running_t *running = spot_calloc(trace->num_names, sizeof(*running));

    if (running == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    give_birth(self, trace->name_ids, trace->initial, 0, trace->end_ms, running);
    for (size_t j = 0; j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        if (event->kind == SPOT_EVENT_ADD) {
            give_birth(self, event->name_ids, event->count, event->time_ms, trace->end_ms, running);
            continue;
        }
        for (int32_t k = 0; k < event->count; k++) {
            const running_t *life = &running[event->name_ids[k]];

            self->values[life->life_id] =
                (double) (event->time_ms - life->birth_ms) / (double) SPOT_MS_PER_S;
            self->is_censored[life->life_id] = event->kind == SPOT_EVENT_STOP;
        }
    }
    free(running);
    return 0;
}

static int init_lives(spot_sample_t *self, const spot_trace_t *trace)
{
    const bool has_lives = trace->kind == SPOT_TRACE_NAMED;
    const int ret = reserve(self, has_lives ? trace->num_name_ids : 0, false);

    return ret == 0 && has_lives ? take_lifetimes(self, trace) : ret;
}

int spot_sample_init(spot_sample_t *self, const spot_trace_t *trace, spot_sample_kind_t kind)
{
    const bool is_count = kind == SPOT_SAMPLE_PREEMPT_COUNT || kind == SPOT_SAMPLE_ADD_COUNT;
    spot_bulks_t bulks;
    int ret;

    if (kind == SPOT_SAMPLE_LIFETIME) {
        return init_lives(self, trace);
    }
    memset(self, 0, sizeof(*self));
    ret = spot_bulks_init(&bulks, trace);
    ret = ret == 0 ? reserve(self, bulks.num_bulks, is_count) : ret;
    if (ret == 0 && is_count) {
        take_counts(self, trace, &bulks,
            kind == SPOT_SAMPLE_ADD_COUNT ? SPOT_EVENT_ADD : SPOT_EVENT_PREEMPT);
    } else if (ret == 0 && kind <= SPOT_SAMPLE_CHANGE_GAP) {
        take_gaps(self, &bulks, kind);
    } else if (ret == 0 && trace->capacity == 1) {
        take_spells(self, trace, &bulks, kind == SPOT_SAMPLE_UP_SPELL);
    }
    spot_bulks_free(&bulks);
    return ret;
}

int spot_sample_init_lifetimes(spot_sample_t *self, const spot_lifetimes_t *lifetimes)
{
    const int ret = reserve(self, lifetimes->num_lives, false);

    for (size_t j = 0; ret == 0 && j < lifetimes->num_lives; j++) {
        append_duration(self, lifetimes->lives[j].duration_ms, !lifetimes->lives[j].is_preempted);
    }
    return ret;
}

void spot_sample_keep_complete(spot_sample_t *self)
{
    size_t num_kept = 0;

    for (size_t j = 0; j < self->num_values; j++) {
        if (!self->is_censored[j]) {
            if (self->limits != NULL) {
                self->limits[num_kept] = self->limits[j];
            }
            self->is_censored[num_kept] = false;
            self->values[num_kept++] = self->values[j];
        }
    }
    self->num_values = num_kept;
}
