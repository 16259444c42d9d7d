/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is to come in a run: returns and takes of the stages in queues of their own, all
 * else in a calendar, and which is next. Inline, as the loop of a run lives in these. */
#pragma once

#include "sim/serve/serve_internal.h"

/* Keys: the phase in the two highest bits, then the sequence. Only the calendar has
 * events of capacity, and keeps their order. */
#define SPOT_SERVE_KEY_CAPACITY (UINT64_C(1) << 62)
#define SPOT_SERVE_KEY_TAKE (UINT64_C(2) << 62)

#define SPOT_SERVE_NEVER ((spot_serve_due_t){INT64_MAX, UINT64_MAX})

__extension__ typedef unsigned __int128 spot_serve_order_t;

/* As one number, so that comparisons need no branch, which would be unpredictable. */
static inline spot_serve_order_t spot_serve_order_of(const spot_serve_due_t *due)
{
    return (spot_serve_order_t) (uint64_t) due->tick << 64 | due->key;
}

static inline bool spot_serve_is_before(const spot_serve_due_t *a, const spot_serve_due_t *b)
{
    return spot_serve_order_of(a) < spot_serve_order_of(b);
}

/* One sequence counts all events. */
static inline uint64_t spot_serve_next_sequence(spot_serve_t *self)
{
    return self->calendar.num_sequence++;
}

/* Which of the source and the calendar is next. */
static inline void spot_serve_look_at_others(spot_serve_t *self)
{
    self->is_source_next = spot_serve_is_before(&self->source_due, &self->calendar_due);
    self->other_due = self->is_source_next ? self->source_due : self->calendar_due;
}

static inline void spot_serve_look_at_calendar(spot_serve_t *self)
{
    const spot_due_t *due = spot_calendar_first(&self->calendar);

    self->calendar_due =
        due == NULL ? SPOT_SERVE_NEVER
                    : (spot_serve_due_t){due->tick, due->phase == SPOT_SERVE_PHASE_WORK
                                                        ? self->calendar.slots[due->handle].sequence
                                                        : SPOT_SERVE_KEY_CAPACITY};
    spot_serve_look_at_others(self);
}

static inline void spot_serve_look_at_source(spot_serve_t *self)
{
    self->source_due = self->next_query < self->run.num_queries
                           ? (spot_serve_due_t){self->run.source_ns[self->next_query],
                                 spot_serve_next_sequence(self)}
                           : SPOT_SERVE_NEVER;
    spot_serve_look_at_others(self);
}

static inline void spot_serve_look_at_stage(spot_serve_t *self, int32_t stage_id)
{
    const spot_serve_stage_t *stage = &self->stages[stage_id];
    spot_serve_due_t due = stage->returns[stage->first_return & stage->return_mask].due;

    if (stage->num_pending > 0) {
        const spot_slot_t *slot = &stage->slots[stage->first_pending];
        const spot_serve_due_t take = {
            slot->taken_ns + stage->option.delay_ns, SPOT_SERVE_KEY_TAKE | slot->sequence};

        due = spot_serve_is_before(&take, &due) ? take : due;
    }
    if (stage_id == self->next_stage) {
        self->next_stage = spot_serve_is_before(&self->dues[stage_id], &due) ? -1 : stage_id;
    } else if (self->next_stage >= 0 && spot_serve_is_before(&due, &self->dues[self->next_stage])) {
        self->next_stage = stage_id;
    }
    self->dues[stage_id] = due;
}

/* O(1) if the batch ends last, as equal times do; at most O(batches that run). */
static inline void spot_serve_add_return(
    spot_serve_t *self, int32_t stage_id, int32_t slot_id, int64_t time_ns)
{
    spot_serve_stage_t *stage = &self->stages[stage_id];
    spot_serve_return_t *returns = stage->returns;
    const int64_t mask = stage->return_mask;
    int64_t place = stage->next_return++;

    for (; place > stage->first_return && returns[(place - 1) & mask].due.tick > time_ns; place--) {
        returns[place & mask] = returns[(place - 1) & mask];
    }
    returns[place & mask] =
        (spot_serve_return_t){{time_ns, spot_serve_next_sequence(self)}, slot_id};
    returns[stage->next_return & mask].due = SPOT_SERVE_NEVER;
    if (place == stage->first_return) {
        spot_serve_look_at_stage(self, stage_id);
    }
}

/* The return of a batch that is cut. O(batches that run). */
static inline void spot_serve_remove_return(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    spot_serve_stage_t *stage = &self->stages[stage_id];
    spot_serve_return_t *returns = stage->returns;
    const int64_t mask = stage->return_mask;
    int64_t place = stage->first_return;

    while (returns[place & mask].slot != slot_id) {
        place++;
    }
    for (; place < stage->next_return; place++) {
        returns[place & mask] = returns[(place + 1) & mask];
    }
    stage->next_return--;
    spot_serve_look_at_stage(self, stage_id);
}

/* Adds an event and returns its handle, -1 without memory. */
static inline int32_t spot_serve_schedule(
    spot_serve_t *self, int64_t time_ns, int32_t phase, int32_t kind, int32_t entity)
{
    const spot_calendar_item_t item = {
        .tick = time_ns, .phase = phase, .kind = kind, .entity_id = entity};
    int32_t handle = -1;

    if (spot_calendar_add(&self->calendar, &item, &handle) != 0) {
        self->error = SPOT_ERR_NO_MEMORY;
    }
    spot_serve_look_at_calendar(self);
    return handle;
}

static inline spot_calendar_item_t spot_serve_take_event(spot_serve_t *self)
{
    const spot_calendar_item_t item = spot_calendar_take(&self->calendar);

    spot_serve_look_at_calendar(self);
    return item;
}

static inline void spot_serve_cancel(spot_serve_t *self, spot_slot_t *slot)
{
    spot_calendar_cancel(&self->calendar, slot->event);
    slot->event = -1;
    spot_serve_look_at_calendar(self);
}

/* The stage of the next event, or -1: it is the source's or the calendar's. O(stages)
 * once that of a stage is over. */
static inline int32_t spot_serve_find_next(spot_serve_t *self)
{
    int32_t next = self->next_stage;

    if (next < 0) {
        next = 0;
        for (int32_t j = 1; j < (int32_t) self->num_stages; j++) {
            next = spot_serve_is_before(&self->dues[j], &self->dues[next]) ? j : next;
        }
        self->next_stage = next;
    }
    return spot_serve_is_before(&self->other_due, &self->dues[next]) ? -1 : next;
}

/* Whether nothing is to come but ticks of autoscalers that have nothing to do. */
static inline bool spot_serve_is_over(const spot_serve_t *self)
{
    bool is_idle = self->source_due.tick == INT64_MAX &&
                   self->calendar.num_items == (size_t) self->num_ticks_due;

    for (size_t j = 0; j < self->num_stages; j++) {
        is_idle &= self->dues[j].tick == INT64_MAX;
    }
    return is_idle;
}

static inline int64_t spot_serve_next_tick(const spot_serve_t *self, int32_t next)
{
    return next < 0 ? self->other_due.tick : self->dues[next].tick;
}
