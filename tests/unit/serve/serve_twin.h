/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The slow twin of the engine serve: the same rules as one list of events with the key
 * (time, phase, sequence), plain arrays and nothing clever. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "sim/serve/serve.h"

/* What to run. All outages are known from the start, by stage and then in the order of
 * the list. */
typedef struct {
    const spot_serve_pipeline_t *pipeline;
    const spot_rent_setting_t *rent;
    const spot_serve_plan_t *plans; /* [num_stages] */
    int32_t num_queries;
    const int64_t *source_ns; /* [num_queries] */
    size_t num_outages;
    const spot_outage_row_t *outages; /* [num_outages] */
} twin_setting_t;

/* Of a query at a stage; -1: never. */
typedef struct {
    int64_t enqueue_ns, first_dequeue_ns, dequeue_ns, done_ns;
    int32_t batch, replica, tries;
} twin_stamp_t;

typedef enum {
    TWIN_OFF,
    TWIN_PREPPING,
    TWIN_IDLE,
    TWIN_PENDING,
    TWIN_BUSY,
    TWIN_DRAINED, /* idle, takes nothing more */
    TWIN_DRAINING /* busy, off at its return */
} twin_state_t;

typedef struct {
    twin_state_t state;
    bool is_noticed;
    int64_t preempted_ns;  /* once it is noticed */
    int64_t pending_order; /* which one became so first */
    int64_t taken_ns;
    int32_t num_ids;
    int32_t *ids; /* [B] of its batch */
} twin_slot_t;

/* From one time to another one: paid time of a fallback slot, or a stay in a queue. */
typedef struct {
    int64_t from_ns, to_ns; /* INT64_MAX: open */
    int32_t owner;          /* the slot, or the query */
    bool is_serving;        /* else prepping */
} twin_span_t;

/* The length of a queue from a time on. */
typedef struct {
    int64_t time_ns, length;
} twin_length_t;

typedef struct {
    int32_t num_slots, first_spot, num_spot, first_fallback;
    twin_slot_t *slots;
    int32_t length;
    int32_t *queue; /* [num_queries] from the head */
    bool is_marked;
    size_t num_lengths, max_lengths;
    twin_length_t *lengths; /* [num_lengths] by time */
    size_t num_stays, max_stays;
    twin_span_t *stays; /* [num_stays] */
    size_t num_spans, max_spans;
    twin_span_t *spans;   /* [num_spans] */
    twin_stamp_t *stamps; /* [num_queries] */
    int64_t *histogram;   /* [B + 1] */
    int64_t queries, batches, batches_cut, tries_max, retries;
    int64_t queue_max, queue_area_ns, seen, wait_sum_ns;
    int64_t busy_ns, wasted_ns, fallback_launches;
    int64_t paid_ns[2], serving_ns[2]; /* on-demand, spot */
} twin_stage_t;

typedef struct {
    uint32_t *seen;   /* [num_queries] predecessors by bit; of an open entry */
    int64_t *join_ns; /* [num_queries] */
    int64_t num_waiting, max_waiting;
} twin_join_t;

typedef struct {
    int64_t time_ns;
    int32_t phase;
    int64_t sequence;
    int32_t kind;
    int32_t stage_id, slot;
    int64_t preempted_ns; /* of a notice */
    int32_t num_ids;      /* of a delivery */
    int32_t *ids;
} twin_event_t;

/* Zero it to start. */
typedef struct {
    const twin_setting_t *setting;
    spot_arena_t memory;
    size_t num_events, max_events;
    twin_event_t *events; /* [num_events] in no order */
    int64_t now_ns, sequence;
    twin_stage_t *stages; /* [num_stages] */
    twin_join_t *joins;   /* [num_nodes] of the pipeline */
    int64_t *sink_ns;     /* [num_queries] or SPOT_QUERY_LOST, SPOT_QUERY_UNFINISHED */
    int32_t num_left;
    int64_t end_ns; /* T */
} twin_t;

void twin_run(twin_t *self, const twin_setting_t *setting);
void twin_free(twin_t *self);
