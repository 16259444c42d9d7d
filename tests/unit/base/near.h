/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparing a number with what it should be. Include after cmocka.h. */
#ifndef SPOT_TESTS_UNIT_BASE_NEAR_H
#define SPOT_TESTS_UNIT_BASE_NEAR_H

#include <math.h>

static inline void
assert_near(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected))) {
        fail_msg("%.17g is not %.17g", value, expected);
    }
}

#endif
