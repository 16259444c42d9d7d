/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every engine promises, by its example. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/bench/engine/scenario_file.h"
#include "sim/engines.h"

/* An engine with its example and a worker of it. */
typedef struct {
    const spot_experiment_t *experiment;
    spot_bound_scenario_t bound;
    const spot_outputs_t *outputs;
    void *worker;
    double *metrics; /* [outputs->num_metrics] */
    unsigned char warnings[SPOT_MAX_WARNINGS];
} subject_t;

static void open_example(subject_t *self, const spot_experiment_t *experiment)
{
    spot_diag_t diag;

    memset(self, 0, sizeof(*self));
    self->experiment = experiment;
    spot_diag_init(&diag);
    if (spot_bound_scenario_example(&self->bound, experiment, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail_msg("the example of %s", experiment->name);
    }
    spot_diag_free(&diag);
    self->outputs = experiment->outputs(self->bound.scenario);
    self->metrics = calloc(self->outputs->num_metrics, sizeof(*self->metrics));
    assert_non_null(self->metrics);
    assert_int_equal(experiment->open(&self->worker, self->bound.scenario), 0);
}

static void close_example(subject_t *self)
{
    self->experiment->close(self->worker);
    spot_bound_scenario_free(&self->bound);
    free(self->metrics);
}

static int run_once(
    subject_t *self, uint64_t replication, const atomic_int *stop, spot_recording_t *recording)
{
    const spot_replication_t wanted = {.seed = 1, .replication = replication, .stop = stop};

    memset(self->warnings, 0, sizeof(self->warnings));
    return self->experiment->run(self->worker, &wanted, self->metrics, self->warnings, recording);
}

/* Runs test for each engine. */
static void for_each_engine(void (*test)(subject_t *self))
{
    for (size_t j = 0; spot_engines[j] != NULL; j++) {
        subject_t subject;

        open_example(&subject, spot_engines[j]);
        test(&subject);
        close_example(&subject);
    }
}

static bool has_metric(const spot_outputs_t *outputs, const char *name)
{
    return name == NULL || spot_outputs_metric_id(outputs, name) < outputs->num_metrics;
}

static void check_tables(subject_t *self)
{
    const spot_experiment_t *experiment = self->experiment;
    const spot_outputs_t *outputs = self->outputs;

    assert_true(strlen(experiment->summary) > 0 && strlen(experiment->doc) > 0);
    assert_true(experiment->num_warnings <= SPOT_MAX_WARNINGS);
    assert_true(outputs->num_metrics >= 1 && outputs->num_replications >= 1);
    assert_true(outputs->min_replications >= 2);
    assert_in_range(outputs->batch_replications, 1, 65535);
    for (size_t j = 0; j < outputs->num_metrics; j++) {
        const spot_metric_t *metric = &outputs->metrics[j];

        assert_int_equal(spot_outputs_metric_id(outputs, metric->name), j);
        assert_true(strlen(metric->unit) > 0 && strlen(metric->help) > 0);
        assert_true(has_metric(outputs, metric->numerator));
        assert_true(has_metric(outputs, metric->denominator));
        assert_true(
            has_metric(outputs, metric->known_if) || strcmp(metric->known_if, "finished") == 0);
        assert_true(metric->numerator != NULL || metric->denominator == NULL);
        assert_true(metric->p == 0 && metric->estimator == SPOT_ESTIMATOR_USUAL);
    }
    for (size_t j = 0; j < outputs->num_parts; j++) {
        const size_t metric_id = spot_outputs_metric_id(outputs, outputs->parts[j]);

        assert_true(metric_id < outputs->num_metrics);
        assert_int_equal(outputs->metrics[metric_id].kind, SPOT_METRIC_SHARE);
    }
    assert_true(has_metric(outputs, outputs->cost));
    assert_true(has_metric(outputs, outputs->gain));
    for (size_t j = 0; j < outputs->num_compared; j++) {
        assert_true(has_metric(outputs, outputs->compared[j]));
    }
}

static void test_tables(void **state)
{
    (void) state;
    for_each_engine(check_tables);
}

/* A recorded replication has the metrics of one that is not. */
static void check_runs(subject_t *self)
{
    const size_t num_bytes = self->outputs->num_metrics * sizeof(*self->metrics);
    double *metrics = malloc(num_bytes);
    spot_recording_t recording;

    assert_non_null(metrics);
    for (uint64_t j = 0; j < 3; j++) {
        assert_int_equal(run_once(self, j, NULL, NULL), 0);
        memcpy(metrics, self->metrics, num_bytes);
        assert_int_equal(
            spot_recording_init(&recording, self->outputs->num_series, self->outputs->series), 0);
        assert_int_equal(run_once(self, j, NULL, &recording), 0);
        assert_memory_equal(metrics, self->metrics, num_bytes);
        for (size_t k = 0; k < recording.num_series; k++) {
            spot_series_verify(&recording.series[k]);
        }
        spot_recording_free(&recording);
    }
    free(metrics);
}

static void test_runs(void **state)
{
    (void) state;
    for_each_engine(check_runs);
}

/* A run that is stopped says so, but a short one may end before it looks; the worker
 * serves on. */
static void check_stop(subject_t *self)
{
    const size_t num_bytes = self->outputs->num_metrics * sizeof(*self->metrics);
    double *metrics = malloc(num_bytes);
    atomic_int stop = 1;
    int ret;

    assert_non_null(metrics);
    assert_int_equal(run_once(self, 0, NULL, NULL), 0);
    memcpy(metrics, self->metrics, num_bytes);
    ret = run_once(self, 0, &stop, NULL);
    assert_true(ret == 0 || ret == SPOT_ERR_INTERRUPTED);
    atomic_store(&stop, 0);
    assert_int_equal(run_once(self, 0, &stop, NULL), 0);
    assert_memory_equal(metrics, self->metrics, num_bytes);
    free(metrics);
}

static void test_stop(void **state)
{
    (void) state;
    for_each_engine(check_stop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
