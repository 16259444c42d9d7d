/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <sys/stat.h>

#include "tests/unit/base/shared_data.h"
#include "tests/unit/queries/query_text.h"
#include "traces/queries/arrivals.h"

#define DATA SHARED_DATA "serving/poisson_100qps.deltas.gz"

/* Opens arrivals of a kind whose file has a text; more: further keys. In the report "x"
 * is the scenario, and the file is "f". */
static int open_file(spot_arrivals_setting_t *self, const char *kind, const char *text,
    const char *more, const char *report)
{
    char value[256];
    int ret;

    write_file("f", text, strlen(text));
    snprintf(value, sizeof(value), "{%s: {file: f%s}}", kind, more);
    ret = open_setting(self, value, report);
    unlink("f");
    return ret;
}

static void draw_file(spot_arrivals_t *self, const char *kind, const char *text, const char *more)
{
    spot_arrivals_setting_t setting;

    assert_int_equal(open_file(&setting, kind, text, more, ""), 0);
    assert_int_equal(spot_arrivals_draw(self, &setting, 1, 0), 0);
    spot_arrivals_setting_free(&setting);
}

static void assert_rejected(
    const char *kind, const char *text, const char *more, const char *report)
{
    spot_arrivals_setting_t setting;

    assert_int_equal(open_file(&setting, kind, text, more, report), SPOT_ERR_BAD_INPUT);
    spot_arrivals_setting_free(&setting);
}

/* ---- Deltas ---- */

static void test_deltas(void **state)
{
    static const char text[] = "# ms\n1.5\n\n  2e0 \r\n # more\n0\n";
    spot_arrivals_t arrivals = {0};

    (void) state;
    draw_file(&arrivals, "deltas", text, "");
    assert_times(&arrivals, 4, (const int64_t[]){0, 1500000, 3500000, 3500000});
    draw_file(&arrivals, "deltas", text, ", count: 2");
    assert_times(&arrivals, 3, (const int64_t[]){0, 1500000, 3500000});
    draw_file(&arrivals, "deltas", "1\n3", ", rescale_qps: 1000");
    assert_times(&arrivals, 3, (const int64_t[]){0, 500000, 2000000});
    assert_true(arrivals.base_qps == 500 && arrivals.rate_qps == 1000);
    spot_arrivals_free(&arrivals);
}

static void test_bad_deltas(void **state)
{
    (void) state;
    assert_rejected("deltas", "1\n-nan\n1,2\n-5x\n", "",
        "f:2:1: not finite: '-nan'\n"
        "f:3:1: not a number: '1,2'\n"
        "f:4:1: not a number: '-5x'\n");
    assert_rejected(
        "deltas", "1\n2\n", ", count: 3", "x:1:27: count 3, but the file has 2 deltas\n");
}

/* What is written with all digits is read as the same queries. */
static void test_all_digits(void **state)
{
    spot_arrivals_t drawn = {0}, read = {0};
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *stream = open_memstream(&text, &num_bytes);

    (void) state;
    assert_non_null(stream);
    draw(&drawn, "{gamma: {rate_qps: 100, cv: 4, count: 5000}}", 3, 1);
    for (size_t j = 0; j + 1 < drawn.num_queries; j++) {
        fprintf(stream, "%.17g\n", drawn.deltas_ms[j]);
    }
    assert_int_equal(fclose(stream), 0);
    draw_file(&read, "deltas", text, "");
    assert_times(&read, drawn.num_queries, drawn.source_ns);
    spot_arrivals_free(&drawn);
    spot_arrivals_free(&read);
    free(text);
}

/* ---- Traces ---- */

/* Differences of times, exact before they are rounded half up. */
static void test_trace(void **state)
{
    spot_arrivals_t arrivals = {0};

    (void) state;
    draw_file(&arrivals, "trace",
        "id,time_s\n1,1700000000.1234567891\n2,1700000000.12345678959999999\n"
        "3,1700000000.1234567896\n4,1.70000000312345678911e9\n",
        "");
    assert_times(&arrivals, 4, (const int64_t[]){0, 0, 1, 3000000000});
    draw_file(&arrivals, "trace", "time_ms\n-0.0000015\n-0.000001\n0\n0.00000149\n", "");
    assert_times(&arrivals, 4, (const int64_t[]){0, 1, 2, 3});
    draw_file(
        &arrivals, "trace", "time_ns\n-4611686018427387904\n-4611686018427387903.5\n0e30\n", "");
    assert_times(&arrivals, 3, (const int64_t[]){0, 1, INT64_C(4611686018427387904)});
    /* A gap of which 10^-6 as a double has lost the last nanosecond. */
    draw_file(&arrivals, "trace", "time_ns\n5\n4503599627370503\n", "");
    assert_times(&arrivals, 2, (const int64_t[]){0, 4503599627370498});
    draw_file(&arrivals, "trace", "time_ms\n10\n11\n14\n99\n", ", count: 2, rescale_qps: 1000");
    assert_times(&arrivals, 3, (const int64_t[]){0, 500000, 2000000});
    draw_file(&arrivals, "trace", "time_ns\n0.000000000000000001\n0.5\n0.500000000000000001\n", "");
    assert_times(&arrivals, 3, (const int64_t[]){0, 0, 1});
    draw_file(&arrivals, "trace", "time_ns\n7\n", "");
    assert_times(&arrivals, 1, (const int64_t[]){0});
    spot_arrivals_free(&arrivals);
}

static void test_bad_traces(void **state)
{
    (void) state;
    assert_rejected("trace", "time_s,user\n3.5,a\nx,c\n3.4999999999999,d\n", "",
        "f:3:1: time_s: expected a number, got 'x'\n"
        "f:4:1: time 3.4999999999999 after 3.5\n");
    assert_rejected("trace", "time_s,time_ms\n3,3000\n", "",
        "f:1:1: expected one of the columns time_s, time_ms and time_ns\n");
    assert_rejected("trace", "time_s\n", "", "f:2:1: expected at least one row\n");
    assert_rejected("trace", "time_s\n5e9\n1e-28\n9e99999\n2e10\n", "",
        "f:2:1: time_s: expected at most 2^62 ns, got '5e9'\n"
        "f:3:1: time_s: expected at most 18 decimals of a nanosecond, got '1e-28'\n"
        "f:4:1: time_s: expected at most 2^62 ns, got '9e99999'\n"
        "f:5:1: time_s: expected at most 2^62 ns, got '2e10'\n");
    assert_rejected(
        "trace", "time_s\n-3e9\n3e9\n", "", "f:3:1: arrivals last longer than 2^62 ns\n");
    assert_rejected(
        "trace", "time_s\n1\n2\n", ", count: 2", "x:1:26: count 2, but the file has 1 deltas\n");
}

/* ---- Rates ---- */

static void test_rates(void **state)
{
    spot_arrivals_setting_t setting;

    (void) state;
    assert_int_equal(open_file(&setting, "varying",
                         "requests_per_minute,minute,x\n60,0,\n0,1.5,\n30,2,\n", "", ""),
        0);
    assert_int_equal(setting.num_rates, 3);
    assert_true(setting.rates[0].per_s == 1 && setting.rates[2].per_s == 0.5);
    assert_int_equal(setting.rates[1].from_ns, INT64_C(90000000000));
    assert_int_equal(setting.rates_end_ns, INT64_C(150000000000));
    spot_arrivals_setting_free(&setting);
    assert_int_equal(
        open_file(&setting, "varying", "minute,requests_per_minute\n0,6\n", "", ""), 0);
    assert_int_equal(setting.rates_end_ns, INT64_C(60000000000));
    spot_arrivals_setting_free(&setting);
    assert_rejected("varying", "minute,requests_per_minute\n0,6\n1,6\n0.5,6\n", "",
        "f:4:1: minute 0.5 after 1\n");
}

/* ---- Figures ---- */

static void test_fit(void **state)
{
    spot_arrivals_t arrivals = {0};
    spot_arrivals_fit_t fit;

    (void) state;
    draw(&arrivals, "{deltas_ms: [0, 1, 0.999999, 2.000001]}", 1, 0);
    spot_arrivals_fit(&fit, &arrivals);
    assert_true(fit.zero_share == 0.25);
    assert_true(fit.scv == arrivals.cv * arrivals.cv);
    assert_int_equal(fit.num_windows, 3); /* 1, 2, 4 ms: the last one is the span */
    assert_int_equal(fit.window_ns[2], 4000000);
    assert_int_equal(fit.most_queries[0], 2); /* an end does not belong to its window */
    assert_int_equal(fit.most_queries[1], 4);
    assert_int_equal(fit.most_queries[2], 4);
    draw(&arrivals, "{deltas_ms: []}", 1, 0);
    spot_arrivals_fit(&fit, &arrivals);
    assert_true(isnan(fit.zero_share) && isnan(fit.scv) && fit.num_windows == 0);
    spot_arrivals_free(&arrivals);
}

/* The published figures of a file of 50,000 deltas. */
static void test_data(void **state)
{
    static const size_t most[] = {4, 6, 10, 20, 50, 138}; /* at 1, 4, ... 1024 ms */
    spot_arrivals_t arrivals = {0};
    spot_arrivals_fit_t fit;

    (void) state;
    need_data(DATA);
    draw(&arrivals, "{deltas: {file: \"" DATA "\"}}", 1, 0);
    spot_arrivals_fit(&fit, &arrivals);
    assert_int_equal(arrivals.num_queries, 50001);
    assert_int_equal(arrivals.source_ns[50000], INT64_C(502946144641));
    assert_true(arrivals.rate_qps == 99.414222641451417);
    assert_true(fabs(arrivals.mean_ms - 10.058923) <= 5e-7);
    assert_true(fabs(arrivals.cv - 1.002523) <= 5e-7);
    for (size_t j = 0; j < 6; j++) {
        assert_int_equal(fit.window_ns[2 * j], INT64_C(1000000) << 2 * j);
        assert_int_equal(fit.most_queries[2 * j], most[j]);
    }
    assert_int_equal(fit.num_windows, 19);
    spot_arrivals_free(&arrivals);
}

/* Files lie in a folder of this process, so that messages have short names. */
static int enter_folder(void **state)
{
    static char path[PATH_BYTES];

    test_path("queries", path);
    *state = path;
    return mkdir(path, 0700) == 0 ? chdir(path) : -1;
}

static int leave_folder(void **state)
{
    return rmdir(*state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deltas),
        cmocka_unit_test(test_bad_deltas),
        cmocka_unit_test(test_all_digits),
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_bad_traces),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_data),
    };

    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
