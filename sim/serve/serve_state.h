/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a run of queries through a pipeline, and its memory: what a stage runs on,
 * its slots, its queue, its batches under way, and what is to come. serve.h has the rules
 * that move it.
 *
 * Zero a spot_serve_t, prepare it for each run, free it once; memory is kept from run to
 * run. All times are whole nanoseconds. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/calendar.h"
#include "models/serving_profile.h"
#include "sim/serve/pipeline.h"
#include "traces/outages/outages.h"

#define SPOT_MAX_REPLICAS 4096

typedef enum { SPOT_MARKET_ON_DEMAND, SPOT_MARKET_SPOT, SPOT_MARKET_HEDGE } spot_market_t;

/* How many on-demand replicas stand in for lost spot replicas. */
typedef enum {
    SPOT_FALLBACK_NONE,
    SPOT_FALLBACK_TO_TARGET,     /* as many as the target lacks */
    SPOT_FALLBACK_TO_PROVISIONED /* as many as target and over-provisioning lack */
} spot_fallback_t;

typedef enum { SPOT_SCALE_NONE, SPOT_SCALE_IDEAL, SPOT_SCALE_UTILISATION } spot_scale_kind_t;

typedef struct {
    int kind; /* spot_scale_kind_t */
    double target_utilisation;
    int64_t interval_ns;
    int64_t min, max; /* replicas */
    int64_t cool_down_ns;
} spot_scale_setting_t;

/* The option of a stage and how its replicas are rented. */
typedef struct {
    int32_t hardware_id; /* in hardware order */
    int64_t batch;       /* batch limit B, queries */
    int64_t replicas;
    int64_t delay_ns; /* batching delay */
    int releases_when_full;
    int market;                  /* spot_market_t */
    int64_t base, overprovision; /* of a hedge */
    int fallback;                /* spot_fallback_t */
    spot_scale_setting_t scale;
} spot_stage_option_t;

/* When a query that has not reached the sink left, in place of a time. */
#define SPOT_QUERY_LOST INT64_C(-1)
#define SPOT_QUERY_UNFINISHED INT64_C(-2)

typedef enum {
    SPOT_SLOT_OFF, /* not rented, or taken away */
    SPOT_SLOT_PREPPING,
    SPOT_SLOT_IDLE,
    SPOT_SLOT_PENDING, /* waits for the batching delay */
    SPOT_SLOT_BUSY,
    SPOT_SLOT_DRAINED /* idle, and takes nothing more before it is taken away */
} spot_slot_state_t;

/* A place for a replica. */
typedef struct {
    spot_slot_state_t state;
    bool is_spot;
    bool is_noticed;
    bool is_draining;     /* busy, and off when it has returned */
    bool is_out;          /* a spot slot without an instance */
    int32_t event;        /* handle of its READY; -1: none */
    int32_t first;        /* of its batch: place in the ring of the stage */
    int32_t size;         /* of its batch */
    int32_t next_pending; /* -1: none */
    int32_t span_id;      /* its open span; -1: none */
    int64_t taken_ns;     /* when it took the batch, or became pending */
    uint64_t sequence;    /* of its TAKE */
    int64_t gone_ns;      /* of a spot slot: the next preemption, INT64_MAX: none */
    int64_t back_ns;      /* when it is ready after that; INT64_MAX: never */
    int64_t prepping_ns;  /* of that, paid: the last part of the outage */
    size_t outage;        /* which one follows */
} spot_slot_t;

/* Paid time of a slot. */
typedef struct {
    int64_t from_ns, to_ns; /* INT64_MAX: still open */
    int32_t slot;
    bool is_spot;
    bool is_serving; /* else prepping */
} spot_slot_span_t;

/* What a stage did, up to the end of the run. */
typedef struct {
    int64_t queries, batches, batches_cut, tries_max;
    int64_t queue_max, queue_area_ns, seen, wait_sum_ns;
    int64_t busy_ns, wasted_ns; /* replica time, the wasted part included in busy */
    int64_t overrun_ns;         /* of busy_ns behind the end of the run */
    int64_t fallback_launches, launches;
    int64_t paid_ns[2];    /* on-demand, spot */
    int64_t serving_ns[2]; /* the same, without preparation */
    int64_t peak_replicas; /* serving at a time */
} spot_stage_result_t;

/* An event to come. At one tick the smaller key goes first. */
typedef struct {
    int64_t tick; /* INT64_MAX: none */
    uint64_t key; /* phase, then sequence */
} spot_serve_due_t;

#define SPOT_SERVE_NEVER ((spot_serve_due_t){INT64_MAX, UINT64_MAX})

/* The end of a batch. */
typedef struct {
    spot_serve_due_t due;
    int32_t slot;
} spot_serve_return_t;

/* Stamps of the queries at a stage, kept if the run is recorded. */
typedef struct {
    int64_t *enqueue_ns, *dequeue_ns, *done_ns; /* [num_queries] -1: never */
    int64_t *first_dequeue_ns;
    int32_t *batch, *replica, *tries;
} spot_stage_stamps_t;

/* A stage at work. */
typedef struct {
    /* Set before a run: what it is. */
    spot_stage_option_t option;
    const spot_service_time_t *time;
    double price_per_h[2]; /* of a replica: on-demand, spot */
    const spot_serve_pipeline_node_t *node;
    /* Queue: places head ... tail - 1 of the ring. */
    int64_t head, tail;
    int32_t *ring; /* [ring_mask + 1] queries; places of batches stay as they were */
    int64_t ring_mask;
    int64_t changed_ns; /* the area is counted up to here */
    uint64_t waited_ns; /* when queries left the queue less when they came, summed modulo
                           2^64 */
    int64_t area_at_end, wait_at_end; /* at the latest leaving, once time has passed it */
    bool is_marked;
    bool can_be_cut;    /* replicas may be taken away: batches keep their queries */
    int32_t *batch_ids; /* [num_slots][B] of such a stage */
    int64_t *histogram; /* [B + 1] batches by size */
    /* Replicas. */
    int32_t num_slots;
    spot_slot_t *slots; /* [num_slots] */
    int64_t first_return, next_return;
    int64_t return_mask;
    spot_serve_return_t *returns; /* ring of the batches that run, in order */
    int32_t num_idle;
    uint64_t *idle; /* bit set of idle slots */
    int32_t num_pending;
    int32_t first_pending, last_pending;
    int32_t first_spot, num_spot;   /* slots that outages hit */
    int32_t first_aimed, num_aimed; /* slots that a controller switches */
    int32_t num_active;             /* of them: prepping or serving, not draining */
    int32_t num_steady;             /* spot slots that serve and have no notice */
    int32_t num_busy, num_serving;
    int64_t counted_ns;   /* busy time is counted up to here */
    uint64_t busy_area;   /* ns, if replicas may go for good or are scaled */
    uint64_t busy_at_end; /* at the latest leaving of a query, once time has passed it */
    size_t num_spans, max_spans;
    spot_slot_span_t *spans; /* [num_spans] in order of their starts */
    struct {
        int64_t aim;
        int64_t changed_ns;   /* of the last scaling, INT64_MIN: none */
        uint64_t busy_before; /* busy time up to the last tick */
    } scale;
    spot_stage_stamps_t stamps;
    spot_stage_result_t result;
} spot_serve_stage_t;

typedef struct {
    uint32_t *seen;   /* [num_queries] predecessors by bit; all bits: done, or dropped */
    int64_t *join_ns; /* [num_queries] -1: never */
    int32_t *ready;   /* queries that a delivery completes */
    int64_t num_waiting, max_waiting;
} spot_serve_join_t;

/* One thing that happened, for series and event logs. */
typedef enum {
    SPOT_SERVE_TAKE,
    SPOT_SERVE_RETURN,
    SPOT_SERVE_NOTICE,
    SPOT_SERVE_PREEMPT,
    SPOT_SERVE_READY,
    SPOT_SERVE_QUEUE, /* value: the length that changed */
    SPOT_SERVE_NUM_HAPPENINGS
} spot_serve_happening_t;

extern const char *const spot_serve_happening_names[]; /* up to NULL */

typedef struct {
    int64_t time_ns;
    int32_t value; /* queries of a batch, or of a queue */
    int32_t slot;  /* -1: none */
    int16_t stage_id;
    int16_t kind; /* spot_serve_happening_t */
} spot_serve_record_t;

/* What to run. All pointers must outlive the runs. */
typedef struct {
    const spot_serve_pipeline_t *pipeline;
    const spot_rent_setting_t *rent; /* NULL: zeros */
    size_t num_queries;
    const int64_t *source_ns; /* [num_queries] not decreasing */
    spot_outages_t *outages;  /* started; NULL: none */
    const atomic_int *stop;   /* may be NULL */
    bool is_recorded;         /* stamps and records are kept */
} spot_serve_run_t;

/* Zero it to start. */
typedef struct {
    spot_serve_run_t run;
    char *block; /* [num_block_bytes] memory of a run, kept for the next one */
    size_t num_block_bytes;
    spot_calendar_t calendar;
    int64_t now_ns;
    size_t num_stages, num_nodes;
    spot_serve_stage_t *stages; /* [num_stages] */
    spot_serve_join_t *joins;   /* [num_nodes] of the pipeline, by node */
    size_t next_query;
    spot_serve_due_t *dues;                               /* [num_stages] their next events */
    int32_t next_stage;                                   /* the first of them; -1: unknown */
    bool is_source_next;                                  /* before the calendar */
    spot_serve_due_t source_due, calendar_due, other_due; /* other: the first of both */
    bool may_strand; /* replicas may go for good: queries may stay behind */
    int32_t *marked; /* [num_stages] stages that form batches at this instant */
    size_t num_marked;
    int64_t *sink_ns;    /* [num_queries] or SPOT_QUERY_LOST, SPOT_QUERY_UNFINISHED */
    int32_t *sink_order; /* [num_queries] queries in the order of leaving; the first
                            num_sunk are at the sink */
    size_t num_sunk, num_lost, num_left;
    int64_t end_ns;        /* T: when the last query left */
    int32_t num_ticks_due; /* of autoscalers, in the calendar */
    size_t num_records, max_records;
    spot_serve_record_t *records; /* [num_records] in order of time */
    int error;                    /* NO_MEMORY, INTERRUPTED */
} spot_serve_t;

/* A stage of a run to come. */
typedef struct {
    spot_stage_option_t option;
    const spot_service_time_t *time;
    double price_per_h[2]; /* on-demand, spot */
} spot_serve_plan_t;

/* Memory for a run with plans[num_stages], at its start: no query has come, nothing is to
 * happen, no slot is in use. NO_MEMORY. O(queries + slots). */
SPOT_MUST_CHECK int spot_serve_prepare(
    spot_serve_t *self, const spot_serve_run_t *run, const spot_serve_plan_t *plans);
void spot_serve_free(spot_serve_t *self);

/* Bytes that a run of num_queries takes for them and its slots, with options[num_stages]; if it is
 * recorded, with stamps, and records as of batches of one query. Any number. */
double spot_serve_bytes(const spot_serve_pipeline_t *pipeline, const spot_stage_option_t *options,
    double num_queries, bool is_recorded);

/* Spot slots of a stage with this option; and all its slots. */
int32_t spot_stage_option_spot_slots(const spot_stage_option_t *option);
int32_t spot_stage_option_slots(const spot_stage_option_t *option);
