/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/utf8.h"
#include "traces/tasks/task_import.h"
#include "traces/tasks/task_log_internal.h"

#define MAX_LINE_BYTES SPOT_CSV_MAX_LINE_BYTES
#define BUFFER_BYTES (MAX_LINE_BYTES + ((size_t) 1 << 16))
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
    bool *has_inputs; /* [max_has_inputs] by id */
    size_t max_has_inputs;
    int32_t *inputs; /* [max_inputs] */
    size_t max_inputs;
} reader_t;

/* ---- Errors of lines ---- */

static int line_error(reader_t *self, size_t column, const char *format, ...)
    SPOT_PRINTF(3, 4);

static int
line_error(reader_t *self, size_t column, const char *format, ...)
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

static int
value_error(reader_t *self, spot_task_key_t key, const char *problem)
{
    const spot_task_value_t *value = &self->line.values[key];
    const char *name = spot_task_key_names[key];
    char text[SPOT_UTF8_SHOWN_BYTES + 1], shown[SPOT_UTF8_SHOWN_BYTES];
    const size_t num_bytes = value->num_bytes < SPOT_UTF8_SHOWN_BYTES
                                 ? value->num_bytes
                                 : SPOT_UTF8_SHOWN_BYTES;

    if (value->text == NULL || value->kind == SPOT_VALUE_OTHER) {
        return line_error(self, value->column, "%s: %s", name, problem);
    }
    memcpy(text, value->text, num_bytes);
    text[num_bytes] = '\0';
    return line_error(self, value->column, "%s: %s, got '%s'", name, problem,
        spot_utf8_shown(text, shown));
}

/* ---- Lines ---- */

typedef struct {
    const char *name;
    bool is_transmit;
    int stage;
} action_t;

static const action_t plain_actions[] = {{"taskPlanned", false, SPOT_TASK_PLANNED},
    {"taskEnqueued", false, SPOT_TASK_ENQUEUED},
    {"taskStarted", false, SPOT_TASK_STARTED}, {"taskLoaded", false, SPOT_TASK_LOADED},
    {"taskFinished", false, SPOT_TASK_FINISHED},
    {"transmitPlanned", true, SPOT_TRANSMIT_PLANNED},
    {"transmitStarted", true, SPOT_TRANSMIT_STARTED},
    {"transmitLoaded", true, SPOT_TRANSMIT_LOADED},
    {"transmitFinished", true, SPOT_TRANSMIT_FINISHED}, {.name = NULL}};
static const action_t mark_actions[] = {{"task_planned", false, 0},
    {"task_enqueued", false, 1}, {"task_started", false, 2}, {"task_loaded", false, 3},
    {"task_computed", false, 4}, {"task_published", false, 5},
    {"task_completed", false, 6}, {"transmit_planned", true, 0},
    {"transmit_started", true, 1}, {"transmit_loaded", true, 2},
    {"transmit_received", true, 3}, {"transmit_unloaded", true, 4},
    {"transmit_completed", true, 5}, {.name = NULL}};
static const char *const phases[] = {
    "assign", "plan", "act", "flush", "wait", "shutdown", NULL};

static bool
is_text(const spot_task_value_t *value, const char *text)
{
    return value->kind != SPOT_VALUE_ABSENT && strlen(text) == value->num_bytes &&
           memcmp(text, value->text, value->num_bytes) == 0;
}

static const action_t *
find_action(const action_t *actions, const spot_task_value_t *value)
{
    while (actions->name != NULL && !is_text(value, actions->name)) {
        actions++;
    }
    return actions->name == NULL ? NULL : actions;
}

static int
require(reader_t *self, size_t num_keys, const spot_task_key_t *keys)
{
    for (size_t j = 0; j < num_keys; j++) {
        if (self->line.values[keys[j]].kind == SPOT_VALUE_ABSENT) {
            return line_error(self, 0, "%s is missing", spot_task_key_names[keys[j]]);
        }
    }
    return 0;
}

static int
read_at(reader_t *self, int64_t *at)
{
    const spot_task_value_t *value = &self->line.values[SPOT_LINE_AT];
    const char *problem =
        value->kind != SPOT_VALUE_NUMBER
            ? "expected an integer, without fraction, exponent or quotes"
            : spot_task_integer(value->text, value->num_bytes, at);

    return problem == NULL ? 0 : value_error(self, SPOT_LINE_AT, problem);
}

static int
read_mode(reader_t *self, const action_t *action, spot_task_mode_t *mode)
{
    const spot_task_value_t *value = &self->line.values[SPOT_LINE_MODE];

    *mode = SPOT_MODE_NONE;
    if (value->kind == SPOT_VALUE_ABSENT || !action->is_transmit || action->stage == 0) {
        return 0;
    }
    for (spot_task_mode_t j = SPOT_MODE_LOCAL; j < SPOT_NUM_MODES; j++) {
        if (is_text(value, spot_task_mode_names[j])) {
            *mode = j;
            return 0;
        }
    }
    return value_error(self, SPOT_LINE_MODE, "expected local, remote or redundant");
}

static int
take_event(reader_t *self, const action_t *action)
{
    const bool is_mark = self->format == SPOT_LOG_MARKERS;
    const spot_task_key_t id = action->is_transmit ? SPOT_LINE_DATASET : SPOT_LINE_TASK;
    const spot_task_key_t worker =
        is_mark && action->is_transmit ? SPOT_LINE_TARGET : SPOT_LINE_WORKER;
    const spot_task_key_t needed[] = {SPOT_LINE_AT, SPOT_LINE_HOST, worker, id};
    const spot_task_value_t *values = self->line.values;
    spot_task_line_t event = {.id = values[id].text,
        .id_bytes = values[id].num_bytes,
        .host = values[SPOT_LINE_HOST].text,
        .host_bytes = values[SPOT_LINE_HOST].num_bytes,
        .worker = values[worker].text,
        .worker_bytes = values[worker].num_bytes,
        .line = self->line.number,
        .stage = action->stage,
        .is_transmit = action->is_transmit,
        .is_controller = is_text(&values[SPOT_LINE_HOST], SPOT_TASK_CONTROLLER)};
    int ret = require(self, 4, needed);

    ret = ret == 0 ? read_at(self, &event.at) : ret;
    ret = ret == 0 ? read_mode(self, action, &event.mode) : ret;
    return ret == 0 ? spot_task_log_add(self->log, &event) : ret;
}

/* A count or duration of a report, which may be in quotes; "None": has is false. */
static int
read_number(reader_t *self, spot_task_key_t key, int64_t *number, bool *has)
{
    const spot_task_value_t *value = &self->line.values[key];
    const char *problem;

    *has = value->kind != SPOT_VALUE_ABSENT && !is_text(value, "None");
    if (!*has) {
        return 0;
    }
    problem = value->kind == SPOT_VALUE_OTHER
                  ? "expected an integer"
                  : spot_task_integer(value->text, value->num_bytes, number);
    return problem == NULL ? 0 : value_error(self, key, problem);
}

static int
take_report(reader_t *self)
{
    static const spot_task_key_t needed[] = {SPOT_LINE_AT, SPOT_LINE_HOST};
    spot_task_report_t report = {0};
    int64_t at;
    bool has = true;
    int ret = require(self, 2, needed);

    ret = ret == 0 ? read_at(self, &at) : ret;
    ret = ret == 0 ? read_number(self, SPOT_LINE_ACT_DURATION, &report.act, &has) : ret;
    if (ret == 0 && !has) {
        return line_error(self, 0, "actDuration is missing");
    }
    ret = ret != 0 ? ret
                   : read_number(
                         self, SPOT_LINE_WAIT_DURATION, &report.wait, &report.has_wait);
    ret = ret != 0
              ? ret
              : read_number(self, SPOT_LINE_BUSY_WORKERS, &report.busy_workers, &has);
    for (size_t j = 0; ret == 0 && j < SPOT_REPORT_COUNTERS; j++) {
        ret = read_number(
            self, SPOT_LINE_COUNTERS + (spot_task_key_t) j, &report.counters[j], &has);
    }
    if (ret == 0) {
        self->log->num_controller_lines++;
        ret = SPOT_ARRAY_APPEND(self->log, reports, report);
    }
    return ret;
}

static int
take_inputs(reader_t *self)
{
    static const spot_task_key_t needed[] = {SPOT_LINE_TASK};
    const spot_task_text_t *line = &self->line;
    const spot_task_value_t *task = &line->values[SPOT_LINE_TASK];
    int32_t id = -1;
    int ret = require(self, 1, needed);

    if (ret == 0 &&
        (line->values[SPOT_LINE_INPUTS].kind != SPOT_VALUE_OTHER ||
            line->values[SPOT_LINE_INPUTS].text != NULL || line->inputs_column != 0)) {
        return line_error(
            self, line->inputs_column, "inputs: expected a list of task ids");
    }
    ret = ret == 0 ? spot_names_add(&self->log->ids, task->text, task->num_bytes, &id)
                   : ret;
    if (ret == 0 && (size_t) id < self->max_has_inputs && self->has_inputs[id]) {
        return value_error(self, SPOT_LINE_TASK, "its inputs stand in an earlier line");
    }
    ret = ret != 0 ? ret
                   : spot_array_reserve(&self->inputs, &self->max_inputs,
                         line->num_inputs, sizeof(*self->inputs));
    for (size_t j = 0; ret == 0 && j < line->num_inputs; j++) {
        ret = spot_names_add(&self->log->ids, line->inputs[j].text,
            line->inputs[j].num_bytes, &self->inputs[j]);
    }
    if (ret == 0) {
        const size_t max = self->max_has_inputs;

        ret = spot_array_reserve(&self->has_inputs, &self->max_has_inputs,
            self->log->ids.num_names, sizeof(*self->has_inputs));
        if (ret == 0) {
            memset(self->has_inputs + max, 0,
                (self->max_has_inputs - max) * sizeof(*self->has_inputs));
            self->has_inputs[id] = true;
        }
    }
    return ret != 0
               ? ret
               : spot_task_log_add_inputs(self->log, id, line->num_inputs, self->inputs);
}

static int
take_phase(reader_t *self, size_t phase_id)
{
    static const spot_task_key_t needed[] = {SPOT_LINE_AT};
    spot_task_mark_t phase = {.line = (uint32_t) self->line.number};
    int ret = require(self, 1, needed);

    ret = ret == 0 ? read_at(self, &phase.at) : ret;
    ret = ret != 0 ? ret
                   : spot_names_add(&self->log->words, phases[phase_id],
                         strlen(phases[phase_id]), &phase.name);
    if (ret == 0) {
        self->log->num_controller_lines++;
        ret = SPOT_ARRAY_APPEND(self->log, phases, phase);
    }
    return ret;
}

static int
take_mark(reader_t *self)
{
    const spot_task_value_t *action = &self->line.values[SPOT_LINE_ACTION];
    const action_t *event = find_action(mark_actions, action);
    spot_task_mark_t mark = {.line = (uint32_t) self->line.number};
    int ret;

    if (self->line.is_microtrace) {
        ret = read_at(self, &mark.at);
        ret = ret != 0 ? ret
                       : spot_names_add(&self->log->words, action->text,
                             action->num_bytes, &mark.name);
        return ret != 0 ? ret : SPOT_ARRAY_APPEND(self->log, microtraces, mark);
    }
    for (size_t j = 0; phases[j] != NULL; j++) {
        if (action->num_bytes == strlen(phases[j]) + 5 &&
            memcmp(action->text, "ctrl_", 5) == 0 &&
            memcmp(action->text + 5, phases[j], action->num_bytes - 5) == 0) {
            return take_phase(self, j);
        }
    }
    self->log->num_unknown_actions += event == NULL;
    return event == NULL ? 0 : take_event(self, event);
}

static int
take_values(reader_t *self)
{
    static const spot_task_key_t needed[] = {SPOT_LINE_ACTION};
    const spot_task_value_t *action = &self->line.values[SPOT_LINE_ACTION];
    const action_t *event;
    int ret = require(self, 1, needed);

    for (spot_task_key_t j = 0; ret == 0 && j <= SPOT_LINE_MODE; j++) {
        if (self->line.values[j].kind == SPOT_VALUE_OTHER) {
            ret = value_error(
                self, j, j == SPOT_LINE_AT ? "expected an integer" : "expected a text");
        }
    }
    if (ret != 0) {
        return ret;
    }
    if (self->is_edges && !is_text(action, "taskInputs")) {
        return value_error(self, SPOT_LINE_ACTION, "expected taskInputs");
    }
    if (self->format == SPOT_LOG_MARKERS) {
        return take_mark(self);
    }
    if (is_text(action, "controllerReport")) {
        return take_report(self);
    }
    if (is_text(action, "taskInputs")) {
        self->log->num_input_records += !self->is_edges;
        return take_inputs(self);
    }
    if (action->num_bytes >= 10 && memcmp(action->text, SPOT_TASK_CONTROLLER, 10) == 0) {
        self->log->num_controller_lines++;
        return 0;
    }
    event = find_action(plain_actions, action);
    self->log->num_unknown_actions += event == NULL;
    return event == NULL ? 0 : take_event(self, event);
}

/* ---- Files ---- */

/* The first byte that may not be in a line. */
static bool
check_bytes(reader_t *self)
{
    const char *text = self->line.text;

    for (size_t j = 0; j < self->line.num_bytes;) {
        const size_t num_bytes = spot_utf8_length(text + j, self->line.num_bytes - j);

        if (num_bytes == 0 || text[j] == '\0') {
            line_error(self, j + 1, text[j] == '\0' ? "a NUL" : "invalid UTF-8");
            return false;
        }
        j += num_bytes;
    }
    return true;
}

static int
check_format(reader_t *self)
{
    static const char *const names[] = {"", "JSON lines", "trace lines", "markers"};
    const spot_task_format_t format = spot_task_line_format(self->line.text);

    if (format == SPOT_LOG_BAD || (self->is_edges && format != SPOT_LOG_JSON)) {
        return line_error(self, 0, "neither an object nor a trace line");
    }
    if (self->format == SPOT_LOG_NONE) {
        self->format = format;
        self->log->is_markers |= format == SPOT_LOG_MARKERS;
    }
    if (format != self->format) {
        return line_error(self, 0, "mixed formats: one of %s in a file of %s",
            names[format], names[self->format]);
    }
    return 0;
}

static int
take_line(reader_t *self, bool has_end)
{
    spot_task_text_t *line = &self->line;
    spot_task_fault_t fault;
    int ret;

    if (line->text[strspn(line->text, " \t\r")] == '\0' &&
        strlen(line->text) == line->num_bytes) {
        return 0;
    }
    self->log->num_lines += self->is_edges ? 0 : 1;
    if (!line->is_plain && !check_bytes(self)) {
        return 0;
    }
    while (line->num_bytes > 0 && line->text[line->num_bytes - 1] == '\r') {
        line->text[--line->num_bytes] = '\0';
    }
    if (check_format(self) != 0) {
        return 0;
    }
    line->num_keys = self->import == NULL ? SPOT_LINE_PHASE : SPOT_NUM_LINE_KEYS;
    memset(line->values, 0, line->num_keys * sizeof(*line->values));
    if (self->format != SPOT_LOG_JSON && !has_end) {
        line_error(self, 0, "the line is cut off: it has no end");
        return 0;
    }
    fault = (self->format == SPOT_LOG_JSON ? spot_task_split_json
                                           : spot_task_split_trace)(line);
    if (line->error != 0) {
        return line->error;
    }
    if (fault.text != NULL) {
        line_error(self, fault.column, "%s", fault.text);
        return 0;
    }
    if (self->import == NULL) {
        ret = take_values(self);
    } else {
        ret = spot_task_import_take(self->import, line, &fault);
        if (fault.text != NULL) {
            line_error(self, fault.column, "%s", fault.text);
        }
    }
    return ret == SPOT_ERR_BAD_INPUT ? 0 : ret;
}

/* Whether no byte is special, in steps that a compiler makes wide. */
static bool
is_plain(const char *text, size_t num_bytes)
{
    const unsigned char *bytes = (const unsigned char *) text;
    unsigned char special = 0;
    size_t j = 0;

    for (; j + 64 <= num_bytes; j += 64) {
        for (size_t k = 0; k < 64; k++) {
            const unsigned char byte = bytes[j + k];

            special |= (unsigned char) ((byte < 0x20) & (byte != '\n')) |
                       (byte == '\\') | (byte >= 0x7F);
        }
    }
    for (; j < num_bytes; j++) {
        special |= ((bytes[j] < 0x20) & (bytes[j] != '\n')) | (bytes[j] == '\\') |
                   (bytes[j] >= 0x7F);
    }
    return special == 0;
}

typedef struct {
    spot_instream_t stream;
    char *buffer; /* [BUFFER_BYTES + 1] */
    size_t start, end;
    bool is_over, is_too_long;
} lines_t;

/* Moves what is left to the front, and reads on. */
static int
refill(lines_t *self, reader_t *reader)
{
    size_t num_read;
    int ret;

    memmove(self->buffer, self->buffer + self->start, self->end - self->start);
    self->end -= self->start;
    self->start = 0;
    ret = spot_instream_read(&self->stream, self->buffer + self->end,
        BUFFER_BYTES - self->end, &num_read, reader->diag);
    self->is_over = ret == 0 && num_read < BUFFER_BYTES - self->end;
    self->buffer[self->end + (ret == 0 ? num_read : 0)] = '\0';
    if (ret == 0 && reader->import != NULL) {
        ret = spot_task_import_cut(reader->import, self->buffer + self->end, num_read);
    }
    self->end += ret == 0 ? num_read : 0;
    reader->line.is_plain = is_plain(self->buffer, self->end);
    return ret;
}

static void
skip_byte_order_mark(lines_t *self, reader_t *reader)
{
    if (self->end >= 3 && memcmp(self->buffer, "\xEF\xBB\xBF", 3) == 0) {
        self->start = 3;
        spot_diag_warn(
            reader->diag, reader->path, 1, 1, "a byte-order mark, which is skipped");
    }
}

/* A line, or the last part of one that is too long. */
static int
take_bytes(lines_t *self, reader_t *reader, size_t num_bytes, bool has_end)
{
    char *text = self->buffer + self->start;

    self->start += num_bytes + has_end;
    reader->line.number++;
    if (reader->import != NULL && num_bytes == 0 && !self->is_too_long) {
        return 0;
    }
    if (reader->import != NULL) {
        spot_task_import_place(reader->import, &reader->line);
    }
    if (self->is_too_long || num_bytes > MAX_LINE_BYTES) {
        self->is_too_long = false;
        reader->log->num_lines += !reader->is_edges;
        line_error(reader, 0, "the %s is above 1 MB",
            reader->import == NULL ? "line" : "event");
        return 0;
    }
    text[num_bytes] = '\0';
    reader->line.text = text;
    reader->line.num_bytes = num_bytes;
    return take_line(reader, has_end);
}

static int
take_lines(lines_t *self, reader_t *reader)
{
    int ret = refill(self, reader);

    skip_byte_order_mark(self, reader);
    if (ret == 0 && !reader->is_edges && reader->import == NULL) {
        ret = spot_task_import_open(&reader->import, reader->log,
            self->buffer + self->start, self->end - self->start);
    }
    while (ret == 0 && (self->start < self->end || !self->is_over)) {
        const char *text = self->buffer + self->start;
        const size_t num_left = self->end - self->start;
        const char *end = num_left == 0 ? NULL : memchr(text, '\n', num_left);

        if (end != NULL) {
            ret = take_bytes(self, reader, (size_t) (end - text), true);
        } else if (self->is_over) {
            ret = take_bytes(self, reader, num_left, false);
        } else {
            if (num_left > MAX_LINE_BYTES) {
                self->is_too_long = true;
                self->start = self->end;
            }
            ret = refill(self, reader);
        }
    }
    return ret;
}

static int
read_file(reader_t *self, const char *path, bool is_edges)
{
    const spot_diag_mark_t mark = spot_diag_mark(self->diag);
    lines_t lines = {.buffer = malloc(BUFFER_BYTES + 1)};
    int ret = strcmp(path, "-") == 0
                  ? spot_instream_open_stdin(&lines.stream, "standard input", self->diag)
                  : spot_instream_open(&lines.stream, path, self->diag);

    self->path = strcmp(path, "-") == 0 ? "standard input" : path;
    self->is_edges = is_edges;
    self->format = SPOT_LOG_NONE;
    self->line.number = self->line.before = 0;
    self->num_skipped = 0;
    if (lines.buffer == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    ret = ret == 0 ? take_lines(&lines, self) : ret;
    ret =
        ret == 0 && self->diag->num_errors > mark.num_errors ? SPOT_ERR_BAD_INPUT : ret;
    if (self->import != NULL) {
        ret = spot_task_import_close(self->import, ret, self->path, self->diag);
        self->import = NULL;
    }
    if (ret == 0 && self->num_skipped > 0) {
        spot_diag_warn(self->diag, self->path, 0, 0, "%lld bad lines were skipped",
            (long long) self->num_skipped);
        self->log->num_skipped_lines += self->num_skipped;
    }
    spot_diag_close_file(self->diag);
    spot_instream_close(&lines.stream);
    free(lines.buffer);
    return ret;
}

int
spot_task_log_read(spot_task_log_t *self, const char *path,
    const spot_task_reading_t *reading, spot_diag_t *diag)
{
    const struct {
        const char *path;
        bool is_edges;
    } files[] = {
        {path, false}, {reading->controller_path, false}, {reading->edges_path, true}};
    reader_t reader = {.log = self, .reading = reading, .diag = diag};
    int ret = 0;

    memset(self, 0, sizeof(*self));
    self->has_planning = true;
    self->edges_path = reading->edges_path;
    for (size_t j = 0; j < 3; j++) {
        if (files[j].path != NULL && (ret == 0 || ret == SPOT_ERR_BAD_INPUT)) {
            ret = spot_error_first(
                ret, read_file(&reader, files[j].path, files[j].is_edges));
        }
    }
    free(reader.line.inputs);
    free(reader.has_inputs);
    free(reader.inputs);
    return ret == 0 ? spot_task_log_seal(self, reading->names) : ret;
}
