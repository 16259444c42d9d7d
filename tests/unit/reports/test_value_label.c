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
#include "reports/words.h"

#define MAX_VALUES 64

static spot_axis_t axis_of(char **texts, size_t num_values)
{
    static char path[] = "recovery", unit[] = "";

    return (spot_axis_t){.path = path, .num_values = num_values, .texts = texts, .unit = unit};
}

/* labels: as many, or fewer than MAX_VALUES with a NULL behind them. */
static void assert_labels(const char *const *texts, const char *const *labels)
{
    char *copies[MAX_VALUES];
    spot_texts_t owner = {0};
    size_t num_values = 0;
    spot_axis_t axis;

    while (texts[num_values] != NULL) {
        copies[num_values] = strdup(texts[num_values]);
        num_values++;
    }
    axis = axis_of(copies, num_values);
    for (size_t j = 0; j < num_values; j++) {
        assert_string_equal(spot_words_label(&owner, &axis, j), labels[j]);
    }
    spot_texts_free(&owner);
    for (size_t j = 0; j < num_values; j++) {
        free(copies[j]);
    }
}

static void test_options(void **state)
{
    (void) state;
    /* Alone of its name: the name is enough. */
    assert_labels((const char *[]){"checkpoint", "{system: gemini, f: 1, restart: 30 s}", NULL},
        (const char *[]){"checkpoint", "gemini"});
    /* Options that all of a name have say nothing. */
    assert_labels(
        (const char *[]){"{system: oobleck, f: 1, g: a}", "{system: oobleck, f: 2, g: a}", NULL},
        (const char *[]){"oobleck, f: 1", "oobleck, f: 2"});
    assert_labels((const char *[]){"checkpoint", "{system: checkpoint, growth: better}",
                      "{system: checkpoint, growth: better, load: 3 s}", NULL},
        (const char *[]){
            "checkpoint", "checkpoint, growth: better", "checkpoint, growth: better, load: 3 s"});
    /* Commas within brackets part nothing. */
    assert_labels((const char *[]){"{mode: async, every: {a: 1, b: [2, 3]}, c: 4}",
                      "{mode: async, every: {a: 1, b: [2, 4]}, c: 4}", NULL},
        (const char *[]){"async, every: {a: 1, b: [2, 3]}", "async, every: {a: 1, b: [2, 4]}"});
}

/* A comma in quotes parts nothing, nor does a quote that is a part of the text. */
static void test_quotes(void **state)
{
    (void) state;
    assert_labels((const char *[]){"{system: oobleck, table: \"a, f: 1.csv\", g: a}",
                      "{system: oobleck, table: \"a, f: 2.csv\", g: a}", NULL},
        (const char *[]){"oobleck, table: \"a, f: 1.csv\"", "oobleck, table: \"a, f: 2.csv\""});
    assert_labels((const char *[]){"{system: a, t: \"b\\\", c\", g: a}",
                      "{system: a, t: \"b\\\", d\", g: a}", NULL},
        (const char *[]){"a, t: \"b\\\", c\"", "a, t: \"b\\\", d\""});
    assert_labels((const char *[]){"{system: a, t: \"b, g: a}", "{a: \"", NULL},
        (const char *[]){"a", "{a: \""});
}

/* Where options are too many, what is lacking tells more. */
static void test_lacking(void **state)
{
    (void) state;
    assert_labels((const char *[]){"{system: varuna, first_fault: yes, second_fault: yes, "
                                   "third_fault: yes}",
                      "{system: varuna, second_fault: yes, third_fault: yes}",
                      "{system: varuna, first_fault: yes}", "varuna", NULL},
        (const char *[]){"varuna with all options", "varuna without first_fault",
            "varuna, first_fault: yes", "varuna"});
    /* None has all. */
    assert_labels((const char *[]){"{system: varuna, first_fault: yes, second_fault: yes, "
                                   "third_fault: yes}",
                      "{system: varuna, second_fault: yes, third_fault: yes}",
                      "{system: varuna, first_fault: yes, third_fault: yes, second_fault: no}",
                      "varuna", NULL},
        (const char *[]){"varuna, first_fault: yes, second_... (1)", "varuna without first_fault",
            "varuna, first_fault: yes, third_f... (3)", "varuna"});
    /* What is lacking may be too much as well. */
    assert_labels((const char *[]){"{system: varuna, a_long_option: 1, another_long_option: 1, "
                                   "third_option: 1, fourth_option: 1}",
                      "{system: varuna, third_option: 1, fourth_option: 1}",
                      "{system: varuna, another_long_option: 12345}", "varuna", NULL},
        (const char *[]){"varuna, a_long_option: 1, another... (1)",
            "varuna without a_long_option, ano... (2)", "varuna, another_long_option: 12345",
            "varuna"});
    /* A name that might be such a label. */
    assert_labels((const char *[]){"{system: a b, first_fault: yes, second_fault: yes, third: 1}",
                      "a b", NULL},
        (const char *[]){"a b, first_fault: yes, second_fau... (1)", "a b"});
}

static void test_whole_texts(void **state)
{
    static const char *const same[] = {"checkpoint", "{system: checkpoint}",
        "{system: a, f: 1, g: 2}", "{system: a, g: 2, f: 1}", NULL};
    static const char *const other_keys[] = {"{a: 5, b: 1}", "{b: 5, a: 1}", NULL};
    static const char *const odd[] = {
        "{}", "{a}", "{a: }", "[1, 2]", "{a: 1,b: 2}", "{", "", "0.05", "30 s", NULL};

    (void) state;
    assert_labels(same, same);             /* only their writing tells them apart */
    assert_labels(other_keys, other_keys); /* the first keys differ */
    assert_labels(odd, odd);
}

static void test_cut(void **state)
{
    char shown[SPOT_UTF8_SHOWN_BYTES];
    spot_texts_t owner = {0};
    char first[] = "/a/very/long/path/to/some/recorded/traces/one.csv";
    char second[] = "/a/very/long/path/to/some/recorded/traces/two.csv";
    char *texts[] = {first, second};
    const spot_axis_t axis = axis_of(texts, 2);

    (void) state;
    assert_string_equal(
        spot_utf8_shown(first, shown), "/a/very/long/path/to/some/recorded/trace...");
    assert_string_equal(
        spot_words_label(&owner, &axis, 0), "/a/very/long/path/to/some/recorde... (1)");
    assert_string_equal(
        spot_words_label(&owner, &axis, 1), "/a/very/long/path/to/some/recorde... (2)");
    spot_texts_free(&owner);
}

/* Whatever the options, different values have different labels. */
static void test_unique(void **state)
{
    static const char *const systems[] = {"a", "b"};
    char texts[MAX_VALUES][128], *values[MAX_VALUES];
    const char *labels[MAX_VALUES];
    spot_texts_t owner = {0};
    size_t num_values = 0;
    spot_axis_t axis;

    (void) state;
    for (unsigned bits = 0; bits < 64; bits += 1 + bits % 3) {
        char *text = texts[num_values];
        int used = sprintf(text, "{system: %s", systems[bits & 1]);

        for (unsigned j = 1; j < 6; j++) {
            if ((bits >> j & 1) != 0) {
                used += sprintf(text + used, ", o%u: %u", j, j % 2);
            }
        }
        strcat(text, "}");
        values[num_values++] = text;
    }
    axis = axis_of(values, num_values);
    for (size_t j = 0; j < num_values; j++) {
        labels[j] = spot_words_label(&owner, &axis, j);
        for (size_t k = 0; k < j; k++) {
            assert_string_not_equal(labels[j], labels[k]);
        }
    }
    assert_true(num_values > 20);
    spot_texts_free(&owner);
}

static void test_explanation(void **state)
{
    char alone[] = "{system: gemini, f: 1, remote_bytes_per_s: 5e8, restart: 30 s}";
    char told[] = "{system: checkpoint, detection: 30 s}", bare[] = "checkpoint";
    char *texts[] = {bare, told, alone};
    spot_axis_t axis = axis_of(texts, 3);
    spot_texts_t told_texts = {0};

    (void) state;
    assert_null(spot_words_explained(&told_texts, &axis, 0));
    assert_null(spot_words_explained(&told_texts, &axis, 1));
    assert_string_equal(spot_words_explained(&told_texts, &axis, 2),
        "recovery: gemini is {system: gemini, f: 1, remote_bytes_per_s: 5e8, restart: "
        "30 s}");
    spot_texts_free(&told_texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_lacking),
        cmocka_unit_test(test_whole_texts),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_unique),
        cmocka_unit_test(test_explanation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
