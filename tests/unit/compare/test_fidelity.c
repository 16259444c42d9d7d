/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "tests/unit/compare/fixture.h"
#include "tests/unit/compare/twin.h"

#define NUM SPOT_FIDELITY_NUM_METRICS

static void compare(const spot_observation_t *a, const spot_observation_t *b, double metrics[NUM])
{
    spot_fidelity_t fidelity_a = {0}, fidelity_b = {0};

    assert_int_equal(spot_fidelity_measure(&fidelity_b, b, NULL), 0);
    assert_int_equal(spot_fidelity_measure(&fidelity_a, a, &fidelity_b), 0);
    spot_fidelity_compare(&fidelity_a, &fidelity_b, metrics);
    spot_fidelity_free(&fidelity_a);
    spot_fidelity_free(&fidelity_b);
}

static void compare_rows(const char *rows_a, const char *rows_b, double metrics[NUM])
{
    spot_observation_t a = {0}, b = {0};
    spot_trace_t trace;

    make_trace(&trace, "a", 60, "counts", "4", rows_a);
    assert_int_equal(spot_observation_of_trace(&a, &trace, 60000, true), 0);
    spot_trace_free(&trace);
    make_trace(&trace, "b", 60, "counts", "4", rows_b);
    assert_int_equal(spot_observation_of_trace(&b, &trace, 60000, true), 0);
    spot_trace_free(&trace);
    compare(&a, &b, metrics);
    spot_observation_free(&a);
    spot_observation_free(&b);
}

static void assert_close(const char *what, double value, double expected)
{
    if (isnan(expected) ? !isnan(value)
                        : !(fabs(value - expected) <= 1e-12 * fmax(1, fabs(expected)))) {
        fail_msg("%s: %.17g, expected %.17g", what, value, expected);
    }
}

#define ROWS_A                                                                                     \
    "0,init,4,\n60,preempt,1,\n180,preempt,2,\n240,add,1,\n300,preempt,1,\n"                       \
    "540,preempt,1,\n600,end,0,\n"
#define ROWS_B                                                                                     \
    "0,init,2,\n60,preempt,1,\n120,add,1,\n180,preempt,1,\n300,preempt,1,\n"                       \
    "420,add,4,\n480,preempt,1,\n600,end,3,\n"

/* All by hand. x of A: 4 3 3 1 2 1 1 1 1 0 0, of B: 2 1 2 1 1 0 0 4 3 3 3. */
static void test_by_hand(void **state)
{
    double m[NUM];

    (void) state;
    compare_rows(ROWS_A, ROWS_B, m);
    assert_close("preempt_events", m[SPOT_FIDELITY_PREEMPT_EVENTS], 4);
    assert_close("add_events", m[SPOT_FIDELITY_ADD_EVENTS], 1);
    assert_close("preempted", m[SPOT_FIDELITY_PREEMPTED], 5);
    assert_close("added", m[SPOT_FIDELITY_ADDED], 1);
    assert_close("mtbp_s", m[SPOT_FIDELITY_MTBP_S], 160); /* 120, 120, 240 */
    assert_close("gap_sd_s", m[SPOT_FIDELITY_GAP_SD_S], sqrt(4800));
    assert_close("gap_cv", m[SPOT_FIDELITY_GAP_CV], sqrt(4800) / 160);
    /* (-40)(-40) + (-40)(80) over 9600 */
    assert_close("gap_acf1", m[SPOT_FIDELITY_GAP_ACF1], -1600.0 / 9600);
    assert_close("preempt_count_mean", m[SPOT_FIDELITY_PREEMPT_COUNT_MEAN], 1.25);
    assert_close("preempt_count_vmr", m[SPOT_FIDELITY_PREEMPT_COUNT_VMR], 0.25 / 1.25);
    assert_close("mean_n", m[SPOT_FIDELITY_MEAN_N], 17.0 / 11);
    assert_close("min_n", m[SPOT_FIDELITY_MIN_N], 0);
    assert_close("max_n", m[SPOT_FIDELITY_MAX_N], 4);
    assert_close("frac_full", m[SPOT_FIDELITY_FRAC_FULL], 1.0 / 11);
    assert_close("frac_empty", m[SPOT_FIDELITY_FRAC_EMPTY], 2.0 / 11);
    assert_close("fano_1h", m[SPOT_FIDELITY_FANO_1H], (double) NAN);
    /* Gaps of B: 120, 120, 180. F = 2/3 to 240, H = 2/3 to 180. */
    assert_close("ks_preempt_gap", m[SPOT_FIDELITY_KS_PREEMPT_GAP], 1.0 / 3);
    assert_close("w1_preempt_gap", m[SPOT_FIDELITY_W1_PREEMPT_GAP], 20.0 / 140);
    assert_close("ks_add_gap", m[SPOT_FIDELITY_KS_ADD_GAP], 1);
    assert_close("w1_add_gap", m[SPOT_FIDELITY_W1_ADD_GAP], 1);
    assert_close("ks_preempt_count", m[SPOT_FIDELITY_KS_PREEMPT_COUNT], 0.25);
    assert_close("d_mean_n", m[SPOT_FIDELITY_D_MEAN_N], 3.0 / 11 / 4);
    /* F 11ths up to 0 ... 3: 2 7 8 10; H: 2 5 7 10. */
    assert_close("w1_n", m[SPOT_FIDELITY_W1_N], 3.0 / 11 / 4);
    assert_close("energy_n", m[SPOT_FIDELITY_ENERGY_N], sqrt(2 * 5.0 / 121 / 4));
    /* 11 / 4 = 2 lags of the population; one window of 600 s: none. */
    assert_close("acf_events", m[SPOT_FIDELITY_ACF_EVENTS], (double) NAN);
}

static void test_itself(void **state)
{
    double m[NUM];

    (void) state;
    compare_rows(ROWS_A, ROWS_A, m);
    for (int j = SPOT_FIDELITY_NUM_FIGURES; j < NUM; j++) {
        const int is_alone = j == SPOT_FIDELITY_KS_ADD_GAP || /* one addition */
                             j == SPOT_FIDELITY_W1_ADD_GAP;

        assert_close(spot_fidelity_metrics[j].name, m[j],
            is_alone                        ? 1
            : j == SPOT_FIDELITY_ACF_EVENTS ? (double) NAN
                                            : 0);
    }
}

/* A hundred years with one event, many times over: a step at tick m of n, whose
 * autocorrelations are known. */
static void test_few_events_in_long(void **state)
{
    const double n = 52560001, m = 20000000, mean = (n - m) / n;
    const double sum_squares = m * mean * mean + (n - m) * (1 - mean) * (1 - mean);
    spot_fidelity_t fidelity = {0};
    spot_observation_t observation = {0};
    spot_trace_t trace;

    (void) state;
    make_trace(&trace, "t", 60, "counts", "4", "0,init,2,\n1200000000,add,1,\n3153600000,end,3,\n");
    assert_int_equal(spot_observation_of_trace(&observation, &trace, 60000, true), 0);
    for (int j = 0; j < 200; j++) {
        assert_int_equal(spot_fidelity_measure(&fidelity, &observation, NULL), 0);
    }
    assert_int_equal(fidelity.population.num_values, 52560001);
    assert_int_equal(fidelity.population.num_runs, 2);
    assert_int_equal(fidelity.windows.num_values, 5256000);
    assert_int_equal(fidelity.acf_population.num_values, 120);
    for (int k = 1; k <= 120; k++) {
        const double covariance =
            (m - k) * mean * mean - k * mean * (1 - mean) + (n - m - k) * (1 - mean) * (1 - mean);

        assert_close("acf", fidelity.acf_population.values[k - 1], covariance / sum_squares);
    }
    spot_fidelity_free(&fidelity);
    spot_observation_free(&observation);
    spot_trace_free(&trace);
}

/* Nothing happens: the autocorrelations of constant series are 0, not undefined. */
static void test_constant(void **state)
{
    double m[NUM];

    (void) state;
    compare_rows("0,init,3,\n6000,end,3,\n", "0,init,1,\n6000,end,1,\n", m);
    assert_close("acf_n", m[SPOT_FIDELITY_ACF_N], 0);
    assert_close("acf_events", m[SPOT_FIDELITY_ACF_EVENTS], 0);
    assert_close("d_mean_n", m[SPOT_FIDELITY_D_MEAN_N], 0.5);
    assert_close("w1_n", m[SPOT_FIDELITY_W1_N], 0.5);
    assert_close("energy_n", m[SPOT_FIDELITY_ENERGY_N], 1);
    assert_close("ks_preempt_gap", m[SPOT_FIDELITY_KS_PREEMPT_GAP], 1);
    assert_close("ks_preempt_count", m[SPOT_FIDELITY_KS_PREEMPT_COUNT], 1);
    assert_close("mtbp_s", m[SPOT_FIDELITY_MTBP_S], (double) NAN);
    assert_close("preempt_count_mean", m[SPOT_FIDELITY_PREEMPT_COUNT_MEAN], (double) NAN);
    assert_close("preempt_events", m[SPOT_FIDELITY_PREEMPT_EVENTS], 0);
    assert_close("fano_1h", m[SPOT_FIDELITY_FANO_1H], (double) NAN);
}

/* The largest populations that a trace can have: nothing overflows. */
static void test_large(void **state)
{
    spot_observation_t a = {0}, b = {0};
    spot_trace_t trace;
    double m[NUM];

    (void) state;
    make_trace(&trace, "a", 60, "counts", "2147483646",
        "0,init,0,\n60,add,2147483646,\n120,preempt,2147483646,\n"
        "180,add,2147483646,\n240,preempt,2147483646,\n28800,end,0,\n");
    assert_int_equal(spot_observation_of_trace(&a, &trace, 60000, true), 0);
    spot_trace_free(&trace);
    make_trace(&trace, "b", 60, "counts", "2147483646", "0,init,0,\n28800,end,0,\n");
    assert_int_equal(spot_observation_of_trace(&b, &trace, 60000, true), 0);
    spot_trace_free(&trace);
    compare(&a, &b, m);
    assert_close("preempted", m[SPOT_FIDELITY_PREEMPTED], 2 * 2147483646.0);
    assert_close("max_n", m[SPOT_FIDELITY_MAX_N], 2147483646);
    assert_close("w1_n", m[SPOT_FIDELITY_W1_N], 2.0 / 481);
    assert_close("d_mean_n", m[SPOT_FIDELITY_D_MEAN_N], 2.0 / 481);
    assert_close("energy_n", m[SPOT_FIDELITY_ENERGY_N], sqrt(2) * 2 / 481);
    /* One hour of eight: (7/8)^2 + 7 / 8^2, over 7, over 1/8, of what is lost. */
    assert_close("fano_1h", m[SPOT_FIDELITY_FANO_1H], 2 * 2147483646.0);
    compare(&b, &a, m);
    assert_true(m[SPOT_FIDELITY_ACF_N] > 0 && m[SPOT_FIDELITY_ACF_N] < 1);
    spot_observation_free(&a);
    spot_observation_free(&b);
}

/* A trace shorter than a tick: one value of x, no lag. */
static void test_short(void **state)
{
    double m[NUM];

    (void) state;
    compare_rows("0,init,3,\n59,end,3,\n", ROWS_B, m);
    assert_close("mean_n", m[SPOT_FIDELITY_MEAN_N], 3);
    compare_rows(ROWS_B, "0,init,3,\n59,end,3,\n", m);
    assert_close("acf_n", m[SPOT_FIDELITY_ACF_N], (double) NAN);
}

/* A random trace within 0 ... capacity, or, unlimited, anywhere. */
static void draw_observation(spot_observation_t *observation, spot_rng_t *rng, int64_t tick_s,
    bool is_net, bool is_unlimited)
{
    const int64_t capacity = 2 + (int64_t) spot_rng_below(rng, 20);
    const int64_t end_ms = 60000 + (int64_t) spot_rng_below(rng, 100000000);
    const spot_observation_frame_t frame = {tick_s * 1000, is_net, (double) end_ms, capacity};
    const uint64_t gap_ms = 1000 + spot_rng_below(rng, 2000000);
    int64_t population = (int64_t) spot_rng_below(rng, (uint64_t) capacity + 1);
    int64_t time_ms = 0;

    spot_observation_start(observation, &frame, population, is_unlimited);
    for (;;) {
        const bool is_add = spot_rng_below(rng, 2) == 0;
        const int64_t room = is_unlimited ? 9 : is_add ? capacity - population : population;
        int64_t count;

        time_ms += (int64_t) spot_rng_below(rng, gap_ms);
        if (time_ms > end_ms) {
            break;
        }
        if (room == 0) {
            continue;
        }
        count = 1 + (int64_t) spot_rng_below(rng, (uint64_t) room);
        population += is_add ? count : -count;
        assert_int_equal(spot_observation_take(observation, time_ms,
                             is_add ? SPOT_EVENT_ADD : SPOT_EVENT_PREEMPT, count),
            0);
    }
    assert_int_equal(spot_observation_finish(observation), 0);
}

/* Against the definitions, written down literally. */
static void test_twin(void **state)
{
    static const int64_t ticks_s[] = {60, 100, 300, 480};
    spot_observation_t a = {0}, b = {0};
    spot_rng_t rng;
    double fast[NUM], slow[NUM];

    (void) state;
    spot_rng_seek(&rng, 5, 0, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < 60; j++) {
        const int64_t tick_s = ticks_s[j % 4];

        draw_observation(&a, &rng, tick_s, j % 3 == 0, j % 5 == 0);
        draw_observation(&b, &rng, tick_s, j % 3 == 0, false);
        compare(&a, &b, fast);
        twin_compare(&a, &b, slow);
        for (int k = 0; k < NUM; k++) {
            assert_close(spot_fidelity_metrics[k].name, fast[k], slow[k]);
        }
    }
    spot_observation_free(&a);
    spot_observation_free(&b);
}

/* With one capacity and length the distances of the population are symmetric. */
static void test_symmetry(void **state)
{
    static const int ids[] = {SPOT_FIDELITY_KS_PREEMPT_GAP, SPOT_FIDELITY_KS_ADD_GAP,
        SPOT_FIDELITY_KS_PREEMPT_COUNT, SPOT_FIDELITY_D_MEAN_N, SPOT_FIDELITY_W1_N,
        SPOT_FIDELITY_ENERGY_N, SPOT_FIDELITY_ACF_N};
    double there[NUM], back[NUM];

    (void) state;
    compare_rows(ROWS_A, ROWS_B, there);
    compare_rows(ROWS_B, ROWS_A, back);
    for (size_t j = 0; j < sizeof(ids) / sizeof(ids[0]); j++) {
        assert_close(spot_fidelity_metrics[ids[j]].name, there[ids[j]], back[ids[j]]);
        assert_true(there[ids[j]] > 0);
    }
}

static void test_names(void **state)
{
    (void) state;
    for (int j = 0; j < NUM; j++) {
        assert_int_equal(spot_fidelity_metric_id(spot_fidelity_metrics[j].name), j);
        assert_true(strlen(spot_fidelity_metrics[j].help) > 0);
    }
    assert_int_equal(spot_fidelity_metric_id("ks"), -1);
    assert_int_equal(spot_fidelity_metric_id(""), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_itself),
        cmocka_unit_test(test_constant),
        cmocka_unit_test(test_few_events_in_long),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_twin),
        cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
