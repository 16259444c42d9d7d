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

static void test_the_same_twice(void **state)
{
    two_case_t self;
    char *text;

    (void) state;
    two_begin(&self, 40, 40);
    self.sides[SPOT_AFTER].canonical = self.sides[SPOT_BEFORE].canonical;
    two_compare(&self);
    assert_int_equal(self.two.match.num_pairs, 22);
    assert_int_equal(self.two.num_sentences, 0);
    for (size_t j = 0; j < 22 * self.two.num_metrics; j++) {
        const spot_metric_change_t *change = &self.two.changes[j];

        assert_true(change->difference == 0);
        assert_true(change->half_width == 0 || change->means[SPOT_AFTER] == 0); /* hardly seen */
        assert_false(change->is_marked);
        assert_true(change->num_pairs > 1);
    }
    text = two_text(&self, 100);
    assert_non_null(strstr(text, "the same scenario and the same points"));
    assert_non_null(strstr(text, "0 of 22 points differ"));
    free(text);
    two_end(&self);
}

/* The depth of the first point of B is another one, its value texts are written another
 * way, and it has fewer replications. */
static void change_depth(spot_axis_t *axis)
{
    free(axis->texts[1]);
    axis->texts[1] = strdup("12");
    free(axis->texts[0]);
    axis->texts[0] = strdup("8.0");
    axis->numbers[1] = 12;
}

static void test_golden(void **state)
{
    static const int widths[] = {40, 80, 200};
    two_case_t self;

    (void) state;
    two_begin(&self, 40, 20);
    change_depth(&self.heads[SPOT_AFTER].axes[1]);
    two_compare(&self);
    assert_int_equal(self.two.match.num_pairs, 11);
    assert_int_equal(self.two.match.num_alone[SPOT_BEFORE], 11);
    assert_int_equal(self.two.match.num_alone[SPOT_AFTER], 11);
    for (size_t j = 0; j < 11 * self.two.num_metrics; j++) {
        const spot_metric_change_t *change = &self.two.changes[j];

        /* of the same replications, though A has more of them */
        assert_true(change->num_pairs <= 20);
        if (change->num_pairs > 0) {
            assert_true(fabs(change->means[SPOT_AFTER] - change->means[SPOT_BEFORE] -
                             change->difference) < 1e-9);
        }
    }
    for (size_t j = 0; j < 3; j++) {
        char *text = two_text(&self, widths[j]), name[64];

        snprintf(name, sizeof(name), "side-by-side-%d.txt", widths[j]);
        sample_assert_golden(name, text);
        free(text);
    }
    two_end(&self);
}

/* Another seed meets other events: samples are independent. */
static void test_other_seed(void **state)
{
    two_case_t self;
    char *text;

    (void) state;
    two_begin(&self, 40, 30);
    self.heads[SPOT_AFTER].seed = 2;
    two_compare(&self);
    for (size_t j = 0; j < self.two.match.num_pairs; j++) {
        const spot_metric_change_t *change = &self.two.changes[j * self.two.num_metrics];
        const spot_summary_t *before = spot_report_summary(&self.reports[0], j, 0),
                             *after = spot_report_summary(&self.reports[1], j, 0);

        assert_int_equal(change->num_pairs, 0);
        assert_true(change->difference == after->value - before->value);
        if (before->std > 0) {
            assert_true(change->half_width > 0);
            /* between that of the wider sample and the sum of both */
            assert_true(
                change->half_width > fmax(change->half_widths[0], change->half_widths[1]) * 0.9);
            assert_true(change->half_width < change->half_widths[0] + change->half_widths[1]);
        }
    }
    text = two_text(&self, 100);
    assert_non_null(strstr(text, "replications.seed was 1, is 2"));
    assert_non_null(strstr(text, "independent samples: the seeds differ"));
    free(text);
    two_end(&self);
}

/* Metrics in another order, one with another unit, one that B does not have. */
static void test_metrics(void **state)
{
    two_case_t self;
    char *text;

    (void) state;
    two_begin(&self, 10, 10);
    self.heads[SPOT_AFTER].metrics[5].unit = "1/min";
    self.heads[SPOT_AFTER].metrics[3].name = "else_fraction";
    two_compare(&self);
    assert_int_equal(self.two.num_metrics, 5);
    assert_string_equal(
        spot_side_by_side_metric(&self.two, self.two.main_id)->name, "idle_fraction");
    text = two_text(&self, 100);
    assert_non_null(strstr(text, "preempted_per_h was in 1/h, is in 1/min"));
    assert_non_null(strstr(text, "reloading_fraction is kept in A only"));
    assert_non_null(strstr(text, "else_fraction is kept in B only"));
    free(text);
    two_end(&self);
}

/* Nulls are left out of pairs; where nothing is there, nothing is told. */
static void test_nulls(void **state)
{
    two_case_t self;
    const spot_metric_change_t *change;

    (void) state;
    two_begin(&self, 40, 40);
    two_compare(&self);
    change = &self.two.changes[21 * self.two.num_metrics + 6];
    assert_int_equal(change->num_pairs, 32); /* every fifth is null */
    assert_true(change->difference == 0);
    two_end(&self);
}

/* Durations have the unit of people on both sides. */
static void test_durations(void **state)
{
    const size_t wait_id = 5;
    two_case_t self;
    char *text;

    (void) state;
    two_begin(&self, 40, 40);
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        self.heads[side].metrics[wait_id] =
            (spot_metric_t){.name = "wait_h", .unit = "h", .help = "", .kind = SPOT_METRIC_TIME};
    }
    two_compare(&self);
    text = two_text(&self, 100);
    assert_non_null(strstr(text, "\nwait_h (d): "));
    assert_null(strstr(text, "(h)"));
    free(text);
    two_end(&self);
}

static void test_no_point_in_both(void **state)
{
    two_case_t self;
    char *text;

    (void) state;
    two_begin(&self, 4, 4);
    free(self.heads[SPOT_AFTER].axes[1].path);
    self.heads[SPOT_AFTER].axes[1].path = strdup("job.other\033[31m");
    two_compare(&self);
    assert_int_equal(self.two.match.num_pairs, 0);
    text = two_text(&self, 80);
    assert_non_null(strstr(text, "B does not tell its value: no"));
    assert_non_null(strstr(text, "Only in A, not compared: 22 points"));
    assert_non_null(strstr(text, "And 2 more"));
    assert_null(strchr(text, '\033'));
    free(text);
    two_end(&self);
}

/* The main metric, and then all others as the study has them. */
static void test_order(void **state)
{
    two_case_t self;
    char *text;
    const char *last;

    (void) state;
    two_begin(&self, 4, 4);
    two_compare(&self);
    assert_int_equal(self.two.main_id, 4);
    text = two_text(&self, 100);
    last = strstr(text, "\nidle time (%): ");
    assert_non_null(last);
    for (size_t j = 0; j < self.two.num_metrics; j++) {
        spot_texts_t texts = {0};
        const char *title =
            spot_texts_add(&texts, "\n%s: ", spot_side_by_side_title(&self.two, j, false, &texts));
        const char *place = strstr(text, title);

        assert_non_null(place);
        if (j != self.two.main_id) {
            assert_true(place > last);
            last = place;
        }
        assert_null(strstr(place + 1, title));
        spot_texts_free(&texts);
    }
    free(text);
    two_end(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_twice),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_other_seed),
        cmocka_unit_test(test_metrics),
        cmocka_unit_test(test_nulls),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_no_point_in_both),
        cmocka_unit_test(test_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
