/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/tasks/task_log_read.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/inputs.h"
#include "base/utf8.h"
#include "traces/tasks/task_log.h"

typedef struct spot_task_import task_import_t;

static int task_import_cut(task_import_t *self, char *bytes, size_t num_bytes);

/* ---- Documents of other programs ----
 * Chrome traces: a list of events, or an object with the list traceEvents. Every span is
 * a task: ph X, or B and E of one thread. A process is a host, a thread a worker;
 * process_name and thread_name (ph M) name them.
 * Timelines of Ray (ray-project/ray, python/ray/_private/profiling.py) are such lists:
 * spans of cat "task::NAME" are the tasks; "task:execute" begins with the inputs loaded.
 * Task streams of Dask (dask/distributed, diagnostics/task_stream.py, worker.py): lists
 * of records with key, worker, thread, startstops; a thread is a worker.
 *
 * The id of a task is NAME:ID with a task_id or key, else NAME(k), the k-th of its name.
 * In NAME, ( ) : become [ ] . as a class ends there. A process or thread with the name
 * of another has its pid or tid behind. Times are rounded to ns. */

typedef struct {
    size_t num_bytes, max_bytes;
    char *bytes; /* ends with a NUL */
} text_t;

typedef struct {
    size_t line, before;
} place_t;

typedef struct {
    int32_t worker; /* of names */
    int32_t id;     /* of the log */
} open_t;

struct spot_task_import {
    spot_task_log_t *log;
    bool is_list, is_dask;
    size_t line, column, depth, num_matched; /* bytes of "traceEvents" */
    bool in_text, is_escaped, was_kept, in_events, has_events;
    size_t next_place, num_places, max_places;
    place_t *places; /* [num_places] of lines, from next_place on not yet taken */
    text_t id, host, worker;
    spot_names_t names; /* of tasks, workers, rows */
    size_t max_counts;
    int32_t *counts;   /* [max_counts] tasks by name */
    spot_names_t rows; /* PID, or PID and tab and TID, with a name: */
    size_t max_given;
    int32_t *given; /* [num rows] of names */
    size_t num_opens, max_opens;
    open_t *opens; /* [num_opens] spans without an end, by begin */
    size_t num_passed, num_erred;
    int error; /* NO_MEMORY */
};

/* ---- Documents: names ---- */

/* A tab becomes a blank. */
static void append(task_import_t *self, text_t *text, const char *bytes, size_t num_bytes)
{
    if (self->error == 0) {
        self->error = SPOT_ARRAY_ROOM(text, bytes, text->num_bytes + num_bytes + 1);
    }
    if (self->error != 0) {
        return;
    }
    for (size_t j = 0; j < num_bytes; j++) {
        text->bytes[text->num_bytes++] = (char) (bytes[j] == '\t' ? ' ' : bytes[j]);
    }
    text->bytes[text->num_bytes] = '\0';
}

/* Sets a text to a value, or to two with a tab between. */
static void set(task_import_t *self, text_t *text, const spot_task_value_t *value,
    const spot_task_value_t *second)
{
    text->num_bytes = 0;
    append(self, text, value->text, value->num_bytes);
    if (second != NULL) {
        append(self, text, " ", 1);
        append(self, text, second->text, second->num_bytes);
        if (self->error == 0) {
            text->bytes[value->num_bytes] = '\t';
        }
    }
}

static int32_t intern(task_import_t *self, spot_names_t *names, const text_t *text)
{
    int32_t id = 0;

    if (self->error == 0) {
        self->error = spot_names_add(names, text->bytes, text->num_bytes, &id);
    }
    return id;
}

/* Appends the name of a process or thread; its number if it has none or shares it. */
static void append_name(task_import_t *self, text_t *text, const char *row, size_t num_bytes)
{
    const int32_t row_id = spot_names_find(&self->rows, row, num_bytes);
    const char *tab = memchr(row, '\t', num_bytes);
    const size_t start = tab == NULL ? 0 : (size_t) (tab + 1 - row);
    bool has_number = row_id < 0;

    for (int32_t j = 0; !has_number && j < (int32_t) self->rows.num_names; j++) {
        const char *other = self->rows.names[j];

        has_number = j != row_id && self->given[j] == self->given[row_id] &&
                     strncmp(other, row, start) == 0 && strchr(other + start, '\t') == NULL;
    }
    if (row_id >= 0) {
        const char *name = self->names.names[self->given[row_id]];

        append(self, text, name, strlen(name));
        append(self, text, " ", has_number);
    }
    append(self, text, row + start, has_number ? num_bytes - start : 0);
}

/* Hosts and workers get their names once all are known. */
static void name_words(task_import_t *self)
{
    for (size_t j = 0; self->error == 0 && j < self->log->words.num_names; j++) {
        char *word = self->log->words.names[j], *tab = strchr(word, '\t');
        text_t *host = &self->host, *worker = &self->worker;

        host->num_bytes = worker->num_bytes = 0;
        append_name(self, host, word, strcspn(word, "\t"));
        if (tab != NULL) {
            append(self, host, ":", host->num_bytes > 0);
            append_name(self, worker, word, strlen(word));
        }
        if (tab != NULL && self->error == 0) {
            host->num_bytes *= strncmp(worker->bytes, host->bytes, host->num_bytes) != 0;
            append(self, host, worker->bytes, worker->num_bytes);
        }
        if (self->error == 0) {
            self->log->words.names[j] = spot_text_copy(host->bytes, host->num_bytes);
            self->error = self->log->words.names[j] == NULL ? SPOT_ERR_NO_MEMORY : 0;
            free(word);
        }
    }
}

/* ---- Documents: events and records ---- */

/* A decimal number times 10^power as an integer, rounded. False: beyond 64 bits. */
static bool task_decimal(const char *text, int power, int64_t *value)
{
    const bool is_negative = *text == '-';
    const char *at = text + is_negative, *end = at + strspn(at, "0123456789.");
    long place = *end == 'e' || *end == 'E' ? strtol(end + 1, NULL, 10) : 0;
    uint64_t sum = 0;

    place = place > 9999 ? 9999 : place < -9999 ? -9999 : place;
    place += power + (long) strspn(at, "0123456789"); /* digits up to the point */
    for (; place > 0 && (at < end || sum != 0); at += at < end) {
        if (at == end || *at != '.') {
            if (sum > UINT64_MAX / 10 - 1) {
                return false;
            }
            place--;
            sum = sum * 10 + (uint64_t) (at < end ? *at - '0' : 0);
        }
    }
    at += at < end && *at == '.';
    sum += place == 0 && at < end && *at >= '5';
    if (sum > (uint64_t) INT64_MAX + is_negative) {
        return false;
    }
    *value = (int64_t) (is_negative ? -sum : sum);
    return true;
}

/* A number times 10^power as an integer, rounded. False: it is none, or beyond 64 bits.
 */
static bool scale(const spot_task_value_t *number, int power, int64_t *value)
{
    return number->kind == SPOT_VALUE_NUMBER && task_decimal(number->text, power, value);
}

static void add(task_import_t *self, size_t line, int stage, int64_t at)
{
    const spot_task_line_t event = {.id = self->id.bytes,
        .host = self->host.bytes,
        .worker = self->worker.bytes,
        .id_bytes = self->id.num_bytes,
        .host_bytes = self->host.num_bytes,
        .worker_bytes = self->worker.num_bytes,
        .at = at,
        .line = line,
        .stage = stage};

    if (self->error == 0) {
        self->error = spot_task_log_add(self->log, &event);
    }
}

/* Ends the name in id, which no ( and : may cut, with the given id or a number. */
static void finish_id(task_import_t *self, const spot_task_value_t *given)
{
    const size_t max = self->max_counts;
    int32_t name_id;
    char text[16];

    for (char *at = self->id.bytes; self->error == 0 && *at != '\0'; at++) {
        *at = (char) (*at == '(' ? '[' : *at == ')' ? ']' : *at == ':' ? '.' : *at);
    }
    if (given->kind != SPOT_VALUE_ABSENT) {
        append(self, &self->id, ":", 1);
        append(self, &self->id, given->text, given->num_bytes);
        return;
    }
    name_id = intern(self, &self->names, &self->id);
    if (self->error == 0) {
        self->error = SPOT_ARRAY_ROOM(self, counts, (size_t) name_id + 1);
    }
    if (self->error == 0) {
        memset(self->counts + max, 0, (self->max_counts - max) * sizeof(*self->counts));
        snprintf(text, sizeof(text), "(%d)", (int) ++self->counts[name_id]);
        append(self, &self->id, text, strlen(text));
    }
}

/* The first part of a key: ('read-csv-5f3a', 0) is of read-csv. */
static spot_task_value_t class_of(const spot_task_value_t *key)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const char *start = key->text + strspn(key->text, "[(_'\"");
    size_t num_bytes = strcspn(start, "-,'\")]}"), num_more;

    while (start[num_bytes] == '-' && (num_more = strspn(start + num_bytes + 1, letters)) > 0 &&
           strchr("-'\"", start[num_bytes + 1 + num_more]) != NULL) {
        num_bytes += num_more + 1;
    }
    return (spot_task_value_t){SPOT_VALUE_TEXT, start, num_bytes, 0};
}

/* A list as a key without blanks outside of texts, which differ with indentation. */
static spot_task_value_t without_blanks(spot_task_text_t *line, spot_task_value_t list)
{
    char *text = line->text + (list.text - line->text), *to = text;
    bool in_text = false;

    for (size_t j = 0; j < list.num_bytes; j++) {
        in_text ^= text[j] == '"' && text[j - 1] != '\\';
        if (in_text || memchr(" \t\r", text[j], 3) == NULL) {
            *to++ = text[j];
        }
    }
    list.num_bytes = (size_t) (to - text);
    return list;
}

/* Cuts the object at a place of a line; returns whether there is one. */
static bool split_part(spot_task_text_t *part, spot_task_text_t *line, const char *at)
{
    memset(part->values, 0, sizeof(part->values));
    part->is_part = true;
    part->num_keys = line->num_keys;
    part->is_plain = line->is_plain;
    part->text = line->text + (at - line->text);
    return *at == '{' && spot_task_split_json(part) == NULL;
}

/* Whether it is this text or number. */
static bool task_is_text(const spot_task_value_t *value, const char *text)
{
    return value->kind != SPOT_VALUE_ABSENT && strlen(text) == value->num_bytes &&
           memcmp(text, value->text, value->num_bytes) == 0;
}

/* Whether it is a text or a number. */
static bool task_is_there(const spot_task_value_t *value)
{
    return value->kind == SPOT_VALUE_TEXT || value->kind == SPOT_VALUE_NUMBER;
}

/* A record of a task stream: from the first to the last of its stretches. */
static const char *take_record(task_import_t *self, spot_task_text_t *line, spot_task_text_t *part)
{
    spot_task_value_t key = line->values[SPOT_LINE_KEY];
    const spot_task_value_t *thread = &line->values[SPOT_LINE_THREAD];
    const spot_task_value_t *status = &line->values[SPOT_LINE_STATUS];
    spot_task_value_t worker = line->values[SPOT_LINE_WORKER], host, name;
    const char *at = line->values[SPOT_LINE_STRETCHES].text;
    int64_t start = INT64_MAX, end = INT64_MIN, loaded = INT64_MAX, from, to;

    self->is_dask = true;
    if (worker.kind != SPOT_VALUE_TEXT || key.text == NULL) {
        return "expected a key, and a worker as text";
    }
    for (at = at == NULL ? "" : at + 1; split_part(part, line, at + strspn(at, ", \t\r"));
         at = part->text + part->num_bytes) {
        if (!scale(&part->values[SPOT_LINE_START], 9, &from) ||
            !scale(&part->values[SPOT_LINE_STOP], 9, &to)) {
            return "startstops: expected start and stop in seconds, within 64 bits of "
                   "ns";
        }
        start = from < start ? from : start;
        end = to > end ? to : end;
        if (task_is_text(&part->values[SPOT_LINE_ACTION], "compute")) {
            loaded = from;
        }
    }
    if (start == INT64_MAX) {
        self->num_passed++;
        return NULL;
    }
    self->num_erred += task_is_there(status) && !task_is_text(status, "OK");
    if (strstr(worker.text, "://") != NULL) {
        worker.text = strstr(worker.text, "://") + 3;
        worker.num_bytes = strlen(worker.text);
    }
    host = worker;
    host.num_bytes = strrchr(host.text, ':') == NULL
                         ? strcspn(host.text, "/")
                         : (size_t) (strrchr(host.text, ':') - host.text);
    set(self, &self->host, &host, NULL);
    set(self, &self->worker, &worker, NULL);
    append(self, &self->worker, "-", task_is_there(thread));
    append(self, &self->worker, thread->text, thread->num_bytes);
    key = key.kind == SPOT_VALUE_OTHER ? without_blanks(line, key) : key;
    name = class_of(&key);
    set(self, &self->id, &name, NULL);
    finish_id(self, &key);
    add(self, line->number, SPOT_TASK_STARTED, start);
    if (loaded != INT64_MAX) {
        add(self, line->number, SPOT_TASK_LOADED, loaded);
    }
    add(self, line->number, SPOT_TASK_FINISHED, end);
    return NULL;
}

/* Ends the latest span that is open in a thread. */
static void close_span(task_import_t *self, size_t line, int64_t at)
{
    const int32_t worker = intern(self, &self->names, &self->worker);
    size_t j = self->num_opens;
    const char *id;

    while (j > 0 && self->opens[j - 1].worker != worker) {
        j--;
    }
    if (j == 0) {
        self->num_passed++;
        return;
    }
    id = self->log->ids.names[self->opens[j - 1].id];
    self->id.num_bytes = 0;
    append(self, &self->id, id, strlen(id));
    add(self, line, SPOT_TASK_FINISHED, at);
    memmove(&self->opens[j - 1], &self->opens[j], (self->num_opens - j) * sizeof(*self->opens));
    self->num_opens--;
}

/* Metadata: the name of a process or thread. */
static void take_name(
    task_import_t *self, const spot_task_value_t *values, const spot_task_value_t *name)
{
    const bool is_thread = task_is_text(&values[SPOT_LINE_NAME], "thread_name");
    int32_t row_id;

    if (name->kind != SPOT_VALUE_TEXT ||
        (!is_thread && !task_is_text(&values[SPOT_LINE_NAME], "process_name"))) {
        return;
    }
    set(self, &self->worker, &values[SPOT_LINE_PID], is_thread ? &values[SPOT_LINE_TID] : NULL);
    set(self, &self->id, name, NULL);
    row_id = intern(self, &self->rows, &self->worker);
    if (self->error == 0) {
        self->error = SPOT_ARRAY_ROOM(self, given, self->rows.num_names);
    }
    if (self->error == 0) {
        self->given[row_id] = intern(self, &self->names, &self->id);
    }
}

/* An event of a Chrome trace. inner: its args. */
static const char *take_trace_event(
    task_import_t *self, const spot_task_text_t *line, char phase, const spot_task_value_t *inner)
{
    const spot_task_value_t *values = line->values, *function = &inner[SPOT_LINE_FUNCTION],
                            *category = &values[SPOT_LINE_CATEGORY];
    const bool is_ray = function->kind == SPOT_VALUE_TEXT;
    int64_t start, dur = 0, end;

    if (!task_is_there(&values[SPOT_LINE_PID]) || !task_is_there(&values[SPOT_LINE_TID])) {
        return "pid or tid is missing, or neither a number nor a text";
    }
    if (!scale(&values[SPOT_LINE_TS], 3, &start) ||
        (task_is_there(&values[SPOT_LINE_DUR]) && !scale(&values[SPOT_LINE_DUR], 3, &dur)) ||
        __builtin_add_overflow(start, dur, &end)) {
        return "expected ts, and dur, in microseconds, within 64 bits of ns";
    }
    set(self, &self->host, &values[SPOT_LINE_PID], NULL);
    set(self, &self->worker, &values[SPOT_LINE_PID], &values[SPOT_LINE_TID]);
    if (phase == 'E') {
        close_span(self, line->number, start);
        return NULL;
    }
    if (!task_is_there(&values[SPOT_LINE_NAME])) {
        return "name is missing, or neither a text nor a number";
    }
    set(self, &self->id, is_ray ? function : &values[SPOT_LINE_NAME], NULL);
    if (is_ray && task_is_text(category, "task:execute")) {
        finish_id(self, &inner[SPOT_LINE_TASK_ID]);
        add(self, line->number, SPOT_TASK_LOADED, start);
        return NULL;
    }
    if (is_ray &&
        (category->kind != SPOT_VALUE_TEXT || strncmp(category->text, "task::", 6) != 0)) {
        self->num_passed++;
        return NULL;
    }
    finish_id(self, &inner[SPOT_LINE_TASK_ID]);
    add(self, line->number, SPOT_TASK_STARTED, start);
    if (phase == 'X' && task_is_there(&values[SPOT_LINE_DUR])) {
        add(self, line->number, SPOT_TASK_FINISHED, end);
    }
    if (phase == 'B' && self->error == 0) {
        const int32_t worker = intern(self, &self->names, &self->worker);

        SPOT_ARRAY_PUSH(
            self, opens, (open_t){worker, self->log->events[self->log->num_events - 1].id});
    }
    return NULL;
}

/* Takes the values of a line. NULL, or why they are bad; check the error of line too. */
static const char *task_import_take(task_import_t *self, spot_task_text_t *line)
{
    const spot_task_value_t *phase = &line->values[SPOT_LINE_PHASE];
    const char *args = line->values[SPOT_LINE_ARGS].text, *problem = NULL;
    spot_task_text_t part = {.num_bytes = 0};

    line->column = 1;
    if (phase->kind == SPOT_VALUE_ABSENT) {
        problem = line->values[SPOT_LINE_KEY].kind == SPOT_VALUE_ABSENT
                      ? "neither ph, of a Chrome trace, nor key, of a task stream"
                      : take_record(self, line, &part);
    } else {
        split_part(&part, line, args == NULL ? "" : args);
        if (task_is_text(phase, "M")) {
            take_name(self, line->values, &part.values[SPOT_LINE_NAME]);
        } else if (task_is_text(phase, "X") || task_is_text(phase, "B") ||
                   task_is_text(phase, "E")) {
            problem = take_trace_event(self, line, *phase->text, part.values);
        } else {
            self->num_passed++;
        }
    }
    free(part.inputs);
    self->error = spot_error_first(self->error, part.error);
    line->error = self->error;
    return problem;
}

/* ---- Documents: the whole ---- */

/* Begins to read if the first bytes of a file are those of a document, and cuts them;
 * else self stays NULL. NO_MEMORY. */
static int task_import_open(
    task_import_t **self, spot_task_log_t *log, char *bytes, size_t num_bytes)
{
    const char *first = bytes + strspn(bytes, " \t\r\n");
    const char *next = first + (*first != '\0');
    const char *item = next + strspn(next, " \t\r\n");
    const bool is_list = *first == '[' && (*item == '{' || *item == ']');
    const bool is_object = *first == '{' && (next[strspn(next, " \t\r")] == '\n' ||
                                                strstr(next, "\"traceEvents\"") != NULL);

    if (!is_list && !is_object) {
        return 0;
    }
    *self = malloc(sizeof(**self));
    if (*self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    **self = (task_import_t){.log = log, .line = 1, .is_list = is_list, .in_events = is_list};
    log->has_planning = false;
    return task_import_cut(*self, bytes, num_bytes);
}

/* Turns the next bytes into lines, of one event or record each. NO_MEMORY. */
static int task_import_cut(task_import_t *self, char *bytes, size_t num_bytes)
{
    static const char key[] = "\"traceEvents\"";
    const size_t outer = self->is_list ? 1 : 0, inner = self->is_list ? 1 : 2;

    for (size_t j = 0; self->error == 0 && j < num_bytes; j++) {
        const char byte = bytes[j];
        size_t depth = self->depth; /* at the byte, brackets inside */
        bool is_kept;

        if (self->is_escaped) {
            self->is_escaped = false;
        } else if (self->in_text) {
            self->is_escaped = byte == '\\';
            self->in_text = byte != '"';
        } else if (byte == '"') {
            self->in_text = true;
        } else if (byte == '{' || byte == '[') {
            depth = ++self->depth;
        } else if ((byte == '}' || byte == ']') && self->depth > 0) {
            self->depth--;
        }
        if (depth == 1 && !self->is_list) {
            self->num_matched = byte == key[self->num_matched] && byte != '\0'
                                    ? self->num_matched + 1
                                    : byte == '"';
            self->in_events = key[self->num_matched] == '\0' || (self->in_events && byte != ',');
            self->has_events |= self->in_events;
        }
        is_kept = (depth > inner && self->in_events) ||
                  (depth <= outer && memchr(" \t\r\n,[]", byte, 7) == NULL);
        if (is_kept && !self->was_kept) {
            SPOT_ARRAY_PUSH(self, places, (place_t){self->line, self->column});
        }
        self->was_kept = is_kept;
        self->column++;
        if (byte == '\n') {
            self->line++;
            self->column = 0;
        }
        bytes[j] = (char) (!is_kept ? '\n' : byte == '\n' ? '\r' : byte);
    }
    return self->error;
}

/* Sets where in the file the next line that is not empty was. */
static void task_import_place(task_import_t *self, spot_task_text_t *line)
{
    const place_t place = self->places[self->next_place++];

    line->number = place.line;
    line->before = place.before;
    if (self->next_place == self->num_places) {
        self->next_place = self->num_places = 0;
    }
}

static void warn(const task_import_t *self, const char *file, spot_diag_t *diag)
{
    if (self->depth > 0) {
        spot_diag_warn(diag, file, self->line, self->column + 1,
            "the list has no end, as if its writer was stopped");
    }
    spot_diag_warn(diag, file, 0, 0,
        "a %s has no planning: total, comm, queue and why workers idle are not known",
        self->is_dask ? "task stream" : "Chrome trace");
    if (self->num_passed > 0) {
        spot_diag_warn(diag, file, 0, 0,
            "%zu events are passed over: other phases than X, B, E and M, ends without "
            "a "
            "begin, spans of Ray that are no task, records without times",
            self->num_passed);
    }
    if (self->num_erred > 0) {
        spot_diag_warn(diag, file, 0, 0, "%zu tasks ended with an error; they count as finished",
            self->num_erred);
    }
}

/* Names workers and hosts, reports what is not known, and frees self. ret: how the
 * reading ended. The same, BAD_INPUT, NO_MEMORY. */
static int task_import_close(task_import_t *self, int ret, const char *file, spot_diag_t *diag)
{
    const char *problem =
        self->depth > (self->is_list && !self->in_text) ? "the document is cut off"
        : self->is_list || self->has_events             ? NULL
                                            : "an object over several lines without traceEvents";

    if (ret == 0 && problem != NULL) {
        ret = spot_diag_error(diag, file, self->line, self->column + 1, "%s", problem);
    }
    if (ret == 0) {
        name_words(self);
        ret = self->error;
        warn(self, file, diag);
    }
    spot_names_free(&self->names);
    spot_names_free(&self->rows);
    free(self->places);
    free(self->id.bytes);
    free(self->host.bytes);
    free(self->worker.bytes);
    free(self->counts);
    free(self->given);
    free(self->opens);
    free(self);
    return ret;
}

/* ---- The lines of a log ----
 * Trace lines and lines of markers: a prefix of any text, the number of a process, then
 * KEY=VALUE pieces. */

#define MAX_LINE_BYTES SPOT_CSV_MAX_LINE_BYTES
#define ENDLESS_BYTES ((size_t) 1 << 26) /* of a line */
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
    task_import_t *import; /* of a document; NULL: it is a file of lines */
    int64_t num_skipped;
    size_t max_inputs;
    int32_t *inputs; /* [max_inputs] */
    spot_instream_t stream;
    char *buffer; /* [BUFFER_BYTES + WORD_BYTES] */
    size_t start, end;
    bool is_over;
    size_t num_too_long; /* bytes of a line that is too long, before those in the buffer; else 0 */
} reader_t;

/* ---- Lines: errors ---- */

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

/* ---- Lines: events and records ---- */

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

/* Reads an integer within int64, of all bytes; else returns why it is none. */
static const char *task_integer(const spot_task_value_t *value, int64_t *number)
{
    const size_t sign = value->num_bytes > 0 && value->text[0] == '-';

    if (value->kind == SPOT_VALUE_OTHER || value->num_bytes == sign) {
        return "expected an integer";
    }
    if (strspn(value->text + sign, "0123456789") + sign < value->num_bytes) {
        return "expected an integer, without fraction, exponent or quotes";
    }
    return task_decimal(value->text, 0, number) ? NULL : "beyond the integers of 64 bits";
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
                      : task_integer(value, at);
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
        if (task_is_text(value, spot_task_mode_names[*mode])) {
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
        .is_controller = task_is_text(&values[SPOT_LINE_HOST], SPOT_TASK_CONTROLLER)};
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

        if (value->kind != SPOT_VALUE_ABSENT && !task_is_text(value, "None")) {
            problem = task_integer(value, number);
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
        is_good = task_is_there(&line->inputs[j]);
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
           (actions[is_mark][id] == NULL || !task_is_text(action, actions[is_mark][id]))) {
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

/* What stands behind "HEAD<process>:TAIL", where that is first; NULL: nowhere. */
static char *behind(const char *text, const char *head, const char *tail)
{
    const char *found = strstr(text, head);

    while (found != NULL) {
        const char *at = found + strlen(head);
        const char *digits = at;

        while (isdigit((unsigned char) *at)) {
            at++;
        }
        if (at > digits && strncmp(at, tail, strlen(tail)) == 0) {
            return (char *) (uintptr_t) (at + strlen(tail));
        }
        found = strstr(found + 1, head);
    }
    return NULL;
}

/* The format of a line, whose pieces are found. */
static spot_task_format_t task_line_format(spot_task_text_t *line)
{
    static const struct {
        const char *head, *tail;
        spot_task_format_t format;
    } kinds[] = {{".marker:", ":#", SPOT_LOG_MARKERS}, {".tracer:", ":#", SPOT_LOG_MARKERS},
        {".tracing:", ":", SPOT_LOG_TRACE}};

    line->is_microtrace = false;
    if (line->text[strspn(line->text, " \t")] == '{') {
        return SPOT_LOG_JSON;
    }
    for (size_t j = 0; j < 3; j++) {
        line->pieces = behind(line->text, kinds[j].head, kinds[j].tail);
        line->is_microtrace = j == 1;
        if (line->pieces != NULL) {
            return kinds[j].format;
        }
    }
    return SPOT_LOG_BAD;
}

static int check_format(reader_t *self)
{
    static const char *const names[] = {"", "JSON lines", "trace lines", "markers"};
    const spot_task_format_t format = task_line_format(&self->line);

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
        problem = task_import_take(self->import, line);
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
        ret = task_import_cut(self->import, to, num_read);
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
        if (num_bytes == 0 && self->num_too_long == 0) {
            return 0;
        }
        task_import_place(self->import, &self->line);
    }
    if (self->num_too_long > 0 || num_bytes > MAX_LINE_BYTES) {
        self->num_too_long = 0;
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

    if (self->stream.has_mark) {
        spot_diag_warn(self->diag, self->path, 1, 1, "a byte-order mark, which is skipped");
    }
    if (ret == 0 && !self->is_edges && self->import == NULL) {
        ret = task_import_open(
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
            self->start = self->end;
            self->num_too_long += num_left;
            if (self->num_too_long > ENDLESS_BYTES) {
                spot_instream_give_up(&self->stream);
                return spot_diag_error(self->diag, self->path, self->line.number + 1, 0,
                    "the line is above 64 MB: nothing is read from here on");
            }
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
    self->num_too_long = 0;
    ret = ret == 0 ? take_lines(self) : ret;
    ret = ret == 0 && self->diag->num_errors > mark.num_errors ? SPOT_ERR_BAD_INPUT : ret;
    if (self->import != NULL) {
        ret = task_import_close(self->import, ret, self->path, self->diag);
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
