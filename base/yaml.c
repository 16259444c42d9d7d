/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "base/yaml.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/inputs.h"
#include "base/json.h"
#include "base/utf8.h"

/* ---- Nodes ---- */

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

/* A new empty node, owned by self. file must outlive self. NULL: no memory. */
static spot_node_t *new_node(
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

/* Appends to a list (key NULL) or to a map, without a search for repeated keys.
 * NO_MEMORY. */
static int node_append(spot_node_t *self, spot_node_t *key, spot_node_t *child)
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

char *spot_node_file_path(const spot_node_t *node)
{
    const char *slash = strrchr(node->file, '/');
    const bool is_absolute = node->text[0] == '/';
    const size_t folder_bytes =
        slash == NULL || is_absolute ? 0 : (size_t) (slash - node->file) + 1;
    const size_t path_bytes = strlen(node->text);
    char *path = malloc(folder_bytes + path_bytes + 1);

    if (path != NULL) {
        memcpy(path, node->file, folder_bytes);
        memcpy(path + folder_bytes, node->text, path_bytes + 1);
    }
    return path;
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
    spot_node_t *node = new_node(self, SPOT_NODE_SCALAR, place->file, place->line, place->column);

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
    empty = new_node(self, SPOT_NODE_MAP, place->file, place->line, place->column);
    if (name == NULL || empty == NULL || node_append(map, name, empty) != 0) {
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
            *place = new_node(self, SPOT_NODE_MAP, value->file, value->line, value->column);
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

/* A copy of the name of a file, which the document owns. NULL: no memory. */
static const char *keep_file_name(spot_yaml_t *self, const char *file)
{
    char *copy = spot_text_copy(file, strlen(file));

    if (copy == NULL || SPOT_ARRAY_ROOM(self, files, self->num_files + 1) != 0) {
        free(copy);
        return NULL;
    }
    self->files[self->num_files++] = copy;
    return copy;
}

int spot_yaml_give(spot_yaml_t *self, const spot_yaml_given_t *given)
{
    spot_node_t place = {.file = NULL};
    const char *rest = given->path;
    const spot_node_t *outer = follow(self->root, &rest);
    char number[32];
    spot_node_t *value;

    if (*rest != '\0' && *rest != '[' && outer != NULL && outer->kind != SPOT_NODE_MAP) {
        return 0;
    }
    place.file = keep_file_name(self, given->option);
    if (place.file == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    snprintf(number, sizeof(number), "%" PRId64, given->number);
    value = spot_yaml_new_scalar(self, given->text == NULL ? number : given->text, &place);
    return value == NULL ? SPOT_ERR_NO_MEMORY : spot_yaml_set(self, given->path, value);
}

/* ---- Reading ---- */

#define MAX_DIRECTIVES 100

typedef struct {
    char *name;
    spot_node_t *node;
} anchor_t;

typedef struct {
    spot_yaml_t *document;
    spot_diag_t *diag;
    const char *file;
    yaml_parser_t parser;
    size_t num_copied_bytes; /* of text, by aliases */
    size_t num_anchors;
    size_t max_anchors;
    anchor_t *anchors;
} composer_t;

static int bad_input(composer_t *self, const yaml_mark_t *mark, const char *text)
{
    return spot_diag_error(self->diag, self->file, mark->line + 1, mark->column + 1, "%s", text);
}

/* Line and column of a byte offset: a reader error has no mark. The bytes before it are
 * valid UTF-8, so characters are counted by their first bytes. */
static void place_of_offset(
    const char *bytes, size_t num_bytes, size_t offset, size_t *line, size_t *column)
{
    *line = 1;
    *column = 1;
    for (size_t j = 0; j < num_bytes && j < offset; j++) {
        *column += ((unsigned char) bytes[j] & 0xc0) != 0x80;
        if (bytes[j] == '\n') {
            (*line)++;
            *column = 1;
        }
    }
}

static int syntax_error(composer_t *self)
{
    const yaml_parser_t *parser = &self->parser;
    size_t line = parser->problem_mark.line + 1;
    size_t column = parser->problem_mark.column + 1;

    if (parser->error == YAML_MEMORY_ERROR) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (parser->error == YAML_READER_ERROR) {
        place_of_offset((const char *) parser->input.string.start,
            (size_t) (parser->input.string.end - parser->input.string.start),
            parser->problem_offset, &line, &column);
        spot_diag_error(
            self->diag, self->file, line, column, "not readable as YAML: %s", parser->problem);
    } else if (parser->context != NULL) {
        spot_diag_error(self->diag, self->file, line, column, "YAML syntax: %s %s", parser->context,
            parser->problem);
    } else {
        spot_diag_error(self->diag, self->file, line, column, "YAML syntax: %s", parser->problem);
    }
    return SPOT_ERR_BAD_INPUT;
}

static int next_event(composer_t *self, yaml_event_t *event)
{
    if (!yaml_parser_parse(&self->parser, event)) {
        memset(event, 0, sizeof(*event));
        return syntax_error(self);
    }
    return 0;
}

static int remember_anchor(composer_t *self, const yaml_char_t *name, spot_node_t *node)
{
    char *copy;

    if (name == NULL) {
        return 0;
    }
    if (self->num_anchors == SPOT_YAML_MAX_ANCHORS) {
        return spot_diag_error(self->diag, node->file, node->line, node->column,
            "more than %d anchors", SPOT_YAML_MAX_ANCHORS);
    }
    copy = spot_text_copy((const char *) name, strlen((const char *) name));
    if (copy == NULL || SPOT_ARRAY_ROOM(self, anchors, self->num_anchors + 1) != 0) {
        free(copy);
        return SPOT_ERR_NO_MEMORY;
    }
    self->anchors[self->num_anchors].name = copy;
    self->anchors[self->num_anchors].node = node;
    self->num_anchors++;
    return 0;
}

static spot_node_t *find_anchor(const composer_t *self, const char *name)
{
    for (size_t j = self->num_anchors; j > 0; j--) {
        if (strcmp(self->anchors[j - 1].name, name) == 0) {
            return self->anchors[j - 1].node;
        }
    }
    return NULL;
}

/* Adds a node at mark. Reports too many nodes and too deep nesting. */
static int add_node(
    composer_t *self, const yaml_mark_t *mark, int depth, spot_node_kind_t kind, spot_node_t **node)
{
    const size_t line = mark->line + 1, column = mark->column + 1;

    if (self->document->num_nodes >= SPOT_YAML_MAX_NODES) {
        return spot_diag_error(self->diag, self->file, line, column,
            "more than %d values, aliases expanded", SPOT_YAML_MAX_NODES);
    }
    if (kind != SPOT_NODE_SCALAR && depth >= SPOT_YAML_MAX_DEPTH) {
        return spot_diag_error(self->diag, self->file, line, column,
            "nested more than %d levels deep", SPOT_YAML_MAX_DEPTH);
    }
    *node = new_node(self->document, kind, self->file, line, column);
    return *node == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static int copy_text(composer_t *self, const yaml_mark_t *mark, const char *text, spot_node_t *copy)
{
    const size_t num_bytes = strlen(text);

    self->num_copied_bytes += num_bytes;
    if (self->num_copied_bytes > SPOT_YAML_MAX_BYTES) {
        return bad_input(self, mark, "aliases repeat more than 4 MiB of text");
    }
    copy->text = spot_text_copy(text, num_bytes);
    return copy->text == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

/* A deep copy for the alias at mark; its nodes keep the places of the original. */
static int copy_node(composer_t *self, const yaml_mark_t *mark, int depth,
    const spot_node_t *original, spot_node_t **copy)
{
    spot_node_t *key = NULL, *value = NULL;
    int ret = add_node(self, mark, depth, original->kind, copy);

    if (ret != 0) {
        return ret;
    }
    (*copy)->line = original->line;
    (*copy)->column = original->column;
    (*copy)->is_quoted = original->is_quoted;
    (*copy)->is_verbatim = original->is_verbatim;
    if (original->kind == SPOT_NODE_SCALAR) {
        return copy_text(self, mark, original->text, *copy);
    }
    for (size_t j = 0; ret == 0 && j < original->num_children; j++) {
        if (original->kind == SPOT_NODE_MAP) {
            ret = copy_node(self, mark, depth + 1, original->keys[j], &key);
        }
        if (ret == 0) {
            ret = copy_node(self, mark, depth + 1, original->children[j], &value);
        }
        ret = ret == 0 ? node_append(*copy, key, value) : ret;
    }
    return ret;
}

static int compose_alias(
    composer_t *self, const yaml_event_t *event, int depth, spot_node_t **value)
{
    const yaml_mark_t *mark = &event->start_mark;
    const char *name = (const char *) event->data.alias.anchor;
    const spot_node_t *original = find_anchor(self, name);
    char text[SPOT_UTF8_SHOWN_BYTES];
    int ret;

    if (original == NULL) {
        return spot_diag_error(self->diag, self->file, mark->line + 1, mark->column + 1,
            "unknown anchor \"%s\"", spot_utf8_shown(name, text));
    }
    ret = copy_node(self, mark, depth, original, value);
    if (ret == 0) {
        (*value)->line = mark->line + 1;
        (*value)->column = mark->column + 1;
        (*value)->is_verbatim = false;
    }
    return ret;
}

static int compose_value(
    composer_t *self, const yaml_event_t *event, int depth, spot_node_t **value);

/* Whether the file has the text as it is: no escapes, folded lines or anchor. Each of
 * these changes the length. */
static bool is_verbatim(const yaml_event_t *event, bool is_quoted)
{
    const yaml_mark_t *start = &event->start_mark, *end = &event->end_mark;
    const char *text = (const char *) event->data.scalar.value;

    return start->line == end->line &&
           end->column - start->column ==
               spot_utf8_count(text, event->data.scalar.length) + (is_quoted ? 2 : 0);
}

static int compose_scalar(composer_t *self, const yaml_event_t *event, spot_node_t *scalar)
{
    const size_t length = event->data.scalar.length;
    const char *text = (const char *) event->data.scalar.value;

    scalar->is_quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    scalar->is_verbatim = is_verbatim(event, scalar->is_quoted);
    if (memchr(text, '\0', length) != NULL) {
        return bad_input(self, &event->start_mark, "a NUL byte is not allowed");
    }
    scalar->text = spot_text_copy(text, length);
    return scalar->text == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static int compose_list(composer_t *self, int depth, spot_node_t *list)
{
    yaml_event_t event;
    spot_node_t *item = NULL;
    bool is_done = false;
    int ret = 0;

    while (ret == 0 && !is_done) {
        ret = next_event(self, &event);
        is_done = ret != 0 || event.type == YAML_SEQUENCE_END_EVENT;
        if (!is_done) {
            ret = compose_value(self, &event, depth + 1, &item);
            ret = ret == 0 ? node_append(list, NULL, item) : ret;
        }
        yaml_event_delete(&event);
    }
    return ret;
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(((const spot_node_t *) a)->text, ((const spot_node_t *) b)->text);
}

/* Checks that a key is text and new in its map. A merge key or a repeated key is
 * reported and not kept, and reading continues. */
static int check_key(
    composer_t *self, const spot_node_t *map, void **seen, const spot_node_t *key, bool *is_kept)
{
    char text[SPOT_UTF8_SHOWN_BYTES];
    const spot_node_t *const *first;

    *is_kept = false;
    if (key->kind != SPOT_NODE_SCALAR) {
        return spot_diag_error(
            self->diag, self->file, key->line, key->column, "a key must be plain text");
    }
    if (strcmp(key->text, "<<") == 0 && !key->is_quoted) {
        spot_diag_error(
            self->diag, self->file, key->line, key->column, "merge keys (<<) are not supported");
        return 0;
    }
    first = tsearch(key, seen, compare_keys);
    if (first == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    *is_kept = *first == key;
    if (*first != key) {
        spot_diag_error(self->diag, self->file, key->line, key->column,
            "repeated key \"%s\", first on line %zu", spot_utf8_shown(key->text, text),
            (*first)->line);
    } else if (map->num_children >= SPOT_YAML_MAX_KEYS) {
        return spot_diag_error(self->diag, self->file, key->line, key->column,
            "more than %d keys in one map", SPOT_YAML_MAX_KEYS);
    }
    return 0;
}

static int compose_map(composer_t *self, int depth, spot_node_t *map)
{
    yaml_event_t event;
    void *seen = NULL; /* a tree of the keys */
    spot_node_t *key = NULL, *node = NULL;
    bool is_done = false, is_kept = false;
    int ret = 0;

    while (ret == 0 && !is_done) {
        ret = next_event(self, &event);
        is_done = ret != 0 || event.type == YAML_MAPPING_END_EVENT;
        if (!is_done) {
            ret = compose_value(self, &event, depth + 1, &node);
        }
        if (!is_done && ret == 0 && key == NULL) {
            key = node;
            ret = check_key(self, map, &seen, key, &is_kept);
        } else if (!is_done && ret == 0) {
            ret = is_kept ? node_append(map, key, node) : 0;
            key = NULL;
        }
        yaml_event_delete(&event);
    }
    while (seen != NULL) {
        (void) tdelete(*(void *const *) seen, &seen, compare_keys);
    }
    return ret;
}

/* The kind of the node that starts with this event, and its anchor and tag, or NULL. */
static spot_node_kind_t start_of_node(
    const yaml_event_t *event, const yaml_char_t **anchor, const yaml_char_t **tag)
{
    if (event->type == YAML_SEQUENCE_START_EVENT) {
        *anchor = event->data.sequence_start.anchor;
        *tag = event->data.sequence_start.tag;
        return SPOT_NODE_LIST;
    }
    if (event->type == YAML_MAPPING_START_EVENT) {
        *anchor = event->data.mapping_start.anchor;
        *tag = event->data.mapping_start.tag;
        return SPOT_NODE_MAP;
    }
    spot_bug_assert(event->type == YAML_SCALAR_EVENT);
    *anchor = event->data.scalar.anchor;
    *tag = event->data.scalar.tag;
    return SPOT_NODE_SCALAR;
}

/* Composes the node that starts with this event and consumes its remaining events. */
static int compose_value(
    composer_t *self, const yaml_event_t *event, int depth, spot_node_t **value)
{
    const yaml_char_t *anchor, *tag;
    spot_node_kind_t kind;
    spot_node_t *node = NULL;
    int ret;

    if (event->type == YAML_ALIAS_EVENT) {
        return compose_alias(self, event, depth, value);
    }
    kind = start_of_node(event, &anchor, &tag);
    if (tag != NULL) {
        (void) bad_input(self, &event->start_mark, "tags (!) are not supported");
    }
    ret = add_node(self, &event->start_mark, depth, kind, &node);
    if (ret == 0 && kind == SPOT_NODE_SCALAR) {
        ret = compose_scalar(self, event, node);
    } else if (ret == 0 && kind == SPOT_NODE_LIST) {
        ret = compose_list(self, depth, node);
    } else if (ret == 0) {
        ret = compose_map(self, depth, node);
    }
    *value = node;
    return ret == 0 ? remember_anchor(self, anchor, node) : ret;
}

/* Composes the start of the stream, one document and the end of the stream. */
static int compose_stream(composer_t *self)
{
    yaml_event_t event;
    bool is_done = false;
    int ret = 0;

    while (ret == 0 && !is_done) {
        ret = next_event(self, &event);
        if (ret != 0) {
            break;
        }
        if (event.type == YAML_STREAM_END_EVENT) {
            is_done = true;
        } else if (event.type == YAML_DOCUMENT_START_EVENT && self->document->root != NULL) {
            ret = bad_input(self, &event.start_mark, "a second document");
        } else if (event.type != YAML_STREAM_START_EVENT &&
                   event.type != YAML_DOCUMENT_START_EVENT &&
                   event.type != YAML_DOCUMENT_END_EVENT) {
            ret = compose_value(self, &event, 0, &self->document->root);
        }
        yaml_event_delete(&event);
    }
    if (ret == 0 && self->document->root == NULL) {
        ret = spot_diag_error(self->diag, self->file, 1, 1, "file is empty");
    }
    return ret;
}

/* libyaml compares each %TAG directive with all previous ones: quadratic time. */
static bool has_many_directives(const char *bytes, size_t num_bytes)
{
    size_t num_found = 0;

    for (size_t j = 0; j + 4 <= num_bytes; j++) {
        num_found += memcmp(bytes + j, "%TAG", 4) == 0;
    }
    return num_found > MAX_DIRECTIVES;
}

int spot_yaml_parse(
    spot_yaml_t *self, const char *file, const char *bytes, size_t num_bytes, spot_diag_t *diag)
{
    composer_t composer = {.document = self, .diag = diag};
    const size_t num_errors = diag->num_errors;
    int ret;

    memset(self, 0, sizeof(*self));
    if (num_bytes > SPOT_YAML_MAX_BYTES) {
        return spot_diag_error(diag, file, 0, 0, "larger than 4 MiB");
    }
    if (has_many_directives(bytes, num_bytes)) {
        return spot_diag_error(diag, file, 0, 0, "more than %d %%TAG directives", MAX_DIRECTIVES);
    }
    if (num_bytes >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) { /* byte order mark */
        bytes += 3;
        num_bytes -= 3;
    }
    composer.file = keep_file_name(self, file);
    if (composer.file == NULL || !yaml_parser_initialize(&composer.parser)) {
        return SPOT_ERR_NO_MEMORY;
    }
    yaml_parser_set_input_string(&composer.parser, (const unsigned char *) bytes, num_bytes);
    yaml_parser_set_encoding(&composer.parser, YAML_UTF8_ENCODING);
    ret = compose_stream(&composer);
    if (ret != 0) {
        self->root = NULL;
    }
    if (ret == 0 && diag->num_errors > num_errors) {
        ret = SPOT_ERR_BAD_INPUT;
    }
    yaml_parser_delete(&composer.parser);
    for (size_t j = 0; j < composer.num_anchors; j++) {
        free(composer.anchors[j].name);
    }
    free(composer.anchors);
    return ret;
}

int spot_yaml_read(spot_yaml_t *self, const char *path, spot_diag_t *diag)
{
    const size_t limit = SPOT_YAML_MAX_BYTES + 1;
    char *bytes = malloc(limit);
    spot_instream_t stream = {0};
    size_t num_bytes = 0;
    int ret = bytes == NULL ? SPOT_ERR_NO_MEMORY : spot_instream_open(&stream, path, diag);

    memset(self, 0, sizeof(*self));
    ret = ret == 0 ? spot_instream_read(&stream, bytes, limit, &num_bytes, diag) : ret;
    if (ret == 0 && spot_foreign_kind(bytes, num_bytes) != NULL) {
        spot_diag_error(diag, path, 0, 0, "this is %s: expected a YAML file",
            spot_foreign_kind(bytes, num_bytes));
        ret = SPOT_ERR_BAD_INPUT;
    }
    ret = ret == 0 ? spot_yaml_parse(self, path, bytes, num_bytes, diag) : ret;
    spot_instream_close(&stream);
    free(bytes);
    return ret;
}

/* ---- Writing ---- */

/* Whether a scalar means the same without quotes, in a list or map on a line too. */
static bool is_plain(const spot_node_t *scalar)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789_-./+* ";
    const char *text = scalar->text;
    const size_t length = strlen(text);

    return !scalar->is_quoted && length > 0 && strspn(text, good) == length &&
           strchr(" *", text[0]) == NULL && text[length - 1] != ' ' &&
           (text[0] != '-' || (length > 1 && text[1] != ' '));
}

static void write_scalar(const spot_node_t *scalar, FILE *out)
{
    if (is_plain(scalar) || (!scalar->is_quoted && scalar->text[0] == '\0')) {
        fputs(scalar->text, out);
    } else {
        spot_json_quote(out, scalar->text, true);
    }
}

void spot_yaml_write_flow(const spot_node_t *node, FILE *out)
{
    if (node->kind == SPOT_NODE_SCALAR) {
        write_scalar(node, out);
        return;
    }
    fputc(node->kind == SPOT_NODE_MAP ? '{' : '[', out);
    for (size_t j = 0; j < node->num_children; j++) {
        fputs(j == 0 ? "" : ", ", out);
        if (node->kind == SPOT_NODE_MAP) {
            write_scalar(node->keys[j], out);
            fputs(": ", out);
        }
        spot_yaml_write_flow(node->children[j], out);
    }
    fputc(node->kind == SPOT_NODE_MAP ? '}' : ']', out);
}

void spot_yaml_write_block(const spot_node_t *map, int num_blanks, FILE *out)
{
    for (size_t j = 0; j < map->num_children; j++) {
        const spot_node_t *child = map->children[j];

        fprintf(out, "%*s", num_blanks, "");
        write_scalar(map->keys[j], out);
        fputc(':', out);
        if (child->kind == SPOT_NODE_MAP && child->num_children > 0) {
            fputc('\n', out);
            spot_yaml_write_block(child, num_blanks + 4, out);
        } else {
            fputc(' ', out);
            spot_yaml_write_flow(child, out);
            fputc('\n', out);
        }
    }
}

/* ---- Moving ---- */

typedef struct {
    const spot_yaml_move_t *move;
    const char *text, *rest; /* what of it is not written yet */
    const char *line;        /* the begin of a line, and its number */
    size_t line_id;
    FILE *out;
    bool stays; /* the folder is the same one */
    int error;  /* NO_MEMORY */
} mover_t;

/* The folder of a path: as much of it as there is before its last part. */
static bool is_same_folder(const char *file, const char *folder)
{
    const char *slash = strrchr(file, '/');
    char *own = NULL, *real = realpath(folder, NULL), *other = NULL;
    bool is_same;

    own = slash == NULL ? spot_text_copy(".", 1)
                        : spot_text_copy(file, slash == file ? 1 : (size_t) (slash - file));
    other = own == NULL ? NULL : realpath(own, NULL);
    is_same = real != NULL && other != NULL && strcmp(real, other) == 0;
    free(own);
    free(real);
    free(other);
    return is_same;
}

/* Where a scalar stands in the text; its column counts characters. */
static const char *place_of(mover_t *self, const spot_node_t *node)
{
    const char *place;

    for (; self->line_id < node->line; self->line_id++) {
        self->line = strchr(self->line, '\n') + 1;
    }
    place = self->line;
    for (size_t column = 1; column < node->column; column++) {
        place++;
        while ((*place & 0xc0) == 0x80) {
            place++;
        }
    }
    return place;
}

/* The end of a scalar, which is written on one line. */
static const char *end_of(const char *place, const spot_node_t *node)
{
    const char quote = *place;

    if (!node->is_quoted) {
        return place + strlen(node->text);
    }
    for (place++; *place != '\0'; place++) {
        if (*place == '\\' && quote == '"') {
            place += place[1] != '\0';
        } else if (*place == quote && (quote == '"' || place[1] != quote)) {
            return place + 1;
        } else if (*place == quote) {
            place++;
        }
    }
    return place;
}

/* The name of a file that was opened, from the new folder. NULL: it stays as it is. The
 * caller frees it. */
static char *new_name(mover_t *self, const char *path)
{
    const spot_yaml_move_t *move = self->move;

    for (size_t j = 0; j < move->num_moved; j++) {
        if (strcmp(move->moved[j].path, path) == 0) {
            return spot_text_copy(move->moved[j].name, strlen(move->moved[j].name));
        }
    }
    if (self->stays || *path == '/' || spot_inputs_find(move->inputs, path) == NULL) {
        return NULL;
    }
    return spot_path_from(move->folder, path);
}

static void take(mover_t *self, const spot_node_t *node)
{
    char *path, *name;

    for (size_t j = 0; j < node->num_children; j++) {
        take(self, node->children[j]);
    }
    if (node->kind != SPOT_NODE_SCALAR || *node->text == '\0') {
        return;
    }
    path = spot_node_file_path(node);
    self->error = path == NULL ? SPOT_ERR_NO_MEMORY : self->error;
    name = path == NULL ? NULL : new_name(self, path);
    if (name != NULL) {
        const char *place = place_of(self, node);

        fwrite(self->rest, 1, (size_t) (place - self->rest), self->out);
        spot_json_quote(self->out, name, true);
        self->rest = end_of(place, node);
    }
    free(name);
    free(path);
}

const char *spot_yaml_moved(
    const spot_yaml_move_t *self, const char *text, spot_texts_t *texts, spot_diag_t *diag)
{
    mover_t mover = {.move = self,
        .text = text,
        .rest = text,
        .line = text,
        .line_id = 1,
        .stays = is_same_folder(self->file, self->folder)};
    spot_yaml_t document = {.root = NULL};
    const char *moved = NULL;

    if (spot_yaml_parse(&document, self->file, text, strlen(text), diag) == 0) {
        mover.out = spot_texts_begin(texts);
        if (mover.out != NULL) {
            take(&mover, document.root);
            fputs(mover.rest, mover.out);
        }
        moved = spot_texts_end(texts, mover.out);
    }
    spot_yaml_free(&document);
    return mover.error != 0 || texts->error != 0 ? NULL : moved;
}
