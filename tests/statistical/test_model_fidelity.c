/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Our generators against tables of two independent programs: fidelities of models to
 * recorded traces, means and standard deviations over 4000 replications. The traces and
 * tables are not part of this repository. */
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

#include "tests/statistical/statistics.h"
#include "tests/unit/base/shared_data.h"
#include "traces/compare/comparison.h"
#include "traces/trace.h"

#define FOLDER SHARED_DATA "traces/"
#define TABLE FOLDER "reference/fidelity.csv"
#define NUM_REPLICATIONS 400

/* The resolution of shares of time in the tables. */
#define SHARE_SLACK 0.002

/* Half a unit of the table's eighth digit, relative to a number that starts with 1. */
#define DIGITS 1e-7

static const char *const trace_names[] = {
    "bamboo-p3-2xlarge-32",
    "bamboo-gcp-a100x1-us-east1-b",
    "bamboo-aws-g4dn-us-east-1c-20201120",
    "bamboo-aws-p2-20201120",
    "skypilot-avail-16n-aws-20230827-us-west-2a-v100-1",
    "skypilot-preempt-4n-aws-20230803-us-east-1f-v100-1",
};

#define NUM_TRACES (sizeof(trace_names) / sizeof(trace_names[0]))

/* Sizes above this are big ones, uniform on BIG_MIN ... BIG_MAX. */
#define BIG_LIMIT 10
#define BIG_MIN 11
#define BIG_MAX 31

static void read_trace(spot_trace_t *trace, const char *name)
{
    char path[512];
    spot_diag_t diag;

    spot_diag_init(&diag);
    snprintf(path, sizeof(path), "%s%s.csv", FOLDER, name);
    assert_int_equal(spot_trace_read(trace, path, false, &diag), 0);
    spot_diag_free(&diag);
}

static void read_table(spot_reference_t *table)
{
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_reference_read(table, TABLE, &diag), 0);
    spot_diag_free(&diag);
}

static void start(spot_comparison_t *comparison, const spot_trace_t *trace)
{
    assert_int_equal(spot_comparison_init(comparison, trace, trace->resolution_ms,
                         trace->kind != SPOT_TRACE_NAMED, 1),
        0);
}

/* "preemption: {per_minute: ..., count: ...}" of the events of one direction: sizes by
 * mean and standard deviation, additions above BIG_LIMIT apart. */
static void write_direction(
    FILE *out, const spot_trace_t *trace, spot_event_kind_t kind, const char *family)
{
    const double minutes = (double) trace->end_ms / 60000;
    spot_moments_t sizes = {0};
    size_t num_events = 0, num_big = 0;
    spot_bulks_t bulks;

    assert_int_equal(spot_bulks_init(&bulks, trace), 0);
    for (size_t j = 0; j < bulks.num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks.bulks[j];
        const bool is_big = kind == SPOT_EVENT_ADD && bulk->size > BIG_LIMIT;

        if (bulk->kind == kind) {
            num_events++;
            num_big += is_big;
            if (!is_big) {
                spot_moments_add(&sizes, bulk->size);
            }
        }
    }
    spot_bulks_free(&bulks);
    fprintf(out, "%s: {per_minute: %.17g, count: {%s: {mean: %.17g, std: %.17g}}",
        kind == SPOT_EVENT_ADD ? "addition" : "preemption", (double) num_events / minutes, family,
        spot_moments_mean(&sizes), spot_moments_std(&sizes));
    if (num_big > 0) {
        fprintf(out, ", big: {probability: %.17g, range: [%d, %d]}",
            (double) num_big / (double) num_events, BIG_MIN, BIG_MAX);
    }
    fprintf(out, "}\n");
}

static void write_seed(FILE *out, const spot_trace_t *trace, const char *form, const char *family)
{
    fprintf(out, "spotsim-model: 1\ngenerator: seed\n%s", form);
    write_direction(out, trace, SPOT_EVENT_PREEMPT, family);
    write_direction(out, trace, SPOT_EVENT_ADD, family);
}

static void write_corrected(FILE *out, const spot_trace_t *trace, const char *name)
{
    (void) name;
    write_seed(out, trace, "", "moments");
}

static void write_cell42(FILE *out, const spot_trace_t *trace, const char *name)
{
    (void) name;
    write_seed(out, trace, "variant: cell42\ncompat: notebook\n", "normal");
}

static void write_loop(FILE *out, const spot_trace_t *trace, const char *name)
{
    (void) name;
    write_seed(out, trace, "variant: loop\ncompat: notebook\noverdraw: clip\n", "normal");
}

static void write_block(FILE *out, const spot_trace_t *trace, const char *name)
{
    const int64_t tick_ms = spot_observation_tick_ms(trace->resolution_ms, 0);

    fprintf(out, "spotsim-model: 1\ngenerator: block\ntick_s: %lld\ntrace: %s%s.csv\n",
        (long long) (tick_ms / 1000), FOLDER, name);
}

/* write NULL: the model is in the folder of the table. */
typedef struct {
    const char *name; /* as in the table */
    void (*write)(FILE *out, const spot_trace_t *trace, const char *name);
} model_t;

static const model_t models[] = {
    {"mrp", NULL},
    {"block", write_block},
    {"seed-corrected", write_corrected},
    {"seed-cell42", write_cell42},
    {"seed-loop", write_loop},
};

#define NUM_MODELS (sizeof(models) / sizeof(models[0]))

static void add_model(spot_comparison_t *comparison, const model_t *model,
    const spot_trace_t *trace, const char *name)
{
    const char *folder = getenv("SPOT_TEST_TMP");
    spot_trace_model_file_t file;
    spot_diag_t diag;
    char path[512];

    if (model->write == NULL) {
        snprintf(path, sizeof(path), "%sreference/models/%s.mrp.yaml", FOLDER, name);
    } else {
        FILE *out;

        snprintf(path, sizeof(path), "%s/fidelity-%s.yaml", folder != NULL ? folder : "/tmp",
            model->name);
        out = fopen(path, "w");
        assert_non_null(out);
        model->write(out, trace, name);
        assert_int_equal(fclose(out), 0);
    }
    spot_diag_init(&diag);
    if (spot_trace_model_file_read(&file, path, trace, "trace", &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail();
    }
    assert_string_equal(file.name, model->name);
    assert_int_equal(spot_comparison_add_model(
                         comparison, &file.model, file.name, file.name, NUM_REPLICATIONS, NULL),
        0);
    spot_trace_model_file_free(&file);
    spot_diag_free(&diag);
}

/* The difference beyond the slack, in units of sd sqrt(1 / R + 1 / 4000). If all 4000
 * values are equal, ours must be too. */
static double excess_z(const spot_reference_row_t *row, int metric_id, double mean)
{
    const bool is_share =
        metric_id == SPOT_FIDELITY_FRAC_FULL || metric_id == SPOT_FIDELITY_FRAC_EMPTY;
    const double expected = row->means[metric_id];
    const double slack = (is_share ? SHARE_SLACK : 0) + DIGITS * fabs(expected);
    const double excess = fmax(0, fabs(mean - expected) - slack);
    const double se =
        row->sds[metric_id] * sqrt(1.0 / NUM_REPLICATIONS + 1.0 / (double) row->num_replications);

    return excess == 0 ? 0 : excess / se;
}

/* The largest difference over all metrics; *worst_id is its metric. */
static double largest_z(
    const spot_reference_row_t *row, const spot_comparison_column_t *column, int *worst_id)
{
    double largest = -1;

    for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
        double z;

        if (isnan(row->means[j])) {
            continue;
        }
        z = excess_z(row, j, column->means[j]);
        assert_true(z >= 0);
        if (z > largest) {
            largest = z;
            *worst_id = j;
        }
    }
    return largest;
}

/* Every metric of every model; and power: another model has other metrics. */
static void check_models(const spot_comparison_t *comparison, const spot_reference_t *table)
{
    for (size_t j = 0; j < NUM_MODELS; j++) {
        const spot_comparison_column_t *column = &comparison->columns[SPOT_COMPARISON_FIRST + j];

        for (size_t k = 0; k < NUM_MODELS; k++) {
            const spot_reference_row_t *row =
                spot_reference_find(table, comparison->name, models[k].name);
            int worst_id = 0;
            double z;

            assert_non_null(row);
            z = largest_z(row, column, &worst_id);
            print_message("%.22s: %s against the table's %s: z %.2f in %s\n", comparison->name,
                column->label, models[k].name, z, spot_fidelity_metrics[worst_id].name);
            if (j == k ? !(z <= MAX_Z) : !(z >= POWER_Z)) {
                fail_msg("%s", j == k ? "the model is not the table's" : "no power");
            }
        }
    }
}

static void test_models(void **state)
{
    spot_reference_t table;

    (void) state;
    need_data(TABLE);
    read_table(&table);
    for (size_t j = 0; j < NUM_TRACES; j++) {
        spot_comparison_t comparison;
        spot_trace_t trace;

        read_trace(&trace, trace_names[j]);
        start(&comparison, &trace);
        for (size_t k = 0; k < NUM_MODELS; k++) {
            add_model(&comparison, &models[k], &trace, trace_names[j]);
        }
        check_models(&comparison, &table);
        spot_comparison_free(&comparison);
        spot_trace_free(&trace);
    }
    spot_reference_free(&table);
}

static void check_exact(const spot_reference_row_t *row, const spot_comparison_column_t *column)
{
    assert_non_null(row);
    for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
        const double expected = row->means[j], value = column->means[j];

        if (isnan(expected) ? !isnan(value)
                            : !(fabs(value - expected) <= DIGITS * fabs(expected))) {
            fail_msg("%s, %s: %s is %.10g, expected %.10g", row->trace, row->model,
                spot_fidelity_metrics[j].name, value, expected);
        }
    }
}

static void test_exact_rows(void **state)
{
    spot_reference_t table;

    (void) state;
    need_data(TABLE);
    read_table(&table);
    for (size_t j = 0; j < NUM_TRACES; j++) {
        spot_comparison_t comparison;
        spot_trace_t trace;

        read_trace(&trace, trace_names[j]);
        start(&comparison, &trace);
        check_exact(
            spot_reference_find(&table, trace_names[j], "recorded"), &comparison.columns[0]);
        check_exact(
            spot_reference_find(&table, trace_names[j], "half2-vs-half1"), &comparison.columns[2]);
        spot_comparison_free(&comparison);
        spot_trace_free(&trace);
    }
    spot_reference_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_rows),
        cmocka_unit_test(test_models),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
