/* SPDX-License-Identifier: GPL-3.0-or-later */
/* YAML documents: read into a tree of nodes with their places in the file, edited,
 * written, and moved to another folder.
 *
 * spot_yaml_read() or spot_yaml_parse(), then spot_node_*() to look and spot_yaml_*() to
 * edit; the document owns all nodes. Strict: one document, no tags, no merge keys, no
 * repeated keys, keys are scalars. Aliases become copies, so no node has two parents; all
 * copied text together has at most SPOT_YAML_MAX_BYTES. Size, depth and numbers are
 * limited, so no input is expensive. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/memory.h"

#define SPOT_YAML_MAX_BYTES ((size_t) 4 << 20)
#define SPOT_YAML_MAX_DEPTH 64
#define SPOT_YAML_MAX_NODES 200000 /* aliases expanded */
#define SPOT_YAML_MAX_KEYS 10000   /* of one map */
#define SPOT_YAML_MAX_ANCHORS 100

typedef enum { SPOT_NODE_SCALAR, SPOT_NODE_LIST, SPOT_NODE_MAP } spot_node_kind_t;

typedef struct spot_node {
    spot_node_kind_t kind;
    bool is_quoted;   /* scalar: "7" is text, 7 is a number */
    bool is_verbatim; /* scalar: the file has text as it is, at column after any quote */
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

/* ---- Reading ---- */

/* Reads a file. BAD_INPUT or IO with all reasons in diag, NO_MEMORY; free self even
 * then. After BAD_INPUT a root that is not NULL is the whole document without its
 * repeated and merge keys, so that the caller can look for more errors. */
SPOT_MUST_CHECK int spot_yaml_read(spot_yaml_t *self, const char *path, spot_diag_t *diag);

/* The same from memory; file names the place in messages. */
SPOT_MUST_CHECK int spot_yaml_parse(
    spot_yaml_t *self, const char *file, const char *bytes, size_t num_bytes, spot_diag_t *diag);

void spot_yaml_free(spot_yaml_t *self);

/* The value of a key, or NULL (also if self is NULL or no map). O(keys). */
spot_node_t *spot_node_get(const spot_node_t *self, const char *key);

/* The node at a path below self, or NULL. */
spot_node_t *spot_node_at(spot_node_t *self, const char *path);

/* Whether there is one. */
bool spot_node_has(const spot_node_t *self, const char *path);

/* The node at a path below self, or the nearest node above that path: a place for a
 * message. */
const spot_node_t *spot_node_place(const spot_node_t *self, const char *path);

/* The path of the file that a scalar names. A relative path starts at the folder of the
 * file with the scalar; a value of the command line has no such file. NULL: no memory.
 * The caller frees it. */
SPOT_MUST_CHECK char *spot_node_file_path(const spot_node_t *node);

/* ---- Editing ---- */

/* Whether a text is a path: keys with dots between them, each followed by any indices of
 * items, such as "trace.preemption.per_minute" or "pools[2].price". */
bool spot_yaml_is_path(const char *path);

/* Whether spot_yaml_set() can set a path below root: each index must have its item. If
 * not, problem is the reason in words. */
#define SPOT_YAML_PROBLEM_BYTES 512
bool spot_yaml_has_place(
    const spot_node_t *root, const char *path, char problem[SPOT_YAML_PROBLEM_BYTES]);

/* Sets a path below root to value (borrowed). Missing maps on the way are made; a scalar
 * or a list in place of a map is replaced by one. The rest of the path is one key, dots
 * and brackets included, if a map on the way has that key. New nodes belong to self and
 * have the place of value. NO_MEMORY. BAD_PARAM: spot_yaml_has_place() is false; nothing
 * is changed then. */
SPOT_MUST_CHECK int spot_yaml_set(spot_yaml_t *self, const char *path, spot_node_t *value);

/* Takes a key out of a map; nothing if it is not there, or self is NULL or no map. Its
 * nodes stay with their document. O(keys). */
void spot_node_drop(spot_node_t *self, const char *key);

/* Gives the map at map_path the key key[key_bytes], which may have dots, so that
 * spot_yaml_set() of map_path.key finds it as one key. A missing map is made. No key of
 * map_path has dots. NO_MEMORY. BAD_PARAM: the value at map_path is no map. */
SPOT_MUST_CHECK int spot_yaml_add_key(
    spot_yaml_t *self, const char *map_path, const char *key, size_t key_bytes);

/* A new scalar of the document, at the place of another node. NULL: no memory. */
SPOT_MUST_CHECK spot_node_t *spot_yaml_new_scalar(
    spot_yaml_t *self, const char *text, const spot_node_t *place);

/* Moves the nodes of other into self, which owns them from now on; other must still be
 * freed. NO_MEMORY: nothing is moved. */
SPOT_MUST_CHECK int spot_yaml_adopt(spot_yaml_t *self, spot_yaml_t *other);

/* Applies "KEY=VALUE" of a command line: VALUE is YAML, KEY a path. Messages name it as
 * option, e.g. "--set". BAD_INPUT with the reason in diag, NO_MEMORY. */
SPOT_MUST_CHECK int spot_yaml_assign(
    spot_yaml_t *self, const char *option, const char *assignment, spot_diag_t *diag);

/* A key that an option of its own sets, such as --seed. Its value is no YAML. */
typedef struct {
    const char *option; /* for messages: "--seed" */
    const char *path;   /* of the key, as of spot_yaml_set() */
    const char *text;   /* the value as it is, such as a file name; NULL: number */
    int64_t number;
} spot_yaml_given_t;

/* Sets such a key; missing maps on the way are made. A value on the way that is no map stays, and
 * nothing is set: binding it reports it at its own place. NO_MEMORY. BAD_PARAM: the path has no
 * place. */
SPOT_MUST_CHECK int spot_yaml_give(spot_yaml_t *self, const spot_yaml_given_t *given);

/* ---- Writing ---- */

/* Writes a node as YAML that reads back as the same, on one line without its end. */
void spot_yaml_write_flow(const spot_node_t *node, FILE *out);

/* The entries of a map, one a line from num_blanks blanks on; what is within a list, and
 * a map without entries, on one line. */
void spot_yaml_write_block(const spot_node_t *map, int num_blanks, FILE *out);

/* ---- Moving ---- */

struct spot_inputs; /* base/inputs.h */

/* A file that has a name of its own in the new folder. */
typedef struct {
    const char *path; /* as it was opened */
    const char *name; /* in the new folder */
} spot_moved_file_t;

typedef struct {
    const char *file;                 /* where the text stood */
    const struct spot_inputs *inputs; /* the files that were read by it */
    const char *folder;               /* where it goes; it is there */
    size_t num_moved;
    const spot_moved_file_t *moved; /* [num_moved] */
} spot_yaml_move_t;

/* Returns the text as it is in another folder; texts own it. Scalars that name files are
 * relative to the folder of their document: those of files that were read get their path
 * from the new one. Everything else stays byte for byte. NULL: the text is no YAML,
 * with the reason in diag, or no memory. O(scalars files). */
const char *spot_yaml_moved(
    const spot_yaml_move_t *self, const char *text, spot_texts_t *texts, spot_diag_t *diag);
