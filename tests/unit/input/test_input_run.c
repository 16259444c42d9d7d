/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine input: against the model where times are constant, draws that settings
 * share where they are not, series, stops and memory that runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/base/short_memory.h"
#include "tests/unit/input/input_case.h"

#define NPY "test_input_run.npy"
#define HEAD "engine: input\nscenario: case\n"
#define LAWS "spread: {read: {lognormal: {cv: 0.5}}, decode: {gamma: {cv: 0.3}}}\n"
/* One process far ahead of a loop that takes no time: the epoch is the sum of T. */
#define SUM                                                                                        \
    HEAD "compute: 0 ms\nbatch: 10\n"                                                              \
         "input: {samples: 500, loader: {processes: 1, prefetch: 100, block: %d}, "                \
         "cost: {decode: %d ms, read: {local: %d ms}}}\n%s"

static const char *const cases[] = {
    HEAD "compute: 100 ms\ninput: {samples: 28539, sample_bytes: 220 kB, cost: {decode: "
         "7.665 ms, read: {local: 3.198 ms}, collate: {time: 1.0439 s}, start: 1.78 s, "
         "handover: 7 ms, compute: {added: 80 ms}}}\n",
    HEAD "compute: 100 ms\ninput: {samples: 28539, loader: {block: 120, threads: 2}, "
         "cost: {decode: 8 ms, open: {remote: 9 ms}, merged: 1 ms, thread_growth: 0.03, "
         "compute: {merged: 240 ms, half_block: 400, exponent: 3}, start: 1 s}, "
         "storage: {local_share: 0.25}}\n",
    HEAD "compute: 1 ms\nbatch: 16\ninput: {samples: 1000, sample_bytes: 1 MB, cost: "
         "{decode: 1 ms}, storage: {local_share: 0, shared_bandwidth: 10 MB/s}}\n",
    HEAD "compute: 20 ms\nbatch: 16\ninput: {samples: 1000, sample_bytes: 1 MB, "
         "loader: {mode: synchronous, block: 7}, cost: {decode: 1 ms, handover: 1 ms, "
         "open: {local: 2 ms}, start: 3 s}, storage: {shared_bandwidth: 1 GB/s}}\n",
    HEAD "compute: 20 ms\ninput: {samples: 1000, cost: {decode: 1 ms}}\n",
};
#define NUM_CASES (sizeof(cases) / sizeof(cases[0]))

static void assert_number(const input_case_t *self, const char *name, double expected)
{
    const double value = input_case_value(self, name);

    if (!(value == expected || (isnan(value) && isnan(expected)))) {
        fail_msg("%s: %.17g, not %.17g", name, value, expected);
    }
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.17g, not %.17g", value, expected);
    }
}

static void test_constant_times(void **state)
{
    input_case_t self;

    (void) state;
    for (size_t j = 0; j < NUM_CASES; j++) {
        spot_loader_prediction_t truth;
        spot_loader_work_t work;
        bool has_steady;

        input_case_open(&self, cases[j]);
        work = spot_input_scenario_work(self.scenario);
        assert_int_equal(
            spot_loader_predict(&truth, &((spot_input_scenario_t *) self.scenario)->loader, &work),
            0);
        input_case_run(&self, j, NULL);
        has_steady = !isnan(truth.steady_load_s);
        assert_false(self.outputs->is_random);
        assert_number(&self, "load_s", truth.load_s);
        assert_number(&self, "compute_s", truth.compute_s);
        assert_number(&self, "completion_s", truth.completion_s);
        assert_number(&self, "fill_s", truth.fill_s);
        assert_number(&self, "steady_load_s", truth.steady_load_s);
        assert_number(&self, "steady_stall_fraction", truth.stall_share);
        assert_number(&self, "stalled",
            has_steady ? truth.stall_share > SPOT_LOADER_STALLED : truth.stall_share);
        assert_number(&self, "memory_bytes", truth.memory_bytes);
        assert_number(&self, "epoch_s", (double) truth.num_batches * truth.completion_s);
        assert_near(input_case_value(&self, "computing_fraction") +
                        input_case_value(&self, "stall_fraction") +
                        input_case_value(&self, "fill_fraction"),
            1, 1e-12);
        assert_int_equal(self.warnings[0], !has_steady);
        assert_int_equal(has_steady, j + 1 < NUM_CASES);
        assert_string_equal(
            self.outputs->cost, isnan(truth.memory_bytes) ? "cpu_threads" : "memory_bytes");
        input_case_close(&self);
    }
}

/* A short last batch counts what it has. */
static void test_throughput(void **state)
{
    input_case_t self;

    (void) state;
    input_case_open(&self, cases[0]);
    input_case_run(&self, 0, NULL);
    assert_number(&self, "samples", 28539);
    assert_near(
        input_case_value(&self, "samples_per_s"), 28539 / input_case_value(&self, "epoch_s"), 1e-9);
    input_case_close(&self);
}

/* Without processes ahead of the loop it waits for every start, file, sample and
 * hand-over: 143 files, 63 batches. */
static void test_synchronous(void **state)
{
    input_case_t self;

    (void) state;
    input_case_open(&self, cases[3]);
    input_case_run(&self, 0, NULL);
    assert_near(input_case_value(&self, "epoch_s"),
        3 + 143 * 0.002 + 1000 * 0.001 + 63 * (0.001 + 0.02), 1e-9);
    assert_near(input_case_value(&self, "cpu_threads"), 1, 0);
    input_case_close(&self);
}

/* The epoch of SUM. */
static double epoch_s(
    int block, int decode_ms, int read_ms, const char *spread, uint64_t replication)
{
    input_case_t self;
    char text[1000];
    double time_s;

    snprintf(text, sizeof(text), SUM, block, decode_ms, read_ms, spread);
    input_case_open(&self, text);
    input_case_run(&self, replication, NULL);
    time_s = input_case_value(&self, "epoch_s");
    input_case_close(&self);
    return time_s;
}

static void test_seeds(void **state)
{
    (void) state;
    assert_true(epoch_s(1, 2, 3, LAWS, 5) == epoch_s(1, 2, 3, LAWS, 5));
    assert_true(epoch_s(1, 2, 3, LAWS, 5) != epoch_s(1, 2, 3, LAWS, 6));
}

/* Settings meet the same draws: a time is in proportion to its mean, and neither the
 * block nor the other times change what is drawn. */
static void test_common_numbers(void **state)
{
    (void) state;
    for (uint64_t j = 0; j < 5; j++) {
        const double decode_s = epoch_s(1, 4, 0, LAWS, j);
        const double read_s = epoch_s(1, 0, 6, LAWS, j);

        assert_near(epoch_s(1, 8, 0, LAWS, j), 2 * decode_s, 1e-12 * decode_s);
        assert_near(epoch_s(25, 4, 0, LAWS, j), decode_s, 1e-12 * decode_s);
        assert_near(epoch_s(1, 4, 6, LAWS, j), decode_s + read_s, 1e-12 * decode_s);
        assert_true(fabs(decode_s - 2) > 1e-6 && fabs(read_s - 3) > 1e-6);
        assert_true(fabs(epoch_s(500, 0, 6, LAWS, j) - read_s) > 1e-3);
    }
}

/* More batches ahead never make an epoch longer that meets the same draws. */
static void test_prefetch(void **state)
{
    static const char text[] =
        HEAD "compute: 9 ms\nbatch: 10\ninput: {samples: 3000, loader: {processes: 3, "
             "prefetch: %d}, cost: {decode: 2 ms, start: 20 ms, read: {local: 1 ms}}}\n"
             "spread: {read: {lognormal: {cv: 3}}}\n";
    char one_text[1000], more_text[1000];
    input_case_t one, more;

    (void) state;
    snprintf(one_text, sizeof(one_text), text, 1);
    snprintf(more_text, sizeof(more_text), text, 4);
    input_case_open(&one, one_text);
    input_case_open(&more, more_text);
    for (uint64_t j = 0; j < 100; j++) {
        input_case_run(&one, j, NULL);
        input_case_run(&more, j, NULL);
        assert_true(input_case_value(&more, "epoch_s") < input_case_value(&one, "epoch_s") - 1e-6);
        assert_true(input_case_value(&more, "fill_s") == input_case_value(&one, "fill_s"));
    }
    input_case_close(&one);
    input_case_close(&more);
}

/* Measured values are drawn again, divided by their mean. */
static void test_measured(void **state)
{
    static const double values[] = {1, 3, 8};
    size_t num_drawn[3] = {0};
    input_case_t self;

    (void) state;
    input_case_write(NPY, 3, values);
    input_case_open(&self,
        HEAD "compute: 0 ms\nbatch: 1\ninput: {samples: 1, cost: {decode: 40 ms}}\n"
             "spread: {decode: {measured: " NPY "}}\n");
    for (uint64_t j = 0; j < 60; j++) {
        size_t k = 0;

        input_case_run(&self, j, NULL);
        while (k < 3 && fabs(input_case_value(&self, "fill_s") - 0.01 * values[k]) > 1e-12) {
            k++;
        }
        assert_true(k < 3);
        num_drawn[k]++;
    }
    assert_true(num_drawn[0] > 5 && num_drawn[1] > 5 && num_drawn[2] > 5);
    input_case_close(&self);
    remove(NPY);
}

static void test_series(void **state)
{
    static const int64_t samples[] = {50, 300000};
    char text[500];

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        input_case_t self;
        spot_recording_t recording;
        const spot_series_t *series;
        double metrics[MAX_METRICS];
        size_t num_rows;

        snprintf(text, sizeof(text),
            HEAD "compute: 1 ms\nbatch: 10\ninput: {samples: %d, cost: {decode: 2 "
                 "ms}}\n" LAWS,
            (int) samples[j]);
        input_case_open(&self, text);
        input_case_run(&self, 1, NULL);
        memcpy(metrics, self.values, sizeof(metrics));
        assert_int_equal(
            spot_recording_init(&recording, self.outputs->num_series, self.outputs->series), 0);
        input_case_run(&self, 1, &recording);
        assert_memory_equal(metrics, self.values, sizeof(metrics));
        assert_int_equal(recording.num_series, 2);
        series = recording.series;
        for (size_t k = 0; k < 2; k++) {
            spot_series_verify(&series[k]);
            assert_true(series[k].num_rows == (j == 0 ? 5 : 2000));
        }
        num_rows = series[1].num_rows;
        assert_true(series[1].cells[2 * num_rows - 1].number == 1);
        assert_true(series[0].cells[1].number == input_case_value(&self, "fill_s"));
        assert_true(llabs(recording.end_ticks -
                          (int64_t) (1e9 * input_case_value(&self, "epoch_s"))) < 1000);
        spot_recording_free(&recording);
        input_case_close(&self);
    }
}

static void test_warnings(void **state)
{
    static const char text[] =
        HEAD "compute: 0.1 s\ninput: {samples: 90000, loader: {block: %d}, cost: "
             "{decode: 1 ms}}\nfitted: {compute: [0.1 s, 1 s], block: [1, 300]}\n";
    char at[500];

    (void) state;
    for (int j = 0; j < 2; j++) {
        input_case_t self;

        snprintf(at, sizeof(at), text, 300 + j);
        input_case_open(&self, at);
        input_case_run(&self, 0, NULL);
        assert_int_equal(self.warnings[0], 0);
        assert_int_equal(self.warnings[1], j);
        input_case_close(&self);
    }
}

static void test_stop(void **state)
{
    atomic_int stop = 1;
    const spot_replication_t wanted = {.seed = 7, .replication = 0, .stop = &stop};
    input_case_t self;
    double epoch;

    (void) state;
    input_case_open(&self, spot_input_experiment.example);
    input_case_run(&self, 0, NULL);
    epoch = input_case_value(&self, "epoch_s");
    assert_int_equal(
        spot_input_experiment.run(self.worker, &wanted, self.values, self.warnings, NULL),
        SPOT_ERR_INTERRUPTED);
    input_case_run(&self, 0, NULL);
    assert_true(input_case_value(&self, "epoch_s") == epoch);
    input_case_close(&self);
}

/* Everything that a scenario and a recorded run ask for. */
static int run_all(const spot_node_t *root)
{
    const spot_experiment_t *engine = &spot_input_experiment;
    const spot_replication_t wanted = {.seed = 7, .replication = 0};
    void *scenario = NULL, *worker = NULL;
    spot_recording_t recording = {0};
    double values[MAX_METRICS];
    unsigned char warnings[SPOT_MAX_WARNINGS] = {0};
    const spot_outputs_t *outputs;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = engine->bind(&scenario, root, NULL, &diag);
    if (ret == 0) {
        outputs = engine->outputs(scenario);
        ret = engine->open(&worker, scenario);
        ret =
            ret != 0 ? ret : spot_recording_init(&recording, outputs->num_series, outputs->series);
        ret = ret != 0 ? ret : engine->run(worker, &wanted, values, warnings, &recording);
    }
    spot_recording_free(&recording);
    engine->close(worker);
    engine->free(scenario);
    spot_diag_free(&diag);
    return ret;
}

static void test_short_memory(void **state)
{
    static const double values[] = {1, 3};
    static const char text[] =
        HEAD "compute: 1 ms\nbatch: 10\ninput: {samples: 500, cost: {decode: 2 ms}}\n"
             "spread: {read: {lognormal: {cv: 1}}, decode: {measured: " NPY "}}\n";
    spot_yaml_t document;
    spot_diag_t diag;
    size_t num_refused = 0;
    int ret;

    (void) state;
    input_case_write(NPY, 2, values);
    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_parse(&document, "case", text, strlen(text), &diag), 0);
    for (;; num_refused++) {
        num_left = num_refused;
        ret = run_all(document.root);
        if (num_left != SIZE_MAX) {
            break;
        }
        assert_int_equal(ret, SPOT_ERR_NO_MEMORY);
    }
    num_left = SIZE_MAX;
    assert_int_equal(ret, 0);
    assert_in_range(num_refused, 8, 200);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    remove(NPY);
}

/* A replication allocates nothing. */
static void test_no_allocation(void **state)
{
    input_case_t self;

    (void) state;
    input_case_open(&self, spot_input_experiment.example);
    num_left = 0;
    input_case_run(&self, 0, NULL);
    assert_true(num_left == 0);
    num_left = SIZE_MAX;
    input_case_close(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_times),
        cmocka_unit_test(test_throughput),
        cmocka_unit_test(test_synchronous),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_common_numbers),
        cmocka_unit_test(test_prefetch),
        cmocka_unit_test(test_measured),
        cmocka_unit_test(test_series),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_short_memory),
        cmocka_unit_test(test_no_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
