/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/job/train.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/memory.h"
#include "base/stats.h"
#include "sim/train/job/episode.h"
#include "sim/train/job/run_log.h"

/* ---- What the run costs ---- */

/* What an earlier run of the job has had, unless this one plays it. */
static const spot_so_far_t *earlier(const spot_train_t *self)
{
    static const spot_so_far_t none = {0};

    return self->scenario->count_from_ms > 0 ? &none : &self->scenario->so_far;
}

/* The time on the clock of prices. */
static int64_t price_ms(const spot_train_t *self, int64_t time_ms)
{
    return earlier(self)->elapsed_ms + time_ms;
}

/* Starts a meter at the price of time 0. */
static void start_meter(
    const spot_train_t *self, spot_meter_t *meter, const spot_price_steps_t *price)
{
    spot_meter_start(meter, price);
    spot_meter_change(meter, price_ms(self, 0), 0);
}

/* Makes the meters of self. NO_MEMORY; spot_train_free() frees them. */
static int cost_init(spot_train_t *self)
{
    self->num_meters = spot_trace_model_zones(&self->scenario->trace)->num_zones + 1;
    self->meters = spot_calloc(self->num_meters, sizeof(*self->meters));
    self->has_one_price =
        self->num_meters == 1 && spot_scenario_common_price(self->scenario)->num_steps == 1;
    return self->meters == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

/* From self->now_ms on adds num_more paid instances (-1: one less) for each of the count
 * slots. slots NULL: the slots 0 ... count - 1. */
static SPOT_NOINLINE void cost_pay(
    spot_train_t *self, const int32_t *slots, int32_t count, int num_more)
{
    const spot_zones_t *zones;

    if (self->num_meters == 1) {
        spot_meter_change(
            &self->meters[0], price_ms(self, self->now_ms), (int64_t) count * num_more);
        return;
    }
    zones = spot_trace_model_zones(&self->scenario->trace);
    for (int32_t j = 0; j < count; j++) {
        const int32_t zone_id =
            spot_membership_zone(&self->membership, slots == NULL ? j : slots[j]);
        const bool has_own = zone_id >= 0 && zones->zones[zone_id].price.num_steps > 0;

        spot_meter_change(
            &self->meters[has_own ? zone_id + 1 : 0], price_ms(self, self->now_ms), num_more);
    }
}

/* Starts the meters of a run that has some: the initial instances cost from time 0 on. */
static void cost_start(spot_train_t *self)
{
    const spot_zones_t *zones = spot_trace_model_zones(&self->scenario->trace);
    const spot_price_steps_t *price = spot_scenario_common_price(self->scenario);

    start_meter(self, &self->meters[0], price);
    for (size_t j = 0; j < zones->num_zones; j++) {
        const spot_price_steps_t *of_zone = &zones->zones[j].price;

        start_meter(self, &self->meters[j + 1], of_zone->num_steps > 0 ? of_zone : price);
    }
    cost_pay(self, NULL, self->membership.population, 1);
}

/* US dollars for the time from 0 to time_ms, which never decreases from call to call and
 * is not before the latest change. Without meters, time_ms is the end of the run.
 * O(meters). */
static double cost_until(spot_train_t *self, int64_t time_ms)
{
    const int64_t on_demand_ms = self->num_on_demand * time_ms;
    spot_sum_t usd = {0};

    if (!self->is_metered) {
        spot_sum_add(
            &usd, spot_price_usd(spot_scenario_common_price(self->scenario)->steps[0].usd_per_h,
                      self->result.ledger.population_ms - on_demand_ms));
    }
    for (size_t j = 0; j < self->num_meters && self->is_metered; j++) {
        spot_meter_change(&self->meters[j], price_ms(self, time_ms), 0);
        spot_sum_add(&usd, spot_meter_usd(&self->meters[j]));
    }
    spot_sum_add(
        &usd, spot_price_usd(self->scenario->fleet.price.on_demand_usd_per_h, on_demand_ms));
    spot_sum_add(&usd, spot_price_usd(self->scenario->recovery.service_usd_per_h, time_ms));
    spot_sum_add(&usd, earlier(self)->paid_usd);
    return spot_sum_total(&usd);
}

/* ---- Foresight ---- */

/* scenario must outlive self. NO_MEMORY; free self even then. */
static int foresight_init(
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

static void foresight_free(spot_foresight_t *self)
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

/* Looks at the run with these dice; stop (may be NULL): not 0 ends it. O(events of the
 * trace). */
static void foresight_look(
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

/* Each preemption is announced at the first tick at or after fleet.notice before it.
 * NO_MEMORY; free self even then. */
static int notices_init(spot_notices_t *self, const spot_scenario_t *scenario)
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

static void notices_free(spot_notices_t *self)
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

static void see_ahead(spot_notices_t *self)
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

static void notices_start(spot_notices_t *self, const spot_dice_t *dice, spot_tapes_t *tapes)
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
    see_ahead(self);
    settle_next(self);
}

/* Removes the deadlines of the slots of a change that is seen. */
static void notices_see(spot_notices_t *self, const spot_change_t *change)
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

/* Announces the preemptions due at a tick, after its changes are seen. An instance that
 * arrives within the lead is announced on arrival. */
static void notices_look(spot_notices_t *self, int64_t now_ms)
{
    self->num_noticed = 0;
    self->deadline_ms = INT64_MAX;
    while (self->scout_ms <= now_ms) {
        follow(self);
        see_ahead(self);
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

/* ---- Records of the run in the event log ---- */

/* The train must have a log; most runs have none, hence no inlining. A failed append sets
 * has_failed of the log. */

/* The names of instances with blanks between them. The caller frees it. NULL: no
 * memory. */
static char *join_names(const spot_membership_t *membership, const int32_t *slots, int32_t count)
{
    char text[SPOT_INSTANCE_NAME_BYTES];
    size_t num_bytes = 1;
    char *names, *end;

    for (int32_t j = 0; j < count; j++) {
        num_bytes += strlen(spot_membership_name(membership, slots[j], text)) + 1;
    }
    names = malloc(num_bytes);
    end = names;
    for (int32_t j = 0; names != NULL && j < count; j++) {
        const char *name = spot_membership_name(membership, slots[j], text);
        const size_t length = strlen(name);

        memcpy(end, name, length);
        end += length;
        *end++ = ' ';
    }
    if (names != NULL) {
        names[end == names ? 0 : end - names - 1] = '\0';
    }
    return names;
}

/* Appends a record with the names of some instances. */
static void add_named(spot_train_t *train, spot_log_kind_t kind,
    const int64_t values[SPOT_EVENT_VALUES], const int32_t *slots, int32_t count)
{
    char *names = join_names(&train->membership, slots, count);

    if (names == NULL) {
        train->log->has_failed = SPOT_ERR_NO_MEMORY;
        return;
    }
    spot_event_log_add(train->log, train->now_ms, (int32_t) kind, values, names);
    free(names);
}

static SPOT_NOINLINE void log_change(spot_train_t *train, const spot_change_t *change)
{
    const int64_t values[SPOT_EVENT_VALUES] = {change->count, change->num_clipped,
        train->membership.population + train->num_on_demand, change->kind};

    add_named(train, SPOT_LOG_CHANGE, values, change->slots, change->count);
    if (train->log->has_failed == 0) {
        train->log->records[train->log->num_records - 1].amount = cost_until(train, train->now_ms);
    }
}

static SPOT_NOINLINE void log_notice(spot_train_t *train)
{
    const spot_notices_t *notices = &train->notices;
    const int64_t values[SPOT_EVENT_VALUES] = {notices->num_noticed, notices->deadline_ms};

    add_named(train, SPOT_LOG_NOTICE, values, notices->noticed, notices->num_noticed);
}

static SPOT_NOINLINE void log_fleet(spot_train_t *train)
{
    const int32_t *counts = train->fleet.counts;
    const int64_t values[SPOT_EVENT_VALUES] = {
        counts[SPOT_PREPPING], counts[SPOT_STANDBY], counts[SPOT_ACTIVE], train->num_pipelines};

    spot_event_log_add(train->log, train->now_ms, SPOT_LOG_FLEET, values, NULL);
}

/* The end of the run; sorts the log. */
static SPOT_NOINLINE void log_end(spot_train_t *train)
{
    const spot_train_result_t *result = &train->result;
    const int64_t values[SPOT_EVENT_VALUES] = {
        result->steps_executed - result->steps_lost, result->steps_durable};

    spot_event_log_add(train->log, train->now_ms, SPOT_LOG_END, values, NULL);
    spot_event_log_sort(train->log);
}

/* ---- The run ---- */

const char *const spot_job_phase_names[SPOT_NUM_JOB_PHASES] = {
    "waiting", "reconfiguring", "reloading", "training"};

/* The time from the tick of arrival to the tick of being ready. Preparation of 0 s ends
 * at the next tick: a tick ends preparations before it sees arrivals. */
static int64_t ready_after_ms(const spot_train_t *self)
{
    const int64_t preparation_ms =
        spot_ticks_at_or_after(&self->ticks, self->scenario->fleet.preparation_ms);

    return preparation_ms > 0 ? preparation_ms : self->scenario->tick_ms;
}

/* Allocates the memory of the recovery system. */
static int init_recovery(spot_train_t *self)
{
    const spot_scenario_t *scenario = self->scenario;
    const spot_recovery_choice_t *recovery = &scenario->recovery;

    if (recovery->system->state_size != NULL) {
        self->recovery_state_size = recovery->system->state_size(
            recovery->options, &scenario->job, spot_scenario_num_slots(scenario));
        self->recovery_state = spot_calloc(1, self->recovery_state_size);
    }
    if (recovery->traits.kept_bytes > 0) {
        self->recovery_kept = spot_calloc(1, recovery->traits.kept_bytes);
    }
    if (recovery->traits.sees_all_losses) {
        self->gone = spot_calloc((size_t) scenario->fleet.capacity, sizeof(*self->gone));
    }
    return (recovery->system->state_size != NULL && self->recovery_state == NULL) ||
                   (recovery->traits.kept_bytes > 0 && self->recovery_kept == NULL) ||
                   (recovery->traits.sees_all_losses && self->gone == NULL)
               ? SPOT_ERR_NO_MEMORY
               : 0;
}

/* Instances on demand have the slots after those of the trace. */
static int init_on_demand(spot_train_t *self)
{
    const int64_t capacity = self->scenario->fleet.capacity;

    self->num_on_demand = self->scenario->fleet.on_demand;
    self->fleet.first_preferred = (int32_t) capacity;
    self->on_demand = spot_calloc((size_t) self->num_on_demand, sizeof(*self->on_demand));
    if (self->on_demand == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (int64_t j = 0; j < self->num_on_demand; j++) {
        self->on_demand[j] = (int32_t) (capacity + j);
    }
    return 0;
}

/* Each step end is durable, at no cost. */
static const spot_checkpoint_t kept_steps = {
    .mode = SPOT_CHECKPOINT_ASYNC, .every_kind = SPOT_EVERY_STEPS, .every_steps = 1};

int spot_train_init(spot_train_t *self, const spot_scenario_t *scenario)
{
    const int64_t num_slots = spot_scenario_num_slots(scenario);
    int ret;

    memset(self, 0, sizeof(*self));
    self->scenario = scenario;
    self->checkpoint =
        scenario->recovery.traits.keeps_steps ? &kept_steps : &scenario->job.checkpoint;
    self->ticks = spot_ticks_of(scenario->tick_ms);
    self->ready_after_ms = ready_after_ms(self);
    self->worlds =
        spot_calloc((size_t) (num_slots / scenario->job.pipeline_depth) + 1, sizeof(*self->worlds));
    if (self->worlds == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (cost_init(self) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = spot_membership_init(&self->membership, &scenario->trace, scenario->fleet.capacity);
    self->membership.ticks = self->ticks;
    ret = ret == 0 ? spot_fleet_init(&self->fleet, num_slots) : ret;
    ret = ret == 0 ? init_on_demand(self) : ret;
    ret = ret == 0 ? notices_init(&self->notices, scenario) : ret;
    if (ret == 0) {
        ret = foresight_init(&self->foresight, scenario, self->ready_after_ms);
    }
    return ret != 0 ? ret : init_recovery(self);
}

void spot_train_free(spot_train_t *self)
{
    spot_membership_free(&self->membership);
    spot_tapes_free(&self->own_tapes);
    spot_fleet_free(&self->fleet);
    notices_free(&self->notices);
    foresight_free(&self->foresight);
    free(self->worlds);
    free(self->on_demand);
    free(self->meters);
    free(self->recovery_state);
    free(self->recovery_kept);
    free(self->gone);
    memset(self, 0, sizeof(*self));
}

/* Finds the tick that sees the next change of the trace. */
static void look_ahead(spot_train_t *self)
{
    self->seen_ms = spot_membership_seen_ms(&self->membership);
}

/* For a recovery system that sees all losses. No instance becomes ready within a tick,
 * so no ready instance is lost twice. */
static void note_gone(spot_train_t *self, const spot_change_t *change)
{
    for (int32_t j = 0; j < change->count; j++) {
        if (spot_fleet_is_ready(&self->fleet, change->slots[j])) {
            self->gone[self->change.num_gone++] = change->slots[j];
        } else {
            self->change.num_gone_prepping++;
        }
    }
}

static void apply_loss(spot_train_t *self, const spot_change_t *change)
{
    spot_train_result_t *result = &self->result;

    if (self->gone != NULL) {
        note_gone(self, change);
    }
    if (self->is_metered) {
        cost_pay(self, change->slots, change->count, -1);
    }
    spot_fleet_remove(&self->fleet, change->slots, change->count);
    if (change->kind == SPOT_EVENT_STOP) {
        result->stopped += change->count;
        return;
    }
    result->preempted += change->count;
    if (change->count > 0 &&
        (result->preemption_events == 0 || result->last_preemption_ms != self->now_ms)) {
        if (result->preemption_events == 0) {
            result->first_preemption_ms = self->now_ms;
        }
        result->preemption_events++;
        result->last_preemption_ms = self->now_ms;
    }
}

static void apply_change(spot_train_t *self, const spot_change_t *change)
{
    if (self->log != NULL) {
        log_change(self, change);
    }
    self->result.clipped += change->num_clipped;
    if (change->kind != SPOT_EVENT_ADD) {
        apply_loss(self, change);
        return;
    }
    self->result.added += change->count;
    if (self->is_metered) {
        cost_pay(self, change->slots, change->count, 1);
    }
    spot_fleet_add(&self->fleet, change->slots, change->count, self->now_ms + self->ready_after_ms);
}

/* The number of living instances, including those on demand. */
static int64_t population(const spot_train_t *self)
{
    return self->membership.population + self->num_on_demand;
}

/* Charges the instances outside pipelines for the time since the last visited tick. The
 * episode charges those in pipelines. */
static void advance_to(spot_train_t *self, int64_t time_ms)
{
    const int32_t *counts = self->fleet.counts;
    const int64_t passed_ms = time_ms - self->now_ms;
    spot_ledger_t *ledger = &self->result.ledger;

    ledger->instance_ms[SPOT_SHARE_PREPPING] += passed_ms * counts[SPOT_PREPPING];
    ledger->instance_ms[SPOT_SHARE_STANDBY] += passed_ms * counts[SPOT_STANDBY];
    ledger->population_ms += passed_ms * population(self);
    self->now_ms = time_ms;
}

/* The next tick that sees a change or ends a preparation. */
static int64_t next_tick_ms(const spot_train_t *self)
{
    return spot_smaller(self->seen_ms, spot_fleet_next_ready_ms(&self->fleet));
}

/* Sets quiet_ms: before it only the events of next_tick_ms() happen, and none is
 * noted. */
static void settle_quiet(spot_train_t *self)
{
    self->quiet_ms = spot_smaller(spot_smaller(self->end_ms, self->count_from_ms),
        spot_smaller(self->wake_ms, self->notices.next_ms));
    if (self->log != NULL || self->gone != NULL) {
        self->quiet_ms = 0;
    }
}

/* Asks the recovery system, which must answer the loss of an active instance. */
static void decide(spot_train_t *self, const spot_recovery_change_t *change)
{
    const spot_recovery_choice_t *recovery = &self->scenario->recovery;
    spot_recovery_view_t view = {
        .now_ms = self->now_ms,
        .job = &self->scenario->job,
        .fleet = &self->fleet,
        .num_pipelines = self->num_pipelines,
        .num_active = self->fleet.counts[SPOT_ACTIVE],
        .num_standby = self->fleet.counts[SPOT_STANDBY],
        .num_prepping = self->fleet.counts[SPOT_PREPPING],
        .training_ms = self->episode.training_ms,
        .deadlines_ms = self->notices.deadlines_ms,
    };
    spot_recovery_decision_t decision = {0};

    if (view.deadlines_ms != NULL) {
        spot_episode_view_steps(self, &view);
    }
    recovery->system->decide(recovery->options, self->recovery_state, &view, change, &decision);
    spot_bug_assert(decision.is_new || change->num_lost_active == 0);
    self->result.clipped_forecasts += decision.num_clipped;
    self->result.lacks_step_time |= spot_decision_notes(&decision, SPOT_NOTE_STEP_UNKNOWN);
    if (decision.step_ms == 0 && !recovery->traits.has_own_step_time) {
        self->result.lacks_step_time |=
            spot_job_lacks_step_time(view.job, spot_recovery_num_usable(&view));
    }
    if (decision.is_new) {
        self->result.fatal += spot_decision_notes(&decision, SPOT_NOTE_FATAL);
        spot_episode_begin(self, &decision);
        self->wake_ms = INT64_MAX;
        self->awaited_standby = decision.awaited_standby;
    }
    if (decision.wake_ms > 0 || decision.wakes == SPOT_WAKE_STEP_END) {
        self->wake_ms = spot_episode_wake_ms(self, &decision);
        self->wakes_last = decision.wakes == SPOT_WAKE_LAST;
    }
    settle_quiet(self);
}

/* Whether to ask the recovery system. Each condition alone is unpredictable: one branch
 * for all of them. */
static bool must_ask(const spot_train_t *self, int32_t num_noted)
{
    const int32_t is_enough = self->fleet.counts[SPOT_STANDBY] >= self->awaited_standby;

    return (self->fleet.num_lost | num_noted | (self->change.num_ready & -is_enough)) != 0;
}

/* Carries out the changes of the trace that this tick sees. */
static void see_changes(spot_train_t *self)
{
    do {
        spot_change_t change;

        (void) spot_membership_next(&self->membership, &change);
        apply_change(self, &change);
        if (self->notices.lead_ms > 0) {
            notices_see(&self->notices, &change);
        }
        look_ahead(self);
    } while (self->seen_ms == self->now_ms);
    self->result.peak_instances = spot_larger(self->result.peak_instances, population(self));
}

/* Visits a tick: ends preparations, then sees changes. */
static void advance_cluster(spot_train_t *self, int64_t tick_ms)
{
    advance_to(self, tick_ms);
    self->change.num_ready = spot_fleet_finish_preparation(&self->fleet, self->now_ms);
    self->fleet.num_lost = 0;
    if (self->seen_ms == self->now_ms) {
        see_changes(self);
    }
}

/* Takes the notices of this tick. */
static void see_notices(spot_train_t *self)
{
    spot_recovery_change_t *change = &self->change;

    notices_look(&self->notices, self->now_ms);
    change->num_noticed = self->notices.num_noticed;
    change->deadline_ms = self->notices.deadline_ms;
    if (change->num_noticed > 0 && self->log != NULL) {
        log_notice(self);
    }
    if (self->fleet.num_lost == 0 && change->num_ready == 0 && change->num_gone == 0 &&
        change->num_gone_prepping == 0) {
        change->kind = SPOT_CHANGE_NOTICE;
    }
}

/* One question for all changes of a tick; num_noted counts further reasons to ask. */
static void ask(spot_train_t *self, int32_t num_noted)
{
    if (must_ask(self, num_noted)) {
        self->change.num_lost_active = self->fleet.num_lost;
        decide(self, &self->change);
    }
}

/* Visits the wake that the recovery system has asked for. The changes of the cluster at
 * the same instant follow, unless it asked for the last place. */
static void visit_wake(spot_train_t *self)
{
    const spot_recovery_change_t change = {.kind = SPOT_CHANGE_WAKE};

    advance_to(self, self->wake_ms);
    self->wake_ms = INT64_MAX;
    decide(self, &change);
    if (self->log != NULL) {
        log_fleet(self);
    }
}

/* Visits the end of what is played of an earlier run, before the changes of that
 * instant: the steps of the goal come on top of those that are kept now. */
static void visit_count(spot_train_t *self)
{
    advance_to(self, self->count_from_ms);
    self->count_from_ms = INT64_MAX;
    if (self->scenario->until_steps > 0) {
        spot_episode_set_goal(self, self->scenario->until_steps);
    }
    settle_quiet(self);
}

/* Whether an overdraw before the end of the run ended the trace. */
static bool has_overdraw(const spot_train_t *self)
{
    const int64_t stopped_ms = spot_membership_stopped_ms(&self->membership);

    return self->seen_ms == INT64_MAX && stopped_ms >= 0 &&
           spot_ticks_at_or_after(&self->ticks, stopped_ms) < self->end_ms;
}

/* Moves the recovery system's redundant share of the useful time. */
static void settle_redundant(spot_train_t *self)
{
    int64_t *instance_ms = self->result.ledger.instance_ms;
    const int64_t redundant_ms = (int64_t) (self->scenario->recovery.traits.redundant_share *
                                            (double) instance_ms[SPOT_SHARE_USEFUL]);

    instance_ms[SPOT_SHARE_USEFUL] -= redundant_ms;
    instance_ms[SPOT_SHARE_REDUNDANT] += redundant_ms;
}

static int finish(spot_train_t *self)
{
    const int64_t trace_end_ms = spot_trace_model_end_ms(&self->scenario->trace);
    spot_train_result_t *result = &self->result;

    advance_to(self, self->end_ms);
    result->horizon_ms = self->end_ms;
    result->is_past_trace_end = trace_end_ms > 0 && trace_end_ms < self->end_ms;
    spot_episode_end(self);
    spot_pending_end(self);
    settle_redundant(self);
    spot_ledger_verify(&result->ledger);
    spot_bug_assert(
        result->input_stalled_instance_ms <= result->ledger.instance_ms[SPOT_SHARE_STALLED]);
    result->cost_usd = cost_until(self, self->end_ms);
    if (self->log != NULL) {
        log_end(self);
    }
    if (self->notices.has_failed != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    return has_overdraw(self) ? SPOT_ERR_OVERDRAW : 0;
}

static void start_recovery(spot_train_t *self, const spot_dice_t *dice, spot_tapes_t *tapes)
{
    const spot_scenario_t *scenario = self->scenario;
    const spot_recovery_choice_t *recovery = &scenario->recovery;
    const spot_recovery_start_t run = {
        .job = &scenario->job,
        .capacity = spot_scenario_num_slots(scenario),
        .horizon_ms = scenario->horizon_ms,
        .seed = self->result.seed,
        .replication = self->result.replication,
        .future = self->foresight.is_wanted ? &self->foresight.future : NULL,
        .kept = self->recovery_kept,
    };

    self->result.is_clairvoyant = self->foresight.is_wanted;
    self->result.has_published_defaults = self->scenario->recovery.is_published;
    if (self->foresight.is_wanted) {
        foresight_look(&self->foresight, dice, tapes, self->stop);
    }
    memset(self->recovery_state, 0, self->recovery_state_size);
    if (recovery->system->start != NULL) {
        recovery->system->start(recovery->options, self->recovery_state, &run);
    }
}

void spot_train_start(
    spot_train_t *self, uint64_t seed, uint64_t replication, spot_event_log_t *log)
{
    const spot_dice_t dice = {.seed = seed, .replication = replication};
    spot_tapes_t *tapes = log == NULL ? self->tapes : NULL;

    if (tapes == NULL && (self->foresight.is_wanted || self->notices.lead_ms > 0)) {
        tapes = &self->own_tapes;
        spot_tapes_clear(tapes);
    }

    memset(&self->result, 0, sizeof(self->result));
    memset(&self->episode, 0, sizeof(self->episode));
    memset(&self->pending, 0, sizeof(self->pending));
    self->feed = spot_feed_init(&self->scenario->job);
    self->episode.training_ms = INT64_MAX;
    self->result.first_training_ms = -1;
    self->wake_ms = INT64_MAX;
    self->result.seed = seed;
    self->result.replication = replication;
    if (self->recovery_state != NULL) {
        start_recovery(self, &dice, tapes);
    }
    self->log = log;
    self->first_pending = 0;
    self->first_begun = SIZE_MAX;
    self->first_head = SIZE_MAX;
    if (log != NULL) {
        spot_event_log_clear(log);
    }
    spot_fleet_clear(&self->fleet);
    spot_membership_start_with(&self->membership, &dice, log == NULL ? tapes : NULL, log != NULL);
    self->now_ms = 0;
    self->end_ms = self->scenario->horizon_ms;
    self->goal_steps = self->scenario->until_steps;
    self->count_from_ms = INT64_MAX;
    if (self->scenario->count_from_ms > 0) {
        self->goal_steps = 0;
        self->count_from_ms = self->scenario->count_from_ms;
    }
    self->num_pipelines = 0;
    self->awaited_standby = 0;
    self->result.initial = population(self);
    spot_fleet_add(&self->fleet, self->on_demand, (int32_t) self->num_on_demand, 0);
    spot_fleet_add_initial(&self->fleet, self->membership.initial, self->membership.population,
        self->scenario->fleet.preparing, self->ready_after_ms, self->scenario->tick_ms);
    self->is_metered = !self->has_one_price || log != NULL;
    if (self->is_metered) {
        cost_start(self);
    }
    look_ahead(self);
    notices_start(&self->notices, &dice, tapes);
    self->change = (spot_recovery_change_t){
        .lost = self->fleet.lost, .noticed = self->notices.noticed, .gone = self->gone};
    self->result.peak_instances = self->seen_ms > 0 ? population(self) : 0;
    settle_quiet(self);
    if (log != NULL && spot_smaller(next_tick_ms(self), self->notices.next_ms) > 0) {
        log_fleet(self);
    }
}

/* Visits the next instant if it may be a wake, a notice, the begin of the count of steps
 * or the end of the run, or if more is noted of it. Returns as spot_train_step(). */
SPOT_NOINLINE static int visit_any(spot_train_t *self, int64_t due_ms)
{
    const int64_t tick_ms = spot_smaller(due_ms, self->notices.next_ms);
    spot_recovery_change_t *change = &self->change;

    if (self->count_from_ms <=
        spot_smaller(tick_ms, spot_smaller(self->wake_ms, self->end_ms - 1))) {
        visit_count(self);
        return 1;
    }
    if (self->wake_ms <= tick_ms - self->wakes_last && self->wake_ms < self->end_ms) {
        visit_wake(self);
        return 1;
    }
    if (tick_ms >= self->end_ms) {
        return finish(self);
    }
    advance_cluster(self, tick_ms);
    if (self->notices.next_ms <= tick_ms) {
        see_notices(self);
    }
    ask(self, change->num_gone | change->num_gone_prepping | change->num_noticed);
    if (self->log != NULL) {
        log_fleet(self);
    }
    change->kind = SPOT_CHANGE_MEMBERSHIP;
    change->num_gone = 0;
    change->num_gone_prepping = 0;
    change->num_noticed = 0;
    settle_quiet(self);
    return 1;
}

/* Inlining all calls saves 7 % of the instructions. */
SPOT_FLATTEN int spot_train_step(spot_train_t *self, int64_t max_ticks)
{
    int ret = 1;

    for (int64_t j = 0; j < max_ticks && ret == 1; j++) {
        const int64_t due_ms = next_tick_ms(self);

        if (due_ms >= self->quiet_ms) {
            ret = visit_any(self, due_ms);
        } else {
            advance_cluster(self, due_ms);
            ask(self, 0);
        }
    }
    return ret;
}

/* Instants between two looks at the stop flag; they take some milliseconds with the
 * slowest recovery systems. */
#define TICKS_PER_LOOK 256

static bool is_stopped(const spot_train_t *self)
{
    return self->stop != NULL && atomic_load(self->stop) != 0;
}

int spot_train_run(spot_train_t *self, uint64_t seed, uint64_t replication, spot_event_log_t *log)
{
    int ret;

    spot_train_start(self, seed, replication, log);
    if (self->foresight.has_failed != 0) {
        return self->foresight.has_failed;
    }
    do {
        ret = spot_train_step(self, TICKS_PER_LOOK);
    } while (ret == 1 && !is_stopped(self));
    if (ret == 1) {
        return SPOT_ERR_INTERRUPTED;
    }
    if (ret == 0 && log != NULL) {
        ret = log->has_failed;
    }
    return ret;
}
