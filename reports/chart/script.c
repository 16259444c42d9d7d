/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/chart/script.h"

#include "reports/chart/model.h"

int
spot_chart_script(spot_chart_t *self, const char *picture_path, FILE *out)
{
    (void) picture_path;
    (void) out;
    return spot_chart_stack(self);
}
