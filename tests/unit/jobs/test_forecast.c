/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/jobs/log_text.h"
#include "traces/jobs/forecast.h"

static int read_text(spot_forecast_t *forecast, const char *text, const char *report)
{
    char path[PATH_BYTES];
    spot_diag_t diag;
    int ret;

    make_file("forecast.csv", text, path);
    spot_diag_init(&diag);
    ret = spot_forecast_read(forecast, path, &diag);
    assert_int_equal(diag.num_errors == 0, ret == 0);
    assert_report_of(&diag, path, report);
    spot_diag_free(&diag);
    unlink(path);
    return ret;
}

static void assert_rejected(const char *text, const char *report)
{
    spot_forecast_t forecast;

    assert_int_equal(read_text(&forecast, text, report), SPOT_ERR_BAD_INPUT);
    spot_forecast_free(&forecast);
}

static void test_rows(void **state)
{
    spot_forecast_t forecast;

    (void) state;
    assert_int_equal(read_text(&forecast,
                         "time,seen,pred_gpu_job,pred_gpu_num\n2020-01-31 23:50:00,1,2.5,30\n"
                         "2020-02-01 00:00:00,,-1,4e1\n",
                         ""),
        0);
    assert_int_equal(forecast.num_rows, 2);
    assert_true(forecast.rows[0].num_jobs == 2.5 && forecast.rows[0].num_gpus == 30);
    assert_true(forecast.rows[1].num_jobs == -1 && forecast.rows[1].num_gpus == 40);
    spot_forecast_free(&forecast);
    assert_int_equal(read_text(&forecast, "pred_gpu_num,pred_gpu_job,time\n1,2,600\n", ""), 0);
    assert_true(forecast.rows[0].num_jobs == 2);
    spot_forecast_free(&forecast);
}

static void test_errors(void **state)
{
    (void) state;
    assert_rejected("time,pred_gpu_job\n0,1\n", ":1:1: missing columns: pred_gpu_num\n");
    assert_rejected("time,pred_gpu_job,pred_gpu_num\n", ":2:1: expected at least one row\n");
    assert_rejected("time,pred_gpu_job,pred_gpu_num\n0,1,1\n600,nan,1\n1201,1,1\n"
                    "x,1,1\n0,1,1\n2020-01-01 00:00:00,1,1\n",
        ":3:5: pred_gpu_job: expected a finite number, got 'nan'\n"
        ":4:1: time: expected 600 s after the row above, got '1201'\n"
        ":5:1: time: expected integer seconds or YYYY-MM-DD hh:mm:ss, got 'x'\n"
        ":7:1: time: expected the form of the rows above, got '2020-01-01 00:00:00'\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
