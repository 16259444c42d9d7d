/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/gates.h"
#include "sim/serve/planner.h"
#include <math.h>
#include <stdlib.h>
const char *const spot_gate_names[] = {"feasible", "throughput", "latency", "slo", NULL};
double
spot_gate_capacity(
    const spot_serve_scenario_t *s, size_t id, const spot_stage_option_t *o)
{
    return (double) o->replicas *
           spot_service_time_qps(
               spot_serve_scenario_time(s, id, o->hardware_id), (int32_t) o->batch);
}
size_t
spot_gate_bottleneck(const spot_serve_scenario_t *s, const spot_stage_option_t *o)
{
    size_t b = 0;
    for (size_t j = 1; j < s->pipeline.num_stages; j++)
        if (spot_gate_capacity(s, j, &o[j]) < spot_gate_capacity(s, b, &o[b]))
            b = j;
    return b;
}
int64_t
spot_gate_least_latency(const spot_serve_scenario_t *s, const spot_stage_option_t *o)
{
    int64_t at[255], u[255];
    for (size_t j = 0; j < s->pipeline.num_stages; j++)
        at[j] = spot_service_time_fastest(
            spot_serve_scenario_time(s, j, o[j].hardware_id), (int32_t) o[j].batch);
    return spot_pipeline_longest(&s->pipeline, at, u);
}
static int
cmp(const void *a, const void *b)
{
    int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;
    return x < y ? -1 : x > y;
}
size_t
spot_percentile_index(int64_t p, size_t n)
{
    size_t k = (size_t) (((unsigned long long) p * n + 99999) / 100000);
    return (k < 1 ? 1 : k) - 1;
}
int
spot_latencies_take(
    spot_latencies_t *self, size_t n, const int64_t *src, const int64_t *sink)
{
    if (spot_array_reserve(&self->sorted_ns, &self->max_queries, n, 8))
        return SPOT_ERR_NO_MEMORY;
    self->num_queries = n;
    self->sum_ns = 0;
    self->num_infinite = 0;
    for (size_t j = 0; j < n; j++) {
        if (sink[j] < 0) {
            self->sorted_ns[j] = INT64_MAX;
            self->num_infinite++;
        } else {
            self->sorted_ns[j] = sink[j] - src[j];
            self->sum_ns += sink[j] - src[j];
        }
    }
    qsort(self->sorted_ns, n, 8, cmp);
    return 0;
}
void
spot_latencies_free(spot_latencies_t *self)
{
    free(self->sorted_ns);
}
int64_t
spot_latencies_percentile(const spot_latencies_t *self, int64_t p)
{
    return self->sorted_ns[spot_percentile_index(p, self->num_queries)];
}
size_t
spot_latencies_late(const spot_latencies_t *self, int64_t l)
{
    size_t k = 0;
    for (size_t j = 0; j < self->num_queries; j++)
        k += self->sorted_ns[j] > l;
    return k;
}
void
spot_planned_free(spot_planned_t *self)
{
    (void) self;
}
static const spot_planner_t ex = {.name = "exact", .doc = "x"};
const spot_planner_t *const spot_serve_planners[] = {&ex, NULL};
int
spot_serve_plan(
    const spot_planner_t *p, const spot_plan_request_t *r, spot_planned_t *pl)
{
    (void) p;
    (void) r;
    (void) pl;
    return SPOT_ERR_BAD_PARAM;
}
