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
#include "models/decision_tree.h"
#include "models/duration_learner.h"
#include "models/prediction_error.h"
#include "models/throughput_forecast.h"

#define FOLDER SPOT_SOURCE_DIR "/../shared/data/jobs/"
#define PUBLISHED FOLDER "slab-noncommercial/venus_throughput.csv.gz"

/* The mean absolute error of each method. */
static void
forecast_errors(const spot_throughput_t *throughput, int series,
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
        assert_int_equal(spot_prediction_error(
                             &errors[method], num, forecast->forecasts[method], values),
            0);
    }
    free(values);
}

static void
assert_hour_leads(const spot_additive_model_t *model)
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
static void
test_published_series(void **state)
{
    spot_throughput_t throughput;
    spot_throughput_split_t split = {.seed = 1};
    spot_throughput_forecast_t jobs = {0}, gpus = {0};
    spot_prediction_error_t errors[SPOT_FORECAST_METHODS];
    spot_diag_t diag;

    (void) state;
    if (access(PUBLISHED, R_OK) != 0) {
        print_message("skipped: no %s\n", PUBLISHED);
        skip();
    }
    spot_diag_init(&diag);
    assert_int_equal(spot_throughput_read(&throughput, PUBLISHED, &diag), 0);
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_series),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
