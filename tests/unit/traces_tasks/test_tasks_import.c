/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Documents of other programs: Chrome traces, timelines of Ray, task streams of Dask. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/base/support.h"
#include "tests/unit/traces_tasks/tasks_case.h"

#define CHROME                                                                                     \
    "warning: log: a Chrome trace has no planning: total, comm, queue and why workers "            \
    "idle are not known\n"
#define DASK                                                                                       \
    "warning: log: a task stream has no planning: total, comm, queue and why workers "             \
    "idle are not known\n"
#define PASSED(number)                                                                             \
    "warning: log: " number " events are passed over: other phases than X, B, E and M, "           \
    "ends without a begin, spans of Ray that are no task, records without times\n"

#define OVERLAPPING(number)                                                                        \
    "warning: log: " number " overlapping_tasks: workers ran tasks at the same time\n"

/* Reads a document; quotes in it are ', and ' is ~. The caller frees self. */
static void read_text(tasks_case_t *self, const char *text, const char *report)
{
    char *quoted = strdup(text);

    assert_non_null(quoted);
    for (char *at = quoted; *at != '\0'; at++) {
        *at = (char) (*at == '\'' ? '"' : *at == '~' ? '\'' : *at);
    }
    tasks_case_read(self, quoted, strlen(quoted), NULL);
    assert_tasks_report(self, report);
    free(quoted);
}

/* The events of a document, as "id stage at worker host" each. */
static void check_events(const char *text, const char *report, const char *expected)
{
    static const char stages[] = "PESLF";
    tasks_case_t self;
    char found[4096];
    size_t num = 0;

    found[0] = '\0';
    read_text(&self, text, report);
    assert_int_equal(self.ret, 0);
    assert_false(self.log.has_planning);
    for (size_t j = 0; j < self.log.num_events; j++) {
        const spot_task_event_t *event = &self.log.events[j];
        const spot_task_worker_t *worker = &self.log.workers[event->worker];

        num += (size_t) snprintf(found + num, sizeof(found) - num, "%s|%c|%lld|%s|%s\n",
            self.log.ids.names[event->id], stages[event->stage], (long long) event->at,
            worker->name, self.log.hosts[worker->host_id]);
        assert_true(num < sizeof(found));
    }
    assert_string_equal(found, expected);
    tasks_case_free(&self);
}

static void check_refused(const char *text, const char *report)
{
    tasks_case_t self;

    read_text(&self, text, report);
    assert_int_equal(self.ret, SPOT_ERR_BAD_INPUT);
    tasks_case_free(&self);
}

#define AT_1 "'pid':1,'tid':2"

static void test_spans(void **state)
{
    (void) state;
    check_events("[]", CHROME, "");
    check_events("{'traceEvents':[]}", CHROME, "");
    check_events(" [ {'name':'a'," AT_1 ",'ph':'X','ts':1.5,'dur':2}\n,\n"
                 "{'ph':'X','dur':0.25,'ts':'x','ts':10," AT_1 ",'name':'a'}]\n",
        CHROME,
        "a(1)|S|1500|1:2|1\na(1)|F|3500|1:2|1\n"
        "a(2)|S|10000|1:2|1\na(2)|F|10250|1:2|1\n");
    /* without dur it has no end; ids are numbers or texts */
    check_events("[{'name':7,'pid':'p','tid':'t','ph':'X','ts':0}]", CHROME, "7(1)|S|0|p:t|p\n");
    /* a class ends at no ( or : of the name */
    check_events("[{'name':'aten::mul(x)'," AT_1 ",'ph':'X','ts':0}]", CHROME,
        "aten..mul[x](1)|S|0|1:2|1\n");
    check_events("[{'name':'a'," AT_1 ",'ph':'X','ts':0,'args':{'task_id':'z'}}]", CHROME,
        "a:z|S|0|1:2|1\n");
}

/* Objects: events stand in traceEvents alone, wherever it is. */
static void test_objects(void **state)
{
    (void) state;
    check_events("{\n 'other':[{'ph':'X'},{'x':['traceEvents']}], 'v':'traceEvents',\n"
                 " 'traceEvents':[\n  {'name':'a',\n   " AT_1 ",'ph':'X','ts':1}\n ],\n"
                 " 'stack':[{'ph':'X'}]\n}\n",
        CHROME, "a(1)|S|1000|1:2|1\n");
    check_events("{'a':{'b':[1]},'traceEvents':[{'name':'a'," AT_1 ",'ph':'X','ts':1}]}", CHROME,
        "a(1)|S|1000|1:2|1\n");
}

static void check_time(const char *ts, const char *expected)
{
    char text[256], event[64];

    snprintf(text, sizeof(text), "[{'name':'a'," AT_1 ",'ph':'X','ts':%s}]", ts);
    snprintf(event, sizeof(event), "a(1)|S|%s|1:2|1\n", expected);
    check_events(text, CHROME, event);
}

static void test_times(void **state)
{
    (void) state;
    check_time("1653340623772602.5", "1653340623772602500");
    check_time("1653340623772602.123456789", "1653340623772602123");
    check_time("1.653340623772602e+15", "1653340623772602000");
    check_time("16533406237726025e-1", "1653340623772602500");
    check_time("-1.0005", "-1001");
    check_time("0.0004", "0");
    check_time("0.0005", "1");
    check_time("4.9e-4", "0");
    check_time("5E-4", "1");
    check_time("5e-5", "0");
    check_time("1e-999999999999999999999", "0");
    check_time("0e999999999999999999999", "0");
    check_time("9223372036854775.8", "9223372036854775800");
    check_time("9223372036854775.807", "9223372036854775807");
#define TOO_LARGE "log:1:2: expected ts, and dur, in microseconds, within 64 bits of ns\n"
    check_refused("[{'name':'a'," AT_1 ",'ph':'X','ts':9223372036854775.9}]", TOO_LARGE);
    check_refused("[{'name':'a'," AT_1 ",'ph':'X','ts':1e30}]", TOO_LARGE);
    check_refused("[{'name':'a'," AT_1 ",'ph':'X','ts':9e15,'dur':9e15}]", TOO_LARGE);
    check_refused("[{'name':'a'," AT_1 ",'ph':'X','ts':'1'}]", TOO_LARGE);
    check_refused("[{'name':'a'," AT_1 ",'ph':'X','ts':1,'dur':'1'}]", TOO_LARGE);
}

static void test_pairs(void **state)
{
    (void) state;
    /* the latest of the same thread ends first */
    check_events("[{'name':'a'," AT_1 ",'ph':'B','ts':1},{'name':'b'," AT_1
                 ",'ph':'B','ts':2},{'name':'c','pid':1,'tid':3,'ph':'B','ts':3},"
                 "{" AT_1 ",'ph':'E','ts':4},{" AT_1 ",'ph':'E','ts':5}]",
        CHROME OVERLAPPING("1"),
        "a(1)|S|1000|1:2|1\nb(1)|S|2000|1:2|1\nc(1)|S|3000|1:3|1\n"
        "b(1)|F|4000|1:2|1\na(1)|F|5000|1:2|1\n");
    check_events(
        "[{" AT_1 ",'ph':'E','ts':4},{'ph':'C'},{'ph':'i'},{'ph':2}]", CHROME PASSED("4"), "");
}

static void test_names(void **state)
{
    (void) state;
    /* what has the name of another keeps its number */
    check_events("[{'name':'process_name','ph':'M','pid':1,'args':{'name':'py'}},"
                 "{'name':'process_name','ph':'M','pid':2,'args':{'name':'py'}},"
                 "{'name':'process_name','ph':'M','pid':3,'args':{'name':'h'}},"
                 "{'name':'a','pid':1,'tid':1,'ph':'X','ts':1},"
                 "{'name':'a','pid':2,'tid':1,'ph':'X','ts':2},"
                 "{'name':'a','pid':3,'tid':1,'ph':'X','ts':3},"
                 "{'name':'a','pid':3,'tid':2,'ph':'X','ts':4},"
                 "{'name':'thread_name','ph':'M','pid':1,'tid':1,'args':{'name':'main'}},"
                 "{'name':'thread_name','ph':'M','pid':2,'tid':1,'args':{'name':'main'}},"
                 "{'name':'thread_name','ph':'M','pid':3,'tid':1,'args':{'name':'h:w'}},"
                 "{'name':'thread_sort_index','ph':'M','pid':3,'tid':2}]",
        CHROME,
        "a(1)|S|1000|py 1:main|py 1\na(2)|S|2000|py 2:main|py 2\n"
        "a(3)|S|3000|h:w|h\na(4)|S|4000|h:2|h\n");
}

#define RAY(cat, ts, more)                                                                         \
    "{'cat':'" cat "','name':'" cat "'," AT_1 ",'ph':'X','ts':" ts ",'dur':1,"                     \
    "'args':{'func_or_class_name':'f','task_id':'ab'" more "}}"

static void test_ray(void **state)
{
    (void) state;
    check_events("[" RAY("task:deserialize_arguments", "1", "") "," RAY("task:execute", "2",
                     ",'name':'x'") "," RAY("ray.get", "3", "") "," RAY("task::f", "0",
                     ",'attempt_number':0,'actor_id':null") ",{'name':'process_name','ph':'M','"
                                                            "pid':1,'tid':null,"
                                                            "'args':{'name':'Node "
                                                            "10.0.0.1'}},{'name':'thread_name','"
                                                            "ph':'M'," AT_1
                                                            ",'args':{'name':'worker:0f'}}]",
        CHROME PASSED("2"),
        "f:ab|L|2000|Node 10.0.0.1:worker:0f|Node 10.0.0.1\n"
        "f:ab|S|0|Node 10.0.0.1:worker:0f|Node 10.0.0.1\n"
        "f:ab|F|1000|Node 10.0.0.1:worker:0f|Node 10.0.0.1\n");
}

/* A task that runs again on the same worker is a second attempt. */
static void test_retry(void **state)
{
    tasks_case_t self;
    json_t *json;

    (void) state;
    read_text(&self, "[" RAY("task::f", "0", "") "," RAY("task::f", "5", "") "]", CHROME);
    json = tasks_case_json(&self);
    assert_member(json, "tasks/attempts", "2");
    assert_member(json, "tasks/retries", "1");
    assert_member(json, "tasks/run/sum", "2000");
    assert_member(json, "checks/duplicate_events", "0");
    json_delete(json);
    tasks_case_free(&self);
}

static void test_dask(void **state)
{
    (void) state;
    check_events("[{'worker':'tcp://10.0.0.1:4000','thread':17,'status':'OK','key':'inc-a-5f',"
                 "'startstops':[{'action':'transfer','start':1700000000.1234567,'stop':"
                 "1700000001},"
                 "{'action':'compute','start':1700000002,'stop':1700000003.5}],'type':'x'},"
                 "{'key':['read-csv-0a1b',\n\t 0, [1,'\\u00e9']],'worker':'tcp://10.0.0.1:4000',"
                 "'status':'error','startstops':[{'stop':2,'start':1}]},"
                 "{'key':'(~sum-part-77~, 0)','worker':'inproc://10.0.0.2/1/3','thread':1,"
                 "'startstops':[{'action':'compute','start':1,'stop':2}]},"
                 "{'key':'z','worker':'w','startstops':[]}]",
        DASK PASSED("1") "warning: log: 1 tasks ended with an error; they count as "
                         "finished\n",
        "inc-a:inc-a-5f|S|1700000000123456700|10.0.0.1:4000-17|10.0.0.1\n"
        "inc-a:inc-a-5f|L|1700000002000000000|10.0.0.1:4000-17|10.0.0.1\n"
        "inc-a:inc-a-5f|F|1700000003500000000|10.0.0.1:4000-17|10.0.0.1\n"
        "read-csv:[\"read-csv-0a1b\",0,[1,\"\\u00e9\"]]|S|1000000000|10.0.0.1:4000|10.0."
        "0.1\n"
        "read-csv:[\"read-csv-0a1b\",0,[1,\"\\u00e9\"]]|F|2000000000|10.0.0.1:4000|10.0."
        "0.1\n"
        "sum-part:('sum-part-77', 0)|S|1000000000|10.0.0.2/1/3-1|10.0.0.2\n"
        "sum-part:('sum-part-77', 0)|L|1000000000|10.0.0.2/1/3-1|10.0.0.2\n"
        "sum-part:('sum-part-77', 0)|F|2000000000|10.0.0.2/1/3-1|10.0.0.2\n");
}

static void test_bad(void **state)
{
    (void) state;
    check_refused("[{'name':'a'}]", "log:1:2: neither ph, of a Chrome trace, nor key, of a "
                                    "task stream\n");
    check_refused("[{'ph':'X'," AT_1 "},\n {'ph':'X','pid':{},'tid':1,'ts':1,'name':'a'}]",
        TOO_LARGE "log:2:2: pid or tid is missing, or neither a number nor a text\n");
    check_refused("[{'ph':'X'," AT_1 ",'ts':1}]",
        "log:1:2: name is missing, or neither a text nor a number\n");
    check_refused("[{'ph':'X' 'pid':1}]", "log:1:12: expected ',' or '}'\n");
    check_refused("[{'ph':'C'}, x, {'ph':'C'},\n 'y']\n",
        "log:1: neither an object nor a trace line\n"
        "log:2: neither an object nor a trace line\n");
    check_refused("[{'ph':'C'},{'ph':", "log:1:19: the line is cut off\n");
    check_refused("{\n'a':1}\n", "log:3:1: an object over several lines without traceEvents\n");
    check_refused("{'traceEvents':[{'ph':'C'}", "log:1:27: the document is cut off\n");
    check_refused("[{'ph':'C','a':'\x01'}]", "log:1:17: a control character in a text\n");
    check_refused("[{'ph':'C','a':'\xff'}]", "log:1:17: invalid UTF-8\n");
    check_refused("[{'key':'a','worker':1}]", "log:1:2: expected a key, and a worker as text\n");
    check_refused("[{'key':true,'worker':'w'}]", "log:1:2: expected a key, and a worker as text\n");
    check_refused("[{'key':'a','worker':'w','startstops':[{'start':1}]}]",
        "log:1:2: startstops: expected start and stop in seconds, within 64 bits of "
        "ns\n");
}

static void test_no_end(void **state)
{
    (void) state;
    check_events("[{'ph':'C'},\n",
        "warning: log:2:1: the list has no end, as if its writer was stopped\n" CHROME PASSED("1"),
        "");
}

/* Documents of more than one block, in one line: no event is lost or doubled. */
static void test_long(void **state)
{
    enum { NUM = 40000 };
    static const char event[] = ",{\"name\":\"a\",\"pid\":1,\"tid\":%d,\"ph\":\"X\","
                                "\"ts\":%d.5,\"dur\":1,\"args\":{\"x\":\"]}\\\"[\"}}";
    const size_t max = NUM * (sizeof(event) + 12) + (1U << 21);
    char *text = malloc(max);
    size_t num = 0;
    tasks_case_t self;
    json_t *json;

    (void) state;
    assert_non_null(text);
    num += (size_t) sprintf(text, "{\"traceEvents\":[{\"ph\":\"s\"}");
    for (int j = 0; j < NUM; j++) {
        num += (size_t) sprintf(text + num, event, j % 7, j);
    }
    num += (size_t) sprintf(text + num, "],\"stackFrames\":{\"a\":\"");
    memset(text + num, 'x', 1400000); /* longer than any line may be */
    num += 1400000;
    num += (size_t) sprintf(text + num, "\"}}");
    tasks_case_read(&self, text, num, NULL);
    assert_int_equal(self.ret, 0);
    json = tasks_case_json(&self);
    assert_member(json, "tasks/completed", "40000");
    assert_member(json, "tasks/run/sum", "40000000");
    assert_member(json, "log/t1", "40000500");
    assert_member(json, "log/workers", "7");
    json_delete(json);
    tasks_case_free(&self);
    memset(text, 'x', num);
    memcpy(text, "[{\"ph\":\"C\"},{\"ph\":\"", 20);
    tasks_case_read(&self, text, num, NULL);
    assert_int_equal(self.ret, SPOT_ERR_BAD_INPUT);
    assert_tasks_report(&self, "log:1: the event is above 1 MB\n");
    tasks_case_free(&self);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_spans), cmocka_unit_test(test_objects),
        cmocka_unit_test(test_times), cmocka_unit_test(test_pairs), cmocka_unit_test(test_names),
        cmocka_unit_test(test_ray), cmocka_unit_test(test_retry), cmocka_unit_test(test_dask),
        cmocka_unit_test(test_bad), cmocka_unit_test(test_no_end), cmocka_unit_test(test_long)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
