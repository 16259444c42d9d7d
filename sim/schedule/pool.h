/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A spot pool of a VC: nodes that a trace brings and takes. What it does depends on the
 * trace alone, not on the jobs, so the trace is read ahead by the notice. An event at x
 * is seen at the first second at or after it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "models/price.h"
#include "sim/schedule/pool_setting.h"
#include "sim/schedule/vc.h"
#include "traces/generate/membership.h"

typedef enum {
    SPOT_POOL_NODE_AHEAD, /* not seen yet */
    SPOT_POOL_NODE_PREPPING,
    SPOT_POOL_NODE_READY,
    SPOT_POOL_NODE_GONE
} spot_pool_status_t;

/* A node of the pool, in order of arrival; a name that comes back is a new node. */
typedef struct {
    char name[SPOT_INSTANCE_NAME_BYTES];
    spot_pool_status_t status;
    int32_t slot;     /* of the living; used again when it has gone */
    int32_t node_id;  /* of the VC while it is ready; -1 before */
    int32_t meter_id; /* what is paid for it */
    int64_t ready_s;  /* if it is not lost before; set when it is seen */
    bool is_initial;
    int64_t added_s; /* when it was seen, unless it is initial */
    bool is_noticed; /* it takes no new jobs when it is ready */
} spot_pool_node_t;

/* An addition or a loss that has been read, or nodes that were clipped. */
typedef struct {
    int64_t time_ms; /* of the trace */
    int64_t seen_s;
    int32_t instance;    /* of nodes; -1: of none */
    int32_t num_clipped; /* nodes that could not come or go */
    spot_event_kind_t kind;
} spot_pool_event_t;

typedef struct {
    const spot_pool_plan_t *plan; /* must outlive self */
    int32_t pool_id;
    spot_membership_t membership;
    int32_t *instance_of_slot; /* [capacity] */
    int64_t start_s;
    size_t num_nodes;
    size_t max_nodes;
    spot_pool_node_t *nodes; /* [num_nodes] */
    size_t next_ready;       /* nodes before it are ready or gone */
    size_t first_new;        /* next_ready before the present second */
    size_t num_events;
    size_t max_events;
    spot_pool_event_t *events; /* [num_events] by time, read ahead by the notice */
    size_t next_loss, next_addition, next_notice;
    size_t num_meters;
    spot_meter_t *meters; /* [num_meters] 0: zones without own price, j + 1: zone j */
    int32_t num_living;   /* as the VC has seen, prepping ones included */
    int64_t metered_s;
    int64_t node_s;     /* paid until metered_s */
    int64_t overdraw_s; /* the second at which the trace ends in an overdraw */
    size_t num_ids;
    size_t max_ids;
    int32_t *ids; /* [num_ids] of the VC: one stage of a set of events */
    int error;    /* NO_MEMORY, OVERDRAW */
} spot_pool_t;

/* NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_pool_init(
    spot_pool_t *self, const spot_pool_plan_t *plan, int32_t pool_id);
void spot_pool_free(spot_pool_t *self);

/* Starts a replication: the initial nodes join the VC at start_s, the present second. */
void spot_pool_start(spot_pool_t *self, uint64_t seed, uint64_t replication, spot_vc_t *vc);

/* The next second after now_s with an event; INT64_MAX: none. */
int64_t spot_pool_next_due_s(spot_pool_t *self, int64_t now_s);

/* The pools of a VC. */
typedef struct {
    size_t num_pools;
    spot_pool_t *pools; /* [num_pools] */
} spot_pool_set_t;

/* The events of a set in the present second of its VC: losses, then nodes that are
 * ready, additions, notices. NO_MEMORY, OVERDRAW. */
SPOT_MUST_CHECK int spot_pool_set_see(const spot_pool_set_t *self, spot_vc_t *vc);

/* Writes the nodes of a pool that the training engine prepares into a job that starts at
 * now_s, up to last_ms of its clock. A node that was being prepared then is prepared
 * anew. context: the pool. */
void spot_pool_read_core(void *context, spot_core_job_t *core, int64_t now_s, int64_t last_ms);

/* Node-seconds and US dollars until now_s, which never decreases. */
int64_t spot_pool_node_s(spot_pool_t *self, int64_t now_s);
double spot_pool_usd(spot_pool_t *self, int64_t now_s);

/* Nodes that could not come or go by now_s. O(events). */
int64_t spot_pool_clipped(const spot_pool_t *self, int64_t now_s);

/* Whether the trace has ended before now_s, so that its last nodes stay. */
bool spot_pool_is_past_end(const spot_pool_t *self, int64_t now_s);

/* Aborts if an invariant does not hold. O(nodes). */
void spot_pool_verify(const spot_pool_t *self, const spot_vc_t *vc);
