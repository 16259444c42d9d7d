/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/datetime.h"
#include "base/memory.h"
#include "base/units.h"
#include "traces/names.h"

const char *const spot_trace_kind_names[] = {"named", "counts", "availability", NULL};
const char *const spot_event_kind_names[] = {"preempt", "add", "stop", NULL};

void spot_trace_init(spot_trace_t *self)
{
    memset(self, 0, sizeof(*self));
}

void spot_trace_free(spot_trace_t *self)
{
    spot_keys_free(&self->header);
    for (size_t j = 0; j < self->num_names; j++) {
        free(self->names[j]);
    }
    free(self->events);
    free(self->names);
    free(self->name_ids);
    memset(self, 0, sizeof(*self));
}

const char *spot_trace_key(const spot_trace_t *self, const char *key)
{
    return spot_keys_find(&self->header, key);
}

int32_t spot_trace_peak(const spot_trace_t *self)
{
    int32_t population = self->initial, peak = self->initial;

    for (size_t j = 0; j < self->num_events; j++) {
        const spot_event_t *event = &self->events[j];

        population += event->kind == SPOT_EVENT_ADD ? event->count : -event->count;
        peak = population > peak ? population : peak;
    }
    return peak;
}

int32_t spot_trace_most(const spot_trace_t *self)
{
    return self->capacity != SPOT_UNBOUNDED ? self->capacity : spot_trace_peak(self);
}

bool spot_trace_is_name(const char *text, size_t num_bytes)
{
    bool is_good = num_bytes >= 1 && num_bytes <= SPOT_NAME_BYTES;

    for (size_t j = 0; j < num_bytes && is_good; j++) {
        const unsigned char byte = (unsigned char) text[j];

        is_good = byte > ' ' && byte != ',' && byte != '"' && byte != 0x7f;
    }
    return is_good;
}

bool spot_trace_start_is(const char *value)
{
    return strcmp(value, "unknown") == 0 || spot_datetime_is(value);
}

int spot_trace_time_parse(const char *text, int64_t *time_ms)
{
    const int64_t limit = SPOT_MAX_DURATION_MS / SPOT_MS_PER_S;
    const char *byte = text;
    int64_t time = 0;

    for (; *byte >= '0' && *byte <= '9'; byte++) {
        time = 10 * time + (*byte - '0');
        if (time > limit) {
            return SPOT_ERR_BAD_INPUT;
        }
    }
    if (byte == text) {
        return SPOT_ERR_BAD_INPUT;
    }
    time *= 1000;
    if (*byte == '.') {
        const char *fraction = ++byte;

        for (int64_t unit = 100; unit > 0 && *byte >= '0' && *byte <= '9'; unit /= 10) {
            time += unit * (*byte++ - '0');
        }
        if (byte == fraction) {
            return SPOT_ERR_BAD_INPUT;
        }
    }
    *time_ms = time;
    return *byte == '\0' ? 0 : SPOT_ERR_BAD_INPUT;
}

size_t spot_trace_time_text(int64_t time_ms, char text[SPOT_TRACE_TIME_BYTES])
{
    const int ms = (int) (time_ms % 1000);
    size_t num_bytes = (size_t) snprintf(text, SPOT_TRACE_TIME_BYTES, "%" PRId64, time_ms / 1000);

    if (ms != 0) {
        num_bytes +=
            (size_t) snprintf(text + num_bytes, SPOT_TRACE_TIME_BYTES - num_bytes, ".%03d", ms);
        while (text[num_bytes - 1] == '0') {
            text[--num_bytes] = '\0';
        }
    }
    return num_bytes;
}

void spot_trace_print_state(const spot_trace_t *self, FILE *out)
{
    fprintf(out,
        "trace %s: capacity %" PRId32 ", resolution %" PRId64 " ms, initial %" PRId32
        ", %zu events, %zu names, end %" PRId64 " ms, final %" PRId32 "\n",
        spot_trace_kind_names[self->kind], self->capacity, self->resolution_ms, self->initial,
        self->num_events, self->num_names, self->end_ms, self->final);
    for (size_t j = 0; j < self->num_events; j++) {
        const spot_event_t *event = &self->events[j];

        fprintf(out, "  %" PRId64 " ms %s %" PRId32 "\n", event->time_ms,
            spot_event_kind_names[event->kind], event->count);
    }
}

static void verify_events(const spot_trace_t *self)
{
    int64_t population = self->initial, time_ms = 0;
    bool has_add = false;

    spot_bug_assert(population >= 0 && population <= self->capacity);
    for (size_t j = 0; j < self->num_events; j++) {
        const spot_event_t *event = &self->events[j];
        const bool is_add = event->kind == SPOT_EVENT_ADD;

        spot_bug_assert(event->time_ms >= time_ms && event->count >= 1);
        spot_bug_assert(is_add || event->time_ms > time_ms || !has_add);
        has_add = is_add;
        time_ms = event->time_ms;
        population += is_add ? event->count : -event->count;
        spot_bug_assert(population >= 0 && population <= self->capacity);
    }
    spot_bug_assert(self->end_ms > 0 && self->end_ms >= time_ms);
    spot_bug_assert(self->final == population);
}

/* All names of one row have the state is_before and change it. */
static void verify_ids(
    const spot_trace_t *self, const int32_t *ids, int32_t count, bool is_before, bool *is_running)
{
    for (int32_t j = 0; j < count; j++) {
        spot_bug_assert(ids[j] >= 0 && (size_t) ids[j] < self->num_names);
        spot_bug_assert(is_running[ids[j]] == is_before);
        is_running[ids[j]] = !is_before;
    }
}

static void verify_distinct(const spot_trace_t *self)
{
    spot_names_t names;
    int32_t name_id = 0;

    spot_names_init(&names);
    for (size_t j = 0; j < self->num_names; j++) {
        const size_t num_bytes = strlen(self->names[j]);

        spot_bug_assert(spot_trace_is_name(self->names[j], num_bytes));
        if (spot_names_add(&names, self->names[j], num_bytes, &name_id) != 0) {
            break; /* out of memory: check no further */
        }
        spot_bug_assert((size_t) name_id == j);
    }
    spot_names_free(&names);
}

static void verify_names(const spot_trace_t *self)
{
    bool *is_running = spot_calloc(self->num_names, sizeof(*is_running));
    size_t num_ids = (size_t) self->initial;

    verify_distinct(self);
    if (is_running != NULL) {
        verify_ids(self, self->name_ids, self->initial, false, is_running);
        for (size_t j = 0; j < self->num_events; j++) {
            const spot_event_t *event = &self->events[j];

            spot_bug_assert(event->name_ids == self->name_ids + num_ids);
            verify_ids(
                self, event->name_ids, event->count, event->kind != SPOT_EVENT_ADD, is_running);
            num_ids += (size_t) event->count;
        }
        spot_bug_assert(num_ids == self->num_name_ids);
    }
    free(is_running);
}

void spot_trace_verify(const spot_trace_t *self)
{
    spot_bug_assert(self->kind >= SPOT_TRACE_NAMED && self->kind <= SPOT_TRACE_AVAILABILITY);
    spot_bug_assert(self->capacity > 0 && self->resolution_ms > 0);
    for (size_t j = 0; j < self->header.num_keys; j++) {
        spot_bug_assert(self->header.keys[j].key != NULL && self->header.keys[j].value != NULL);
    }
    verify_events(self);
    if (self->kind == SPOT_TRACE_NAMED) {
        verify_names(self);
    } else {
        spot_bug_assert(self->num_names == 0 && self->num_name_ids == 0);
        for (size_t j = 0; j < self->num_events; j++) {
            spot_bug_assert(self->events[j].name_ids == NULL);
        }
    }
}

/* Sum of the events of one kind at time_ms, which start at index first. */
static int32_t size_at(
    const spot_trace_t *trace, size_t first, int64_t time_ms, spot_event_kind_t kind)
{
    int32_t size = 0;

    for (size_t j = first; j < trace->num_events && trace->events[j].time_ms == time_ms; j++) {
        size += trace->events[j].kind == kind ? trace->events[j].count : 0;
    }
    return size;
}

int spot_bulks_init(spot_bulks_t *self, const spot_trace_t *trace)
{
    static const spot_event_kind_t order[] = {SPOT_EVENT_PREEMPT, SPOT_EVENT_STOP, SPOT_EVENT_ADD};
    int32_t population = trace->initial;
    size_t first = 0;

    memset(self, 0, sizeof(*self));
    self->bulks = spot_calloc(trace->num_events, sizeof(*self->bulks));
    if (self->bulks == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    while (first < trace->num_events) {
        const int64_t time_ms = trace->events[first].time_ms;

        for (size_t j = 0; j < sizeof(order) / sizeof(order[0]); j++) {
            const int32_t size = size_at(trace, first, time_ms, order[j]);

            if (size > 0) {
                self->bulks[self->num_bulks++] = (spot_bulk_t){time_ms, order[j], size, population};
                population += order[j] == SPOT_EVENT_ADD ? size : -size;
            }
        }
        while (first < trace->num_events && trace->events[first].time_ms == time_ms) {
            first++;
        }
    }
    return 0;
}

void spot_bulks_free(spot_bulks_t *self)
{
    free(self->bulks);
    memset(self, 0, sizeof(*self));
}
