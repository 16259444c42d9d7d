/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instances by role: prepping, standby, active; each role in order of arrival there.
 *
 * One array in this order: active, then standby, then prepping; two indices mark the
 * borders. Finishing preparation and making the first standby instances active only
 * move a border. An instance that leaves leaves a hole; holes are closed when the end
 * reaches the last place. Branch-free where it can be: branches on single instances
 * would be unpredictable. */
#pragma once

#include <stdbool.h>
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

/* Instances that arrived together and are prepping. */
typedef struct {
    int64_t ready_ms; /* when they become standby */
    int64_t end;      /* the place after the last of them */
} spot_arrival_t;

typedef struct {
    int32_t capacity;
    int32_t counts[SPOT_NUM_ROLES]; /* instances by role */
    int64_t num_places;
    int64_t active_end;       /* the place after the last active one */
    int64_t ready_end;        /* after the last standby one: the place of the first prepping one */
    int64_t end;              /* after the last prepping one */
    int32_t *slots;           /* [num_places] by place; < 0: a hole */
    int32_t arrivals_start;   /* the first one with a prepping instance */
    int32_t arrivals_end;     /* after the last one */
    spot_arrival_t *arrivals; /* [num_places] in order; the one at arrivals_end is never ready */
    int32_t *leaving;         /* [capacity] surplus on its way to standby */
    int32_t num_lost;         /* active instances taken out since it was last set to 0 */
    int32_t *lost;            /* [num_lost] their slots; has room for one more */
    int32_t *place;           /* [capacity] by slot; place[-1] takes the writes for holes */
    int32_t first_preferred;  /* slots from this one on go before others in standby;
                                 capacity (after init): none do */
} spot_fleet_t;

/* NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_fleet_init(spot_fleet_t *self, int64_t capacity);
void spot_fleet_free(spot_fleet_t *self);

/* Removes all instances. O(1). */
void spot_fleet_clear(spot_fleet_t *self);

/* Adds prepping instances; ready_ms: not before that of any prepping instance. */
void spot_fleet_add(spot_fleet_t *self, const int32_t *slots, int32_t count, int64_t ready_ms);

/* Adds the first instances of all: ready, but for the last num_preparing, which become
 * so one after another, at ticks evenly over ready_after_ms. */
void spot_fleet_add_initial(spot_fleet_t *self, const int32_t *slots, int32_t count,
    int64_t num_preparing, int64_t ready_after_ms, int64_t tick_ms);

/* Removes instances and appends the active ones among them to lost. */
void spot_fleet_remove(spot_fleet_t *self, const int32_t *slots, int32_t count);

/* Moves instances that are ready by now_ms to standby, oldest first. Returns their
 * number. */
int32_t spot_fleet_finish_preparation(spot_fleet_t *self, int64_t now_ms);

/* Whether an instance is active or standby. O(1). */
static inline bool spot_fleet_is_ready(const spot_fleet_t *self, int32_t slot)
{
    return self->place[slot] < self->ready_end;
}

/* Makes exactly num_active instances active. Takes missing ones from the front of
 * standby, or moves the surplus from the end of active to the end of standby in its
 * order; after such a move the preferred ones of all standby go first, in their order.
 */
void spot_fleet_set_active(spot_fleet_t *self, int32_t num_active);

/* Moves ready instances with a deadline to the end of standby, active ones first.
 * deadlines_ms: [capacity] by slot, INT64_MAX for none. */
void spot_fleet_put_last(spot_fleet_t *self, const int64_t *deadlines_ms);

/* When the oldest prepping instance becomes standby; INT64_MAX: none is prepping. */
int64_t spot_fleet_next_ready_ms(const spot_fleet_t *self);

/* The number of instances in all roles. */
int32_t spot_fleet_population(const spot_fleet_t *self);

/* Fills slots with those of a role in order. Returns their number. O(places). */
int32_t spot_fleet_list(const spot_fleet_t *self, spot_role_t role, int32_t *slots);

/* One line a role, with its slots in order. */
void spot_fleet_print_state(const spot_fleet_t *self, FILE *out);

/* Aborts if an invariant does not hold. O(places). */
void spot_fleet_verify(const spot_fleet_t *self);
