/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The living instances of generators whose events name their victims: slots 0 ...
 * capacity - 1, one instance each, and the events that a tick shows.
 *
 * An instance that comes and goes within one tick is not seen and left out. So the
 * losses of a tick are instances that lived at its start. Their number is that of the
 * recorder, unless a process chose a victim that had just come. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "traces/generate/generator.h"
#include "traces/laws/law.h"
#include "traces/trace.h"

typedef struct {
    int32_t num_slots;
    int32_t population;
    int32_t num_old;  /* living since before the open tick */
    int32_t num_lost; /* old ones lost in the open tick */
    int32_t *slots;   /* [num_slots] old ones, new ones, then free slots */
    int32_t *place;   /* [num_slots] index into slots */
    int32_t *lost;    /* [num_slots] of which num_lost are used */
} spot_roster_t;

/* Bytes of the memory for init, aligned for int32_t. */
size_t spot_roster_bytes(int64_t num_slots);

/* Starts with instances in the slots below population. memory must outlive self.
 * O(slots). */
void spot_roster_init(spot_roster_t *self, void *memory, int64_t num_slots, int64_t population);

/* Removes the instance in a slot. */
void spot_roster_leave(spot_roster_t *self, int32_t slot);

/* Puts an instance into a free slot, such as spot_roster_free_slot(), which exists if
 * population < num_slots. */
void spot_roster_enter(spot_roster_t *self, int32_t slot);
int32_t spot_roster_free_slot(const spot_roster_t *self);

/* Whether an instance lives in a slot. */
static inline bool spot_roster_lives(const spot_roster_t *self, int32_t slot)
{
    return self->place[slot] < self->population;
}

/* Draws a victim uniformly from the old instances, or from the new ones if no old one is
 * left. population > 0. */
int32_t spot_roster_victim(const spot_roster_t *self, spot_rng_t *rng);

/* Removes num_lost <= population uniform victims that are lost otherwise; no event shows
 * them. Call it only after see() returned false. Returns their slots, valid until the
 * next change. */
const int32_t *spot_roster_strike(spot_roster_t *self, int32_t num_lost, spot_rng_t *rng);

/* Closes the open tick: sets event to its losses, or to its additions on a second call,
 * with slots as name_ids, valid until the next change; false: no event is left. */
bool spot_roster_see(spot_roster_t *self, int64_t time_ms, spot_event_t *event);

/* A random stream for each of many slots, with four bytes per slot: its position in the
 * stream. */
typedef struct {
    spot_dice_t dice;
    spot_stream_t purpose;
    const spot_law_t *law;
    uint32_t *num_used; /* [num_slots] numbers drawn so far */
    spot_rng_t rng;
} spot_slot_dice_t;

/* Gives slot s the stream (purpose, first_entity + s). num_used, [num_slots], and law
 * must outlive self. O(slots). */
void spot_slot_dice_init(spot_slot_dice_t *self, const spot_dice_t *dice, spot_stream_t purpose,
    const spot_law_t *law, uint32_t *num_used, int64_t num_slots);

/* Draws the next value of the law for a slot, in s. */
double spot_slot_dice_draw(spot_slot_dice_t *self, int32_t slot);
