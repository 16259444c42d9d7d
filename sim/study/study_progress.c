/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "sim/store/summary.h"
#include "sim/study/study.h"

size_t
spot_study_watched_metric(const spot_study_head_t *head)
{
    const char *name =
        head->until.metric != NULL ? head->until.metric : head->optimise.metric;

    return name == NULL ? 0 : spot_study_metric_id(head, name);
}

bool
spot_study_widest(
    const spot_study_progress_t *self, size_t *point_id, double *half_width)
{
    const spot_until_t *until = &self->study->head.until;
    double widest = -1;

    for (size_t j = 0; j < self->study->head.num_points; j++) {
        const double width = spot_moments_stderr(&self->watched[j]);

        if (width > widest) {
            widest = width;
            *point_id = j;
        }
    }
    if (widest < 0) {
        return false;
    }
    *half_width = spot_moments_half_width(&self->watched[*point_id],
        until->metric == NULL ? SPOT_CONFIDENCE : until->confidence);
    return true;
}
