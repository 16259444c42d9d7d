/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/input/place.h"

#include <math.h>
#include <string.h>

/* The node with the greatest rank takes the instance or the chunk, ties in input order:
 * its weight and what is free, of GPUs or of bytes, times these. */
const char *const spot_place_policies[] = {
    "csp", "first-fit", "worst-fit", "best-fit", "all", NULL};
static const double by_weight[] = {1, 0, 0, 0}, by_free[] = {0, 0, 1, -1};

/* Weighs the nodes for an instance that reads chunks[num_chunks]. */
static void
weigh(const spot_cluster_t *self, const spot_place_job_t *job, bool is_first,
    const spot_place_chunk_t *chunks, size_t num_chunks)
{
    double gpus = 0, room = 0, bytes = 0, rest = 0;

    for (size_t j = 0; j < self->num_nodes; j++) {
        spot_place_node_t *node = &self->nodes[j];

        node->weight = 0;
        gpus += (double) node->gpus;
        room += (double) (node->free_bytes + node->evictable_bytes);
    }
    for (size_t j = 0; j < num_chunks; j++) {
        spot_place_node_t *node = chunks[j].node;

        bytes += (double) chunks[j].bytes;
        *(node == NULL ? &rest : &node->weight) += (double) chunks[j].bytes;
    }
    for (size_t j = 0; j < self->num_nodes; j++) {
        spot_place_node_t *node = &self->nodes[j];
        const double is_free = (double) (node->free_bytes + node->evictable_bytes);
        const bool fits = node->gpus >= job->gpus && node->cpus >= job->cpus;

        /* Divisors that are 0 have the dividend 0. */
        node->weight += rest * fmin(is_free, rest) / fmax(room, 1);
        node->weight /= fmax(bytes, 1);
        node->weight +=
            (fits ? 1 + 1e-9 : 0) * (is_first ? (double) node->gpus / fmax(gpus, 1) : 1);
    }
}

/* The node that takes an instance or, if bytes > 0, a chunk; NULL: none. */
static spot_place_node_t *
choose(const spot_cluster_t *self, int policy_id, const spot_place_job_t *job,
    int64_t bytes)
{
    spot_place_node_t *best = NULL;
    double best_rank = 0;

    for (size_t j = 0; j < self->num_nodes; j++) {
        spot_place_node_t *node = &self->nodes[j];
        const int64_t is_free =
            bytes > 0 ? node->free_bytes + node->evictable_bytes : node->gpus;
        const double rank =
            by_weight[policy_id] * node->weight + by_free[policy_id] * (double) is_free;

        if (is_free >= (bytes > 0 ? bytes : job->gpus) &&
            (bytes > 0 || node->cpus >= job->cpus) &&
            (best == NULL || rank > best_rank)) {
            best = node;
            best_rank = rank;
        }
    }
    return best;
}

static void
note(spot_cluster_t *self, spot_place_list_t *list, const char *text)
{
    if (SPOT_ARRAY_APPEND(list, items, text) != 0) {
        self->texts.error = SPOT_ERR_NO_MEMORY;
    }
}

/* Moves a chunk to a node, which has room once unused chunks are evicted: those of the
 * least value per byte, ties to the largest. */
static void
move(spot_cluster_t *self, spot_place_job_t *job, spot_place_chunk_t *chunk,
    spot_place_node_t *node)
{
    while (node->free_bytes < chunk->bytes) {
        spot_place_chunk_t none = {.value_per_byte = (double) INFINITY}, *least = &none;

        for (size_t j = 0; j < self->num_chunks; j++) {
            spot_place_chunk_t *other = self->chunks[j];

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
static void
place_instance(spot_cluster_t *self, int policy_id, spot_place_job_t *job,
    const spot_place_chunk_t *part, size_t num_chunks)
{
    spot_place_node_t *home = choose(self, policy_id, job, 0), *node;

    if (home == NULL) {
        note(self, &job->lists[SPOT_PLACE_GAPS], "an instance");
        return;
    }
    home->gpus -= job->gpus;
    home->cpus -= job->cpus;
    note(self, &job->lists[SPOT_PLACE_NODES], home->name);
    for (size_t j = 0; j < self->num_chunks; j++) {
        spot_place_chunk_t *chunk = self->chunks[j];

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
static void
save(spot_cluster_t *self, bool is_back)
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
static void
place_job(spot_cluster_t *self, int policy_id, spot_place_job_t *job)
{
    const size_t num_chunks = job->dataset->num_chunks,
                 num_parts = (size_t) job->instances;
    spot_place_chunk_t *part = job->dataset->chunks;
    double *weight = SPOT_ARENA_ARRAY(&self->texts.arena, job->weights,
        self->has_weights ? num_parts * self->num_nodes : 0);
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
        for (size_t k = 0; k < self->num_nodes && weight != NULL && self->has_weights;
             k++) {
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
int
spot_cluster_place(spot_cluster_t *self, int policy_id)
{
    for (size_t j = 0; j < self->num_jobs;) {
        spot_place_job_t *next = &self->jobs[j];

        for (size_t k = j + 1; k < self->num_jobs; k++) {
            spot_place_job_t *job = &self->jobs[k];

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
