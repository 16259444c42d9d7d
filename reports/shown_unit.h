/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The unit in which people read a duration: h or d rather than 432000 s. */
#pragma once

#include "sim/engine/metric.h"

#define SPOT_SHOWN_UNIT_BYTES 32

typedef struct {
    double factor;                    /* from the unit of the metric */
    char unit[SPOT_SHOWN_UNIT_BYTES]; /* "" for plain numbers */
} spot_shown_unit_t;

/* The unit for values up to largest, a magnitude; for a metric that is no duration, its
 * own. */
spot_shown_unit_t spot_shown_unit(const spot_metric_t *metric, double largest);
