/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A layout in which the holder of a stage can take the next stage too: the places of the
 * layout, and for each place the instance that took it when its own holder was lost. It
 * lives in the state of a policy. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/train/recovery/layout.h"

typedef struct {
    spot_layout_t layout; /* the places of own stages */
    int32_t *second;      /* [capacity] by slot: the place it took, or NONE */
    int32_t *takers;      /* [capacity] by place: the slot that took it; NONE, or
                             abandoned */
    int32_t *lost_places; /* [capacity] of the latest loss, scratch */
    int32_t num_doubled;  /* instances with two places */
} spot_doubling_t;

/* Bytes of memory besides the struct, and the start of an empty one in it. */
size_t spot_doubling_bytes(int64_t capacity);
void spot_doubling_start(spot_doubling_t *self, void *memory, int64_t capacity);

/* Forms pipelines anew, as a layout does; no instance holds two places then. */
void spot_doubling_form(
    spot_doubling_t *self, const spot_fleet_t *fleet, int32_t num_pipelines, int32_t depth);

/* Removes all instances lost at one instant, in any order, and hands over their places.
 * Returns whether that is fatal: one of them held two places, or no instance can take
 * one of theirs. O(lost). */
bool spot_doubling_lose(spot_doubling_t *self, const int32_t *slots, int32_t num_slots);

/* Whether some stage has no holder. O(places). */
bool spot_doubling_lacks_stage(const spot_doubling_t *self);
