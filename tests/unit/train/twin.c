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
static void
finish_preparation(twin_t *self)
{
    self->num_ready = 0;
    while (self->prepping.num > 0 && self->prepping.items[0].ready_ms <= self->now_ms) {
        list_append(&self->standby, list_take(&self->prepping, 0));
        self->num_ready++;
    }
}

static bool
remove_instance(twin_t *self, int32_t name_id)
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

static void
count_preemption(twin_t *self)
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

static int64_t
tick_at_or_after(const twin_t *self, int64_t time_ms)
{
    const int64_t tick_ms = self->setting->tick_ms;

    return (time_ms + tick_ms - 1) / tick_ms * tick_ms;
}

/* Whether an event is about an instance. */
static bool
names(const spot_event_t *event, int32_t name_id)
{
    for (int32_t j = 0; j < event->count; j++) {
        if (event->name_ids[j] == name_id) {
            return true;
        }
    }
    return false;
}

/* An instance that comes now; what will become of it is the next event about it. */
static instance_t
new_instance(const twin_t *self, int32_t name_id, int64_t ready_ms)
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

static void
see_instance(twin_t *self, spot_event_kind_t kind, int32_t name_id)
{
    spot_train_result_t *result = self->result;

    if (kind == SPOT_EVENT_ADD) {
        if (twin_population(self) - self->setting->num_on_demand ==
            self->setting->capacity) {
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
static void
see_events(twin_t *self)
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
    self->result->peak_instances =
        LARGER(self->result->peak_instances, twin_population(self));
}

/* Preemptions that are to be announced now. */
static void
see_notices(twin_t *self)
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
static int64_t
sum_deadlines_ms(const list_t *list)
{
    int64_t sum_ms = 0;

    for (int64_t j = 0; j < list->num; j++) {
        if (list->items[j].is_noticed) {
            sum_ms += list->items[j].deadline_ms;
        }
    }
    return sum_ms;
}

/* New pipelines if an active instance was lost or a pipeline can be gained. */
static void
checkpoint_decide(const twin_t *self, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_plan_t *plan)
{
    const twin_setting_t *setting = self->setting;
    const int64_t usable = view->num_active + view->num_standby;
    const int64_t num_pipelines =
        SMALLER(usable / setting->pipeline_depth, setting->max_pipelines);

    plan->num_pipelines = (int32_t) num_pipelines;
    plan->num_active = (int32_t) (num_pipelines * setting->pipeline_depth);
    plan->is_new = change->num_lost_active > 0 || plan->num_active > view->num_active;
    plan->work = SPOT_WORK_ROLLED_BACK;
    plan->reconfiguration_ms = setting->reconfiguration_ms +
                               (change->num_lost_active > 0 ? setting->detection_ms : 0);
    plan->reload_ms = setting->reload_ms;
}

/* Step 4: asks for a plan. */
static void
decide(twin_t *self, spot_change_kind_t kind)
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
    spot_recovery_plan_t plan = {0};

    if (setting->decide != NULL) {
        setting->decide(setting->script, &view, &change, deadlines_ms, &plan);
    } else {
        checkpoint_decide(self, &view, &change, &plan);
    }
    if (plan.is_new) {
        twin_carry_out(self, &plan);
    }
    if (plan.is_new || plan.wake_ms > 0 || plan.wakes_at_step_end) {
        self->wake_ms = plan.wake_ms > 0 ? plan.wake_ms : NEVER;
        self->wakes_at_step_end = plan.wakes_at_step_end;
    }
    twin_progress(self, self->now_ms); /* pauses of no length */
}

static void
see_tick(twin_t *self)
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

static void
start(twin_t *self, const twin_setting_t *setting, const spot_trace_t *trace,
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
        lists[j]->items = calloc(
            (size_t) (setting->capacity + setting->num_on_demand), sizeof(instance_t));
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

static void
finish(twin_t *self)
{
    spot_train_result_t *result = self->result;

    twin_end_job(self);
    result->horizon_ms = self->end_ms;
    result->is_past_trace_end = self->end_ms > self->trace->end_ms;
    free(self->prepping.items);
    free(self->standby.items);
    free(self->active.items);
}

void
twin_run(const twin_setting_t *setting, const spot_trace_t *trace,
    spot_train_result_t *result)
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
