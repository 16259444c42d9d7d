/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/stats.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/integers.h"
#include "base/memory.h"

/* Skewness of a sample over the root of its size, above which its interval is not
 * believed. The error of Student's interval grows with its square. */
#define HEAVY_SKEWNESS 0.2

void spot_sum_add(spot_sum_t *self, double value)
{
    const double sum = self->sum + value;

    if (fabs(self->sum) >= fabs(value)) {
        self->compensation += (self->sum - sum) + value;
    } else {
        self->compensation += (value - sum) + self->sum;
    }
    self->sum = sum;
}

double spot_sum_total(const spot_sum_t *self)
{
    return self->sum + self->compensation;
}

static inline void add_value(spot_moments_t *self, double value)
{
    const double difference = value - self->mean;

    self->num_values++;
    self->mean += difference / (double) self->num_values;
    self->sum_squares += difference * (value - self->mean);
}

void spot_moments_add(spot_moments_t *self, double value)
{
    assert(isfinite(value));
    add_value(self, value);
}

spot_moments_t spot_moments_of(const double *values, size_t num_values)
{
    spot_moments_t moments = {0};

    for (size_t j = 0; j < num_values; j++) {
        add_value(&moments, values[j]);
    }
    return moments;
}

double spot_moments_mean(const spot_moments_t *self)
{
    return self->num_values > 0 ? self->mean : (double) NAN;
}

double spot_moments_std(const spot_moments_t *self)
{
    if (self->num_values < 2) {
        return (double) NAN;
    }
    return sqrt(self->sum_squares / (double) (self->num_values - 1));
}

double spot_moments_stderr(const spot_moments_t *self)
{
    return spot_moments_std(self) / sqrt((double) self->num_values);
}

double spot_student_t(double confidence, double freedom)
{
    /* Cached: a call takes a microsecond and is mostly repeated. */
    static _Thread_local struct {
        double confidence, freedom, t;
    } last;

    if (last.confidence != confidence || last.freedom != freedom) {
        last.t = gsl_cdf_tdist_Qinv((1 - confidence) / 2, freedom);
        last.confidence = confidence;
        last.freedom = freedom;
    }
    return last.t;
}

double spot_moments_half_width(const spot_moments_t *self, double confidence)
{
    assert(confidence > 0 && confidence < 1);
    if (self->num_values < 2) {
        return (double) NAN;
    }
    return spot_moments_stderr(self) * spot_student_t(confidence, (double) (self->num_values - 1));
}

bool spot_skewness_is_heavy(double skewness, int64_t num_values)
{
    return fabs(skewness) > HEAVY_SKEWNESS * sqrt((double) num_values);
}

double spot_quantile(const double *sorted, size_t num_values, double p)
{
    double position, fraction;
    size_t lower;

    assert(p >= 0 && p <= 1);
    if (num_values == 0) {
        return (double) NAN;
    }
    position = p * (double) (num_values - 1);
    lower = (size_t) position;
    fraction = position - (double) lower;
    if (lower + 1 >= num_values) {
        return sorted[num_values - 1];
    }
    return sorted[lower] + fraction * (sorted[lower + 1] - sorted[lower]);
}

void spot_quantiles(
    double *values, size_t num_values, size_t num_quantiles, const double *p, double *quantiles)
{
    size_t first = 0; /* values before it are in sorted order */

    for (size_t j = 0; j < num_quantiles; j++) {
        /* The two order statistics that spot_quantile() reads. */
        const size_t lower = num_values == 0 ? 0 : (size_t) (p[j] * (double) (num_values - 1));

        for (size_t k = lower; k < lower + 2; k++) {
            if (k >= first && k < num_values) {
                gsl_stats_select(&values[first], 1, num_values - first, k - first);
                first = k + 1;
            }
        }
        quantiles[j] = spot_quantile(values, num_values, p[j]);
    }
}

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *) left;
    const double b = *(const double *) right;

    return (a > b) - (a < b);
}

void spot_sort(double *values, size_t num_values)
{
    if (num_values > 0) { /* qsort() needs an array even for no values */
        qsort(values, num_values, sizeof(*values), compare_doubles);
    }
}

/* ---- Sketch ---- */

/* A key is the top 19 - num_joined bits of a double (sign, exponent, 7 of the mantissa),
 * mapped so that keys have the order of the values. */
#define DROPPED_BITS 45
#define SIGN_BIT (UINT64_C(1) << 63)
#define MANTISSA_BITS ((UINT64_C(1) << 52) - 1)

/* A slot has the count in its low bits and the key above. */
#define COUNT_BITS 45
#define COUNT_MASK SPOT_SKETCH_MAX_VALUES

/* Twice the keys: more of them would collide often. */
#define SLOT_BITS 14
#define NUM_SLOTS ((size_t) 1 << SLOT_BITS)

/* Maps the bits of a double so that integers have the order of the values. */
static inline uint64_t to_ordered(uint64_t bits)
{
    return (bits & SIGN_BIT) != 0 ? ~bits : bits | SIGN_BIT;
}

static inline uint64_t from_ordered(uint64_t ordered)
{
    return (ordered & SIGN_BIT) != 0 ? ordered & ~SIGN_BIT : ~ordered;
}

static inline uint64_t to_key(double value, unsigned num_joined)
{
    return to_ordered(spot_double_bits(value)) >> (DROPPED_BITS + num_joined);
}

/* Mantissa bits that are below the key and set in any value. */
static uint64_t lower_bits(const spot_quantile_sketch_t *self)
{
    return self->any_bits & ((UINT64_C(1) << (DROPPED_BITS + self->num_joined)) - 1);
}

/* The bits of the end of a bucket that is nearer to 0. */
static uint64_t nearest_end(const spot_quantile_sketch_t *self, uint64_t key)
{
    const unsigned num_dropped = DROPPED_BITS + self->num_joined;

    return from_ordered(key << num_dropped) >> num_dropped << num_dropped;
}

/* The value that stands for a bucket: the middle between its nearer end and that end
 * with all lower bits set. The bucket of 0 holds only 0 and subnormals, and stands for
 * 0. */
static double bucket_value(const spot_quantile_sketch_t *self, uint64_t key)
{
    const uint64_t bits = nearest_end(self, key);

    if ((bits & ~SIGN_BIT) == 0) {
        return 0;
    }
    return spot_double_from_bits(bits | (lower_bits(self) >> 1));
}

/* Multiplicative hashing (Knuth, TAOCP 3, 6.4): spreads consecutive keys evenly. */
static inline size_t hash_key(uint64_t key)
{
    return (uint32_t) ((uint32_t) key * UINT32_C(2654435769)) >> (32 - SLOT_BITS);
}

/* The slot of key, or the empty slot for it. */
static uint64_t *find_slot(uint64_t *slots, uint64_t key)
{
    size_t slot_id = hash_key(key);

    while (slots[slot_id] != 0 && slots[slot_id] >> COUNT_BITS != key) {
        slot_id = (slot_id + 1) % NUM_SLOTS;
    }
    return &slots[slot_id];
}

/* Moves to a new table, in which pairs of keys become one. */
static int join_buckets(spot_quantile_sketch_t *self)
{
    uint64_t *slots = spot_calloc(NUM_SLOTS, sizeof(*slots));

    if (slots == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    assert(self->num_joined < SPOT_SKETCH_MAX_JOINED);
    self->num_joined++;
    self->num_keys = 0;
    for (size_t j = 0; j < NUM_SLOTS; j++) {
        if (self->slots[j] != 0) {
            const uint64_t key = self->slots[j] >> COUNT_BITS >> 1;
            uint64_t *slot = find_slot(slots, key);

            self->num_keys += *slot == 0;
            *slot = key << COUNT_BITS | ((*slot & COUNT_MASK) + (self->slots[j] & COUNT_MASK));
        }
    }
    free(self->slots);
    self->slots = slots;
    return 0;
}

/* Joins buckets only if they do not fit: a part of the values never needs more joins
 * than all of them, so the order of adding does not matter. key is that for num_joined
 * at the time of the call. */
static int insert_key(spot_quantile_sketch_t *self, uint64_t key)
{
    int ret = 0;

    while (ret == 0) {
        uint64_t *slot = find_slot(self->slots, key);

        if (*slot != 0) {
            ++*slot;
            return 0;
        }
        if (self->num_keys < SPOT_SKETCH_MAX_KEYS) {
            *slot = key << COUNT_BITS | 1;
            self->num_keys++;
            return 0;
        }
        ret = join_buckets(self);
        key >>= 1;
    }
    return ret;
}

void spot_quantile_sketch_free(spot_quantile_sketch_t *self)
{
    free(self->slots);
    *self = (spot_quantile_sketch_t){0};
}

/* Updates count, range and mantissa bits of all values. */
static void widen(spot_quantile_sketch_t *self, uint64_t num_values, double minimum, double maximum,
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

int spot_quantile_sketch_add(spot_quantile_sketch_t *self, const double *values, size_t num_values)
{
    double minimum = (double) INFINITY, maximum = -(double) INFINITY;
    uint64_t any_bits = 0;
    size_t num_keys = self->num_keys; /* kept in a register */
    int ret = 0;

    if (num_values == 0) {
        return 0;
    }
    if (num_values > SPOT_SKETCH_MAX_VALUES - self->num_values) {
        return SPOT_ERR_BAD_PARAM;
    }
    if (self->slots == NULL) {
        self->slots = spot_calloc(NUM_SLOTS, sizeof(*self->slots));
        ret = self->slots == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    for (size_t j = 0; ret == 0 && j < num_values; j++) {
        const double value = values[j] + 0.0; /* -0 becomes 0 */
        const uint64_t key = to_key(value, self->num_joined);
        uint64_t *slot = &self->slots[hash_key(key)];
        const bool is_new = *slot == 0;
        const bool is_other = *slot >> COUNT_BITS != key;

        assert(isfinite(value));
        any_bits |= spot_double_bits(value);
        minimum = value < minimum ? value : minimum;
        maximum = value > maximum ? value : maximum;
        if (num_keys >= SPOT_SKETCH_MAX_KEYS || (is_other & !is_new)) {
            self->num_keys = num_keys;
            ret = insert_key(self, key);
            num_keys = self->num_keys;
        } else { /* branch-free: the branch would be unpredictable */
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

/* One pass of a radix sort by RADIX_BITS bits from from[num_items] to to[num_items]. */
#define RADIX_BITS 7
#define RADIX_SIZE (1 << RADIX_BITS)

static void sort_by_bits(const uint64_t *from, uint64_t *to, size_t num_items, unsigned shift)
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

/* Sets *sorted to the slots that are not empty, [num_keys] sorted by key. The caller
 * frees it. qsort would take longer than adding the values. */
static int sort_slots(const spot_quantile_sketch_t *self, uint64_t **sorted)
{
    uint64_t *slots = spot_calloc(2 * self->num_keys + 1, sizeof(*slots));
    uint64_t *from = slots, *to;
    size_t num_keys = 0;

    *sorted = slots;
    if (slots == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    to = slots + self->num_keys;
    for (size_t j = 0; self->slots != NULL && j < NUM_SLOTS; j++) {
        to[num_keys] = self->slots[j]; /* the next slot overwrites an empty one */
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

/* The order statistic rank_id of the values; the minimum has rank 0. */
static double value_at(const spot_quantile_sketch_t *self, const uint64_t *sorted, uint64_t rank_id)
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
    return fmin(
        fmax(bucket_value(self, sorted[key_id] >> COUNT_BITS), self->minimum), self->maximum);
}

static double quantile_at(const spot_quantile_sketch_t *self, const uint64_t *sorted, double p)
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

int spot_quantile_sketch_quantiles(
    const spot_quantile_sketch_t *self, size_t num_p, const double *p, double *quantiles)
{
    uint64_t *sorted;
    int ret = sort_slots(self, &sorted);

    for (size_t j = 0; ret == 0 && j < num_p; j++) {
        quantiles[j] = self->num_values == 0 ? (double) NAN : quantile_at(self, sorted, p[j]);
    }
    free(sorted);
    return ret;
}
