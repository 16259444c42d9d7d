/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be chosen for a training job: the sizes of its fleet, whole pipelines on
 * demand, and what a job that runs has had so far. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"
#include "sim/train/advice.h"
#include "sim/train/experiment.h"

#define HOUR INT64_C(3600000)

/* A job whose least fleet is small, on a large fleet. */
#define JOB                                                                                        \
    "scenario: x\nhorizon: 1 h\n"                                                                  \
    "fleet: {capacity: 32, initial: 32, price: {spot: "                                            \
    "[{from: 0 s, usd_per_h: 1}, {from: 2 h, usd_per_h: 2}, {from: 5 h, usd_per_h: "               \
    "3}, {from: 9 h, usd_per_h: 4}], on_demand: 7, currency: EUR}}\n"                              \
    "job: {pipeline_depth: 3, step_time: {3: 20 s, 6: 12 s, 12: 8 s, 36: 8 s}}\n"                  \
    "trace: {generator: seed, preemption: {per_minute: 0.1, count: {fixed: 1}},\n"                 \
    "  addition: {per_minute: 0.1, count: {fixed: 1}}}\n"

typedef struct {
    spot_diag_t diag;
    spot_yaml_t document;
    void *scenario;
    spot_alternatives_t all;
} case_t;

/* change: "KEY=VALUE" of the job, or NULL. */
static void ask_changed(case_t *self, const spot_advice_question_t *question, const char *change)
{
    *self = (case_t){.scenario = NULL};
    spot_diag_init(&self->diag);
    assert_int_equal(
        spot_yaml_parse(&self->document, "job.yaml", JOB, strlen(JOB), &self->diag), 0);
    if (change != NULL) {
        assert_int_equal(spot_yaml_assign(&self->document, "--set", change, &self->diag), 0);
    }
    assert_int_equal(spot_train_advice.pose(question, &self->document, &self->diag), 0);
    assert_int_equal(
        spot_train_experiment.bind(&self->scenario, self->document.root, NULL, &self->diag), 0);
    assert_int_equal(spot_train_advice.propose(
                         question, self->scenario, self->document.root, &self->all, &self->diag),
        0);
    assert_int_equal(self->all.error, 0);
}

static void ask(case_t *self, const spot_advice_question_t *question)
{
    ask_changed(self, question, NULL);
}

static void end(case_t *self)
{
    spot_alternatives_free(&self->all);
    spot_train_experiment.free(self->scenario);
    spot_yaml_free(&self->document);
    spot_diag_free(&self->diag);
}

/* The distinct sizes of a market, in order. */
static size_t sizes_of(const spot_alternatives_t *all, const char *kind, int64_t sizes[16])
{
    size_t num = 0;

    for (size_t j = 0; j < all->num_items; j++) {
        if (strcmp(all->items[j].kind, kind) == 0 &&
            (num == 0 || sizes[num - 1] != all->items[j].size)) {
            assert_true(num < 16);
            sizes[num++] = all->items[j].size;
        }
    }
    return num;
}

static void assert_sizes(
    const spot_alternatives_t *all, const char *kind, size_t num_expected, const int64_t *expected)
{
    int64_t sizes[16];

    assert_int_equal(sizes_of(all, kind, sizes), num_expected);
    for (size_t j = 0; j < num_expected; j++) {
        assert_int_equal(sizes[j], expected[j]);
    }
}

/* From the least fleet that can be in time to the largest, in ratios of (32/3)^(1/6);
 * on demand each rounded down to whole pipelines. 1,000 steps of 20 s take 5.6 h. */
static void test_sizes_start_at_the_least(void **state)
{
    const spot_advice_question_t question = {
        .num_steps = 1000, .finish_by_ms = 6 * HOUR, .budget = (double) INFINITY};
    static const int64_t spot[] = {3, 4, 7, 10, 15, 22, 32};
    static const int64_t on_demand[] = {3, 6, 9, 15, 21, 30};
    case_t advice;

    (void) state;
    ask(&advice, &question);
    assert_sizes(&advice.all, "spot", 7, spot);
    assert_sizes(&advice.all, "on demand", 6, on_demand);
    end(&advice);
}

/* 3 instances need 5.6 h, 6 need 3.3 h. */
static void test_sizes_follow_the_deadline(void **state)
{
    const spot_advice_question_t question = {
        .num_steps = 1000, .finish_by_ms = 4 * HOUR, .budget = (double) INFINITY, .max_fleet = 8};
    static const int64_t spot[] = {6, 7, 8}, on_demand[] = {6};
    case_t advice;

    (void) state;
    ask(&advice, &question);
    assert_sizes(&advice.all, "spot", 3, spot);
    assert_sizes(&advice.all, "on demand", 1, on_demand);
    end(&advice);
}

/* Above the largest measured size there is nothing to look at, and the answer can say
 * so, but where no pipelines form there. */
static void test_sizes_end_at_the_largest(void **state)
{
    const spot_advice_question_t question = {
        .num_steps = 1000, .finish_by_ms = 6 * HOUR, .budget = (double) INFINITY};
    static const int64_t measured[] = {3, 4, 5, 6, 8, 10, 12}, spares[] = {3, 4, 7, 10, 15, 22, 32};
    case_t advice;

    (void) state;
    ask_changed(&advice, &question, "job.step_time={3: 20 s, 12: 8 s}");
    assert_sizes(&advice.all, "spot", 7, measured);
    assert_int_equal(advice.all.largest_known, 12);
    assert_string_equal(
        advice.all.why_not_larger, "larger than 12 was not looked at: no step time is known there");
    end(&advice);
    ask_changed(&advice, &question,
        "job={pipeline_depth: 3, max_pipelines: 4, step_time: "
        "{3: 20 s, 12: 8 s}}");
    assert_sizes(&advice.all, "spot", 7, spares);
    assert_int_equal(advice.all.largest_known, 0);
    assert_null(advice.all.why_not_larger);
    end(&advice);
}

/* Below the smallest measured size the work of it is shared: 3 of 12 instances take 32 s
 * and are too slow for 6 h, 6 take 16 s. */
static void test_sizes_below_are_slow(void **state)
{
    const spot_advice_question_t question = {
        .num_steps = 1000, .finish_by_ms = 6 * HOUR, .budget = (double) INFINITY, .max_fleet = 12};
    static const int64_t on_demand[] = {6, 9, 12}, flat[] = {3, 6, 9, 12};
    case_t advice;

    (void) state;
    ask_changed(&advice, &question, "job.step_time={12: 8 s}");
    assert_sizes(&advice.all, "on demand", 3, on_demand);
    end(&advice);
    ask_changed(&advice, &question, "job={pipeline_depth: 3, outside: flat, step_time: {12: 8 s}}");
    assert_sizes(&advice.all, "on demand", 4, flat);
    end(&advice);
}

/* The sizes that a fleet may have and that were not measured, by what it has for
 * certain. */
static void test_sizes_that_were_not_measured(void **state)
{
    static const char *const cases[][2] = {
        {"job.step_time={3: 20 s, 32: 8 s}", NULL},
        {"job.step_time={6: 12 s, 12: 8 s, 30: 8 s}", "size 3 (measured: 6, 12, 30)"},
        {"job.step_time={9: 12 s, 30: 8 s}", "sizes 3 and 6 (measured: 9, 30)"},
        {"job.step_time={12: 12 s, 21: 8 s}", "sizes 3 to 9 and 24 to 30 (measured: 12, 21)"},
        {"job.step_time={3: 12 s, 29: 8 s}", "size 30 (measured: 3, 29)"},
        {"job={pipeline_depth: 3, max_pipelines: 9, step_time: {3: 12 s, 29: 8 s}}", NULL},
        {"recovery={system: on-demand, instances: 8}", NULL},
        {"recovery={system: on-demand, instances: 5}", "size 3 (measured: 6)"},
        {"fleet.on_demand=10", "sizes 39 and 42 (measured: 3, 6, 12, 36)"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const spot_outputs_t *outputs;
        spot_yaml_t document;
        spot_diag_t diag;
        void *scenario;

        spot_diag_init(&diag);
        assert_int_equal(spot_yaml_parse(&document, "job.yaml", JOB, strlen(JOB), &diag), 0);
        if (strstr(cases[j][0], "instances") != NULL) {
            assert_int_equal(
                spot_yaml_assign(&document, "--set", "job.step_time={6: 12 s}", &diag), 0);
        }
        assert_int_equal(spot_yaml_assign(&document, "--set", cases[j][0], &diag), 0);
        assert_int_equal(spot_train_experiment.bind(&scenario, document.root, NULL, &diag), 0);
        outputs = spot_train_experiment.outputs(scenario);
        if (cases[j][1] == NULL) {
            assert_null(outputs->beyond.metric);
        } else {
            const char start[] = "rests on step times that were not measured: ";

            assert_string_equal(outputs->beyond.metric, "unmeasured_fraction");
            assert_memory_equal(outputs->beyond.words, start, strlen(start));
            assert_string_equal(outputs->beyond.words + strlen(start), cases[j][1]);
            assert_true(outputs->beyond.most == 0.01 && !outputs->beyond.only_warns);
        }
        spot_train_experiment.free(scenario);
        spot_yaml_free(&document);
        spot_diag_free(&diag);
    }
}

/* Nothing is in time: the largest fleet alone, on demand what it has room for. */
static void test_no_size_is_in_time(void **state)
{
    const spot_advice_question_t question = {
        .num_steps = 1000, .finish_by_ms = 1 * HOUR, .budget = (double) INFINITY, .max_fleet = 31};
    static const int64_t spot[] = {31}, on_demand[] = {30};
    case_t advice;

    (void) state;
    ask(&advice, &question);
    assert_sizes(&advice.all, "spot", 1, spot);
    assert_sizes(&advice.all, "on demand", 1, on_demand);
    end(&advice);
}

/* After six hours: what the job so far has cost, and prices that are twice as high from
 * now on. */
static void test_so_far(void **state)
{
    spot_advice_question_t question = {.num_steps = 1000,
        .finish_by_ms = 24 * HOUR,
        .budget = (double) INFINITY,
        .is_running = true,
        .progress = 10,
        .elapsed_ms = 6 * HOUR,
        .running = 4};
    const spot_scenario_t *scenario;
    char path[PATH_BYTES], *dearer = NULL;
    size_t num_bytes;
    case_t advice;
    FILE *out;

    (void) state;
    temporary_path("so-far.csv", path);
    write_file(path, "# spotsim-trace: 1\n# name: so far\n# start: unknown\n"
                     "# resolution_s: 1\n# kind: counts\n# capacity: 32\n"
                     "time_s,event,count,instances\n"
                     "0,init,5,\n7200,preempt,1,\n21600,end,4,\n");
    question.now_path = path;
    ask(&advice, &question);
    scenario = advice.scenario;
    assert_int_equal(scenario->so_far.elapsed_ms, 6 * HOUR);
    assert_true(fabs(scenario->so_far.paid_usd - (5 * 2 + 4 * (3 * 2 + 3))) < 1e-9);
    assert_int_equal(scenario->deadline_ms, 18 * HOUR);
    assert_int_equal(scenario->until_steps, 990);
    assert_int_equal(scenario->fleet.initial, 4);
    assert_string_equal(advice.all.items[0].kind, SPOT_ADVICE_AS_IT_IS);
    assert_int_equal(advice.all.items[0].played_ms, 6 * HOUR);
    assert_non_null(strstr(advice.all.items[0].point, "so_far: {trace: "));
    assert_int_equal(advice.all.items[1].played_ms, 0);
    assert_non_null(strstr(advice.all.items[1].point, "so_far: {elapsed: 6 h, paid_usd: 46}"));
    out = open_memstream(&dearer, &num_bytes);
    assert_non_null(out);
    assert_true(spot_train_doubts[1].change(scenario, advice.document.root, 2, out));
    assert_int_equal(fclose(out), 0);
    assert_string_equal(dearer, "fleet.price.spot: [{from: 0 s, usd_per_h: 1}, "
                                "{from: 2 h, usd_per_h: 2}, {from: 5 h, usd_per_h: 3}, "
                                "{from: 6 h, usd_per_h: 6}, {from: 9 h, usd_per_h: 8}]");
    free(dearer);
    end(&advice);
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_start_at_the_least),
        cmocka_unit_test(test_sizes_follow_the_deadline),
        cmocka_unit_test(test_sizes_end_at_the_largest),
        cmocka_unit_test(test_sizes_below_are_slow),
        cmocka_unit_test(test_sizes_that_were_not_measured),
        cmocka_unit_test(test_no_size_is_in_time),
        cmocka_unit_test(test_so_far),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
