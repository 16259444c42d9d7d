/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/serve/serve_twin_internal.h"

/* ---- Replicas ---- */

/* A slot that does not run takes nothing more. */
static void stop_taking(twin_t *self, int32_t stage_id, int32_t slot_id)
{
    twin_slot_t *slot = &self->stages[stage_id].slots[slot_id];

    if (slot->state == TWIN_PENDING) {
        twin_cancel(self, TWIN_TAKE, stage_id, slot_id);
        slot->state = TWIN_DRAINED;
        twin_mark(self, stage_id);
    } else if (slot->state == TWIN_IDLE) {
        slot->state = TWIN_DRAINED;
    }
}

static void launch_fallback(twin_t *self, int32_t stage_id)
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
            twin_open_span(self, stage, j, false);
            twin_schedule(self, TWIN_LAUNCHED, self->now_ns + rent->preparation_ns + rent->load_ns,
                stage_id, j);
            return;
        }
    }
    spot_bug_assert(false);
}

static void retire_fallback(twin_t *self, int32_t stage_id)
{
    twin_stage_t *stage = &self->stages[stage_id];

    for (int32_t j = stage->num_slots - 1; j >= stage->first_fallback; j--) {
        if (stage->slots[j].state == TWIN_PREPPING) {
            twin_cancel(self, TWIN_LAUNCHED, stage_id, j);
            stage->slots[j].state = TWIN_OFF;
            twin_close_span(self, stage->num_spans, stage->spans, j);
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
            twin_close_span(self, stage->num_spans, stage->spans, j);
            return;
        }
    }
    spot_bug_assert(false);
}

static int64_t num_active(const twin_stage_t *stage)
{
    int64_t number = 0;

    for (int32_t j = stage->first_fallback; j < stage->num_slots; j++) {
        const twin_state_t state = stage->slots[j].state;

        number += state != TWIN_OFF && state != TWIN_DRAINING;
    }
    return number;
}

static void control(twin_t *self, int32_t stage_id)
{
    const spot_stage_option_t *option = twin_option(self, stage_id);
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

void twin_see_return(twin_t *self, int32_t stage_id, int32_t slot_id)
{
    twin_stage_t *stage = &self->stages[stage_id];
    twin_slot_t *slot = &stage->slots[slot_id];

    twin_deliver(self, stage_id, slot->num_ids, slot->ids);
    if (slot->state == TWIN_DRAINING) {
        slot->state = TWIN_OFF;
        twin_close_span(self, stage->num_spans, stage->spans, slot_id);
    } else if (slot->is_noticed && self->setting->rent->drain == SPOT_DRAIN_STOP) {
        slot->state = TWIN_DRAINED;
    } else {
        slot->state = TWIN_IDLE;
    }
    twin_mark(self, stage_id);
}

void twin_see_notice(twin_t *self, int32_t stage_id, int32_t slot_id, int64_t preempted_ns)
{
    twin_slot_t *slot = &self->stages[stage_id].slots[slot_id];

    slot->is_noticed = true;
    slot->preempted_ns = preempted_ns;
    if (self->setting->rent->drain == SPOT_DRAIN_STOP) {
        stop_taking(self, stage_id, slot_id);
    }
    control(self, stage_id);
}

static void cut(twin_t *self, int32_t stage_id, twin_slot_t *slot)
{
    twin_stage_t *stage = &self->stages[stage_id];
    const int64_t elapsed_ns = self->now_ns - slot->taken_ns;

    stage->batches_cut++;
    stage->wasted_ns += elapsed_ns;
    stage->busy_ns += elapsed_ns - twin_time(self, stage_id)->busy_ns[slot->num_ids];
    for (int32_t j = 0; j < slot->num_ids; j++) {
        switch ((spot_in_flight_t) self->setting->rent->in_flight) {
            case SPOT_IN_FLIGHT_REQUEUE_HEAD:
                twin_insert(self, stage_id, j, slot->ids[j]);
                break;
            case SPOT_IN_FLIGHT_REQUEUE_TAIL:
                twin_insert(self, stage_id, stage->length, slot->ids[j]);
                break;
            case SPOT_IN_FLIGHT_LOSE:
                twin_lose(self, slot->ids[j]);
                break;
        }
    }
}

void twin_see_preemption(twin_t *self, int32_t stage_id, int32_t slot_id)
{
    twin_slot_t *slot = &self->stages[stage_id].slots[slot_id];

    if (slot->state == TWIN_BUSY) {
        twin_cancel(self, TWIN_RETURN, stage_id, slot_id);
        cut(self, stage_id, slot);
    }
    stop_taking(self, stage_id, slot_id);
    slot->state = TWIN_OFF;
    slot->is_noticed = false;
    twin_mark(self, stage_id);
    control(self, stage_id);
}

void twin_see_ready(twin_t *self, int32_t stage_id, int32_t slot_id)
{
    self->stages[stage_id].slots[slot_id].state = TWIN_IDLE;
    twin_mark(self, stage_id);
    control(self, stage_id);
}

void twin_see_launched(twin_t *self, int32_t stage_id, int32_t slot_id)
{
    twin_stage_t *stage = &self->stages[stage_id];

    twin_close_span(self, stage->num_spans, stage->spans, slot_id);
    twin_open_span(self, stage, slot_id, true);
    stage->slots[slot_id].state = TWIN_IDLE;
    twin_mark(self, stage_id);
}
