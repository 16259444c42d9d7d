/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The series of a run of the example, as pictures need them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/yaml.h"
#include "sim/serve/experiment.h"

typedef struct {
    spot_yaml_t document;
    void *scenario, *worker;
    const spot_outputs_t *outputs;
    double metrics[500];
    unsigned char warnings[SPOT_MAX_WARNINGS];
    spot_recording_t recording;
} example_t;

static void run_example(example_t *self)
{
    const spot_experiment_t *serve = &spot_serve_experiment;
    const spot_replication_t wanted = {.seed = 1, .replication = 0};
    spot_diag_t diag;

    memset(self, 0, sizeof(*self));
    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_parse(&self->document, "small.yaml", serve->example,
                         strlen(serve->example), &diag),
        0);
    assert_int_equal(serve->bind(&self->scenario, self->document.root, NULL, &diag), 0);
    self->outputs = serve->outputs(self->scenario);
    assert_true(self->outputs->num_metrics <= 500);
    assert_int_equal(
        spot_recording_init(&self->recording, self->outputs->num_series, self->outputs->series), 0);
    assert_int_equal(serve->open(&self->worker, self->scenario), 0);
    assert_int_equal(
        serve->run(self->worker, &wanted, self->metrics, self->warnings, &self->recording), 0);
    spot_diag_free(&diag);
}

static void free_example(example_t *self)
{
    spot_serve_experiment.close(self->worker);
    spot_recording_free(&self->recording);
    spot_serve_experiment.free(self->scenario);
    spot_yaml_free(&self->document);
}

static const spot_series_t *find(const example_t *self, const char *name)
{
    for (size_t j = 0; j < self->recording.num_series; j++) {
        if (strcmp(self->recording.series[j].kind->name, name) == 0) {
            return &self->recording.series[j];
        }
    }
    fail_msg("no series %s", name);
    return NULL;
}

/* The objective stands in the picture of the latencies. */
static void test_rules_of_the_objective(void **state)
{
    example_t example;
    const spot_series_kind_t *kind;

    (void) state;
    run_example(&example);
    kind = find(&example, "latency")->kind;
    assert_int_equal(kind->num_rules, 2);
    assert_int_equal(kind->rules[0].column_id, 0);
    assert_true(kind->rules[0].value == 400e6);
    assert_string_equal(kind->rules[0].text, "objective 400 ms");
    assert_int_equal(kind->rules[1].column_id, 1);
    assert_true(kind->rules[1].value == 0.99);
    assert_string_equal(kind->rules[1].text, "P 99");
    free_example(&example);
}

/* Latencies rise to the largest and the share of 1. */
static void test_latencies(void **state)
{
    example_t example;
    const spot_series_t *series;

    (void) state;
    run_example(&example);
    series = find(&example, "latency");
    assert_int_equal(series->num_rows, 2000);
    for (size_t j = 1; j < series->num_rows; j++) {
        const spot_cell_t *cells = &series->cells[2 * j];

        assert_true(cells[-2].integer <= cells[0].integer);
        assert_true(cells[-1].number < cells[1].number);
    }
    assert_true(series->cells[2 * 2000 - 1].number == 1);
    assert_true((double) series->cells[2 * 2000 - 2].integer / 1e6 ==
                example.metrics[spot_outputs_metric_id(example.outputs, "latency_max_ms")]);
    free_example(&example);
}

static size_t find_column(const spot_series_kind_t *kind, const char *name)
{
    size_t j = 0;

    while (strcmp(kind->columns[j].name, name) != 0) {
        j++;
        assert_true(j < kind->num_columns);
    }
    return j;
}

/* Where replicas may be taken away, the lineage says of every stage how often a query
 * was taken: once by one that cannot lose its replicas. */
static void test_tries_of_all_stages(void **state)
{
    example_t example;
    const spot_series_t *series;
    size_t first, tries, dequeue;

    (void) state;
    run_example(&example);
    series = find(&example, "lineage");
    (void) find_column(series->kind, "Detect_tries");
    dequeue = find_column(series->kind, "Classify_dequeue_ns");
    first = find_column(series->kind, "Classify_first_dequeue_ns");
    tries = find_column(series->kind, "Classify_tries");
    assert_int_equal(series->num_rows, 5001);
    for (size_t j = 0; j < series->num_rows; j++) {
        const spot_cell_t *cells = &series->cells[series->kind->num_columns * j];

        assert_true(cells[tries].number == 1);
        assert_true(cells[first].number == cells[dequeue].number);
    }
    free_example(&example);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules_of_the_objective),
        cmocka_unit_test(test_latencies),
        cmocka_unit_test(test_tries_of_all_stages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
