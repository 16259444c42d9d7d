/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instances by what they do: prepping, standby, active; each in order of arrival
 * there.
 *
 * All stand in one queue, behind each other: the active ones up to a mark, standby up to
 * another one, then those who prepare. So to finish preparation or to make the first of
 * standby active is to move a mark. Who leaves leaves a hole; holes are closed when the
 * queue has come to the end of its places. Little of what instances do depends on a
 * branch: what would decide it is as good as random. */
#ifndef SPOT_SIM_FLEET_FLEET_H
#define SPOT_SIM_FLEET_FLEET_H

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

/* Those who came together and prepare. */
typedef struct {
    int64_t ready_ms; /* when they are standby */
    int64_t end;      /* the place behind the last of them */
} spot_arrival_t;

typedef struct {
    int32_t capacity;
    int32_t counts[SPOT_NUM_ROLES]; /* instances by role */
    int64_t num_places;
    int64_t active_end; /* the place behind the last who is active */
    int64_t ready_end;  /* behind the last of standby: that of the first who prepares */
    int64_t end;        /* behind the last who prepares */
    int32_t *slots;     /* [num_places] by place; < 0: a hole */
    int32_t arrivals_start; /* the first of which somebody prepares */
    int32_t arrivals_end;   /* behind the last one */
    spot_arrival_t
        *arrivals; /* [num_places] in order; at arrivals_end one that is never ready */
    int32_t *leaving; /* [capacity] surplus on its way to standby */
    int32_t num_lost; /* active instances taken out since it was last set to 0 */
    int32_t *lost;    /* [num_lost] their slots; at num_lost one place more */
    int32_t *place;   /* [capacity] by slot; place[-1] takes what is written for holes */
    int32_t first_preferred; /* slots from it on go before others in standby; capacity:
                                none, as after init */
} spot_fleet_t;

/* NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_fleet_init(spot_fleet_t *self, int64_t capacity);
void spot_fleet_free(spot_fleet_t *self);

/* Nobody is left. O(1). */
void spot_fleet_clear(spot_fleet_t *self);

/* New instances begin to prepare; ready_ms: not before that of those who do already. */
void spot_fleet_add(
    spot_fleet_t *self, const int32_t *slots, int32_t count, int64_t ready_ms);

/* Takes instances out; those that were active are added to lost. */
void spot_fleet_remove(spot_fleet_t *self, const int32_t *slots, int32_t count);

/* Those whose preparation has ended by now_ms become standby, oldest first; tells how
 * many. */
int32_t spot_fleet_finish_preparation(spot_fleet_t *self, int64_t now_ms);

/* Whether an instance is active or standby. O(1). */
static inline bool
spot_fleet_is_ready(const spot_fleet_t *self, int32_t slot)
{
    return self->place[slot] < self->ready_end;
}

/* Makes exactly num_active instances active: fills up from the front of standby, returns
 * the surplus from the end of active to the end of standby, in its order; the preferred
 * ones of all standby then go first, in theirs. */
void spot_fleet_set_active(spot_fleet_t *self, int32_t num_active);

/* Those who are ready and have a deadline, by slot, other than INT64_MAX become the last
 * of standby, those who were active first. */
void spot_fleet_put_last(spot_fleet_t *self, const int64_t *deadlines_ms);

/* When the oldest prepping instance becomes standby; INT64_MAX: none is prepping. */
int64_t spot_fleet_next_ready_ms(const spot_fleet_t *self);

/* All instances. */
int32_t spot_fleet_population(const spot_fleet_t *self);

/* The slots of all instances of a role in order; tells how many. O(places). */
int32_t spot_fleet_list(const spot_fleet_t *self, spot_role_t role, int32_t *slots);

/* One line a role, with its slots in order. */
void spot_fleet_print_state(const spot_fleet_t *self, FILE *out);

/* Aborts if an invariant does not hold. O(places). */
void spot_fleet_verify(const spot_fleet_t *self);

#endif
