/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which points a study has, by its plan. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/bench/study/study.h"
#include "tests/unit/study/keys_study.h"

static void assert_texts(
    const spot_study_t *study, size_t axis_id, size_t num_points, const char *const *texts)
{
    assert_int_equal(study->head.num_points, num_points);
    for (size_t j = 0; j < num_points; j++) {
        assert_string_equal(text_at(study, j, axis_id), texts[j]);
    }
}

/* ---- Zip and list ---- */

static void test_zip(void **state)
{
    static const char *const depths[] = {"2", "4", "2", "8"};
    static const char *const pauses[] = {"10 s", "20 s", "30 s", "40 s"};
    spot_study_t study;

    (void) state;
    read_keys_study(&study,
        "sweep:\n  depth: [2, 4, 2, 8]\n  pause: {from: 10 s, to: 40 s, step: 10 s}\n"
        "plan: zip\n");
    assert_texts(&study, 0, 4, depths);
    assert_texts(&study, 1, 4, pauses);
    assert_int_equal(study.head.axes[0].num_values, 3); /* each value once */
    assert_int_equal(keys_at(&study, 2)->depth, 2);
    assert_int_equal(keys_at(&study, 3)->pause_ms, 40000);
    spot_study_free(&study);
}

/* Keys may stand in any order; what is the same in other words is the same value. */
static void test_list(void **state)
{
    static const char *const depths[] = {"8", "2", "8"};
    static const char *const pauses[] = {"30 s", "30 s", "5 s"};
    spot_study_t study;

    (void) state;
    read_keys_study(&study, "sweep:\n  - {depth: 8, pause: 30 s}\n"
                            "  - {pause: 0.5 min, depth: 2}\n"
                            "  - {depth: 8, pause: 5 s}\n");
    assert_int_equal(study.head.plan.kind, SPOT_PLAN_LIST);
    assert_texts(&study, 0, 3, depths);
    assert_texts(&study, 1, 3, pauses);
    assert_int_equal(keys_at(&study, 1)->pause_ms, 30000);
    spot_study_free(&study);
}

static void test_repeated_points(void **state)
{
    (void) state;
    assert_refused("sweep: {pause: [30 s, 1 s, 0.5 min]}\n", "stands twice");
    assert_refused("sweep: {first: [0, 1, -0]}\n", "stands twice");
    assert_refused("sweep: {mode: [sync, async, \"sync\"]}\n", "stands twice");
    assert_refused("sweep: {pause: [30 s, \"0.5 min\"]}\n", "stands twice");
}

/* ---- Ranges ---- */

static void test_steps(void **state)
{
    static const char *const firsts[] = {"0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7"};
    static const char *const everies[] = {"1 steps", "3 steps", "5 steps"};
    spot_study_t study;

    (void) state;
    read_keys_study(&study, "sweep: {first: {from: 0, to: 0.7, step: 0.1}}\n");
    assert_texts(&study, 0, 8, firsts);
    spot_study_free(&study);
    read_keys_study(&study, "sweep: {first: {from: -97.6, to: -6.4, step: 0.3}}\n");
    assert_string_equal(text_at(&study, 304, 0), "-6.4"); /* not -6.40000000000001 */
    spot_study_free(&study);
    read_keys_study(&study, "sweep: {every: {from: 1 steps, to: 5 steps, step: 2 steps}}\n");
    assert_texts(&study, 0, 3, everies);
    assert_string_equal(study.head.axes[0].unit, "steps");
    assert_string_equal(keys_at(&study, 2)->every, "5 steps");
    spot_study_free(&study);
}

/* Equal ratios, up to what a text shows; both ends are as they were written. */
static void test_log_range(void **state)
{
    spot_study_t study;

    (void) state;
    read_keys_study(&study, "sweep:\n  pause: {from: 30 s, to: 10 min, points: 12, scale: log}\n"
                            "  second: {from: 1e-7, to: 20, points: 9, scale: log}\n");
    assert_int_equal(study.head.num_points, 108);
    assert_string_equal(text_at(&study, 0, 0), "30 s");
    assert_string_equal(text_at(&study, 107, 0), "10 min");
    for (size_t j = 0; j < 12; j++) {
        const double exact_ms = 30000 * pow(20, (double) j / 11);

        assert_true(llabs(keys_at(&study, 9 * j)->pause_ms - (int64_t) nearbyint(exact_ms)) <= 1);
        assert_true(
            number_at(&study, 9 * j, 0) * 1000 == (double) keys_at(&study, 9 * j)->pause_ms);
    }
    for (size_t j = 0; j < 9; j++) {
        const double exact = 1e-7 * pow(2e8, (double) j / 8);

        assert_true(fabs(keys_at(&study, j)->second / exact - 1) < 1e-5);
    }
    spot_study_free(&study);
}

/* Points and a step: whole numbers in about equal ratios. */
static void test_log_steps(void **state)
{
    static const char *const depths[] = {"1", "3", "10", "32", "100", "316", "1000"};
    spot_study_t study;

    (void) state;
    read_keys_study(&study, "sweep:\n  limit: 1000\n"
                            "  depth: {from: 1, to: 1000, points: 7, step: 1, scale: log}\n");
    assert_texts(&study, 1, 7, depths);
    spot_study_free(&study);
}

/* ---- Designs ---- */

/* Each of num_points strata holds one point, in the value or in its logarithm. */
static void assert_strata(const spot_study_t *study, size_t axis_id, double from, double to,
    bool is_log, size_t num_points)
{
    unsigned char *is_met = calloc(num_points, 1);

    assert_non_null(is_met);
    assert_int_equal(study->head.num_points, num_points);
    for (size_t j = 0; j < num_points; j++) {
        const double value = number_at(study, j, axis_id);
        const double share =
            is_log ? log(value / from) / log(to / from) : (value - from) / (to - from);
        const size_t stratum = (size_t) (share * (double) num_points);

        assert_in_range(stratum, 0, num_points - 1);
        assert_false(is_met[stratum]);
        is_met[stratum] = 1;
    }
    free(is_met);
}

static void test_strata(void **state)
{
    static const char *const plans[] = {"sobol", "latin-hypercube"};

    (void) state;
    for (int seed = 1; seed <= 20; seed++) {
        for (size_t j = 0; j < 2; j++) {
            spot_study_t study;
            char keys[512];

            snprintf(keys, sizeof(keys),
                "sweep:\n  first: {from: -2, to: 3}\n"
                "  pause: {from: 10 s, to: 10 h, scale: log}\n"
                "  second: {from: 1000000, to: 1000001}\n"
                "plan: {%s: {points: 32, seed: %d}}\n",
                plans[j], seed);
            read_keys_study(&study, keys);
            assert_strata(&study, 0, -2, 3, false, 32);
            assert_strata(&study, 1, 10, 36000, true, 32);
            assert_strata(&study, 2, 1000000, 1000001, false, 32);
            assert_int_equal(study.head.plan.seed, seed);
            spot_study_free(&study);
        }
    }
}

/* The value that runs is the one that is named. */
static void test_drawn_values(void **state)
{
    spot_study_t study;

    (void) state;
    read_keys_study(&study,
        "sweep:\n  first: {from: 0.001, to: 0.0035}\n  pause: {from: 1 ms, to: 2 min}\n"
        "  depth: {from: 2, to: 10, step: 2}\n  mode: [sync, async]\n"
        "plan: {sobol: {points: 64}}\n");
    for (size_t j = 0; j < study.head.num_points; j++) {
        const keys_scenario_t *scenario = keys_at(&study, j);

        assert_true(scenario->first == strtod(text_at(&study, j, 0), NULL));
        assert_true(scenario->first >= 0.001 && scenario->first <= 0.0035);
        assert_true((double) scenario->pause_ms == nearbyint(1000 * number_at(&study, j, 1)));
        assert_true((double) scenario->depth == number_at(&study, j, 2));
        assert_int_equal(scenario->depth % 2, 0);
        assert_string_equal(text_at(&study, j, 3), scenario->mode == 0 ? "sync" : "async");
    }
    assert_int_equal(study.head.axes[2].num_values, 5);
    spot_study_free(&study);
}

/* The values of a list are equally likely. */
static void test_choices(void **state)
{
    size_t counts[] = {0, 0, 0, 0};
    spot_study_t study;

    (void) state;
    read_keys_study(&study, "sweep: {depth: [9, 2, 5, 7], first: {from: 0, to: 1}}\n"
                            "plan: {sobol: {points: 64}}\n");
    assert_int_equal(study.head.num_points, 64);
    for (size_t j = 0; j < 64; j++) {
        counts[spot_study_value_id(&study.head, j, 0)]++;
    }
    for (size_t j = 0; j < 4; j++) {
        assert_int_equal(counts[j], 16);
    }
    spot_study_free(&study);
}

/* More points of a Sobol sequence or of a sensitivity design keep those that are there,
 * text by text. */
static void test_prefix(void **state)
{
    static const char sweep[] =
        "sweep:\n  first: {from: 0, to: 1}\n  pause: {from: 1 s, to: 2 h, scale: log}\n"
        "  depth: {from: 1, to: 10, step: 1}\n  mode: [sync, async]\n";
    static const char *const plans[] = {"sobol", "sensitivity"};

    (void) state;
    for (size_t k = 0; k < 2; k++) {
        spot_study_t few, many;
        char keys[512];

        snprintf(keys, sizeof(keys), "%splan: {%s: {points: 64}}\n", sweep, plans[k]);
        read_keys_study(&few, keys);
        snprintf(keys, sizeof(keys), "%splan: {%s: {points: 256}}\n", sweep, plans[k]);
        read_keys_study(&many, keys);
        assert_true(many.head.num_points > few.head.num_points);
        for (size_t j = 0; j < few.head.num_points; j++) {
            for (size_t i = 0; i < 4; i++) {
                assert_string_equal(text_at(&few, j, i), text_at(&many, j, i));
            }
        }
        spot_study_free(&few);
        spot_study_free(&many);
    }
}

/* What a design draws again runs once. */
static void test_merged(void **state)
{
    spot_study_t study;

    (void) state;
    read_keys_study(&study, "sweep:\n  depth: {from: 1, to: 3, step: 1}\n"
                            "  mode: [sync, async]\nplan: {sobol: {points: 64}}\n");
    assert_int_equal(study.head.num_points, 6);
    assert_int_equal(study.head.plan.num_merged, 58);
    for (size_t j = 0; j < 6; j++) {
        for (size_t k = 0; k < j; k++) {
            assert_true(keys_at(&study, j)->depth != keys_at(&study, k)->depth ||
                        keys_at(&study, j)->mode != keys_at(&study, k)->mode);
        }
    }
    spot_study_free(&study);
}

/* Row i + 2 of a base sample is its first row but for key i, which is that of its
 * second one; also where points were merged. */
static void test_sensitivity_design(void **state)
{
    spot_study_t study;
    const spot_plan_t *plan = &study.head.plan;

    (void) state;
    read_keys_study(&study, "sweep:\n  first: {from: 0, to: 1}\n"
                            "  depth: {from: 1, to: 3, step: 1}\n  mode: [sync, async]\n"
                            "plan: {sensitivity: {points: 64, seed: 3}}\n");
    assert_int_equal(plan->num_samples, 64);
    assert_int_equal(study.head.num_points + plan->num_merged, 64 * 5);
    assert_true(plan->num_merged > 0);
    for (size_t j = 0; j < 64; j++) {
        const uint32_t *rows = &plan->sample_points[5 * j];

        for (size_t i = 0; i < 3; i++) {
            for (size_t k = 0; k < 3; k++) {
                assert_string_equal(
                    text_at(&study, rows[i + 2], k), text_at(&study, rows[i == k ? 1 : 0], k));
            }
        }
    }
    spot_study_free(&study);
}

/* ---- Conditions ---- */

/* 1 h and the 60 min that a range makes are one value; the points that where leaves
 * without a partner are told apart from a study that compares nothing. */
static void test_baseline_by_value(void **state)
{
    spot_study_t study;

    (void) state;
    read_keys_study(&study, "sweep: {pause: {from: 30 min, to: 90 min, step: 30 min}, "
                            "depth: [2, 8]}\n"
                            "where: depth < 8 or pause > 1 h\nbaseline: {pause: 1 h}\n");
    assert_true(study.head.has_baseline);
    assert_int_equal(study.head.baseline_value_id, 1);
    spot_study_free(&study);
    read_keys_study(&study, "sweep: {depth: [2, 8]}\nbaseline: {depth: 8.0}\n");
    assert_int_equal(study.head.baseline_value_id, 1);
    spot_study_free(&study);
    assert_refused("sweep: {depth: [2, 8]}\nbaseline: {depth: '8'}\n",
        "baseline: depth is never \"8\", it is 2 or 8");
    assert_refused("sweep: {depth: [2, 8]}\nbaseline: {depth: [8]}\n",
        "baseline: depth is never \"that\", it is 2 or 8");
    assert_refused("sweep: {depth: [2, 8]}\nwhere: depth > 2\nbaseline: {depth: 2}\n",
        "baseline: nothing to compare");
}

/* Values are found however they are written; the metric is kept and shown. */
static void test_best(void **state)
{
    spot_study_t study;

    (void) state;
    read_keys_study(&study, "sweep: {pause: [30 min, 1 h, 2 h], depth: [2, 8]}\n"
                            "best: {key: pause, minimise: sum, except: [60 min]}\n");
    assert_true(study.head.best.is_asked);
    assert_false(study.head.best.is_maximised);
    assert_int_equal(study.head.best.axis_id, 0);
    assert_string_equal(study.head.metrics[study.head.best.metric_id].name, "sum");
    assert_true(study.head.best.metric_id < study.head.num_listed);
    assert_false(study.head.best.is_left_out[0]);
    assert_true(study.head.best.is_left_out[1]);
    assert_false(study.head.best.is_left_out[2]);
    spot_study_free(&study);
    assert_refused("sweep: {depth: [2, 8]}\nbest: {maximise: sum}\n", "missing key \"best.key\"");
    assert_refused("sweep: {depth: [2, 8]}\nbest: {key: pause, maximise: sum}\n",
        "best.key: \"pause\" is not swept");
    assert_refused(
        "sweep: {depth: [2, 8]}\nbest: {key: depth}\n", "best: needs either minimise or maximise");
    assert_refused("sweep: {depth: [2, 8]}\nbest: {key: depth, minimise: sum, maximise: sum}\n",
        "best: needs either minimise or maximise");
    assert_refused("sweep: {depth: [2, 8]}\nbest: {key: depth, maximise: sun}\n",
        "best.maximise: unknown metric \"sun\"");
    assert_refused("sweep: {depth: [2, 8, 9]}\nbest: {key: depth, maximise: sum, except: [4]}\n",
        "best.except: depth never has this value");
    assert_refused("sweep: {depth: [2, 8]}\nbest: {key: depth, maximise: sum, except: [8]}\n",
        "best: expected two values of depth or more that compete");
    assert_refused("sweep: {depth: [2, 8]}\nbest: {key: depth, maximise: sum, except: 8}\n",
        "best.except: expected a list of values of the key");
    assert_refused("sweep: {first: {from: 0, to: 1}}\nplan: {sobol: {points: 4}}\n"
                   "best: {key: first, maximise: sum}\n",
        "best: a sobol plan has no points that differ in one key only");
}

/* The points are those of the whole grid for which it holds, in order; combinations that
 * cannot be bound need not be, and what is not swept has its default. */
static void test_where(void **state)
{
    spot_study_t study;
    size_t num_kept = 0;

    (void) state;
    read_keys_study(&study, "sweep:\n  depth: [2, 8, 12, 16]\n  limit: [4, 12]\n"
                            "  pause: [1 s, 2 min]\n"
                            "where: [depth <= limit, pause < 1 min or depth * size > 20]\n");
    for (int64_t j = 0; j < 16; j++) {
        static const int64_t depths[] = {2, 8, 12, 16}, limits[] = {4, 12};
        const int64_t depth = depths[j / 4], limit = limits[j / 2 % 2];
        const int64_t pause_ms = j % 2 == 0 ? 1000 : 120000;

        if (depth <= limit && (pause_ms < 60000 || depth * 3 > 20)) {
            assert_int_equal(keys_at(&study, num_kept)->depth, depth);
            assert_int_equal(keys_at(&study, num_kept)->limit, limit);
            assert_int_equal(keys_at(&study, num_kept)->pause_ms, pause_ms);
            num_kept++;
        }
    }
    assert_int_equal(study.head.num_points, num_kept);
    assert_int_equal(study.head.plan.num_excluded, 16 - num_kept);
    spot_study_free(&study);
    assert_refused("sweep:\n  depth: [2, 8, 12, 16]\n  limit: [4, 12]\n", "depth is above limit");
}

static void test_where_excludes_nothing(void **state)
{
    spot_study_t study;

    (void) state;
    read_keys_study(&study, "sweep: {depth: [2, 8]}\nwhere: depth < 9\n");
    assert_int_equal(study.head.num_points, 2);
    assert_null(study.head.value_ids);
    assert_int_equal(study.head.plan.num_excluded, 0);
    spot_study_free(&study);
}

/* A key within a swept map has the value that it has there, or its default. */
static void test_where_in_maps(void **state)
{
    spot_study_t study;

    (void) state;
    read_keys_study(&study, "sweep: {box: [{size: 2}, {}, {size: 7}], mode: [sync, async]}\n"
                            "where: [box.size >= 3, \"mode == 'sync'\"]\n");
    assert_int_equal(study.head.num_points, 2);
    assert_int_equal(keys_at(&study, 0)->box.size, 3);
    assert_int_equal(keys_at(&study, 1)->box.size, 7);
    assert_int_equal(keys_at(&study, 1)->mode, 0);
    spot_study_free(&study);
}

static void test_where_of_designs(void **state)
{
    spot_study_t study;

    (void) state;
    read_keys_study(&study, "sweep: {first: {from: 0, to: 1}, second: {from: 0, to: 1}}\n"
                            "plan: {sobol: {points: 64}}\nwhere: first < second\n");
    assert_int_equal(study.head.num_points + study.head.plan.num_excluded, 64);
    assert_in_range(study.head.num_points, 24, 40);
    for (size_t j = 0; j < study.head.num_points; j++) {
        assert_true(keys_at(&study, j)->first < keys_at(&study, j)->second);
    }
    spot_study_free(&study);
}

static void test_where_refused(void **state)
{
    (void) state;
    assert_refused("sweep: {depth: [2, 8]}\nwhere: dpth > 0\n", "did you mean \"depth\"?");
    assert_refused(
        "sweep: {depth: [2, 8]}\nwhere: limit / (depth - 8) > 0\n", "division by zero at depth 8");
}

/* ---- Old plans ---- */

/* A value more changes no text of the points that were there. */
static void test_grid_grows(void **state)
{
    spot_study_t few, many;

    (void) state;
    read_keys_study(&few, "sweep: {depth: [2, 8], pause: [1 s, 2 s]}\n");
    read_keys_study(&many, "sweep: {depth: [2, 8, 4], pause: [1 s, 3 s, 2 s]}\n");
    for (size_t j = 0; j < few.head.num_points; j++) {
        bool is_there = false;

        for (size_t k = 0; k < many.head.num_points; k++) {
            is_there = is_there || (strcmp(text_at(&few, j, 0), text_at(&many, k, 0)) == 0 &&
                                       strcmp(text_at(&few, j, 1), text_at(&many, k, 1)) == 0);
        }
        assert_true(is_there);
    }
    spot_study_free(&few);
    spot_study_free(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zip),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_repeated_points),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_log_range),
        cmocka_unit_test(test_log_steps),
        cmocka_unit_test(test_strata),
        cmocka_unit_test(test_drawn_values),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_prefix),
        cmocka_unit_test(test_merged),
        cmocka_unit_test(test_sensitivity_design),
        cmocka_unit_test(test_baseline_by_value),
        cmocka_unit_test(test_best),
        cmocka_unit_test(test_where),
        cmocka_unit_test(test_where_excludes_nothing),
        cmocka_unit_test(test_where_in_maps),
        cmocka_unit_test(test_where_of_designs),
        cmocka_unit_test(test_where_refused),
        cmocka_unit_test(test_grid_grows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
