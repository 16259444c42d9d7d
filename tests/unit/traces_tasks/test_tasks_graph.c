/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What edges add to a log, and two runs compared, on small logs by hand. */
#include <math.h>
#include <string.h>

#include "tests/unit/base/support.h"
#include "tests/unit/traces_tasks/tasks_case.h"

static void check(const char *script, const char *edges, const char *const *members)
{
    const tasks_options_t options = {.edges = edges};
    json_t *json = tasks_results(script, &options);

    for (; *members != NULL; members += 2) {
        const char *found = tasks_member(json, members[0]);

        if (strcmp(found, members[1]) != 0) {
            fail_msg("%s: %s, expected %s", members[0], found, members[1]);
        }
    }
    json_delete(json);
}
#define CHECK(script, edges, ...) check(script, edges, (const char *const[]){__VA_ARGS__, NULL})
#define NEEDS(task, ...)                                                                           \
    "{\"action\": \"taskInputs\", \"task\": \"" task "\", \"inputs\": [" __VA_ARGS__ "]}\n"

/* ---- The longest chain ---- */

static void test_ties(void **state)
{
    /* a and b are as long, and so are d and c behind them: the smaller ids */
    static const char script[] = "tS b w 0; tF b w 5; tS a v 0; tF a v 5; tS d w 5; tF d "
                                 "w 9; tS c v 5; tF c v 9; tS e w 9; tF e w 10;";
    static const char edges[] =
        NEEDS("d", "\"b\",\"a\"") NEEDS("c", "\"b\",\"a\",\"b\"") NEEDS("e", "");

    (void) state;
    CHECK(script, edges, "graph/tasks", "5", "graph/edges", "4", "graph/critical_run", "9",
        "graph/work", "19", "graph/critical_tasks/0", "a", "graph/critical_tasks/1", "c",
        "graph/critical_tasks/2", "missing", "graph/zero_slack", "4", "graph/parallelism",
        "2.11111111", "graph/missing_inputs", "0", "log/input_records", "0");
}

static void test_missing_inputs(void **state)
{
    /* q never came, r never completed; c never completed, so that its edge is none */
    static const char script[] =
        "tS a w 0; tF a w 5; tS r w 5; tS b w 8; tF b w 10; tS c w 11;"
        "{\"action\":\"taskInputs\",\"task\":\"b\",\"inputs\":[\"q\",\"a\",\"r\"]}\n"
        "{\"action\":\"taskInputs\",\"task\":\"c\",\"inputs\":[\"q\",\"a\"]}\n";

    (void) state;
    CHECK(script, NULL, "graph/tasks", "2", "graph/edges", "1", "graph/missing_inputs", "2",
        "graph/critical_run", "7", "log/input_records", "2");
    CHECK("tP a w 1;", NEEDS("a", "\"b\""), "graph/tasks", "0", "graph/critical_run", "0",
        "graph/parallelism", "null", "graph/critical_tasks/0", "missing", "graph/chain/last",
        "null", "graph/chain/total", "0");
    CHECK("tS a w 0; tF a w 5;", NULL, "graph/tasks", "missing", "graph/edges", "missing");
}

/* Of a retried task counts the attempt that finished first, ties by the worker's name.
 */
static void test_first_finished(void **state)
{
    static const char script[] =
        "tP a w 0; tS a w 1; tF a w 20; tP a v 2; tS a v 4; tF a v 10; tS b y 10;"
        "tF b y 12; tS b x 11; tF b x 12;";

    (void) state;
    CHECK(script, NEEDS("b", "\"a\""), "graph/critical_run", "7", "graph/work", "7",
        "graph/chain/run", "7", "graph/chain/tasks", "2");
}

/* ---- Decisions ---- */

static void test_decisions(void **state)
{
    /* v: unplanned 20-50, of which b was ready from 30 on and planned at 40; a is ready
     * at t0 and planned at 10 */
    static const char script[] =
        "tP a w 10; tE a w 10; tS a w 10; tF a w 30; tP b w 40; tE b w 40; tS b w 40;"
        "tF b w 60; tP c v 0; tE c v 0; tS c v 0; tF c v 20; tP d v 50; tE d v 50;"
        "tS d v 50; tF d v 60;";
    static const char edges[] = NEEDS("b", "\"a\",\"c\"") NEEDS("d", "\"c\"");

    (void) state;
    CHECK(script, edges, "graph/decision_delay/count", "4", "graph/decision_delay/sum", "50",
        "graph/decision_delay/max", "30", "balance/unplanned", "40", "graph/unplanned_ready", "40",
        "graph/unplanned_starved", "0");
    CHECK("tP a w 0; tS a w 0; tF a w 30; tP b v 0; tS b v 0; tF b v 10; tP c v 35;"
          "tS c v 40; tF c v 50;",
        NEEDS("c", "\"a\""), "balance/unplanned", "30", "graph/unplanned_ready", "5",
        "graph/unplanned_starved", "25", "balance/comm", "0", "graph/decision_delay/sum", "5");
    /* planned before its inputs were there: negative, and no time of waiting */
    CHECK("tP a w 0; tS a w 0; tF a w 30; tP b v 10; tS b v 35; tF b v 40;", NEEDS("b", "\"a\""),
        "graph/decision_delay/sum", "-20", "graph/decision_delay/negative", "1");
}

/* ---- The chain ---- */

static void test_chain(void **state)
{
    /* c (v) waits for a (w) until 30; its stretch 30-60: controller up to 50, of which
     * a's data was on the way 35-45, comm 50-54, queue 54-60; a's is 2-10 */
    static const char script[] =
        "tP a w 2; tE a w 5; tS a w 10; tF a w 30; tP b v 3; tE b v 4; tS b v 6;"
        "tF b v 20; xP a v 35; xF a v 45 remote; xP b v 30; xF b v 34 remote; tP c v 50;"
        "tE c v 54; tS c v 60; tF c v 70;";

    (void) state;
    CHECK(script, NEEDS("c", "\"a\""), "graph/chain/tasks", "2", "graph/chain/first", "a",
        "graph/chain/last", "c", "graph/chain/run", "30", "graph/chain/queue", "11",
        "graph/chain/comm", "7", "graph/chain/inputs", "10", "graph/chain/controller", "10",
        "graph/chain/total", "68");
    /* without that edge the worker's own task is what c waited for */
    CHECK(script, NEEDS("c", ""), "graph/chain/first", "b", "graph/chain/run", "24",
        "graph/chain/controller", "31", "graph/chain/inputs", "0", "graph/chain/total", "68");
}

static void test_chain_ties(void **state)
{
    /* at one instant an input comes before a task of the worker, then the smaller id */
    static const char script[] = "tS a w 0; tF a w 5; tS b v 1; tF b v 5; tS c u 2;"
                                 "tF c u 5; tS z w 6; tF z w 9;";

    (void) state;
    CHECK(script, NEEDS("z", "\"c\""), "graph/chain/first", "c");
    CHECK(script, NEEDS("z", "\"c\",\"b\""), "graph/chain/first", "b");
    CHECK(script, NEEDS("q", ""), "graph/chain/first", "a");
    /* the last one: ties by id; an input that ended after Started is none */
    CHECK("tS b w 0; tF b w 5; tS a v 1; tF a v 5;", NEEDS("q", ""), "graph/chain/last", "a");
    CHECK("tS a w 0; tF a w 5; tS b v 3; tF b v 9;", NEEDS("b", "\"a\""), "graph/chain/first", "b",
        "graph/chain/tasks", "1");
}

static void test_chain_clipped(void **state)
{
    /* planned and enqueued before what it waited for had ended: the whole is queue */
    CHECK("tP a w 0; tE a w 0; tS a w 0; tF a w 10; tP b w 2; tE b w 4; tS b w 15; tF b "
          "w 20;",
        NEEDS("b", ""), "graph/chain/queue", "5", "graph/chain/comm", "0", "graph/chain/controller",
        "0", "graph/chain/total", "20");
    /* tasks of one instant do not lead in circles */
    CHECK("tS a w 5; tF a w 5; tS b w 5; tF b w 5; tE c w 1;", NEEDS("a", ""), "graph/chain/tasks",
        "2", "graph/chain/total", "4");
    (void) state;
}

/* ---- Edges that are no graph ---- */

static void check_bad(const char *script, const char *edges, const char *report)
{
    const tasks_options_t options = {.edges = edges};
    char *text = tasks_lines(script);
    tasks_case_t self;

    tasks_case_read(&self, text, strlen(text), &options);
    assert_int_equal(self.ret, SPOT_ERR_BAD_INPUT);
    assert_tasks_report(&self, report);
    tasks_case_free(&self);
    free(text);
}

static void test_bad_edges(void **state)
{
    (void) state;
    check_bad("tS a w 1;", NEEDS("a", "\"a\""),
        "edges: the edges have a cycle: a needs a needs a needs a, and so on\n");
    /* also among tasks of which the log knows nothing, and behind them */
    check_bad("tS a w 1;", NEEDS("p", "\"q\"") NEEDS("q", "\"p\"") NEEDS("r", "\"p\""),
        "edges: the edges have a cycle: q needs p needs q needs p, and so on\n");
    check_bad("tS a w 1;", NEEDS("a", "") NEEDS("b", "") NEEDS("a", "\"b\""),
        "edges:3:34: task: its inputs stand in an earlier line or in the log, got "
        "'a'\n");
    check_bad("{\"action\":\"taskInputs\",\"task\":\"a\",\"inputs\":[]}\n", NEEDS("a", ""),
        "edges:1:34: task: its inputs stand in an earlier line or in the log, got "
        "'a'\n");
    check_bad("tS a w 1;", "{\"action\":\"taskStarted\",\"task\":\"a\"}\n",
        "edges:1:11: action: expected taskInputs, got 'taskStarted'\n");
    check_bad("tS a w 1;",
        "{\"action\":\"taskInputs\",\"task\":\"b\",\"inputs\":[\"a\"]}\n"
        "{\"action\":\"taskInputs\",\"task\":\"a\",\"inputs\":true}\n",
        "edges:2: inputs: expected a list of task ids\n");
}

/* ---- Two runs ---- */

typedef struct {
    tasks_case_t cases[2];
    spot_task_comparison_t result;
    json_t *json;
    int ret;
} pair_t;

static void compare(pair_t *self, const char *first, const char *second, spot_task_scope_t scope)
{
    spot_task_run_t runs[2];

    for (int j = 0; j < 2; j++) {
        char *text = tasks_lines(j == 0 ? first : second);

        tasks_case_read(&self->cases[j], text, strlen(text), NULL);
        assert_int_equal(self->cases[j].ret, 0);
        free(text);
        spot_diag_drop_warnings(&self->cases[j].diag);
        runs[j] = (spot_task_run_t){
            j == 0 ? "first" : "second", &self->cases[j].log, &self->cases[j].analysis};
    }
    self->json = NULL;
    self->ret =
        spot_task_comparison_init(&self->result, &runs[0], &runs[1], scope, &self->cases[0].diag);
    if (self->ret == 0) {
        char *text = NULL;
        size_t num_bytes = 0;
        FILE *out = open_memstream(&text, &num_bytes);
        spot_json_t json;

        spot_json_init(&json, out, 0);
        spot_task_comparison_json(&self->result, &self->cases[0].log, &json);
        fclose(out);
        self->json = tasks_parse(text);
        free(text);
    }
}

static void end(pair_t *self)
{
    json_delete(self->json);
    spot_task_comparison_free(&self->result);
    tasks_case_free(&self->cases[0]);
    tasks_case_free(&self->cases[1]);
}

static void test_join(void **state)
{
    /* a has no total in the first run, z none in the second, o is only in the second; e
     * takes 0 ns in the second, so that its relative difference is no number */
    static const char first[] =
        "tS a w 0; tF a w 1; tP b w 1; tF b w 5; tP c w 5; tF c w 9; tP d w 9; tF d w "
        "11;"
        "tP e w 11; tF e w 12; tP f w 12; tF f w 14; tP x w 20; tP z w 30; tF z w 31;";
    static const char second[] =
        "tP a w 0; tF a w 1; tP c w 5; tF c w 13; tP b w 13; tF b w 21; tP d w 30;"
        "tF d w 31; tP e w 40; tF e w 40; tP f w 50; tF f w 90; tP f v 50; tF f v 90;"
        "tP f v 91; tF f v 99; tS z w 99; tF z w 99; tP o w 99; tF o w 99;";
    pair_t self;

    (void) state;
    compare(&self, first, second, SPOT_SCOPE_HOST);
    assert_int_equal(self.ret, 0);
    assert_member(self.json, "rows", "7");
    assert_member(self.json, "without_pair", "0");
    assert_member(self.json, "only_in_second", "1");
    assert_member(self.json, "sum_first", "13");
    assert_member(self.json, "sum_second", "57");
    assert_int_equal(json_size(spot_json_member(self.json, "by_relative")), 5);
    assert_member(self.json, "by_relative/0/0", "d");
    assert_member(self.json, "by_relative/0/3", "-1");
    assert_member(self.json, "by_relative/0/4", "-1");
    assert_member(self.json, "by_relative/1/0", "b"); /* as c: ties by id */
    assert_member(self.json, "by_relative/1/4", "0.5");
    assert_member(self.json, "by_relative/2/0", "c");
    assert_member(self.json, "by_relative/3/0", "f");
    assert_member(self.json, "by_relative/3/4", "0.95");
    assert_member(self.json, "by_relative/4/0", "e");
    assert_member(self.json, "by_relative/4/4", "null");
    assert_member(self.json, "top_difference/0/0", "f");
    assert_member(self.json, "top_difference/1/0", "b");
    assert_member(self.json, "top_difference/2/0", "c");
    assert_member(self.json, "top_difference/3/3", "-1");
    assert_member(self.json, "per_class/f/ratio", "20");
    assert_member(self.json, "per_class/a/count", "missing");
    assert_member(self.json, "contention/classes/b/count", "missing"); /* no runs */
    end(&self);
}

static void test_without_pair(void **state)
{
    pair_t self;

    (void) state;
    compare(&self, "tP a w 0; tF a w 4; tP b w 4; tF b w 9;", "tP a w 0; tF a w 8; tP b w 8;",
        SPOT_SCOPE_MACHINE);
    assert_int_equal(self.ret, 0);
    assert_member(self.json, "rows", "2");
    assert_member(self.json, "without_pair", "1");
    assert_member(self.json, "only_in_second", "0");
    assert_member(self.json, "contention/scope", "machine");
    assert_member(self.json, "contention/lost", "0");
    end(&self);
    compare(&self, "tP a w 0; tF a w 4;", "tP b w 0; tF b w 8;", SPOT_SCOPE_MACHINE);
    assert_int_equal(self.ret, SPOT_ERR_BAD_INPUT);
    assert_tasks_report(
        &self.cases[0], "second: no completed task is one of first, so nothing can be compared\n");
    end(&self);
    compare(&self, "tP a w 0; tF a w 4; tS a v 0;", "tP a w 0; tF a w 8;", SPOT_SCOPE_MACHINE);
    assert_tasks_report(&self.cases[0], "warning: first: contention needs a solo run "
                                        "first, and this log has 2 workers\n");
    end(&self);
}

/* Ten of twelve differences, the largest first. */
static void test_top(void **state)
{
    char first[2048], second[2048], *to[2] = {first, second};
    pair_t self;

    (void) state;
    for (int j = 0; j < 12; j++) {
        to[0] += sprintf(to[0], "tP t%02d w 0; tF t%02d w 1;", j, j);
        to[1] += sprintf(to[1], "tP t%02d w 0; tF t%02d w %d;", j, j, 1 + j / 2);
    }
    compare(&self, first, second, SPOT_SCOPE_HOST);
    assert_int_equal(json_size(spot_json_member(self.json, "top_difference")), 10);
    assert_member(self.json, "top_difference/0/0", "t10");
    assert_member(self.json, "top_difference/1/0", "t11");
    assert_member(self.json, "top_difference/9/0", "t03");
    end(&self);
}

/* Two tasks side by side for 100 of 150 ns, each slowed by a known constant. */
static void test_contention(void **state)
{
    /* a: 100 ns with k = 2, 50 with k = 1: 100 / (1 + beta) + 50 = 130 -> 0.25 */
    static const char solo[] = "tS a w 0; tF a w 130; tS b w 200; tF b w 290;";
    static const char both[] =
        "tP a h0:w 0; tS a h0:w 0; tF a h0:w 150; tS b h0:v 0; tF b h0:v 100;"
        "tS q h1:w 0; tF q h1:w 150;";
    pair_t self;

    (void) state;
    compare(&self, solo, both, SPOT_SCOPE_HOST);
    assert_member(self.json, "contention/scope", "host");
    assert_member(self.json, "contention/classes/a/solo", "130");
    assert_member(self.json, "contention/classes/a/run", "150");
    assert_member(self.json, "contention/classes/a/ratio", "1.15384615");
    assert_member(self.json, "contention/classes/a/mean_concurrency", "1.66666667");
    assert_member(self.json, "contention/classes/a/beta", "0.25");
    assert_member(self.json, "contention/classes/b/beta", "0.111111111");
    assert_member(self.json, "contention/classes/q/beta", "missing");
    assert_member(self.json, "contention/lost", "30");
    end(&self);
    /* with the task of the other host, of which no partner exists, k is one more:
     * 100 / (1 + 2 beta) + 50 / (1 + beta) = 130 */
    compare(&self, solo, both, SPOT_SCOPE_MACHINE);
    assert_member(self.json, "contention/classes/a/mean_concurrency", "2.66666667");
    const double beta = strtod(tasks_member(self.json, "contention/classes/a/beta"), NULL);
    assert_true(fabs(100 / (1 + 2 * beta) + 50 / (1 + beta) - 130) < 1e-5);
    end(&self);
}

static void test_not_identifiable(void **state)
{
    pair_t self;

    (void) state;
    /* nothing beside it; ends and starts of one instant do not overlap */
    compare(&self, "tS a w 0; tF a w 10;", "tS a w 0; tF a w 12; tS b v 12; tF b v 20;",
        SPOT_SCOPE_HOST);
    assert_member(self.json, "contention/classes/a/beta", "null");
    assert_member(self.json, "contention/classes/a/mean_concurrency", "1");
    end(&self);
    /* faster than alone, by more than any beta from -0.9 on explains */
    compare(&self, "tS a w 0; tF a w 500;", "tS a w 0; tF a w 10; tS b v 0; tF b v 10;",
        SPOT_SCOPE_HOST);
    assert_member(self.json, "contention/classes/a/beta", "null");
    end(&self);
    /* faster, within them: 10 / (1 + beta) = 50 */
    compare(&self, "tS a w 0; tF a w 50;", "tS a w 0; tF a w 10; tS b v 0; tF b v 10;",
        SPOT_SCOPE_HOST);
    assert_member(self.json, "contention/classes/a/beta", "-0.8");
    end(&self);
    /* the time alone is already longer than the solo run: no beta makes up for it */
    compare(
        &self, "tS a w 0; tF a w 5;", "tS a w 0; tF a w 10; tS b v 0; tF b v 2;", SPOT_SCOPE_HOST);
    assert_member(self.json, "contention/classes/a/beta", "null");
    end(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ties),
        cmocka_unit_test(test_missing_inputs), cmocka_unit_test(test_first_finished),
        cmocka_unit_test(test_decisions), cmocka_unit_test(test_chain),
        cmocka_unit_test(test_chain_ties), cmocka_unit_test(test_chain_clipped),
        cmocka_unit_test(test_bad_edges), cmocka_unit_test(test_join),
        cmocka_unit_test(test_without_pair), cmocka_unit_test(test_top),
        cmocka_unit_test(test_contention), cmocka_unit_test(test_not_identifiable)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
