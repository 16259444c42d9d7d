/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pipelines of different depths: the pipeline and the stage of each instance, and the
 * layers of the model that it holds. It lives in the state of a policy.
 *
 * A pipeline of n members has n stages; stage s has the layers from floor(s L/n) to
 * floor((s+1) L/n). An instance gets its new layers at the end of the pause and keeps
 * the old ones until then. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/pipeline_templates.h"
#include "sim/train/fleet/fleet.h"

/* The layers first ... end - 1; both are 0 for none. */
typedef struct {
    int32_t first;
    int32_t end;
} spot_layers_t;

/* An instance in a pipeline. */
typedef struct {
    int32_t slot;
    int32_t pipeline;   /* -1: lost, or in no pipeline yet */
    spot_layers_t held; /* its layers now */
    spot_layers_t due;  /* its layers from the end of the pause on */
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
    int32_t *by_slot;       /* [capacity] index of members; -1 between calls */
    int32_t *covers;        /* [num_layers + 1] for counting holders */
} spot_members_t;

/* Bytes of memory besides the struct, and the start of an empty one in it. */
size_t spot_members_bytes(int64_t capacity, int32_t num_layers);
void spot_members_start(spot_members_t *self, void *memory, int64_t capacity, int32_t num_layers);

/* Ends the pause: all members get their new layers. O(members). */
void spot_members_settle(spot_members_t *self);

/* Removes the instances lost at one instant; pipelines shrink, empty ones vanish.
 * O(members + lost). */
void spot_members_lose(spot_members_t *self, const int32_t *lost, int32_t num_lost);

/* Whether each layer has a holder. O(members + layers). */
bool spot_members_hold_all(const spot_members_t *self);

/* Brings each pipeline to at least min_size members, as Oobleck does. A smaller pipeline
 * takes members from the biggest one (of equal ones the first), last stage first, while
 * that keeps min_size. Pipelines that stay too small merge with each other, and the rest
 * with the smallest of the others. With fewer than min_size members in all nothing
 * happens. O(members + moves pipelines). */
void spot_members_mend(spot_members_t *self, int32_t min_size);

/* Forms all pipelines of set anew from the first instances of the fleet: active, then
 * standby. An instance with exactly the layers of a stage gets such a stage; then the
 * others with layers get stages in the order of their layers; instances without layers
 * get the rest, pipeline by pipeline. O(n^2) at worst, for members in no order. */
void spot_members_form(
    spot_members_t *self, const spot_fleet_t *fleet, const spot_template_set_t *set);

/* The numbers of pipelines by depth. */
spot_template_set_t spot_members_set(const spot_members_t *self);

/* The most layers that one member must copy until the end of the pause. */
int32_t spot_members_most_missing(const spot_members_t *self);
