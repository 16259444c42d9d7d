/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/scenario.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/serve/needs.h"

typedef spot_serve_scenario_t scenario_t;

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
    } else if ((self->bound_keys & SPOT_SERVE_BOUND_PREEMPTIONS) != 0 &&
               config->option.delay_ns > 0 && self->outages.rent.drain == SPOT_DRAIN_DEADLINE) {
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
    const bool is_bound = (self->bound_keys & SPOT_SERVE_BOUND_HARDWARE) != 0;
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

    if ((self->bound_keys & SPOT_SERVE_BOUND_ARRIVALS) != 0) {
        ret = spot_arrivals_open(&self->arrivals, checker->bind, spot_node_get(root, "arrivals"));
    }
    if ((self->bound_keys & SPOT_SERVE_BOUND_PIPELINE) == 0 || ret == SPOT_ERR_NO_MEMORY) {
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
    if ((self->bound_keys & SPOT_SERVE_BOUND_PREEMPTIONS) != 0) {
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
    if (ret == 0 && diag->num_errors == num_errors) {
        ret = spot_serve_check_memory(self, root, diag);
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
