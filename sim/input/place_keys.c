/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "sim/input/place.h"

#define MAX_MS ((double) SPOT_MAX_DURATION_MS)

typedef spot_cluster_t cluster_t;
typedef spot_place_node_t place_node_t;
typedef spot_place_chunk_t chunk_t;
typedef spot_place_dataset_t dataset_t;
typedef spot_place_use_t use_t;
typedef spot_place_job_t job_t;

static const spot_field_t use_fields[] = {
    {SPOT_WITHIN(DURATION, "age", use_t, age_ms, 1, MAX_MS, NULL, "time since the use")},
    {SPOT_WITHIN(
        DURATION, "cost", use_t, cost_ms, 0, MAX_MS, NULL, "time of fetching it again")},
    {.name = NULL}};
static const spot_field_t use_item = {.type = SPOT_FIELD_MAP, .fields = use_fields};

/* 2 x 10^5 chunks, the most of a file, and a node fit 63 bits. */
#define SIZE(key) SPOT_WITHIN(BYTES, key, chunk_t, bytes, 1, 1e13, NULL, "its size")
static const spot_field_t chunk_fields[] = {{SIZE("size")},
    {SPOT_VALUE(TEXT, "on", chunk_t, on, "", "the node that stores it"),
        .bind = spot_bind_keep_node},
    {SPOT_CHOICE("used", chunk_t, num_users, spot_no_yes, "no",
        "a running job uses it: it is not evicted")},
    {SPOT_ITEMS(LIST, "uses", chunk_t, uses, num_uses, use_item, 0, 1e5, "[]",
        "a list such as [{age: 2 h, cost: 30 s}]", "past uses, for eviction")},
    {.name = NULL}};
static const spot_field_t chunk_forms[] = {{SIZE("")},
    {.name = "", .type = SPOT_FIELD_MAP, .fields = chunk_fields}, {.name = NULL}};
static const spot_field_t chunk_item = {.type = SPOT_FIELD_ONE_OF,
    .fields = chunk_forms,
    .expected = "a size, or a map such as {size: 60 GB, on: A}"};

static const spot_field_t dataset_fields[] = {
    {SPOT_ITEMS(LIST, "chunks", dataset_t, chunks, num_chunks, chunk_item, 1, 1e6, NULL,
        "a list such as [60 GB, {size: 40 GB, on: A}]", "its parts")},
    {.name = NULL}};
static const spot_field_t dataset_item = {
    .type = SPOT_FIELD_MAP, .fields = dataset_fields};
static const spot_field_t node_fields[] = {
    {SPOT_WITHIN(INTEGER, "gpus", place_node_t, gpus, 0, 1e6, NULL, "free GPUs")},
    {SPOT_WITHIN(
        INTEGER, "cpus", place_node_t, cpus, 0, 1e12, "1000000000000", "free CPUs")},
    {SPOT_WITHIN(
        BYTES, "storage", place_node_t, free_bytes, 0, 1e18, NULL, "free bytes")},
    {.name = NULL}};
static const spot_field_t node_item = {.type = SPOT_FIELD_MAP, .fields = node_fields};
static const spot_field_t item_name = {.type = SPOT_FIELD_TEXT}; /* the first member */

/* A use is worth cost / age x attenuation^(-step x age). */
static const spot_field_t eviction_fields[] = {
    {SPOT_WITHIN(
        NUMBER, "attenuation", cluster_t, attenuation, 1, 1e6, "2", "per step")},
    {SPOT_WITHIN(
        NUMBER, "step", cluster_t, step_per_s, 0, 1e6, "0.001", "steps per second")},
    {.name = NULL}};
static const spot_field_t cluster_fields[] = {
    {SPOT_ITEMS(DICT, "nodes", cluster_t, nodes, num_nodes, node_item, 1, 1e6, NULL,
         "a map such as {A: {gpus: 4, storage: 100 GB}}", "nodes by name"),
        .key = &item_name},
    {SPOT_ITEMS(DICT, "datasets", cluster_t, datasets, num_datasets, dataset_item, 1,
         1e6, NULL, "a map such as {D: {chunks: [60 GB]}}", "datasets by name"),
        .key = &item_name},
    {SPOT_GROUP("eviction", eviction_fields, "{}", "how past uses lose their value")},
    {.name = NULL}};

static const char *const firsts[] = {"no", "yes", "auto", NULL};
static const spot_field_t job_fields[] = {
    {SPOT_VALUE(TEXT, "name", job_t, name, NULL, "its name")},
    {SPOT_VALUE(TEXT, "dataset", job_t, dataset_name, NULL, "the data it reads"),
        .bind = spot_bind_keep_node},
    {SPOT_WITHIN(
        INTEGER, "instances", job_t, instances, 1, 1e4, "1", "each reads a part")},
    {SPOT_WITHIN(INTEGER, "gpus", job_t, gpus, 0, 1e6, NULL, "GPUs of an instance")},
    {SPOT_WITHIN(INTEGER, "cpus", job_t, cpus, 0, 1e6, "0", "CPUs of an instance")},
    {SPOT_CHOICE("first", job_t, first, firsts, "auto", "the first on its dataset")},
    {SPOT_WITHIN(
        DURATION_NS, "local", job_t, local_ns, 1, 1e18, "", "time of a local batch")},
    {SPOT_WITHIN(
        DURATION_NS, "remote", job_t, remote_ns, 1, 1e18, "", "of a remote batch")},
    {.name = NULL}};
static const spot_field_t job_item = {.type = SPOT_FIELD_MAP, .fields = job_fields};
static const spot_field_t jobs_fields[] = {
    {SPOT_ITEMS(LIST, "jobs", cluster_t, jobs, num_jobs, job_item, 1, 1e6, NULL,
        "a list such as [{name: a, dataset: D, gpus: 2}]", "jobs to place")},
    {.name = NULL}};

/* The item with the name at node; each begins with its name. NULL: reported. */
static void *
find(spot_bind_t *bind, const spot_node_t *node, const char *what, void *items,
    size_t num_items, size_t item_size)
{
    char *item = items;
    spot_suggest_t near;

    if (node->kind != SPOT_NODE_SCALAR) {
        spot_bind_error(bind, node, NULL, "expected the name of a %s", what);
        return NULL;
    }
    spot_suggest_init(&near, node->text);
    for (size_t j = 0; j < num_items; j++, item += item_size) {
        if (strcmp(*(char **) (void *) item, node->text) == 0) {
            return item;
        }
        spot_suggest_offer(&near, *(char **) (void *) item);
    }
    spot_bind_unknown(bind, node, NULL, what, &near, "");
    return NULL;
}

static int
compare_sizes(const void *first, const void *second)
{
    const chunk_t *a = *(chunk_t *const *) first, *b = *(chunk_t *const *) second;

    return a->bytes == b->bytes ? (a->id > b->id) - (a->id < b->id)
                                : (a->bytes < b->bytes) - (a->bytes > b->bytes);
}

/* The past uses of a chunk, and where it is. */
static void
settle_chunk(cluster_t *self, chunk_t *chunk, spot_bind_t *bind)
{
    for (size_t j = 0; j < chunk->num_uses; j++) {
        const double age_s = (double) chunk->uses[j].age_ms * 1e-3;
        const double cost_s = (double) chunk->uses[j].cost_ms * 1e-3;

        chunk->value_per_byte += cost_s / age_s *
                                 pow(self->attenuation, -self->step_per_s * age_s) /
                                 (double) chunk->bytes;
    }
    if (chunk->on != NULL) {
        chunk->node = find(
            bind, chunk->on, "node", self->nodes, self->num_nodes, sizeof(*self->nodes));
    }
    if (chunk->node != NULL && chunk->num_users == 0) {
        chunk->node->evictable_bytes += chunk->bytes;
    }
}

static int
settle(cluster_t *self, spot_bind_t *bind)
{
    spot_arena_t *arena = &self->texts.arena;

    for (dataset_t *set = self->datasets; set < self->datasets + self->num_datasets;
         set++) {
        self->num_chunks += set->num_chunks;
    }
    SPOT_ARENA_ARRAY(arena, self->chunks, self->num_chunks);
    SPOT_ARENA_ARRAY(arena, self->saved_chunks, self->num_chunks);
    SPOT_ARENA_ARRAY(arena, self->saved_nodes, self->num_nodes);
    for (size_t d = 0, id = 0; d < self->num_datasets && arena->error == 0; d++) {
        for (size_t j = 0; j < self->datasets[d].num_chunks; j++, id++) {
            chunk_t *chunk = &self->datasets[d].chunks[j];

            chunk->id = id;
            chunk->name =
                spot_texts_add(&self->texts, "%s[%zu]", self->datasets[d].name, j);
            settle_chunk(self, chunk, bind);
            self->chunks[id] = chunk;
        }
    }
    for (job_t *job = self->jobs; job < self->jobs + self->num_jobs; job++) {
        job->dataset = find(bind, job->dataset_name, "dataset", self->datasets,
            self->num_datasets, sizeof(*self->datasets));
    }
    if (arena->error == 0 && self->texts.error == 0) {
        qsort(self->chunks, self->num_chunks, sizeof(*self->chunks), compare_sizes);
        return bind->diag->num_errors > 0 ? SPOT_ERR_BAD_INPUT : 0;
    }
    return SPOT_ERR_NO_MEMORY;
}

int
spot_cluster_read(spot_cluster_t *self, const char *cluster_path, const char *jobs_path,
    spot_diag_t *diag)
{
    const char *const paths[] = {cluster_path, jobs_path};
    const spot_field_t *const tables[] = {cluster_fields, jobs_fields};
    int error = 0;

    memset(self, 0, sizeof(*self));
    for (size_t j = 0; j < 2; j++) {
        int ret = spot_yaml_read(&self->yaml[j], paths[j], diag);

        ret = ret == 0 ? spot_bind_document(tables[j], self->yaml[j].root, diag, self)
                       : ret;
        error = spot_error_first(error, ret);
    }
    return error == 0 ? settle(self, &(spot_bind_t){.diag = diag}) : error;
}

void
spot_cluster_free(spot_cluster_t *self)
{
    for (size_t j = 0; j < self->num_nodes; j++) {
        free(self->nodes[j].name);
    }
    for (size_t d = 0; d < self->num_datasets; d++) {
        for (size_t j = 0; j < self->datasets[d].num_chunks; j++) {
            free(self->datasets[d].chunks[j].uses);
        }
        free(self->datasets[d].chunks);
        free(self->datasets[d].name);
    }
    for (size_t j = 0; j < self->num_jobs; j++) {
        free(self->jobs[j].name);
        for (int k = 0; k <= SPOT_PLACE_GAPS; k++) {
            free(self->jobs[j].lists[k].items);
        }
    }
    free(self->nodes);
    free(self->datasets);
    free(self->jobs);
    spot_yaml_free(&self->yaml[0]);
    spot_yaml_free(&self->yaml[1]);
    spot_texts_free(&self->texts);
}
