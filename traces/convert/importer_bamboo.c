/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows "ms,add|remove,name": Thorpe et al., Bamboo, NSDI 2023, traces/. Times count from
 * the file's own zero and are not shifted. */
#include <string.h>

#include "traces/convert/convert.h"

enum { COLUMN_TIME, COLUMN_EVENT, COLUMN_NAME, NUM_COLUMNS };

typedef struct {
    spot_import_t *import;
    bool has_row;
    int64_t time_ms;
} state_t;

static bool sniff(const spot_convert_head_t *head)
{
    const char *line = head->line;
    const char *event = strchr(line, ',');

    return event != NULL && (strncmp(event, ",add,", 5) == 0 || strncmp(event, ",remove,", 8) == 0);
}

/* Those that come at time 0 are the initial instances, not an event. */
static int add_arrivals(state_t *self)
{
    return spot_import_arrivals(self->import, self->time_ms, self->time_ms == 0);
}

static int take_time(state_t *self, const spot_csv_row_t *row)
{
    int64_t time_ms;
    int ret = 0;

    if (!spot_import_time_parse(self->import, row->fields[COLUMN_TIME], &time_ms)) {
        return spot_import_expected(self->import, 0, row, COLUMN_TIME, "time", "a number from 0");
    }
    if (self->has_row && time_ms < self->time_ms) {
        return spot_import_expected(
            self->import, 0, row, COLUMN_TIME, "time", "one not before the previous row");
    }
    if (time_ms > self->time_ms) {
        ret = add_arrivals(self);
    }
    self->has_row = true;
    self->time_ms = time_ms;
    spot_import_note_time(self->import, time_ms);
    return ret;
}

static int take_row(void *state, const spot_csv_row_t *row)
{
    state_t *self = state;
    spot_import_t *import = self->import;
    const char *name = row->fields[COLUMN_NAME];
    const size_t column = row->columns[COLUMN_NAME];
    int ret = spot_import_num_fields(import, 0, row, NUM_COLUMNS);

    ret = ret == 0 ? take_time(self, row) : ret;
    if (ret != 0) {
        return ret;
    }
    import->report->num_records++;
    if (strcmp(row->fields[COLUMN_EVENT], "add") == 0) {
        return spot_import_arrive(import, row->line, column, name, strlen(name));
    }
    if (strcmp(row->fields[COLUMN_EVENT], "remove") == 0) {
        return spot_import_leave(
            import, self->time_ms, SPOT_EVENT_PREEMPT, row->line, column, name, strlen(name));
    }
    return spot_import_expected(import, 0, row, COLUMN_EVENT, "event", "add or remove");
}

static int read_bamboo(spot_import_t *import)
{
    state_t self = {.import = import};
    int ret = spot_import_rows(import, 0, take_row, &self);

    if (ret == 0 || ret == SPOT_ERR_BAD_INPUT) {
        const int last = add_arrivals(&self);

        ret = last != 0 ? last : ret;
    }
    import->trace->kind = SPOT_TRACE_NAMED;
    import->trace->end_ms = self.time_ms;
    spot_import_take_gcd(import);
    spot_import_key(import, "note", "observation end = last event (true end unknown)");
    SPOT_IMPORT_REMARK(import, SPOT_REMARK_UNCERTAIN, "true_end", 0,
        "the true end is unknown: the trace ends at the last row");
    return ret == 0 && import->is_doubtful ? SPOT_ERR_BAD_INPUT : ret;
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
