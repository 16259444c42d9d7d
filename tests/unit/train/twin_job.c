/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_job.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t twin_population(const twin_t *self)
{
    return self->prepping.num + self->standby.num + self->active.num;
}

/* ---- Step time ---- */

static int64_t nearest(int64_t sum, int64_t width)
{
    const int64_t rest = sum % width, whole = sum / width;

    if (2 * rest > width || (2 * rest == width && whole % 2 == 1)) {
        return whole + 1; /* ties to even */
    }
    return whole;
}

int64_t twin_step_time_ms(const twin_setting_t *setting, int64_t world_size)
{
    const spot_step_point_t *right = setting->points;
    const spot_step_point_t *end = setting->points + setting->num_points;
    int64_t width, sum;

    while (right < end && right->world_size < world_size) {
        right++;
    }
    if (right == end) {
        return end[-1].step_ms;
    }
    if (right->world_size == world_size || (right == setting->points && setting->is_flat_below)) {
        return right->step_ms;
    }
    if (right == setting->points) { /* the work of so many, shared by fewer */
        return nearest(right->step_ms * right->world_size, world_size);
    }
    width = right->world_size - right[-1].world_size;
    sum = right[-1].step_ms * (right->world_size - world_size) +
          right->step_ms * (world_size - right[-1].world_size);
    return nearest(sum, width);
}

/* ---- The ledger: every instant of time is charged here and only here ---- */

static void charge(twin_t *self, spot_share_t share, int64_t instances, int64_t time_ms)
{
    self->result->ledger.instance_ms[share] += instances * time_ms;
}

/* Every instance at every price that holds for a part of the time until then. */
static void pay(twin_t *self, int64_t until_ms)
{
    const twin_setting_t *setting = self->setting;
    const int64_t num_spot = twin_population(self) - setting->num_on_demand;

    self->result->cost_usd += setting->on_demand_usd_per_h *
                              (double) (setting->num_on_demand * (until_ms - self->now_ms)) /
                              3600000;
    for (size_t j = 0; j < setting->num_prices; j++) {
        const int64_t start_ms = LARGER(self->now_ms, setting->prices[j].start_ms);
        const int64_t next_ms =
            j + 1 < setting->num_prices ? setting->prices[j + 1].start_ms : NEVER;
        const int64_t paid_ms = SMALLER(until_ms, next_ms) - start_ms;

        if (paid_ms > 0) {
            self->result->cost_usd +=
                setting->prices[j].usd_per_h * (double) (num_spot * paid_ms) / 3600000;
        }
    }
}

static void pass_time(twin_t *self, int64_t until_ms)
{
    static const spot_share_t shares[] = {
        [SPOT_JOB_RECONFIGURING] = SPOT_SHARE_RECONFIGURING,
        [SPOT_JOB_RELOADING] = SPOT_SHARE_RELOADING,
        [STALLED] = SPOT_SHARE_STALLED,
        [LOADING] = SPOT_SHARE_STALLED,
        [FLUSHING] = SPOT_SHARE_STALLED,
        [HELD] = SPOT_SHARE_RECONFIGURING,
    };
    static const spot_job_phase_t phases[] = {SPOT_JOB_WAITING, SPOT_JOB_RECONFIGURING,
        SPOT_JOB_RELOADING,
        SPOT_JOB_TRAINING, [STALLED] = SPOT_JOB_TRAINING, [LOADING] = SPOT_JOB_TRAINING,
        [FLUSHING] = SPOT_JOB_TRAINING, [HELD] = SPOT_JOB_RECONFIGURING};
    const int64_t time_ms = until_ms - self->now_ms;

    assert(time_ms >= 0);
    charge(self, SPOT_SHARE_PREPPING, self->prepping.num, time_ms);
    charge(self, SPOT_SHARE_STANDBY, self->standby.num, time_ms);
    if (self->phase == SPOT_JOB_TRAINING) { /* charged when it is known what became */
        self->begun.instance_ms += self->active.num * time_ms;
        self->begun.job_ms += time_ms;
        self->step_done_ms += time_ms;
    } else if (self->phase == SPOT_JOB_WAITING) {
        assert(self->active.num == 0);
    } else {
        charge(self, shares[self->phase], self->active.num, time_ms);
    }
    if (self->phase == STALLED || self->phase == LOADING || self->phase == FLUSHING) {
        self->result->stalled_ms += time_ms;
    }
    if (self->phase == LOADING) {
        self->result->input_stalled_ms += time_ms;
        self->result->input_stalled_instance_ms += self->active.num * time_ms;
    }
    self->result->job_ms[phases[self->phase]] += time_ms;
    if (phases[self->phase] == SPOT_JOB_TRAINING && self->is_unmeasured) {
        self->result->unmeasured_ms += time_ms;
    }
    self->result->ledger.population_ms += twin_population(self) * time_ms;
    pay(self, until_ms);
    self->now_ms = until_ms;
}

/* What became of the work on a step. */
static void settle(twin_t *self, spot_share_t share, work_t *work)
{
    charge(self, share, 1, work->instance_ms);
    if (share == SPOT_SHARE_LOST) {
        self->result->lost_ms += work->job_ms;
    }
    *work = (work_t){0};
}

/* The oldest steps that ended are durable. */
static void save_steps(twin_t *self, int64_t num_steps)
{
    for (int64_t j = 0; j < num_steps; j++) {
        settle(self, SPOT_SHARE_USEFUL, &self->open[j]);
    }
    self->num_open -= num_steps;
    for (int64_t j = 0; j < self->num_open; j++) {
        self->open[j] = self->open[j + num_steps];
    }
    self->result->steps_durable += num_steps;
    self->result->checkpoints_durable++;
}

static void lose_latest_step(twin_t *self)
{
    settle(self, SPOT_SHARE_LOST, &self->open[--self->num_open]);
    self->result->steps_lost++;
}

static void lose_step_under_way(twin_t *self)
{
    settle(self, SPOT_SHARE_LOST, &self->begun);
    self->carried_ms = 0;
}

/* ---- The job in its own time ---- */

static int64_t steps_kept(const twin_t *self)
{
    return self->result->steps_executed - self->result->steps_lost;
}

static void start_phase(twin_t *self, int phase, int64_t time_ms)
{
    self->phase = phase;
    self->phase_end_ms = time_ms == NEVER ? NEVER : self->now_ms + time_ms;
}

static void start_step(twin_t *self, int64_t done_ms)
{
    self->step_done_ms = done_ms;
    start_phase(self, SPOT_JOB_TRAINING, self->step_ms - done_ms);
}

/* The wait for its data goes before the work. */
static void await_step(twin_t *self, int64_t done_ms)
{
    const int64_t wait_ms = twin_wait_ms(self);

    if (wait_ms > 0) {
        self->step_done_ms = done_ms;
        start_phase(self, LOADING, wait_ms);
    } else {
        start_step(self, done_ms);
    }
}

bool twin_is_training(const twin_t *self)
{
    return self->phase == SPOT_JOB_TRAINING || self->phase == STALLED || self->phase == LOADING;
}

/* Steps between two occasions for a checkpoint. */
static int64_t steps_between(const twin_t *self)
{
    const spot_checkpoint_t *checkpoint = &self->setting->checkpoint;

    if (checkpoint->every_kind == SPOT_EVERY_DURATION) {
        return (checkpoint->every_ms + self->step_ms - 1) / self->step_ms;
    }
    if (checkpoint->every_kind == SPOT_EVERY_AUTO && checkpoint->mode == SPOT_CHECKPOINT_ASYNC) {
        return LARGER(1, (checkpoint->write_ms + self->step_ms - 1) / self->step_ms);
    }
    return checkpoint->every_kind == SPOT_EVERY_STEPS ? checkpoint->every_steps : 1;
}

/* Step ends until the first checkpoint of a training, of which a part of the first step
 * is done: the work since the latest checkpoint counts, and at least one has to end. */
static int64_t steps_to_first(const twin_t *self)
{
    const spot_checkpoint_t *checkpoint = &self->setting->checkpoint;
    int64_t steps = 1, work_ms = self->begun.job_ms + self->step_ms - self->step_done_ms;

    if (checkpoint->every_kind == SPOT_EVERY_STEPS || checkpoint->every_kind == SPOT_EVERY_AUTO) {
        return LARGER(1, steps_between(self) - self->num_open);
    }
    for (int64_t j = 0; j < self->num_open; j++) {
        work_ms += self->open[j].job_ms;
    }
    if (checkpoint->every_kind == SPOT_EVERY_DURATION && work_ms < checkpoint->every_ms) {
        steps += (checkpoint->every_ms - work_ms + self->step_ms - 1) / self->step_ms;
    }
    return steps;
}

/* The step under way as part of a step of another length: the same part to half a
 * millisecond, which is as near as whole milliseconds come, but at least 1 ms is left.
 */
static int64_t carry_over_ms(const twin_t *self)
{
    const double part = (double) self->carried_ms / (double) self->carried_of_ms;
    const int64_t head_ms = llround(part * (double) self->step_ms);

    assert(2 * llabs(head_ms * self->carried_of_ms - self->carried_ms * self->step_ms) <=
           self->carried_of_ms);
    return SMALLER(head_ms, self->step_ms - 1);
}

static void start_training(twin_t *self)
{
    self->input.is_filled = true;
    await_step(self, self->carried_ms > 0 ? carry_over_ms(self) : 0);
    self->due_steps = steps_to_first(self);
}

/* Whether a checkpoint starts at the end of the step that has just ended. */
static bool is_occasion(twin_t *self)
{
    const spot_checkpoint_t *checkpoint = &self->setting->checkpoint;
    const bool is_free = self->num_writing == 0;

    if (checkpoint->every_kind == SPOT_EVERY_BACK_TO_BACK) {
        return is_free;
    }
    self->due_steps--;
    if (self->due_steps > 0) {
        return false;
    }
    self->due_steps = steps_between(self);
    return is_free || checkpoint->busy != SPOT_BUSY_SKIP;
}

/* Captures all steps so far; the job stalls and goes on at the right time. */
static void start_checkpoint(twin_t *self)
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

static void end_checkpoint(twin_t *self)
{
    const int64_t num_steps = self->writing[0].steps - self->result->steps_durable;

    self->writing[0] = self->writing[1];
    self->num_writing--;
    save_steps(self, num_steps);
}

static void end_step(twin_t *self)
{
    if (self->num_open == self->max_open) {
        self->max_open = 2 * self->max_open + 64;
        self->open = realloc(self->open, (size_t) self->max_open * sizeof(self->open[0]));
        assert(self->open != NULL);
    }
    self->begun.decision_id = self->decision_id;
    self->open[self->num_open++] = self->begun;
    self->begun = (work_t){0};
    self->step_done_ms = 0;
    self->result->steps_executed++;
    self->num_ended++;
    twin_use_data(self);
    if (self->wakes_at_step_end) {
        self->wake_ms = self->now_ms;
    }
    if (is_occasion(self)) {
        start_checkpoint(self);
    } else {
        await_step(self, 0);
    }
    if (self->setting->until_steps > 0 && steps_kept(self) == self->setting->until_steps) {
        self->result->is_finished = true;
        self->end_ms = self->now_ms;
    }
}

static void end_phase(twin_t *self)
{
    if (self->phase == FLUSHING) {
        save_steps(self, self->num_open);
        start_phase(self, SPOT_JOB_RECONFIGURING, self->reconfiguration_ms);
    } else if (self->phase == SPOT_JOB_RECONFIGURING) {
        start_phase(self, SPOT_JOB_RELOADING, self->reload_ms);
    } else if (self->phase == SPOT_JOB_TRAINING) {
        end_step(self);
    } else if (self->phase == STALLED) {
        await_step(self, 0);
    } else if (self->phase == LOADING) {
        start_step(self, self->step_done_ms);
    } else if (self->num_pipelines > 0) { /* reloading */
        start_training(self);
    } else {
        start_phase(self, HELD, NEVER);
    }
}

/* Step 1 of a tick: everything up to and including until_ms, in order of time. At one
 * instant a checkpoint becomes durable before a step or a pause ends. */
void twin_progress(twin_t *self, int64_t until_ms)
{
    for (;;) {
        const int64_t stop_ms = SMALLER(self->wake_ms, self->end_ms);
        const int64_t limit_ms = SMALLER(until_ms, stop_ms);
        const int64_t durable_ms = self->num_writing > 0 ? self->writing[0].durable_ms : NEVER;

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

/* ---- A new decision ---- */

/* Returns to the durable step. */
static void roll_back(twin_t *self)
{
    if (!twin_is_training(self) && self->num_open == 0 && self->begun.job_ms == 0) {
        return;
    }
    self->result->rollbacks++;
    while (self->num_open > 0) {
        lose_latest_step(self);
    }
    lose_step_under_way(self);
}

/* Of the steps since training started, whole multiples of every are safe. */
static void lose_latest_steps(twin_t *self, int64_t every)
{
    while (self->num_ended % every != 0 && self->num_open > 0 &&
           self->open[self->num_open - 1].decision_id == self->decision_id) {
        lose_latest_step(self);
        self->num_ended--;
    }
}

static void settle_work(twin_t *self, const spot_recovery_decision_t *decision)
{
    self->result->checkpoints_aborted += self->num_writing;
    self->result->checkpoints_aborted += self->phase == FLUSHING;
    self->num_writing = 0;
    if (twin_is_training(self)) {
        self->carried_ms = self->step_done_ms;
        self->carried_of_ms = self->step_ms;
    }
    if (decision->work == SPOT_WORK_ROLLED_BACK) {
        roll_back(self);
    } else if (decision->work == SPOT_WORK_STEPS_KEPT) {
        if (decision->kept_every_steps > 0) {
            lose_latest_steps(self, decision->kept_every_steps);
        }
        lose_step_under_way(self);
    }
}

/* The first of standby that may be preempted, or its end. */
static int64_t first_spot(const list_t *standby)
{
    int64_t place = 0;

    while (place < standby->num && standby->items[place].name_id == ON_DEMAND) {
        place++;
    }
    return place;
}

/* Exactly room instances become active: from the front of standby, or back to its end;
 * but those on demand stand before all others. */
static void set_active(twin_t *self, int64_t room)
{
    while (self->active.num > room) {
        const instance_t instance = list_take(&self->active, room);

        if (instance.name_id == ON_DEMAND) {
            list_insert(&self->standby, first_spot(&self->standby), instance);
        } else {
            list_append(&self->standby, instance);
        }
    }
    while (self->active.num < room) {
        list_append(&self->active, list_take(&self->standby, 0));
    }
}

/* Whoever has been announced goes behind all of standby. */
static void put_noticed_last(twin_t *self)
{
    list_t *lists[2] = {&self->active, &self->standby};
    const int64_t nums[2] = {self->active.num, self->standby.num};

    for (int j = 0; j < 2; j++) {
        for (int64_t left = nums[j], place = 0; left > 0; left--) {
            if (lists[j]->items[place].is_noticed) {
                list_append(&self->standby, list_take(lists[j], place));
            } else {
                place++;
            }
        }
    }
}

static void settle_step_time(twin_t *self, const spot_recovery_decision_t *decision)
{
    const twin_setting_t *setting = self->setting;
    const int64_t world_size = decision->num_pipelines * setting->pipeline_depth;

    self->step_ms = decision->step_ms;
    self->is_unmeasured =
        decision->num_pipelines > 0 && spot_decision_notes(decision, SPOT_NOTE_STEP_FLAT);
    if (decision->num_pipelines > 0 && decision->step_ms == 0) {
        self->step_ms = twin_step_time_ms(setting, world_size);
        self->is_unmeasured = world_size < setting->points[0].world_size ||
                              world_size > setting->points[setting->num_points - 1].world_size;
        self->result->has_flat_step_time |= self->is_unmeasured;
    }
}

void twin_carry_out(twin_t *self, const spot_recovery_decision_t *decision)
{
    const bool is_free = self->now_ms == 0 || decision->num_active == 0;
    int64_t num_survived;

    settle_work(self, decision);
    if (decision->takes_noticed_last) {
        put_noticed_last(self);
    }
    num_survived = self->active.num; /* those that stay before others are taken */
    set_active(self, decision->num_active);
    settle_step_time(self, decision);
    self->decision_id++;
    self->num_ended = 0;
    self->num_pipelines = decision->num_pipelines;
    self->reconfiguration_ms = is_free ? 0 : decision->reconfiguration_ms;
    self->reload_ms = is_free ? 0 : decision->reload_ms;
    self->reload_ms += twin_begin_loading(
        self, decision, num_survived, self->reconfiguration_ms + self->reload_ms);
    self->training_ms = NEVER;
    if (decision->num_pipelines > 0) {
        self->training_ms = self->now_ms + (is_free ? 0 : decision->flush_ms) +
                            self->reconfiguration_ms + self->reload_ms;
    }
    self->result->reconfigurations +=
        self->now_ms > 0 && !spot_decision_notes(decision, SPOT_NOTE_SAME_PIPELINES);
    if (decision->num_active == 0) {
        start_phase(self, SPOT_JOB_WAITING, NEVER);
    } else if (decision->flush_ms > 0 && !is_free) {
        start_phase(self, FLUSHING, decision->flush_ms);
    } else {
        start_phase(self, SPOT_JOB_RECONFIGURING, self->reconfiguration_ms);
    }
}

void twin_end_job(twin_t *self)
{
    const spot_share_t share = self->result->is_finished ? SPOT_SHARE_USEFUL : SPOT_SHARE_UNSAVED;

    for (int64_t j = 0; j < self->num_open; j++) {
        settle(self, share, &self->open[j]);
    }
    settle(self, share, &self->begun);
    free(self->open);
}
