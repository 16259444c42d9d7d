/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine tasks: cases computed by hand, a plain twin of a chain on a host that is
 * preempted, replays of logs to the ns, and what must hold for any graph. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/tasks/rerun.h"
#include "tests/unit/base/shared_data.h"
#include "traces/tasks/task_log_read.h"

#define FOLDER SHARED_DATA "tasks/"
#define HEAD "engine: tasks\nscenario: case\n"
#define DIAMOND HEAD "graph: {tasks: {a: [], b: [a], c: [a], d: [b, c]}}\n"
#define S INT64_C(1000000000)

typedef struct {
    spot_yaml_t document;
    void *scenario, *worker;
    const spot_outputs_t *outputs;
    const spot_rerun_t *run;
    double values[64];
} case_t;

static void case_open(case_t *self, const char *text)
{
    spot_diag_t diag;

    memset(self, 0, sizeof(*self));
    spot_diag_init(&diag);
    if (spot_yaml_parse(&self->document, "case", text, strlen(text), &diag) != 0 ||
        spot_rerun_experiment.bind(&self->scenario, self->document.root, NULL, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail_msg("%s", text);
    }
    spot_diag_free(&diag);
    self->outputs = spot_rerun_experiment.outputs(self->scenario);
    assert_true(self->outputs->num_metrics <= 64);
    assert_int_equal(spot_rerun_experiment.open(&self->worker, self->scenario), 0);
    self->run = self->worker;
}

static void case_run(case_t *self, uint64_t replication)
{
    const spot_replication_t wanted = {.seed = 7, .replication = replication};
    unsigned char warnings[SPOT_MAX_WARNINGS] = {0};

    assert_int_equal(
        spot_rerun_experiment.run(self->worker, &wanted, self->values, warnings, NULL), 0);
}

static void case_close(case_t *self)
{
    spot_rerun_experiment.close(self->worker);
    spot_rerun_experiment.free(self->scenario);
    spot_yaml_free(&self->document);
}

static double value(const case_t *self, const char *name)
{
    const size_t id = spot_outputs_metric_id(self->outputs, name);

    assert_true(id < self->outputs->num_metrics);
    return self->values[id];
}

static void check(const char *text, int64_t makespan_ns)
{
    case_t self;

    case_open(&self, text);
    case_run(&self, 0);
    assert_int_equal(self.run->analysis.makespan, makespan_ns);
    assert_true(value(&self, "finished") == 1);
    assert_true(value(&self, "makespan_s") == (double) makespan_ns / 1e9);
    case_close(&self);
}

/* ---- By hand ---- */

#define TIMES "run: {a: 2 s, b: 3 s, c: 4 s, d: 1 s}\n"

static void test_diamond(void **state)
{
    (void) state;
    check(DIAMOND TIMES, 10 * S);
    check(DIAMOND TIMES "workers: 2\n", 7 * S);
    check(DIAMOND TIMES "workers: 9\nhosts: 3\n", 7 * S);
    /* decision, comm and queue three times in a row; the first decision is before t0 */
    check(DIAMOND TIMES "workers: 2\ndelays: {decision: 100 ms, comm: 10 ms, queue: 1 ms}\n",
        7 * S + 3 * 111000000 - 100000000);
}

/* Three times 130 tasks of 1 s, each after the task that ends the layer before. Listed
 * from the last to the first. */
static void test_layers(void **state)
{
    static char text[20000];
    int num = snprintf(text, sizeof(text), HEAD "graph: {tasks: {");

    (void) state;
    for (int j = 2; j >= 0; j--) {
        num += snprintf(text + num, sizeof(text) - (size_t) num, "y(%d): [", j);
        for (int k = 0; k < 130; k++) {
            num += snprintf(text + num, sizeof(text) - (size_t) num, "x(%d), ", j * 130 + k);
        }
        num += snprintf(text + num, sizeof(text) - (size_t) num, "], ");
        for (int k = 0; k < 130; k++) {
            num += snprintf(text + num, sizeof(text) - (size_t) num,
                j == 0 ? "x(%d): [], " : "x(%d): [y(%d)], ", j * 130 + k, j - 1);
        }
    }
    snprintf(text + num, sizeof(text) - (size_t) num, "}}\nrun: {x: 1 s, y: 2 s}\nworkers: 10\n");
    check(text, 3 * (13 + 2) * S);
}

/* c runs on a's worker; b's host gets a (0.5 s), then a's host b (0.5 s). */
static void test_transmits(void **state)
{
    case_t self;

    (void) state;
    check(DIAMOND TIMES "workers: 2\nhosts: 2\ndelays: {remote: 500 ms}\n",
        2 * S + 4 * S + S / 2 + S);
    check(DIAMOND TIMES "workers: 2\ndelays: {local: 250 ms, remote: 10 s}\n",
        2 * S + 4 * S + S / 4 + S);
    /* two inputs to one worker, one after the other */
    check(HEAD "graph: {tasks: {a: [], b: [], d: [a, b], c: [d]}}\n" TIMES
               "workers: 2\nhosts: 2\ndelays: {remote: 500 ms}\n",
        3 * S + S / 2 + S + 4 * S);
    /* at 2 s host 1 has more of the inputs of c: two of three */
    case_open(&self, HEAD "graph: {tasks: {a1: [], a2: [], a3: [], c: [a1, a2, a3]}}\n"
                          "run: {a1: 2 s, a2: 2 s, a3: 2 s, c: 1 s}\n"
                          "workers: 4\nhosts: 2\ndelays: {local: 1 ms, remote: 1 s}\n");
    case_run(&self, 0);
    assert_int_equal(self.run->analysis.mode_counts[SPOT_MODE_REMOTE], 1);
    assert_int_equal(self.run->analysis.mode_counts[SPOT_MODE_LOCAL], 1);
    assert_int_equal(self.run->analysis.makespan, 4 * S + S / 1000);
    case_close(&self);
}

/* x: 10 s and 4 s of work. Together until 6 s, of which each works 4 s. */
static void test_contention(void **state)
{
#define TWO HEAD "graph: {tasks: {x1: [], y: []}}\nrun: {x1: 10 s, y: 4 s}\nworkers: 2\n"
    (void) state;
    check(TWO "contention: {beta: {x1: 0.5, y: 0.5}}\n", 12 * S);
    check(TWO "hosts: 2\ncontention: {beta: {x1: 0.5, y: 0.5}}\n", 10 * S);
    check(TWO "hosts: 2\ncontention: {scope: machine, beta: {x1: 0.5, y: 0.5}}\n", 12 * S);
    check(TWO "contention: {beta: {x1: 0.5}}\n", (int64_t) 11333333333);
    /* three at once end at one instant, to the ns */
    check(HEAD "graph: {tasks: {x(1): [], x(2): [], x(3): [], y: [x(1), x(2), x(3)]}}\n"
               "run: {x: 1 s, y: 1 s}\nworkers: 3\ncontention: {beta: {x: 0.1}}\n",
        (int64_t) 2200000000);
}

/* Which of two tasks goes first: the one with the longer chain; ties by id. */
static void test_order(void **state)
{
    case_t self;

    (void) state;
    check(HEAD "graph: {tasks: {a: [], b: [], c: [b]}}\nworkers: 2\n"
               "run: {a: 3 s, b: 2 s, c: 4 s}\n",
        6 * S);
    check(HEAD "graph: {tasks: {a: [], aa: [], b: [], c: [b]}}\nworkers: 2\n"
               "run: {a: 3 s, aa: 3 s, b: 2 s, c: 4 s}\n",
        6 * S);
    check(HEAD "graph: {tasks: {a: [], aa: [], b: [], c: [b]}}\nworkers: 2\n"
               "order: recorded\nrun: {a: 3 s, aa: 3 s, b: 2 s, c: 4 s}\n",
        9 * S);
    case_open(&self, HEAD "graph: {tasks: {z: [], m: [], b: []}}\n"
                          "run: {z: 1 s, m: 1 s, b: 1 s}\n");
    case_run(&self, 0);
    assert_string_equal(self.run->log.ids.names[self.run->analysis.graph.chain.first], "b");
    assert_string_equal(self.run->log.ids.names[self.run->analysis.graph.chain.last], "z");
    case_close(&self);
}

/* Workers without any task wait, too. */
static void test_shares(void **state)
{
    case_t self;

    (void) state;
    case_open(&self, DIAMOND TIMES "workers: 4\nhosts: 2\nprice: 3600 USD/h\n");
    case_run(&self, 0);
    assert_true(fabs(value(&self, "busy_fraction") - 10. / 28) < 1e-12);
    assert_true(fabs(value(&self, "concurrency") - 10. / 7) < 1e-12);
    assert_true(fabs(value(&self, "utilisation") - 10. / 28) < 1e-12);
    assert_true(fabs(value(&self, "cost_usd") - 14) < 1e-9);
    assert_true(value(&self, "work_s") == 10 && value(&self, "critical_run_s") == 7);
    assert_true(value(&self, "chain_run_fraction") == 1);
    case_close(&self);
}

/* ---- Preemptions ---- */

/* A host with one worker runs a (4 s), then b (3 s), which needs a on this host. */
static void test_preempted_chain(void **state)
{
    case_t self;
    int64_t num_reruns = 0;

    (void) state;
    case_open(&self, HEAD "graph: {tasks: {a: [], b: [a]}}\nrun: {a: 4 s, b: 3 s}\n"
                          "spot: {life: 6 s, replacement: 500 ms}\n");
    for (uint64_t j = 0; j < 300; j++) {
        int64_t now = 0, end, lost = 0, reruns = 0, num_lives = 0;
        bool has_a = false, was_a = false, is_done = false;
        spot_rng_t rng;

        while (!is_done) {
            spot_rng_seek(&rng, 7, j, SPOT_STREAM_LIFETIME, (uint64_t) num_lives++);
            end = now + llround(1e9 * spot_rng_exponential(&rng, 6));
            has_a = now + 4 * S <= end;
            is_done = now + 7 * S <= end;
            reruns += has_a && was_a;
            was_a = was_a || has_a;
            lost += !is_done;
            now = is_done ? now + 7 * S : end + S / 2;
        }
        case_run(&self, j);
        assert_int_equal(self.run->analysis.makespan, now);
        assert_int_equal(self.run->preemptions, num_lives - 1);
        assert_int_equal(self.run->lost_runs, lost);
        assert_int_equal(self.run->reruns, reruns);
        assert_int_equal(self.run->host_ns, now - (num_lives - 1) * S / 2);
        num_reruns += reruns;
    }
    assert_true(num_reruns > 50);
    case_close(&self);
}

static void test_cut_off(void **state)
{
    case_t self;

    (void) state;
    case_open(&self, HEAD "graph: {tasks: {a: []}}\nrun: {a: 1 h}\nspot: {life: 1 s}\n");
    case_run(&self, 0);
    assert_true(value(&self, "finished") == 0);
    assert_non_null(spot_rerun_experiment.view->failure(self.worker));
    assert_true(value(&self, "lost_runs") == 1000);
    case_close(&self);
}

/* ---- Any graph ---- */

/* More than one word of 64 tasks. */
#define NUM_TASKS(key) (2 + (int) ((key) *7 % 150))

static const char *random_text(uint64_t key, char *text, size_t num_bytes)
{
    spot_rng_t rng;
    int num = 0;
    const int num_tasks = NUM_TASKS(key);

    spot_rng_seek(&rng, key, 0, SPOT_STREAM_OWN, 0);
#define ADD(...) num += snprintf(text + num, num_bytes - (size_t) num, __VA_ARGS__)
    ADD(HEAD "graph: {tasks: {");
    for (int j = 0; j < num_tasks; j++) {
        ADD("%s%s(%d): [", j == 0 ? "" : ", ", j % 3 == 0 ? "x" : "y", j);
        for (int k = 0, any = 0; k < j; k++) {
            if (spot_rng_below(&rng, (uint64_t) j) < 2) {
                ADD("%s%s(%d)", any++ ? ", " : "", k % 3 == 0 ? "x" : "y", k);
            }
        }
        ADD("]");
    }
    ADD("}}\nworkers: %d\nhosts: %d\n", 4 + (int) spot_rng_below(&rng, 6),
        1 + (int) spot_rng_below(&rng, 4));
    ADD("run: {x: {family: exponential, mu: 2}, y: {family: gamma, shape: 2, scale: "
        "1}}\ncontention: {scope: %s, beta: {x: 0.4}}\n",
        key % 2 == 0 ? "host" : "machine");
    ADD("delays: {decision: {family: exponential, mu: 0.1}, comm: 5 ms, queue: 8 ms, "
        "local: 1 ms, remote: {family: lognormal, zeta: -1, sigma: 0.5}}\n");
    if (key % 3 == 0) {
        ADD("spot: {life: 30 s, replacement: 2 s}\n");
    }
    return text;
}

/* Each run of a task starts when its worker has all its inputs. */
static void check_inputs(const spot_rerun_t *self)
{
    const spot_task_log_t *log = &self->log;

    for (size_t j = 0; j < log->num_events; j++) {
        const spot_task_event_t *event = &log->events[j];
        const spot_task_edges_t *edges = &log->edges[event->id];

        assert_int_equal(edges->id, event->id);
        if (event->is_transmit || event->stage != SPOT_TASK_STARTED) {
            continue;
        }
        for (size_t k = edges->start; k < edges->end; k++) {
            bool has = false;

            for (size_t i = 0; i < log->num_events && !has; i++) {
                const spot_task_event_t *other = &log->events[i];

                has = other->id == log->inputs[k] && other->worker == event->worker &&
                      other->at <= event->at &&
                      other->stage == (other->is_transmit ? (int) SPOT_TRANSMIT_FINISHED
                                                          : (int) SPOT_TASK_FINISHED);
            }
            assert_true(has);
        }
    }
}

static void test_any_graph(void **state)
{
    static char text[20000];
    int64_t num_lost = 0;

    (void) state;
    for (uint64_t key = 0; key < 150; key++) {
        const spot_task_analysis_t *analysis;
        double first[64], sum = 0;
        case_t self;

        case_open(&self, random_text(key, text, sizeof(text)));
        case_run(&self, key);
        analysis = &self.run->analysis;
        assert_true(value(&self, "finished") == 1);
        assert_int_equal(analysis->completed, NUM_TASKS(key));
        assert_true(analysis->makespan >= (int64_t) analysis->graph.critical_run ||
                    self.run->lost_runs > 0);
        assert_int_equal(analysis->overlapping_tasks + analysis->negative_intervals, 0);
        assert_int_equal(analysis->times.all.num_ns > 0, 1);
        assert_int_equal(analysis->tasks.num_duplicates, 0);
        check_inputs(self.run);
        for (size_t j = 0; j < self.outputs->num_parts; j++) {
            sum += value(&self, self.outputs->parts[j]);
        }
        assert_true(fabs(sum - 1) < 1e-12);
        num_lost += self.run->lost_runs;
        memcpy(first, self.values, sizeof(first));
        case_run(&self, key + 1);
        case_run(&self, key);
        assert_memory_equal(first, self.values, self.outputs->num_metrics * sizeof(*first));
        case_close(&self);
    }
    assert_true(num_lost > 20);
}

/* ---- Logs ---- */

/* The analysis as JSON, without what the file is like. */
static char *json_of(const spot_task_log_t *log, const spot_task_analysis_t *analysis)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);
    spot_json_t json;

    assert_non_null(out);
    spot_json_init(&json, out, 0);
    spot_task_analysis_json(analysis, log, &json);
    assert_int_equal(fclose(out), 0);
    memmove(text, strstr(text, "\"workers\""), strlen(strstr(text, "\"workers\"")) + 1);
    return text;
}

/* The events of a run, read back, say the same. */
static void check_events(const case_t *self)
{
    char path[64];
    spot_task_log_t log;
    spot_task_analysis_t analysis;
    spot_diag_t diag;
    FILE *out;
    char *first, *second;

    snprintf(path, sizeof(path), "test_rerun_%ld.jsonl", (long) getpid());
    out = fopen(path, "w");
    assert_non_null(out);
    spot_rerun_experiment.view->events(self->worker, out);
    assert_int_equal(fclose(out), 0);
    spot_diag_init(&diag);
    assert_int_equal(spot_task_log_read(&log, path, &(spot_task_reading_t){0}, &diag), 0);
    assert_int_equal(
        spot_task_analysis_init(&analysis, &log, &(spot_task_rules_t){0}, path, &diag), 0);
    assert_int_equal(diag.num_errors + diag.num_warnings, 0);
    first = json_of(&self->run->log, &self->run->analysis);
    second = json_of(&log, &analysis);
    assert_string_equal(first, second);
    free(first);
    free(second);
    spot_task_analysis_free(&analysis);
    spot_task_log_free(&log);
    spot_diag_free(&diag);
    unlink(path);
}

static void test_events(void **state)
{
    static char text[20000];

    (void) state;
    for (uint64_t key = 30; key < 40; key++) {
        case_t self;

        case_open(&self, random_text(key, text, sizeof(text)));
        case_run(&self, key);
        check_events(&self);
        case_close(&self);
    }
}

static void test_replay(void **state)
{
    static const struct {
        const char *name;
        int64_t total;
    } logs[] = {{"f1", 17828651098}, {"f4", 7596465861}, {"m2_2", 14282337132}};

    (void) state;
    need_data(FOLDER "edges.jsonl");
    for (size_t j = 0; j < 3; j++) {
        const spot_task_chain_t *chain;
        const spot_rerun_scenario_t *scenario;
        char text[1024], *first, *second;
        case_t self;

        snprintf(text, sizeof(text),
            HEAD "graph: {log: %s%s.jsonl, edges: %sedges.jsonl}\nreplay: log\n"
                 "contention: {beta: {efi: 0.4}}\ndelays: {comm: 1 h}\n",
            FOLDER, logs[j].name, FOLDER);
        case_open(&self, text);
        case_run(&self, 0);
        chain = &self.run->analysis.graph.chain;
        scenario = self.scenario;
        assert_true(chain->total == logs[j].total);
        assert_int_equal(self.run->analysis.makespan, logs[j].total);
        first = json_of(&scenario->log, &scenario->analysis);
        second = json_of(&self.run->log, &self.run->analysis);
        assert_string_equal(first, second);
        free(first);
        free(second);
        check_events(&self);
        case_close(&self);
        /* and with other workers: the runs are the same, the rest is not */
        snprintf(text, sizeof(text),
            HEAD "graph: {log: %s%s.jsonl, edges: %sedges.jsonl}\nworkers: 8\n", FOLDER,
            logs[j].name, FOLDER);
        case_open(&self, text);
        case_run(&self, 0);
        scenario = self.scenario;
        assert_true(self.run->analysis.graph.work == scenario->analysis.graph.work);
        assert_true(self.run->analysis.makespan >= (int64_t) scenario->analysis.graph.critical_run);
        assert_true(self.run->analysis.makespan < logs[j].total);
        case_close(&self);
    }
}

/* ---- What cannot be run ---- */

static void write_text(const char *path, const char *first, const char *second)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    fprintf(out, "%s%s", first, second);
    assert_int_equal(fclose(out), 0);
}

/* The first error of a scenario. */
static void check_bad(const char *keys, const char *message)
{
    char text[1024], *printed = NULL;
    spot_yaml_t document;
    spot_diag_t diag;
    void *scenario;
    size_t num_bytes;
    FILE *out = open_memstream(&printed, &num_bytes);

    snprintf(text, sizeof(text), HEAD "%s", keys);
    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_parse(&document, "case", text, strlen(text), &diag), 0);
    assert_int_equal(
        spot_rerun_experiment.bind(&scenario, document.root, NULL, &diag), SPOT_ERR_BAD_INPUT);
    spot_diag_print(&diag, out);
    assert_int_equal(fclose(out), 0);
    printed[strcspn(printed, "\n")] = '\0';
    assert_string_equal(printed, message);
    free(printed);
    spot_rerun_experiment.free(scenario);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

static void test_bad_scenarios(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"graph: {}\n", "case:3:8: graph: expected a log, edges or tasks"},
        {"graph: {edges: e.jsonl, tasks: {a: []}}\n",
            "case:3:8: graph: expected a log, edges or tasks"},
        {"graph: {tasks: {a: [b]}}\n", "case:3:20: graph.tasks: b is not a task"},
        {"graph: {tasks: {a: [[]]}}\n", "case:3:20: graph.tasks: an input is not a task"},
        {"graph: {tasks: {a: [], b: a}}\n",
            "case:3:27: graph.tasks: b needs a list of tasks, such as []"},
        {"graph: {tasks: {}}\n",
            "case:3:8: graph: graph.tasks is no map of tasks, such as {a: [], b: [a]}"},
        {"graph: {tasks: {a: []}}\nrun: {a: 1 s}\nworkers: 2\nhosts: 3\n",
            "case:6:8: hosts: there are more hosts than workers"},
        {"graph: {tasks: {a: [b], b: [a]}}\nrun: {a: 1 s, b: 1 s}\n",
            "graph.tasks: the edges have a cycle: b needs a needs b needs a, and so on"},
        {"graph: {tasks: {a: []}}\n", "case:1:1: run: a has no recorded run"},
        {"graph: {tasks: {a: []}}\nrun: {a: 1 s, b: 1 s}\n",
            "case:4:6: run: b is not the class of a task"},
        {"graph: {tasks: {a: []}}\nrun: {a: 1 s}\ncontention: {beta: {b: 1}}\n",
            "case:5:20: contention.beta: b is not the class of a task"},
        {"graph: {tasks: {a: []}}\nrun: {a: 1 s}\nreplay: log\n",
            "case:5:9: replay: a has no recorded run"},
        {"graph: {tasks: {a: []}}\nrun: {a: 1}\n",
            "case:4:10: run.a: expected a duration such as \"1.5 s\", \"20 ms\" or "
            "\"350 "
            "us\", got \"1\": the unit is missing"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        check_bad(cases[j].text, cases[j].message);
    }
}

/* Stretches of a replay, by hand: b waits for its input a, c for its worker, which has a
 * up to 130; c was planned while a ran, which goes along. */
static void test_scaled_replay(void **state)
{
    static const char *const names[] = {
        "taskPlanned", "taskEnqueued", "taskStarted", "taskFinished"};
    static const struct {
        const char *task, *worker;
        int64_t at[4], scaled[4];
    } tasks[] = {{"a", "w", {0, 10, 30, 130}, {0, 0, 20, 70}},
        {"b", "v", {140, 145, 165, 265}, {90, 90, 110, 160}},
        {"c", "w", {100, 135, 150, 250}, {40, 70, 85, 135}}};
    char path[64], text[512], log[4096];
    case_t self;
    size_t num = (size_t) snprintf(
        log, sizeof(log), "{\"action\":\"taskInputs\",\"task\":\"b\",\"inputs\":[\"a\"]}\n");

    (void) state;
    for (size_t j = 0; j < 12; j++) {
        num += (size_t) snprintf(log + num, sizeof(log) - num,
            "{\"action\":\"%s\",\"task\":\"%s\",\"worker\":\"%s\",\"host\":\"%s\","
            "\"at\":%d}\n",
            names[j % 4], tasks[j / 4].task, tasks[j / 4].worker, j % 4 == 0 ? "controller" : "h",
            (int) tasks[j / 4].at[j % 4]);
    }
    snprintf(path, sizeof(path), "test_rerun_scaled_%ld.jsonl", (long) getpid());
    write_text(path, log, "");
    snprintf(text, sizeof(text),
        HEAD "graph: {log: %s}\nreplay: log\n"
             "scale: {decision: 2, comm: 0, run: 0.5}\n",
        path);
    case_open(&self, text);
    case_run(&self, 0);
    assert_int_equal(self.run->analysis.tasks.num_attempts, 3);
    for (size_t j = 0; j < 3; j++) {
        const spot_attempt_t *attempt = &self.run->analysis.tasks.attempts[j];
        const char *id = self.run->log.ids.names[attempt->id];
        const size_t which = (size_t) (id[0] - 'a');
        static const int stages[] = {
            SPOT_TASK_PLANNED, SPOT_TASK_ENQUEUED, SPOT_TASK_STARTED, SPOT_TASK_FINISHED};

        for (size_t k = 0; k < 4; k++) {
            assert_int_equal(attempt->at[stages[k]], tasks[which].scaled[k]);
        }
    }
    case_close(&self);
    unlink(path);
}

/* A replay has the workers of the log, and each task once. */
static void test_bad_replays(void **state)
{
    static const char log[] =
        "{\"action\":\"taskInputs\",\"task\":\"a\",\"inputs\":[]}\n"
        "{\"action\":\"taskPlanned\",\"task\":\"a\",\"worker\":\"w\",\"host\":"
        "\"controller\",\"at\":1}\n"
        "{\"action\":\"taskStarted\",\"task\":\"a\",\"worker\":\"w\",\"host\":\"h\","
        "\"at\":2}\n"
        "{\"action\":\"taskFinished\",\"task\":\"a\",\"worker\":\"w\",\"host\":\"h\","
        "\"at\":9}\n";
    static const char again[] =
        "{\"action\":\"taskPlanned\",\"task\":\"a\",\"worker\":\"w\",\"host\":"
        "\"controller\",\"at\":10}\n";
    char path[64], text[256];

    (void) state;
    snprintf(path, sizeof(path), "test_rerun_log_%ld.jsonl", (long) getpid());
    write_text(path, log, "");
    snprintf(text, sizeof(text), HEAD "graph: {log: %s}\nreplay: log\n", path);
    check(text, 8);
    snprintf(text, sizeof(text), "graph: {log: %s}\nreplay: log\nworkers: 2\n", path);
    check_bad(text, "case:5:10: workers: of a replay are those of the log");
    write_text(path, log, again);
    snprintf(text, sizeof(text), "graph: {log: %s}\nreplay: log\n", path);
    check_bad(text, "case:4:9: replay: the log has several attempts of a task: one is needed");
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diamond),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_transmits),
        cmocka_unit_test(test_contention),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_preempted_chain),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_any_graph),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_scaled_replay),
        cmocka_unit_test(test_bad_scenarios),
        cmocka_unit_test(test_bad_replays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
