/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who holds which stage where the holder of a stage can take the next one too: the
 * places of a layout, and for each what has become of it when its own holder was lost.
 * It lies in a policy's state. */
#ifndef SPOT_SIM_RECOVERY_DOUBLING_H
#define SPOT_SIM_RECOVERY_DOUBLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/recovery/layout.h"

typedef struct {
    spot_layout_t layout; /* its places: those of the own stages */
    int32_t *second; /* [capacity] by slot: the place that it has taken, or NOBODY */
    int32_t *takers; /* [capacity] by place: who has taken it; NOBODY, or that it
                        has been abandoned */
    int32_t *lost_places; /* [capacity] of the latest loss, while it is handled */
    int32_t num_doubled;  /* who hold two places */
} spot_doubling_t;

/* The memory that it needs besides itself, and to begin empty in it. */
size_t spot_doubling_bytes(int64_t capacity);
void spot_doubling_start(spot_doubling_t *self, void *memory, int64_t capacity);

/* Forms pipelines anew, as a layout does; nobody holds two places then. */
void spot_doubling_form(spot_doubling_t *self, const spot_fleet_t *fleet,
    int32_t num_pipelines, int32_t depth);

/* Takes out all who are lost at one instant, in any order, and hands their places over.
 * Tells whether that is fatal: one of them held two places, or nobody can take one.
 * O(lost). */
bool spot_doubling_lose(spot_doubling_t *self, const int32_t *slots, int32_t num_slots);

/* Whether the state of some stage is with nobody. O(places). */
bool spot_doubling_lacks_stage(const spot_doubling_t *self);

#endif
