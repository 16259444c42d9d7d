/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of the engine serve for tests: a pipeline, options of its stages, arrivals and
 * outages, without a scenario. Anything that fails is a bug of the test and aborts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/yaml.h"
#include "sim/bench/engine/experiment.h"
#include "sim/serve/serve.h"

/* Zero it to start. */
typedef struct {
    spot_serve_pipeline_t pipeline;
    const spot_service_t *service;
    spot_serving_profiles_t profiles; /* of files; none: the rows that the case has */
    spot_arena_t memory;              /* of service times */
    spot_serve_plan_t *plans;         /* [num_stages] */
    spot_rent_setting_t rent;
    spot_outage_setting_t outage_setting; /* of its file, if it has rows */
    spot_outages_t *outages;
    size_t num_arrivals, max_arrivals;
    int64_t *arrivals; /* [num_arrivals] ns, not decreasing */
    spot_serve_t serve;
    /* What the pipeline was bound from. */
    spot_yaml_t document;
    size_t num_items;
    spot_serve_pipeline_item_t *items;
} serve_case_t;

/* Image Driver 1 of InferLine: two branches into a join. */
extern const char serve_case_image_driver[];

/* Starts a case with the pipeline of a YAML document "pipeline: [...]" and the service
 * throughput. */
void serve_case_open(serve_case_t *self, const char *document);
void serve_case_close(serve_case_t *self);

/* Takes the profiles of the files inferline_*.csv of a folder in place of the rows that
 * the case has. */
void serve_case_read_profiles(serve_case_t *self, const char *folder);

/* The times of a model on a hardware. */
const spot_service_time_t *serve_case_time(
    serve_case_t *self, const char *model, const char *hardware);

/* Sets the option of a stage and returns it for more settings. */
spot_stage_option_t *serve_case_option(
    serve_case_t *self, const char *stage, const char *hardware, int64_t batch, int64_t replicas);

/* Adds a query. */
void serve_case_arrive(serve_case_t *self, int64_t time_ns);

/* Adds an outage; ready_ns INT64_MAX: never. */
void serve_case_outage(
    serve_case_t *self, int32_t stage_id, int32_t slot, int64_t preempted_ns, int64_t ready_ns);

void serve_case_run(serve_case_t *self, bool is_recorded);

/* Of the latest run. -1: lost, -2: unfinished. */
int64_t serve_case_latency_ns(const serve_case_t *self, size_t query_id);

/* FNV-1a over the latencies in order of their queries, 8 bytes each, low bytes first. */
uint64_t serve_case_checksum(const serve_case_t *self);
