/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lucid: the least estimated duration times GPUs first; while many jobs are forecast,
 * jobs are packed on the GPUs of others. The profiler is profiler.c. */
#include <math.h>
#include <stddef.h>

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

bool
spot_lucid_is_policy(const spot_schedule_scenario_t *scenario)
{
    return spot_policies[scenario->policy_id] == &spot_policy_lucid;
}

/* ---- Order ---- */

static void
lucid_on_arrive(spot_vc_t *vc, int32_t job)
{
    spot_vc_job_t *at = &vc->jobs[job];

    if (isnan(at->estimate_s)) {
        at->estimate_s = spot_vc_estimate_s(vc, job);
    }
    at->key = at->estimate_s * (double) spot_vc_row(vc, job)->gpu_num;
}

/* ---- The packing switch ---- */

double
spot_lucid_forecast(
    const spot_schedule_scenario_t *scenario, int64_t now_s, size_t column_offset)
{
    const spot_forecast_t *forecast = &scenario->lucid.forecast;
    const size_t first =
        (size_t) ((now_s - scenario->start_s) / SPOT_FORECAST_STEP_S) + 1;
    double sum = 0;
    size_t j;

    for (j = first; j < forecast->num_rows && j < first + FORECAST_ROWS; j++) {
        sum += *(const double *) ((const char *) &forecast->rows[j] + column_offset);
    }
    return j == first ? (double) INFINITY : sum / (double) (j - first);
}

/* The switch as it was set at the latest multiple of SWITCH_EVERY_S. */
static bool
is_packing(const spot_schedule_scenario_t *scenario, int64_t now_s)
{
    const spot_lucid_setting_t *lucid = &scenario->lucid;
    const int64_t set_s = now_s / SWITCH_EVERY_S * SWITCH_EVERY_S;

    if (lucid->packing == SPOT_PACKING_NEVER || set_s < scenario->start_s) {
        return false;
    }
    return lucid->packing == SPOT_PACKING_ALWAYS ||
           spot_lucid_forecast(scenario, set_s,
               offsetof(struct spot_forecast_row, num_jobs)) > lucid->threshold_jobs;
}

/* With the switch off only the head of the queue is tried, so that jobs behind it wait
 * for the switch. Whether it goes off matters to none that waits. */
static int64_t
lucid_next_due_s(const spot_vc_t *vc)
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
static const spot_workload_t *
workload(const spot_vc_t *vc, int32_t job)
{
    const int32_t workload_id = spot_vc_row(vc, job)->workload_id;

    return workload_id < 0 || vc->jobs[job].core_id >= 0
               ? NULL
               : &vc->log->workloads[workload_id];
}

/* A node that has a notice takes no new job. */
static bool
is_noticed(const spot_vc_t *vc, int32_t job)
{
    const spot_gpu_nodes_t *nodes = &vc->nodes;

    if (nodes->num_open == nodes->num_listed) {
        return false;
    }
    for (int32_t part = vc->jobs[job].first_part; part >= 0;
         part = nodes->parts[part].next) {
        if (nodes->nodes[nodes->parts[part].node_id].is_noticed) {
            return true;
        }
    }
    return false;
}

static bool
can_host(const spot_vc_t *vc, int32_t host, int32_t guest)
{
    const double memory_mib =
        (double) vc->scenario->lucid.gpu_memory_bytes / BYTES_PER_MIB;
    const spot_vc_job_t *host_at = &vc->jobs[host], *guest_at = &vc->jobs[guest];
    const spot_workload_t *of_host = workload(vc, host), *of_guest = workload(vc, guest);

    return host_at->is_exclusive && host_at->gpus == guest_at->gpus && of_host != NULL &&
           guest_at->key <= MAX_URGENCY * host_at->key &&
           of_host->gmem_mib < memory_mib - of_guest->gmem_mib &&
           of_host->share_score + of_guest->share_score <= MAX_SCORE &&
           !is_noticed(vc, host);
}

spot_colocation_pair_t
spot_lucid_pair(const spot_vc_t *vc, int32_t guest, int32_t host)
{
    return spot_colocation_pair(&vc->scenario->lucid.colocation,
        spot_vc_row(vc, guest)->workload_id, spot_vc_row(vc, host)->workload_id);
}

/* Starts a job on the GPUs of the first job in the list of running ones that can have
 * it as a guest. */
static bool
start_as_guest(spot_vc_t *vc, int32_t guest)
{
    if (vc->jobs[guest].gpus > vc->scenario->lucid.max_packed_gpus ||
        workload(vc, guest) == NULL || vc->jobs[guest].core_id >= 0) {
        return false;
    }
    for (int32_t host = vc->first_running; host >= 0; host = vc->jobs[host].next) {
        if (can_host(vc, host, guest)) {
            const spot_colocation_pair_t pair = spot_lucid_pair(vc, guest, host);

            if (pair.can_share) {
                spot_vc_start_beside(vc, guest, host, pair.guest_speed, pair.host_speed);
                return true;
            }
        }
    }
    return false;
}

/* Sizes that could not be placed in this second cannot be placed later in it. */
static bool
start_alone(spot_vc_t *vc, int32_t job, uint64_t *failed)
{
    const int32_t gpus = vc->jobs[job].gpus;
    const uint64_t bit = gpus <= MAX_FAILED_GPUS ? UINT64_C(1) << (gpus - 1) : 0;

    if ((*failed & bit) != 0) {
        return false;
    }
    if (!spot_vc_start(vc, job)) {
        *failed |= bit;
        return false;
    }
    return true;
}

static void
lucid_decide(spot_vc_t *vc)
{
    const bool is_last_resort = vc->scenario->lucid.pack == SPOT_PACK_LAST_RESORT;
    uint64_t failed = 0;

    spot_vc_sort_queue(vc, false);
    if (!is_packing(vc->scenario, vc->now_s)) {
        spot_vc_start_head(vc);
        return;
    }
    for (size_t j = vc->queue_start; j < vc->num_queue; j++) {
        const int32_t job = vc->queue[j];

        if (is_last_resort) {
            (void) (start_alone(vc, job, &failed) || start_as_guest(vc, job));
        } else {
            (void) (start_as_guest(vc, job) || start_alone(vc, job, &failed));
        }
    }
}

static const spot_estimator_setting_t *
lucid_estimator(const spot_schedule_scenario_t *scenario)
{
    return &scenario->lucid.estimator;
}

const spot_policy_t spot_policy_lucid = {
    .name = "lucid",
    .doc = "Lucid: jobs are profiled; the least estimated duration times GPUs starts "
           "first; while many jobs are forecast, jobs share GPUs",
    .source = "Hu et al., Lucid: A Non-intrusive, Scalable and Interpretable Scheduler "
              "for Deep Learning Training Jobs, ASPLOS 2023",
    .estimator = lucid_estimator,
    .is_decreasing = true,
    .on_arrive = lucid_on_arrive,
    .next_due_s = lucid_next_due_s,
    .decide = lucid_decide,
};
