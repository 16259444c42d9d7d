/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/estimates.h"

#include <math.h>

/* What a negative estimate counts as in the published simulator: quirk Q2. */
#define PUBLISHED_S 1000

int
spot_estimates_start(spot_estimates_t *self, const spot_schedule_scenario_t *scenario,
    const spot_estimator_setting_t *setting, const spot_job_log_t *log,
    const spot_replication_t *replication)
{
    self->scenario = scenario;
    self->setting = setting;
    self->log = log;
    self->replication = *replication;
    return 0;
}

void
spot_estimates_free(spot_estimates_t *self)
{
    (void) self;
}

void
spot_estimates_learn(spot_estimates_t *self, int32_t row_id, int64_t now_s)
{
    (void) self;
    (void) row_id;
    (void) now_s;
}

double
spot_estimates_estimate_s(spot_estimates_t *self, int32_t row_id, int64_t now_s)
{
    double estimate_s = (double) self->log->jobs[row_id].duration_s;

    (void) now_s;
    if (self->setting->source == SPOT_ESTIMATE_TABLE) {
        estimate_s = self->scenario->estimates_s[row_id];
        if (estimate_s < 0 && self->scenario->quirks[SPOT_QUIRK_CLIPPED_ESTIMATES]) {
            return PUBLISHED_S;
        }
    }
    return self->scenario->quirks[SPOT_QUIRK_CLIPPED_ESTIMATES] ? estimate_s
                                                                : fmax(estimate_s, 1);
}
