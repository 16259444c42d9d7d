/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growing arrays, one idiom for all rooms. */
#ifndef SPOT_BASE_MEMORY_H
#define SPOT_BASE_MEMORY_H

#include <stddef.h>

#include "base/error.h"

/* Makes room for num_needed elements in *array (doubling, at least 16), so that
 * appending is O(1) amortised. *max_items is the capacity so far. NO_MEMORY leaves both
 * as they were. */
SPOT_MUST_CHECK int spot_array_reserve(
    void **array, size_t *max_items, size_t num_needed, size_t item_bytes);

/* calloc that accepts zero items (returns a pointer that can be freed). */
SPOT_MUST_CHECK void *spot_calloc(size_t num_items, size_t item_bytes);

/* A copy of num_bytes bytes of text with a NUL behind it, or NULL. The caller frees it.
 */
SPOT_MUST_CHECK char *spot_text_copy(const char *text, size_t num_bytes);

#endif
