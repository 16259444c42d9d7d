/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What composing and editing a document share. */
#ifndef SPOT_BASE_YAML_INTERNAL_H
#define SPOT_BASE_YAML_INTERNAL_H

#include "base/yaml.h"

/* A new empty node, owned by self. file must outlive self. NULL: no memory. */
spot_node_t *spot_yaml_new_node(spot_yaml_t *self, spot_node_kind_t kind,
    const char *file, size_t line, size_t column);

/* Appends to a list (key NULL) or to a map, which may have the key already. */
SPOT_MUST_CHECK int spot_node_append(
    spot_node_t *self, spot_node_t *key, spot_node_t *child);

/* The keys of one map, to find repeated ones: open addressing, at most half full. Zero
 * it to start. */
typedef struct {
    size_t num_keys;
    size_t num_slots;          /* a power of two, or 0 */
    const spot_node_t **slots; /* [num_slots] NULL: free */
} spot_key_set_t;

/* Adds a key (borrowed, must outlive self) unless there is one with its text. *first is
 * the one that is in the set then. O(1) on average. */
SPOT_MUST_CHECK int spot_key_set_add(
    spot_key_set_t *self, const spot_node_t *key, const spot_node_t **first);
void spot_key_set_free(spot_key_set_t *self);

#endif
