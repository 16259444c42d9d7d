/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The future of a run, for recovery systems that know it.
 *
 * The trace and its dice alone say how many instances are ready at a time, so a second
 * membership goes through the run before it starts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/integers.h"
#include "base/watch.h"
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
