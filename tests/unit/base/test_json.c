/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/watch.h"

typedef struct {
    spot_json_t json;
    char *text;
    size_t num_bytes;
} page_t;

static void page_init(page_t *self, int indent)
{
    FILE *stream = open_memstream(&self->text, &self->num_bytes);

    assert_non_null(stream);
    spot_json_init(&self->json, stream, indent);
}

static void assert_page(page_t *self, const char *expected)
{
    assert_int_equal(fclose(self->json.out), 0);
    assert_string_equal(self->text, expected);
    free(self->text);
}

static void test_flat_objects_stand_on_one_line(void **state)
{
    page_t page;

    (void) state;
    page_init(&page, 0);
    spot_json_open(&page.json, NULL, '{');
    spot_json_integer(&page.json, "steps", -12);
    spot_json_text(&page.json, "kind", "preempted");
    spot_json_number(&page.json, "cost_usd", 0.1);
    spot_json_close(&page.json, '}');
    assert_page(&page, "{\"steps\": -12, \"kind\": \"preempted\", \"cost_usd\": 0.1}\n");
}

static void hear(void *context, const spot_json_item_t *item)
{
    FILE *heard = context;

    fprintf(heard, "%c%s", item->kind, item->key == NULL ? "-" : item->key);
    if (item->text != NULL) {
        fprintf(heard, "=%s ", item->text);
    } else if (item->kind == '0') {
        fprintf(heard, "=%" PRId64 " ", item->integer);
    } else if (strchr("{[}]", item->kind) != NULL) {
        fputs(" ", heard);
    } else {
        fprintf(heard, "=%.17g ", item->number);
    }
}

static void test_a_listener_gets_items_in_place_of_the_stream(void **state)
{
    char *text;
    size_t num_bytes;
    FILE *heard = open_memstream(&text, &num_bytes);
    spot_json_t json;

    (void) state;
    assert_non_null(heard);
    spot_json_init_listener(&json, hear, heard);
    spot_json_open(&json, NULL, '{');
    spot_json_open(&json, "list", '[');
    spot_json_integer(&json, NULL, INT64_MIN);
    spot_json_unsigned(&json, NULL, UINT64_MAX);
    spot_json_wide(&json, NULL, 10 * (spot_wide_t) INT64_MIN);
    spot_json_close(&json, ']');
    spot_json_number(&json, "share", 0.5);
    spot_json_number(&json, "mean", (double) NAN);
    spot_json_text(&json, "id", "a \"b\"");
    spot_json_text(&json, "none", NULL);
    spot_json_boolean(&json, "is", true);
    spot_json_close(&json, '}');
    assert_int_equal(fclose(heard), 0);
    assert_string_equal(text, "{- [list 0-=-9223372036854775808 "
                              "0-=9223372036854775807 w-=-9.2233720368547758e+19 ]- "
                              ".share=0.5 .mean=nan \"id=a \"b\" .none=nan ?is=1 "
                              "}- ");
    free(text);
}

static void test_nesting_is_indented(void **state)
{
    page_t page;

    (void) state;
    page_init(&page, 2);
    spot_json_open(&page.json, NULL, '{');
    spot_json_open(&page.json, "counts", '{');
    spot_json_integer(&page.json, "added", 3);
    spot_json_close(&page.json, '}');
    spot_json_open(&page.json, "list", '[');
    spot_json_integer(&page.json, NULL, 1);
    spot_json_open(&page.json, NULL, '[');
    spot_json_close(&page.json, ']');
    spot_json_open(&page.json, NULL, '{');
    spot_json_close(&page.json, '}');
    spot_json_close(&page.json, ']');
    spot_json_text(&page.json, "last", NULL);
    spot_json_close(&page.json, '}');
    assert_page(&page, "{\n"
                       "  \"counts\": {\n"
                       "    \"added\": 3\n"
                       "  },\n"
                       "  \"list\": [\n"
                       "    1,\n"
                       "    [],\n"
                       "    {}\n"
                       "  ],\n"
                       "  \"last\": null\n"
                       "}\n");
}

/* JSON lines: one writer, several values, each on a line of its own. */
static void test_several_values_follow_each_other(void **state)
{
    page_t page;

    (void) state;
    page_init(&page, 0);
    for (int64_t j = 0; j < 2; j++) {
        spot_json_open(&page.json, NULL, '[');
        spot_json_integer(&page.json, NULL, j);
        spot_json_integer(&page.json, NULL, j + 1);
        spot_json_close(&page.json, ']');
    }
    assert_page(&page, "[0, 1]\n[1, 2]\n");
}

static void test_the_deepest_nesting_works(void **state)
{
    page_t page;

    (void) state;
    page_init(&page, 0);
    for (int j = 1; j < SPOT_JSON_MAX_DEPTH; j++) {
        spot_json_open(&page.json, NULL, '[');
    }
    for (int j = 1; j < SPOT_JSON_MAX_DEPTH; j++) {
        spot_json_close(&page.json, ']');
    }
    assert_page(&page, "[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]\n");
}

static void test_texts_are_escaped(void **state)
{
    page_t page;

    (void) state;
    page_init(&page, 0);
    spot_json_open(&page.json, NULL, '{');
    spot_json_text(&page.json, "a\"b", "\"\\/");
    spot_json_text(&page.json, "c", "\x01\b\t\n\r\x1f\x7f");
    spot_json_text(&page.json, "d", "");
    spot_json_text(&page.json, "e", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82");
    spot_json_close(&page.json, '}');
    assert_page(&page, "{\"a\\\"b\": \"\\\"\\\\/\", "
                       "\"c\": \"\\u0001\\u0008\\u0009\\u000a\\u000d\\u001f\\u007f\", "
                       "\"d\": \"\", "
                       "\"e\": \"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82\"}\n");
}

static void test_invalid_utf8_is_replaced(void **state)
{
    page_t page;

    (void) state;
    page_init(&page, 0);
    spot_json_open(&page.json, NULL, '[');
    spot_json_text(&page.json, NULL, "a\xff.");
    spot_json_text(&page.json, NULL, "\xed\xa0\x80");
    spot_json_text(&page.json, NULL, "\xc0\xaf");
    spot_json_text(&page.json, NULL, "cut \xe2\x82");
    spot_json_close(&page.json, ']');
    assert_page(&page, "[\"a\\ufffd.\", \"\\ufffd\\ufffd\\ufffd\", \"\\ufffd\\ufffd\", "
                       "\"cut \\ufffd\\ufffd\"]\n");
}

static void test_numbers_are_exact(void **state)
{
    page_t page;

    (void) state;
    page_init(&page, 0);
    spot_json_open(&page.json, NULL, '[');
    spot_json_integer(&page.json, NULL, INT64_MIN);
    spot_json_integer(&page.json, NULL, INT64_MAX);
    spot_json_unsigned(&page.json, NULL, UINT64_MAX);
    spot_json_number(&page.json, NULL, 0.1 + 0.2);
    spot_json_number(&page.json, NULL, -0.5);
    spot_json_number(&page.json, NULL, 3);
    spot_json_number(&page.json, NULL, 1e300);
    spot_json_close(&page.json, ']');
    assert_page(&page, "[-9223372036854775808, 9223372036854775807, "
                       "18446744073709551615, 0.30000000000000004, -0.5, 3, 1e+300]\n");
}

static void test_what_json_cannot_say_is_null(void **state)
{
    page_t page;

    (void) state;
    page_init(&page, 0);
    spot_json_open(&page.json, NULL, '[');
    spot_json_number(&page.json, NULL, (double) NAN);
    spot_json_number(&page.json, NULL, HUGE_VAL);
    spot_json_number(&page.json, NULL, -HUGE_VAL);
    spot_json_text(&page.json, NULL, NULL);
    spot_json_close(&page.json, ']');
    assert_page(&page, "[null, null, null, null]\n");
}

static void test_booleans(void **state)
{
    page_t page;

    (void) state;
    page_init(&page, 0);
    spot_json_open(&page.json, NULL, '{');
    spot_json_boolean(&page.json, "yes", true);
    spot_json_boolean(&page.json, "no", false);
    spot_json_close(&page.json, '}');
    assert_page(&page, "{\"yes\": true, \"no\": false}\n");
}

/* Writes an array of two objects to a stream, and a signal comes before item stop_id of the second.
 */
static void write_stopped(FILE *out, int stop_id)
{
    spot_json_t json;

    spot_json_init(&json, out, 1);
    spot_json_open(&json, NULL, '[');
    for (int j = 0; j < 2; j++) {
        spot_json_open(&json, NULL, '{');
        for (int k = 0; k < 3; k++) {
            atomic_store(&spot_stop, j == 1 && k >= stop_id ? SIGTERM : 0);
            if (k < 2) {
                spot_json_integer(&json, k == 0 ? "a" : "b", k);
            }
        }
        spot_json_close(&json, '}');
    }
    spot_json_close(&json, ']');
    atomic_store(&spot_stop, 0);
}

/* The same on standard output, which is a file for that time. */
static void assert_printed(int stop_id, const char *expected)
{
    const int old = dup(STDOUT_FILENO);
    FILE *file = tmpfile();
    char text[128] = "";

    assert_non_null(file);
    assert_true(old >= 0);
    fflush(stdout);
    assert_int_equal(dup2(fileno(file), STDOUT_FILENO), STDOUT_FILENO);
    write_stopped(stdout, stop_id);
    fflush(stdout);
    assert_int_equal(dup2(old, STDOUT_FILENO), STDOUT_FILENO);
    close(old);
    rewind(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

static void test_standard_output_ends_at_a_line(void **state)
{
#define FIRST "[\n {\n  \"a\": 0,\n  \"b\": 1\n },\n {\n"
    page_t page;

    (void) state;
    assert_printed(3, FIRST "  \"a\": 0,\n  \"b\": 1\n }\n]\n");
    assert_printed(2, FIRST "  \"a\": 0,\n  \"b\": 1\n");
    assert_printed(1, FIRST "  \"a\": 0,\n");
    assert_printed(0, FIRST);
    page_init(&page, 0);
    write_stopped(page.json.out, 0);
    assert_page(&page, FIRST "  \"a\": 0,\n  \"b\": 1\n }\n]\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_standard_output_ends_at_a_line),
        cmocka_unit_test(test_flat_objects_stand_on_one_line),
        cmocka_unit_test(test_a_listener_gets_items_in_place_of_the_stream),
        cmocka_unit_test(test_nesting_is_indented),
        cmocka_unit_test(test_several_values_follow_each_other),
        cmocka_unit_test(test_the_deepest_nesting_works),
        cmocka_unit_test(test_texts_are_escaped),
        cmocka_unit_test(test_invalid_utf8_is_replaced),
        cmocka_unit_test(test_numbers_are_exact),
        cmocka_unit_test(test_booleans),
        cmocka_unit_test(test_what_json_cannot_say_is_null),
    };

    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
