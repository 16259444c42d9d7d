/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/column_summary.h"
#include "sketch_laws.h"

enum { NUM_ROWS = 1000, NUM_COLUMNS = NUM_LAWS };

static spot_column_summary_t
summary_of(const double *values, size_t num_values)
{
    spot_column_summary_t summary = {0};

    assert_int_equal(spot_column_summary_add(&summary, values, num_values, 1), 0);
    return summary;
}

static spot_bytes_t
bytes_of(const spot_column_summary_t *summary)
{
    spot_bytes_t bytes = {0};

    assert_int_equal(spot_column_summary_write(summary, &bytes), 0);
    return bytes;
}

static void
assert_same_summary(
    const spot_column_summary_t *summary, const spot_column_summary_t *expected)
{
    spot_bytes_t bytes = bytes_of(summary), other = bytes_of(expected);

    assert_int_equal(bytes.num_bytes, other.num_bytes);
    assert_memory_equal(bytes.bytes, other.bytes, other.num_bytes);
    spot_bytes_free(&bytes);
    spot_bytes_free(&other);
}

/* rows[NUM_ROWS][NUM_COLUMNS], a law a column; every seventh value is null. */
static double *
draw_rows(void)
{
    double *rows = malloc(NUM_ROWS * NUM_COLUMNS * sizeof(*rows));
    double values[NUM_ROWS];

    assert_non_null(rows);
    for (size_t j = 0; j < NUM_COLUMNS; j++) {
        draw_values(j, values, NUM_ROWS);
        for (size_t k = 0; k < NUM_ROWS; k++) {
            rows[k * NUM_COLUMNS + j] = (j + k) % 7 == 0 ? (double) NAN : values[k];
        }
    }
    return rows;
}

/* Against the moments of all values one by one, and exact counts. */
static void
test_a_column_of_rows_is_summarised(void **state)
{
    double *rows = draw_rows();

    (void) state;
    for (size_t j = 0; j < 10; j++) { /* laws without overflow */
        spot_column_summary_t summary = {0};
        spot_moments_t moments = {0};
        double minimum = (double) INFINITY, maximum = -(double) INFINITY;
        uint64_t num_nulls = 0;

        for (size_t k = 0; k < NUM_ROWS; k++) {
            const double value = rows[k * NUM_COLUMNS + j];

            if (isnan(value)) {
                num_nulls++;
            } else {
                spot_moments_add(&moments, value);
                minimum = fmin(minimum, value);
                maximum = fmax(maximum, value);
            }
        }
        assert_int_equal(
            spot_column_summary_add(&summary, rows + j, NUM_ROWS, NUM_COLUMNS), 0);
        assert_int_equal(summary.num_nulls, num_nulls);
        assert_int_equal(summary.moments.num_values, NUM_ROWS - num_nulls);
        assert_int_equal(summary.sketch.num_values, NUM_ROWS - num_nulls);
        assert_true(summary.sketch.minimum == minimum);
        assert_true(summary.sketch.maximum == maximum);
        assert_true(fabs(summary.moments.mean - moments.mean) <=
                    1e-14 * fmax(fabs(minimum), fabs(maximum)));
        assert_true(fabs(summary.moments.sum_squares - moments.sum_squares) <=
                    1e-12 * moments.sum_squares);
        spot_column_summary_free(&summary);
    }
    free(rows);
}

/* Infinities are nulls too; nothing but nulls is no value. */
static void
test_nulls_are_counted(void **state)
{
    const double values[] = {(double) NAN, (double) INFINITY, -(double) INFINITY};
    spot_column_summary_t summary = summary_of(values, 3), again = {0};
    spot_bytes_t bytes = bytes_of(&summary);

    (void) state;
    assert_int_equal(summary.num_nulls, 3);
    assert_int_equal(summary.moments.num_values, 0);
    assert_true(isnan(spot_moments_mean(&summary.moments)));
    assert_int_equal(spot_column_summary_read(&again, bytes.bytes, bytes.num_bytes), 0);
    assert_same_summary(&again, &summary);
    spot_bytes_free(&bytes);
    spot_column_summary_free(&summary);
    spot_column_summary_free(&again);
}

/* Parts in their order, as they are and from their bytes: the same bits. In another
 * order the same but for the last bits of the moments. */
static void
test_parts_are_merged(void **state)
{
    double values[NUM_ROWS];

    (void) state;
    for (size_t j = 0; j < 10; j++) {
        spot_column_summary_t merged = {0}, read = {0}, backwards = {0}, whole;

        draw_values(j, values, NUM_ROWS);
        values[17] = (double) NAN;
        whole = summary_of(values, NUM_ROWS);
        for (size_t k = 0; k < NUM_ROWS; k += 100) {
            spot_column_summary_t part = summary_of(values + k, 100);
            spot_column_summary_t last = summary_of(values + NUM_ROWS - 100 - k, 100);
            spot_bytes_t bytes = bytes_of(&part);

            assert_int_equal(spot_column_summary_merge(&merged, &part), 0);
            assert_int_equal(
                spot_column_summary_read(&read, bytes.bytes, bytes.num_bytes), 0);
            assert_int_equal(spot_column_summary_merge(&backwards, &last), 0);
            spot_bytes_free(&bytes);
            spot_column_summary_free(&part);
            spot_column_summary_free(&last);
        }
        assert_same_summary(&read, &merged);
        assert_true(fabs(merged.moments.sum_squares - whole.moments.sum_squares) <=
                    1e-12 * whole.moments.sum_squares);
        assert_true(fabs(merged.moments.sum_squares - backwards.moments.sum_squares) <=
                    1e-12 * whole.moments.sum_squares);
        backwards.moments = whole.moments;
        merged.moments = whole.moments;
        assert_same_summary(&merged, &whole);
        assert_same_summary(&backwards, &whole);
        spot_column_summary_free(&merged);
        spot_column_summary_free(&read);
        spot_column_summary_free(&backwards);
        spot_column_summary_free(&whole);
    }
}

/* Also where moments overflow. */
static void
test_bytes_come_back(void **state)
{
    double values[NUM_ROWS];
    spot_column_summary_t used = {0};

    (void) state;
    for (size_t j = 0; j < NUM_LAWS; j++) {
        spot_column_summary_t summary, again = {0};
        spot_bytes_t bytes;

        draw_values(j, values, NUM_ROWS);
        summary = summary_of(values, NUM_ROWS);
        bytes = bytes_of(&summary);
        assert_int_equal(
            spot_column_summary_read(&again, bytes.bytes, bytes.num_bytes), 0);
        assert_same_summary(&again, &summary);
        assert_memory_equal(&again.moments.num_values, &summary.moments.num_values, 8);
        spot_column_summary_clear(&used);
        assert_int_equal(spot_column_summary_add(&used, values, NUM_ROWS, 1), 0);
        assert_same_summary(&used, &summary);
        spot_bytes_free(&bytes);
        spot_column_summary_free(&summary);
        spot_column_summary_free(&again);
    }
    spot_column_summary_free(&used);
}

/* The checksum sees every damage of up to 32 bits in a row. */
static void
test_damaged_bytes_are_refused(void **state)
{
    double values[100];
    spot_column_summary_t summary, other = {0}, empty = {0};
    spot_bytes_t bytes;

    (void) state;
    draw_values(1, values, 100);
    summary = summary_of(values, 100);
    bytes = bytes_of(&summary);
    for (size_t j = 0; j < bytes.num_bytes; j++) {
        uint8_t *cut = malloc(j + (j == 0));

        assert_non_null(cut);
        if (j > 0) {
            memcpy(cut, bytes.bytes, j);
        }
        assert_int_equal(spot_column_summary_read(&other, cut, j), SPOT_ERR_BAD_INPUT);
        free(cut);
        for (unsigned flip = 1; flip < 256; flip++) {
            bytes.bytes[j] ^= (uint8_t) flip;
            assert_int_equal(
                spot_column_summary_read(&other, bytes.bytes, bytes.num_bytes),
                SPOT_ERR_BAD_INPUT);
            bytes.bytes[j] ^= (uint8_t) flip;
        }
    }
    assert_same_summary(&other, &empty);
    assert_int_equal(spot_column_summary_read(&other, bytes.bytes, bytes.num_bytes), 0);
    assert_same_summary(&other, &summary);
    spot_bytes_free(&bytes);
    spot_column_summary_free(&summary);
    spot_column_summary_free(&other);
}

/* With a checksum that is right: what is in it must be, too. */
static void
test_sound_checksums_are_not_enough(void **state)
{
    static const struct {
        const char *what;
        size_t byte_id;
        uint8_t byte;
    } cases[] = {
        {"a version to come", 0, 2},
        {"a number that is longer than needed", 1, 0x80},
        {"a negative sum of squares", 17, 0x80},
        {"a mean of no values", 8, 1},
        {"a sketch to come", 18, 2},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_column_summary_t summary = {0};
        spot_bytes_t bytes = bytes_of(&summary);

        bytes.num_bytes -= 4;
        bytes.bytes[cases[j].byte_id] = cases[j].byte;
        if (j == 2) {
            bytes.bytes[16] = 1;
        }
        spot_bytes_put_fixed(&bytes, crc32_z(0, bytes.bytes, bytes.num_bytes), 4);
        if (spot_column_summary_read(&summary, bytes.bytes, bytes.num_bytes) !=
            SPOT_ERR_BAD_INPUT) {
            fail_msg("%s", cases[j].what);
        }
        spot_bytes_free(&bytes);
        spot_column_summary_free(&summary);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_column_of_rows_is_summarised),
        cmocka_unit_test(test_nulls_are_counted),
        cmocka_unit_test(test_parts_are_merged),
        cmocka_unit_test(test_bytes_come_back),
        cmocka_unit_test(test_damaged_bytes_are_refused),
        cmocka_unit_test(test_sound_checksums_are_not_enough),
    };

    return cmocka_run_group_tests_name("column_summary", tests, NULL, NULL);
}
