/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the flow of queries (serve.c) and the replicas (fleet.c) need of each other. */
#pragma once

#include "sim/serve/serve.h"

/* Events of the calendar: all but the source, and returns and takes of a stage, which
 * have queues of their own. Kind: the type, the stage from bit 4 on, and of DELIVER the
 * size of the batch from bit 12 on. Entity: the slot, of DELIVER the place in the ring.
 */
typedef enum {
    SPOT_SERVE_EVENT_DELIVER, /* the result of a pipelined batch is there */
    SPOT_SERVE_EVENT_NOTICE,
    SPOT_SERVE_EVENT_PREEMPT,
    SPOT_SERVE_EVENT_BACK,  /* a spot slot has an instance again */
    SPOT_SERVE_EVENT_READY, /* a slot that was switched on serves */
    SPOT_SERVE_EVENT_TICK   /* of an autoscaler */
} spot_serve_event_t;

#define SPOT_SERVE_STAGE_BIT 4
#define SPOT_SERVE_SIZE_BIT 12

/* Phases in the calendar: of work, of outages by their order, of other capacity. */
#define SPOT_SERVE_PHASE_WORK 0
#define SPOT_SERVE_PHASE_OUTAGE 1
#define SPOT_SERVE_PHASE_CAPACITY INT32_MAX

/* ---- serve_events.c ---- */

/* Keys: the phase in the two highest bits, then the sequence. Only the calendar has
 * events of capacity, and keeps their order. */
#define SPOT_SERVE_KEY_CAPACITY (UINT64_C(1) << 62)
#define SPOT_SERVE_KEY_TAKE (UINT64_C(2) << 62)

#define SPOT_SERVE_NEVER ((spot_serve_due_t){INT64_MAX, UINT64_MAX})

__extension__ typedef unsigned __int128 spot_serve_order_t;

/* As one number, so that comparisons need no branch, which would be unpredictable. */
static inline spot_serve_order_t
spot_serve_order_of(const spot_serve_due_t *due)
{
    return (spot_serve_order_t) (uint64_t) due->tick << 64 | due->key;
}

static inline bool
spot_serve_is_before(const spot_serve_due_t *a, const spot_serve_due_t *b)
{
    return spot_serve_order_of(a) < spot_serve_order_of(b);
}

/* One sequence counts all events. */
static inline uint64_t
spot_serve_next_sequence(spot_serve_t *self)
{
    return self->calendar.num_sequence++;
}

/* Looks again at what is next of the source, the calendar, a stage, after a change. */
void spot_serve_look_at_source(spot_serve_t *self);
void spot_serve_look_at_stage(spot_serve_t *self, int32_t stage_id);

/* The end of a batch, and that of one that is cut. O(1) if it ends last, as equal times
 * do; at most O(batches that run). */
void spot_serve_add_return(
    spot_serve_t *self, int32_t stage_id, int32_t slot_id, int64_t time_ns);
void spot_serve_remove_return(spot_serve_t *self, int32_t stage_id, int32_t slot_id);

/* Takes the next event out of the calendar. */
spot_calendar_item_t spot_serve_take_event(spot_serve_t *self);

/* The stage of the next event, or -1: it is the source's or the calendar's. O(stages)
 * once that of a stage is over. Its time; and whether nothing is to come but ticks of
 * autoscalers that have nothing to do. */
int32_t spot_serve_find_next(spot_serve_t *self);
int64_t spot_serve_next_tick(const spot_serve_t *self, int32_t next);
bool spot_serve_is_over(const spot_serve_t *self);

/* ---- serve.c and serve_run.c ---- */

/* The start of a run, and one event of it: false if there is none, or nothing but ticks
 * of autoscalers that have nothing to do. A run is over before that if all queries have
 * left. */
SPOT_MUST_CHECK int spot_serve_start(
    spot_serve_t *self, const spot_serve_run_t *run, const spot_serve_plan_t *plans);
bool spot_serve_step(spot_serve_t *self);

/* The sums of a stage up to the end of the run. */
void spot_serve_settle(spot_serve_t *self, spot_serve_stage_t *stage);

/* Adds an event and returns its handle, -1 without memory. */
int32_t spot_serve_schedule(
    spot_serve_t *self, int64_t time_ns, int32_t phase, int32_t kind, int32_t entity);
void spot_serve_cancel(spot_serve_t *self, spot_slot_t *slot);

/* A batch is to be formed at this instant, if queries wait. */
void spot_serve_mark(spot_serve_t *self, int32_t stage_id);

/* A replica has become idle, or is no longer. */
void spot_serve_slot_idle(spot_serve_stage_t *stage, int32_t slot_id);
void spot_serve_slot_leave_idle(spot_serve_stage_t *stage, int32_t slot_id);
/* A replica is pending no longer. O(1) for the one that is pending longest. */
void spot_serve_slot_leave_pending(
    spot_serve_t *self, int32_t stage_id, int32_t slot_id);

/* The batch of a busy replica is cut: its queries go where the setting says. */
void spot_serve_cut(spot_serve_t *self, int32_t stage_id, int32_t slot_id);

void spot_serve_note(spot_serve_t *self, spot_serve_happening_t kind, int32_t stage_id,
    int32_t slot, int32_t value);

/* ---- fleet.c ---- */

/* The replicas of a stage at time 0. */
void spot_fleet_start(spot_serve_t *self, int32_t stage_id);

/* A capacity event of a slot, from NOTICE on. */
void spot_fleet_see(
    spot_serve_t *self, spot_serve_event_t event, int32_t stage_id, int32_t slot_id);

/* A busy replica has returned: it becomes idle, or goes. */
void spot_fleet_return(spot_serve_t *self, int32_t stage_id, int32_t slot_id);

/* A replica starts (1) or ends (-1) a batch. */
void spot_fleet_count_busy(spot_serve_t *self, spot_serve_stage_t *stage, int num_more);

/* The paid time of a stage up to the end of the run. */
void spot_fleet_settle(spot_serve_t *self, spot_serve_stage_t *stage);
