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

#include "base/verb/table.h"
#include "reports/report_text.h"
#include "tests/unit/reports/sample.h"

typedef struct {
    const spot_store_t *store;
    const char *elsewhere;
} printed_t;

static int print(const void *context, const spot_terminal_t *terminal, FILE *out)
{
    const printed_t *self = context;

    return spot_result_table_write(self->store, self->elsewhere, terminal, out);
}

static char *write_table_or(const spot_store_t *store, const char *elsewhere)
{
    const spot_terminal_t terminal = {80, false, true};
    const printed_t printed = {store, elsewhere};
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_int_equal(spot_terminal_write(&terminal, print, &printed, out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

static char *write_table(const spot_store_t *store)
{
    return write_table_or(store, NULL);
}

/* Several blocks of columns, units, nulls and warnings. */
static void test_golden(void **state)
{
    spot_study_head_t head;
    spot_store_t *store;
    char *text;

    (void) state;
    sample_idle_head(&head, 40);
    store = sample_idle_store(&head);
    text = write_table(store);
    sample_assert_golden("table.txt", text);
    free(text);
    store->close(store);
    spot_study_head_free(&head);
}

/* Against depth 8: each other point and the difference of its mean to that point. */
static void test_differences_to_a_baseline(void **state)
{
    spot_study_head_t head;
    spot_store_t *store;
    char *text;
    char *differences;
    size_t num_lines = 0;

    (void) state;
    sample_idle_head(&head, 40);
    head.has_baseline = true;
    head.baseline_axis_id = 1;
    head.baseline_value_id = 0;
    store = sample_idle_store(&head);
    text = write_table(store);
    sample_assert_golden("table-baseline.txt", text);
    differences = strstr(text, "\ndifference to ");
    assert_non_null(differences);
    for (const char *line = strtok(differences, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        num_lines += strstr(line, "±") != NULL;
    }
    assert_int_equal(num_lines, 11 * 3); /* in three blocks */
    free(text);
    store->close(store);
    spot_study_head_free(&head);
}

/* What a cell must say beside its number, and the notes on it. */
static void test_marks(void **state)
{
    spot_study_head_t head;
    spot_store_t *store;
    char *text;

    (void) state;
    sample_marked_head(&head);
    store = sample_marked_store(&head);
    text = write_table(store);
    sample_assert_golden("table-marks.txt", text);
    free(text);
    store->close(store);
    spot_study_head_free(&head);
}

static void test_no_line_is_wider_than_a_terminal(void **state)
{
    spot_study_head_t head;
    spot_store_t *store;
    char *text, *line;
    size_t num_lines = 0;

    (void) state;
    sample_idle_head(&head, 40);
    store = sample_idle_store(&head);
    text = write_table(store);
    for (line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        size_t width = 0;

        for (const char *place = line; *place != '\0'; place++) {
            width += ((unsigned char) *place & 0xc0) != 0x80;
        }
        assert_true(width <= 80);
        num_lines++;
    }
    assert_true(num_lines > 2 * head.num_points);
    free(text);
    store->close(store);
    spot_study_head_free(&head);
}

/* Only where a file has all points too. */
static void test_too_many_points_for_a_table(void **state)
{
    static double values[10001];
    spot_study_head_t head;

    (void) state;
    for (size_t num = 10000; num <= 10001; num++) {
        spot_store_t *store;
        char *text, *shown;

        sample_plain_head(&head, 1);
        for (size_t j = 0; j < num; j++) {
            values[j] = (double) j;
        }
        head.axes = spot_calloc(1, sizeof(*head.axes));
        assert_non_null(head.axes);
        head.axes[0] = sample_axis("job.reload", num, values);
        head.num_axes = 1;
        head.num_points = num;
        assert_int_equal(spot_store_open_memory(&store, &head), 0);
        shown = write_table_or(store, "all.csv");
        text = write_table(store);
        assert_non_null(strstr(text, "\n      9999"));
        if (num == 10000) {
            assert_string_equal(shown, text);
        } else {
            assert_non_null(strstr(shown,
                "10001 points, and no table, which has at most 10000: all are in all.csv\n"));
            assert_null(strstr(shown, "9999"));
        }
        free(shown);
        free(text);
        store->close(store);
        spot_study_head_free(&head);
    }
}

/* The table of a study without axes whose metric has these values; title: how it ends.
 */
static void assert_titled_table(int64_t num_replications, size_t num_values, const double *values,
    const char *title, const char *rest)
{
    spot_study_head_t head;
    spot_store_t *store;
    char *text, *found;

    sample_plain_head(&head, num_replications);
    store = sample_plain_store(&head, num_values, values);
    text = write_table(store);
    found = strstr(text, title);
    assert_non_null(found);
    assert_string_equal(found + strlen(title), rest);
    free(text);
    store->close(store);
    spot_study_head_free(&head);
}

static void assert_plain_table(
    int64_t num_replications, size_t num_values, const double *values, const char *rest)
{
    assert_titled_table(
        num_replications, num_values, values, " of its 95 % confidence\ninterval\n", rest);
}

#define MAYBE_LUCK                                                                                 \
    "?: all runs have the same, and none shows the events that would change it: it\n"              \
    "   may be luck\n"

static void test_digits_follow_the_interval(void **state)
{
    static const double wide[] = {1000, 3000, 2000, 4000, 5000};
    static const double narrow[] = {0.5001, 0.5003, 0.5002, 0.5004, 0.5005};
    static const double same[] = {88, 88, 88};

    (void) state;
    assert_plain_table(5, 5, wide, "\n    wait_s\n         s\n3000 ±1963\n");
    assert_plain_table(5, 5, narrow, "\n          wait_s\n               s\n0.50030 ±0.00020\n");
    assert_plain_table(3, 3, same, "\nwait_s\n     s\n 88 ±?\n\n" MAYBE_LUCK);
}

static void test_one_replication_has_no_interval(void **state)
{
    static const double value = 0.125;

    (void) state;
    assert_titled_table(1, 1, &value, "\nThere are no intervals: they take two ",
        "replications of a point. How much chance\nthere is in the numbers is not "
        "known.\n\nwait_s\n     s\n 0.125\n");
}

static void test_nulls(void **state)
{
    static const double values[] = {(double) NAN, (double) NAN, 1, 1};

    (void) state;
    assert_plain_table(2, 2, values,
        "\n    wait_s\n         s\n- (0 of 2)\n\nIn 2 of 2 replications (100 %): wait "
        "is undefined (wait_s).\n");
    assert_plain_table(4, 4, values,
        "\n       wait_s\n            s\n1 ±? (2 of 4)\n\n"
        "In 2 of 4 replications (50 %): wait is undefined (wait_s); its figures are of\n"
        "the others, which may be the lucky ones.\n" MAYBE_LUCK);
}

static void test_unfinished(void **state)
{
    static const double values[] = {1, 1};

    (void) state;
    assert_plain_table(5, 2, values,
        "The study is not finished: 2 of 5 replications are there. Run the same "
        "command\nagain: it runs what is missing.\n\nwait_s\n     s\n  1 ±?\n\n" MAYBE_LUCK);
}

/* No interval of a column is shown as 0 beside a wider one, unless rounding is all that
 * it is. */
static void test_decimals(void **state)
{
    (void) state;
    assert_int_equal(spot_decimals_of_column(0, 0), -1);
    assert_int_equal(spot_decimals_of_column(0.57, 0.57), 2);
    assert_int_equal(spot_decimals_of_column(0.0012, 0.57), 4);
    assert_int_equal(spot_decimals_of_column(0.00003, 0.57), 5);
    assert_int_equal(spot_decimals_of_column(1e-11, 0.57), 6);
    assert_int_equal(spot_decimals_of_column(12, 400), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_differences_to_a_baseline),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_no_line_is_wider_than_a_terminal),
        cmocka_unit_test(test_too_many_points_for_a_table),
        cmocka_unit_test(test_digits_follow_the_interval),
        cmocka_unit_test(test_one_replication_has_no_interval),
        cmocka_unit_test(test_nulls),
        cmocka_unit_test(test_unfinished),
        cmocka_unit_test(test_decimals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
