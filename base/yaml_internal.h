/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by composing and editing documents. */
#pragma once

#include "base/yaml.h"

/* A new empty node, owned by self. file must outlive self. NULL: no memory. */
spot_node_t *spot_yaml_new_node(
    spot_yaml_t *self, spot_node_kind_t kind, const char *file, size_t line, size_t column);

/* Appends to a list (key NULL) or to a map, without a search for repeated keys.
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_node_append(spot_node_t *self, spot_node_t *key, spot_node_t *child);
