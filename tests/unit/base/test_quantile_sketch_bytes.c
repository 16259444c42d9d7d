/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of sketches: their format, and what is not one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sketch_support.h"

/* The format, by hand: keys are 0x1ffff (-2), 0x40000 (0), 0x5ff80 (1). */
static void
test_bytes_are_as_documented(void **state)
{
    static const double values[] = {1, -0.0, -2, 1};
    static const uint8_t expected[] = {1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0,
        0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0xff, 0xff, 0x07, 1, 0x81, 0x80, 0x08,
        1, 0x80, 0xff, 0x07, 2};
    spot_quantile_sketch_t sketch = sketch_of(values, 4);
    spot_bytes_t bytes = bytes_of(&sketch);

    (void) state;
    assert_same_bytes(&bytes, expected, sizeof(expected));
    spot_bytes_free(&bytes);
    spot_quantile_sketch_free(&sketch);
}

/* Bytes that are refused leave an empty sketch; others are what it writes itself. They
 * lie in a block of their own, where reading too far shows. */
static int
read_damaged(const uint8_t *bytes, size_t num_bytes)
{
    spot_quantile_sketch_t sketch = {0}, empty = {0};
    uint8_t *copy = malloc(num_bytes + (num_bytes == 0));
    int ret;

    assert_non_null(copy);
    if (num_bytes > 0) {
        memcpy(copy, bytes, num_bytes);
    }
    ret = spot_quantile_sketch_read(&sketch, copy, num_bytes);
    if (ret == 0) {
        spot_bytes_t again = bytes_of(&sketch);

        assert_same_bytes(&again, copy, num_bytes);
        assert_true(
            sketch.num_values == 0 || (quantile_of(&sketch, 0.3) >= sketch.minimum &&
                                          quantile_of(&sketch, 0.3) <= sketch.maximum));
        spot_bytes_free(&again);
    } else {
        assert_int_equal(ret, SPOT_ERR_BAD_INPUT);
        assert_same_sketch(&sketch, &empty);
    }
    spot_quantile_sketch_free(&sketch);
    free(copy);
    return ret;
}

static void
test_damaged_bytes_are_refused_or_valid(void **state)
{
    size_t num_read = 0, num_refused = 0;
    double values[100];

    (void) state;
    for (size_t j = 0; j < NUM_LAWS; j++) {
        spot_quantile_sketch_t sketch;
        spot_bytes_t bytes;

        draw_values(j, values, 100);
        sketch = sketch_of(values, 100);
        bytes = bytes_of(&sketch);
        assert_int_equal(read_damaged(bytes.bytes, bytes.num_bytes), 0);
        for (size_t k = 0; k < bytes.num_bytes; k++) {
            assert_int_equal(read_damaged(bytes.bytes, k), SPOT_ERR_BAD_INPUT);
            for (unsigned flip = 1; flip < 256; flip += j == 0 ? 1 : flip) {
                bytes.bytes[k] ^= (uint8_t) flip;
                if (read_damaged(bytes.bytes, bytes.num_bytes) == 0) {
                    num_read++;
                } else {
                    num_refused++;
                }
                bytes.bytes[k] ^= (uint8_t) flip;
            }
        }
        spot_bytes_free(&bytes);
        spot_quantile_sketch_free(&sketch);
    }
    print_message("%zu damaged sketches refused, %zu valid\n", num_refused, num_read);
    assert_true(num_refused > num_read);
}

/* Several bytes at once, also of sketches with joined buckets and all lengths. */
static void
test_random_damage_never_breaks(void **state)
{
    double *values = malloc(MANY_VALUES * sizeof(*values));
    spot_quantile_sketch_t sketch;
    spot_bytes_t bytes;
    spot_rng_t rng;

    (void) state;
    assert_non_null(values);
    draw_values(10, values, MANY_VALUES);
    sketch = sketch_of(values, MANY_VALUES);
    assert_true(sketch.num_joined > 0);
    bytes = bytes_of(&sketch);
    assert_int_equal(read_damaged(bytes.bytes, bytes.num_bytes), 0);
    spot_rng_seek(&rng, 7, 0, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < 300; j++) {
        uint8_t *copy = malloc(bytes.num_bytes);
        const size_t num_damaged = 1 + (size_t) spot_rng_below(&rng, 4);

        assert_non_null(copy);
        memcpy(copy, bytes.bytes, bytes.num_bytes);
        for (size_t k = 0; k < num_damaged; k++) {
            const size_t byte_id = (size_t) spot_rng_below(
                &rng, spot_rng_below(&rng, 2) == 0 ? 40 : bytes.num_bytes);

            copy[byte_id] = (uint8_t) spot_rng_below(&rng, 256);
        }
        (void) read_damaged(copy, bytes.num_bytes);
        free(copy);
    }
    spot_bytes_free(&bytes);
    spot_quantile_sketch_free(&sketch);
    free(values);
}

/* One thing wrong in the bytes of test_bytes_are_as_documented(), at a place. */
static void
test_each_rule_of_the_bytes_is_held(void **state)
{
    static const uint8_t good[] = {1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0,
        0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0xff, 0xff, 0x07, 1, 0x81, 0x80, 0x08, 1,
        0x80, 0xff, 0x07, 2, 0};
    static const struct {
        const char *what;
        size_t byte_id;
        uint8_t byte;
    } cases[] = {
        {"a version to come", 0, 2},
        {"joined without need", 1, 1},
        {"joined too often", 1, 7},
        {"fewer values than counted", 2, 5},
        {"more values than counted", 2, 3},
        {"no values, but more bytes", 2, 0},
        {"a minimum in another bucket", 8, 0x80},
        {"an infinite minimum", 10, 0xff},
        {"a minimum above the maximum", 10, 0x40},
        {"a maximum in another bucket", 17, 0xe0},
        {"bits that no value has", 25, 0x08},
        {"bits beyond the mantissa", 26, 0x01},
        {"fewer keys", 27, 2},
        {"more keys", 27, 4},
        {"no keys", 27, 0},
        {"another first key", 28, 0xfe},
        {"no count", 31, 0},
        {"another last key", 36, 0x81},
        {"a key too high", 38, 0x7f},
        {"a count too high", 39, 3},
    };
    uint8_t bytes[sizeof(good)];

    (void) state;
    assert_int_equal(read_damaged(good, sizeof(good) - 1), 0);
    assert_int_equal(
        read_damaged(good, sizeof(good)), SPOT_ERR_BAD_INPUT); /* one more */
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        memcpy(bytes, good, sizeof(good));
        bytes[cases[j].byte_id] = cases[j].byte;
        if (read_damaged(bytes, sizeof(good) - 1) != SPOT_ERR_BAD_INPUT) {
            fail_msg("%s", cases[j].what);
        }
    }
}

/* Sums and ends are right here; still no sketch writes this. */
static void
test_bytes_that_only_look_right_are_refused(void **state)
{
    /* two values 1, joined once */
    static const uint8_t joined[] = {1, 1, 2, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0,
        0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xc0, 0xff, 0x0b, 2};
    /* -2, no 0 at all, 1 twice */
    static const uint8_t no_count[] = {1, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0,
        0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0xff, 0xff, 0x07, 1, 0x81, 0x80, 0x08,
        0, 0x80, 0xff, 0x07, 2};
    /* 1 once and once more */
    static const uint8_t twice[] = {1, 0, 2, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0,
        0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x80, 0xff, 0x17, 1, 0, 1};
    /* -0 */
    static const uint8_t minus_zero[] = {1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0,
        0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0x0f, 1};

    (void) state;
    assert_int_equal(read_damaged(joined, sizeof(joined)), SPOT_ERR_BAD_INPUT);
    assert_int_equal(read_damaged(no_count, sizeof(no_count)), SPOT_ERR_BAD_INPUT);
    assert_int_equal(read_damaged(twice, sizeof(twice)), SPOT_ERR_BAD_INPUT);
    assert_int_equal(read_damaged(minus_zero, sizeof(minus_zero)), SPOT_ERR_BAD_INPUT);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_are_as_documented),
        cmocka_unit_test(test_damaged_bytes_are_refused_or_valid),
        cmocka_unit_test(test_random_damage_never_breaks),
        cmocka_unit_test(test_each_rule_of_the_bytes_is_held),
        cmocka_unit_test(test_bytes_that_only_look_right_are_refused),
    };

    return cmocka_run_group_tests_name("quantile_sketch_bytes", tests, NULL, NULL);
}
