/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/tasks/task_log.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* ---- A JSON object ----
 * JSON lines. Numbers stay text, so that no stamp passes through a double. A line ends
 * with a NUL and has no other. */

#define MAX_DEPTH 64

typedef struct {
    char *at;
    spot_task_text_t *line;
    int depth;
    bool is_inner;       /* within a nested value, which stays as it is */
    const char *problem; /* at `at`; NULL: none */
} cursor_t;

const char *const spot_task_key_names[SPOT_NUM_LINE_KEYS] = {"action", "at", "host", "worker",
    "task", "dataset", "mode", "source", "target", "inputs", "actDuration", "waitDuration",
    "busyWorkers", "actionsTransmit", "actionsSubmit", "actionsPurge", "eventsTransmited",
    "eventsComputed", "eventsStarted", "ph", "name", "cat", "pid", "tid", "ts", "dur", "args",
    "task_id", "func_or_class_name", "key", "thread", "status", "startstops", "start", "stop"};

/* The key of a name, or num_keys: none of the first so many. */
static spot_task_key_t task_find_key(const char *name, size_t num_bytes, spot_task_key_t num_keys)
{
    spot_task_key_t j = 0;

    while (j < num_keys &&
           (spot_task_key_names[j][0] != name[0] || strlen(spot_task_key_names[j]) != num_bytes ||
               memcmp(spot_task_key_names[j], name, num_bytes) != 0)) {
        j++;
    }
    return j;
}

static bool fail(cursor_t *self, const char *problem)
{
    if (self->problem == NULL) {
        self->problem = *self->at == '\0' ? "the line is cut off" : problem;
    }
    return false;
}

static void skip_blanks(cursor_t *self)
{
    while (*self->at == ' ' || *self->at == '\t' || *self->at == '\r' || *self->at == '\n') {
        self->at++;
    }
}

/* Moves behind a byte if it is the next one. */
static bool next_is(cursor_t *self, char byte)
{
    skip_blanks(self);
    if (*self->at != byte) {
        return false;
    }
    self->at++;
    return true;
}

static bool read_escape(cursor_t *self, char **to)
{
    const char *at = self->at;
    const char *problem = spot_json_unescape(&at, to);

    self->at += at - self->at;
    return problem == NULL || fail(self, problem);
}

/* The text at a quote, decoded where it stands. */
static bool read_text(cursor_t *self, spot_task_value_t *value)
{
    char unused[8], *out = ++self->at;

    value->kind = SPOT_VALUE_TEXT;
    value->text = out;
    if (self->line->is_plain) {
        char *end = strchr(self->at, '"');

        self->at = end == NULL ? strchr(self->at, '\0') : end;
        out = self->at;
    }
    while (*self->at != '"') {
        out = self->is_inner ? unused : out;
        if (*self->at == '\\') {
            if (!read_escape(self, &out)) {
                return false;
            }
        } else if ((unsigned char) *self->at < 0x20) {
            return fail(self, "a control character in a text");
        } else {
            *out++ = *self->at++;
        }
    }
    self->at++;
    if (!self->is_inner) {
        value->num_bytes = (size_t) (out - value->text);
        *out = '\0';
    }
    return true;
}

static bool read_digits(cursor_t *self)
{
    const size_t num_digits = strspn(self->at, "0123456789");

    self->at += num_digits;
    return num_digits > 0 || fail(self, "bad number");
}

static bool read_number(cursor_t *self, spot_task_value_t *value)
{
    bool is_good;

    value->kind = SPOT_VALUE_NUMBER;
    value->text = self->at;
    self->at += *self->at == '-';
    if (self->at[0] == '0' && isdigit((unsigned char) self->at[1])) {
        self->at++;
        return fail(self, "bad number");
    }
    is_good = read_digits(self);
    if (is_good && *self->at == '.') {
        self->at++;
        is_good = read_digits(self);
    }
    if (is_good && (*self->at == 'e' || *self->at == 'E')) {
        self->at++;
        self->at += *self->at == '+' || *self->at == '-';
        is_good = read_digits(self);
    }
    value->num_bytes = (size_t) (self->at - value->text);
    return is_good;
}

static bool read_word(cursor_t *self, spot_task_value_t *value)
{
    static const char *const words[] = {"null", "true", "false"};

    for (size_t j = 0; j < 3; j++) {
        const size_t num_bytes = strlen(words[j]);
        const size_t num_there = strnlen(self->at, num_bytes);

        if (strncmp(self->at, words[j], num_there) == 0 && num_there > 0) {
            self->at += num_there;
            value->kind = j == 0 ? SPOT_VALUE_ABSENT : SPOT_VALUE_OTHER;
            return num_there == num_bytes || fail(self, "");
        }
    }
    return fail(self, "expected a value");
}

static bool read_key(cursor_t *self, spot_task_key_t *id)
{
    spot_task_value_t key;

    skip_blanks(self);
    if ((*self->at != '"' && !fail(self, "expected a key in quotes")) || !read_text(self, &key) ||
        (!next_is(self, ':') && !fail(self, "expected ':'"))) {
        return false;
    }
    if (!self->is_inner) {
        *id = task_find_key(key.text, key.num_bytes, self->line->num_keys);
    }
    return true;
}

static bool read_items(cursor_t *self, bool is_ids);

static bool read_value(cursor_t *self, spot_task_key_t key, spot_task_value_t *value)
{
    const char *start;
    bool is_ids, is_good;

    skip_blanks(self);
    start = self->at;
    value->column = (size_t) (start - self->line->text) + 1;
    if (*start == '"') {
        return read_text(self, value);
    }
    if (*start != '{' && *start != '[') {
        return *start == '-' || isdigit((unsigned char) *start) ? read_number(self, value)
                                                                : read_word(self, value);
    }
    is_ids = key == SPOT_LINE_INPUTS && *start == '[';
    self->line->num_inputs = is_ids ? 0 : self->line->num_inputs;
    value->kind = SPOT_VALUE_OTHER;
    value->text = is_ids ? NULL : start;
    is_good = read_items(self, is_ids);
    value->num_bytes = (size_t) (self->at - start);
    return is_good;
}

/* The object or list at a bracket. Values of the line and ids of its inputs are kept. */
static bool read_items(cursor_t *self, bool is_ids)
{
    spot_task_text_t *line = self->line;
    const char closing = *self->at == '{' ? '}' : ']';
    const bool was_inner = self->is_inner;
    bool has_more;

    if (self->depth > MAX_DEPTH) {
        return fail(self, "nested too deeply");
    }
    self->at++;
    self->is_inner = self->depth++ > 0 && !is_ids;
    has_more = !next_is(self, closing);
    while (has_more) {
        spot_task_key_t key = line->num_keys;
        spot_task_value_t value = {0};

        if ((closing == '}' && !read_key(self, &key)) || !read_value(self, key, &value) ||
            (is_ids && SPOT_ARRAY_PUSH(line, inputs, value) != 0)) {
            return false;
        }
        if (key != line->num_keys) {
            line->values[key] = value;
        }
        has_more = !next_is(self, closing);
        if (has_more && !next_is(self, ',')) {
            return fail(self, closing == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
        }
    }
    self->depth--;
    self->is_inner = was_inner;
    return true;
}

const char *spot_task_split_json(spot_task_text_t *line)
{
    cursor_t self = {.at = line->text, .line = line};

    skip_blanks(&self);
    if (*self.at == '{' ? read_items(&self, false) : fail(&self, "expected an object")) {
        skip_blanks(&self);
        if (!line->is_part && *self.at != '\0') {
            fail(&self, "text behind the object");
        }
    }
    line->num_bytes = (size_t) (self.at - line->text);
    line->column = line->num_bytes + 1;
    return self.problem;
}

/* ---- The pieces of a trace line ----
 * Behind the prefix of a trace line, or of a line of markers, come KEY=VALUE pieces. */

static spot_task_value_t *set_value(
    spot_task_text_t *line, spot_task_key_t key, const char *text, size_t num_bytes)
{
    line->values[key] =
        (spot_task_value_t){key == SPOT_LINE_AT ? SPOT_VALUE_NUMBER : SPOT_VALUE_TEXT, text,
            num_bytes, (size_t) (text - line->text) + 1};
    return &line->values[key];
}

/* A piece without a known key belongs to the value before it. */
static bool split_pieces(spot_task_text_t *line)
{
    spot_task_value_t *value = NULL;
    const char *end;

    for (const char *at = line->pieces; at != NULL; at = *end == '\0' ? NULL : end + 1) {
        const char *equals = at + strcspn(at, "=;");
        const spot_task_key_t key =
            *equals != '=' ? SPOT_NUM_TEXT_KEYS
                           : task_find_key(at, (size_t) (equals - at), SPOT_NUM_TEXT_KEYS);

        end = equals + strcspn(equals, ";");
        if (key != SPOT_NUM_TEXT_KEYS) {
            value = set_value(line, key, equals + 1, (size_t) (end - equals) - 1);
        } else if (value == NULL) {
            return false;
        } else {
            value->num_bytes = (size_t) (end - value->text);
        }
    }
    return true;
}

const char *spot_task_split_trace(spot_task_text_t *line)
{
    const char *equals = strchr(line->pieces, '=');

    line->column = (size_t) (line->pieces - line->text) + 1;
    if (!line->is_microtrace) {
        return split_pieces(line) ? NULL : "expected host=, task=, action= or another known key";
    }
    if (equals == NULL || equals == line->pieces) {
        return "expected KIND=NANOSECONDS";
    }
    set_value(line, SPOT_LINE_ACTION, line->pieces, (size_t) (equals - line->pieces));
    set_value(line, SPOT_LINE_AT, equals + 1, strlen(equals + 1));
    return NULL;
}

/* ---- The log ---- */

const char *const spot_task_mode_names[SPOT_NUM_MODES] = {"", "local", "remote", "redundant"};
/* How a line names a worker: two words. */
typedef struct spot_task_place {
    int32_t host, worker;
} place_t;

void spot_task_log_free(spot_task_log_t *self)
{
    spot_names_free(&self->ids);
    spot_names_free(&self->words);
    spot_key_table_free(&self->place_table);
    free(self->places);
    free(self->events);
    free(self->reports);
    free(self->phases);
    free(self->microtraces);
    free(self->edges);
    free(self->inputs);
    free(self->listed);
    spot_arena_free(&self->arena);
    memset(self, 0, sizeof(*self));
}

static int add_place(spot_task_log_t *self, const spot_task_line_t *line, int32_t *place_id)
{
    place_t place;
    int ret = spot_names_add(&self->words, line->host, line->host_bytes, &place.host);

    ret = ret != 0 ? ret
                   : spot_names_add(&self->words, line->worker, line->worker_bytes, &place.worker);
    if (ret == 0) {
        spot_key_view_t keys = {
            .items = self->places, .item_bytes = sizeof(place), .is_bytes = true};

        *place_id = spot_key_table_find(&self->place_table, &keys, &place);
        if (*place_id < 0) {
            *place_id = (int32_t) self->num_places;
            ret = SPOT_ARRAY_APPEND(self, places, place);
            keys.items = self->places;
            ret = ret != 0 ? ret
                           : spot_key_table_enter(&self->place_table, &keys, (size_t) *place_id);
        }
    }
    return ret;
}

int spot_task_log_add(spot_task_log_t *self, const spot_task_line_t *line)
{
    spot_task_event_t event = {.at = line->at,
        .line = (uint32_t) line->line,
        .is_transmit = line->is_transmit,
        .stage = (uint8_t) line->stage,
        .mode = (uint8_t) line->mode,
        .is_controller = line->is_controller};
    int ret = spot_names_add(&self->ids, line->id, line->id_bytes, &event.id);

    ret = ret == 0 ? add_place(self, line, &event.worker) : ret;
    if (ret == 0) {
        self->num_mode_lines[line->mode]++;
        ret = SPOT_ARRAY_APPEND(self, events, event);
    }
    return ret;
}

int spot_task_log_add_inputs(
    spot_task_log_t *self, int32_t id, size_t num_inputs, const int32_t *inputs)
{
    spot_task_edges_t edges = {id, self->num_inputs, 0};
    const size_t max = self->max_listed;
    /* one more, so that a log with records has an array, to which offsets are added */
    int ret = SPOT_ARRAY_ROOM(self, inputs, self->num_inputs + num_inputs + 1);

    ret = ret == 0 ? SPOT_ARRAY_ROOM(self, listed, self->ids.num_names) : ret;
    if (ret == 0) {
        memset(self->listed + max, -1, (self->max_listed - max) * sizeof(*self->listed));
        ret = self->listed[id].edges_id >= 0 ? SPOT_ERR_BAD_INPUT : 0;
    }
    for (size_t j = 0; ret == 0 && j < num_inputs; j++) {
        if (self->listed[inputs[j]].by != id) {
            self->listed[inputs[j]].by = id;
            self->inputs[self->num_inputs++] = inputs[j];
        }
    }
    if (ret == 0) {
        self->listed[id].edges_id = (int32_t) self->num_edges;
        edges.end = self->num_inputs;
        ret = SPOT_ARRAY_APPEND(self, edges, edges);
    }
    return ret;
}

size_t spot_task_class_bytes(const char *id)
{
    return strcspn(id, "(:");
}

/* ---- Sealing ---- */

static const char *word(const spot_task_log_t *self, int32_t word_id)
{
    return self->words.names[word_id];
}

/* Rule 4 of the names: whether the controller names a worker by host and worker. */
static bool has_global_names(const spot_task_log_t *self)
{
    for (size_t j = 0; j < self->num_places; j++) {
        if (strcmp(word(self, self->places[j].host), SPOT_TASK_CONTROLLER) == 0 &&
            strchr(word(self, self->places[j].worker), ':') != NULL) {
            return true;
        }
    }
    return false;
}

/* The global name of a place's worker, or NULL. */
static char *name_of(spot_task_log_t *self, const place_t *place, bool is_local_name)
{
    const char *host = word(self, place->host), *worker = word(self, place->worker);
    const size_t host_bytes = strlen(host), num_bytes = host_bytes + strlen(worker) + 2;
    char *name;

    if (!is_local_name || strcmp(host, SPOT_TASK_CONTROLLER) == 0 ||
        (strncmp(worker, host, host_bytes) == 0 && worker[host_bytes] == ':')) {
        return spot_arena_text(&self->arena, worker);
    }
    name = spot_arena_take(&self->arena, num_bytes, 1);
    if (name != NULL) {
        snprintf(name, num_bytes, "%s:%s", host, worker);
    }
    return name;
}

static int compare_texts(const void *first, const void *second)
{
    return strcmp(*(const char *const *) first, *(const char *const *) second);
}

/* A sorted copy of texts, each once, in the arena; or NULL. */
static const char **sort_texts(
    spot_task_log_t *self, const char *const *texts, size_t num_texts, size_t *num)
{
    const char **sorted;

    if (SPOT_ARENA_ARRAY(&self->arena, sorted, num_texts) == NULL) {
        return NULL;
    }
    *num = 0;
    memcpy(sorted, texts, num_texts * sizeof(*texts));
    qsort(sorted, num_texts, sizeof(*sorted), compare_texts);
    for (size_t j = 0; j < num_texts; j++) {
        if (*num == 0 || strcmp(sorted[*num - 1], sorted[j]) != 0) {
            sorted[(*num)++] = sorted[j];
        }
    }
    return sorted;
}

static int32_t find_text(const char *const *texts, size_t num_texts, const char *text)
{
    const char *const *found = bsearch(&text, texts, num_texts, sizeof(*texts), compare_texts);

    return (int32_t) (found - texts);
}

/* The line that says where a worker is: the earliest one, whatever the order of lines.
 */
typedef struct {
    int64_t at;
    int32_t host; /* of words; -1: none */
    bool is_transmit;
} witness_t;

static void hear(
    const spot_task_log_t *self, witness_t *witness, const spot_task_event_t *event, int32_t host)
{
    const bool is_better = witness->host < 0 || event->is_transmit < witness->is_transmit ||
                           (event->is_transmit == witness->is_transmit &&
                               (event->at < witness->at ||
                                   (event->at == witness->at &&
                                       strcmp(word(self, host), word(self, witness->host)) < 0)));

    if (is_better) {
        *witness = (witness_t){event->at, host, event->is_transmit};
    }
}

/* Rule 5: the host of an executor's task line, of the name, of a transmit. */
static const char *host_of(spot_task_log_t *self, const char *name, const witness_t *witness)
{
    const char *colon = strrchr(name, ':');
    char *host;

    if (witness->host >= 0 && (colon == NULL || !witness->is_transmit)) {
        return word(self, witness->host);
    }
    if (colon == NULL) {
        return "";
    }
    host = spot_arena_take(&self->arena, (size_t) (colon - name) + 1, 1);
    return host == NULL ? NULL : memcpy(host, name, (size_t) (colon - name));
}

static int name_hosts(spot_task_log_t *self, const witness_t *witnesses)
{
    const char **of_worker;

    SPOT_ARENA_ARRAY(&self->arena, of_worker, self->num_workers);
    for (size_t j = 0; self->arena.error == 0 && j < self->num_workers; j++) {
        of_worker[j] = host_of(self, self->workers[j].name, &witnesses[j]);
    }
    if (self->arena.error == 0) {
        self->hosts = sort_texts(self, of_worker, self->num_workers, &self->num_hosts);
    }
    for (size_t j = 0; self->arena.error == 0 && j < self->num_workers; j++) {
        self->workers[j].host_id = find_text(self->hosts, self->num_hosts, of_worker[j]);
    }
    return self->arena.error;
}

/* Places turn into workers in order of bytes; events then name their worker. */
int spot_task_log_seal(spot_task_log_t *self, spot_task_names_t names)
{
    const bool is_local_name =
        !self->is_markers &&
        (names == SPOT_NAMES_AUTO ? has_global_names(self) : names == SPOT_NAMES_LOCAL);
    const char **of_place, **sorted = NULL;
    witness_t *witnesses;
    int ret;

    SPOT_ARENA_ARRAY(&self->arena, of_place, self->num_places);
    for (size_t j = 0; self->arena.error == 0 && j < self->num_places; j++) {
        of_place[j] = name_of(self, &self->places[j], is_local_name);
    }
    if (self->arena.error == 0) {
        sorted = sort_texts(self, of_place, self->num_places, &self->num_workers);
    }
    SPOT_ARENA_ARRAY(&self->arena, self->workers, self->num_workers);
    SPOT_ARENA_ARRAY(&self->arena, witnesses, self->num_workers);
    if (self->arena.error != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->num_workers; j++) {
        self->workers[j].name = sorted[j];
        witnesses[j].host = -1;
    }
    for (size_t j = 0; j < self->num_places; j++) {
        self->places[j].worker = find_text(sorted, self->num_workers, of_place[j]);
    }
    for (size_t j = 0; j < self->num_events; j++) {
        spot_task_event_t *event = &self->events[j];
        const place_t *place = &self->places[event->worker];

        event->worker = place->worker;
        if (!event->is_controller) {
            hear(self, &witnesses[event->worker], event, place->host);
        }
    }
    ret = name_hosts(self, witnesses);
    free(self->places);
    self->places = NULL;
    self->num_places = self->max_places = 0;
    spot_key_table_free(&self->place_table);
    return ret;
}

int spot_task_log_rank(const spot_task_log_t *self, int32_t *rank)
{
    const size_t num_ids = self->ids.num_names;
    struct {
        const char *text;
        int32_t id;
    } *sorted = malloc((num_ids + 1) * sizeof(*sorted));

    if (sorted == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_ids; j++) {
        sorted[j].text = self->ids.names[j];
        sorted[j].id = (int32_t) j;
    }
    qsort(sorted, num_ids, sizeof(*sorted), compare_texts);
    for (size_t j = 0; j < num_ids; j++) {
        rank[sorted[j].id] = (int32_t) j;
    }
    free(sorted);
    return 0;
}
