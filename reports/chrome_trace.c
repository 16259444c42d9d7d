/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/chrome_trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "reports/run_series.h"

#define LABEL 3               /* the column of spans that names them */
#define EXTRA_TID (1UL << 30) /* and up: of spans that find no slot */
#define US_PER_S 1000000

typedef struct {
    spot_json_t json;
    size_t num_events;
    size_t num_processes, max_processes;
    const char **processes; /* [num_processes] names of 1, 2...; 1: all but spans */
    size_t first_tid;       /* of the next series */
} writer_t;

/* In us, exact to the ns. */
static void
write_us(writer_t *self, const char *key, const spot_series_kind_t *kind, int64_t ticks)
{
    const bool is_ns = kind->ticks_per_s > US_PER_S;

    spot_json_integer(
        &self->json, key, is_ns ? ticks / 1000 : ticks * (US_PER_S / kind->ticks_per_s));
    if (is_ns) {
        fprintf(self->json.out, ".%03d", abs((int) (ticks % 1000)));
    }
}

/* Starts an event on a line of its own. */
static void
begin(writer_t *self, const char *phase, const char *name, size_t pid, size_t tid)
{
    fputs(self->num_events++ == 0 ? "" : "\n", self->json.out);
    spot_json_open(&self->json, NULL, '{');
    spot_json_text(&self->json, "ph", phase);
    spot_json_text(&self->json, "name", name);
    spot_json_unsigned(&self->json, "pid", pid);
    spot_json_unsigned(&self->json, "tid", tid);
}

static void
write_name(writer_t *self, const char *what, size_t pid, size_t tid, const char *name)
{
    begin(self, "M", what, pid, tid);
    spot_json_open(&self->json, "args", '{');
    spot_json_text(&self->json, "name", name);
    spot_json_close(&self->json, '}');
    spot_json_close(&self->json, '}');
}

/* The columns from first on, without what is null, and the end of the event. */
static void
end(writer_t *self, const spot_series_t *series, size_t row_id, size_t first)
{
    const spot_series_kind_t *kind = series->kind;

    spot_json_open(&self->json, "args", '{');
    for (size_t k = first; k < kind->num_columns; k++) {
        const spot_cell_t *cell = &series->cells[row_id * kind->num_columns + k];
        const char *name = kind->columns[k].name;

        if (kind->columns[k].kind <= SPOT_COLUMN_DURATION) {
            write_us(self, name, kind, cell->integer);
        } else if (kind->columns[k].kind >= SPOT_COLUMN_CATEGORY) {
            spot_json_text(&self->json, name, spot_series_text(series, row_id, k));
        } else if (kind->columns[k].kind == SPOT_COLUMN_COUNT) {
            spot_json_integer(&self->json, name, cell->integer);
        } else if (isfinite(cell->number)) {
            spot_json_number(&self->json, name, cell->number);
        }
    }
    spot_json_close(&self->json, '}');
    spot_json_close(&self->json, '}');
}

/* Of levels and curves, which count, and of events. */
static void
write_rows(writer_t *self, const spot_series_t *series)
{
    const spot_series_kind_t *kind = series->kind;
    const bool is_event = kind->shape == SPOT_SERIES_EVENTS;

    for (size_t j = 0; j < series->num_rows; j++) {
        begin(self, is_event ? "i" : "C",
            is_event ? spot_series_text(series, j, 1) : kind->name, 1, 0);
        write_us(self, "ts", kind, series->cells[j * kind->num_columns].integer);
        if (is_event) {
            spot_json_text(&self->json, "s", "p");
        }
        end(self, series, j, is_event ? 2 : 1);
    }
}

/* The process of a span, which is new where none has its name. */
static int
find_process(writer_t *self, const spot_series_t *series, size_t row_id, size_t *pid)
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

/* ends: until when each slot of each lane is taken, plus 1; 0: never. More spans at once
 * than a lane has slots share the last one: those of them that would overlap have
 * threads of their own. */
static int
write_span(
    writer_t *self, const spot_spans_t *spans, const spot_span_t *span, int64_t *ends)
{
    const spot_series_t *series = spans->series;
    const spot_cell_t *cells = &series->cells[span->row_id * series->kind->num_columns];
    int64_t *slot_end = &ends[span->lane_id * SPOT_MAX_SLOTS + span->slot];
    const bool is_free = *slot_end <= cells[0].integer + 1;
    const size_t tid = is_free ? self->first_tid + (size_t) (slot_end - ends)
                               : EXTRA_TID + self->num_events;
    size_t pid;
    const int ret = find_process(self, series, span->row_id, &pid);

    if (!is_free || *slot_end == 0) {
        write_name(self, "thread_name", pid, tid, spans->lanes[span->lane_id].name);
    }
    begin(self, "X", spot_span_label(spans, span), pid, tid);
    write_us(self, "ts", series->kind, cells[0].integer);
    write_us(self, "dur", series->kind, cells[1].integer - cells[0].integer);
    end(self, series, span->row_id, LABEL);
    *slot_end = is_free ? cells[1].integer + 1 : *slot_end;
    return ret;
}

static int
write_spans(writer_t *self, const spot_series_t *series)
{
    spot_spans_t spans;
    int ret = spot_spans_init(&spans, series, NULL);
    int64_t *ends = spot_calloc(spans.num_lanes, SPOT_MAX_SLOTS * sizeof(*ends));

    ret = spot_error_first(ret, ends == NULL ? SPOT_ERR_NO_MEMORY : 0);
    for (size_t j = 0; ret == 0 && j < spans.num_spans; j++) {
        if (j == 0 || spans.spans[j].row_id != spans.spans[j - 1].row_id) {
            ret = write_span(self, &spans, &spans.spans[j], ends); /* its first piece */
        }
    }
    self->first_tid += spans.num_lanes * SPOT_MAX_SLOTS;
    free(ends);
    spot_spans_free(&spans);
    return ret;
}

int
spot_chrome_trace_write(const spot_recording_t *recording, FILE *out)
{
    writer_t self = {.first_tid = 1};
    int ret = SPOT_ARRAY_APPEND(
        &self, processes, recording->title == NULL ? "run" : recording->title);

    spot_json_init(&self.json, out, 0);
    spot_json_open(&self.json, NULL, '{');
    spot_json_text(&self.json, "displayTimeUnit", "ms");
    spot_json_open(&self.json, "traceEvents", '[');
    for (size_t j = 0; ret == 0 && j < recording->num_series; j++) {
        const spot_series_kind_t *kind = recording->series[j].kind;

        if (kind->shape == SPOT_SERIES_SPANS && spot_spans_fit(kind)) {
            ret = write_spans(&self, &recording->series[j]);
        } else if (kind->shape >= SPOT_SERIES_LEVELS &&
                   kind->shape <= SPOT_SERIES_CURVE) {
            write_rows(&self, &recording->series[j]);
        }
    }
    for (size_t j = 0; ret == 0 && j < self.num_processes; j++) {
        write_name(&self, "process_name", j + 1, 0, self.processes[j]);
    }
    spot_json_close(&self.json, ']');
    spot_json_close(&self.json, '}');
    free(self.processes);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}
