/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What numbers cost as text: ns for writing a double and for reading one, here and with printf and
 * strtod. Prints; asserts nothing. number_std.cc does the same with the C++ library. */
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/rng.h"
#include "base/watch.h"
#include "tests/bench/numbers.h"

static size_t print(double value, char *text)
{
    int length = 0;

    for (int precision = 15; precision <= 17; precision++) {
        length = snprintf(text, SPOT_NUMBER_TEXT_BYTES, "%.*g", precision, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    return (size_t) length;
}

static double scan(const char *text)
{
    return strtod(text, NULL);
}

static double read(const char *text)
{
    double value = 0;

    (void) spot_number_read(text, &value);
    return value;
}

int main(void)
{
    bench_numbers("spot_number_text, spot_number_read", spot_number_text, read);
    bench_numbers("printf until it reads back, strtod", print, scan);
    return 0;
}
