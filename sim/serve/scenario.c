/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/scenario.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Keys whose values are bound without an error, so that the rest can be checked. */
enum {
    SERVE_BOUND_HARDWARE = 1,
    SERVE_BOUND_PIPELINE = 2,
    SERVE_BOUND_ARRIVALS = 4,
    SERVE_BOUND_PREEMPTIONS = 8
};

typedef spot_serve_scenario_t scenario_t;

/* ---- Keys ---- */

/* The keys of a scenario of a serving pipeline. */

#define MAX_NS ((double) 3155760000000000000) /* 100 years */

static void settle_key(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    scenario_t *self = (void *) ((char *) target - field->offset);

    (void) bind;
    (void) node;
    self->bound_keys |= strcmp(field->name, "hardware") == 0   ? SERVE_BOUND_HARDWARE
                        : strcmp(field->name, "pipeline") == 0 ? SERVE_BOUND_PIPELINE
                        : strcmp(field->name, "arrivals") == 0 ? SERVE_BOUND_ARRIVALS
                                                               : SERVE_BOUND_PREEMPTIONS;
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
static const char *const planner_names[] = {"exact", "greedy", "polish", NULL};
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
    "greedy or polish"

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
    {.name = NULL},
};

/* Reports what went with the planner that tried all configurations, and points to the one that
 * takes its place. Returns false at any other key. */
static bool refuse_brute(spot_bind_t *bind, const char *key, const spot_node_t *value)
{
    if (strcmp(key, "max_configurations") == 0) {
        spot_bind_error(bind, value, "plan.max_configurations",
            "is gone: the method exact needs no limit, and finds the best of all configurations");
        return true;
    }
    if (strcmp(key, "method") == 0 && value->kind == SPOT_NODE_SCALAR &&
        strcmp(value->text, "brute") == 0) {
        spot_bind_error(
            bind, value, "plan.method", "brute is gone: exact finds the same plan, and proves it");
        return true;
    }
    return false;
}

/* Binds the keys of a map that are not refused. */
static void bind_plan(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_node_t rest = *node;

    if (node->kind != SPOT_NODE_MAP) {
        spot_bind_map(bind, plan_fields, field->name, node, target);
        return;
    }
    rest.num_children = 0;
    rest.keys = spot_calloc(node->num_children + 1, sizeof(*rest.keys));
    rest.children = spot_calloc(node->num_children + 1, sizeof(*rest.children));
    if (rest.keys == NULL || rest.children == NULL) {
        bind->is_out_of_memory = true;
        goto out;
    }
    for (size_t j = 0; j < node->num_children; j++) {
        if (!refuse_brute(bind, node->keys[j]->text, node->children[j])) {
            rest.keys[rest.num_children] = node->keys[j];
            rest.children[rest.num_children++] = node->children[j];
        }
    }
    spot_bind_map(bind, plan_fields, field->name, &rest, target);
out:
    free(rest.keys);
    free(rest.children);
}

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
    {SPOT_FIELDS(MAP, "plan", scenario_t, plan, plan_fields, "{}", "what planners may choose"),
        .bind = bind_plan},
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

/* ---- Checks ---- */

/* A scenario that is being checked. */
typedef struct {
    scenario_t *self;
    spot_bind_t *bind;
    const spot_node_t *root;
    bool has_prices, has_profiles;     /* all of them, without an error */
    const spot_stage_config_t *config; /* of the stage that is checked */
    const char *model;                 /* of that stage */
} checker_t;

/* The value of a key of the stage that is checked, or where it would stand. */
static const spot_node_t *place_of(const checker_t *checker, const char *key)
{
    const spot_node_t *item =
        spot_node_get(spot_node_get(checker->root, "config"), checker->config->stage);
    const spot_node_t *value = spot_node_get(item, key);

    return value == NULL ? item : value;
}

#define REPORT(checker, place, ...) spot_bind_error((checker)->bind, place, NULL, __VA_ARGS__)
#define REPORT_KEY(checker, key, ...) REPORT(checker, place_of(checker, key), __VA_ARGS__)

/* The stage or the hardware with a name, or -1, which is reported. */
static int32_t find_name(const checker_t *checker, bool is_stage, const char *name)
{
    const spot_serve_pipeline_t *pipeline = &checker->self->pipeline;
    char hint[SPOT_SUGGEST_HINT_BYTES];
    spot_suggest_t near;
    int32_t id;

    spot_suggest_init(&near, name);
    for (size_t j = 0; j < pipeline->num_stages && is_stage; j++) {
        spot_suggest_offer(&near, spot_serve_pipeline_stage_node(pipeline, j)->id);
    }
    id = is_stage ? spot_serve_pipeline_stage(pipeline, name)
                  : spot_serving_prices_find(&checker->self->prices, name, &near);
    if (id < 0) {
        REPORT_KEY(checker, is_stage ? "" : "hardware", "no %s '%s'%s",
            is_stage ? "stage" : "hardware", name, spot_suggest_hint(&near, hint));
    }
    return id;
}

/* Checks that a profile has the batch. */
static void check_profile(const checker_t *checker)
{
    const spot_serving_profiles_t *profiles = &checker->self->profiles;
    const spot_stage_config_t *config = checker->config;
    const spot_serving_profile_t *profile =
        spot_serving_profiles_find(profiles, checker->model, config->hardware);
    const char *list = "";
    spot_texts_t texts = {0};

    for (size_t j = 0; j < profiles->num_profiles && profile == NULL; j++) {
        if (strcmp(profiles->profiles[j].model, checker->model) == 0) {
            list = spot_texts_join(&texts, list, ", ", profiles->profiles[j].hardware);
        }
    }
    if (profile == NULL) {
        REPORT_KEY(checker, "hardware", "no profile of %s on %s (profiles: %s)", checker->model,
            config->hardware, list[0] == '\0' ? "none" : list);
    } else if (config->option.batch > spot_serving_profile_last(profile)) {
        REPORT_KEY(checker, "batch",
            "batch %" PRId64 " outside the profile of %s on %s (1..%" PRId32 ")",
            config->option.batch, checker->model, config->hardware,
            spot_serving_profile_last(profile));
    }
    checker->bind->is_out_of_memory |= texts.error != 0;
    spot_texts_free(&texts);
}

/* Checks that the replicas may be taken away. */
static void check_preemptions(const checker_t *checker)
{
    const scenario_t *self = checker->self;
    const spot_stage_config_t *config = checker->config;
    const spot_node_t *root = spot_node_get(checker->root, "preemptions");
    const bool has_any = spot_node_get(root, "outages") != NULL ||
                         spot_node_get(root, "hazard") != NULL ||
                         spot_node_get(root, "trace") != NULL;

    if (!has_any) {
        REPORT_KEY(checker, "market", "%s is on spot, but %s", config->stage,
            root == NULL ? "there is no 'preemptions'"
                         : "preemptions has no outages, hazard or trace");
    } else if ((self->bound_keys & SERVE_BOUND_PREEMPTIONS) != 0 && config->option.delay_ns > 0 &&
               self->outages.rent.drain == SPOT_DRAIN_DEADLINE) {
        REPORT(checker, spot_node_place(root, "drain"),
            "drain: deadline cannot be used with a batching delay (%s)", config->stage);
    }
    if (self->service->cannot_be_cut) {
        REPORT(checker, spot_node_place(checker->root, "service"),
            "service: %s cannot be used with preemptions", self->service->name);
    }
}

/* Checks what the keys of an option say of each other. */
static void check_option(const checker_t *checker)
{
    const spot_stage_option_t *option = &checker->config->option;
    const spot_scale_setting_t *scale = &option->scale;
    const bool is_hedge = option->market == SPOT_MARKET_HEDGE;
    const char *stage = checker->config->stage;
    const spot_node_t *hedge = spot_node_get(place_of(checker, ""), "hedge");

    if (option->base > option->replicas) {
        REPORT_KEY(checker, "hedge", "base %" PRId64 " above replicas %" PRId64, option->base,
            option->replicas);
    }
    if (!is_hedge && hedge != NULL) {
        REPORT_KEY(checker, "hedge", "hedge needs market: hedge (%s)", stage);
    }
    if (is_hedge && hedge == NULL) {
        REPORT_KEY(checker, "market",
            "hedge needs hedge: {base: N}, {overprovision: N} or {fallback: to_target} (%s)",
            stage);
    }
    if (option->market != SPOT_MARKET_ON_DEMAND && option->hardware_id >= 0 &&
        isnan(checker->self->prices.prices[option->hardware_id].spot_per_h)) {
        REPORT_KEY(checker, "market", "no spot price for %s", checker->config->hardware);
    }
    if (option->market != SPOT_MARKET_ON_DEMAND && scale->kind != SPOT_SCALE_IDEAL) {
        check_preemptions(checker);
    }
    if (is_hedge && scale->kind != SPOT_SCALE_NONE) {
        REPORT_KEY(checker, "scale", "scale cannot be used with market: hedge (%s)", stage);
    }
    if (scale->kind == SPOT_SCALE_UTILISATION && scale->max > 0 &&
        (option->replicas < scale->min || option->replicas > scale->max)) {
        REPORT_KEY(checker, "scale",
            "replicas %" PRId64 " is not in scale.min..scale.max (%" PRId64 "..%" PRId64 ")",
            option->replicas, scale->min, scale->max);
    }
}

/* The options of config, by stage. */
static void check_config(checker_t *checker)
{
    scenario_t *self = checker->self;

    for (size_t j = 0; j < self->num_configs; j++) {
        spot_stage_config_t *config = &self->configs[j];
        spot_stage_option_t *option = &config->option;
        const spot_node_t *scale;
        int32_t stage_id;

        checker->config = config;
        stage_id = config->stage == NULL ? -1 : find_name(checker, true, config->stage);
        if (stage_id >= 0) {
            self->options[stage_id].replicas = 1; /* there is a configuration */
        }
        if (stage_id < 0 || config->hardware == NULL || option->batch == 0 ||
            option->replicas == 0) {
            continue; /* which is reported */
        }
        scale = spot_node_get(place_of(checker, ""), "scale");
        if (scale != NULL && scale->kind == SPOT_NODE_MAP) {
            option->scale.kind = SPOT_SCALE_UTILISATION;
        }
        checker->model = spot_serve_pipeline_stage_node(&self->pipeline, (size_t) stage_id)->model;
        option->hardware_id =
            checker->has_prices ? find_name(checker, false, config->hardware) : -1;
        if (checker->has_profiles && (option->hardware_id >= 0 || !checker->has_prices)) {
            check_profile(checker);
        }
        check_option(checker);
        self->options[stage_id] = *option;
    }
    for (size_t j = 0; j < self->pipeline.num_stages && self->num_configs > 0; j++) {
        if (self->options[j].replicas == 0) {
            REPORT(checker, spot_node_place(checker->root, "config"), "no configuration for %s",
                spot_serve_pipeline_stage_node(&self->pipeline, j)->id);
        }
    }
}

/* The times of all stages on all hardware. Where a planner chooses the hardware of a
 * stage, it needs one. */
static int make_times(const checker_t *checker)
{
    scenario_t *self = checker->self;
    const size_t num_hardware = self->prices.num_prices;
    int ret = 0;

    SPOT_ARENA_ARRAY(&self->memory, self->times, self->pipeline.num_stages * num_hardware);
    for (size_t j = 0; j < self->pipeline.num_stages && self->times != NULL; j++) {
        bool has_any = self->num_configs > 0;

        for (size_t k = 0; k < num_hardware && ret == 0; k++) {
            const spot_serving_profile_t *profile =
                spot_serve_scenario_profile(self, j, (int32_t) k);

            if (profile != NULL) {
                has_any = true;
                ret = spot_service_time_init(
                    &self->times[j * num_hardware + k], self->service, profile, &self->memory);
            }
        }
        if (!has_any) {
            REPORT(checker, spot_node_place(checker->root, "profiles"),
                "no profile of %s on any hardware of the scenario",
                spot_serve_pipeline_stage_node(&self->pipeline, j)->model);
        }
    }
    return spot_error_first(ret, self->memory.error);
}

/* Reads the prices and profiles, as far as their keys are bound. */
static int read_files(checker_t *checker)
{
    scenario_t *self = checker->self;
    const spot_node_t *hardware = spot_node_get(checker->root, "hardware");
    const bool is_bound = (self->bound_keys & SERVE_BOUND_HARDWARE) != 0;
    int ret = 0, error = 0;

    for (size_t j = 0; j < self->prices.num_prices && is_bound; j++) {
        spot_serving_price_t *price = &self->prices.prices[j];

        if (spot_node_get(spot_node_get(hardware, price->name), "spot") == NULL) {
            price->spot_per_h = (double) NAN;
        }
    }
    if (self->price_path != NULL) {
        ret = spot_serving_prices_read(&self->prices, self->price_path, checker->bind->diag);
    }
    spot_serving_prices_sort(&self->prices);
    checker->has_prices = ret == 0 && is_bound;
    checker->has_profiles = self->num_profile_items > 0;
    for (size_t j = 0; j < self->num_profile_items && error != SPOT_ERR_NO_MEMORY; j++) {
        error = spot_serving_profiles_add(&self->profiles, &self->profile_items[j], checker->bind,
            spot_node_get(checker->root, "profiles")->children[j]);
        checker->has_profiles &= error == 0;
        ret = spot_error_first(ret, error);
    }
    return ret;
}

/* Makes what follows from keys that are bound without an error, and checks it. */
static int make_parts(checker_t *checker)
{
    scenario_t *self = checker->self;
    const spot_node_t *root = checker->root;
    const char *stages[SPOT_SERVE_MAX_NODES];
    int ret = 0, error;

    if ((self->bound_keys & SERVE_BOUND_ARRIVALS) != 0) {
        ret = spot_arrivals_open(&self->arrivals, checker->bind, spot_node_get(root, "arrivals"));
    }
    if ((self->bound_keys & SERVE_BOUND_PIPELINE) == 0 || ret == SPOT_ERR_NO_MEMORY) {
        return ret;
    }
    error = spot_serve_pipeline_init(&self->pipeline, checker->bind,
        spot_node_get(root, "pipeline"), self->num_items, self->items);
    ret = spot_error_first(ret, error);
    if (error == SPOT_ERR_NO_MEMORY || self->pipeline.num_stages == 0) {
        return ret; /* what its nodes are is not known */
    }
    for (size_t j = 0; j < self->pipeline.num_stages; j++) {
        stages[j] = spot_serve_pipeline_stage_node(&self->pipeline, j)->id;
    }
    if ((self->bound_keys & SERVE_BOUND_PREEMPTIONS) != 0) {
        error = spot_outage_setting_open(&self->outages, checker->bind,
            spot_node_get(root, "preemptions"), self->pipeline.num_stages, stages);
        ret = spot_error_first(ret, error);
    }
    SPOT_ARENA_ARRAY(&self->memory, self->options, self->pipeline.num_stages);
    if (self->options != NULL) {
        check_config(checker);
    }
    return spot_error_first(ret, self->memory.error);
}

int spot_serve_scenario_init(scenario_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    const size_t num_errors = diag->num_errors;
    spot_bind_t bind = {.diag = diag};
    checker_t checker = {.self = self, .bind = &bind, .root = root};
    int ret;

    self->config_form = 1;
    self->plan.max_cost = self->plan.budget = (double) NAN;
    ret = spot_bind_document(spot_serve_fields, root, diag, self);
    if (ret == SPOT_ERR_NO_MEMORY) {
        return ret;
    }
    self->service = spot_services[self->service_id];
    self->slo.percentile_milli = (int64_t) floor(self->slo.percentile * 1000 + 0.5);
    if (self->config_form == 0 && self->service->cannot_plan) {
        REPORT(&checker, spot_node_place(root, "config"), "%s; plans need another service model",
            self->service->warning);
    }
    ret = spot_error_first(ret, read_files(&checker));
    ret = spot_error_first(ret, make_parts(&checker));
    if (ret == 0 && diag->num_errors == num_errors) {
        ret = make_times(&checker);
    }
    if (bind.is_out_of_memory) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    return ret == 0 && diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}

void spot_serve_scenario_free(scenario_t *self)
{
    for (size_t j = 0; j < self->num_profile_items; j++) {
        spot_serving_profile_item_free(&self->profile_items[j]);
    }
    for (size_t j = 0; j < self->num_items; j++) {
        spot_serve_pipeline_item_free(&self->items[j]);
    }
    for (size_t j = 0; j < self->num_configs; j++) {
        free(self->configs[j].stage);
        free(self->configs[j].hardware);
    }
    free(self->name);
    free(self->price_path);
    free(self->profile_items);
    free(self->items);
    free(self->configs);
    free(self->frontier_ns);
    spot_serving_prices_free(&self->prices);
    spot_serving_profiles_free(&self->profiles);
    spot_arrivals_setting_free(&self->arrivals);
    spot_outage_setting_free(&self->outages);
    spot_serve_pipeline_free(&self->pipeline);
    spot_arena_free(&self->memory);
}

/* ---- What it says ---- */

const spot_service_time_t *spot_serve_scenario_time(
    const scenario_t *self, size_t stage_id, int32_t hardware_id)
{
    return &self->times[stage_id * self->prices.num_prices + (size_t) hardware_id];
}

const spot_serving_profile_t *spot_serve_scenario_profile(
    const scenario_t *self, size_t stage_id, int32_t hardware_id)
{
    return spot_serving_profiles_find(&self->profiles,
        spot_serve_pipeline_stage_node(&self->pipeline, stage_id)->model,
        self->prices.prices[hardware_id].name);
}

spot_serve_plan_t spot_serve_scenario_stage(
    const scenario_t *self, size_t stage_id, const spot_stage_option_t *option)
{
    const spot_serving_price_t *price = &self->prices.prices[option->hardware_id];

    return (spot_serve_plan_t){.option = *option,
        .time = spot_serve_scenario_time(self, stage_id, option->hardware_id),
        .price_per_h = {price->on_demand_per_h, price->spot_per_h}};
}

int64_t spot_serve_scenario_cost(const scenario_t *self, const spot_stage_option_t *option)
{
    const spot_serving_price_t *price = &self->prices.prices[option->hardware_id];
    const int64_t num_spot = option->market == SPOT_MARKET_SPOT
                                 ? option->replicas
                                 : spot_stage_option_spot_slots(option);
    const int64_t num_on_demand = option->market == SPOT_MARKET_HEDGE  ? option->base
                                  : option->market == SPOT_MARKET_SPOT ? 0
                                                                       : option->replicas;

    return llround(price->on_demand_per_h * 1e6) * num_on_demand +
           (num_spot > 0 ? llround(price->spot_per_h * 1e6) * num_spot : 0);
}

int64_t spot_serve_scenario_total(const scenario_t *self, const spot_stage_option_t *options)
{
    int64_t cost_micro = 0;

    for (size_t j = 0; j < self->pipeline.num_stages; j++) {
        cost_micro += spot_serve_scenario_cost(self, &options[j]);
    }
    return cost_micro;
}

bool spot_serve_scenario_has_spot(const scenario_t *self)
{
    for (size_t j = 0; j < self->pipeline.num_stages; j++) {
        if (spot_stage_option_spot_slots(&self->options[j]) > 0) {
            return true;
        }
    }
    return false;
}
