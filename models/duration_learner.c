/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/duration_learner.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/rng.h"

#define HOUR_S INT64_C(3600)
#define DAY_S (24 * HOUR_S)
#define WEEK_S (7 * DAY_S)

const char *const spot_duration_methods[] = {"oracle", "noisy", "running-mean", "gam", NULL};

enum { FEATURE_USER, FEATURE_VC, NUM_FEATURES = 10 };

static const char *const feature_names[NUM_FEATURES] = {
    "user", "vc", "gpu_num", "cpu_num", "hour", "weekday", "amp", "gpu_util", "gmem_util", "gmem"};

static spot_duration_key_t key_of(const spot_duration_job_t *job)
{
    return (spot_duration_key_t){job->user_id, job->gpu_num, job->model_id};
}

static double given(int32_t number)
{
    return number < 0 ? (double) NAN : (double) number;
}

/* Fills the features by feature_names. */
static void fill_features(const spot_duration_learner_t *self, const spot_duration_job_t *job,
    double values[NUM_FEATURES])
{
    const int64_t time_s = self->request.clock_zero_s + job->submit_s;
    const int64_t day = time_s / DAY_S - (time_s % DAY_S < 0);
    const double features[NUM_FEATURES] = {job->user_id, job->vc_id, given(job->gpu_num),
        given(job->cpu_num), (double) ((time_s - day * DAY_S) / HOUR_S),
        (double) (((day + 3) % 7 + 7) % 7), /* Monday 0 */
        given(job->amp), job->gpu_util, job->gmem_util, job->gmem_mib};

    memcpy(values, features, sizeof(features));
}

/* ---- The jobs that have ended ---- */

static int64_t nominal_end_s(const spot_duration_job_t *job)
{
    return job->submit_s + job->duration_s;
}

static int sort_by_end(spot_duration_learner_t *self)
{
    const size_t num_jobs = self->request.num_jobs;
    spot_arena_t arena = {0};
    int64_t *ends_s;
    int32_t *scratch;
    int ret;

    SPOT_ARENA_ARRAY(&arena, ends_s, num_jobs);
    SPOT_ARENA_ARRAY(&arena, scratch, num_jobs);
    self->by_end = spot_calloc(num_jobs, sizeof(*self->by_end));
    ret = self->by_end == NULL ? SPOT_ERR_NO_MEMORY : arena.error;
    for (size_t j = 0; j < num_jobs && ret == 0; j++) {
        ends_s[j] = nominal_end_s(&self->request.jobs[j]);
    }
    if (ret == 0) {
        ret = spot_order_integers(ends_s, num_jobs, self->by_end, scratch);
    }
    spot_arena_free(&arena);
    return ret;
}

static int64_t first_submit_s(const spot_duration_request_t *request)
{
    int64_t first_s = request->num_jobs == 0 ? 0 : request->jobs[0].submit_s;

    for (size_t j = 1; j < request->num_jobs; j++) {
        first_s = request->jobs[j].submit_s < first_s ? request->jobs[j].submit_s : first_s;
    }
    return first_s;
}

int spot_duration_learner_init(
    spot_duration_learner_t *self, const spot_duration_request_t *request)
{
    memset(self, 0, sizeof(*self));
    self->request = *request;
    self->next_fit_s = first_submit_s(request) + WEEK_S;
    if (!(request->sigma >= 0) || !isfinite(request->sigma)) {
        return SPOT_ERR_BAD_PARAM;
    }
    return request->is_nominal ? sort_by_end(self) : 0;
}

void spot_duration_learner_free(spot_duration_learner_t *self)
{
    spot_duration_history_free(&self->history);
    spot_additive_free(&self->model);
    free(self->ended);
    free(self->by_end);
    memset(self, 0, sizeof(*self));
}

static int take_end(spot_duration_learner_t *self, int32_t job_id)
{
    const spot_duration_job_t *job = &self->request.jobs[job_id];
    const int ret = spot_duration_history_add(&self->history, key_of(job), job->duration_s);

    return ret == 0 && self->request.method == SPOT_DURATION_GAM
               ? SPOT_ARRAY_APPEND(self, ended, job_id)
               : ret;
}

int spot_duration_learner_end(spot_duration_learner_t *self, int32_t job_id)
{
    return self->request.is_nominal ? 0 : take_end(self, job_id);
}

/* ---- The additive model ---- */

static int fit(spot_duration_learner_t *self)
{
    const spot_duration_request_t *request = &self->request;
    spot_arena_t arena = {0};
    double *values[NUM_FEATURES], *targets;
    spot_additive_column_t columns[NUM_FEATURES] = {{0}};
    int ret;

    SPOT_ARENA_ARRAY(&arena, targets, self->num_ended);
    for (size_t j = 0; j < NUM_FEATURES; j++) {
        SPOT_ARENA_ARRAY(&arena, values[j], self->num_ended);
        columns[j].name = feature_names[j];
        columns[j].values = values[j];
    }
    columns[FEATURE_USER].num_categories = request->num_users;
    columns[FEATURE_USER].categories = request->users;
    columns[FEATURE_VC].num_categories = request->num_vcs;
    columns[FEATURE_VC].categories = request->vcs;
    ret = arena.error;
    for (size_t i = 0; i < self->num_ended && ret == 0; i++) {
        const spot_duration_job_t *job = &request->jobs[self->ended[i]];
        double row[NUM_FEATURES];

        fill_features(self, job, row);
        for (size_t j = 0; j < NUM_FEATURES; j++) {
            values[j][i] = row[j];
        }
        targets[i] = log1p((double) job->duration_s);
    }
    if (ret == 0) {
        const spot_additive_request_t fit_request = {.num_rows = self->num_ended,
            .targets = targets,
            .num_columns = NUM_FEATURES,
            .columns = columns,
            .loss = SPOT_LOSS_SQUARED,
            .seed = request->seed};

        spot_additive_free(&self->model);
        ret = spot_additive_fit(&self->model, &fit_request);
        self->num_fits++;
    }
    spot_arena_free(&arena);
    return ret;
}

/* Fits once a week is over, as soon as there are jobs enough. */
static int fit_if_due(spot_duration_learner_t *self, int64_t now_s)
{
    if (self->request.method != SPOT_DURATION_GAM || now_s < self->next_fit_s ||
        self->num_ended < SPOT_DURATION_MIN_JOBS) {
        return 0;
    }
    self->next_fit_s += ((now_s - self->next_fit_s) / WEEK_S + 1) * WEEK_S;
    return fit(self);
}

/* A fit that falls due between two ends is made before the second one counts. */
static int take_nominal_ends(spot_duration_learner_t *self, int64_t now_s)
{
    int64_t latest_s = INT64_MIN;
    int ret = 0;

    while (self->by_end != NULL && self->num_due < self->request.num_jobs && ret == 0) {
        const int32_t job_id = self->by_end[self->num_due];
        const int64_t end_s = nominal_end_s(&self->request.jobs[job_id]);

        if (end_s > now_s) {
            break;
        }
        ret = end_s > latest_s ? fit_if_due(self, end_s - 1) : 0;
        ret = ret == 0 ? take_end(self, job_id) : ret;
        latest_s = end_s;
        self->num_due++;
    }
    return ret;
}

/* ---- Estimates ---- */

static int64_t whole_seconds(double estimate_s)
{
    return estimate_s >= 9e15 ? INT64_C(9000000000000000)
           : estimate_s >= 1  ? llrint(estimate_s)
                              : 1;
}

static double noise(const spot_duration_learner_t *self, int32_t job_id)
{
    spot_rng_t rng;

    spot_rng_seek(
        &rng, self->request.seed, self->request.replication, SPOT_STREAM_GUESS, (uint64_t) job_id);
    return exp(gsl_ran_gaussian_ziggurat(spot_rng_gsl(&rng), self->request.sigma));
}

int spot_duration_learner_estimate(
    spot_duration_learner_t *self, int32_t job_id, int64_t now_s, int64_t *estimate_s)
{
    const spot_duration_job_t *job = &self->request.jobs[job_id];
    double values[NUM_FEATURES];
    int ret = take_nominal_ends(self, now_s);

    ret = ret == 0 ? fit_if_due(self, now_s) : ret;
    if (ret != 0) {
        return ret;
    }
    if (self->request.method == SPOT_DURATION_ORACLE) {
        *estimate_s = job->duration_s;
    } else if (self->request.method == SPOT_DURATION_NOISY) {
        *estimate_s = whole_seconds((double) job->duration_s * noise(self, job_id));
    } else if (self->num_fits == 0) {
        const int64_t mean_s = spot_duration_history_estimate(&self->history, key_of(job));

        *estimate_s = mean_s < 1 ? 1 : mean_s;
    } else {
        fill_features(self, job, values);
        *estimate_s = whole_seconds(expm1(spot_additive_predict(&self->model, values)));
    }
    return 0;
}

int spot_duration_learner_estimate_all(spot_duration_learner_t *self, double *estimates_s)
{
    int ret = 0;

    for (size_t j = 0; j < self->request.num_jobs && ret == 0; j++) {
        int64_t estimate_s = 0;

        ret = spot_duration_learner_estimate(
            self, (int32_t) j, self->request.jobs[j].submit_s, &estimate_s);
        estimates_s[j] = (double) estimate_s;
    }
    return ret;
}
