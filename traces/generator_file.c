/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recorded trace as it is: no dice. In YAML "trace: {file: PATH}". */
#include <stdlib.h>
#include <string.h>

#include "traces/generator.h"

typedef struct {
    spot_model_common_t common;
    char *path;
    spot_trace_t trace;
} model_t;

typedef struct {
    const spot_trace_t *trace;
    size_t event_id; /* of the next one */
} state_t;

static int
file_prepare(void *model, spot_diag_t *diag)
{
    model_t *self = model;
    const int ret = spot_trace_read(&self->trace, self->path, false, diag);

    if (ret == 0 && self->trace.kind == SPOT_TRACE_AVAILABILITY) {
        spot_diag_warn(diag, self->path, 0, 0,
            "kind availability: what could have been obtained is taken as running");
    }
    return ret;
}

static void
file_free(void *model)
{
    model_t *self = model;

    spot_trace_free(&self->trace);
    free(self->path);
}

static void
file_start(void *state, const void *model, uint64_t seed, uint64_t replication)
{
    state_t *self = state;

    (void) seed;
    (void) replication;
    self->trace = &((const model_t *) model)->trace;
    self->event_id = 0;
}

static bool
file_next(void *state, spot_event_t *event)
{
    state_t *self = state;

    if (self->event_id == self->trace->num_events) {
        return false;
    }
    *event = self->trace->events[self->event_id++];
    return true;
}

static const spot_trace_t *
file_recording(const void *model)
{
    return &((const model_t *) model)->trace;
}

static const spot_field_t file_options[] = {
    {.name = "file",
        .type = SPOT_FIELD_PATH,
        .offset = offsetof(model_t, path),
        .help =
            "a trace file (spotsim-trace 1, .csv or .csv.gz), relative to the document"},
    {.name = NULL},
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
    .recording = file_recording,
};
