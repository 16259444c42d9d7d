/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages and Chrome traces of task logs. */
#include <stdlib.h>
#include <string.h>

#include "base/verb/output.h"
#include "reports/page/page_timeline.h"
#include "sim/tasks/task_verbs.h"
#include "tests/unit/base/support.h"
#include "tests/unit/traces_tasks/tasks_case.h"

/* Two workers of two hosts; data goes from one to the other. */
#define SMALL                                                                                      \
    "tP a h0:w0 1000;tE a h0:w0 1500;tS a h0:w0 3000;tF a h0:w0 5001;"                             \
    "xP a h1:w1 4000;xS a h1:w1 4100 remote;xL a h1:w1 4200 remote;"                               \
    "xF a h1:w1 6000 remote;"                                                                      \
    "tP b(</script>):0 h1:w1 6000;tE b(</script>):0 h1:w1 6500;"                                   \
    "tS b(</script>):0 h1:w1 7000;tF b(</script>):0 h1:w1 9000;"

static void read_script(tasks_case_t *self, const char *script)
{
    char *text = tasks_lines(script);

    tasks_case_read(self, text, strlen(text), NULL);
    assert_int_equal(self->ret, 0);
    free(text);
}

/* One run, or the same one twice; the caller frees the text. */
static char *draw(tasks_case_t *self, size_t num_runs, bool is_trace, int expected)
{
    const spot_task_run_t run = {"log", &self->log, &self->analysis};
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_int_equal(spot_task_runs_draw(num_runs, (const spot_task_run_t[]){run, run}, is_trace,
                         "page", out, &self->diag),
        expected);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void assert_has(const char *text, const char *part, bool has)
{
    if ((strstr(text, part) != NULL) != has) {
        fail_msg("%s: %s", has ? "missing" : "there", part);
    }
}

/* Ids are escaped; the same log gives the same bytes; nothing is fetched. */
static void test_page(void **state)
{
    tasks_case_t self;
    char *first, *second;

    (void) state;
    read_script(&self, SMALL);
    first = draw(&self, 1, false, 0);
    second = draw(&self, 1, false, 0);
    assert_string_equal(first, second);
    assert_has(first, "\"name\": \"h0:w0\"", true);
    assert_has(first, "\"name\": \"h0:w0 data\"", false);
    assert_has(first, "\"name\": \"h1:w1 data\"", true);
    assert_has(first, "\"spans_first\": true", true);
    assert_has(first, "transmit (remote)", true);
    assert_has(first, "b(</script>)", false);
    assert_has(first, "b(\\u003c/script>):0", true);
    assert_has(first, "Where does the time of every worker go?", true);
    assert_has(first, "\"1 h0:w0\"", false);
    free(first);
    free(second);
    first = draw(&self, 2, false, 0);
    assert_has(first, "\"1 h0:w0\"", true);
    assert_has(first, "\"2 h1:w1 data\"", true);
    assert_has(first, "tasks running in 2", true);
    free(first);
    tasks_case_free(&self);
}

/* Tasks of 100 ns on a worker that rests for as long, then works without rest. */
static void test_many(void **state)
{
    enum { NUM = 8000, ENTRY_BYTES = 64 };
    tasks_case_t self;
    char *script = malloc((size_t) NUM * ENTRY_BYTES), *page, *data, *end;
    size_t used = 0;
    json_t *json;
    json_t *spans, *length, *level;
    double at = 0;
    int j = 0;

    (void) state;
    assert_non_null(script);
    for (long task = 0, now = 0; task < NUM; task++) {
        used += (size_t) snprintf(script + used, ENTRY_BYTES,
            "tS id%ld(): h0:w0 %ld;tF id%ld(): h0:w0 %ld;", task, now, task, now + 100);
        now += task < NUM / 2 ? 200 : 100;
    }
    read_script(&self, script);
    page = draw(&self, 1, false, 0);
    assert_true(strlen(page) < 1000000);
    assert_has(page, "id7", false);
    data = strstr(page, "{\"end_ms\"");
    end = strstr(data, "</script>");
    assert_non_null(end);
    *end = '\0';
    json = json_parse(data);
    *end = '<';
    spans = spot_json_member(json, "spans");
    assert_non_null(spans);
    assert_int_equal(json_size(spot_json_member(spans, "lanes")), 1);
    assert_true(json_size(spot_json_member(spans, "to")) < 1000);
    assert_has(page, "\"gathered\": \"bars are how busy", true);
    level = json_item(spot_json_member(json, "lanes"), 0);
    assert_true(json_is_word(spot_json_member(level, "bin_ms"), "null"));
    length = spot_json_member(level, "values");
    assert_int_equal(json_size(length), NUM + 2); /* no average of anything */
    for (j = 0; j < NUM + 2; j++) {
        assert_int_equal((int) json_number(json_item(length, j)), (j + 1) % 2);
    }
    j = 0;
    assert_has(page, "busy (up to 50 %)", true);
    assert_has(page, "busy (up to 100 %)", true);
    for (length = json_first(spot_json_member(spans, "to")); length != NULL;
         length = length->next) {
        at += json_number(length); /* of spans that follow each other */
        j++;
    }
    assert_in_range((uintmax_t) (at * 1e9), 1199000, 1203000);
    json_delete(json);
    free(page);
    free(script);
    tasks_case_free(&self);
}

static void test_trace(void **state)
{
    tasks_case_t self;
    char *text;

    (void) state;
    read_script(&self, SMALL);
    text = draw(&self, 1, true, 0);
    assert_has(text,
        "\"ts\": 2.000, \"dur\": 2.001, \"args\": {\"what\": \"a\", \"id\": \"a\", "
        "\"host\": \"h0\", \"attempt\": 1, \"queue\": 1.5, \"comm\": 0.5}}",
        true);
    assert_has(text,
        "\"ts\": 3.000, \"dur\": 2.000, \"args\": {\"what\": \"transmit (remote)\", "
        "\"id\": \"a\", \"host\": \"h1\", \"attempt\": 1}}",
        true);
    assert_has(text,
        "\"thread_name\", \"pid\": 2, \"tid\": 1, \"args\": {\"name\": "
        "\"h0:w0\"}",
        true);
    assert_has(text,
        "\"process_name\", \"pid\": 3, \"tid\": 0, \"args\": {\"name\": "
        "\"h1\"}",
        true);
    assert_has(text, "wait (", false);
    free(text);
    tasks_case_free(&self);
}

static void test_nothing(void **state)
{
    tasks_case_t self;

    (void) state;
    read_script(&self, "");
    free(draw(&self, 1, false, SPOT_ERR_BAD_PARAM));
    assert_tasks_report(&self, "page: nothing can be drawn: the run is empty\n");
    tasks_case_free(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_page), cmocka_unit_test(test_many),
        cmocka_unit_test(test_trace), cmocka_unit_test(test_nothing)};
    static const spot_dialects_t dialects = {.recording = spot_recording_draw};

    spot_output_set_dialects(&dialects);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
