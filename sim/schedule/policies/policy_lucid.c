/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lucid: the least estimated duration times GPUs first; while many jobs are forecast,
 * jobs are packed on the GPUs of others. The profiler is part of schedule.c. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "sim/schedule/policy.h"

/* When the packing switch is looked at: at multiples of this. */
#define SWITCH_EVERY_S 100

/* Rows of the forecast that count. */
#define FORECAST_ROWS 5

/* The largest sum of the share scores of two jobs on one GPU. */
#define MAX_SCORE 2

/* A guest may be this many times less urgent than its host. */
#define MAX_URGENCY 2

#define BYTES_PER_MIB 0x1p20

/* Sizes up to this are remembered when they cannot be placed. */
#define MAX_FAILED_GPUS 64

typedef struct {
    bool is_packing; /* at the latest decision */
} lucid_t;

bool spot_lucid_is_policy(const spot_schedule_scenario_t *scenario)
{
    return spot_policies[scenario->policy_id] == &spot_policy_lucid;
}

/* ---- Order ---- */

static void lucid_on_arrive(spot_vc_t *vc, int32_t job)
{
    spot_vc_job_t *at = &vc->jobs[job];

    if (isnan(at->estimate_s)) {
        at->estimate_s = spot_vc_estimate_s(vc, job);
    }
    at->key = at->estimate_s * (double) spot_vc_row(vc, job)->gpu_num;
}

/* ---- The packing switch ---- */

double spot_lucid_forecast(
    const spot_schedule_scenario_t *scenario, int64_t now_s, size_t column_offset)
{
    const spot_forecast_t *forecast = &scenario->lucid.forecast;
    const size_t first = (size_t) ((now_s - scenario->start_s) / SPOT_FORECAST_STEP_S) + 1;
    double sum = 0;
    size_t j;

    for (j = first; j < forecast->num_rows && j < first + FORECAST_ROWS; j++) {
        double value;

        memcpy(&value, (const char *) &forecast->rows[j] + column_offset, sizeof(value));
        sum += value;
    }
    return j == first ? (double) INFINITY : sum / (double) (j - first);
}

/* The switch as it was set at the latest multiple of SWITCH_EVERY_S. */
static bool is_packing(const spot_schedule_scenario_t *scenario, int64_t now_s)
{
    const spot_lucid_setting_t *lucid = &scenario->lucid;
    const int64_t set_s = now_s / SWITCH_EVERY_S * SWITCH_EVERY_S;

    if (lucid->packing == SPOT_PACKING_NEVER || set_s < scenario->start_s) {
        return false;
    }
    return lucid->packing == SPOT_PACKING_ALWAYS ||
           spot_lucid_forecast(scenario, set_s, offsetof(struct spot_forecast_row, num_jobs)) >
               lucid->threshold_jobs;
}

/* With the switch off only the head of the queue is tried, so that jobs behind it wait
 * for the switch. Whether it goes off matters to none that waits. */
static int64_t lucid_next_due_s(const spot_vc_t *vc)
{
    const spot_schedule_scenario_t *scenario = vc->scenario;
    int64_t next_s = vc->now_s / SWITCH_EVERY_S * SWITCH_EVERY_S;

    if (spot_vc_num_queued(vc) == 0 || scenario->lucid.packing == SPOT_PACKING_NEVER ||
        is_packing(scenario, vc->now_s)) {
        return INT64_MAX;
    }
    /* the forecast ends, and packing is on without it */
    for (next_s += SWITCH_EVERY_S; !is_packing(scenario, next_s);) {
        next_s += SWITCH_EVERY_S;
    }
    return next_s;
}

/* ---- Allocation ---- */

/* NULL: the job shares no GPUs. One of the training engine never does. */
static const spot_workload_t *workload(const spot_vc_t *vc, int32_t job)
{
    const int32_t workload_id = spot_vc_row(vc, job)->workload_id;

    return workload_id < 0 || vc->jobs[job].core_id >= 0 ? NULL : &vc->log->workloads[workload_id];
}

/* A node that has a notice takes no new job. */
static bool is_noticed(const spot_vc_t *vc, int32_t job)
{
    const spot_gpu_nodes_t *nodes = &vc->nodes;

    if (nodes->num_open == nodes->num_listed) {
        return false;
    }
    for (int32_t part = vc->jobs[job].first_part; part >= 0; part = nodes->parts[part].next) {
        if (nodes->nodes[nodes->parts[part].node_id].is_noticed) {
            return true;
        }
    }
    return false;
}

spot_colocation_pair_t spot_lucid_pair(const spot_vc_t *vc, int32_t guest, int32_t host)
{
    return spot_colocation_pair(&vc->scenario->lucid.colocation,
        spot_vc_row(vc, guest)->workload_id, spot_vc_row(vc, host)->workload_id);
}

static bool can_host(const spot_vc_t *vc, int32_t host, int32_t guest)
{
    const double memory_mib = (double) vc->scenario->lucid.gpu_memory_bytes / BYTES_PER_MIB;
    const spot_vc_job_t *host_at = &vc->jobs[host], *guest_at = &vc->jobs[guest];
    const spot_workload_t *of_host = workload(vc, host), *of_guest = workload(vc, guest);

    return host_at->status == SPOT_JOB_RUNNING && host_at->is_exclusive &&
           host_at->gpus == guest_at->gpus && of_host != NULL &&
           guest_at->key <= MAX_URGENCY * host_at->key &&
           of_host->gmem_mib < memory_mib - of_guest->gmem_mib &&
           of_host->share_score + of_guest->share_score <= MAX_SCORE && !is_noticed(vc, host) &&
           spot_lucid_pair(vc, guest, host).can_share;
}

/* The first job in the list of running ones that can have a guest, -1: none. A guest
 * that is_tested found none at the latest decision, so that only those matter that have
 * come to run alone since: all that decides is constant. */
static int32_t find_host(const spot_vc_t *vc, int32_t guest, bool is_tested)
{
    int32_t best = -1;

    for (int32_t host = vc->first_running; !is_tested && host >= 0; host = vc->jobs[host].next) {
        if (can_host(vc, host, guest)) {
            return host;
        }
    }
    for (size_t j = 0; is_tested && j < vc->num_alone; j++) {
        const int32_t host = vc->alone[j];

        if ((best < 0 || vc->jobs[host].started < vc->jobs[best].started) &&
            can_host(vc, host, guest)) {
            best = host;
        }
    }
    return best;
}

static bool start_as_guest(spot_vc_t *vc, int32_t guest, bool is_tested)
{
    int32_t host = -1;

    if (vc->jobs[guest].gpus <= vc->scenario->lucid.max_packed_gpus &&
        workload(vc, guest) != NULL) {
        host = find_host(vc, guest, is_tested);
    }
    if (host >= 0) {
        const spot_colocation_pair_t pair = spot_lucid_pair(vc, guest, host);

        spot_vc_start_beside(vc, guest, host, pair.guest_speed, pair.host_speed);
    }
    return host >= 0;
}

/* Sizes that could not be placed in this second cannot be placed later in it. */
static bool start_alone(spot_vc_t *vc, int32_t job, uint64_t *failed)
{
    const int32_t gpus = vc->jobs[job].gpus;
    const bool is_noted = gpus <= MAX_FAILED_GPUS && vc->jobs[job].core_id < 0;
    const uint64_t bit = is_noted ? UINT64_C(1) << (gpus - 1) : 0;

    if ((*failed & bit) != 0) {
        return false;
    }
    if (!spot_vc_start(vc, job)) {
        *failed |= bit;
        return false;
    }
    return true;
}

static void pack(spot_vc_t *vc, bool was_packing)
{
    const bool is_last_resort = vc->scenario->lucid.pack == SPOT_PACK_LAST_RESORT;
    spot_queue_place_t place = {0};
    uint64_t failed = 0;

    for (int32_t job = spot_vc_next_queued(vc, &place); job >= 0;
         job = spot_vc_next_queued(vc, &place)) {
        const bool is_tested = was_packing && vc->jobs[job].waits_since_s < vc->now_s;

        if (is_last_resort) {
            (void) (start_alone(vc, job, &failed) || start_as_guest(vc, job, is_tested));
        } else {
            (void) (start_as_guest(vc, job, is_tested) || start_alone(vc, job, &failed));
        }
    }
}

static void lucid_decide(spot_vc_t *vc)
{
    lucid_t *self = vc->state;
    const bool was_packing = self->is_packing;

    self->is_packing = is_packing(vc->scenario, vc->now_s);
    spot_vc_sort_queue(vc, false);
    if (self->is_packing) {
        pack(vc, was_packing);
    } else {
        spot_vc_start_head(vc);
    }
}

static const spot_estimator_setting_t *lucid_estimator(const spot_schedule_scenario_t *scenario)
{
    return &scenario->lucid.estimator;
}

const spot_policy_t spot_policy_lucid = {
    .name = "lucid",
    .never_resizes = true,
    .doc = "Lucid: jobs are profiled; the least estimated duration times GPUs starts "
           "first; while many jobs are forecast, jobs share GPUs",
    .source = "Hu et al., Lucid: A Non-intrusive, Scalable and Interpretable Scheduler "
              "for Deep Learning Training Jobs, ASPLOS 2023",
    .estimator = lucid_estimator,
    .is_decreasing = true,
    .state_size = sizeof(lucid_t),
    .on_arrive = lucid_on_arrive,
    .next_due_s = lucid_next_due_s,
    .decide = lucid_decide,
};
