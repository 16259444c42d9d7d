/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a configuration meets its objective: three gates, in order. */
#pragma once

#include "sim/serve/scenario.h"

typedef enum {
    SPOT_GATE_FEASIBLE,
    SPOT_GATE_THROUGHPUT, /* more queries come than a stage can do */
    SPOT_GATE_LATENCY,    /* the fastest way through exceeds the objective */
    SPOT_GATE_SLO         /* the percentile of the simulated latencies does */
} spot_gate_t;

extern const char *const spot_gate_names[]; /* by gate, up to NULL */

/* Queries per second that the replicas of a stage can do in full batches. */
double spot_gate_capacity(
    const spot_serve_scenario_t *scenario, size_t stage_id, const spot_stage_option_t *option);

/* The stage of least capacity, the first of equal ones. options: [num_stages]. */
size_t spot_gate_bottleneck(
    const spot_serve_scenario_t *scenario, const spot_stage_option_t *options);

/* The least latency of any query: the longest path of the fastest batches, ns. */
int64_t spot_gate_least_latency(
    const spot_serve_scenario_t *scenario, const spot_stage_option_t *options);

/* The first gate that fails. rate_qps: of the queries; percentile_ns: of their
 * latencies. */
spot_gate_t spot_gate_verdict(const spot_serve_scenario_t *scenario,
    const spot_stage_option_t *options, double rate_qps, int64_t slo_ns, int64_t percentile_ns);

/* The index of a percentile among num sorted values: max(1, ceil(p num / 100)) - 1. */
size_t spot_percentile_index(int64_t percentile_milli, size_t num);

/* Latencies of a run, sorted. Lost and unfinished queries are INT64_MAX. */
typedef struct {
    size_t num_queries;
    size_t max_sorted_ns;
    int64_t *sorted_ns; /* [num_queries] */
    int64_t sum_ns;     /* of those that are finite */
    size_t num_infinite;
    /* For sorting. */
    size_t max_unsorted_ns, max_order;
    int64_t *unsorted_ns;
    int32_t *order; /* [2 num_queries] */
} spot_latencies_t;

/* From arrivals to the sink, where a time below 0 is none. NO_MEMORY, BAD_PARAM: the sum
 * does not fit 63 bits. Memory is kept. O(queries). */
SPOT_MUST_CHECK int spot_latencies_take(
    spot_latencies_t *self, size_t num_queries, const int64_t *source_ns, const int64_t *sink_ns);
void spot_latencies_free(spot_latencies_t *self);
/* The bytes of so many. */
double spot_latencies_bytes(double num_queries);
int64_t spot_latencies_percentile(const spot_latencies_t *self, int64_t percentile_milli);
/* Queries with a latency above a limit. O(log queries). */
size_t spot_latencies_late(const spot_latencies_t *self, int64_t limit_ns);
