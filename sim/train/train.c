/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/train.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/train/episode.h"
#include "sim/train/run_log.h"

const char *const spot_job_phase_names[SPOT_NUM_JOB_PHASES] = {
    "waiting", "reconfiguring", "reloading", "training"};

/* Kinds of calendar items: at one tick, preparations end before the trace's events are
 * seen. */
enum { ITEM_READY, ITEM_TRACE };

/* The tick at which something that happens at time_ms is seen. */
static int64_t
tick_at_or_after(const spot_train_t *self, int64_t time_ms)
{
    const int64_t tick_ms = self->scenario->tick_ms;
    /* A product is faster than a quotient; it is right to one tick, which is mended. */
    int64_t tick = (int64_t) ((double) time_ms * self->ticks_per_ms) * tick_ms;

    while (tick < time_ms) {
        tick += tick_ms;
    }
    while (tick - tick_ms >= time_ms) {
        tick -= tick_ms;
    }
    return tick;
}

/* Preparation that takes no time still ends at the next tick: step 2 is before step 3.
 */
static int64_t
ready_after_ms(const spot_train_t *self)
{
    const int64_t preparation_ms =
        tick_at_or_after(self, self->scenario->fleet.preparation_ms);

    return preparation_ms > 0 ? preparation_ms : self->scenario->tick_ms;
}

/* The price of instances that have none of their own. */
static const spot_price_steps_t *
common_price(const spot_train_t *self)
{
    const spot_price_steps_t *own =
        &spot_trace_model_common(&self->scenario->trace)->price;

    return own->num_steps > 0 ? own : &self->scenario->fleet.price.spot;
}

int
spot_train_init(spot_train_t *self, const spot_scenario_t *scenario)
{
    int ret;

    memset(self, 0, sizeof(*self));
    self->scenario = scenario;
    self->ticks_per_ms = 1 / (double) scenario->tick_ms;
    self->ready_after_ms = ready_after_ms(self);
    self->cycles = spot_calloc(
        (size_t) (scenario->fleet.capacity / scenario->job.pipeline_depth) + 1,
        sizeof(*self->cycles));
    if (self->cycles == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->num_meters = spot_trace_model_zones(&scenario->trace)->num_zones + 1;
    self->meters = spot_calloc(self->num_meters, sizeof(*self->meters));
    if (self->meters == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->has_one_price = self->num_meters == 1 && common_price(self)->num_steps == 1;
    spot_calendar_init(&self->calendar);
    ret = spot_membership_init(
        &self->membership, &scenario->trace, scenario->fleet.capacity);
    if (ret == 0) {
        ret = spot_fleet_init(&self->fleet, scenario->fleet.capacity);
    }
    return ret;
}

void
spot_train_free(spot_train_t *self)
{
    spot_membership_free(&self->membership);
    spot_fleet_free(&self->fleet);
    spot_calendar_free(&self->calendar);
    free(self->cycles);
    free(self->meters);
    memset(self, 0, sizeof(*self));
}

/* The next change of the trace and the tick at which it is seen. */
static void
fetch_change(spot_train_t *self)
{
    self->has_change = spot_membership_next(&self->membership, &self->change);
    if (self->has_change) {
        self->seen_ms = tick_at_or_after(self, self->change.time_ms);
    }
}

/* Puts what is known to come into the calendar: the next change of the trace and the end
 * of the oldest preparation, each at most once. An item whose instance has gone since
 * finds nothing to do. */
static int
schedule(spot_train_t *self)
{
    const int64_t ready_ms = spot_fleet_next_ready_ms(&self->fleet);
    int ret = 0;

    if (self->has_change && !self->has_trace_item) {
        self->has_trace_item = true;
        ret = spot_calendar_add(&self->calendar, self->seen_ms, ITEM_TRACE, 0);
    }
    if (ret == 0 && ready_ms != INT64_MAX && !self->has_ready_item) {
        self->has_ready_item = true;
        ret = spot_calendar_add(&self->calendar, ready_ms, ITEM_READY, 0);
    }
    return ret;
}

static void
start_meters(spot_train_t *self)
{
    const spot_zones_t *zones = spot_trace_model_zones(&self->scenario->trace);
    const spot_price_steps_t *price = common_price(self);

    spot_meter_start(&self->meters[0], price);
    for (size_t j = 0; j < zones->num_zones; j++) {
        const spot_price_steps_t *of_zone = &zones->zones[j].price;

        spot_meter_start(&self->meters[j + 1], of_zone->num_steps > 0 ? of_zone : price);
    }
}

/* From now on num_more instances are paid for each of count slots; NULL: the first ones.
 */
static void
pay_for(spot_train_t *self, const int32_t *slots, int32_t count, int num_more)
{
    const spot_zones_t *zones;

    if (self->has_one_price) {
        return;
    }
    if (self->num_meters == 1) {
        spot_meter_change(&self->meters[0], self->now_ms, (int64_t) count * num_more);
        return;
    }
    zones = spot_trace_model_zones(&self->scenario->trace);
    for (int32_t j = 0; j < count; j++) {
        const int32_t zone_id =
            spot_membership_zone(&self->membership, slots == NULL ? j : slots[j]);
        const bool has_own = zone_id >= 0 && zones->zones[zone_id].price.num_steps > 0;

        spot_meter_change(
            &self->meters[has_own ? zone_id + 1 : 0], self->now_ms, num_more);
    }
}

static void
settle_cost(spot_train_t *self)
{
    spot_sum_t usd = {0};

    if (self->has_one_price) {
        self->result.cost_usd = spot_price_usd(
            common_price(self)->steps[0].usd_per_h, self->result.ledger.population_ms);
        return;
    }
    for (size_t j = 0; j < self->num_meters; j++) {
        spot_meter_change(&self->meters[j], self->end_ms, 0);
        spot_sum_add(&usd, spot_meter_usd(&self->meters[j]));
    }
    self->result.cost_usd = spot_sum_total(&usd);
}

static void
apply_loss(spot_train_t *self, const spot_change_t *change)
{
    spot_train_result_t *result = &self->result;

    pay_for(self, change->slots, change->count, -1);
    for (int32_t j = 0; j < change->count; j++) {
        if (spot_fleet_remove(&self->fleet, change->slots[j]) == SPOT_ACTIVE) {
            self->num_lost_active++;
        }
    }
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

static void
apply_change(spot_train_t *self, const spot_change_t *change)
{
    if (self->log != NULL) {
        spot_run_log_change(self, change);
    }
    self->result.clipped += change->num_clipped;
    if (change->kind != SPOT_EVENT_ADD) {
        apply_loss(self, change);
        return;
    }
    self->result.added += change->count;
    pay_for(self, change->slots, change->count, 1);
    for (int32_t j = 0; j < change->count; j++) {
        spot_fleet_add(&self->fleet, change->slots[j], SPOT_PREPPING,
            self->now_ms + self->ready_after_ms);
    }
}

/* Charges the instances outside pipelines for the time since the last tick that was
 * visited; those in pipelines are charged by the episode. */
static void
advance_to(spot_train_t *self, int64_t time_ms)
{
    const spot_fleet_list_t *lists = self->fleet.lists;
    const int64_t passed_ms = time_ms - self->now_ms;
    spot_ledger_t *ledger = &self->result.ledger;

    ledger->instance_ms[SPOT_SHARE_PREPPING] += passed_ms * lists[SPOT_PREPPING].count;
    ledger->instance_ms[SPOT_SHARE_STANDBY] += passed_ms * lists[SPOT_STANDBY].count;
    ledger->population_ms += passed_ms * spot_fleet_population(&self->fleet);
    self->now_ms = time_ms;
}

/* Asks the recovery system, which must answer the loss of an active instance. */
static void
decide(spot_train_t *self)
{
    const spot_recovery_choice_t *recovery = &self->scenario->recovery;
    const spot_recovery_change_t change = {.num_lost_active = self->num_lost_active};
    const spot_recovery_view_t view = {
        .now_ms = self->now_ms,
        .job = &self->scenario->job,
        .num_active = self->fleet.lists[SPOT_ACTIVE].count,
        .num_standby = self->fleet.lists[SPOT_STANDBY].count,
        .num_prepping = self->fleet.lists[SPOT_PREPPING].count,
    };
    spot_recovery_plan_t plan = {0};

    recovery->system->decide(recovery->options, &view, &change, &plan);
    spot_bug_assert(plan.is_new || self->num_lost_active == 0);
    if (plan.is_new) {
        spot_episode_begin(self, &plan);
    }
}

/* Everything that is seen at one tick, in the order of the state machine. */
static void
visit_tick(spot_train_t *self, int64_t tick_ms)
{
    const int32_t num_standby = tick_ms == 0 ? 0 : self->fleet.lists[SPOT_STANDBY].count;
    int32_t population;

    advance_to(self, tick_ms);
    spot_fleet_finish_preparation(&self->fleet, tick_ms);
    self->num_ready = self->fleet.lists[SPOT_STANDBY].count - num_standby;
    self->num_lost_active = 0;
    while (self->has_change && self->seen_ms == tick_ms) {
        apply_change(self, &self->change);
        fetch_change(self);
    }
    population = spot_fleet_population(&self->fleet);
    if (population > self->result.peak_instances) {
        self->result.peak_instances = population;
    }
    if (self->num_lost_active > 0 || self->num_ready > 0) {
        decide(self);
    }
    if (self->log != NULL) {
        spot_run_log_fleet(self);
    }
}

/* Whether the trace has been ended by an overdraw that the run would have seen. */
static bool
has_overdraw(const spot_train_t *self)
{
    const int64_t stopped_ms = spot_membership_stopped_ms(&self->membership);

    return !self->has_change && stopped_ms >= 0 &&
           tick_at_or_after(self, stopped_ms) < self->end_ms;
}

static int
finish(spot_train_t *self)
{
    const int64_t trace_end_ms = spot_trace_model_end_ms(&self->scenario->trace);
    spot_train_result_t *result = &self->result;

    advance_to(self, self->end_ms);
    result->horizon_ms = self->end_ms;
    result->is_past_trace_end = trace_end_ms > 0 && trace_end_ms < self->end_ms;
    spot_episode_end(self, false);
    spot_ledger_verify(&result->ledger);
    settle_cost(self);
    if (self->log != NULL) {
        spot_run_log_end(self);
    }
    return has_overdraw(self) ? SPOT_ERR_OVERDRAW : 0;
}

int
spot_train_start(
    spot_train_t *self, uint64_t seed, uint64_t replication, spot_event_log_t *log)
{
    memset(&self->result, 0, sizeof(self->result));
    memset(&self->episode, 0, sizeof(self->episode));
    self->result.seed = seed;
    self->result.replication = replication;
    self->log = log;
    if (log != NULL) {
        spot_event_log_clear(log);
    }
    spot_calendar_clear(&self->calendar);
    spot_fleet_clear(&self->fleet);
    spot_membership_start(&self->membership, seed, replication);
    self->now_ms = 0;
    self->end_ms = self->scenario->horizon_ms;
    self->has_ready_item = false;
    self->has_trace_item = false;
    self->num_pipelines = 0;
    self->result.initial = self->membership.population;
    start_meters(self);
    for (int32_t slot = 0; slot < self->membership.population; slot++) {
        spot_fleet_add(&self->fleet, slot, SPOT_STANDBY, 0);
    }
    pay_for(self, NULL, self->membership.population, 1);
    fetch_change(self);
    visit_tick(self, 0);
    return schedule(self);
}

int
spot_train_step(spot_train_t *self)
{
    const spot_calendar_item_t *next = spot_calendar_first(&self->calendar);
    int64_t tick_ms;
    int ret;

    if (next == NULL || next->time_ms >= self->end_ms) {
        return finish(self);
    }
    tick_ms = next->time_ms;
    while (next != NULL && next->time_ms == tick_ms) {
        const spot_calendar_item_t item = spot_calendar_take(&self->calendar);

        self->has_ready_item = self->has_ready_item && item.kind != ITEM_READY;
        self->has_trace_item = self->has_trace_item && item.kind != ITEM_TRACE;
        next = spot_calendar_first(&self->calendar);
    }
    visit_tick(self, tick_ms);
    ret = schedule(self);
    return ret == 0 ? 1 : ret;
}

int
spot_train_run(
    spot_train_t *self, uint64_t seed, uint64_t replication, spot_event_log_t *log)
{
    int ret = spot_train_start(self, seed, replication, log);

    if (ret == 0) {
        do {
            ret = spot_train_step(self);
        } while (ret > 0);
    }
    if (ret == 0 && log != NULL) {
        ret = log->has_failed;
    }
    return ret;
}

void
spot_train_print_state(const spot_train_t *self, FILE *out)
{
    const spot_episode_t *episode = &self->episode;

    fprintf(out,
        "now %" PRId64 " ms, end %" PRId64 " ms; since %" PRId64 " ms: %" PRId64
        " active in %d pipelines, training from %" PRId64 " ms; %" PRId64
        " steps executed, %" PRId64 " durable\n",
        self->now_ms, self->end_ms, episode->start_ms, episode->world_size,
        self->num_pipelines, episode->training_ms, self->result.steps_executed,
        self->result.steps_durable);
    spot_membership_print_state(&self->membership, out);
    spot_fleet_print_state(&self->fleet, out);
    spot_calendar_print_state(&self->calendar, out);
}

void
spot_train_verify(const spot_train_t *self)
{
    const spot_fleet_list_t *lists = self->fleet.lists;
    const int64_t depth = self->scenario->job.pipeline_depth;

    spot_membership_verify(&self->membership);
    spot_fleet_verify(&self->fleet);
    spot_calendar_verify(&self->calendar);
    spot_bug_assert(lists[SPOT_ACTIVE].count == self->num_pipelines * depth);
    spot_bug_assert(self->episode.world_size == lists[SPOT_ACTIVE].count);
    spot_bug_assert(self->now_ms <= self->end_ms);
    spot_bug_assert(self->end_ms <= self->scenario->horizon_ms);
}
