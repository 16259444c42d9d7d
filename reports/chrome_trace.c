/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/chrome_trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "reports/run_series.h"

#define EXTRA_TID (1UL << 30) /* and up: of spans that find no slot */

enum { LABEL = 3 }; /* columns of spans that are arguments: from here on */

typedef struct {
    spot_json_t json;
    size_t num_events, num_processes, max_processes;
    const char **processes; /* [num_processes] names of 1, 2...; 1: all but spans */
    size_t first_tid;       /* of the next series */
} writer_t;

/* In us, exact to the ns. */
static void write_us(spot_json_t *json, const char *key, const spot_series_t *series, int64_t ticks)
{
    const int64_t us_per_tick = 1000000 / series->kind->ticks_per_s;

    spot_json_integer(json, key, us_per_tick > 0 ? ticks * us_per_tick : ticks / 1000);
    if (us_per_tick == 0) {
        fprintf(json->out, ".%03d", abs((int) (ticks % 1000)));
    }
}

static void write_argument(
    spot_json_t *json, const spot_series_t *series, size_t row_id, size_t column_id)
{
    const spot_series_column_t *column = &series->kind->columns[column_id];
    const spot_cell_t *cell = &series->cells[row_id * series->kind->num_columns + column_id];

    if (column->kind <= SPOT_COLUMN_DURATION) {
        write_us(json, column->name, series, cell->integer);
    } else if (column->kind >= SPOT_COLUMN_CATEGORY) {
        spot_json_text(json, column->name, spot_series_text(series, row_id, column_id));
    } else if (column->kind == SPOT_COLUMN_COUNT) {
        spot_json_integer(json, column->name, cell->integer);
    } else if (isfinite(cell->number)) {
        spot_json_number(json, column->name, cell->number);
    }
}

/* An event on a line of its own: a row with its columns from first on as arguments, or
 * what a process or thread is called. */
static void write_event(writer_t *self, char phase, const char *name, size_t pid, size_t tid,
    const spot_series_t *series, size_t row_id, size_t first)
{
    const size_t num_columns = series == NULL ? 0 : series->kind->num_columns;
    const spot_cell_t *cells = series == NULL ? NULL : &series->cells[row_id * num_columns];
    spot_json_t *json = &self->json;

    fputs(self->num_events++ == 0 ? "" : "\n", json->out);
    spot_json_open(json, NULL, '{');
    spot_json_text(json, "ph", (const char[]){phase, '\0'});
    spot_json_text(json, "name", phase != 'M' ? name : tid == 0 ? "process_name" : "thread_name");
    spot_json_unsigned(json, "pid", pid);
    spot_json_unsigned(json, "tid", tid);
    if (phase != 'M') {
        write_us(json, "ts", series, cells[0].integer);
    }
    if (phase == 'X') {
        write_us(json, "dur", series, cells[1].integer - cells[0].integer);
    } else if (phase == 'i') {
        spot_json_text(json, "s", "p"); /* drawn across its process */
    }
    spot_json_open(json, "args", '{');
    if (phase == 'M') {
        spot_json_text(json, "name", name);
    }
    for (size_t k = first; k < num_columns; k++) {
        write_argument(json, series, row_id, k);
    }
    spot_json_close(json, '}');
    spot_json_close(json, '}');
}

/* The process of a span, which is new where none has its name. */
static int find_process(writer_t *self, const spot_series_t *series, size_t row_id, size_t *pid)
{
    const spot_series_kind_t *kind = series->kind;
    const char *name = kind->name;

    for (size_t k = LABEL; k < kind->num_columns; k++) {
        if (kind->columns[k].kind >= SPOT_COLUMN_CATEGORY &&
            strcmp(kind->columns[k].name, "host") == 0) {
            name = spot_series_text(series, row_id, k);
        }
    }
    for (*pid = 1; *pid <= self->num_processes; ++*pid) {
        if (strcmp(self->processes[*pid - 1], name) == 0) {
            return 0;
        }
    }
    return SPOT_ARRAY_APPEND(self, processes, name);
}

/* Each slot of a lane is a thread. More spans at once than there are slots share the
 * last one: those of them that would overlap have threads of their own. */
static int write_spans(writer_t *self, const spot_series_t *series)
{
    spot_spans_t spans;
    int ret = spot_spans_init(&spans, series, NULL);
    int64_t *ends = spot_calloc(spans.num_lanes, SPOT_MAX_SLOTS * sizeof(*ends));

    ret = spot_error_first(ret, ends == NULL ? SPOT_ERR_NO_MEMORY : 0);
    for (size_t j = 0; ret == 0 && j < spans.num_spans; j++) {
        const spot_span_t *span = &spans.spans[j];
        const spot_cell_t *cells = &series->cells[span->row_id * series->kind->num_columns];
        int64_t *slot_end = &ends[span->lane_id * SPOT_MAX_SLOTS + span->slot];
        const bool is_new = *slot_end == 0, is_free = *slot_end <= cells[0].integer + 1;
        const size_t tid =
            is_free ? self->first_tid + (size_t) (slot_end - ends) : EXTRA_TID + self->num_events;
        size_t pid;

        if (j > 0 && span->row_id == span[-1].row_id) {
            continue; /* another piece of the same span */
        }
        ret = find_process(self, series, span->row_id, &pid);
        if (is_new || !is_free) {
            write_event(self, 'M', spans.lanes[span->lane_id].name, pid, tid, NULL, 0, 0);
        }
        write_event(
            self, 'X', spot_span_label(&spans, span), pid, tid, series, span->row_id, LABEL);
        *slot_end = is_free ? cells[1].integer + 1 : *slot_end; /* 0: never taken */
    }
    self->first_tid += spans.num_lanes * SPOT_MAX_SLOTS;
    free(ends);
    spot_spans_free(&spans);
    return ret;
}

int spot_chrome_trace_write(const spot_recording_t *recording, FILE *out)
{
    writer_t self = {.first_tid = 1};
    int ret =
        SPOT_ARRAY_APPEND(&self, processes, recording->title == NULL ? "run" : recording->title);

    spot_json_init(&self.json, out, 0);
    spot_json_open(&self.json, NULL, '{');
    spot_json_text(&self.json, "displayTimeUnit", "ms");
    spot_json_open(&self.json, "traceEvents", '[');
    for (size_t j = 0; ret == 0 && j < recording->num_series; j++) {
        const spot_series_t *series = &recording->series[j];
        const spot_series_shape_t shape = series->kind->shape;
        const bool is_event = shape == SPOT_SERIES_EVENTS;

        if (shape == SPOT_SERIES_SPANS && spot_spans_fit(series->kind)) {
            ret = write_spans(&self, series);
        } else if (is_event || shape == SPOT_SERIES_LEVELS || shape == SPOT_SERIES_CURVE) {
            for (size_t k = 0; k < series->num_rows; k++) {
                write_event(&self, is_event ? 'i' : 'C',
                    is_event ? spot_series_text(series, k, 1) : series->kind->name, 1, 0, series, k,
                    is_event ? 2 : 1);
            }
        }
    }
    for (size_t j = 0; ret == 0 && j < self.num_processes; j++) {
        write_event(&self, 'M', self.processes[j], j + 1, 0, NULL, 0, 0);
    }
    spot_json_close(&self.json, ']');
    spot_json_close(&self.json, '}');
    free(self.processes);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}
