/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instances by what they do: prepping, standby, active. Three lists in order of
 * arrival, linked through the slots, so that any instance leaves or moves in O(1). */
#ifndef SPOT_SIM_FLEET_FLEET_H
#define SPOT_SIM_FLEET_FLEET_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

typedef enum {
    SPOT_PREPPING, /* booting and installing: paid, not usable */
    SPOT_STANDBY,  /* ready, not in a pipeline */
    SPOT_ACTIVE,   /* in a pipeline */
    SPOT_NUM_ROLES
} spot_role_t;

extern const char *const spot_role_names[SPOT_NUM_ROLES];

/* The neighbours of an instance in its list. The ends of a list are neighbours of its
 * head, whose next is the first and whose prev the last; it has a slot of its own below
 * 0. So nobody is without neighbours, and nothing that instances do asks whether they
 * are at an end of their list: the answer is as good as random. */
typedef struct {
    int32_t prev; /* slot, < 0: the head */
    int32_t next;
    int64_t ready_ms; /* prepping: when it becomes standby; of a head: INT64_MAX */
} spot_fleet_link_t;

typedef struct {
    int32_t capacity;
    int32_t counts[SPOT_NUM_ROLES]; /* instances by role */
    spot_fleet_link_t *heads;       /* [SPOT_NUM_ROLES] right in front of links */
    spot_fleet_link_t *links;       /* [capacity] by slot, as are the others */
    spot_role_t *roles;             /* [capacity] */
} spot_fleet_t;

/* NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_fleet_init(spot_fleet_t *self, int64_t capacity);
void spot_fleet_free(spot_fleet_t *self);

/* Empties all lists. O(1). */
void spot_fleet_clear(spot_fleet_t *self);

/* New instances at the end of a list; ready_ms counts for prepping only. */
void spot_fleet_add(spot_fleet_t *self, const int32_t *slots, int32_t count,
    spot_role_t role, int64_t ready_ms);

/* Takes instances out; tells how many of them were active. */
int32_t spot_fleet_remove(spot_fleet_t *self, const int32_t *slots, int32_t count);

/* Those whose preparation has ended by now_ms become standby, oldest first; tells how
 * many. */
int32_t spot_fleet_finish_preparation(spot_fleet_t *self, int64_t now_ms);

/* Makes exactly num_active instances active: fills up from the front of standby, returns
 * the surplus from the end of active to the end of standby, in list order. */
void spot_fleet_set_active(spot_fleet_t *self, int32_t num_active);

/* When the oldest prepping instance becomes standby; INT64_MAX: none is prepping. */
int64_t spot_fleet_next_ready_ms(const spot_fleet_t *self);

/* Instances in all lists. */
int32_t spot_fleet_population(const spot_fleet_t *self);

/* One line a list, with its slots in order. */
void spot_fleet_print_state(const spot_fleet_t *self, FILE *out);

/* Aborts if an invariant does not hold. O(instances). */
void spot_fleet_verify(const spot_fleet_t *self);

#endif
