/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A replication of a serving scenario: queries, configuration, outages, the run, and what
 * it gave as metrics, JSON and series; and what a run takes in memory, checked before
 * anything starts.
 *
 * One spot_serve_replication_t a thread: init, run as often as wanted, free. */
#pragma once

#include "base/json.h"
#include "sim/serve/gates.h"
#include "sim/serve/planner.h"
#include "sim/serve/scenario.h"

/* Checks a run; root: the document of the scenario. BAD_INPUT with the reasons in diag. */
SPOT_MUST_CHECK int spot_serve_check_memory(
    const spot_serve_scenario_t *self, const spot_node_t *root, spot_diag_t *diag);

/* The same of a run whose series are kept. The kinds of the series must be there. */
SPOT_MUST_CHECK int spot_serve_check_recording(
    const void *scenario, const spot_node_t *root, spot_diag_t *diag);

/* The same of a planner beside the queries. */
SPOT_MUST_CHECK int spot_serve_check_planning(
    const spot_serve_scenario_t *self, const spot_node_t *root, spot_diag_t *diag);

typedef enum {
    SPOT_SERVE_WARN_NOTEBOOK,
    SPOT_SERVE_WARN_OVERLOAD,
    SPOT_SERVE_WARN_LOST,
    SPOT_SERVE_WARN_UNFINISHED,
    SPOT_SERVE_WARN_NO_PLAN,
    SPOT_SERVE_NUM_WARNINGS
} spot_serve_warning_t;

extern const spot_warning_t spot_serve_warnings[SPOT_SERVE_NUM_WARNINGS];

typedef struct {
    const spot_serve_scenario_t *scenario;
    spot_replication_t replication;
    spot_arrivals_t arrivals;
    spot_planned_t planned;             /* where config names a planner */
    const spot_stage_option_t *options; /* [num_stages]; NULL: no plan was found */
    spot_serve_plan_t *plans;           /* [num_stages] */
    spot_outages_t *outages;
    spot_serve_t serve;
    spot_latencies_t latencies;
    spot_gate_t gate;  /* the verdict */
    char failure[256]; /* what was left undone; "": nothing */
} spot_serve_replication_t;

/* Zero it first. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_serve_replication_init(
    spot_serve_replication_t *self, const spot_serve_scenario_t *scenario);
void spot_serve_replication_free(spot_serve_replication_t *self);

/* Errors of arrivals, planners and runs. */
SPOT_MUST_CHECK int spot_serve_replication_run(
    spot_serve_replication_t *self, const spot_replication_t *replication, bool is_recorded);

/* ---- What it gave ---- */

/* The metrics of a scenario, in its outputs. NO_MEMORY. */
SPOT_MUST_CHECK int spot_serve_metrics_init(spot_serve_scenario_t *scenario);
void spot_serve_yield(const spot_serve_replication_t *self, double *values);
void spot_serve_warning_flags(const spot_serve_replication_t *self, unsigned char *flags);

/* One object with the keys of docs/serving-rules.md. */
void spot_serve_json_write(const spot_serve_replication_t *self, spot_json_t *json);

/* The kinds of series of a scenario, in its outputs. NO_MEMORY. */
SPOT_MUST_CHECK int spot_serve_series_init(spot_serve_scenario_t *scenario);

/* Fills the series of a replication that was recorded. NO_MEMORY. */
SPOT_MUST_CHECK int spot_serve_series_fill(
    const spot_serve_replication_t *self, spot_recording_t *recording);

/* The events of a replication that was recorded, as JSON lines. */
void spot_serve_events_write(const spot_serve_replication_t *self, FILE *out);
