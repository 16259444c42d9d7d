/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparing a number with what it should be. Include after cmocka.h. */
#pragma once

#include <math.h>

static inline void assert_near(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected))) {
        fail_msg("%.17g is not %.17g", value, expected);
    }
}
