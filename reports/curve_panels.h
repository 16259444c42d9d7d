/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of a study with a curve for each value of a key: one panel for each
 * combination of the remaining keys, names at the right ends, and, where the study asks
 * for the best of these by the metric drawn, a strip that shows who wins where. Internal
 * to reports. */
#ifndef SPOT_REPORTS_CURVE_PANELS_H
#define SPOT_REPORTS_CURVE_PANELS_H

#include <stdio.h>

#include "base/error.h"
#include "reports/study_curves.h"

/* The script for gnuplot. curves has a curve axis and is of the store. Errors of reading
 * the store, NO_MEMORY. */
SPOT_MUST_CHECK int spot_curve_panels_write(
    const spot_curves_t *curves, const char *picture_path, FILE *out);

#endif
