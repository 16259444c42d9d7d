/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Studies of training runs: what the YAML says is what runs, and how it runs does not
 * show in the rows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"
#include "sim/train/experiment.h"
#include "sim/train/metrics.h"
#include "tests/unit/train/fixture.h"

#define BATCH_ROWS 64 /* of the study */

#define BATCH_REPLICATIONS 64 /* the pool's */

#define SCENARIO                                                                                   \
    "scenario: small\n"                                                                            \
    "horizon: 1 h\n"                                                                               \
    "fleet: {capacity: 24, initial: 16, preparation: 60 s}\n"                                      \
    "job: {pipeline_depth: 4, reload: 20 s, step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}}\n"  \
    "trace:\n"                                                                                     \
    "  generator: seed\n"                                                                          \
    "  preemption: {per_minute: 0.2, count: {geometric: {p: 0.4}}}\n"                              \
    "  addition: {per_minute: 0.2, count: {fixed: 2}}\n"

/* The same as part of a study. */
#define INLINE                                                                                     \
    "study: inline\n"                                                                              \
    "scenario:\n"                                                                                  \
    "  scenario: small\n"                                                                          \
    "  horizon: 1 h\n"                                                                             \
    "  fleet: {capacity: 24, initial: 16, preparation: 60 s}\n"                                    \
    "  job: {pipeline_depth: 4, reload: 20 s, step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 "     \
    "s}}\n"                                                                                        \
    "  trace:\n"                                                                                   \
    "    generator: seed\n"                                                                        \
    "    preemption: {per_minute: 0.2, count: {geometric: {p: 0.4}}}\n"                            \
    "    addition: {per_minute: 0.2, count: {fixed: 2}}\n"

/* ---- Reading ---- */

static int try_study(spot_study_t *study, const char *text, const char *const *sets,
    size_t num_sets, spot_diag_t *diag)
{
    char path[PATH_BYTES];
    int ret;

    temporary_path("study.yaml", path);
    write_file(path, text);
    spot_diag_init(diag);
    ret = spot_study_read(study, spot_engines, path,
        &(spot_scenario_changes_t){.num_sets = num_sets, .sets = sets}, diag);
    unlink(path);
    return ret;
}

/* A study without fault or warning. */
static void read_changed_study(
    spot_study_t *study, const char *text, const char *const *sets, size_t num_sets)
{
    spot_diag_t diag;
    const int ret = try_study(study, text, sets, num_sets, &diag);
    char *report = diagnostics(&diag);

    assert_string_equal(report, "");
    assert_int_equal(ret, 0);
    free(report);
    spot_diag_free(&diag);
}

static void read_study(spot_study_t *study, const char *text)
{
    read_changed_study(study, text, NULL, 0);
}

static const spot_scenario_t *scenario_at(const spot_study_t *study, size_t point_id)
{
    assert_true(point_id < study->head.num_points);
    return study->scenarios[point_id];
}

static void assert_axis(const spot_axis_t *axis, const char *path, const char *unit,
    size_t num_values, const char *const *texts, const double *numbers)
{
    assert_string_equal(axis->path, path);
    assert_string_equal(axis->unit, unit);
    assert_int_equal(axis->num_values, num_values);
    for (size_t j = 0; j < num_values; j++) {
        assert_string_equal(axis->texts[j], texts[j]);
        if (isnan(numbers[j])) {
            assert_true(isnan(axis->numbers[j]));
        } else {
            assert_true(axis->numbers[j] == numbers[j]);
        }
    }
}

/* ---- What is swept ---- */

static void test_lists(void **state)
{
    static const char *const depths[] = {"8", "2", "4"};
    static const double depth_numbers[] = {8, 2, 4};
    static const char *const ticks[] = {"5 s", "1.5 min", "250 ms"};
    static const double tick_numbers[] = {5, 90, 0.25};
    static const int64_t ticks_ms[] = {5000, 90000, 250};
    spot_study_t study;

    (void) state;
    read_study(&study, INLINE "sweep:\n"
                              "  job.pipeline_depth: [8, 2, 4]\n"
                              "  tick: [5 s, 1.5 min, 250 ms]\n");
    assert_int_equal(study.head.num_axes, 2);
    assert_int_equal(study.head.num_points, 9);
    assert_axis(&study.head.axes[0], "job.pipeline_depth", "", 3, depths, depth_numbers);
    assert_axis(&study.head.axes[1], "tick", "s", 3, ticks, tick_numbers);
    for (size_t j = 0; j < 9; j++) { /* the first axis varies slowest */
        const spot_scenario_t *scenario = scenario_at(&study, j);

        assert_true((double) scenario->job.pipeline_depth == depth_numbers[j / 3]);
        assert_int_equal(scenario->tick_ms, ticks_ms[j % 3]);
        assert_int_equal(scenario->job.reload_ms, 20000);
    }
    spot_study_free(&study);
}

static void test_ranges(void **state)
{
    static const char *const rates[] = {
        "0", "0.05", "0.1", "0.15", "0.2", "0.25", "0.3", "0.35", "0.4", "0.45", "0.5"};
    static const double rate_numbers[] = {0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5};
    static const char *const reloads[] = {"120 s", "80 s", "40 s", "0 s"};
    static const double reload_numbers[] = {120, 80, 40, 0};
    spot_study_t study;

    (void) state;
    read_study(&study, INLINE "sweep:\n"
                              "  trace.preemption.per_minute: {from: 0, to: 0.5, points: 11}\n"
                              "  job.reload: {from: 2 min, to: 0 s, points: 4}\n");
    assert_axis(&study.head.axes[0], "trace.preemption.per_minute", "", 11, rates, rate_numbers);
    assert_string_equal(study.head.axes[0].label, "preemption per minute");
    assert_string_equal(study.head.axes[1].label, "reload time");
    assert_axis(&study.head.axes[1], "job.reload", "s", 4, reloads, reload_numbers);
    assert_int_equal(scenario_at(&study, 43)->job.reload_ms, 0);
    assert_int_equal(scenario_at(&study, 40)->job.reload_ms, 120000);
    spot_study_free(&study);
}

/* Values may be maps; what they are not is a number. One value needs no list. */
static void test_other_values(void **state)
{
    static const char *const systems[] = {
        "{system: checkpoint}", "{system: checkpoint, detection: 10 s}"};
    static const double numbers[] = {(double) NAN, (double) NAN};
    static const char *const modes[] = {"sync"};
    spot_study_t study;

    (void) state;
    read_study(&study, INLINE "sweep:\n"
                              "  recovery: [{system: checkpoint},\n"
                              "    {system: checkpoint, detection: 10 s}]\n"
                              "  job.checkpoint.mode: sync\n");
    assert_int_equal(study.head.num_points, 2);
    assert_axis(&study.head.axes[0], "recovery", "", 2, systems, numbers);
    assert_axis(&study.head.axes[1], "job.checkpoint.mode", "", 1, modes, numbers);
    assert_int_equal(scenario_at(&study, 1)->job.checkpoint.mode, SPOT_CHECKPOINT_SYNC);
    spot_study_free(&study);
}

/* A comma or a quote within a value is no part of the map around. */
static void test_quoted_values(void **state)
{
    static const char text[] = INLINE "sweep:\n"
                                      "  trace: [{file: 'no, \"such\".csv'}]\n";
    spot_yaml_t document, scenario = {0};
    const spot_study_source_t source = {.study = &document, .scenario = &scenario, .path = "made"};
    spot_study_t study;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_parse(&document, "made", text, strlen(text), &diag), 0);
    assert_int_not_equal(spot_study_init(&study, spot_engines, &source, &diag), 0);
    assert_string_equal(study.head.axes[0].texts[0], "{file: \"no, \\\"such\\\".csv\"}");
    spot_diag_free(&diag);
    spot_study_free(&study);
}

static void test_no_sweep(void **state)
{
    spot_study_t study;

    (void) state;
    read_study(&study, INLINE);
    assert_int_equal(study.head.num_axes, 0);
    assert_int_equal(study.head.num_points, 1);
    assert_int_equal(study.head.num_replications, 1000);
    assert_int_equal(study.head.seed, 1);
    assert_string_equal(study.head.name, "inline");
    assert_null(study.head.question);
    spot_study_free(&study);
}

/* Everything is known before the first run; a value is reported once, not in every
 * combination with others. */
static void test_wrong_values(void **state)
{
    spot_study_t study;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(try_study(&study,
                         INLINE "sweep:\n  job.pipeline_depth: [4, 0, -1]\n  tick: [5 s, 0 s, 5]\n",
                         NULL, 0, &diag),
        SPOT_ERR_BAD_INPUT);
    assert_int_equal(diag.num_errors, 4);
    spot_study_free(&study);
    spot_diag_free(&diag);
}

/* A range or list without a value must not stop the others from being looked at. */
static void test_empty_sweeps(void **state)
{
    spot_study_t study;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(try_study(&study,
                         INLINE "sweep:\n  job.pipeline_depth: []\n  tick: []\n"
                                "  job.reload: {from: 1 s, to: 5, points: 2}\n",
                         NULL, 0, &diag),
        SPOT_ERR_BAD_INPUT);
    assert_int_equal(diag.num_errors, 3);
    spot_study_free(&study);
    spot_diag_free(&diag);
}

/* ---- Where the scenario is, and --set ---- */

static const char *in_file(char text[PATH_BYTES + 256], const char *rest)
{
    char path[PATH_BYTES];

    temporary_path("scenario.yaml", path);
    write_file(path, SCENARIO);
    snprintf(
        text, PATH_BYTES + 256, "study: in a file\nscenario: %s\n%s", strrchr(path, '/') + 1, rest);
    return text;
}

static void remove_file(void)
{
    char path[PATH_BYTES];

    temporary_path("scenario.yaml", path);
    unlink(path);
}

/* The file is beside the study, wherever the program runs. */
static void test_scenario_file(void **state)
{
    char text[PATH_BYTES + 256];
    spot_study_t study;

    (void) state;
    read_study(&study, in_file(text, "sweep: {job.reload: [1 s, 2 s]}\n"));
    assert_string_equal(scenario_at(&study, 0)->name, "small");
    assert_int_equal(scenario_at(&study, 0)->job.reload_ms, 1000);
    assert_int_equal(scenario_at(&study, 1)->job.reload_ms, 2000);
    spot_study_free(&study);
    remove_file();
}

static void assert_sets(const char *text)
{
    static const char *const sets[] = {"replications.count=7", "replications.seed=11",
        "job.pipeline_depth=8", "scenario.fleet.capacity=20", "tick=[1 s, 2 s, 3 s]",
        "metrics=[cost_usd]", "trace.addition.count={fixed: 3}", "question=why"};
    spot_study_t study;

    read_changed_study(&study, text, sets, sizeof(sets) / sizeof(sets[0]));
    assert_int_equal(study.head.num_replications, 7);
    assert_int_equal(study.head.seed, 11);
    assert_string_equal(study.head.question, "why");
    assert_int_equal(study.head.num_listed, 1);
    assert_int_equal(study.head.num_points, 3); /* the swept values are replaced */
    for (size_t j = 0; j < 3; j++) {
        assert_int_equal(scenario_at(&study, j)->tick_ms, 1000 * ((int64_t) j + 1));
        assert_int_equal(scenario_at(&study, j)->job.pipeline_depth, 8);
        assert_int_equal(scenario_at(&study, j)->job.reload_ms, 20000);
        assert_int_equal(scenario_at(&study, j)->fleet.capacity, 20);
    }
    spot_study_free(&study);
}

static void test_sets(void **state)
{
    static const char sweep[] = "sweep: {tick: {from: 5 s, to: 9 s, points: 5}}\n";
    char text[PATH_BYTES + 256];

    (void) state;
    assert_sets(in_file(text, sweep));
    assert_sets(INLINE "sweep: {tick: {from: 5 s, to: 9 s, points: 5}}\n");
    remove_file();
}

/* Sets alone may make the scenario. */
static void test_scenario_of_sets(void **state)
{
    static const char *const sets[] = {"scenario.scenario=set", "scenario.horizon=1 h",
        "trace.generator=seed", "trace.preemption={per_minute: 0.2, count: {fixed: 1}}",
        "trace.addition={per_minute: 0.2, count: {fixed: 2}}", "fleet={capacity: 24, initial: 16}",
        "job={pipeline_depth: 4, step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}}"};
    static const char *const texts[] = {"study: x\nsweep: {tick: [5 s, 6 s]}\n",
        "study: x\nscenario:\nsweep: {tick: [5 s, 6 s]}\n"};
    spot_study_t study;

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        read_changed_study(&study, texts[j], sets, sizeof(sets) / sizeof(sets[0]));
        assert_int_equal(study.head.num_points, 2);
        assert_int_equal(scenario_at(&study, 1)->tick_ms, 6000);
        assert_int_equal(scenario_at(&study, 1)->job.pipeline_depth, 4);
        spot_study_free(&study);
    }
}

/* Keys with dots are added to the sweep as they are, and replaced there. */
static void test_sets_of_swept_keys(void **state)
{
    static const char *const sets[] = {"sweep.job.reload=[1 s, 2 s]",
        "sweep.fleet.initial=[4, 8, 12]", "sweep.tick=5 s", "sweep.job.reload=[3 s, 4 s]"};
    spot_study_t study;

    (void) state;
    read_changed_study(&study, INLINE "sweep: {tick: [1 s, 2 s]}\n", sets, 4);
    assert_int_equal(study.head.num_axes, 3);
    assert_int_equal(study.head.num_points, 6);
    assert_int_equal(scenario_at(&study, 0)->job.reload_ms, 3000);
    assert_int_equal(scenario_at(&study, 5)->job.reload_ms, 4000);
    assert_int_equal(scenario_at(&study, 0)->tick_ms, 5000);
    spot_study_free(&study);
    read_changed_study(&study, INLINE, sets, 2); /* no sweep before */
    assert_int_equal(study.head.num_points, 6);
    spot_study_free(&study);
    remove_file();
}

/* ---- Which metrics are kept ---- */

static void assert_metrics(
    const spot_study_t *study, const char *const *names, size_t num_names, size_t num_listed)
{
    assert_true(study->head.num_metrics >= num_names);
    assert_int_equal(study->head.num_listed, num_listed);
    for (size_t j = num_names; j < study->head.num_metrics; j++) { /* their sources */
        assert_null(study->head.metrics[j].numerator);
    }
    for (size_t j = 0; j < num_names; j++) {
        assert_string_equal(study->head.metrics[j].name, names[j]);
        assert_string_equal(
            study->yield.outputs.metrics[spot_outputs_metric_id(&study->yield.outputs, names[j])]
                .name,
            names[j]);
    }
}

static void test_metrics(void **state)
{
    static const char *const listed[] = {"cost_usd", "idle_fraction"};
    static const char *const plotted[] = {
        "cost_usd", "idle_fraction", "preempted_per_h", "prepping_fraction", "standby_fraction"};
    const char *all[SPOT_TRAIN_NUM_METRICS];
    size_t num_all = 0;
    spot_study_t study;

    (void) state;
    for (size_t j = SPOT_TRAIN_NUM_INPUT; j < SPOT_TRAIN_NUM_METRICS - SPOT_TRAIN_NUM_UNTIL; j++) {
        if (!spot_train_metrics[j].is_total) {
            all[num_all++] = spot_train_metrics[j].name;
        }
    }
    read_study(&study, INLINE);
    assert_metrics(&study, all, num_all, num_all);
    spot_study_free(&study);

    read_study(&study, INLINE "metrics: [cost_usd, idle_fraction, cost_usd]\n");
    assert_metrics(&study, listed, 2, 2);
    spot_study_free(&study);

    read_study(&study, INLINE "sweep: {tick: [5 s]}\n"
                              "metrics: [cost_usd]\n"
                              "plot: {x: tick, y: idle_fraction, second_x: preempted_per_h,\n"
                              "  stack: [prepping_fraction, standby_fraction]}\n");
    assert_metrics(&study, plotted, 5, 1);
    spot_study_free(&study);
}

/* ---- Running ---- */

#define TO_RUN                                                                                     \
    INLINE "sweep:\n"                                                                              \
           "  job.reload: [10 s, 60 s]\n"                                                          \
           "  trace.preemption.per_minute: [0, 0.3]\n"                                             \
           "replications: {count: 150, seed: 3}\n"                                                 \
           "metrics: [idle_fraction, preempted_per_h, mtbp_s]\n"

typedef struct {
    size_t num_rows;
    size_t num_metrics;
    uint64_t *replications; /* [num_rows] */
    double *values;         /* [num_rows][num_metrics] */
} rows_t;

static int keep_row(void *context, const spot_row_t *row)
{
    rows_t *self = context;

    self->replications[self->num_rows] = (uint64_t) row->replication;
    memcpy(self->values + self->num_rows * self->num_metrics, row->metrics,
        self->num_metrics * sizeof(*row->metrics));
    self->num_rows++;
    return 0;
}

static void read_rows(rows_t *self, const spot_store_t *store, size_t point_id)
{
    const size_t max_rows = (size_t) store->head->num_replications;

    *self = (rows_t){.num_metrics = store->head->num_metrics};
    self->replications = calloc(max_rows, sizeof(*self->replications));
    self->values = calloc(max_rows * self->num_metrics, sizeof(*self->values));
    assert_non_null(self->replications);
    assert_non_null(self->values);
    assert_int_equal(store->read(store, point_id, 0, keep_row, self), 0);
    assert_int_equal(self->num_rows, store->num_rows(store, point_id));
}

static void free_rows(rows_t *self)
{
    free(self->replications);
    free(self->values);
}

static spot_store_t *run_study(const spot_study_t *study, int num_threads)
{
    const spot_study_run_t run = {.num_threads = num_threads};
    spot_store_t *store;

    assert_int_equal(spot_store_open_memory(&store, &study->head), 0);
    assert_int_equal(spot_study_run(study, store, &run, NULL), 0);
    return store;
}

/* Every row of part is the same, bit for bit, in whole. */
static void assert_rows_within(const spot_store_t *part, const spot_store_t *whole, size_t point_id)
{
    rows_t some, all;

    read_rows(&some, part, point_id);
    read_rows(&all, whole, point_id);
    for (size_t j = 0; j < some.num_rows; j++) {
        const size_t row = (size_t) some.replications[j];

        assert_memory_equal(some.values + j * some.num_metrics, all.values + row * all.num_metrics,
            all.num_metrics * sizeof(double));
    }
    free_rows(&some);
    free_rows(&all);
}

static void test_threads_do_not_show(void **state)
{
    static const int num_threads[] = {2, 4, 7};
    spot_study_t study;
    spot_store_t *one;

    (void) state;
    read_study(&study, TO_RUN);
    one = run_study(&study, 1);
    for (size_t j = 0; j < 3; j++) {
        spot_store_t *store = run_study(&study, num_threads[j]);

        for (size_t point_id = 0; point_id < study.head.num_points; point_id++) {
            assert_int_equal(store->num_rows(store, point_id), 150);
            assert_rows_within(store, one, point_id);
            for (size_t k = 0; k < study.head.num_warnings; k++) {
                assert_int_equal(
                    store->num_warned(store, point_id, k), one->num_warned(one, point_id, k));
            }
        }
        store->close(store);
    }
    one->close(one);
    spot_study_free(&study);
}

/* Shards that run one after another into one store complete it; each runs its part. */
static void test_shards_do_not_show(void **state)
{
    static const int64_t num_shards[] = {1, 2, 5, 40};
    spot_study_t study;
    spot_store_t *one;

    (void) state;
    read_study(&study, TO_RUN);
    one = run_study(&study, 1);
    for (size_t j = 0; j < 4; j++) {
        int64_t num_rows = 0;
        spot_store_t *store;

        assert_int_equal(spot_store_open_memory(&store, &study.head), 0);
        for (int64_t k = 0; k < num_shards[j]; k++) {
            const spot_study_run_t run = {
                .num_threads = 2, .shard_id = k, .num_shards = num_shards[j]};
            int64_t num_before = num_rows;

            assert_int_equal(spot_study_run(&study, store, &run, NULL), 0);
            num_rows = 0;
            for (size_t point_id = 0; point_id < study.head.num_points; point_id++) {
                num_rows += store->num_rows(store, point_id);
            }
            num_before =
                num_rows - num_before - 150 * (int64_t) study.head.num_points / num_shards[j];
            assert_true(llabs(num_before) <= 2 * BATCH_ROWS);
        }
        for (size_t point_id = 0; point_id < study.head.num_points; point_id++) {
            assert_int_equal(store->num_rows(store, point_id), 150);
            assert_rows_within(store, one, point_id);
        }
        store->close(store);
    }
    one->close(one);
    spot_study_free(&study);
}

/* Replication r of a study is replication r of the scenario with the study's seed. */
static void test_rows_are_runs(void **state)
{
    const char *const set = "replications.count=70";
    double values[SPOT_TRAIN_NUM_METRICS];
    spot_study_t study;
    spot_store_t *store;
    rows_t rows;

    (void) state;
    read_changed_study(&study, TO_RUN, &set, 1);
    store = run_study(&study, 2);
    read_rows(&rows, store, 3);
    for (size_t j = 0; j < rows.num_rows; j++) {
        const spot_scenario_t *scenario = scenario_at(&study, 3);
        spot_train_t train;

        assert_int_equal(rows.replications[j], j);
        assert_int_equal(spot_train_init(&train, scenario), 0);
        assert_int_equal(spot_train_run(&train, 3, j, NULL), 0);
        spot_train_metric_values(scenario, &train.result, values);
        for (size_t k = 0; k < rows.num_metrics; k++) {
            const size_t metric_id = spot_metric_find(
                spot_train_metrics, SPOT_TRAIN_NUM_METRICS, study.head.metrics[k].name);

            assert_memory_equal(
                &values[metric_id], &rows.values[j * rows.num_metrics + k], sizeof(double));
        }
        spot_train_free(&train);
    }
    free_rows(&rows);
    store->close(store);
    spot_study_free(&study);
}

/* A key that goes into a list means the same as the whole list, for sweeps and --set. */
static void test_items_of_lists_are_swept(void **state)
{
    static const char item[] = INLINE "sweep:\n  trace.addition.big.range[1]: [12, 20]\n";
    static const char list[] = INLINE "sweep: {trace.addition.big.range: [[12, 12], [12, 20]]}\n";
    static const char *const sets[] = {"replications.count=20",
        "trace.addition.big={probability: 0.5, range: [11, 14]}", "trace.addition.big.range[0]=12"};
    spot_study_t study, other;
    spot_store_t *items, *lists;

    (void) state;
    read_changed_study(&study, item, sets, 3);
    read_changed_study(&other, list, sets, 2);
    assert_string_equal(study.head.axes[0].path, "trace.addition.big.range[1]");
    assert_null(study.head.axes[0].label);
    items = run_study(&study, 1);
    lists = run_study(&other, 1);
    for (size_t point_id = 0; point_id < 2; point_id++) {
        assert_rows_within(items, lists, point_id);
    }
    items->close(items);
    lists->close(lists);
    spot_study_free(&study);
    spot_study_free(&other);
}

/* What is set within a swept key would be lost without a word. */
static void test_a_set_part_of_what_is_swept(void **state)
{
    static const char *const studies[] = {
        INLINE "sweep: {recovery: [checkpoint]}\n", INLINE "sweep: [{recovery: checkpoint}]\n"};
    static const char *const sets[] = {
        "recovery.detection=3 s", "scenario.recovery.detection=3 s", "job.reload=3 s"};

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        spot_study_t study;
        spot_diag_t diag;
        char *report;

        assert_int_equal(try_study(&study, studies[j], sets, 3, &diag), 0);
        report = diagnostics(&diag);
        assert_string_equal(
            report, "warning: --set: recovery.detection has no effect: recovery is swept\n");
        assert_int_equal(scenario_at(&study, 0)->job.reload_ms, 3000);
        free(report);
        spot_diag_free(&diag);
        spot_study_free(&study);
    }
}

/* Points that differ in the job alone meet the same preemptions, replication by
 * replication; those of another rate do not. */
static void test_common_random_numbers(void **state)
{
    enum { IDLE, PREEMPTED };
    spot_study_t study;
    spot_store_t *store;
    rows_t fast, slow, calm;
    size_t num_same_idle = 0, num_preempted = 0;

    (void) state;
    read_study(&study, TO_RUN);
    store = run_study(&study, 3);
    read_rows(&calm, store, 0);
    read_rows(&fast, store, 1);
    read_rows(&slow, store, 3);
    for (size_t j = 0; j < fast.num_rows; j++) {
        const double *a = fast.values + fast.num_metrics * j,
                     *b = slow.values + slow.num_metrics * j;

        assert_true(a[PREEMPTED] == b[PREEMPTED]);
        assert_true(calm.values[calm.num_metrics * j + PREEMPTED] == 0);
        num_same_idle += a[IDLE] == b[IDLE];
        num_preempted += a[PREEMPTED] > 0;
    }
    assert_true(num_preempted > 140);
    assert_true(num_same_idle < 20);
    free_rows(&calm);
    free_rows(&fast);
    free_rows(&slow);
    store->close(store);
    spot_study_free(&study);
}

/* ---- Watching and stopping ---- */

typedef struct {
    int num_calls;
    bool is_wrong; /* asserted later: another thread may call */
    int64_t last_done;
    int64_t total;
    int64_t stop_from; /* replications; 0: never */
    atomic_int stop;
} watch_t;

static void watch(void *context, const spot_study_progress_t *progress)
{
    const int64_t num_done = progress->num_done, num_total = progress->num_wanted;
    watch_t *self = context;

    self->is_wrong = self->is_wrong || num_done < self->last_done || num_done > num_total;
    self->num_calls++;
    self->last_done = num_done;
    self->total = num_total;
    if (self->stop_from > 0 && num_done >= self->stop_from) {
        self->stop = 1;
    }
}

static void test_progress(void **state)
{
    watch_t seen = {0};
    spot_study_run_t run = {.num_threads = 1, .progress = watch, .context = &seen};
    spot_study_t study;
    spot_store_t *store;

    (void) state;
    read_study(&study, TO_RUN);
    assert_int_equal(spot_store_open_memory(&store, &study.head), 0);
    assert_int_equal(spot_study_run(&study, store, &run, NULL), 0);
    assert_false(seen.is_wrong);
    assert_int_equal(seen.num_calls, 4 * 3); /* batches of 64, 64 and 22 */
    assert_int_equal(seen.last_done, 600);
    assert_int_equal(seen.total, 600);
    store->close(store);

    seen = (watch_t){0};
    run.num_threads = 4;
    assert_int_equal(spot_store_open_memory(&store, &study.head), 0);
    assert_int_equal(spot_study_run(&study, store, &run, NULL), 0);
    assert_false(seen.is_wrong);
    assert_int_equal(seen.num_calls, 4 * 3);
    assert_int_equal(seen.total, 600);
    store->close(store);
    spot_study_free(&study);
}

static void test_stop_before_the_start(void **state)
{
    atomic_int stop = 1;
    const spot_study_run_t run = {.num_threads = 2, .stop = &stop};
    spot_study_t study;
    spot_store_t *store;

    (void) state;
    read_study(&study, TO_RUN);
    assert_int_equal(spot_store_open_memory(&store, &study.head), 0);
    assert_int_equal(spot_study_run(&study, store, &run, NULL), SPOT_ERR_INTERRUPTED);
    for (size_t j = 0; j < study.head.num_points; j++) {
        assert_int_equal(store->num_rows(store, j), 0);
    }
    store->close(store);
    spot_study_free(&study);
}

/* The batch under way is finished; what is in the store is right. Batches of the four
 * points: 64, 64, 22 replications each; the first and the third one have the same
 * trace. */
static void test_stop_on_the_way(void **state)
{
    static const int64_t num_rows[] = {128, 0, 64, 0};
    watch_t seen = {.stop_from = 151};
    const spot_study_run_t run = {
        .num_threads = 1, .stop = &seen.stop, .progress = watch, .context = &seen};
    spot_study_t study;
    spot_store_t *store, *whole;

    (void) state;
    read_study(&study, TO_RUN);
    whole = run_study(&study, 2);
    assert_int_equal(spot_store_open_memory(&store, &study.head), 0);
    assert_int_equal(spot_study_run(&study, store, &run, NULL), SPOT_ERR_INTERRUPTED);
    for (size_t j = 0; j < study.head.num_points; j++) {
        assert_int_equal(store->num_rows(store, j), num_rows[j]);
        assert_rows_within(store, whole, j);
    }
    store->close(store);
    whole->close(whole);
    spot_study_free(&study);
}

/* ---- An experiment that fails ---- */

static int failing_run(void *worker, const spot_replication_t *wanted, double *metrics,
    unsigned char *warnings, spot_recording_t *recording)
{
    const int ret = spot_train_experiment.run(worker, wanted, metrics, warnings, recording);

    return wanted->replication == 70 ? SPOT_ERR_NO_MEMORY : ret;
}

/* The first error ends the study; a batch that failed leaves no rows. */
static void test_a_run_that_fails(void **state)
{
    const spot_study_run_t run = {.num_threads = 2};
    spot_experiment_t failing = spot_train_experiment;
    spot_study_t study;
    spot_store_t *store;

    (void) state;
    failing.run = failing_run;
    read_study(&study, TO_RUN);
    study.experiment = &failing;
    assert_int_equal(spot_store_open_memory(&store, &study.head), 0);
    assert_int_equal(spot_study_run(&study, store, &run, NULL), SPOT_ERR_NO_MEMORY);
    for (size_t j = 0; j < study.head.num_points; j++) {
        assert_true(store->num_rows(store, j) <= 150 - BATCH_REPLICATIONS);
    }
    store->close(store);
    spot_study_free(&study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_other_values),
        cmocka_unit_test(test_quoted_values),
        cmocka_unit_test(test_no_sweep),
        cmocka_unit_test(test_wrong_values),
        cmocka_unit_test(test_empty_sweeps),
        cmocka_unit_test(test_scenario_file),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_scenario_of_sets),
        cmocka_unit_test(test_sets_of_swept_keys),
        cmocka_unit_test(test_metrics),
        cmocka_unit_test(test_threads_do_not_show),
        cmocka_unit_test(test_shards_do_not_show),
        cmocka_unit_test(test_rows_are_runs),
        cmocka_unit_test(test_items_of_lists_are_swept),
        cmocka_unit_test(test_a_set_part_of_what_is_swept),
        cmocka_unit_test(test_common_random_numbers),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_stop_before_the_start),
        cmocka_unit_test(test_stop_on_the_way),
        cmocka_unit_test(test_a_run_that_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
