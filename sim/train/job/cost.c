/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/job/cost.h"

#include "base/memory.h"
#include "base/stats.h"

/* The price of instances whose zone has none. */
static const spot_price_steps_t *common_price(const spot_scenario_t *scenario)
{
    const spot_price_steps_t *own = &spot_trace_model_common(&scenario->trace)->price;

    return own->num_steps > 0 ? own : &scenario->fleet.price.spot;
}

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

int spot_cost_init(spot_train_t *self)
{
    self->num_meters = spot_trace_model_zones(&self->scenario->trace)->num_zones + 1;
    self->meters = spot_calloc(self->num_meters, sizeof(*self->meters));
    self->has_one_price = self->num_meters == 1 && common_price(self->scenario)->num_steps == 1;
    return self->meters == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

void spot_cost_pay(spot_train_t *self, const int32_t *slots, int32_t count, int num_more)
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

void spot_cost_start(spot_train_t *self)
{
    const spot_zones_t *zones = spot_trace_model_zones(&self->scenario->trace);
    const spot_price_steps_t *price = common_price(self->scenario);

    start_meter(self, &self->meters[0], price);
    for (size_t j = 0; j < zones->num_zones; j++) {
        const spot_price_steps_t *of_zone = &zones->zones[j].price;

        start_meter(self, &self->meters[j + 1], of_zone->num_steps > 0 ? of_zone : price);
    }
    spot_cost_pay(self, NULL, self->membership.population, 1);
}

double spot_cost_until(spot_train_t *self, int64_t time_ms)
{
    const int64_t on_demand_ms = self->num_on_demand * time_ms;
    spot_sum_t usd = {0};

    if (!self->is_metered) {
        spot_sum_add(&usd, spot_price_usd(common_price(self->scenario)->steps[0].usd_per_h,
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

double spot_cost_of_trace(const spot_scenario_t *scenario, const spot_trace_t *trace)
{
    const spot_price_t *price = &scenario->fleet.price;
    spot_sum_t usd = {0};
    spot_meter_t meter;

    spot_meter_start(&meter, common_price(scenario));
    spot_meter_change(&meter, 0, trace->initial);
    for (size_t j = 0; j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        spot_meter_change(
            &meter, event->time_ms, event->kind == SPOT_EVENT_ADD ? event->count : -event->count);
    }
    spot_meter_change(&meter, trace->end_ms, 0);
    spot_sum_add(&usd, spot_meter_usd(&meter));
    spot_sum_add(&usd,
        spot_price_usd(price->on_demand_usd_per_h, scenario->fleet.on_demand * trace->end_ms));
    spot_sum_add(&usd, spot_price_usd(scenario->recovery.service_usd_per_h, trace->end_ms));
    return spot_sum_total(&usd);
}
