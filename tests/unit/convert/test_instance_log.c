/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each rule by which a trace follows from what records say of instances. */
#include <string.h>

#include "base/datetime.h"
#include "base/memory.h"
#include "base/units.h"
#include "tests/unit/base/support.h"
#include "traces/convert/logs/instance_log.h"

enum { TEXT_BYTES = 1024 };

/* A log, given as "SECONDS SAYS NAME" with ; between, and what follows from it. */
typedef struct {
    spot_convert_t task;
    const spot_record_input_t *input;
    spot_trace_t trace;
    spot_convert_report_t report;
    spot_diag_t diag;
    spot_import_t import;
    spot_instance_log_t log;
} fixture_t;

static const spot_record_input_t file = {.path = "x"};

static const char *const words[] = {
    [SPOT_SAYS_RUNS] = "runs",
    [SPOT_SAYS_PREEMPTED] = "preempted",
    [SPOT_SAYS_STOPPED] = "stopped",
    [SPOT_SAYS_GONE] = "gone",
    [SPOT_SAYS_NOTICE] = "notice",
    [SPOT_SAYS_ADVICE] = "advice",
    [SPOT_NUM_SAYS] = NULL,
};

static void set_up(fixture_t *self, spot_convert_t task)
{
    memset(self, 0, sizeof(*self));
    self->task = task;
    spot_diag_init(&self->diag);
    self->import = (spot_import_t){.task = &self->task,
        .num_inputs = 1,
        .inputs = &file,
        .trace = &self->trace,
        .report = &self->report,
        .diag = &self->diag};
    spot_trace_instances_init(&self->import.instances, &self->trace, file.path, &self->diag);
}

static void tear_down(fixture_t *self)
{
    spot_instance_log_free(&self->log);
    spot_trace_instances_free(&self->import.instances);
    free(self->import.arrivals);
    spot_convert_report_free(&self->report);
    spot_trace_free(&self->trace);
    spot_diag_free(&self->diag);
}

/* Adds the records of a text. Returns the last error. */
static int add_records(fixture_t *self, const char *text)
{
    const spot_log_place_t place = {0, 7, 3};
    int ret = 0;

    while (*text != '\0') {
        long long time_s;
        char word[16], name[128];
        int says = 0, num_bytes = 0;

        assert_int_equal(sscanf(text, "%lld %15s %127[^;]%n", &time_s, word, name, &num_bytes), 3);
        while (strcmp(words[says], word) != 0) {
            says++;
        }
        ret = spot_error_first(ret, spot_instance_log_add(&self->log, &place,
                                        time_s * SPOT_MS_PER_S, (spot_says_t) says, name));
        text += num_bytes;
        text += strspn(text, "; ");
    }
    return ret;
}

/* Prints the trace as "0 init a b; 5 preempt a; 9 end". */
static void print_trace(const fixture_t *self, char text[TEXT_BYTES])
{
    const spot_trace_t *trace = &self->trace;
    const int32_t *name_ids = trace->name_ids;
    int num_bytes = snprintf(text, TEXT_BYTES, "init");

    for (int32_t k = 0; k < trace->initial; k++) {
        num_bytes += snprintf(
            text + num_bytes, (size_t) (TEXT_BYTES - num_bytes), " %s", trace->names[*name_ids++]);
    }
    for (size_t j = 0; j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        num_bytes += snprintf(text + num_bytes, (size_t) (TEXT_BYTES - num_bytes), "; %d %s",
            (int) (event->time_ms / SPOT_MS_PER_S), spot_event_kind_names[event->kind]);
        for (int32_t k = 0; k < event->count; k++) {
            num_bytes += snprintf(text + num_bytes, (size_t) (TEXT_BYTES - num_bytes), " %s",
                trace->names[*name_ids++]);
        }
    }
    snprintf(text + num_bytes, (size_t) (TEXT_BYTES - num_bytes), "; %d end",
        (int) (trace->end_ms / SPOT_MS_PER_S));
}

/* Records make a trace, and remarks with these keys, in their order. */
static void assert_trace_of(spot_convert_t task, bool has_starts, const char *records,
    const char *expected, const char *remarks)
{
    fixture_t fixture;
    char text[TEXT_BYTES];

    set_up(&fixture, task);
    assert_int_equal(spot_instance_log_init(&fixture.log, &fixture.import), 0);
    fixture.log.has_starts = has_starts;
    assert_int_equal(add_records(&fixture, records), 0);
    assert_int_equal(spot_instance_log_finish(&fixture.log), 0);
    spot_trace_instances_finish(&fixture.import.instances);
    print_trace(&fixture, text);
    assert_string_equal(text, expected);
    *text = '\0';
    for (size_t j = 0; j < fixture.report.num_remarks; j++) {
        const spot_remark_t *remark = &fixture.report.remarks[j];

        if (remark->count > 0) {
            snprintf(text + strlen(text), TEXT_BYTES - strlen(text), "%s%s %d",
                *text == '\0' ? "" : ", ", remark->key, (int) remark->count);
        }
    }
    assert_string_equal(text, remarks);
    tear_down(&fixture);
}

static void assert_trace(
    spot_convert_t task, const char *records, const char *expected, const char *remarks)
{
    assert_trace_of(task, false, records, expected, remarks);
}

static const spot_convert_t plain = {.kind = -1, .window_ms = -1};

static void test_starts(void **state)
{
    (void) state;
    /* What starts with the log is initial; what is there without a start too. */
    assert_trace(plain, "5 runs a; 5 runs b; 7 runs c; 9 stopped d; 11 advice e",
        "init a b d e; 2 add c; 4 stop d; 6 end", "advice 1, initial 4");
    /* A running instance that runs is nothing new; one that has ended starts again. */
    assert_trace(plain, "0 runs a; 1 runs a; 2 stopped a; 2 runs a; 5 preempted a",
        "init a; 2 stop a; 2 add a; 5 preempt a; 5 end", "initial 1, repeated 1");
    assert_trace(plain, "0 runs a; 0 gone a; 0 runs a; 5 preempted a",
        "init a; 0 stop a; 0 add a; 5 preempt a; 5 end", "unknown_cause 1, initial 1");
    /* Records come in any order; those of one time keep theirs. */
    assert_trace(plain, "9 preempted b; 4 runs b; 0 runs a; 6 stopped a",
        "init a; 4 add b; 6 stop a; 9 preempt b; 9 end", "initial 1");
}

static void test_losses(void **state)
{
    spot_convert_t task = plain;

    (void) state;
    /* The first record ends it, a later one knows the cause, a third one nothing new. */
    assert_trace(plain, "0 runs a; 3 gone a; 4 preempted a; 5 stopped a",
        "init a; 3 preempt a; 5 end", "initial 1, repeated 2");
    assert_trace(plain, "0 runs a; 3 gone a; 4 gone a; 5 stopped a", "init a; 3 stop a; 5 end",
        "initial 1, repeated 2");
    assert_trace(plain, "0 runs a; 3 preempted a; 4 stopped a", "init a; 3 preempt a; 4 end",
        "initial 1, repeated 1");
    /* A cause of the next life is none of this one. */
    assert_trace(plain, "0 runs a; 3 gone a; 4 runs a; 5 preempted a",
        "init a; 3 stop a; 4 add a; 5 preempt a; 5 end", "unknown_cause 1, initial 1");
    task.unknown = SPOT_UNKNOWN_PREEMPT;
    assert_trace(task, "0 runs a; 0 runs b; 3 gone a; 4 stopped b",
        "init a b; 3 preempt a; 4 stop b; 4 end", "unknown_cause 1, initial 2");
    /* It came and went at one time. */
    assert_trace(plain, "0 runs a; 3 runs b; 3 gone b; 3 stopped a; 3 runs c",
        "init a; 3 stop a; 3 add c; 3 end", "unknown_cause 1, initial 1");
    assert_trace(plain, "0 runs a; 3 stopped a; 3 runs a; 3 preempted a", "init a; 3 stop a; 3 end",
        "initial 1");
}

static void test_notices(void **state)
{
    spot_convert_t task = plain;

    (void) state;
    /* A notice is no loss, and explains one within ten minutes. */
    assert_trace(plain, "0 runs a; 5 notice a; 6 notice a; 900 advice a", "init a; 900 end",
        "notices 1, advice 1, initial 1");
    assert_trace(plain, "0 runs a; 5 notice a; 605 gone a", "init a; 605 preempt a; 605 end",
        "notices 1, explained_by_notice 1, initial 1");
    assert_trace(plain, "0 runs a; 5 notice a; 606 gone a", "init a; 606 stop a; 606 end",
        "notices 1, unknown_cause 1, initial 1");
    assert_trace(plain, "0 runs a; 5 notice a; 6 stopped a", "init a; 6 stop a; 6 end",
        "notices 1, initial 1");
    /* Nor does it matter that the instance is seen running after the notice. */
    assert_trace(plain, "0 runs a; 5 notice a; 6 runs a; 605 gone a",
        "init a; 605 preempt a; 605 end",
        "notices 1, explained_by_notice 1, initial 1, repeated 1");
    /* Not in its next life, and no notice after its end. */
    assert_trace(plain, "0 runs a; 5 notice a; 6 stopped a; 7 runs a; 8 gone a; 9 notice a",
        "init a; 6 stop a; 7 add a; 8 stop a; 9 end", "notices 1, unknown_cause 1, initial 1");
    /* --notice: so much later, if it is watched so long and does not run then. */
    task.notice_ms = 120000;
    assert_trace(task, "0 runs a; 5 notice a; 6 notice b; 126 advice c",
        "init a b c; 125 preempt a; 126 preempt b; 126 end",
        "notices 2, advice 1, assumed_from_notice 2, initial 3");
    assert_trace(task, "0 runs a; 5 notice a; 124 advice c", "init a c; 125 preempt a; 125 end",
        "notices 1, advice 1, assumed_from_notice 1, initial 2");
    task.now = "1970-01-01T00:02:04Z";
    assert_trace(task, "0 runs a; 5 notice a; 99 advice c", "init a c; 124 end",
        "notices 1, advice 1, notices_without_end 1, initial 2");
    task.now = NULL;
    assert_trace(task, "0 runs a; 5 notice a; 126 runs a; 900 runs a", "init a; 900 end",
        "notices 1, initial 1, repeated 2");
    assert_trace(task, "0 runs a; 5 notice a; 7 gone a; 900 advice b",
        "init a b; 7 preempt a; 900 end", "notices 1, advice 1, explained_by_notice 1, initial 2");
}

/* A log that cannot be read: the error names the way out. */
static void assert_refused(spot_convert_t task, const char *records, const char *begin)
{
    fixture_t fixture;

    set_up(&fixture, task);
    assert_int_equal(spot_instance_log_init(&fixture.log, &fixture.import), 0);
    assert_int_equal(add_records(&fixture, records), 0);
    assert_int_equal(spot_instance_log_finish(&fixture.log), SPOT_ERR_BAD_INPUT);
    assert_int_equal(fixture.diag.num_errors, 1);
    if (strncmp(fixture.diag.items[0].text, begin, strlen(begin)) != 0) {
        fail_msg("got: %s", fixture.diag.items[0].text);
    }
    tear_down(&fixture);
}

/* Warnings without a single end: the log lacks its losses. */
static void test_lossless(void **state)
{
    spot_convert_t task = plain;

    (void) state;
    assert_refused(plain, "0 runs a; 5 notice a",
        "x: 1 notice of a preemption and not one end of an instance: ");
    assert_refused(plain, "0 notice a; 5 notice b; 9 advice c",
        "x: 2 notices of a preemption and not one end of an instance: ");
    assert_refused(plain, "0 notice a; 3 notice a; 603 runs a",
        "x: 1 notice of a preemption and not one end of an instance: ");
    assert_refused(plain, "0 runs a; 5 advice a; 7 runs b; 8 advice b",
        "x: 2 recommendations to rebalance and not one end of an instance: ");
    /* Not where an instance has ended, or nothing was announced. */
    assert_trace(plain, "0 notice a; 5 stopped b; 7 runs a", "init a b; 5 stop b; 7 end",
        "notices 1, notices_without_end 1, initial 2, repeated 1");
    assert_trace(plain, "0 runs a; 5 runs b", "init a; 5 add b; 5 end", "initial 1");
    /* Nor where those that were warned are seen running much later. */
    assert_trace(plain, "0 notice a; 5 advice b; 604 runs a", "init a b; 604 end",
        "notices 1, advice 1, initial 2, repeated 1");
    /* --notice: each is an end, up to which the log lasts. */
    task.notice_ms = 120000;
    assert_trace(task, "0 notice a; 5 notice b", "init a b; 120 preempt a; 125 preempt b; 125 end",
        "notices 2, assumed_from_notice 2, initial 2");
    assert_trace(task, "0 advice a; 5 advice b", "init a b; 120 preempt a; 125 preempt b; 125 end",
        "advice 2, assumed_from_advice 2, initial 2");
    assert_trace(task, "0 advice a; 5 notice b", "init a b; 125 preempt b; 125 end",
        "notices 1, advice 1, assumed_from_notice 1, initial 2");
}

/* Where records are starts, one after a notice shows that there was an end. */
static void test_starts_again(void **state)
{
    spot_convert_t task = plain;
    fixture_t fixture;

    (void) state;
    set_up(&fixture, plain);
    assert_int_equal(spot_instance_log_init(&fixture.log, &fixture.import), 0);
    fixture.log.has_starts = true;
    assert_int_equal(add_records(&fixture, "0 runs a; 0 runs b; 100 notice a; 400 runs a; "
                                           "500 gone b"),
        0);
    assert_int_equal(spot_instance_log_finish(&fixture.log), SPOT_ERR_BAD_INPUT);
    assert_report(&fixture.diag,
        "x: 1 instance starts after a notice of a preemption and no record of an end in between: "
        "the log lacks losses; expected the records of ends too, or --notice 120s: each then "
        "ended 120 s after the notice, at the latest when it started\n");
    tear_down(&fixture);
    /* So much after the notice, not after the start, nor before it was seen. */
    task.notice_ms = 120000;
    assert_trace_of(task, true, "0 runs a; 100 notice a; 400 runs a; 500 notice a; 560 runs a",
        "init a; 220 preempt a; 400 add a; 560 preempt a; 560 add a; 560 end",
        "notices 2, restarted 2, initial 1");
    assert_trace_of(task, true, "100 notice a; 300 advice a; 400 runs a",
        "init a; 200 preempt a; 300 add a; 300 end", "notices 1, advice 1, restarted 1, initial 1");
    /* A later life is lost as any other. */
    assert_trace_of(task, true, "0 runs a; 100 notice a; 400 runs a; 500 gone a; 600 runs a",
        "init a; 220 preempt a; 400 add a; 500 stop a; 600 add a; 600 end",
        "notices 1, restarted 1, unknown_cause 1, initial 1");
    /* What follows a start at once is of that start; without a notice nothing has ended. */
    assert_trace_of(task, true, "0 runs a; 5 notice a; 60 runs a; 70 preempted a",
        "init a; 70 preempt a; 70 end", "notices 1, initial 1, repeated 1");
    assert_trace_of(plain, true, "0 runs a; 400 runs a; 500 preempted a",
        "init a; 500 preempt a; 500 end", "initial 1, repeated 1");
}

/* So does one after a recommendation. In a log without notices and losses that counts as a
 * notice; else when the instance ended, and why, is not known. */
static void test_starts_after_advice(void **state)
{
    static const char records[] = "0 runs a; 0 runs b; 100 advice a; 4000 runs a";
    spot_convert_t task = plain;
    fixture_t fixture;

    (void) state;
    set_up(&fixture, plain);
    assert_int_equal(spot_instance_log_init(&fixture.log, &fixture.import), 0);
    fixture.log.has_starts = true;
    assert_int_equal(add_records(&fixture, records), 0);
    assert_int_equal(spot_instance_log_finish(&fixture.log), SPOT_ERR_BAD_INPUT);
    assert_report(&fixture.diag,
        "x: 1 instance starts after a recommendation to rebalance and no record of an end in "
        "between: the log lacks losses; expected the records of ends too, or --notice 120s: each "
        "then ended 120 s after the recommendation, at the latest when it started\n");
    tear_down(&fixture);
    assert_trace_of(plain, true, "0 runs a; 100 advice a; 4000 runs a; 4100 preempted a",
        "init a; 4000 stop a; 4000 add a; 4100 preempt a; 4100 end",
        "advice 1, returned 1, unknown_cause 1, initial 1");
    task.notice_ms = 120000;
    assert_trace_of(task, true, records, "init a b; 220 preempt a; 4000 add a; 4000 end",
        "advice 1, restarted 1, initial 2");
    assert_trace_of(task, true, "0 runs a; 0 runs b; 100 advice a; 110 notice b; 4000 runs a",
        "init a b; 230 preempt b; 4000 stop a; 4000 add a; 4000 end",
        "notices 1, advice 1, returned 1, assumed_from_notice 1, unknown_cause 1, initial 2");
    /* A record of the same start is none of another one; where records are no starts, the
     * instance is seen running. */
    assert_trace_of(task, true, "0 runs a; 5 advice a; 60 runs a; 70 preempted a",
        "init a; 70 preempt a; 70 end", "advice 1, initial 1, repeated 1");
    assert_trace_of(plain, false, records, "init a b; 4000 end", "advice 1, initial 2, repeated 1");
}

/* --initial: so many run when the log starts. */
static void test_initial(void **state)
{
    spot_convert_t task = plain;

    (void) state;
    task.notice_ms = 120000;
    task.initial = 4;
    assert_trace(task, "0 notice unnamed-1; 5 notice b",
        "init unnamed-1 b unnamed-2 unnamed-3; 120 preempt unnamed-1; 125 preempt b; 125 end",
        "notices 2, assumed_from_notice 2, unnamed 2");
    /* What is named later has come in place of the first that ended. */
    task.initial = 2;
    assert_trace(task, "0 notice a; 5 notice b; 130 notice c; 300 notice d",
        "init a b; 120 preempt a; 120 add c; 125 preempt b; 125 add d; 250 preempt c; "
        "250 add unnamed-1; 420 preempt d; 420 add unnamed-2; 420 end",
        "notices 4, assumed_from_notice 4, replacing 4");
    /* Where starts are recorded, no other one is made up. */
    assert_trace(task, "0 runs a; 5 runs b; 9 stopped c; 20 stopped d; 30 preempted a",
        "init a c; 5 add b; 9 stop c; 9 add d; 20 stop d; 30 preempt a; 30 end", "replacing 1");
    task.initial = 1;
    assert_refused(task, "0 notice a; 5 notice b; 130 notice c",
        "x: --initial 1: at 1970-01-01T00:00:05Z the log has named 2 instances without a start, "
        "and 0 have ended: expected 2 or more");
}

static void test_options(void **state)
{
    spot_convert_t task = plain;
    fixture_t fixture;

    (void) state;
    task.only = "gpu-*";
    task.now = "1970-01-01T00:00:30Z";
    assert_trace(task, "0 runs gpu-1; 2 runs web; 3 gone web; 9 stopped gpu-1",
        "init gpu-1; 9 stop gpu-1; 30 end", "initial 1, other_records 2");
    task.now = "1970-01-01T00:00:08Z";
    set_up(&fixture, task);
    assert_int_equal(spot_instance_log_init(&fixture.log, &fixture.import), 0);
    assert_int_equal(add_records(&fixture, "0 runs gpu-1; 9 stopped gpu-1"), 0);
    assert_int_equal(spot_instance_log_finish(&fixture.log), SPOT_ERR_BAD_INPUT);
    assert_report(&fixture.diag, "x: the last record, at 1970-01-01T00:00:09Z, is after --until\n");
    tear_down(&fixture);
    task.now = "tomorrow";
    set_up(&fixture, task);
    assert_int_equal(spot_instance_log_init(&fixture.log, &fixture.import), SPOT_ERR_BAD_INPUT);
    assert_report(
        &fixture.diag, "--until: expected a time such as 2024-06-07T17:00:00Z, got \"tomorrow\"\n");
    tear_down(&fixture);
}

static void test_refused(void **state)
{
    static const char bad_name[] =
        "x:7:3: instance: expected a name of 1 to 63 bytes without blank, comma and "
        "quote, got ";
    const spot_log_place_t place = {0, 7, 3};
    char expected[TEXT_BYTES];
    fixture_t fixture;
    int64_t time_ms;

    (void) state;
    set_up(&fixture, plain);
    assert_int_equal(spot_instance_log_init(&fixture.log, &fixture.import), 0);
    assert_int_equal(add_records(&fixture, "0 runs a b"), SPOT_ERR_BAD_INPUT);
    assert_int_equal(add_records(&fixture, "0 runs a,b"), SPOT_ERR_BAD_INPUT);
    assert_int_equal(
        spot_instance_log_add(&fixture.log, &place, 0, SPOT_SAYS_GONE, ""), SPOT_ERR_BAD_INPUT);
    assert_int_equal(
        spot_instance_log_time(&fixture.log, &place, "time", "", &time_ms), SPOT_ERR_BAD_INPUT);
    assert_int_equal(
        spot_instance_log_time(&fixture.log, &place, "time", "2024-02-30 00:00:00Z", &time_ms),
        SPOT_ERR_BAD_INPUT);
    assert_int_equal(spot_instance_log_finish(&fixture.log), SPOT_ERR_BAD_INPUT);
    snprintf(expected, sizeof(expected),
        "%s'a b'\n%s'a,b'\n"
        "x:7:3: instance: missing, expected a name of 1 to 63 bytes without blank, "
        "comma "
        "and quote\n"
        "x:7:3: time: missing, expected a time such as 2024-06-07T17:00:00Z\n"
        "x:7:3: time: expected a time such as 2024-06-07T17:00:00Z, got '2024-02-30 "
        "00:00:00Z'\n"
        "x: no record says that an instance came or went\n",
        bad_name, bad_name);
    assert_report(&fixture.diag, expected);
    tear_down(&fixture);
}

/* Times without a zone are UTC, which is said; labels go once they differ. */
/* A time without a year is the latest one up to a day after --until. */
static void test_year(void **state)
{
    static const struct {
        const char *now, *text, *expected; /* NULL: refused */
    } cases[] = {{"2025-01-01T09:00:00Z", "01-02 09:00:00", "2025-01-02T09:00:00Z"},
        {"2025-01-01T09:00:00Z", "01-02 09:00:01", "2024-01-02T09:00:01Z"},
        {"2025-01-15T00:00:00Z", "02-29 01:02:03.5", "2024-02-29T01:02:03.500Z"},
        {"2103-01-01T00:00:00Z", "02-29 00:00:00", "2096-02-29T00:00:00Z"},
        {"2025-01-01T00:00:00Z", "02-30 00:00:00", NULL}, {NULL, "01-01 00:00:00", NULL},
        {NULL, "01-02 00:00:00", NULL}};
    const spot_log_place_t place = {0, 7, 3};
    fixture_t fixture;

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        char text[SPOT_DATETIME_BYTES];
        int64_t time_ms = 0;

        set_up(&fixture, plain);
        fixture.task.now = cases[j].now;
        assert_int_equal(spot_instance_log_init(&fixture.log, &fixture.import), 0);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(
                spot_instance_log_time_of_year(&fixture.log, &place, cases[j].text, &time_ms),
                cases[j].expected == NULL ? SPOT_ERR_BAD_INPUT : 0);
        }
        assert_int_equal(fixture.diag.num_errors, cases[j].expected != NULL ? 0
                                                  : cases[j].now == NULL    ? 1
                                                                            : 2);
        if (cases[j].expected != NULL) {
            spot_instant_text(time_ms, text);
            assert_string_equal(text, cases[j].expected);
        }
        tear_down(&fixture);
    }
}

static void test_said(void **state)
{
    const spot_log_place_t place = {0, 1, 1};
    fixture_t fixture;
    int64_t zoned_ms, plain_ms;

    (void) state;
    set_up(&fixture, plain);
    assert_int_equal(spot_instance_log_init(&fixture.log, &fixture.import), 0);
    assert_int_equal(add_records(&fixture, "0 runs a; 5 stopped a"), 0);
    assert_int_equal(spot_instance_log_time(
                         &fixture.log, &place, "time", "2024-06-07T19:00:00+02:00", &zoned_ms),
        0);
    assert_true(fixture.log.is_zoned);
    assert_int_equal(
        spot_instance_log_time(&fixture.log, &place, "time", "2024-06-07 17:00:00", &plain_ms), 0);
    assert_int_equal(zoned_ms, plain_ms);
    spot_instance_log_label(&fixture.log, SPOT_LABEL_ZONE, "us-east-1a");
    spot_instance_log_label(&fixture.log, SPOT_LABEL_TYPE, "p3.2xlarge");
    spot_instance_log_label(&fixture.log, SPOT_LABEL_ZONE, "us-east-1a");
    spot_instance_log_label(&fixture.log, SPOT_LABEL_ZONE, "");
    spot_instance_log_label(&fixture.log, SPOT_LABEL_ZONE, "no, zone");
    assert_string_equal(spot_trace_key(&fixture.trace, "zone"), "us-east-1a");
    spot_instance_log_label(&fixture.log, SPOT_LABEL_ZONE, "us-east-1b");
    spot_instance_log_label(&fixture.log, SPOT_LABEL_ZONE, "us-east-1a");
    assert_null(spot_trace_key(&fixture.trace, "zone"));
    assert_string_equal(spot_trace_key(&fixture.trace, "instance_type"), "p3.2xlarge");
    assert_int_equal(spot_instance_log_finish(&fixture.log), 0);
    assert_string_equal(fixture.report.remarks[0].text, "times without a zone are taken as UTC");
    assert_string_equal(fixture.report.remarks[2].text,
        "1 instance runs from the begin of the log; instances that it never names are "
        "not in the trace");
    assert_string_equal(spot_trace_key(&fixture.trace, "start"), "1970-01-01T00:00:00Z");
    tear_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_notices),
        cmocka_unit_test(test_lossless),
        cmocka_unit_test(test_starts_again),
        cmocka_unit_test(test_starts_after_advice),
        cmocka_unit_test(test_initial),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_year),
        cmocka_unit_test(test_said),
    };

    return cmocka_run_group_tests_name("instance_log", tests, NULL, NULL);
}
