/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Learned inputs on the published data of one cluster: bounds that other public
 * forecasts and estimates reach. Skipped where the data are not there. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "models/colocation.h"
#include "models/job_forecast.h"
#include "sim/schedule/estimates.h"
#include "tests/unit/base/shared_data.h"
#include "traces/jobs/job_file.h"

#define FOLDER SHARED_DATA "jobs/"
#define RESTRICTED FOLDER "slab-noncommercial/"
#define LOG FOLDER "venus_base.csv.gz"
#define WORKLOAD RESTRICTED "venus_workload.csv.gz"
#define THROUGHPUT RESTRICTED "venus_throughput.csv.gz"
#define WORKLOADS RESTRICTED "single_data.csv.gz"
#define PAIRS RESTRICTED "colocate_info.csv.gz"

static void skip_without(const char *path)
{
    need_data(path);
}

/* The mean absolute error of each method. */
static void forecast_errors(const spot_throughput_t *throughput, int series,
    const spot_throughput_split_t *split, spot_throughput_forecast_t *forecast,
    spot_prediction_error_t errors[SPOT_FORECAST_METHODS])
{
    const size_t num = throughput->num_bins - split->evaluate;
    double *values = calloc(num, sizeof(*values));

    assert_non_null(values);
    for (size_t j = 0; j < num; j++) {
        values[j] = throughput->bins[split->evaluate + j].values[series];
    }
    assert_int_equal(spot_throughput_forecast(forecast, throughput, series, split), 0);
    for (size_t method = 0; method < SPOT_FORECAST_METHODS; method++) {
        assert_int_equal(
            spot_prediction_error(&errors[method], num, forecast->forecasts[method], values), 0);
    }
    free(values);
}

static void assert_hour_leads(const spot_additive_model_t *model)
{
    double hour = 0, greatest = 0;

    for (size_t j = 0; j < model->num_features; j++) {
        const double importance = spot_additive_importance(&model->features[j]);

        if (strcmp(model->features[j].name, "hour") == 0) {
            hour = importance;
        }
        greatest = fmax(greatest, importance);
    }
    assert_true(hour == greatest);
}

/* Bounds that other public forecasts of this series reach. */
static void test_published_series(void **state)
{
    spot_throughput_t throughput;
    spot_throughput_split_t split = {.seed = 1};
    spot_throughput_forecast_t jobs = {0}, gpus = {0};
    spot_prediction_error_t errors[SPOT_FORECAST_METHODS];
    spot_diag_t diag;

    (void) state;
    skip_without(THROUGHPUT);
    spot_diag_init(&diag);
    assert_int_equal(spot_throughput_read(&throughput, THROUGHPUT, &diag), 0);
    assert_int_equal(throughput.num_bins, 26064);
    assert_true(spot_throughput_split(&split, &throughput));
    forecast_errors(&throughput, SPOT_THROUGHPUT_JOBS, &split, &jobs, errors);
    assert_true(errors[SPOT_FORECAST_MODEL].mean_absolute <= 4.13);
    assert_true(errors[SPOT_FORECAST_MODEL].r2 >= 0.12);
    assert_true(fabs(errors[SPOT_FORECAST_HOUR].mean_absolute - 4.52) < 0.005);
    assert_true(fabs(errors[SPOT_FORECAST_PERSISTENCE].mean_absolute - 4.86) < 0.005);
    assert_true(fabs(errors[SPOT_FORECAST_CONSTANT].mean_absolute - 5.14) < 0.005);
    assert_hour_leads(&jobs.model);
    forecast_errors(&throughput, SPOT_THROUGHPUT_GPUS, &split, &gpus, errors);
    assert_true(errors[SPOT_FORECAST_MODEL].mean_absolute <= 52.9);
    spot_throughput_forecast_free(&jobs);
    spot_throughput_forecast_free(&gpus);
    spot_throughput_free(&throughput);
    spot_diag_free(&diag);
}

/* The mean absolute error of a method on the jobs of 7 to 26 September. Second 0 is
 * 151 s after midnight. */
static double duration_error(
    const spot_job_log_t *log, const spot_vc_list_t *vcs, spot_duration_method_t method)
{
    const int64_t second_0_s = INT64_C(1585699351), from_s = 1599436800 - second_0_s;
    spot_duration_request_t request = {.method = method,
        .num_jobs = log->num_jobs,
        .num_users = log->users.num_names,
        .num_vcs = vcs->num_vcs,
        .is_nominal = true,
        .clock_zero_s = second_0_s,
        .seed = 1};
    spot_duration_job_t *jobs = calloc(log->num_jobs, sizeof(*jobs));
    double *estimates_s = calloc(log->num_jobs, sizeof(*estimates_s));
    double *durations_s = calloc(log->num_jobs, sizeof(*durations_s));
    spot_duration_learner_t learner;
    spot_prediction_error_t error;
    size_t first = 0;

    assert_true(jobs != NULL && estimates_s != NULL && durations_s != NULL);
    for (size_t j = 0; j < log->num_jobs; j++) {
        spot_duration_job_of(log, (int32_t) j, &jobs[j]);
        durations_s[j] = (double) jobs[j].duration_s;
        first += jobs[j].submit_s < from_s;
    }
    request.jobs = jobs;
    assert_int_equal(spot_duration_learner_init(&learner, &request), 0);
    assert_int_equal(spot_duration_learner_estimate_all(&learner, estimates_s), 0);
    assert_int_equal(spot_prediction_error(
                         &error, log->num_jobs - first, estimates_s + first, durations_s + first),
        0);
    spot_duration_learner_free(&learner);
    free(jobs);
    free(estimates_s);
    free(durations_s);
    return error.mean_absolute;
}

static void test_published_durations(void **state)
{
    spot_vc_list_t vcs = {0};
    const spot_job_log_request_t request = {
        .log = LOG, .workload = WORKLOAD, .vcs = &vcs, .adds_vcs = true};
    spot_job_log_t log = {0};
    spot_diag_t diag;

    (void) state;
    skip_without(LOG);
    skip_without(WORKLOAD);
    spot_diag_init(&diag);
    assert_int_equal(spot_job_log_read(&log, &request, &diag), 0);
    assert_int_equal(log.num_jobs, 23859);
    assert_true(fabs(duration_error(&log, &vcs, SPOT_DURATION_RUNNING_MEAN) - 9978) < 1);
    assert_true(duration_error(&log, &vcs, SPOT_DURATION_GAM) <= 12000);
    spot_job_log_free(&log);
    spot_vc_list_free(&vcs);
    spot_diag_free(&diag);
}

static void test_published_labels(void **state)
{
    static const size_t left_out[] = {0, 47, 50, 40}; /* by depth */

    (void) state;
    skip_without(WORKLOADS);
    skip_without(PAIRS);
    for (int depth = 1; depth <= 3; depth++) {
        spot_packing_labels_t labels;
        spot_diag_t diag;

        spot_diag_init(&diag);
        assert_int_equal(spot_packing_labels_train(&labels, WORKLOADS, PAIRS, depth, &diag), 0);
        assert_int_equal(labels.num_labels, 66);
        assert_int_equal(labels.num_left_out, left_out[depth]);
        assert_int_equal(labels.num_automatic, 53);
        spot_packing_labels_free(&labels);
        spot_diag_free(&diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_series),
        cmocka_unit_test(test_published_durations),
        cmocka_unit_test(test_published_labels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
