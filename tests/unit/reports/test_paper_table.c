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

#include "base/memory.h"
#include "reports/report_text.h"
#include "tests/unit/reports/sample.h"

static char *write_table(const spot_store_t *store, const spot_table_dialect_t *dialect)
{
    spot_report_t report = sample_report(store);
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_int_equal(spot_report_read_pairs(&report), 0);
    assert_int_equal(spot_paper_table_write(&report, dialect, out), 0);
    assert_int_equal(fclose(out), 0);
    spot_report_free(&report);
    return text;
}

/* With a baseline, warnings, and metrics without a value. */
static void make_head(spot_study_head_t *head)
{
    sample_idle_head(head, 40);
    head->has_baseline = true;
    head->baseline_axis_id = 1;
    head->baseline_value_id = 0;
}

static void test_golden(void **state)
{
    spot_study_head_t head;
    spot_store_t *store;
    char *latex, *markdown;

    (void) state;
    make_head(&head);
    store = sample_idle_store(&head);
    latex = write_table(store, &spot_table_latex);
    markdown = write_table(store, &spot_table_markdown);
    sample_assert_golden("paper.tex", latex);
    sample_assert_golden("paper.md", markdown);
    free(latex);
    free(markdown);
    store->close(store);
    spot_study_head_free(&head);
}

/* What a cell must say beside its number: lower bounds, of how many, heavy tails and
 * open intervals, and durations in the unit that people use. */
static void test_marks(void **state)
{
    spot_study_head_t head;
    spot_store_t *store;
    char *latex, *markdown;

    (void) state;
    sample_marked_head(&head);
    store = sample_marked_store(&head);
    latex = write_table(store, &spot_table_latex);
    markdown = write_table(store, &spot_table_markdown);
    sample_assert_golden("paper-marks.tex", latex);
    sample_assert_golden("paper-marks.md", markdown);
    free(latex);
    free(markdown);
    store->close(store);
    spot_study_head_free(&head);
}

/* Cells of a line: unescaped separators. */
static size_t count_cells(const char *line, char separator)
{
    size_t num_cells = 0;

    for (const char *byte = line; *byte != '\0'; byte++) {
        num_cells += *byte == separator && (byte == line || byte[-1] != '\\');
    }
    return num_cells;
}

static void replace(char **text, const char *other)
{
    free(*text);
    *text = spot_text_copy(other, strlen(other));
    assert_non_null(*text);
}

/* Names with markup of both documents neither add cells nor lines. */
static void test_hostile_names(void **state)
{
    static const char hostile[] = "x | y & z \\\\ \n<script>alert(1)</script> $_{^~%#";
    spot_study_head_t head;
    spot_store_t *store;
    char *latex, *markdown;
    size_t num_rows = 0;

    (void) state;
    make_head(&head);
    replace(&head.name, hostile);
    replace(&head.question, hostile);
    replace(&head.axes[1].path, hostile);
    replace(&head.axes[1].texts[0], hostile);
    head.axes[1].numbers[0] = (double) NAN;
    store = sample_idle_store(&head);
    latex = write_table(store, &spot_table_latex);
    markdown = write_table(store, &spot_table_markdown);
    assert_null(strstr(markdown, "<script"));
    for (const char *line = strtok(markdown, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (line[0] == '|') {
            assert_int_equal(count_cells(line, '|'), 2 + 7 + 1);
            num_rows++;
        }
    }
    assert_int_equal(num_rows, 2 + 22 + 2 + 11);
    num_rows = 0;
    for (const char *line = strtok(latex, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        const size_t num_bytes = strlen(line);

        if (num_bytes > 3 && strcmp(line + num_bytes - 3, " \\\\") == 0) {
            assert_true(count_cells(line, '&') >= 2);
            num_rows++;
        }
    }
    assert_true(num_rows >= 2 * 35); /* in two blocks at least */
    free(latex);
    free(markdown);
    store->close(store);
    spot_study_head_free(&head);
}

/* A study without keys, whose only point has fewer replications than were asked for. */
static void test_a_single_point(void **state)
{
    static const double values[] = {1e20, 3e20, 2e20};
    spot_study_head_t head;
    spot_store_t *store;
    char *latex, *markdown;

    (void) state;
    sample_plain_head(&head, 5);
    store = sample_plain_store(&head, 3, values);
    latex = write_table(store, &spot_table_latex);
    markdown = write_table(store, &spot_table_markdown);
    assert_non_null(
        strstr(latex, "\n\\shortstack[r]{wait\\\\(s)} \\\\\n\\midrule\n$2 \\times 10^{20} \\pm "));
    assert_non_null(strstr(markdown, "\n| wait (s) |\n| ---: |\n| 2·10<sup>20</sup> ± "));
    assert_non_null(strstr(markdown, "3 of 5 replications at each point"));
    free(latex);
    free(markdown);
    store->close(store);
    spot_study_head_free(&head);
}

/* A half width is shown to two digits, and the mean to as many decimals. */
static void test_digits(void **state)
{
    static const double values[][3] = {
        {1, 2, 4}, {100.001, 100.002, 100.004}, {7, 7, 7}, {-1e-9, 0, 1e-9}};
    static const char *const expected[] = {"\n| 2.3 ± 3.8 |\n", "\n| 100.0023 ± 0.0038 |\n",
        "\n| 7 ± ? |\n", "\n| 0.0000000000 ± 0.0000000025 |\n"};
    spot_study_head_t head;

    (void) state;
    for (size_t j = 0; j < sizeof(expected) / sizeof(expected[0]); j++) {
        spot_store_t *store;
        char *markdown;

        sample_plain_head(&head, 3);
        store = sample_plain_store(&head, 3, values[j]);
        markdown = write_table(store, &spot_table_markdown);
        if (strstr(markdown, expected[j]) == NULL) {
            fail_msg("%s", markdown);
        }
        free(markdown);
        store->close(store);
        spot_study_head_free(&head);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_a_single_point),
        cmocka_unit_test(test_digits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
