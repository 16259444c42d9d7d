/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/diag.h"
#include "tests/unit/base/support.h"

static void report_errors(spot_diag_t *diag, const char *file, size_t num_errors)
{
    for (size_t j = 1; j <= num_errors; j++) {
        spot_diag_error(diag, file, j, 0, "wrong");
    }
}

static void test_place_is_as_exact_as_it_is_known(void **state)
{
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    spot_diag_error(&diag, "a.yaml", 13, 5, "unknown key \"%s\", %d left", "x", 7);
    spot_diag_error(&diag, "a.yaml", 14, 0, "too long");
    spot_diag_error(&diag, "a.yaml", 0, 0, "file is empty");
    spot_diag_error(&diag, "a.yaml", 0, 9, "100%%");
    assert_report(&diag, "a.yaml:13:5: unknown key \"x\", 7 left\n"
                         "a.yaml:14: too long\n"
                         "a.yaml: file is empty\n"
                         "a.yaml: 100%\n");
    assert_int_equal(diag.num_errors, 4);
    assert_int_equal(diag.num_warnings, 0);
    spot_diag_free(&diag);
}

static void test_warnings_are_marked_and_keep_the_order(void **state)
{
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    spot_diag_warn(&diag, "a.csv", 2, 1, "gap");
    spot_diag_error(&diag, "a.csv", 3, 1, "no number");
    spot_diag_warn(&diag, "b.csv", 0, 0, "old");
    assert_report(&diag, "warning: a.csv:2:1: gap\n"
                         "a.csv:3:1: no number\n"
                         "warning: b.csv: old\n");
    assert_int_equal(diag.num_errors, 1);
    assert_int_equal(diag.num_warnings, 2);
    assert_false(diag.items[0].is_error);
    assert_true(diag.items[1].is_error);
    spot_diag_free(&diag);
}

static void test_twenty_errors_are_shown_without_remark(void **state)
{
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    report_errors(&diag, "a.csv", 20);
    spot_diag_close_file(&diag);
    assert_int_equal(diag.num_items, 20);
    assert_string_equal(diag.items[19].text, "a.csv:20: wrong");
    spot_diag_free(&diag);
}

static void test_the_rest_is_counted(void **state)
{
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    report_errors(&diag, "a.csv", 21);
    spot_diag_close_file(&diag);
    assert_int_equal(diag.num_items, 21);
    assert_string_equal(diag.items[20].text, "a.csv: 1 more error");
    assert_true(diag.items[20].is_error);
    report_errors(&diag, "a.csv", 1020);
    assert_int_equal(diag.num_items, 41);
    spot_diag_close_file(&diag);
    assert_int_equal(diag.num_items, 42);
    assert_string_equal(diag.items[41].text, "a.csv: 1000 more errors");
    assert_int_equal(diag.num_errors, 1041);
    spot_diag_free(&diag);
}

static void test_each_file_has_its_own_twenty(void **state)
{
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    report_errors(&diag, "a.csv", 25);
    report_errors(&diag, "b.csv", 2);
    spot_diag_close_file(&diag);
    assert_int_equal(diag.num_items, 23);
    assert_string_equal(diag.items[20].text, "a.csv: 5 more errors");
    assert_string_equal(diag.items[21].text, "b.csv:1: wrong");
    assert_string_equal(diag.items[22].text, "b.csv:2: wrong");
    assert_int_equal(diag.num_errors, 27);
    spot_diag_free(&diag);
}

static void test_warnings_do_not_count_towards_the_twenty(void **state)
{
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    for (size_t j = 0; j < 30; j++) {
        spot_diag_warn(&diag, "a.csv", j + 1, 0, "odd");
    }
    report_errors(&diag, "a.csv", 20);
    spot_diag_close_file(&diag);
    assert_int_equal(diag.num_items, 50);
    spot_diag_free(&diag);
}

/* What several points of a study, or an alias, bring up again; it is counted all the
 * same, since callers ask whether the number has grown. */
static void test_the_same_is_told_once(void **state)
{
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    for (int j = 0; j < 100; j++) {
        spot_diag_warn(&diag, "a.csv", 0, 0, "old");
        spot_diag_warn(&diag, "a.csv", 7, 0, "odd");
    }
    spot_diag_error(&diag, "a.csv", 7, 1, "wrong");
    spot_diag_error(&diag, "a.csv", 7, 2, "wrong");
    spot_diag_error(&diag, "a.csv", 7, 1, "wrong");
    assert_report(&diag, "warning: a.csv: old\n"
                         "warning: a.csv:7: odd\n"
                         "a.csv:7:1: wrong\n"
                         "a.csv:7:2: wrong\n");
    assert_int_equal(diag.num_errors, 3);
    spot_diag_free(&diag);
}

static void test_closing_needs_no_errors(void **state)
{
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    spot_diag_close_file(&diag);
    spot_diag_close_file(&diag);
    assert_report(&diag, "");
    spot_diag_free(&diag);
    assert_null(diag.items);
    spot_diag_free(&diag);
}

static void test_a_long_message_is_kept_whole(void **state)
{
    static char message[20001];
    spot_diag_t diag;

    (void) state;
    memset(message, 'x', sizeof(message) - 1);
    spot_diag_init(&diag);
    spot_diag_error(&diag, "a", 1, 2, "%s", message);
    assert_int_equal(strlen(diag.items[0].text), strlen("a:1:2: ") + strlen(message));
    assert_string_equal(diag.items[0].text + strlen("a:1:2: "), message);
    spot_diag_free(&diag);
}

/* What is told once counts once towards the twenty. */
static void test_repeated_errors_leave_room(void **state)
{
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    for (int j = 0; j < 30; j++) {
        spot_diag_error(&diag, "a", 1, 2, "wrong");
    }
    spot_diag_error(&diag, "a", 2, 1, "wrong too");
    spot_diag_close_file(&diag);
    assert_report(&diag, "a:1:2: wrong\na:2:1: wrong too\n");
    assert_int_equal(diag.num_errors, 31);
    spot_diag_free(&diag);
}

static void test_lost_diagnostics_are_confessed(void **state)
{
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    spot_diag_error(&diag, "a", 1, 2, "wrong");
    diag.out_of_memory = true;
    assert_report(&diag, "a:1:2: wrong\nout of memory: some diagnostics are missing\n");
    spot_diag_free(&diag);
}

/* A message may quote what another program put into a file. */
static void test_a_terminal_obeys_no_text(void **state)
{
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    spot_diag_error(&diag, "a", 1, 0, "\033[2J\xc2\x9b \xff, 3 \xc2\xb5s\nnext");
    assert_report(&diag, "a:1: \\x1b[2J\\xc2\\x9b \\xff, 3 \xc2\xb5s\nnext\n");
    spot_diag_free(&diag);
}

static void test_warnings_can_be_forgotten(void **state)
{
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    spot_diag_warn(&diag, "a", 1, 0, "odd");
    spot_diag_error(&diag, "a", 2, 0, "wrong");
    spot_diag_warn(&diag, "a", 3, 0, "odd");
    spot_diag_drop_warnings(&diag);
    assert_report(&diag, "a:2: wrong\n");
    assert_int_equal(diag.num_warnings, 0);
    assert_int_equal(diag.num_errors, 1);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_place_is_as_exact_as_it_is_known),
        cmocka_unit_test(test_warnings_are_marked_and_keep_the_order),
        cmocka_unit_test(test_twenty_errors_are_shown_without_remark),
        cmocka_unit_test(test_the_rest_is_counted),
        cmocka_unit_test(test_each_file_has_its_own_twenty),
        cmocka_unit_test(test_warnings_do_not_count_towards_the_twenty),
        cmocka_unit_test(test_the_same_is_told_once),
        cmocka_unit_test(test_repeated_errors_leave_room),
        cmocka_unit_test(test_closing_needs_no_errors),
        cmocka_unit_test(test_a_long_message_is_kept_whole),
        cmocka_unit_test(test_lost_diagnostics_are_confessed),
        cmocka_unit_test(test_a_terminal_obeys_no_text),
        cmocka_unit_test(test_warnings_can_be_forgotten),
    };

    return cmocka_run_group_tests_name("diag", tests, NULL, NULL);
}
