/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/quantile_sketch.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A key is the top 19 bits of a double, less num_joined: sign, exponent, 7 of mantissa,
 * in an order that is that of the values. */
#define DROPPED_BITS 45
#define SIGN_BIT (UINT64_C(1) << 63)
#define MANTISSA_BITS ((UINT64_C(1) << 52) - 1)

/* A slot happens to be split alike. */
#define COUNT_BITS 45
#define COUNT_MASK SPOT_SKETCH_MAX_VALUES

#define VERSION 1
#define MIN_SLOT_BITS 8
#define SLOTS_PER_KEY 2

/* Bytes of a key and its count, and of all before them, at most. Together less than 64
 * KiB: of 8192 distances within 2^19 half take 2 bytes at most and 32 take 3; of as many
 * counts that are 2^45 together 1024 take more than 5 bytes and 8 more than 6. */
#define MAX_KEY_BYTES (3 + 7)
#define MAX_HEAD_BYTES (2 + 7 + 3 * 8 + 2)

/* That of the largest value; all keys of finite values are above 0. */
#define MAX_KEY UINT64_C(0x7ff7f)

/* Bits whose order as whole numbers is that of the values. */
static inline uint64_t
to_ordered(uint64_t bits)
{
    return (bits & SIGN_BIT) != 0 ? ~bits : bits | SIGN_BIT;
}

static inline uint64_t
from_ordered(uint64_t ordered)
{
    return (ordered & SIGN_BIT) != 0 ? ordered & ~SIGN_BIT : ~ordered;
}

static inline uint64_t
to_key(double value, unsigned num_joined)
{
    return to_ordered(spot_double_bits(value)) >> (DROPPED_BITS + num_joined);
}

/* Mantissa bits that a key does not tell, of those that any value has. */
static uint64_t
untold_bits(const spot_quantile_sketch_t *self)
{
    return self->any_bits & ((UINT64_C(1) << (DROPPED_BITS + self->num_joined)) - 1);
}

/* The bits of that end of a bucket which is nearer to 0. */
static uint64_t
nearest_end(const spot_quantile_sketch_t *self, uint64_t key)
{
    const unsigned num_dropped = DROPPED_BITS + self->num_joined;

    return from_ordered(key << num_dropped) >> num_dropped << num_dropped;
}

/* The value that stands for a bucket. Its values lie between the nearer end and that end
 * with all of the untold bits: their middle. The bucket of 0 has no relative width: 0,
 * which is all that is ever in it, but for subnormals. */
static double
bucket_value(const spot_quantile_sketch_t *self, uint64_t key)
{
    const uint64_t bits = nearest_end(self, key);

    if ((bits & ~SIGN_BIT) == 0) {
        return 0;
    }
    return spot_double_from_bits(bits | (untold_bits(self) >> 1));
}

/* Multiplicative hashing (Knuth, TAOCP 3, 6.4): keys in a row are spread evenly. */
static inline size_t
hash_key(uint64_t key, unsigned slot_bits)
{
    return (uint32_t) ((uint32_t) key * UINT32_C(2654435769)) >> (32 - slot_bits);
}

/* The slot of key, or the empty one where it belongs. */
static uint64_t *
find_slot(uint64_t *slots, unsigned slot_bits, uint64_t key)
{
    const size_t mask = ((size_t) 1 << slot_bits) - 1;
    size_t slot_id = hash_key(key, slot_bits);

    while (slots[slot_id] != 0 && slots[slot_id] >> COUNT_BITS != key) {
        slot_id = (slot_id + 1) & mask;
    }
    return &slots[slot_id];
}

static size_t
num_slots(const spot_quantile_sketch_t *self)
{
    return self->slots == NULL ? 0 : (size_t) 1 << self->slot_bits;
}

/* Keys that fit in the table: with more, they would often meet. */
static size_t
max_keys(const spot_quantile_sketch_t *self)
{
    const size_t max = num_slots(self) / SLOTS_PER_KEY;

    return max < SPOT_SKETCH_MAX_KEYS ? max : SPOT_SKETCH_MAX_KEYS;
}

/* Moves to a new table, and from pairs of keys to one where join is 1. */
static int
rebuild(spot_quantile_sketch_t *self, unsigned slot_bits, unsigned join)
{
    uint64_t *slots = spot_calloc((size_t) 1 << slot_bits, sizeof(*slots));

    if (slots == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->num_joined += join;
    if (join > 0) {
        self->num_keys = 0;
    }
    for (size_t j = 0; j < num_slots(self); j++) {
        if (self->slots[j] != 0) {
            const uint64_t key = self->slots[j] >> COUNT_BITS >> join;
            uint64_t *slot = find_slot(slots, slot_bits, key);

            self->num_keys += join > 0 && *slot == 0;
            *slot = key << COUNT_BITS |
                    ((*slot & COUNT_MASK) + (self->slots[j] & COUNT_MASK));
        }
    }
    free(self->slots);
    self->slots = slots;
    self->slot_bits = slot_bits;
    return 0;
}

/* Room for a table of at least 2^slot_bits slots. */
static int
reserve_slots(spot_quantile_sketch_t *self, unsigned slot_bits)
{
    if (slot_bits < MIN_SLOT_BITS) {
        slot_bits = MIN_SLOT_BITS;
    }
    return num_slots(self) >= (size_t) 1 << slot_bits ? 0 : rebuild(self, slot_bits, 0);
}

static int
join_buckets(spot_quantile_sketch_t *self)
{
    assert(self->num_joined < SPOT_SKETCH_MAX_JOINED);
    return rebuild(self, self->slot_bits, 1);
}

/* Buckets are joined only when they must be: a part of the values never needs more of it
 * than the whole, hence the order of adding and merging does not matter. key is one of
 * num_joined at the time of the call. */
static int
insert_key(spot_quantile_sketch_t *self, uint64_t key, uint64_t count)
{
    int ret = 0;

    while (ret == 0) {
        if (self->num_keys >= max_keys(self) && self->num_keys < SPOT_SKETCH_MAX_KEYS) {
            ret = reserve_slots(self, self->slot_bits + 1);
        } else {
            uint64_t *slot = find_slot(self->slots, self->slot_bits, key);

            if (*slot != 0) {
                *slot += count;
                return 0;
            }
            if (self->num_keys < SPOT_SKETCH_MAX_KEYS) {
                *slot = key << COUNT_BITS | count;
                self->num_keys++;
                return 0;
            }
            ret = join_buckets(self);
            key >>= 1;
        }
    }
    return ret;
}

void
spot_quantile_sketch_free(spot_quantile_sketch_t *self)
{
    free(self->slots);
    *self = (spot_quantile_sketch_t){0};
}

void
spot_quantile_sketch_clear(spot_quantile_sketch_t *self)
{
    if (self->slots != NULL) {
        memset(self->slots, 0, num_slots(self) * sizeof(*self->slots));
    }
    *self = (spot_quantile_sketch_t){.slot_bits = self->slot_bits, .slots = self->slots};
}

/* What is known of all values, beside their buckets. */
static void
widen(spot_quantile_sketch_t *self, uint64_t num_values, double minimum, double maximum,
    uint64_t any_bits)
{
    if (self->num_values == 0 || minimum < self->minimum) {
        self->minimum = minimum;
    }
    if (self->num_values == 0 || maximum > self->maximum) {
        self->maximum = maximum;
    }
    self->num_values += num_values;
    self->any_bits |= any_bits & MANTISSA_BITS;
}

int
spot_quantile_sketch_add(
    spot_quantile_sketch_t *self, const double *values, size_t num_values)
{
    double minimum = (double) INFINITY, maximum = -(double) INFINITY;
    uint64_t any_bits = 0;
    size_t num_keys = self->num_keys, num_fit; /* kept in registers */
    int ret;

    if (num_values == 0) {
        return 0;
    }
    if (num_values > SPOT_SKETCH_MAX_VALUES - self->num_values) {
        return SPOT_ERR_BAD_PARAM;
    }
    ret = reserve_slots(self, 0);
    num_fit = max_keys(self);
    for (size_t j = 0; ret == 0 && j < num_values; j++) {
        const double value = values[j] + 0.0; /* -0 becomes 0 */
        const uint64_t key = to_key(value, self->num_joined);
        uint64_t *slot = &self->slots[hash_key(key, self->slot_bits)];
        const bool is_new = *slot == 0;
        const bool is_other = *slot >> COUNT_BITS != key;

        assert(isfinite(value));
        any_bits |= spot_double_bits(value);
        minimum = value < minimum ? value : minimum;
        maximum = value > maximum ? value : maximum;
        if (num_keys >= num_fit || (is_other & !is_new)) {
            self->num_keys = num_keys;
            ret = insert_key(self, key, 1);
            num_keys = self->num_keys;
            num_fit = max_keys(self);
        } else { /* without a branch: whether a key is new cannot be foreseen */
            *slot = (key << COUNT_BITS | (*slot & COUNT_MASK)) + 1;
            num_keys += is_new;
        }
    }
    self->num_keys = num_keys;
    if (ret == 0) {
        widen(self, num_values, minimum, maximum, any_bits);
    }
    return ret;
}

/* Makes self ready for keys of another sketch: with coarser buckets they can only meet
 * ones as coarse, and where they come in order of their hashes they would all fall in
 * one heap of a table that is smaller and grows meanwhile. */
static int
meet(spot_quantile_sketch_t *self, unsigned slot_bits, unsigned num_joined)
{
    int ret = reserve_slots(self, slot_bits);

    while (ret == 0 && self->num_joined < num_joined) {
        ret = join_buckets(self);
    }
    return ret;
}

int
spot_quantile_sketch_merge(
    spot_quantile_sketch_t *self, const spot_quantile_sketch_t *other)
{
    int ret = 0;

    assert(self != other);
    if (other->num_values == 0) {
        return 0;
    }
    if (other->num_values > SPOT_SKETCH_MAX_VALUES - self->num_values) {
        return SPOT_ERR_BAD_PARAM;
    }
    ret = meet(self, other->slot_bits, other->num_joined);
    for (size_t j = 0; ret == 0 && j < num_slots(other); j++) {
        if (other->slots[j] != 0) {
            ret = insert_key(self,
                other->slots[j] >> COUNT_BITS >> (self->num_joined - other->num_joined),
                other->slots[j] & COUNT_MASK);
        }
    }
    if (ret == 0) {
        widen(self, other->num_values, other->minimum, other->maximum, other->any_bits);
    }
    return ret;
}

/* One pass of a radix sort: from[num_items] to to[num_items], by RADIX_BITS bits. */
#define RADIX_BITS 7
#define RADIX_SIZE (1 << RADIX_BITS)

static void
sort_by_bits(const uint64_t *from, uint64_t *to, size_t num_items, unsigned shift)
{
    size_t starts[RADIX_SIZE + 1] = {0};

    for (size_t j = 0; j < num_items; j++) {
        starts[1 + (from[j] >> shift) % RADIX_SIZE]++;
    }
    for (size_t j = 1; j < RADIX_SIZE; j++) {
        starts[j] += starts[j - 1];
    }
    for (size_t j = 0; j < num_items; j++) {
        to[starts[(from[j] >> shift) % RADIX_SIZE]++] = from[j];
    }
}

/* The slots that are not empty, by key: *sorted is [num_keys], freed by the caller.
 * qsort would take longer than adding the values did. */
static int
sort_slots(const spot_quantile_sketch_t *self, uint64_t **sorted)
{
    uint64_t *slots = spot_calloc(2 * self->num_keys + 1, sizeof(*slots));
    uint64_t *from = slots, *to;
    size_t num_keys = 0;

    *sorted = slots;
    if (slots == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    to = slots + self->num_keys;
    for (size_t j = 0; j < num_slots(self); j++) {
        to[num_keys] =
            self->slots[j]; /* empty ones are overwritten, the last is extra */
        num_keys += self->slots[j] != 0;
    }
    assert(num_keys == self->num_keys);
    for (unsigned shift = COUNT_BITS; shift < 64; shift += RADIX_BITS) {
        uint64_t *const swapped = from;

        from = to;
        to = swapped;
        sort_by_bits(from, to, num_keys, shift);
    }
    assert(to == slots); /* an odd number of passes, from the second half */
    return 0;
}

/* The order statistic rank_id of the values, counted from 0. */
static double
value_at(const spot_quantile_sketch_t *self, const uint64_t *sorted, uint64_t rank_id)
{
    uint64_t num_below = 0;
    size_t key_id = 0;

    if (rank_id == 0) {
        return self->minimum;
    }
    if (rank_id == self->num_values - 1) {
        return self->maximum;
    }
    while (num_below + (sorted[key_id] & COUNT_MASK) <= rank_id) {
        num_below += sorted[key_id++] & COUNT_MASK;
    }
    return fmin(fmax(bucket_value(self, sorted[key_id] >> COUNT_BITS), self->minimum),
        self->maximum);
}

static double
quantile_at(const spot_quantile_sketch_t *self, const uint64_t *sorted, double p)
{
    const double position = p * (double) (self->num_values - 1);
    const uint64_t rank_id = (uint64_t) position;
    const double fraction = position - (double) rank_id;
    const double low = value_at(self, sorted, rank_id);
    double high, quantile;

    assert(p >= 0 && p <= 1);
    if (fraction == 0) {
        return low;
    }
    high = value_at(self, sorted, rank_id + 1);
    quantile = (1 - fraction) * low + fraction * high; /* high - low may overflow */
    return fmin(fmax(quantile, low), high);
}

int
spot_quantile_sketch_quantiles(
    const spot_quantile_sketch_t *self, size_t num_p, const double *p, double *quantiles)
{
    uint64_t *sorted;
    int ret = sort_slots(self, &sorted);

    for (size_t j = 0; ret == 0 && j < num_p; j++) {
        quantiles[j] =
            self->num_values == 0 ? (double) NAN : quantile_at(self, sorted, p[j]);
    }
    free(sorted);
    return ret;
}

double
spot_quantile_sketch_error(const spot_quantile_sketch_t *self)
{
    const uint64_t untold = untold_bits(self);

    return ldexp((double) (untold - (untold >> 1)), -52);
}

int
spot_quantile_sketch_write(const spot_quantile_sketch_t *self, spot_bytes_t *bytes)
{
    uint64_t *sorted, last_key = 0;
    int ret = sort_slots(self, &sorted);

    if (ret == 0) {
        ret = spot_bytes_reserve(bytes, MAX_HEAD_BYTES + self->num_keys * MAX_KEY_BYTES);
    }
    if (ret != 0) {
        goto out;
    }
    spot_bytes_put_fixed(bytes, VERSION, 1);
    spot_bytes_put_fixed(bytes, self->num_joined, 1);
    spot_bytes_put_varint(bytes, self->num_values);
    if (self->num_values == 0) {
        goto out;
    }
    spot_bytes_put_double(bytes, self->minimum);
    spot_bytes_put_double(bytes, self->maximum);
    spot_bytes_put_fixed(bytes, self->any_bits, 8);
    spot_bytes_put_varint(bytes, self->num_keys);
    for (size_t j = 0; j < self->num_keys; j++) {
        const uint64_t key = sorted[j] >> COUNT_BITS;

        spot_bytes_put_varint(bytes, key - last_key);
        spot_bytes_put_varint(bytes, sorted[j] & COUNT_MASK);
        last_key = key;
    }
out:
    free(sorted);
    return ret;
}

/* The bytes before the keys. */
static bool
read_head(spot_quantile_sketch_t *self, spot_byte_reader_t *reader)
{
    const uint64_t version = spot_byte_reader_fixed(reader, 1);
    const uint64_t num_joined = spot_byte_reader_fixed(reader, 1);

    *self = (spot_quantile_sketch_t){.num_values = spot_byte_reader_varint(reader)};
    if (reader->is_bad || version != VERSION || num_joined > SPOT_SKETCH_MAX_JOINED ||
        self->num_values > SPOT_SKETCH_MAX_VALUES) {
        return false;
    }
    self->num_joined = (unsigned) num_joined;
    if (self->num_values == 0) {
        return num_joined == 0;
    }
    self->minimum = spot_byte_reader_double(reader);
    self->maximum = spot_byte_reader_double(reader);
    self->any_bits = spot_byte_reader_fixed(reader, 8);
    self->num_keys = (size_t) spot_byte_reader_varint(reader);
    return !reader->is_bad && isfinite(self->minimum) && isfinite(self->maximum) &&
           self->minimum <= self->maximum && self->any_bits <= MANTISSA_BITS &&
           self->num_keys > 0 && self->num_keys <= SPOT_SKETCH_MAX_KEYS;
}

/* What the head says of the values must be what values can be. */
static bool
agrees_with_values(const spot_quantile_sketch_t *self)
{
    const double ends[] = {self->minimum, self->maximum};

    for (size_t j = 0; j < 2; j++) {
        const uint64_t bits = spot_double_bits(ends[j]);

        if (bits == SIGN_BIT || (bits & MANTISSA_BITS & ~self->any_bits) != 0) {
            return false; /* -0 is kept as 0 */
        }
    }
    /* joined for need only: 8193 keys, which became 4097 at least */
    return self->num_joined == 0 || self->num_keys > SPOT_SKETCH_MAX_KEYS / 2;
}

/* The next key and its count; 0 for a key that cannot follow. */
static uint64_t
read_key(const spot_quantile_sketch_t *head, spot_byte_reader_t *reader,
    uint64_t last_key, uint64_t *count)
{
    const uint64_t distance = spot_byte_reader_varint(reader);

    *count = spot_byte_reader_varint(reader);
    if (distance == 0 || *count == 0 || *count > head->num_values ||
        distance > (MAX_KEY >> head->num_joined) - last_key) {
        return 0;
    }
    return last_key + distance;
}

/* Walks over the keys without keeping them: from the minimum's to the maximum's, all
 * values, and all of any_bits that keys tell. */
static bool
are_keys_sound(const spot_quantile_sketch_t *head, spot_byte_reader_t reader)
{
    const uint64_t first_key = to_key(head->minimum, head->num_joined);
    const uint64_t end_key = to_key(head->maximum, head->num_joined);
    uint64_t key = 0, count, num_values = 0, told_bits = 0;

    for (size_t j = 0; j < head->num_keys; j++) {
        key = read_key(head, &reader, key, &count);
        if (key == 0 || (j == 0 && key != first_key)) {
            return false;
        }
        num_values += count; /* at most 2^13 times 2^45 */
        told_bits |= nearest_end(head, key);
    }
    return reader.num_left == 0 && key == end_key && num_values == head->num_values &&
           (told_bits & MANTISSA_BITS) == (head->any_bits ^ untold_bits(head));
}

int
spot_quantile_sketch_read(
    spot_quantile_sketch_t *self, const uint8_t *bytes, size_t num_bytes)
{
    spot_byte_reader_t reader = {bytes, num_bytes, false};
    spot_quantile_sketch_t head;
    uint64_t key = 0, count;
    int ret;

    if (!read_head(&head, &reader)) {
        return SPOT_ERR_BAD_INPUT;
    }
    if (head.num_values == 0) {
        return reader.num_left == 0 ? 0 : SPOT_ERR_BAD_INPUT;
    }
    if (!agrees_with_values(&head) || !are_keys_sound(&head, reader)) {
        return SPOT_ERR_BAD_INPUT;
    }
    if (head.num_values > SPOT_SKETCH_MAX_VALUES - self->num_values) {
        return SPOT_ERR_BAD_PARAM;
    }
    ret = meet(self, 0, head.num_joined);
    for (size_t j = 0; ret == 0 && j < head.num_keys; j++) {
        key = read_key(&head, &reader, key, &count);
        ret = insert_key(self, key >> (self->num_joined - head.num_joined), count);
    }
    if (ret == 0) {
        widen(self, head.num_values, head.minimum, head.maximum, head.any_bits);
    }
    return ret;
}
