/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/integers.h"

static void test_doubles_come_back(void **state)
{
    const double values[] = {0, -0.0, 1.0 / 3, -5e-324, 1.7976931348623157e308, (double) INFINITY};

    (void) state;
    for (size_t j = 0; j < 6; j++) {
        const double back = spot_double_from_bits(spot_double_bits(values[j]));

        assert_memory_equal(&back, &values[j], sizeof(back));
    }
    assert_true(spot_double_bits(-1.5) == UINT64_C(0xbff8000000000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doubles_come_back),
    };

    return cmocka_run_group_tests_name("bytes", tests, NULL, NULL);
}
