/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preemptions that are announced before they are seen.
 *
 * Whether an instance will be preempted follows from the trace alone; so a second
 * membership, of the same dice, runs ahead of the first one and tells what is to come.
 * What is due is none of its business. */
#ifndef SPOT_SIM_TRAIN_NOTICES_H
#define SPOT_SIM_TRAIN_NOTICES_H

#include <stddef.h>
#include <stdint.h>

#include "sim/train/scenario.h"
#include "sim/train/tick.h"
#include "traces/generate/membership.h"

typedef struct {
    int64_t notice_ms;   /* the tick at which it is announced */
    int64_t deadline_ms; /* the tick at which it is seen */
    int32_t slot;
} spot_notice_t;

typedef struct {
    int64_t lead_ms; /* 0: nothing is announced, and the rest is not used */
    int64_t next_ms; /* the tick at which to look again; INT64_MAX: never */
    spot_ticks_t ticks;
    int32_t capacity;
    spot_membership_t scout;
    int64_t scout_ms;    /* the tick at which its next change matters */
    int64_t *arrival_ms; /* [capacity] the tick at which its instances arrive */
    size_t first_notice; /* of those to come */
    size_t num_notices;
    size_t max_notices;
    spot_notice_t *notices; /* [num_notices] by notice_ms */
    int32_t num_noticed;    /* announced at the latest look */
    int32_t *noticed;       /* [num_noticed] their slots */
    int64_t deadline_ms;    /* the first of theirs */
    size_t num_slots;
    int64_t *deadlines_ms; /* [num_slots] by slot; INT64_MAX: nothing is announced */
    int has_failed;        /* NO_MEMORY: notices are missing */
} spot_notices_t;

/* Each preemption is announced fleet.notice before it happens, as the ticks allow.
 * NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_notices_init(
    spot_notices_t *self, const spot_scenario_t *scenario);
void spot_notices_free(spot_notices_t *self);

void spot_notices_start(spot_notices_t *self, uint64_t seed, uint64_t replication);

/* A change that is due: nothing is announced for its slots any more. */
void spot_notices_see(spot_notices_t *self, const spot_change_t *change);

/* Announces what is to be announced at a tick whose changes have been seen. Who arrives
 * within the lead is announced on arrival. */
void spot_notices_look(spot_notices_t *self, int64_t now_ms);

#endif
