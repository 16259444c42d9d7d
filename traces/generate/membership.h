/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The living instances: turns the events of a trace, counts or names, into slots taken
 * and given. It depends on the trace alone, not on the job, so that every recovery
 * system loses the same instances.
 *
 * This module owns the slots, the choice of victims, and the tapes: changes as they were
 * made once, for all in one thread who meet the same replication of the same trace.
 *
 * Use: spot_membership_init() of a model, spot_membership_start() (or _start_with()
 * tapes) per replication, spot_membership_next() for each change;
 * spot_membership_free(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/integers.h"
#include "base/memory.h"
#include "base/rng.h"
#include "traces/generate/generator.h"
#include "traces/generate/model.h"

/* A change without its slots, which follow those of the change before. */
typedef struct {
    int64_t time_ms;
    int64_t seen_ms;     /* the tick that sees it */
    int32_t count;       /* instances that went or came */
    int32_t num_clipped; /* instances that could not */
    spot_event_kind_t kind;
} spot_taped_change_t;

typedef struct {
    spot_dice_t dice;
    bool is_begun;      /* else nothing of the rest is known */
    bool is_over;       /* there is no change after the last one */
    bool is_full;       /* others are not kept */
    int64_t stopped_ms; /* once it is over, of an overdraw; -1: none */
    int32_t initial;    /* instances at time 0 */
    size_t num_changes, max_changes;
    spot_taped_change_t *changes; /* [num_changes] in trace order */
    size_t num_slots, max_slots;
    int32_t *slots; /* [num_slots] */
    size_t num_zones, max_zones;
    int32_t *zones;    /* [num_zones] of a trace with zones: of the initial instances, then
                          one for each slot; -1: none */
    size_t *num_bytes; /* of all tapes that share a limit */
} spot_tape_t;

/* What the tapes of a thread hold, a few hundred of small traces; the arrays may have
 * twice as much room. */
#define SPOT_TAPES_BYTES ((size_t) 3 << 20)

/* Tapes of one trace. */
typedef struct spot_tapes {
    size_t num_tapes; /* in use */
    size_t max_tapes;
    spot_tape_t **tapes; /* [max_tapes] memory of the others is kept; NULL: not yet made */
    size_t next;         /* where the next one is looked for first */
    size_t num_bytes;    /* of all tapes in use */
} spot_tapes_t;

/* Forgets all tapes: what follows is another trace. */
void spot_tapes_clear(spot_tapes_t *self);
void spot_tapes_free(spot_tapes_t *self);

/* A change of the living instances. Each has a slot in 0 ... capacity - 1; slots are
 * reused. */
typedef struct {
    int64_t time_ms;
    spot_event_kind_t kind;
    int32_t count;        /* instances that went or came */
    int32_t num_clipped;  /* instances that could not */
    const int32_t *slots; /* [count] valid until the next call */
} spot_change_t;

/* The instances among which a loss without names chooses victims: those of a zone, or
 * all. */
typedef struct {
    int32_t *living; /* [population] slots; kept by swap-remove */
    int32_t population;
    int64_t num_births;
} spot_victim_pool_t;

/* Events that are made at a time while is_flat, and changes for a tape: as many as a run
 * of the seed scenario has. */
#define SPOT_EVENTS_AHEAD 128

/* Changes are made of the events of the generator, and then met. With a tape, which
 * others share, they are made some ahead, once for all: names cannot be asked for then.
 */
typedef struct {
    spot_arena_t memory;                     /* of all that follows */
    const spot_trace_model_t *model;         /* must outlive self */
    const spot_generator_members_t *members; /* of the model, as are the zones */
    const spot_zones_t *zones;
    void *source;                /* state of the generator */
    size_t num_events, event_id; /* of the generator; the one to carry out next */
    spot_event_t events[SPOT_EVENTS_AHEAD];
    int64_t seen_ms[SPOT_EVENTS_AHEAD]; /* the ticks that see them */
    int32_t capacity;
    int32_t population;  /* as far as changes were met */
    int32_t num_living;  /* the same, as far as they were made */
    int32_t *free_slots; /* [capacity - num_living] last in first out; while is_flat
                            [capacity] those of a loss */
    int32_t num_pools;
    spot_victim_pool_t *pools; /* [num_pools] one per zone of a generator, else one */
    int32_t *living;           /* memory of living in all pools */
    int32_t *place;            /* [capacity] of a living slot: index into living of its pool */
    int32_t *pool_of_slot;     /* [capacity] */
    int32_t *initial;          /* [capacity] slots in use at time 0: 0, 1, ... */
    int64_t *birth;            /* [capacity] 1, 2, ... by birth in its pool */
    size_t num_names;          /* ids in the events; 0: events have no names */
    int32_t *name_id;          /* [capacity] -1: no event names it; without names [0] */
    int32_t *slot_of_name;     /* [num_names] -1: not living */
    spot_rng_t victims;
    spot_dice_t dice;
    spot_ticks_t ticks; /* of who looks; 1 ms after init, and equal for all of a tape */
    bool is_flat;       /* one pool, whose instances need no names: living has all slots,
                           after those of the living the free ones, next to be given
                           first */
    spot_tape_t *tape;  /* NULL: changes are met as they are made */
    bool is_started;    /* the generator; else only the tape was read */
    size_t num_made;    /* changes of the tape */
    size_t num_met, num_slots_met;
    int32_t *zone_of_slot; /* [capacity] as far as changes were met; without zones [0] */
} spot_membership_t;

/* Additions above capacity are clipped. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_membership_init(
    spot_membership_t *self, const spot_trace_model_t *model, int64_t capacity);
void spot_membership_free(spot_membership_t *self);

/* Starts a replication: the initial instances live in slots 0 ... population - 1, zone
 * by zone. O(initial instances + names). */
void spot_membership_start(spot_membership_t *self, uint64_t seed, uint64_t replication);

/* The same with streams of its own, for one of several memberships of a replication, and
 * with the tapes of the trace; tapes NULL: none. has_names: names will be asked for,
 * which tapes do not have. */
void spot_membership_start_with(
    spot_membership_t *self, const spot_dice_t *dice, spot_tapes_t *tapes, bool has_names);

/* The time of the next change, which is not carried out; INT64_MAX: there is none. */
int64_t spot_membership_next_ms(spot_membership_t *self);

/* The same for the tick that sees it. */
int64_t spot_membership_seen_ms(spot_membership_t *self);

/* Carries out the next change in trace order; false: there is none. count may be 0. */
bool spot_membership_next(spot_membership_t *self, spot_change_t *change);

/* The time at which an overdraw ended the replication, once there is no next change; -1:
 * no overdraw did. */
int64_t spot_membership_stopped_ms(const spot_membership_t *self);

/* The zone of the instance in a slot, also just after it has gone; -1: none. */
int32_t spot_membership_zone(const spot_membership_t *self, int32_t slot);

/* The name of the instance in a slot, also just after it has gone: that of the
 * generator, or "i1", "i2", ... by birth; in zones "ZONE/i1", ... by birth in the zone.
 * The name may be written to text. */
#define SPOT_INSTANCE_NAME_BYTES (SPOT_NAME_BYTES + 1)
const char *spot_membership_name(
    const spot_membership_t *self, int32_t slot, char text[SPOT_INSTANCE_NAME_BYTES]);

/* Prints the number of living instances, and without a tape these as "slot=name", or
 * "slot" if they need no names, in the order that victims index. */
void spot_membership_print_state(const spot_membership_t *self, FILE *out);

/* Aborts if an invariant is violated. O(capacity + names). */
void spot_membership_verify(const spot_membership_t *self);
