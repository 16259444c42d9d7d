/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scenario of a serving pipeline: hardware, profiles, pipeline, arrivals, objective,
 * configuration, and how replicas may be taken away. Constant after reading, so that all
 * threads share it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "models/serving_profile.h"
#include "sim/bench/engine/experiment.h"
#include "sim/serve/pipeline.h"
#include "sim/serve/serve.h"
#include "traces/outages/outages.h"
#include "traces/queries/arrivals.h"

/* The option of a stage in the key config, as it is bound. */
typedef struct {
    char *stage;
    char *hardware;
    spot_stage_option_t option;
} spot_stage_config_t;

/* The latency objective (SLO): a percentile of the latencies. */
typedef struct {
    int64_t latency_ns;
    double percentile;        /* 0 to 100, above 0 */
    int64_t percentile_milli; /* the same in 1/1000 %, rounded */
} spot_objective_t;

typedef struct {
    int method;      /* of spot_serve_planners */
    double max_cost; /* per hour; NAN: none */
    double budget;   /* per hour, of rate; NAN: none */
    int with_preemptions;
} spot_plan_setting_t;

typedef struct {
    spot_outputs_t outputs; /* the first member */
    char *name;
    spot_arena_t memory;          /* of the outputs and of what follows from the keys */
    int bound_keys;               /* during reading only */
    char *price_path;             /* NULL: the scenario gives them */
    spot_serving_prices_t prices; /* in hardware order */
    size_t num_profile_items;
    spot_serving_profile_item_t *profile_items; /* [num_profile_items] */
    spot_serving_profiles_t profiles;
    int service_id; /* of spot_services */
    size_t num_items;
    spot_serve_pipeline_item_t *items;
    spot_serve_pipeline_t pipeline;
    spot_arrivals_setting_t arrivals;
    spot_objective_t slo;
    int config_form; /* 0: config is the name of a planner, which chooses the options for
                        each replication; 1: it gives them */
    int planner_id;  /* of spot_serve_planners, in the first case */
    size_t num_configs;
    spot_stage_config_t *configs; /* [num_configs] in order of the file */
    spot_outage_setting_t outages;
    spot_plan_setting_t plan;
    size_t num_frontier;
    int64_t *frontier_ns; /* [num_frontier] latencies of objectives */
    int64_t sample_ns;    /* between two samples of the series; 0: a 500th of the arrivals */
    /* What follows. */
    const spot_service_t *service;
    spot_service_time_t *times;   /* [num_stages][num_hardware]; last 0: no profile */
    spot_stage_option_t *options; /* [num_stages] of config; of a stage without config
                                     replicas is 0 */
} spot_serve_scenario_t;

/* Every key with its default and its help, for binding and for the manual. */
extern const spot_field_t spot_serve_fields[];

/* As the experiment has it: whether the default of a key has a bearing. */
bool spot_serve_decides(const void *scenario, const spot_node_t *root, const char *key);

/* Binds a document. All errors are in diag with file:line:column. BAD_INPUT, IO,
 * NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_serve_scenario_init(
    spot_serve_scenario_t *self, const spot_node_t *root, spot_diag_t *diag);
void spot_serve_scenario_free(spot_serve_scenario_t *self);

/* Times of a stage on a hardware; last 0: there is no profile. */
const spot_service_time_t *spot_serve_scenario_time(
    const spot_serve_scenario_t *self, size_t stage_id, int32_t hardware_id);

/* The profile of a stage on a hardware, or NULL: its rows are the batch limits that a
 * planner may choose. */
const spot_serving_profile_t *spot_serve_scenario_profile(
    const spot_serve_scenario_t *self, size_t stage_id, int32_t hardware_id);

/* What a stage with such an option is in a run. */
spot_serve_plan_t spot_serve_scenario_stage(
    const spot_serve_scenario_t *self, size_t stage_id, const spot_stage_option_t *option);

/* What the replicas of an option cost per hour in millionths, by their market; a hedge:
 * its on-demand base and its spot slots. */
int64_t spot_serve_scenario_cost(
    const spot_serve_scenario_t *self, const spot_stage_option_t *option);

/* The same of all stages. options: [num_stages] */
int64_t spot_serve_scenario_total(
    const spot_serve_scenario_t *self, const spot_stage_option_t *options);

/* Whether a stage may lose replicas. */
bool spot_serve_scenario_has_spot(const spot_serve_scenario_t *self);
