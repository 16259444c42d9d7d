/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/estimates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- What the learner knows of jobs ---- */

void spot_duration_job_of(const spot_job_log_t *log, int32_t row_id, spot_duration_job_t *job)
{
    const spot_job_row_t *row = &log->jobs[row_id];

    *job = (spot_duration_job_t){.submit_s = row->submit_s,
        .duration_s = row->duration_s,
        .user_id = row->user_id,
        .vc_id = row->vc_id,
        .model_id = -1,
        .gpu_num = row->gpu_num,
        .cpu_num = row->cpu_num,
        .amp = -1,
        .gpu_util = (double) NAN,
        .gmem_util = (double) NAN,
        .gmem_mib = (double) NAN};
    if (row->workload_id >= 0) {
        const spot_workload_t *workload = &log->workloads[row->workload_id];

        job->model_id = spot_names_find(&log->words, workload->model, strlen(workload->model));
        job->amp = workload->amp;
        job->gpu_util = workload->gpu_util;
        job->gmem_util = workload->gmem_util;
        job->gmem_mib = workload->gmem_mib;
    }
}

static int start_learner(spot_estimates_t *self, spot_duration_method_t method,
    const int64_t *submit_s, const spot_replication_t *replication)
{
    const spot_job_log_t *log = self->log;
    const int ret = SPOT_ARRAY_ROOM(self, jobs, log->num_jobs);
    const spot_duration_request_t request = {.method = method,
        .num_jobs = log->num_jobs,
        .jobs = self->jobs,
        .num_users = log->users.num_names,
        .num_vcs = self->scenario->vcs.num_vcs,
        .is_nominal = self->setting->is_nominal != 0,
        .clock_zero_s = log->clock_zero_s == SPOT_JOB_NO_CLOCK ? 0 : log->clock_zero_s,
        .sigma = self->setting->sigma,
        .seed = replication->seed,
        .replication = replication->replication};

    for (size_t j = 0; j < log->num_jobs && ret == 0; j++) {
        spot_duration_job_t *job = &self->jobs[j];

        spot_duration_job_of(log, (int32_t) j, job);
        job->submit_s = submit_s == NULL ? job->submit_s : submit_s[j];
    }
    return ret != 0 ? ret : spot_duration_learner_init(&self->learner, &request);
}

/* ---- Life ---- */

int spot_estimates_start(spot_estimates_t *self, const spot_schedule_scenario_t *scenario,
    const spot_estimator_setting_t *setting, const spot_job_log_t *log, const int64_t *submit_s,
    const spot_replication_t *replication)
{
    static const spot_duration_method_t methods[] = {[SPOT_ESTIMATE_NOISY] = SPOT_DURATION_NOISY,
        [SPOT_ESTIMATE_RUNNING_MEAN] = SPOT_DURATION_RUNNING_MEAN,
        [SPOT_ESTIMATE_GAM] = SPOT_DURATION_GAM};
    const spot_duration_method_t method =
        setting == NULL ? SPOT_DURATION_ORACLE : methods[setting->source];

    spot_duration_learner_free(&self->learner);
    self->scenario = scenario;
    self->setting = setting;
    self->log = log;
    self->error = 0;
    self->is_learned = method != SPOT_DURATION_ORACLE;
    return self->is_learned ? start_learner(self, method, submit_s, replication) : 0;
}

void spot_estimates_free(spot_estimates_t *self)
{
    spot_duration_learner_free(&self->learner);
    free(self->jobs);
}

void spot_estimates_learn(spot_estimates_t *self, int32_t row_id)
{
    if (self->is_learned) {
        self->error =
            spot_error_first(self->error, spot_duration_learner_end(&self->learner, row_id));
    }
}

double spot_estimates_estimate_s(spot_estimates_t *self, int32_t row_id, int64_t now_s)
{
    double estimate_s = (double) self->log->jobs[row_id].duration_s;

    if (self->is_learned) {
        int64_t learned_s = SPOT_DURATION_UNKNOWN_S;

        self->error = spot_error_first(
            self->error, spot_duration_learner_estimate(&self->learner, row_id, now_s, &learned_s));
        return (double) learned_s;
    }
    if (self->setting->source == SPOT_ESTIMATE_TABLE) {
        estimate_s = self->scenario->estimates_s[row_id];
    }
    if (estimate_s < 0) {
        return SPOT_DURATION_UNKNOWN_S; /* nothing is known of the job */
    }
    return self->scenario->quirks[SPOT_QUIRK_CLIPPED_ESTIMATES] ? estimate_s : fmax(estimate_s, 1);
}
