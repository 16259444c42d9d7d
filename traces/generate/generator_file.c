/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recorded trace as it is: no dice. In YAML "trace: {file: PATH}". */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "traces/generate/generator.h"
#include "traces/generate/price_header.h"

/* The recordings that models bound one after another have read: a study over one trace
 * reads it once, however many points it has. */
typedef struct {
    int num_users; /* models */
    size_t num_traces;
    size_t max_traces;
    struct {
        char *path;
        spot_trace_t *trace;
    } * traces; /* [num_traces] */
} shelf_t;

typedef struct {
    spot_model_common_t common;
    char *path;
    shelf_t *shelf;
    const spot_trace_t *trace; /* on the shelf */
    spot_zones_t zones;        /* as far as they have prices; names are the trace's */
} model_t;

typedef struct {
    const spot_trace_t *trace;
    size_t event_id; /* of the next one */
} state_t;

static void
free_shelf(shelf_t *shelf)
{
    for (size_t j = 0; j < shelf->num_traces; j++) {
        spot_trace_free(shelf->traces[j].trace);
        free(shelf->traces[j].trace);
        free(shelf->traces[j].path);
    }
    free(shelf->traces);
    free(shelf);
}

/* Reads a trace and puts it on the shelf, unless it is faulty. */
static int
read_trace(shelf_t *shelf, const char *path, spot_diag_t *diag)
{
    void *traces = shelf->traces;
    spot_trace_t *trace = spot_calloc(1, sizeof(*trace));
    char *copy = spot_text_copy(path, strlen(path));
    int ret;

    if (trace == NULL || copy == NULL ||
        spot_array_reserve(&traces, &shelf->max_traces, shelf->num_traces + 1,
            sizeof(*shelf->traces)) != 0) {
        free(trace);
        free(copy);
        return SPOT_ERR_NO_MEMORY;
    }
    shelf->traces = traces;
    shelf->traces[shelf->num_traces].path = copy;
    shelf->traces[shelf->num_traces].trace = trace;
    ret = spot_trace_read(trace, path, false, diag);
    if (ret != 0) {
        spot_trace_free(trace);
        free(trace);
        free(copy);
        return ret;
    }
    shelf->num_traces++;
    return 0;
}

static const spot_trace_t *
find_trace(const shelf_t *shelf, const char *path)
{
    for (size_t j = 0; j < shelf->num_traces; j++) {
        if (strcmp(shelf->traces[j].path, path) == 0) {
            return shelf->traces[j].trace;
        }
    }
    return NULL;
}

static int
file_prepare(void *model, const void *like, spot_diag_t *diag)
{
    model_t *self = model;
    int ret = 0;

    self->shelf = like == NULL ? NULL : ((const model_t *) like)->shelf;
    if (self->shelf == NULL) {
        self->shelf = spot_calloc(1, sizeof(*self->shelf));
    }
    if (self->shelf == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->shelf->num_users++;
    self->trace = find_trace(self->shelf, self->path);
    if (self->trace == NULL) {
        ret = read_trace(self->shelf, self->path, diag);
        self->trace = ret == 0 ? find_trace(self->shelf, self->path) : NULL;
    }
    if (ret == 0 && self->trace->kind == SPOT_TRACE_AVAILABILITY) {
        spot_diag_warn(diag, self->path, 0, 0,
            "kind availability: what could have been obtained is taken as running");
    }
    if (ret == 0) {
        ret = spot_price_header_read(
            self->trace, self->path, &self->common.price, &self->zones, diag);
    }
    return ret;
}

static void
file_free(void *model)
{
    model_t *self = model;

    if (self->shelf != NULL && --self->shelf->num_users == 0) {
        free_shelf(self->shelf);
    }
    spot_zones_free(&self->zones);
    free(self->path);
}

static void
file_start(void *state, const void *model, const spot_dice_t *dice)
{
    state_t *self = state;

    (void) dice;
    self->trace = ((const model_t *) model)->trace;
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
    return ((const model_t *) model)->trace;
}

static const spot_zones_t *
file_zones(const void *model)
{
    return &((const model_t *) model)->zones;
}

static const spot_field_t file_options[] = {
    {.name = "file",
        .type = SPOT_FIELD_PATH,
        .offset = offsetof(model_t, path),
        .help =
            "a trace file (spotsim-trace 1, .csv or .csv.gz), relative to the document"},
    {.name = NULL, .fields = spot_model_price_fields},
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
    .zones = file_zones,
    .recording = file_recording,
};
