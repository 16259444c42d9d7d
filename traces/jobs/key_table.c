/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/key_table.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_PLACES = 64 };

/* FNV-1a; the upper half folds into the lower one, which finds the place. */
static uint32_t
hash_of(const void *key, size_t num_bytes)
{
    const unsigned char *bytes = key;
    uint64_t hash = 0xcbf29ce484222325;

    for (size_t j = 0; j < num_bytes; j++) {
        hash = (hash ^ bytes[j]) * 0x100000001b3;
    }
    return (uint32_t) (hash ^ hash >> 32);
}

int32_t
spot_key_table_find(const spot_key_table_t *self, spot_key_of_t key_of,
    const void *owner, const void *key, size_t num_bytes)
{
    const uint32_t hash = hash_of(key, num_bytes);
    const size_t mask = self->num_places - 1;

    if (self->num_places == 0) {
        return -1;
    }
    for (size_t at = hash & mask; self->places[at].item_id >= 0; at = (at + 1) & mask) {
        size_t other_bytes;
        const void *other;

        if (self->places[at].hash != hash) {
            continue;
        }
        other = key_of(owner, (size_t) self->places[at].item_id, &other_bytes);
        if (other_bytes == num_bytes && memcmp(other, key, num_bytes) == 0) {
            return self->places[at].item_id;
        }
    }
    return -1;
}

static void
enter(spot_key_place_t *places, size_t num_places, spot_key_place_t place)
{
    const size_t mask = num_places - 1;
    size_t at = place.hash & mask;

    while (places[at].item_id >= 0) {
        at = (at + 1) & mask;
    }
    places[at] = place;
}

static int
grow(spot_key_table_t *self)
{
    const size_t num = self->num_places == 0 ? LEAST_PLACES : 2 * self->num_places;
    spot_key_place_t *places =
        num > SIZE_MAX / sizeof(*places) ? NULL : malloc(num * sizeof(*places));

    if (places == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memset(places, 0xff, num * sizeof(*places));
    for (size_t j = 0; j < self->num_places; j++) {
        if (self->places[j].item_id >= 0) {
            enter(places, num, self->places[j]);
        }
    }
    free(self->places);
    self->places = places;
    self->num_places = num;
    return 0;
}

int
spot_key_table_enter(
    spot_key_table_t *self, const void *key, size_t num_bytes, size_t item_id)
{
    const spot_key_place_t place = {hash_of(key, num_bytes), (int32_t) item_id};

    if (item_id > INT32_MAX ||
        (4 * (self->num_items + 1) > 3 * self->num_places && grow(self) != 0)) {
        return SPOT_ERR_NO_MEMORY;
    }
    enter(self->places, self->num_places, place);
    self->num_items++;
    return 0;
}

void
spot_key_table_free(spot_key_table_t *self)
{
    free(self->places);
    memset(self, 0, sizeof(*self));
}
