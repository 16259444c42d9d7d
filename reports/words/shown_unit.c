/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/shown_unit.h"

#include <stdio.h>
#include <string.h>

#define INSTANCE "instance-"

/* From the longest on; a unit is used from two of it on. */
static const struct {
    const char *name;
    double seconds;
} units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}, {"ms", 0.001}};

#define NUM_UNITS (sizeof(units) / sizeof(units[0]))

spot_shown_unit_t
spot_shown_unit(const spot_metric_t *metric, double largest)
{
    const bool is_paid = strncmp(metric->unit, INSTANCE, strlen(INSTANCE)) == 0;
    const char *name = metric->unit + (is_paid ? strlen(INSTANCE) : 0);
    spot_shown_unit_t shown = {.factor = 1};
    size_t own = 0, best = 0;

    while (own < NUM_UNITS && strcmp(units[own].name, name) != 0) {
        own++;
    }
    if (own == NUM_UNITS || metric->kind != SPOT_METRIC_TIME) {
        snprintf(shown.unit, sizeof(shown.unit), "%s",
            strcmp(metric->unit, "1") == 0 ? "" : metric->unit);
        return shown;
    }
    while (best < own && largest * units[own].seconds < 2 * units[best].seconds) {
        best++;
    }
    shown.factor = units[own].seconds / units[best].seconds;
    snprintf(shown.unit, sizeof(shown.unit), "%s%s", is_paid ? INSTANCE : "",
        units[best].name);
    return shown;
}
