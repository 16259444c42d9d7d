/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/needs.h"

#include "base/memory_limit.h"
#include "sim/serve/gates.h"
#include "sim/serve/planning.h"
#include "sim/serve/run.h"

typedef spot_serve_scenario_t scenario_t;

/* A run, and its latencies. */
static double run_bytes(const scenario_t *self, double num_queries, bool is_recorded)
{
    return spot_serve_bytes(&self->pipeline, self->options, num_queries, is_recorded) +
           spot_latencies_bytes(num_queries);
}

static int check_queries(
    const scenario_t *self, const spot_node_t *root, double more_bytes, spot_diag_t *diag)
{
    return spot_arrivals_check_memory(
        &self->arrivals, diag, spot_node_get(root, "arrivals"), more_bytes);
}

/* Slots, each with room for a batch where that may be cut. */
static int check_slots(const scenario_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    spot_memory_need_t need = {.things = "replicas",
        .bytes = spot_serve_bytes(&self->pipeline, self->options, 0, false),
        .is_of_run = true};

    for (size_t j = 0; j < self->pipeline.num_stages; j++) {
        need.count += spot_stage_option_slots(&self->options[j]);
    }
    return spot_memory_check(&need, diag, spot_node_place(root, "config"), "config");
}

/* Outages that are drawn while queries arrive: a row each, and two spans of what is paid. */
static int check_outages(const scenario_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    const spot_outage_setting_t *outages = &self->outages;
    const double cycle_ns = (double) (outages->mtbf_ns + outages->recover_ns +
                                      outages->rent.preparation_ns + outages->rent.load_ns);
    const double bytes = sizeof(spot_outage_t) + 2 * sizeof(spot_slot_span_t);
    spot_memory_need_t need = {.things = "outages", .is_of_run = true};

    if (outages->kind != SPOT_OUTAGES_HAZARD) {
        return 0;
    }
    for (size_t j = 0; j < self->pipeline.num_stages; j++) {
        need.count += spot_stage_option_spot_slots(&self->options[j]);
    }
    need.count *= spot_arrivals_mean_ns(&self->arrivals) / cycle_ns;
    need.bytes = need.count * bytes;
    return spot_memory_check(&need, diag, spot_node_place(root, "preemptions"), "preemptions");
}

int spot_serve_check_planning(const scenario_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    const double num_queries = spot_arrivals_mean_queries(&self->arrivals);

    return check_queries(self, root,
        run_bytes(self, num_queries, false) + spot_planning_bytes(self, num_queries), diag);
}

int spot_serve_check_memory(const scenario_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    const double num_queries = spot_arrivals_mean_queries(&self->arrivals);
    int ret = check_slots(self, root, diag);

    ret = ret != 0 ? ret : check_outages(self, root, diag);
    if (ret == 0 && self->config_form == 0) {
        return spot_serve_check_planning(self, root, diag);
    }
    return ret != 0 ? ret : check_queries(self, root, run_bytes(self, num_queries, false), diag);
}

int spot_serve_check_recording(const void *scenario, const spot_node_t *root, spot_diag_t *diag)
{
    const scenario_t *self = scenario;
    const double num_queries = spot_arrivals_mean_queries(&self->arrivals);

    return check_queries(self, root,
        run_bytes(self, num_queries, true) + spot_serve_series_bytes(self, num_queries), diag);
}
