/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pipelines of different depths: who is in which, at which stage, and which layers of
 * the model each instance holds. It lies in a policy's state.
 *
 * A pipeline of n members has n stages; stage s of it has the layers from floor(s L/n)
 * to floor((s+1) L/n). What an instance is to hold it holds from the end of the pause
 * on; until then it holds what it held before. */
#ifndef SPOT_SIM_RECOVERY_MEMBERS_H
#define SPOT_SIM_RECOVERY_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/pipeline_templates.h"
#include "sim/fleet/fleet.h"

/* Layers from first on, before end; none: both 0. */
typedef struct {
    int32_t first;
    int32_t end;
} spot_layers_t;

/* One who is in a pipeline. */
typedef struct {
    int32_t slot;
    int32_t pipeline;   /* -1: lost, or not in one yet */
    spot_layers_t held; /* what it has */
    spot_layers_t due;  /* what it has from the end of the pause on */
} spot_member_t;

typedef struct {
    int32_t num_layers;
    int32_t num_pipelines;
    int32_t num_members;
    spot_member_t *members; /* [num_members] by pipeline, then stage */
    int32_t *sizes;         /* [num_pipelines] members */
    spot_member_t *others;  /* [capacity] for sorting */
    int32_t *places;        /* [capacity + 1] for sorting */
    int32_t *slots;         /* [capacity] for lists of the fleet */
    int32_t *by_slot;       /* [capacity] for finding members; -1 between two calls */
    int32_t *covers;        /* [num_layers + 1] for counting holders */
} spot_members_t;

/* The memory that it needs besides itself, and to begin empty in it. */
size_t spot_members_bytes(int64_t capacity, int32_t num_layers);
void spot_members_start(
    spot_members_t *self, void *memory, int64_t capacity, int32_t num_layers);

/* The pause has ended: all hold what they were to hold. O(members). */
void spot_members_settle(spot_members_t *self);

/* Takes out the lost of one instant; pipelines get smaller, empty ones vanish.
 * O(members + lost). */
void spot_members_lose(spot_members_t *self, const int32_t *lost, int32_t num_lost);

/* Nobody is in a pipeline. */
void spot_members_clear(spot_members_t *self);

/* Whether each layer has a holder among the members. O(members + layers). */
bool spot_members_hold_all(const spot_members_t *self);

/* Brings each pipeline to min_size members at least, as Oobleck does: a smaller one
 * takes members from the one that is currently the biggest, the first of equals, its
 * last stage first, as long as that keeps min_size; those that stay too small merge with
 * each other, and what is left then with the smallest of the others. With fewer than
 * min_size members in all nothing is done. O(members + moves pipelines). */
void spot_members_mend(spot_members_t *self, int32_t min_size);

/* Forms all pipelines of set anew from the first members in the order of the fleet:
 * active, then standby. Who holds just the layers of a stage gets such a stage; others
 * who hold something follow in the order of their layers; newcomers get what is left,
 * pipeline by pipeline. O(n^2) at worst, where they stand in no order. */
void spot_members_form(
    spot_members_t *self, const spot_fleet_t *fleet, const spot_template_set_t *set);

/* The pipelines by depth. */
spot_template_set_t spot_members_set(const spot_members_t *self);

/* The most layers that one member has to get until the end of the pause. */
int32_t spot_members_most_missing(const spot_members_t *self);

#endif
