/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When the spot replicas of a replication are taken away and are ready again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "traces/outages/outage_setting.h"

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
