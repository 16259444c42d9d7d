/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places jobs on the nodes of a cluster, and the chunks of their datasets beside them.
 * Source: Kang et al., COMSNETS 2024. Two faults of its program are not repeated: a
 * normalisation gives all chunks one value, so that size alone decides which is evicted;
 * released bytes count twice, so that eviction may end too early. */
#pragma once

#include "base/bind.h"
#include "base/memory.h"

typedef struct {
    char *name;
    int64_t gpus, cpus, free_bytes; /* free now */
    int64_t evictable_bytes;        /* of its chunks that nothing uses */
    double weight;                  /* for the latest instance */
} spot_place_node_t;

typedef struct {
    int64_t age_ms, cost_ms;
} spot_place_use_t;

typedef struct {
    const char *name;        /* "imagenet[0]" */
    size_t id;               /* its place in the file */
    const spot_node_t *on;   /* the name of its first node, or NULL */
    spot_place_node_t *node; /* NULL: not stored */
    int64_t bytes;
    int num_users; /* 0: it may be evicted */
    size_t num_uses;
    spot_place_use_t *uses; /* [num_uses] of the past */
    double value_per_byte;  /* the least is evicted first */
} spot_place_chunk_t;

typedef struct {
    char *name;
    size_t num_chunks;
    spot_place_chunk_t *chunks; /* [num_chunks] */
} spot_place_dataset_t;

enum { SPOT_PLACE_NODES, SPOT_PLACE_MOVED, SPOT_PLACE_EVICTED, SPOT_PLACE_GAPS };

/* Nodes of the instances, chunks to their new nodes, chunks from their old ones, or what
 * has no room. The texts are of the cluster. */
typedef struct {
    size_t num_items, max_items;
    const char **items; /* [num_items] */
} spot_place_list_t;

typedef struct {
    char *name;
    const spot_node_t *dataset_name;
    spot_place_dataset_t *dataset;
    int64_t instances, gpus, cpus; /* GPUs and CPUs of each instance */
    int first;                     /* on its dataset: no, yes, or if that is not in use */
    int64_t local_ns, remote_ns;   /* of a batch; 0: not given */
    bool is_done;
    spot_place_list_t lists[SPOT_PLACE_GAPS + 1]; /* with gaps all is undone */
    double local_chunks, local_bytes;             /* shares */
    double *weights;                              /* [instances][num_nodes], if they are wanted */
} spot_place_job_t;

typedef struct {
    spot_yaml_t yaml[2];
    size_t num_nodes, num_datasets, num_jobs, num_chunks;
    spot_place_node_t *nodes, *saved_nodes;
    spot_place_dataset_t *datasets;
    spot_place_job_t *jobs;
    spot_place_chunk_t **chunks, *saved_chunks; /* [num_chunks] of all, largest first */
    double attenuation, step_per_s;
    spot_texts_t texts;
    bool has_weights; /* they are wanted */
} spot_cluster_t;

/* Reads a cluster and its jobs; NULL: not, and jobs alone find no datasets. BAD_INPUT,
 * IO with the reasons in diag, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_cluster_read(
    spot_cluster_t *self, const char *cluster_path, const char *jobs_path, spot_diag_t *diag);
void spot_cluster_free(spot_cluster_t *self);

#define SPOT_NUM_PLACE_POLICIES 4
extern const char *const spot_place_policies[]; /* names, then "all", NULL-terminated */

/* Places all jobs by a policy, once. NO_MEMORY. O((instances + chunks moved) x (nodes +
 * chunks)). */
SPOT_MUST_CHECK int spot_cluster_place(spot_cluster_t *self, int policy_id);
