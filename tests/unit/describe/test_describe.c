/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_rng.h>
#include <math.h>

#include "tests/unit/describe/trace_text.h"
#include "traces/describe/describe.h"
#include "traces/trace_write.h"

static double value_of(const spot_describe_t *describe, const char *name)
{
    for (size_t j = 0; j < SPOT_NUM_DESCRIBE_FIGURES; j++) {
        if (strcmp(spot_describe_figures[j].name, name) == 0) {
            return spot_describe_figure_value(describe, &spot_describe_figures[j]);
        }
    }
    fail_msg("no figure %s", name);
    return 0;
}

static void assert_value(const spot_describe_t *describe, const char *name, double expected)
{
    const double value = value_of(describe, name);

    if (!(fabs(value - expected) <= 1e-12 * fmax(1e-3, fabs(expected)) || value == expected ||
            (isnan(value) && isnan(expected)))) {
        fail_msg("%s: %.17g instead of %.17g", name, value, expected);
    }
}

static void test_by_hand(void **state)
{
    spot_describe_t describe;
    spot_trace_t trace;

    (void) state;
    trace_of(&trace, "named", "4", "10", "unknown",
        "0,init,3,a b c\n100,preempt,2,a b\n100,add,3,d e f\n300,preempt,1,d\n"
        "350,stop,3,c e f\n1000,add,1,a\n3600,end,1,\n");
    assert_int_equal(spot_describe_init(&describe, &trace), 0);
    assert_value(&describe, "resolution_s", 10);
    assert_value(&describe, "span_h", 1);
    assert_value(&describe, "capacity", 4);
    assert_value(&describe, "max_n", 4);
    assert_value(&describe, "min_n", 0);
    assert_value(&describe, "mean_n", (300 + 800 + 150 + 2600) / 3600.0);
    assert_value(&describe, "frac_full", 200 / 3600.0);
    assert_value(&describe, "frac_empty", 650 / 3600.0);
    assert_value(&describe, "preempt_events", 2);
    assert_value(&describe, "preempted", 3);
    assert_value(&describe, "add_events", 2);
    assert_value(&describe, "added", 4);
    assert_value(&describe, "preempt_gap_n", 1);
    assert_value(&describe, "preempt_gap_mean_s", 200);
    assert_value(&describe, "preempt_gap_sd_s", (double) NAN);
    assert_value(&describe, "preempt_gap_acf1", (double) NAN);
    assert_value(&describe, "add_gap_mean_s", 900);
    assert_value(&describe, "change_gap_n", 2);
    assert_value(&describe, "change_gap_mean_s", 450);
    assert_value(&describe, "change_gap_sd_s", sqrt(2 * 250.0 * 250));
    assert_value(&describe, "preempt_count_mean", 1.5);
    assert_value(&describe, "preempt_count_sd", sqrt(0.5));
    assert_value(&describe, "preempt_count_vmr", 0.5 / 1.5);
    assert_value(&describe, "preempt_count_max", 2);
    assert_value(&describe, "preempt_count_share_one", 0.5);
    assert_value(&describe, "preempted_per_instance_h", 3 / (3850 / 3600.0));
    assert_value(&describe, "fano_events_10min", (double) NAN);
    assert_value(&describe, "shortest_plateau_s", 50);
    assert_value(&describe, "day_n", (double) NAN);
    assert_value(&describe, "life_n", 7);
    assert_value(&describe, "life_preempted", 3);
    assert_value(&describe, "life_censored", 4);
    assert_value(&describe, "life_mean_observed_s", 400 / 3.0);
    /* deaths at 100 (2 of 7), 200 (1 of 5); then 250, 250, 350 and 2600 censored */
    assert_value(&describe, "life_km_median_s", (double) INFINITY);
    assert_value(&describe, "life_restricted_mean_s", 100 + 100 * 5 / 7.0 + 2400 * 4 / 7.0);
    assert_value(&describe, "life_deaths_per_s", 3 / 3850.0);
    assert_value(&describe, "up_spell_n", (double) NAN);
    spot_describe_free(&describe);
    spot_describe_free(&describe);
    spot_trace_free(&trace);
}

/* Whatever the trace: no figure is a surprise, nothing traps. */
static void test_small_traces(void **state)
{
    static const char *const rows[] = {
        "0,init,0,\n1,end,0,\n",
        "0,init,4,\n400000,end,4,\n",
        "0,init,4,\n0,preempt,4,\n0,add,2,\n0.001,end,2,\n",
        "0,init,4,\n5,preempt,1,\n5,end,3,\n",
        "0,init,1,\n5,preempt,1,\n6,add,1,\n9,end,1,\n",
        "0,init,4,\n5,stop,4,\n1000000,end,0,\n",
    };
    static const char *const capacities[] = {"4", "unbounded"};

    (void) state;
    for (size_t j = 0; j < 2 * sizeof(rows) / sizeof(rows[0]); j++) {
        spot_describe_t describe;
        spot_trace_t trace;

        trace_of(&trace, "counts", capacities[j % 2], "1", "unknown", rows[j / 2]);
        assert_int_equal(spot_describe_init(&describe, &trace), 0);
        for (size_t k = 0; k < SPOT_NUM_DESCRIBE_FIGURES; k++) {
            const double value = spot_describe_figure_value(&describe, &spot_describe_figures[k]);

            assert_true(!isinf(value));
            assert_false(
                spot_describe_figures[k].is_integer && !isnan(value) && value != floor(value));
        }
        assert_true(!isnan(value_of(&describe, "mean_n")));
        assert_true(value_of(&describe, "max_n") >= value_of(&describe, "mean_n"));
        assert_true(value_of(&describe, "min_n") <= value_of(&describe, "mean_n"));
        spot_describe_free(&describe);
        spot_trace_free(&trace);
    }
}

static void test_constant_population(void **state)
{
    spot_describe_t describe;
    spot_trace_t trace;

    (void) state;
    counts_of(&trace, "0,init,4,\n400000,end,4,\n");
    assert_int_equal(spot_describe_init(&describe, &trace), 0);
    assert_value(&describe, "mean_n", 4);
    assert_value(&describe, "frac_full", 1);
    assert_value(&describe, "preempted_per_instance_h", 0);
    assert_value(&describe, "preempt_gap_n", (double) NAN);
    assert_value(&describe, "fano_events_1h", (double) NAN);
    assert_value(&describe, "shortest_plateau_s", (double) NAN);
    spot_describe_free(&describe);
    spot_trace_free(&trace);
}

/* Twelve preemptions a day apart and one more behind the whole days: all at 6 h. */
static void test_time_of_day(void **state)
{
    char rows[2048] = "0,init,0,\n0,add,4,\n";
    spot_describe_t describe;
    spot_trace_t trace;

    (void) state;
    for (int day = 0; day <= 12; day++) {
        const size_t length = strlen(rows);

        snprintf(rows + length, sizeof(rows) - length, "%d,preempt,1,\n%d,add,1,\n",
            86400 * day + 21600, 86400 * day + 21600);
    }
    strcat(rows, "1080000,end,4,\n"); /* 12.5 days */
    counts_of(&trace, rows);
    assert_int_equal(spot_describe_init(&describe, &trace), 0);
    assert_value(&describe, "day_n", 12);
    assert_value(&describe, "day_rayleigh_r", 1);
    assert_value(&describe, "day_rayleigh_p", exp(-12.0));
    assert_value(&describe, "day_peak_h", 6);
    assert_value(&describe, "preempt_gap_cv", 0);
    assert_value(&describe, "preempt_gap_acf1", (double) NAN);
    /* 13 of 300 hours have one event: var/mean = (1 - 13/300) * 300/299 */
    assert_value(&describe, "fano_events_1h", (1 - 13 / 300.0) * 300 / 299);
    spot_describe_free(&describe);
    spot_trace_free(&trace);
}

/* The last window is closed, and a rest behind the whole windows does not count. */
static void test_windows(void **state)
{
    spot_describe_t describe;
    spot_trace_t trace;

    (void) state;
    counts_of(&trace, "0,init,4,\n600,preempt,1,\n4800,preempt,2,\n5000,preempt,1,\n"
                      "5100,end,0,\n");
    assert_int_equal(spot_describe_init(&describe, &trace), 0);
    /* 8 windows: 0 1 0 0 0 0 0 2 */
    assert_value(&describe, "fano_instances_10min", (5 - 9 / 8.0) / 7 / (3 / 8.0));
    assert_value(&describe, "fano_events_10min", (2 - 4 / 8.0) / 7 / (2 / 8.0));
    spot_describe_free(&describe);
    spot_trace_free(&trace);
}

/* A slow twin: N minute by minute. */
static void assert_like_minutes(const spot_trace_t *trace, const spot_describe_t *describe)
{
    const int64_t num_minutes = trace->end_ms / 60000;
    double sum = 0, num_full = 0, num_empty = 0, max = 0, min = 4;
    double windows = 0, lost = 0, lost_squares = 0, in_window = 0;

    for (int64_t minute = 0; minute <= num_minutes; minute++) {
        double population = trace->initial;

        for (size_t j = 0; j < trace->num_events; j++) {
            const spot_event_t *event = &trace->events[j];

            if (event->time_ms <= minute * 60000) {
                population += event->kind == SPOT_EVENT_ADD ? event->count : -event->count;
            }
            if (event->time_ms == minute * 60000 && event->kind == SPOT_EVENT_PREEMPT) {
                in_window += event->count;
            }
        }
        max = fmax(max, population);
        min = fmin(min, population);
        if (minute < num_minutes) {
            sum += population;
            num_full += population == 4 ? 1 : 0;
            num_empty += population == 0 ? 1 : 0;
        }
        if ((minute % 10 == 9 && minute != num_minutes - 1) || minute == num_minutes) {
            windows++;
            lost += in_window;
            lost_squares += in_window * in_window;
            in_window = 0;
        }
    }
    assert_value(describe, "mean_n", sum / (double) num_minutes);
    assert_value(describe, "frac_full", num_full / (double) num_minutes);
    assert_value(describe, "frac_empty", num_empty / (double) num_minutes);
    assert_value(describe, "max_n", max);
    assert_value(describe, "min_n", min);
    assert_int_equal(windows, num_minutes / 10);
    if (lost > 0) {
        assert_value(describe, "fano_instances_10min",
            (lost_squares - lost * lost / windows) / (windows - 1) / (lost / windows));
    }
}

static void test_slow_twin(void **state)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

    (void) state;
    assert_non_null(rng);
    gsl_rng_set(rng, 21);
    for (int round = 0; round < 200; round++) {
        const int64_t num_minutes = 10 * (8 + (int64_t) gsl_rng_uniform_int(rng, 5));
        int64_t minute = 0, population = (int64_t) gsl_rng_uniform_int(rng, 5);
        char rows[2048];
        size_t length =
            (size_t) snprintf(rows, sizeof(rows), "0,init,%lld,\n", (long long) population);
        spot_describe_t describe;
        spot_trace_t trace;

        for (minute += (int64_t) gsl_rng_uniform_int(rng, 8); minute <= num_minutes;
             minute += 1 + (int64_t) gsl_rng_uniform_int(rng, 12)) {
            const bool is_add = gsl_rng_uniform_int(rng, 2) == 0;
            const int64_t most = is_add ? 4 - population : population;
            const int64_t count =
                most > 0 ? 1 + (int64_t) gsl_rng_uniform_int(rng, (unsigned long) most) : 0;

            if (count > 0) {
                population += is_add ? count : -count;
                length += (size_t) snprintf(rows + length, sizeof(rows) - length, "%lld,%s,%lld,\n",
                    (long long) (60 * minute), is_add ? "add" : "preempt", (long long) count);
            }
        }
        snprintf(rows + length, sizeof(rows) - length, "%lld,end,%lld,\n",
            (long long) (60 * num_minutes), (long long) population);
        counts_of(&trace, rows);
        assert_int_equal(spot_describe_init(&describe, &trace), 0);
        assert_like_minutes(&trace, &describe);
        spot_describe_free(&describe);
        spot_trace_free(&trace);
    }
    gsl_rng_free(rng);
}

static void test_warnings(void **state)
{
    const spot_describe_request_t request = {0};
    char path[PATH_BYTES], expected[4 * PATH_BYTES];
    spot_description_t description;
    spot_trace_t trace;
    spot_diag_t diag;

    (void) state;
    trace_of(&trace, "availability", "4", "1", "unknown",
        "0,init,4,\n1,preempt,1,\n2,preempt,1,\n3,preempt,1,\n100,preempt,1,\n"
        "400,end,0,\n");
    test_path("warned.csv", path);
    spot_diag_init(&diag);
    assert_int_equal(spot_trace_write(&trace, path, &diag), 0);
    assert_int_equal(spot_describe_file(&description, path, "warned", &request, &diag), 0);
    snprintf(expected, sizeof(expected),
        "warning: %s: kind availability: the figures are of what could have been "
        "obtained, nothing ran\n"
        "warning: %s: 3 gaps between events of kind preempt: fewer than 10 say "
        "little\n"
        "warning: %s: preempt_gap_cv 1.68: the generator seed cannot make gaps with "
        "a CV above 1, block and mrp can\n",
        path, path, path);
    assert_report(&diag, expected);
    unlink(path);
    spot_diag_free(&diag);
    spot_description_free(&description);
    spot_trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_small_traces),
        cmocka_unit_test(test_constant_population),
        cmocka_unit_test(test_time_of_day),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_slow_twin),
        cmocka_unit_test(test_warnings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
