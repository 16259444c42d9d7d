/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/serve/serve_verify.h"

typedef spot_serve_stage_t stage_t;

/* The READY of a slot. */
static void verify_event(const spot_serve_t *self, const stage_t *stage, int32_t slot_id)
{
    const spot_slot_t *slot = &stage->slots[slot_id];

    spot_bug_assert((slot->event >= 0) == (slot->state == SPOT_SLOT_PREPPING));
    if (slot->event >= 0) {
        spot_bug_assert(spot_calendar_item(&self->calendar, slot->event).entity_id == slot_id);
    }
}

/* Batches that run, in the order of their ends. */
static void verify_returns(const spot_serve_t *self, const stage_t *stage)
{
    const spot_serve_due_t *before = NULL;

    for (int64_t j = stage->first_return; j < stage->next_return; j++) {
        const spot_serve_return_t *at = &stage->returns[j & stage->return_mask];
        const spot_slot_t *slot = &stage->slots[at->slot];

        spot_bug_assert(slot->state == SPOT_SLOT_BUSY && at->due.tick >= self->now_ns);
        spot_bug_assert(at->due.tick == slot->taken_ns + stage->time->busy_ns[slot->size]);
        spot_bug_assert(before == NULL || before->tick < at->due.tick ||
                        (before->tick == at->due.tick && before->key < at->due.key));
        before = &at->due;
    }
    spot_bug_assert(stage->next_return - stage->first_return == stage->num_busy);
}

/* What a slot is agrees with the sets that it is in. */
static void verify_slots(const spot_serve_t *self, const stage_t *stage)
{
    int32_t num[SPOT_SLOT_DRAINED + 1] = {0};
    int32_t num_steady = 0, num_active = 0, num_serving = 0, num_pending = 0;

    for (int32_t j = 0; j < stage->num_slots; j++) {
        const spot_slot_t *slot = &stage->slots[j];
        const bool is_aimed = j >= stage->first_aimed && j < stage->first_aimed + stage->num_aimed;
        const bool is_idle = (stage->idle[j / 64] >> j % 64 & 1) != 0;

        num[slot->state]++;
        num_steady += slot->is_spot && !slot->is_out && !slot->is_noticed;
        num_active += is_aimed && slot->state != SPOT_SLOT_OFF && !slot->is_draining;
        num_serving += slot->span_id >= 0 && stage->spans[slot->span_id].is_serving;
        verify_event(self, stage, j);
        spot_bug_assert(is_idle == (slot->state == SPOT_SLOT_IDLE));
        spot_bug_assert(!slot->is_draining || slot->state == SPOT_SLOT_BUSY);
        spot_bug_assert(slot->state != SPOT_SLOT_DRAINED || slot->is_noticed);
        spot_bug_assert(!slot->is_out || !slot->is_noticed);
    }
    for (int32_t j = stage->first_pending; stage->num_pending > 0 && j >= 0;
         j = stage->slots[j].next_pending) {
        num_pending++;
        spot_bug_assert(stage->slots[j].state == SPOT_SLOT_PENDING);
        spot_bug_assert((stage->slots[j].next_pending < 0) == (j == stage->last_pending));
    }
    spot_bug_assert(num[SPOT_SLOT_IDLE] == stage->num_idle);
    spot_bug_assert(
        num[SPOT_SLOT_PENDING] == stage->num_pending && num_pending == stage->num_pending);
    spot_bug_assert(num[SPOT_SLOT_BUSY] == stage->num_busy);
    spot_bug_assert(num_steady == stage->num_steady && num_active == stage->num_active);
    spot_bug_assert(num_serving == stage->num_serving);
    /* no replica is idle while a batch could be formed */
    if (!stage->is_marked && stage->tail > stage->head && num[SPOT_SLOT_IDLE] > 0) {
        spot_bug_assert(stage->option.delay_ns > 0 &&
                        stage->num_pending * stage->option.batch >= stage->tail - stage->head);
    }
}

/* Little's law up to now, and all queries of the stage are somewhere. */
static void verify_queue(const spot_serve_t *self, const stage_t *stage)
{
    const int64_t length = stage->tail - stage->head;
    int64_t num_batched = 0;

    spot_bug_assert(length >= 0 && length <= stage->result.queue_max);
    spot_bug_assert(stage->result.queue_area_ns + length * (self->now_ns - stage->changed_ns) ==
                    (int64_t) (stage->waited_ns + (uint64_t) length * (uint64_t) self->now_ns));
    for (int32_t j = 0; j < stage->num_slots; j++) {
        const spot_slot_t *slot = &stage->slots[j];

        num_batched += slot->state == SPOT_SLOT_BUSY ? slot->size : 0;
    }
    for (size_t j = 0; j < self->run.num_queries && self->run.is_recorded; j++) {
        num_batched += stage->stamps.done_ns[j] >= 0;
    }
    spot_bug_assert(length + num_batched <= stage->result.queries);
    spot_bug_assert(!self->run.is_recorded || self->num_lost > 0 ||
                    stage->time->result_ns != stage->time->busy_ns ||
                    length + num_batched == stage->result.queries);
}

static void verify_join(const spot_serve_t *self, size_t node_id)
{
    const spot_serve_join_t *at = &self->joins[node_id];
    const size_t num_parents = self->run.pipeline->nodes[node_id].num_parents;
    int64_t num_waiting = 0;

    for (size_t j = 0; j < self->run.num_queries; j++) {
        const uint32_t seen = at->seen[j];

        num_waiting += seen != 0 && seen != (UINT32_C(1) << num_parents) - 1;
    }
    spot_bug_assert(num_waiting == at->num_waiting && num_waiting <= at->max_waiting);
}

void serve_verify(const spot_serve_t *self)
{
    size_t num_marked = 0, num_sunk = 0, num_lost = 0;

    for (size_t j = 0; j < self->num_stages; j++) {
        num_marked += self->stages[j].is_marked;
        verify_slots(self, &self->stages[j]);
        verify_returns(self, &self->stages[j]);
        verify_queue(self, &self->stages[j]);
    }
    for (size_t j = 0; j < self->num_nodes; j++) {
        if (self->run.pipeline->nodes[j].stage_id < 0) {
            verify_join(self, j);
        }
    }
    for (size_t j = 0; j < self->run.num_queries; j++) {
        num_sunk += self->sink_ns[j] >= 0;
        num_lost += self->sink_ns[j] == SPOT_QUERY_LOST;
    }
    spot_bug_assert(num_marked == self->num_marked);
    spot_bug_assert(num_sunk == self->num_sunk && num_lost == self->num_lost &&
                    num_sunk + num_lost == self->num_left);
    spot_bug_assert(self->num_left == 0 || self->end_ns <= self->now_ns);
    spot_calendar_verify(&self->calendar);
}
