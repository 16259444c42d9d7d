/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/trace_instances.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void spot_trace_instances_init(
    spot_trace_instances_t *self, spot_trace_t *trace, const char *file, spot_diag_t *diag)
{
    memset(self, 0, sizeof(*self));
    self->trace = trace;
    self->file = file;
    self->diag = diag;
}

void spot_trace_instances_free(spot_trace_instances_t *self)
{
    spot_names_free(&self->names);
    free(self->states);
    memset(self, 0, sizeof(*self));
}

/* The next of the blank-separated names; *num_bytes is 0 after the last one. */
static const char *next_name(const char *text, size_t *num_bytes)
{
    text += strspn(text, " ");
    *num_bytes = strcspn(text, " ");
    return text;
}

static int64_t num_names_in(const char *text)
{
    int64_t num_names = 0;
    size_t num_bytes;

    for (text = next_name(text, &num_bytes); num_bytes > 0;
         text = next_name(text + num_bytes, &num_bytes)) {
        num_names++;
    }
    return num_names;
}

/* Sets name_id to the id of a name; a new name gets a state. */
static int find_name(
    spot_trace_instances_t *self, const char *name, size_t num_bytes, int32_t *name_id)
{
    const size_t num_names = self->names.num_names;
    int ret = SPOT_ARRAY_ROOM(self, states, num_names + 1);

    ret = ret == 0 ? spot_names_add(&self->names, name, num_bytes, name_id) : ret;
    if (ret == 0 && self->names.num_names > num_names) {
        self->states[num_names] = (spot_instance_state_t){.is_running = false};
    }
    return ret;
}

/* Reports "instances: <before>'name'<behind>". */
static int report_name(const spot_trace_instances_t *self, const spot_csv_row_t *row,
    const char *name, size_t num_bytes, const char *before, const char *behind)
{
    const size_t offset = (size_t) (name - row->fields[SPOT_TRACE_COLUMN_INSTANCES]);
    char text[SPOT_NAME_BYTES + 1], shown[SPOT_CSV_SHOWN_BYTES];

    num_bytes = num_bytes < SPOT_NAME_BYTES ? num_bytes : SPOT_NAME_BYTES;
    memcpy(text, name, num_bytes);
    text[num_bytes] = '\0';
    return spot_diag_error(self->diag, self->file, row->line,
        spot_csv_column_at(row, SPOT_TRACE_COLUMN_INSTANCES, offset), "instances: %s'%s'%s", before,
        spot_csv_shown(text, shown), behind);
}

static int check_name(spot_trace_instances_t *self, const spot_csv_row_t *row, const char *name,
    size_t num_bytes, bool is_arrival, bool is_doubtful, int32_t *name_id)
{
    const char *problem = NULL;
    spot_instance_state_t *state;
    int ret;

    if (!spot_trace_is_name(name, num_bytes)) {
        return report_name(self, row, name, num_bytes, "bad name ", "");
    }
    ret = find_name(self, name, num_bytes, name_id);
    if (ret != 0) {
        return ret;
    }
    state = &self->states[*name_id];
    if (state->line == row->line) {
        problem = " twice in one row";
    } else if (!is_doubtful && state->is_running == is_arrival) {
        problem = is_arrival ? " is already running" : " is not running";
    }
    state->line = row->line;
    return problem == NULL ? 0 : report_name(self, row, name, num_bytes, "", problem);
}

int spot_trace_instances_check(spot_trace_instances_t *self, const spot_csv_row_t *row,
    int64_t num_expected, bool is_arrival, bool is_doubtful)
{
    const char *name = row->fields[SPOT_TRACE_COLUMN_INSTANCES];
    const int64_t num_found = num_names_in(name);
    spot_trace_t *trace = self->trace;
    int32_t *name_id;
    size_t num_bytes;
    int ret;

    if (num_found != num_expected) {
        return spot_diag_error(self->diag, self->file, row->line,
            row->columns[SPOT_TRACE_COLUMN_INSTANCES],
            "instances: expected %" PRId64 " names, got %" PRId64, num_expected, num_found);
    }
    ret = SPOT_ARRAY_ROOM(trace, name_ids, trace->num_name_ids + (size_t) num_found);
    for (int64_t j = 0; j < num_found && ret == 0; j++) {
        name_id = &trace->name_ids[trace->num_name_ids + (size_t) j];
        name = next_name(name, &num_bytes);
        ret = check_name(self, row, name, num_bytes, is_arrival, is_doubtful, name_id);
        name += num_bytes;
    }
    return ret;
}

void spot_trace_instances_apply(spot_trace_instances_t *self, int64_t count, bool is_arrival)
{
    spot_trace_t *trace = self->trace;

    for (int64_t j = 0; j < count; j++) {
        const int32_t name_id = trace->name_ids[trace->num_name_ids++];

        self->states[name_id].is_running = is_arrival;
    }
}

int spot_trace_instances_take(
    spot_trace_instances_t *self, const char *name, size_t num_bytes, bool is_arrival)
{
    spot_trace_t *trace = self->trace;
    int32_t name_id;
    int ret = SPOT_ARRAY_ROOM(trace, name_ids, trace->num_name_ids + 1);

    ret = ret == 0 ? find_name(self, name, num_bytes, &name_id) : ret;
    if (ret == 0 && self->states[name_id].is_running == is_arrival) {
        return 1;
    }
    if (ret == 0) {
        trace->name_ids[trace->num_name_ids] = name_id;
        spot_trace_instances_apply(self, 1, is_arrival);
    }
    return ret;
}

void spot_trace_instances_finish(spot_trace_instances_t *self)
{
    spot_trace_t *trace = self->trace;
    const int32_t *name_ids = trace->name_ids;

    trace->num_names = self->names.num_names;
    trace->max_names = self->names.max_names;
    trace->names = self->names.names;
    free(self->names.slots);
    spot_names_init(&self->names);
    if (trace->num_name_ids > 0) {
        name_ids += trace->initial;
        for (size_t j = 0; j < trace->num_events; j++) {
            trace->events[j].name_ids = name_ids;
            name_ids += trace->events[j].count;
        }
    }
}
