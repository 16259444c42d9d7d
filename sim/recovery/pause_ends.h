/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ends of pauses that are due, for systems that pause until they ask to be woken:
 * by default there is one at most; with the stale timers of published simulators each
 * loss adds one. They lie in a policy's state. */
#ifndef SPOT_SIM_RECOVERY_PAUSE_ENDS_H
#define SPOT_SIM_RECOVERY_PAUSE_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The end of a pause, and its whole length. */
typedef struct {
    int64_t time_ms;
    int64_t pause_ms;
} spot_pause_end_t;

typedef struct {
    int32_t num_ends;
    int32_t max_ends;
    spot_pause_end_t *ends; /* [num_ends] in the order in which they were added */
} spot_pause_ends_t;

/* The memory that they need besides themselves, and to begin with none in it. */
size_t spot_pause_ends_bytes(int64_t capacity);
void spot_pause_ends_start(spot_pause_ends_t *self, void *memory, int64_t capacity);

/* A pause from now on; it takes 1 ms at least. Tells how many were cut off: 1 if there
 * is no room for it, as 4 times the capacity and 16 more are due, else 0. Short gaps
 * between losses and long pauses can make as many. */
SPOT_MUST_CHECK int32_t spot_pause_ends_add(
    spot_pause_ends_t *self, int64_t now_ms, int64_t pause_ms);

/* Takes out the first that is due and tells how long its pause was; false: none is.
 * O(ends). */
bool spot_pause_ends_take(spot_pause_ends_t *self, int64_t now_ms, int64_t *pause_ms);

/* When the next one is; 0: never. O(ends). */
int64_t spot_pause_ends_next_ms(const spot_pause_ends_t *self);

#endif
