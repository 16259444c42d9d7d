/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who holds which stage of which pipeline: D pipelines of P stages, for recovery systems
 * whose answer depends on who is lost. A place is d P + s. It lies in a policy's state.
 */
#ifndef SPOT_SIM_RECOVERY_LAYOUT_H
#define SPOT_SIM_RECOVERY_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "sim/fleet/fleet.h"

#define SPOT_LAYOUT_NOBODY (-1)

typedef struct {
    int32_t capacity;
    int32_t num_pipelines; /* D; 0: nothing has been formed */
    int32_t depth;         /* P */
    int32_t num_held;      /* places that an instance holds */
    int32_t *slots;        /* [D P] by place; NOBODY: it is lost */
    int32_t *places;       /* [capacity] by slot; NOBODY: it holds none */
} spot_layout_t;

/* The memory that a layout needs besides itself, and to begin empty in it. */
size_t spot_layout_bytes(int64_t capacity);
void spot_layout_start(spot_layout_t *self, void *memory, int64_t capacity);

/* Forms D pipelines of P stages anew, row by row, of those that the plan makes active:
 * the active ones in their order, then the first of standby. O(D P + capacity). */
void spot_layout_form(spot_layout_t *self, const spot_fleet_t *fleet,
    int32_t num_pipelines, int32_t depth);

/* The same of a plan that takes_noticed_last; deadlines_ms: of the view, may be NULL. */
void spot_layout_form_noticed_last(spot_layout_t *self, const spot_fleet_t *fleet,
    const int64_t *deadlines_ms, int32_t num_pipelines, int32_t depth);

/* Takes out the lost of one instant. O(lost). */
void spot_layout_lose(spot_layout_t *self, const int32_t *lost, int32_t num_lost);

/* Gives a free place to an instance that holds none. */
void spot_layout_put(spot_layout_t *self, int32_t slot, int32_t place);

/* The first of the deadlines, by slot, of those who hold a place; INT64_MAX: there is
 * none. deadlines_ms may be NULL. O(D P). */
int64_t spot_layout_first_deadline_ms(
    const spot_layout_t *self, const int64_t *deadlines_ms);

/* rep[s]: the instances that hold a stage, of D. O(D). */
int32_t spot_layout_replicas(const spot_layout_t *self, int32_t stage);

#endif
