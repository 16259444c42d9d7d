/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scenario: one elastic training job on one fleet of spot instances, read from YAML.
 * Constant after reading, so all threads share it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bind.h"
#include "base/error.h"
#include "models/job.h"
#include "models/price.h"
#include "sim/bench/engine/scenario_file.h"
#include "sim/train/recovery/recovery.h"
#include "traces/generate/model.h"

/* A world size with a known step time. */
typedef struct {
    int64_t num_instances;
    int64_t fill_ms; /* before the first step, with job.input */
    spot_cycle_t cycle;
} spot_rental_t;

/* Zeroed: none is known. */
typedef struct {
    size_t num_rentals;
    size_t max_rentals;
    spot_rental_t *rentals; /* [num_rentals] */
} spot_rentals_t;

/* The work of a run, and what it costs to rent. */
typedef struct {
    double steps; /* kept, with the done part of the last one */
    int64_t within_ms;
    int64_t preparation_ms; /* before the first step; paid */
    double instance_usd_per_h;
    double service_usd_per_h;
} spot_work_done_t;

typedef struct {
    int64_t num_instances; /* 0: no world size is known */
    double time_s;
    double cost_usd;
} spot_same_work_t;

/* The cheapest world size that does the work within the time; where none does, the
 * fastest. No work takes and costs nothing. O(rentals). */
spot_same_work_t spot_same_work_find(const spot_rentals_t *self, const spot_work_done_t *work);

typedef struct {
    int64_t capacity;  /* most instances at a time, >= 1 */
    int64_t initial;   /* at time 0 unless the trace has its own */
    int64_t preparing; /* of these, the last ones still prepare */
    int64_t on_demand; /* instances that live all the time, besides capacity */
    int64_t preparation_ms;
    int64_t notice_ms;          /* from the announcement of a preemption to it; 0: none */
    double network_bytes_per_s; /* of each instance; 0: not given */
    double storage_bytes_per_s; /* of all instances together; 0: not given */
    spot_price_t price;
} spot_fleet_setting_t;

/* What a job that is under way has had so far. */
typedef struct {
    char *path;         /* the trace of its fleet, which a run plays first; NULL: a run
                           starts the job anew at that time */
    int64_t elapsed_ms; /* since its start */
    double paid_usd;    /* what a run does not play */
} spot_so_far_t;

typedef struct {
    char *name;
    spot_so_far_t so_far;
    int64_t horizon_ms;    /* > 0 after reading: end of the run */
    int64_t until_steps;   /* > 0: the run ends as soon as that many steps are kept, of
                              those after count_from_ms */
    int64_t count_from_ms; /* end of what is played of so_far; 0: nothing is */
    int64_t deadline_ms;   /* of those steps, up to horizon_ms; 0: none */
    int64_t tick_ms;       /* > 0 */
    spot_fleet_setting_t fleet;
    spot_job_t job;
    spot_recovery_choice_t recovery;
    const spot_node_t *trace_node; /* during reading only */
    spot_trace_model_t trace;
    bool is_certain;        /* the trace names every lost instance: nothing is left to chance,
                               nor for instances on demand in its place */
    spot_rentals_t rentals; /* what the same work could be rented on */
} spot_scenario_t;

/* The number of slots: those of the trace come first, those on demand last. */
static inline int64_t spot_scenario_num_slots(const spot_scenario_t *self)
{
    return self->fleet.capacity + self->fleet.on_demand;
}

/* Every key with its default and its help, for binding and for the manual. */
extern const spot_field_t spot_scenario_fields[];

/* Binds a document. All errors are in diag with file:line:column. like: an earlier
 * scenario of the same thread, whose recordings are shared, or NULL; it may be freed
 * first. BAD_INPUT, IO, NO_MEMORY; CANNOT_RUN: all is sound, but the recovery system
 * lacks a figure; free self even then. */
SPOT_API SPOT_MUST_CHECK int spot_scenario_init(
    spot_scenario_t *self, const spot_node_t *root, const spot_scenario_t *like, spot_diag_t *diag);

/* Reads a scenario file. changes may be NULL. BAD_INPUT, IO, NO_MEMORY with the reasons
 * in diag; free self even then. */
SPOT_API SPOT_MUST_CHECK int spot_scenario_read(spot_scenario_t *self, const char *path,
    const spot_scenario_changes_t *changes, spot_diag_t *diag);

SPOT_API void spot_scenario_free(spot_scenario_t *self);

/* ---- What instances cost ---- */

/* The price of spot instances whose zone has none. */
const spot_price_steps_t *spot_scenario_common_price(const spot_scenario_t *self);

/* What the instances of a recorded trace and those on demand cost up to its end, without
 * prices of zones. USD. O(events). */
double spot_scenario_cost_of_trace(const spot_scenario_t *self, const spot_trace_t *trace);

/* ---- Traces of a scenario ---- */

/* What traces are generated from: a model file, or the trace of a scenario. */

typedef struct {
    spot_yaml_t document;
    bool is_scenario;
    spot_scenario_t scenario;  /* if it is one */
    spot_trace_model_t alone;  /* if it is none */
    spot_trace_model_t *model; /* of the two */
    const char *name;          /* NULL: none */
} spot_trace_source_t;

/* Reads the file at path, whichever it is. sets: [num_sets] "KEY=VALUE". BAD_INPUT with
 * the reasons in diag, also for a recorded trace; IO, NO_MEMORY. Free self even then. */
SPOT_MUST_CHECK int spot_trace_source_read(spot_trace_source_t *self, const char *path,
    size_t num_sets, const char *const *sets, spot_diag_t *diag);
void spot_trace_source_free(spot_trace_source_t *self);
