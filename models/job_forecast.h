/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a scheduler can learn from the jobs of a log: how long a job will take
 * (spot_duration_learner_t), and how many jobs and GPUs the next hour will bring
 * (spot_throughput_forecast_t).
 *
 * Both are learned by additive models, and both come with the plain rules that these have
 * to beat: the mean duration of similar jobs, the mean of the hour, the value one hour
 * before. spot_prediction_error() compares predictions with what came. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/keys.h"
#include "base/memory.h"
#include "models/additive_model.h"

/* ---- Errors ---- */

/* How far predictions are from what came. NAN: undefined, as for no pairs or equal values. */
typedef struct {
    double mean_absolute;
    double r2;               /* 1 - squared errors / squared deviations from the mean */
    double rank_correlation; /* of Spearman */
} spot_prediction_error_t;

/* predicted, values: [num_pairs]. NO_MEMORY. O(num_pairs log num_pairs). */
SPOT_MUST_CHECK int spot_prediction_error(
    spot_prediction_error_t *self, size_t num_pairs, const double *predicted, const double *values);

/* ---- Mean durations of similar jobs ---- */

/* The estimate without any history. */
#define SPOT_DURATION_UNKNOWN_S 1000

/* The durations of the jobs that have ended. Zero it to start. */
typedef struct {
    size_t num_groups, max_groups;
    struct spot_similar_jobs *groups; /* [num_groups] different ones */
    size_t num_means, max_means;
    struct spot_duration_mean *means; /* [num_groups] */
    spot_key_table_t table;           /* of the groups */
} spot_duration_history_t;

/* ---- Durations ---- */

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
    SPOT_DURATION_RUNNING_MEAN, /* of similar jobs, see spot_duration_history_t */
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

/* Estimates of the durations of jobs when they are submitted, learned from jobs that
 * have ended by then. */
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

/* ---- Throughput: jobs and GPUs that are submitted every 10 minutes ---- */

#define SPOT_THROUGHPUT_BIN_S 600
#define SPOT_THROUGHPUT_FEATURES 25

enum { SPOT_THROUGHPUT_JOBS, SPOT_THROUGHPUT_GPUS, SPOT_THROUGHPUT_SERIES };

/* By series: the name of its model in a file. */
extern const char *const spot_throughput_targets[SPOT_THROUGHPUT_SERIES];

typedef struct {
    double values[SPOT_THROUGHPUT_SERIES];
} spot_throughput_bin_t;

typedef struct {
    int64_t start_s; /* of the first bin, since 1970 UTC */
    size_t num_bins;
    size_t max_bins;
    spot_throughput_bin_t *bins; /* [num_bins] */
} spot_throughput_t;

/* Reads a CSV file with the columns time,submit_gpu_job,submit_gpu_num, a row for every
 * 10 minutes. BAD_INPUT, IO, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_throughput_read(
    spot_throughput_t *self, const char *path, spot_diag_t *diag);

/* Counts a job with its GPUs at a time not before start_s. NO_MEMORY. */
SPOT_MUST_CHECK int spot_throughput_add(spot_throughput_t *self, int64_t time_s, double num_gpus);
void spot_throughput_free(spot_throughput_t *self);

/* The features of all bins: the calendar; for each series its value 6, 18 and 144 bins
 * before, a quarter of both neighbours and half of the value there, and the mean, median
 * and sample deviation of the 6 bins that end 6 bins before. What is before the first
 * bin is 0. columns, values: [SPOT_THROUGHPUT_FEATURES], the latter of [num_bins] to be
 * filled. */
extern const char *const spot_throughput_features[SPOT_THROUGHPUT_FEATURES];
void spot_throughput_fill(const spot_throughput_t *self, double *const *values);

/* ---- Forecasts of throughput, one hour ahead ---- */

typedef struct {
    size_t choose, evaluate; /* bins, 0 < choose < evaluate < num_bins; for a model that
                                is not fitted, evaluate alone, which may be 0 */
    uint64_t seed;
} spot_throughput_split_t;

/* The last month of the series is evaluated and the month before is for choosing, where
 * there are at least two months before them; else they are a fifth of the bins each.
 * false: there are fewer than 5 bins. */
bool spot_throughput_split(spot_throughput_split_t *self, const spot_throughput_t *throughput);

typedef enum {
    SPOT_FORECAST_MODEL,
    SPOT_FORECAST_HOUR,        /* the mean of the hour of the day */
    SPOT_FORECAST_PERSISTENCE, /* the value one hour before */
    SPOT_FORECAST_CONSTANT,    /* the mean */
    SPOT_FORECAST_METHODS
} spot_forecast_method_t;

extern const char *const spot_forecast_methods[SPOT_FORECAST_METHODS];

typedef struct {
    spot_additive_model_t model;
    spot_loss_t loss; /* of a model that was fitted */
    bool has_dates;   /* it has the features month, day_of_year and week */
    spot_arena_t arena;
    double *targets;                            /* [num_bins] */
    double *features[SPOT_THROUGHPUT_FEATURES]; /* [num_bins] */
    /* [num_bins - evaluate] forecasts of the bins from evaluate on; NAN where there are
     * no bins before to learn from */
    double *forecasts[SPOT_FORECAST_METHODS];
} spot_throughput_forecast_t;

/* The forecasts of one series. A model without settings is fitted with each of its
 * settings - squared or absolute loss, with or without the features that grow with the
 * date - to the bins before choose; the settings with the least squared error on the
 * bins from there to evaluate are fitted again to all bins before evaluate. A model with
 * features, as read from a file, is used as it is; BAD_INPUT if it has features of
 * another name, else NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_throughput_forecast(spot_throughput_forecast_t *self,
    const spot_throughput_t *throughput, int series, const spot_throughput_split_t *split);
void spot_throughput_forecast_free(spot_throughput_forecast_t *self);
