/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/serve/serve_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bind.h"

const char serve_case_image_driver[] = "pipeline:\n"
                                       "  - {id: ResNet, from: source}\n"
                                       "  - {id: KSVM, from: ResNet}\n"
                                       "  - {id: Inception, from: source}\n"
                                       "  - {id: LogReg, from: Inception}\n"
                                       "  - {id: join, join: [KSVM, LogReg]}\n";

/* What the cases need of the profiles that Crankshaw et al. measured (InferLine, SoCC
 * 2020): batch, 99th percentile in ms, queries/s. */
static const struct {
    const char *model, *hardware;
    size_t num_rows;
    spot_batch_profile_t rows[8];
} measured[] = {
    {"ResNet", "V100", 8,
        {{1, 132.5401, 10.0}, {2, 134.24957, 19.7}, {4, 138.39, 38.6}, {8, 149.21285, 76.1},
            {12, 152.38963, 105.2}, {16, 172.6456, 126.2}, {24, 212.0161, 168.9},
            {32, 256.63817, 191.5}}},
    {"ResNet", "TPX", 5,
        {{1, 108.87625, 9.9}, {2, 111.04, 20.4}, {4, 121.55254, 39.9}, {8, 141.822, 73.6},
            {16, 152.72976, 126.7}}},
    {"KSVM", "cpu", 6,
        {{1, 45.30513, 42.3}, {2, 45.864, 74.3}, {4, 51.04071, 138.4}, {8, 54.35171, 276.9},
            {12, 59.51113, 390.0}, {16, 65.19547, 498.7}}},
    {"Inception", "V100", 6,
        {{1, 68.10305, 26.3}, {2, 72.8235, 45.8}, {4, 73.88426, 81.5}, {8, 105.8667, 132.8},
            {12, 112.03164, 179.5}, {16, 149.95264, 199.5}}},
    {"Inception", "TPX", 4,
        {{1, 34.84264, 32.4}, {2, 38.78975, 61.9}, {4, 57.46735, 103.8}, {8, 74.90487, 137.7}}},
    {"LogReg", "cpu", 4,
        {{1, 29.28447, 531.5}, {2, 30.27719, 608.6}, {4, 31.97647, 1038.9}, {8, 36.15806, 1094.8}}},
};

static const spot_field_t item_field = {
    .type = SPOT_FIELD_MAP, .fields = spot_serve_pipeline_item_fields};

static const spot_field_t document_fields[] = {
    {SPOT_ITEMS(LIST, "pipeline", serve_case_t, items, num_items, item_field, 1,
        SPOT_SERVE_MAX_NODES, NULL, "a list of nodes", "the pipeline")},
    {.name = NULL},
};

static void stop_on_error(int error, const spot_diag_t *diag)
{
    if (error != 0) {
        spot_diag_print(diag, stderr);
        fprintf(stderr, "serve_case: %s\n", spot_error_text(error));
        abort();
    }
}

void serve_case_open(serve_case_t *self, const char *document)
{
    spot_diag_t diag;
    spot_bind_t bind = {.diag = &diag};

    *self = (serve_case_t){.service = &spot_service_throughput};
    spot_diag_init(&diag);
    stop_on_error(
        spot_yaml_parse(&self->document, "case", document, strlen(document), &diag), &diag);
    stop_on_error(spot_bind_document(document_fields, self->document.root, &diag, self), &diag);
    stop_on_error(spot_serve_pipeline_init(&self->pipeline, &bind,
                      spot_node_get(self->document.root, "pipeline"), self->num_items, self->items),
        &diag);
    spot_diag_free(&diag);
    SPOT_ARENA_ARRAY(&self->memory, self->plans, self->pipeline.num_stages);
    spot_bug_assert(self->plans != NULL);
}

void serve_case_close(serve_case_t *self)
{
    spot_serve_free(&self->serve);
    spot_outages_delete(self->outages);
    free(self->outage_setting.file.rows);
    free(self->arrivals);
    spot_serving_profiles_free(&self->profiles);
    spot_arena_free(&self->memory);
    spot_serve_pipeline_free(&self->pipeline);
    for (size_t j = 0; j < self->num_items; j++) {
        spot_serve_pipeline_item_t *item = &self->items[j];

        for (size_t k = 0; k < item->num_join; k++) {
            free(item->join[k]);
        }
        free(item->join);
        free(item->id);
        free(item->from);
        free(item->model);
    }
    free(self->items);
    spot_yaml_free(&self->document);
    *self = (serve_case_t){0};
}

void serve_case_read_profiles(serve_case_t *self, const char *folder)
{
    static const char *const models[] = {"resnet", "ksvm", "inception", "logreg"};
    spot_diag_t diag;

    spot_diag_init(&diag);
    for (size_t j = 0; j < sizeof(models) / sizeof(models[0]); j++) {
        char path[1024];

        snprintf(path, sizeof(path), "%s/inferline_%s.csv", folder, models[j]);
        stop_on_error(spot_serving_profiles_read(&self->profiles, path, &diag), &diag);
    }
    spot_diag_free(&diag);
}

/* The profile of the files, or of the rows above, in memory of the case. */
static const spot_serving_profile_t *profile_of(
    serve_case_t *self, const char *model, const char *hardware)
{
    if (self->profiles.num_profiles > 0) {
        return spot_serving_profiles_find(&self->profiles, model, hardware);
    }
    for (size_t j = 0; j < sizeof(measured) / sizeof(measured[0]); j++) {
        if (strcmp(measured[j].model, model) == 0 && strcmp(measured[j].hardware, hardware) == 0) {
            spot_serving_profile_t *profile;

            SPOT_ARENA_ARRAY(&self->memory, profile, 1);
            spot_bug_assert(profile != NULL);
            profile->num_rows = measured[j].num_rows;
            SPOT_ARENA_ARRAY(&self->memory, profile->rows, profile->num_rows);
            spot_bug_assert(profile->rows != NULL);
            memcpy(profile->rows, measured[j].rows, profile->num_rows * sizeof(*profile->rows));
            return profile;
        }
    }
    return NULL;
}

const spot_service_time_t *serve_case_time(
    serve_case_t *self, const char *model, const char *hardware)
{
    const spot_serving_profile_t *profile = profile_of(self, model, hardware);
    spot_service_time_t *time;

    spot_bug_assert(profile != NULL);
    SPOT_ARENA_ARRAY(&self->memory, time, 1);
    spot_bug_assert(
        time != NULL && spot_service_time_init(time, self->service, profile, &self->memory) == 0);
    return time;
}

spot_stage_option_t *serve_case_option(
    serve_case_t *self, const char *stage, const char *hardware, int64_t batch, int64_t replicas)
{
    const int32_t stage_id = spot_serve_pipeline_stage(&self->pipeline, stage);
    spot_serve_plan_t *plan;

    spot_bug_assert(stage_id >= 0);
    plan = &self->plans[stage_id];
    plan->option = (spot_stage_option_t){.batch = batch, .replicas = replicas};
    plan->time = serve_case_time(
        self, spot_serve_pipeline_stage_node(&self->pipeline, (size_t) stage_id)->model, hardware);
    spot_bug_assert(batch <= plan->time->last);
    return &plan->option;
}

void serve_case_arrive(serve_case_t *self, int64_t time_ns)
{
    spot_bug_assert(SPOT_ARRAY_APPEND(self, arrivals, time_ns) == 0);
}

void serve_case_outage(
    serve_case_t *self, int32_t stage_id, int32_t slot, int64_t preempted_ns, int64_t ready_ns)
{
    spot_outage_file_t *file = &self->outage_setting.file;

    self->outage_setting.kind = SPOT_OUTAGES_FILE;
    spot_bug_assert(SPOT_ARRAY_APPEND(file, rows,
                        (spot_outage_row_t){stage_id, slot, preempted_ns, ready_ns}) == 0);
}

static void start_outages(serve_case_t *self)
{
    const spot_replication_t replication = {.seed = 1};
    int32_t num_slots[SPOT_SERVE_MAX_NODES];

    for (size_t j = 0; j < self->pipeline.num_stages; j++) {
        num_slots[j] = spot_stage_option_spot_slots(&self->plans[j].option);
    }
    spot_outages_delete(self->outages);
    self->outage_setting.rent = self->rent;
    spot_bug_assert(spot_outages_new(&self->outages, &self->outage_setting,
                        self->pipeline.num_stages, num_slots) == 0);
    spot_outages_start(self->outages, replication.seed, replication.replication,
        self->arrivals[self->num_arrivals - 1]);
}

void serve_case_run(serve_case_t *self, bool is_recorded)
{
    spot_serve_run_t run = {.pipeline = &self->pipeline,
        .rent = &self->rent,
        .num_queries = self->num_arrivals,
        .source_ns = self->arrivals,
        .is_recorded = is_recorded};

    if (self->outage_setting.kind != SPOT_OUTAGES_NONE) {
        start_outages(self);
        run.outages = self->outages;
    }
    spot_bug_assert(spot_serve_run(&self->serve, &run, self->plans) == 0);
}

int64_t serve_case_latency_ns(const serve_case_t *self, size_t query_id)
{
    const int64_t sink_ns = self->serve.sink_ns[query_id];

    return sink_ns < 0 ? sink_ns : sink_ns - self->arrivals[query_id];
}

uint64_t serve_case_checksum(const serve_case_t *self)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);

    for (size_t j = 0; j < self->num_arrivals; j++) {
        const uint64_t latency = (uint64_t) serve_case_latency_ns(self, j);

        for (int k = 0; k < 64; k += 8) {
            sum = (sum ^ (latency >> k & 0xff)) * UINT64_C(0x100000001b3);
        }
    }
    return sum;
}
