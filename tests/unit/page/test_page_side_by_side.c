/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of two stores, without gnuplot: what it says, and what it leaves out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/page/page.h"
#include "tests/unit/page/page_case.h"
#include "tests/unit/reports/sample.h"
#include "tests/unit/reports/side_by_side_case.h"

/* An axis of many numbers from first on instead of that of probabilities. */
static void widen(spot_study_head_t *head, size_t num_values, size_t first)
{
    double *numbers = calloc(num_values, sizeof(*numbers));

    assert_non_null(numbers);
    for (size_t j = 0; j < num_values; j++) {
        numbers[j] = 0.5 * (double) (first + j) / (double) num_values;
    }
    sample_replace_axis(head, 0, sample_axis("trace.preemption.per_minute", num_values, numbers));
    free(numbers);
}

static char *write_page(two_case_t *self)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    two_compare(self);
    assert_int_equal(spot_page_side_by_side_write(&self->two, out), 0);
    assert_int_equal(fclose(out), 0);
    page_check(text);
    return text;
}

static void test_whole(void **state)
{
    two_case_t self;
    char *text;

    (void) state;
    two_begin(&self, 4, 4);
    text = write_page(&self);
    assert_non_null(
        strstr(text, "<p id=\"answer\">B differs from A: job.reload was 47 s, is 60 s. Of the 22 "
                     "points that both have, idle time differs surely at none.</p>"));
    assert_int_equal(sample_count(text, "<tr>"), self.two.num_metrics * 23);
    assert_int_equal(sample_count(text, "<svg class=\"chart wide\""), 2);
    assert_int_equal(sample_count(text, "<svg class=\"chart narrow\""), 2);
    assert_null(strstr(text, "of the others differ"));
    assert_non_null(strstr(text, "the database before.db.</p>"));
    assert_non_null(strstr(text, "spotsim export after.db -o rows.csv\n"));
    assert_non_null(strstr(text, "spotsim report before.db after.db -o report.html\n"));
    free(text);
    two_end(&self);
}

/* As in the pictures, which have the same means. */
static void test_fractions(void **state)
{
    two_case_t self;
    char *text;
    const char *place;
    double mean;

    (void) state;
    two_begin(&self, 4, 4);
    text = write_page(&self);
    assert_non_null(strstr(text, "<th scope=\"col\" class=\"number\">B - A (% points)</th>"));
    assert_non_null(strstr(text, "<th scope=\"col\" class=\"number\">A (%)</th>"));
    place = strstr(text, " ±"); /* of the note */
    assert_non_null(place);
    place = strstr(place + 1, " ±"); /* of the first pair */
    assert_non_null(place);
    while (place[-1] != '>') {
        place--;
    }
    mean = strtod(place, NULL);
    assert_true(mean > 1);
    assert_true(fabs(mean - 100 * self.two.changes[self.two.main_id].means[0]) < 0.1);
    free(text);
    two_end(&self);
}

/* Nothing of a study or of a name is markup. */
static void test_hostile(void **state)
{
    two_case_t self;
    char *text;

    (void) state;
    two_begin(&self, 4, 4);
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        spot_study_head_t *head = &self.heads[side];

        self.sides[side].path = page_hostile;
        free(head->name);
        free(head->question);
        head->name = strdup(page_hostile);
        head->question = strdup(page_hostile);
        free(head->axes[1].texts[0]);
        head->axes[1].texts[0] = strdup(page_hostile);
    }
    text = write_page(&self);
    assert_null(strstr(text, "<script>alert"));
    assert_null(strstr(text, "onload=\"x\""));
    free(text);
    two_end(&self);
}

/* Rows and points of one store only are counted where there are too many. */
static void test_many(void **state)
{
    two_case_t self;
    char *text;

    (void) state;
    two_begin(&self, 4, 4);
    widen(&self.heads[SPOT_BEFORE], 1000, 600);
    widen(&self.heads[SPOT_AFTER], 1000, 0);
    text = write_page(&self);
    assert_int_equal(self.two.match.num_pairs, 800);
    assert_int_equal(
        sample_count(text, "<tr>"), self.two.num_metrics * (SPOT_PAGE_STATIC_ROWS + 1));
    assert_non_null(strstr(text, "The first 500 of 800 points; "));
    assert_non_null(strstr(text, "Only in A, not compared: 1200 points"));
    assert_int_equal(sample_count(text, "<p class=\"note\">And 700 more.</p>"), 2);
    free(text);
    two_end(&self);
}

static void test_nothing_in_both(void **state)
{
    two_case_t self;
    char *text;

    (void) state;
    two_begin(&self, 4, 4);
    free(self.heads[SPOT_AFTER].axes[1].path);
    self.heads[SPOT_AFTER].axes[1].path = strdup("job.other");
    text = write_page(&self);
    assert_non_null(strstr(text, "No point is in both"));
    assert_null(strstr(text, "<table"));
    free(text);
    two_end(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_fractions),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_nothing_in_both),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
