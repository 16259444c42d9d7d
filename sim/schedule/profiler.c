/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/profiler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/schedule/policy.h"

/* When a node is borrowed and returned: at multiples of these. */
#define GROW_EVERY_S 10
#define SHRINK_EVERY_S 100

/* It shrinks when at most this many times the GPUs of its largest job are forecast. */
#define SHRINK_GPUS 5

/* The name of a node that the published simulator returns to the lender. */
#define RETURNED_NODE 9999

/* ---- The order of jobs ---- */

/* The estimate of a job is that of the second in which it is submitted. */
static void profiler_on_arrive(spot_vc_t *vc, int32_t job)
{
    vc->jobs[job].key = vc->jobs[job].gpus;
    vc->jobs[job].estimate_s = spot_vc_estimate_s(vc, job);
}

static void profiler_decide(spot_vc_t *vc)
{
    spot_vc_sort_queue(vc, false);
    spot_vc_start_head(vc);
}

static const spot_policy_t least_gpus_first = {
    .name = "profiler",
    .doc = "Least GPUs first; nothing overtakes the job with the least",
    .on_arrive = profiler_on_arrive,
    .decide = profiler_decide,
};

/* ---- Life ---- */

void spot_profiler_init(spot_profiler_t *self, const spot_schedule_scenario_t *scenario,
    spot_vc_t *vcs, int32_t num_vcs)
{
    *self = (spot_profiler_t){.scenario = scenario, .vc = &vcs[num_vcs]};
    spot_vc_init(self->vc, scenario, &least_gpus_first, SPOT_PROFILER_NAME, num_vcs);
    self->vc->placer = SPOT_PLACER_CONSOLIDATE;
    for (int32_t j = 0; j < num_vcs && scenario->lucid.lender != NULL; j++) {
        if (strcmp(vcs[j].name, scenario->lucid.lender) == 0) {
            self->lender = &vcs[j];
        }
    }
}

void spot_profiler_free(spot_profiler_t *self)
{
    free(self->job_ids);
    free(self->events);
    *self = (spot_profiler_t){0};
}

void spot_profiler_start(spot_profiler_t *self, const spot_job_log_t *log, int64_t start_s)
{
    spot_vc_start_clock(self->vc, log, spot_profiler_num_taken(self->scenario, NULL), start_s);
    self->borrowed_id = -1;
    self->num_removals = 0;
    self->num_events = 0;
    self->error = SPOT_ARRAY_ROOM(self, job_ids, log->num_jobs);
    if (self->error == 0 && log->num_jobs > 0) {
        memset(self->job_ids, -1, log->num_jobs * sizeof(*self->job_ids));
    }
}

/* ---- Jobs ---- */

bool spot_profiler_is_final(const spot_profiler_t *self, int32_t row_id)
{
    return self->vc->log->jobs[row_id].duration_s <= self->scenario->lucid.limit_s;
}

/* Jobs of the training engine, whose durations only it knows, are not profiled. The run
 * of a job that will leave is overhead: none of its work is kept. */
bool spot_profiler_add_job(spot_profiler_t *self, int32_t row_id, int64_t submit_s)
{
    const spot_job_row_t *row = &self->vc->log->jobs[row_id];
    const bool is_final = spot_profiler_is_final(self, row_id);

    if (row->gpu_num > self->scenario->lucid.max_gpus ||
        (row->terms_id >= 0 && self->vc->log->terms[row->terms_id].trainer != NULL)) {
        return false;
    }
    spot_vc_add_job(self->vc, row_id, submit_s, is_final ? row->duration_s : 0, (double) NAN);
    if (self->vc->error == 0) {
        self->job_ids[row_id] = (int32_t) self->vc->num_jobs - 1;
        self->vc->jobs[self->vc->num_jobs - 1].overhead_s =
            is_final ? 0 : self->scenario->lucid.limit_s;
    }
    return true;
}

const spot_vc_job_t *spot_profiler_job(const spot_profiler_t *self, int32_t row_id)
{
    return self->job_ids == NULL || self->job_ids[row_id] < 0
               ? NULL
               : &self->vc->jobs[self->job_ids[row_id]];
}

/* ---- Borrowed nodes ---- */

static bool wants_more(const spot_profiler_t *self)
{
    return self->borrowed_id < 0 &&
           (int64_t) spot_vc_num_queued(self->vc) > self->scenario->lucid.up_queue;
}

static double forecast_gpus(const spot_profiler_t *self)
{
    return spot_lucid_forecast(
        self->scenario, self->vc->now_s, offsetof(struct spot_forecast_row, num_gpus));
}

static bool wants_less(const spot_profiler_t *self)
{
    const spot_lucid_setting_t *lucid = &self->scenario->lucid;

    return self->borrowed_id >= 0 && (int64_t) spot_vc_num_queued(self->vc) < lucid->down_queue &&
           spot_gpu_nodes_is_idle(&self->vc->nodes, self->borrowed_id) &&
           forecast_gpus(self) <= (double) (SHRINK_GPUS * lucid->max_gpus);
}

int64_t spot_profiler_next_due_s(const spot_profiler_t *self)
{
    const bool may_shrink = self->borrowed_id >= 0 && isfinite(forecast_gpus(self));
    const int64_t step_s = may_shrink ? SHRINK_EVERY_S : GROW_EVERY_S;

    return self->lender != NULL && (may_shrink || wants_more(self))
               ? (self->vc->now_s / step_s + 1) * step_s
               : INT64_MAX;
}

/* The idle reserved node that is last in the list, or has the highest name; -1: none. */
static int32_t idle_node(const spot_gpu_nodes_t *nodes, bool by_name)
{
    int32_t best = -1;

    for (int32_t j = 0; j < nodes->num_listed; j++) {
        const spot_gpu_node_t *node = &nodes->nodes[nodes->list[j]];

        if (node->pool_id < 0 && !node->is_noticed &&
            spot_gpu_nodes_is_idle(nodes, nodes->list[j]) &&
            (best < 0 || !by_name || node->instance > nodes->nodes[best].instance)) {
            best = nodes->list[j];
        }
    }
    return best;
}

static int32_t find_returned(const spot_gpu_nodes_t *nodes)
{
    for (int32_t j = 0; j < nodes->num_listed; j++) {
        const spot_gpu_node_t *node = &nodes->nodes[nodes->list[j]];

        if (node->pool_id < 0 && node->instance == RETURNED_NODE) {
            return nodes->list[j];
        }
    }
    return -1;
}

/* Returns the name of the node that the profiler gets; -1: none. In the published
 * simulator the profiler has a node more, whether the lender has an idle one or not;
 * from the second removal on the removed node takes the name of the returned one. */
static int32_t borrow(spot_profiler_t *self)
{
    const bool is_blind = self->scenario->quirks[SPOT_QUIRK_BLIND_LOANS];
    spot_gpu_node_t *nodes = self->lender->nodes.nodes;
    const int32_t node_id = idle_node(&self->lender->nodes, is_blind);
    const int32_t returned_id = find_returned(&self->lender->nodes);
    int32_t instance = is_blind ? RETURNED_NODE : -1;

    if (node_id < 0) {
        return instance;
    }
    if (!is_blind) {
        instance = nodes[node_id].instance;
    } else if (++self->num_removals > 1 && returned_id >= 0) {
        nodes[returned_id].instance = nodes[node_id].instance;
        nodes[node_id].instance = RETURNED_NODE;
    }
    spot_vc_remove_node(self->lender, node_id);
    return instance;
}

static void give_back(spot_profiler_t *self)
{
    const int32_t instance = self->vc->nodes.nodes[self->borrowed_id].instance;

    spot_vc_remove_node(self->vc, self->borrowed_id);
    self->borrowed_id = -1;
    if (!self->scenario->quirks[SPOT_QUIRK_BLIND_LOANS] ||
        find_returned(&self->lender->nodes) < 0) {
        (void) spot_vc_add_node(self->lender, -1, instance);
    }
}

bool spot_profiler_lend(spot_profiler_t *self)
{
    const int64_t now_s = self->vc->now_s;
    int32_t change = 0;

    if (self->lender == NULL || now_s % GROW_EVERY_S != 0) {
        return false;
    }
    if (self->lender->now_s < now_s && (wants_more(self) || wants_less(self))) {
        spot_vc_begin_second(self->lender, now_s); /* it was not due: nothing ends */
    }
    if (wants_more(self)) {
        const int32_t instance = borrow(self);

        if (instance >= 0) {
            self->borrowed_id = spot_vc_add_node(self->vc, -1, instance);
            change = 1;
        }
    } else if (now_s % SHRINK_EVERY_S == 0 && wants_less(self)) {
        give_back(self);
        change = -1;
    }
    if (change != 0) {
        SPOT_ARRAY_PUSH(self, events, (spot_scaling_event_t){now_s, change});
    }
    return change != 0;
}
