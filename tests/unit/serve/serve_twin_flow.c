/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/serve/serve_twin_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- Queues ---- */

void twin_mark(twin_t *self, int32_t stage_id)
{
    twin_stage_t *stage = &self->stages[stage_id];

    if (stage->length > 0 && !stage->is_marked) {
        stage->is_marked = true;
        twin_schedule(self, TWIN_DISPATCH, self->now_ns, stage_id, -1);
    }
}

/* The length has changed. */
static void note_length(const twin_t *self, twin_stage_t *stage)
{
    const twin_length_t length = {self->now_ns, stage->length};

    spot_bug_assert(SPOT_ARRAY_APPEND(stage, lengths, length) == 0);
}

void twin_open_span(const twin_t *self, twin_stage_t *stage, int32_t slot, bool is_serving)
{
    const twin_span_t span = {self->now_ns, INT64_MAX, slot, is_serving};

    spot_bug_assert(SPOT_ARRAY_APPEND(stage, spans, span) == 0);
}

/* Ends the open span of an owner. */
void twin_close_span(const twin_t *self, size_t num_spans, twin_span_t *spans, int32_t owner)
{
    for (size_t j = num_spans; j > 0; j--) {
        if (spans[j - 1].owner == owner && spans[j - 1].to_ns == INT64_MAX) {
            spans[j - 1].to_ns = self->now_ns;
            return;
        }
    }
    spot_bug_assert(false);
}

void twin_insert(twin_t *self, int32_t stage_id, int32_t place, int32_t id)
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

static void arrive(twin_t *self, int32_t stage_id, int32_t num_ids, const int32_t *ids)
{
    twin_stage_t *stage = &self->stages[stage_id];

    for (int32_t j = 0; j < num_ids; j++) {
        stage->queries++;
        stage->seen += stage->length;
        stage->stamps[ids[j]].enqueue_ns = self->now_ns;
        twin_insert(self, stage_id, stage->length, ids[j]);
    }
    twin_mark(self, stage_id);
}

/* ---- Joins and the sink ---- */

static void leave(twin_t *self, int32_t id, int64_t sink_ns)
{
    spot_bug_assert(self->sink_ns[id] == SPOT_QUERY_UNFINISHED);
    self->sink_ns[id] = sink_ns;
    self->num_left++;
    self->end_ns = self->now_ns;
}

void twin_lose(twin_t *self, int32_t id)
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

static void deliver_to_join(
    twin_t *self, const spot_serve_pipeline_link_t *link, int32_t num_ids, const int32_t *ids)
{
    const spot_serve_pipeline_node_t *node = &self->setting->pipeline->nodes[link->node_id];
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
        twin_hand_on(self, node->num_children, node->children, num_complete, complete);
    }
    free(complete);
}

/* Hands a batch to every child, or to the sink. */
void twin_hand_on(twin_t *self, size_t num_children, const spot_serve_pipeline_link_t *children,
    int32_t num_ids, const int32_t *ids)
{
    for (size_t j = 0; j < num_children; j++) {
        const spot_serve_pipeline_node_t *child =
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

void twin_deliver(twin_t *self, int32_t stage_id, int32_t num_ids, const int32_t *ids)
{
    const spot_serve_pipeline_node_t *node =
        spot_serve_pipeline_stage_node(self->setting->pipeline, (size_t) stage_id);

    for (int32_t j = 0; j < num_ids; j++) {
        self->stages[stage_id].stamps[ids[j]].done_ns = self->now_ns;
    }
    twin_hand_on(self, node->num_children, node->children, num_ids, ids);
}

/* ---- Batches ---- */

static int32_t lowest_idle(const twin_stage_t *stage)
{
    for (int32_t j = 0; j < stage->num_slots; j++) {
        if (stage->slots[j].state == TWIN_IDLE) {
            return j;
        }
    }
    return -1;
}

static int32_t longest_pending(const twin_stage_t *stage, int32_t *num_pending)
{
    int32_t longest = -1;

    *num_pending = 0;
    for (int32_t j = 0; j < stage->num_slots; j++) {
        const twin_slot_t *slot = &stage->slots[j];

        if (slot->state == TWIN_PENDING) {
            ++*num_pending;
            if (longest < 0 || slot->pending_order < stage->slots[longest].pending_order) {
                longest = j;
            }
        }
    }
    return longest;
}

static int32_t least(int64_t a, int64_t b)
{
    return (int32_t) (a < b ? a : b);
}

static void take(twin_t *self, int32_t stage_id, int32_t slot_id, int32_t size)
{
    twin_stage_t *stage = &self->stages[stage_id];
    twin_slot_t *slot = &stage->slots[slot_id];
    const spot_service_time_t *time = twin_time(self, stage_id);

    for (int32_t j = 0; j < size; j++) {
        twin_stamp_t *stamp = &stage->stamps[stage->queue[j]];

        slot->ids[j] = stage->queue[j];
        twin_close_span(self, stage->num_stays, stage->stays, slot->ids[j]);
        stamp->dequeue_ns = self->now_ns;
        stamp->first_dequeue_ns = stamp->tries == 0 ? self->now_ns : stamp->first_dequeue_ns;
        stamp->batch = size;
        stamp->replica = slot_id;
        stamp->tries++;
        stage->retries += stamp->tries > 1;
        stage->tries_max = stamp->tries > stage->tries_max ? stamp->tries : stage->tries_max;
    }
    stage->length -= size;
    memmove(stage->queue, &stage->queue[size], (size_t) stage->length * sizeof(*stage->queue));
    note_length(self, stage);
    stage->batches++;
    stage->histogram[size]++;
    stage->busy_ns += time->busy_ns[size];
    slot->state = TWIN_BUSY;
    slot->num_ids = size;
    slot->taken_ns = self->now_ns;
    if (time->result_ns == time->busy_ns) {
        twin_schedule(self, TWIN_RETURN, self->now_ns + time->busy_ns[size], stage_id, slot_id);
    } else {
        twin_event_t *event;

        twin_schedule(self, TWIN_FREE, self->now_ns + time->busy_ns[size], stage_id, slot_id);
        event = twin_schedule(
            self, TWIN_DELIVER, self->now_ns + time->result_ns[size], stage_id, slot_id);
        event->num_ids = size;
        SPOT_ARENA_ARRAY(&self->memory, event->ids, (size_t) size);
        memcpy(event->ids, slot->ids, (size_t) size * sizeof(*slot->ids));
    }
}

/* The largest batch that a slot can end before it is taken away; 0: none. */
static int32_t largest_in_time(const twin_t *self, int32_t stage_id, const twin_slot_t *slot)
{
    int32_t size = least(self->stages[stage_id].length, twin_option(self, stage_id)->batch);

    while (size > 0 && slot->is_noticed &&
           self->now_ns + twin_time(self, stage_id)->busy_ns[size] > slot->preempted_ns) {
        size--;
    }
    return size;
}

void twin_see_dispatch(twin_t *self, int32_t stage_id)
{
    const spot_stage_option_t *option = twin_option(self, stage_id);
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
        twin_schedule(self, TWIN_TAKE, self->now_ns + option->delay_ns, stage_id, r);
        num_pending++;
    }
    while (option->releases_when_full && stage->length >= option->batch &&
           (r = longest_pending(stage, &num_pending)) >= 0) {
        twin_cancel(self, TWIN_TAKE, stage_id, r);
        take(self, stage_id, r, (int32_t) option->batch);
    }
}

void twin_see_take(twin_t *self, int32_t stage_id, int32_t slot)
{
    twin_stage_t *stage = &self->stages[stage_id];

    stage->slots[slot].state = TWIN_IDLE;
    if (stage->length > 0) {
        take(self, stage_id, slot, least(stage->length, twin_option(self, stage_id)->batch));
    }
}
