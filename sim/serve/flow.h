/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queries in order of their delivery, and what a stage without batching delay and
 * without preemptions makes of them. Planners run one stage after the other in place of
 * all events. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "models/serving_profile.h"

/* Queries that are delivered together. */
typedef struct {
    int64_t time_ns;
    int32_t first; /* place of the first one in the queue of the stage */
    int32_t size;
} spot_flow_batch_t;

/* What a node delivers. */
typedef struct {
    size_t num_queries; /* fewer than came to the pipeline if some were lost */
    const int32_t *ids; /* [num_queries] in order of delivery: own, or of the parent */
    bool is_sorted;     /* ids increase */
    size_t num_batches;
    spot_flow_batch_t *batches; /* [num_batches] time not decreasing */
    int32_t *own_ids;
} spot_flow_t;

/* The bytes of a flow, for each query that there may be. */
#define SPOT_FLOW_QUERY_BYTES (sizeof(spot_flow_batch_t) + sizeof(int32_t))

/* When queries are late. */
typedef struct {
    size_t num_queries;   /* that came to the pipeline */
    int64_t *deadline_ns; /* [num_queries] not decreasing: when they must leave */
    int64_t rest_ns;      /* what they take at least behind the node */
    size_t max_late;      /* as many may be late, lost ones included */
} spot_flow_limit_t;

/* Memory for up to max_queries queries, of an arena, which says if it was short. */
void spot_flow_init(spot_flow_t *self, spot_arena_t *memory, size_t max_queries);

/* Starts a list of queries, and adds one. */
void spot_flow_clear(spot_flow_t *self);
void spot_flow_add(spot_flow_t *self, int32_t id, int64_t time_ns);

/* Runs a stage on what its parent delivers: the recurrence of docs/serving-rules.md.
 * Returns false as soon as limit, which may be NULL, is broken; then self is unfinished.
 * free_ns: [queries] scratch. O(queries), but for batches that overtake. */
bool spot_flow_run(spot_flow_t *self, const spot_flow_t *from, const spot_service_time_t *time,
    int64_t batch, int64_t replicas, int64_t *free_ns, const spot_flow_limit_t *limit);

/* How many queries are late; late, unless it is NULL, becomes the bit set of them. */
size_t spot_flow_late(const spot_flow_t *self, const spot_flow_limit_t *limit, uint64_t *late);

/* Raises the times of queries to those of their delivery; counts[id] grows by 1. */
void spot_flow_raise(const spot_flow_t *self, int64_t *times_ns, int32_t *counts);
