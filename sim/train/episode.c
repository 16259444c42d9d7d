/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/episode.h"

#include <math.h>

#include "sim/train/run_log.h"

/* Charges a stretch of the episode to a phase of the job and a category of the ledger,
 * and returns what is left of the time that has passed. */
static int64_t
charge_pause(spot_train_t *self, spot_job_phase_t phase, spot_share_t share,
    int64_t pause_ms, int64_t passed_ms)
{
    const int64_t charged_ms = passed_ms < pause_ms ? passed_ms : pause_ms;
    const int64_t world_size = self->episode.world_size;

    self->result.job_ms[phase] += charged_ms;
    self->result.ledger.instance_ms[share] += charged_ms * world_size;
    return passed_ms - charged_ms;
}

/* The training part: steps, checkpoints, and what becomes of the work since the last
 * durable one. */
static void
charge_training(spot_train_t *self, int64_t elapsed_ms, bool is_rollback)
{
    const spot_episode_t *episode = &self->episode;
    const spot_progress_t progress = spot_cycle_progress(episode->cycle, elapsed_ms);
    const int64_t worked_ms = elapsed_ms - progress.stalled_ms;
    const int64_t durable_ms = progress.durable_steps * episode->cycle->step_ms;
    spot_train_result_t *result = &self->result;
    int64_t *instance_ms = result->ledger.instance_ms;
    spot_share_t rest = SPOT_SHARE_UNSAVED;

    result->job_ms[SPOT_JOB_TRAINING] += elapsed_ms;
    result->stalled_ms += progress.stalled_ms;
    result->steps_executed += progress.steps;
    result->steps_durable += progress.durable_steps;
    result->checkpoints_durable += progress.durable;
    if (is_rollback) {
        rest = SPOT_SHARE_LOST;
        result->rollbacks++;
        result->steps_lost += progress.steps - progress.durable_steps;
        result->lost_ms += worked_ms - durable_ms;
        result->checkpoints_aborted += progress.started - progress.durable;
    } else if (result->is_finished) {
        rest = SPOT_SHARE_USEFUL;
    }
    instance_ms[SPOT_SHARE_STALLED] += progress.stalled_ms * episode->world_size;
    instance_ms[SPOT_SHARE_USEFUL] += durable_ms * episode->world_size;
    instance_ms[rest] += (worked_ms - durable_ms) * episode->world_size;
    if (self->log != NULL) {
        spot_run_log_training(self, &progress, rest);
    }
}

/* The training part where nothing can be lost: it is useful at once, and the step under
 * way goes on in the next episode. */
static void
charge_lossless(spot_train_t *self, int64_t elapsed_ms)
{
    const spot_episode_t *episode = &self->episode;
    spot_train_result_t *result = &self->result;
    const double work =
        result->step_fraction + (double) elapsed_ms / (double) episode->cycle->step_ms;
    const spot_progress_t progress = {.steps = (int64_t) work};

    result->job_ms[SPOT_JOB_TRAINING] += elapsed_ms;
    result->steps_executed += progress.steps;
    result->step_fraction = work - (double) progress.steps;
    if (result->is_finished && self->now_ms == self->end_ms) { /* whatever was rounded */
        result->steps_executed = self->scenario->until_steps;
        result->step_fraction = 0;
    }
    result->steps_durable = result->steps_executed;
    result->ledger.instance_ms[SPOT_SHARE_USEFUL] += elapsed_ms * episode->world_size;
    if (self->log != NULL) {
        spot_run_log_training(self, &progress, SPOT_SHARE_USEFUL);
    }
}

void
spot_episode_end(spot_train_t *self, bool is_rollback)
{
    const spot_episode_t *episode = &self->episode;
    int64_t passed_ms = self->now_ms - episode->start_ms;

    if (self->log != NULL) {
        spot_run_log_pauses(self);
    }
    if (episode->world_size == 0) {
        self->result.job_ms[SPOT_JOB_WAITING] += passed_ms;
        return;
    }
    passed_ms = charge_pause(self, SPOT_JOB_RECONFIGURING, SPOT_SHARE_RECONFIGURING,
        episode->reconfiguration_ms, passed_ms);
    passed_ms = charge_pause(
        self, SPOT_JOB_RELOADING, SPOT_SHARE_RELOADING, episode->reload_ms, passed_ms);
    if (self->now_ms < episode->training_ms) {
        return;
    }
    if (self->scenario->recovery.system->is_lossless) {
        charge_lossless(self, passed_ms);
    } else {
        charge_training(self, passed_ms, is_rollback);
    }
}

/* How long the episode must train to finish the job. */
static int64_t
finishing_ms(const spot_train_t *self)
{
    const spot_cycle_t *cycle = self->episode.cycle;
    const int64_t num_missing = self->scenario->until_steps - self->result.steps_durable;
    double missing_ms;

    if (!self->scenario->recovery.system->is_lossless) {
        return spot_cycle_step_end_ms(cycle, num_missing);
    }
    missing_ms = ceil(
        ((double) num_missing - self->result.step_fraction) * (double) cycle->step_ms);
    return missing_ms < (double) INT64_MAX ? (int64_t) missing_ms : INT64_MAX;
}

/* When the run ends: at its horizon, or at the step that finishes the job if that is
 * sooner. */
static void
settle_end(spot_train_t *self)
{
    const spot_episode_t *episode = &self->episode;
    const spot_scenario_t *scenario = self->scenario;
    int64_t step_end_ms;

    self->end_ms = scenario->horizon_ms;
    self->result.is_finished = false;
    if (scenario->until_steps == 0 || episode->world_size == 0) {
        return;
    }
    step_end_ms = finishing_ms(self);
    if (step_end_ms <= scenario->horizon_ms - episode->training_ms) {
        self->end_ms = episode->training_ms + step_end_ms;
        self->result.is_finished = true;
    }
}

/* Computed when that many pipelines are first met. */
static const spot_cycle_t *
cycle_of(spot_train_t *self, int32_t num_pipelines)
{
    const spot_job_t *job = &self->scenario->job;
    spot_world_t *world = &self->worlds[num_pipelines];

    if (world->cycle.step_ms == 0) {
        spot_cycle_init(
            &world->cycle, &job->checkpoint, spot_job_step_ms(job, num_pipelines));
        world->is_flat = !spot_job_covers_step(job, num_pipelines);
        world->is_fitted = spot_job_is_step_fitted(job, num_pipelines);
    }
    self->result.has_flat_step_time |= world->is_flat;
    self->result.has_fitted_step_time |= world->is_fitted;
    return &world->cycle;
}

void
spot_episode_begin(spot_train_t *self, const spot_recovery_plan_t *plan)
{
    const spot_job_t *job = &self->scenario->job;
    const int64_t world_size = plan->num_pipelines * job->pipeline_depth;
    const bool is_free = self->now_ms == 0 || world_size == 0;
    spot_episode_t *episode = &self->episode;

    spot_episode_end(self, plan->is_rollback);
    self->result.reconfigurations += self->now_ms > 0;
    spot_fleet_set_active(&self->fleet, (int32_t) world_size);
    self->num_pipelines = plan->num_pipelines;
    episode->start_ms = self->now_ms;
    episode->world_size = world_size;
    episode->reconfiguration_ms = is_free ? 0 : plan->reconfiguration_ms;
    episode->reload_ms = is_free ? 0 : plan->reload_ms;
    episode->training_ms =
        self->now_ms + episode->reconfiguration_ms + episode->reload_ms;
    episode->cycle = world_size > 0 ? cycle_of(self, plan->num_pipelines) : NULL;
    settle_end(self);
}
