/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding what is equal among many: texts, or points by the values they have. */
#ifndef SPOT_BASE_GROUP_H
#define SPOT_BASE_GROUP_H

#include <stddef.h>

#include "base/error.h"

typedef struct {
    const void *bytes;
    size_t num_bytes;
} spot_key_t;

/* first_ids: [num_keys] for each key the first one with the same bytes; its own id where
 * there is none before it. NO_MEMORY. O(n log n) comparisons. */
SPOT_MUST_CHECK int spot_group_equal(
    const spot_key_t *keys, size_t num_keys, size_t *first_ids);

#endif
