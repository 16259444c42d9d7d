/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/utf8.h"
#include "traces/tasks/task_log_internal.h"

#define MAX_LINE_BYTES SPOT_CSV_MAX_LINE_BYTES
#define BUFFER_BYTES (MAX_LINE_BYTES + ((size_t) 1 << 16))
#define WORD_BYTES sizeof(uint64_t)
#define NUM_SHOWN 3 /* of lines that are skipped */

typedef struct {
    spot_task_log_t *log;
    const spot_task_reading_t *reading;
    spot_diag_t *diag;
    const char *path;
    bool is_edges; /* a file of taskInputs records alone */
    spot_task_format_t format;
    spot_task_text_t line;
    spot_task_import_t *import; /* of a document; NULL: it is a file of lines */
    int64_t num_skipped;
    size_t max_inputs;
    int32_t *inputs; /* [max_inputs] */
    spot_instream_t stream;
    char *buffer; /* [BUFFER_BYTES + WORD_BYTES] */
    size_t start, end;
    bool is_over, is_too_long;
} reader_t;

/* ---- Errors of lines ---- */

static int line_error(reader_t *self, size_t column, const char *format, ...) SPOT_PRINTF(3, 4);

static int line_error(reader_t *self, size_t column, const char *format, ...)
{
    char text[256];
    va_list values;

    column += column == 0 ? 0 : self->line.before;
    va_start(values, format);
    vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    if (!self->reading->skips_bad) {
        spot_diag_error(self->diag, self->path, self->line.number, column, "%s", text);
    } else if (self->num_skipped++ < NUM_SHOWN) {
        spot_diag_warn(self->diag, self->path, self->line.number, column, "%s", text);
    }
    return SPOT_ERR_BAD_INPUT;
}

/* Of a line that is not read on: the value gets an end. */
static int value_error(reader_t *self, spot_task_key_t key, const char *problem)
{
    const spot_task_value_t *value = &self->line.values[key];
    const char *name = spot_task_key_names[key];
    char shown[SPOT_UTF8_SHOWN_BYTES];

    if (value->text == NULL || value->kind == SPOT_VALUE_OTHER) {
        return line_error(self, value->column, "%s: %s", name, problem);
    }
    self->line.text[value->text - self->line.text + (ptrdiff_t) value->num_bytes] = '\0';
    return line_error(self, value->column, "%s: %s, got '%s'", name, problem,
        spot_utf8_shown(value->text, shown));
}

/* ---- Lines ---- */

/* Actions: stages of a task, of a transmit, others. */
enum {
    ACTION_TRANSMIT = SPOT_TASK_MAX_STAGES,
    ACTION_PHASE = 2 * SPOT_TASK_MAX_STAGES, /* of markers */
    ACTION_REPORT = ACTION_PHASE,            /* of the other formats */
    ACTION_INPUTS,
    NUM_ACTIONS = ACTION_PHASE + 6
};
static const char *const actions[2][NUM_ACTIONS] = {
    {"taskPlanned", "taskEnqueued", "taskStarted", "taskLoaded",
        "taskFinished", [ACTION_TRANSMIT] = "transmitPlanned", "transmitStarted", "transmitLoaded",
        "transmitFinished", [ACTION_REPORT] = "controllerReport", "taskInputs"},
    {"task_planned", "task_enqueued", "task_started", "task_loaded", "task_computed",
        "task_published", "task_completed", [ACTION_TRANSMIT] = "transmit_planned",
        "transmit_started", "transmit_loaded", "transmit_received", "transmit_unloaded",
        "transmit_completed", [ACTION_PHASE] = "ctrl_assign", "ctrl_plan", "ctrl_act", "ctrl_flush",
        "ctrl_wait", "ctrl_shutdown"}};

const char *spot_task_action_name(bool is_transmit, int stage)
{
    return actions[0][is_transmit ? ACTION_TRANSMIT + stage : stage];
}

/* Checks that the values are there. Sets at, unless NULL. */
static int require(reader_t *self, size_t num_keys, const spot_task_key_t *keys, int64_t *at)
{
    const spot_task_value_t *value = &self->line.values[SPOT_LINE_AT];
    const char *problem = NULL;

    for (size_t j = 0; j < num_keys; j++) {
        if (self->line.values[keys[j]].kind == SPOT_VALUE_ABSENT) {
            return line_error(self, 0, "%s is missing", spot_task_key_names[keys[j]]);
        }
    }
    if (at != NULL) {
        problem = value->kind != SPOT_VALUE_NUMBER
                      ? "expected an integer, without fraction, exponent or quotes"
                      : spot_task_integer(value, at);
    }
    return problem == NULL ? 0 : value_error(self, SPOT_LINE_AT, problem);
}

static int read_mode(reader_t *self, spot_task_mode_t *mode)
{
    const spot_task_value_t *value = &self->line.values[SPOT_LINE_MODE];

    if (value->kind == SPOT_VALUE_ABSENT) {
        return 0;
    }
    for (*mode = SPOT_MODE_LOCAL; *mode < SPOT_NUM_MODES; ++*mode) {
        if (spot_task_is_text(value, spot_task_mode_names[*mode])) {
            return 0;
        }
    }
    return value_error(self, SPOT_LINE_MODE, "expected local, remote or redundant");
}

static int take_event(reader_t *self, int stage, bool is_transmit)
{
    const bool is_mark = self->format == SPOT_LOG_MARKERS;
    const spot_task_key_t id = is_transmit ? SPOT_LINE_DATASET : SPOT_LINE_TASK;
    const spot_task_key_t worker = is_mark && is_transmit ? SPOT_LINE_TARGET : SPOT_LINE_WORKER;
    const spot_task_key_t needed[] = {SPOT_LINE_AT, SPOT_LINE_HOST, worker, id};
    const spot_task_value_t *values = self->line.values;
    spot_task_line_t event = {.id = values[id].text,
        .id_bytes = values[id].num_bytes,
        .host = values[SPOT_LINE_HOST].text,
        .host_bytes = values[SPOT_LINE_HOST].num_bytes,
        .worker = values[worker].text,
        .worker_bytes = values[worker].num_bytes,
        .line = self->line.number,
        .stage = stage,
        .is_transmit = is_transmit,
        .is_controller = spot_task_is_text(&values[SPOT_LINE_HOST], SPOT_TASK_CONTROLLER)};
    int ret = require(self, 4, needed, &event.at);

    ret = ret == 0 && is_transmit && stage > 0 ? read_mode(self, &event.mode) : ret;
    return ret == 0 ? spot_task_log_add(self->log, &event) : ret;
}

/* Counts and durations of a report may be in quotes, or "None". */
static int take_report(reader_t *self)
{
    static const spot_task_key_t needed[] = {SPOT_LINE_AT, SPOT_LINE_HOST};
    spot_task_report_t report = {0};
    int64_t *const numbers[] = {&report.act, &report.wait, &report.busy_workers};
    int64_t at;
    int ret = require(self, 2, needed, &at);

    for (spot_task_key_t j = 0; ret == 0 && j < 3 + SPOT_REPORT_COUNTERS; j++) {
        const spot_task_value_t *value = &self->line.values[SPOT_LINE_ACT_DURATION + j];
        int64_t *number = j < 3 ? numbers[j] : &report.counters[j - 3];
        const char *problem = NULL;

        if (value->kind != SPOT_VALUE_ABSENT && !spot_task_is_text(value, "None")) {
            problem = spot_task_integer(value, number);
            report.has_wait |= j == 1;
        } else if (j == 0) {
            return line_error(self, 0, "actDuration is missing");
        }
        ret = problem == NULL ? 0 : value_error(self, SPOT_LINE_ACT_DURATION + j, problem);
    }
    if (ret == 0) {
        self->log->num_controller_lines++;
        ret = SPOT_ARRAY_APPEND(self->log, reports, report);
    }
    return ret;
}

static int take_inputs(reader_t *self)
{
    static const spot_task_key_t needed[] = {SPOT_LINE_TASK};
    const spot_task_text_t *line = &self->line;
    const spot_task_value_t *task = &line->values[SPOT_LINE_TASK];
    const spot_task_value_t *list = &line->values[SPOT_LINE_INPUTS];
    bool is_good = list->kind == SPOT_VALUE_OTHER && list->text == NULL && list->num_bytes > 0;
    size_t column = 0;
    int32_t id;
    int ret = require(self, 1, needed, NULL);

    for (size_t j = line->num_inputs; is_good && j-- > 0;) {
        is_good = spot_task_is_there(&line->inputs[j]);
        column = is_good ? 0 : line->inputs[j].column;
    }
    if (ret != 0 || !is_good) {
        return ret != 0 ? ret : line_error(self, column, "inputs: expected a list of task ids");
    }
    ret = spot_names_add(&self->log->ids, task->text, task->num_bytes, &id);
    ret = ret == 0 ? SPOT_ARRAY_ROOM(self, inputs, line->num_inputs) : ret;
    for (size_t j = 0; ret == 0 && j < line->num_inputs; j++) {
        ret = spot_names_add(
            &self->log->ids, line->inputs[j].text, line->inputs[j].num_bytes, &self->inputs[j]);
    }
    ret = ret != 0 ? ret : spot_task_log_add_inputs(self->log, id, line->num_inputs, self->inputs);
    return ret != SPOT_ERR_BAD_INPUT
               ? ret
               : value_error(self, SPOT_LINE_TASK,
                     self->is_edges ? "its inputs stand in an earlier line or in the log"
                                    : "its inputs stand in an earlier line");
}

/* A microtrace, or a phase of the controller. */
static int take_mark(reader_t *self, const char *name, size_t num_bytes)
{
    static const spot_task_key_t needed[] = {SPOT_LINE_AT};
    spot_task_mark_t mark = {.line = (uint32_t) self->line.number};
    int ret = require(self, 1, needed, &mark.at);

    ret = ret == 0 ? spot_names_add(&self->log->words, name, num_bytes, &mark.name) : ret;
    if (ret == 0 && self->line.is_microtrace) {
        return SPOT_ARRAY_APPEND(self->log, microtraces, mark);
    }
    if (ret == 0) {
        self->log->num_controller_lines++;
        ret = SPOT_ARRAY_APPEND(self->log, phases, mark);
    }
    return ret;
}

static int take_values(reader_t *self)
{
    static const spot_task_key_t needed[] = {SPOT_LINE_ACTION};
    const bool is_mark = self->format == SPOT_LOG_MARKERS;
    const spot_task_value_t *action = &self->line.values[SPOT_LINE_ACTION];
    int ret = require(self, 1, needed, NULL), id = 0;

    for (spot_task_key_t j = 0; ret == 0 && j <= SPOT_LINE_MODE; j++) {
        if (self->line.values[j].kind == SPOT_VALUE_OTHER) {
            ret =
                value_error(self, j, j == SPOT_LINE_AT ? "expected an integer" : "expected a text");
        }
    }
    if (ret != 0) {
        return ret;
    }
    if (self->line.is_microtrace) {
        return take_mark(self, action->text, action->num_bytes);
    }
    while (id < NUM_ACTIONS &&
           (actions[is_mark][id] == NULL || !spot_task_is_text(action, actions[is_mark][id]))) {
        id++;
    }
    if (self->is_edges && id != ACTION_INPUTS) {
        return value_error(self, SPOT_LINE_ACTION, "expected taskInputs");
    }
    if (id < ACTION_PHASE) {
        return take_event(self, id % SPOT_TASK_MAX_STAGES, id >= ACTION_TRANSMIT);
    }
    if (id < NUM_ACTIONS && is_mark) {
        return take_mark(self, action->text + 5, action->num_bytes - 5); /* ctrl_ */
    }
    if (id == ACTION_REPORT) {
        return take_report(self);
    }
    if (id == ACTION_INPUTS) {
        self->log->num_input_records += !self->is_edges;
        return take_inputs(self);
    }
    if (!is_mark && action->num_bytes >= 10 &&
        memcmp(action->text, SPOT_TASK_CONTROLLER, 10) == 0) {
        self->log->num_controller_lines++;
    } else {
        self->log->num_unknown_actions++;
    }
    return 0;
}

/* ---- Files ---- */

/* The first byte that may not be in a line. */
static int check_bytes(reader_t *self)
{
    const char *text = self->line.text;

    for (size_t j = 0; j < self->line.num_bytes;) {
        const size_t num_bytes = spot_utf8_length(text + j, self->line.num_bytes - j);

        if (num_bytes == 0 || text[j] == '\0') {
            return line_error(self, j + 1, text[j] == '\0' ? "a NUL" : "invalid UTF-8");
        }
        j += num_bytes;
    }
    return 0;
}

static int check_format(reader_t *self)
{
    static const char *const names[] = {"", "JSON lines", "trace lines", "markers"};
    const spot_task_format_t format = spot_task_line_format(&self->line);

    if (format == SPOT_LOG_BAD || (self->is_edges && format != SPOT_LOG_JSON)) {
        return line_error(self, 0, "neither an object nor a trace line");
    }
    if (self->format == SPOT_LOG_NONE) {
        self->format = format;
        self->log->is_markers |= format == SPOT_LOG_MARKERS;
    }
    if (format != self->format) {
        return line_error(self, 0, "mixed formats: one of %s in a file of %s", names[format],
            names[self->format]);
    }
    return 0;
}

static int take_line(reader_t *self, bool has_end)
{
    spot_task_text_t *line = &self->line;
    const char *problem;
    int ret;

    if (line->text[strspn(line->text, " \t\r")] == '\0' && strlen(line->text) == line->num_bytes) {
        return 0;
    }
    self->log->num_lines += !self->is_edges;
    ret = line->is_plain ? 0 : check_bytes(self);
    while (line->num_bytes > 0 && line->text[line->num_bytes - 1] == '\r') {
        line->text[--line->num_bytes] = '\0';
    }
    ret = ret == 0 ? check_format(self) : ret;
    if (ret != 0) {
        return ret;
    }
    if (self->format != SPOT_LOG_JSON && !has_end) {
        return line_error(self, 0, "the line is cut off: it has no end");
    }
    line->num_keys = self->import == NULL ? SPOT_LINE_PHASE : SPOT_NUM_LINE_KEYS;
    memset(line->values, 0, line->num_keys * sizeof(*line->values));
    problem = (self->format == SPOT_LOG_JSON ? spot_task_split_json : spot_task_split_trace)(line);
    if (line->error == 0 && problem == NULL && self->import != NULL) {
        problem = spot_task_import_take(self->import, line);
    }
    return line->error != 0       ? line->error
           : problem != NULL      ? line_error(self, line->column, "%s", problem)
           : self->import == NULL ? take_values(self)
                                  : 0;
}

/* Whether no byte is special, eight at a time. The highest bit of each byte shows it;
 * none of the sums carries into the next byte. */
static bool is_plain(char *text, size_t num_bytes)
{
    const uint64_t ones = UINT64_MAX / 0xFF, high = ones << 7;
    uint64_t special = 0, word;

    memset(text + num_bytes, ' ', WORD_BYTES);
    for (size_t j = 0; j < num_bytes; j += WORD_BYTES) {
        memcpy(&word, text + j, WORD_BYTES);
        special |= word;
        word &= ~high;
        special |= word + ones; /* DEL */
        special |= ~((word ^ (ones * '\\')) + ones * 0x7F);
        special |= ~((word | high) - ones * 0x20) & ((word ^ (ones * '\n')) + ones * 0x7F);
    }
    text[num_bytes] = '\0';
    return (special & high) == 0;
}

/* Moves what is left to the front, and reads on. */
static int refill(reader_t *self)
{
    char *to = self->buffer + self->end - self->start;
    size_t num_read;
    int ret;

    memmove(self->buffer, self->buffer + self->start, self->end - self->start);
    self->end -= self->start;
    self->start = 0;
    ret = spot_instream_read(&self->stream, to, BUFFER_BYTES - self->end, &num_read, self->diag);
    num_read = ret == 0 ? num_read : 0;
    to[num_read] = '\0';
    self->is_over = num_read < BUFFER_BYTES - self->end;
    if (ret == 0 && self->import != NULL) {
        ret = spot_task_import_cut(self->import, to, num_read);
    }
    self->end += num_read;
    self->line.is_plain = is_plain(self->buffer, self->end);
    return ret;
}

/* A line, or the last part of one that is too long. */
static int take_bytes(reader_t *self, size_t num_bytes, bool has_end)
{
    int ret;

    self->line.text = self->buffer + self->start;
    self->line.num_bytes = num_bytes;
    self->start += num_bytes + has_end;
    self->line.number++;
    if (self->import != NULL) {
        if (num_bytes == 0 && !self->is_too_long) {
            return 0;
        }
        spot_task_import_place(self->import, &self->line);
    }
    if (self->is_too_long || num_bytes > MAX_LINE_BYTES) {
        self->is_too_long = false;
        self->log->num_lines += !self->is_edges;
        ret = line_error(self, 0, "the %s is above 1 MB", self->import == NULL ? "line" : "event");
    } else {
        self->line.text[num_bytes] = '\0';
        ret = take_line(self, has_end);
    }
    return ret == SPOT_ERR_BAD_INPUT ? 0 : ret;
}

static int take_lines(reader_t *self)
{
    int ret = refill(self);

    if (self->end >= 3 && memcmp(self->buffer, "\xEF\xBB\xBF", 3) == 0) {
        self->start = 3;
        spot_diag_warn(self->diag, self->path, 1, 1, "a byte-order mark, which is skipped");
    }
    if (ret == 0 && !self->is_edges && self->import == NULL) {
        ret = spot_task_import_open(
            &self->import, self->log, self->buffer + self->start, self->end - self->start);
    }
    while (ret == 0 && (self->start < self->end || !self->is_over)) {
        const char *text = self->buffer + self->start;
        const size_t num_left = self->end - self->start;
        const char *end = memchr(text, '\n', num_left);

        if (end != NULL || self->is_over) {
            ret = take_bytes(self, end == NULL ? num_left : (size_t) (end - text), end != NULL);
            continue;
        }
        if (num_left > MAX_LINE_BYTES) {
            self->is_too_long = true;
            self->start = self->end;
        }
        ret = refill(self);
    }
    return ret;
}

static int read_file(reader_t *self, const char *path)
{
    const spot_diag_mark_t mark = spot_diag_mark(self->diag);
    int ret = strcmp(path, "-") == 0
                  ? spot_instream_open_stdin(&self->stream, "standard input", self->diag)
                  : spot_instream_open(&self->stream, path, self->diag);

    self->path = strcmp(path, "-") == 0 ? "standard input" : path;
    self->format = SPOT_LOG_NONE;
    self->line.number = self->line.before = 0;
    self->num_skipped = 0;
    self->start = self->end = 0;
    self->is_too_long = false;
    ret = ret == 0 ? take_lines(self) : ret;
    ret = ret == 0 && self->diag->num_errors > mark.num_errors ? SPOT_ERR_BAD_INPUT : ret;
    if (self->import != NULL) {
        ret = spot_task_import_close(self->import, ret, self->path, self->diag);
        self->import = NULL;
    }
    if (ret == 0 && self->num_skipped > 0) {
        spot_diag_warn(self->diag, self->path, 0, 0, "%lld bad line%s skipped",
            (long long) self->num_skipped, self->num_skipped == 1 ? " was" : "s were");
        self->log->num_skipped_lines += self->num_skipped;
    }
    spot_diag_close_file(self->diag);
    spot_instream_close(&self->stream);
    return ret;
}

int spot_task_log_read(
    spot_task_log_t *self, const char *path, const spot_task_reading_t *reading, spot_diag_t *diag)
{
    const char *const paths[] = {path, reading->controller_path, reading->edges_path};
    reader_t reader = {
        .log = self, .reading = reading, .diag = diag, .buffer = malloc(BUFFER_BYTES + WORD_BYTES)};
    int ret = reader.buffer == NULL ? SPOT_ERR_NO_MEMORY : 0;

    memset(self, 0, sizeof(*self));
    self->has_planning = true;
    self->edges_path = reading->edges_path;
    for (size_t j = 0; j < 3; j++) {
        reader.is_edges = j == 2;
        if (paths[j] != NULL && (ret == 0 || ret == SPOT_ERR_BAD_INPUT)) {
            ret = spot_error_first(ret, read_file(&reader, paths[j]));
        }
    }
    free(reader.buffer);
    free(reader.line.inputs);
    free(reader.inputs);
    return ret == 0 ? spot_task_log_seal(self, reading->names) : ret;
}
