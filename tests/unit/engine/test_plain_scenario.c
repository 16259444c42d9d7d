/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/yaml.h"
#include "sim/bench/engine/scenario_file.h"

typedef struct {
    spot_outputs_t outputs;
    int64_t num_stages, num_pools;
    double rate;
} scenario_t;

static const spot_field_t fields[] = {SPOT_BENCH_FIELDS,
    {.name = "stages",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(scenario_t, num_stages),
        .max = 100,
        .initial = "2"},
    {.name = "stage", .type = SPOT_FIELD_NUMBER, .offset = offsetof(scenario_t, rate)},
    {.name = "pools",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(scenario_t, num_pools),
        .max = 100,
        .initial = "1"},
    {.name = NULL}};

static const spot_metric_t metrics[] = {
    {.name = "first", .unit = "1", .help = "a"},
    {.name = "stage-{stages}.wait_s", .unit = "s", .help = "b"},
    {.name = "{pools}", .unit = "1", .help = "c"},
    {.name = "last", .unit = "1", .help = "d"},
};

static const spot_outputs_t outputs = {
    .num_metrics = 4, .metrics = metrics, .cost = "first", .num_replications = 7};

static int bind_text(void **scenario, const char *text, spot_diag_t *diag)
{
    spot_yaml_t document;
    int ret = spot_yaml_parse(&document, "test.yaml", text, strlen(text), diag);

    assert_int_equal(ret, 0);
    ret = spot_plain_bind(scenario, sizeof(scenario_t), fields, &outputs, document.root, diag);
    spot_yaml_free(&document);
    return ret;
}

/* names: those of all metrics, up to NULL. */
static void check_names(const char *text, const char *const *names)
{
    const spot_outputs_t *bound;
    void *scenario;
    spot_diag_t diag;
    size_t j = 0;

    spot_diag_init(&diag);
    assert_int_equal(bind_text(&scenario, text, &diag), 0);
    bound = spot_plain_outputs(scenario);
    assert_int_equal(bound->num_replications, 7);
    assert_string_equal(bound->cost, "first");
    for (; names[j] != NULL; j++) {
        assert_true(j < bound->num_metrics);
        assert_string_equal(bound->metrics[j].name, names[j]);
    }
    assert_int_equal(bound->num_metrics, j);
    assert_string_equal(bound->metrics[j - 1].help, "d");
    assert_true(((const scenario_t *) scenario)->rate == 0.5);
    free(scenario);
    spot_diag_free(&diag);
}

static void test_metrics_are_repeated(void **state)
{
    static const char *const usual[] = {
        "first", "stage-0.wait_s", "stage-1.wait_s", "0", "last", NULL};
    static const char *const none[] = {"first", "0", "1", "2", "last", NULL};

    (void) state;
    check_names("scenario: a\nstage: 0.5\n", usual);
    check_names("scenario: a\nstage: 0.5\nstages: 0\npools: 3\n", none);
}

static void test_many_metrics(void **state)
{
    const spot_outputs_t *bound;
    void *scenario;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(
        bind_text(&scenario, "{scenario: a, stage: 1, stages: 100, pools: 100}", &diag), 0);
    bound = spot_plain_outputs(scenario);
    assert_int_equal(bound->num_metrics, 202);
    assert_int_equal(spot_outputs_metric_id(bound, "stage-99.wait_s"), 100);
    assert_int_equal(spot_outputs_metric_id(bound, "99"), 200);
    assert_string_equal(bound->metrics[100].unit, "s");
    free(scenario);
    spot_diag_free(&diag);
}

static void test_errors(void **state)
{
    static const char *const texts[] = {
        "scenario: {a: b}\nstage: 1\n",
        "scenario: \"\"\nstage: 1\n",
        "scenario: a\n",
        "stage: 1\n",
        "scenario: a\nstage: 1\nstages: 101\n",
    };
    static const char *const expected[] = {
        "test.yaml:1:11: scenario: expected a text, got a map",
        "test.yaml:1:11: scenario: expected a text, got \"\"",
        "test.yaml:1:1: missing key \"stage\"",
        "test.yaml:1:1: missing key \"scenario\"",
        "test.yaml:3:9: stages: expected an integer from 0 to 100, got \"101\"",
    };

    (void) state;
    for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
        void *scenario;
        spot_diag_t diag;

        spot_diag_init(&diag);
        assert_int_equal(bind_text(&scenario, texts[j], &diag), SPOT_ERR_BAD_INPUT);
        assert_int_equal(diag.num_errors, 1);
        assert_string_equal(diag.items[0].text, expected[j]);
        free(scenario);
        spot_diag_free(&diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metrics_are_repeated),
        cmocka_unit_test(test_many_metrics),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
