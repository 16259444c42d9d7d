/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a recording is too short or too quiet to tell. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/base/support.h"
#include "traces/fit/fit_words.h"

static spot_fit_words_t doubts_of(const char *rows, const char *model)
{
    char text[4000];
    spot_fit_words_t words;
    spot_trace_t trace;
    spot_diag_t diag;

    spot_diag_init(&diag);
    snprintf(text, sizeof(text),
        "# spotsim-trace: 1\n# name: own\n# start: unknown\n# resolution_s: 60\n"
        "# kind: counts\n# capacity: 40\ntime_s,event,count,instances\n%s",
        rows);
    assert_int_equal(spot_trace_read_bytes(&trace, "own.csv", text, strlen(text), false, &diag), 0);
    assert_int_equal(spot_fit_doubts(&words, &trace, model), 0);
    spot_trace_free(&trace);
    spot_diag_free(&diag);
    return words;
}

/* num_preempts, then num_adds, each a minute behind the last one. */
static void make_rows(char *rows, int num_preempts, int num_adds, int end_min)
{
    int minute = 0;

    strcpy(rows, "0,init,20,\n");
    for (int j = 0; j < num_preempts + num_adds; j++) {
        minute++;
        sprintf(
            rows + strlen(rows), "%d,%s,1,\n", 60 * minute, j < num_preempts ? "preempt" : "add");
    }
    sprintf(rows + strlen(rows), "%d,end,%d,\n", 60 * end_min, 20 - num_preempts + num_adds);
}

static void test_few(void **state)
{
    char rows[3000];
    spot_fit_words_t words;

    (void) state;
    make_rows(rows, 10, 10, 21);
    words = doubts_of(rows, "mrp");
    assert_int_equal(words.num_lines, 0);
    make_rows(rows, 10, 9, 20);
    words = doubts_of(rows, "seed");
    assert_int_equal(words.num_lines, 1);
    assert_string_equal(words.lines[0],
        "10 preemptions, 9 additions: fewer than 10 of a type say little about their "
        "law.");
    make_rows(rows, 1, 0, 2);
    words = doubts_of(rows, "mrp");
    assert_string_equal(
        words.lines[0], "1 preemption, 0 additions: the model's additions are invented.");
    words = doubts_of(rows, "block");
    assert_string_equal(words.lines[0], "1 preemption, 0 additions: the model has no addition.");
    make_rows(rows, 0, 12, 13);
    words = doubts_of(rows, NULL);
    assert_string_equal(words.lines[0],
        "0 preemptions, 12 additions: preemptions of an mrp model are invented, other "
        "models have none.");
    words = doubts_of("0,init,3,\n60,end,3,\n", NULL); /* another error */
    assert_int_equal(words.num_lines, 0);
}

/* Longer than any gap and more than a tenth of the whole. */
static void test_silence(void **state)
{
    char rows[3000];
    spot_fit_words_t words;

    (void) state;
    make_rows(rows, 10, 10, 60);
    words = doubts_of(rows, "mrp");
    assert_int_equal(words.num_lines, 1);
    assert_string_equal(
        words.lines[0], "Last event at 0.3333 h of 1 h: the model does not know that silence.");
    words = doubts_of(rows, NULL);
    assert_string_equal(words.lines[0],
        "Last event at 0.3333 h of 1 h: block, mrp and seed do not know that silence.");
    make_rows(rows, 10, 10, 22); /* 2 of 22 minutes */
    words = doubts_of(rows, "mrp");
    assert_int_equal(words.num_lines, 0);
    words = doubts_of("0,init,20,\n36000,preempt,1,\n36060,add,1,\n60000,end,20,\n", "mrp");
    assert_int_equal(words.num_lines, 3);
    assert_string_equal(
        words.lines[1], "First event at 10 h of 16.67 h: the model does not know that silence.");
    assert_string_equal(
        words.lines[2], "Last event at 10.02 h of 16.67 h: the model does not know that silence.");
    /* As long as a gap that was seen. */
    words = doubts_of("0,init,20,\n600,preempt,1,\n1200,add,1,\n1800,end,20,\n", "mrp");
    assert_int_equal(words.num_lines, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_silence),
    };

    return cmocka_run_group_tests_name("fit/fit_doubts", tests, NULL, NULL);
}
