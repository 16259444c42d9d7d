/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/bytes.h"

static void
test_numbers_are_little_endian(void **state)
{
    static const uint8_t expected[] = {0x04, 0x03, 0x02, 0x01, 0x00, 0x7f, 0x80, 0x01,
        0xac, 0x02, 0, 0, 0, 0, 0, 0, 0xf8, 0xbf};
    spot_bytes_t bytes = {0};

    (void) state;
    assert_int_equal(spot_bytes_reserve(&bytes, 100), 0);
    spot_bytes_put_fixed(&bytes, 0x01020304, 4);
    spot_bytes_put_varint(&bytes, 0);
    spot_bytes_put_varint(&bytes, 127);
    spot_bytes_put_varint(&bytes, 128);
    spot_bytes_put_varint(&bytes, 300);
    spot_bytes_put_double(&bytes, -1.5);
    assert_int_equal(bytes.num_bytes, sizeof(expected));
    assert_memory_equal(bytes.bytes, expected, sizeof(expected));
    spot_bytes_free(&bytes);
    assert_null(bytes.bytes);
}

/* At each length of a varint: the smallest and the largest number, and what is between.
 */
static void
test_varints_come_back(void **state)
{
    spot_bytes_t bytes = {0};

    (void) state;
    for (unsigned shift = 0; shift < 64; shift++) {
        const uint64_t power = UINT64_C(1) << shift;
        const uint64_t values[] = {power - 1, power, power + 1, UINT64_MAX - power};

        for (size_t j = 0; j < 4; j++) {
            spot_byte_reader_t reader;

            bytes.num_bytes = 0;
            assert_int_equal(spot_bytes_reserve(&bytes, SPOT_VARINT_BYTES), 0);
            spot_bytes_put_varint(&bytes, values[j]);
            reader = (spot_byte_reader_t){bytes.bytes, bytes.num_bytes, false};
            assert_true(spot_byte_reader_varint(&reader) == values[j]);
            assert_false(reader.is_bad);
            assert_int_equal(reader.num_left, 0);
        }
    }
    spot_bytes_free(&bytes);
}

static void
test_doubles_come_back(void **state)
{
    const double values[] = {0, -0.0, 1.0 / 3, -5e-324, 1.7976931348623157e308,
        (double) INFINITY, (double) NAN, -(double) NAN};
    spot_bytes_t bytes = {0};
    spot_byte_reader_t reader;

    (void) state;
    assert_int_equal(spot_bytes_reserve(&bytes, sizeof(values)), 0);
    for (size_t j = 0; j < 8; j++) {
        spot_bytes_put_double(&bytes, values[j]);
    }
    assert_memory_equal(bytes.bytes + 48, bytes.bytes + 56, 8); /* one NAN */
    reader = (spot_byte_reader_t){bytes.bytes, bytes.num_bytes, false};
    for (size_t j = 0; j < 6; j++) {
        assert_true(spot_double_bits(spot_byte_reader_double(&reader)) ==
                    spot_double_bits(values[j]));
    }
    assert_true(isnan(spot_byte_reader_double(&reader)));
    spot_bytes_free(&bytes);
}

/* Cut off, longer than needed, more than 64 bits. */
static void
test_bad_varints_are_refused(void **state)
{
    static const struct {
        size_t num_bytes;
        uint8_t bytes[11];
    } cases[] = {
        {0, {0}},
        {1, {0x80}},
        {2, {0xff, 0xff}},
        {2, {0x80, 0x00}},
        {3, {0xff, 0x80, 0x00}},
        {10, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}},
        {11, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 0x01}},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_byte_reader_t reader = {cases[j].bytes, cases[j].num_bytes, false};

        assert_true(spot_byte_reader_varint(&reader) == 0);
        assert_true(reader.is_bad);
    }
}

static void
test_a_bad_reader_stays_bad(void **state)
{
    static const uint8_t bytes[] = {1, 2, 3};
    spot_byte_reader_t reader = {bytes, sizeof(bytes), false};

    (void) state;
    assert_true(spot_byte_reader_fixed(&reader, 4) == 0);
    assert_true(reader.is_bad);
    assert_true(spot_byte_reader_fixed(&reader, 1) == 0);
    assert_true(spot_byte_reader_varint(&reader) == 0);
    assert_true(spot_byte_reader_double(&reader) == 0);
    assert_true(reader.is_bad);
}

static void
test_too_much_room_is_refused(void **state)
{
    spot_bytes_t bytes = {0};

    (void) state;
    assert_int_equal(spot_bytes_reserve(&bytes, 10), 0);
    spot_bytes_put_fixed(&bytes, 7, 1);
    assert_int_equal(spot_bytes_reserve(&bytes, SIZE_MAX), SPOT_ERR_NO_MEMORY);
    assert_int_equal(bytes.num_bytes, 1);
    assert_int_equal(bytes.bytes[0], 7);
    spot_bytes_free(&bytes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_little_endian),
        cmocka_unit_test(test_varints_come_back),
        cmocka_unit_test(test_doubles_come_back),
        cmocka_unit_test(test_bad_varints_are_refused),
        cmocka_unit_test(test_a_bad_reader_stays_bad),
        cmocka_unit_test(test_too_much_room_is_refused),
    };

    return cmocka_run_group_tests_name("bytes", tests, NULL, NULL);
}
