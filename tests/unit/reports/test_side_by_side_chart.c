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

#include "reports/side_by_side.h"
#include "tests/unit/reports/declared.h"
#include "tests/unit/reports/sample.h"
#include "tests/unit/reports/side_by_side_case.h"

static void assert_golden(const two_case_t *self, const char *form)
{
    static const spot_declare_t declarations[] = {
        spot_side_by_side_declare_means, spot_side_by_side_declare_changes};
    static const char *const names[] = {"means", "changes"};

    for (size_t j = 0; j < 2; j++) {
        char *text = declared_text(declarations[j], &self->two), name[64];

        snprintf(name, sizeof(name), "two-%s-%s.txt", names[j], form);
        sample_assert_golden(name, text);
        free(text);
    }
}

/* Two curves, of one of which half the points are in both. */
static void test_curves(void **state)
{
    two_case_t self;
    char *answer;

    (void) state;
    two_begin(&self, 40, 20);
    self.heads[SPOT_AFTER].seed = 2;
    two_compare(&self);
    assert_null(spot_side_by_side_plot_problem(&self.two));
    assert_golden(&self, "curves");
    answer = two_answer(&self);
    sample_assert_golden("two-answer.txt", answer);
    free(answer);
    two_end(&self);
}

/* Of one point there is no curve; paths that are no markup. */
static void test_rows(void **state)
{
    static const double values[] = {3, 5, 4, 8, 9, 7};
    char long_path[4000];
    two_case_t self;

    (void) state;
    memset(&self, 0, sizeof(self));
    memset(long_path, 'x', sizeof(long_path));
    memcpy(long_path + sizeof(long_path) - 16, "日本 last.db\xff", 15);
    long_path[sizeof(long_path) - 1] = '\0';
    self.sides[SPOT_BEFORE].path = "runs/it's\n`touch owned`\n'; exit # \"\\n\033[1m@$";
    self.sides[SPOT_AFTER].path = long_path;
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        sample_plain_head(&self.heads[side], 3);
        self.stores[side] = sample_plain_store(&self.heads[side], 3, &values[side == 0 ? 0 : 3]);
        self.reports[side] = sample_report(self.stores[side]);
        self.sides[side].report = &self.reports[side];
        self.sides[side].canonical = "tick: 5 s\n";
    }
    assert_int_equal(spot_side_by_side_init(&self.two, self.sides), 0);
    assert_null(spot_side_by_side_plot_problem(&self.two));
    assert_golden(&self, "rows");
    two_end(&self);
}

/* Eight depths. */
static void widen(spot_study_head_t *head)
{
    static const double depths[] = {1, 2, 3, 4, 5, 6, 7, 8};

    sample_replace_axis(head, 1, sample_axis("job.pipeline_depth", 8, depths));
}

/* As if all values were words: there is nothing to draw along. */
static void forget_numbers(spot_study_head_t *head)
{
    for (size_t k = 0; k < 2; k++) {
        for (size_t j = 0; j < head->axes[k].num_values; j++) {
            head->axes[k].numbers[j] = (double) NAN;
        }
    }
}

/* More panels and rows than are drawn: the picture says so. */
static void test_too_many(void **state)
{
    (void) state;
    for (int has_numbers = 0; has_numbers < 2; has_numbers++) {
        two_case_t self;
        char *text;

        two_begin(&self, 2, 2);
        widen(&self.heads[SPOT_BEFORE]);
        widen(&self.heads[SPOT_AFTER]);
        two_compare(&self);
        if (has_numbers == 0) {
            forget_numbers(&self.heads[SPOT_BEFORE]);
        }
        assert_int_equal(self.two.match.num_pairs, 88);
        text = declared_text(spot_side_by_side_declare_changes, &self.two);
        if (has_numbers == 1) {
            assert_non_null(strstr(text, "the first 6 of 8 curves"));
            assert_int_equal(sample_count(text, "\npanel 'pipeline depth"), 6);
        } else {
            assert_non_null(strstr(text, "the first 40 of 88 points that can be compared"));
        }
        free(text);
        two_end(&self);
    }
}

/* Nothing in common is a reason, not a picture. */
static void test_no_picture(void **state)
{
    two_case_t self;
    char *answer;

    (void) state;
    two_begin(&self, 4, 4);
    free(self.heads[SPOT_AFTER].axes[1].path);
    self.heads[SPOT_AFTER].axes[1].path = strdup("job.other");
    two_compare(&self);
    assert_non_null(spot_side_by_side_plot_problem(&self.two));
    answer = two_answer(&self);
    assert_non_null(strstr(answer, "No point is in both"));
    free(answer);
    two_end(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curves),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_no_picture),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
