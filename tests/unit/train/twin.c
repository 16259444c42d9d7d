/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Visits every tick, every step end, every checkpoint and every end of a pause, each at
 * its millisecond. Read it from twin_run() at the bottom upwards. */
#include "twin.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NEVER INT64_MAX
#define STALLED SPOT_NUM_JOB_PHASES /* a phase of the twin alone */

typedef struct {
    int32_t name_id;
    int64_t ready_ms; /* when its preparation ends */
} instance_t;

typedef struct {
    int64_t num;
    instance_t *items; /* [num] in order of arrival */
} list_t;

/* A checkpoint that has started and is not durable yet. */
typedef struct {
    int64_t steps; /* that it captures, of the whole run */
    int64_t durable_ms;
} writing_t;

typedef struct {
    const twin_setting_t *setting;
    const spot_trace_t *trace;
    spot_train_result_t *result;
    int64_t now_ms;  /* all time before is charged */
    int64_t end_ms;  /* of the run: the horizon, or earlier */
    size_t event_id; /* of the next event of the trace */
    list_t prepping;
    list_t standby;
    list_t active;
    bool is_active_lost;  /* at this tick */
    int phase;            /* spot_job_phase_t, or STALLED */
    int64_t phase_end_ms; /* of the pause part, of the step under way or of the stall */
    int64_t world_size;
    int64_t step_ms;
    int64_t period_steps; /* step ends since the latest plan */
    int64_t open_ms;      /* training time that is neither durable nor lost yet */
    int num_writing;
    writing_t writing[2]; /* [num_writing] oldest first */
} twin_t;

#define SMALLER(a, b) ((a) < (b) ? (a) : (b))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))

/* ---- Ordered lists of instances ---- */

static void
list_append(list_t *list, instance_t instance)
{
    list->items[list->num++] = instance;
}

static instance_t
list_take(list_t *list, int64_t place)
{
    const instance_t instance = list->items[place];

    list->num--;
    memmove(&list->items[place], &list->items[place + 1],
        (size_t) (list->num - place) * sizeof(list->items[0]));
    return instance;
}

/* The place of a name, or -1. */
static int64_t
list_find(const list_t *list, int32_t name_id)
{
    for (int64_t place = 0; place < list->num; place++) {
        if (list->items[place].name_id == name_id) {
            return place;
        }
    }
    return -1;
}

static int64_t
population(const twin_t *self)
{
    return self->prepping.num + self->standby.num + self->active.num;
}

/* ---- Step time: linear between measured points, flat outside ---- */

static int64_t
step_time_ms(const twin_setting_t *setting, int64_t world_size)
{
    const spot_step_point_t *right = setting->points;
    const spot_step_point_t *end = setting->points + setting->num_points;
    int64_t width, sum, step_ms, rest;

    while (right < end && right->world_size < world_size) {
        right++;
    }
    if (right == end) {
        return end[-1].step_ms;
    }
    if (right == setting->points || right->world_size == world_size) {
        return right->step_ms;
    }
    width = right->world_size - right[-1].world_size;
    sum = right[-1].step_ms * (right->world_size - world_size) +
          right->step_ms * (world_size - right[-1].world_size);
    step_ms = sum / width;
    rest = sum % width;
    if (2 * rest > width || (2 * rest == width && step_ms % 2 == 1)) {
        step_ms++; /* ties to even */
    }
    return step_ms;
}

/* ---- The ledger: every instant of time is charged here and only here ---- */

static void
charge(twin_t *self, spot_share_t share, int64_t instances, int64_t time_ms)
{
    self->result->ledger.instance_ms[share] += instances * time_ms;
}

/* Every instance at every price that holds for a part of the time until then. */
static void
pay(twin_t *self, int64_t until_ms)
{
    const twin_setting_t *setting = self->setting;

    for (size_t j = 0; j < setting->num_prices; j++) {
        const int64_t start_ms = LARGER(self->now_ms, setting->prices[j].start_ms);
        const int64_t next_ms =
            j + 1 < setting->num_prices ? setting->prices[j + 1].start_ms : NEVER;
        const int64_t paid_ms = SMALLER(until_ms, next_ms) - start_ms;

        if (paid_ms > 0) {
            self->result->cost_usd += setting->prices[j].usd_per_h *
                                      (double) (population(self) * paid_ms) / 3600000;
        }
    }
}

static void
pass_time(twin_t *self, int64_t until_ms)
{
    static const spot_share_t shares[] = {
        [SPOT_JOB_RECONFIGURING] = SPOT_SHARE_RECONFIGURING,
        [SPOT_JOB_RELOADING] = SPOT_SHARE_RELOADING,
        [STALLED] = SPOT_SHARE_STALLED,
    };
    const int64_t time_ms = until_ms - self->now_ms;

    assert(time_ms >= 0);
    charge(self, SPOT_SHARE_PREPPING, self->prepping.num, time_ms);
    charge(self, SPOT_SHARE_STANDBY, self->standby.num, time_ms);
    if (self->phase == SPOT_JOB_TRAINING) {
        self->open_ms += time_ms; /* charged when it is known what became of it */
    } else if (self->phase == SPOT_JOB_WAITING) {
        assert(self->active.num == 0);
    } else {
        charge(self, shares[self->phase], self->active.num, time_ms);
    }
    if (self->phase == STALLED) {
        self->result->stalled_ms += time_ms;
    }
    self->result->job_ms[self->phase == STALLED ? SPOT_JOB_TRAINING : self->phase] +=
        time_ms;
    self->result->ledger.population_ms += population(self) * time_ms;
    pay(self, until_ms);
    self->now_ms = until_ms;
}

/* What became of training time that was open. */
static void
settle(twin_t *self, spot_share_t share, int64_t time_ms)
{
    charge(self, share, self->world_size, time_ms);
    self->open_ms -= time_ms;
    assert(self->open_ms >= 0);
}

/* ---- The job in its own time ---- */

static int64_t
steps_kept(const twin_t *self)
{
    return self->result->steps_executed - self->result->steps_lost;
}

static void
start_phase(twin_t *self, int phase, int64_t time_ms)
{
    self->phase = phase;
    self->phase_end_ms = time_ms == NEVER ? NEVER : self->now_ms + time_ms;
}

static void
start_step(twin_t *self)
{
    start_phase(self, SPOT_JOB_TRAINING, self->step_ms);
}

/* Whether a checkpoint starts at the end of the step that has just ended. */
static bool
is_occasion(const twin_t *self)
{
    const spot_checkpoint_t *checkpoint = &self->setting->checkpoint;
    const bool is_free = self->num_writing == 0;
    int64_t every_steps = checkpoint->every_steps;

    if (checkpoint->every_kind == SPOT_EVERY_BACK_TO_BACK) {
        return is_free;
    }
    if (checkpoint->every_kind == SPOT_EVERY_DURATION) {
        every_steps = (checkpoint->every_ms + self->step_ms - 1) / self->step_ms;
    }
    return self->period_steps % every_steps == 0 &&
           (is_free || checkpoint->busy != SPOT_BUSY_SKIP);
}

/* Captures all steps so far; the job stalls and goes on at the right time. */
static void
start_checkpoint(twin_t *self)
{
    const spot_checkpoint_t *checkpoint = &self->setting->checkpoint;
    const int64_t free_ms = /* when the write before has ended */
        self->num_writing > 0 ? self->writing[0].durable_ms : self->now_ms;
    int64_t write_start_ms, resume_ms;

    if (checkpoint->mode == SPOT_CHECKPOINT_SYNC) {
        write_start_ms = self->now_ms;
        resume_ms = write_start_ms + checkpoint->write_ms;
    } else if (checkpoint->busy == SPOT_BUSY_JOIN) {
        write_start_ms = free_ms + checkpoint->snapshot_ms;
        resume_ms = write_start_ms;
    } else {
        write_start_ms = LARGER(self->now_ms + checkpoint->snapshot_ms, free_ms);
        resume_ms = write_start_ms;
    }
    assert(self->num_writing < 2);
    self->writing[self->num_writing++] = (writing_t){
        .steps = steps_kept(self),
        .durable_ms = write_start_ms + checkpoint->write_ms,
    };
    start_phase(self, STALLED, resume_ms - self->now_ms);
}

static void
end_checkpoint(twin_t *self)
{
    const writing_t done = self->writing[0];
    const int64_t new_steps = done.steps - self->result->steps_durable;

    self->writing[0] = self->writing[1];
    self->num_writing--;
    self->result->checkpoints_durable++;
    self->result->steps_durable = done.steps;
    settle(self, SPOT_SHARE_USEFUL, new_steps * self->step_ms);
}

static void
end_step(twin_t *self)
{
    self->result->steps_executed++;
    self->period_steps++;
    if (is_occasion(self)) {
        start_checkpoint(self);
    } else {
        start_step(self);
    }
    if (self->setting->until_steps > 0 &&
        steps_kept(self) == self->setting->until_steps) {
        self->result->is_finished = true;
        self->end_ms = self->now_ms;
    }
}

static void
end_phase(twin_t *self)
{
    if (self->phase == SPOT_JOB_RECONFIGURING) {
        start_phase(self, SPOT_JOB_RELOADING, self->setting->reload_ms);
    } else if (self->phase == SPOT_JOB_TRAINING) {
        end_step(self);
    } else { /* reloading or stalled */
        start_step(self);
    }
}

/* Step 1 of a tick: everything up to and including until_ms, in order of time. At one
 * instant a checkpoint becomes durable before a step or a pause ends. */
static void
progress(twin_t *self, int64_t until_ms)
{
    for (;;) {
        const int64_t limit_ms = SMALLER(until_ms, self->end_ms);
        const int64_t durable_ms =
            self->num_writing > 0 ? self->writing[0].durable_ms : NEVER;

        if (durable_ms <= limit_ms && durable_ms <= self->phase_end_ms) {
            pass_time(self, durable_ms);
            end_checkpoint(self);
        } else if (self->phase_end_ms <= limit_ms) {
            pass_time(self, self->phase_end_ms);
            end_phase(self);
        } else {
            pass_time(self, limit_ms);
            return;
        }
    }
}

/* Returns to the durable step and drops what is being written. */
static void
roll_back(twin_t *self)
{
    spot_train_result_t *result = self->result;

    if (self->phase != SPOT_JOB_TRAINING && self->phase != STALLED) {
        assert(self->num_writing == 0 && self->open_ms == 0);
        return;
    }
    result->rollbacks++;
    result->checkpoints_aborted += self->num_writing;
    self->num_writing = 0;
    result->steps_lost += steps_kept(self) - result->steps_durable;
    result->lost_ms += self->open_ms;
    settle(self, SPOT_SHARE_LOST, self->open_ms);
}

/* ---- The controller at a tick ---- */

/* Step 2: preparation that has ended. */
static void
finish_preparation(twin_t *self)
{
    while (self->prepping.num > 0 && self->prepping.items[0].ready_ms <= self->now_ms) {
        list_append(&self->standby, list_take(&self->prepping, 0));
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
            self->is_active_lost |= (lists[j] == &self->active);
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

static void
see_instance(twin_t *self, spot_event_kind_t kind, int32_t name_id)
{
    spot_train_result_t *result = self->result;

    if (kind == SPOT_EVENT_ADD) {
        if (population(self) == self->setting->capacity) {
            result->clipped++;
            return;
        }
        list_append(&self->prepping,
            (instance_t){name_id, self->now_ms + self->setting->preparation_ms});
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

    self->is_active_lost = false;
    while (self->event_id < trace->num_events &&
           trace->events[self->event_id].time_ms <= self->now_ms) {
        const spot_event_t *event = &trace->events[self->event_id++];

        for (int32_t j = 0; j < event->count; j++) {
            see_instance(self, event->kind, event->name_ids[j]);
        }
    }
    self->result->peak_instances =
        LARGER(self->result->peak_instances, population(self));
}

/* Exactly room instances become active: from the front of standby, or back to its end.
 */
static void
form_pipelines(twin_t *self, int64_t room)
{
    while (self->active.num > room) {
        list_append(&self->standby, list_take(&self->active, room));
    }
    while (self->active.num < room) {
        list_append(&self->active, list_take(&self->standby, 0));
    }
}

/* Step 4: new pipelines if an active instance was lost or a pipeline can be gained. */
static void
decide(twin_t *self)
{
    const twin_setting_t *setting = self->setting;
    const int64_t ready = self->active.num + self->standby.num;
    const int64_t room =
        setting->pipeline_depth *
        SMALLER(ready / setting->pipeline_depth, setting->max_pipelines);

    if (!self->is_active_lost && room <= self->active.num) {
        return;
    }
    roll_back(self);
    form_pipelines(self, room);
    self->world_size = room;
    self->period_steps = 0;
    if (room > 0) {
        self->step_ms = step_time_ms(setting, room);
        self->result->has_flat_step_time |=
            room < setting->points[0].world_size ||
            room > setting->points[setting->num_points - 1].world_size;
    }
    if (self->now_ms == 0) {
        start_step(self); /* the first pipelines are free */
        return;
    }
    self->result->reconfigurations++;
    if (room == 0) {
        start_phase(self, SPOT_JOB_WAITING, NEVER);
    } else {
        start_phase(self, SPOT_JOB_RECONFIGURING,
            setting->reconfiguration_ms +
                (self->is_active_lost ? setting->detection_ms : 0));
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
    for (int j = 0; j < 3; j++) {
        lists[j]->items = calloc((size_t) setting->capacity, sizeof(instance_t));
        assert(lists[j]->items != NULL);
    }
    for (int32_t j = 0; j < trace->initial; j++) {
        list_append(&self->standby, (instance_t){trace->name_ids[j], 0});
    }
    result->initial = trace->initial;
    start_phase(self, SPOT_JOB_WAITING, NEVER);
}

static void
finish(twin_t *self)
{
    spot_train_result_t *result = self->result;

    settle(self, result->is_finished ? SPOT_SHARE_USEFUL : SPOT_SHARE_UNSAVED,
        self->open_ms);
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
    twin_t self;

    start(&self, setting, trace, result);
    for (int64_t tick_ms = 0; tick_ms < self.end_ms; tick_ms += setting->tick_ms) {
        progress(&self, tick_ms);
        if (tick_ms >= self.end_ms) {
            break; /* the last step was kept just before */
        }
        finish_preparation(&self);
        see_events(&self);
        decide(&self);
    }
    progress(&self, self.end_ms);
    finish(&self);
}
