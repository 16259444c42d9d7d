/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/yaml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/inputs.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "base/yaml_internal.h"

static int
read_stream(FILE *stream, char **bytes, size_t *num_bytes)
{
    const size_t limit = SPOT_YAML_MAX_BYTES + 1;
    char *buffer = malloc(limit);

    if (buffer == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    errno = 0;
    *num_bytes = fread(buffer, 1, limit, stream);
    *bytes = buffer;
    return ferror(stream) ? SPOT_ERR_IO : 0;
}

/* Enters a file into the journal of diag, if there is one. */
static void
keep_input(const char *path, const char *bytes, size_t num_bytes, spot_diag_t *diag)
{
    spot_input_reading_t *reading = spot_inputs_open(diag->inputs, path);

    if (reading != NULL) {
        spot_input_reading_add(reading, bytes, num_bytes);
        spot_input_reading_close(reading, true);
    }
}

int
spot_yaml_read(spot_yaml_t *self, const char *path, spot_diag_t *diag)
{
    FILE *stream = fopen(path, "rb");
    char *bytes = NULL;
    size_t num_bytes = 0;
    int ret = stream == NULL ? SPOT_ERR_IO : 0;

    memset(self, 0, sizeof(*self));
    if (ret == 0) {
        ret = read_stream(stream, &bytes, &num_bytes);
    }
    if (ret == SPOT_ERR_IO) {
        spot_diag_error(diag, path, 0, 0, "cannot open: %s", strerror(errno));
    } else if (ret == 0) {
        keep_input(path, bytes, num_bytes, diag);
        ret = spot_yaml_parse(self, path, bytes, num_bytes, diag);
    }
    if (stream != NULL) {
        fclose(stream);
    }
    free(bytes);
    return ret;
}

void
spot_yaml_free(spot_yaml_t *self)
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

spot_node_t *
spot_yaml_new_node(spot_yaml_t *self, spot_node_kind_t kind, const char *file,
    size_t line, size_t column)
{
    void *nodes = self->nodes;
    spot_node_t *node;

    if (spot_array_reserve(
            &nodes, &self->max_nodes, self->num_nodes + 1, sizeof(*self->nodes)) != 0) {
        return NULL;
    }
    self->nodes = nodes;
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

int
spot_node_append(spot_node_t *self, spot_node_t *key, spot_node_t *child)
{
    void *children = self->children;
    void *keys = self->keys;
    int ret = spot_array_reserve(
        &children, &self->max_children, self->num_children + 1, sizeof(*self->children));

    self->children = children;
    if (ret == 0 && key != NULL) {
        ret = spot_array_reserve(
            &keys, &self->max_keys, self->num_children + 1, sizeof(*self->keys));
        self->keys = keys;
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

static spot_node_t **
find_child(const spot_node_t *map, const char *key, size_t key_bytes)
{
    if (map == NULL || map->kind != SPOT_NODE_MAP) {
        return NULL;
    }
    for (size_t j = 0; j < map->num_children; j++) {
        if (strlen(map->keys[j]->text) == key_bytes &&
            memcmp(map->keys[j]->text, key, key_bytes) == 0) {
            return &map->children[j];
        }
    }
    return NULL;
}

spot_node_t *
spot_node_get(const spot_node_t *self, const char *key)
{
    spot_node_t **child = find_child(self, key, strlen(key));

    return child == NULL ? NULL : *child;
}

const spot_node_t *
spot_node_place(const spot_node_t *self, const char *path)
{
    while (*path != '\0') {
        const size_t key_bytes = strcspn(path, ".");
        spot_node_t **child = find_child(self, path, key_bytes);

        if (child == NULL) {
            return self;
        }
        self = *child;
        path += key_bytes + (path[key_bytes] == '.');
    }
    return self;
}

static spot_node_t *
new_scalar(
    spot_yaml_t *self, const char *text, size_t num_bytes, const spot_node_t *place)
{
    spot_node_t *node = spot_yaml_new_node(
        self, SPOT_NODE_SCALAR, place->file, place->line, place->column);

    if (node != NULL) {
        node->text = spot_text_copy(text, num_bytes);
    }
    return node == NULL || node->text == NULL ? NULL : node;
}

spot_node_t *
spot_yaml_new_scalar(spot_yaml_t *self, const char *text, const spot_node_t *place)
{
    return new_scalar(self, text, strlen(text), place);
}

/* The place of a key's value in a map, appended with an empty map if it is not there. */
static spot_node_t **
reach_child(spot_yaml_t *self, spot_node_t *map, const char *key, size_t key_bytes,
    const spot_node_t *place)
{
    spot_node_t **child = find_child(map, key, key_bytes);
    spot_node_t *name, *empty;

    if (child != NULL) {
        return child;
    }
    name = new_scalar(self, key, key_bytes, place);
    empty =
        spot_yaml_new_node(self, SPOT_NODE_MAP, place->file, place->line, place->column);
    if (name == NULL || empty == NULL || spot_node_append(map, name, empty) != 0) {
        return NULL;
    }
    return &map->children[map->num_children - 1];
}

bool
spot_yaml_is_path(const char *path)
{
    const size_t length = strlen(path);

    return length > 0 && path[0] != '.' && path[length - 1] != '.' &&
           strstr(path, "..") == NULL;
}

int
spot_yaml_set(spot_yaml_t *self, const char *path, spot_node_t *value)
{
    spot_node_t **place = &self->root;

    if (!spot_yaml_is_path(path)) {
        return SPOT_ERR_BAD_PARAM;
    }
    while (*path != '\0') {
        const bool is_whole = spot_node_get(*place, path) != NULL;
        const size_t key_bytes = is_whole ? strlen(path) : strcspn(path, ".");

        if (*place == NULL || (*place)->kind != SPOT_NODE_MAP) {
            *place = spot_yaml_new_node(
                self, SPOT_NODE_MAP, value->file, value->line, value->column);
            if (*place == NULL) {
                return SPOT_ERR_NO_MEMORY;
            }
        }
        place = reach_child(self, *place, path, key_bytes, value);
        if (place == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        path += key_bytes + (path[key_bytes] == '.');
    }
    *place = value;
    return 0;
}

int
spot_yaml_add_key(
    spot_yaml_t *self, const char *map_path, const char *key, size_t key_bytes)
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

int
spot_yaml_adopt(spot_yaml_t *self, spot_yaml_t *other)
{
    void *nodes = self->nodes;
    void *files = self->files;
    int ret = spot_array_reserve(&nodes, &self->max_nodes,
        self->num_nodes + other->num_nodes, sizeof(*self->nodes));

    self->nodes = nodes;
    if (ret == 0) {
        ret = spot_array_reserve(&files, &self->max_files,
            self->num_files + other->num_files, sizeof(*self->files));
        self->files = files;
    }
    if (ret != 0) {
        return ret;
    }
    memcpy(self->nodes + self->num_nodes, other->nodes,
        other->num_nodes * sizeof(*self->nodes));
    memcpy(self->files + self->num_files, other->files,
        other->num_files * sizeof(*self->files));
    self->num_nodes += other->num_nodes;
    self->num_files += other->num_files;
    other->num_nodes = 0;
    other->num_files = 0;
    return 0;
}

int
spot_yaml_assign(
    spot_yaml_t *self, const char *option, const char *assignment, spot_diag_t *diag)
{
    const char *equals = strchr(assignment, '=');
    char place[SPOT_UTF8_SHOWN_BYTES + 32], text[SPOT_UTF8_SHOWN_BYTES], *key;
    spot_yaml_t value;
    int ret;

    if (equals == NULL || equals == assignment || equals[1] == '\0') {
        spot_diag_error(diag, option, 0, 0, "expected KEY=VALUE, got \"%s\"",
            spot_utf8_shown(assignment, text));
        return SPOT_ERR_BAD_INPUT;
    }
    key = spot_text_copy(assignment, (size_t) (equals - assignment));
    if (key == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    snprintf(place, sizeof(place), "%s %s", option, spot_utf8_shown(key, text));
    ret = spot_yaml_parse(&value, place, equals + 1, strlen(equals + 1), diag);
    if (ret == 0) {
        spot_node_t *root = value.root;

        ret = spot_yaml_adopt(self, &value);
        ret = ret == 0 ? spot_yaml_set(self, key, root) : ret;
        if (ret == SPOT_ERR_BAD_PARAM) {
            spot_diag_error(diag, option, 0, 0, "\"%s\" is no key", text);
            ret = SPOT_ERR_BAD_INPUT;
        }
    }
    spot_yaml_free(&value);
    free(key);
    return ret;
}
