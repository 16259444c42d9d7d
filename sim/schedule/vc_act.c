/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What changes the jobs of a VC that run: the policy, which starts, stops and resizes
 * them, and nodes, which come, go or get a notice. */
#include "base/memory.h"
#include "sim/schedule/policy.h"
#include "sim/schedule/vc_internal.h"

/* ---- Running jobs ---- */

static void append_running(spot_vc_t *self, int32_t job)
{
    spot_vc_job_t *at = &self->jobs[job];

    at->previous = self->last_running;
    at->next = -1;
    if (self->last_running < 0) {
        self->first_running = job;
    } else {
        self->jobs[self->last_running].next = job;
    }
    self->last_running = job;
    self->num_running++;
    at->started = self->num_starts++;
}

static void remove_running(spot_vc_t *self, int32_t job)
{
    const spot_vc_job_t *at = &self->jobs[job];

    if (at->previous < 0) {
        self->first_running = at->next;
    } else {
        self->jobs[at->previous].next = at->next;
    }
    if (at->next < 0) {
        self->last_running = at->previous;
    } else {
        self->jobs[at->next].previous = at->previous;
    }
    self->num_running--;
}

void spot_vc_report_held(spot_vc_t *self, spot_vc_job_t *at)
{
    if (self->watch.on_release != NULL && at->held_since_s < self->now_s) {
        self->watch.on_release(
            self->watch.context, self, (int32_t) (at - self->jobs), at->held_since_s);
    }
    at->held_since_s = self->now_s;
}

void spot_vc_release(spot_vc_t *self, int32_t job, bool keeps_speed)
{
    spot_vc_job_t *at = &self->jobs[job];

    spot_vc_report_held(self, at);
    spot_gpu_nodes_give(&self->nodes, at->first_part);
    at->first_part = -1;
    spot_calendar_cancel(&self->ends, at->handle);
    remove_running(self, job);
    if (at->partner >= 0) {
        spot_vc_job_t *partner = &self->jobs[at->partner];

        partner->partner = -1;
        if (!keeps_speed) {
            partner->shared_speed = 1;
            partner->is_exclusive = true;
            SPOT_ARRAY_PUSH(self, alone, at->partner);
        }
        at->shared_speed = 1;
        at->is_exclusive = true;
        spot_vc_set_rate(self, at->partner);
        at->partner = -1;
    }
}

/* A running job whose work is saved or lost goes back to the queue. */
static void requeue(spot_vc_t *self, int32_t job)
{
    if (self->jobs[job].partner >= 0) {
        spot_vc_advance(self, &self->jobs[self->jobs[job].partner], self->now_s);
    }
    spot_vc_release(self, job, false);
    self->jobs[job].is_exclusive =
        self->jobs[job].core_id < 0; /* even if it was a guest that stayed slow */
    self->jobs[job].shared_speed = 1;
    if (self->jobs[job].core_id >= 0) {
        (void) spot_vc_run_core(self, job);
    }
    spot_vc_enqueue(self, job);
}

/* What a change of size begins: progress is counted anew. */
static void begin_size(spot_vc_t *self, int32_t job, int32_t gpus)
{
    spot_vc_job_t *at = &self->jobs[job];

    at->gpus = gpus;
    at->scale = spot_vc_scale(self, job, gpus);
    at->progress_s = 0;
    at->resized_s = self->now_s;
    at->resizes++;
    self->resizes++;
    self->is_changed = true;
    SPOT_ARRAY_PUSH(self, alone, job);
    spot_vc_set_rate(self, job);
}

/* The overhead of a restart, as the log says or else that of the published simulators.
 */
static int64_t restart_s(const spot_vc_t *self, const spot_vc_job_t *job)
{
    const int64_t given_s = job->core_id >= 0 ? 0 : spot_vc_terms(self, job)->restart_s;

    return given_s >= 0                                                  ? given_s
           : self->log->jobs[job->row_id].gpu_num <= SPOT_SMALL_JOB_GPUS ? 40
                                                                         : 60;
}

static int64_t reconfiguration_s(const spot_vc_t *self, const spot_vc_job_t *job)
{
    return job->core_id >= 0 ? 0 : spot_vc_terms(self, job)->reconfiguration_s;
}

/* ---- What a policy does ---- */

/* A job that has its GPUs begins to run. */
static void run_job(spot_vc_t *self, int32_t job)
{
    spot_vc_job_t *at = &self->jobs[job];
    int ret;

    spot_bug_assert(at->status == SPOT_JOB_QUEUED);
    spot_vc_leave_queue(self, job);
    self->is_changed = true;
    at->status = SPOT_JOB_RUNNING;
    at->start_s = at->start_s < 0 ? self->now_s : at->start_s;
    at->queue_s += self->now_s - at->waits_since_s;
    at->touched_s = at->resized_s = at->held_since_s = self->now_s;
    at->progress_s = 0;
    at->scale = spot_vc_scale(self, job, at->gpus);
    append_running(self, job);
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
static spot_placer_t placer_of(const spot_vc_t *self, const spot_vc_job_t *job)
{
    return job->core_id >= 0 ? SPOT_PLACER_CONSOLIDATE : self->placer;
}

bool spot_vc_start_with(spot_vc_t *self, int32_t job, int32_t gpus)
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
    SPOT_ARRAY_PUSH(self, alone, job);
    return true;
}

bool spot_vc_start(spot_vc_t *self, int32_t job)
{
    return spot_vc_start_with(self, job, self->jobs[job].gpus);
}

void spot_vc_start_head(spot_vc_t *self)
{
    spot_queue_place_t place = {0};

    for (int32_t job = spot_vc_next_queued(self, &place); job >= 0 && spot_vc_start(self, job);) {
        job = spot_vc_next_queued(self, &place);
    }
}

void spot_vc_start_beside(
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

void spot_vc_stop(spot_vc_t *self, int32_t job)
{
    spot_vc_job_t *at = &self->jobs[job];

    spot_bug_assert(at->status == SPOT_JOB_RUNNING);
    spot_vc_advance(self, at, self->now_s);
    spot_vc_settle_work(self, at, false);
    at->overhead_s += restart_s(self, at);
    at->preemptions++;
    self->preemptions++;
    self->is_changed = true;
    requeue(self, job);
}

bool spot_vc_resize(spot_vc_t *self, int32_t job, int32_t gpus)
{
    spot_vc_job_t *at = &self->jobs[job];
    int32_t part;

    spot_bug_assert(at->status == SPOT_JOB_RUNNING && at->partner < 0);
    if (gpus < at->gpus) {
        spot_vc_report_held(self, at);
        part = spot_gpu_nodes_shrink(&self->nodes, at->first_part, gpus);
    } else {
        part = spot_gpu_nodes_take_instead(&self->nodes, at->first_part, placer_of(self, at), gpus);
        if (part < 0) {
            return false;
        }
        spot_vc_report_held(self, at);
        spot_gpu_nodes_forget(&self->nodes, at->first_part);
    }
    at->first_part = part;
    spot_vc_advance(self, at, self->now_s);
    spot_vc_settle_work(self, at, false);
    at->overhead_s += reconfiguration_s(self, at);
    begin_size(self, job, gpus);
    return true;
}

/* ---- Nodes ---- */

static void change_nodes(spot_vc_t *self)
{
    self->is_changed = true;
    if (self->policy->on_nodes != NULL) {
        self->policy->on_nodes(self);
    }
}

void spot_vc_prepare_nodes(spot_vc_t *self, int32_t num_nodes)
{
    self->num_prepping += num_nodes;
    self->is_changed = true;
}

int32_t spot_vc_add_node(spot_vc_t *self, int32_t pool_id, int32_t instance)
{
    const int32_t node_id = spot_gpu_nodes_add(&self->nodes, pool_id, instance, self->now_s);

    self->error = spot_error_first(self->error, self->nodes.error);
    if (self->fleet.read != NULL && self->first_running >= 0) {
        spot_vc_advance(self, &self->jobs[self->first_running], self->now_s);
        spot_vc_report_held(self, &self->jobs[self->first_running]);
        spot_vc_take_fleet(self, self->first_running);
    }
    change_nodes(self);
    return node_id;
}

void spot_vc_remove_node(spot_vc_t *self, int32_t node_id)
{
    spot_gpu_nodes_remove(&self->nodes, node_id);
    change_nodes(self);
}

/* An elastic job goes on with the GPUs that are left, if it may. */
static void lose_gpus(spot_vc_t *self, int32_t job, size_t num_lost, const int32_t *node_ids)
{
    spot_vc_job_t *at = &self->jobs[job];
    int32_t size = 0;

    if (at->partner >= 0) {
        spot_vc_advance(self, &self->jobs[at->partner], self->now_s);
    }
    spot_vc_advance(self, at, self->now_s);
    spot_vc_settle_work(self, at, true);
    spot_vc_report_held(self, at);
    for (size_t j = 0; j < num_lost; j++) {
        at->first_part = spot_gpu_nodes_give_node(&self->nodes, at->first_part, node_ids[j]);
    }
    if (self->fleet.read != NULL) {
        spot_vc_take_fleet(self, job);
        return;
    }
    if (spot_vc_terms(self, at)->min_gpus > 0) {
        size = spot_vc_largest_size(self, job, spot_gpu_nodes_count(&self->nodes, at->first_part));
    }
    if (size > 0) {
        at->first_part = spot_gpu_nodes_shrink(&self->nodes, at->first_part, size);
        at->overhead_s = reconfiguration_s(self, at);
        begin_size(self, job, size);
        if (at->partner >= 0) { /* it may share fewer GPUs */
            spot_vc_set_rate(self, at->partner);
        }
        return;
    }
    at->gpus = self->log->jobs[at->row_id].gpu_num;
    at->overhead_s = restart_s(self, at);
    at->node_preemptions++;
    self->node_preemptions++;
    requeue(self, job);
}

bool spot_vc_holds_one(
    const spot_vc_t *self, const spot_vc_job_t *job, size_t num_nodes, const int32_t *node_ids)
{
    for (int32_t part = job->first_part; part >= 0; part = self->nodes.parts[part].next) {
        for (size_t j = 0; j < num_nodes; j++) {
            if (self->nodes.parts[part].node_id == node_ids[j]) {
                return true;
            }
        }
    }
    return false;
}

void spot_vc_lose_nodes(spot_vc_t *self, size_t num_lost, const int32_t *node_ids)
{
    int32_t next;

    for (size_t j = 0; j < num_lost; j++) {
        spot_gpu_nodes_close(&self->nodes, node_ids[j]);
    }
    for (int32_t job = self->first_running; job >= 0; job = next) {
        next = self->jobs[job].next;
        if (spot_vc_holds_one(self, &self->jobs[job], num_lost, node_ids)) {
            lose_gpus(self, job, num_lost, node_ids);
        }
    }
    for (size_t j = 0; j < num_lost; j++) {
        spot_gpu_nodes_remove(&self->nodes, node_ids[j]);
    }
    change_nodes(self);
}

void spot_vc_notice_nodes(
    spot_vc_t *self, size_t num_nodes, const int32_t *node_ids, int64_t notice_s)
{
    for (size_t j = 0; j < num_nodes; j++) {
        spot_gpu_nodes_close(&self->nodes, node_ids[j]);
    }
    for (int32_t job = self->first_running; job >= 0; job = self->jobs[job].next) {
        spot_vc_job_t *at = &self->jobs[job];
        const spot_job_terms_row_t *terms = spot_vc_terms(self, at);

        if (at->core_id >= 0 || terms->checkpoint_interval_s == 0 ||
            terms->checkpoint_write_s > notice_s ||
            !spot_vc_holds_one(self, at, num_nodes, node_ids)) {
            continue;
        }
        spot_vc_advance(self, at, self->now_s);
        if (at->overhead_s == 0 && terms->checkpoint_write_s > 0) {
            spot_vc_capture(at, 0, terms->checkpoint_write_s);
        } else if (at->overhead_s == 0) {
            spot_vc_settle_work(self, at, false);
        }
    }
    change_nodes(self);
}
