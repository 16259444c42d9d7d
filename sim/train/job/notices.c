/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/job/notices.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- Foresight ---- */

int spot_foresight_init(
    spot_foresight_t *self, const spot_scenario_t *scenario, int64_t ready_after_ms)
{
    const int64_t capacity = scenario->fleet.capacity;
    int ret;

    memset(self, 0, sizeof(*self));
    if (!scenario->recovery.traits.knows_future) {
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

/* ---- Notices ---- */

int spot_notices_init(spot_notices_t *self, const spot_scenario_t *scenario)
{
    const int64_t capacity = scenario->fleet.capacity;
    const size_t num_slots = (size_t) spot_scenario_num_slots(scenario);
    int ret;

    memset(self, 0, sizeof(*self));
    self->next_ms = INT64_MAX;
    if (scenario->fleet.notice_ms == 0) {
        return 0;
    }
    self->lead_ms = scenario->fleet.notice_ms;
    self->ticks = spot_ticks_of(scenario->tick_ms);
    self->capacity = (int32_t) capacity;
    self->arrival_ms = spot_calloc((size_t) capacity, sizeof(*self->arrival_ms));
    self->noticed = spot_calloc((size_t) capacity, sizeof(*self->noticed));
    self->num_slots = num_slots;
    self->deadlines_ms = spot_calloc(num_slots, sizeof(*self->deadlines_ms));
    if (self->arrival_ms == NULL || self->noticed == NULL || self->deadlines_ms == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = spot_membership_init(&self->scout, &scenario->trace, capacity);
    self->scout.ticks = self->ticks;
    return ret;
}

void spot_notices_free(spot_notices_t *self)
{
    spot_membership_free(&self->scout);
    free(self->arrival_ms);
    free(self->notices);
    free(self->noticed);
    free(self->deadlines_ms);
    memset(self, 0, sizeof(*self));
}

/* The first tick at or after time_ms - lead_ms. */
static int64_t tick_ahead_ms(const spot_notices_t *self, int64_t time_ms)
{
    return time_ms <= self->lead_ms ? 0
                                    : spot_ticks_at_or_after(&self->ticks, time_ms - self->lead_ms);
}

static void look_ahead(spot_notices_t *self)
{
    const int64_t time_ms = spot_membership_next_ms(&self->scout);

    self->scout_ms = time_ms == INT64_MAX ? INT64_MAX : tick_ahead_ms(self, time_ms);
}

static void settle_next(spot_notices_t *self)
{
    self->next_ms = self->scout_ms;
    if (self->first_notice < self->num_notices &&
        self->notices[self->first_notice].notice_ms < self->next_ms) {
        self->next_ms = self->notices[self->first_notice].notice_ms;
    }
}

void spot_notices_start(spot_notices_t *self, const spot_dice_t *dice, spot_tapes_t *tapes)
{
    self->num_noticed = 0;
    self->has_failed = 0;
    if (self->lead_ms == 0) {
        return;
    }
    self->first_notice = 0;
    self->num_notices = 0;
    memset(self->arrival_ms, 0, (size_t) self->capacity * sizeof(*self->arrival_ms));
    for (size_t j = 0; j < self->num_slots; j++) {
        self->deadlines_ms[j] = INT64_MAX;
    }
    spot_membership_start_with(&self->scout, dice, tapes, false);
    look_ahead(self);
    settle_next(self);
}

void spot_notices_see(spot_notices_t *self, const spot_change_t *change)
{
    for (int32_t j = 0; j < change->count; j++) {
        self->deadlines_ms[change->slots[j]] = INT64_MAX;
    }
}

/* Inserts a notice among those not announced yet, by notice_ms. */
static void add_notice(spot_notices_t *self, spot_notice_t notice)
{
    size_t place = self->num_notices;

    if (spot_array_reserve(&self->notices, &self->max_notices, place + 1, sizeof(notice)) != 0) {
        self->has_failed = SPOT_ERR_NO_MEMORY;
        return;
    }
    while (place > self->first_notice && self->notices[place - 1].notice_ms > notice.notice_ms) {
        self->notices[place] = self->notices[place - 1];
        place--;
    }
    self->notices[place] = notice;
    self->num_notices++;
}

/* Carries out the next change of the scout. A preemption gets no notice if the tick of
 * the notice is not before the tick that sees the loss. */
static void follow(spot_notices_t *self)
{
    spot_change_t change;
    int64_t tick_ms, ahead_ms;

    (void) spot_membership_next(&self->scout, &change);
    tick_ms = spot_ticks_at_or_after(&self->ticks, change.time_ms);
    ahead_ms = tick_ahead_ms(self, change.time_ms);
    for (int32_t j = 0; j < change.count; j++) {
        int64_t *arrival_ms = &self->arrival_ms[change.slots[j]];
        const int64_t notice_ms = ahead_ms > *arrival_ms ? ahead_ms : *arrival_ms;

        if (change.kind == SPOT_EVENT_ADD) {
            *arrival_ms = tick_ms;
        } else if (change.kind == SPOT_EVENT_PREEMPT && notice_ms < tick_ms) {
            add_notice(self, (spot_notice_t){notice_ms, tick_ms, change.slots[j]});
        }
    }
}

void spot_notices_look(spot_notices_t *self, int64_t now_ms)
{
    self->num_noticed = 0;
    self->deadline_ms = INT64_MAX;
    while (self->scout_ms <= now_ms) {
        follow(self);
        look_ahead(self);
    }
    while (self->first_notice < self->num_notices &&
           self->notices[self->first_notice].notice_ms <= now_ms) {
        const spot_notice_t *notice = &self->notices[self->first_notice++];

        self->noticed[self->num_noticed++] = notice->slot;
        self->deadlines_ms[notice->slot] = notice->deadline_ms;
        if (notice->deadline_ms < self->deadline_ms) {
            self->deadline_ms = notice->deadline_ms;
        }
    }
    if (self->first_notice == self->num_notices) {
        self->first_notice = 0;
        self->num_notices = 0;
    }
    settle_next(self);
}
