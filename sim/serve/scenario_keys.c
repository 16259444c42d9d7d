/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of a scenario of a serving pipeline. */
#include <string.h>

#include "sim/serve/scenario.h"

typedef spot_serve_scenario_t scenario_t;

#define MAX_NS ((double) 3155760000000000000) /* 100 years */

static void settle_key(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    scenario_t *self = (void *) ((char *) target - field->offset);

    (void) bind;
    (void) node;
    self->bound_keys |= strcmp(field->name, "hardware") == 0   ? SPOT_SERVE_BOUND_HARDWARE
                        : strcmp(field->name, "pipeline") == 0 ? SPOT_SERVE_BOUND_PIPELINE
                        : strcmp(field->name, "arrivals") == 0 ? SPOT_SERVE_BOUND_ARRIVALS
                                                               : SPOT_SERVE_BOUND_PREEMPTIONS;
}

static const spot_field_t price_name = {
    .type = SPOT_FIELD_TEXT, .offset = offsetof(spot_serving_price_t, name)};
static const spot_field_t price_fields[] = {
    {SPOT_WITHIN(NUMBER, "on_demand", spot_serving_price_t, on_demand_per_h, 0,
        SPOT_MAX_PRICE_PER_H, NULL, "on-demand price", "price of an on-demand replica per hour")},
    {SPOT_WITHIN(NUMBER, "spot", spot_serving_price_t, spot_per_h, 0, SPOT_MAX_PRICE_PER_H, "",
        "spot price", "price of a spot replica per hour; needed if it is used")},
    {.name = NULL},
};

static const spot_field_t price_item = {
    .type = SPOT_FIELD_MAP, .offset = 0, .fields = price_fields};

#define HARDWARE_EXPECTED                                                                          \
    "a map such as {V100: {on_demand: 3, spot: 0.9}} or the path of a CSV file"

static const spot_field_t hardware_forms[] = {
    {SPOT_VALUE(PATH, "", scenario_t, price_path, NULL, NULL)},
    {SPOT_ITEMS(DICT, "", scenario_t, prices.prices, prices.num_prices, price_item, 1, 1000, NULL,
         HARDWARE_EXPECTED, NULL),
        .key = &price_name, .is_ordered = true},
    {.name = NULL},
};

static const char *const service_names[] = {"throughput", "p99", "pipelined", "notebook", NULL};
static const char *const market_names[] = {"on_demand", "spot", "hedge", NULL};
static const char *const fallback_names[] = {"none", "to_target", "to_provisioned", NULL};
static const char *const planner_names[] = {"exact", "greedy", "polish", "brute", NULL};
static const char *const scale_names[] = {"none", "ideal", NULL};

static const spot_field_t slo_fields[] = {
    {SPOT_WITHIN(DURATION_NS, "latency", spot_objective_t, latency_ns, 1, MAX_NS, NULL,
        "latency objective", "latency that the percentile must not exceed")},
    {SPOT_WITHIN(NUMBER, "percentile", spot_objective_t, percentile, 0.001, 100, "99",
         "percentile of the objective", "which percentile; 100 is the maximum"),
        SPOT_DECIDES},
    {.name = NULL},
};

static const spot_field_t hedge_fields[] = {
    {SPOT_WITHIN(INTEGER, "base", spot_stage_option_t, base, 0, SPOT_MAX_REPLICAS, "0",
        "on-demand base", "replicas that are always on-demand")},
    {SPOT_WITHIN(INTEGER, "overprovision", spot_stage_option_t, overprovision, 0, SPOT_MAX_REPLICAS,
        "0", "over-provisioned replicas", "spot replicas more than the others lack")},
    {SPOT_CHOICE("fallback", spot_stage_option_t, fallback, fallback_names, "none", "fallback",
        "on-demand replicas while spot replicas are away: none, up to the replicas of "
        "the stage, or up to those and the over-provisioned ones")},
    {.name = NULL},
};

static const spot_field_t scale_fields[] = {
    {SPOT_WITHIN(NUMBER, "target_utilisation", spot_scale_setting_t, target_utilisation, 0.01, 1,
         "0.7", "target utilisation",
         "replicas are wanted so that this share of their time is busy"),
        SPOT_DECIDES},
    {SPOT_WITHIN(DURATION_NS, "interval", spot_scale_setting_t, interval_ns, 1e6, MAX_NS, "30 s",
         "scaling interval", "time between two looks at the utilisation"),
        SPOT_DECIDES},
    {SPOT_WITHIN(INTEGER, "min", spot_scale_setting_t, min, 1, SPOT_MAX_REPLICAS, "1",
         "least replicas", "never fewer replicas"),
        SPOT_DECIDES},
    {SPOT_WITHIN(INTEGER, "max", spot_scale_setting_t, max, 1, SPOT_MAX_REPLICAS, NULL,
        "most replicas", "never more replicas")},
    {SPOT_WITHIN(DURATION_NS, "cool_down", spot_scale_setting_t, cool_down_ns, 0, MAX_NS, "5 min",
         "cool-down", "no replica is returned so soon after the last change"),
        SPOT_DECIDES},
    {.name = NULL},
};

#define SCALE_EXPECTED                                                                             \
    "none, ideal, or a map such as {target_utilisation: 0.7, interval: 30 s, max: 16}"

static const spot_field_t scale_forms[] = {
    {SPOT_CHOICE("", spot_scale_setting_t, kind, scale_names, NULL, NULL)},
    {.name = "", .type = SPOT_FIELD_MAP, .offset = 0, .fields = scale_fields},
    {.name = NULL},
};

static const spot_field_t config_fields[] = {
    {SPOT_VALUE(TEXT, "hardware", spot_stage_config_t, hardware, NULL, "hardware",
        "the hardware of its replicas")},
    {SPOT_WITHIN(INTEGER, "batch", spot_stage_config_t, option.batch, 1, SPOT_MAX_BATCH, NULL,
        "batch limit", "most queries of a batch, within the profile")},
    {SPOT_WITHIN(INTEGER, "replicas", spot_stage_config_t, option.replicas, 1, SPOT_MAX_REPLICAS,
        NULL, "replicas", "copies of the model")},
    {SPOT_WITHIN(DURATION_NS, "delay", spot_stage_config_t, option.delay_ns, 0, MAX_NS, "0 ms",
        "batching delay", "how long an idle replica waits before it takes a batch")},
    {SPOT_CHOICE("release_when_full", spot_stage_config_t, option.releases_when_full,
         spot_false_true, "false", "release when full",
         "a full batch is taken at once in spite of the delay"),
        SPOT_DECIDES},
    {SPOT_CHOICE("market", spot_stage_config_t, option.market, market_names, "on_demand", "market",
         "on_demand: always there; spot: may be taken away; hedge: some of both"),
        SPOT_DECIDES},
    {SPOT_FIELDS(MAP, "hedge", spot_stage_config_t, option, hedge_fields, "{}", "hedge",
        "which replicas of a hedge are on-demand")},
    {SPOT_FIELDS(ONE_OF, "scale", spot_stage_config_t, option.scale, scale_forms, "none",
         "autoscaling",
         "a number of replicas that follows the load, from replicas on; ideal: a "
         "replica for each batch, at once and only while it runs: no query waits, and "
         "with a batch limit of 1 no autoscaler is cheaper"),
        .expected = SCALE_EXPECTED},
    {.name = NULL},
};
static const spot_field_t config_stage = {
    .type = SPOT_FIELD_TEXT, .offset = offsetof(spot_stage_config_t, stage)};
static const spot_field_t config_item = {
    .type = SPOT_FIELD_MAP, .label = "option of ", .fields = config_fields};

#define CONFIG_EXPECTED                                                                            \
    "a map such as {ResNet: {hardware: V100, batch: 8, replicas: 2}}, or exact, "                  \
    "greedy, polish or brute"

static const spot_field_t config_forms[] = {
    {SPOT_CHOICE("", scenario_t, planner_id, planner_names, NULL, NULL)},
    {SPOT_ITEMS(DICT, "", scenario_t, configs, num_configs, config_item, 1, SPOT_SERVE_MAX_NODES,
         NULL, CONFIG_EXPECTED, NULL),
        .key = &config_stage},
    {.name = NULL},
};

static const spot_field_t plan_fields[] = {
    {SPOT_CHOICE("method", spot_plan_setting_t, method, planner_names, "exact", "planner",
        "how `spotsim serve plan` and `rate` search")},
    {SPOT_WITHIN(NUMBER, "max_cost", spot_plan_setting_t, max_cost, 0, 1e12, "", "highest cost",
        "most that a configuration may cost per hour")},
    {SPOT_WITHIN(NUMBER, "budget", spot_plan_setting_t, budget, 0, 1e12, "", "budget",
        "the same for the highest rate; `spotsim serve rate` needs it")},
    {SPOT_CHOICE("with_preemptions", spot_plan_setting_t, with_preemptions, spot_false_true,
        "false", "planning with preemptions",
        "configurations are tried with the markets of config and with preemptions")},
    {SPOT_WITHIN(INTEGER, "max_configurations", spot_plan_setting_t, max_configurations, 1, 1e9,
        "200000", "most configurations", "more are refused by brute")},
    {.name = NULL},
};

static const spot_field_t frontier_item = {
    .type = SPOT_FIELD_DURATION_NS, .min = 1, .max = MAX_NS, .says_range = true};
static const spot_field_t frontier_fields[] = {
    {SPOT_ITEMS(LIST, "slo", scenario_t, frontier_ns, num_frontier, frontier_item, 0, 1000, "[]",
        "a list of latencies such as [200 ms, 500 ms]",
        "objectives of `spotsim serve frontier`, and of which a run counts late "
        "queries")},
    {.name = NULL},
};

static const spot_field_t output_fields[] = {
    {SPOT_WITHIN(DURATION_NS, "samples", scenario_t, sample_ns, 0, MAX_NS, "0 s",
        "time between samples of queues and replicas, longer where there would be more "
        "than 20,000 of them; 0 s: a 500th of the run")},
    {.name = NULL},
};

static const spot_field_t pipeline_item = {
    .type = SPOT_FIELD_MAP, .offset = 0, .fields = spot_serve_pipeline_item_fields};

#define FORMS(key, table, starts, form, ...)                                                       \
    .name = key, .type = SPOT_FIELD_ONE_OF, .fields = table, .initial = starts, .expected = form,  \
    .help = __VA_ARGS__

const spot_field_t spot_serve_fields[] = {
    {SPOT_VALUE(TEXT, "scenario", scenario_t, name, NULL, "name of the scenario")},
    SPOT_ENGINE_FIELD,
    {FORMS("hardware", hardware_forms, NULL, HARDWARE_EXPECTED,
        "what a replica costs by hardware, in any currency: a map, or a CSV file with "
        "the columns hardware,on_demand_per_hour,spot_per_hour",
        .settle = settle_key)},
    {SPOT_ITEMS(LIST, "profiles", scenario_t, profile_items, num_profile_items,
        spot_serving_profile_item_field, 1, 1000, NULL, "a list of CSV files or of profiles",
        "measured batches: CSV files with the columns "
        "model,hardware,batch,p99_ms,throughput_qps, or the same as maps")},
    {SPOT_CHOICE("service", scenario_t, service_id, service_names, "throughput", "service model",
         "throughput: a batch takes as long as the measured throughput says; p99: its "
         "99th percentile; pipelined: replicas are busy by throughput, results come at "
         "the 99th percentile; notebook: the error of a published notebook"),
        SPOT_DECIDES},
    {SPOT_ITEMS(LIST, "pipeline", scenario_t, items, num_items, pipeline_item, 1,
         SPOT_SERVE_MAX_NODES, NULL, "a list such as [{id: ResNet, from: source}]",
         "stages and joins; their order decides ties and is that of every output"),
        .settle = settle_key},
    {SPOT_FIELDS(
         MAP, "arrivals", scenario_t, arrivals, spot_arrivals_fields, NULL, "when queries come"),
        .settle = settle_key},
    {SPOT_FIELDS(MAP, "slo", scenario_t, slo, slo_fields, NULL, "the latency objective (SLO)")},
    {FORMS("config", config_forms, "", CONFIG_EXPECTED,
        "hardware, batch limit and replicas of each stage; or the name of a planner, "
        "which chooses them for each replication. A run needs it",
        .label = "configuration", .has_form = true,
        .form_offset = offsetof(scenario_t, config_form))},
    {SPOT_FIELDS(MAP, "preemptions", scenario_t, outages, spot_outage_fields, "",
         "how replicas start, and how spot replicas are taken away"),
        .settle = settle_key, SPOT_DECIDES,
        .otherwise = "none: replicas start at once and are never taken away"},
    {SPOT_FIELDS(MAP, "plan", scenario_t, plan, plan_fields, "{}", "what planners may choose")},
    {SPOT_GROUP("frontier", frontier_fields, "{}", "cost against objective")},
    {SPOT_GROUP("output", output_fields, "{}", "what is written")},
    {.name = NULL},
};

static bool ends_with(const char *key, const char *end)
{
    const size_t num_bytes = strlen(key), num_end = strlen(end);

    return num_bytes >= num_end && strcmp(key + num_bytes - num_end, end) == 0;
}

/* Whether the stage whose key a path starts with waits for batches. */
static bool has_delay(const scenario_t *self, const char *path)
{
    for (size_t j = 0; self->config_form == 1 && j < self->num_configs; j++) {
        const size_t num_bytes = strlen(self->configs[j].stage);

        if (strncmp(path, self->configs[j].stage, num_bytes) == 0 && path[num_bytes] == '.') {
            return self->configs[j].option.delay_ns > 0;
        }
    }
    return false;
}

bool spot_serve_decides(const void *scenario, const spot_node_t *root, const char *key)
{
    static const char outages[] = "preemptions";
    const scenario_t *self = scenario;
    bool is_spot = false, is_scaled = false;

    (void) root;
    if (strncmp(key, "config.", 7) == 0 && ends_with(key, ".release_when_full")) {
        return has_delay(self, key + 7);
    }
    if (strncmp(key, outages, sizeof(outages) - 1) != 0) {
        return true;
    }
    if (strcmp(key, "preemptions.hazard.zone_recover") == 0) {
        return self->outages.zone_mtbf_ns > 0;
    }
    if (strcmp(key, "preemptions.drain") == 0 && self->outages.rent.notice_ns == 0) {
        return false;
    }
    if (ends_with(key, "tick_s") && self->outages.trace.recording != NULL) {
        return false; /* it has a clock of its own */
    }
    for (size_t j = 0; self->config_form == 1 && j < self->num_configs; j++) {
        is_spot |= self->configs[j].option.market != SPOT_MARKET_ON_DEMAND;
        is_scaled |= self->configs[j].option.scale.kind == SPOT_SCALE_UTILISATION;
    }
    return is_spot ||
           (is_scaled && strcmp(key, "preemptions.notice") != 0 &&
               strcmp(key, "preemptions.drain") != 0 && strcmp(key, "preemptions.in_flight") != 0);
}
