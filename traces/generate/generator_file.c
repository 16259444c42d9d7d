/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recorded trace, without random numbers. In YAML "trace: {file: PATH}". */
#include <stdlib.h>

#include "base/memory.h"
#include "traces/generate/model.h"
#include "traces/generate/recordings.h"

typedef struct {
    spot_model_common_t common;
    char *path;
    spot_recorded_trace_t recording;
    spot_zones_t zones; /* those with prices; the trace owns their names */
} model_t;

typedef struct {
    const spot_trace_t *trace;
    size_t event_id; /* of the next event */
} state_t;

static int file_prepare(void *model, const void *like, spot_diag_t *diag)
{
    model_t *self = model;
    int ret = spot_recorded_trace_open(&self->recording,
        like == NULL ? NULL : &((const model_t *) like)->recording, self->path, diag);

    if (ret == 0) {
        spot_recorded_trace_play(self->recording.trace, 0, &self->common);
        ret = spot_price_header_read(
            self->recording.trace, self->path, &self->common.price, &self->zones, diag);
    }
    for (size_t j = 0; ret == 0 && j < self->zones.num_zones; j++) {
        spot_price_steps_speed_up(&self->zones.zones[j].price, self->common.frequency);
    }
    return ret;
}

static void file_free(void *model)
{
    model_t *self = model;

    spot_recorded_trace_close(&self->recording);
    spot_zones_free(&self->zones);
    free(self->path);
}

static void file_start(void *state, const void *model, const spot_dice_t *dice)
{
    state_t *self = state;

    (void) dice;
    self->trace = ((const model_t *) model)->recording.trace;
    self->event_id = 0;
}

static bool file_next(void *state, spot_event_t *event)
{
    state_t *self = state;

    if (self->event_id == self->trace->num_events) {
        return false;
    }
    *event = self->trace->events[self->event_id++];
    return true;
}

static const spot_trace_t *file_recording(const void *model)
{
    return ((const model_t *) model)->recording.trace;
}

static int64_t file_end_ms(const void *model)
{
    return file_recording(model)->end_ms;
}

/* Number of names in the trace, whose ids are kept; counts and availability have
 * none. */
static int64_t file_num_names(const void *model)
{
    return (int64_t) file_recording(model)->num_names;
}

static const int32_t *file_initial_names(const void *state)
{
    return ((const state_t *) state)->trace->name_ids;
}

static const char *file_name_text(
    const void *state, int32_t name_id, char text[SPOT_NAME_BYTES + 1])
{
    (void) text;
    return ((const state_t *) state)->trace->names[name_id];
}

static const spot_zones_t *file_zones(const void *model)
{
    return &((const model_t *) model)->zones;
}

static const spot_field_t file_options[] = {
    {SPOT_VALUE(PATH, "file", model_t, path, NULL,
        "a trace file (spotsim-trace 1, .csv or .csv.gz), relative to the document")},
    {.name = NULL, .fields = spot_model_recorded_fields},
};

static const spot_generator_members_t members = {
    .zones = file_zones,
    .num_names = file_num_names,
    .initial_names = file_initial_names,
    .name_text = file_name_text,
};

static const spot_generator_population_t population = {
    .end_ms = file_end_ms,
    .recording = file_recording,
};

const spot_generator_t spot_generator_file = {
    .name = "file",
    .doc = "a recorded trace as it is",
    .source = "the file",
    .options = file_options,
    .model_size = sizeof(model_t),
    .state_size = sizeof(state_t),
    .prepare = file_prepare,
    .free = file_free,
    .start = file_start,
    .next = file_next,
    .members = &members,
    .population = &population,
};

int spot_trace_model_of(spot_trace_model_t *self, const spot_trace_t *trace)
{
    model_t *model = spot_calloc(1, sizeof(*model));

    *self =
        (spot_trace_model_t){.generator = &spot_generator_file, .model = model, .recording = trace};
    if (model == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    model->common =
        (spot_model_common_t){.frequency = 1, .tick_ms = trace->resolution_ms, .is_within = true};
    model->recording.trace = trace;
    return 0;
}
