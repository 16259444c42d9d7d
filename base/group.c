/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/group.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct {
    spot_key_t key;
    size_t id;
} item_t;

static int
compare_keys(const spot_key_t *a, const spot_key_t *b)
{
    if (a->num_bytes != b->num_bytes) {
        return a->num_bytes < b->num_bytes ? -1 : 1;
    }
    return a->num_bytes == 0 ? 0 : memcmp(a->bytes, b->bytes, a->num_bytes);
}

/* Orders equal keys by id. */
static int
compare_items(const void *a, const void *b)
{
    const item_t *left = a, *right = b;
    const int order = compare_keys(&left->key, &right->key);

    return order != 0 ? order : (left->id > right->id) - (left->id < right->id);
}

int
spot_group_equal(const spot_key_t *keys, size_t num_keys, size_t *first_ids)
{
    item_t *items = spot_calloc(num_keys, sizeof(*items));
    size_t first = 0;

    if (items == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_keys; j++) {
        items[j] = (item_t){keys[j], j};
    }
    qsort(items, num_keys, sizeof(*items), compare_items);
    for (size_t j = 0; j < num_keys; j++) {
        if (compare_keys(&items[first].key, &items[j].key) != 0) {
            first = j;
        }
        first_ids[items[j].id] = items[first].id;
    }
    free(items);
    return 0;
}
