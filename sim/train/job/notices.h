/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notices of preemptions before they are seen.
 *
 * Preemptions depend on the trace and its random streams alone, so a second membership
 * of the same replication runs ahead of the first one and finds them. The first one
 * carries them out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/integers.h"
#include "sim/train/fleet/fleet.h"
#include "sim/train/job/scenario.h"
#include "traces/generate/membership.h"

typedef struct {
    bool is_wanted; /* else the rest is not used */
    const spot_scenario_t *scenario;
    int64_t ready_after_ms; /* from the tick of an arrival to that of being ready */
    spot_ticks_t ticks;
    spot_membership_t scout;
    spot_fleet_t fleet;
    spot_recovery_future_t future;
    size_t max_changes[2]; /* of times_ms and counts */
    size_t max_coming;
    int has_failed; /* NO_MEMORY, INTERRUPTED: the end of the future is missing */
} spot_foresight_t;

/* scenario must outlive self. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_foresight_init(
    spot_foresight_t *self, const spot_scenario_t *scenario, int64_t ready_after_ms);
void spot_foresight_free(spot_foresight_t *self);

/* Looks at the run with these dice; stop (may be NULL): not 0 ends it. O(events of the
 * trace). */
void spot_foresight_look(
    spot_foresight_t *self, const spot_dice_t *dice, spot_tapes_t *tapes, const atomic_int *stop);

typedef struct {
    int64_t notice_ms;   /* the tick of the announcement */
    int64_t deadline_ms; /* the tick that sees the preemption */
    int32_t slot;
} spot_notice_t;

typedef struct {
    int64_t lead_ms; /* 0: no notices, and the rest is unused */
    int64_t next_ms; /* the tick of the next look; INT64_MAX: never */
    spot_ticks_t ticks;
    int32_t capacity;
    spot_membership_t scout;
    int64_t scout_ms;    /* the tick at which its next change matters */
    int64_t *arrival_ms; /* [capacity] the tick that sees the slot's instance arrive */
    size_t first_notice; /* the first that is not announced yet */
    size_t num_notices;
    size_t max_notices;
    spot_notice_t *notices; /* [num_notices] by notice_ms */
    int32_t num_noticed;    /* announced at the latest look */
    int32_t *noticed;       /* [num_noticed] their slots */
    int64_t deadline_ms;    /* the first of their deadlines */
    size_t num_slots;
    int64_t *deadlines_ms; /* [num_slots] by slot; INT64_MAX: no notice */
    int has_failed;        /* NO_MEMORY: notices are missing */
} spot_notices_t;

/* Each preemption is announced at the first tick at or after fleet.notice before it.
 * NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_notices_init(spot_notices_t *self, const spot_scenario_t *scenario);
void spot_notices_free(spot_notices_t *self);

void spot_notices_start(spot_notices_t *self, const spot_dice_t *dice, spot_tapes_t *tapes);

/* Removes the deadlines of the slots of a change that is seen. */
void spot_notices_see(spot_notices_t *self, const spot_change_t *change);

/* Announces the preemptions due at a tick, after its changes are seen. An instance that
 * arrives within the lead is announced on arrival. */
void spot_notices_look(spot_notices_t *self, int64_t now_ms);
