/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/job/episode.h"

#include <math.h>

#include "base/integers.h"
#include "models/checkpoint.h"
#include "sim/train/job/feed.h"
#include "sim/train/job/run_log.h"

/* Whether training has started in the episode. */
static inline bool episode_has_trained(const spot_train_t *self)
{
    return self->now_ms >= self->episode.training_ms;
}

/* ---- What is asked about an episode ---- */

/* What a recovery system sees of the steps of an episode, and when it is asked next. */

/* The end of the step under way, or of the next step during the stall of a checkpoint.
 * INT64_MAX: no training. */
static int64_t step_end_ms(const spot_train_t *self)
{
    const spot_episode_t *episode = &self->episode;
    int64_t elapsed_ms = self->now_ms - episode->training_ms + episode->head_ms;
    int64_t steps;

    if (episode->cycle == NULL) {
        return INT64_MAX;
    }
    steps = elapsed_ms <= 0 ? 0 : spot_cycle_progress(episode->cycle, elapsed_ms).steps;
    elapsed_ms = spot_cycle_step_end_ms(episode->cycle, steps + 1);
    return elapsed_ms == INT64_MAX ? INT64_MAX
                                   : episode->training_ms + elapsed_ms - episode->head_ms;
}

SPOT_NOINLINE void spot_episode_view_steps(const spot_train_t *self, spot_recovery_view_t *view)
{
    const spot_episode_t *episode = &self->episode;

    view->step_end_ms = step_end_ms(self);
    view->is_between_steps = false;
    if (episode->cycle != NULL && episode_has_trained(self)) {
        const int64_t elapsed_ms = self->now_ms - episode->training_ms + episode->head_ms;
        const spot_progress_t progress = spot_cycle_progress(episode->cycle, elapsed_ms);

        view->is_between_steps =
            elapsed_ms - progress.stalled_ms == progress.steps * episode->cycle->step_ms;
    }
}

int64_t spot_episode_wake_ms(const spot_train_t *self, const spot_recovery_decision_t *decision)
{
    int64_t wake_ms = decision->wake_ms > 0 ? decision->wake_ms : INT64_MAX;

    if (decision->wakes == SPOT_WAKE_STEP_END) {
        const bool expects_training =
            decision->is_new &&
            (self->now_ms == 0 ||
                decision->flush_ms + decision->reconfiguration_ms + decision->reload_ms == 0);
        const int64_t training_ms = self->episode.training_ms;
        /* The decision does not know that loaders fill first: ask again then. */
        const int64_t end_ms =
            expects_training && training_ms > self->now_ms ? training_ms : step_end_ms(self);

        wake_ms = end_ms < wake_ms ? end_ms : wake_ms;
    }
    spot_bug_assert(wake_ms > self->now_ms);
    return wake_ms;
}

/* ---- Episodes ---- */

/* The training of an episode; all 0 without training. */
typedef struct {
    spot_progress_t progress;
    int64_t ended_ms; /* of the job, for completed steps that are not durable */
    int64_t begun_ms; /* of the job, for the step under way */
    int64_t done_ms;  /* for the step under way, including earlier episodes */
} training_t;

/* ---- Records of an episode in the event log ---- */

/* The train must have a log; most runs have none, hence no inlining. A failed append sets
 * has_failed of the log. */

/* The most checkpoints of one episode that get a record each. */
#define MAX_CHECKPOINTS 10000

static void add_record(spot_train_t *train, int64_t time_ms, spot_log_kind_t kind,
    const int64_t values[SPOT_EVENT_VALUES])
{
    spot_event_log_add(train->log, time_ms, (int32_t) kind, values, NULL);
}

/* Gives pending work among the records [first, end) its category. */
static void settle_records(spot_train_t *train, size_t first, size_t end, spot_share_t share)
{
    for (size_t j = first; j < end; j++) {
        spot_log_record_t *record = &train->log->records[j];

        if (record->kind == SPOT_LOG_PHASE && record->values[0] == SPOT_SHARE_UNSAVED) {
            record->values[0] = (int64_t) share;
        }
    }
}

/* The category of all pending work. */
static SPOT_NOINLINE void log_settle(spot_train_t *train, spot_share_t share)
{
    settle_records(train, train->first_pending, train->log->num_records, share);
    train->first_pending = train->log->num_records;
    train->first_begun = SIZE_MAX;
}

/* The loss of the step under way alone. */
static SPOT_NOINLINE void log_lose_begun(spot_train_t *train)
{
    settle_records(train, train->first_begun, train->log->num_records, SPOT_SHARE_LOST);
    train->first_begun = SIZE_MAX;
}

/* Appends a stretch of the episode from start_ms, which ends at now_ms at the latest. */
static void add_phase(
    spot_train_t *train, int64_t start_ms, int64_t share, int64_t length_ms, int64_t stalled_ms)
{
    const int64_t left_ms = train->now_ms - start_ms;
    const int64_t phase_ms = length_ms < left_ms ? length_ms : left_ms;
    const int64_t values[SPOT_EVENT_VALUES] = {
        share, train->episode.world_size, phase_ms, stalled_ms < phase_ms ? stalled_ms : phase_ms};

    if (values[2] > 0) {
        add_record(train, start_ms, SPOT_LOG_PHASE, values);
    }
}

/* The waiting or the pauses of the episode that ends now. */
static SPOT_NOINLINE void log_pauses(spot_train_t *train)
{
    const spot_episode_t *episode = &train->episode;
    int64_t start_ms = episode->start_ms;

    if (episode->world_size == 0) {
        add_phase(train, start_ms, SPOT_NUM_SHARES, INT64_MAX, 0);
        return;
    }
    add_phase(train, start_ms, SPOT_SHARE_STALLED, episode->flush_ms, episode->flush_ms);
    start_ms += episode->flush_ms;
    add_phase(train, start_ms, SPOT_SHARE_RECONFIGURING, episode->reconfiguration_ms, 0);
    start_ms += episode->reconfiguration_ms;
    add_phase(train, start_ms, SPOT_SHARE_RELOADING, episode->reload_ms, 0);
    if (episode->cycle == NULL) {
        add_phase(train, start_ms + episode->reload_ms, SPOT_SHARE_RECONFIGURING, INT64_MAX, 0);
    }
}

/* Appends the durable checkpoints of the episode; their numbers start at before + 1. */
static void add_checkpoints(
    spot_train_t *train, int64_t num_durable, int64_t before, int64_t steps_before)
{
    const int64_t start_ms = train->episode.training_ms - train->episode.head_ms;
    const int64_t first = num_durable > MAX_CHECKPOINTS ? num_durable - MAX_CHECKPOINTS : 0;

    for (int64_t j = first; j < num_durable; j++) {
        int64_t steps;
        const int64_t time_ms = start_ms + spot_cycle_durable_ms(train->episode.cycle, j, &steps);
        const int64_t values[SPOT_EVENT_VALUES] = {
            before + j + 1, steps_before + steps, j == first ? first + 1 : 1};

        add_record(train, time_ms, SPOT_LOG_DURABLE, values);
    }
}

/* Appends the number of steps durable without a checkpoint before and after training. */
static void add_kept_steps(spot_train_t *train, int64_t num_steps, int64_t end_ms)
{
    const int64_t before = train->result.steps_executed - train->result.steps_lost;
    const int64_t first[SPOT_EVENT_VALUES] = {0, before, 0};
    const int64_t last[SPOT_EVENT_VALUES] = {0, before + num_steps, 0};

    add_record(train, train->episode.training_ms, SPOT_LOG_DURABLE, first);
    add_record(train, end_ms, SPOT_LOG_DURABLE, last);
}

/* The training of the episode that ends now, before it is counted. Work that is not
 * durable is unsaved until log_settle(). */
static SPOT_NOINLINE void log_training(spot_train_t *train, const spot_progress_t *progress)
{
    const spot_train_result_t *result = &train->result;
    const spot_cycle_t *cycle = train->episode.cycle;
    const int64_t start_ms = train->episode.training_ms;
    int64_t share = SPOT_SHARE_UNSAVED, captured_ms = 0, stalled_ms = 0;

    if (progress->steps > 0) {
        train->first_head = train->first_begun;
        train->first_begun = SIZE_MAX;
    }
    if (progress->durable_steps > 0) {
        const int64_t end_ms = spot_cycle_step_end_ms(cycle, progress->durable_steps);

        captured_ms = end_ms - train->episode.head_ms;
        stalled_ms = end_ms - progress->durable_steps * cycle->step_ms;
        log_settle(train, SPOT_SHARE_USEFUL);
        if (progress->durable == 0) {
            add_kept_steps(train, progress->durable_steps, start_ms + captured_ms);
        }
    }
    add_checkpoints(train, progress->durable, result->checkpoints_durable,
        result->steps_executed - result->steps_lost);
    add_phase(train, start_ms, SPOT_SHARE_USEFUL, captured_ms, stalled_ms);
    if (train->now_ms - start_ms - captured_ms == progress->stalled_ms - stalled_ms) {
        share = SPOT_SHARE_STALLED; /* without any work */
    }
    add_phase(train, start_ms + captured_ms, share, INT64_MAX, progress->stalled_ms - stalled_ms);
}

/* The same for a lossless recovery system. */
static SPOT_NOINLINE void log_lossless(spot_train_t *train, int64_t stalled_ms)
{
    const int64_t values[SPOT_EVENT_VALUES] = {0, train->result.steps_durable, 0};

    add_phase(train, train->episode.training_ms, SPOT_SHARE_USEFUL, INT64_MAX, stalled_ms);
    add_record(train, train->now_ms, SPOT_LOG_DURABLE, values);
}

/* Splits the step under way, on which the episode spent begun_ms, from the completed
 * steps. */
static SPOT_NOINLINE void log_begun(spot_train_t *train, int64_t begun_ms)
{
    const int64_t values[SPOT_EVENT_VALUES] = {
        SPOT_SHARE_UNSAVED, train->episode.world_size, begun_ms, 0};
    spot_log_record_t *last;

    if (begun_ms == 0) {
        return;
    }
    last = &train->log->records[train->log->num_records - 1];
    if (last->kind == SPOT_LOG_PHASE && last->values[2] > begun_ms) {
        last->values[2] -= begun_ms;
        add_record(train, train->now_ms - begun_ms, SPOT_LOG_PHASE, values);
    }
    if (train->first_begun == SIZE_MAX) {
        train->first_begun = train->log->num_records - 1;
    }
}

/* All completed steps are durable from time_ms on. */
static SPOT_NOINLINE void log_saved(spot_train_t *train, int64_t time_ms)
{
    const spot_train_result_t *result = &train->result;
    const int64_t values[SPOT_EVENT_VALUES] = {
        result->checkpoints_durable, result->steps_durable, 1};
    const size_t end =
        train->first_begun < train->log->num_records ? train->first_begun : train->log->num_records;

    settle_records(train, train->first_pending, end, SPOT_SHARE_USEFUL);
    train->first_pending = end;
    add_record(train, time_ms, SPOT_LOG_DURABLE, values);
}

static SPOT_NOINLINE void log_rollback(
    spot_train_t *train, int64_t steps_lost, int64_t lost_ms, int64_t num_aborted)
{
    const spot_train_result_t *result = &train->result;
    const int64_t values[SPOT_EVENT_VALUES] = {
        steps_lost, result->steps_durable, lost_ms, num_aborted};

    log_settle(train, SPOT_SHARE_LOST);
    add_record(train, train->now_ms, SPOT_LOG_ROLLBACK, values);
}

/* ---- Pending work ---- */

static void add_work(spot_work_time_t *self, int64_t job_ms, int64_t world_size)
{
    self->job_ms += job_ms;
    self->instance_ms += job_ms * world_size;
}

/* Moves time to a category of the ledger. Returns the job's time in it. */
static int64_t settle_work(spot_train_t *self, spot_work_time_t *work, spot_share_t share)
{
    const int64_t job_ms = work->job_ms;

    self->result.ledger.instance_ms[share] += work->instance_ms;
    *work = (spot_work_time_t){0};
    return job_ms;
}

/* The number of completed steps that are neither durable nor lost. */
static int64_t pending_steps(const spot_train_t *self)
{
    const spot_train_result_t *result = &self->result;

    return result->steps_executed - result->steps_lost - result->steps_durable;
}

static void lose_begun_step(spot_train_t *self)
{
    if (self->log != NULL) {
        log_lose_begun(self);
    }
    self->result.lost_ms += settle_work(self, &self->pending.begun, SPOT_SHARE_LOST);
    self->pending.step_fraction = 0;
}

/* Loses the pending work of earlier episodes. */
SPOT_NOINLINE static void lose_pending(spot_train_t *self)
{
    spot_pending_t *pending = &self->pending;

    self->result.lost_ms += settle_work(self, &pending->ended, SPOT_SHARE_LOST);
    self->result.lost_ms += settle_work(self, &pending->begun, SPOT_SHARE_LOST);
    *pending = (spot_pending_t){0};
}

static void roll_back(spot_train_t *self, const training_t *training, int64_t num_aborted)
{
    spot_train_result_t *result = &self->result;
    const spot_pending_t *pending = &self->pending;
    const int64_t steps_lost = pending_steps(self);
    const int64_t trained_ms = training->ended_ms + training->begun_ms;
    const int64_t lost_ms = result->lost_ms; /* so far */

    if (!episode_has_trained(self) && steps_lost == 0 && pending->begun.job_ms == 0) {
        return;
    }
    result->rollbacks++;
    result->steps_lost += steps_lost;
    result->lost_ms += trained_ms;
    result->ledger.instance_ms[SPOT_SHARE_LOST] += trained_ms * self->episode.world_size;
    if (pending->ended.job_ms + pending->begun.job_ms > 0) {
        lose_pending(self);
    }
    if (self->log != NULL) {
        log_rollback(self, steps_lost, result->lost_ms - lost_ms,
            training->progress.started - training->progress.durable + num_aborted);
    }
}

/* Loses the episode's steps after the last whole multiple of every, unless they are
 * durable. Returns whether all steps of the episode are lost. */
static bool lose_latest_steps(spot_train_t *self, training_t *training, int64_t every)
{
    const spot_episode_t *episode = &self->episode;
    const spot_progress_t *progress = &training->progress;
    const int64_t since_durable = progress->steps - progress->durable_steps;
    const int64_t since_copy = progress->steps % every;
    const int64_t num_steps = since_copy < since_durable ? since_copy : since_durable;
    int64_t job_ms;

    if (num_steps == 0) {
        return false;
    }
    job_ms =
        num_steps * episode->cycle->step_ms - (num_steps == progress->steps ? episode->head_ms : 0);
    training->ended_ms -= job_ms;
    training->begun_ms += job_ms;
    self->result.steps_lost += num_steps;
    return num_steps == progress->steps;
}

/* Moves the part of the episode's first step that earlier episodes did to the step under
 * way, which is lost next. */
static void lose_head(spot_train_t *self)
{
    spot_pending_t *pending = &self->pending;

    pending->ended.job_ms -= pending->head.job_ms;
    pending->ended.instance_ms -= pending->head.instance_ms;
    pending->begun.job_ms += pending->head.job_ms;
    pending->begun.instance_ms += pending->head.instance_ms;
    if (self->first_head != SIZE_MAX) {
        self->first_begun = self->first_head;
    }
}

/* Splits the step under way from the completed steps in the log: their categories may
 * differ. */
static void log_split(spot_train_t *self, const training_t *training)
{
    int64_t job_ms = training->begun_ms;

    if (episode_has_trained(self) && training->progress.steps == 0) {
        job_ms = self->now_ms - self->episode.training_ms;
    }
    log_begun(self, job_ms);
}

/* Adds the training that is neither durable nor lost to the pending work. */
static void add_pending(spot_train_t *self, const training_t *training)
{
    add_work(&self->pending.ended, training->ended_ms, self->episode.world_size);
    add_work(&self->pending.begun, training->begun_ms, self->episode.world_size);
}

/* Keeps completed steps that are not durable, and the step under way if the decision
 * says so. */
SPOT_NOINLINE static void keep_pending(
    spot_train_t *self, const spot_recovery_decision_t *decision, training_t training)
{
    bool is_head_lost = false;

    if (episode_has_trained(self) && self->episode.cycle != NULL) {
        self->pending.step_fraction =
            (double) training.done_ms / (double) self->episode.cycle->step_ms;
    }
    if (decision->work == SPOT_WORK_STEPS_KEPT && decision->kept_every_steps > 1) {
        is_head_lost = lose_latest_steps(self, &training, decision->kept_every_steps);
    }
    add_pending(self, &training);
    if (self->log != NULL) {
        log_split(self, &training);
    }
    if (is_head_lost) {
        lose_head(self);
    }
    if (decision->work != SPOT_WORK_KEPT) {
        lose_begun_step(self);
    }
}

/* Completed steps are durable from time_ms on. */
static void save_pending(spot_train_t *self, int64_t time_ms)
{
    spot_train_result_t *result = &self->result;

    result->steps_durable += pending_steps(self);
    (void) settle_work(self, &self->pending.ended, SPOT_SHARE_USEFUL);
    if (self->log != NULL) {
        log_saved(self, time_ms);
    }
}

/* Rolls the work so far back or keeps it, as the decision says. */
static void settle_pending(
    spot_train_t *self, const spot_recovery_decision_t *decision, const training_t *training)
{
    const spot_recovery_t *system = self->scenario->recovery.system;
    const spot_episode_t *episode = &self->episode;
    const bool has_failed = spot_decision_notes(decision, SPOT_NOTE_CHECKPOINT_FAILED);

    self->result.checkpoints_aborted +=
        training->progress.started - training->progress.durable + has_failed;
    if (self->now_ms < episode->start_ms + episode->flush_ms) {
        self->result.checkpoints_aborted++;
    }
    if (decision->work == SPOT_WORK_ROLLED_BACK) {
        roll_back(self, training, has_failed);
    } else {
        keep_pending(self, decision, *training);
        if (decision->work == SPOT_WORK_STEPS_SAVED) {
            self->result.checkpoints_durable += !has_failed;
            save_pending(self, self->now_ms);
        }
    }
    if (system->amend != NULL) {
        system->amend(self->scenario->recovery.options, self->recovery_state, &self->result);
    }
}

void spot_pending_end(spot_train_t *self)
{
    const spot_share_t share = self->result.is_finished ? SPOT_SHARE_USEFUL : SPOT_SHARE_UNSAVED;

    if (self->log != NULL) {
        log_settle(self, share);
    }
    settle_work(self, &self->pending.ended, share);
    settle_work(self, &self->pending.begun, share);
}

/* ---- Charging the time that has passed ---- */

/* Charges a pause to a phase of the job and a category of the ledger. Returns the time
 * that has passed after the pause. */
static int64_t charge_pause(spot_train_t *self, spot_job_phase_t phase, spot_share_t share,
    int64_t pause_ms, int64_t passed_ms)
{
    const int64_t charged_ms = passed_ms < pause_ms ? passed_ms : pause_ms;
    const int64_t world_size = self->episode.world_size;

    self->result.job_ms[phase] += charged_ms;
    self->result.ledger.instance_ms[share] += charged_ms * world_size;
    return passed_ms - charged_ms;
}

/* Charges the stall for a checkpoint before the other pauses. Returns the time that has
 * passed after it. */
SPOT_NOINLINE static int64_t charge_flush(spot_train_t *self, int64_t passed_ms)
{
    const int64_t flush_ms = self->episode.flush_ms;
    spot_train_result_t *result = &self->result;

    result->stalled_ms += passed_ms < flush_ms ? passed_ms : flush_ms;
    if (passed_ms >= flush_ms) {
        self->result.checkpoints_durable++;
        save_pending(self, self->episode.start_ms + flush_ms);
    }
    return charge_pause(self, SPOT_JOB_TRAINING, SPOT_SHARE_STALLED, flush_ms, passed_ms);
}

/* Charges durable training as useful, with all work that was pending before. The rest
 * goes to training. */
static void charge_work(spot_train_t *self, training_t *training, int64_t worked_ms)
{
    const spot_episode_t *episode = &self->episode;
    const spot_progress_t *progress = &training->progress;
    const int64_t step_ms = episode->cycle->step_ms;
    spot_pending_t *pending = &self->pending;
    int64_t ended_ms = 0;

    if (progress->steps > 0) {
        ended_ms = progress->steps * step_ms - episode->head_ms;
        worked_ms -= ended_ms;
        pending->ended.job_ms += pending->begun.job_ms;
        pending->ended.instance_ms += pending->begun.instance_ms;
        pending->head = pending->begun;
        pending->begun = (spot_work_time_t){0};
    }
    if (progress->durable_steps > 0) {
        const int64_t durable_ms = progress->durable_steps * step_ms - episode->head_ms;

        if (pending->ended.job_ms > 0) {
            (void) settle_work(self, &pending->ended, SPOT_SHARE_USEFUL);
        }
        self->result.ledger.instance_ms[SPOT_SHARE_USEFUL] += durable_ms * episode->world_size;
        ended_ms -= durable_ms;
    }
    training->ended_ms = ended_ms;
    training->begun_ms = worked_ms;
}

/* Charges stalls of the training, input_ms of them for data. */
static void charge_stalled(spot_train_t *self, int64_t stalled_ms, int64_t input_ms)
{
    const int64_t world_size = self->episode.world_size;
    spot_train_result_t *result = &self->result;

    result->stalled_ms += stalled_ms;
    result->input_stalled_ms += input_ms;
    result->ledger.instance_ms[SPOT_SHARE_STALLED] += stalled_ms * world_size;
    result->input_stalled_instance_ms += input_ms * world_size;
}

/* So many steps have been executed. */
static void feed_pass(spot_feed_t *self, int64_t num_steps)
{
    self->epoch_steps -= num_steps < self->epoch_steps ? num_steps : self->epoch_steps;
}

static training_t charge_training(spot_train_t *self, int64_t elapsed_ms)
{
    const spot_episode_t *episode = &self->episode;
    const int64_t since_step_ms = elapsed_ms + episode->head_ms;
    spot_train_result_t *result = &self->result;
    training_t training = {.progress = spot_cycle_progress(episode->cycle, since_step_ms)};
    spot_progress_t *progress = &training.progress;

    if (self->scenario->recovery.traits.keeps_steps) { /* no checkpoints */
        progress->started = 0;
        progress->durable = 0;
    }
    result->job_ms[SPOT_JOB_TRAINING] += elapsed_ms;
    charge_stalled(self, progress->stalled_ms, progress->input_ms);
    if (self->log != NULL) {
        log_training(self, progress);
    }
    result->steps_executed += progress->steps;
    feed_pass(&self->feed, progress->steps);
    if (progress->durable_steps > 0) {
        result->steps_durable += pending_steps(self) - progress->steps + progress->durable_steps;
    }
    result->checkpoints_durable += progress->durable;
    training.done_ms =
        since_step_ms - progress->stalled_ms - progress->steps * episode->cycle->step_ms;
    charge_work(self, &training, elapsed_ms - progress->stalled_ms);
    return training;
}

/* The time of each step of a lossless recovery system: in an epoch that fills caches all
 * steps of an episode wait as the first ones do. */
static int64_t lossless_period_ms(const spot_cycle_t *cycle)
{
    const spot_waits_t *waits = &cycle->waits;

    return cycle->step_ms + (!cycle->has_waits ? 0 : waits->wait_ms[waits->steps[1] > 0 ? 1 : 2]);
}

/* Charges the training of a lossless recovery system: it is useful at once, and the step
 * under way goes on in the next episode. */
SPOT_NOINLINE static void charge_lossless(spot_train_t *self, int64_t elapsed_ms)
{
    const spot_episode_t *episode = &self->episode;
    spot_train_result_t *result = &self->result;
    const int64_t period_ms = lossless_period_ms(episode->cycle);
    const double work = result->step_fraction + (double) elapsed_ms / (double) period_ms;
    const int64_t wait_ms = period_ms - episode->cycle->step_ms;
    const double rest_ms = (double) (elapsed_ms % period_ms);
    const int64_t stalled_ms = elapsed_ms / period_ms * wait_ms +
                               (int64_t) (rest_ms * (double) wait_ms / (double) period_ms);
    const spot_progress_t progress = {.steps = (int64_t) work};

    result->job_ms[SPOT_JOB_TRAINING] += elapsed_ms;
    result->steps_executed += progress.steps;
    charge_stalled(self, stalled_ms, stalled_ms);
    feed_pass(&self->feed, progress.steps);
    result->step_fraction = work - (double) progress.steps;
    if (result->is_finished && self->now_ms == self->end_ms) { /* despite rounding */
        result->steps_executed = self->goal_steps;
        result->step_fraction = 0;
    }
    result->steps_durable = result->steps_executed;
    result->ledger.instance_ms[SPOT_SHARE_USEFUL] +=
        (elapsed_ms - stalled_ms) * episode->world_size;
    if (self->log != NULL) {
        log_lossless(self, stalled_ms);
    }
}

/* Charges the episode up to now, but for unmeasured_ms. */
static training_t charge_episode(spot_train_t *self)
{
    const spot_episode_t *episode = &self->episode;
    training_t training = {.ended_ms = 0};
    int64_t passed_ms = self->now_ms - episode->start_ms;

    if (self->log != NULL) {
        log_pauses(self);
    }
    if (episode->world_size == 0) {
        self->result.job_ms[SPOT_JOB_WAITING] += passed_ms;
        return training;
    }
    if (episode->flush_ms > 0) {
        passed_ms = charge_flush(self, passed_ms);
    }
    passed_ms = charge_pause(self, SPOT_JOB_RECONFIGURING, SPOT_SHARE_RECONFIGURING,
        episode->reconfiguration_ms, passed_ms);
    passed_ms =
        charge_pause(self, SPOT_JOB_RELOADING, SPOT_SHARE_RELOADING, episode->reload_ms, passed_ms);
    if (self->result.first_training_ms < 0 && episode_has_trained(self)) {
        self->result.first_training_ms = episode->training_ms;
    }
    if (!episode_has_trained(self)) { /* without training the pause goes on */
        (void) charge_pause(
            self, SPOT_JOB_RECONFIGURING, SPOT_SHARE_RECONFIGURING, passed_ms, passed_ms);
    } else if (self->scenario->recovery.traits.is_lossless) {
        charge_lossless(self, passed_ms);
    } else {
        training = charge_training(self, passed_ms);
    }
    return training;
}

/* Charges the episode up to now. */
static training_t end_episode(spot_train_t *self)
{
    const int64_t trained_ms = self->result.job_ms[SPOT_JOB_TRAINING]; /* so far */
    const training_t training = charge_episode(self);

    if (self->episode.is_unmeasured) {
        self->result.unmeasured_ms += self->result.job_ms[SPOT_JOB_TRAINING] - trained_ms;
    }
    return training;
}

void spot_episode_end(spot_train_t *self)
{
    const training_t training = end_episode(self);

    add_pending(self, &training);
}

/* ---- The next episode ---- */

/* The training time until the job is finished; INT64_MAX: never. */
static int64_t finishing_ms(const spot_train_t *self)
{
    const spot_train_result_t *result = &self->result;
    const spot_episode_t *episode = &self->episode;
    const int64_t num_missing = self->goal_steps - (result->steps_executed - result->steps_lost);
    double missing_ms;

    if (!self->scenario->recovery.traits.is_lossless) {
        const int64_t end_ms = spot_cycle_step_end_ms(episode->cycle, num_missing);

        return end_ms == INT64_MAX ? end_ms : end_ms - episode->head_ms;
    }
    missing_ms = ceil(((double) num_missing - result->step_fraction) *
                      (double) lossless_period_ms(episode->cycle));
    return missing_ms < (double) INT64_MAX ? (int64_t) missing_ms : INT64_MAX;
}

/* Sets the end of the run: its horizon, or the step that finishes the job if that is
 * sooner. */
static void settle_end(spot_train_t *self)
{
    const spot_episode_t *episode = &self->episode;
    const spot_scenario_t *scenario = self->scenario;
    int64_t step_end_ms;

    self->end_ms = scenario->horizon_ms;
    self->result.is_finished = false;
    if (self->goal_steps == 0 || episode->cycle == NULL) {
        return;
    }
    step_end_ms = finishing_ms(self);
    if (step_end_ms <= scenario->horizon_ms - episode->training_ms) {
        self->end_ms = episode->training_ms + step_end_ms;
        self->result.is_finished = true;
    }
}

void spot_episode_set_goal(spot_train_t *self, int64_t num_steps)
{
    spot_train_t now = *self; /* its episode ends here */

    now.log = NULL;
    (void) end_episode(&now);
    self->goal_steps = now.result.steps_executed - now.result.steps_lost + num_steps;
    settle_end(self);
}

/* The cycle of a number of pipelines of the job's depth, computed on first use. */
static const spot_cycle_t *cycle_of_world(spot_train_t *self, int32_t num_pipelines)
{
    const spot_job_t *job = &self->scenario->job;
    spot_world_t *world = &self->worlds[num_pipelines];

    if (world->cycle.step_ms == 0) {
        spot_cycle_init(&world->cycle, self->checkpoint, spot_job_step_ms(job, num_pipelines));
        world->is_flat = !spot_job_covers_step(job, num_pipelines);
        world->is_fitted = spot_job_is_step_fitted(job, num_pipelines);
    }
    self->episode.is_unmeasured = world->is_flat;
    self->result.has_flat_step_time |= world->is_flat;
    self->result.has_fitted_step_time |= world->is_fitted;
    return &world->cycle;
}

/* The checkpoints under the decision. */
static const spot_checkpoint_t *checkpoint_of(
    const spot_train_t *self, const spot_recovery_decision_t *decision)
{
    return decision->checkpoint != NULL ? decision->checkpoint : self->checkpoint;
}

/* The cycle of the decision's own step time. */
SPOT_NOINLINE static const spot_cycle_t *own_cycle(
    spot_train_t *self, const spot_recovery_decision_t *decision)
{
    spot_cycle_init(&self->own_cycle, checkpoint_of(self, decision), decision->step_ms);
    self->episode.is_unmeasured = spot_decision_notes(decision, SPOT_NOTE_STEP_FLAT);
    self->result.has_flat_step_time |= self->episode.is_unmeasured;
    self->result.has_fitted_step_time |= spot_decision_notes(decision, SPOT_NOTE_STEP_FITTED);
    self->result.has_approximate_step_time |=
        spot_decision_notes(decision, SPOT_NOTE_STEP_APPROXIMATE);
    return &self->own_cycle;
}

/* The cycle under the decision; NULL: no pipelines. Notes whether its step time was
 * measured. */
static const spot_cycle_t *cycle_of(spot_train_t *self, const spot_recovery_decision_t *decision)
{
    if (decision->num_pipelines == 0) {
        self->episode.is_unmeasured = false;
        return NULL;
    }
    if (decision->step_ms == 0) {
        return cycle_of_world(self, decision->num_pipelines);
    }
    return own_cycle(self, decision);
}

/* The part of the step under way that is done, in time of the new steps. At least 1 ms
 * is left to do. */
static int64_t head_ms(const spot_train_t *self)
{
    const int64_t step_ms = self->episode.cycle->step_ms;
    const int64_t done_ms = llround(self->pending.step_fraction * (double) step_ms);

    return done_ms < step_ms ? done_ms : step_ms - 1;
}

/* The first step, of which a part is done, has its data. */
static void cycle_wait_no_first(spot_cycle_t *self)
{
    spot_waits_t *waits = &self->waits;

    if (waits->steps[0] == 0) {
        waits->steps[0] = 1;
        waits->wait_ms[0] = 0;
        waits->steps[1] = spot_larger(0, waits->steps[1] - 1);
    }
}

/* Training continues with the step under way and the work since the latest
 * checkpoint. */
SPOT_NOINLINE static void resume(spot_train_t *self, const spot_checkpoint_t *checkpoint)
{
    const spot_pending_t *pending = &self->pending;
    spot_episode_t *episode = &self->episode;
    const bool is_saved = episode->flush_ms > 0; /* completed steps become durable */
    const int64_t since_ms = pending->begun.job_ms + (is_saved ? 0 : pending->ended.job_ms);

    episode->head_ms = pending->step_fraction > 0 ? head_ms(self) : 0;
    if (since_ms == 0) {
        return;
    }
    self->own_cycle = *episode->cycle;
    episode->cycle = &self->own_cycle;
    if (pending->step_fraction > 0) {
        cycle_wait_no_first(&self->own_cycle);
    }
    spot_cycle_resume(&self->own_cycle, checkpoint, is_saved ? 0 : pending_steps(self),
        since_ms - episode->head_ms);
}

/* Lets the steps of the episode wait for data, and its reload for the first batch.
 * num_kept: instances in use that were so before; has_trained: so has the episode
 * before. */
SPOT_NOINLINE static void feed_steps(spot_train_t *self, const spot_recovery_decision_t *decision,
    int64_t num_kept, bool has_trained)
{
    const spot_job_t *job = &self->scenario->job;
    spot_episode_t *episode = &self->episode;
    spot_feed_t *feed = &self->feed;

    spot_feed_change(
        feed, job, decision->num_active, decision->num_pipelines, decision->num_active - num_kept);
    feed->is_filled = (feed->is_filled || has_trained) && episode->cycle != NULL &&
                      episode->reconfiguration_ms + episode->reload_ms == 0;
    if (episode->cycle == NULL) {
        return;
    }
    self->own_cycle = *episode->cycle;
    episode->cycle = &self->own_cycle;
    episode->reload_ms +=
        spot_feed_cycle(feed, job, checkpoint_of(self, decision), &self->own_cycle);
}

void spot_episode_begin(spot_train_t *self, const spot_recovery_decision_t *decision)
{
    const bool is_free = self->now_ms == 0 || decision->num_active == 0;
    const bool has_trained = episode_has_trained(self);
    const training_t training = end_episode(self);
    spot_episode_t *episode = &self->episode;
    int64_t num_kept;

    settle_pending(self, decision, &training);
    self->result.reconfigurations +=
        self->now_ms > 0 && !spot_decision_notes(decision, SPOT_NOTE_SAME_PIPELINES);
    if (self->notices.deadlines_ms != NULL && decision->takes_noticed_last) {
        spot_fleet_put_last(&self->fleet, self->notices.deadlines_ms);
    }
    num_kept = self->fleet.counts[SPOT_ACTIVE];
    spot_fleet_set_active(&self->fleet, decision->num_active);
    self->num_pipelines = decision->num_pipelines;
    episode->start_ms = self->now_ms;
    episode->world_size = decision->num_active;
    episode->flush_ms = is_free ? 0 : decision->flush_ms;
    episode->reconfiguration_ms = is_free ? 0 : decision->reconfiguration_ms;
    episode->reload_ms = is_free ? 0 : decision->reload_ms;
    episode->cycle = cycle_of(self, decision);
    episode->training_ms = INT64_MAX;
    episode->head_ms = 0;
    if (self->scenario->job.input.is_given) {
        feed_steps(self, decision, num_kept, has_trained);
    }
    if (episode->cycle != NULL) {
        episode->training_ms =
            self->now_ms + episode->flush_ms + episode->reconfiguration_ms + episode->reload_ms;
        if (self->pending.begun.job_ms + self->pending.ended.job_ms > 0) {
            resume(self, checkpoint_of(self, decision));
        }
    }
    settle_end(self);
}
