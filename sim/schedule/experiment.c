/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/experiment.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "sim/schedule/metrics.h"
#include "sim/schedule/needs.h"
#include "sim/schedule/policy.h"
#include "sim/schedule/run_recorder.h"
#include "sim/schedule/scenario.h"
#include "sim/schedule/schedule.h"
#include "sim/schedule/summary.h"

/* ---- Scenarios ---- */

static void schedule_free(void *scenario)
{
    if (scenario != NULL) {
        spot_schedule_scenario_free(scenario);
        free(scenario);
    }
}

/* From below; bars have the same from the left. */
static const char *const parts[] = {"prepping_fraction", "standby_fraction", "useful_fraction",
    "lost_fraction", "unsaved_fraction", "overhead_fraction"};
static const char *const bars[] = {"useful_fraction", "unsaved_fraction", "lost_fraction",
    "overhead_fraction", "standby_fraction", "prepping_fraction"};

_Static_assert(
    sizeof(parts) / sizeof(parts[0]) == SPOT_NUM_GPU_TIMES, "a metric for each kind of time");

/* The last ones need spot nodes, and the cost a price. */
static const char *const compared[] = {"avg_jct", "avg_queue", "queue_p95", "jct_p99", "unfinished",
    "preemptions", "utilisation", "cost_usd", "node_preemptions", "lost_gpu_h", "spot_cost_share"};

#define NUM_COMPARED (sizeof(compared) / sizeof(compared[0]))
#define NUM_OF_SPOT_NODES 3U

static const spot_outputs_t common_outputs = {.num_parts = SPOT_NUM_GPU_TIMES,
    .parts = parts,
    .bars = bars,
    .whole = "paid GPU time",
    .cost = "cost_usd",
    .gain = "utilisation",
    .num_compared = NUM_COMPARED,
    .compared = compared,
    .why_fixed = "one log and nothing left to chance: differences below 2 % of the JCT or "
                 "20 % of the queueing time may be noise, and jobs.jitter shows how much",
    .num_replications = 30,
    .min_replications = 16,
    .batch_replications = 1};

/* What only spot nodes make. */
#define OF_SPOT_NODES "node_preemptions", "lost_gpu_h", "lost_gpu_s", "spot_usd", "spot_node_h"

/* By whether there are spot nodes, and whether the policy stops jobs and changes their size. */
static const char *const nevers[2][2][2][8] = {
    {{{OF_SPOT_NODES, "preemptions", "resizes"}, {OF_SPOT_NODES, "preemptions"}},
        {{OF_SPOT_NODES, "resizes"}, {OF_SPOT_NODES}}},
    {{{"preemptions", "resizes"}, {"preemptions"}}, {{"resizes"}, {NULL}}},
};
static const char *const jobs_of_log[] = {"jobs", NULL};

/* Sets what the rules of the scenario make 0, and the same. */
static void find_ruled(spot_schedule_scenario_t *self)
{
    const spot_policy_t *policy = spot_policies[self->policy_id];
    bool has_spot = false;

    for (int32_t j = 0; j < (int32_t) self->vcs.num_vcs; j++) {
        has_spot = has_spot || spot_pool_plans_most(&self->pools, j) > 0;
    }
    self->outputs.never = nevers[has_spot][!policy->never_stops][!policy->never_resizes];
    self->outputs.ruled = self->log == NULL ? NULL : jobs_of_log;
}

static int schedule_bind(
    void **scenario, const spot_node_t *root, const void *like, spot_diag_t *diag)
{
    spot_schedule_scenario_t *self = *scenario = spot_calloc(1, sizeof(*self));
    int ret =
        self == NULL ? SPOT_ERR_NO_MEMORY : spot_schedule_scenario_init(self, root, like, diag);

    if (ret != 0) {
        return ret;
    }
    self->outputs = common_outputs;
    self->outputs.is_random = spot_schedule_scenario_is_random(self);
    if (self->pools.num_settings == 0) {
        self->outputs.num_compared -=
            self->price_usd_per_h > 0 ? NUM_OF_SPOT_NODES : NUM_OF_SPOT_NODES + 1;
    }
    find_ruled(self);
    ret = spot_schedule_metrics_init(self);
    return ret != 0 ? ret : spot_run_recorder_kinds_init(self);
}

static const spot_outputs_t *schedule_outputs(const void *scenario)
{
    return &((const spot_schedule_scenario_t *) scenario)->outputs;
}

/* ---- Workers ---- */

typedef struct {
    spot_schedule_t schedule;
    spot_summaries_t summaries;
    spot_run_recorder_t recorder;
    spot_replication_t replication;
} worker_t;

static int schedule_open(void **worker, const void *scenario)
{
    worker_t *self = *worker = spot_calloc(1, sizeof(*self));

    return self == NULL ? SPOT_ERR_NO_MEMORY : spot_schedule_init(&self->schedule, scenario);
}

static void schedule_close(void *worker)
{
    worker_t *self = worker;

    if (self != NULL) {
        spot_schedule_free(&self->schedule);
        spot_summaries_free(&self->summaries);
        spot_run_recorder_free(&self->recorder);
        free(self);
    }
}

static int schedule_run(void *worker, const spot_replication_t *replication, double *metrics,
    unsigned char *warnings, spot_recording_t *recording)
{
    worker_t *self = worker;
    int ret;

    self->replication = *replication;
    self->replication.stop = NULL;
    ret = spot_run_recorder_start(&self->recorder, &self->schedule, recording);
    ret = ret != 0 ? ret : spot_schedule_run(&self->schedule, replication);
    ret = ret != 0 ? ret : spot_schedule_summarise(&self->summaries, &self->schedule);
    if (ret == 0) {
        spot_schedule_yield(&self->schedule, &self->summaries, metrics);
        spot_schedule_warning_flags(&self->schedule, warnings);
        ret = spot_run_recorder_finish(&self->recorder, &self->summaries);
    }
    return ret;
}

/* ---- What `spotsim run` prints ---- */

static void view_json(const void *worker, bool has_theory, spot_json_t *json)
{
    const worker_t *self = worker;

    (void) has_theory;
    spot_schedule_json_write(&self->schedule, &self->summaries, &self->replication, json);
}

static void view_progress(const void *worker, FILE *out)
{
    const worker_t *self = worker;

    spot_run_recorder_progress_write(&self->recorder, &self->summaries, out);
}

static const char *view_failure(const void *worker)
{
    return ((const worker_t *) worker)->schedule.unfinished_text;
}

static const spot_run_view_t view = {
    .json = view_json, .failure = view_failure, .progress = view_progress};

static spot_rival_t policy_rival(size_t j)
{
    const spot_policy_t *policy = spot_policies[j];

    spot_rival_t rival = {0};

    if (policy != NULL) {
        rival = (spot_rival_t){policy->name, policy->doc, policy->source};
    }
    return rival;
}

static const spot_rivals_t rivals[] = {
    {"policy", "policy", "fifo,tiresias", policy_rival},
    {.key = NULL},
};

static const spot_colour_t colours[] = {
    {"useful", "#5fb89a"},
    {"unsaved", "#b5dccd"},
    {"lost", "#d55e00"},
    {"overhead", "#e8a735"},
    {"standby", "#bcc3cb"},
    {"prepping", "#68b9ea"},
    {"queued", "#d55e00"},
    {"running", "#5fb89a"},
    {"used", "#5fb89a"},
    {"idle", "#bcc3cb"},
    {NULL, NULL},
};

static const char example[] = "scenario: small\n"
                              "engine: schedule\n"
                              "jobs:\n"
                              "  generate: {per_hour: 20, horizon: 12 h, sizes: {1: 3, 4: 1},\n"
                              "             duration: {family: exponential, mu: 3600},\n"
                              "             restart: 40 s, checkpoint: {every: 0 s}}\n"
                              "cluster: {vcs: {main: 4}, price: 20 USD/h, gpus_per_node: 8,\n"
                              "          placer: consolidate}\n"
                              "policy: sjf\n"
                              "tiresias: {interval: 60 s, thresholds: [18000]}\n";

const spot_experiment_t spot_schedule_experiment = {
    .name = "schedule",
    .summary = "Many training jobs on one cluster, with one policy",
    .doc = "A log of jobs, virtual clusters (VCs) of nodes that are reserved or come and "
           "go, and a policy that decides which job starts next. CPUs, host memory and "
           "networks are not modelled: a job on several nodes is as fast as on one.",
    .example = example,
    .fields = spot_schedule_fields,
    .num_warnings = SPOT_SCHEDULE_NUM_WARNINGS,
    .warnings = spot_schedule_warnings,
    .colours = colours,
    .rivals = rivals,
    .bind = schedule_bind,
    .free = schedule_free,
    .outputs = schedule_outputs,
    .decides = spot_schedule_decides,
    .assume = spot_schedule_assume,
    .open = schedule_open,
    .close = schedule_close,
    .run = schedule_run,
    .check_recording = spot_schedule_check_recording,
    .view = &view,
    .advice = &spot_schedule_advice,
};
