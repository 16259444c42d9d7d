/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/sparkline.h"

#include <math.h>
#include <string.h>

#define NUM_LEVELS 8

static const char *const blocks[NUM_LEVELS] = {"\xe2\x96\x81", "\xe2\x96\x82",
    "\xe2\x96\x83", "\xe2\x96\x84", "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87",
    "\xe2\x96\x88"};
static const char *const letters[NUM_LEVELS] = {"_", ".", "-", "~", "=", "+", "*", "#"};

/* Of those that are finite, else NAN. */
static double
mean_of(const double *values, size_t num_values)
{
    double sum = 0;
    size_t num_finite = 0;

    for (size_t j = 0; j < num_values; j++) {
        if (isfinite(values[j])) {
            num_finite++;
            sum += (values[j] - sum) / (double) num_finite;
        }
    }
    return num_finite == 0 ? (double) NAN : sum;
}

static size_t
level_of(double value, double low, double high)
{
    if (!(high > low)) {
        return NUM_LEVELS / 2 - 1;
    }
    return (size_t) fmax(
        0, fmin(NUM_LEVELS - 1, floor((value - low) / (high - low) * NUM_LEVELS)));
}

const char *
spot_sparkline(const double *values, size_t num_values, double low, double high,
    size_t max_chars, bool is_utf8, char text[SPOT_SPARKLINE_BYTES])
{
    const size_t most =
        max_chars < SPOT_SPARKLINE_CHARS ? max_chars : SPOT_SPARKLINE_CHARS;
    const size_t num_chars = num_values < most ? num_values : most;

    text[0] = '\0';
    for (size_t j = 0; j < num_chars; j++) {
        const size_t first = j * num_values / num_chars;
        const size_t end = (j + 1) * num_values / num_chars;
        const double value = mean_of(values + first, end - first);

        strcat(text, isnan(value)
                         ? " "
                         : (is_utf8 ? blocks : letters)[level_of(value, low, high)]);
    }
    return text;
}
