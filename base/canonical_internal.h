/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by making, writing and reading canonical lists. */
#pragma once

#include <stdbool.h>

#include "base/canonical.h"

/* The target of a binder that writes instead of binding. */
typedef struct spot_canonical_writer {
    spot_canonical_t *list;       /* NULL: assumptions alone are wanted */
    struct spot_assumed *assumed; /* takes the defaults that decide; may be NULL */
    const char *label;            /* of the map around the current value; may be NULL */
    const spot_inputs_t *inputs;  /* or NULL */
    bool is_in_file;              /* that the document names */
    bool is_chosen;               /* within a table that a selector has chosen */
    int num_defaults;             /* depth of defaults around the current value */
} spot_canonical_writer_t;

/* \_ stands for an empty key, so that no path is empty. */
#define SPOT_CANONICAL_NO_KEY '_'

/* Writes a key as in paths, at most twice its bytes (2 for an empty key) and a NUL.
 * Returns the end. */
char *spot_canonical_escape(const char *key, char *escaped);

/* Bytes of the key or index at the start of path. */
size_t spot_canonical_part_bytes(const char *path);

/* The key of one part of a path, without \. The caller frees it. NULL: no memory. */
SPOT_MUST_CHECK char *spot_canonical_key_text(const char *part, size_t num_bytes);

/* Compares byte by byte, but indices of lists as numbers. Paths with the same beginning
 * stay together. */
int spot_canonical_compare_paths(const char *a, const char *b);

/* Appends an entry. Owns path and text from now on, even after an error. NO_MEMORY, also
 * if one of them is NULL. spot_canonical_sort() must follow before the list is used. */
SPOT_MUST_CHECK int spot_canonical_append(spot_canonical_t *self, char *path, char *text);

/* Appends a node as it is, with everything in it. path is that of the node, "" for the
 * root. NO_MEMORY. */
SPOT_MUST_CHECK int spot_canonical_append_node(
    spot_canonical_t *self, const char *path, const spot_node_t *node);

/* BAD_PARAM: a path is repeated. */
SPOT_MUST_CHECK int spot_canonical_sort(spot_canonical_t *self);

/* A scalar as YAML: plain if possible, else quoted. A number or an empty text is quoted
 * if is_text. The caller frees it. NULL: no memory. */
SPOT_MUST_CHECK char *spot_canonical_scalar(const char *text, bool is_text);
