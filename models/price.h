/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What instances cost. */
#ifndef SPOT_MODELS_PRICE_H
#define SPOT_MODELS_PRICE_H

#include <stdint.h>

#include "base/bind.h"

typedef struct {
    double spot_usd_per_h;      /* per instance-hour */
    double on_demand_usd_per_h; /* per instance-hour */
} spot_price_t;

extern const spot_field_t spot_price_fields[];

/* US dollars for a time that instances were paid for. */
double spot_price_usd(double price_usd_per_h, int64_t instance_ms);

#endif
