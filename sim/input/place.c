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

/* Moves a chunk to a node, which has room once unused chunks are evicted: those of the
 * least value per byte, ties to the largest. */
static void
move(const spot_cluster_t *self, spot_place_chunk_t *chunk, spot_place_node_t *node,
    FILE *const *lists)
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
        fprintf(lists[SPOT_PLACE_EVICTED], ", %s from %s", least->name, node->name);
    }
    chunk->node = node;
    node->free_bytes -= chunk->bytes;
    fprintf(lists[SPOT_PLACE_MOVED], ", %s to %s", chunk->name, node->name);
}

/* Places an instance and those of its chunks, which begin at part, that are stored
 * nowhere. */
static void
place_instance(const spot_cluster_t *self, int policy_id, spot_place_job_t *job,
    bool is_first, const spot_place_chunk_t *part, size_t num_chunks, FILE *const *lists)
{
    spot_place_node_t *home, *node;

    weigh(self, job, is_first, part, num_chunks);
    for (size_t j = 0; j < self->num_nodes && self->has_weights; j++) {
        fprintf(lists[SPOT_PLACE_WEIGHTS], ", %s %.9f", self->nodes[j].name,
            self->nodes[j].weight);
    }
    home = choose(self, policy_id, job, 0);
    if (home == NULL) {
        fprintf(lists[SPOT_PLACE_GAPS], ", an instance");
        return;
    }
    home->gpus -= job->gpus;
    home->cpus -= job->cpus;
    fprintf(lists[SPOT_PLACE_NODES], ", %s", home->name);
    for (size_t j = 0; j < self->num_chunks; j++) {
        spot_place_chunk_t *chunk = self->chunks[j];

        if (num_chunks == 0 || chunk->id < part->id ||
            chunk->id >= part->id + num_chunks) {
            continue;
        }
        node = chunk->node == NULL ? choose(self, policy_id, job, chunk->bytes) : NULL;
        if (node != NULL) {
            move(self, chunk, node, lists);
        } else if (chunk->node == NULL) {
            fprintf(lists[SPOT_PLACE_GAPS], ", %s", chunk->name);
        }
        job->local_chunks += chunk->node == home ? 1 : 0;
        job->local_bytes += chunk->node == home ? (double) chunk->bytes : 0;
    }
}

/* Keeps what placing changes, or takes it back. */
static void
save(spot_cluster_t *self, bool is_back)
{
    memcpy(is_back ? self->nodes : self->saved_nodes,
        is_back ? self->saved_nodes : self->nodes,
        self->num_nodes * sizeof(*self->nodes));
    for (size_t j = 0; j < self->num_chunks; j++) {
        *(is_back ? self->chunks[j] : &self->saved_chunks[j]) =
            is_back ? self->saved_chunks[j] : *self->chunks[j];
    }
}

/* Places the instances of a job. The first parts of its chunks may be one longer. */
static void
place_job(spot_cluster_t *self, int policy_id, spot_place_job_t *job, FILE *const *lists)
{
    const size_t num_chunks = job->dataset->num_chunks,
                 num_parts = (size_t) job->instances;
    spot_place_chunk_t *part = job->dataset->chunks;
    bool is_first = job->first > 0;
    double bytes = 0;

    for (size_t j = 0; j < num_chunks; j++) {
        bytes += (double) part[j].bytes;
        is_first = is_first && (job->first == 1 || part[j].num_users == 0);
        if (part[j].num_users++ == 0 && part[j].node != NULL) {
            part[j].node->evictable_bytes -= part[j].bytes;
        }
    }
    for (size_t j = 0; j < num_parts; j++) {
        const size_t length =
            num_chunks / num_parts + (j < num_chunks % num_parts ? 1 : 0);

        place_instance(self, policy_id, job, is_first, part, length, lists);
        part += length;
    }
    job->local_chunks /= (double) num_chunks;
    job->local_bytes /= bytes;
}

/* Places a job with its lists; with gaps it leaves the cluster as it was. */
static void
try_job(spot_cluster_t *self, int policy_id, spot_place_job_t *job)
{
    FILE *lists[SPOT_PLACE_LISTS];

    for (size_t j = 0; j < SPOT_PLACE_LISTS; j++) {
        lists[j] = spot_texts_begin(&self->texts);
    }
    save(self, false);
    if (self->texts.error == 0) {
        place_job(self, policy_id, job, lists);
    }
    for (size_t j = SPOT_PLACE_LISTS; j-- > 0;) {
        const char *list = spot_texts_end(&self->texts, lists[j]);

        job->lists[j] = list[0] == '\0' ? list : list + 2; /* behind the first comma */
    }
    if (job->lists[SPOT_PLACE_GAPS][0] != '\0') {
        save(self, true);
        job->lists[SPOT_PLACE_NODES] = job->lists[SPOT_PLACE_MOVED] =
            job->lists[SPOT_PLACE_EVICTED] = "";
    }
}

/* Jobs on one dataset are placed together, those of the fewest instances first. */
int
spot_cluster_place(spot_cluster_t *self, int policy_id)
{
    for (size_t j = 0; j < self->num_jobs;) {
        spot_place_job_t *next = NULL;

        for (size_t k = j; k < self->num_jobs; k++) {
            spot_place_job_t *job = &self->jobs[k];

            if (job->dataset == self->jobs[j].dataset && job->lists[0] == NULL &&
                (next == NULL || job->instances < next->instances)) {
                next = job;
            }
        }
        if (next != NULL) {
            try_job(self, policy_id, next);
        } else {
            j++;
        }
    }
    return self->texts.error;
}
