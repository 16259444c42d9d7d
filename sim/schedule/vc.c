/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/vc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/schedule/policy.h"
#include "sim/schedule/vc_queue.h"
#include "sim/schedule/vc_work.h"

/* SPDX-License-Identifier: GPL-3.0-or-later */

/* ---- Running jobs ---- */

/* What changes the jobs of a VC that run: the policy, which starts, stops and resizes
 * them, and nodes, which come, go or get a notice. */

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

/* Reports the GPUs of a job before they change. */
static void vc_report_held(spot_vc_t *self, spot_vc_job_t *at)
{
    if (self->watch.on_release != NULL && at->held_since_s < self->now_s) {
        self->watch.on_release(
            self->watch.context, self, (int32_t) (at - self->jobs), at->held_since_s);
    }
    at->held_since_s = self->now_s;
}

/* A running job, which has been advanced, gives back its GPUs and leaves the list. Its
 * partner, too, goes on alone; keeps_speed: at the speed that it had with a partner. */
static void vc_release(spot_vc_t *self, int32_t job, bool keeps_speed)
{
    spot_vc_job_t *at = &self->jobs[job];

    vc_report_held(self, at);
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
    vc_release(self, job, false);
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
        vc_report_held(self, at);
        part = spot_gpu_nodes_shrink(&self->nodes, at->first_part, gpus);
    } else {
        part = spot_gpu_nodes_take_instead(&self->nodes, at->first_part, placer_of(self, at), gpus);
        if (part < 0) {
            return false;
        }
        vc_report_held(self, at);
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
        vc_report_held(self, &self->jobs[self->first_running]);
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
    vc_report_held(self, at);
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

/* ---- Seconds ---- */

const char *const spot_gpu_time_names[SPOT_NUM_GPU_TIMES] = {
    "prepping", "standby", "useful", "lost", "overhead", "unsaved"};

void spot_vc_init(spot_vc_t *self, const spot_schedule_scenario_t *scenario,
    const spot_policy_t *policy, const char *name, int32_t vc_id)
{
    const bool is_double = scenario->quirks[SPOT_QUIRK_DOUBLE_RATES];

    *self = (spot_vc_t){.scenario = scenario,
        .policy = policy,
        .name = name,
        .vc_id = vc_id,
        .unit = is_double ? 1 : 1000,
        .placer = (spot_placer_t) scenario->placer,
        .ends_late = policy->is_decreasing && scenario->quirks[SPOT_QUIRK_LATE_END]};
    spot_calendar_init(&self->ends);
    self->state = policy->state_size > 0 ? calloc(1, policy->state_size) : NULL;
    if (policy->state_size > 0 && self->state == NULL) {
        self->error = SPOT_ERR_NO_MEMORY;
    }
}

void spot_vc_free(spot_vc_t *self)
{
    if (self->state != NULL && self->policy->free_state != NULL) {
        self->policy->free_state(self->state);
    }
    free(self->state);
    spot_vc_free_cores(self);
    free(self->cores);
    free(self->jobs);
    free(self->arrivals);
    spot_vc_queue_free(&self->queue);
    free(self->alone);
    spot_calendar_free(&self->ends);
    spot_gpu_nodes_free(&self->nodes);
}

void spot_vc_start_clock(
    spot_vc_t *self, const spot_job_log_t *log, int32_t num_nodes, int64_t start_s)
{
    self->log = log;
    self->now_s = self->accounted_s = start_s;
    spot_vc_free_cores(self);
    self->num_jobs = self->num_arrivals = self->next_arrival = 0;
    self->num_running = 0;
    self->first_running = self->last_running = -1;
    self->num_starts = 0;
    spot_vc_queue_clear(&self->queue);
    self->num_fresh = self->num_ended = self->num_alone = 0;
    self->is_changed = false;
    spot_calendar_clear(&self->ends);
    spot_gpu_nodes_clear(&self->nodes, (int32_t) self->scenario->gpus_per_node);
    self->num_prepping = 0;
    memset(self->ledger, 0, sizeof(self->ledger));
    self->living = 0;
    self->preemptions = self->node_preemptions = self->resizes = 0;
    self->last_end_s = -1;
    if (self->state != NULL) {
        if (self->policy->free_state != NULL) {
            self->policy->free_state(self->state);
        }
        memset(self->state, 0, self->policy->state_size);
    }
    for (int32_t j = 0; j < num_nodes; j++) {
        (void) spot_vc_add_node(self, -1, j);
    }
}

static bool arrives_before(const spot_vc_t *self, int32_t job, int32_t other)
{
    const spot_vc_job_t *a = &self->jobs[job], *b = &self->jobs[other];

    return a->enter_s != b->enter_s ? a->enter_s < b->enter_s : a->row_id < b->row_id;
}

/* Jobs are added in order, as a rule. One that comes from the profiler arrives before
 * most others and takes the place of one that has arrived. */
static void add_arrival(spot_vc_t *self, int32_t job)
{
    const size_t num_arrivals = self->num_arrivals;
    size_t place = self->next_arrival;

    if (place > 0 && place < num_arrivals &&
        arrives_before(self, job, self->arrivals[num_arrivals - 1])) {
        self->next_arrival--;
        for (; !arrives_before(self, job, self->arrivals[place]); place++) {
            self->arrivals[place - 1] = self->arrivals[place];
        }
        self->arrivals[place - 1] = job;
        return;
    }
    if (SPOT_ARRAY_PUSH(self, arrivals, job) != 0) {
        return;
    }
    for (place = num_arrivals;
         place > self->next_arrival && arrives_before(self, job, self->arrivals[place - 1]);
         place--) {
        self->arrivals[place] = self->arrivals[place - 1];
    }
    self->arrivals[place] = job;
}

void spot_vc_add_job(
    spot_vc_t *self, int32_t row_id, int64_t enter_s, int64_t duration_s, double estimate_s)
{
    const double work = (double) duration_s * self->unit;
    const spot_vc_job_t job = {.row_id = row_id,
        .gpus = self->log->jobs[row_id].gpu_num,
        .core_id = -1,
        .block_id = SPOT_NOT_QUEUED,
        .enter_s = enter_s,
        .estimate_s = estimate_s,
        .left = work,
        .saved = work,
        .durable_s = INT64_MAX,
        .first_part = -1,
        .previous = -1,
        .next = -1,
        .partner = -1,
        .is_exclusive = true,
        .scale = 1000,
        .shared_speed = 1,
        .start_s = -1,
        .end_s = -1,
        .host_row_id = -1};

    if (SPOT_ARRAY_PUSH(self, jobs, job) == 0) {
        spot_vc_add_core(self, (int32_t) self->num_jobs - 1);
        add_arrival(self, (int32_t) self->num_jobs - 1);
    }
}

/* ---- Time ---- */

/* Brings the ledger forward to now_s. */
static void account(spot_vc_t *self, int64_t now_s)
{
    const int64_t num_s = now_s - self->accounted_s;
    const int64_t num_prepping = (int64_t) self->num_prepping * self->nodes.gpus_per_node;
    const int64_t num_listed = (int64_t) self->nodes.num_listed * self->nodes.gpus_per_node;

    self->ledger[SPOT_GPU_PREPPING] += 2 * num_s * num_prepping;
    self->ledger[SPOT_GPU_STANDBY] += 2 * num_s * self->nodes.num_idle;
    self->living += 2 * num_s * (num_prepping + num_listed);
    self->accounted_s = now_s;
}

int64_t spot_vc_next_due_s(const spot_vc_t *self)
{
    int64_t due_s = INT64_MAX;

    if (self->next_arrival < self->num_arrivals) {
        due_s = self->jobs[self->arrivals[self->next_arrival]].enter_s;
    }
    if (self->ends.num_items > 0) {
        const int64_t end_s = spot_calendar_first(&self->ends)->tick;

        due_s = end_s < due_s ? end_s : due_s;
    }
    if (self->policy->next_due_s != NULL && self->fleet.read == NULL) {
        const int64_t policy_s = self->policy->next_due_s(self);

        due_s = policy_s < due_s ? policy_s : due_s;
    }
    return due_s;
}

/* ---- Ends ---- */

/* The partner of a job that ends has worked in this second too. A guest, which stands
 * behind its host in a list whose jobs are tested one by one, has worked alone already,
 * though the host held a half of the GPUs. */
static void leave_partner(spot_vc_t *self, int32_t job)
{
    const spot_vc_job_t *at = &self->jobs[job];
    spot_vc_job_t *partner = at->partner < 0 ? NULL : &self->jobs[at->partner];
    const bool is_host = partner != NULL && partner->is_guest;
    const bool is_late = is_host && self->ends_late;

    if (partner != NULL) {
        spot_vc_advance(self, partner, self->now_s - is_late);
    }
    vc_release(self, job, is_host && self->scenario->quirks[SPOT_QUIRK_SLOW_GUEST]);
    if (is_late) {
        const int32_t half_gpus = partner->half_gpus;

        partner->half_gpus = at->half_gpus;
        spot_vc_advance(self, partner, self->now_s);
        partner->half_gpus = half_gpus;
    }
}

static void end_job(spot_vc_t *self, int32_t job)
{
    spot_vc_job_t *at = &self->jobs[job];

    spot_vc_advance(self, at, self->now_s);
    spot_vc_settle_work(self, at, false);
    if (at->core_id >= 0) {
        spot_vc_settle_core(self, job);
    }
    leave_partner(self, job);
    at->status = SPOT_JOB_ENDED;
    at->end_s = self->now_s;
    self->last_end_s = self->now_s;
    self->num_ended++;
    if (self->policy->on_end != NULL) {
        self->policy->on_end(self, job);
    }
    if (self->on_end != NULL) {
        self->on_end(self->owner, self, job);
    }
}

/* Jobs that end in one second leave in the order of their starts, as in the list. */
void spot_vc_begin_second(spot_vc_t *self, int64_t now_s)
{
    if (self->watch.on_time != NULL) {
        self->watch.on_time(self->watch.context, self, now_s);
    }
    account(self, now_s);
    self->now_s = now_s;
    self->num_fresh = 0;
    self->is_changed = false;
    while (self->ends.num_items > 0 && spot_calendar_first(&self->ends)->tick <= now_s) {
        const int32_t handle = spot_calendar_first(&self->ends)->handle;

        end_job(self, spot_calendar_item(&self->ends, handle).entity_id);
        self->is_changed = true;
    }
}

/* ---- Decisions ---- */

static void take_arrivals(spot_vc_t *self)
{
    while (self->next_arrival < self->num_arrivals &&
           self->jobs[self->arrivals[self->next_arrival]].enter_s <= self->now_s) {
        spot_vc_enqueue(self, self->arrivals[self->next_arrival++]);
        self->num_fresh++;
        self->is_changed = true;
    }
}

void spot_vc_schedule(spot_vc_t *self)
{
    take_arrivals(self);
    if (self->error != 0) {
        return; /* jobs may be missing in the queue */
    }
    if (self->fleet.read == NULL) {
        self->policy->decide(self);
    } else if (self->num_running == 0 && spot_vc_num_queued(self) > 0) {
        spot_queue_place_t place = {0};

        (void) spot_vc_start(self, spot_vc_next_queued(self, &place));
    }
    self->num_alone = 0;
    self->error = spot_error_first(self->error, self->nodes.error);
    if (self->error == 0) {
        spot_vc_compact_queue(self);
    }
}

void spot_vc_finish(spot_vc_t *self, int64_t end_s)
{
    int64_t sum = 0;

    if (self->watch.on_time != NULL && end_s >= self->now_s) {
        self->watch.on_time(self->watch.context, self, end_s + 1); /* the last second */
    }
    account(self, end_s);
    self->now_s = end_s;
    for (int32_t job = self->first_running; job >= 0; job = self->jobs[job].next) {
        spot_vc_job_t *at = &self->jobs[job];

        spot_vc_advance(self, at, end_s);
        vc_report_held(self, at);
        if (at->core_id < 0) {
            self->ledger[SPOT_GPU_UNSAVED] += at->pending;
        }
    }
    spot_vc_finish_cores(self);
    for (int j = 0; j < SPOT_NUM_GPU_TIMES; j++) {
        sum += self->ledger[j];
    }
    spot_bug_assert(sum == self->living || self->error != 0);
}

/* ---- For tests ---- */

void spot_vc_verify(const spot_vc_t *self)
{
    int32_t num_running = 0;
    int32_t num_held = 0;

    spot_gpu_nodes_verify(&self->nodes);
    for (int32_t job = self->first_running; job >= 0; job = self->jobs[job].next) {
        const spot_vc_job_t *at = &self->jobs[job];

        num_running++;
        spot_bug_assert(at->status == SPOT_JOB_RUNNING);
        spot_bug_assert(spot_gpu_nodes_count(&self->nodes, at->first_part) == at->gpus);
        spot_bug_assert(at->partner < 0 || self->jobs[at->partner].partner == job);
        spot_bug_assert(
            at->partner >= 0 || spot_gpu_nodes_count_shared(&self->nodes, at->first_part) == 0);
        num_held += at->half_gpus;
    }
    spot_bug_assert(num_running == self->num_running);
    spot_bug_assert(num_held == 2 * (self->nodes.num_listed * self->nodes.gpus_per_node -
                                        self->nodes.num_idle));
}
