/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which instance holds which stage of which pipeline: D pipelines of P stages, for
 * recovery systems whose answer depends on which instance is lost. Place d P + s is
 * stage s of pipeline d. A layout lives in the state of a policy. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sim/train/fleet/fleet.h"

#define SPOT_LAYOUT_NONE (-1)

typedef struct {
    int32_t capacity;
    int32_t num_pipelines; /* D; 0: none has formed */
    int32_t depth;         /* P */
    int32_t num_held;      /* places with an instance */
    int32_t *slots;        /* [D P] by place; NONE: its instance is lost */
    int32_t *places;       /* [capacity] by slot; NONE: it holds no place */
} spot_layout_t;

/* Bytes of memory for a layout besides the struct, and the start of an empty one in it.
 */
size_t spot_layout_bytes(int64_t capacity);
void spot_layout_start(spot_layout_t *self, void *memory, int64_t capacity);

/* Forms D pipelines of P stages anew, row by row, from the instances that the decision
 * makes active: the active ones in order, then the first standby ones.
 * O(D P + capacity). */
void spot_layout_form(
    spot_layout_t *self, const spot_fleet_t *fleet, int32_t num_pipelines, int32_t depth);

/* The same for a decision with takes_noticed_last; deadlines_ms: of the view, may be
 * NULL. */
void spot_layout_form_noticed_last(spot_layout_t *self, const spot_fleet_t *fleet,
    const int64_t *deadlines_ms, int32_t num_pipelines, int32_t depth);

/* Removes the instances lost at one instant. O(lost). */
void spot_layout_lose(spot_layout_t *self, const int32_t *lost, int32_t num_lost);

/* Gives a free place to an instance without one. */
void spot_layout_put(spot_layout_t *self, int32_t slot, int32_t place);

/* The earliest deadline of the instances with a place; INT64_MAX: none. deadlines_ms: by
 * slot, may be NULL. O(D P). */
int64_t spot_layout_first_deadline_ms(const spot_layout_t *self, const int64_t *deadlines_ms);

/* rep[s]: how many of the D holders of a stage are left. O(D). */
int32_t spot_layout_replicas(const spot_layout_t *self, int32_t stage);
