/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of JSON logs in every layout, with the places of their values. */
#include <string.h>

#include "tests/unit/base/support.h"
#include "traces/records/records.h"

#define NO_VALUE ": JSON syntax: neither a number nor a text in \"\"\n"
#define NO_KEY ": JSON syntax: expected a key in \"\"\n"
#define NO_MEMBER ": JSON syntax: expected ',' or '}'\n"
#define NO_CONTENT ": JSON syntax: expected a value\n"

enum { TEXT_BYTES = 2048 };

typedef struct {
    spot_record_input_t input;
    const char *const *lists;
    spot_diag_t diag;
    char text[TEXT_BYTES]; /* "LINE:COLUMN VALUE; " of each record */
    bool is_within;        /* the texts of the members "body" hold records */
} fixture_t;

/* Prints {k:v,...}, [v,...], 'text' or a word. */
static void print_value(char text[TEXT_BYTES], const spot_json_value_t *value)
{
    const char *brackets = value->kind == SPOT_JSON_OPEN_OBJECT ? "{}" : "[]";
    const bool is_open =
        value->kind == SPOT_JSON_OPEN_OBJECT || value->kind == SPOT_JSON_OPEN_ARRAY;
    size_t num_bytes;

    if (!is_open) {
        snprintf(text + strlen(text), TEXT_BYTES - strlen(text),
            value->kind == SPOT_JSON_TEXT ? "'%s'" : "%s", value->text);
        return;
    }
    strncat(text, brackets, 1);
    for (const spot_json_value_t *item = value->first; item != NULL; item = item->next) {
        if (item->key != NULL) {
            snprintf(text + strlen(text), TEXT_BYTES - strlen(text), "%s:", item->key);
        }
        print_value(text, item);
        num_bytes = strlen(text);
        snprintf(text + num_bytes, TEXT_BYTES - num_bytes, "%s", item->next == NULL ? "" : ",");
    }
    strncat(text, brackets + 1, 1);
}

static int take(void *context, const spot_json_value_t *record)
{
    fixture_t *self = context;
    const spot_json_value_t *body = spot_json_member(record, "body");

    if (self->is_within && body != NULL && body->kind == SPOT_JSON_TEXT) {
        return spot_json_records_within(&self->input, body, self->lists, take, self, &self->diag);
    }
    snprintf(self->text + strlen(self->text), TEXT_BYTES - strlen(self->text), "%zu:%zu ",
        record->line, record->column);
    print_value(self->text, record);
    strcat(self->text, "; ");
    return 0;
}

/* Reads records of bytes; the messages are errors, and the records before them too. */
static void assert_records(const char *bytes, size_t num_bytes, const char *const *lists,
    bool is_within, const char *records, const char *errors)
{
    fixture_t fixture = {.input = {"x", bytes, num_bytes}, .lists = lists, .is_within = is_within};
    int ret;

    spot_diag_init(&fixture.diag);
    ret = spot_json_records(&fixture.input, lists, take, &fixture, &fixture.diag);
    assert_string_equal(fixture.text, records);
    assert_report(&fixture.diag, errors);
    assert_int_equal(ret, *errors == '\0' ? 0 : SPOT_ERR_BAD_INPUT);
    spot_diag_free(&fixture.diag);
}

static void assert_read(const char *bytes, const char *records)
{
    assert_records(bytes, strlen(bytes), NULL, false, records, "");
}

static void assert_refused(const char *bytes, const char *records, const char *errors)
{
    assert_records(bytes, strlen(bytes), NULL, false, records, errors);
}

static void test_layouts(void **state)
{
    (void) state;
    assert_read("{\"a\": 1}", "1:1 {a:1}; ");
    assert_read("{\"a\":1}\n{\"a\":2}\n", "1:1 {a:1}; 2:1 {a:2}; ");
    assert_read("{\"a\":1}{\"a\":2}{\"b\":{}}", "1:1 {a:1}; 1:8 {a:2}; 1:15 {b:{}}; ");
    assert_read("  {\"a\":1} {\"a\":2}\r\n\r\n{\"a\":3}", "1:3 {a:1}; 1:11 {a:2}; 3:1 {a:3}; ");
    assert_read("[{\"a\":1},\n {\"a\":2}]\n[{\"a\":3}]{\"a\":4}",
        "1:2 {a:1}; 2:2 {a:2}; 3:2 {a:3}; 3:10 {a:4}; ");
    assert_read("{\n\t\"a\":\t[1, \"x\"],\n\t\"b\": {\n\t\t\"c\": null\n\t}\n}\n{\n}\n",
        "1:1 {a:[1,'x'],b:{c:null}}; 7:1 {}; ");
    assert_read("\xef\xbb\xbf{\"a\":1}{\"a\":2}", "1:1 {a:1}; 1:8 {a:2}; ");
    assert_read("{\"a\":\"}{][\\\"\"}{\"b\":\"\\\\\"}", "1:1 {a:'}{][\"'}; 1:15 {b:'\\'}; ");
    assert_read(
        "[[1],[],[[{\"a\":[2]}]],\"x\",true]", "1:3 1; 1:11 {a:[2]}; 1:23 'x'; 1:27 true; ");
    assert_read("[]{\"a\":\"\"}", "1:3 {a:''}; ");
}

static void test_lists(void **state)
{
    static const char *const lists[] = {"items", "data.result", NULL};
    static const char text[] =
        "{\"kind\":\"List\",\"items\":[{\"a\":1},\n{\"items\":[2]}],\"more\":[3]}\n"
        "{\"status\":\"ok\",\"data\":{\"type\":\"m\",\"result\":[{\"b\":1},{\"b\":2}]}}"
        "\n"
        "{\"data\":{\"type\":\"m\"}} {\"result\":[7]}\n{\"items\":[]}{\"items\":{}}";

    (void) state;
    assert_records(text, strlen(text), lists, false,
        "1:25 {a:1}; 2:1 {items:[2]}; 3:45 {b:1}; 3:53 {b:2}; "
        "4:1 {data:{type:'m'}}; 4:23 {result:[7]}; 5:13 {items:{}}; ",
        "");
}

static void test_within(void **state)
{
    static const char text[] = "{\"body\":\"{\\\"a\\\":1}\"}\n\n  {\"body\": "
                               "\"[{\\\"a\\\":2},\\n{\\\"a\\\":3}]\"}"
                               "{\"body\":3}{\"body\":\"{\\\"body\\\":\\\"{}\\\"}\"}";

    (void) state;
    assert_records(text, strlen(text), NULL, true,
        "1:9 {a:1}; 3:12 {a:2}; 3:12 {a:3}; 3:38 {body:3}; 3:56 {}; ", "");
}

static const char *text_at(const spot_json_value_t *value, const char *path)
{
    return spot_json_text_at(value, path);
}

static int take_paths(void *context, const spot_json_value_t *record)
{
    (void) context;
    assert_string_equal(text_at(record, "a.b-c"), "x");
    assert_string_equal(text_at(record, "a.b"), "");
    assert_string_equal(text_at(record, "a"), "");
    assert_string_equal(text_at(record, "n.m"), "7");
    assert_string_equal(text_at(record, "n"), "");
    assert_string_equal(text_at(record, "empty"), "");
    assert_string_equal(text_at(record, "null"), "");
    assert_string_equal(text_at(record, "text"), "null");
    assert_string_equal(text_at(record, "no"), "false");
    assert_string_equal(text_at(record, "a.b-c.d"), "");
    assert_null(spot_json_at(record, "missing.a"));
    assert_non_null(spot_json_at(record, "null"));
    return 0;
}

static void test_paths(void **state)
{
    static const char text[] =
        "{\"a\":{\"b-c\":\"x\"},\"n\":[{\"m\":7},{\"m\":8}],\"empty\":[],\"null\":null,"
        "\"text\":\"null\",\"no\":false}";
    const spot_record_input_t input = {"x", text, sizeof(text) - 1};
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(spot_json_records(&input, NULL, take_paths, NULL, &diag), 0);
    spot_diag_free(&diag);
}

static void test_damaged(void **state)
{
    static const char nul[] = "{\"a\":1}\n{\"a\":\0}";
    char deep[200];

    (void) state;
    assert_refused("", "", "x:1:1: expected at least one record\n");
    assert_refused("\n\n", "", "x:3:1: expected at least one record\n");
    assert_refused("[]\n", "", "x:2:1: expected at least one record\n");
    assert_refused(
        "{\"a\":1}\n3\n", "1:1 {a:1}; ", "x:2:1: record: expected an object or a list, got '3'\n");
    assert_refused("\"a\" {}", "", "x:1:1: record: expected an object or a list, got 'a'\n");
    assert_refused("{\"a\":1}{\"a\":1 2}", "1:1 {a:1}; ", "x:1:13" NO_VALUE);
    assert_refused("{\"a\":1}\n{\"a\":}", "1:1 {a:1}; ", "x:2:6" NO_CONTENT);
    assert_refused("{\"a\":1}\n{\"a\":2]", "1:1 {a:1}; ", "x:2:7" NO_MEMBER);
    assert_refused("{\"a\":1}}\n{\"a\":2}", "1:1 {a:1}; ", "x:1:8" NO_CONTENT);
    assert_refused("{\"a\":1}\n{\"a\":", "1:1 {a:1}; ", "x:2:6" NO_CONTENT);
    assert_refused("{\"a\":1},{\"a\":2}", "1:1 {a:1}; ", "x:1:8" NO_CONTENT);
    assert_refused("{\"a\":'x'}", "", "x:1:6" NO_VALUE);
    assert_refused("{a:1}", "", "x:1:2" NO_KEY);
    assert_refused("{\"a\":&b 1,\"c\":*b}", "", "x:1:6" NO_VALUE);
    assert_refused("\xef\xbb\xbf{}{\"a\":\"\xff\"}", "1:1 {}; ",
        "x: no JSON text: invalid leading UTF-8 octet at byte 12\n");
    assert_records(nul, sizeof(nul) - 1, NULL, false, "1:1 {a:1}; ",
        "x: no JSON text: control characters are not allowed at byte 14\n");
    memset(deep, '[', 66);
    deep[66] = '\0';
    assert_refused(deep, "", "x:1:65: nested more than 64 levels deep\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_within),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_damaged),
    };

    return cmocka_run_group_tests_name("json_value", tests, NULL, NULL);
}
