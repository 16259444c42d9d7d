/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a policy does to jobs of a VC: it starts, stops and resizes them. */
#include "sim/schedule/vc_internal.h"

/* A job that has its GPUs begins to run. */
static void
run_job(spot_vc_t *self, int32_t job)
{
    spot_vc_job_t *at = &self->jobs[job];
    int ret;

    spot_bug_assert(at->status == SPOT_JOB_QUEUED);
    self->num_gone++;
    self->is_changed = true;
    at->status = SPOT_JOB_RUNNING;
    at->start_s = at->start_s < 0 ? self->now_s : at->start_s;
    at->queue_s += self->now_s - at->waits_since_s;
    at->touched_s = at->resized_s = at->held_since_s = self->now_s;
    at->progress_s = 0;
    at->scale = spot_vc_scale(self, job, at->gpus);
    spot_vc_append_running(self, job);
    ret = spot_calendar_add(&self->ends,
        &(spot_calendar_item_t){
            .tick = INT64_MAX, .phase = (int32_t) at->started, .entity_id = job},
        &at->handle);
    if (ret != 0) {
        self->error = ret;
        return;
    }
    spot_vc_set_rate(self, job);
}

/* Jobs of the training engine have whole nodes. */
static spot_placer_t
placer_of(const spot_vc_t *self, const spot_vc_job_t *job)
{
    return job->core_id >= 0 ? SPOT_PLACER_CONSOLIDATE : self->placer;
}

bool
spot_vc_start_with(spot_vc_t *self, int32_t job, int32_t gpus)
{
    spot_vc_job_t *at = &self->jobs[job];

    if (self->fleet.read != NULL) {
        spot_vc_take_fleet(self, job);
        gpus = at->gpus;
    } else {
        at->first_part = spot_gpu_nodes_take(&self->nodes, placer_of(self, at), gpus);
        if (at->first_part < 0) {
            return false;
        }
    }
    at->gpus = gpus;
    run_job(self, job);
    spot_vc_note_alone(self, job);
    return true;
}

bool
spot_vc_start(spot_vc_t *self, int32_t job)
{
    return spot_vc_start_with(self, job, self->jobs[job].gpus);
}

void
spot_vc_start_head(spot_vc_t *self)
{
    for (size_t j = self->queue_start;
         j < self->num_queue && spot_vc_start(self, self->queue[j]); j++) {
    }
}

void
spot_vc_start_beside(
    spot_vc_t *self, int32_t guest, int32_t host, double guest_speed, double host_speed)
{
    spot_vc_job_t *guest_at = &self->jobs[guest], *host_at = &self->jobs[host];

    spot_bug_assert(host_at->status == SPOT_JOB_RUNNING && host_at->partner < 0);
    guest_at->first_part = spot_gpu_nodes_share(&self->nodes, host_at->first_part);
    if (guest_at->first_part < 0) {
        self->error = SPOT_ERR_NO_MEMORY;
        return;
    }
    spot_vc_advance(self, host_at, self->now_s);
    host_at->partner = guest;
    guest_at->partner = host;
    host_at->is_exclusive = guest_at->is_exclusive = false;
    host_at->is_guest = false;
    guest_at->is_guest = true;
    guest_at->host_row_id = host_at->row_id;
    guest_at->shared_speed = guest_speed;
    host_at->shared_speed = host_speed;
    run_job(self, guest);
    spot_vc_set_rate(self, host);
}

int64_t
spot_vc_restart_s(const spot_vc_t *self, const spot_vc_job_t *job)
{
    const int64_t given_s = job->core_id >= 0 ? 0 : spot_vc_terms(self, job)->restart_s;

    return given_s >= 0                                                  ? given_s
           : self->log->jobs[job->row_id].gpu_num <= SPOT_SMALL_JOB_GPUS ? 40
                                                                         : 60;
}

int64_t
spot_vc_reconfiguration_s(const spot_vc_t *self, const spot_vc_job_t *job)
{
    return job->core_id >= 0 ? 0 : spot_vc_terms(self, job)->reconfiguration_s;
}

void
spot_vc_stop(spot_vc_t *self, int32_t job)
{
    spot_vc_job_t *at = &self->jobs[job];

    spot_bug_assert(at->status == SPOT_JOB_RUNNING);
    spot_vc_advance(self, at, self->now_s);
    spot_vc_save_work(self, at);
    at->overhead_s += spot_vc_restart_s(self, at);
    at->preemptions++;
    self->preemptions++;
    self->is_changed = true;
    spot_vc_requeue(self, job);
}

void
spot_vc_begin_size(spot_vc_t *self, int32_t job, int32_t gpus)
{
    spot_vc_job_t *at = &self->jobs[job];

    at->gpus = gpus;
    at->scale = spot_vc_scale(self, job, gpus);
    at->progress_s = 0;
    at->resized_s = self->now_s;
    at->resizes++;
    self->resizes++;
    self->is_changed = true;
    spot_vc_note_alone(self, job);
    spot_vc_set_rate(self, job);
}

bool
spot_vc_resize(spot_vc_t *self, int32_t job, int32_t gpus)
{
    spot_vc_job_t *at = &self->jobs[job];
    int32_t part;

    spot_bug_assert(at->status == SPOT_JOB_RUNNING && at->partner < 0);
    spot_vc_report_held(self, at); /* and again later, if they do not change now */
    part = gpus < at->gpus ? spot_gpu_nodes_shrink(&self->nodes, at->first_part, gpus)
                           : spot_gpu_nodes_move(&self->nodes, at->first_part,
                                 placer_of(self, at), gpus);
    if (part < 0) {
        return false;
    }
    at->first_part = part;
    spot_vc_advance(self, at, self->now_s);
    spot_vc_save_work(self, at);
    at->overhead_s += spot_vc_reconfiguration_s(self, at);
    spot_vc_begin_size(self, job, gpus);
    return true;
}
