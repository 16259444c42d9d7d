/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/name_match.h"
#include "tests/unit/base/support.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const char *const keys[] = {
    "job.pipeline_depth",
    "fleet.capacity",
    "trace.capacity",
    "trace.initial",
    "job.initial_lr",
    "lr",
    "usd_per_sample",
    "depth_max",
    "a.max",
};

static void assert_match(const char *name, size_t expected_id)
{
    size_t id = 99;

    assert_int_equal(spot_name_match(name, keys, COUNT(keys), &id), 0);
    assert_int_equal(id, expected_id);
}

static void assert_problem(const char *name, int outcome, const char *expected)
{
    char text[SPOT_NAME_PROBLEM_BYTES];
    size_t id = 99;

    assert_int_equal(spot_name_match(name, keys, COUNT(keys), &id), outcome);
    assert_int_equal(id, 99);
    assert_string_equal(spot_name_problem(name, "key", "", keys, COUNT(keys), text), expected);
}

static void test_an_end_at_a_boundary_is_enough(void **state)
{
    (void) state;
    assert_match("job.pipeline_depth", 0);
    assert_match("pipeline_depth", 0);
    assert_match("depth", 0);
    assert_match("fleet.capacity", 1);
    assert_match("trace.capacity", 2);
    assert_match("initial", 3);
    assert_match("per_sample", 6);
    assert_match("sample", 6);
    assert_match("depth_max", 7);
}

static void test_the_better_level_wins(void **state)
{
    (void) state;
    assert_match("lr", 5);  /* itself, not job.initial_lr */
    assert_match("max", 8); /* a.max, not depth_max */
}

static void test_ends_inside_a_word_do_not_count(void **state)
{
    (void) state;
    assert_problem(
        "epth", SPOT_NAME_UNKNOWN, "unknown key \"epth\", did you mean \"job.pipeline_depth\"?");
    assert_problem("_depth", SPOT_NAME_UNKNOWN,
        "unknown key \"_depth\", did you mean \"job.pipeline_depth\"?");
    assert_problem("job", SPOT_NAME_UNKNOWN, "unknown key \"job\"");
    assert_problem("", SPOT_NAME_UNKNOWN, "unknown key \"\"");
    assert_problem("xjob.pipeline_depth", SPOT_NAME_UNKNOWN,
        "unknown key \"xjob.pipeline_depth\", did you mean \"job.pipeline_depth\"?");
}

static void test_ambiguous_names_list_their_candidates(void **state)
{
    static const char *const two[] = {"x_a", "b.a", "y_a", "c.a"};
    static const char *const five[] = {"b.a", "c.a", "d.a", "e.a", "f.a"};
    static const char *const four[] = {"b.a", "c.a", "d.a", "e.a"};
    char text[SPOT_NAME_PROBLEM_BYTES];

    (void) state;
    assert_problem("capacity", SPOT_NAME_AMBIGUOUS,
        "key \"capacity\" is ambiguous: fleet.capacity or trace.capacity");
    assert_string_equal(spot_name_problem("a", "metric", "", two, COUNT(two), text),
        "metric \"a\" is ambiguous: b.a or c.a");
    assert_string_equal(spot_name_problem("a", "key", "", four, COUNT(four), text),
        "key \"a\" is ambiguous: b.a, c.a, d.a or e.a");
    assert_string_equal(spot_name_problem("a", "key", "", five, COUNT(five), text),
        "key \"a\" is ambiguous: b.a, c.a, d.a, e.a or 1 more");
}

/* Even the longest names, all of whose characters are shown escaped, fit or are cut. */
static void test_the_problem_fits_its_text(void **state)
{
    char first[200], second[200], text[SPOT_NAME_PROBLEM_BYTES];
    const char *const candidates[] = {first, second, first, second};

    (void) state;
    memset(first, 1, sizeof(first));
    first[196] = '.';
    first[197] = 'a';
    first[198] = '\0';
    memcpy(second, first, sizeof(first));
    spot_name_problem("a", "key", "", candidates, COUNT(candidates), text);
    assert_int_equal(strlen(text), SPOT_NAME_PROBLEM_BYTES - 1);
    spot_name_problem(first + 1, "key", "", candidates, COUNT(candidates), text);
    assert_true(strlen(text) < SPOT_NAME_PROBLEM_BYTES);
}

static void test_no_candidates_match_nothing(void **state)
{
    char text[SPOT_NAME_PROBLEM_BYTES];
    size_t id = 99;

    (void) state;
    assert_int_equal(spot_name_match("a", NULL, 0, &id), SPOT_NAME_UNKNOWN);
    assert_string_equal(
        spot_name_problem("a", "metric", "", NULL, 0, text), "unknown metric \"a\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_end_at_a_boundary_is_enough),
        cmocka_unit_test(test_the_better_level_wins),
        cmocka_unit_test(test_ends_inside_a_word_do_not_count),
        cmocka_unit_test(test_ambiguous_names_list_their_candidates),
        cmocka_unit_test(test_the_problem_fits_its_text),
        cmocka_unit_test(test_no_candidates_match_nothing),
    };

    return cmocka_run_group_tests_name("name_match", tests, NULL, NULL);
}
