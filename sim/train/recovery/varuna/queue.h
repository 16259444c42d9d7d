/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event queue of a published simulator: a binary heap in an array. The order of
 * equal entries, and the place of every entry, are those of CPython's heapq (its
 * documentation gives the invariant, its source the order of the moves), because that
 * simulator reads the array. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/train/recovery/recovery.h"

/* Entries sort by time, then by kind: the values matter. */
enum {
    SPOT_QUEUE_ADDED = SPOT_COMING_ADDED,
    SPOT_QUEUE_LOST = SPOT_COMING_LOST,
    SPOT_QUEUE_READY = 4,
    SPOT_QUEUE_PAUSE_END = 5,
    SPOT_QUEUE_STEP = 7,
    SPOT_QUEUE_CHECKPOINT = 8
};

typedef struct {
    size_t num_items;
    size_t max_items;
    spot_coming_t *items; /* [max_items] the heap is the first num_items; not owned */
    int64_t ready_after_ms;
} spot_queue_t;

/* Starts with the arrivals and losses of a run, which enter one by one, in their order;
 * orders them in their place. future must outlive self. */
void spot_queue_start(spot_queue_t *self, const spot_recovery_future_t *future);

/* Removes what is due before an entry, and that entry if it is due; an arrival leaves
 * the end of its preparation. O((removed + 1) log num). */
void spot_queue_take(spot_queue_t *self, int64_t time_ms, int kind);

void spot_queue_push(spot_queue_t *self, int64_t time_ms, int kind);

/* Makes a heap of the array again, as that simulator does when a checkpoint ends, and
 * returns whether a loss stands before the first checkpoint in it. O(num). */
bool spot_queue_has_loss_first(spot_queue_t *self);
