/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random fleets, written as events, lives and counts, as CSV and as JSON lines, with
 * rows in any order and times in any form, give what was so; and rules on small logs. */
#include <inttypes.h>
#include <string.h>

#include "base/datetime.h"
#include "base/rng.h"
#include "tests/unit/base/support.h"
#include "traces/convert/convert.h"
#include "traces/trace.h"

enum { NUM_FLEETS = 60, MAX_LIVES = 64, MAX_ROWS = 512, ROW_BYTES = 160, END_TICK = 60 };
enum { EVENTS, EVENTS_WITHOUT_NAMES, LIVES, LIVES_WITHOUT_NAMES, COUNTS, NUM_SHAPES };

static const int64_t start_ms = 1717401600000, tick_ms = 90500;

typedef struct {
    int name_id, start, end; /* in ticks; end > END_TICK: it still runs */
    bool is_preempted;
} life_t;

typedef struct {
    size_t num_lives;
    life_t lives[MAX_LIVES];
} fleet_t;

/* Lines of text. */
typedef struct {
    size_t num_rows;
    char rows[MAX_ROWS][ROW_BYTES];
} rows_t;

static void make_fleet(fleet_t *self, spot_rng_t *rng)
{
    const int num_names = 1 + (int) spot_rng_below(rng, 12);

    self->num_lives = 0;
    for (int j = 0; j < num_names; j++) {
        int tick = j == 0 ? 0 : (int) spot_rng_below(rng, END_TICK);

        for (int k = 0; k < 4 && tick < END_TICK; k++) {
            life_t *life = &self->lives[self->num_lives++];

            life->name_id = j;
            life->start = tick;
            life->end = tick + 1 + (int) spot_rng_below(rng, 20);
            life->is_preempted = spot_rng_below(rng, 2) == 0;
            tick = life->end + 1 + (int) spot_rng_below(rng, 6);
        }
    }
}

static void put(rows_t *self, const char *format, ...) SPOT_PRINTF(2, 3);

static void put(rows_t *self, const char *format, ...)
{
    va_list arguments;

    assert_true(self->num_rows < MAX_ROWS);
    va_start(arguments, format);
    vsnprintf(self->rows[self->num_rows++], ROW_BYTES, format, arguments);
    va_end(arguments);
}

static int compare(const void *left, const void *right)
{
    return strcmp(left, right);
}

static int population(const fleet_t *self, int tick)
{
    int num = 0;

    for (size_t j = 0; j < self->num_lives; j++) {
        num += self->lives[j].start <= tick && tick < self->lives[j].end;
    }
    return num;
}

/* ---- The truth ---- */

/* One line for each instance that comes or goes; of counts for each that the difference
 * shows, whose cause is not known: a stop. */
static void put_truth(const fleet_t *self, int shape, rows_t *rows)
{
    const bool has_names = shape == EVENTS || shape == LIVES;

    rows->num_rows = 0;
    for (size_t j = 0; j < self->num_lives && shape != COUNTS; j++) {
        const life_t *life = &self->lives[j];
        const char *kind = life->is_preempted ? "preempt" : "stop";
        char name[16] = "";

        if (has_names) {
            snprintf(name, sizeof(name), "n%d", life->name_id);
        }
        put(rows, "%" PRId64 " %s %s", life->start * tick_ms, life->start == 0 ? "init" : "add",
            name);
        if (life->end <= END_TICK) {
            put(rows, "%" PRId64 " %s %s", life->end * tick_ms, kind, name);
        }
    }
    for (int j = 0; j <= END_TICK && shape == COUNTS; j++) {
        int change = population(self, j) - (j == 0 ? 0 : population(self, j - 1));

        for (; change != 0; change += change < 0 ? 1 : -1) {
            put(rows, "%" PRId64 " %s ", j * tick_ms,
                j == 0       ? "init"
                : change > 0 ? "add"
                             : "stop");
        }
    }
    qsort(rows->rows, rows->num_rows, ROW_BYTES, compare);
}

static void put_trace(const spot_trace_t *trace, rows_t *rows)
{
    const bool has_names = trace->kind == SPOT_TRACE_NAMED;

    rows->num_rows = 0;
    for (int32_t j = 0; j < trace->initial; j++) {
        put(rows, "0 init %s", has_names ? trace->names[trace->name_ids[j]] : "");
    }
    for (size_t j = 0; j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        for (int32_t k = 0; k < event->count; k++) {
            put(rows, "%" PRId64 " %s %s", event->time_ms, spot_event_kind_names[event->kind],
                has_names ? trace->names[event->name_ids[k]] : "");
        }
    }
    qsort(rows->rows, rows->num_rows, ROW_BYTES, compare);
}

/* ---- Logs ---- */

/* A time in one of five forms. */
static void time_text(int tick, size_t form, char text[SPOT_DATETIME_BYTES])
{
    const int64_t time_ms = start_ms + tick * tick_ms;

    switch (form) {
        case 0:
            spot_instant_text(time_ms, text);
            break;
        case 1:
            spot_instant_text(time_ms + INT64_C(7200000), text);
            strcpy(strchr(text, 'Z'), "+02:00");
            break;
        case 2:
            snprintf(text, SPOT_DATETIME_BYTES, "%" PRId64 ".%03d", time_ms / 1000,
                (int) (time_ms % 1000));
            break;
        case 3:
            snprintf(text, SPOT_DATETIME_BYTES, "%" PRId64, time_ms);
            break;
        default:
            snprintf(text, SPOT_DATETIME_BYTES, "%" PRId64 "000000", time_ms);
            break;
    }
}

static void put_record(
    rows_t *rows, bool is_json, const char *first, const char *second, int name_id, const char *why)
{
    put(rows,
        is_json ? "{\"at\": \"%s\", \"x\": {\"what\": \"%s\"}, \"who\": \"n%d\", "
                  "\"why\": \"%s\"}"
                : "%s,%s,n%d,%s",
        first, second, name_id, why);
}

static void put_log(const fleet_t *self, int shape, bool is_json, size_t form, rows_t *rows)
{
    const bool is_event = shape == EVENTS || shape == EVENTS_WITHOUT_NAMES;
    char first[SPOT_DATETIME_BYTES], second[SPOT_DATETIME_BYTES];

    rows->num_rows = 0;
    for (size_t j = 0; j < self->num_lives && shape != COUNTS; j++) {
        const life_t *life = &self->lives[j];
        const bool is_over = life->end <= END_TICK;
        const char *why = life->is_preempted ? "Taken" : "given back";

        time_text(life->start, form, first);
        time_text(life->end, form, second);
        put_record(rows, is_json, first,
            is_event  ? "up"
            : is_over ? second
                      : "",
            life->name_id, why);
        if (is_event && is_over) {
            put_record(rows, is_json, second, why, life->name_id, "");
        }
    }
    for (int j = 0; j <= END_TICK && shape == COUNTS; j++) {
        time_text(j, form, first);
        snprintf(second, sizeof(second), "%d", population(self, j));
        put_record(rows, is_json, first, second, 0, "");
    }
}

static void shuffle(rows_t *self, spot_rng_t *rng)
{
    char row[ROW_BYTES];

    for (size_t j = self->num_rows; j > 1; j--) {
        const size_t other = (size_t) spot_rng_below(rng, j);

        memcpy(row, self->rows[j - 1], ROW_BYTES);
        memcpy(self->rows[j - 1], self->rows[other], ROW_BYTES);
        memcpy(self->rows[other], row, ROW_BYTES);
    }
}

/* Converts rows to those of the trace. */
static void convert(const rows_t *log, int shape, bool is_json, rows_t *found)
{
    static const char *const columns[NUM_SHAPES][2] = {
        {"time=at,event=what,instance=who", "time=at,event=x.what,instance=who"},
        {"time=at,event=what", "time=at,event=x.what"},
        {"start=at,end=what,instance=who,cause=why", "start=at,end=x.what,instance=who,cause=why"},
        {"start=at,end=what,cause=why", "start=at,end=x.what,cause=why"},
        {"time=at,count=what", "time=at,count=x.what"}};
    static char text[MAX_ROWS * ROW_BYTES];
    spot_convert_t task = {.kind = -1,
        .window_ms = -1,
        .columns = columns[shape][is_json],
        .events = shape == COUNTS ? NULL : "up=add,taken=preempt,g*=stop"};
    spot_record_input_t input = {.path = "log", .bytes = text};
    spot_convert_report_t report;
    spot_trace_t trace;
    char now[SPOT_DATETIME_BYTES];
    spot_diag_t diag;
    int ret;

    spot_instant_text(start_ms + END_TICK * tick_ms, now);
    task.now = now;
    strcpy(text, is_json ? "" : "at,what,who,why\n");
    for (size_t j = 0; j < log->num_rows; j++) {
        strcat(strcat(text, log->rows[j]), "\n");
    }
    input.num_bytes = strlen(text);
    spot_diag_init(&diag);
    ret = spot_convert(&task, 1, &input, &trace, &report, &diag);
    assert_report(&diag, "");
    assert_int_equal(ret, 0);
    assert_string_equal(report.format, "mapping");
    assert_int_equal(trace.end_ms, END_TICK * tick_ms);
    put_trace(&trace, found);
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
    spot_diag_free(&diag);
}

static void test_fleets(void **state)
{
    static rows_t truth, log, found;
    spot_rng_t rng;
    fleet_t fleet;

    (void) state;
    for (uint64_t j = 0; j < NUM_FLEETS; j++) {
        spot_rng_seek(&rng, 22, j, SPOT_STREAM_COUNT, 0);
        make_fleet(&fleet, &rng);
        for (int shape = 0; shape < NUM_SHAPES; shape++) {
            put_truth(&fleet, shape, &truth);
            put_log(&fleet, shape, j % 2 == 0, (size_t) j % 5, &log);
            shuffle(&log, &rng);
            convert(&log, shape, j % 2 == 0, &found);
            assert_int_equal(found.num_rows, truth.num_rows);
            for (size_t k = 0; k < truth.num_rows; k++) {
                assert_string_equal(found.rows[k], truth.rows[k]);
            }
        }
    }
}

/* ---- Small logs ---- */

/* Converts a text in seconds from 0; rows: those of the trace, or the errors. */
static void assert_small(
    const char *columns, const char *events, const char *text, const char *rows)
{
    const spot_convert_t task = {
        .kind = -1, .window_ms = -1, .unit_ms = 1000, .columns = columns, .events = events};
    const spot_record_input_t input = {.path = "log", .bytes = text, .num_bytes = strlen(text)};
    static rows_t found;
    static char list[MAX_ROWS * ROW_BYTES];
    spot_convert_report_t report;
    spot_trace_t trace;
    spot_diag_t diag;

    spot_diag_init(&diag);
    if (spot_convert(&task, 1, &input, &trace, &report, &diag) == 0) {
        put_trace(&trace, &found);
        list[0] = '\0';
        for (size_t j = 0; j < found.num_rows; j++) {
            strcat(strcat(list, found.rows[j]), "\n");
        }
        assert_string_equal(list, rows);
        rows = "";
    }
    assert_report(&diag, rows);
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
    spot_diag_free(&diag);
}

static void test_rules(void **state)
{
    static const char columns[] = "time=t,event=e,count=n";

    (void) state;
    /* The fewest that the losses need run before the log; losses of a time come first.
     */
    assert_small(columns, NULL, "t,e,n\n9,add,1\n5,add,2\n5,preempt,3\n0,gone,1\n5,stop,1\n",
        "0 init \n0 init \n0 init \n0 init \n0 init \n0 stop \n5000 add \n5000 add \n"
        "5000 preempt \n5000 preempt \n5000 preempt \n5000 stop \n9000 add \n");
    /* Whole words before patterns; the first pattern that fits. */
    assert_small("time=t,event=e", "*=ignore,a*=stop,AB=preempt,add=add",
        "t,e\n0,Add\n0,add\n0,add\n5,ab\n6,abc\n", "0 init \n0 init \n0 init \n5000 preempt \n");
    /* Members with points in their names, and null. */
    assert_small("start=a.b,end=c", NULL, "[{\"a.b\": 0, \"c\": null},\n {\"a.b\": 3, \"c\": 7.5}]",
        "0 init \n3000 add \n7500 stop \n");
    /* A life that starts where another one of the instance ends, in either order. */
    assert_small("start=s,end=e,instance=i", NULL, "s,e,i\n5,9,a\n0,5,a\n",
        "0 init a\n5000 add a\n5000 stop a\n9000 stop a\n");
    /* Of counts at one time the last one holds, and none at first are none. */
    assert_small("time=t,count=n", NULL, "t,n\n0,0\n4,9\n4,2\n8,2\n", "4000 add \n4000 add \n");
    assert_small("time=t,event=e", NULL, "t,e\n0,add\n5,new\n6,NEW\n7,\"x, y\"\n",
        "log:3:3: --events does not list 'new' (1), 'NEW' (1), 'x, y' (1); expected "
        "WORD=KIND of each, or '*=ignore'\n");
    assert_small("time=t,event=f", NULL, "t,e\n0,add\n5,new\n",
        "log:1:1: event: unknown column \"f\"; there are t, e\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fleets),
        cmocka_unit_test(test_rules),
    };

    return cmocka_run_group_tests_name("mapping", tests, NULL, NULL);
}
