/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/reports/sample.h"
#include "tests/unit/reports/side_by_side_case.h"

/* What has moved is counted by direction, from what the tables mark. */
static void test_answer(void **state)
{
    two_case_t self;
    char *answer;

    (void) state;
    two_begin(&self, 40, 40);
    two_compare(&self);
    answer = two_answer(&self);
    assert_string_equal(answer,
        "B differs from A: job.reload was 47 s, is 60 s. Of the 22 points that both "
        "have, idle time differs surely at none.");
    free(answer);
    for (size_t j = 0; j < 5; j++) {
        spot_metric_change_t *change =
            &self.two.changes[j * self.two.num_metrics + self.two.main_id];

        change->is_marked = true;
        change->difference = j < 3 ? 0.1 * (double) (j + 1) : -0.02;
    }
    answer = two_answer(&self);
    assert_non_null(strstr(answer,
        "Of the 22 points that both have, idle time in B is surely higher at 3 by 10 to "
        "30 percentage points and lower at 2 by 2.0 percentage points."));
    free(answer);
    two_end(&self);
}

static void assert_basis(const two_case_t *self, const char *words)
{
    spot_texts_t texts = {0};

    assert_string_equal(spot_side_by_side_basis(&self->two, &texts), words);
    assert_int_equal(texts.error, 0);
    spot_texts_free(&texts);
}

/* Differences that are not there rest on no samples. */
static void test_basis_of_undefined(void **state)
{
    two_case_t self;

    (void) state;
    two_begin(&self, 20, 20);
    two_compare(&self);
    for (size_t j = 0; j < self.two.match.num_pairs; j++) {
        spot_metric_change_t *change = &self.two.changes[j * self.two.num_metrics + 6];

        *change = (spot_metric_change_t){.difference = (double) NAN};
    }
    assert_basis(&self, "differences within 20 pairs of replications");
    self.two.changes[6].difference = 0;
    assert_basis(&self, "differences within 20 pairs of replications, some of independent samples");
    self.two.changes[6].difference = (double) NAN;
    self.two.changes[6].num_pairs = 3; /* as of a metric that overflows */
    assert_basis(&self, "differences within 20 pairs of replications");
    two_end(&self);
}

/* A study of one point. */
typedef struct {
    int64_t num_rows; /* at most 50 */
    bool has_values;
} plain_t;

static void open_plain(two_case_t *self, int side, const plain_t *plain)
{
    double values[50];
    const spot_piece_t piece = {0, 0, (size_t) plain->num_rows, values, NULL};
    spot_study_head_t *head = &self->heads[side];

    for (int j = 0; j < 50; j++) {
        values[j] = plain->has_values ? j % 7 + side : (double) NAN;
    }
    sample_plain_head(head, plain->num_rows > 0 ? plain->num_rows : 20);
    assert_int_equal(spot_store_open_memory(&self->stores[side], head), 0);
    assert_int_equal(self->stores[side]->put(self->stores[side], &piece), 0);
    self->reports[side] = sample_report(self->stores[side]);
    self->sides[side].report = &self->reports[side];
    self->sides[side].canonical = "tick: 5 s\n";
    self->sides[side].path = side == SPOT_BEFORE ? "before.db" : "after.db";
}

static void compare_plain(two_case_t *self, const plain_t *before, const plain_t *after)
{
    memset(self, 0, sizeof(*self));
    open_plain(self, SPOT_BEFORE, before);
    open_plain(self, SPOT_AFTER, after);
    assert_int_equal(spot_side_by_side_init(&self->two, self->sides), 0);
}

static void test_basis_without_values(void **state)
{
    static const plain_t none = {50, false}, some = {50, true};
    two_case_t self;

    (void) state;
    compare_plain(&self, &none, &some);
    assert_basis(&self, "no metric has a value in both at any point");
    two_end(&self);
}

static void assert_answered(const two_case_t *self, const char *words)
{
    char *answer = two_answer(self);

    if (strstr(answer, words) == NULL) {
        fail_msg("'%s' does not say '%s'", answer, words);
    }
    free(answer);
}

/* What has no value in both is not counted as a point without a difference. */
static void test_answer_of_undefined(void **state)
{
    static const plain_t none = {20, false}, some = {20, true};
    two_case_t self;

    (void) state;
    compare_plain(&self, &none, &none);
    assert_answered(&self, " Wait has no value at any point that both have.");
    self.heads[SPOT_BEFORE].metrics[0].label = "number of steps kept";
    assert_answered(&self, " Number of steps kept has no value at any point that both have.");
    two_end(&self);
    compare_plain(&self, &none, &some);
    assert_answered(&self, " At no point that both have is there a value of wait in both.");
    two_end(&self);
    two_begin(&self, 4, 4);
    two_compare(&self);
    for (size_t j = 0; j < 20; j++) {
        self.two.changes[j * self.two.num_metrics + self.two.main_id].difference = (double) NAN;
    }
    assert_answered(&self, " Of the 2 points of 22 at which both have a value, idle time "
                           "differs surely at none.");
    two_end(&self);
}

/* The dots of a cut are the end of a sentence. */
static void test_answer_cut(void **state)
{
    char value[200], canonical[300];
    two_case_t self;

    (void) state;
    memset(value, 'x', sizeof(value) - 1);
    value[sizeof(value) - 1] = '\0';
    snprintf(canonical, sizeof(canonical), "job:\n  reload: %s\ntick: 5 s\n", value);
    two_begin(&self, 4, 4);
    self.sides[SPOT_AFTER].canonical = canonical;
    two_compare(&self);
    assert_int_equal(self.two.num_sentences, 1);
    assert_answered(&self, "xxx… Of the 22 points");
    two_end(&self);
    snprintf(canonical, sizeof(canonical), "a: 1\nb: 1\njob:\n  reload: %s\ntick: 6 s\n", value);
    two_begin(&self, 4, 4);
    self.sides[SPOT_AFTER].canonical = canonical;
    two_compare(&self);
    assert_int_equal(self.two.num_sentences, 4);
    assert_answered(&self, "; and in 1 more. Of the 22 points");
    assert_answered(&self, "…; and");
    two_end(&self);
}

/* Of a store without replications it is said once that it has none. */
static void test_no_replications(void **state)
{
    static const plain_t none = {0, true}, some = {20, true};
    two_case_t self;

    (void) state;
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        char *text;

        compare_plain(
            &self, side == SPOT_BEFORE ? &none : &some, side == SPOT_BEFORE ? &some : &none);
        text = two_text(&self, 100);
        assert_non_null(strstr(text, "the same scenario and the same points"));
        assert_non_null(
            strstr(text, side == SPOT_BEFORE ? "\nA has no replications yet: there is"
                                             : "\nB has no replications yet: there is"));
        assert_null(strstr(text, "were there"));
        free(text);
        two_end(&self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answer),
        cmocka_unit_test(test_basis_of_undefined),
        cmocka_unit_test(test_basis_without_values),
        cmocka_unit_test(test_answer_of_undefined),
        cmocka_unit_test(test_answer_cut),
        cmocka_unit_test(test_no_replications),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
