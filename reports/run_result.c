/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/run_result.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/csv.h"
#include "base/files.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/outfile.h"
#include "reports/run_series.h"
#include "reports/table/document.h"

/* ---- Metrics ---- */

/* Totals are for studies that name them. Returns how many there are. */
static size_t fill_table(const spot_run_result_t *self, spot_table_t *table)
{
    static const spot_table_column_t columns[] = {{.name = "metric", .kind = SPOT_TABLE_TEXT},
        {.name = "value"}, {.name = "unit", .kind = SPOT_TABLE_TEXT}};
    size_t num_totals = 0;

    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < self->outputs->num_metrics; j++) {
        const spot_metric_t *metric = &self->outputs->metrics[j];

        if (metric->is_total) {
            num_totals++;
            continue;
        }
        spot_table_add_row(table);
        spot_table_add_text(table, metric->name);
        spot_table_add_number(table, self->metrics[j]);
        spot_table_add_text(table, strcmp(metric->unit, "1") == 0 ? "" : metric->unit);
    }
    for (size_t j = 0; j < self->experiment->num_warnings; j++) {
        if (self->warnings[j]) {
            spot_table_add_note(table, "warning", self->experiment->warnings[j].text);
        }
    }
    return num_totals;
}

static int write_metrics(const spot_run_result_t *self, const spot_terminal_t *terminal, FILE *out)
{
    spot_table_t table = {.name = "metrics"};
    size_t num_totals;
    int ret;

    spot_text_write(out, self->name == NULL ? self->experiment->name : self->name);
    fprintf(out, ": engine %s, seed %" PRIu64 ", replication %" PRIu64 "\n\n",
        self->experiment->name, self->seed, self->replication);
    num_totals = fill_table(self, &table);
    ret = spot_table_write_terminal(&table, terminal, out);
    if (num_totals > 0) {
        fprintf(out,
            "\nnot listed: %zu total%s and parts, which a study can name, see `spotsim "
            "engine %s`\n",
            num_totals, num_totals == 1 ? "" : "s", self->experiment->name);
    }
    spot_table_free(&table);
    return ret;
}

int spot_run_result_text(const spot_run_result_t *self, const spot_terminal_t *terminal, FILE *out)
{
    const spot_run_view_t *view = self->experiment->view;

    if (view == NULL || view->text == NULL) {
        return write_metrics(self, terminal, out);
    }
    view->text(self, out);
    for (size_t j = 0; j < self->experiment->num_warnings; j++) {
        if (self->warnings[j]) {
            fprintf(out, "warning: %s\n", self->experiment->warnings[j].text);
        }
    }
    return 0;
}

static void write_json_metrics(const spot_run_result_t *self, spot_json_t *json)
{
    spot_json_text(json, "engine", self->experiment->name);
    spot_json_text(json, "scenario", self->name);
    spot_json_open(json, "metrics", '{');
    for (size_t j = 0; j < self->outputs->num_metrics; j++) {
        spot_json_open(json, self->outputs->metrics[j].name, '{');
        spot_json_number(json, "value", self->metrics[j]);
        spot_json_text(json, "unit", self->outputs->metrics[j].unit);
        spot_json_close(json, '}');
    }
    spot_json_close(json, '}');
}

void spot_run_result_json(const spot_run_result_t *self, spot_json_t *json)
{
    const spot_experiment_t *experiment = self->experiment;
    const spot_run_view_t *view = experiment->view;

    if (view == NULL || view->json == NULL) {
        write_json_metrics(self, json);
    } else {
        view->json(self, json);
    }
    spot_json_open(json, "warnings", '[');
    for (size_t j = 0; j < experiment->num_warnings; j++) {
        if (self->warnings[j]) {
            spot_json_text(json, NULL, experiment->warnings[j].name);
        }
    }
    spot_json_close(json, ']');
    spot_json_unsigned(json, "seed", self->seed);
    spot_json_unsigned(json, "replication", self->replication);
}

/* ---- Series ---- */

#define UNIT_BYTES 32
#define HEAD_BYTES 128

/* A unit as words of a name: "USD/h" is usd_per_h, "serving replicas" serving_replicas;
 * "1" is none. */
static void unit_words(const char *unit, char words[UNIT_BYTES])
{
    size_t used = 0;

    for (; *unit != '\0' && used + 8 < UNIT_BYTES; unit++) {
        if (*unit == '/') {
            used += (size_t) sprintf(words + used, "_per_");
        } else if (*unit == ' ' || isalpha((unsigned char) *unit)) {
            words[used++] = *unit == ' ' ? '_' : (char) tolower((unsigned char) *unit);
        }
    }
    words[used] = '\0';
}

/* Whether words stand in name between its ends or underscores, or are "". */
static bool has_words(const char *name, const char *words)
{
    const size_t num_bytes = strlen(words);

    for (const char *place = strstr(name, words); place != NULL && num_bytes > 0;
         place = strstr(place + 1, words)) {
        if ((place == name || place[-1] == '_') &&
            (place[num_bytes] == '\0' || place[num_bytes] == '_')) {
            return true;
        }
    }
    return num_bytes == 0;
}

/* The head of a column: its name, and its unit unless the name says it: "time_ms",
 * "prepping_instances", "steps_durable". */
static void write_head(const spot_series_kind_t *kind, size_t column_id, FILE *out)
{
    const spot_series_column_t *column = &kind->columns[column_id];
    char words[UNIT_BYTES], text[HEAD_BYTES];

    unit_words(column->is_bare ? "" : spot_series_column_unit(kind, column), words);
    snprintf(
        text, sizeof(text), has_words(column->name, words) ? "%s" : "%s_%s", column->name, words);
    spot_csv_field_text(out, text);
}

/* printf() would be most of the time of a file of many rows. */
static void write_integer(int64_t value, FILE *out)
{
    char digits[24];
    char *end = digits + sizeof(digits), *start = end;
    uint64_t rest = value < 0 ? 0 - (uint64_t) value : (uint64_t) value;

    do {
        *--start = (char) ('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        *--start = '-';
    }
    fwrite(start, 1, (size_t) (end - start), out);
}

static void write_number(const spot_series_column_t *column, double number, FILE *out)
{
    if (!isfinite(number)) {
        return;
    }
    if (column->num_decimals > 0) {
        fprintf(out, "%.*f", spot_series_decimals(column), number);
    } else if (!signbit(number) && number < 0x1p53 && number == floor(number)) {
        write_integer((int64_t) number, out);
    } else {
        fprintf(out, "%.17g", number);
    }
}

static void write_cell(const spot_series_t *series, size_t row_id, size_t column_id, FILE *out)
{
    const spot_series_column_t *column = &series->kind->columns[column_id];
    const spot_cell_t *cell = &series->cells[row_id * series->kind->num_columns + column_id];

    switch (column->kind) {
        case SPOT_COLUMN_CATEGORY:
        case SPOT_COLUMN_TEXT:
            spot_csv_field_text(out, spot_series_text(series, row_id, column_id));
            return;
        case SPOT_COLUMN_NUMBER:
            write_number(column, cell->number, out);
            return;
        default:
            write_integer(cell->integer, out);
    }
}

/* A head and a line for each row: instants and durations in ticks of the series. */
static void write_series(const spot_series_t *series, FILE *out)
{
    const size_t num_columns = series->kind->num_columns;

    for (size_t k = 0; k < num_columns; k++) {
        fputs(k == 0 ? "" : ",", out);
        write_head(series->kind, k, out);
    }
    fputc('\n', out);
    for (size_t j = 0; j < series->num_rows; j++) {
        for (size_t k = 0; k < num_columns; k++) {
            fputs(k == 0 ? "" : ",", out);
            write_cell(series, j, k, out);
        }
        fputc('\n', out);
    }
}

/* FOLDER/NAME.csv, another one for each series: its name may be made from data, such as
 * those of VCs. */
static int write_file(const spot_series_t *series, const char *folder, spot_file_names_t *names,
    const atomic_int *stop, spot_diag_t *diag)
{
    spot_texts_t texts = {0};
    const char *name = spot_file_names_add(names, series->kind->name);
    const char *path = name == NULL ? NULL : spot_texts_add(&texts, "%s/%s.csv", folder, name);
    spot_outfile_t file;
    int ret = name == NULL ? SPOT_ERR_NO_MEMORY : texts.error;

    if (ret == 0) {
        ret = spot_outfile_init(&file, path, diag);
        if (ret == 0) {
            write_series(series, file.stream);
        }
        if (ret == 0 && stop != NULL && atomic_load(stop) != 0) {
            ret = SPOT_ERR_INTERRUPTED;
        }
        ret = spot_outfile_close(&file, ret, diag);
    }
    spot_texts_free(&texts);
    return ret;
}

int spot_recording_csv_check(const char *folder, spot_diag_t *diag)
{
    struct stat status;
    spot_texts_t texts = {0};
    const char *path = stat(folder, &status) == 0 ? spot_texts_add(&texts, "%s/series.csv", folder)
                                                  : folder; /* in the one above */
    const int ret = texts.error != 0 ? texts.error : spot_outfile_check(path, diag);

    spot_texts_free(&texts);
    return ret;
}

int spot_recording_csv_write(const spot_recording_t *recording, const char *folder,
    const atomic_int *stop, spot_diag_t *diag)
{
    spot_file_names_t names = {.folded = {0}};
    int ret = spot_folder_make(folder, NULL, diag);

    for (size_t j = 0; ret == 0 && j < recording->num_series; j++) {
        ret = write_file(&recording->series[j], folder, &names, stop, diag);
    }
    spot_file_names_free(&names);
    return ret;
}

/* ---- Chrome trace ---- */

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
