/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nodes of a virtual cluster, the GPUs of each, and who holds them. All nodes have
 * the same number of GPUs; a GPU holds no job, one, or two that share it. Nodes are in a
 * list: the reserved ones first, later ones at the end; removal keeps the order. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPOT_NODE_MAX_GPUS 64

/* How GPUs are chosen for a job. */
typedef enum {
    SPOT_PLACER_CONSOLIDATE,       /* as few nodes as possible; else the job waits */
    SPOT_PLACER_RANDOM,            /* the first free GPUs of the list */
    SPOT_PLACER_CONSOLIDATE_FIRST, /* consolidated, or else on the freest nodes */
    SPOT_NUM_PLACERS
} spot_placer_t;

extern const char *const spot_placer_names[]; /* by placer, NULL-terminated */

typedef struct {
    int32_t place;    /* in the list; -1: the node is gone */
    int32_t pool_id;  /* -1: reserved */
    int32_t instance; /* of the pool, else the number of the reserved node */
    bool is_noticed;  /* it will go: it takes no new job */
    uint64_t free;    /* GPUs that hold no job, by bit */
    uint64_t shared;  /* GPUs that hold two */
    int64_t since_s;  /* when it joined the list */
} spot_gpu_node_t;

/* GPUs of one node that a job holds. */
typedef struct {
    int32_t node_id;
    int32_t next; /* part of the same job, in order of allocation; -1: the last */
    uint64_t gpus;
} spot_gpu_part_t;

typedef struct {
    int32_t gpus_per_node; /* 1 to SPOT_NODE_MAX_GPUS */
    int32_t num_free;      /* GPUs without a job on nodes that take jobs */
    int32_t num_idle;      /* GPUs without a job on all nodes */
    int32_t num_open;      /* nodes that take jobs */
    size_t max_list;
    size_t max_order;
    int32_t num_listed;
    int32_t *list; /* [num_listed] node ids */
    size_t num_nodes;
    size_t max_nodes;
    spot_gpu_node_t *nodes; /* [num_nodes] by id; ids are not used again */
    size_t num_parts;
    size_t max_parts;
    spot_gpu_part_t *parts; /* [num_parts] */
    int32_t free_part;      /* the first part that is not in use, -1: none */
    int32_t *order;         /* [max_order] for placing */
    int error;              /* NO_MEMORY: an allocation is missing */
} spot_gpu_nodes_t;

void spot_gpu_nodes_free(spot_gpu_nodes_t *self);

/* Removes all nodes; keeps the memory. */
void spot_gpu_nodes_clear(spot_gpu_nodes_t *self, int32_t gpus_per_node);

/* Appends a node and returns its id; -1: NO_MEMORY. */
int32_t spot_gpu_nodes_add(
    spot_gpu_nodes_t *self, int32_t pool_id, int32_t instance, int64_t now_s);

/* Takes a node, none of whose GPUs holds a job, out of the list. O(nodes). */
void spot_gpu_nodes_remove(spot_gpu_nodes_t *self, int32_t node_id);

/* The node takes no new jobs. */
void spot_gpu_nodes_close(spot_gpu_nodes_t *self, int32_t node_id);

/* Takes num_gpus GPUs for a job. Returns its first part, or -1: they cannot be placed,
 * or there is no memory (error). O(nodes). */
int32_t spot_gpu_nodes_take(spot_gpu_nodes_t *self, spot_placer_t placer, int32_t num_gpus);

/* Takes num_gpus GPUs in place of those of first_part, which no other job shares.
 * Returns the new first part, and the caller forgets the old parts; or -1: they cannot
 * be placed, and the old ones are kept. */
int32_t spot_gpu_nodes_take_instead(
    spot_gpu_nodes_t *self, int32_t first_part, spot_placer_t placer, int32_t num_gpus);
void spot_gpu_nodes_forget(spot_gpu_nodes_t *self, int32_t first_part);

/* Takes the GPUs of these parts for a second job. Each must hold exactly one. Returns
 * the first part, or -1: no memory. */
int32_t spot_gpu_nodes_share(spot_gpu_nodes_t *self, int32_t first_part);

/* Gives all GPUs of a job back. O(parts). */
void spot_gpu_nodes_give(spot_gpu_nodes_t *self, int32_t first_part);

/* Gives the GPUs on one node back and returns the new first part. O(parts). */
int32_t spot_gpu_nodes_give_node(spot_gpu_nodes_t *self, int32_t first_part, int32_t node_id);

/* Gives the GPUs back that were taken last, up to num_left GPUs. Returns the new first
 * part. O(parts). */
int32_t spot_gpu_nodes_shrink(spot_gpu_nodes_t *self, int32_t first_part, int32_t num_left);

/* GPUs of a job, and how many of them hold a second one. O(parts). */
int32_t spot_gpu_nodes_count(const spot_gpu_nodes_t *self, int32_t first_part);
int32_t spot_gpu_nodes_count_shared(const spot_gpu_nodes_t *self, int32_t first_part);

/* Whether a node has GPUs and none holds a job. */
bool spot_gpu_nodes_is_idle(const spot_gpu_nodes_t *self, int32_t node_id);

/* Aborts if an invariant does not hold. O(nodes + parts). */
void spot_gpu_nodes_verify(const spot_gpu_nodes_t *self);
