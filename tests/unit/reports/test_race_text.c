/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of a race in words, for every way in which one ends. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/race_report.h"

#define NUM_POINTS 4

static char metric_name[] = "usd", key_name[] = "job.every", unit[] = "s";
static char limit_text[] = "lost <= 0.1", limited_name[] = "lost";
static char value_texts[NUM_POINTS][8] = {"10 s", "20 s", "30 s", "40 s"};

/* Four points of one key; 20 s is best, 30 s may be. */
typedef struct {
    spot_study_head_t head;
    spot_metric_t metrics[2];
    spot_axis_t axis;
    char *texts[NUM_POINTS];
    double numbers[NUM_POINTS];
    spot_constraint_t constraint;
    size_t constraint_id;
    spot_estimate_t limited[NUM_POINTS];
    spot_runner_t runners[NUM_POINTS];
    spot_race_range_t range;
    spot_race_answer_t answer;
} sample_t;

static void set_fate(sample_t *self, size_t point_id, spot_fate_t fate)
{
    spot_race_answer_t *answer = &self->answer;

    answer->num_points[self->runners[point_id].fate]--;
    answer->num_points[fate]++;
    self->runners[point_id].fate = fate;
    answer->race.num_racing = answer->num_points[SPOT_FATE_RACING];
}

static void setup_head(sample_t *self)
{
    self->metrics[0] = (spot_metric_t){.name = metric_name, .unit = "USD"};
    self->metrics[1] = (spot_metric_t){.name = limited_name, .unit = "1"};
    self->constraint_id = 1;
    self->constraint = (spot_constraint_t){
        .metric = limited_name, .text = limit_text, .limit = 0.1, .is_upper = true};
    for (size_t j = 0; j < NUM_POINTS; j++) {
        self->texts[j] = value_texts[j];
        self->numbers[j] = 10 * (double) (j + 1);
    }
    self->axis = (spot_axis_t){.path = key_name,
        .num_values = NUM_POINTS,
        .texts = self->texts,
        .numbers = self->numbers,
        .unit = unit};
    self->head = (spot_study_head_t){.batch_replications = 64,
        .num_replications = 1000,
        .optimise = {.metric = metric_name,
            .confidence = 0.95,
            .indifference = 0.01,
            .num_constraints = 1,
            .constraints = &self->constraint},
        .num_axes = 1,
        .axes = &self->axis,
        .num_points = NUM_POINTS,
        .num_metrics = 2,
        .metrics = self->metrics};
}

static void add_row(sample_t *self, size_t point_id, double value)
{
    const double row[2] = {value, 0.25 * (double) (point_id + 1)};

    assert_int_equal(spot_estimate_add(&self->runners[point_id].estimate, row), 0);
    assert_int_equal(spot_estimate_add(&self->limited[point_id], row), 0);
}

static void setup(sample_t *self)
{
    memset(self, 0, sizeof(*self));
    setup_head(self);
    self->answer = (spot_race_answer_t){.race = {.head = &self->head,
                                            .num_rows = 640,
                                            .is_over = true,
                                            .has_best = true,
                                            .best_id = 1,
                                            .constraint_ids = &self->constraint_id,
                                            .runners = self->runners},
        .num_points = {NUM_POINTS},
        .num_runs = 1408,
        .num_runs_of_grid = 2560,
        .num_runs_of_plan = 4000,
        .regret = 0.05,
        .sureness = 0.75,
        .ranges = &self->range};
    for (size_t j = 0; j < NUM_POINTS; j++) {
        self->runners[j].is_feasible = true;
        self->runners[j].constrained = &self->limited[j];
        spot_estimate_init(&self->limited[j], &self->head, 1);
        spot_estimate_init(&self->runners[j].estimate, &self->head, 0);
        add_row(self, j, 9.9);
        add_row(self, j, 10.1);
    }
    set_fate(self, 0, SPOT_FATE_DOMINATED);
    set_fate(self, 3, SPOT_FATE_INFEASIBLE);
    self->runners[2].gain = 0.05;
    self->range = (spot_race_range_t){.is_numeric = true,
        .num_values = NUM_POINTS,
        .num_racing = 2,
        .low_id = 1,
        .high_id = 2,
        .below_id = 0,
        .above_id = 3};
}

static void assert_outcome(const spot_race_answer_t *answer, const char *outcome)
{
    char *text = NULL, expected[64];
    size_t num_bytes = 0;
    FILE *out = open_memstream(&text, &num_bytes);
    spot_json_t json;

    assert_non_null(out);
    spot_json_init(&json, out, 0);
    spot_race_json_write(answer, &json);
    assert_int_equal(fclose(out), 0);
    snprintf(expected, sizeof(expected), "\"outcome\": \"%s\"", outcome);
    assert_non_null(strstr(text, expected));
    free(text);
}

static void assert_text(const sample_t *self, const char *outcome, const char *expected)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&text, &num_bytes);
    const spot_terminal_t terminal = {80, false, true};
    spot_document_t document;

    assert_non_null(out);
    spot_document_to_terminal(&document, &terminal, out);
    spot_race_text_write(&self->answer, &document);
    assert_int_equal(spot_document_end(&document), 0);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, expected);
    free(text);
    assert_outcome(&self->answer, outcome);
}

#define KEPT "  lost 0.5; lost <= 0.1\n"
#define NEAREST "  nearest: lost 0.25; lost <= 0.1, at job.every = 10 s\n"
#define YES(num) "yes: " num " of 4 points are shown to keep lost <= 0.1\n"
#define SEVERAL(value, regret)                                                                     \
    "2 points may be the best: the lowest estimate of them is " value ", at job.every = 20 s\n"    \
    "  with 95 % confidence no point of the plan that keeps the limits is better by "              \
    "more than " regret "\n"
#define BEST(regret) YES("3") SEVERAL("usd 10.0 ±1.3 USD", regret)
#define FATES "2 of 4 points may be the best, 2 are out: 1 dominated, 1 infeasible\n"
#define RANGE "  job.every: 20 s to 30 s; between 10 s and 40 s if the curve has one optimum\n"
#define RUNS                                                                                       \
    "1408 runs, 55 % of a full grid with 640 replications each (35 % of one with the "             \
    "maximum, 1000)\n"

static void test_decided(void **state)
{
    sample_t self;

    (void) state;
    setup(&self);
    assert_text(&self, "decided", BEST("0.05 (0.5 %)") FATES RANGE RUNS);
}

static void test_undecided(void **state)
{
    sample_t self;

    (void) state;
    setup(&self);
    self.answer.regret = self.runners[2].gain = 0.2;
    assert_text(&self, "open",
        YES("3") "640 replications, the maximum, do not tell the points that may be the best "
                 "apart to 1 %; raise replications.max or optimise.indifference\n" SEVERAL(
                     "usd 10.0 ±1.3 USD", "0.2 (2 %)") FATES RANGE RUNS);
}

static void test_one_is_left(void **state)
{
    sample_t self;

    (void) state;
    setup(&self);
    set_fate(&self, 2, SPOT_FATE_UNDEFINED);
    self.answer.regret = 0;
    self.range.num_racing = 1;
    self.range.high_id = 1;
    self.range.below_id = SPOT_NO_VALUE;
    self.range.above_id = 2;
    assert_text(&self, "decided",
        YES("2") "best: job.every = 20 s\n  usd 10.0 ±1.3 USD\n" KEPT
                 "  with 95 % confidence no point of the plan that keeps the limits is better\n"
                 "1 of 4 points may be the best, 3 are out: 1 dominated, 1 infeasible, 1 "
                 "undefined\n"
                 "  job.every: 20 s; below 30 s, perhaps beyond the plan, if the curve has one "
                 "optimum\n" RUNS);
}

static void test_undecided_constraints(void **state)
{
    sample_t self;

    (void) state;
    setup(&self);
    self.runners[2].is_feasible = false;
    self.answer.num_undecided = 1;
    assert_text(&self, "decided",
        YES("2") SEVERAL(
            "usd 10.0 ±1.3 USD", "0.05 (0.5 %)") "2 of 4 points may be the best (1 of them if the "
                                                 "constraints hold there), 2 are "
                                                 "out: 1 dominated, 1 infeasible\n" RANGE RUNS);
    add_row(&self, 2, 9); /* what is cheaper is open */
    assert_text(&self, "decided",
        YES("2") "2 points may be the best: the lowest estimate of those shown to keep the limits "
                 "is usd 10.0 ±1.3 USD, at job.every = 20 s\n"
                 "  with 95 % confidence no point of the plan that keeps the limits is better by "
                 "more than 0.05 (0.5 %)\n"
                 "2 of 4 points may be the best (1 of them if the constraints hold there), 2 are "
                 "out: 1 dominated, 1 infeasible\n" RANGE RUNS);
    self.answer.race.has_best = false;
    self.runners[0].is_feasible = self.runners[1].is_feasible = false;
    assert_text(&self, "unknown",
        "undecided: no point is shown to keep lost <= 0.1, 2 may: those left are too near the "
        "limit; raise replications.max\n" NEAREST FATES RANGE RUNS);
}

static void test_no_answer(void **state)
{
    sample_t self;

    (void) state;
    setup(&self);
    self.answer.race.has_best = false;
    self.range.num_racing = 0;
    for (size_t j = 0; j < NUM_POINTS; j++) {
        set_fate(&self, j, SPOT_FATE_INFEASIBLE);
    }
    assert_text(&self, "infeasible",
        "no: no point keeps lost <= 0.1\n" NEAREST
        "0 of 4 points may be the best, 4 are out: 4 infeasible\n" RUNS);
    set_fate(&self, 1, SPOT_FATE_UNDEFINED);
    assert_text(&self, "undefined",
        "no: a metric is null too often at 1 point, the others do not keep "
        "lost <= 0.1\n" NEAREST
        "0 of 4 points may be the best, 4 are out: 3 infeasible, 1 undefined\n" RUNS);
}

static void test_unfinished(void **state)
{
    sample_t self;

    (void) state;
    setup(&self);
    self.answer.race.is_over = false;
    assert_text(&self, "unfinished",
        YES("3") "2 points may be the best so far: the lowest estimate of them is usd 10.0 ±1.3 "
                 "USD, at job.every = 20 s\n"
                 "  with 95 % confidence no point of the plan that keeps the limits is better by "
                 "more than 0.05 (0.5 %)\n" FATES RANGE RUNS);
}

/* Values without an order have no neighbours. */
static void test_texts_as_values(void **state)
{
    sample_t self;

    (void) state;
    setup(&self);
    self.range.is_numeric = false;
    assert_text(&self, "decided", BEST("0.05 (0.5 %)") FATES "  job.every: 2 of 4 values\n" RUNS);
}

/* Nothing varies at a fixed point; a duration has the unit of people, and so has what it
 * may be better by. */
static void test_fixed_points_and_durations(void **state)
{
    spot_point_kind_t kind = {.is_fixed = true};
    uint32_t kind_ids[NUM_POINTS] = {0};
    sample_t self;

    (void) state;
    setup(&self);
    self.metrics[0].unit = "h";
    self.metrics[0].kind = SPOT_METRIC_TIME;
    assert_text(
        &self, "decided", YES("3") SEVERAL("usd 10.0 ±1.3 h", "0.05 h (0.5 %)") FATES RANGE RUNS);
    self.head.num_kinds = 1;
    self.head.kinds = &kind;
    self.head.kind_ids = kind_ids;
    self.metrics[0].unit = "s";
    add_row(&self, 1, 2e5 - 20);
    assert_text(
        &self, "decided", YES("3") SEVERAL("usd 18.5185 h", "0.05 s (7.5e-05 %)") FATES RANGE RUNS);
}

/* Where a neighbour is out for another reason there is no word of the optimum. */
static void test_limited(void **state)
{
    sample_t self;

    (void) state;
    setup(&self);
    self.range.below_id = self.range.above_id = SPOT_NO_VALUE;
    assert_text(&self, "decided", BEST("0.05 (0.5 %)") FATES "  job.every: 20 s to 30 s\n" RUNS);
    self.range.is_limited = true;
    assert_text(&self, "decided",
        BEST("0.05 (0.5 %)") FATES "  job.every: 20 s to 30 s; limited by lost <= 0.1\n" RUNS);
}

static void test_constant(void **state)
{
    sample_t self;

    (void) state;
    setup(&self);
    self.answer.num_constant = 2;
    self.answer.race.num_rows = 64;
    self.answer.num_runs = self.answer.num_runs_of_grid = 256;
    assert_text(&self, "decided",
        YES("3") "2 of the points left had the same value, or difference to the best, in all 64 "
                 "replications: what is rarer than 1 in 21 may be missing; raise "
                 "replications.min\n" SEVERAL("usd 10.0 ±1.3 USD", "0.05 (0.5 %)") FATES RANGE
        "256 runs, 100 % of a full grid with 64 replications each (6.4 % of one with "
        "the maximum, 1000)\n");
}

static void test_runs_up_to_the_maximum(void **state)
{
    sample_t self;

    (void) state;
    setup(&self);
    self.answer.race.num_rows = 1000;
    self.answer.num_runs = 10;
    self.answer.num_runs_of_grid = self.answer.num_runs_of_plan;
    assert_text(&self, "decided",
        BEST("0.05 (0.5 %)") FATES RANGE
        "10 runs, 0.25 % of a full grid with 1000 replications each\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decided),
        cmocka_unit_test(test_undecided),
        cmocka_unit_test(test_one_is_left),
        cmocka_unit_test(test_undecided_constraints),
        cmocka_unit_test(test_no_answer),
        cmocka_unit_test(test_unfinished),
        cmocka_unit_test(test_texts_as_values),
        cmocka_unit_test(test_fixed_points_and_durations),
        cmocka_unit_test(test_limited),
        cmocka_unit_test(test_constant),
        cmocka_unit_test(test_runs_up_to_the_maximum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
