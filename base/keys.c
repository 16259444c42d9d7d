/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/watch.h"

/* ---- Tables ---- */

enum { LEAST_PLACES = 64 };

static const void *key_of(const spot_key_view_t *keys, size_t item_id)
{
    const char *item = (const char *) keys->items + item_id * keys->item_bytes;

    return keys->is_bytes ? item : *(const char *const *) (const void *) (item + keys->text_offset);
}

static size_t num_bytes_of(const spot_key_view_t *keys, const void *key)
{
    return keys->is_bytes ? keys->item_bytes : strlen(key);
}

static inline bool is_key(
    const spot_key_view_t *keys, size_t item_id, const void *key, size_t num_bytes)
{
    const char *other = key_of(keys, item_id);

    return keys->is_bytes ? memcmp(other, key, num_bytes) == 0
                          : strncmp(other, key, num_bytes) == 0 && other[num_bytes] == '\0';
}

/* The upper half folds into the lower one, which finds the place. */
static uint32_t hash_of(const void *key, size_t num_bytes)
{
    const uint64_t hash = spot_hash(SPOT_HASH_START, key, num_bytes);

    return (uint32_t) (hash ^ hash >> 32);
}

static inline int32_t find(const spot_key_table_t *self, const spot_key_view_t *keys, uint32_t hash,
    const void *key, size_t num_bytes)
{
    const size_t mask = self->num_places - 1;

    if (self->num_places == 0) {
        return -1;
    }
    for (size_t at = hash & mask; self->places[at].item_id >= 0; at = (at + 1) & mask) {
        const int32_t item_id = self->places[at].item_id;

        if (self->places[at].hash == hash && is_key(keys, (size_t) item_id, key, num_bytes)) {
            return item_id;
        }
    }
    return -1;
}

int32_t spot_key_table_find(
    const spot_key_table_t *self, const spot_key_view_t *keys, const void *key)
{
    const size_t num_bytes = num_bytes_of(keys, key);

    return find(self, keys, hash_of(key, num_bytes), key, num_bytes);
}

static void enter(spot_key_place_t *places, size_t num_places, spot_key_place_t place)
{
    const size_t mask = num_places - 1;
    size_t at = place.hash & mask;

    while (places[at].item_id >= 0) {
        at = (at + 1) & mask;
    }
    places[at] = place;
}

/* Makes room for one more item. */
static int grow(spot_key_table_t *self)
{
    const size_t num = self->num_places == 0 ? LEAST_PLACES : 2 * self->num_places;
    spot_key_place_t *places;

    if (4 * (self->num_items + 1) <= 3 * self->num_places) {
        return 0;
    }
    places = num > SIZE_MAX / sizeof(*places) ? NULL : malloc(num * sizeof(*places));
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

int spot_key_table_enter(spot_key_table_t *self, const spot_key_view_t *keys, size_t item_id)
{
    const void *key = key_of(keys, item_id);
    const spot_key_place_t place = {hash_of(key, num_bytes_of(keys, key)), (int32_t) item_id};

    if (item_id > INT32_MAX || grow(self) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    enter(self->places, self->num_places, place);
    self->num_items++;
    return 0;
}

void spot_key_table_free(spot_key_table_t *self)
{
    free(self->places);
    memset(self, 0, sizeof(*self));
}

/* ---- Names ---- */

static int32_t find_name(
    const spot_names_t *self, uint32_t hash, const char *text, size_t num_bytes)
{
    const spot_key_view_t keys = {.items = self->names, .item_bytes = sizeof(*self->names)};

    return find(&self->table, &keys, hash, text, num_bytes);
}

int32_t spot_names_find(const spot_names_t *self, const char *text, size_t num_bytes)
{
    return find_name(self, hash_of(text, num_bytes), text, num_bytes);
}

int spot_names_add(spot_names_t *self, const char *text, size_t num_bytes, int32_t *name_id)
{
    const uint32_t hash = hash_of(text, num_bytes);
    const int32_t found = find_name(self, hash, text, num_bytes);
    char *copy;

    if (found >= 0) {
        *name_id = found;
        return 0;
    }
    copy = spot_text_copy(text, num_bytes);
    if (copy == NULL || self->num_names > INT32_MAX || grow(&self->table) != 0 ||
        SPOT_ARRAY_APPEND(self, names, copy) != 0) {
        free(copy);
        return SPOT_ERR_NO_MEMORY;
    }
    *name_id = (int32_t) self->num_names - 1;
    enter(self->table.places, self->table.num_places, (spot_key_place_t){hash, *name_id});
    self->table.num_items++;
    return 0;
}

void spot_names_free(spot_names_t *self)
{
    for (size_t j = 0; j < self->num_names; j++) {
        free(self->names[j]);
    }
    free(self->names);
    spot_key_table_free(&self->table);
    memset(self, 0, sizeof(*self));
}

/* ---- Groups ---- */

/* A final mix, so that all bits of a slot depend on all bytes. */
static uint64_t hash_key(const spot_key_t *key)
{
    uint64_t hash = spot_hash(SPOT_HASH_START, key->bytes, key->num_bytes);

    hash ^= hash >> 32;
    hash *= UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 32;
}

static bool is_equal(const spot_key_t *a, const spot_key_t *b)
{
    return a->num_bytes == b->num_bytes &&
           (a->num_bytes == 0 || memcmp(a->bytes, b->bytes, a->num_bytes) == 0);
}

/* A table of the first ids plus 1 with open addressing, at most half full. */
int spot_group_equal(const spot_key_t *keys, size_t num_keys, size_t *first_ids)
{
    size_t num_slots = 2;
    size_t *slots;

    while (num_slots < 2 * num_keys) {
        num_slots *= 2;
    }
    slots = spot_calloc(num_slots, sizeof(*slots));
    if (slots == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_keys; j++) {
        size_t slot = (size_t) hash_key(&keys[j]) & (num_slots - 1);

        while (slots[slot] != 0 && !is_equal(&keys[slots[slot] - 1], &keys[j])) {
            slot = (slot + 1) & (num_slots - 1);
        }
        if (slots[slot] == 0) {
            slots[slot] = j + 1;
        }
        first_ids[j] = slots[slot] - 1;
    }
    free(slots);
    return 0;
}

/* ---- Orders ---- */

#define DIGIT_BITS 11
#define NUM_DIGITS (1 << DIGIT_BITS)

/* Sorts by one digit of the keys from the least one on, from order to sorted; stable. */
static void sort_by_digit(const int64_t *keys, int64_t least, int shift, size_t num_items,
    const int32_t *order, int32_t *sorted)
{
    int32_t starts[NUM_DIGITS + 1] = {0};

    for (size_t j = 0; j < num_items; j++) {
        starts[((keys[j] - least) >> shift) % NUM_DIGITS + 1]++;
    }
    for (size_t j = 0; j < NUM_DIGITS; j++) {
        starts[j + 1] += starts[j];
    }
    for (size_t j = 0; j < num_items; j++) {
        sorted[starts[((keys[order[j]] - least) >> shift) % NUM_DIGITS]++] = order[j];
    }
}

int spot_order_integers(const int64_t *keys, size_t num_items, int32_t *order, int32_t *scratch)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    int32_t *from = order, *to = scratch;

    for (size_t j = 0; j < num_items; j++) {
        least = keys[j] < least ? keys[j] : least;
        most = keys[j] > most ? keys[j] : most;
        order[j] = (int32_t) j;
    }
    for (int shift = 0; num_items > 0 && shift < 63 && (most - least) >> shift > 0;
         shift += DIGIT_BITS) {
        int32_t *sorted = to;

        if (atomic_load(&spot_stop) != 0) {
            return SPOT_ERR_INTERRUPTED;
        }
        sort_by_digit(keys, least, shift, num_items, from, to);
        to = from;
        from = sorted;
    }
    if (from != order) {
        memcpy(order, from, num_items * sizeof(*order));
    }
    return 0;
}

/* The digits of a number without leading zeros, or NULL. */
static const char *digits_of(const char *text)
{
    const size_t num_digits = strspn(text, "0123456789");
    const size_t num_zeros = strspn(text, "0");

    if (num_digits == 0 || text[num_digits] != '\0') {
        return NULL;
    }
    return text + num_zeros - (num_zeros == num_digits);
}

int spot_order_texts(const char *first, const char *second)
{
    const char *a = digits_of(first), *b = digits_of(second);
    int order = 0;

    if (a != NULL && b != NULL && strlen(a) != strlen(b)) {
        return strlen(a) < strlen(b) ? -1 : 1;
    }
    if ((a == NULL) != (b == NULL)) {
        return a != NULL ? -1 : 1;
    }
    if (a != NULL) {
        order = strcmp(a, b);
    }
    return order != 0 ? order : strcmp(first, second);
}
