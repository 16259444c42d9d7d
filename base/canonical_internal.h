/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What making, writing and reading canonical lists share. */
#ifndef SPOT_BASE_CANONICAL_INTERNAL_H
#define SPOT_BASE_CANONICAL_INTERNAL_H

#include <stdbool.h>

#include "base/canonical.h"

/* A path that grows and shrinks while a document is walked. Zero it to start. */
typedef struct {
    size_t num_bytes;
    size_t max_bytes;
    char *bytes; /* [num_bytes + 1] */
} spot_canonical_path_t;

/* Behind a \ it stands for a key without a letter, so that no path is empty. */
#define SPOT_CANONICAL_NO_KEY '_'

/* NO_MEMORY. Cut the path back to what num_bytes was before. */
SPOT_MUST_CHECK int spot_canonical_path_key(
    spot_canonical_path_t *self, const char *key);
SPOT_MUST_CHECK int spot_canonical_path_item(
    spot_canonical_path_t *self, size_t item_id);
void spot_canonical_path_cut(spot_canonical_path_t *self, size_t num_bytes);

/* The key that part of a path stands for. NULL: no memory. The caller frees it. */
SPOT_MUST_CHECK char *spot_canonical_key_text(const char *part, size_t num_bytes);

/* Byte by byte, but indices of lists as numbers. What begins alike stays together. */
int spot_canonical_compare_paths(const char *a, const char *b);

/* Appends an entry with a copy of path, and takes text over, also where that fails (text
 * NULL: NO_MEMORY). spot_canonical_sort() must follow before the list is used. */
SPOT_MUST_CHECK int spot_canonical_append(
    spot_canonical_t *self, const char *path, char *text);

/* BAD_PARAM: a path is there twice. */
SPOT_MUST_CHECK int spot_canonical_sort(spot_canonical_t *self);

/* A scalar as YAML: plain where it can be, else quoted. What a quoted 7 is depends on
 * is_text. NULL: no memory. */
SPOT_MUST_CHECK char *spot_canonical_scalar(const char *text, bool is_text);

/* Whether a path is outer or lies within it; both as they are in lists. */
bool spot_canonical_is_within(const char *path, const char *outer);

/* Walks a tree without a table. scalar() says what a scalar looks like: text that the
 * caller owns, NULL: no memory. */
typedef char *(*spot_canonical_scalar_function_t)(
    const void *context, const spot_node_t *node);
SPOT_MUST_CHECK int spot_canonical_append_tree(spot_canonical_t *self,
    spot_canonical_path_t *path, const spot_node_t *node,
    spot_canonical_scalar_function_t scalar, const void *context);

#endif
