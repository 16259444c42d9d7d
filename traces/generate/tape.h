/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes of the living instances as they were made once, for all who meet the same
 * replication of the same trace. One thread's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "traces/generate/generator.h"

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

void spot_tape_clear(spot_tape_t *self);
void spot_tape_free(spot_tape_t *self);

/* Makes room for changes with up to num_slots slots, and as many zones, and counts it.
 * false: there is no memory for it, or it is above the limit; the tape is full then. */
bool spot_tape_reserve(spot_tape_t *self, size_t num_changes, size_t num_slots, size_t num_zones);

/* Appends a change with its slots, for which there is room. */
void spot_tape_add(spot_tape_t *self, const spot_taped_change_t *change, const int32_t *slots);

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

/* The tape of these dice, a new one if there is none. NULL: there are too many. Valid
 * until spot_tapes_clear(). */
spot_tape_t *spot_tapes_find(spot_tapes_t *self, const spot_dice_t *dice);
