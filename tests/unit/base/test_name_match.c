/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/name_match.h"
#include "tests/unit/base/support.h"

/* ---- Suggest ---- */

/* The nearest of two names, NULL for none; the second may be NULL. */
static spot_suggest_t suggest(const char *text, const char *first, const char *second)
{
    spot_suggest_t near;

    spot_suggest_init(&near, text);
    spot_suggest_offer(&near, first);
    if (second != NULL) {
        spot_suggest_offer(&near, second);
    }
    return near;
}

static void test_each_edit_costs_one(void **state)
{
    static const struct {
        const char *text, *name;
        size_t distance;
    } cases[] = {
        {"preemtion", "preemption", 1},   /* a letter is missing */
        {"preeemption", "preemption", 1}, /* one too many */
        {"preenption", "preemption", 1},  /* another one */
        {"preepmtion", "preemption", 1},  /* neighbours swapped */
        {"prempton", "preemption", 2},
        {"rpeepmtion", "preemption", 2},
        {"preemption", "preemption", 0},
        {"ab", "a", 1},
        {"tick", "tikc", 1},
        {"reconfigurtion_tmie", "reconfiguration_time", 2},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const spot_suggest_t there = suggest(cases[j].text, cases[j].name, NULL);
        const spot_suggest_t back = suggest(cases[j].name, cases[j].text, NULL);

        assert_ptr_equal(there.nearest, cases[j].name);
        assert_int_equal(there.distance, cases[j].distance);
        assert_ptr_equal(back.nearest, cases[j].text);
        assert_int_equal(back.distance, cases[j].distance);
    }
}

/* Restricted distance: swapped neighbours are not edited again, so "ca" is 3 from "abc".
 */
static void test_a_swap_is_not_edited_again(void **state)
{
    (void) state;
    assert_int_equal(suggest("cadddddd", "abcdddddd", NULL).distance, 3);
    assert_int_equal(suggest("cadddddd", "acdddddd", NULL).distance, 1);
}

static void test_what_is_far_is_not_suggested(void **state)
{
    (void) state;
    assert_null(suggest("horizon", "tick", "fleet").nearest);
    assert_null(suggest("reload", "pause", NULL).nearest);
    assert_null(suggest("abc", "xyz", NULL).nearest);
    assert_null(suggest("ab", "cd", NULL).nearest);
    assert_null(suggest("a", "b", NULL).nearest);
    assert_null(suggest("", "b", NULL).nearest);
    assert_null(suggest("", "", NULL).nearest);
    assert_null(suggest("on", "on_demand", NULL).nearest);
}

/* Up to a third of the longer name's letters, rounded to the nearest number. */
static void test_the_limit_grows_with_the_length(void **state)
{
    (void) state;
    assert_non_null(suggest("abcde", "abcxy", NULL).nearest);
    assert_null(suggest("abcd", "abxy", NULL).nearest);
    assert_non_null(suggest("abcdefgh", "abcdexyz", NULL).nearest);
    assert_null(suggest("abcdefg", "abcdxyz", NULL).nearest);
    assert_non_null(suggest("abcde", "abc", NULL).nearest);
    assert_null(suggest("abcd", "ab", NULL).nearest);
}

static void test_the_nearest_wins_and_the_first_of_equals(void **state)
{
    (void) state;
    assert_string_equal(suggest("snapshott", "snapshots", "snapshot").nearest, "snapshots");
    assert_string_equal(suggest("snapshott", "snapshot", "snapshots").nearest, "snapshot");
    assert_string_equal(suggest("cout", "count_all", "count").nearest, "count");
    assert_string_equal(suggest("cout", "count", "coat_").nearest, "count");
}

static void test_long_texts_are_never_near(void **state)
{
    char longest[64], longer[65], other[64];

    (void) state;
    memset(longest, 'x', sizeof(longest));
    memset(longer, 'x', sizeof(longer));
    longest[63] = '\0';
    longer[64] = '\0';
    memcpy(other, longest, sizeof(other));
    other[31] = 'y';
    assert_ptr_equal(suggest(longest, other, NULL).nearest, other);
    assert_int_equal(suggest(longest, other, NULL).distance, 1);
    assert_null(suggest(longer, longest, NULL).nearest);
    assert_null(suggest(longest, longer, NULL).nearest);
}

/* Without a nearer name, one whose first part is the text. */
static void test_the_first_part_stands_for_a_name(void **state)
{
    (void) state;
    assert_string_equal(suggest("idle", "idle_fraction", NULL).nearest, "idle_fraction");
    assert_string_equal(suggest("cost", "cost_usd", "costs").nearest, "costs");
    assert_string_equal(suggest("cost", "costs", "cost_usd").nearest, "costs");
    assert_string_equal(
        suggest("idle", "idle_fraction", "idle_instance_ms").nearest, "idle_fraction");
    assert_null(suggest("id", "id_of_something", NULL).nearest);
    assert_null(suggest("idle", "idleness_of_all", NULL).nearest);
}

/* ---- Name match ---- */

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
        cmocka_unit_test(test_each_edit_costs_one),
        cmocka_unit_test(test_the_first_part_stands_for_a_name),
        cmocka_unit_test(test_a_swap_is_not_edited_again),
        cmocka_unit_test(test_what_is_far_is_not_suggested),
        cmocka_unit_test(test_the_limit_grows_with_the_length),
        cmocka_unit_test(test_the_nearest_wins_and_the_first_of_equals),
        cmocka_unit_test(test_long_texts_are_never_near),
        cmocka_unit_test(test_an_end_at_a_boundary_is_enough),
        cmocka_unit_test(test_the_better_level_wins),
        cmocka_unit_test(test_ends_inside_a_word_do_not_count),
        cmocka_unit_test(test_ambiguous_names_list_their_candidates),
        cmocka_unit_test(test_the_problem_fits_its_text),
        cmocka_unit_test(test_no_candidates_match_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
