/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When the spot replicas of a replication are taken away and are ready again.
 *
 * This module owns the key preemptions of a scenario (a file, a hazard or a trace, and
 * how replicas start and end) and the outages that follow from it in each replication.
 *
 * Use: bind spot_outage_fields, spot_outage_setting_open(); then per worker
 * spot_outages_new(), per replication spot_outages_start(), and spot_outages_at() for
 * each outage of a slot. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bind.h"
#include "base/error.h"
#include "traces/generate/model.h"

typedef enum { SPOT_DRAIN_DEADLINE, SPOT_DRAIN_STOP } spot_drain_t;

/* What becomes of the queries of a batch that is cut. */
typedef enum {
    SPOT_IN_FLIGHT_REQUEUE_HEAD,
    SPOT_IN_FLIGHT_REQUEUE_TAIL,
    SPOT_IN_FLIGHT_LOSE
} spot_in_flight_t;

/* How all replicas start, and how spot replicas end. */
typedef struct {
    int64_t notice_ns;
    int drain;     /* spot_drain_t */
    int in_flight; /* spot_in_flight_t */
    int64_t preparation_ns;
    int64_t load_ns;
} spot_rent_setting_t;

/* An outage of a file. */
typedef struct {
    int32_t stage_id;
    int32_t slot; /* spot slot of the stage, from 0 */
    int64_t preempted_ns;
    int64_t ready_ns; /* INT64_MAX: never */
} spot_outage_row_t;

typedef struct {
    size_t num_rows;
    size_t max_rows;
    spot_outage_row_t *rows; /* [num_rows] in order of the file; those of a slot do not
                                overlap */
} spot_outage_file_t;

typedef enum {
    SPOT_OUTAGES_NONE,
    SPOT_OUTAGES_FILE,
    SPOT_OUTAGES_HAZARD,
    SPOT_OUTAGES_TRACE
} spot_outage_kind_t;

/* As bound, with what follows from it. Zeros: no replica is taken away. Constant after
 * opening, so that all threads share it. */
typedef struct {
    spot_outage_kind_t kind;
    spot_rent_setting_t rent;
    char *path;                  /* of the outages */
    spot_outage_file_t file;     /* of SPOT_OUTAGES_FILE */
    int64_t mtbf_ns, recover_ns; /* of a slot, means */
    int64_t zones;               /* 0: none */
    int64_t zone_mtbf_ns, zone_recover_ns;
    const spot_node_t *trace_node; /* during reading only */
    spot_trace_model_t trace;      /* with its own tick and numbers of instances */
} spot_outage_setting_t;

/* The table of the map preemptions; its owner is the setting. */
extern const spot_field_t spot_outage_fields[];

/* Checks the map preemptions once it is bound (root: the map; NULL: the scenario has
 * none) and reads its file or binds its trace. stages: [num_stages] their ids. BAD_INPUT
 * with the reasons in the diagnostics of bind, IO, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_outage_setting_open(spot_outage_setting_t *self, spot_bind_t *bind,
    const spot_node_t *root, size_t num_stages, const char *const *stages);
void spot_outage_setting_free(spot_outage_setting_t *self);

/* Whether replications differ. */
bool spot_outage_setting_is_random(const spot_outage_setting_t *self);

/* An outage of a slot. Those of a slot do not overlap. */
typedef struct {
    int64_t preempted_ns;
    int64_t ready_ns; /* > preempted_ns; INT64_MAX: never */
    int32_t order;    /* among outages of all slots: at one instant, the lower goes
                         first. That of the rows of a file by stage, that of the slots of
                         a hazard, that of the preemptions in a trace */
} spot_outage_t;

typedef struct spot_outages spot_outages_t;

/* Outages of num_slots[num_stages] spot slots for replications of a setting, which must
 * outlive self. NO_MEMORY; free *self even then. */
SPOT_MUST_CHECK int spot_outages_new(spot_outages_t **self, const spot_outage_setting_t *setting,
    size_t num_stages, const int32_t *num_slots);
void spot_outages_delete(spot_outages_t *self); /* accepts NULL */

/* Starts a replication; last_ns: the last arrival of a query. Changes of a trace more
 * than a year behind it are not read: a slot that is out then never comes back. */
void spot_outages_start(spot_outages_t *self, uint64_t seed, uint64_t replication, int64_t last_ns);

/* Outage k of a spot slot, or NULL: there are no more; valid until the next call. */
const spot_outage_t *spot_outages_at(spot_outages_t *self, size_t stage_id, int32_t slot, size_t k);

/* The error of a run that ended at end_ns. NO_MEMORY; OVERDRAW: the trace ended by then,
 * in a loss of more instances than it had. */
int spot_outages_error(const spot_outages_t *self, int64_t end_ns);
