/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tokens of JSON with their places, what is refused and where, and texts of any length. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "tests/unit/base/support.h"

enum { TEXT_BYTES = 4096 };

/* Appends "LINE:COLUMN TOKEN " for each token; texts are in ''. */
static int read_tokens(
    spot_json_reader_t *self, char shown[TEXT_BYTES], int (*next)(spot_json_reader_t *self))
{
    int ret;

    shown[0] = '\0';
    while ((ret = next(self)) == 0 && self->kind != SPOT_JSON_END) {
        const char *quote = self->kind == SPOT_JSON_TEXT ? "'" : "";

        assert_int_equal(strlen(self->text), self->num_bytes);
        snprintf(shown + strlen(shown), TEXT_BYTES - strlen(shown), "%zu:%zu %s%s%s ", self->line,
            self->column, quote, self->text, quote);
    }
    return ret;
}

/* What is read of a text, and the messages after it. */
static void assert_tokens(const char *text, const char *expected, const char *errors)
{
    char shown[TEXT_BYTES];
    spot_json_reader_t json;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    spot_json_reader_open_bytes(&json, "x", 1, text, strlen(text), 3, &diag);
    ret = read_tokens(&json, shown, spot_json_reader_next);
    assert_string_equal(shown, expected);
    assert_report(&diag, errors);
    assert_int_equal(ret, *errors == '\0' ? 0 : SPOT_ERR_BAD_INPUT);
    assert_int_equal(spot_json_reader_next(&json), ret); /* it stays there */
    spot_json_reader_close(&json);
    spot_diag_free(&diag);
}

static void assert_refused(const char *text, const char *errors)
{
    char shown[TEXT_BYTES];
    spot_json_reader_t json;
    spot_diag_t diag;

    spot_diag_init(&diag);
    spot_json_reader_open_bytes(&json, "x", 1, text, strlen(text), 3, &diag);
    assert_int_equal(read_tokens(&json, shown, spot_json_reader_next), SPOT_ERR_BAD_INPUT);
    assert_report(&diag, errors);
    spot_json_reader_close(&json);
    spot_diag_free(&diag);
}

static void test_tokens(void **state)
{
    (void) state;
    assert_tokens("", "", "");
    assert_tokens(" \n\t\r\n", "", "");
    assert_tokens("{}[]", "1:1 { 1:2 } 1:3 [ 1:4 ] ", "");
    assert_tokens("{\"a\": [1, -2.50e+3 ,true],\n \"b\":null}",
        "1:1 { 1:2 'a' 1:7 [ 1:8 1 1:11 -2.50e+3 1:21 true 1:25 ] 2:2 'b' 2:6 null 2:10 } ", "");
    assert_tokens("1 2\n\"x\"\"y\"{\"a\":NaN}[[ ]]",
        "1:1 1 1:3 2 2:1 'x' 2:4 'y' 2:7 { 2:8 'a' 2:12 NaN 2:15 } 2:16 [ 2:17 [ 2:19 ] 2:20 ] ",
        "");
    assert_tokens("\xef\xbb\xbf{\"\xc3\xa4\xe2\x82\xac\": \"\xf0\x9f\x98\x80\" }",
        "1:1 { 1:2 '\xc3\xa4\xe2\x82\xac' 1:8 '\xf0\x9f\x98\x80' 1:12 } ", "");
    /* Digits are not lost. */
    assert_tokens("[123456789012345678901234567890.10]",
        "1:1 [ 1:2 123456789012345678901234567890.10 1:35 ] ", "");
}

static void test_escapes(void **state)
{
    (void) state;
    assert_tokens("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041x\"", "1:1 '\"\\/\b\f\n\r\tAx' ", "");
    assert_tokens(
        "\"\\u00e4\\u20AC\\ud83d\\ude00\"", "1:1 '\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80' ", "");
    assert_refused("[\"a\\x\"]", "x:1:4: JSON syntax: bad escape\n");
    assert_refused("\"\\ud83d\"", "x:1:2: JSON syntax: bad escape: half of a surrogate pair\n");
    assert_refused(
        "\"\\ude00\\ud83d\"", "x:1:2: JSON syntax: bad escape: half of a surrogate pair\n");
    assert_refused("\"a\\u0000\"", "x:1:3: JSON syntax: a NUL in a text\n");
    assert_refused("\"\\u12x4\"", "x:1:2: JSON syntax: bad escape: \\u needs four hex digits\n");
    assert_refused("\"\\u12", "x:1:6: JSON syntax: bad escape: \\u needs four hex digits\n");
}

static void test_refused(void **state)
{
    static const char *const rows[][2] = {
        {"{\"a\":1,}", "x:1:8: JSON syntax: expected a key\n"},
        {"[1,]", "x:1:4: JSON syntax: expected a value\n"},
        {"[1 2]", "x:1:2: JSON syntax: neither a number nor a text in \"\"\n"},
        {"[1\n2]", "x:1:2: JSON syntax: neither a number nor a text in \"\"\n"},
        {"[\"a\" 2]", "x:1:6: JSON syntax: expected ',' or ']'\n"},
        {"{\"a\":1]", "x:1:7: JSON syntax: expected ',' or '}'\n"},
        {"[1}", "x:1:3: JSON syntax: expected ',' or ']'\n"},
        {"]", "x:1:1: JSON syntax: expected a value\n"},
        {"{1:2}", "x:1:2: JSON syntax: expected a key in \"\"\n"},
        {"{a:1}", "x:1:2: JSON syntax: expected a key in \"\"\n"},
        {"{\"b\":1, 'a':1}", "x:1:9: JSON syntax: expected a key in \"\"\n"},
        {"{\"a\"}", "x:1:5: JSON syntax: expected ':'\n"},
        {"{\"a\" 1}", "x:1:6: JSON syntax: expected ':'\n"},
        {"{\"a\"", "x:1:5: JSON syntax: expected ':'\n"},
        {"{\"a\":}", "x:1:6: JSON syntax: expected a value\n"},
        {"{\"a\":,}", "x:1:6: JSON syntax: expected a value\n"},
        {"{\"a\":", "x:1:6: JSON syntax: expected a value\n"},
        {"{\"a\":'b'}", "x:1:6: JSON syntax: neither a number nor a text in \"\"\n"},
        {"# no", "x:1:1: JSON syntax: neither a number nor a text in \"\"\n"},
        {"[1", "x:1:3: JSON syntax: expected ',' or ']'\n"},
        {"\n{\"a", "x:2:4: JSON syntax: a text without its closing \"\n"},
        {"[\"a\nb\", 1]", "x:1:4: JSON syntax: a text has a line break in it\n"},
        {"\"\x01\"", "x: no JSON text: control characters are not allowed at byte 2\n"},
        {"{\x01}", "x: no JSON text: control characters are not allowed at byte 2\n"},
        {"[\xff]", "x: no JSON text: invalid leading UTF-8 octet at byte 2\n"},
        {"[\"\xc3", "x: no JSON text: invalid leading UTF-8 octet at byte 3\n"},
        {"[[[[", "x:1:4: nested more than 3 levels deep\n"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(rows) / sizeof(rows[0]); j++) {
        assert_refused(rows[j][0], rows[j][1]);
    }
}

static int skip_items(spot_json_reader_t *self)
{
    const int ret = spot_json_reader_next(self);

    return ret == 0 && self->depth > 1 ? spot_json_reader_skip(self) : ret;
}

static void test_skipped(void **state)
{
    static const char text[] = "[{\"a\":[1,{\"b\":2}]},\"c\",[3]]";
    char shown[TEXT_BYTES];
    spot_json_reader_t json;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    spot_json_reader_open_bytes(&json, "x", 7, text, strlen(text), 4, &diag);
    assert_int_equal(read_tokens(&json, shown, skip_items), 0);
    assert_string_equal(shown, "7:1 [ 7:18 } 7:20 'c' 7:26 ] 7:27 ] ");
    spot_json_reader_close(&json);
    spot_diag_free(&diag);
}

/* Texts and words that end, and have escapes and characters, at any place of what is read at a
 * time, and longer ones. */
static void test_long_texts(void **state)
{
    enum { NUM = 20000 };
    char *text = malloc(8 * NUM + 100);

    (void) state;
    for (size_t num = 4000; num <= NUM; num = num < 4200 ? num + 1 : 2 * num) {
        spot_json_reader_t json;
        spot_diag_t diag;
        size_t length = 2;

        strcpy(text, "[\"");
        for (size_t j = 0; j < num; j++) {
            text[length++] = 'a';
        }
        strcpy(text + length, "\\u00e4\xc3\xa4\", 0.125, {\"b\": true}]");
        spot_diag_init(&diag);
        spot_json_reader_open_bytes(&json, "x", 1, text, strlen(text), 3, &diag);
        assert_int_equal(spot_json_reader_next(&json), 0);
        assert_int_equal(spot_json_reader_next(&json), 0);
        assert_int_equal(json.num_bytes, num + 4);
        assert_string_equal(json.text + num, "\xc3\xa4\xc3\xa4");
        assert_int_equal(spot_json_reader_next(&json), 0);
        assert_string_equal(json.text, "0.125");
        assert_int_equal(json.column, num + 13);
        assert_int_equal(spot_json_reader_next(&json), 0);
        assert_int_equal(spot_json_reader_next(&json), 0);
        assert_string_equal(json.text, "b");
        assert_int_equal(spot_json_reader_next(&json), 0);
        assert_string_equal(json.text, "true");
        assert_int_equal(spot_json_reader_next(&json), 0);
        assert_int_equal(spot_json_reader_next(&json), 0);
        assert_int_equal(spot_json_reader_next(&json), 0);
        assert_int_equal(json.kind, SPOT_JSON_END);
        spot_json_reader_close(&json);
        spot_diag_free(&diag);
    }
    free(text);
}

/* Blanks take no memory, however many there are. */
static void test_blanks_are_not_kept(void **state)
{
    enum { NUM = 1000000 };
    char *text = malloc(2 * NUM + 10);
    spot_json_reader_t json;
    spot_diag_t diag;

    (void) state;
    memset(text, '\n', 2 * NUM);
    memcpy(text + NUM, "[1]", 3);
    memcpy(text + 2 * NUM, "7", 2);
    spot_diag_init(&diag);
    spot_json_reader_open_bytes(&json, "x", 1, text, strlen(text), 3, &diag);
    for (int j = 0; j < 5; j++) {
        assert_int_equal(spot_json_reader_next(&json), 0);
    }
    assert_int_equal(json.kind, SPOT_JSON_END);
    assert_true(json.source.max_bytes < 10000);
    spot_json_reader_close(&json);
    spot_diag_free(&diag);
    free(text);
}

static void test_trees(void **state)
{
    static const char *const bad[] = {NULL, "", " ", "{} 1", "[", "{\"a\":\"\xff\"}"};
    spot_arena_t arena = {.error = 0};
    spot_json_value_t *value;
    const spot_json_value_t *list;

    (void) state;
    assert_int_equal(
        spot_json_parse("{\"a\": [1, \"x\"], \"b\": {}, \"a\": 2}\n", &arena, &value), 0);
    list = spot_json_member(value, "a");
    assert_int_equal(list->kind, SPOT_JSON_OPEN_ARRAY);
    assert_int_equal(list->column, 7);
    assert_string_equal(list->first->text, "1");
    assert_string_equal(list->first->next->text, "x");
    assert_null(list->first->next->next);
    assert_null(spot_json_member(value, "b")->first);
    assert_null(spot_json_member(value, "c"));
    assert_null(spot_json_member(NULL, "c"));
    for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
        assert_int_equal(spot_json_parse(bad[j], &arena, &value), SPOT_ERR_BAD_INPUT);
    }
    spot_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_skipped),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_blanks_are_not_kept),
        cmocka_unit_test(test_trees),
    };

    return cmocka_run_group_tests_name("json_read", tests, NULL, NULL);
}
