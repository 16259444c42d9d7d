/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules of reading a task log and of its results, each on a small log by hand. */
#include <string.h>

#include "tests/unit/base/support.h"
#include "tests/unit/traces_tasks/tasks_case.h"

/* Checks members of the results of a script: pairs of a path and a value, up to NULL. */
static void check(const char *script, const tasks_options_t *options, const char *const *members)
{
    json_t *json = tasks_results(script, options);

    for (; *members != NULL; members += 2) {
        const char *found = tasks_member(json, members[0]);

        if (strcmp(found, members[1]) != 0) {
            fail_msg("%s: %s, expected %s", members[0], found, members[1]);
        }
    }
    json_delete(json);
}
#define CHECK(script, options, ...) check(script, options, (const char *const[]){__VA_ARGS__, NULL})

/* ---- Ids and names ---- */

static void test_ids(void **state)
{
    (void) state;
    CHECK("{\"action\":\"taskStarted\",\"at\":1,\"host\":\"h\",\"worker\":\"w\","
          "\"task\":\"007\"}\n"
          "{\"action\":\"taskFinished\",\"at\":3,\"host\":\"h\",\"worker\":\"w\","
          "\"task\":\"007\"}\n"
          "{\"action\":\"taskStarted\",\"at\":4,\"host\":\"h\",\"worker\":\"w\","
          "\"task\":\"7\"}\n"
          "{\"action\":\"taskFinished\",\"at\":9,\"host\":\"h\",\"worker\":\"w\","
          "\"task\":7}\n",
        NULL, "tasks/distinct", "2", "tasks/attempts", "2", "tasks/per_class/007/sum", "2",
        "tasks/per_class/7/sum", "5");
    /* a literal is kept as it stands */
    CHECK("{\"action\":\"taskStarted\",\"at\":1,\"host\":\"h\",\"worker\":1,\"task\":7."
          "0}\n"
          "{\"action\":\"taskFinished\",\"at\":3,\"host\":\"h\",\"worker\":\"1\","
          "\"task\":\"7.0\"}\n"
          "{\"action\":\"taskFinished\",\"at\":3,\"host\":\"h\",\"worker\":\"1\","
          "\"task\":7e1}\n",
        NULL, "tasks/distinct", "2", "tasks/per_class/7.0/sum", "2", "tasks/per_class/7e1/count",
        "0", "log/workers", "1");
}

static void test_escapes(void **state)
{
    (void) state;
    /* the same id, with and without escapes */
    CHECK("{\"action\":\"taskStarted\",\"at\":1,\"host\":\"h\",\"worker\":\"w\","
          "\"task\":\"\\uD83D\\uDE00\\u00e9\\/\\\"\\\\\\t\\u20aC\"}\n"
          "{\"action\":\"task\\u0046inished\",\"at\":6,\"h\\u006Fst\":\"h\",\"worker\":"
          "\"w\","
          "\"task\":\"😀é/\\\"\\\\\\u0009€\"}\n",
        NULL, "tasks/distinct", "1", "tasks/run/sum", "5");
    /* lengths of UTF-8, and a blank beside an escape */
    CHECK("{\"action\":\"taskStarted\",\"at\":1,\"host\":\"h\",\"worker\":\"w\","
          "\"task\":\"a \\u007f\\u0080\\u07FF\\u0800\\uffff\\ud800\\udc00\"}\n"
          "{\"action\":\"taskFinished\",\"at\":6,\"host\":\"h\",\"worker\":\"w\",\"task\":"
          "\"a \x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\"}\n",
        NULL, "tasks/distinct", "1", "tasks/run/sum", "5");
}

static void test_keys(void **state)
{
    (void) state;
    /* any order, unknown keys of any kind, null for absent, the last of a repeated key
     */
    CHECK("{\"at\":1,\"x\":{\"at\":[1,{}],\"y\":null},\"z\":[[]],\"w\":true,\"mode\":null,"
          "\"task\":\"a\",\"worker\":\"w\",\"host\":\"h\",\"action\":\"taskStarted\"}\n"
          "  {\"host\":\"h\" , \"at\":9, \"at\" : 4 ,\"task\":\"a\",\"worker\":\"w\","
          "\"action\":\"taskFinished\", \"q\":-1.5e-3}\n",
        NULL, "tasks/run/sum", "3", "log/lines", "2", "log/makespan", "3");
}

static void test_stamps(void **state)
{
    (void) state;
    CHECK("tS a w 9007199254740993; tF a w 9007199254740996;", NULL, "tasks/run/sum", "3", "log/t0",
        "9007199254740993");
    CHECK("tS a w -9223372036854775808; tF a w -9223372036854775807;", NULL, "tasks/run/sum", "1",
        "log/t0", "-9223372036854775808");
    CHECK("tS a w 9223372036854775800; tF a w 9223372036854775807;", NULL, "tasks/run/sum", "7",
        "log/t1", "9223372036854775807");
    /* the longest span */
    CHECK("tS a w -1; tF a w 4611686018427387902;", NULL, "tasks/run/sum", "4611686018427387903");
    /* sums beyond 64 bits */
    CHECK("tS a w 0; tF a w 4000000000000000000; tS b w 0; tF b w 4000000000000000000;"
          "tS c w 0; tF c w 4000000000000000000;",
        NULL, "tasks/run/sum", "12000000000000000000", "log/makespan", "4000000000000000000",
        "tasks/per_worker/fiab:w/count", "missing");
}

static void test_unknown_actions(void **state)
{
    (void) state;
    CHECK("{\"action\":\"taskDone\"}\n{\"action\":\"transmit\"}\n{\"action\":\"zap\","
          "\"at\":\"never\"}\n{\"action\":\"taskplanned\"}\n"
          "{\"action\":\"controllerStopped\"}\ntS a w 1;",
        NULL, "log/unknown_actions", "4", "log/lines", "6", "log/controller_lines", "1",
        "log/task_events", "1", "log/makespan", "0");
}

static void test_names(void **state)
{
    static const char one[] = "tP a worker0 1; tE a worker0 2; tP b worker0 5;";
    static const char two[] = "tP a h1:worker0 1; tE a h1:worker0 2; tE b h2:worker0 5;";
    static const char prefixed[] = "tP a h1:w 1;"
                                   "{\"action\":\"taskEnqueued\",\"task\":\"a\","
                                   "\"host\":\"h1\",\"worker\":\"h1:w\","
                                   "\"at\":3}\n"
                                   "{\"action\":\"taskEnqueued\",\"task\":\"b\","
                                   "\"host\":\"h1\",\"worker\":\"h2:w\","
                                   "\"at\":4}\n";
    const tasks_options_t local = {.names = SPOT_NAMES_LOCAL};
    const tasks_options_t global = {.names = SPOT_NAMES_GLOBAL};

    (void) state;
    CHECK(one, NULL, "log/workers", "1", "workers/worker0/host", "fiab", "tasks/comm/sum", "1");
    CHECK(one, &global, "log/workers", "1", "workers/worker0/tasks", "2");
    CHECK(one, &local, "log/workers", "2", "workers/worker0/host", "", "workers/fiab:worker0/host",
        "fiab", "tasks/comm/count", "0");
    CHECK(two, NULL, "log/workers", "2", "workers/h1:worker0/host", "h1", "workers/h2:worker0/host",
        "h2", "tasks/comm/sum", "1", "log/hosts", "2");
    CHECK(two, &local, "log/workers", "2", "tasks/comm/sum", "1");
    CHECK(two, &global, "log/workers", "2", "workers/h1:worker0/tasks", "1",
        "workers/worker0/tasks", "2", "tasks/comm/count", "0");
    /* a prefix that is there already is not put there again, another one is no prefix */
    CHECK(prefixed, NULL, "log/workers", "2", "workers/h1:w/tasks", "1", "workers/h1:h2:w/tasks",
        "1");
    /* a colon in a worker of an executor decides nothing */
    CHECK("tP a w 1;"
          "{\"action\":\"taskEnqueued\",\"task\":\"a\",\"host\":\"h\",\"worker\":\"x:w\","
          "\"at\":3}\n",
        NULL, "log/workers", "2", "workers/x:w/host", "h");
}

static void test_hosts(void **state)
{
    const tasks_options_t global = {.names = SPOT_NAMES_GLOBAL};

    (void) state;
    /* of an executor's task line, whatever the name and the transmits say */
    CHECK("{\"action\":\"taskStarted\",\"task\":\"a\",\"host\":\"h1\",\"worker\":\"q:w\","
          "\"at\":3}\n"
          "{\"action\":\"transmitFinished\",\"dataset\":\"a\",\"host\":\"h2\","
          "\"worker\":\"q:w\",\"at\":1}\n",
        &global, "workers/q:w/host", "h1", "log/hosts", "1");
    /* of the name up to its last colon, before that of a transmit */
    CHECK("tP a p:q:w 1; tP a v 1;"
          "{\"action\":\"transmitFinished\",\"dataset\":\"a\",\"host\":\"h2\","
          "\"worker\":\"p:q:w\",\"at\":1}\n"
          "{\"action\":\"transmitFinished\",\"dataset\":\"a\",\"host\":\"h3\","
          "\"worker\":\"v\",\"at\":1}\n",
        &global, "workers/p:q:w/host", "p:q", "workers/v/host", "h3");
    CHECK("tP a v 1;", NULL, "workers/v/host", "", "log/hosts", "1");
    /* the first line by time, not by place in the file */
    CHECK("{\"action\":\"taskStarted\",\"task\":\"a\",\"host\":\"h2\",\"worker\":\"w\","
          "\"at\":3}\n"
          "{\"action\":\"taskStarted\",\"task\":\"b\",\"host\":\"h1\",\"worker\":\"w\","
          "\"at\":2}\n",
        NULL, "workers/w/host", "h1");
}

/* ---- Attempts ---- */

static void test_retries(void **state)
{
    (void) state;
    /* on the same worker, after a Finished that is missing */
    CHECK("tP a w 1; tE a w 2; tS a w 3; tP a w 10; tE a w 12; tS a w 15; tF a w 20;", NULL,
        "tasks/attempts", "2", "tasks/distinct", "1", "tasks/retries", "1", "tasks/completed", "1",
        "tasks/incomplete_attempts", "1", "tasks/total/count", "1", "tasks/total/sum", "10",
        "tasks/comm/sum", "3", "tasks/queue/sum", "4", "tasks/run/sum", "5",
        "checks/duplicate_events", "0", "workers/w/tasks", "2");
    /* completed is counted once, whatever comes between */
    CHECK("tP a w 1; tF a w 2; tP a w 3; tP a w 4; tF a w 5;", NULL, "tasks/attempts", "3",
        "tasks/completed", "1", "tasks/incomplete_attempts", "1");
    /* on another worker */
    CHECK("tP a w 1; tE a w 2; tS a w 3; tP a v 10; tE a v 12; tS a v 15; tF a v 20;", NULL,
        "tasks/attempts", "2", "tasks/retries", "1", "tasks/completed", "1", "workers/v/tasks", "1",
        "workers/w/tasks", "1");
    /* one that never completes, and an attempt that nobody planned */
    CHECK("tP a w 1; tP a w 2; tE b w 3; tP b w 5;", NULL, "tasks/attempts", "3", "tasks/completed",
        "0", "tasks/retries", "1", "tasks/incomplete_attempts", "3", "checks/no_planned", "0",
        "tasks/comm/sum", "-2", "checks/negative_intervals", "1");
    CHECK("tE b w 3; tS b w 5;", NULL, "checks/no_planned", "1", "tasks/comm/count", "0",
        "tasks/comm/mean", "null", "tasks/comm/sum", "0", "tasks/queue/sum", "2");
    /* at one instant a Planned stands first: the Finished then ends the attempt it opens
     */
    CHECK("tP a w 1; tF a w 10; tP a w 11; tF a w 12;", NULL, "tasks/attempts", "2",
        "tasks/total/sum", "10");
    CHECK("tP a w 1; tF a w 10; tP a w 10; tF a w 12;", NULL, "tasks/attempts", "2",
        "tasks/total/sum", "0", "checks/duplicate_events", "1");
}

static void test_sent_twice(void **state)
{
    (void) state;
    CHECK("xP a w 1; xS a w 2 remote; xL a w 4 remote; xF a w 9 remote;"
          "xP a w 20; xS a w 22 remote; xL a w 25 remote; xF a w 29 redundant;"
          "xP a v 3; xF a v 5 local; xP b v 3;",
        NULL, "transmits/attempts", "4", "transmits/datasets", "2",
        "transmits/per_dataset_histogram/3", "1", "transmits/per_dataset_histogram/1", "1",
        "transmits/per_dataset_histogram/2", "missing", "transmits/unfinished", "1",
        "transmits/without_mode", "1", "transmits/mode_counts/remote", "1",
        "transmits/mode_counts/redundant", "1", "transmits/mode_counts/local", "1",
        "transmits/raw_mode_lines/remote", "5", "transmits/raw_mode_lines/redundant", "1",
        "transmits/total/sum", "19", "transmits/total_per_mode/redundant", "9",
        "transmits/comm/sum", "5", "transmits/load_remote/sum", "2",
        "transmits/transfer_remote/sum", "5", "transmits/load_remote/count", "1");
}

static void test_duplicates(void **state)
{
    static const char script[] = "tP a w 1; tE a w 3; tE a w 5; tS a w 6; tF a w 9; tF a w 12;"
                                 "xP a w 1; xF a w 5 local; xF a w 7 remote;";
    const tasks_options_t last = {.rules = {.dup = SPOT_DUP_LAST}};

    (void) state;
    CHECK(script, NULL, "checks/duplicate_events", "3", "tasks/comm/sum", "2", "tasks/run/sum", "3",
        "transmits/total/sum", "4", "transmits/mode_counts/local", "1", "tasks/attempts", "1",
        "checks/mode_conflicts", "1", "log/task_events", "6");
    CHECK(script, &last, "checks/duplicate_events", "3", "tasks/comm/sum", "4", "tasks/run/sum",
        "6", "transmits/total/sum", "6", "transmits/mode_counts/remote", "1",
        "transmits/mode_counts/local", "missing");
}

static void test_modes(void **state)
{
    const tasks_options_t last = {.rules = {.has_last_line = true}};
    static const char loaded[] = "xP a w 1; xL a w 4 redundant; xS a w 2 remote;";

    (void) state;
    CHECK("xP a w 1; xS a w 2 remote; xF a w 9;", NULL, "transmits/mode_counts/remote", "1",
        "transmits/without_mode", "0");
    CHECK(loaded, NULL, "transmits/mode_counts/redundant", "1", "checks/mode_conflicts", "1");
    CHECK(loaded, &last, "transmits/mode_counts/remote", "1", "checks/mode_conflicts", "1");
    /* a mode on Planned is none */
    CHECK("xP a w 1 remote; xF a w 4;", NULL, "transmits/without_mode", "1", "transmits/total/sum",
        "3", "transmits/comm/count", "0");
}

static void test_local(void **state)
{
    (void) state;
    /* Started and Loaded are Finished, whatever the log says */
    CHECK("xP a w 1; xS a w 2 local; xL a w 3 local; xF a w 9 local;", NULL, "transmits/comm/sum",
        "8", "transmits/total/sum", "8", "transmits/load_remote/count", "0",
        "transmits/total_per_mode/local", "8", "checks/negative_intervals", "0");
    CHECK("xP a w 1; xF a w 9 local;", NULL, "transmits/comm/sum", "8");
    CHECK("xP a w 5; xS a w 2 local; xL a w 3 local;", NULL, "transmits/comm/count", "0",
        "transmits/mode_counts/local", "1", "transmits/unfinished", "1",
        "checks/negative_intervals", "0");
}

static void test_durations(void **state)
{
    (void) state;
    CHECK("tP a w 0; tE a w 1; tS a w 3; tL a w 7; tF a w 15; tP b w 20; tE b w 18;"
          "tS b w 17; tF b w 16;",
        NULL, "tasks/total/sum", "11", "tasks/comm/sum", "-1", "tasks/queue/sum", "1",
        "tasks/run/sum", "11", "tasks/on_worker/sum", "12", "tasks/load/sum", "4",
        "tasks/compute/sum", "8", "checks/negative_intervals", "3", "tasks/total/negative", "1",
        "tasks/total/min", "-4", "tasks/total/max", "15", "tasks/total/mean", "5.5",
        "tasks/total/p50", "5.5", "tasks/total/p90", "13.1", "tasks/total/p99", "14.81",
        "tasks/load/count", "1", "tasks/per_worker/w/sum", "12", "tasks/per_class/a/sum", "12",
        "tasks/per_class/b/sum", "-1");
    CHECK("xP a w 9; xS a w 7 remote; xL a w 5 remote; xF a w 3 remote;", NULL,
        "checks/negative_intervals", "3", "transmits/load_remote/negative", "1");
}

static void test_classes(void **state)
{
    (void) state;
    CHECK("tS a(1):x w 1; tF a(1):x w 2; tS a:y w 2; tF a:y w 4; tS a w 4; tF a w 8;"
          "tS :z w 8; tF :z w 16; tS b(c w 16; tF b(c w 32;",
        NULL, "tasks/per_class/a/count", "3", "tasks/per_class/a/sum", "7", "tasks/per_class/b/sum",
        "16", "tasks/distinct", "5");
}

/* ---- Sets of time ---- */

static void test_idle(void **state)
{
    /* t0 = 0: head 0-10, comm 10-14, queue 14-20, busy 20-30, inputs 30-40 less the
     * comm from 36 on, queue 40-42, lost 42-60 to the next plan, comm 60-61, queue
     * 61-62, busy 62-70, tail 70-100; the other worker plans at 0 and waits */
    static const char script[] =
        "tP z v 0; tE z v 1; tS z v 2; tF z v 3; tP y v 95; tE y v 96; tS y v 97;"
        "tF y v 100; tP a w 10; tE a w 14; tS a w 20; tF a w 30; xP a w 30; xS a w 31"
        " remote; xL a w 32 remote; xF a w 40 remote; tP b w 36; tE b w 40; tS b w 42;"
        "tP c w 60; tE c w 61; tS c w 62; tF c w 70;";

    (void) state;
    CHECK(script, NULL, "workers/w/busy", "18", "workers/w/idle", "82", "workers/w/utilisation",
        "0.18", "workers/w/gaps", "1", "workers/w/gap_max", "32", "workers/w/idle_split/head", "10",
        "workers/w/idle_split/comm", "9", "workers/w/idle_split/queue", "9",
        "workers/w/idle_split/inputs", "6", "workers/w/idle_split/lost", "18",
        "workers/w/idle_split/tail", "30", "workers/w/idle_split/unplanned", "0",
        "workers/w/transmit_in_flight", "10", "workers/w/transmit_hidden", "0",
        "workers/w/transmit_exposed", "10", "workers/v/idle_split/unplanned", "92",
        "workers/v/idle_split/head", "0", "workers/v/idle_split/tail", "0", "balance/worker_time",
        "200", "balance/busy", "22", "balance/unplanned", "92", "balance/lost", "18",
        "log/makespan", "100");
}

static void test_lost(void **state)
{
    (void) state;
    /* up to t1 where nothing is planned any more; another worker's plan does not count
     */
    CHECK("tP a w 0; tE a w 2; tS a w 5; tP b v 20; tF b v 50;", NULL, "workers/w/idle_split/lost",
        "45", "workers/w/idle_split/tail", "0", "workers/v/idle_split/lost", "0");
    /* without any Finished the tail is from t0 on, after all other causes */
    CHECK("tP a w 10; tE a w 12; tP b v 0; tF b v 50;", NULL, "workers/w/idle_split/head", "10",
        "workers/w/idle_split/comm", "2", "workers/w/idle_split/tail", "38",
        "workers/w/idle_split/unplanned", "0");
    /* nothing planned: no head */
    CHECK("xP a w 10; xF a w 12 local; tP b v 0; tF b v 50;", NULL, "workers/w/idle_split/head",
        "0", "workers/w/idle_split/inputs", "2", "workers/w/idle_split/tail", "48",
        "workers/w/tasks", "0", "tasks/per_worker/w/count", "0");
}

static void test_overlap(void **state)
{
    (void) state;
    CHECK("tS a w 0; tF a w 10; tS b w 5; tF b w 12; tS c w 12; tF c w 20; tS d v 10;"
          "tF d v 15; tS e v 20; tF e v 20; tS f v 30; tF f v 25; xP a v 8; xF a v 14"
          " local; tE g v 40;",
        NULL, "checks/overlapping_tasks", "1", "workers/w/busy", "20", "workers/w/gaps", "0",
        "workers/v/busy", "5", "workers/v/gaps", "0", "workers/v/transmit_hidden", "4",
        "workers/v/transmit_exposed", "2", "overlap/task_any", "20", "overlap/transmit_any", "6",
        "overlap/both", "6", "concurrency/all/0", "20", "concurrency/all/1", "10",
        "concurrency/all/2", "10", "concurrency/all/3", "missing", "concurrency/hosts/fiab/2", "10",
        "checks/negative_intervals", "1");
    CHECK("tS a h0:w 0; tF a h0:w 10; tP b h1:w 4; tS b h1:w 5; tF b h1:w 10;", NULL,
        "concurrency/hosts/h0/0", "missing", "concurrency/hosts/h0/1", "10",
        "concurrency/hosts/h1/0", "5", "concurrency/hosts/h1/1", "5", "concurrency/all/2", "5");
}

/* ---- Head of line, clocks ---- */

static void test_head_of_line(void **state)
{
    (void) state;
    /* at most 10 ms after an end on the same host, that instant included */
    CHECK("tF z h0:w 0; tP a h0:w 1000; tE a h0:w 10000000; tP b h0:w 2000;"
          "tE b h0:w 10000001; tP c h1:w 3000; tE c h1:w 9000000; tE d h0:w 20000000;",
        NULL, "head_of_line/window", "10000000", "head_of_line/comm_sum", "28994001",
        "head_of_line/matched_sum", "9999000", "head_of_line/chance", "0.25", "head_of_line/share",
        "0.344864443");
    /* enqueued at the very end of a task; the window is cut at t1 */
    CHECK("tP b h0:w 4; tE b h0:w 8; tF a h0:v 8; tE d h0:w 10;", NULL, "head_of_line/matched_sum",
        "4", "head_of_line/chance", "0.333333333");
    CHECK("tP b h0:w 4; tE b h0:w 8; tF a h0:v 9; tE d h0:w 10;", NULL, "head_of_line/matched_sum",
        "0", "head_of_line/share", "0");
    CHECK("tE d h0:w 10;", NULL, "head_of_line/share", "null", "head_of_line/chance", "null",
        "head_of_line/comm_sum", "0");
}

/* Host h1 is 1000 ns ahead of the controller, and h0 is right. */
static const char ahead[] =
    "tP a h0:w 100; tE a h0:w 110; tS a h0:w 120; tF a h0:w 150;"
    "tP b h1:w 100; tE b h1:w 1130; tS b h1:w 1140; tF b h1:w 1160;"
    "xP b h0:w 170; xS b h0:w 1180 remote; xL b h0:w 1190 remote; xF b h0:w 220 remote;"
    "xP a h1:w 160; xF a h1:w 1165 local;";

static void test_clocks(void **state)
{
    const tasks_options_t aligns = {.rules = {.aligns = true}};

    (void) state;
    CHECK(ahead, NULL, "clock_offset/h0/low", "-10", "clock_offset/h0/high", "10",
        "clock_offset/h1/low", "990", "clock_offset/h1/high", "1005", "clock_offset/h1/subtracted",
        "missing", "tasks/comm/sum", "1040", "transmits/transfer_remote/sum", "-970");
    /* the value nearest 0 of [990, 1005]; Started and Loaded are of the source's clock
     */
    CHECK(ahead, &aligns, "clock_offset/h1/subtracted", "990", "clock_offset/h0/subtracted",
        "missing", "tasks/comm/sum", "50", "transmits/load_remote/sum", "10",
        "transmits/transfer_remote/sum", "20", "transmits/total_per_mode/local", "15", "log/t1",
        "220");
    /* behind: high is below 0 */
    CHECK("tP a h0:w 1000; tE a h0:w 700; tS a h0:w 720; tF a h0:w 750;", &aligns,
        "clock_offset/h0/high", "-300", "clock_offset/h0/low", "null", "clock_offset/h0/subtracted",
        "-300", "tasks/comm/sum", "0", "log/makespan", "50");
    /* bounds that exclude each other: nothing is subtracted */
    CHECK("tP a h0:w 0; tE a h0:w 5; tF a h0:w 90; xP a h0:w 40; xF a h0:w 95 local;", &aligns,
        "clock_offset/h0/low", "50", "clock_offset/h0/high", "5", "clock_offset/h0/subtracted",
        "missing");
    /* a producer with two attempts bounds nothing */
    CHECK("tP a h0:w 0; tF a h0:w 90; tP a h0:w 100; xP a h0:w 40;", NULL, "clock_offset/h0/low",
        "null", "clock_offset/h0/high", "null");
}

/* ---- Other lines ---- */

static void test_reports(void **state)
{
    static const char controller[] =
        "{\"host\": \"controller\", \"action\": \"controllerReport\", \"actDuration\": "
        "10,"
        " \"waitDuration\": \"None\", \"actionsTransmit\": \"2\", \"busyWorkers\": 3,"
        " \"at\": 5}\n"
        "{\"host\": \"controller\", \"action\": \"controllerReport\", \"actDuration\": "
        "\"20\", \"waitDuration\": 40, \"actionsTransmit\": 3, \"eventsStarted\": 1, "
        "\"busyWorkers\": \"2\", \"at\": 6}\n"
        "{\"host\": \"controller\", \"action\": \"controllerReport\", \"actDuration\": "
        "60,"
        " \"waitDuration\": \"10\", \"busyWorkers\": 1, \"at\": 7}\n";
    const tasks_options_t options = {.controller = controller};
    const char *const members[] = {"log/controller_lines", "3", "controller/iterations", "3",
        "controller/act/sum", "90", "controller/act/p50", "20", "controller/wait/count", "2",
        "controller/wait/sum", "50", "controller/without_wait", "1", "controller/actionsTransmit",
        "5", "controller/eventsStarted", "1", "controller/actionsPurge", "0",
        "controller/busy_during_wait", "90", "controller/mean_busy_during_wait", "1.8", NULL};

    (void) state;
    check(controller, NULL, members);      /* in the log */
    check("tS a w 1;", &options, members); /* in a file of its own */
    CHECK(controller, NULL, "log/t0", "null", "log/makespan", "0", "log/task_events", "0");
}

static void test_empty(void **state)
{
    const char *const scripts[] = {"", "{\"action\":\"later\"}\n"};

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        CHECK(scripts[j], NULL, "log/task_events", "0", "log/t0", "null", "log/t1", "null",
            "log/makespan", "0", "tasks/total/count", "0", "tasks/total/sum", "0",
            "tasks/total/max", "null", "transmits/attempts", "0", "overlap/both", "0",
            "checks/no_planned", "0", "tasks/retries", "0");
    }
    CHECK("tP a w 1; tE a w 1; tS a w 1; tF a w 1;", NULL, "log/makespan", "0",
        "workers/w/utilisation", "null", "tasks/run/sum", "0", "tasks/completed", "1");
}

/* Sections with nothing in them are there. */
static void test_sections(void **state)
{
    static const char *const sections[] = {"log", "checks", "tasks", "transmits", "workers",
        "balance", "concurrency", "overlap", "head_of_line", "clock_offset", "controller", "graph"};
    json_t *json = tasks_results("", NULL);

    (void) state;
    assert_int_equal(json_size(json), 12);
    for (size_t j = 0; j < 12; j++) {
        assert_string_equal(json_item(json, (int) j)->key, sections[j]);
        assert_true(json_is_object(json_item(json, (int) j)));
    }
    json_delete(json);
}

#define TRACE "2024-10-31 17:05:17,000:DEBUG:cascade.controller.tracing:1006:"

/* Pieces without a known key belong to the value before them, with their semicolon. */
static void test_trace_lines(void **state)
{
    static const char text[] =
        TRACE "task=a;b=c;;d(x;host=h;action=taskStarted;worker=w;at=5\r\n" TRACE
              "host=h;worker=w;task=a;b=c;;d(x;action=taskFinished;at=9\n" TRACE
              "host=h;worker=w;task=b=b;action=taskFinished;at=-9\n";
    tasks_case_t self;
    json_t *json;

    (void) state;
    tasks_case_read(&self, text, sizeof(text) - 1, NULL);
    assert_int_equal(self.ret, 0);
    json = tasks_case_json(&self);
    assert_member(json, "tasks/per_class/a;b=c;;d/sum", "4");
    assert_member(json, "tasks/per_class/b=b/count", "0");
    assert_member(json, "log/t0", "-9");
    json_delete(json);
    tasks_case_free(&self);
}

#define MARK "2025-02-20 12:00:59,998:DEBUG:cascade.low.tracing.marker:4242:#"
#define TRACER "2025-02-20 12:00:59,998:DEBUG:cascade.low.tracing.tracer:4242:#"

/* Format D: the attempts of a transmit to a host, and modes from other lines of the key.
 */
static void test_markers(void **state)
{
    static const char text[] =
        MARK "host=controller;action=ctrl_wait;at=1740000000000000100\n" MARK
             "host=controller;action=ctrl_plan;at=1740000000000000001\n" MARK
             "host=controller;action=ctrl_wait;at=1740000000000000031\n" MARK
             "task=a;action=task_planned;worker=h.w;host=controller;at=10\n" MARK
             "task=a;action=task_completed;worker=h.w;host=controller;at=30\n" MARK
             "task=a;action=task_published;worker=h.w;host=h;at=27\n" MARK
             "dataset=a;action=transmit_planned;source=h;target=g;host=controller;at=1\n" MARK
             "dataset=a;action=transmit_planned;source=h;target=g;host=controller;at=5\n" MARK
             "dataset=a;action=transmit_loaded;target=g;host=h;mode=remote;at=8\n" MARK
             "dataset=a;action=transmit_completed;target=g;host=controller;at=18\n" MARK
             "dataset=a;action=transmit_planned;target=g;host=controller;at=40\n" MARK
             "dataset=b;action=transmit_planned;target=g;host=controller;at=40\n" TRACER
             "wrk_load=7\n" TRACER "wrk_load=9223372036854775807\n";
    tasks_case_t self;
    json_t *json;

    (void) state;
    tasks_case_read(&self, text, sizeof(text) - 1, NULL);
    assert_int_equal(self.ret, 0);
    json = tasks_case_json(&self);
    assert_member(json, "controller/plan/sum", "30");
    assert_member(json, "controller/wait/count", "2");
    assert_member(json, "controller/wait/sum", "69");
    assert_member(json, "tasks/total_e2e/sum", "20");
    assert_member(json, "tasks/comm2ctrl/max", "3");
    assert_member(json, "tasks/task_load/count", "0");
    assert_member(json, "tasks/task_load/max", "null");
    assert_member(json, "transmits/attempts", "4");
    assert_member(json, "transmits/mode_counts/remote", "3");
    assert_member(json, "transmits/total/sum", "13");
    assert_member(json, "microtraces/wrk_load/count", "2");
    assert_member(json, "microtraces/wrk_load/sum", "9223372036854775814");
    json_delete(json);
    tasks_case_free(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ids), cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_keys), cmocka_unit_test(test_stamps),
        cmocka_unit_test(test_unknown_actions), cmocka_unit_test(test_names),
        cmocka_unit_test(test_hosts), cmocka_unit_test(test_retries),
        cmocka_unit_test(test_sent_twice), cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_modes), cmocka_unit_test(test_local),
        cmocka_unit_test(test_durations), cmocka_unit_test(test_classes),
        cmocka_unit_test(test_idle), cmocka_unit_test(test_lost), cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_head_of_line), cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_reports), cmocka_unit_test(test_empty),
        cmocka_unit_test(test_sections), cmocka_unit_test(test_trace_lines),
        cmocka_unit_test(test_markers)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
