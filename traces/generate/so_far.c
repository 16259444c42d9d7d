/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/so_far.h"

#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "base/memory.h"

typedef struct {
    spot_model_common_t common;
    spot_recorded_trace_t so_far;
    spot_trace_model_t rest;
} model_t;

typedef struct {
    const model_t *model;
    size_t event_id; /* of the next event so far */
    bool has_jumped; /* to the initial instances of the rest */
    max_align_t rest[];
} state_t;

static void so_far_free(void *model)
{
    model_t *self = model;

    spot_recorded_trace_close(&self->so_far);
    spot_trace_model_free(&self->rest);
}

static size_t so_far_state_bytes(const void *model)
{
    return sizeof(state_t) + spot_trace_model_state_bytes(&((const model_t *) model)->rest);
}

static void so_far_start(void *state, const void *model, const spot_dice_t *dice)
{
    state_t *self = state;

    self->model = model;
    self->event_id = 0;
    self->has_jumped = false;
    self->model->rest.generator->start(self->rest, self->model->rest.model, dice);
}

/* Makes the event that replaces the last instances of the recording by those that the
 * rest starts with; false: they are as many. */
static bool jump(state_t *self, spot_event_t *event)
{
    const spot_trace_t *trace = self->model->so_far.trace;
    const int64_t change =
        spot_trace_model_initial_of(&self->model->rest, self->rest) - trace->final;

    self->has_jumped = true;
    *event = (spot_event_t){.time_ms = trace->end_ms,
        .kind = change > 0 ? SPOT_EVENT_ADD : SPOT_EVENT_PREEMPT,
        .count = (int32_t) (change > 0 ? change : -change)};
    return change != 0;
}

static bool so_far_next(void *state, spot_event_t *event)
{
    state_t *self = state;
    const model_t *model = self->model;
    const spot_trace_t *trace = model->so_far.trace;

    if (self->event_id < trace->num_events) {
        *event = trace->events[self->event_id++];
    } else if (self->has_jumped || !jump(self, event)) {
        if (!spot_trace_model_next(&model->rest, self->rest, event)) {
            return false;
        }
        event->time_ms += trace->end_ms;
        event->name_ids = NULL;
    }
    return event->time_ms <= spot_model_last_ms(&model->common);
}

static int64_t so_far_initial(const void *state)
{
    return ((const state_t *) state)->model->so_far.trace->initial;
}

static int64_t so_far_largest_initial(const void *model)
{
    return ((const model_t *) model)->so_far.trace->initial;
}

static int64_t so_far_end_ms(const void *model)
{
    const model_t *self = model;
    const int64_t end_ms = spot_trace_model_end_ms(&self->rest);

    return end_ms == 0 ? 0 : self->so_far.trace->end_ms + end_ms;
}

static bool so_far_is_unlimited(const void *model)
{
    return spot_trace_model_is_unlimited(&((const model_t *) model)->rest);
}

static bool so_far_is_unbounded(const void *model)
{
    return spot_trace_model_is_unbounded(&((const model_t *) model)->rest);
}

static int64_t so_far_stopped_ms(const void *state)
{
    const state_t *self = state;
    const model_t *model = self->model;
    const int64_t stopped_ms = spot_trace_model_stopped_ms(&model->rest, self->rest);

    return stopped_ms < 0 ? -1 : model->so_far.trace->end_ms + stopped_ms;
}

static int64_t so_far_num_names(const void *model)
{
    const spot_trace_t *trace = ((const model_t *) model)->so_far.trace;

    return trace->kind == SPOT_TRACE_NAMED ? (int64_t) trace->num_names : 0;
}

static const int32_t *so_far_initial_names(const void *state)
{
    return ((const state_t *) state)->model->so_far.trace->name_ids;
}

static const spot_generator_members_t members = {
    .num_names = so_far_num_names,
    .initial_names = so_far_initial_names,
};

static const spot_generator_population_t population = {
    .is_recorded = true,
    .initial = so_far_initial,
    .largest_initial = so_far_largest_initial,
    .end_ms = so_far_end_ms,
    .is_unlimited = so_far_is_unlimited,
    .is_unbounded = so_far_is_unbounded,
    .stopped_ms = so_far_stopped_ms,
};

/* Made by spot_trace_model_go_on() alone: no document names it. */
static const spot_generator_t generator_so_far = {
    .name = "so-far",
    .doc = "a recorded trace of a run up to now, then a model",
    .source = "the recording",
    .model_size = sizeof(model_t),
    .state_size = sizeof(state_t),
    .state_bytes = so_far_state_bytes,
    .free = so_far_free,
    .start = so_far_start,
    .next = so_far_next,
    .members = &members,
    .population = &population,
};

int spot_trace_model_go_on(spot_trace_model_t *model, spot_recorded_trace_t *so_far)
{
    model_t *self = spot_calloc(1, sizeof(*self));
    spot_model_common_t *rest = model->model;

    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    spot_bug_assert(spot_trace_model_zones(model)->num_zones == 0);
    self->common = *rest;
    self->common.name = NULL;
    self->common.initial = -1;
    self->common.frequency = 1;
    self->common.horizon_ms += rest->horizon_ms > 0 ? so_far->trace->end_ms : 0;
    rest->price = (spot_price_steps_t){0}; /* self owns its memory now */
    self->so_far = *so_far;
    self->rest = *model;
    *model = (spot_trace_model_t){.generator = &generator_so_far,
        .model = self,
        .key = spot_hash(model->key, &so_far->trace, sizeof(so_far->trace))};
    *so_far = (spot_recorded_trace_t){0};
    return 0;
}

const spot_trace_model_t *spot_trace_model_rest(const spot_trace_model_t *model)
{
    return model->generator == &generator_so_far ? &((const model_t *) model->model)->rest : model;
}

const spot_recorded_trace_t *spot_trace_model_so_far(const spot_trace_model_t *model)
{
    return model->generator == &generator_so_far ? &((const model_t *) model->model)->so_far : NULL;
}
