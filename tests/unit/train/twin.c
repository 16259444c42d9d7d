/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Visits every tick, every step end, every checkpoint and every end of a pause, each at
 * its millisecond. Read it from twin_run() at the bottom upwards. */
#include "twin.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "twin_job.h"

/* ---- The controller at a tick ---- */

/* Step 2: preparation that has ended. */
static void finish_preparation(twin_t *self)
{
    self->num_ready = 0;
    while (self->prepping.num > 0 && self->prepping.items[0].ready_ms <= self->now_ms) {
        list_append(&self->standby, list_take(&self->prepping, 0));
        self->num_ready++;
    }
}

static bool remove_instance(twin_t *self, int32_t name_id)
{
    list_t *lists[3] = {&self->prepping, &self->standby, &self->active};

    for (int j = 0; j < 3; j++) {
        const int64_t place = list_find(lists[j], name_id);

        if (place >= 0) {
            list_take(lists[j], place);
            self->num_lost += (lists[j] == &self->active);
            return true;
        }
    }
    return false;
}

static void count_preemption(twin_t *self)
{
    spot_train_result_t *result = self->result;

    if (result->preempted == 0) {
        result->first_preemption_ms = self->now_ms;
    }
    if (result->preempted == 0 || result->last_preemption_ms != self->now_ms) {
        result->preemption_events++;
        result->last_preemption_ms = self->now_ms;
    }
    result->preempted++;
}

static int64_t tick_at_or_after(const twin_t *self, int64_t time_ms)
{
    const int64_t tick_ms = self->setting->tick_ms;

    return (time_ms + tick_ms - 1) / tick_ms * tick_ms;
}

/* Whether an event is about an instance. */
static bool names(const spot_event_t *event, int32_t name_id)
{
    for (int32_t j = 0; j < event->count; j++) {
        if (event->name_ids[j] == name_id) {
            return true;
        }
    }
    return false;
}

/* An instance that comes now; what will become of it is the next event about it. */
static instance_t new_instance(const twin_t *self, int32_t name_id, int64_t ready_ms)
{
    instance_t instance = {name_id, ready_ms, NEVER, NEVER, false};
    size_t j = self->event_id;

    while (j < self->trace->num_events && !names(&self->trace->events[j], name_id)) {
        j++;
    }
    if (self->setting->notice_ms > 0 && j < self->trace->num_events &&
        self->trace->events[j].kind == SPOT_EVENT_PREEMPT) {
        const int64_t time_ms = self->trace->events[j].time_ms;
        const int64_t notice_ms =
            tick_at_or_after(self, LARGER(0, time_ms - self->setting->notice_ms));

        instance.deadline_ms = tick_at_or_after(self, time_ms);
        instance.notice_ms = LARGER(self->now_ms, notice_ms);
    }
    return instance;
}

static void see_instance(twin_t *self, spot_event_kind_t kind, int32_t name_id)
{
    spot_train_result_t *result = self->result;

    if (kind == SPOT_EVENT_ADD) {
        if (twin_population(self) - self->setting->num_on_demand == self->setting->capacity) {
            result->clipped++;
            return;
        }
        list_append(&self->prepping,
            new_instance(self, name_id, self->now_ms + self->setting->preparation_ms));
        result->added++;
    } else if (!remove_instance(self, name_id)) {
        result->clipped++; /* as its addition was */
    } else if (kind == SPOT_EVENT_STOP) {
        result->stopped++;
    } else {
        count_preemption(self);
    }
}

/* Step 3: the events since the tick before, in trace order. */
static void see_events(twin_t *self)
{
    const spot_trace_t *trace = self->trace;

    self->num_lost = 0;
    while (self->event_id < trace->num_events &&
           trace->events[self->event_id].time_ms <= self->now_ms) {
        const spot_event_t *event = &trace->events[self->event_id++];

        for (int32_t j = 0; j < event->count; j++) {
            see_instance(self, event->kind, event->name_ids[j]);
        }
    }
    self->result->peak_instances = LARGER(self->result->peak_instances, twin_population(self));
}

/* Preemptions that are to be announced now. */
static void see_notices(twin_t *self)
{
    list_t *lists[SPOT_NUM_ROLES] = {&self->prepping, &self->standby, &self->active};

    self->num_noticed = 0;
    self->deadline_ms = NEVER;
    for (int role = 0; role < SPOT_NUM_ROLES; role++) {
        for (int64_t j = 0; j < lists[role]->num; j++) {
            instance_t *instance = &lists[role]->items[j];

            if (instance->notice_ms == self->now_ms) {
                instance->is_noticed = true;
                self->num_noticed++;
                self->deadline_ms = SMALLER(self->deadline_ms, instance->deadline_ms);
            }
        }
    }
}

/* Of those who have been announced. */
static int64_t sum_deadlines_ms(const list_t *list)
{
    int64_t sum_ms = 0;

    for (int64_t j = 0; j < list->num; j++) {
        if (list->items[j].is_noticed) {
            sum_ms += list->items[j].deadline_ms;
        }
    }
    return sum_ms;
}

/* ---- The checkpoint system ---- */

static int64_t most_pipelines(const twin_t *self, const spot_recovery_view_t *view)
{
    const twin_setting_t *setting = self->setting;
    const int64_t usable = view->num_active + view->num_standby;
    const int64_t most = SMALLER(usable / setting->pipeline_depth, setting->max_pipelines);
    int64_t best = most;

    for (int64_t num = most; setting->is_best && num > 0; num--) {
        if (twin_step_time_ms(setting, num * setting->pipeline_depth) <=
            twin_step_time_ms(setting, best * setting->pipeline_depth)) {
            best = num;
        }
    }
    return best;
}

static bool grows(const twin_t *self, int64_t num_pipelines)
{
    const twin_setting_t *setting = self->setting;
    const int64_t depth = setting->pipeline_depth;
    int64_t now_ms, then_ms;

    if (self->num_pipelines == 0) {
        return num_pipelines > 0;
    }
    now_ms = twin_step_time_ms(setting, self->num_pipelines * depth);
    then_ms = twin_step_time_ms(setting, num_pipelines * depth);
    switch (setting->growth) {
        case TWIN_GROWS_BY_PIPELINE:
            return num_pipelines > self->num_pipelines;
        case TWIN_GROWS_IF_BETTER:
            return now_ms > then_ms &&
                   (double) (now_ms - then_ms) >= setting->min_gain * (double) then_ms;
        default:
            return false;
    }
}

static int64_t full_checkpoint_ms(const twin_t *self)
{
    const spot_checkpoint_t *checkpoint = &self->setting->checkpoint;

    return LARGER(1, checkpoint->mode == SPOT_CHECKPOINT_SYNC
                         ? checkpoint->write_ms
                         : checkpoint->snapshot_ms + checkpoint->write_ms);
}

/* New pipelines if an active instance was lost or it is wanted that they grow. */
static void form_pipelines(const twin_t *self, const spot_recovery_view_t *view, bool has_loss,
    spot_recovery_decision_t *decision)
{
    const twin_setting_t *setting = self->setting;
    const bool was_running = self->num_pipelines > 0;
    int64_t num_pipelines = most_pipelines(self, view);

    if (!has_loss && (self->is_holding || !grows(self, num_pipelines))) {
        return;
    }
    if (setting->growth == TWIN_GROWS_NEVER && was_running) {
        num_pipelines = SMALLER(num_pipelines, self->num_pipelines);
    }
    decision->is_new = true;
    decision->num_pipelines = (int32_t) num_pipelines;
    decision->num_active = (int32_t) (num_pipelines * setting->pipeline_depth);
    decision->work = SPOT_WORK_ROLLED_BACK;
    decision->reconfiguration_ms =
        setting->reconfiguration_ms + (has_loss ? setting->detection_ms : 0);
    decision->reload_ms = setting->reload_ms;
    if (setting->saves_before_growth && !has_loss && was_running) {
        decision->work = SPOT_WORK_STEPS_KEPT;
        if (twin_is_training(self) || self->phase == FLUSHING) {
            decision->flush_ms = full_checkpoint_ms(self);
        }
    }
}

/* The first announced preemption of those whom the decision has in use. */
static int64_t first_deadline_ms(const twin_t *self, int64_t num_active)
{
    int64_t first_ms = NEVER;

    for (int64_t j = 0; j < num_active; j++) {
        const instance_t *instance = j < self->active.num
                                         ? &self->active.items[j]
                                         : &self->standby.items[j - self->active.num];

        if (instance->is_noticed) {
            first_ms = SMALLER(first_ms, instance->deadline_ms);
        }
    }
    return first_ms;
}

/* Whether no step is under way; *next_ms: the end of the next one. */
static bool is_between_steps(const twin_t *self, int64_t *next_ms)
{
    const bool is_stalled = twin_is_training(self) && self->phase != SPOT_JOB_TRAINING;

    *next_ms = self->phase_end_ms;
    if (!is_stalled) {
        return self->phase_end_ms - self->now_ms == self->step_ms;
    }
    *next_ms += self->step_ms - self->step_done_ms;
    *next_ms += self->phase == STALLED ? twin_wait_ms(self) : 0;
    return self->step_done_ms == 0;
}

static void save_and_hold(twin_t *self, spot_recovery_decision_t *decision)
{
    *decision = (spot_recovery_decision_t){.is_new = true,
        .notes = SPOT_NOTE_SAME_PIPELINES,
        .work = SPOT_WORK_STEPS_KEPT,
        .num_active = (int32_t) self->active.num,
        .flush_ms = full_checkpoint_ms(self)};
    self->is_holding = true;
}

/* At the end of each step: is there time for one more and for a checkpoint? If there is
 * for the checkpoint alone, it is written, and the job waits. */
static void save_in_time(twin_t *self, spot_recovery_decision_t *decision)
{
    const bool is_new = decision->is_new;
    const int64_t deadline_ms =
        first_deadline_ms(self, is_new ? decision->num_active : self->active.num);
    const int64_t last_ms = deadline_ms - full_checkpoint_ms(self);
    int64_t training_ms = self->training_ms, next_ms;

    if (is_new) {
        training_ms = self->now_ms;
        training_ms += self->now_ms > 0
                           ? decision->flush_ms + decision->reconfiguration_ms + decision->reload_ms
                           : 0;
    }
    if (deadline_ms == NEVER || (is_new ? decision->num_pipelines : self->num_pipelines) == 0) {
        return;
    }
    if (training_ms > self->now_ms) {
        decision->wake_ms = training_ms;
    } else if (!is_new && is_between_steps(self, &next_ms) && self->now_ms <= last_ms &&
               next_ms > last_ms) {
        save_and_hold(self, decision);
    } else {
        decision->wakes = SPOT_WAKE_STEP_END;
    }
}

static void checkpoint_decide(twin_t *self, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    form_pipelines(self, view, change->num_lost_active > 0, decision);
    self->is_holding &= !decision->is_new;
    if (self->setting->saves_on_notice && !self->is_holding) {
        save_in_time(self, decision);
    }
}

/* Step 4: asks for a decision. */
static void decide(twin_t *self, spot_change_kind_t kind)
{
    const twin_setting_t *setting = self->setting;
    const bool is_wake = kind == SPOT_CHANGE_WAKE;
    const spot_recovery_change_t change = {.kind = kind,
        .num_lost_active = is_wake ? 0 : self->num_lost,
        .num_ready = is_wake ? 0 : self->num_ready,
        .num_noticed = is_wake ? 0 : self->num_noticed,
        .deadline_ms = self->deadline_ms};
    const int64_t deadlines_ms[SPOT_NUM_ROLES] = {sum_deadlines_ms(&self->prepping),
        sum_deadlines_ms(&self->standby), sum_deadlines_ms(&self->active)};
    const spot_recovery_view_t view = {.now_ms = self->now_ms,
        .num_pipelines = self->num_pipelines,
        .num_active = (int32_t) self->active.num,
        .num_standby = (int32_t) self->standby.num,
        .num_prepping = (int32_t) self->prepping.num,
        .training_ms = self->training_ms};
    spot_recovery_decision_t decision = {0};

    if (setting->decide != NULL) {
        setting->decide(setting->script, &view, &change, deadlines_ms, &decision);
    } else {
        checkpoint_decide(self, &view, &change, &decision);
    }
    if (decision.is_new) {
        twin_carry_out(self, &decision);
    }
    if (decision.is_new || decision.wake_ms > 0 || decision.wakes == SPOT_WAKE_STEP_END) {
        self->wake_ms = decision.wake_ms > 0 ? decision.wake_ms : NEVER;
        self->wakes_at_step_end = decision.wakes == SPOT_WAKE_STEP_END;
        if (decision.is_new && decision.wakes == SPOT_WAKE_STEP_END &&
            self->training_ms > self->now_ms && self->training_ms != NEVER &&
            (self->now_ms == 0 ||
                decision.flush_ms + decision.reconfiguration_ms + decision.reload_ms ==
                    0)) { /* its loaders fill first */
            self->wakes_at_step_end = false;
            self->wake_ms = SMALLER(self->wake_ms, self->training_ms);
        }
    }
    twin_progress(self, self->now_ms); /* pauses of no length */
}

static void see_tick(twin_t *self)
{
    finish_preparation(self);
    see_events(self);
    see_notices(self);
    if (self->num_lost > 0 || self->num_ready > 0) {
        decide(self, SPOT_CHANGE_MEMBERSHIP);
    } else if (self->num_noticed > 0) {
        decide(self, SPOT_CHANGE_NOTICE);
    }
}

static void start(twin_t *self, const twin_setting_t *setting, const spot_trace_t *trace,
    spot_train_result_t *result)
{
    list_t *lists[3] = {&self->prepping, &self->standby, &self->active};

    assert(trace->initial <= setting->capacity);
    memset(self, 0, sizeof(*self));
    memset(result, 0, sizeof(*result));
    self->setting = setting;
    self->trace = trace;
    self->result = result;
    self->end_ms = setting->horizon_ms;
    self->training_ms = NEVER;
    self->wake_ms = NEVER;
    for (int j = 0; j < 3; j++) {
        lists[j]->items =
            calloc((size_t) (setting->capacity + setting->num_on_demand), sizeof(instance_t));
        assert(lists[j]->items != NULL);
    }
    for (int64_t j = 0; j < setting->num_on_demand; j++) {
        list_append(&self->prepping, (instance_t){ON_DEMAND, 0, NEVER, NEVER, false});
    }
    for (int32_t j = 0; j < trace->initial; j++) {
        list_append(&self->prepping, new_instance(self, trace->name_ids[j], 0));
    }
    result->initial = trace->initial + setting->num_on_demand;
    self->phase = SPOT_JOB_WAITING;
    self->phase_end_ms = NEVER;
}

static void finish(twin_t *self)
{
    spot_train_result_t *result = self->result;

    twin_end_job(self);
    result->horizon_ms = self->end_ms;
    result->is_past_trace_end = self->end_ms > self->trace->end_ms;
    free(self->prepping.items);
    free(self->standby.items);
    free(self->active.items);
}

void twin_run(const twin_setting_t *setting, const spot_trace_t *trace, spot_train_result_t *result)
{
    int64_t tick_ms = 0;
    twin_t self;

    start(&self, setting, trace, result);
    for (;;) {
        twin_progress(&self, tick_ms);
        if (self.now_ms >= self.end_ms) {
            break; /* the horizon, or the last step was kept */
        }
        if (self.wake_ms == self.now_ms) {
            self.wake_ms = NEVER;
            self.wakes_at_step_end = false;
            decide(&self, SPOT_CHANGE_WAKE);
        }
        if (tick_ms == self.now_ms) {
            see_tick(&self);
            tick_ms += setting->tick_ms;
        }
    }
    finish(&self);
}
