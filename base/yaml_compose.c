/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and composes documents from the events of libyaml, not from its own documents:
 * depth and size are checked during reading, so 100,000 nested brackets cost nothing. */
#include "base/yaml.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/instream.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "base/yaml_internal.h"

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
    *node = spot_yaml_new_node(self->document, kind, self->file, line, column);
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
        ret = ret == 0 ? spot_node_append(*copy, key, value) : ret;
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
            ret = ret == 0 ? spot_node_append(list, NULL, item) : ret;
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
            ret = is_kept ? spot_node_append(map, key, node) : 0;
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
