/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/durations.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- The mean of similar jobs ---- */

static spot_duration_key_t
key_of(const spot_durations_t *self, int32_t row_id)
{
    const spot_job_row_t *row = &self->log->jobs[row_id];

    return (spot_duration_key_t){.user_id = row->user_id,
        .gpu_num = row->gpu_num,
        .model_id = row->workload_id < 0 ? -1 : self->model_ids[row->workload_id]};
}

static void
add(spot_durations_t *self, int32_t row_id)
{
    self->error = spot_error_first(
        self->error, spot_duration_history_add(&self->history, key_of(self, row_id),
                         self->log->jobs[row_id].duration_s));
}

/* A number for each model. */
static int
number_models(spot_durations_t *self)
{
    const spot_job_log_t *log = self->log;
    const int ret = spot_array_reserve(&self->model_ids, &self->max_model_ids,
        log->num_workloads, sizeof(*self->model_ids));

    for (size_t j = 0; j < log->num_workloads && ret == 0; j++) {
        size_t k = 0;

        while (strcmp(log->workloads[k].model, log->workloads[j].model) != 0) {
            k++;
        }
        self->model_ids[j] = (int32_t) k;
    }
    return ret;
}

/* Nominal: a job counts as ended when its duration has passed since its submission. */
static int
plan_nominal_ends(spot_durations_t *self)
{
    int ret = 0;

    for (size_t j = 0; j < self->log->num_jobs && ret == 0; j++) {
        const spot_job_row_t *row = &self->log->jobs[j];

        ret = spot_calendar_add(&self->ends,
            &(spot_calendar_item_t){
                .tick = row->submit_s + row->duration_s, .entity_id = (int32_t) j},
            NULL);
    }
    return ret;
}

int
spot_durations_start(spot_durations_t *self, const spot_schedule_scenario_t *scenario,
    const spot_estimator_setting_t *setting, const spot_job_log_t *log,
    const spot_replication_t *replication)
{
    int ret = 0;

    self->scenario = scenario;
    self->setting = setting;
    self->log = log;
    self->replication = *replication;
    self->error = 0;
    spot_duration_history_free(&self->history);
    spot_calendar_clear(&self->ends);
    if (setting != NULL && setting->source >= SPOT_ESTIMATE_RUNNING_MEAN) {
        ret = number_models(self);
        ret = ret == 0 && setting->is_nominal ? plan_nominal_ends(self) : ret;
    }
    return ret;
}

void
spot_durations_free(spot_durations_t *self)
{
    spot_duration_history_free(&self->history);
    spot_calendar_free(&self->ends);
    free(self->model_ids);
}

void
spot_durations_learn(spot_durations_t *self, int32_t row_id, int64_t now_s)
{
    (void) now_s;
    if (self->setting->source >= SPOT_ESTIMATE_RUNNING_MEAN &&
        !self->setting->is_nominal) {
        add(self, row_id);
    }
}

static double
running_mean_s(spot_durations_t *self, int32_t row_id, int64_t now_s)
{
    while (self->ends.num_items > 0 && spot_calendar_first(&self->ends)->tick <= now_s) {
        add(self, spot_calendar_take(&self->ends).entity_id);
    }
    return (double) spot_duration_history_estimate(&self->history, key_of(self, row_id));
}

/* ---- Every source ---- */

/* The true duration times a lognormal factor with median 1, the same in every
 * policy. */
static double
noisy_s(const spot_durations_t *self, int32_t row_id)
{
    spot_rng_t rng;

    spot_replication_seek(
        &self->replication, &rng, SPOT_STREAM_GUESS, (uint64_t) row_id);
    return (double) self->log->jobs[row_id].duration_s *
           exp(gsl_ran_gaussian_ziggurat(spot_rng_gsl(&rng), self->setting->sigma));
}

double
spot_durations_estimate_s(spot_durations_t *self, int32_t row_id, int64_t now_s)
{
    double estimate_s = (double) self->log->jobs[row_id].duration_s;

    switch ((spot_estimate_source_t) self->setting->source) {
        case SPOT_ESTIMATE_TABLE:
            estimate_s = self->scenario->estimates_s[row_id];
            break;
        case SPOT_ESTIMATE_NOISY:
            estimate_s = noisy_s(self, row_id);
            break;
        case SPOT_ESTIMATE_RUNNING_MEAN:
        case SPOT_ESTIMATE_GAM:
            estimate_s = running_mean_s(self, row_id, now_s);
            break;
        case SPOT_ESTIMATE_NONE:
        case SPOT_ESTIMATE_ORACLE:
            break;
    }
    if (estimate_s < 0) {
        return SPOT_DURATION_NEGATIVE_S;
    }
    return self->scenario->quirks[SPOT_QUIRK_CLIPPED_ESTIMATES] ? estimate_s
                                                                : fmax(estimate_s, 1);
}
