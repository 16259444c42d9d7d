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
test_bytes_stay_as_it_grows(void **state)
{
    spot_bytes_t bytes = {0};

    (void) state;
    for (size_t j = 0; j < 1000; j++) {
        assert_int_equal(spot_bytes_reserve(&bytes, 1), 0);
        assert_true(bytes.max_bytes > bytes.num_bytes);
        bytes.bytes[bytes.num_bytes++] = (uint8_t) j;
    }
    for (size_t j = 0; j < 1000; j++) {
        assert_int_equal(bytes.bytes[j], (uint8_t) j);
    }
    spot_bytes_free(&bytes);
    assert_null(bytes.bytes);
}

static void
test_doubles_come_back(void **state)
{
    const double values[] = {0, -0.0, 1.0 / 3, -5e-324, 1.7976931348623157e308,
        (double) INFINITY};

    (void) state;
    for (size_t j = 0; j < 6; j++) {
        const double back = spot_double_from_bits(spot_double_bits(values[j]));

        assert_memory_equal(&back, &values[j], sizeof(back));
    }
    assert_true(spot_double_bits(-1.5) == UINT64_C(0xbff8000000000000));
}

static void
test_too_much_room_is_refused(void **state)
{
    spot_bytes_t bytes = {0};

    (void) state;
    assert_int_equal(spot_bytes_reserve(&bytes, 10), 0);
    bytes.bytes[bytes.num_bytes++] = 7;
    assert_int_equal(spot_bytes_reserve(&bytes, SIZE_MAX), SPOT_ERR_NO_MEMORY);
    assert_int_equal(bytes.num_bytes, 1);
    assert_int_equal(bytes.bytes[0], 7);
    spot_bytes_free(&bytes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_stay_as_it_grows),
        cmocka_unit_test(test_doubles_come_back),
        cmocka_unit_test(test_too_much_room_is_refused),
    };

    return cmocka_run_group_tests_name("bytes", tests, NULL, NULL);
}
