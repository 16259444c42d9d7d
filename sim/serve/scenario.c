/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/scenario.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/texts.h"

typedef spot_serve_scenario_t scenario_t;

#define MAX_NS ((double) 3155760000000000000) /* 100 years */
#define MAX_PRICE 1e9

/* ---- Fields ---- */

#define RANGE(kind, key, owner, member, low, high, starts, ...)                         \
    SPOT_RANGE(kind, key, owner, member, low, high, starts, __VA_ARGS__),               \
        .says_range = true

static const spot_field_t price_name = {
    .type = SPOT_FIELD_TEXT, .offset = offsetof(spot_serving_price_t, name)};
static const spot_field_t price_fields[] = {
    {RANGE(NUMBER, "on_demand", spot_serving_price_t, on_demand_per_h, 0, MAX_PRICE,
        NULL, "on-demand price", "price of an on-demand replica per hour")},
    {RANGE(NUMBER, "spot", spot_serving_price_t, spot_per_h, 0, MAX_PRICE, "",
        "spot price", "price of a spot replica per hour; needed if it is used")},
    {.name = NULL},
};

static void
settle_price(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    (void) bind;
    (void) field;
    if (spot_node_get(node, "spot") == NULL && target != NULL) {
        ((spot_serving_price_t *) target)->spot_per_h = (double) NAN;
    }
}

static const spot_field_t price_item = {
    .type = SPOT_FIELD_MAP, .offset = 0, .fields = price_fields, .settle = settle_price};
static const spot_field_t path_item = {.type = SPOT_FIELD_PATH, .offset = 0};

#define HARDWARE_EXPECTED                                                               \
    "a map such as {V100: {on_demand: 3, spot: 0.9}} or the path of a CSV file"

static const spot_field_t hardware_forms[] = {
    {SPOT_VALUE(PATH, "", scenario_t, price_path, NULL, NULL)},
    {SPOT_ITEMS(DICT, "", scenario_t, prices.prices, prices.num_prices, price_item, 1,
         1000, NULL, HARDWARE_EXPECTED, NULL),
        .key = &price_name, .is_ordered = true},
    {.name = NULL},
};

static const char *const service_names[] = {
    "throughput", "p99", "pipelined", "notebook", NULL};
static const char *const market_names[] = {"on_demand", "spot", "hedge", NULL};
static const char *const fallback_names[] = {
    "none", "to_target", "to_provisioned", NULL};
static const char *const planner_names[] = {"exact", "greedy", "polish", "brute", NULL};
static const char *const scale_names[] = {"none", "ideal", NULL};

static const spot_field_t slo_fields[] = {
    {RANGE(DURATION_NS, "latency", spot_objective_t, latency_ns, 1, MAX_NS, NULL,
        "objective", "latency that the percentile must not exceed")},
    {RANGE(NUMBER, "percentile", spot_objective_t, percentile, 0.001, 100, "99",
        "percentile of the objective", "which percentile; 100 is the maximum")},
    {.name = NULL},
};

static const spot_field_t hedge_fields[] = {
    {RANGE(INTEGER, "base", spot_stage_option_t, base, 0, SPOT_MAX_REPLICAS, "0",
        "on-demand base", "replicas that are always on-demand")},
    {RANGE(INTEGER, "overprovision", spot_stage_option_t, overprovision, 0,
        SPOT_MAX_REPLICAS, "0", "over-provisioned replicas",
        "spot replicas more than the others lack")},
    {SPOT_CHOICE("fallback", spot_stage_option_t, fallback, fallback_names, "none",
        "fallback",
        "on-demand replicas while spot replicas are away: none, up to the replicas of "
        "the stage, or up to those and the over-provisioned ones")},
    {.name = NULL},
};

static const spot_field_t scale_fields[] = {
    {RANGE(NUMBER, "target_utilisation", spot_scale_setting_t, target_utilisation, 0.01,
        1, "0.7", "target utilisation",
        "replicas are wanted so that this share of their time is busy")},
    {RANGE(DURATION_NS, "interval", spot_scale_setting_t, interval_ns, 1e6, MAX_NS,
        "30 s", "scaling interval", "time between two looks at the utilisation")},
    {RANGE(INTEGER, "min", spot_scale_setting_t, min, 1, SPOT_MAX_REPLICAS, "1",
        "least replicas", "never fewer replicas")},
    {RANGE(INTEGER, "max", spot_scale_setting_t, max, 1, SPOT_MAX_REPLICAS, NULL,
        "most replicas", "never more replicas")},
    {RANGE(DURATION_NS, "cool_down", spot_scale_setting_t, cool_down_ns, 0, MAX_NS,
        "5 min", "cool-down", "no replica is returned so soon after the last change")},
    {.name = NULL},
};

#define SCALE_EXPECTED                                                                  \
    "none, ideal, or a map such as {target_utilisation: 0.7, interval: 30 s, max: 16}"

static const spot_field_t scale_forms[] = {
    {SPOT_CHOICE("", spot_scale_setting_t, kind, scale_names, NULL, NULL)},
    {.name = "", .type = SPOT_FIELD_MAP, .offset = 0, .fields = scale_fields},
    {.name = NULL},
};

static void
settle_scale(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    (void) bind;
    (void) field;
    if (node->kind == SPOT_NODE_MAP && target != NULL) {
        ((spot_scale_setting_t *) target)->kind = SPOT_SCALE_UTILISATION;
    }
}

static const spot_field_t config_fields[] = {
    {SPOT_VALUE(TEXT, "hardware", spot_stage_config_t, hardware, NULL, "hardware",
        "the hardware of its replicas")},
    {RANGE(INTEGER, "batch", spot_stage_config_t, option.batch, 1, SPOT_MAX_BATCH, NULL,
        "batch limit", "most queries of a batch, within the profile")},
    {RANGE(INTEGER, "replicas", spot_stage_config_t, option.replicas, 1,
        SPOT_MAX_REPLICAS, NULL, "replicas", "copies of the model")},
    {RANGE(DURATION_NS, "delay", spot_stage_config_t, option.delay_ns, 0, MAX_NS, "0 ms",
        "batching delay", "how long an idle replica waits before it takes a batch")},
    {SPOT_CHOICE("release_when_full", spot_stage_config_t, option.releases_when_full,
        spot_false_true, "false", "release when full",
        "a full batch is taken at once in spite of the delay")},
    {SPOT_CHOICE("market", spot_stage_config_t, option.market, market_names, "on_demand",
        "market",
        "on_demand: always there; spot: may be taken away; hedge: some of both")},
    {SPOT_FIELDS(MAP, "hedge", spot_stage_config_t, option, hedge_fields, "{}",
        "which replicas of a hedge are on-demand")},
    {SPOT_FIELDS(ONE_OF, "scale", spot_stage_config_t, option.scale, scale_forms, "none",
         "autoscaling",
         "a number of replicas that follows the load, from replicas on; ideal: a "
         "replica for each batch, at once and only while it runs, which is a bound"),
        .settle = settle_scale, .expected = SCALE_EXPECTED},
    {.name = NULL},
};
static const spot_field_t config_stage = {
    .type = SPOT_FIELD_TEXT, .offset = offsetof(spot_stage_config_t, stage)};
static const spot_field_t config_item = {
    .type = SPOT_FIELD_MAP, .offset = 0, .fields = config_fields};

#define CONFIG_EXPECTED                                                                 \
    "a map such as {ResNet: {hardware: V100, batch: 8, replicas: 2}}, or exact, "       \
    "greedy, "                                                                          \
    "polish or brute"

static const spot_field_t config_forms[] = {
    {SPOT_CHOICE("", scenario_t, planner_id, planner_names, NULL, NULL)},
    {SPOT_ITEMS(DICT, "", scenario_t, configs, num_configs, config_item, 1,
         SPOT_PIPELINE_MAX_NODES, NULL, CONFIG_EXPECTED, NULL),
        .key = &config_stage},
    {.name = NULL},
};

static const spot_field_t plan_fields[] = {
    {SPOT_CHOICE("method", spot_plan_setting_t, method, planner_names, "exact",
        "planner", "how `spotsim serve plan` and `rate` search")},
    {RANGE(NUMBER, "max_cost", spot_plan_setting_t, max_cost, 0, 1e12, "",
        "highest cost", "most that a configuration may cost per hour")},
    {RANGE(NUMBER, "budget", spot_plan_setting_t, budget, 0, 1e12, "", "budget",
        "the same for the highest rate; `spotsim serve rate` needs it")},
    {SPOT_CHOICE("with_preemptions", spot_plan_setting_t, with_preemptions,
        spot_false_true, "false", "planning with preemptions",
        "configurations are tried with the markets of config and with preemptions")},
    {RANGE(INTEGER, "max_configurations", spot_plan_setting_t, max_configurations, 1,
        1e9, "200000", "most configurations", "more are refused by brute")},
    {.name = NULL},
};

static const spot_field_t frontier_item = {
    .type = SPOT_FIELD_DURATION_NS, .offset = 0, .min = 1, .max = MAX_NS};
static const spot_field_t frontier_fields[] = {
    {SPOT_ITEMS(LIST, "slo", scenario_t, frontier_ns, num_frontier, frontier_item, 0,
        1000, "[]", "a list of latencies such as [200 ms, 500 ms]",
        "objectives of `spotsim serve frontier`, and of which a run counts late "
        "queries")},
    {.name = NULL},
};

static const spot_field_t output_fields[] = {
    {RANGE(DURATION_NS, "samples", scenario_t, sample_ns, 0, MAX_NS, "0 s",
        "time between samples of queues and replicas; 0 s: a 500th of the arrivals")},
    {.name = NULL},
};

static const spot_field_t pipeline_item = {
    .type = SPOT_FIELD_MAP, .offset = 0, .fields = spot_pipeline_item_fields};

const spot_field_t spot_serve_fields[] = {
    {SPOT_VALUE(TEXT, "scenario", scenario_t, name, NULL, "name of the scenario")},
    SPOT_ENGINE_FIELD,
    {.name = "hardware",
        .type = SPOT_FIELD_ONE_OF,
        .offset = 0,
        .fields = hardware_forms,
        .help = "what a replica costs by hardware, in any currency: a map, or a CSV "
                "file with "
                "the columns hardware,on_demand_per_hour,spot_per_hour",
        .expected = HARDWARE_EXPECTED},
    {SPOT_ITEMS(LIST, "profiles", scenario_t, profile_paths, num_profile_paths,
        path_item, 1, 1000, NULL, "a list of CSV files",
        "measured batches: CSV files with the columns "
        "model,hardware,batch,p99_ms,throughput_qps")},
    {SPOT_CHOICE("service", scenario_t, service_id, service_names, "throughput",
        "service model",
        "throughput: a batch takes as long as the measured throughput says; p99: its "
        "99th percentile; pipelined: replicas are busy by throughput, results come at "
        "the 99th percentile; notebook: the error of a published notebook")},
    {SPOT_ITEMS(LIST, "pipeline", scenario_t, items, num_items, pipeline_item, 1,
        SPOT_PIPELINE_MAX_NODES, NULL, "a list such as [{id: ResNet, from: source}]",
        "stages and joins; their order decides ties and is that of every output")},
    {SPOT_FIELDS(MAP, "arrivals", scenario_t, arrivals, spot_arrivals_fields, NULL,
        "when queries come")},
    {SPOT_FIELDS(
        MAP, "slo", scenario_t, slo, slo_fields, NULL, "the latency objective (SLO)")},
    {.name = "config",
        .type = SPOT_FIELD_ONE_OF,
        .offset = 0,
        .initial = "",
        .fields = config_forms,
        .label = "configuration",
        .help = "hardware, batch limit and replicas of each stage; or the name of a "
                "planner, "
                "which chooses them for each replication. A run needs it",
        .has_form = true,
        .form_offset = offsetof(scenario_t, config_form),
        .expected = CONFIG_EXPECTED},
    {SPOT_FIELDS(MAP, "preemptions", scenario_t, outages, spot_outage_fields, "",
        "how spot replicas are taken away; needed if a stage is not on demand")},
    {SPOT_FIELDS(
        MAP, "plan", scenario_t, plan, plan_fields, "{}", "what planners may choose")},
    {SPOT_GROUP("frontier", frontier_fields, "{}", "cost against objective")},
    {SPOT_GROUP("output", output_fields, "{}", "what is written")},
    {.name = NULL},
};

/* ---- Checks ---- */

/* A scenario that is being checked. */
typedef struct {
    scenario_t *self;
    spot_bind_t *bind;
    const spot_node_t *root;
} checker_t;

/* " (did you mean 'TPX'?)", or "". */
static const char *
hint(spot_texts_t *texts, const spot_suggest_t *near)
{
    return near->nearest == NULL
               ? ""
               : spot_texts_add(texts, " (did you mean '%s'?)", near->nearest);
}

static const spot_node_t *
config_node(const checker_t *checker, const char *stage, const char *key)
{
    const spot_node_t *item =
        spot_node_get(spot_node_get(checker->root, "config"), stage);
    const spot_node_t *value = spot_node_get(item, key);

    return value == NULL ? item : value;
}

/* Resolves the hardware of a stage and checks that its profile has the batch. */
static void
check_profile(const checker_t *checker, spot_stage_config_t *config,
    const spot_pipeline_node_t *node, spot_texts_t *texts)
{
    const scenario_t *self = checker->self;
    const spot_node_t *place = config_node(checker, config->stage, "hardware");
    const spot_serving_profile_t *profile;
    const char *list = "";
    spot_suggest_t near;

    spot_suggest_init(&near, config->hardware);
    config->option.hardware_id =
        spot_serving_prices_find(&self->prices, config->hardware, &near);
    if (config->option.hardware_id < 0) {
        spot_bind_error(checker->bind, place, NULL, "no hardware '%s'%s",
            config->hardware, hint(texts, &near));
        return;
    }
    profile = spot_serving_profiles_find(&self->profiles, node->model, config->hardware);
    if (profile == NULL) {
        for (size_t j = 0; j < self->profiles.num_profiles; j++) {
            if (strcmp(self->profiles.profiles[j].model, node->model) == 0) {
                list = spot_texts_join(
                    texts, list, ", ", self->profiles.profiles[j].hardware);
            }
        }
        spot_bind_error(checker->bind, place, NULL,
            "no profile of %s on %s (profiles: %s)", node->model, config->hardware,
            list[0] == '\0' ? "none" : list);
    } else if (config->option.batch > spot_serving_profile_last(profile)) {
        spot_bind_error(checker->bind, config_node(checker, config->stage, "batch"),
            NULL, "batch %lld outside the profile of %s on %s (1..%d)",
            (long long) config->option.batch, node->model, config->hardware,
            (int) spot_serving_profile_last(profile));
    }
}

static void
check_scale(const checker_t *checker, const spot_stage_config_t *config)
{
    const spot_stage_option_t *option = &config->option;
    const spot_node_t *place = config_node(checker, config->stage, "scale");

    if (option->scale.kind == SPOT_SCALE_NONE) {
        return;
    }
    if (option->market == SPOT_MARKET_HEDGE) {
        spot_bind_error(checker->bind, place, NULL,
            "scale cannot be used with market: hedge (%s)", config->stage);
    }
    if (option->scale.kind == SPOT_SCALE_UTILISATION &&
        (option->replicas < option->scale.min || option->replicas > option->scale.max)) {
        spot_bind_error(checker->bind, place, NULL,
            "replicas %lld is not in scale.min..scale.max (%lld..%lld)",
            (long long) option->replicas, (long long) option->scale.min,
            (long long) option->scale.max);
    }
}

static void
check_market(const checker_t *checker, const spot_stage_config_t *config)
{
    const scenario_t *self = checker->self;
    const spot_stage_option_t *option = &config->option;
    const spot_node_t *place = config_node(checker, config->stage, "market");
    const bool has_hedge =
        spot_node_get(config_node(checker, config->stage, ""), "hedge") != NULL;

    if (option->base > option->replicas) {
        spot_bind_error(checker->bind, config_node(checker, config->stage, "hedge"),
            NULL, "base %lld above replicas %lld", (long long) option->base,
            (long long) option->replicas);
    }
    if (has_hedge && option->market != SPOT_MARKET_HEDGE) {
        spot_bind_error(checker->bind, config_node(checker, config->stage, "hedge"),
            NULL, "hedge needs market: hedge (%s)", config->stage);
    }
    if (option->market == SPOT_MARKET_ON_DEMAND) {
        return;
    }
    if (option->hardware_id >= 0 &&
        isnan(self->prices.prices[option->hardware_id].spot_per_h)) {
        spot_bind_error(
            checker->bind, place, NULL, "no spot price for %s", config->hardware);
    }
    if (option->scale.kind == SPOT_SCALE_IDEAL) {
        return;
    }
    if (self->outages.kind == SPOT_OUTAGES_NONE) {
        spot_bind_error(checker->bind, place, NULL,
            "%s is on spot, but there is no 'preemptions'", config->stage);
    } else if (option->delay_ns > 0 && self->outages.rent.drain == SPOT_DRAIN_DEADLINE) {
        spot_bind_error(checker->bind,
            spot_node_place(checker->root, "preemptions.drain"), NULL,
            "drain: deadline cannot be used with a batching delay (%s)", config->stage);
    }
    if (self->service->cannot_be_cut) {
        spot_bind_error(checker->bind, spot_node_place(checker->root, "service"), NULL,
            "service: %s cannot be used with preemptions", self->service->name);
    }
}

/* The options of config, by stage. */
static void
check_config(const checker_t *checker)
{
    scenario_t *self = checker->self;
    spot_texts_t texts = {0};

    for (size_t j = 0; j < self->num_configs; j++) {
        spot_stage_config_t *config = &self->configs[j];
        const int32_t stage_id = spot_pipeline_stage(&self->pipeline, config->stage);
        spot_suggest_t near;

        if (stage_id < 0) {
            spot_suggest_init(&near, config->stage);
            for (size_t k = 0; k < self->pipeline.num_stages; k++) {
                spot_suggest_offer(
                    &near, spot_pipeline_stage_node(&self->pipeline, k)->id);
            }
            spot_bind_error(checker->bind, config_node(checker, config->stage, ""), NULL,
                "no stage '%s'%s", config->stage, hint(&texts, &near));
            continue;
        }
        check_profile(checker, config,
            spot_pipeline_stage_node(&self->pipeline, (size_t) stage_id), &texts);
        check_market(checker, config);
        check_scale(checker, config);
        self->options[stage_id] = config->option;
    }
    for (size_t j = 0; j < self->pipeline.num_stages && self->num_configs > 0; j++) {
        if (self->options[j].replicas == 0) {
            spot_bind_error(checker->bind, spot_node_place(checker->root, "config"),
                NULL, "no configuration for %s",
                spot_pipeline_stage_node(&self->pipeline, j)->id);
        }
    }
    checker->bind->is_out_of_memory |= texts.error != 0;
    spot_texts_free(&texts);
}

/* The times of all stages on all hardware. */
static int
make_times(const checker_t *checker)
{
    scenario_t *self = checker->self;
    const size_t num_hardware = self->prices.num_prices;
    int ret = 0;

    SPOT_ARENA_ARRAY(
        &self->memory, self->times, self->pipeline.num_stages * num_hardware);
    SPOT_ARENA_ARRAY(&self->memory, self->options, self->pipeline.num_stages);
    for (size_t j = 0; j < self->pipeline.num_stages && self->memory.error == 0; j++) {
        bool has_any = false;

        for (size_t k = 0; k < num_hardware && ret == 0; k++) {
            const spot_serving_profile_t *profile =
                spot_serve_scenario_profile(self, j, (int32_t) k);

            if (profile != NULL) {
                has_any = true;
                ret = spot_service_time_init(&self->times[j * num_hardware + k],
                    self->service, profile, &self->memory);
            }
        }
        if (!has_any) {
            spot_bind_error(checker->bind,
                checker->root == NULL ? NULL
                                      : spot_node_place(checker->root, "profiles"),
                NULL, "no profile of %s on any hardware of the scenario",
                spot_pipeline_stage_node(&self->pipeline, j)->model);
        }
    }
    return ret != 0 ? ret : self->memory.error;
}

static int
read_files(const checker_t *checker)
{
    scenario_t *self = checker->self;
    spot_diag_t *diag = checker->bind->diag;
    int ret = 0;

    if (self->price_path != NULL) {
        ret = spot_serving_prices_read(&self->prices, self->price_path, diag);
    }
    spot_serving_prices_sort(&self->prices);
    for (size_t j = 0; j < self->num_profile_paths; j++) {
        const int error =
            spot_serving_profiles_read(&self->profiles, self->profile_paths[j], diag);

        ret = spot_error_first(ret, error);
    }
    ret = spot_error_first(ret, spot_arrivals_open(&self->arrivals, checker->bind,
                                    spot_node_get(checker->root, "arrivals")));
    return spot_error_first(ret,
        spot_pipeline_init(&self->pipeline, checker->bind,
            spot_node_get(checker->root, "pipeline"), self->num_items, self->items));
}

int
spot_serve_scenario_init(scenario_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    const size_t num_errors = diag->num_errors;
    spot_bind_t bind = {.diag = diag};
    const checker_t checker = {self, &bind, root};
    int ret;

    self->config_form = 1;
    self->plan.max_cost = self->plan.budget = (double) NAN;
    ret = spot_bind_document(spot_serve_fields, root, diag, self);
    if (ret == 0) {
        self->service = spot_services[self->service_id];
        self->slo.percentile_milli = (int64_t) floor(self->slo.percentile * 1000 + 0.5);
        ret = read_files(&checker);
    }
    if (ret == 0) {
        int64_t num_spot = 0;

        for (size_t j = 0; j < self->num_configs; j++) {
            num_spot += spot_stage_option_spot_slots(&self->configs[j].option);
        }
        ret = spot_outage_setting_open(&self->outages, &bind,
            spot_node_get(root, "preemptions"), &self->pipeline, num_spot);
    }
    ret = ret != 0 ? ret : make_times(&checker);
    if (ret == 0) {
        check_config(&checker);
    }
    if (ret == 0 && bind.is_out_of_memory) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    return ret == 0 && diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}

void
spot_serve_scenario_free(scenario_t *self)
{
    for (size_t j = 0; j < self->num_profile_paths; j++) {
        free(self->profile_paths[j]);
    }
    for (size_t j = 0; j < self->num_items; j++) {
        spot_pipeline_item_free(&self->items[j]);
    }
    for (size_t j = 0; j < self->num_configs; j++) {
        free(self->configs[j].stage);
        free(self->configs[j].hardware);
    }
    free(self->name);
    free(self->price_path);
    free(self->profile_paths);
    free(self->items);
    free(self->configs);
    free(self->frontier_ns);
    spot_serving_prices_free(&self->prices);
    spot_serving_profiles_free(&self->profiles);
    spot_arrivals_setting_free(&self->arrivals);
    spot_outage_setting_free(&self->outages);
    spot_pipeline_free(&self->pipeline);
    spot_arena_free(&self->memory);
}

/* ---- What it says ---- */

const spot_service_time_t *
spot_serve_scenario_time(const scenario_t *self, size_t stage_id, int32_t hardware_id)
{
    return &self->times[stage_id * self->prices.num_prices + (size_t) hardware_id];
}

const spot_serving_profile_t *
spot_serve_scenario_profile(const scenario_t *self, size_t stage_id, int32_t hardware_id)
{
    return spot_serving_profiles_find(&self->profiles,
        spot_pipeline_stage_node(&self->pipeline, stage_id)->model,
        self->prices.prices[hardware_id].name);
}

spot_serve_plan_t
spot_serve_scenario_stage(
    const scenario_t *self, size_t stage_id, const spot_stage_option_t *option)
{
    const spot_serving_price_t *price = &self->prices.prices[option->hardware_id];

    return (spot_serve_plan_t){.option = *option,
        .time = spot_serve_scenario_time(self, stage_id, option->hardware_id),
        .price_per_h = {price->on_demand_per_h, price->spot_per_h}};
}

int64_t
spot_serve_scenario_cost(const scenario_t *self, const spot_stage_option_t *option)
{
    const spot_serving_price_t *price = &self->prices.prices[option->hardware_id];
    const int64_t on_demand = llround(price->on_demand_per_h * 1e6);
    const int64_t num_spot = spot_stage_option_spot_slots(option);

    if (option->market == SPOT_MARKET_ON_DEMAND) {
        return on_demand * option->replicas;
    }
    return llround(price->spot_per_h * 1e6) *
               (option->market == SPOT_MARKET_SPOT ? option->replicas : num_spot) +
           (option->market == SPOT_MARKET_HEDGE ? on_demand * option->base : 0);
}

bool
spot_serve_scenario_has_spot(const scenario_t *self)
{
    for (size_t j = 0; j < self->pipeline.num_stages; j++) {
        if (spot_stage_option_spot_slots(&self->options[j]) > 0) {
            return true;
        }
    }
    return false;
}
