/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "reports/run_result.h"
#include "reports/run_series.h"
#include "tests/unit/base/json_tree.h"

enum { LEVELS, EVENTS, CURVE, SPANS, NODES, TABLE, NUM_SERIES };

static const spot_series_column_t level_columns[] = {SPOT_SERIES_COLUMN(INSTANT, "time", ""),
    SPOT_SERIES_COLUMN(COUNT, "busy", "GPUs"), SPOT_SERIES_COLUMN(NUMBER, "idle", "GPUs")};
static const spot_series_column_t event_columns[] = {SPOT_SERIES_COLUMN(INSTANT, "time", ""),
    SPOT_SERIES_COLUMN(CATEGORY, "what", ""), SPOT_SERIES_COLUMN(COUNT, "count", "1")};
static const spot_series_column_t curve_columns[] = {
    SPOT_SERIES_COLUMN(INSTANT, "time", ""), SPOT_SERIES_COLUMN(NUMBER, "cost", "USD")};
static const spot_series_column_t span_columns[] = {SPOT_SERIES_COLUMN(INSTANT, "start", ""),
    SPOT_SERIES_COLUMN(INSTANT, "end", ""), SPOT_SERIES_COLUMN(TEXT, "worker", ""),
    SPOT_SERIES_COLUMN(TEXT, "id", ""), SPOT_SERIES_COLUMN(TEXT, "host", ""),
    SPOT_SERIES_COLUMN(DURATION, "queue", ""), SPOT_SERIES_COLUMN(NUMBER, "speed", "1/s")};
static const spot_series_column_t node_columns[] = {SPOT_SERIES_COLUMN(INSTANT, "start", ""),
    SPOT_SERIES_COLUMN(INSTANT, "end", ""), SPOT_SERIES_COLUMN(TEXT, "node", ""),
    SPOT_SERIES_COLUMN(TEXT, "job", ""), SPOT_SERIES_COLUMN(COUNT, "GPUs", "GPUs")};
static const spot_series_kind_t level_kind =
    SPOT_SERIES_KIND("GPUs", LEVELS, 1000, level_columns, "GPUs by what they do");
static const spot_series_kind_t event_kind =
    SPOT_SERIES_KIND("events", EVENTS, 1, event_columns, "what happened");
static const spot_series_kind_t curve_kind =
    SPOT_SERIES_KIND("cost", CURVE, 1000000000, curve_columns, "cost");
static const spot_series_kind_t span_kind =
    SPOT_SERIES_KIND("tasks", SPANS, 1000000000, span_columns, "tasks");
static const spot_series_kind_t node_kind =
    SPOT_SERIES_KIND("nodes", SPANS, 1, node_columns, "jobs on nodes");
static const spot_series_kind_t table_kind =
    SPOT_SERIES_KIND("table", TABLE, 1000, level_columns, "rows");
static const spot_series_kind_t *const kinds[NUM_SERIES] = {
    &level_kind, &event_kind, &curve_kind, &span_kind, &node_kind, &table_kind};

static void add(spot_recording_t *recording, int series_id, const spot_cell_t *cells)
{
    assert_int_equal(spot_series_add(&recording->series[series_id], cells), 0);
}

static void add_task(spot_recording_t *recording, int64_t start, int64_t end, const char *worker,
    const char *id, const char *host)
{
    add(recording, SPANS,
        (spot_cell_t[]){{.integer = start}, {.integer = end}, {.text = worker}, {.text = id},
            {.text = host}, {.integer = 7}, {.number = id[0] == 'a' ? (double) NAN : 0.1}});
}

/* Series of all shapes; tasks of a worker overlap, more of them than a lane has slots;
 * a job takes two pieces of a node. */
static void fill(spot_recording_t *recording)
{
    assert_int_equal(spot_recording_init(recording, NUM_SERIES, kinds), 0);
    recording->title = strdup("a \"run\"");
    add(recording, LEVELS, (spot_cell_t[]){{.integer = 5}, {.integer = 3}, {.number = 1}});
    add(recording, LEVELS,
        (spot_cell_t[]){{.integer = 1500}, {.integer = 4}, {.number = (double) NAN}});
    add(recording, EVENTS, (spot_cell_t[]){{.integer = 86400}, {.text = "lost\n"}, {.integer = 2}});
    add(recording, CURVE, (spot_cell_t[]){{.integer = 1}, {.number = 1e-9}});
    add_task(recording, 16277000000000123, 16277000000000124, "w0", "a <b>", "h0");
    add_task(recording, 9, 20, "w0", "b", "h0");
    add_task(recording, 15, 15, "w1", "c", "h1");
    for (int64_t j = 0; j < SPOT_MAX_SLOTS + 3; j++) {
        add_task(recording, 100 + j, 500 - j, "w2", "many", "h1");
    }
    add(recording, NODES,
        (spot_cell_t[]){
            {.integer = 0}, {.integer = 9}, {.text = "n"}, {.text = "x"}, {.integer = 1}});
    add(recording, NODES,
        (spot_cell_t[]){
            {.integer = 0}, {.integer = 2}, {.text = "n"}, {.text = "y"}, {.integer = 1}});
    add(recording, NODES,
        (spot_cell_t[]){
            {.integer = 1}, {.integer = 9}, {.text = "n"}, {.text = "z"}, {.integer = 1}});
    add(recording, NODES,
        (spot_cell_t[]){
            {.integer = 2}, {.integer = 5}, {.text = "n"}, {.text = "w"}, {.integer = 2}});
    add(recording, TABLE, (spot_cell_t[]){{.integer = 5}, {.integer = 3}, {.number = 1}});
}

static char *write_trace(const spot_recording_t *recording)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_int_equal(spot_chrome_trace_write(recording, out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

static const char *text_of(json_t *event, const char *key)
{
    json_t *item = spot_json_member(event, key);

    assert_true(json_is_text(item));
    return item->text;
}

static double number_of(json_t *event, const char *key)
{
    json_t *item = spot_json_member(event, key);

    assert_true(json_is_number(item));
    return json_number(item);
}

/* A name that the trace gives to a process, or to a thread of it. */
static const char *find_name(json_t *events, const char *what, double pid, double tid)
{
    json_t *event;
    const char *name = NULL;

    for (event = json_first(events); event != NULL; event = event->next) {
        if (text_of(event, "ph")[0] == 'M' && strcmp(text_of(event, "name"), what) == 0 &&
            number_of(event, "pid") == pid && number_of(event, "tid") == tid) {
            assert_null(name); /* once */
            name = text_of(spot_json_member(event, "args"), "name");
        }
    }
    return name;
}

/* The rules of the format for an event by its kind. */
static void check_event(json_t *events, json_t *event)
{
    const char *phase = text_of(event, "ph");
    json_t *args = spot_json_member(event, "args"), *arg;

    assert_int_equal(strlen(phase), 1);
    assert_non_null(strchr("MCiX", phase[0]));
    assert_true(strlen(text_of(event, "name")) > 0);
    assert_true(json_is_object(args));
    assert_non_null(find_name(events, "process_name", number_of(event, "pid"), 0));
    if (phase[0] == 'M') {
        return;
    }
    assert_true(number_of(event, "ts") >= 0);
    if (phase[0] == 'C') {
        for (arg = json_first(args); arg != NULL; arg = arg->next) {
            assert_true(json_is_number(arg));
        }
    } else if (phase[0] == 'i') {
        assert_string_equal(text_of(event, "s"), "p");
    } else {
        assert_true(number_of(event, "dur") >= 0);
        assert_non_null(
            find_name(events, "thread_name", number_of(event, "pid"), number_of(event, "tid")));
    }
}

/* Bars of a thread do not overlap. Their times differ by less than a double can show, so
 * none of these ends at a start that is not the same. */
static void check_overlaps(json_t *events)
{
    json_t *a, *b;

    for (a = json_first(events); a != NULL; a = a->next) {
        for (b = json_first(events); b != NULL; b = b->next) {
            if (a != b && text_of(a, "ph")[0] == 'X' && text_of(b, "ph")[0] == 'X' &&
                number_of(a, "pid") == number_of(b, "pid") &&
                number_of(a, "tid") == number_of(b, "tid")) {
                const double start = number_of(a, "ts"), other = number_of(b, "ts");

                assert_true(start + number_of(a, "dur") <= other + 1e-6 ||
                            other + number_of(b, "dur") <= start + 1e-6);
            }
        }
    }
}

static void test_rules(void **state)
{
    spot_recording_t recording;
    char *text;
    json_t *trace;
    json_t *events, *event;
    int num_bars = 0;

    (void) state;
    fill(&recording);
    text = write_trace(&recording);
    trace = json_parse(text);
    assert_non_null(trace);
    assert_string_equal(text_of(trace, "displayTimeUnit"), "ms");
    events = spot_json_member(trace, "traceEvents");
    assert_true(json_is_list(events));
    for (event = json_first(events); event != NULL; event = event->next) {
        check_event(events, event);
        num_bars += text_of(event, "ph")[0] == 'X';
    }
    assert_int_equal(num_bars, 3 + SPOT_MAX_SLOTS + 3 + 4);
    check_overlaps(events);
    json_delete(trace);
    free(text);
    spot_recording_free(&recording);
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("the trace has no %s", part);
    }
}

/* Times are exact, texts escaped, what is null is left out. */
static void test_values(void **state)
{
    spot_recording_t recording;
    char *text;

    (void) state;
    fill(&recording);
    text = write_trace(&recording);
    assert_has(text, "\"ts\": 16277000000000.123, \"dur\": 0.001, \"args\": "
                     "{\"id\": \"a <b>\", \"host\": \"h0\", \"queue\": 0.007}}");
    assert_has(text, "\"id\": \"b\", \"host\": \"h0\", \"queue\": 0.007, \"speed\": 0.1}}");
    assert_has(text, "\"ph\": \"C\", \"name\": \"GPUs\", \"pid\": 1, \"tid\": 0, "
                     "\"ts\": 1500000, \"args\": {\"busy\": 4}}");
    assert_has(text, "\"ph\": \"i\", \"name\": \"lost\\u000a\", \"pid\": 1, \"tid\": 0, "
                     "\"ts\": 86400000000, \"s\": \"p\", \"args\": {\"count\": 2}}");
    assert_has(text, "\"name\": \"process_name\", \"pid\": 1, \"tid\": 0, \"args\": "
                     "{\"name\": \"a \\\"run\\\"\"}}");
    assert_has(text, "{\"name\": \"h1\"}");
    assert_has(text, "{\"name\": \"nodes\"}");
    assert_null(strstr(text, "\"table\""));
    free(text);
    spot_recording_free(&recording);
}

static void test_nothing(void **state)
{
    spot_recording_t recording;
    char *text;

    (void) state;
    assert_int_equal(spot_recording_init(&recording, 1, &kinds[TABLE]), 0);
    text = write_trace(&recording);
    assert_has(text, "\"name\": \"run\"");
    free(text);
    spot_recording_free(&recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rules), cmocka_unit_test(test_values),
        cmocka_unit_test(test_nothing)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
