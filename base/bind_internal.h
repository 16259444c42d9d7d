/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by binding scalars and binding lists, dictionaries and maps. */
#pragma once

#include "base/bind.h"
#include "base/canonical_internal.h"

/* Binds a value of a scalar type, and stores it unless target is NULL. */
void spot_bind_scalar(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target);

/* Reports "path.name: expected WHAT, got VALUE: problem"; ": problem" may be empty. */
void spot_bind_expect(spot_bind_t *self, const char *name, const spot_node_t *node,
    const char *what, const char *problem);

/* The noun for its values in messages: "an integer". */
const char *spot_field_what(const spot_field_t *self);

/* Whether a value, or a number of items, is within the limits. */
bool spot_field_allows(const spot_field_t *self, double value);

/* The index of the choice that a node is; -1: none. */
int spot_field_find_choice(const spot_field_t *self, const spot_node_t *node);

/* Only with a writer that wants them: notes that a field takes its default. */
void spot_bind_assume(spot_bind_t *self, const spot_field_t *field);

/* Only with a writer that wants them: notes the defaults of the file that node names, by
 * paths such as "trainers.llm: job.reload". */
void spot_bind_assume_file(spot_bind_t *self, const spot_field_t *field, const spot_node_t *node);

/* Only with a writer: append a value to the canonical form. text is YAML, owned from now
 * on; NULL: no memory. A file gets its name in the journal. A node is appended as it
 * is. */
spot_canonical_entry_t *spot_bind_write(spot_bind_t *self, const char *name, char *text);
void spot_bind_write_file(spot_bind_t *self, const char *name, const spot_node_t *node);
void spot_bind_write_node(spot_bind_t *self, const char *name, const spot_node_t *node);
void spot_bind_write_order(spot_bind_t *self, const char *name, const spot_node_t *map);
