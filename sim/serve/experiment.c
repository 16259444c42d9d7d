/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/experiment.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "sim/serve/planner.h"
#include "sim/serve/run.h"
#include "traces/generate/generator.h"

/* ---- Advice ---- */

/* What may be chosen for a serving pipeline: configurations of the planners, with
 * replicas to spare, on demand, on spot, or a part on demand, and autoscaling. */

/* A plan is made for the queries of one replication. Others need a margin: 60 % of the
 * latency objective are planned for, too, and replicas of each stage are spare. */
enum { NUM_PLANNERS = 2, MARGIN_PERCENT = 60, NUM_TENURES = 5, MAX_SPARE = 2 };
static const spot_planner_t *const planners[NUM_PLANNERS] = {
    &spot_planner_exact, &spot_planner_greedy};

/* Ways to rent replicas. market: where the hardware has a price on spot. */
static const struct tenure {
    const char *kind, *words, *market;
    bool is_scaled;
} tenures[NUM_TENURES] = {
    {"on demand", "on demand", "on_demand", false},
    {"on demand", "on demand, autoscaled", "on_demand", true},
    {"spot", "on spot", "spot", false},
    {"spot", "on spot, autoscaled", "spot", true},
    {"mixed", "on spot, with on-demand replicas while spot replicas are away", "hedge", false},
};

typedef struct {
    const spot_serve_scenario_t *scenario;
    spot_alternatives_t *all;
    int64_t max_fleet;        /* 0: any */
    int64_t peak;             /* most instances that all recordings had; 0: no recordings */
    bool has_spot;            /* replicas may be lost */
    const spot_node_t *trace; /* of preemptions; has an instance for each slot on spot */
    const struct tenure *tenure;
    int64_t num_spare;      /* evenly over the stages */
    int64_t size, num_spot; /* replicas of the choice, summed up */
} proposal_t;

static int serve_pose(
    const spot_advice_question_t *question, spot_yaml_t *scenario, spot_diag_t *diag)
{
    spot_node_t *preemptions = spot_node_get(scenario->root, "preemptions");
    int ret;

    if (question->recovery != NULL) {
        return spot_diag_error(diag, scenario->root->file, 0, 0,
            "--recovery is for a training job: a serving pipeline has no recovery systems");
    }
    if (question->num_steps > 0 || question->finish_by_ms > 0 || question->is_running) {
        return spot_diag_error(diag, scenario->root->file, 0, 0,
            "--steps, --finish-by and --now are for jobs: a serving pipeline has no "
            "end, and its goal is slo of the scenario");
    }
    if (question->num_traces > 0) {
        spot_node_drop(preemptions, "outages");
        spot_node_drop(preemptions, "hazard");
    }
    ret = spot_advice_replay(question, "preemptions.trace", scenario, diag);
    if (ret == 0 && spot_node_at(scenario->root, "preemptions.trace.recordings") != NULL) {
        ret = spot_advice_set(scenario, diag, "preemptions.trace.capacity=1");
    }
    return ret == 0 ? spot_advice_set(scenario, diag, "config=exact") : ret;
}

/* The option of a stage as YAML, whose replicas are counted. */
static const char *option_text(
    proposal_t *self, const spot_stage_option_t *option, int64_t stage_id)
{
    const spot_serve_scenario_t *scenario = self->scenario;
    const spot_serving_price_t *price = &scenario->prices.prices[option->hardware_id];
    const char *market = isnan(price->spot_per_h) ? "on_demand" : self->tenure->market;
    const bool is_hedge = strcmp(market, "hedge") == 0;
    const int64_t num = (int64_t) scenario->pipeline.num_stages;
    const int64_t spare = self->num_spare * (stage_id + 1) / num - self->num_spare * stage_id / num;
    const int64_t replicas = option->replicas + spare;
    spot_texts_t *texts = &self->all->texts;
    const char *more = "";

    if (is_hedge) {
        more = spot_texts_add(
            texts, ", hedge: {overprovision: %" PRId64 ", fallback: to_target}", spare);
    } else if (self->tenure->is_scaled) {
        more = spot_texts_add(texts, ", scale: {max: %" PRId64 "}", 2 * replicas);
    }
    self->size += replicas;
    self->num_spot += strcmp(market, "on_demand") == 0 ? 0 : replicas;
    return spot_texts_add(texts,
        "\"%s\": {hardware: \"%s\", batch: %" PRId64 ", replicas: %" PRId64 ", market: %s%s}",
        spot_serve_pipeline_stage_node(&scenario->pipeline, (size_t) stage_id)->id, price->name,
        option->batch, is_hedge ? option->replicas : replicas, market, more);
}

static void add_choice(proposal_t *self, const spot_stage_option_t *options)
{
    static const char *const keys[] = {"capacity", "initial"};
    const spot_serve_pipeline_t *pipeline = &self->scenario->pipeline;
    spot_texts_t *texts = &self->all->texts;
    const char *words = "", *point = "";
    bool is_good;

    self->size = self->num_spot = 0;
    for (size_t j = 0; j < pipeline->num_stages; j++) {
        const int64_t before = self->size;

        point = spot_texts_join(texts, point, ", ", option_text(self, &options[j], (int64_t) j));
        words = spot_texts_join(texts, words, ", ",
            spot_texts_add(texts, "%" PRId64 " %s for %s (batches of %" PRId64 ")",
                self->size - before, self->scenario->prices.prices[options[j].hardware_id].name,
                spot_serve_pipeline_stage_node(pipeline, j)->id, options[j].batch));
    }
    point = spot_texts_add(texts, "{config: {%s}", point);
    for (size_t j = 0; j < 2; j++) {
        if (spot_node_get(self->trace, keys[j]) != NULL) {
            point = spot_texts_add(texts, "%s, preemptions.trace.%s: %" PRId64, point, keys[j],
                self->num_spot > 0 ? self->num_spot : 1);
        }
    }
    point = spot_texts_add(texts, "%s}", point);
    is_good = (self->max_fleet == 0 || self->size <= self->max_fleet) &&
              (self->num_spot > 0 || strcmp(self->tenure->kind, "on demand") == 0);
    for (size_t j = 0; j < self->all->num_items; j++) {
        is_good = is_good && strcmp(self->all->items[j].point, point) != 0;
    }
    if (is_good) {
        (void) SPOT_ARRAY_PUSH(self->all, items,
            (spot_alternative_t){.point = point,
                .words = spot_texts_add(texts, "%s, %s", words, self->tenure->words),
                .kind = self->tenure->kind,
                .assumed = spot_advice_beyond(texts, self->peak, self->num_spot),
                .size = self->size});
    }
}

/* With replicas to spare at each stage, at last as many as the fleet may have. */
static void add_choices(proposal_t *self, const spot_stage_option_t *options)
{
    const size_t num_stages = self->scenario->pipeline.num_stages;
    int64_t num_left = self->max_fleet;

    for (size_t j = 0; j < num_stages; j++) {
        num_left -= options[j].replicas;
    }
    for (size_t j = 0; j <= MAX_SPARE + 1; j++) {
        self->num_spare = j <= MAX_SPARE ? (int64_t) (j * num_stages) : num_left;
        for (size_t k = 0; k < NUM_TENURES && self->num_spare >= 0; k++) {
            self->tenure = &tenures[k];
            if ((j == 0 || !self->tenure->is_scaled) &&
                (self->has_spot || strcmp(self->tenure->kind, "on demand") == 0)) {
                add_choice(self, options);
            }
        }
    }
}

/* Adds what the planners choose. */
static int plan(proposal_t *self)
{
    const spot_serve_scenario_t *scenario = self->scenario;
    spot_arrivals_t arrivals = {.num_queries = 0};
    spot_plan_request_t request = {.scenario = scenario,
        .arrivals = &arrivals,
        .max_cost = scenario->plan.max_cost,
        .budget = (double) NAN,
        .replication = {.seed = 1}};
    int ret = spot_arrivals_draw(&arrivals, &scenario->arrivals, 1, 0);

    for (size_t j = 0; ret == 0 && j < 2 * NUM_PLANNERS; j++) {
        spot_planned_t planned = {.why_none = NULL};

        request.slo_ns = scenario->slo.latency_ns / 100 * (j < NUM_PLANNERS ? 100 : MARGIN_PERCENT);
        ret = spot_serve_plan(planners[j % NUM_PLANNERS], &request, &planned);
        if (ret == 0 && planned.plan.options != NULL) {
            add_choices(self, planned.plan.options);
        }
        spot_planned_free(&planned);
    }
    spot_arrivals_free(&arrivals);
    return ret;
}

/* Of a query in a run: less than an event of a cluster. */
#define QUERY_WORK 0.2

static int serve_propose(const spot_advice_question_t *question, const void *scenario,
    const spot_node_t *root, spot_alternatives_t *all, spot_diag_t *diag)
{
    const spot_serve_scenario_t *own = scenario;
    const double percent = (double) own->slo.percentile_milli / 1000;
    proposal_t self = {.scenario = own,
        .all = all,
        .max_fleet = question->max_fleet,
        .has_spot = own->outages.kind != SPOT_OUTAGES_NONE && !own->service->cannot_be_cut,
        .trace = spot_node_get(spot_node_get(root, "preemptions"), "trace")};
    char latency[SPOT_DURATION_TEXT_BYTES];
    int ret = spot_trace_least_most(spot_node_get(self.trace, "recordings"), &self.peak, diag);

    all->run_work = QUERY_WORK * spot_arrivals_mean_queries(&own->arrivals);
    ret = ret == 0 ? plan(&self) : ret;
    if (!self.has_spot) {
        (void) SPOT_ARRAY_PUSH(
            all, left_out, "spot: preemptions and service do not say how replicas are lost");
    }
    if (ret == SPOT_ERR_BAD_PARAM || (ret == 0 && all->num_items == 0)) {
        ret = spot_diag_error(diag, root->file, 0, 0,
            "the planners find no configuration that keeps slo%s",
            self.max_fleet > 0 ? " with at most --max-fleet replicas" : "");
    }
    if (own->outages.trace.model != NULL) {
        const spot_model_common_t *played = spot_trace_model_common(&own->outages.trace);

        spot_advice_doubt_lossless(
            all, played->num_played, spot_recorded_trace_num_lossless(played));
    }
    spot_duration_text(own->slo.latency_ns / 1000000, latency);
    all->goal =
        spot_texts_add(&all->texts, "probability(late_fraction <= %.9g)", (100 - percent) / 100);
    all->goal_words =
        spot_texts_add(&all->texts, "to answer %.9g %% of the queries within %s", percent, latency);
    return ret;
}

static bool dearer(const void *scenario, const spot_node_t *root, double factor, FILE *out)
{
    const spot_serving_prices_t *prices = &((const spot_serve_scenario_t *) scenario)->prices;

    for (size_t j = 0; j < prices->num_prices; j++) {
        const spot_serving_price_t *price = &prices->prices[j];

        fprintf(out, "%s\"%s\": {on_demand: %.9g", j == 0 ? "hardware: {" : "}, ", price->name,
            price->on_demand_per_h);
        if (!isnan(price->spot_per_h)) {
            fprintf(out, ", spot: %.9g", factor * price->spot_per_h);
        }
    }
    fputs("}}", out);
    return spot_node_get(root, "preemptions") != NULL;
}

static const spot_advice_doubt_t doubts[] = {
    {"preemptions", "times as frequent", 8,
        .numbers = "/preemptions.hazard.mtbf /preemptions.hazard.zone_mtbf "
                   "preemptions.trace.frequency"},
    {"spot price", "times as high", 8, .change = dearer, .is_price = true},
    {"queries", "times as many a second", 4,
        .numbers = "arrivals.poisson.rate_qps arrivals.gamma.rate_qps "
                   "arrivals.constant.rate_qps arrivals.daily.peak_qps "
                   "arrivals.daily.low_qps arrivals.trace.rescale_qps"},
    {.noun = NULL},
};

/* What `spotsim advise` may choose. advice.c */
static const spot_advice_t serve_advice = {.cost = "cost_per_hour",
    .cost_unit = "an hour",
    .mean_runs = 1333, /* there are few alternatives */
    .factor_runs = 1024,
    .doubts = doubts,
    .pose = serve_pose,
    .propose = serve_propose};

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
    ret = ret != 0 ? ret : spot_serve_check_memory(self, root, diag);
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

static void view_json(const spot_run_result_t *result, spot_json_t *json)
{
    spot_serve_json_write(result->worker, json);
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

static const struct spot_verb *const verbs[] = {&spot_verb_serve_plan, &spot_verb_serve_rate,
    &spot_verb_serve_frontier, &spot_verb_serve_check, &spot_verb_serve_compare,
    &spot_verb_serve_gen, &spot_verb_serve_fit, NULL};

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
    .advice = &serve_advice,
    .verbs = verbs,
};
