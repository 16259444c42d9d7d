/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_cdf.h>
#include <signal.h>

#include "base/units.h"
#include "base/watch.h"
#include "tests/unit/queries/query_text.h"
#include "traces/queries/arrivals.h"

#define MAX_Z 4.5

static void test_nanoseconds(void **state)
{
    (void) state;
    assert_int_equal(spot_ns_from_ms(0), 0);
    assert_int_equal(spot_ns_from_ms(4.9e-7), 0);
    assert_int_equal(spot_ns_from_ms(5e-7), 1); /* half up */
    assert_int_equal(spot_ns_from_ms(2.5e-6), 3);
    assert_int_equal(spot_ns_from_ms(6.10257793116571), 6102578);
}

/* Deltas of the scenario, of which there may be none. */
static void test_given(void **state)
{
    spot_arrivals_t arrivals = {0};

    (void) state;
    draw(&arrivals, "{deltas_ms: [1.0, 0, 2.0000006, 1e-7]}", 1, 0);
    assert_times(&arrivals, 5, (const int64_t[]){0, 1000000, 1000000, 3000001, 3000001});
    assert_true(arrivals.rate_qps == 4e9 / 3000001.0);
    assert_true(arrivals.base_qps == arrivals.rate_qps);
    assert_true(fabs(arrivals.mean_ms - 0.75000025) < 1e-12);
    /* Population variance of 1000000, 0, 2000001, 0. */
    assert_true(fabs(arrivals.cv - 1.1055417308) < 1e-8);
    draw(&arrivals, "{deltas_ms: []}", 1, 0);
    assert_times(&arrivals, 1, (const int64_t[]){0});
    assert_true(isnan(arrivals.rate_qps) && isnan(arrivals.mean_ms));
    assert_true(isnan(arrivals.cv) && isnan(arrivals.base_qps));
    draw(&arrivals, "{deltas_ms: [0, 0]}", 1, 0);
    assert_times(&arrivals, 3, (const int64_t[]){0, 0, 0});
    assert_true(isnan(arrivals.rate_qps) && arrivals.mean_ms == 0);
    spot_arrivals_free(&arrivals);
}

static void test_constant(void **state)
{
    static const char *const values[] = {"{constant: {rate_qps: 3, count: 3}}",
        "{gamma: {rate_qps: 3, cv: 0, count: 3}}",
        "{gamma: {rate_qps: 1e6, scv: 0, count: 3, clip: 333333333 ns}}"};
    spot_arrivals_t arrivals = {0};
    spot_arrivals_setting_t setting;

    (void) state;
    for (size_t j = 0; j < 3; j++) {
        assert_int_equal(open_setting(&setting, values[j], ""), 0);
        assert_false(spot_arrivals_is_random(&setting));
        spot_arrivals_setting_free(&setting);
        draw(&arrivals, values[j], 1, j);
        assert_times(&arrivals, 4, (const int64_t[]){0, 333333333, 666666666, 999999999});
        assert_true(arrivals.cv < 1e-12);
    }
    spot_arrivals_free(&arrivals);
}

/* ---- Laws ---- */

/* Sample mean and SCV against those of the law, whose fourth moment gives the standard
 * error of the variance. */
static void assert_law(const char *value, double mean_ms, double scv)
{
    spot_arrivals_t arrivals = {0};
    double num_deltas, mean_se, variance, variance_se;

    draw(&arrivals, value, 11, 3);
    num_deltas = (double) arrivals.num_queries - 1;
    mean_se = sqrt(scv / num_deltas);
    variance_se = sqrt((2 + 6 * scv) / num_deltas);
    variance = arrivals.cv * arrivals.cv * arrivals.mean_ms * arrivals.mean_ms;
    assert_true(fabs(arrivals.mean_ms / mean_ms - 1) <= MAX_Z * mean_se);
    assert_true(fabs(variance / (scv * mean_ms * mean_ms) - 1) <= MAX_Z * variance_se);
    assert_true(mean_se <= 0.0064 && variance_se <= 0.016); /* a bias of 8 % shows */
    spot_arrivals_free(&arrivals);
}

static void test_laws(void **state)
{
    (void) state;
    assert_law("{poisson: {rate_qps: 40, count: 400000}}", 25, 1);
    assert_law("{gamma: {rate_qps: 100, scv: 0.25, count: 400000}}", 10, 0.25);
    assert_law("{gamma: {rate_qps: 100, cv: 1, count: 400000}}", 10, 1);
    assert_law("{gamma: {rate_qps: 50, cv: 2, count: 400000}}", 20, 4);
    assert_law("{gamma: {rate_qps: 100, scv: 4, count: 400000}}", 10, 4);
    assert_law("{gamma: {rate_qps: 100, cv: 4, count: 400000}}", 10, 16);
}

/* Three tenths of the deltas are less than half a nanosecond if the CV is 4. */
static void test_ties(void **state)
{
    const double p_tie = gsl_cdf_gamma_P(0.5e-6, 1 / 16.0, 160);
    spot_arrivals_t arrivals = {0};
    spot_arrivals_fit_t fit;

    (void) state;
    draw(&arrivals, "{gamma: {rate_qps: 100, cv: 4, count: 50000}}", 1, 0);
    spot_arrivals_fit(&fit, &arrivals);
    assert_true(fabs(p_tie - 0.30) < 0.01);
    assert_true(fabs(fit.zero_share - p_tie) <= MAX_Z * sqrt(p_tie * (1 - p_tie) / 50000));
    draw(&arrivals, "{gamma: {rate_qps: 100, cv: 4, count: 50000, clip: 47 us}}", 1, 0);
    spot_arrivals_fit(&fit, &arrivals);
    assert_true(fit.zero_share == 0);
    for (size_t j = 1; j < arrivals.num_queries; j++) {
        assert_true(arrivals.source_ns[j] - arrivals.source_ns[j - 1] >= 47000);
        assert_true(arrivals.deltas_ms[j - 1] >= 0.047);
    }
    spot_arrivals_free(&arrivals);
}

/* A replication depends on its seed and number alone. */
static void test_streams(void **state)
{
    static const char value[] = "{poisson: {rate_qps: 10, count: 50}}";
    spot_arrivals_t a = {0}, b = {0};

    (void) state;
    draw(&a, value, 5, 2);
    draw(&b, "{poisson: {rate_qps: 10, count: 60}}", 4, 1);
    draw(&b, value, 5, 2); /* in the memory of more queries */
    assert_times(&a, b.num_queries, b.source_ns);
    draw(&b, value, 5, 3);
    assert_true(a.source_ns[50] != b.source_ns[50]);
    draw(&b, value, 6, 2);
    assert_true(a.source_ns[50] != b.source_ns[50]);
    spot_arrivals_free(&a);
    spot_arrivals_free(&b);
}

/* ---- Rates that change ---- */

/* The number of queries from a time to another; the first query is not one of them. */
static double count_between(const spot_arrivals_t *arrivals, double from_s, double to_s)
{
    double count = 0;

    for (size_t j = 1; j < arrivals->num_queries; j++) {
        const double time_s = (double) arrivals->source_ns[j] / 1e9;

        count += time_s >= from_s && time_s < to_s;
    }
    return count;
}

static void assert_count(
    const spot_arrivals_t *arrivals, double from_s, double to_s, double expected)
{
    const double count = count_between(arrivals, from_s, to_s);

    assert_true(fabs(count - expected) <= MAX_Z * sqrt(expected));
    assert_true(sqrt(expected) <= 0.02 * expected); /* and a bias of 9 % shows */
}

static void test_varying(void **state)
{
    static const char rates[] = "minute,requests_per_minute\n0,6000\n0.5,60000\n"
                                "1,0\n2,12000.5\n4,3000\n";
    spot_arrivals_t arrivals = {0};
    char path[PATH_BYTES], value[PATH_BYTES + 40];

    (void) state;
    test_path("rates.csv", path);
    write_file(path, rates, strlen(rates));
    snprintf(value, sizeof(value), "{varying: {file: %s}}", path);
    draw(&arrivals, value, 1, 0);
    assert_count(&arrivals, 0, 30, 3000);
    assert_count(&arrivals, 30, 60, 30000);
    assert_true(count_between(&arrivals, 60, 120) == 0);
    assert_count(&arrivals, 120, 240, 24001);
    assert_count(&arrivals, 240, 360, 6000); /* as long as the row before it */
    assert_true(arrivals.source_ns[arrivals.num_queries - 1] < INT64_C(360000000000));
    spot_arrivals_free(&arrivals);
    unlink(path);
}

/* Each hour against the integral of the sine. */
static void test_daily(void **state)
{
    const double turn = 2 * acos(-1.0) / 24;
    spot_arrivals_t arrivals = {0};

    (void) state;
    draw(&arrivals, "{daily: {peak_qps: 4, low_qps: 1, peak_at: 9 h, days: 2}}", 1, 0);
    for (int hour = 0; hour < 48; hour++) {
        const double wave = (sin(turn * (hour + 1 - 9)) - sin(turn * (hour - 9))) / turn;

        assert_count(&arrivals, hour * 3600, (hour + 1) * 3600, 3600 * (2.5 + 1.5 * wave));
    }
    assert_true(arrivals.source_ns[arrivals.num_queries - 1] < INT64_C(172800000000000));
    spot_arrivals_free(&arrivals);
}

/* ---- Rescaling ---- */

static void test_rescale(void **state)
{
    spot_arrivals_t from = {0}, to = {0};
    int64_t time_ns = 0;

    (void) state;
    draw(&from, "{deltas_ms: [1, 3]}", 1, 0);
    assert_true(from.base_qps == 500);
    assert_int_equal(spot_arrivals_rescale(&to, &from, 1000), 0);
    assert_times(&to, 3, (const int64_t[]){0, 500000, 2000000});
    assert_true(to.rate_qps == 1000 && to.base_qps == 500);
    /* Each delta is rounded on its own: 3 * 1 ns / 2 gives 2 ns each. */
    draw(&from, "{deltas_ms: [1e-6, 1e-6, 1e-6]}", 1, 0);
    assert_int_equal(spot_arrivals_rescale(&to, &from, 2e9 / 3), 0);
    assert_times(&to, 4, (const int64_t[]){0, 2, 4, 6});
    assert_true(to.rate_qps == 5e8);
    /* The deltas as doubles are rescaled, not their nanoseconds. */
    draw(&from, "{poisson: {rate_qps: 100, count: 1000}}", 1, 0);
    assert_int_equal(spot_arrivals_rescale(&to, &from, 37), 0);
    for (size_t j = 0; j < 1000; j++) {
        const double scale = 1000 * 1e9 / (double) from.source_ns[1000] / 37;

        time_ns += (int64_t) floor(from.deltas_ms[j] * scale * 1e6 + 0.5);
        assert_int_equal(to.source_ns[j + 1], time_ns);
    }
    assert_true(to.rate_qps == 1000 * 1e9 / (double) time_ns);
    /* Twice is the same as once. */
    assert_int_equal(spot_arrivals_rescale(&to, &to, 90), 0);
    assert_int_equal(spot_arrivals_rescale(&from, &from, 90), 0);
    assert_times(&to, from.num_queries, from.source_ns);
    spot_arrivals_free(&from);
    spot_arrivals_free(&to);
}

static void test_too_long(void **state)
{
    spot_arrivals_setting_t setting;
    spot_arrivals_t from = {0}, to = {0};

    (void) state;
    draw(&from, "{deltas_ms: [1e6, 1e6]}", 1, 0);
    assert_int_equal(spot_arrivals_rescale(&to, &from, 4.4e-10), 0);
    assert_int_equal(spot_arrivals_rescale(&to, &from, 4.3e-10), SPOT_ERR_BAD_PARAM);
    assert_int_equal(spot_arrivals_rescale(&to, &from, 1e-300), SPOT_ERR_BAD_PARAM);
    spot_arrivals_free(&from);
    spot_arrivals_free(&to);
    /* 2^62 ns, and 2048 ns more. */
    assert_int_equal(open_setting(&setting, "{deltas_ms: [4611686018427.387904]}", ""), 0);
    spot_arrivals_setting_free(&setting);
    assert_int_equal(open_setting(&setting, "{deltas_ms: [4611686018427.387904, 1]}",
                         "x:1:13: arrivals last longer than 2^62 ns\n"),
        SPOT_ERR_BAD_INPUT);
    spot_arrivals_setting_free(&setting);
}

/* ---- The map ---- */

static void assert_rejected(const char *value, const char *report)
{
    spot_arrivals_setting_t setting;

    assert_int_equal(open_setting(&setting, value, report), SPOT_ERR_BAD_INPUT);
    spot_arrivals_setting_free(&setting);
}

static void test_map(void **state)
{
    (void) state;
    assert_rejected("{poisson: {rate_qps: -1, count: 1.5}}",
        "x:1:22: arrivals.poisson.rate_qps: -1 is not in 1e-06..1000000000\n"
        "x:1:33: arrivals.poisson.count: expected an integer from 0 to 1000000000, got "
        "\"1.5\"\n");
    assert_rejected("{deltas_ms: [1, 0.5, x]}",
        "x:1:22: arrivals.deltas_ms[2]: expected a number, got \"x\"\n");
    assert_rejected("{daily: {peak_qps: 1, low_qps: 2}}", "x:1:32: low_qps: 2 is above peak_qps\n");
}

static void test_a_signal_stops_the_draw(void **state)
{
    static const char *const values[] = {
        "{poisson: {rate_qps: 3, count: 3}}", "{gamma: {rate_qps: 3, cv: 2, count: 3}}"};
    spot_arrivals_t arrivals = {0};
    spot_arrivals_setting_t setting;

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        assert_int_equal(open_setting(&setting, values[j], ""), 0);
        atomic_store(&spot_stop, SIGTERM);
        assert_int_equal(spot_arrivals_draw(&arrivals, &setting, 1, 0), SPOT_ERR_INTERRUPTED);
        atomic_store(&spot_stop, 0);
        assert_int_equal(spot_arrivals_draw(&arrivals, &setting, 1, 0), 0);
        spot_arrivals_setting_free(&setting);
    }
    spot_arrivals_free(&arrivals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nanoseconds),
        cmocka_unit_test(test_a_signal_stops_the_draw),
        cmocka_unit_test(test_given),
        cmocka_unit_test(test_constant),
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_varying),
        cmocka_unit_test(test_daily),
        cmocka_unit_test(test_rescale),
        cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_map),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
