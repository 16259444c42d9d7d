/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds equal keys among many: texts, or points by their values. */
#pragma once

#include <stddef.h>

#include "base/error.h"

typedef struct {
    const void *bytes;
    size_t num_bytes;
} spot_key_t;

/* Sets first_ids[j], [num_keys], to the id of the first key with the bytes of key j,
 * which may be j. NO_MEMORY. O(bytes). */
SPOT_MUST_CHECK int spot_group_equal(const spot_key_t *keys, size_t num_keys, size_t *first_ids);
