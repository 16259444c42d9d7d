/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of distinct texts, numbered 0, 1, ... in the order of their addition. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct {
    uint32_t hash;
    int32_t name_id; /* -1 = free */
} spot_name_slot_t;

typedef struct {
    size_t num_names;
    size_t max_names;
    char **names; /* [num_names] by id, owned */
    size_t num_slots;
    spot_name_slot_t *slots; /* [num_slots], 0 or a power of two */
} spot_names_t;

void spot_names_init(spot_names_t *self);
void spot_names_free(spot_names_t *self);

/* The id of a text, or -1. O(bytes) expected. */
int32_t spot_names_find(const spot_names_t *self, const char *text, size_t num_bytes);

/* Sets name_id to the id of a text; adds a text that is not in the table. NO_MEMORY
 * leaves self unchanged. O(bytes) expected. */
SPOT_MUST_CHECK int spot_names_add(
    spot_names_t *self, const char *text, size_t num_bytes, int32_t *name_id);
