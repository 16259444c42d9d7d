/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the literal twins of the generators share: plain lists of what happened in
 * continuous time, and the recorder as the specification tells it. Include after
 * cmocka.h. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/unit/generate/model_text.h"

#define MAX_LIST 100000

typedef struct {
    double time_s;
    spot_event_kind_t kind;
    int64_t count;
} twin_item_t;

typedef struct {
    size_t num_items;
    twin_item_t items[MAX_LIST];
} twin_list_t;

static inline void twin_add(twin_list_t *self, double time_s, spot_event_kind_t kind, int64_t count)
{
    assert_true(self->num_items < MAX_LIST);
    self->items[self->num_items++] = (twin_item_t){time_s, kind, count};
}

static inline double twin_tick(double time_s, double tick_s)
{
    return ceil(time_s / tick_s - 1e-9);
}

/* tick = ceil(t / tick_s - 1e-9) * tick_s; ticks > horizon dropped; per tick P, S and A
 * summed; if P + S > N at the start of the tick they and A are lowered by the excess. */
static inline void twin_record(
    const twin_list_t *raw, double tick_s, double horizon_s, int64_t population, twin_list_t *seen)
{
    seen->num_items = 0;
    for (size_t j = 0; j < raw->num_items;) {
        const double tick = twin_tick(raw->items[j].time_s, tick_s);
        int64_t sums[3] = {0}, excess;

        for (; j < raw->num_items && twin_tick(raw->items[j].time_s, tick_s) == tick; j++) {
            sums[raw->items[j].kind] += raw->items[j].count;
        }
        if (tick * tick_s > horizon_s) {
            break;
        }
        excess = sums[SPOT_EVENT_PREEMPT] + sums[SPOT_EVENT_STOP] - population;
        if (excess > 0) {
            const int64_t preempts =
                excess < sums[SPOT_EVENT_PREEMPT] ? excess : sums[SPOT_EVENT_PREEMPT];

            sums[SPOT_EVENT_PREEMPT] -= preempts;
            sums[SPOT_EVENT_STOP] -= excess - preempts;
            sums[SPOT_EVENT_ADD] -= excess;
        }
        population += sums[SPOT_EVENT_ADD] - sums[SPOT_EVENT_PREEMPT] - sums[SPOT_EVENT_STOP];
        if (sums[SPOT_EVENT_PREEMPT] > 0) {
            twin_add(seen, tick * tick_s, SPOT_EVENT_PREEMPT, sums[SPOT_EVENT_PREEMPT]);
        }
        if (sums[SPOT_EVENT_STOP] > 0) {
            twin_add(seen, tick * tick_s, SPOT_EVENT_STOP, sums[SPOT_EVENT_STOP]);
        }
        if (sums[SPOT_EVENT_ADD] > 0) {
            twin_add(seen, tick * tick_s, SPOT_EVENT_ADD, sums[SPOT_EVENT_ADD]);
        }
    }
}

/* The generator's events are those of the twin, and then none. Returns their number. */
static inline size_t twin_compare(
    const spot_trace_model_t *model, uint64_t seed, uint64_t replication, const twin_list_t *seen)
{
    spot_event_t event;
    events_t events;

    events_init(&events, model);
    events_start(&events, seed, replication);
    for (size_t j = 0; j < seen->num_items; j++) {
        assert_true(events_next(&events, &event));
        assert_int_equal(event.time_ms, llround(1e3 * seen->items[j].time_s));
        assert_int_equal(event.kind, seen->items[j].kind);
        assert_int_equal(event.count, seen->items[j].count);
        assert_null(event.name_ids);
    }
    assert_false(events_next(&events, &event));
    assert_false(events_next(&events, &event));
    events_free(&events);
    return seen->num_items;
}
