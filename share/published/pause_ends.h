/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timers of systems that pause until a wake: by default one at most; with the stale
 * timers of published simulators each loss adds one. They live in the state of a
 * policy. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The end of a pause and its length. */
typedef struct {
    int64_t time_ms;
    int64_t pause_ms;
} spot_pause_end_t;

typedef struct {
    int32_t num_ends;
    int32_t max_ends;
    spot_pause_end_t *ends; /* [num_ends] in the order in which they were added */
} spot_pause_ends_t;

/* Bytes of memory for the timers besides the struct, and the start without timers. */
size_t spot_pause_ends_bytes(int64_t capacity);
void spot_pause_ends_start(spot_pause_ends_t *self, void *memory, int64_t capacity);

/* Adds a pause from now on, of at least 1 ms. Returns how many were cut off: 1 if 4
 * times the capacity and 16 more are due already, else 0. Short gaps between losses
 * with long pauses can reach that. */
SPOT_MUST_CHECK int32_t spot_pause_ends_add(
    spot_pause_ends_t *self, int64_t now_ms, int64_t pause_ms);

/* Removes the first timer that is due by now_ms and sets the length of its pause; false:
 * none is due. O(ends). */
bool spot_pause_ends_take(spot_pause_ends_t *self, int64_t now_ms, int64_t *pause_ms);

/* When the next timer is due; 0: none. O(ends). */
int64_t spot_pause_ends_next_ms(const spot_pause_ends_t *self);
