/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/tasks/task_log.h"

#include <stdlib.h>
#include <string.h>

#include "traces/tasks/task_line.h"

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
