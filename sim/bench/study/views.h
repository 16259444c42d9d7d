/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What reports of a study are asked to show, and how many replications its points get.
 * Internal to sim/bench/study. */
#pragma once

#include "sim/bench/study/reading.h"

/* The values that points are compared with, after the plan; and whether there are points
 * to compare, after the conditions. NO_MEMORY. */
SPOT_MUST_CHECK int spot_views_find_baseline(spot_reading_t *self);
SPOT_MUST_CHECK int spot_views_check_baseline(const spot_reading_t *self);

/* How many replications each point gets, what reports are asked to show, and the
 * replications whose series are kept. NO_MEMORY. */
SPOT_MUST_CHECK int spot_views_choose(spot_reading_t *self);
