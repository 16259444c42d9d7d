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

/* ---- serve.c and serve_run.c ---- */

/* The start of a run, and one event of it: false if there is none, or nothing but ticks
 * of autoscalers that have nothing to do. A run is over before that if all queries have
 * left. */
SPOT_MUST_CHECK int spot_serve_start(
    spot_serve_t *self, const spot_serve_run_t *run, const spot_serve_plan_t *plans);
bool spot_serve_step(spot_serve_t *self);

/* The sums of a stage up to the end of the run. */
void spot_serve_settle(spot_serve_t *self, spot_serve_stage_t *stage);

/* A batch is to be formed at this instant, if queries wait. */
void spot_serve_mark(spot_serve_t *self, int32_t stage_id);

/* A replica has become idle, or is no longer. */
void spot_serve_slot_idle(spot_serve_stage_t *stage, int32_t slot_id);
void spot_serve_slot_leave_idle(spot_serve_stage_t *stage, int32_t slot_id);
/* A replica is pending no longer. O(1) for the one that is pending longest. */
void spot_serve_slot_leave_pending(spot_serve_t *self, int32_t stage_id, int32_t slot_id);

/* The batch of a busy replica is cut: its queries go where the setting says. */
void spot_serve_cut(spot_serve_t *self, int32_t stage_id, int32_t slot_id);

void spot_serve_note(
    spot_serve_t *self, spot_serve_happening_t kind, int32_t stage_id, int32_t slot, int32_t value);

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
