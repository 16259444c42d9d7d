/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A YAML document as a tree of nodes that know their place in the file. Strict: one
 * document, no tags, no merge keys, no repeated keys, keys are scalars. Aliases become
 * copies, so no node has two parents; copied text counts towards a limit of its own,
 * SPOT_YAML_MAX_BYTES. Size, depth and numbers are limited: no input is expensive. */
#ifndef SPOT_BASE_YAML_H
#define SPOT_BASE_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/error.h"

#define SPOT_YAML_MAX_BYTES ((size_t) 4 << 20)
#define SPOT_YAML_MAX_DEPTH 64
#define SPOT_YAML_MAX_NODES 200000 /* aliases expanded */
#define SPOT_YAML_MAX_KEYS 10000   /* of one map */
#define SPOT_YAML_MAX_ANCHORS 100

typedef enum { SPOT_NODE_SCALAR, SPOT_NODE_LIST, SPOT_NODE_MAP } spot_node_kind_t;

typedef struct spot_node {
    spot_node_kind_t kind;
    bool is_quoted;   /* scalar: "7" is text, 7 is a number */
    bool is_verbatim; /* scalar: text stands at column as it is, behind a quote if quoted
                       */
    const char *file; /* owned by the document */
    size_t line;      /* 1-based */
    size_t column;    /* 1-based, in characters */
    char *text;       /* scalar, else NULL */
    size_t num_children;
    size_t max_children;
    size_t max_keys;
    struct spot_node **keys;     /* [num_children] scalars, map only */
    struct spot_node **children; /* [num_children] list items or map values */
} spot_node_t;

typedef struct {
    spot_node_t *root;
    size_t num_nodes;
    size_t max_nodes;
    spot_node_t **nodes; /* [num_nodes] every node, owned */
    size_t num_files;
    size_t max_files;
    char **files; /* [num_files] names, owned */
} spot_yaml_t;

/* Reads a file. BAD_INPUT or IO with all reasons in diag; free self even then. After
 * BAD_INPUT a root that is there is the whole document, without the keys that are not
 * allowed, so that the search for errors can go on. */
SPOT_MUST_CHECK int spot_yaml_read(
    spot_yaml_t *self, const char *path, spot_diag_t *diag);

/* The same from memory; file names the place in messages. */
SPOT_MUST_CHECK int spot_yaml_parse(spot_yaml_t *self, const char *file,
    const char *bytes, size_t num_bytes, spot_diag_t *diag);

void spot_yaml_free(spot_yaml_t *self);

/* The value of a key, or NULL (also when self is NULL or no map). O(keys). */
spot_node_t *spot_node_get(const spot_node_t *self, const char *key);

/* The node at a dotted path below self, or the nearest one above it: a place for a
 * message. */
const spot_node_t *spot_node_place(const spot_node_t *self, const char *path);

/* Sets a dotted path such as "trace.preemption.per_minute" below root to value
 * (borrowed), making the maps on the way (a key that itself has dots is found where it
 * is whole); a scalar or a list on the way is replaced by a map. New nodes belong to
 * self and stand at value's place. BAD_PARAM: a key of the path is empty; nothing is
 * changed then. */
SPOT_MUST_CHECK int spot_yaml_set(
    spot_yaml_t *self, const char *path, spot_node_t *value);

/* Makes a key that has dots a whole one of the map at map_path, so that
 * spot_yaml_set() of both with a dot between them finds it; the map is made where there
 * is none. key: key_bytes of it; map_path: no key of it has dots. BAD_PARAM: something
 * else than a map is there. */
SPOT_MUST_CHECK int spot_yaml_add_key(
    spot_yaml_t *self, const char *map_path, const char *key, size_t key_bytes);

/* A new scalar of the document, at the place of another node. NULL: no memory. */
SPOT_MUST_CHECK spot_node_t *spot_yaml_new_scalar(
    spot_yaml_t *self, const char *text, const spot_node_t *place);

/* Moves the nodes of other into self, which owns them from now on; free other even so.
 * NO_MEMORY: nothing is moved. */
SPOT_MUST_CHECK int spot_yaml_adopt(spot_yaml_t *self, spot_yaml_t *other);

/* Whether a text is keys with dots between them, none of them empty. */
bool spot_yaml_is_path(const char *path);

/* Carries out "KEY=VALUE" of a command line: VALUE is YAML, KEY a dotted path as in
 * spot_yaml_set(). Messages name it as option, e.g. "--set". BAD_INPUT with the reason.
 */
SPOT_MUST_CHECK int spot_yaml_assign(
    spot_yaml_t *self, const char *option, const char *assignment, spot_diag_t *diag);

#endif
