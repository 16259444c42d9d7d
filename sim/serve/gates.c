/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/gates.h"

#include <stdlib.h>

#include "base/keys.h"
#include "base/memory.h"
#include "base/watch.h"

const char *const spot_gate_names[] = {"feasible", "throughput", "latency", "slo", NULL};

double spot_gate_capacity(
    const spot_serve_scenario_t *scenario, size_t stage_id, const spot_stage_option_t *option)
{
    const spot_service_time_t *time =
        spot_serve_scenario_time(scenario, stage_id, option->hardware_id);

    return (double) option->replicas * spot_service_time_qps(time, (int32_t) option->batch);
}

size_t spot_gate_bottleneck(
    const spot_serve_scenario_t *scenario, const spot_stage_option_t *options)
{
    double least_qps = spot_gate_capacity(scenario, 0, &options[0]);
    size_t stage_id = 0;

    for (size_t j = 1; j < scenario->pipeline.num_stages; j++) {
        const double qps = spot_gate_capacity(scenario, j, &options[j]);

        if (qps < least_qps) {
            least_qps = qps;
            stage_id = j;
        }
    }
    return stage_id;
}

int64_t spot_gate_least_latency(
    const spot_serve_scenario_t *scenario, const spot_stage_option_t *options)
{
    int64_t at_ns[SPOT_SERVE_MAX_NODES], until_ns[SPOT_SERVE_MAX_NODES];

    for (size_t j = 0; j < scenario->pipeline.num_stages; j++) {
        const spot_service_time_t *time =
            spot_serve_scenario_time(scenario, j, options[j].hardware_id);

        at_ns[j] = spot_service_time_fastest(time, (int32_t) options[j].batch);
    }
    return spot_serve_pipeline_longest(&scenario->pipeline, at_ns, until_ns);
}

spot_gate_t spot_gate_verdict(const spot_serve_scenario_t *scenario,
    const spot_stage_option_t *options, double rate_qps, int64_t slo_ns, int64_t percentile_ns)
{
    const size_t stage_id = spot_gate_bottleneck(scenario, options);

    if (rate_qps > spot_gate_capacity(scenario, stage_id, &options[stage_id])) {
        return SPOT_GATE_THROUGHPUT;
    }
    if (spot_gate_least_latency(scenario, options) > slo_ns) {
        return SPOT_GATE_LATENCY;
    }
    return percentile_ns > slo_ns ? SPOT_GATE_SLO : SPOT_GATE_FEASIBLE;
}

size_t spot_percentile_index(int64_t percentile_milli, size_t num)
{
    const size_t rank = ((size_t) percentile_milli * num + 99999) / 100000;

    return rank < 1 ? 0 : rank - 1;
}

int spot_latencies_take(
    spot_latencies_t *self, size_t num_queries, const int64_t *source_ns, const int64_t *sink_ns)
{
    size_t num_finite = 0;
    int ret;

    if (SPOT_ARRAY_ROOM(self, sorted_ns, num_queries) != 0 ||
        SPOT_ARRAY_ROOM(self, unsorted_ns, num_queries) != 0 ||
        SPOT_ARRAY_ROOM(self, order, 2 * num_queries) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->sum_ns = 0;
    for (size_t j = 0; j < num_queries; j++) {
        if (spot_stop_is_due(j)) {
            return SPOT_ERR_INTERRUPTED;
        }
        if (sink_ns[j] >= 0) {
            const int64_t latency_ns = sink_ns[j] - source_ns[j];

            self->unsorted_ns[num_finite++] = latency_ns;
            if (__builtin_add_overflow(self->sum_ns, latency_ns, &self->sum_ns)) {
                return SPOT_ERR_BAD_PARAM;
            }
        }
    }
    ret =
        spot_order_integers(self->unsorted_ns, num_finite, self->order, self->order + num_queries);
    for (size_t j = 0; ret == 0 && j < num_queries; j++) {
        self->sorted_ns[j] = j < num_finite ? self->unsorted_ns[self->order[j]] : INT64_MAX;
    }
    self->num_queries = num_queries;
    self->num_infinite = num_queries - num_finite;
    return ret;
}

double spot_latencies_bytes(double num_queries)
{
    const spot_latencies_t *self = NULL;

    return spot_array_bytes(num_queries, sizeof(*self->sorted_ns)) +
           spot_array_bytes(num_queries, sizeof(*self->unsorted_ns)) +
           spot_array_bytes(2 * num_queries, sizeof(*self->order));
}

void spot_latencies_free(spot_latencies_t *self)
{
    free(self->sorted_ns);
    free(self->unsorted_ns);
    free(self->order);
    *self = (spot_latencies_t){0};
}

int64_t spot_latencies_percentile(const spot_latencies_t *self, int64_t percentile_milli)
{
    return self->sorted_ns[spot_percentile_index(percentile_milli, self->num_queries)];
}

size_t spot_latencies_late(const spot_latencies_t *self, int64_t limit_ns)
{
    size_t low = 0, high = self->num_queries;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (self->sorted_ns[middle] > limit_ns) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return self->num_queries - low;
}
