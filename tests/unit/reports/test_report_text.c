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
#include "base/utf8.h"
#include "reports/report_text.h"
#include "tests/unit/reports/sample.h"

#define MAX_METRICS 64 /* of the study */

static int print(const void *context, const spot_terminal_t *terminal, FILE *out)
{
    return spot_report_text_write(context, terminal, out);
}

/* The report of the sample study; with_parts: where its time goes too. */
static char *write_report(spot_terminal_t terminal, bool with_parts)
{
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    sample_idle_head(&head, 40);
    head.has_overview = with_parts;
    head.overview.num_parts = 4;
    head.overview.part_ids = spot_calloc(4, sizeof(*head.overview.part_ids));
    assert_non_null(head.overview.part_ids);
    for (size_t j = 0; j < 4; j++) {
        head.overview.part_ids[j] = j;
    }
    store = sample_idle_store(&head);
    report = sample_report(store);
    assert_int_equal(spot_terminal_write(&terminal, print, &report, out), 0);
    assert_int_equal(fclose(out), 0);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
    return text;
}

static void assert_golden(int width, const char *name)
{
    char *text = write_report((spot_terminal_t){width, false, true}, true);

    assert_null(strchr(text, '\033'));
    sample_assert_golden(name, text);
    free(text);
}

static void test_widths(void **state)
{
    (void) state;
    assert_golden(40, "report-40.txt");
    assert_golden(80, "report-80.txt");
    assert_golden(200, "report-200.txt");
}

/* The ends of a line of a duration have the unit of people. */
static void test_durations(void **state)
{
    const spot_terminal_t terminal = {80, false, true};
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    (void) state;
    assert_non_null(out);
    sample_marked_head(&head);
    head.plot.x = strdup("x");
    head.plot.y = strdup("wait_s");
    store = sample_marked_store(&head);
    report = sample_report(store);
    assert_int_equal(spot_report_text_write(&report, &terminal, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "\nwait (h) along x, at 2 values from 1.00 to 2.00\n"));
    assert_non_null(strstr(text, "▁"));
    assert_non_null(strstr(text, "█  2.00 to 3.00\n"));
    free(text);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

static void test_no_line_is_wider_than_the_terminal(void **state)
{
    (void) state;
    for (int width = 36; width <= 120; width += 4) {
        char *text = write_report((spot_terminal_t){width, false, true}, true);
        size_t num_lines = 0;

        for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
            num_lines++;
            if (spot_utf8_count(line, strlen(line)) > (size_t) width) {
                fail_msg("wider than %d: %s", width, line);
            }
        }
        assert_true(num_lines >= 2 * 22);
        free(text);
    }
}

/* Without escape codes it is the same text. */
static void test_colour_is_never_alone(void **state)
{
    char *plain = write_report((spot_terminal_t){80, false, true}, true);
    char *coloured = write_report((spot_terminal_t){80, true, true}, true);
    char *to = coloured;

    (void) state;
    assert_true(sample_count(coloured, "\033[") > 20);
    for (const char *from = coloured; *from != '\0';) {
        if (*from == '\033') {
            from = strchr(from, 'm') + 1;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
    assert_string_equal(coloured, plain);
    free(plain);
    free(coloured);
}

/* A study whose rows say that standby is nothing, and the rest what it is given. */
static char *write_bars(double prepping)
{
    const double row[MAX_METRICS] = {prepping, 0, prepping};
    spot_terminal_t terminal = {80, false, true};
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    sample_idle_head(&head, 1);
    head.has_overview = true;
    head.overview.num_parts = 3;
    head.overview.part_ids = spot_calloc(3, sizeof(*head.overview.part_ids));
    assert_non_null(head.overview.part_ids);
    for (size_t j = 0; j < 3; j++) {
        head.overview.part_ids[j] = j;
    }
    assert_int_equal(spot_store_open_memory(&store, &head), 0);
    for (size_t j = 0; j < head.num_points; j++) {
        assert_int_equal(store->put(store, &(spot_piece_t){j, 0, 1, row, NULL}), 0);
    }
    report = sample_report(store);
    assert_int_equal(spot_report_text_write(&report, &terminal, out), 0);
    assert_int_equal(fclose(out), 0);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
    return text;
}

/* The legend names what is in the bars, and there are none of nothing. */
static void test_parts_of_nothing(void **state)
{
    char *text = write_bars(0.25), *none = write_bars(0);

    (void) state;
    assert_non_null(strstr(text, "\np prepping, r reconfiguring\n"));
    assert_null(strstr(none, "prepping,"));
    free(text);
    free(none);
}

static void test_ascii(void **state)
{
    char *text = write_report((spot_terminal_t){80, false, false}, false);

    (void) state;
    assert_null(strstr(text, "▁"));
    assert_null(strstr(text, "Where the time goes"));
    assert_non_null(strstr(text, "pipeline depth 16"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_no_line_is_wider_than_the_terminal),
        cmocka_unit_test(test_colour_is_never_alone),
        cmocka_unit_test(test_parts_of_nothing),
        cmocka_unit_test(test_ascii),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
