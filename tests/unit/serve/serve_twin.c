/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/serve/serve_twin.h"

#include <stdlib.h>
#include <string.h>

enum { SOURCE, RETURN, FREE, DELIVER, NOTICE, PREEMPT, READY, LAUNCHED, DISPATCH, TAKE };

static int
phase_of(int32_t kind)
{
    return kind <= DELIVER ? 0 : kind <= LAUNCHED ? 1 : 2;
}

/* ---- Events ---- */

static twin_event_t *
schedule(twin_t *self, int32_t kind, int64_t time_ns, int32_t stage_id, int32_t slot)
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

static bool
is_before(const twin_event_t *a, const twin_event_t *b)
{
    if (a->time_ns != b->time_ns) {
        return a->time_ns < b->time_ns;
    }
    return a->phase != b->phase ? a->phase < b->phase : a->sequence < b->sequence;
}

static twin_event_t
take_event(twin_t *self)
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
static void
cancel(twin_t *self, int32_t kind, int32_t stage_id, int32_t slot)
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

static const spot_stage_option_t *
option_of(const twin_t *self, int32_t stage_id)
{
    return &self->setting->plans[stage_id].option;
}

static const spot_service_time_t *
time_of(const twin_t *self, int32_t stage_id)
{
    return self->setting->plans[stage_id].time;
}

/* ---- Queues ---- */

static void
mark(twin_t *self, int32_t stage_id)
{
    twin_stage_t *stage = &self->stages[stage_id];

    if (stage->length > 0 && !stage->is_marked) {
        stage->is_marked = true;
        schedule(self, DISPATCH, self->now_ns, stage_id, -1);
    }
}

/* The length has changed. */
static void
note_length(const twin_t *self, twin_stage_t *stage)
{
    const twin_length_t length = {self->now_ns, stage->length};

    spot_bug_assert(SPOT_ARRAY_APPEND(stage, lengths, length) == 0);
}

static void
open_span(const twin_t *self, twin_stage_t *stage, int32_t slot, bool is_serving)
{
    const twin_span_t span = {self->now_ns, INT64_MAX, slot, is_serving};

    spot_bug_assert(SPOT_ARRAY_APPEND(stage, spans, span) == 0);
}

/* Ends the open span of an owner. */
static void
close_span(const twin_t *self, size_t num_spans, twin_span_t *spans, int32_t owner)
{
    for (size_t j = num_spans; j > 0; j--) {
        if (spans[j - 1].owner == owner && spans[j - 1].to_ns == INT64_MAX) {
            spans[j - 1].to_ns = self->now_ns;
            return;
        }
    }
    spot_bug_assert(false);
}

static void
insert(twin_t *self, int32_t stage_id, int32_t place, int32_t id)
{
    twin_stage_t *stage = &self->stages[stage_id];
    const twin_span_t stay = {.from_ns = self->now_ns, .to_ns = INT64_MAX, .owner = id};

    memmove(&stage->queue[place + 1], &stage->queue[place],
        (size_t) (stage->length - place) * sizeof(*stage->queue));
    stage->queue[place] = id;
    stage->length++;
    note_length(self, stage);
    spot_bug_assert(SPOT_ARRAY_APPEND(stage, stays, stay) == 0);
    if (stage->length > stage->queue_max) {
        stage->queue_max = stage->length;
    }
}

static void
arrive(twin_t *self, int32_t stage_id, int32_t num_ids, const int32_t *ids)
{
    twin_stage_t *stage = &self->stages[stage_id];

    for (int32_t j = 0; j < num_ids; j++) {
        stage->queries++;
        stage->seen += stage->length;
        stage->stamps[ids[j]].enqueue_ns = self->now_ns;
        insert(self, stage_id, stage->length, ids[j]);
    }
    mark(self, stage_id);
}

/* ---- Joins and the sink ---- */

static void
leave(twin_t *self, int32_t id, int64_t sink_ns)
{
    spot_bug_assert(self->sink_ns[id] == SPOT_QUERY_UNFINISHED);
    self->sink_ns[id] = sink_ns;
    self->num_left++;
    self->end_ns = self->now_ns;
}

static void
lose(twin_t *self, int32_t id)
{
    if (self->sink_ns[id] == SPOT_QUERY_LOST) {
        return;
    }
    leave(self, id, SPOT_QUERY_LOST);
    for (size_t j = 0; j < self->setting->pipeline->num_nodes; j++) {
        twin_join_t *join = &self->joins[j];

        if (join->seen != NULL && join->seen[id] != 0) {
            join->seen[id] = 0;
            join->num_waiting--;
        }
    }
}

static void hand_on(twin_t *self, size_t num_children,
    const spot_pipeline_link_t *children, int32_t num_ids, const int32_t *ids);

static void
deliver_to_join(
    twin_t *self, const spot_pipeline_link_t *link, int32_t num_ids, const int32_t *ids)
{
    const spot_pipeline_node_t *node = &self->setting->pipeline->nodes[link->node_id];
    twin_join_t *join = &self->joins[link->node_id];
    int32_t *complete = malloc((size_t) num_ids * sizeof(*complete));
    int32_t num_complete = 0;

    spot_bug_assert(complete != NULL);
    for (int32_t j = 0; j < num_ids; j++) {
        uint32_t *seen = &join->seen[ids[j]];

        if (self->sink_ns[ids[j]] == SPOT_QUERY_LOST) {
            continue;
        }
        spot_bug_assert((*seen & UINT32_C(1) << link->port) == 0);
        join->num_waiting += *seen == 0;
        *seen |= UINT32_C(1) << link->port;
        if (*seen == (UINT32_C(1) << node->num_parents) - 1) {
            *seen = 0;
            join->num_waiting--;
            join->join_ns[ids[j]] = self->now_ns;
            complete[num_complete++] = ids[j];
        }
    }
    if (join->num_waiting > join->max_waiting) {
        join->max_waiting = join->num_waiting;
    }
    if (num_complete > 0) {
        hand_on(self, node->num_children, node->children, num_complete, complete);
    }
    free(complete);
}

/* Hands a batch to every child, or to the sink. */
static void
hand_on(twin_t *self, size_t num_children, const spot_pipeline_link_t *children,
    int32_t num_ids, const int32_t *ids)
{
    for (size_t j = 0; j < num_children; j++) {
        const spot_pipeline_node_t *child =
            &self->setting->pipeline->nodes[children[j].node_id];

        if (child->stage_id >= 0) {
            arrive(self, child->stage_id, num_ids, ids);
        } else {
            deliver_to_join(self, &children[j], num_ids, ids);
        }
    }
    for (int32_t j = 0; num_children == 0 && j < num_ids; j++) {
        leave(self, ids[j], self->now_ns);
    }
}

static void
hand_on_from(twin_t *self, int32_t stage_id, int32_t num_ids, const int32_t *ids)
{
    const spot_pipeline_node_t *node =
        spot_pipeline_stage_node(self->setting->pipeline, (size_t) stage_id);

    for (int32_t j = 0; j < num_ids; j++) {
        self->stages[stage_id].stamps[ids[j]].done_ns = self->now_ns;
    }
    hand_on(self, node->num_children, node->children, num_ids, ids);
}

/* ---- Batches ---- */

static int32_t
lowest_idle(const twin_stage_t *stage)
{
    for (int32_t j = 0; j < stage->num_slots; j++) {
        if (stage->slots[j].state == TWIN_IDLE) {
            return j;
        }
    }
    return -1;
}

static int32_t
longest_pending(const twin_stage_t *stage, int32_t *num_pending)
{
    int32_t longest = -1;

    *num_pending = 0;
    for (int32_t j = 0; j < stage->num_slots; j++) {
        const twin_slot_t *slot = &stage->slots[j];

        if (slot->state == TWIN_PENDING) {
            ++*num_pending;
            if (longest < 0 ||
                slot->pending_order < stage->slots[longest].pending_order) {
                longest = j;
            }
        }
    }
    return longest;
}

static int32_t
least(int64_t a, int64_t b)
{
    return (int32_t) (a < b ? a : b);
}

static void
take(twin_t *self, int32_t stage_id, int32_t slot_id, int32_t size)
{
    twin_stage_t *stage = &self->stages[stage_id];
    twin_slot_t *slot = &stage->slots[slot_id];
    const spot_service_time_t *time = time_of(self, stage_id);

    for (int32_t j = 0; j < size; j++) {
        twin_stamp_t *stamp = &stage->stamps[stage->queue[j]];

        slot->ids[j] = stage->queue[j];
        close_span(self, stage->num_stays, stage->stays, slot->ids[j]);
        stamp->dequeue_ns = self->now_ns;
        stamp->first_dequeue_ns =
            stamp->tries == 0 ? self->now_ns : stamp->first_dequeue_ns;
        stamp->batch = size;
        stamp->replica = slot_id;
        stamp->tries++;
        stage->retries += stamp->tries > 1;
        stage->tries_max =
            stamp->tries > stage->tries_max ? stamp->tries : stage->tries_max;
    }
    stage->length -= size;
    memmove(stage->queue, &stage->queue[size],
        (size_t) stage->length * sizeof(*stage->queue));
    note_length(self, stage);
    stage->batches++;
    stage->histogram[size]++;
    stage->busy_ns += time->busy_ns[size];
    slot->state = TWIN_BUSY;
    slot->num_ids = size;
    slot->taken_ns = self->now_ns;
    if (time->result_ns == time->busy_ns) {
        schedule(self, RETURN, self->now_ns + time->busy_ns[size], stage_id, slot_id);
    } else {
        twin_event_t *event;

        schedule(self, FREE, self->now_ns + time->busy_ns[size], stage_id, slot_id);
        event = schedule(
            self, DELIVER, self->now_ns + time->result_ns[size], stage_id, slot_id);
        event->num_ids = size;
        SPOT_ARENA_ARRAY(&self->memory, event->ids, (size_t) size);
        memcpy(event->ids, slot->ids, (size_t) size * sizeof(*slot->ids));
    }
}

/* The largest batch that a slot can end before it is taken away; 0: none. */
static int32_t
largest_in_time(const twin_t *self, int32_t stage_id, const twin_slot_t *slot)
{
    int32_t size =
        least(self->stages[stage_id].length, option_of(self, stage_id)->batch);

    while (size > 0 && slot->is_noticed &&
           self->now_ns + time_of(self, stage_id)->busy_ns[size] > slot->preempted_ns) {
        size--;
    }
    return size;
}

static void
see_dispatch(twin_t *self, int32_t stage_id)
{
    const spot_stage_option_t *option = option_of(self, stage_id);
    twin_stage_t *stage = &self->stages[stage_id];
    const int64_t want = (stage->length + option->batch - 1) / option->batch;
    int32_t num_pending, r;

    stage->is_marked = false;
    while (option->delay_ns == 0 && stage->length > 0 && (r = lowest_idle(stage)) >= 0) {
        const int32_t size = largest_in_time(self, stage_id, &stage->slots[r]);

        if (size == 0) {
            stage->slots[r].state = TWIN_DRAINED;
        } else {
            take(self, stage_id, r, size);
        }
    }
    (void) longest_pending(stage, &num_pending);
    while (option->delay_ns > 0 && num_pending < want && (r = lowest_idle(stage)) >= 0) {
        stage->slots[r].state = TWIN_PENDING;
        stage->slots[r].pending_order = self->sequence;
        schedule(self, TAKE, self->now_ns + option->delay_ns, stage_id, r);
        num_pending++;
    }
    while (option->releases_when_full && stage->length >= option->batch &&
           (r = longest_pending(stage, &num_pending)) >= 0) {
        cancel(self, TAKE, stage_id, r);
        take(self, stage_id, r, (int32_t) option->batch);
    }
}

static void
see_take(twin_t *self, int32_t stage_id, int32_t slot)
{
    twin_stage_t *stage = &self->stages[stage_id];

    stage->slots[slot].state = TWIN_IDLE;
    if (stage->length > 0) {
        take(self, stage_id, slot,
            least(stage->length, option_of(self, stage_id)->batch));
    }
}

/* ---- Replicas ---- */

/* A slot that does not run takes nothing more. */
static void
stop_taking(twin_t *self, int32_t stage_id, int32_t slot_id)
{
    twin_slot_t *slot = &self->stages[stage_id].slots[slot_id];

    if (slot->state == TWIN_PENDING) {
        cancel(self, TAKE, stage_id, slot_id);
        slot->state = TWIN_DRAINED;
        mark(self, stage_id);
    } else if (slot->state == TWIN_IDLE) {
        slot->state = TWIN_DRAINED;
    }
}

static void
launch_fallback(twin_t *self, int32_t stage_id)
{
    const spot_rent_setting_t *rent = self->setting->rent;
    twin_stage_t *stage = &self->stages[stage_id];

    for (int32_t j = stage->first_fallback; j < stage->num_slots; j++) {
        if (stage->slots[j].state == TWIN_DRAINING) {
            stage->slots[j].state = TWIN_BUSY;
            return;
        }
    }
    for (int32_t j = stage->first_fallback; j < stage->num_slots; j++) {
        if (stage->slots[j].state == TWIN_OFF) {
            stage->slots[j].state = TWIN_PREPPING;
            stage->fallback_launches++;
            open_span(self, stage, j, false);
            schedule(self, LAUNCHED, self->now_ns + rent->preparation_ns + rent->load_ns,
                stage_id, j);
            return;
        }
    }
    spot_bug_assert(false);
}

static void
retire_fallback(twin_t *self, int32_t stage_id)
{
    twin_stage_t *stage = &self->stages[stage_id];

    for (int32_t j = stage->num_slots - 1; j >= stage->first_fallback; j--) {
        if (stage->slots[j].state == TWIN_PREPPING) {
            cancel(self, LAUNCHED, stage_id, j);
            stage->slots[j].state = TWIN_OFF;
            close_span(self, stage->num_spans, stage->spans, j);
            return;
        }
    }
    for (int32_t j = stage->num_slots - 1; j >= stage->first_fallback; j--) {
        twin_slot_t *slot = &stage->slots[j];

        if (slot->state == TWIN_BUSY) {
            slot->state = TWIN_DRAINING;
            return;
        }
        if (slot->state == TWIN_IDLE || slot->state == TWIN_PENDING) {
            stop_taking(self, stage_id, j);
            slot->state = TWIN_OFF;
            close_span(self, stage->num_spans, stage->spans, j);
            return;
        }
    }
    spot_bug_assert(false);
}

static int64_t
num_active(const twin_stage_t *stage)
{
    int64_t number = 0;

    for (int32_t j = stage->first_fallback; j < stage->num_slots; j++) {
        const twin_state_t state = stage->slots[j].state;

        number += state != TWIN_OFF && state != TWIN_DRAINING;
    }
    return number;
}

static void
control(twin_t *self, int32_t stage_id)
{
    const spot_stage_option_t *option = option_of(self, stage_id);
    twin_stage_t *stage = &self->stages[stage_id];
    const int64_t target = option->replicas - option->base;
    int64_t lacking = target;

    if (option->market != SPOT_MARKET_HEDGE || option->fallback == SPOT_FALLBACK_NONE) {
        return;
    }
    if (option->fallback == SPOT_FALLBACK_TO_PROVISIONED) {
        lacking += option->overprovision;
    }
    for (int32_t j = 0; j < stage->num_spot; j++) {
        const twin_slot_t *slot = &stage->slots[stage->first_spot + j];

        lacking -= slot->state != TWIN_OFF && !slot->is_noticed;
    }
    lacking = lacking < 0 ? 0 : lacking > target ? target : lacking;
    while (num_active(stage) < lacking) {
        launch_fallback(self, stage_id);
    }
    while (num_active(stage) > lacking) {
        retire_fallback(self, stage_id);
    }
}

static void
see_return(twin_t *self, int32_t stage_id, int32_t slot_id)
{
    twin_stage_t *stage = &self->stages[stage_id];
    twin_slot_t *slot = &stage->slots[slot_id];

    hand_on_from(self, stage_id, slot->num_ids, slot->ids);
    if (slot->state == TWIN_DRAINING) {
        slot->state = TWIN_OFF;
        close_span(self, stage->num_spans, stage->spans, slot_id);
    } else if (slot->is_noticed && self->setting->rent->drain == SPOT_DRAIN_STOP) {
        slot->state = TWIN_DRAINED;
    } else {
        slot->state = TWIN_IDLE;
    }
    mark(self, stage_id);
}

static void
see_notice(twin_t *self, int32_t stage_id, int32_t slot_id, int64_t preempted_ns)
{
    twin_slot_t *slot = &self->stages[stage_id].slots[slot_id];

    slot->is_noticed = true;
    slot->preempted_ns = preempted_ns;
    if (self->setting->rent->drain == SPOT_DRAIN_STOP) {
        stop_taking(self, stage_id, slot_id);
    }
    control(self, stage_id);
}

static void
cut(twin_t *self, int32_t stage_id, twin_slot_t *slot)
{
    twin_stage_t *stage = &self->stages[stage_id];
    const int64_t elapsed_ns = self->now_ns - slot->taken_ns;

    stage->batches_cut++;
    stage->wasted_ns += elapsed_ns;
    stage->busy_ns += elapsed_ns - time_of(self, stage_id)->busy_ns[slot->num_ids];
    for (int32_t j = 0; j < slot->num_ids; j++) {
        switch ((spot_in_flight_t) self->setting->rent->in_flight) {
            case SPOT_IN_FLIGHT_REQUEUE_HEAD:
                insert(self, stage_id, j, slot->ids[j]);
                break;
            case SPOT_IN_FLIGHT_REQUEUE_TAIL:
                insert(self, stage_id, stage->length, slot->ids[j]);
                break;
            case SPOT_IN_FLIGHT_LOSE:
                lose(self, slot->ids[j]);
                break;
        }
    }
}

static void
see_preemption(twin_t *self, int32_t stage_id, int32_t slot_id)
{
    twin_slot_t *slot = &self->stages[stage_id].slots[slot_id];

    if (slot->state == TWIN_BUSY) {
        cancel(self, RETURN, stage_id, slot_id);
        cut(self, stage_id, slot);
    }
    stop_taking(self, stage_id, slot_id);
    slot->state = TWIN_OFF;
    slot->is_noticed = false;
    mark(self, stage_id);
    control(self, stage_id);
}

static void
see_ready(twin_t *self, int32_t stage_id, int32_t slot_id)
{
    self->stages[stage_id].slots[slot_id].state = TWIN_IDLE;
    mark(self, stage_id);
    control(self, stage_id);
}

static void
see_launched(twin_t *self, int32_t stage_id, int32_t slot_id)
{
    twin_stage_t *stage = &self->stages[stage_id];

    close_span(self, stage->num_spans, stage->spans, slot_id);
    open_span(self, stage, slot_id, true);
    stage->slots[slot_id].state = TWIN_IDLE;
    mark(self, stage_id);
}

/* ---- The run ---- */

static void
start_stage(twin_t *self, size_t stage_id)
{
    const spot_stage_option_t *option = option_of(self, (int32_t) stage_id);
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

/* All rows of a stage, each as NOTICE, PREEMPT, READY. */
static void
schedule_outages(twin_t *self, int32_t stage_id)
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
            schedule(self, NOTICE, notice_ns, stage_id, slot_id)->preempted_ns =
                row->preempted_ns;
        }
        schedule(self, PREEMPT, row->preempted_ns, stage_id, slot_id);
        if (row->ready_ns != INT64_MAX) {
            schedule(self, READY, row->ready_ns, stage_id, slot_id);
        }
    }
}

static void
start(twin_t *self)
{
    const spot_pipeline_t *pipeline = self->setting->pipeline;
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
    schedule(self, SOURCE, self->setting->source_ns[0], 0, 0);
}

/* The slot of a source is its query. */
static void
see(twin_t *self, const twin_event_t *event)
{
    const spot_pipeline_t *pipeline = self->setting->pipeline;
    const int32_t stage_id = event->stage_id, slot = event->slot;

    switch (event->kind) {
        case SOURCE:
            if (slot + 1 < self->setting->num_queries) {
                schedule(self, SOURCE, self->setting->source_ns[slot + 1], 0, slot + 1);
            }
            hand_on(self, pipeline->num_first, pipeline->first, 1, &slot);
            break;
        case RETURN:
            see_return(self, stage_id, slot);
            break;
        case FREE:
            self->stages[stage_id].slots[slot].state = TWIN_IDLE;
            mark(self, stage_id);
            break;
        case DELIVER:
            hand_on_from(self, stage_id, event->num_ids, event->ids);
            break;
        case NOTICE:
            see_notice(self, stage_id, slot, event->preempted_ns);
            break;
        case PREEMPT:
            see_preemption(self, stage_id, slot);
            break;
        case READY:
            see_ready(self, stage_id, slot);
            break;
        case LAUNCHED:
            see_launched(self, stage_id, slot);
            break;
        case DISPATCH:
            see_dispatch(self, stage_id);
            break;
        default:
            see_take(self, stage_id, slot);
            break;
    }
}

/* ---- What is left for the end ---- */

/* How much of a time lies before T. */
static int64_t
within_ns(const twin_t *self, int64_t from_ns, int64_t to_ns)
{
    const int64_t end_ns = to_ns < self->end_ns ? to_ns : self->end_ns;

    return end_ns > from_ns ? end_ns - from_ns : 0;
}

static void
pay(const twin_t *self, twin_stage_t *stage, bool is_spot, bool is_serving,
    int64_t from_ns, int64_t to_ns)
{
    stage->paid_ns[is_spot] += within_ns(self, from_ns, to_ns);
    stage->serving_ns[is_spot] += is_serving ? within_ns(self, from_ns, to_ns) : 0;
}

/* A spot slot serves from the end of an outage to the start of the next one, and is paid
 * for its start-up before. */
static void
pay_spot(const twin_t *self, twin_stage_t *stage, int32_t stage_id, int32_t slot)
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
            start_up_ns = start_up_ns < from_ns - row->preempted_ns
                              ? start_up_ns
                              : from_ns - row->preempted_ns;
            pay(self, stage, true, false, from_ns - start_up_ns, from_ns);
        }
    }
    pay(self, stage, true, true, from_ns, INT64_MAX);
}

static void
settle(twin_t *self, int32_t stage_id)
{
    twin_stage_t *stage = &self->stages[stage_id];

    for (size_t j = 0; j < stage->num_stays; j++) {
        stage->wait_sum_ns +=
            within_ns(self, stage->stays[j].from_ns, stage->stays[j].to_ns);
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

void
twin_run(twin_t *self, const twin_setting_t *setting)
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

void
twin_free(twin_t *self)
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
