/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/job/foresight.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int spot_foresight_init(
    spot_foresight_t *self, const spot_scenario_t *scenario, int64_t ready_after_ms)
{
    const spot_recovery_choice_t *recovery = &scenario->recovery;
    const int64_t capacity = scenario->fleet.capacity;
    int ret;

    memset(self, 0, sizeof(*self));
    if (recovery->system->knows_future == NULL ||
        !recovery->system->knows_future(recovery->options)) {
        return 0;
    }
    self->is_wanted = true;
    self->scenario = scenario;
    self->ready_after_ms = ready_after_ms;
    self->ticks = spot_ticks_of(scenario->tick_ms);
    ret = spot_membership_init(&self->scout, &scenario->trace, capacity);
    self->scout.ticks = self->ticks;
    return ret != 0 ? ret : spot_fleet_init(&self->fleet, capacity);
}

void spot_foresight_free(spot_foresight_t *self)
{
    spot_membership_free(&self->scout);
    spot_fleet_free(&self->fleet);
    free(self->future.times_ms);
    free(self->future.counts);
    free(self->future.coming);
    memset(self, 0, sizeof(*self));
}

/* Notes how many instances can be used from now_ms on, those on demand included. */
static void note(spot_foresight_t *self, int64_t now_ms)
{
    spot_recovery_future_t *future = &self->future;
    const int32_t count =
        self->fleet.counts[SPOT_STANDBY] + (int32_t) self->scenario->fleet.on_demand;

    if (future->num > 0 && future->counts[future->num - 1] == count) {
        return;
    }
    if (spot_array_reserve(&future->times_ms, &self->max_changes[0], future->num + 1,
            sizeof(*future->times_ms)) != 0 ||
        spot_array_reserve(&future->counts, &self->max_changes[1], future->num + 1,
            sizeof(*future->counts)) != 0) {
        self->has_failed = SPOT_ERR_NO_MEMORY;
        return;
    }
    future->times_ms[future->num] = now_ms;
    future->counts[future->num++] = count;
}

/* Makes room for more instances that come or go. */
static int reserve_coming(spot_foresight_t *self, int32_t count)
{
    spot_recovery_future_t *future = &self->future;
    const int ret = spot_array_reserve(&future->coming, &self->max_coming,
        future->num_coming + (size_t) count + SPOT_SPARE_COMINGS, sizeof(*future->coming));

    self->has_failed = ret != 0 ? ret : self->has_failed;
    return ret;
}

/* Notes the instances of a change. */
static void note_coming(spot_foresight_t *self, const spot_change_t *change, int64_t now_ms)
{
    spot_recovery_future_t *future = &self->future;

    if (reserve_coming(self, change->count) != 0) {
        return;
    }
    for (int32_t j = 0; j < change->count; j++) {
        future->coming[future->num_coming++] = (spot_coming_t){
            now_ms, change->kind == SPOT_EVENT_ADD ? SPOT_COMING_ADDED : SPOT_COMING_LOST};
    }
}

/* One tick, in the order of the run: instances become ready, then changes are seen.
 * Returns the tick at which the next change is seen. */
static int64_t visit(spot_foresight_t *self, int64_t now_ms, int64_t seen_ms)
{
    (void) spot_fleet_finish_preparation(&self->fleet, now_ms);
    while (seen_ms == now_ms) {
        spot_change_t change;

        (void) spot_membership_next(&self->scout, &change);
        note_coming(self, &change, now_ms);
        if (change.kind == SPOT_EVENT_ADD) {
            spot_fleet_add(&self->fleet, change.slots, change.count, now_ms + self->ready_after_ms);
        } else {
            spot_fleet_remove(&self->fleet, change.slots, change.count);
        }
        seen_ms = spot_membership_seen_ms(&self->scout);
    }
    note(self, now_ms);
    return seen_ms;
}

void spot_foresight_look(
    spot_foresight_t *self, const spot_dice_t *dice, spot_tapes_t *tapes, const atomic_int *stop)
{
    const int64_t horizon_ms = self->scenario->horizon_ms;
    int64_t now_ms = 0, seen_ms;

    self->future.num = 0;
    self->future.num_coming = 0;
    self->future.ready_after_ms = self->ready_after_ms;
    self->has_failed = 0;
    (void) reserve_coming(self, 0);
    spot_fleet_clear(&self->fleet);
    spot_membership_start_with(&self->scout, dice, tapes, false);
    spot_fleet_add_initial(&self->fleet, self->scout.initial, self->scout.population,
        self->scenario->fleet.preparing, self->ready_after_ms, self->scenario->tick_ms);
    seen_ms = spot_membership_seen_ms(&self->scout);
    while (now_ms < horizon_ms && self->has_failed == 0) {
        int64_t ready_ms;

        seen_ms = visit(self, now_ms, seen_ms);
        ready_ms = spot_fleet_next_ready_ms(&self->fleet);
        now_ms = seen_ms < ready_ms ? seen_ms : ready_ms;
        if (stop != NULL && atomic_load(stop) != 0) {
            self->has_failed = SPOT_ERR_INTERRUPTED;
        }
    }
    while (seen_ms == horizon_ms && self->has_failed == 0) {
        spot_change_t change;

        (void) spot_membership_next(&self->scout, &change);
        note_coming(self, &change, horizon_ms);
        seen_ms = spot_membership_seen_ms(&self->scout);
    }
}
