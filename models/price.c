/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/price.h"

#include <stddef.h>

#include "base/units.h"

/* Defaults: AWS p3.2xlarge as in the Bamboo artifact (Thorpe et al., NSDI'23). */
const spot_field_t spot_price_fields[] = {
    {.name = "spot",
        .type = SPOT_FIELD_PRICE,
        .offset = offsetof(spot_price_t, spot_usd_per_h),
        .max = 1e6,
        .initial = "0.91",
        .help = "price of a spot instance, USD per instance-hour"},
    {.name = "on_demand",
        .type = SPOT_FIELD_PRICE,
        .offset = offsetof(spot_price_t, on_demand_usd_per_h),
        .max = 1e6,
        .initial = "3.06",
        .help = "price of the same instance on demand, USD per instance-hour; used to "
                "compare"},
    {.name = NULL},
};

double
spot_price_usd(double price_usd_per_h, int64_t instance_ms)
{
    return price_usd_per_h * ((double) instance_ms / (double) SPOT_MS_PER_H);
}
