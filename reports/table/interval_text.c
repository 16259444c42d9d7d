/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/table/interval_text.h"

#include <stdio.h>

#include "reports/table/decimals.h"

const char *
spot_interval_text(double mean, double half_width, char text[SPOT_INTERVAL_BYTES])
{
    if (half_width > 0) {
        const int num_decimals = spot_decimals_for(half_width);

        snprintf(text, SPOT_INTERVAL_BYTES, "%.*f ±%.*f", num_decimals, mean,
            num_decimals, half_width);
    } else {
        snprintf(text, SPOT_INTERVAL_BYTES, "%.6g", mean);
    }
    return text;
}
