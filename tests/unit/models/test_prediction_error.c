/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors of predictions by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/job_forecast.h"

static spot_prediction_error_t error_of(
    size_t num_pairs, const double *predicted, const double *values)
{
    spot_prediction_error_t error;

    assert_int_equal(spot_prediction_error(&error, num_pairs, predicted, values), 0);
    return error;
}

static void test_errors_by_hand(void **state)
{
    static const double values[] = {1, 2, 3, 6}, reversed[] = {6, 3, 2, 1};
    static const double predicted[] = {2, 1, 5, 6};
    spot_prediction_error_t error = error_of(4, predicted, values);

    (void) state;
    assert_true(fabs(error.mean_absolute - 1) < 1e-12);
    assert_true(fabs(error.r2 - (1 - 6.0 / 14)) < 1e-12);
    assert_true(fabs(error.rank_correlation - 0.8) < 1e-12); /* two ranks are swapped */
    error = error_of(4, values, values);
    assert_true(error.mean_absolute == 0 && error.r2 == 1);
    assert_true(fabs(error.rank_correlation - 1) < 1e-12);
    error = error_of(4, reversed, values);
    assert_true(fabs(error.rank_correlation + 1) < 1e-12);
}

static void test_what_is_undefined(void **state)
{
    static const double equal[] = {3, 3, 3}, values[] = {1, 2, 6};
    spot_prediction_error_t error = error_of(0, values, values);

    (void) state;
    assert_true(isnan(error.mean_absolute) && isnan(error.r2));
    assert_true(isnan(error.rank_correlation));
    error = error_of(3, values, equal);
    assert_true(error.mean_absolute == 2 && isnan(error.r2));
    error = error_of(3, equal, values);
    assert_true(isnan(error.rank_correlation) && error.r2 == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors_by_hand),
        cmocka_unit_test(test_what_is_undefined),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
