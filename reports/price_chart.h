/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A price over time. */
#pragma once

#include "models/price.h"
#include "reports/draw.h"

typedef struct {
    const spot_price_steps_t *steps; /* at least one */
    int64_t end_ms;                  /* of the last step */
    const char *title;
} spot_price_picture_t;

/* context is a spot_price_picture_t. */
SPOT_MUST_CHECK int spot_price_declare(spot_chart_t *chart, const void *context);
