/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Orders of items: by integers, and of names that may be numbers. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Sets order to the indices of items by their keys, ties by index. Keys differ by less
 * than 2^63; order, scratch: [num_items]. INTERRUPTED: a signal has asked the process to
 * end. Radix sort, O(items). */
SPOT_MUST_CHECK int spot_order_integers(
    const int64_t *keys, size_t num_items, int32_t *order, int32_t *scratch);

/* Compares names: numbers by value, before texts by bytes. */
int spot_order_texts(const char *first, const char *second);
