/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/name_match.h"

/* ---- Items ---- */

static const spot_field_t parent_item = {.type = SPOT_FIELD_TEXT, .offset = 0};

/* A list is kept as a number, and reported once the id is known. */
static void bind_from(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const spot_field_t text = {.type = SPOT_FIELD_TEXT, .name = field->name};

    if (node->kind == SPOT_NODE_LIST && node->num_children > 1 && target != NULL) {
        spot_serve_pipeline_item_t *item = (void *) ((char *) target - field->offset);

        item->num_from = node->num_children;
    } else {
        spot_bind_field(bind, &text, node, target);
    }
}

const spot_field_t spot_serve_pipeline_item_fields[] = {
    {SPOT_VALUE(TEXT, "id", spot_serve_pipeline_item_t, id, NULL, "name of the stage or join")},
    {SPOT_VALUE(TEXT, "from", spot_serve_pipeline_item_t, from, "",
         "of a stage: the node that feeds it, or source"),
        .bind = bind_from},
    {SPOT_VALUE(TEXT, "model", spot_serve_pipeline_item_t, model, "",
        "of a stage: its model in the profiles; default: its id")},
    {SPOT_ITEMS(LIST, "join", spot_serve_pipeline_item_t, join, num_join, parent_item, 0,
        SPOT_JOIN_MAX_PARENTS, "[]", "a list of at most 31 nodes such as [KSVM, LogReg]",
        "of a join: the nodes that feed it, at least two")},
    {.name = NULL},
};

void spot_serve_pipeline_item_free(spot_serve_pipeline_item_t *self)
{
    for (size_t j = 0; j < self->num_join; j++) {
        free(self->join[j]);
    }
    free(self->join);
    free(self->id);
    free(self->from);
    free(self->model);
}

/* ---- The graph ---- */

/* The pipeline that is made, and where its items stand. */
typedef struct {
    spot_serve_pipeline_t *self;
    spot_bind_t *bind;
    const spot_node_t *list;
    const spot_serve_pipeline_item_t *items;
} maker_t;

static const spot_node_t *place_of(const maker_t *maker, size_t node_id, const char *key)
{
    const spot_node_t *item = maker->list->children[node_id];
    const spot_node_t *value = spot_node_get(item, key);

    return value == NULL ? item : value;
}

/* Ids are columns, members of JSON objects, and parts of names of metrics. */
static bool is_id(const char *text)
{
    const size_t num_bytes = strlen(text);

    for (size_t j = 0; j < num_bytes; j++) {
        if ((unsigned char) text[j] <= ' ' || strchr("\"',\x7f", text[j]) != NULL) {
            return false;
        }
    }
    return num_bytes > 0 && num_bytes <= SPOT_PIPELINE_MAX_ID_BYTES;
}

static bool check_id(const maker_t *maker, size_t node_id)
{
    const char *id = maker->items[node_id].id;
    const spot_node_t *node = place_of(maker, node_id, "id");
    size_t first = 0; /* with this id */

    while (strcmp(maker->items[first].id, id) != 0) {
        first++;
    }
    if (!is_id(id)) {
        spot_bind_error(maker->bind, node, NULL,
            "id '%s' is not 1 to %d bytes without blanks, quotes and commas", id,
            SPOT_PIPELINE_MAX_ID_BYTES);
    } else if (strcmp(id, "source") == 0 || strcmp(id, "sink") == 0) {
        spot_bind_error(maker->bind, node, NULL, "id '%s' is reserved", id);
    } else if (first < node_id) {
        spot_bind_error(maker->bind, node, NULL, "id '%s' given twice (first at line %zu)", id,
            place_of(maker, first, "id")->line);
    } else {
        return true;
    }
    return false;
}

/* The node with an id, -1: the source, -2: none, which is reported. */
static int32_t find_parent(const maker_t *maker, const char *id, const spot_node_t *place)
{
    char hint[SPOT_SUGGEST_HINT_BYTES];
    spot_suggest_t near;

    spot_suggest_init(&near, id);
    spot_suggest_offer(&near, "source");
    if (strcmp(id, "source") == 0) {
        return -1;
    }
    for (size_t j = 0; j < maker->self->num_nodes; j++) {
        spot_suggest_offer(&near, maker->items[j].id);
        if (strcmp(maker->items[j].id, id) == 0) {
            return (int32_t) j;
        }
    }
    spot_bind_error(maker->bind, place, NULL, "no node '%s'%s", id, spot_suggest_hint(&near, hint));
    return -2;
}

/* The nodes of from, or of join, each once. */
static void find_parents(const maker_t *maker, size_t node_id)
{
    const spot_serve_pipeline_item_t *item = &maker->items[node_id];
    const bool is_stage = item->from != NULL;
    char *const *ids = is_stage ? &item->from : item->join;
    const size_t num_ids = is_stage ? 1 : item->num_join;
    const spot_node_t *place = place_of(maker, node_id, is_stage ? "from" : "join");
    spot_serve_pipeline_node_t *node = &maker->self->nodes[node_id];

    SPOT_ARENA_ARRAY(&maker->self->memory, node->parents, num_ids);
    for (size_t j = 0; j < num_ids && node->parents != NULL; j++) {
        const int32_t parent = find_parent(maker, ids[j], is_stage ? place : place->children[j]);
        size_t k = 0;

        while (k < node->num_parents && node->parents[k] != parent) {
            k++;
        }
        node->parents[k] = parent;
        node->num_parents += k == node->num_parents;
    }
    if (!is_stage && node->num_parents == 1) {
        spot_bind_error(maker->bind, place, NULL, "join needs two distinct predecessors");
    }
}

static void add_parents(const maker_t *maker, size_t node_id)
{
    const spot_serve_pipeline_item_t *item = &maker->items[node_id];
    const bool is_stage = item->from != NULL || item->num_from > 0;
    char number[24] = "two";

    if (item->num_from > 2) {
        snprintf(number, sizeof(number), "%zu", item->num_from);
    }
    if (is_stage == (item->num_join > 0)) {
        spot_bind_error(maker->bind, place_of(maker, node_id, "id"), NULL,
            "node %s needs from (a stage) or join", item->id);
    } else if (item->num_from > 0) {
        spot_bind_error(maker->bind, place_of(maker, node_id, "from"), NULL,
            "stage %s has %s predecessors; use a join", item->id, number);
    } else {
        find_parents(maker, node_id);
    }
}

static void add_links(spot_serve_pipeline_t *self)
{
    SPOT_ARENA_ARRAY(&self->memory, self->first, self->num_nodes);
    SPOT_ARENA_ARRAY(&self->memory, self->order, self->num_nodes);
    SPOT_ARENA_ARRAY(&self->memory, self->stages, self->num_nodes);
    for (size_t j = 0; j < self->num_nodes && self->memory.error == 0; j++) {
        SPOT_ARENA_ARRAY(&self->memory, self->nodes[j].children, self->num_nodes);
    }
    for (size_t j = 0; j < self->num_nodes && self->memory.error == 0; j++) {
        spot_serve_pipeline_node_t *node = &self->nodes[j];

        node->stage_id = node->model == NULL ? -1 : (int32_t) self->num_stages;
        if (node->model != NULL) {
            self->stages[self->num_stages++] = (int32_t) j;
        }
        for (size_t k = 0; k < node->num_parents; k++) {
            const int32_t parent = node->parents[k];
            size_t *num = parent < 0 ? &self->num_first : &self->nodes[parent].num_children;

            (parent < 0 ? self->first : self->nodes[parent].children)[(*num)++] =
                (spot_serve_pipeline_link_t){(int32_t) j, node->stage_id, (int32_t) k};
        }
    }
}

/* Places nodes in the order behind their parents, of equal ones the first in pipeline
 * order: behind all of them, or behind any one. Returns their number, which is less than
 * that of all where there is a cycle. */
static size_t place_nodes(spot_serve_pipeline_t *self, bool behind_all, bool *is_placed)
{
    size_t num_placed = 0, before;

    do {
        before = num_placed;
        for (size_t j = 0; j < self->num_nodes; j++) {
            const spot_serve_pipeline_node_t *node = &self->nodes[j];
            size_t num_ready = 0;

            for (size_t k = 0; k < node->num_parents; k++) {
                num_ready += node->parents[k] < 0 || is_placed[node->parents[k]];
            }
            if (!is_placed[j] && num_ready >= (behind_all ? node->num_parents : 1)) {
                is_placed[j] = true;
                self->order[num_placed++] = (int32_t) j;
            }
        }
    } while (num_placed > before);
    return num_placed;
}

/* A parent that is not placed, of a node that is not. */
static int32_t parent_without_place(
    const spot_serve_pipeline_t *self, const bool *is_placed, int32_t node_id)
{
    const int32_t *parent = self->nodes[node_id].parents;

    while (*parent < 0 || is_placed[*parent]) {
        parent++;
    }
    return *parent;
}

/* Reports a cycle that the parents of a node without place lead to, and the nodes that
 * no way from the source leads to. */
static void report_cycle(const maker_t *maker, bool *is_placed)
{
    spot_serve_pipeline_t *self = maker->self;
    bool is_in[SPOT_SERVE_MAX_NODES] = {false};
    int32_t at = 0, lowest;
    spot_texts_t texts = {0};
    const char *list;

    while (is_placed[at]) {
        at++;
    }
    for (size_t j = 0; j < self->num_nodes; j++) { /* as far as any way to the cycle */
        at = parent_without_place(self, is_placed, at);
    }
    for (lowest = at; !is_in[at]; at = parent_without_place(self, is_placed, at)) {
        is_in[at] = true;
        lowest = at < lowest ? at : lowest;
    }
    list = self->nodes[lowest].id;
    at = lowest;
    do {
        at = parent_without_place(self, is_placed, at);
        list = spot_texts_add(&texts, "%s -> %s", self->nodes[at].id, list);
    } while (at != lowest);
    spot_bind_error(maker->bind, place_of(maker, (size_t) lowest, "id"), NULL, "cycle: %s", list);
    maker->bind->is_out_of_memory |= texts.error != 0;
    spot_texts_free(&texts);
    place_nodes(self, false, is_placed);
    for (size_t j = 0; j < self->num_nodes; j++) {
        if (!is_placed[j] && !is_in[j]) {
            spot_bind_error(maker->bind, place_of(maker, j, "id"), NULL,
                "node %s is not reachable from the source", self->nodes[j].id);
        }
    }
}

static void check_end(const maker_t *maker)
{
    const spot_serve_pipeline_t *self = maker->self;
    const char *end = NULL;

    for (size_t j = 0; j < self->num_nodes; j++) {
        if (self->nodes[j].num_children == 0 && end != NULL) {
            spot_bind_error(maker->bind, place_of(maker, j, "id"), NULL,
                "%s and %s both end the pipeline; join them", end, self->nodes[j].id);
        } else if (self->nodes[j].num_children == 0) {
            end = self->nodes[j].id;
        }
    }
}

int spot_serve_pipeline_init(spot_serve_pipeline_t *self, spot_bind_t *bind,
    const spot_node_t *list, size_t num_items, const spot_serve_pipeline_item_t *items)
{
    const size_t num_errors = bind->diag->num_errors;
    bool is_placed[SPOT_SERVE_MAX_NODES] = {false};
    maker_t maker = {self, bind, list, items};

    *self = (spot_serve_pipeline_t){.num_nodes = num_items};
    SPOT_ARENA_ARRAY(&self->memory, self->nodes, num_items);
    for (size_t j = 0; j < num_items && self->memory.error == 0; j++) {
        self->nodes[j].id = spot_arena_text(&self->memory, items[j].id);
        if (items[j].from != NULL) {
            self->nodes[j].model = spot_arena_text(
                &self->memory, items[j].model == NULL ? items[j].id : items[j].model);
        }
        if (check_id(&maker, j)) {
            add_parents(&maker, j);
        }
    }
    if (self->memory.error != 0 || bind->diag->num_errors > num_errors) {
        return self->memory.error != 0 ? self->memory.error : SPOT_ERR_BAD_INPUT;
    }
    add_links(self);
    if (self->memory.error != 0) {
        return self->memory.error;
    }
    if (place_nodes(self, true, is_placed) < num_items) {
        report_cycle(&maker, is_placed);
    } else {
        check_end(&maker);
    }
    return bind->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : 0;
}

void spot_serve_pipeline_free(spot_serve_pipeline_t *self)
{
    spot_arena_free(&self->memory);
    *self = (spot_serve_pipeline_t){0};
}

int32_t spot_serve_pipeline_stage(const spot_serve_pipeline_t *self, const char *id)
{
    for (size_t j = 0; j < self->num_stages; j++) {
        if (strcmp(spot_serve_pipeline_stage_node(self, j)->id, id) == 0) {
            return (int32_t) j;
        }
    }
    return -1;
}

const spot_serve_pipeline_node_t *spot_serve_pipeline_stage_node(
    const spot_serve_pipeline_t *self, size_t stage_id)
{
    return &self->nodes[self->stages[stage_id]];
}

int64_t spot_serve_pipeline_longest(
    const spot_serve_pipeline_t *self, const int64_t *at_ns, int64_t *until_ns)
{
    int64_t longest_ns = 0;

    for (size_t j = 0; j < self->num_nodes; j++) {
        const spot_serve_pipeline_node_t *node = &self->nodes[self->order[j]];
        int64_t *until = &until_ns[self->order[j]];

        *until = 0;
        for (size_t k = 0; k < node->num_parents; k++) {
            if (node->parents[k] >= 0 && until_ns[node->parents[k]] > *until) {
                *until = until_ns[node->parents[k]];
            }
        }
        *until += node->stage_id < 0 ? 0 : at_ns[node->stage_id];
        longest_ns = *until > longest_ns ? *until : longest_ns;
    }
    return longest_ns;
}
