/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Identities in doubles: 1e-12 relative. */
#pragma once

#include <math.h>

#include "tests/unit/base/support.h"

static inline void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * fmax(1, fabs(expected)))) {
        fail_msg("%.17g instead of %.17g", value, expected);
    }
}
