/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows "ms,add|remove,name": Thorpe et al., Bamboo, NSDI 2023, traces/. Times count from
 * the file's own zero and are not shifted. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "traces/convert/importer.h"

enum { COLUMN_TIME, COLUMN_EVENT, COLUMN_NAME, NUM_COLUMNS };

/* An addition is held back until all removals of its time are read. */
typedef struct {
    char name[SPOT_NAME_BYTES + 1];
    size_t line;
    size_t column;
} arrival_t;

typedef struct {
    spot_import_t *import;
    bool has_row;
    int64_t time_ms;
    size_t num_arrivals;
    size_t max_arrivals;
    arrival_t *arrivals; /* [num_arrivals] at time_ms */
} state_t;

static bool
sniff(const char *line)
{
    const char *event = strchr(line, ',');

    return event != NULL &&
           (strncmp(event, ",add,", 5) == 0 || strncmp(event, ",remove,", 8) == 0);
}

/* Adds the arrivals of one time; those at time 0 are the initial instances, not an
 * event. */
static int
add_arrivals(state_t *self)
{
    spot_import_t *import = self->import;
    int32_t num_added = 0;
    int ret = 0;

    for (size_t j = 0; j < self->num_arrivals && ret == 0; j++) {
        const arrival_t *arrival = &self->arrivals[j];

        ret = spot_import_instance(import, 0, arrival->line, arrival->column,
            arrival->name, strlen(arrival->name), true);
        num_added += ret == 0;
        ret = ret == SPOT_ERR_BAD_INPUT ? 0 : ret;
    }
    self->num_arrivals = 0;
    if (ret == 0 && num_added > 0) {
        if (self->time_ms == 0) {
            import->trace->initial = num_added;
        } else {
            ret = spot_import_event(
                import, self->time_ms, SPOT_EVENT_ADD, num_added, true);
        }
    }
    return ret;
}

static int
keep_arrival(state_t *self, const spot_csv_row_t *row)
{
    const char *name = row->fields[COLUMN_NAME];
    arrival_t *arrival;
    int ret;

    if (!spot_trace_is_name(name, strlen(name))) {
        return spot_import_instance(self->import, 0, row->line,
            row->columns[COLUMN_NAME], name, strlen(name), true);
    }
    ret = spot_array_reserve(&self->arrivals, &self->max_arrivals,
        self->num_arrivals + 1, sizeof(*self->arrivals));
    if (ret == 0) {
        arrival = &self->arrivals[self->num_arrivals++];
        memcpy(arrival->name, name, strlen(name) + 1);
        arrival->line = row->line;
        arrival->column = row->columns[COLUMN_NAME];
    }
    return ret;
}

static int
remove_instance(state_t *self, const spot_csv_row_t *row)
{
    const char *name = row->fields[COLUMN_NAME];
    int ret = spot_import_instance(self->import, 0, row->line, row->columns[COLUMN_NAME],
        name, strlen(name), false);

    return ret == 0 ? spot_import_event(
                          self->import, self->time_ms, SPOT_EVENT_PREEMPT, 1, true)
                    : ret;
}

static int
take_time(state_t *self, const spot_csv_row_t *row)
{
    const double unit_s = (double) self->import->unit_ms / SPOT_MS_PER_S;
    int64_t time_ms;
    double time;
    int ret = 0;

    if (spot_number_parse(row->fields[COLUMN_TIME], &time) != 0 || time < 0 ||
        spot_duration_from_s(time * unit_s, &time_ms) != 0) {
        return spot_import_expected(
            self->import, 0, row, COLUMN_TIME, "time", "a number from 0");
    }
    if (self->has_row && time_ms < self->time_ms) {
        return spot_import_expected(self->import, 0, row, COLUMN_TIME, "time",
            "one not before the previous row");
    }
    if (time_ms > self->time_ms) {
        ret = add_arrivals(self);
    }
    self->has_row = true;
    self->time_ms = time_ms;
    spot_import_note_time(self->import, time_ms);
    return ret;
}

static int
take_row(void *state, const spot_csv_row_t *row)
{
    state_t *self = state;
    int ret = spot_import_num_fields(self->import, 0, row, NUM_COLUMNS);

    if (ret == 0) {
        ret = take_time(self, row);
    }
    if (ret != 0) {
        return ret;
    }
    self->import->report->num_records++;
    if (strcmp(row->fields[COLUMN_EVENT], "add") == 0) {
        return keep_arrival(self, row);
    }
    if (strcmp(row->fields[COLUMN_EVENT], "remove") == 0) {
        return remove_instance(self, row);
    }
    return spot_import_expected(
        self->import, 0, row, COLUMN_EVENT, "event", "add or remove");
}

static int
finish(state_t *self)
{
    spot_import_t *import = self->import;
    int ret = spot_import_key(
        import, "note", "observation end = last event (true end unknown)");

    import->trace->kind = SPOT_TRACE_NAMED;
    import->trace->end_ms = self->time_ms;
    spot_import_take_gcd(import);
    if (ret == 0) {
        ret = SPOT_IMPORT_REMARK(import, SPOT_REMARK_UNCERTAIN, "true_end", 0,
            "the true end is unknown: the trace ends at the last row");
    }
    return ret;
}

static int
read_bamboo(spot_import_t *import)
{
    state_t self = {.import = import};
    int ret = spot_import_rows(import, 0, take_row, &self);

    if (ret == 0 || ret == SPOT_ERR_BAD_INPUT) {
        const int last = add_arrivals(&self);

        ret = last != 0 ? last : ret;
    }
    if (ret == 0 && import->is_doubtful) {
        ret = SPOT_ERR_BAD_INPUT;
    }
    if (ret == 0) {
        ret = finish(&self);
    }
    free(self.arrivals);
    return ret;
}

const spot_importer_t spot_importer_bamboo = {
    .name = "bamboo",
    .doc = "rows ms,add|remove,name; times count from the file's own zero",
    .source = "uclasystem/bamboo traces/ (NSDI 2023)",
    .num_inputs = 1,
    .unit_ms = 1,
    .sniff = sniff,
    .read = read_bamboo,
};
