/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/generator.h"

#include <math.h>

#include "base/units.h"
#include "traces/generate/model.h"

const spot_generator_t *const spot_generators[] = {
    &spot_generator_seed,
    &spot_generator_mrp,
    &spot_generator_block,
    &spot_generator_replay,
    &spot_generator_fleet_replay,
    &spot_generator_lifetimes,
    &spot_generator_chance,
    &spot_generator_zones,
    NULL,
};

const spot_generator_members_t *spot_generator_members(const spot_generator_t *self)
{
    static const spot_generator_members_t none = {0};

    return self->members == NULL ? &none : self->members;
}

const spot_generator_population_t *spot_generator_population(const spot_generator_t *self)
{
    static const spot_generator_population_t none = {0};

    return self->population == NULL ? &none : self->population;
}

/* ---- The clock of a trace beside that of the run (frequency) ---- */

/* Between two clocks: rounding to the nearest ms, and the error of a product. */
#define HALF_MS 0.5
#define TINY_MS 1e-6

bool spot_trace_model_next(const spot_trace_model_t *self, void *state, spot_event_t *event)
{
    if (!self->generator->next(state, event)) {
        return false;
    }
    event->time_ms = spot_model_run_ms(self->model, event->time_ms);
    return true;
}

size_t spot_trace_model_next_many(
    const spot_trace_model_t *self, void *state, size_t max_events, spot_event_t *events)
{
    const spot_generator_t *generator = self->generator;
    const bool is_fast = spot_trace_model_common(self)->frequency != 1;
    size_t num_events = 0;

    if (generator->next_many != NULL) {
        num_events = generator->next_many(state, max_events, events);
    }
    while (generator->next_many == NULL && num_events < max_events &&
           generator->next(state, &events[num_events])) {
        num_events++;
    }
    for (size_t j = 0; is_fast && j < num_events; j++) {
        events[j].time_ms = spot_model_run_ms(self->model, events[j].time_ms);
    }
    return num_events;
}

/* All that the run sees by last_ms: what is rounded down to it too. */
bool spot_trace_model_next_until(
    const spot_trace_model_t *self, void *state, int64_t last_ms, spot_event_t *event)
{
    const double frequency = spot_trace_model_common(self)->frequency;
    const int64_t own_ms =
        frequency == 1 ? last_ms
                       : (int64_t) ceil(((double) last_ms + HALF_MS) * frequency - TINY_MS) - 1;

    if (!spot_generator_members(self->generator)->next_until(state, own_ms, event)) {
        return false;
    }
    event->time_ms = spot_model_run_ms(self->model, event->time_ms);
    return true;
}

const int32_t *spot_trace_model_lose(
    const spot_trace_model_t *self, void *state, double time_s, int64_t after_ms, int32_t num_lost)
{
    const spot_model_common_t *common = self->model;
    const double frequency = common->frequency;
    const double seen_s = (double) after_ms * frequency / (double) SPOT_MS_PER_S;

    /* On another clock the model may have gone on to a tick after the loss. */
    if (frequency != 1 && common->tick_ms > 0) {
        const double tick_s = (double) common->tick_ms / (double) SPOT_MS_PER_S;

        time_s = fmax(time_s * frequency, floor(seen_s / tick_s) * tick_s);
    }
    return spot_generator_members(self->generator)->lose(state, time_s, num_lost);
}

int64_t spot_model_run_ms(const spot_model_common_t *self, int64_t own_ms)
{
    return self->frequency == 1 ? own_ms
                                : (int64_t) floor((double) own_ms / self->frequency + HALF_MS);
}

int64_t spot_model_run_end_ms(const spot_model_common_t *self, int64_t own_ms)
{
    return self->frequency == 1 ? own_ms
                                : (int64_t) ceil((double) own_ms / self->frequency - TINY_MS);
}

int64_t spot_model_own_ms(const spot_model_common_t *self, int64_t run_ms)
{
    return self->frequency == 1 ? run_ms
                                : (int64_t) floor((double) run_ms * self->frequency + TINY_MS);
}

int64_t spot_model_last_ms(const spot_model_common_t *self)
{
    return self->horizon_ms > 0 ? spot_model_own_ms(self, self->horizon_ms)
                                : 2 * SPOT_MAX_DURATION_MS;
}
