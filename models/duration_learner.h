/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimates of the durations of jobs when they are submitted, learned from jobs that
 * have ended by then. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "models/additive_model.h"
#include "models/duration_history.h"

/* What is known of a job. Ids are indices, -1: not given; utilisation and memory NAN. */
typedef struct {
    int64_t submit_s;   /* on the clock of the log */
    int64_t duration_s; /* known once it has ended */
    int32_t user_id, vc_id, model_id;
    int32_t gpu_num, cpu_num, amp;
    double gpu_util, gmem_util, gmem_mib;
} spot_duration_job_t;

typedef enum {
    SPOT_DURATION_ORACLE,       /* the true duration */
    SPOT_DURATION_NOISY,        /* times a lognormal factor of median 1 */
    SPOT_DURATION_RUNNING_MEAN, /* of similar jobs, see duration_history.h */
    /* An additive model of log(1 + duration) with the features user, vc, gpu_num,
     * cpu_num, hour, weekday, amp, gpu_util, gmem_util, gmem, fitted every week from
     * the first submit on; the running mean before the first fit. */
    SPOT_DURATION_GAM
} spot_duration_method_t;

extern const char *const spot_duration_methods[]; /* by method, NULL-terminated */

/* The fewest jobs that have ended for a fit. */
#define SPOT_DURATION_MIN_JOBS 100

typedef struct {
    spot_duration_method_t method;
    size_t num_jobs;
    const spot_duration_job_t *jobs; /* [num_jobs] must outlive the learner */
    size_t num_users, num_vcs;
    const char *const *users; /* [num_users] names, for a model that is written; or
                                 NULL */
    const char *const *vcs;   /* [num_vcs] */
    /* A job counts as ended at submit + duration, whatever becomes of it; else by
     * spot_duration_learner_end(). */
    bool is_nominal;
    int64_t clock_zero_s; /* second 0 of the clock since 1970 UTC; 0: not known */
    double sigma;         /* of the logarithm of the noise, >= 0 */
    uint64_t seed, replication;
} spot_duration_request_t;

typedef struct {
    spot_duration_request_t request;
    spot_duration_history_t history;
    size_t num_ended;
    size_t max_ended;
    int32_t *ended;  /* [num_ended] jobs */
    size_t num_due;  /* of the jobs below that have ended */
    int32_t *by_end; /* [num_jobs] by submit + duration, if is_nominal; else NULL */
    int64_t next_fit_s;
    size_t num_fits;
    spot_additive_model_t model; /* the latest one, if num_fits > 0 */
} spot_duration_learner_t;

/* BAD_PARAM: a sigma that is not finite or below 0; NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_duration_learner_init(
    spot_duration_learner_t *self, const spot_duration_request_t *request);
void spot_duration_learner_free(spot_duration_learner_t *self);

/* A job has ended. NO_MEMORY. O(1). */
SPOT_MUST_CHECK int spot_duration_learner_end(spot_duration_learner_t *self, int32_t job_id);

/* An estimate in whole seconds, at least 1, from the jobs that have ended. now_s never
 * goes back. A fit is due when a week is over, from the jobs that have ended by then, or as
 * soon as there are enough; where the history is nominal, earlier calls do not matter.
 * NO_MEMORY. O(features log bins), and a fit for each week. */
SPOT_MUST_CHECK int spot_duration_learner_estimate(
    spot_duration_learner_t *self, int32_t job_id, int64_t now_s, int64_t *estimate_s);

/* Estimates of all jobs at their submits: estimates_s[num_jobs]. jobs is by submit_s,
 * and the history nominal. NO_MEMORY. */
SPOT_MUST_CHECK int spot_duration_learner_estimate_all(
    spot_duration_learner_t *self, double *estimates_s);
