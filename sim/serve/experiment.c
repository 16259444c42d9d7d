/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/experiment.h"

#include <stdlib.h>

#include "sim/serve/needs.h"
#include "sim/serve/run.h"

/* ---- Scenarios ---- */

static void serve_free(void *scenario)
{
    if (scenario != NULL) {
        spot_serve_scenario_free(scenario);
        free(scenario);
    }
}

/* From below; bars have the same from the left. */
static const char *const parts[] = {
    "prepping_fraction", "idle_fraction", "useful_fraction", "wasted_fraction"};
static const char *const bars[] = {
    "useful_fraction", "wasted_fraction", "idle_fraction", "prepping_fraction"};
static const char *const compared[] = {"latency_mean_ms", "latency_p95_ms", "latency_p99_ms",
    "latency_max_ms", "late_fraction", "feasible", "cost_per_hour", "cost_per_1000_on_time",
    "lost_fraction", "batches_cut"};

static const spot_outputs_t common_outputs = {.num_parts = sizeof(parts) / sizeof(parts[0]),
    .parts = parts,
    .bars = bars,
    .whole = "paid replica time",
    .cost = "cost_per_hour",
    .gain = "on_time_fraction",
    .num_compared = sizeof(compared) / sizeof(compared[0]),
    .compared = compared,
    .why_fixed = "queries and outages come from files, and nothing is left to chance",
    .num_replications = 30,
    .min_replications = 16,
    .batch_replications = 1};

/* What only the loss of a replica makes, and what nothing but it and a controller may change. */
static const char *const without_loss[] = {
    "lost", "batches_cut", "wasted_h", "spot_cost", "launches", NULL};
static const char *const without_launches[] = {"launches", NULL};
static const char *const rent[] = {"cost_per_hour", NULL};

/* Whether a fallback or an autoscaler may launch a replica. */
static bool may_launch(const spot_serve_scenario_t *self)
{
    for (size_t j = 0; j < self->pipeline.num_stages; j++) {
        if (self->options[j].fallback != SPOT_FALLBACK_NONE ||
            self->options[j].scale.kind != SPOT_SCALE_NONE) {
            return true;
        }
    }
    return false;
}

/* Sets what the rules of the scenario make 0, and the same. */
static void find_ruled(spot_serve_scenario_t *self)
{
    if (may_launch(self)) {
        return;
    }
    self->outputs.never = spot_serve_scenario_has_spot(self) ? without_launches : without_loss;
    self->outputs.ruled = spot_serve_scenario_has_spot(self) ? NULL : rent;
}

static int serve_bind(void **scenario, const spot_node_t *root, const void *like, spot_diag_t *diag)
{
    spot_serve_scenario_t *self = *scenario = spot_calloc(1, sizeof(*self));
    int ret = self == NULL ? SPOT_ERR_NO_MEMORY : spot_serve_scenario_init(self, root, diag);

    (void) like;
    if (ret != 0) {
        return ret;
    }
    if (self->config_form != 0 && self->num_configs == 0) {
        return spot_diag_error(diag, root->file, root->line, root->column,
            "a run needs config: an option for each stage, or the name of a planner");
    }
    self->outputs = common_outputs;
    self->outputs.is_random =
        spot_arrivals_is_random(&self->arrivals) ||
        (spot_serve_scenario_has_spot(self) && spot_outage_setting_is_random(&self->outages));
    find_ruled(self);
    ret = spot_serve_metrics_init(self);
    return ret != 0 ? ret : spot_serve_series_init(self);
}

static const spot_outputs_t *serve_outputs(const void *scenario)
{
    return &((const spot_serve_scenario_t *) scenario)->outputs;
}

/* ---- Workers ---- */

static int serve_open(void **worker, const void *scenario)
{
    spot_serve_replication_t *self = *worker = spot_calloc(1, sizeof(*self));

    return self == NULL ? SPOT_ERR_NO_MEMORY : spot_serve_replication_init(self, scenario);
}

static void serve_close(void *worker)
{
    if (worker != NULL) {
        spot_serve_replication_free(worker);
        free(worker);
    }
}

static int serve_run(void *worker, const spot_replication_t *replication, double *metrics,
    unsigned char *warnings, spot_recording_t *recording)
{
    spot_serve_replication_t *self = worker;
    int ret = spot_serve_replication_run(self, replication, recording != NULL);

    if (ret != 0) {
        return ret;
    }
    spot_serve_yield(self, metrics);
    spot_serve_warning_flags(self, warnings);
    return recording == NULL ? 0 : spot_serve_series_fill(self, recording);
}

static void view_json(const void *worker, bool has_theory, spot_json_t *json)
{
    (void) has_theory;
    spot_serve_json_write(worker, json);
}

static void view_events(const void *worker, FILE *out)
{
    spot_serve_events_write(worker, out);
}

static const char *view_failure(const void *worker)
{
    const spot_serve_replication_t *self = worker;

    return self->failure[0] == '\0' ? NULL : self->failure;
}

static const spot_run_view_t view = {
    .json = view_json, .events = view_events, .failure = view_failure};

static const spot_rival_t no_rival;

static spot_rival_t service_rival(size_t j)
{
    const spot_service_t *service = spot_services[j];

    return service == NULL ? no_rival : (spot_rival_t){service->name, service->doc, NULL};
}

static spot_rival_t planner_rival(size_t j)
{
    const spot_planner_t *planner = spot_serve_planners[j];

    return planner == NULL ? no_rival
                           : (spot_rival_t){planner->name, planner->doc, planner->source};
}

static const spot_rivals_t rivals[] = {
    {"service", "service model", "throughput,p99", service_rival},
    {"config", "planner", "exact,greedy", planner_rival},
    {.key = NULL},
};

static const spot_colour_t colours[] = {
    {"useful", "#5fb89a"},
    {"wasted", "#d55e00"},
    {"idle", "#bcc3cb"},
    {"prepping", "#68b9ea"},
    {"on-demand", "#3b6fb6"},
    {"spot", "#e8a735"},
    {NULL, NULL},
};

static const char example[] =
    "scenario: small\n"
    "engine: serve\n"
    "hardware: {gpu: {on_demand: 3, spot: 1}, cpu: {on_demand: 0.5}}\n"
    "profiles:\n"
    "  - model: Detect\n"
    "    hardware: gpu\n"
    "    batches: {1: {throughput_qps: 12, p99_ms: 95},\n"
    "              8: {throughput_qps: 60, p99_ms: 150}}\n"
    "  - model: Classify\n"
    "    hardware: cpu\n"
    "    batches: {1: {throughput_qps: 90, p99_ms: 16},\n"
    "              4: {throughput_qps: 160, p99_ms: 32}}\n"
    "pipeline: [{id: Detect, from: source}, {id: Classify, from: Detect}]\n"
    "arrivals: {poisson: {rate_qps: 50, count: 5000}}\n"
    "service: throughput\n"
    "slo: {latency: 400 ms, percentile: 99}\n"
    "config:\n"
    "  Detect: {hardware: gpu, batch: 8, replicas: 2, market: spot}\n"
    "  Classify: {hardware: cpu, batch: 4, replicas: 1, market: on_demand}\n"
    "preemptions: {hazard: {mtbf: 5 min, recover: 20 s}, notice: 0 s,\n"
    "              in_flight: requeue_head, preparation: 0 s, load: 10 s}\n";

const spot_experiment_t spot_serve_experiment = {
    .name = "serve",
    .summary = "Queries through a pipeline of models on replicas that may go",
    .doc = "Queries flow through a pipeline of models; each stage runs batches on "
           "replicas, on-demand or spot. Times of batches are measured profiles; hops "
           "between stages take no time. See docs/serving.md.",
    .example = example,
    .fields = spot_serve_fields,
    .num_warnings = SPOT_SERVE_NUM_WARNINGS,
    .warnings = spot_serve_warnings,
    .colours = colours,
    .rivals = rivals,
    .bind = serve_bind,
    .free = serve_free,
    .outputs = serve_outputs,
    .decides = spot_serve_decides,
    .open = serve_open,
    .close = serve_close,
    .run = serve_run,
    .check_recording = spot_serve_check_recording,
    .view = &view,
    .advice = &spot_serve_advice,
};
