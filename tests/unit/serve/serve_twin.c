/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/serve/serve_twin_internal.h"

#include <stdlib.h>
#include <string.h>

static int phase_of(int32_t kind)
{
    return kind <= TWIN_DELIVER ? 0 : kind <= TWIN_LAUNCHED ? 1 : 2;
}

/* ---- Events ---- */

twin_event_t *twin_schedule(
    twin_t *self, int32_t kind, int64_t time_ns, int32_t stage_id, int32_t slot)
{
    const twin_event_t event = {.time_ns = time_ns,
        .phase = phase_of(kind),
        .sequence = self->sequence++,
        .kind = kind,
        .stage_id = stage_id,
        .slot = slot};

    spot_bug_assert(SPOT_ARRAY_APPEND(self, events, event) == 0);
    return &self->events[self->num_events - 1];
}

static bool is_before(const twin_event_t *a, const twin_event_t *b)
{
    if (a->time_ns != b->time_ns) {
        return a->time_ns < b->time_ns;
    }
    return a->phase != b->phase ? a->phase < b->phase : a->sequence < b->sequence;
}

static twin_event_t take_event(twin_t *self)
{
    size_t first = 0;
    twin_event_t event;

    for (size_t j = 1; j < self->num_events; j++) {
        if (is_before(&self->events[j], &self->events[first])) {
            first = j;
        }
    }
    event = self->events[first];
    self->events[first] = self->events[--self->num_events];
    return event;
}

/* The event of such a kind of a slot does not happen. */
void twin_cancel(twin_t *self, int32_t kind, int32_t stage_id, int32_t slot)
{
    for (size_t j = 0; j < self->num_events; j++) {
        const twin_event_t *event = &self->events[j];

        if (event->kind == kind && event->stage_id == stage_id && event->slot == slot) {
            self->events[j] = self->events[--self->num_events];
            return;
        }
    }
    spot_bug_assert(false);
}

const spot_stage_option_t *twin_option(const twin_t *self, int32_t stage_id)
{
    return &self->setting->plans[stage_id].option;
}

const spot_service_time_t *twin_time(const twin_t *self, int32_t stage_id)
{
    return self->setting->plans[stage_id].time;
}

/* ---- The run ---- */

static void start_stage(twin_t *self, size_t stage_id)
{
    const spot_stage_option_t *option = twin_option(self, (int32_t) stage_id);
    twin_stage_t *stage = &self->stages[stage_id];
    const size_t num_queries = (size_t) self->setting->num_queries;
    const bool is_hedge = option->market == SPOT_MARKET_HEDGE;
    const int32_t n = (int32_t) option->replicas;

    stage->num_slots = stage->first_fallback = n;
    stage->num_spot = option->market == SPOT_MARKET_SPOT ? n : 0;
    if (is_hedge) {
        stage->first_spot = (int32_t) option->base;
        stage->first_fallback = n + (int32_t) option->overprovision;
        stage->num_spot = stage->first_fallback - stage->first_spot;
        stage->num_slots = stage->first_fallback + n - stage->first_spot;
    }
    SPOT_ARENA_ARRAY(&self->memory, stage->slots, (size_t) stage->num_slots);
    SPOT_ARENA_ARRAY(&self->memory, stage->queue, num_queries + 1);
    SPOT_ARENA_ARRAY(&self->memory, stage->stamps, num_queries);
    SPOT_ARENA_ARRAY(&self->memory, stage->histogram, (size_t) option->batch + 1);
    for (int32_t j = 0; j < stage->num_slots; j++) {
        stage->slots[j].state = j < stage->first_fallback ? TWIN_IDLE : TWIN_OFF;
        SPOT_ARENA_ARRAY(&self->memory, stage->slots[j].ids, (size_t) option->batch);
    }
    for (size_t j = 0; j < num_queries; j++) {
        stage->stamps[j] = (twin_stamp_t){-1, -1, -1, -1, -1, -1, 0};
    }
}

/* All rows of a stage, each as TWIN_NOTICE, TWIN_PREEMPT, READY. */
static void schedule_outages(twin_t *self, int32_t stage_id)
{
    const twin_setting_t *setting = self->setting;
    const twin_stage_t *stage = &self->stages[stage_id];

    for (size_t j = 0; j < setting->num_outages; j++) {
        const spot_outage_row_t *row = &setting->outages[j];
        const int32_t slot_id = stage->first_spot + row->slot;
        int64_t notice_ns = row->preempted_ns - setting->rent->notice_ns;

        if (row->stage_id != stage_id || row->slot >= stage->num_spot) {
            continue;
        }
        notice_ns = notice_ns < 0 ? 0 : notice_ns;
        for (size_t k = 0; k < j; k++) {
            const spot_outage_row_t *before = &setting->outages[k];

            if (before->stage_id == stage_id && before->slot == row->slot &&
                before->ready_ns > notice_ns) {
                notice_ns = before->ready_ns;
            }
        }
        if (setting->rent->notice_ns > 0) {
            twin_schedule(self, TWIN_NOTICE, notice_ns, stage_id, slot_id)->preempted_ns =
                row->preempted_ns;
        }
        twin_schedule(self, TWIN_PREEMPT, row->preempted_ns, stage_id, slot_id);
        if (row->ready_ns != INT64_MAX) {
            twin_schedule(self, TWIN_READY, row->ready_ns, stage_id, slot_id);
        }
    }
}

static void start(twin_t *self)
{
    const spot_serve_pipeline_t *pipeline = self->setting->pipeline;
    const size_t num_queries = (size_t) self->setting->num_queries;

    SPOT_ARENA_ARRAY(&self->memory, self->stages, pipeline->num_stages);
    SPOT_ARENA_ARRAY(&self->memory, self->joins, pipeline->num_nodes);
    SPOT_ARENA_ARRAY(&self->memory, self->sink_ns, num_queries);
    for (size_t j = 0; j < num_queries; j++) {
        self->sink_ns[j] = SPOT_QUERY_UNFINISHED;
    }
    for (size_t j = 0; j < pipeline->num_nodes; j++) {
        if (pipeline->nodes[j].stage_id < 0) {
            SPOT_ARENA_ARRAY(&self->memory, self->joins[j].seen, num_queries);
            SPOT_ARENA_ARRAY(&self->memory, self->joins[j].join_ns, num_queries);
            for (size_t k = 0; k < num_queries; k++) {
                self->joins[j].join_ns[k] = -1;
            }
        }
    }
    for (size_t j = 0; j < pipeline->num_stages; j++) {
        start_stage(self, j);
        schedule_outages(self, (int32_t) j);
    }
    self->end_ns = self->setting->source_ns[num_queries - 1];
    twin_schedule(self, TWIN_SOURCE, self->setting->source_ns[0], 0, 0);
}

/* The slot of a source is its query. */
static void see(twin_t *self, const twin_event_t *event)
{
    const spot_serve_pipeline_t *pipeline = self->setting->pipeline;
    const int32_t stage_id = event->stage_id, slot = event->slot;

    switch (event->kind) {
        case TWIN_SOURCE:
            if (slot + 1 < self->setting->num_queries) {
                twin_schedule(self, TWIN_SOURCE, self->setting->source_ns[slot + 1], 0, slot + 1);
            }
            twin_hand_on(self, pipeline->num_first, pipeline->first, 1, &slot);
            break;
        case TWIN_RETURN:
            twin_see_return(self, stage_id, slot);
            break;
        case TWIN_FREE:
            self->stages[stage_id].slots[slot].state = TWIN_IDLE;
            twin_mark(self, stage_id);
            break;
        case TWIN_DELIVER:
            twin_deliver(self, stage_id, event->num_ids, event->ids);
            break;
        case TWIN_NOTICE:
            twin_see_notice(self, stage_id, slot, event->preempted_ns);
            break;
        case TWIN_PREEMPT:
            twin_see_preemption(self, stage_id, slot);
            break;
        case TWIN_READY:
            twin_see_ready(self, stage_id, slot);
            break;
        case TWIN_LAUNCHED:
            twin_see_launched(self, stage_id, slot);
            break;
        case TWIN_DISPATCH:
            twin_see_dispatch(self, stage_id);
            break;
        default:
            twin_see_take(self, stage_id, slot);
            break;
    }
}

/* ---- What is left for the end ---- */

/* How much of a time lies before T. */
static int64_t within_ns(const twin_t *self, int64_t from_ns, int64_t to_ns)
{
    const int64_t end_ns = to_ns < self->end_ns ? to_ns : self->end_ns;

    return end_ns > from_ns ? end_ns - from_ns : 0;
}

static void pay(const twin_t *self, twin_stage_t *stage, bool is_spot, bool is_serving,
    int64_t from_ns, int64_t to_ns)
{
    stage->paid_ns[is_spot] += within_ns(self, from_ns, to_ns);
    stage->serving_ns[is_spot] += is_serving ? within_ns(self, from_ns, to_ns) : 0;
}

/* A spot slot serves from the end of an outage to the start of the next one, and is paid
 * for its start-up before. */
static void pay_spot(const twin_t *self, twin_stage_t *stage, int32_t stage_id, int32_t slot)
{
    const spot_rent_setting_t *rent = self->setting->rent;
    int64_t from_ns = 0;

    for (size_t j = 0; j < self->setting->num_outages; j++) {
        const spot_outage_row_t *row = &self->setting->outages[j];
        int64_t start_up_ns = rent->preparation_ns + rent->load_ns;

        if (row->stage_id != stage_id || row->slot != slot) {
            continue;
        }
        pay(self, stage, true, true, from_ns, row->preempted_ns);
        from_ns = row->ready_ns;
        if (from_ns != INT64_MAX) {
            start_up_ns = start_up_ns < from_ns - row->preempted_ns ? start_up_ns
                                                                    : from_ns - row->preempted_ns;
            pay(self, stage, true, false, from_ns - start_up_ns, from_ns);
        }
    }
    pay(self, stage, true, true, from_ns, INT64_MAX);
}

static void settle(twin_t *self, int32_t stage_id)
{
    twin_stage_t *stage = &self->stages[stage_id];

    for (size_t j = 0; j < stage->num_stays; j++) {
        stage->wait_sum_ns += within_ns(self, stage->stays[j].from_ns, stage->stays[j].to_ns);
    }
    for (size_t j = 0; j < stage->num_lengths; j++) {
        stage->queue_area_ns +=
            stage->lengths[j].length *
            within_ns(self, stage->lengths[j].time_ns,
                j + 1 < stage->num_lengths ? stage->lengths[j + 1].time_ns : INT64_MAX);
    }
    for (int32_t j = 0; j < stage->first_fallback; j++) {
        const int32_t slot = j - stage->first_spot;

        if (slot >= 0 && slot < stage->num_spot) {
            pay_spot(self, stage, stage_id, slot);
        } else {
            pay(self, stage, false, true, 0, INT64_MAX);
        }
    }
    for (size_t j = 0; j < stage->num_spans; j++) {
        pay(self, stage, false, stage->spans[j].is_serving, stage->spans[j].from_ns,
            stage->spans[j].to_ns);
    }
}

void twin_run(twin_t *self, const twin_setting_t *setting)
{
    *self = (twin_t){.setting = setting};
    start(self);
    while (self->num_events > 0 && self->num_left < setting->num_queries) {
        const twin_event_t event = take_event(self);

        self->now_ns = event.time_ns;
        see(self, &event);
    }
    for (size_t j = 0; j < setting->pipeline->num_stages; j++) {
        settle(self, (int32_t) j);
    }
}

void twin_free(twin_t *self)
{
    for (size_t j = 0; j < self->setting->pipeline->num_stages; j++) {
        free(self->stages[j].lengths);
        free(self->stages[j].stays);
        free(self->stages[j].spans);
    }
    free(self->events);
    spot_arena_free(&self->memory);
    *self = (twin_t){0};
}
