/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/input/place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define MAX_MS ((double) SPOT_MAX_DURATION_MS)
#define MAP_OF(table) ((const spot_field_t){.type = SPOT_FIELD_MAP, .fields = table})

typedef spot_cluster_t cluster_t;
typedef spot_place_node_t place_node_t;
typedef spot_place_chunk_t chunk_t;
typedef spot_place_dataset_t dataset_t;
typedef spot_place_use_t use_t;
typedef spot_place_job_t job_t;
typedef spot_place_list_t list_t;

/* ---- The files ---- */

static const spot_field_t use_fields[] = {
    {SPOT_WITHIN(DURATION, "age", use_t, age_ms, 1, MAX_MS, NULL, "time since the use")},
    {SPOT_WITHIN(DURATION, "cost", use_t, cost_ms, 0, MAX_MS, NULL, "time of fetching it again")},
    {.name = NULL}};

/* 2 x 10^5 chunks, the most of a file, and a node fit 63 bits. */
#define SIZE(key) SPOT_WITHIN(BYTES, key, chunk_t, bytes, 1, 1e13, NULL, "its size")
static const spot_field_t chunk_fields[] = {{SIZE("size")},
    {SPOT_VALUE(TEXT, "on", chunk_t, on, "", "the node that stores it"),
        .bind = spot_bind_keep_node},
    {SPOT_CHOICE(
        "used", chunk_t, num_users, spot_no_yes, "no", "a running job uses it: it is not evicted")},
    {SPOT_ITEMS(LIST, "uses", chunk_t, uses, num_uses, MAP_OF(use_fields), 0, 1e5, "[]",
        "a list such as [{age: 2 h, cost: 30 s}]", "past uses, for eviction")},
    {.name = NULL}};
static const spot_field_t chunk_forms[] = {
    {SIZE("")}, {.name = "", .type = SPOT_FIELD_MAP, .fields = chunk_fields}, {.name = NULL}};
static const spot_field_t chunk_item = {.type = SPOT_FIELD_ONE_OF,
    .fields = chunk_forms,
    .expected = "a size, or a map such as {size: 60 GB, on: A}"};

static const spot_field_t dataset_fields[] = {
    {SPOT_ITEMS(LIST, "chunks", dataset_t, chunks, num_chunks, chunk_item, 1, 1e6, NULL,
        "a list such as [60 GB, {size: 40 GB, on: A}]", "its parts")},
    {.name = NULL}};
static const spot_field_t node_fields[] = {
    {SPOT_WITHIN(INTEGER, "gpus", place_node_t, gpus, 0, 1e6, NULL, "free GPUs")},
    {SPOT_WITHIN(INTEGER, "cpus", place_node_t, cpus, 0, 1e12, "1000000000000", "free CPUs")},
    {SPOT_WITHIN(BYTES, "storage", place_node_t, free_bytes, 0, 1e18, NULL, "free bytes")},
    {.name = NULL}};
static const spot_field_t item_name = {.type = SPOT_FIELD_TEXT}; /* the first member */

/* A use is worth cost / age x attenuation^(-step x age). */
static const spot_field_t eviction_fields[] = {
    {SPOT_WITHIN(NUMBER, "attenuation", cluster_t, attenuation, 1, 1e6, "2", "per step")},
    {SPOT_WITHIN(NUMBER, "step", cluster_t, step_per_s, 0, 1e6, "0.001", "steps per second")},
    {.name = NULL}};
static const spot_field_t cluster_fields[] = {
    {SPOT_ITEMS(DICT, "nodes", cluster_t, nodes, num_nodes, MAP_OF(node_fields), 1, 1e6, NULL,
         "a map such as {A: {gpus: 4, storage: 100 GB}}", "nodes by name"),
        .key = &item_name},
    {SPOT_ITEMS(DICT, "datasets", cluster_t, datasets, num_datasets, MAP_OF(dataset_fields), 1, 1e6,
         NULL, "a map such as {D: {chunks: [60 GB]}}", "datasets by name"),
        .key = &item_name},
    {SPOT_GROUP("eviction", eviction_fields, "{}", "how past uses lose their value")},
    {.name = NULL}};

static const char *const firsts[] = {"no", "yes", "auto", NULL};
static const spot_field_t job_fields[] = {{SPOT_VALUE(TEXT, "name", job_t, name, NULL, "its name")},
    {SPOT_VALUE(TEXT, "dataset", job_t, dataset_name, NULL, "the data it reads"),
        .bind = spot_bind_keep_node},
    {SPOT_WITHIN(INTEGER, "instances", job_t, instances, 1, 1e4, "1", "each reads a part")},
    {SPOT_WITHIN(INTEGER, "gpus", job_t, gpus, 0, 1e6, NULL, "GPUs of an instance")},
    {SPOT_WITHIN(INTEGER, "cpus", job_t, cpus, 0, 1e6, "0", "CPUs of an instance")},
    {SPOT_CHOICE("first", job_t, first, firsts, "auto", "the first on its dataset")},
    {SPOT_WITHIN(DURATION_NS, "local", job_t, local_ns, 1, 1e18, "", "time of a local batch")},
    {SPOT_WITHIN(DURATION_NS, "remote", job_t, remote_ns, 1, 1e18, "", "of a remote batch")},
    {.name = NULL}};
static const spot_field_t jobs_fields[] = {
    {SPOT_ITEMS(LIST, "jobs", cluster_t, jobs, num_jobs, MAP_OF(job_fields), 1, 1e6, NULL,
        "a list such as [{name: a, dataset: D, gpus: 2}]", "jobs to place")},
    {.name = NULL}};

/* The item with the name at node; each begins with its name. NULL: reported. */
static void *find(spot_bind_t *bind, const spot_node_t *node, const char *what, void *items,
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

static int compare_sizes(const void *first, const void *second)
{
    const chunk_t *a = *(chunk_t *const *) first, *b = *(chunk_t *const *) second;

    return a->bytes == b->bytes ? (a->id > b->id) - (a->id < b->id)
                                : (a->bytes < b->bytes) - (a->bytes > b->bytes);
}

/* Names a chunk, values its past uses, and finds where it is. */
static void settle_chunk(cluster_t *self, const dataset_t *set, chunk_t *chunk, spot_bind_t *bind)
{
    chunk->id = self->num_chunks;
    chunk->name = spot_texts_add(&self->texts, "%s[%td]", set->name, chunk - set->chunks);
    self->chunks[self->num_chunks++] = chunk;
    for (size_t j = 0; j < chunk->num_uses; j++) {
        const double age_s = (double) chunk->uses[j].age_ms * 1e-3;
        const double cost_s = (double) chunk->uses[j].cost_ms * 1e-3;

        chunk->value_per_byte += cost_s / age_s *
                                 pow(self->attenuation, -self->step_per_s * age_s) /
                                 (double) chunk->bytes;
    }
    if (chunk->on != NULL) {
        chunk->node =
            find(bind, chunk->on, "node", self->nodes, self->num_nodes, sizeof(*self->nodes));
    }
    if (chunk->node != NULL && chunk->num_users == 0) {
        chunk->node->evictable_bytes += chunk->bytes;
    }
}

static int settle(cluster_t *self, spot_bind_t *bind)
{
    spot_arena_t *arena = &self->texts.arena;
    size_t num_chunks = 0;

    for (size_t d = 0; d < self->num_datasets; d++) {
        num_chunks += self->datasets[d].num_chunks;
    }
    SPOT_ARENA_ARRAY(arena, self->chunks, num_chunks);
    SPOT_ARENA_ARRAY(arena, self->saved_chunks, num_chunks);
    SPOT_ARENA_ARRAY(arena, self->saved_nodes, self->num_nodes);
    for (size_t d = 0; d < self->num_datasets && arena->error == 0; d++) {
        for (size_t j = 0; j < self->datasets[d].num_chunks; j++) {
            settle_chunk(self, &self->datasets[d], &self->datasets[d].chunks[j], bind);
        }
    }
    for (size_t j = 0; j < self->num_jobs; j++) {
        self->jobs[j].dataset = find(bind, self->jobs[j].dataset_name, "dataset", self->datasets,
            self->num_datasets, sizeof(*self->datasets));
    }
    if (arena->error != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    qsort(self->chunks, num_chunks, sizeof(*self->chunks), compare_sizes);
    return bind->diag->num_errors > 0 ? SPOT_ERR_BAD_INPUT : 0;
}

int spot_cluster_read(
    spot_cluster_t *self, const char *cluster_path, const char *jobs_path, spot_diag_t *diag)
{
    const char *const paths[] = {cluster_path, jobs_path};
    const spot_field_t *const tables[] = {cluster_fields, jobs_fields};
    int error = 0, ret;

    memset(self, 0, sizeof(*self));
    for (size_t j = 0; j < 2; j++) {
        if (paths[j] == NULL) {
            continue;
        }
        ret = spot_yaml_read(&self->yaml[j], paths[j], diag);
        error = spot_error_first(error, ret);
        if (ret == 0) {
            ret = spot_bind_document(tables[j], self->yaml[j].root, diag, self);
            error = spot_error_first(error, ret);
        }
    }
    return error == 0 && cluster_path != NULL ? settle(self, &(spot_bind_t){.diag = diag}) : error;
}

void spot_cluster_free(spot_cluster_t *self)
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

/* ---- Placing ---- */

/* The node with the greatest rank takes the instance or the chunk, ties in input order:
 * its weight and what is free, of GPUs or of bytes, times these. */
const char *const spot_place_policies[] = {
    "csp", "first-fit", "worst-fit", "best-fit", "all", NULL};
static const double by_weight[] = {1, 0, 0, 0}, by_free[] = {0, 0, 1, -1};

/* Bytes that are free, once chunks are evicted. */
static int64_t room_of(const place_node_t *node)
{
    return node->free_bytes + node->evictable_bytes;
}

/* Weighs the nodes for an instance that reads chunks[num_chunks]. */
static void weigh(const cluster_t *self, const job_t *job, bool is_first, const chunk_t *chunks,
    size_t num_chunks)
{
    double gpus = 0, room = 0, bytes = 0, rest = 0;

    for (size_t j = 0; j < self->num_nodes; j++) {
        self->nodes[j].weight = 0;
        gpus += (double) self->nodes[j].gpus;
        room += (double) room_of(&self->nodes[j]);
    }
    for (size_t j = 0; j < num_chunks; j++) {
        bytes += (double) chunks[j].bytes;
        *(chunks[j].node == NULL ? &rest : &chunks[j].node->weight) += (double) chunks[j].bytes;
    }
    for (size_t j = 0; j < self->num_nodes; j++) {
        place_node_t *node = &self->nodes[j];
        const bool fits = node->gpus >= job->gpus && node->cpus >= job->cpus;

        /* Divisors that are 0 have the dividend 0. */
        node->weight += rest * fmin((double) room_of(node), rest) / fmax(room, 1);
        node->weight /= fmax(bytes, 1);
        node->weight +=
            (fits ? 1 + 1e-9 : 0) * (is_first ? (double) node->gpus / fmax(gpus, 1) : 1);
    }
}

/* The node that takes an instance or, if bytes > 0, a chunk; NULL: none. */
static place_node_t *choose(const cluster_t *self, int policy_id, const job_t *job, int64_t bytes)
{
    place_node_t *best = NULL;
    double best_rank = 0;

    for (size_t j = 0; j < self->num_nodes; j++) {
        place_node_t *node = &self->nodes[j];
        const int64_t is_free = bytes > 0 ? room_of(node) : node->gpus;
        const double rank =
            by_weight[policy_id] * node->weight + by_free[policy_id] * (double) is_free;

        if (is_free >= (bytes > 0 ? bytes : job->gpus) && (bytes > 0 || node->cpus >= job->cpus) &&
            (best == NULL || rank > best_rank)) {
            best = node;
            best_rank = rank;
        }
    }
    return best;
}

static void note(cluster_t *self, list_t *list, const char *text)
{
    if (SPOT_ARRAY_APPEND(list, items, text) != 0) {
        self->texts.error = SPOT_ERR_NO_MEMORY;
    }
}

/* Moves a chunk to a node, which has room once unused chunks are evicted: those of the
 * least value per byte, ties to the largest. */
static void move(cluster_t *self, job_t *job, chunk_t *chunk, place_node_t *node)
{
    while (node->free_bytes < chunk->bytes) {
        chunk_t none = {.value_per_byte = (double) INFINITY}, *least = &none;

        for (size_t j = 0; j < self->num_chunks; j++) {
            chunk_t *other = self->chunks[j];

            if (other->node == node && other->num_users == 0 &&
                other->value_per_byte < least->value_per_byte) {
                least = other;
            }
        }
        spot_bug_assert(least != &none);
        least->node = NULL;
        node->free_bytes += least->bytes;
        node->evictable_bytes -= least->bytes;
        note(self, &job->lists[SPOT_PLACE_EVICTED],
            spot_texts_add(&self->texts, "%s from %s", least->name, node->name));
    }
    chunk->node = node;
    node->free_bytes -= chunk->bytes;
    note(self, &job->lists[SPOT_PLACE_MOVED],
        spot_texts_add(&self->texts, "%s to %s", chunk->name, node->name));
}

/* Places an instance and those of its chunks, which begin at part, that are stored
 * nowhere. */
static void place_instance(
    cluster_t *self, int policy_id, job_t *job, const chunk_t *part, size_t num_chunks)
{
    place_node_t *home = choose(self, policy_id, job, 0), *node;

    if (home == NULL) {
        note(self, &job->lists[SPOT_PLACE_GAPS], "an instance");
        return;
    }
    home->gpus -= job->gpus;
    home->cpus -= job->cpus;
    note(self, &job->lists[SPOT_PLACE_NODES], home->name);
    for (size_t j = 0; j < self->num_chunks; j++) {
        chunk_t *chunk = self->chunks[j];

        if (num_chunks == 0 || chunk->id - part->id >= num_chunks) {
            continue;
        }
        node = chunk->node == NULL ? choose(self, policy_id, job, chunk->bytes) : NULL;
        if (node != NULL) {
            move(self, job, chunk, node);
        } else if (chunk->node == NULL) {
            note(self, &job->lists[SPOT_PLACE_GAPS], chunk->name);
        }
        job->local_chunks += chunk->node == home ? 1 : 0;
        job->local_bytes += chunk->node == home ? (double) chunk->bytes : 0;
    }
}

/* Keeps what placing changes, or takes it back. */
static void save(cluster_t *self, bool is_back)
{
    for (size_t j = 0; j < self->num_nodes; j++) {
        *(is_back ? &self->nodes[j] : &self->saved_nodes[j]) =
            is_back ? self->saved_nodes[j] : self->nodes[j];
    }
    for (size_t j = 0; j < self->num_chunks; j++) {
        *(is_back ? self->chunks[j] : &self->saved_chunks[j]) =
            is_back ? self->saved_chunks[j] : *self->chunks[j];
    }
}

/* Places the instances of a job. The first parts of its chunks may be one longer. With
 * gaps it leaves the cluster as it was. */
static void place_job(cluster_t *self, int policy_id, job_t *job)
{
    const size_t num_chunks = job->dataset->num_chunks, num_parts = (size_t) job->instances;
    chunk_t *part = job->dataset->chunks;
    double *weight = SPOT_ARENA_ARRAY(
        &self->texts.arena, job->weights, self->has_weights ? num_parts * self->num_nodes : 0);
    bool is_first = job->first > 0;
    double bytes = 0;

    save(self, false);
    for (size_t j = 0; j < num_chunks; j++) {
        bytes += (double) part[j].bytes;
        is_first = is_first && (job->first == 1 || part[j].num_users == 0);
        if (part[j].num_users++ == 0 && part[j].node != NULL) {
            part[j].node->evictable_bytes -= part[j].bytes;
        }
    }
    for (size_t j = 0; j < num_parts; j++) {
        const size_t length = num_chunks / num_parts + (j < num_chunks % num_parts);

        weigh(self, job, is_first, part, length);
        for (size_t k = 0; self->has_weights && weight != NULL && k < self->num_nodes; k++) {
            *weight++ = self->nodes[k].weight;
        }
        place_instance(self, policy_id, job, part, length);
        part += length;
    }
    job->local_chunks /= (double) num_chunks;
    job->local_bytes /= bytes;
    job->is_done = true;
    if (job->lists[SPOT_PLACE_GAPS].num_items > 0) {
        save(self, true);
        for (int j = 0; j < SPOT_PLACE_GAPS; j++) {
            job->lists[j].num_items = 0;
        }
    }
}

/* Jobs on one dataset are placed together, those of the fewest instances first. */
int spot_cluster_place(cluster_t *self, int policy_id)
{
    for (size_t j = 0; j < self->num_jobs;) {
        job_t *next = &self->jobs[j];

        for (size_t k = j + 1; k < self->num_jobs; k++) {
            job_t *job = &self->jobs[k];

            if (job->dataset == next->dataset && !job->is_done &&
                (next->is_done || job->instances < next->instances)) {
                next = job;
            }
        }
        if (next->is_done) {
            j++;
        } else {
            place_job(self, policy_id, next);
        }
    }
    return spot_error_first(self->texts.error, self->texts.arena.error);
}
