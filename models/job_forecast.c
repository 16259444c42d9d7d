/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/job_forecast.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/datetime.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/table_file.h"
#include "base/units.h"

/* Which jobs are similar. Any values; those that are not given should be equal, e.g.
 * -1. */
typedef struct {
    int32_t user_id, gpu_num, model_id;
} duration_key_t;

int spot_prediction_error(
    spot_prediction_error_t *self, size_t num_pairs, const double *predicted, const double *values)
{
    double *scratch = spot_calloc(2 * num_pairs, sizeof(*scratch));
    double mean = 0, sum = 0, squares = 0, deviations = 0;

    *self = (spot_prediction_error_t){(double) NAN, (double) NAN, (double) NAN};
    if (scratch == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < num_pairs; i++) {
        mean += values[i] / (double) num_pairs;
    }
    for (size_t i = 0; i < num_pairs; i++) {
        const double error = predicted[i] - values[i];

        sum += fabs(error);
        squares += error * error;
        deviations += (values[i] - mean) * (values[i] - mean);
    }
    if (num_pairs > 0) {
        self->mean_absolute = sum / (double) num_pairs;
        self->r2 = deviations > 0 ? 1 - squares / deviations : (double) NAN;
    }
    if (num_pairs > 1) { /* NAN where all ranks are equal */
        self->rank_correlation = gsl_stats_spearman(predicted, 1, values, 1, num_pairs, scratch);
    }
    free(scratch);
    return 0;
}

/* ---- Mean durations of similar jobs ---- */

/* Which parts of a key must be equal, the closest first. */
static const struct {
    bool has_user, has_gpus, has_model;
} levels[] = {
    {true, true, true},
    {true, false, true},
    {true, true, false},
    {true, false, false},
    {false, false, false},
};
enum { NUM_LEVELS = sizeof(levels) / sizeof(levels[0]) };

/* Which jobs a mean is of; parts that the level leaves out are 0. */
struct spot_similar_jobs {
    duration_key_t key;
    int32_t level;
};

struct spot_duration_mean {
    int64_t num_jobs;
    int64_t sum_s;
};

static struct spot_similar_jobs similar_jobs(duration_key_t key, int32_t level)
{
    const struct spot_similar_jobs group = {
        .key = {levels[level].has_user ? key.user_id : 0, levels[level].has_gpus ? key.gpu_num : 0,
            levels[level].has_model ? key.model_id : 0},
        .level = level};

    return group;
}

static spot_key_view_t view_of(const spot_duration_history_t *self)
{
    return (spot_key_view_t){
        .items = self->groups, .item_bytes = sizeof(*self->groups), .is_bytes = true};
}

/* The id of a group of jobs and of its mean, or -1. */
static int32_t find_group(
    const spot_duration_history_t *self, const struct spot_similar_jobs *group)
{
    const spot_key_view_t view = view_of(self);

    return spot_key_table_find(&self->table, &view, group);
}

static int add_group(spot_duration_history_t *self, const struct spot_similar_jobs *group)
{
    const struct spot_duration_mean none = {0, 0};
    spot_key_view_t view;
    int ret = SPOT_ARRAY_APPEND(self, groups, *group);

    view = view_of(self);
    ret = ret == 0 ? SPOT_ARRAY_APPEND(self, means, none) : ret;
    return ret == 0 ? spot_key_table_enter(&self->table, &view, self->num_groups - 1) : ret;
}

/* Adds a job that has ended. NO_MEMORY. O(1) amortised. */
static int duration_history_add(
    spot_duration_history_t *self, duration_key_t key, int64_t duration_s)
{
    for (int32_t level = 0; level < NUM_LEVELS; level++) {
        const struct spot_similar_jobs group = similar_jobs(key, level);
        int32_t group_id = find_group(self, &group);

        if (group_id < 0) {
            if (add_group(self, &group) != 0) {
                return SPOT_ERR_NO_MEMORY;
            }
            group_id = (int32_t) self->num_groups - 1;
        }
        self->means[group_id].num_jobs++;
        self->means[group_id].sum_s += duration_s;
    }
    return 0;
}

/* The mean duration, in whole seconds rounded down, of the jobs that have ended with
 * equal (user, gpu_num, model), else (user, model), (user, gpu_num), (user), of all
 * jobs, else SPOT_DURATION_UNKNOWN_S. O(1). */
static int64_t duration_history_estimate(const spot_duration_history_t *self, duration_key_t key)
{
    for (int32_t level = 0; level < NUM_LEVELS; level++) {
        const struct spot_similar_jobs group = similar_jobs(key, level);
        const int32_t group_id = find_group(self, &group);

        if (group_id >= 0) {
            return self->means[group_id].sum_s / self->means[group_id].num_jobs;
        }
    }
    return SPOT_DURATION_UNKNOWN_S;
}

static void duration_history_free(spot_duration_history_t *self)
{
    spot_key_table_free(&self->table);
    free(self->groups);
    free(self->means);
    memset(self, 0, sizeof(*self));
}

#define HOUR_S INT64_C(3600)
#define DAY_S (24 * HOUR_S)
#define WEEK_S (7 * DAY_S)

const char *const spot_duration_methods[] = {"oracle", "noisy", "running-mean", "gam", NULL};

enum { FEATURE_USER, FEATURE_VC, NUM_FEATURES = 10 };

static const char *const feature_names[NUM_FEATURES] = {
    "user", "vc", "gpu_num", "cpu_num", "hour", "weekday", "amp", "gpu_util", "gmem_util", "gmem"};

static duration_key_t key_of(const spot_duration_job_t *job)
{
    return (duration_key_t){job->user_id, job->gpu_num, job->model_id};
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
    duration_history_free(&self->history);
    spot_additive_free(&self->model);
    free(self->ended);
    free(self->by_end);
    memset(self, 0, sizeof(*self));
}

static int take_end(spot_duration_learner_t *self, int32_t job_id)
{
    const spot_duration_job_t *job = &self->request.jobs[job_id];
    const int ret = duration_history_add(&self->history, key_of(job), job->duration_s);

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
        const int64_t mean_s = duration_history_estimate(&self->history, key_of(job));

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

const char *const spot_throughput_targets[] = {"jobs", "gpus"};

/* ---- The table of throughput ---- */

typedef struct {
    const char *time;
    spot_throughput_bin_t bin;
} throughput_row_t;

enum { COLUMN_TIME };

#define COLUMN(kind, name, member, ...)                                                            \
    SPOT_MEMBER_WITH(kind, name, throughput_row_t, member, __VA_ARGS__)
#define AMOUNT .max = 1e12, .expected = "expected a number from 0 to 1e12"

static const spot_row_member_t throughput_columns[] = {
    SPOT_MEMBER(TEXT, "time", throughput_row_t, time),
    COLUMN(NUMBER, "submit_gpu_job", bin.values[SPOT_THROUGHPUT_JOBS], AMOUNT),
    COLUMN(NUMBER, "submit_gpu_num", bin.values[SPOT_THROUGHPUT_GPUS], AMOUNT),
};

static int take_bin(spot_table_file_t *file, const spot_csv_row_t *row, const void *values)
{
    const throughput_row_t *from = values;
    spot_throughput_t *self = file->table;
    int64_t time_s = 0;
    bool is_date = false;

    if (spot_clock_parse(from->time, &time_s, &is_date) != 0 || !is_date) {
        spot_table_file_report_field(file, row, COLUMN_TIME, "expected YYYY-MM-DD hh:mm:ss");
    } else if (self->num_bins == 0) {
        self->start_s = time_s;
    } else if (!file->is_faulty &&
               time_s != self->start_s + SPOT_THROUGHPUT_BIN_S * (int64_t) self->num_bins) {
        spot_table_file_report_field(
            file, row, COLUMN_TIME, "expected 10 minutes after the row before");
    }
    return SPOT_ARRAY_APPEND(self, bins, from->bin);
}

int spot_throughput_read(spot_throughput_t *self, const char *path, spot_diag_t *diag)
{
    static const spot_table_file_format_t format = {SPOT_TABLE_NAMED(throughput_columns),
        .empty = "no rows", .row_bytes = sizeof(throughput_row_t), .take = take_bin};

    memset(self, 0, sizeof(*self));
    return spot_table_file_read(&format, path, diag, self);
}

int spot_throughput_add(spot_throughput_t *self, int64_t time_s, double num_gpus)
{
    const size_t bin = (size_t) ((time_s - self->start_s) / SPOT_THROUGHPUT_BIN_S);
    const spot_throughput_bin_t none = {{0, 0}};
    int ret = 0;

    while (self->num_bins <= bin && ret == 0) {
        ret = SPOT_ARRAY_APPEND(self, bins, none);
    }
    if (ret == 0) {
        self->bins[bin].values[SPOT_THROUGHPUT_JOBS] += 1;
        self->bins[bin].values[SPOT_THROUGHPUT_GPUS] += num_gpus;
    }
    return ret;
}

void spot_throughput_free(spot_throughput_t *self)
{
    free(self->bins);
    memset(self, 0, sizeof(*self));
}

/* ---- Features of throughput ---- */

enum { WEEKDAY = 4, NUM_CALENDAR = 7, NUM_LAGS = 3, WINDOW = 6 };

#define THROUGHPUT_HOUR 2 /* the feature "hour", 0 ... 23 */

static const size_t lags[NUM_LAGS] = {6, 18, 144};

const char *const spot_throughput_features[] = {"month", "day", "hour", "minute", "weekday",
    "day_of_year", "week", "jobs_1h", "jobs_3h", "jobs_24h", "jobs_soft_1h", "jobs_soft_3h",
    "jobs_soft_24h", "jobs_mean_1h", "jobs_median_1h", "jobs_deviation_1h", "gpus_1h", "gpus_3h",
    "gpus_24h", "gpus_soft_1h", "gpus_soft_3h", "gpus_soft_24h", "gpus_mean_1h", "gpus_median_1h",
    "gpus_deviation_1h"};

/* Dates as numbers: the features up to NUM_CALENDAR, weekdays from 1 on. */
static void fill_calendar(int64_t time_s, size_t bin, double *const *values)
{
    const time_t time = (time_t) time_s;
    char text[64] = "";
    char *number = text;
    struct tm date;

    if (gmtime_r(&time, &date) != NULL) {
        strftime(text, sizeof(text), "%m %d %H %M %u %j %V", &date);
    }
    for (size_t j = 0; j < NUM_CALENDAR; j++) {
        values[j][bin] = (double) strtol(number, &number, 10);
    }
    values[WEEKDAY][bin] -= 1; /* Monday 0 */
}

/* The value some bins before a bin. */
static double before(const spot_throughput_t *self, int series, size_t bin, size_t lag)
{
    return lag > bin ? 0 : self->bins[bin - lag].values[series];
}

static void fill_series(
    const spot_throughput_t *self, int series, size_t bin, double *const *values)
{
    double window[WINDOW], mean = 0, squares = 0;

    for (size_t j = 0; j < NUM_LAGS; j++) {
        values[j][bin] = before(self, series, bin, lags[j]);
        values[NUM_LAGS + j][bin] =
            values[j][bin] / 2 +
            (before(self, series, bin, lags[j] + 1) + before(self, series, bin, lags[j] - 1)) / 4;
    }
    for (size_t j = 0; j < WINDOW; j++) {
        window[j] = before(self, series, bin, lags[0] + j);
        mean += window[j] / WINDOW;
    }
    for (size_t j = 0; j < WINDOW; j++) {
        squares += (window[j] - mean) * (window[j] - mean);
    }
    spot_sort(window, WINDOW);
    values[2 * NUM_LAGS][bin] = mean;
    values[2 * NUM_LAGS + 1][bin] = (window[WINDOW / 2 - 1] + window[WINDOW / 2]) / 2;
    values[2 * NUM_LAGS + 2][bin] = sqrt(squares / (WINDOW - 1));
}

void spot_throughput_fill(const spot_throughput_t *self, double *const *values)
{
    for (size_t bin = 0; bin < self->num_bins; bin++) {
        fill_calendar(self->start_s + (int64_t) bin * SPOT_THROUGHPUT_BIN_S, bin, values);
        for (int series = 0; series < SPOT_THROUGHPUT_SERIES; series++) {
            fill_series(
                self, series, bin, values + NUM_CALENDAR + (size_t) series * (2 * NUM_LAGS + 3));
        }
    }
}

enum { MIN_BINS = 5, LEAD = 6 /* bins of one hour */ };

const char *const spot_forecast_methods[] = {
    "additive model", "mean of the hour", "one hour before", "mean"};

/* ---- Forecasts of throughput: the split ---- */

/* The first bin of the month that is some months before that of the last bin. */
static int64_t month_start(const spot_throughput_t *throughput, int num_before)
{
    const int64_t last_bin = (int64_t) throughput->num_bins - 1;
    time_t day_s = (time_t) (throughput->start_s + last_bin * SPOT_THROUGHPUT_BIN_S);
    struct tm date;

    day_s -= day_s % DAY_S;
    while (gmtime_r(&day_s, &date) != NULL) {
        day_s -= (date.tm_mday - 1) * DAY_S;
        if (num_before-- == 0) {
            return ((int64_t) day_s - throughput->start_s) / SPOT_THROUGHPUT_BIN_S;
        }
        day_s -= DAY_S;
    }
    return 0;
}

bool spot_throughput_split(spot_throughput_split_t *self, const spot_throughput_t *throughput)
{
    const size_t num_bins = throughput->num_bins;

    if (num_bins < MIN_BINS) {
        return false;
    }
    if (month_start(throughput, 3) >= 0) {
        self->choose = (size_t) month_start(throughput, 1);
        self->evaluate = (size_t) month_start(throughput, 0);
    } else {
        self->choose = num_bins - num_bins / MIN_BINS * 2;
        self->evaluate = num_bins - num_bins / MIN_BINS;
    }
    return true;
}

/* ---- One series ---- */

/* Features that have no value in common with those of a later time, unless the bins are
 * of more than a year. */
static bool grows_with_date(const char *feature)
{
    return strcmp(feature, "month") == 0 || strcmp(feature, "day_of_year") == 0 ||
           strcmp(feature, "week") == 0;
}

/* Fits a model with the settings of self to the first bins. */
static int fit_bins(spot_throughput_forecast_t *self, size_t num_bins, uint64_t seed)
{
    spot_additive_column_t columns[SPOT_THROUGHPUT_FEATURES];
    spot_additive_request_t request = {.num_rows = num_bins,
        .targets = self->targets,
        .columns = columns,
        .loss = self->loss,
        .seed = seed};

    for (size_t j = 0; j < SPOT_THROUGHPUT_FEATURES; j++) {
        if (self->has_dates || !grows_with_date(spot_throughput_features[j])) {
            columns[request.num_columns++] = (spot_additive_column_t){
                .name = spot_throughput_features[j], .values = self->features[j]};
        }
    }
    spot_additive_free(&self->model);
    return spot_additive_fit(&self->model, &request);
}

/* Predicts bins from first on: predicted[end - first]. BAD_INPUT: the model has a
 * feature that is not one of throughput. */
static int predict(
    const spot_throughput_forecast_t *self, size_t first, size_t end, double *predicted)
{
    const spot_additive_model_t *model = &self->model;
    const double *features[SPOT_THROUGHPUT_FEATURES];

    for (size_t j = 0; j < model->num_features; j++) {
        size_t id = 0;

        while (id < SPOT_THROUGHPUT_FEATURES &&
               strcmp(model->features[j].name, spot_throughput_features[id]) != 0) {
            id++;
        }
        if (id == SPOT_THROUGHPUT_FEATURES || j == SPOT_THROUGHPUT_FEATURES) {
            return SPOT_ERR_BAD_INPUT;
        }
        features[j] = self->features[id];
    }
    for (size_t bin = first; bin < end; bin++) {
        double values[SPOT_THROUGHPUT_FEATURES];

        for (size_t j = 0; j < model->num_features; j++) {
            values[j] = features[j][bin];
        }
        predicted[bin - first] = spot_additive_predict(model, values);
    }
    return 0;
}

/* Fits with the settings that have the least sum of squared errors on the bins for
 * choosing. */
static int choose_and_fit(spot_throughput_forecast_t *self, const spot_throughput_split_t *split)
{
    const size_t num_bins = split->evaluate - split->choose;
    spot_loss_t best_loss = SPOT_LOSS_SQUARED;
    bool best_has_dates = true;
    double least = HUGE_VAL, *predicted;
    int ret;

    SPOT_ARENA_ARRAY(&self->arena, predicted, num_bins);
    ret = self->arena.error;
    for (int setting = 0; setting < 4 && ret == 0; setting++) {
        double squares = 0;

        self->loss = setting % 2 == 0 ? SPOT_LOSS_SQUARED : SPOT_LOSS_ABSOLUTE;
        self->has_dates = setting < 2;
        ret = fit_bins(self, split->choose, split->seed);
        ret = ret == 0 ? predict(self, split->choose, split->evaluate, predicted) : ret;
        for (size_t j = 0; j < num_bins && ret == 0; j++) {
            const double error = predicted[j] - self->targets[split->choose + j];

            squares += error * error;
        }
        if (ret == 0 && squares < least) {
            least = squares;
            best_loss = self->loss;
            best_has_dates = self->has_dates;
        }
    }
    self->loss = best_loss;
    self->has_dates = best_has_dates;
    return ret == 0 ? fit_bins(self, split->evaluate, split->seed) : ret;
}

/* The plain forecasts, from the bins before evaluate. */
static void fill_plain(spot_throughput_forecast_t *self, size_t evaluate, size_t num_bins)
{
    const double *hours = self->features[THROUGHPUT_HOUR];
    double sums[SPOT_HOURS_PER_DAY] = {0}, counts[SPOT_HOURS_PER_DAY] = {0}, mean = 0;

    for (size_t bin = 0; bin < evaluate; bin++) {
        sums[(size_t) hours[bin]] += self->targets[bin];
        counts[(size_t) hours[bin]] += 1;
        mean += self->targets[bin] / (double) evaluate;
    }
    mean = evaluate > 0 ? mean : (double) NAN;
    for (size_t bin = evaluate; bin < num_bins; bin++) {
        const size_t j = bin - evaluate, hour = (size_t) hours[bin];

        self->forecasts[SPOT_FORECAST_HOUR][j] =
            counts[hour] > 0 ? sums[hour] / counts[hour] : mean;
        self->forecasts[SPOT_FORECAST_PERSISTENCE][j] = bin < LEAD ? 0 : self->targets[bin - LEAD];
        self->forecasts[SPOT_FORECAST_CONSTANT][j] = mean;
    }
}

int spot_throughput_forecast(spot_throughput_forecast_t *self, const spot_throughput_t *throughput,
    int series, const spot_throughput_split_t *split)
{
    const size_t num_bins = throughput->num_bins;
    spot_arena_t *arena = &self->arena;
    int ret = 0;

    spot_bug_assert(split->evaluate < num_bins);
    SPOT_ARENA_ARRAY(arena, self->targets, num_bins);
    for (size_t j = 0; j < SPOT_THROUGHPUT_FEATURES; j++) {
        SPOT_ARENA_ARRAY(arena, self->features[j], num_bins);
    }
    for (size_t method = 0; method < SPOT_FORECAST_METHODS; method++) {
        SPOT_ARENA_ARRAY(arena, self->forecasts[method], num_bins - split->evaluate);
    }
    if (arena->error != 0) {
        return arena->error;
    }
    spot_throughput_fill(throughput, self->features);
    for (size_t bin = 0; bin < num_bins; bin++) {
        self->targets[bin] = throughput->bins[bin].values[series];
    }
    if (self->model.num_features == 0) {
        spot_bug_assert(0 < split->choose && split->choose < split->evaluate);
        ret = choose_and_fit(self, split);
    }
    fill_plain(self, split->evaluate, num_bins);
    return ret == 0 ? predict(self, split->evaluate, num_bins, self->forecasts[SPOT_FORECAST_MODEL])
                    : ret;
}

void spot_throughput_forecast_free(spot_throughput_forecast_t *self)
{
    spot_additive_free(&self->model);
    spot_arena_free(&self->arena);
    memset(self, 0, sizeof(*self));
}
