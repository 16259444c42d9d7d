/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/yaml.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "base/yaml_internal.h"

void spot_yaml_free(spot_yaml_t *self)
{
    for (size_t j = 0; j < self->num_nodes; j++) {
        free(self->nodes[j]->text);
        free(self->nodes[j]->keys);
        free(self->nodes[j]->children);
        free(self->nodes[j]);
    }
    for (size_t j = 0; j < self->num_files; j++) {
        free(self->files[j]);
    }
    free(self->nodes);
    free(self->files);
    memset(self, 0, sizeof(*self));
}

spot_node_t *spot_yaml_new_node(
    spot_yaml_t *self, spot_node_kind_t kind, const char *file, size_t line, size_t column)
{
    spot_node_t *node;

    if (SPOT_ARRAY_ROOM(self, nodes, self->num_nodes + 1) != 0) {
        return NULL;
    }
    node = calloc(1, sizeof(*node));
    if (node != NULL) {
        node->kind = kind;
        node->file = file;
        node->line = line;
        node->column = column;
        self->nodes[self->num_nodes++] = node;
    }
    return node;
}

int spot_node_append(spot_node_t *self, spot_node_t *key, spot_node_t *child)
{
    int ret = SPOT_ARRAY_ROOM(self, children, self->num_children + 1);

    if (ret == 0 && key != NULL) {
        ret = SPOT_ARRAY_ROOM(self, keys, self->num_children + 1);
    }
    if (ret != 0) {
        return ret;
    }
    if (key != NULL) {
        self->keys[self->num_children] = key;
    }
    self->children[self->num_children++] = child;
    return 0;
}

static spot_node_t **find_child(const spot_node_t *map, const char *key, size_t key_bytes)
{
    if (map == NULL || map->kind != SPOT_NODE_MAP) {
        return NULL;
    }
    for (size_t j = 0; j < map->num_children; j++) {
        if (map->keys[j]->text[0] == key[0] && strncmp(map->keys[j]->text, key, key_bytes) == 0 &&
            map->keys[j]->text[key_bytes] == '\0') {
            return &map->children[j];
        }
    }
    return NULL;
}

void spot_node_drop(spot_node_t *self, const char *key)
{
    size_t num_kept = 0;

    if (self == NULL || self->kind != SPOT_NODE_MAP) {
        return;
    }
    for (size_t j = 0; j < self->num_children; j++) {
        if (strcmp(self->keys[j]->text, key) != 0) {
            self->keys[num_kept] = self->keys[j];
            self->children[num_kept++] = self->children[j];
        }
    }
    self->num_children = num_kept;
}

spot_node_t *spot_node_get(const spot_node_t *self, const char *key)
{
    spot_node_t **child = find_child(self, key, strlen(key));

    return child == NULL ? NULL : *child;
}

/* ---- Paths ---- */

/* One step of a path: a key, or an index in brackets. */
typedef struct {
    const char *text;
    size_t num_bytes;
    bool is_index;
} step_t;

#define MAX_INDEX_DIGITS 9

/* Sets *step to the first step of a path from a node and returns the rest. If the node
 * has the whole path as a key, dots and brackets included, that is one step. */
static const char *take_step(const spot_node_t *at, const char *path, step_t *step)
{
    const bool is_whole = spot_node_get(at, path) != NULL;

    step->text = path;
    step->is_index = !is_whole && *path == '[';
    step->num_bytes = is_whole         ? strlen(path)
                      : step->is_index ? strcspn(path, "]") + 1
                                       : strcspn(path, ".[");
    path += step->num_bytes;
    return path + (*path == '.');
}

/* The slot of the node that a step leads to, or NULL if there is none. */
static spot_node_t **find_step(const spot_node_t *at, const step_t *step)
{
    size_t item_id;

    if (!step->is_index) {
        return find_child(at, step->text, step->num_bytes);
    }
    item_id = strtoul(step->text + 1, NULL, 10);
    return at != NULL && at->kind == SPOT_NODE_LIST && item_id < at->num_children
               ? &at->children[item_id]
               : NULL;
}

/* The last node on a path from at that exists; *path becomes the rest after it. */
static const spot_node_t *follow(const spot_node_t *at, const char **path)
{
    step_t step;

    while (**path != '\0') {
        const char *rest = take_step(at, *path, &step);
        spot_node_t **child = find_step(at, &step);

        if (child == NULL) {
            break;
        }
        at = *child;
        *path = rest;
    }
    return at;
}

spot_node_t *spot_node_at(spot_node_t *self, const char *path)
{
    const spot_node_t *at = follow(self, &path);

    return *path == '\0' ? (spot_node_t *) (uintptr_t) at : NULL;
}

bool spot_node_has(const spot_node_t *self, const char *path)
{
    follow(self, &path);
    return *path == '\0';
}

const spot_node_t *spot_node_place(const spot_node_t *self, const char *path)
{
    return follow(self, &path);
}

bool spot_yaml_is_path(const char *path)
{
    size_t num_bytes;

    do {
        num_bytes = strcspn(path, ".[");
        path += num_bytes;
        while (num_bytes > 0 && *path == '[') {
            num_bytes = strspn(path + 1, "0123456789");
            if (num_bytes > MAX_INDEX_DIGITS || path[num_bytes + 1] != ']') {
                return false;
            }
            path += num_bytes + 2;
        }
    } while (num_bytes > 0 && *path++ == '.');
    return num_bytes > 0 && path[-1] == '\0';
}

bool spot_yaml_has_place(
    const spot_node_t *root, const char *path, char problem[SPOT_YAML_PROBLEM_BYTES])
{
    char shown[SPOT_UTF8_SHOWN_BYTES], words[64] = "this is no list";
    const char *rest = path, *index;
    const spot_node_t *at;

    spot_utf8_shown(path, shown);
    if (!spot_yaml_is_path(path)) {
        snprintf(problem, SPOT_YAML_PROBLEM_BYTES, "\"%s\" is no key", shown);
        return false;
    }
    at = follow(root, &rest);
    index = strchr(rest, '[');
    if (index == rest && at->kind == SPOT_NODE_LIST) {
        snprintf(words, sizeof(words), "the list has %zu item%s", at->num_children,
            at->num_children == 1 ? "" : "s");
    }
    if (index != NULL) {
        snprintf(problem, SPOT_YAML_PROBLEM_BYTES, "\"%s\": there is no %.*s, %s", shown,
            (int) strcspn(index, "]") + 1, index, words);
    }
    return index == NULL;
}

static spot_node_t *new_scalar(
    spot_yaml_t *self, const char *text, size_t num_bytes, const spot_node_t *place)
{
    spot_node_t *node =
        spot_yaml_new_node(self, SPOT_NODE_SCALAR, place->file, place->line, place->column);

    if (node != NULL) {
        node->text = spot_text_copy(text, num_bytes);
    }
    return node == NULL || node->text == NULL ? NULL : node;
}

spot_node_t *spot_yaml_new_scalar(spot_yaml_t *self, const char *text, const spot_node_t *place)
{
    return new_scalar(self, text, strlen(text), place);
}

/* The slot of the value of a key in a map. A missing key is appended with an empty
 * map. */
static spot_node_t **reach_child(spot_yaml_t *self, spot_node_t *map, const char *key,
    size_t key_bytes, const spot_node_t *place)
{
    spot_node_t **child = find_child(map, key, key_bytes);
    spot_node_t *name, *empty;

    if (child != NULL) {
        return child;
    }
    name = new_scalar(self, key, key_bytes, place);
    empty = spot_yaml_new_node(self, SPOT_NODE_MAP, place->file, place->line, place->column);
    if (name == NULL || empty == NULL || spot_node_append(map, name, empty) != 0) {
        return NULL;
    }
    return &map->children[map->num_children - 1];
}

int spot_yaml_set(spot_yaml_t *self, const char *path, spot_node_t *value)
{
    spot_node_t **place = &self->root;
    const char *rest = path;
    step_t step;

    if (!spot_yaml_is_path(path)) {
        return SPOT_ERR_BAD_PARAM;
    }
    (void) follow(self->root, &rest);
    if (strchr(rest, '[') != NULL) { /* an index without an item */
        return SPOT_ERR_BAD_PARAM;
    }
    while (*path != '\0') {
        path = take_step(*place, path, &step);
        if (step.is_index) {
            place = find_step(*place, &step);
            continue;
        }
        if (*place == NULL || (*place)->kind != SPOT_NODE_MAP) {
            *place =
                spot_yaml_new_node(self, SPOT_NODE_MAP, value->file, value->line, value->column);
            if (*place == NULL) {
                return SPOT_ERR_NO_MEMORY;
            }
        }
        place = reach_child(self, *place, step.text, step.num_bytes, value);
        if (place == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
    }
    *place = value;
    return 0;
}

int spot_yaml_add_key(spot_yaml_t *self, const char *map_path, const char *key, size_t key_bytes)
{
    const spot_node_t *root = self->root;
    spot_node_t *map = self->root;

    while (*map_path != '\0') {
        const size_t num_bytes = strcspn(map_path, ".");
        spot_node_t **child;

        if (map->kind != SPOT_NODE_MAP) {
            return SPOT_ERR_BAD_PARAM;
        }
        child = reach_child(self, map, map_path, num_bytes, root);
        if (child == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        map = *child;
        map_path += num_bytes + (map_path[num_bytes] == '.');
    }
    if (map->kind != SPOT_NODE_MAP) {
        return SPOT_ERR_BAD_PARAM;
    }
    return reach_child(self, map, key, key_bytes, root) == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

int spot_yaml_adopt(spot_yaml_t *self, spot_yaml_t *other)
{
    int ret = SPOT_ARRAY_ROOM(self, nodes, self->num_nodes + other->num_nodes);

    if (ret == 0) {
        ret = SPOT_ARRAY_ROOM(self, files, self->num_files + other->num_files);
    }
    if (ret != 0) {
        return ret;
    }
    memcpy(self->nodes + self->num_nodes, other->nodes, other->num_nodes * sizeof(*self->nodes));
    memcpy(self->files + self->num_files, other->files, other->num_files * sizeof(*self->files));
    self->num_nodes += other->num_nodes;
    self->num_files += other->num_files;
    other->num_nodes = 0;
    other->num_files = 0;
    return 0;
}

int spot_yaml_assign(
    spot_yaml_t *self, const char *option, const char *assignment, spot_diag_t *diag)
{
    const char *equals = strchr(assignment, '=');
    char place[SPOT_UTF8_SHOWN_BYTES + 32], text[SPOT_UTF8_SHOWN_BYTES], *key;
    char problem[SPOT_YAML_PROBLEM_BYTES];
    spot_yaml_t value;
    int ret;

    if (equals == NULL || equals == assignment || equals[1] == '\0') {
        return spot_diag_error(diag, option, 0, 0, "expected KEY=VALUE, got \"%s\"",
            spot_utf8_shown(assignment, text));
    }
    key = spot_text_copy(assignment, (size_t) (equals - assignment));
    if (key == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    snprintf(place, sizeof(place), "%s %s", option, spot_utf8_shown(key, text));
    ret = spot_yaml_parse(&value, place, equals + 1, strlen(equals + 1), diag);
    if (ret == 0 && !spot_yaml_has_place(self->root, key, problem)) {
        ret = spot_diag_error(diag, option, 0, 0, "%s", problem);
    } else if (ret == 0) {
        spot_node_t *root = value.root;

        ret = spot_yaml_adopt(self, &value);
        ret = ret == 0 ? spot_yaml_set(self, key, root) : ret;
    }
    spot_yaml_free(&value);
    free(key);
    return ret;
}

uint64_t spot_node_hash(const spot_node_t *self, uint64_t hash)
{
    hash = spot_hash(hash, &self->kind, sizeof(self->kind));
    hash = spot_hash(hash, &self->num_children, sizeof(self->num_children));
    if (self->kind == SPOT_NODE_SCALAR) {
        hash = spot_hash(hash, self->text, strlen(self->text) + 1);
        hash = spot_hash(hash, self->file, strlen(self->file) + 1);
    }
    for (size_t j = 0; j < self->num_children; j++) {
        if (self->kind == SPOT_NODE_MAP) {
            hash = spot_node_hash(self->keys[j], hash);
        }
        hash = spot_node_hash(self->children[j], hash);
    }
    return hash;
}
