/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The replicas of a stage: outages of spot slots, the on-demand replicas that stand in
 * for them, and autoscaling. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "sim/serve/serve_events.h"

typedef spot_serve_stage_t stage_t;

static int64_t start_up_ns(const spot_serve_t *self)
{
    return self->run.rent->preparation_ns + self->run.rent->load_ns;
}

static bool is_scaled(const stage_t *stage)
{
    return stage->option.scale.kind == SPOT_SCALE_UTILISATION;
}

/* ---- Paid time ---- */

static void open_span(
    spot_serve_t *self, stage_t *stage, int32_t slot_id, bool is_serving, int64_t from_ns)
{
    const spot_slot_span_t span = {.from_ns = from_ns,
        .to_ns = INT64_MAX,
        .slot = slot_id,
        .is_spot = stage->slots[slot_id].is_spot,
        .is_serving = is_serving};

    stage->slots[slot_id].span_id = (int32_t) stage->num_spans;
    if (SPOT_ARRAY_APPEND(stage, spans, span) != 0) {
        self->error = SPOT_ERR_NO_MEMORY;
        stage->slots[slot_id].span_id = -1;
    }
    stage->num_serving += is_serving;
    if (stage->num_serving > stage->result.peak_replicas) {
        stage->result.peak_replicas = stage->num_serving;
    }
}

static void close_span(stage_t *stage, int32_t slot_id, int64_t to_ns)
{
    spot_slot_t *slot = &stage->slots[slot_id];

    if (slot->span_id >= 0) {
        stage->spans[slot->span_id].to_ns = to_ns;
        stage->num_serving -= stage->spans[slot->span_id].is_serving;
        slot->span_id = -1;
    }
}

/* How much of a span lies before the end of the run. */
static int64_t span_ns(const spot_slot_span_t *span, int64_t end_ns)
{
    const int64_t to_ns = span->to_ns < end_ns ? span->to_ns : end_ns;

    return to_ns > span->from_ns ? to_ns - span->from_ns : 0;
}

/* Busy time of the replicas by an instant that is not before the latest change. */
static uint64_t busy_until(const stage_t *stage, int64_t time_ns)
{
    return stage->busy_area + (uint64_t) stage->num_busy * (uint64_t) (time_ns - stage->counted_ns);
}

void spot_fleet_settle(spot_serve_t *self, stage_t *stage)
{
    spot_stage_result_t *result = &stage->result;

    if (self->may_strand) {
        result->overrun_ns = result->busy_ns - (int64_t) (stage->counted_ns > self->end_ns
                                                              ? stage->busy_at_end
                                                              : busy_until(stage, self->end_ns));
    }
    for (size_t j = 0; j < stage->num_spans; j++) {
        const spot_slot_span_t *span = &stage->spans[j];
        const int64_t ns = span_ns(span, self->end_ns);

        if (__builtin_add_overflow(
                result->paid_ns[span->is_spot], ns, &result->paid_ns[span->is_spot])) {
            self->error = SPOT_ERR_BAD_PARAM;
            return;
        }
        result->serving_ns[span->is_spot] += span->is_serving ? ns : 0;
    }
    if (stage->option.scale.kind == SPOT_SCALE_IDEAL) {
        const int is_spot = stage->option.market == SPOT_MARKET_SPOT;

        result->paid_ns[is_spot] = result->serving_ns[is_spot] =
            result->busy_ns - result->overrun_ns;
    }
}

/* ---- Slots ---- */

static void serve(spot_serve_t *self, stage_t *stage, int32_t slot_id)
{
    open_span(self, stage, slot_id, true, self->now_ns);
    spot_serve_slot_idle(stage, slot_id);
}

/* A slot takes no further batches; what it runs, goes on. Returns whether it was
 * pending. */
static bool stop_taking(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    spot_slot_t *slot = &stage->slots[slot_id];
    const bool is_pending = slot->state == SPOT_SLOT_PENDING;

    if (slot->state == SPOT_SLOT_IDLE) {
        spot_serve_slot_leave_idle(stage, slot_id);
    } else if (is_pending) {
        spot_serve_slot_leave_pending(self, stage_id, slot_id);
    }
    if (slot->state != SPOT_SLOT_BUSY) {
        slot->state = SPOT_SLOT_DRAINED;
    }
    return is_pending;
}

static void switch_off(spot_serve_t *self, stage_t *stage, int32_t slot_id)
{
    close_span(stage, slot_id, self->now_ns);
    stage->slots[slot_id].state = SPOT_SLOT_OFF;
    stage->slots[slot_id].is_draining = false;
}

void spot_fleet_return(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    spot_slot_t *slot = &stage->slots[slot_id];

    spot_serve_note(self, SPOT_SERVE_RETURN, stage_id, slot_id, slot->size);
    if (slot->is_draining) {
        switch_off(self, stage, slot_id);
    } else if (slot->is_noticed && self->run.rent->drain == SPOT_DRAIN_STOP) {
        slot->state = SPOT_SLOT_DRAINED;
    } else {
        spot_serve_slot_idle(stage, slot_id);
    }
}

/* ---- Slots that a controller switches ---- */

static void launch(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    spot_slot_t *slot = &stage->slots[slot_id];

    slot->state = SPOT_SLOT_PREPPING;
    open_span(self, stage, slot_id, false, self->now_ns);
    slot->event =
        spot_serve_schedule(self, self->now_ns + start_up_ns(self), SPOT_SERVE_PHASE_CAPACITY,
            SPOT_SERVE_EVENT_READY | stage_id << SPOT_SERVE_STAGE_BIT, slot_id);
    stage->num_active++;
    stage->result.launches++;
    stage->result.fallback_launches += stage->option.market == SPOT_MARKET_HEDGE;
}

/* One more active slot: the lowest draining one, else the lowest that is off. Returns
 * false if there is none. */
static bool add_active(spot_serve_t *self, int32_t stage_id)
{
    stage_t *stage = &self->stages[stage_id];
    int32_t off = -1;

    for (int32_t j = 0; j < stage->num_aimed; j++) {
        spot_slot_t *slot = &stage->slots[stage->first_aimed + j];

        if (slot->is_draining && !slot->is_noticed) {
            slot->is_draining = false;
            stage->num_active++;
            return true;
        }
        if (off < 0 && slot->state == SPOT_SLOT_OFF && !slot->is_out && !slot->is_noticed) {
            off = stage->first_aimed + j;
        }
    }
    if (off >= 0) {
        launch(self, stage_id, off);
    }
    return off >= 0;
}

/* One active slot less: the highest prepping one, else the highest that serves. */
static void remove_active(spot_serve_t *self, int32_t stage_id)
{
    stage_t *stage = &self->stages[stage_id];
    int32_t serving = -1, chosen = -1;

    for (int32_t j = stage->num_aimed - 1; j >= 0 && chosen < 0; j--) {
        const int32_t slot_id = stage->first_aimed + j;
        const spot_slot_t *slot = &stage->slots[slot_id];

        if (slot->state == SPOT_SLOT_PREPPING) {
            chosen = slot_id;
        } else if (serving < 0 && slot->state != SPOT_SLOT_OFF && !slot->is_draining) {
            serving = slot_id;
        }
    }
    stage->num_active--;
    if (chosen >= 0) {
        spot_serve_cancel(self, &stage->slots[chosen]);
        switch_off(self, stage, chosen);
    } else if (stage->slots[serving].state == SPOT_SLOT_BUSY) {
        stage->slots[serving].is_draining = true;
    } else {
        const bool was_pending = stop_taking(self, stage_id, serving);

        switch_off(self, stage, serving);
        if (was_pending) {
            spot_serve_mark(self, stage_id);
        }
    }
}

static void aim(spot_serve_t *self, int32_t stage_id, int64_t goal)
{
    while (self->stages[stage_id].num_active < goal && self->error == 0 &&
           add_active(self, stage_id)) {
    }
    while (self->stages[stage_id].num_active > goal) {
        remove_active(self, stage_id);
    }
}

/* After a capacity event of a spot slot. */
static void control(spot_serve_t *self, int32_t stage_id)
{
    const stage_t *stage = &self->stages[stage_id];
    const spot_stage_option_t *option = &stage->option;

    if (is_scaled(stage)) {
        aim(self, stage_id, stage->scale.aim);
    } else if (option->market == SPOT_MARKET_HEDGE && option->fallback != SPOT_FALLBACK_NONE) {
        const int64_t target = option->replicas - option->base;
        const int64_t goal =
            option->fallback == SPOT_FALLBACK_TO_TARGET ? target : target + option->overprovision;
        const int64_t lacking = goal - stage->num_steady;

        aim(self, stage_id, lacking < 0 ? 0 : lacking < target ? lacking : target);
    }
}

/* ---- Autoscaling ---- */

void spot_fleet_count_busy(spot_serve_t *self, stage_t *stage, int num_more)
{
    if (self->may_strand) {
        if (stage->counted_ns <= self->end_ns) {
            stage->busy_at_end = busy_until(stage, self->end_ns);
        }
        stage->busy_area = busy_until(stage, self->now_ns);
        stage->counted_ns = self->now_ns;
    }
    stage->num_busy += num_more;
    if (stage->option.scale.kind == SPOT_SCALE_IDEAL &&
        stage->num_busy > stage->result.peak_replicas) {
        stage->result.peak_replicas = stage->num_busy;
    }
}

static void schedule_tick(spot_serve_t *self, int32_t stage_id)
{
    (void) spot_serve_schedule(self, self->now_ns + self->stages[stage_id].option.scale.interval_ns,
        SPOT_SERVE_PHASE_CAPACITY, SPOT_SERVE_EVENT_TICK | stage_id << SPOT_SERVE_STAGE_BIT, 0);
    self->num_ticks_due++;
}

/* The mean number of busy replicas over the last interval, over the target. More is
 * taken at once, less only when the cool-down since the last change is over. */
static void tick(spot_serve_t *self, int32_t stage_id)
{
    stage_t *stage = &self->stages[stage_id];
    const spot_scale_setting_t *setting = &stage->option.scale;
    double wanted;
    int64_t goal;

    spot_fleet_count_busy(self, stage, 0);
    wanted = ceil((double) (stage->busy_area - stage->scale.busy_before) /
                  (double) setting->interval_ns / setting->target_utilisation);
    stage->scale.busy_before = stage->busy_area;
    goal = wanted < (double) setting->min   ? setting->min
           : wanted > (double) setting->max ? setting->max
                                            : (int64_t) wanted;
    if (goal > stage->scale.aim ||
        (goal < stage->scale.aim &&
            self->now_ns - stage->scale.changed_ns >= setting->cool_down_ns)) {
        stage->scale.aim = goal;
        stage->scale.changed_ns = self->now_ns;
    }
    aim(self, stage_id, stage->scale.aim);
    self->num_ticks_due--;
    schedule_tick(self, stage_id);
}

/* ---- Outages ---- */

/* Schedules the next outage of a spot slot. since_ns: the end of the one before. */
static void schedule_outage(spot_serve_t *self, int32_t stage_id, int32_t slot_id, int64_t since_ns)
{
    stage_t *stage = &self->stages[stage_id];
    spot_slot_t *slot = &stage->slots[slot_id];
    const int64_t notice_ns = self->run.rent->notice_ns;
    const int32_t kind = stage_id << SPOT_SERVE_STAGE_BIT;
    const spot_outage_t *outage = spot_outages_at(
        self->run.outages, (size_t) stage_id, slot_id - stage->first_spot, slot->outage);
    int32_t phase;

    slot->gone_ns = outage == NULL ? INT64_MAX : outage->preempted_ns;
    if (outage == NULL) {
        return;
    }
    slot->outage++;
    phase = SPOT_SERVE_PHASE_OUTAGE + outage->order;
    if (notice_ns > 0) {
        const int64_t seen_ns = outage->preempted_ns - notice_ns;

        (void) spot_serve_schedule(self, seen_ns > since_ns ? seen_ns : since_ns, phase,
            SPOT_SERVE_EVENT_NOTICE | kind, slot_id);
    }
    (void) spot_serve_schedule(
        self, outage->preempted_ns, phase, SPOT_SERVE_EVENT_PREEMPT | kind, slot_id);
    if (outage->ready_ns != INT64_MAX) {
        const int64_t out_ns = outage->ready_ns - outage->preempted_ns;
        const int64_t start_ns = start_up_ns(self) < out_ns ? start_up_ns(self) : out_ns;

        /* a scaled replica is prepared when it is launched */
        (void) spot_serve_schedule(self,
            is_scaled(stage) ? outage->ready_ns - start_ns : outage->ready_ns, phase,
            SPOT_SERVE_EVENT_BACK | kind, slot_id);
        slot->back_ns = outage->ready_ns;
        slot->prepping_ns = start_ns;
    } else {
        slot->back_ns = INT64_MAX;
    }
}

static void see_notice(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    spot_slot_t *slot = &stage->slots[slot_id];
    const bool serves = slot->state != SPOT_SLOT_OFF && slot->state != SPOT_SLOT_PREPPING;

    slot->is_noticed = true;
    stage->num_steady--;
    spot_serve_note(self, SPOT_SERVE_NOTICE, stage_id, slot_id, 0);
    if (serves && self->run.rent->drain == SPOT_DRAIN_STOP &&
        stop_taking(self, stage_id, slot_id)) {
        spot_serve_mark(self, stage_id);
    }
}

static void see_preemption(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    spot_slot_t *slot = &stage->slots[slot_id];
    const bool was_active = slot->state != SPOT_SLOT_OFF && !slot->is_draining;

    spot_serve_note(self, SPOT_SERVE_PREEMPT, stage_id, slot_id, 0);
    stage->num_steady -= !slot->is_noticed;
    if (slot->state == SPOT_SLOT_BUSY) {
        spot_serve_cut(self, stage_id, slot_id);
    } else if (slot->state == SPOT_SLOT_PREPPING) {
        spot_serve_cancel(self, slot);
    } else if (slot->state != SPOT_SLOT_OFF) {
        (void) stop_taking(self, stage_id, slot_id);
    }
    switch_off(self, stage, slot_id);
    slot->is_noticed = false;
    slot->is_out = true;
    stage->num_active -= is_scaled(stage) && was_active;
    if (!is_scaled(stage) && slot->back_ns != INT64_MAX && slot->prepping_ns > 0) {
        open_span(self, stage, slot_id, false, slot->back_ns - slot->prepping_ns);
    }
    spot_serve_mark(self, stage_id);
}

static void see_back(spot_serve_t *self, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];
    spot_slot_t *slot = &stage->slots[slot_id];

    slot->is_out = false;
    stage->num_steady++;
    if (!is_scaled(stage)) {
        close_span(stage, slot_id, self->now_ns);
        serve(self, stage, slot_id);
        spot_serve_note(self, SPOT_SERVE_READY, stage_id, slot_id, 0);
        spot_serve_mark(self, stage_id);
    }
    schedule_outage(self, stage_id, slot_id, self->now_ns);
}

void spot_fleet_see(spot_serve_t *self, spot_serve_event_t event, int32_t stage_id, int32_t slot_id)
{
    stage_t *stage = &self->stages[stage_id];

    switch (event) {
        case SPOT_SERVE_EVENT_NOTICE:
            see_notice(self, stage_id, slot_id);
            control(self, stage_id);
            break;
        case SPOT_SERVE_EVENT_PREEMPT:
            see_preemption(self, stage_id, slot_id);
            control(self, stage_id);
            break;
        case SPOT_SERVE_EVENT_BACK:
            see_back(self, stage_id, slot_id);
            control(self, stage_id);
            break;
        case SPOT_SERVE_EVENT_READY:
            close_span(stage, slot_id, self->now_ns);
            serve(self, stage, slot_id);
            stage->slots[slot_id].event = -1;
            spot_serve_note(self, SPOT_SERVE_READY, stage_id, slot_id, 0);
            spot_serve_mark(self, stage_id);
            break;
        default:
            tick(self, stage_id);
            break;
    }
}

/* ---- The start ---- */

void spot_fleet_start(spot_serve_t *self, int32_t stage_id)
{
    stage_t *stage = &self->stages[stage_id];
    const spot_stage_option_t *option = &stage->option;
    const bool is_ideal = option->scale.kind == SPOT_SCALE_IDEAL;
    const int32_t num_on =
        is_ideal ? stage->num_slots
                 : (int32_t) (option->replicas +
                              (option->market == SPOT_MARKET_HEDGE ? option->overprovision : 0));

    stage->num_spot = is_ideal ? 0 : spot_stage_option_spot_slots(option);
    stage->first_spot = option->market == SPOT_MARKET_HEDGE ? (int32_t) option->base : 0;
    if (is_scaled(stage)) {
        stage->num_aimed = stage->num_slots;
        stage->num_active = num_on;
        stage->scale.aim = option->replicas;
        stage->scale.changed_ns = -option->scale.cool_down_ns;
    } else {
        stage->first_aimed = num_on;
        stage->num_aimed = stage->num_slots - num_on;
    }
    stage->num_steady = stage->num_spot;
    for (int32_t j = 0; j < stage->num_slots; j++) {
        spot_slot_t *slot = &stage->slots[j];

        slot->span_id = slot->event = -1;
        slot->gone_ns = INT64_MAX;
        slot->is_spot = j >= stage->first_spot && j < stage->first_spot + stage->num_spot;
        if (is_ideal) {
            spot_serve_slot_idle(stage, j);
        } else if (j < num_on) {
            serve(self, stage, j);
        }
        if (slot->is_spot && self->run.outages != NULL) {
            schedule_outage(self, stage_id, j, 0);
        }
    }
    if (is_scaled(stage)) {
        schedule_tick(self, stage_id);
    }
}
