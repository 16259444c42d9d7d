/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/core_job.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

#define PREFIX "core:"

const spot_field_t spot_trainer_name = {
    .type = SPOT_FIELD_TEXT, .offset = offsetof(spot_trainer_t, name)};
const spot_field_t spot_trainer_path = {
    .type = SPOT_FIELD_PATH, .offset = offsetof(spot_trainer_t, path)};

int
spot_trainers_read(spot_trainers_t *self, spot_diag_t *diag)
{
    int ret = 0;

    for (size_t j = 0; ret != SPOT_ERR_NO_MEMORY && j < self->num_trainers; j++) {
        spot_trainer_t *trainer = &self->trainers[j];
        int error = SPOT_ERR_NO_MEMORY;

        trainer->training = spot_calloc(1, sizeof(*trainer->training));
        if (trainer->training != NULL) {
            error = spot_scenario_read(trainer->training, trainer->path, NULL, diag);
        }
        ret = spot_error_first(ret, error);
    }
    return ret;
}

void
spot_trainers_free(spot_trainers_t *self)
{
    for (size_t j = 0; j < self->num_trainers; j++) {
        free(self->trainers[j].name);
        free(self->trainers[j].path);
        if (self->trainers[j].training != NULL) {
            spot_scenario_free(self->trainers[j].training);
            free(self->trainers[j].training);
        }
    }
    free(self->trainers);
    *self = (spot_trainers_t){0};
}

const spot_trainer_t *
spot_trainers_find(const spot_trainers_t *self, const char *text)
{
    if (text == NULL || strncmp(text, PREFIX, sizeof(PREFIX) - 1) != 0) {
        return NULL;
    }
    for (size_t j = 0; j < self->num_trainers; j++) {
        if (strcmp(self->trainers[j].name, text + sizeof(PREFIX) - 1) == 0) {
            return &self->trainers[j];
        }
    }
    return NULL;
}

void
spot_core_job_free(spot_core_job_t *self)
{
    free(self->events);
    *self = (spot_core_job_t){0};
}

void
spot_core_job_change(
    spot_core_job_t *self, int64_t time_ms, int32_t node_id, spot_event_kind_t kind)
{
    SPOT_ARRAY_PUSH(self, events,
        (spot_core_event_t){time_ms, node_id, kind, kind == SPOT_EVENT_ADD});
}

void
spot_core_job_start_with(spot_core_job_t *self, int32_t node_id)
{
    spot_core_job_change(self, 0, node_id, SPOT_EVENT_ADD);
    self->num_initial++;
}

/* The trace of what has happened; its names are the ids of nodes. memory: of its arrays.
 * Returns the most nodes at a time. */
static int32_t
make_trace(const spot_core_job_t *self, spot_trace_t *trace, spot_arena_t *memory)
{
    const int32_t num_initial = (int32_t) self->num_initial;
    int32_t population = num_initial, most = num_initial, last_id = -1, *ids;
    spot_event_t *events;

    SPOT_ARENA_ARRAY(memory, ids, self->num_events);
    SPOT_ARENA_ARRAY(memory, events, self->num_events);
    if (memory->error != 0) {
        return 0;
    }
    for (size_t j = 0; j < self->num_events; j++) {
        const spot_core_event_t *event = &self->events[j];

        ids[j] = event->node_id;
        last_id = ids[j] > last_id ? ids[j] : last_id;
        events[j] = (spot_event_t){.time_ms = event->time_ms,
            .kind = event->kind,
            .count = 1,
            .name_ids = &ids[j]};
        if (j >= self->num_initial) {
            population += event->kind == SPOT_EVENT_ADD ? 1 : -1;
            most = population > most ? population : most;
        }
    }
    *trace = (spot_trace_t){.kind = SPOT_TRACE_NAMED,
        .capacity = SPOT_UNBOUNDED,
        .resolution_ms = 1,
        .initial = num_initial,
        .end_ms = SPOT_MAX_DURATION_MS,
        .final = population,
        .num_events = self->num_events - self->num_initial,
        .events = events + self->num_initial,
        .num_names = (size_t) last_id + 1,
        .name_ids = ids};
    return most;
}

int
spot_core_job_run(
    spot_core_job_t *self, uint64_t seed, uint64_t replication, int64_t last_ms)
{
    spot_scenario_t scenario = *self->trainer->training;
    spot_arena_t memory = {0};
    spot_trace_t trace;
    spot_train_t train = {0};
    const int32_t most = make_trace(self, &trace, &memory);
    /* the scheduler gives ready nodes, so that none is clipped */
    const int64_t least = self->is_prepared ? most : (int64_t) self->num_initial;
    int ret = spot_error_first(self->error, memory.error);

    scenario.fleet.on_demand = 0;
    if (self->is_prepared) {
        scenario.fleet.preparation_ms = 0;
    }
    if (scenario.fleet.capacity < least) {
        scenario.fleet.capacity = least;
    }
    if (last_ms > 0 && last_ms < scenario.horizon_ms) {
        scenario.horizon_ms = last_ms;
    }
    if (ret == 0) {
        ret = spot_trace_model_of(&scenario.trace, &trace);
        ret = ret != 0 ? ret : spot_train_init(&train, &scenario);
        ret = ret != 0 ? ret : spot_train_run(&train, seed, replication, NULL);
        self->result = train.result;
        spot_train_free(&train);
        spot_trace_model_free(&scenario.trace);
    }
    spot_arena_free(&memory);
    return ret;
}
