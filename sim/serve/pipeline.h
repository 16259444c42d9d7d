/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A serving pipeline: stages that run models, joins, one source and one sink. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/bind.h"
#include "base/memory.h"

#define SPOT_SERVE_MAX_NODES 255
#define SPOT_PIPELINE_MAX_ID_BYTES 60
#define SPOT_JOIN_MAX_PARENTS 31

/* An item of the key pipeline, as it is bound. */
typedef struct {
    char *id;
    char *from;      /* NULL: a join */
    size_t num_from; /* of a list in place of from, which is an error; or 0 */
    char *model;     /* NULL: the id */
    size_t num_join;
    char **join; /* [num_join] */
} spot_serve_pipeline_item_t;

/* Where a node hands queries on. */
typedef struct {
    int32_t node_id;
    int32_t stage_id; /* the same as a stage; -1: a join */
    int32_t port;     /* which predecessor of that node it is, from 0 */
} spot_serve_pipeline_link_t;

typedef struct {
    const char *id;
    const char *model;  /* NULL: a join */
    int32_t stage_id;   /* -1: a join */
    size_t num_parents; /* 1: a stage; at least 2: a join */
    int32_t *parents;   /* [num_parents] nodes; -1: the source */
    size_t num_children;
    spot_serve_pipeline_link_t *children; /* [num_children] in pipeline order; none: the sink */
} spot_serve_pipeline_node_t;

/* Constant after init. Nodes are in pipeline order, that of the file. */
typedef struct {
    spot_arena_t memory;
    size_t num_nodes;
    spot_serve_pipeline_node_t *nodes; /* [num_nodes] */
    size_t num_stages;
    int32_t *stages; /* [num_stages] nodes */
    int32_t *order;  /* [num_nodes] nodes, each behind its parents */
    size_t num_first;
    spot_serve_pipeline_link_t *first; /* [num_first] children of the source */
} spot_serve_pipeline_t;

void spot_serve_pipeline_item_free(spot_serve_pipeline_item_t *self);

/* The fields of an item of the list. */
extern const spot_field_t spot_serve_pipeline_item_fields[];

/* Makes the pipeline of its items, which are bound; root: the list, for places of
 * messages. BAD_INPUT with the reasons in the diagnostics of bind, NO_MEMORY; free self
 * even then. */
SPOT_MUST_CHECK int spot_serve_pipeline_init(spot_serve_pipeline_t *self, spot_bind_t *bind,
    const spot_node_t *list, size_t num_items, const spot_serve_pipeline_item_t *items);
void spot_serve_pipeline_free(spot_serve_pipeline_t *self);

/* The stage with this id, or -1. O(nodes). */
int32_t spot_serve_pipeline_stage(const spot_serve_pipeline_t *self, const char *id);

/* Id and model of a stage. */
const spot_serve_pipeline_node_t *spot_serve_pipeline_stage_node(
    const spot_serve_pipeline_t *self, size_t stage_id);

/* The longest path from source to sink, of so much at each stage, joins for nothing.
 * at_ns: [num_stages]; until_ns: [num_nodes] the longest path up to and including each
 * node. O(links). */
int64_t spot_serve_pipeline_longest(
    const spot_serve_pipeline_t *self, const int64_t *at_ns, int64_t *until_ns);
