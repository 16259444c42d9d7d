/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Documents of other programs as task logs.
 *
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/tasks/task_log_internal.h"

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

/* ---- Names ---- */

/* A tab becomes a blank. */
static void append(spot_task_import_t *self, text_t *text, const char *bytes, size_t num_bytes)
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
static void set(spot_task_import_t *self, text_t *text, const spot_task_value_t *value,
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

static int32_t intern(spot_task_import_t *self, spot_names_t *names, const text_t *text)
{
    int32_t id = 0;

    if (self->error == 0) {
        self->error = spot_names_add(names, text->bytes, text->num_bytes, &id);
    }
    return id;
}

/* Appends the name of a process or thread; its number if it has none or shares it. */
static void append_name(spot_task_import_t *self, text_t *text, const char *row, size_t num_bytes)
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
static void name_words(spot_task_import_t *self)
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

/* ---- Events and records ---- */

/* A number times 10^power as an integer, rounded. False: it is none, or beyond 64 bits.
 */
static bool scale(const spot_task_value_t *number, int power, int64_t *value)
{
    return number->kind == SPOT_VALUE_NUMBER && spot_task_decimal(number->text, power, value);
}

static void add(spot_task_import_t *self, size_t line, int stage, int64_t at)
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
static void finish_id(spot_task_import_t *self, const spot_task_value_t *given)
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

/* A record of a task stream: from the first to the last of its stretches. */
static const char *take_record(
    spot_task_import_t *self, spot_task_text_t *line, spot_task_text_t *part)
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
        if (spot_task_is_text(&part->values[SPOT_LINE_ACTION], "compute")) {
            loaded = from;
        }
    }
    if (start == INT64_MAX) {
        self->num_passed++;
        return NULL;
    }
    self->num_erred += spot_task_is_there(status) && !spot_task_is_text(status, "OK");
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
    append(self, &self->worker, "-", spot_task_is_there(thread));
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
static void close_span(spot_task_import_t *self, size_t line, int64_t at)
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
    spot_task_import_t *self, const spot_task_value_t *values, const spot_task_value_t *name)
{
    const bool is_thread = spot_task_is_text(&values[SPOT_LINE_NAME], "thread_name");
    int32_t row_id;

    if (name->kind != SPOT_VALUE_TEXT ||
        (!is_thread && !spot_task_is_text(&values[SPOT_LINE_NAME], "process_name"))) {
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
static const char *take_event(spot_task_import_t *self, const spot_task_text_t *line, char phase,
    const spot_task_value_t *inner)
{
    const spot_task_value_t *values = line->values, *function = &inner[SPOT_LINE_FUNCTION],
                            *category = &values[SPOT_LINE_CATEGORY];
    const bool is_ray = function->kind == SPOT_VALUE_TEXT;
    int64_t start, dur = 0, end;

    if (!spot_task_is_there(&values[SPOT_LINE_PID]) ||
        !spot_task_is_there(&values[SPOT_LINE_TID])) {
        return "pid or tid is missing, or neither a number nor a text";
    }
    if (!scale(&values[SPOT_LINE_TS], 3, &start) ||
        (spot_task_is_there(&values[SPOT_LINE_DUR]) && !scale(&values[SPOT_LINE_DUR], 3, &dur)) ||
        __builtin_add_overflow(start, dur, &end)) {
        return "expected ts, and dur, in microseconds, within 64 bits of ns";
    }
    set(self, &self->host, &values[SPOT_LINE_PID], NULL);
    set(self, &self->worker, &values[SPOT_LINE_PID], &values[SPOT_LINE_TID]);
    if (phase == 'E') {
        close_span(self, line->number, start);
        return NULL;
    }
    if (!spot_task_is_there(&values[SPOT_LINE_NAME])) {
        return "name is missing, or neither a text nor a number";
    }
    set(self, &self->id, is_ray ? function : &values[SPOT_LINE_NAME], NULL);
    if (is_ray && spot_task_is_text(category, "task:execute")) {
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
    if (phase == 'X' && spot_task_is_there(&values[SPOT_LINE_DUR])) {
        add(self, line->number, SPOT_TASK_FINISHED, end);
    }
    if (phase == 'B' && self->error == 0) {
        const int32_t worker = intern(self, &self->names, &self->worker);

        SPOT_ARRAY_PUSH(
            self, opens, (open_t){worker, self->log->events[self->log->num_events - 1].id});
    }
    return NULL;
}

const char *spot_task_import_take(spot_task_import_t *self, spot_task_text_t *line)
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
        if (spot_task_is_text(phase, "M")) {
            take_name(self, line->values, &part.values[SPOT_LINE_NAME]);
        } else if (spot_task_is_text(phase, "X") || spot_task_is_text(phase, "B") ||
                   spot_task_is_text(phase, "E")) {
            problem = take_event(self, line, *phase->text, part.values);
        } else {
            self->num_passed++;
        }
    }
    free(part.inputs);
    self->error = spot_error_first(self->error, part.error);
    line->error = self->error;
    return problem;
}

/* ---- Documents ---- */

int spot_task_import_open(
    spot_task_import_t **self, spot_task_log_t *log, char *bytes, size_t num_bytes)
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
    **self = (spot_task_import_t){.log = log, .line = 1, .is_list = is_list, .in_events = is_list};
    log->has_planning = false;
    return spot_task_import_cut(*self, bytes, num_bytes);
}

int spot_task_import_cut(spot_task_import_t *self, char *bytes, size_t num_bytes)
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

void spot_task_import_place(spot_task_import_t *self, spot_task_text_t *line)
{
    const place_t place = self->places[self->next_place++];

    line->number = place.line;
    line->before = place.before;
    if (self->next_place == self->num_places) {
        self->next_place = self->num_places = 0;
    }
}

static void warn(const spot_task_import_t *self, const char *file, spot_diag_t *diag)
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

int spot_task_import_close(spot_task_import_t *self, int ret, const char *file, spot_diag_t *diag)
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
