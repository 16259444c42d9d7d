/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/schedule.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "traces/jobs/job_log.h"

/* Jobs between two looks at the stop flag. A visited second may take as long as its queue is:
 * there it is looked at each time. */
#define JOBS_BETWEEN_LOOKS 16384

/* A job arrives in its VC at enter_s. estimate_s: NAN: not known yet. */
static void add_job(spot_schedule_t *self, int32_t row_id, int64_t enter_s, double estimate_s)
{
    spot_vc_t *vc = &self->vcs[self->log->jobs[row_id].vc_id];

    self->job_ids[row_id] = (int32_t) vc->num_jobs;
    spot_vc_add_job(vc, row_id, enter_s, self->log->jobs[row_id].duration_s, estimate_s);
}

/* The VC of a job that leaves the profiler is due in this second too. */
static void add_due(spot_schedule_t *self, int32_t vc_id)
{
    for (int32_t j = 0; j < self->num_due; j++) {
        if (self->now_due[j] == vc_id) {
            return;
        }
    }
    self->now_due[self->num_due++] = vc_id;
}

static void on_end(void *owner, const spot_vc_t *vc, int32_t job)
{
    spot_schedule_t *self = owner;
    const int32_t row_id = vc->jobs[job].row_id;

    if (vc == self->profiler.vc && !spot_profiler_is_final(&self->profiler, row_id)) {
        self->num_cut--;
        if (self->job_ids[row_id] < 0) {
            add_job(self, row_id, vc->now_s, vc->jobs[job].estimate_s);
            add_due(self, self->log->jobs[row_id].vc_id);
        }
    } else {
        self->num_ended++;
        self->last_end_s = vc->now_s;
        if (self->durations.setting != NULL) {
            spot_estimates_learn(&self->durations, row_id);
        }
    }
}

/* The first error of a part. */
static int error_of(const spot_schedule_t *self)
{
    int error = spot_error_first(self->profiler.error, self->durations.error);

    for (int32_t j = 0; j < self->num_clocks; j++) {
        error = spot_error_first(error, self->vcs[j].error);
    }
    for (size_t j = 0; j < self->num_pools; j++) {
        error = spot_error_first(error, self->pools[j].error);
    }
    return error;
}

/* Makes the pools of all VCs. */
static int init_pools(spot_schedule_t *self)
{
    const spot_pool_plans_t *plans = &self->scenario->pools;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < plans->num_pools; j++) {
        const spot_pool_plan_t *plan = &plans->pools[j];
        spot_pool_set_t *set = &self->pools_of[plan->vc_id];

        self->num_pools++;
        ret = spot_pool_init(&self->pools[j], plan, (int32_t) j);
        set->pools = set->num_pools++ == 0 ? &self->pools[j] : set->pools;
        if (plan->is_prepared_by_core) {
            self->vcs[plan->vc_id].fleet = (spot_vc_fleet_t){&self->pools[j], spot_pool_read_core};
        }
    }
    return ret;
}

static int32_t num_reserved(const spot_schedule_t *self, int32_t vc_id)
{
    const spot_schedule_scenario_t *scenario = self->scenario;

    return scenario->num_reserved == NULL ? scenario->vcs.vcs[vc_id].num_nodes
                                          : scenario->num_reserved[vc_id];
}

int spot_schedule_init(spot_schedule_t *self, const spot_schedule_scenario_t *scenario)
{
    const size_t num_vcs = scenario->vcs.num_vcs;
    const bool is_profiled = spot_profiler_is_used(scenario);
    const size_t num_clocks = num_vcs + is_profiled;
    const spot_policy_t *policy = spot_policies[scenario->policy_id];
    int ret;

    *self = (spot_schedule_t){.scenario = scenario};
    spot_calendar_init(&self->due);
    self->vcs = spot_calloc(num_clocks, sizeof(*self->vcs));
    self->now_due = spot_calloc(num_clocks, sizeof(*self->now_due));
    self->pools = spot_calloc(scenario->pools.num_pools, sizeof(*self->pools));
    self->pools_of = spot_calloc(num_clocks, sizeof(*self->pools_of));
    if (self->vcs == NULL || self->now_due == NULL || self->pools == NULL ||
        self->pools_of == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->num_vcs = (int32_t) num_vcs;
    self->num_clocks = (int32_t) num_clocks;
    for (int32_t j = 0; j < self->num_vcs; j++) {
        spot_vc_init(&self->vcs[j], scenario, policy, scenario->vcs.vcs[j].name, j);
    }
    if (is_profiled) {
        spot_profiler_init(&self->profiler, scenario, self->vcs, self->num_vcs);
    }
    ret = init_pools(self);
    return spot_error_first(ret, error_of(self));
}

void spot_schedule_free(spot_schedule_t *self)
{
    for (int32_t j = 0; j < self->num_clocks; j++) {
        spot_vc_free(&self->vcs[j]);
    }
    for (size_t j = 0; j < self->num_pools; j++) {
        spot_pool_free(&self->pools[j]);
    }
    free(self->vcs);
    free(self->pools);
    free(self->pools_of);
    free(self->now_due);
    free(self->job_ids);
    spot_profiler_free(&self->profiler);
    free(self->submit_s);
    free(self->order);
    free(self->scratch);
    spot_job_log_free(&self->drawn);
    spot_texts_free(&self->texts);
    spot_calendar_free(&self->due);
    spot_estimates_free(&self->durations);
}

/* The jobs of a replication: those of the log, with shifted submits, or new ones. */
static int take_log(spot_schedule_t *self, const spot_replication_t *replication)
{
    const spot_schedule_scenario_t *scenario = self->scenario;
    const uint64_t seed = replication->seed, number = replication->replication;
    size_t num_jobs;
    int ret = 0;

    self->log = scenario->log;
    if (self->log == NULL) {
        ret = spot_job_law_draw(&scenario->jobs.law, &self->drawn, seed, number);
        self->log = &self->drawn;
    }
    num_jobs = self->log->num_jobs;
    if (ret == 0 && scenario->jobs.jitter_s > 0) {
        if (SPOT_ARRAY_ROOM(self, order, num_jobs) != 0 ||
            SPOT_ARRAY_ROOM(self, scratch, num_jobs) != 0 ||
            SPOT_ARRAY_ROOM(self, submit_s, num_jobs + 1) != 0) {
            return SPOT_ERR_NO_MEMORY;
        }
        ret = spot_job_jitter(self->log, scenario->jobs.jitter_s, seed, number, self->submit_s,
            self->order, self->scratch);
    }
    return ret;
}

bool spot_schedule_has_job(const spot_schedule_t *self, int32_t row_id)
{
    const spot_job_row_t *job = &self->log->jobs[row_id];

    return job->gpu_num <= self->scenario->capacity[job->vc_id];
}

/* Adds a job to its VC, to the profiler, or to both: one that will leave the profiler
 * enters its VC then, or, with the quirk, when it is submitted. */
static void admit(spot_schedule_t *self, int32_t row_id)
{
    const int64_t submit_s = spot_schedule_submit_s(self, row_id);
    const bool is_free = self->scenario->quirks[SPOT_QUIRK_FREE_PROFILING];
    const bool is_profiled =
        self->profiler.vc != NULL && spot_profiler_add_job(&self->profiler, row_id, submit_s);
    const bool is_cut = is_profiled && !spot_profiler_is_final(&self->profiler, row_id);

    self->num_jobs++;
    self->num_cut += is_cut;
    if (!is_profiled || (is_cut && is_free)) {
        add_job(self, row_id, submit_s, (double) NAN);
    }
}

/* Starts the clocks of all VCs, with their first nodes. */
static void start_vcs(spot_schedule_t *self, const spot_replication_t *replication)
{
    const spot_schedule_scenario_t *scenario = self->scenario;

    for (int32_t j = 0; j < self->num_vcs; j++) {
        const int32_t num_nodes =
            num_reserved(self, j) - spot_profiler_num_taken(scenario, scenario->vcs.vcs[j].name);

        self->vcs[j].trainers = &scenario->trainers;
        self->vcs[j].seed = replication->seed;
        self->vcs[j].replication = replication->replication;
        spot_vc_start_clock(&self->vcs[j], self->log, num_nodes, scenario->start_s);
    }
    if (self->profiler.vc != NULL) {
        spot_profiler_start(&self->profiler, self->log, scenario->start_s);
    }
    for (size_t j = 0; j < self->num_pools; j++) {
        spot_pool_t *pool = &self->pools[j];

        spot_pool_start(
            pool, replication->seed, replication->replication, &self->vcs[pool->plan->vc_id]);
    }
    for (int32_t j = 0; j < self->num_clocks; j++) {
        self->vcs[j].durations = &self->durations;
        self->vcs[j].watch = self->watch;
        self->vcs[j].owner = self;
        self->vcs[j].on_end = on_end;
    }
}

static int start(spot_schedule_t *self, const spot_replication_t *replication)
{
    const spot_schedule_scenario_t *scenario = self->scenario;
    const spot_policy_t *policy = spot_policies[scenario->policy_id];
    int ret;

    ret = take_log(self, replication);
    self->now_s = self->last_event_s = scenario->start_s;
    self->is_blocked = false;
    spot_texts_free(&self->texts);
    self->num_ended = self->num_cut = 0;
    self->num_jobs = 0;
    self->last_end_s = -1;
    if (ret != 0) {
        return ret;
    }
    ret = spot_estimates_start(&self->durations, scenario,
        policy->estimator == NULL ? NULL : policy->estimator(scenario), self->log, self->submit_s,
        replication);
    ret = spot_error_first(ret, SPOT_ARRAY_ROOM(self, job_ids, self->log->num_jobs));
    start_vcs(self, replication);
    ret = spot_error_first(ret, error_of(self));
    for (size_t j = 0; ret == 0 && j < self->log->num_jobs; j++) {
        const int32_t row_id = self->submit_s == NULL ? (int32_t) j : self->order[j];

        if (j % JOBS_BETWEEN_LOOKS == 0 && spot_replication_is_stopped(replication)) {
            return SPOT_ERR_INTERRUPTED;
        }
        self->job_ids[row_id] = -1;
        if (spot_schedule_has_job(self, row_id)) {
            admit(self, row_id);
        }
    }
    self->num_oversize = (int64_t) self->log->num_jobs - self->num_jobs;
    spot_calendar_clear(&self->due);
    for (int32_t j = 0; j < self->num_clocks && ret == 0; j++) {
        ret = spot_calendar_add(
            &self->due, &(spot_calendar_item_t){.tick = scenario->start_s, .phase = j}, NULL);
    }
    return spot_error_first(ret, error_of(self));
}

/* What the nodes have cost, and what of the traces could not happen. */
static void pay(spot_schedule_t *self)
{
    const int64_t run_s = self->end_s - self->scenario->start_s;
    int64_t reserved_s = 0, spot_s = 0;
    spot_sum_t usd = {0};

    self->num_clipped = 0;
    self->is_past_trace_end = false;
    for (int32_t j = 0; j < self->num_vcs; j++) {
        reserved_s += run_s * num_reserved(self, j);
    }
    for (size_t j = 0; j < self->num_pools; j++) {
        spot_s += spot_pool_node_s(&self->pools[j], self->end_s);
        spot_sum_add(&usd, spot_pool_usd(&self->pools[j], self->end_s));
        self->num_clipped += spot_pool_clipped(&self->pools[j], self->end_s);
        self->is_past_trace_end |= spot_pool_is_past_end(&self->pools[j], self->end_s);
    }
    self->reserved_node_h = (double) reserved_s / 3600;
    self->spot_node_h = (double) spot_s / 3600;
    self->reserved_usd = self->reserved_node_h * self->scenario->price_usd_per_h;
    self->spot_usd = spot_sum_total(&usd);
}

/* The next second at which a VC has something to do. */
static int64_t due_of(spot_schedule_t *self, int32_t vc_id)
{
    const spot_vc_t *vc = &self->vcs[vc_id];
    const spot_pool_set_t *set = &self->pools_of[vc_id];
    int64_t due_s = spot_vc_next_due_s(vc);

    if (vc == self->profiler.vc) {
        const int64_t lend_s = spot_profiler_next_due_s(&self->profiler);

        due_s = lend_s < due_s ? lend_s : due_s;
    }
    for (size_t j = 0; j < set->num_pools; j++) {
        const int64_t pool_s = spot_pool_next_due_s(&set->pools[j], self->now_s);

        due_s = pool_s < due_s ? pool_s : due_s;
    }
    return due_s > self->now_s ? due_s : self->now_s + 1;
}

/* Moves the clock to the next visited second and lists its VCs; false: none is due. */
static bool next_second(spot_schedule_t *self)
{
    const bool visits_all = self->scenario->is_every_second;
    const int64_t due_s = spot_calendar_first(&self->due)->tick;

    self->num_due = 0;
    if (due_s == INT64_MAX) {
        return false;
    }
    self->now_s = visits_all ? self->now_s + 1 : due_s;
    for (int32_t j = 0; visits_all && j < self->num_clocks; j++) {
        self->now_due[self->num_due++] = j;
    }
    while (!visits_all && spot_calendar_first(&self->due)->tick == due_s) {
        const int32_t vc_id = spot_calendar_first(&self->due)->handle;

        self->now_due[self->num_due++] = vc_id;
        spot_calendar_move(&self->due, vc_id, INT64_MAX);
    }
    return true;
}

/* A loan changes what the lender and the profiler can place from the next second on. */
static void lend(spot_schedule_t *self)
{
    if (self->profiler.vc != NULL && self->profiler.vc->now_s == self->now_s &&
        spot_profiler_lend(&self->profiler)) {
        spot_calendar_move(&self->due, self->num_vcs, self->now_s + 1);
        spot_calendar_move(&self->due, self->profiler.lender->vc_id, self->now_s + 1);
    }
}

/* One second of the VCs that are due. Jobs of all of them end before a policy looks at
 * what has ended; VCs that get a job of the profiler join the list meanwhile. */
static int visit(spot_schedule_t *self)
{
    int ret = 0;

    for (int32_t j = 0; j < self->num_due; j++) {
        spot_vc_begin_second(&self->vcs[self->now_due[j]], self->now_s);
    }
    for (int32_t j = 0; self->num_pools > 0 && j < self->num_due; j++) {
        const int32_t vc_id = self->now_due[j];

        ret = spot_error_first(ret, spot_pool_set_see(&self->pools_of[vc_id], &self->vcs[vc_id]));
    }
    for (int32_t j = 0; j < self->num_due; j++) {
        spot_vc_t *vc = &self->vcs[self->now_due[j]];

        spot_vc_schedule(vc);
        ret = spot_error_first(ret, vc->error);
        if (vc->is_changed) {
            self->last_event_s = self->now_s;
        }
    }
    for (int32_t j = 0; j < self->num_due; j++) {
        spot_calendar_move(&self->due, self->now_due[j], due_of(self, self->now_due[j]));
    }
    lend(self);
    return spot_error_first(ret, spot_error_first(self->profiler.error, self->durations.error));
}

/* The end of the run: that of the last job, or the horizon, or, without one, the last
 * second in which anything has happened. */
static int64_t ended_s(const spot_schedule_t *self, int64_t last_s)
{
    if (self->is_blocked) {
        return last_s == INT64_MAX ? self->last_event_s : last_s;
    }
    return self->now_s < last_s ? self->now_s : last_s;
}

/* Jobs that a message lists. */
#define MAX_LISTED 10

/* Which jobs have not ended, and why. */
static const char *unfinished_text(spot_schedule_t *self)
{
    const char *list = "";
    size_t num_left = 0;

    for (int32_t j = 0; j < (int32_t) self->log->num_jobs; j++) {
        if (spot_schedule_has_job(self, j) && spot_schedule_result(self, j).end_s < 0 &&
            num_left++ < MAX_LISTED) {
            list = spot_texts_join(&self->texts, list, ", ",
                spot_texts_add(&self->texts, "%s (%d GPU%s in %s)", self->log->jobs[j].id,
                    self->log->jobs[j].gpu_num, self->log->jobs[j].gpu_num == 1 ? "" : "s",
                    self->vcs[self->log->jobs[j].vc_id].name));
        }
    }
    return spot_texts_add(&self->texts, "%s: %zu job%s not ended: %s%s",
        self->is_blocked ? "nothing can ever start again" : "the horizon is reached", num_left,
        num_left == 1 ? " has" : "s have", list, num_left > MAX_LISTED ? ", ..." : "");
}

int spot_schedule_run(spot_schedule_t *self, const spot_replication_t *replication)
{
    const spot_schedule_scenario_t *scenario = self->scenario;
    const int64_t last_s =
        scenario->horizon_s == 0 ? INT64_MAX : scenario->start_s + scenario->horizon_s;
    int ret = start(self, replication);

    if (ret != 0) {
        return ret;
    }
    self->now_s -= scenario->is_every_second && self->num_jobs > 0;
    while (ret == 0 && (self->num_ended < self->num_jobs || self->num_cut > 0)) {
        if (spot_replication_is_stopped(replication)) {
            return SPOT_ERR_INTERRUPTED;
        }
        self->is_blocked = !next_second(self);
        if (self->is_blocked || self->now_s > last_s) {
            break;
        }
        ret = visit(self);
    }
    self->end_s = ended_s(self, last_s);
    for (int32_t j = 0; j < self->num_clocks; j++) {
        spot_vc_finish(&self->vcs[j], self->end_s);
    }
    pay(self);
    self->unfinished_text = self->num_ended < self->num_jobs ? unfinished_text(self) : NULL;
    ret = spot_error_first(ret, error_of(self));
    return spot_error_first(ret, self->texts.error);
}

/* ---- Results ---- */

const spot_train_result_t *spot_schedule_core_result(const spot_schedule_t *self, int32_t row_id)
{
    const spot_vc_t *vc = &self->vcs[self->log->jobs[row_id].vc_id];
    const int32_t job = self->job_ids[row_id];

    return job < 0 || vc->jobs[job].core_id < 0 ? NULL : &vc->cores[vc->jobs[job].core_id].result;
}

/* What a job did in a VC or in the profiler, where it was last. */
static spot_job_result_t result_of(const spot_vc_t *vc, const spot_vc_job_t *job)
{
    return (spot_job_result_t){.start_s = job->start_s,
        .end_s = job->end_s,
        .queue_s = job->queue_s,
        .lost = (int64_t) floor(job->lost * (1000 / vc->unit) + 0.5),
        .overhead_s = job->overhead_paid_s,
        .preemptions = job->preemptions,
        .node_preemptions = job->node_preemptions,
        .resizes = job->resizes,
        .host_row_id = job->host_row_id};
}

spot_job_result_t spot_schedule_result(const spot_schedule_t *self, int32_t row_id)
{
    const spot_vc_t *vc = &self->vcs[self->log->jobs[row_id].vc_id];
    const spot_vc_job_t *profiled = spot_profiler_job(&self->profiler, row_id);
    spot_job_result_t result = {.start_s = -1, .end_s = -1, .host_row_id = -1};

    if (self->job_ids[row_id] >= 0) {
        result = result_of(vc, &vc->jobs[self->job_ids[row_id]]);
    } else if (profiled != NULL && spot_profiler_is_final(&self->profiler, row_id)) {
        result = result_of(self->profiler.vc, profiled);
        result.queue_s = 0;
    }
    if (profiled != NULL) {
        result.is_profiled = profiled->start_s >= 0;
        result.profiled_queue_s = profiled->queue_s;
        result.queue_s += profiled->queue_s;
    }
    return result;
}

spot_profiling_t spot_schedule_profiling(const spot_schedule_t *self)
{
    const spot_profiler_t *profiler = &self->profiler;
    spot_profiling_t sum = {0};

    for (size_t j = 0; profiler->vc != NULL && j < profiler->vc->num_jobs; j++) {
        const spot_vc_job_t *job = &profiler->vc->jobs[j];

        sum.num_profiled += job->start_s >= 0;
        sum.num_finished += job->end_s >= 0 && spot_profiler_is_final(profiler, job->row_id);
        sum.queue_s += job->queue_s;
    }
    for (size_t j = 0; j < profiler->num_events; j++) {
        sum.num_borrowed += profiler->events[j].change > 0;
    }
    return sum;
}

const char *spot_schedule_node_name(
    const spot_schedule_t *self, const spot_gpu_node_t *node, spot_texts_t *texts)
{
    if (node->pool_id >= 0) {
        return self->pools[node->pool_id].nodes[node->instance].name;
    }
    return spot_texts_add(texts, "n%d", node->instance);
}

const char *spot_schedule_place_name(
    const spot_schedule_t *self, const spot_gpu_node_t *node, spot_texts_t *texts)
{
    return node->pool_id < 0 ? spot_schedule_node_name(self, node, texts)
                             : spot_texts_add(texts, "spot%d-%d", node->pool_id,
                                   self->pools[node->pool_id].nodes[node->instance].slot);
}
