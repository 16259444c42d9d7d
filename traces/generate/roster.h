/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who lives, for generators whose events name their victims: slots 0 ... capacity - 1,
 * one instance each, and what a tick shows of those that come and go in it.
 *
 * An instance that came in the open tick and goes in it was never seen: both are left
 * out. So the losses of a tick are instances that lived at its start, and as a number
 * they are what the recorder shows, unless a process itself chose one that just came. */
#ifndef SPOT_TRACES_GENERATE_ROSTER_H
#define SPOT_TRACES_GENERATE_ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "traces/trace.h"

typedef struct {
    int32_t num_slots;
    int32_t population;
    int32_t num_old;  /* of those that live: since before the open tick */
    int32_t num_lost; /* in the open tick, of the old ones */
    int32_t *slots;   /* [num_slots] old ones, new ones, then the free slots */
    int32_t *place;   /* [num_slots] index into slots */
    int32_t *lost;    /* [num_slots] */
} spot_roster_t;

/* Bytes of the memory that init needs; it is aligned for int32_t. */
size_t spot_roster_bytes(int64_t num_slots);

/* The slots below population live. memory must outlive self. O(slots). */
void spot_roster_init(
    spot_roster_t *self, void *memory, int64_t num_slots, int64_t population);

/* The instance of a slot that lives goes. */
void spot_roster_leave(spot_roster_t *self, int32_t slot);

/* An instance comes into a free slot; spot_roster_free_slot() is one, if population <
 * num_slots. */
void spot_roster_enter(spot_roster_t *self, int32_t slot);
int32_t spot_roster_free_slot(const spot_roster_t *self);

/* Whether an instance lives in a slot. */
static inline bool
spot_roster_lives(const spot_roster_t *self, int32_t slot)
{
    return self->place[slot] < self->population;
}

/* A victim, uniform among those that have lived since the start of the tick, or among
 * those that came in it where no other is left. population > 0. */
int32_t spot_roster_victim(const spot_roster_t *self, spot_rng_t *rng);

/* Instances are lost otherwise, right after see() left nothing: num_lost <= population
 * of them go, uniformly chosen, and no event shows it. Returns their slots, valid until
 * the next change. */
const int32_t *spot_roster_strike(
    spot_roster_t *self, int32_t num_lost, spot_rng_t *rng);

/* Closes the open tick: puts what has not been shown of it into event, losses before
 * additions, named by their slots; false: nothing is left. The name_ids are valid until
 * the next change. */
bool spot_roster_see(spot_roster_t *self, int64_t time_ms, spot_event_t *event);

/* Aborts if an invariant does not hold. O(slots). */
void spot_roster_verify(const spot_roster_t *self);

#endif
