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

typedef struct {
    int32_t prev;     /* slot, -1: first of its list */
    int32_t next;     /* slot, -1: last of its list */
    int64_t ready_ms; /* prepping: when it becomes standby */
    spot_role_t role;
} spot_fleet_member_t;

typedef struct {
    int32_t first; /* slot, -1: empty */
    int32_t last;
    int32_t count;
} spot_fleet_list_t;

typedef struct {
    int32_t capacity;
    spot_fleet_member_t *members; /* [capacity] by slot */
    spot_fleet_list_t lists[SPOT_NUM_ROLES];
} spot_fleet_t;

/* NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_fleet_init(spot_fleet_t *self, int64_t capacity);
void spot_fleet_free(spot_fleet_t *self);

/* Empties all lists. O(1). */
void spot_fleet_clear(spot_fleet_t *self);

/* A new instance at the end of a list; ready_ms counts for prepping only. */
void spot_fleet_add(
    spot_fleet_t *self, int32_t slot, spot_role_t role, int64_t ready_ms);

/* Takes an instance out; tells what it was. */
spot_role_t spot_fleet_remove(spot_fleet_t *self, int32_t slot);

/* Those whose preparation has ended by now_ms become standby, oldest first. */
void spot_fleet_finish_preparation(spot_fleet_t *self, int64_t now_ms);

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
