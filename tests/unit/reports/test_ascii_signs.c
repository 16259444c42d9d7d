/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "base/verb/terminal.h"
#include "reports/report_text.h"
#include "tests/unit/reports/sample.h"

static int print_text(const void *context, const spot_terminal_t *terminal, FILE *out)
{
    (void) terminal;
    fputs(context, out);
    return 0;
}

/* What stands on a wide terminal without UTF-8; the caller frees it. */
static char *shown(const char *text)
{
    const spot_terminal_t terminal = {.width = 1000, .has_colour = true};
    char *signs = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&signs, &num_bytes);

    assert_non_null(out);
    assert_int_equal(spot_terminal_write(&terminal, print_text, text, out), 0);
    assert_int_equal(fclose(out), 0);
    return signs;
}

static void assert_signs(const char *text, const char *wanted)
{
    char *signs = shown(text);

    assert_string_equal(signs, wanted);
    free(signs);
}

static void test_cells(void **state)
{
    (void) state;
    assert_signs("0.310 ±0.020*  1.2 ± 0.4", "0.310+-0.020*  1.2+- 0.4");
    assert_signs("0.31\033[2m ±0.02\033[0m", "0.31\033[2m+-0.02\033[0m");
    assert_signs("0.31\033[1;2m ±0.02", "0.31\033[1;2m+-0.02");
    assert_signs("a long na…   1", "a long na... 1");
    assert_signs("a long 名…     1", "a long 名...   1");
    assert_signs("a long na…  1", "a long na... 1"); /* one too wide */
    assert_signs("plain", "plain");
    assert_signs("", "");
}

/* Where there is no column to keep. */
static void test_sentences(void **state)
{
    (void) state;
    assert_signs("±: half width", "+-: half width");
    assert_signs("mean ±half width, within ±5 %", "mean +-half width, within +-5 %");
    assert_signs("1 m ±2", "1 m +-2");
    assert_signs("±±……", "+-+-......");
    assert_signs("from 10…20, or 3 ±4 … yes", "from 10...20, or 3+-4 ... yes");
    assert_signs("ab\n…", "ab\n...");
    assert_signs("á 名 −", "á 名 −"); /* from outside */
}

/* No line of a report is wider than it was, and nothing of ours is left that is not
 * ASCII. */
static void test_a_report(void **state)
{
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    char *text = NULL, *copy, *line, *signs, *rest, *signs_rest;
    size_t num_bytes, num_cells = 0;
    FILE *out = open_memstream(&text, &num_bytes);

    (void) state;
    assert_non_null(out);
    sample_idle_head(&head, 40);
    store = sample_idle_store(&head);
    report = sample_report(store);
    assert_int_equal(spot_report_text_write(&report, &(spot_terminal_t){80, true, false}, out), 0);
    assert_int_equal(fclose(out), 0);
    copy = shown(text);
    line = strtok_r(text, "\n", &rest);
    signs = strtok_r(copy, "\n", &signs_rest);
    while (line != NULL) {
        assert_non_null(signs);
        assert_int_equal(spot_utf8_count(signs, strlen(signs)), strlen(signs));
        if (strstr(line, "±half") == NULL) {
            assert_int_equal(strlen(signs), spot_utf8_count(line, strlen(line)));
        }
        num_cells += strstr(signs, "+-") != NULL;
        line = strtok_r(NULL, "\n", &rest);
        signs = strtok_r(NULL, "\n", &signs_rest);
    }
    assert_null(signs);
    assert_true(num_cells > 22);
    free(copy);
    free(text);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_a_report),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
