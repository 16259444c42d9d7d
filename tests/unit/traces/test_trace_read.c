/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_rng.h>
#include <string.h>

#include "base/rng.h"
#include "tests/unit/base/support.h"
#include "traces/trace.h"

#define HEADER(kind, capacity)                                                                     \
    "# spotsim-trace: 1\n# name: small\n# start: unknown\n# resolution_s: 60\n"                    \
    "# kind: " kind "\n# capacity: " capacity "\ntime_s,event,count,instances\n"

static const char named_text[] = HEADER("named", "unbounded") "0,init,2,a b\n"
                                                              "0,add,1,c\n"
                                                              "60,preempt,1,a\n"
                                                              "60,stop,1,b\n"
                                                              "60,add,2,d a\n"
                                                              "3600,end,3,\n";

/* Reads text and compares what is reported. */
static int read_text(spot_trace_t *trace, const char *text, bool is_strict, const char *report)
{
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = spot_trace_read_bytes(trace, "x", text, strlen(text), is_strict, &diag);
    assert_report(&diag, report);
    spot_diag_free(&diag);
    if (ret == 0) {
        spot_trace_verify(trace);
    }
    return ret;
}

static void assert_rejected(const char *text, const char *report)
{
    spot_trace_t trace;

    assert_int_equal(read_text(&trace, text, false, report), SPOT_ERR_BAD_INPUT);
    spot_trace_free(&trace);
}

static void assert_small_named(const spot_trace_t *trace)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    static const int32_t name_ids[] = {0, 1, 2, 0, 1, 3, 0};

    assert_int_equal(trace->kind, SPOT_TRACE_NAMED);
    assert_int_equal(trace->capacity, SPOT_UNBOUNDED);
    assert_int_equal(trace->initial, 2);
    assert_int_equal(trace->final, 3);
    assert_int_equal(trace->end_ms, 3600000);
    assert_int_equal(trace->num_events, 4);
    assert_int_equal(trace->events[2].time_ms, 60000);
    assert_int_equal(trace->events[2].kind, SPOT_EVENT_STOP);
    assert_int_equal(trace->events[3].count, 2);
    assert_int_equal(trace->num_names, 4);
    for (size_t j = 0; j < 4; j++) {
        assert_string_equal(trace->names[j], names[j]);
    }
    assert_int_equal(trace->num_name_ids, 7);
    assert_memory_equal(trace->name_ids, name_ids, sizeof(name_ids));
}

static void test_named(void **state)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *stream = open_memstream(&text, &num_bytes);
    spot_trace_t trace;

    (void) state;
    assert_int_equal(read_text(&trace, named_text, true, ""), 0);
    assert_small_named(&trace);
    assert_int_equal(trace.resolution_ms, 60000);
    assert_int_equal(trace.header.num_keys, 5);
    assert_string_equal(spot_trace_key(&trace, "capacity"), "unbounded");
    assert_null(spot_trace_key(&trace, "spotsim-trace"));
    assert_non_null(stream);
    spot_trace_print_state(&trace, stream);
    fclose(stream);
    assert_non_null(strstr(text, "60000 ms stop 1\n"));
    free(text);
    spot_trace_free(&trace);
    spot_trace_free(&trace);
}

/* The same trace with everything that may be otherwise. */
static void test_liberties(void **state)
{
    spot_trace_t trace;

    (void) state;
    assert_int_equal(
        read_text(&trace,
            "\xef\xbb\xbf# spotsim-trace: 1\r\n# kind:  named \r\n"
            "# unheard-of: a: b # c\r\n# capacity: 2147483647\r\n# resolution_s: 6e1\r\n"
            "# start: 2020-02-29T23:59:59.250+05:30\r\n# name: \xc3\xa9 x\r\n"
            "time_s, \"event\" ,count,instances\r\n"
            "\"0\",init,2,\" a  b \"\r\n0.000,add , 1 , c\r\n060,preempt,1,a\r\n"
            "60.0,stop,1,\"b\"\r\n60,add,2,d   a  \r\n3600,end,3,",
            true, ""),
        0);
    assert_small_named(&trace);
    assert_string_equal(spot_trace_key(&trace, "unheard-of"), "a: b # c");
    assert_string_equal(trace.header.keys[0].value, "named");
    spot_trace_free(&trace);
}

static void test_counts(void **state)
{
    spot_trace_t trace;

    (void) state;
    assert_int_equal(read_text(&trace,
                         HEADER("availability", "4") "0,init,0,\n60,add,4,\n"
                                                     "120,preempt,4,\n180,end,0,\n",
                         true, ""),
        0);
    assert_int_equal(trace.kind, SPOT_TRACE_AVAILABILITY);
    assert_int_equal(trace.num_events, 2);
    assert_null(trace.events[0].name_ids);
    assert_int_equal(trace.num_names, 0);
    spot_trace_free(&trace);

    assert_int_equal(read_text(&trace, HEADER("named", "1") "0,init,0,\n60,end,0,\n", true, ""), 0);
    assert_int_equal(trace.num_name_ids, 0);
    spot_trace_free(&trace);
}

static void test_irregular_times(void **state)
{
    static const char text[] =
        HEADER("counts", "4") "0,init,0,\n60.5,add,4,\n61,preempt,4,\n180,end,0,\n";
    spot_trace_t trace;

    (void) state;
    assert_int_equal(read_text(&trace, text, false,
                         "warning: x:9:1: time_s: 60.5 is no multiple of resolution_s, "
                         "2 of 4 rows\n"),
        0);
    spot_trace_free(&trace);
    assert_int_equal(read_text(&trace, text, true,
                         "x:9:1: time_s: 60.5 is no multiple of resolution_s, "
                         "2 of 4 rows\n"),
        SPOT_ERR_BAD_INPUT);
    spot_trace_free(&trace);
}

/* What may only follow from a faulty row is not reported, other errors are. */
static void test_consequences(void **state)
{
    (void) state;
    assert_rejected(HEADER("named", "2") "0,init,1,a\n"
                                         "60,add,x,b\n"
                                         "30,preempt,1,b\n"
                                         "30,add,3,c a d\n"
                                         "30,stop,1,e\n"
                                         "90,add,2,f f\n"
                                         "95,add,1,f,\n"
                                         "99,end,7,\n"
                                         "100,add,1,g\n",
        "x:9:8: count: expected an integer from 1 to 2147483647, got 'x'\n"
        "x:12:4: event: stop after add at the same time\n"
        "x:13:12: instances: 'f' twice in one row\n"
        "x:14:12: expected 4 fields, got 5\n"
        "x:16:5: event: row after end\n");
    assert_rejected(HEADER("counts", "2") "0,init,1\n60,add,1,\n120,end,1",
        "x:8:9: expected 4 fields, got 3\nx:10:10: expected 4 fields, got 3\n");
    assert_rejected(HEADER("counts", "many") "0,init,1,\n60,add,9,\n120,end,10,\n",
        "x:6:13: capacity: expected an integer above 0 or unbounded, got 'many'\n");
    assert_rejected(HEADER("counted", "4") "0,init,1,\n60,add,1,a\n120,end,2,\n",
        "x:5:9: kind: expected named, counts or availability, got 'counted'\n");
    assert_rejected("# spotsim-trace: 1\n# name small\n#start: 2020\n# kind: a, b\n"
                    "# resolution_s: \x01\n60,add,1,\n70,add,1,\n80,end,2,\n",
        "x:2:1: expected '# key: value'\n"
        "x:3:1: expected '# key: value'\n"
        "x:4:10: comma or double quote in a header line\n"
        "x:5:17: byte 0x01 is not allowed\n"
        "x:6:1: missing key 'capacity'\n"
        "x:6:1: expected the columns time_s,event,count,instances\n");
}

/* A header line, or a field of the second row, that is as expected or not. */
static bool is_accepted(const char *text)
{
    spot_diag_t diag;
    spot_trace_t trace;
    int ret;

    spot_diag_init(&diag);
    ret = spot_trace_read_bytes(&trace, "x", text, strlen(text), false, &diag);
    spot_trace_free(&trace);
    spot_diag_free(&diag);
    return ret == 0;
}

static bool is_start(const char *start)
{
    char text[512];

    snprintf(text, sizeof(text),
        "# spotsim-trace: 1\n# name: a\n# start: %s\n# resolution_s: 1\n# kind: counts\n"
        "# capacity: 1\ntime_s,event,count,instances\n0,init,0,\n1,end,0,\n",
        start);
    return is_accepted(text);
}

static void test_start(void **state)
{
    static const char *const good[] = {"unknown", "2020-11-20", "2000-02-29", "2020-11-20T19:30:00",
        "2021-09-14T17:00:00Z", "2019-02-18T08:57:37.265000-08:00", "2019-12-31T23:59:59.1+14:00",
        "1999-01-01T00:00:00.0Z"};
    static const char *const bad[] = {"Unknown", "2020-11-31", "1900-02-29", "2020-2-03",
        "2020-13-01", "2020-00-01", "2020-01-00", "20-01-01", "2020-11-20 19:30:00", "2020-11-20T",
        "2020-11-20T19:30", "2020-11-20T24:00:00", "2020-11-20T23:60:00", "2020-11-20T23:00:60",
        "2020-11-20T19:30:00.", "2020-11-20T19:30:00z", "2020-11-20T19:30:00+14:01",
        "2020-11-20T19:30:00-12:01", "2020-11-20T19:30:00+0530", "2020-11-20T19:30:00+5:30",
        "2020-11-20Z", "2020-11-20T19:30:00Zx", "yesterday"};

    (void) state;
    for (size_t j = 0; j < sizeof(good) / sizeof(good[0]); j++) {
        assert_true(is_start(good[j]));
    }
    for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
        assert_false(is_start(bad[j]));
    }
}

static void test_resolution(void **state)
{
    static const struct {
        const char *text;
        int64_t resolution_ms; /* -1 = an error */
    } cases[] = {{"3.6", 3600}, {"0.0001", 1}, {"1e-9", 1}, {"0.001", 1}, {"0", -1}, {"-1", -1},
        {"1 s", -1}, {"nan", -1}, {"inf", -1}, {"0x10", -1}, {"1e300", -1}};

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        char text[512];
        spot_diag_t diag;
        spot_trace_t trace;
        int ret;

        snprintf(text, sizeof(text),
            "# spotsim-trace: 1\n# name: a\n# start: unknown\n# resolution_s: %s\n"
            "# kind: counts\n# capacity: 1\ntime_s,event,count,instances\n0,init,0,\n"
            "36,end,0,\n",
            cases[j].text);
        spot_diag_init(&diag);
        ret = spot_trace_read_bytes(&trace, "x", text, strlen(text), true, &diag);
        assert_int_equal(ret, cases[j].resolution_ms < 0 ? SPOT_ERR_BAD_INPUT : 0);
        if (ret == 0) {
            assert_int_equal(trace.resolution_ms, cases[j].resolution_ms);
        }
        spot_trace_free(&trace);
        spot_diag_free(&diag);
    }
}

static void test_times(void **state)
{
    static const struct {
        const char *text;
        int64_t time_ms; /* -1 = an error */
        const char *canonical;
    } cases[] = {{"0", 0, "0"}, {"212.40", 212400, "212.4"}, {"0.001", 1, "0.001"},
        {"007.05", 7050, "7.05"}, {"3155760000.999", INT64_C(3155760000999), "3155760000.999"},
        {"3155760001", -1, ""}, {"99999999999999999999", -1, ""}, {"", -1, ""}, {".5", -1, ""},
        {"1.", -1, ""}, {"1.0001", -1, ""}, {"+1", -1, ""}, {"-1", -1, ""}, {"1e3", -1, ""},
        {"1 ", -1, ""}, {"0x1", -1, ""}};

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        char text[SPOT_TRACE_TIME_BYTES];
        int64_t time_ms;

        if (spot_trace_time_parse(cases[j].text, &time_ms) != 0) {
            assert_int_equal(cases[j].time_ms, -1);
            continue;
        }
        assert_true(time_ms == cases[j].time_ms);
        assert_int_equal(spot_trace_time_text(time_ms, text), strlen(cases[j].canonical));
        assert_string_equal(text, cases[j].canonical);
    }
    assert_int_equal(spot_trace_time_text(INT64_MAX, (char[SPOT_TRACE_TIME_BYTES]){""}), 20);
}

static bool is_count(const char *count)
{
    char text[512];

    snprintf(text, sizeof(text),
        HEADER("counts", "unbounded") "0,init,0,\n60,add,%s,\n120,preempt,%s,\n"
                                      "180,end,0,\n",
        count, count);
    return is_accepted(text);
}

static void test_count(void **state)
{
    static const char *const bad[] = {"0", "", "+1", "-1", "01", "1.0", "1e1", "1 2", "2147483648",
        "99999999999999999999", "one"};

    (void) state;
    assert_true(is_count("1"));
    assert_true(is_count(" 2147483647 "));
    for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
        assert_false(is_count(bad[j]));
    }
    assert_rejected(HEADER("counts", "unbounded") "0,init,1,\n60,add,2147483647,\n"
                                                  "180,end,0,\n",
        "x:9:8: count: population 2147483648 exceeds the capacity 2147483647\n");
}

static void test_long_line(void **state)
{
    const size_t num_bytes = (size_t) 2 << 20;
    const size_t header_bytes = strlen(HEADER("named", "4"));
    char *text = malloc(header_bytes + num_bytes + 32);

    (void) state;
    assert_non_null(text);
    memcpy(text, HEADER("named", "4"), header_bytes);
    memset(text + header_bytes, 'a', num_bytes);
    strcpy(text + header_bytes + num_bytes, "\n60,end,0,\n");
    assert_rejected(text, "x:8:1: line longer than 1048576 bytes: nothing is read from here on\n");
    free(text);
}

/* All arrays and tables grow several times: 3,000 instances come and go one by one. */
static void test_growth(void **state)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *stream = open_memstream(&text, &num_bytes);
    spot_trace_t trace;

    (void) state;
    assert_non_null(stream);
    fputs("# spotsim-trace: 1\n# name: a\n# start: unknown\n# resolution_s: 1\n"
          "# kind: named\n# capacity: unbounded\n",
        stream);
    for (int j = 0; j < 100; j++) {
        fprintf(stream, "# key%d: %d\n", j, j);
    }
    fputs("time_s,event,count,instances\n0,init,0,\n", stream);
    for (int j = 0; j < 6000; j++) {
        fprintf(stream, "%d,%s,1,i%d\n", j, j < 3000 ? "add" : "stop", j % 3000);
    }
    fputs("6000,end,0,\n", stream);
    fclose(stream);
    assert_int_equal(read_text(&trace, text, true, ""), 0);
    assert_int_equal(trace.header.num_keys, 105);
    assert_string_equal(spot_trace_key(&trace, "key99"), "99");
    assert_int_equal(trace.num_names, 3000);
    assert_int_equal(trace.num_events, 6000);
    assert_string_equal(trace.names[*trace.events[5999].name_ids], "i2999");
    spot_trace_free(&trace);
    free(text);
}

static void test_files_that_do_not_open(void **state)
{
    spot_trace_t trace;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(spot_trace_read(&trace, "/nonexistent.csv", false, &diag), SPOT_ERR_IO);
    spot_trace_free(&trace);
    assert_int_equal(spot_trace_read(&trace, "/", false, &diag), SPOT_ERR_IO);
    spot_trace_free(&trace);
    assert_report(&diag, "/nonexistent.csv: cannot open: No such file or directory\n"
                         "/: cannot open: Is a directory\n");
    spot_diag_free(&diag);
}

/* A few bytes replaced, removed or doubled: never a crash, and what is accepted holds
 * all invariants. */
static void test_mutations(void **state)
{
    static const char letters[] = ",\n\"# .0169aceinoptx\r\xc3";
    const size_t num_bytes = strlen(named_text);
    spot_rng_t rng;
    gsl_rng *draw = spot_rng_gsl(&rng);
    size_t num_accepted = 0;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_COUNT, 1);
    for (int trial = 0; trial < 20000; trial++) {
        char text[sizeof(named_text) + 8];
        size_t length = num_bytes;
        const unsigned long num_changes = 1 + gsl_rng_uniform_int(draw, 3);
        spot_trace_t trace;
        spot_diag_t diag;

        memcpy(text, named_text, num_bytes);
        for (unsigned long j = 0; j < num_changes; j++) {
            const size_t place = gsl_rng_uniform_int(draw, num_bytes - 8);
            const unsigned long what = gsl_rng_uniform_int(draw, 3);

            if (what == 0) {
                text[place] = letters[gsl_rng_uniform_int(draw, sizeof(letters))];
            } else if (what == 1) {
                memmove(text + place, text + place + 1, --length - place);
            } else {
                memmove(text + place + 1, text + place, length++ - place);
            }
        }
        spot_diag_init(&diag);
        if (spot_trace_read_bytes(&trace, "x", text, length, false, &diag) == 0) {
            spot_trace_verify(&trace);
            num_accepted++;
        } else {
            assert_true(diag.num_errors > 0);
        }
        spot_trace_free(&trace);
        spot_diag_free(&diag);
    }
    assert_true(num_accepted > 200 && num_accepted < 15000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named),
        cmocka_unit_test(test_liberties),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_irregular_times),
        cmocka_unit_test(test_consequences),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_resolution),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_count),
        cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_files_that_do_not_open),
        cmocka_unit_test(test_mutations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
