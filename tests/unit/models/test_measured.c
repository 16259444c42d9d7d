/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/yaml.h"
#include "fixture.h"
#include "models/loader/measured.h"
#include "tests/unit/base/shared_data.h"

/* ---- Measured ---- */

#define SHARED SHARED_DATA "input/librispeech_remote"
#define MAX_VALUES 8

/* ---- A small tree ---- */

typedef struct {
    const char *folder; /* below the root */
    const char *setting;
    double waits[MAX_VALUES], computes[MAX_VALUES], io[MAX_VALUES], processing[MAX_VALUES];
    size_t num_waits, num_computes, num_io, num_processing;
    const char *memory;
} case_t;

static const char *root(void)
{
    static char path[512];

    snprintf(path, sizeof(path), "%s/measured-%ld", temporary_folder(), (long) getpid());
    return path;
}

static void write_array(const char *folder, const char *name, const double *values, size_t num)
{
    char path[1024], dictionary[128];
    const unsigned char head[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 128, 0};
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s.npy", folder, name);
    file = fopen(path, "wb");
    assert_non_null(file);
    snprintf(dictionary, sizeof(dictionary),
        "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu,), }", num);
    assert_int_equal(fwrite(head, 1, sizeof(head), file), sizeof(head));
    assert_int_equal(fprintf(file, "%-127s\n", dictionary), 128);
    assert_int_equal(fwrite(values, sizeof(*values), num, file), num);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[1024];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    write_file(path, text);
}

static void write_case(const case_t *self)
{
    char folder[1024];

    snprintf(folder, sizeof(folder), "%s/%s", root(), self->folder);
    for (char *slash = folder + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(folder, 0777);
        *slash = '/';
    }
    mkdir(folder, 0777);
    write_array(folder, "data_load_time", self->waits, self->num_waits);
    write_array(folder, "compute_time", self->computes, self->num_computes);
    write_array(folder, "io_time", self->io, self->num_io);
    write_array(folder, "processing_time", self->processing, self->num_processing);
    write_text(folder, "memory.jsonl",
        self->memory != NULL ? self->memory
                             : "{\"a\": \"1048576\", \"b\": \"1048576\"}\n"
                               "{\"a\": \"1048576\", \"b\": \"3145728\"}\n"
                               "{\"a\": \"9999999999\"}\n");
    if (self->setting != NULL) {
        write_text(folder, "opt_config", self->setting);
        write_text(folder, "search.csv",
            "threadpool_size,block_size,batch_completion_time\n2,20,0.75\n1,40,1.5\n");
    }
}

static int setup(void **state)
{
    (void) state;
    return mkdir(root(), 0777);
}

static int teardown(void **state)
{
    char command[600];

    (void) state;
    snprintf(command, sizeof(command), "rm -rf '%s'", root());
    return system(command);
}

/* 4 samples in batches of 2, two processes. */
static const case_t baseline = {
    .folder = "baseline1/small/run1/local/sim_compute_time=0.5",
    .waits = {4, 2, 1, 0.5, 1, 0, 7},
    .num_waits = 7,
    .computes = {0.5, 0.5, 0.5, 0.5, 0.5, 1.5},
    .num_computes = 6,
    .io = {0.25, 0.25, 0.5, 0},
    .num_io = 4,
    .processing = {1, 2, 1, 2},
    .num_processing = 4,
};

static void assert_close(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected))) {
        fail_msg("expected %.17g, got %.17g", expected, value);
    }
}

/* Mean wait 15.5 / 7; compute 4 / 6. Whole rounds after the first: entries 2 to 5. */
static void test_by_hand(void **state)
{
    const case_t merged = {.folder = "ours/small/run1/local/sim_compute_time=0.50",
        .setting = "2,3\n",
        .waits = {2, 1, 0, 0},
        .num_waits = 4,
        .computes = {0.5, 0.5, 0.5, 0.5},
        .num_computes = 4,
        .io = {0.5, 0.25},
        .num_io = 2,
        .processing = {0, 0, 0, 0.5},
        .num_processing = 4};
    const case_t slower = {.folder = "ours/small/run1/local/sim_compute_time=0.5-block_size=2",
        .waits = {9},
        .num_waits = 1,
        .computes = {1},
        .num_computes = 1,
        .io = {1, 1},
        .num_io = 2,
        .processing = {1, 1, 1},
        .num_processing = 3};
    spot_measured_runs_t measured;
    const spot_measured_figures_t *figures;
    spot_diag_t diag;
    const double load = 15.5 / 7, compute = 4.0 / 6;

    (void) state;
    write_case(&baseline);
    write_case(&merged);
    write_case(&slower);
    spot_diag_init(&diag);
    assert_int_equal(spot_measured_runs_read(&measured, root(), NULL, NULL, 2, 2, &diag), 0);
    assert_string_equal(measured.dataset, "small");
    assert_string_equal(measured.mode, "local");
    assert_int_equal(measured.num_runs, 2);
    assert_int_equal(measured.num_rows, 2);

    figures = &measured.runs[0].figures;
    assert_close(figures->load_s, load);
    assert_close(figures->compute_s, compute);
    assert_close(figures->completion_s, load + compute);
    assert_close(figures->throughput, 2 / (load + compute));
    assert_close(figures->num_batches, 7);
    assert_close(figures->io_s, 0.25);
    assert_close(figures->processing_s, 1.25);
    assert_close(figures->decode_per_sample_s, 1.5);
    assert_true(isnan(figures->future_wait_per_sample_s));
    assert_close(figures->worker_per_sample_s, 1.75);
    assert_close(figures->memory_mib, 3.8);
    assert_close(figures->fill_s, 4);
    assert_close(figures->steady_load_s, 2.5 / 4);
    assert_close(figures->stall_share, 0.625 / (0.625 + compute));
    assert_close(figures->is_stalled, 1);
    assert_close(figures->is_merged, 0);

    /* The faster folder of two. */
    figures = &measured.runs[1].figures;
    assert_close(figures->threads, 2);
    assert_close(figures->block, 3);
    assert_close(figures->true_block, 3);
    assert_close(figures->is_merged, 1);
    assert_close(figures->io_s, 0.375 / 3);
    assert_close(figures->io_per_sample_s, 0.75 / 4);
    assert_close(figures->future_wait_per_sample_s, 0.125);
    assert_close(figures->processing_s, 0.125 - 0.375 / 3);
    assert_close(figures->steady_load_s, 0);
    assert_close(figures->is_stalled, 0);
    assert_int_equal(measured.runs[1].num_probes, 2);
    assert_int_equal(measured.runs[1].probes[1].block, 40);
    assert_close(measured.runs[1].probes[1].completion_s, 1.5);

    /* Of one run each there is no p. */
    assert_ptr_equal(measured.rows[1].base, &measured.rows[0]);
    assert_close(
        measured.rows[1].improvement.percent, 100 * ((2 / 1.25) / (2 / (load + compute)) - 1));
    assert_true(isnan(measured.rows[1].improvement.welch_p));
    spot_measured_runs_free(&measured);
    spot_diag_free(&diag);
}

/* A period of 4 among 12 waits; and of equal ones, none. */
static void test_period(void **state)
{
    static const double waits[] = {4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0};
    /* the largest sum is 2.05 standard deviations above the mean, 1.95 of a sample */
    static const double close[] = {4, 4, 5, 4, 5, 3, 1, 5, 3, 1, 1, 0};
    spot_measured_arrays_t arrays = {.io = {.num_values = 1},
        .processing = {.num_values = 1},
        .computes = {.num_values = 12},
        .setting = {.threads = 1, .block = 1}};
    double same[12];
    spot_measured_run_t run = {.num_waits = 12, .waits = same};

    (void) state;
    memcpy(same, waits, sizeof(same));
    arrays.waits = spot_moments_of(same, 12);
    spot_measured_derive(&run, &arrays, 1, 4);
    assert_close(run.figures.is_periodic, 1);
    assert_close(run.figures.periodic_lag, 4);
    memcpy(same, close, sizeof(same));
    arrays.waits = spot_moments_of(same, 12);
    spot_measured_derive(&run, &arrays, 1, 4);
    assert_close(run.figures.is_periodic, 1);
    assert_close(run.figures.periodic_lag, 1);
    for (size_t j = 0; j < 12; j++) {
        same[j] = 0.1;
    }
    arrays.waits = spot_moments_of(same, 12);
    spot_measured_derive(&run, &arrays, 1, 4);
    assert_close(run.figures.is_periodic, 0);
    assert_close(run.figures.periodic_lag, 0);
}

static void test_warnings(void **state)
{
    case_t claims = baseline, alone = baseline, counted = baseline;
    spot_measured_runs_t measured;
    spot_diag_t diag;

    (void) state;
    write_case(&baseline);
    claims.folder = "ours/small/run1/local/sim_compute_time=0.5-block_size=4";
    write_case(&claims);
    alone.folder = "baseline1/small/run1/local/sim_compute_time=1";
    alone.memory = "{\"a\": \"5\"}\n";
    write_case(&alone);
    counted.folder = "ours/small/run2/local/sim_compute_time=0.5";
    counted.setting = "1,2";
    counted.num_io = 3;
    counted.num_waits = 6;
    write_case(&counted);
    spot_diag_init(&diag);
    assert_int_equal(spot_measured_runs_read(&measured, root(), "small", "local", 2, 2, &diag), 0);
    assert_true(isnan(measured.rows[1].mean.memory_mib));
    assert_int_equal(measured.runs[2].num_warnings, 1);
    assert_string_equal(measured.runs[2].warnings[0],
        "the name says block size 4 but io_time has one entry per sample: not merged");
    assert_string_equal(measured.runs[3].warnings[0],
        "opt_config says block size 2, which is 2 blocks, but io_time has 3 entries");
    assert_string_equal(
        measured.runs[1].warnings[0], "memory has no row with two containers: it is not known");
    assert_int_equal(diag.num_warnings, 8);
    assert_non_null(strstr(diag.items[diag.num_items - 1].text, "runs have from 6 to 7"));
    spot_measured_runs_free(&measured);
    spot_diag_free(&diag);
}

/* ---- The published runs ---- */

#define AT(member) offsetof(spot_measured_figures_t, member)
static const struct {
    const char *part, *key;
    size_t offset;
} keys[] = {
    {"notebook", "threadpool_size", AT(threads)},
    {"notebook", "block_size", AT(block)},
    {"notebook", "io_time", AT(io_s)},
    {"notebook", "processing_time", AT(processing_s)},
    {"notebook", "load_time", AT(load_s)},
    {"notebook", "compute_time", AT(compute_s)},
    {"notebook", "completion_time", AT(completion_s)},
    {"notebook", "memory", AT(memory_mib)},
    {"notebook", "throughput", AT(throughput)},
    {"notebook", "num_batches", AT(num_batches)},
    {"corrected", "samples", AT(samples)},
    {"corrected", "io_entries", AT(io_entries)},
    {"corrected", "merged", AT(is_merged)},
    {"corrected", "block_size", AT(true_block)},
    {"corrected", "io_per_sample", AT(io_per_sample_s)},
    {"corrected", "decode_per_sample", AT(decode_per_sample_s)},
    {"corrected", "future_wait_per_sample", AT(future_wait_per_sample_s)},
    {"corrected", "worker_time_per_sample", AT(worker_per_sample_s)},
    {"corrected", "fill", AT(fill_s)},
    {"corrected", "steady_load", AT(steady_load_s)},
    {"corrected", "steady_completion", AT(steady_completion_s)},
    {"corrected", "steady_throughput", AT(steady_throughput)},
    {"corrected", "stall_share", AT(stall_share)},
    {"corrected", "stalled", AT(is_stalled)},
    {"corrected", "periodic_flag", AT(is_periodic)},
    {"corrected", "periodic_lag", AT(periodic_lag)},
};
#define NUM_KEYS (sizeof(keys) / sizeof(keys[0]))

/* null is NAN, true is 1. */
static double number_at(const spot_node_t *node)
{
    assert_non_null(node);
    return strcmp(node->text, "null") == 0    ? (double) NAN
           : strcmp(node->text, "true") == 0  ? 1
           : strcmp(node->text, "false") == 0 ? 0
                                              : strtod(node->text, NULL);
}

static void assert_figure(
    const spot_measured_figures_t *figures, size_t offset, const spot_node_t *node)
{
    const double expected = number_at(node);
    double value;

    memcpy(&value, (const char *) figures + offset, sizeof(value));
    if (isnan(expected)) {
        assert_true(isnan(value));
    } else {
        assert_close(value, expected);
    }
}

static void assert_run(const spot_measured_runs_t *measured, const spot_node_t *node)
{
    const char *kind = spot_node_get(node, "kind")->text;
    const spot_measured_run_t *run = measured->runs;
    const spot_node_t *warnings = spot_node_get(node, "warnings");

    while (strcmp(spot_measured_kind_names[run->kind], kind) != 0 ||
           run->run != (int) number_at(spot_node_get(node, "run")) ||
           run->sim_s != number_at(spot_node_get(node, "sim_compute_time"))) {
        run++;
        assert_true(run < measured->runs + measured->num_runs);
    }
    for (size_t j = 0; j < NUM_KEYS; j++) {
        assert_figure(&run->figures, keys[j].offset,
            spot_node_get(spot_node_get(node, keys[j].part), keys[j].key));
    }
    assert_int_equal(run->num_warnings, warnings->num_children);
    for (size_t j = 0; j < run->num_warnings; j++) {
        assert_string_equal(run->warnings[j], warnings->children[j]->text);
    }
}

/* Keys of the means have "_count" where they are numbers of runs. */
static void assert_row(const spot_measured_row_t *row, const spot_node_t *node, const char *part)
{
    assert_close(row->sim_s, number_at(spot_node_get(node, "sim_compute_time")));
    for (size_t j = 0; j < NUM_KEYS; j++) {
        char key[64];
        const spot_node_t *value = spot_node_get(node, keys[j].key);

        snprintf(key, sizeof(key), "%s_count", keys[j].key);
        value = value == NULL ? spot_node_get(node, key) : value;
        if (strcmp(keys[j].part, part) == 0 && keys[j].offset != AT(periodic_lag)) {
            assert_figure(&row->mean, keys[j].offset, value);
        }
    }
}

static void assert_improvement(const spot_measured_row_t *row, const spot_node_t *node)
{
    const spot_improvement_t *improvement = &row->improvement;
    const struct {
        const char *key;
        double value;
    } values[] = {{"percent", improvement->percent},
        {"percent_of_means", improvement->percent_of_means},
        {"percent_steady", improvement->percent_steady}, {"welch_t", improvement->welch_t},
        {"welch_df", improvement->welch_df}, {"welch_p", improvement->welch_p},
        {"merged_runs", improvement->merged_runs}};

    for (size_t j = 0; j < sizeof(values) / sizeof(values[0]); j++) {
        assert_close(values[j].value, number_at(spot_node_get(node, values[j].key)));
    }
}

static void test_published(void **state)
{
    spot_measured_runs_t measured;
    spot_yaml_t document;
    spot_node_t *runs;
    spot_diag_t diag;

    (void) state;
    need_data(SHARED);
    spot_diag_init(&diag);
    assert_int_equal(
        spot_measured_runs_read(&measured, SHARED, "librispeech", "remote", 512, 8, &diag), 0);
    assert_int_equal(spot_yaml_read(&document, SHARED ".expected.json", &diag), 0);
    runs = spot_node_get(document.root, "runs");
    assert_int_equal(runs->num_children, measured.num_runs);
    for (size_t j = 0; j < runs->num_children; j++) {
        assert_run(&measured, runs->children[j]);
    }
    assert_int_equal(measured.num_rows, 10);
    for (size_t j = 0; j < measured.num_rows; j++) {
        const spot_measured_row_t *row = &measured.rows[j];
        const char *kind = spot_measured_kind_names[row->kind];

        assert_row(row, spot_node_get(spot_node_get(document.root, "table"), kind)->children[j % 5],
            "notebook");
        assert_row(row,
            spot_node_get(spot_node_get(document.root, "table_corrected"), kind)->children[j % 5],
            "corrected");
        if (row->kind == SPOT_KIND_OURS) {
            assert_improvement(row, spot_node_get(document.root, "improvement")->children[j % 5]);
        }
    }
    assert_int_equal(diag.num_warnings, 1);
    spot_yaml_free(&document);
    spot_measured_runs_free(&measured);
    spot_diag_free(&diag);
}

/* ---- Loader fit ---- */

enum { NUM_ROWS = 10, NUM_SIMS = 5 };

/* The published mean rows: sim, block, io, processing, load, compute, completion; what
 * the published fit predicts. */
static const double published[NUM_ROWS][8] = {
    {0.1, 1, 0.003198, 0.004467, 0.707698, 0.175737, 0.883435, 0.883610},
    {0.25, 1, 0.003195, 0.004482, 0.582860, 0.324327, 0.907187, 0.905413},
    {0.5, 1, 0.003187, 0.004476, 0.364627, 0.573956, 0.938583, 0.939666},
    {0.75, 1, 0.003141, 0.004542, 0.153752, 0.837865, 0.991617, 0.994254},
    {1.0, 1, 0.002451, 0.004539, 0.140482, 1.072967, 1.213449, 1.216711},
    {0.1, 160, 0.001356, 0.005845, 0.600211, 0.211097, 0.811309, 0.808638},
    {0.25, 173.333333, 0.001366, 0.006276, 0.495142, 0.364163, 0.859304, 0.859368},
    {0.5, 60, 0.001165, 0.006790, 0.279895, 0.619317, 0.899212, 0.902987},
    {0.75, 100.333333, 0.001488, 0.005862, 0.154941, 0.852350, 1.007291, 1.000232},
    {1.0, 20.666667, 0.001956, 0.004760, 0.143283, 1.079808, 1.223090, 1.226173},
};

static void fill_rows(spot_measured_row_t *rows, spot_measured_runs_t *measured)
{
    for (size_t j = 0; j < NUM_ROWS; j++) {
        const double *row = published[j];

        rows[j] = (spot_measured_row_t){.kind = j < NUM_SIMS ? SPOT_KIND_BASELINE : SPOT_KIND_OURS,
            .sim_s = row[0],
            .num_runs = 3,
            .mean = {.threads = 1,
                .block = row[1],
                .io_s = row[2],
                .processing_s = row[3],
                .load_s = row[4],
                .compute_s = row[5],
                .completion_s = row[6],
                .num_batches = 56,
                .samples = 28539,
                .io_per_sample_s = row[2],
                .decode_per_sample_s = row[2] + row[3]}};
    }
    *measured = (spot_measured_runs_t){
        .mode = "remote", .batch = 512, .processes = 8, .num_rows = NUM_ROWS, .rows = rows};
}

static void test_three(void **state)
{
    static const double percents[] = {9.27, 5.36, 4.06, -0.60, -0.77};
    spot_measured_row_t rows[NUM_ROWS];
    spot_measured_runs_t measured;
    spot_loader_fit_t fit;
    double mean, max;

    (void) state;
    fill_rows(rows, &measured);
    assert_int_equal(spot_loader_fit(&fit, false, 1, &measured, 0), 0);
    assert_int_equal(fit.num_constants, 3);
    assert_float_equal(fit.values[0], 1.0439, 1e-4);
    assert_float_equal(fit.values[1], 1.77997, 1e-3);
    assert_float_equal(fit.values[2], 1.05563e-3, 1e-6);
    spot_loader_fit_errors(&fit, false, false, &mean, &max);
    assert_float_equal(mean, 0.0026, 5e-5);
    assert_true(max <= 0.0071);
    for (size_t j = 0; j < NUM_ROWS; j++) {
        assert_float_equal(fit.points[j].predicted_s, published[j][7], 2e-6);
    }
    for (size_t j = 0; j < NUM_SIMS; j++) {
        assert_float_equal(
            spot_loader_fit_percent(&fit, SPOT_SITE_REMOTE, published[j][0]), percents[j], 0.006);
    }
    /* The model has the means of the baseline on both sites. */
    assert_int_equal(fit.loader.samples, 28539);
    assert_false(fit.is_thinned);
    assert_int_equal(fit.loader.cost.read_ns[SPOT_SITE_LOCAL], 3034400);
    assert_int_equal(fit.loader.cost.read_ns[SPOT_SITE_REMOTE], 3034400);
    assert_int_equal(fit.loader.cost.decode_ns, 7535600);
    spot_loader_fit_free(&fit);
}

/* Without a cost of merging the fit is much worse. */
static void test_no_merging(void **state)
{
    static const double percents[] = {18.4, 13.8, 12.0};
    spot_measured_row_t rows[NUM_ROWS];
    spot_measured_runs_t measured;
    spot_loader_fit_t fit;
    double mean, max;

    (void) state;
    fill_rows(rows, &measured);
    for (size_t j = 0; j < NUM_ROWS; j++) {
        rows[j].mean.block = 1;
    }
    assert_int_equal(spot_loader_fit(&fit, false, 1, &measured, 0), 0);
    spot_loader_fit_errors(&fit, false, false, &mean, &max);
    assert_float_equal(mean, 0.0265, 1e-4);
    assert_float_equal(max, 0.045, 1e-3);
    for (size_t j = 0; j < 3; j++) {
        assert_float_equal(
            spot_loader_fit_percent(&fit, SPOT_SITE_REMOTE, published[j][0]), percents[j], 0.1);
    }
    spot_loader_fit_free(&fit);
}

/* Moments of y and ln y at midpoints of the quantiles of a law. */
static void fill_spread(spot_measured_runs_t *measured, int what, bool is_gamma, double cv)
{
    const double sigma = sqrt(log1p(cv * cv));

    for (int j = 0; j < 2000; j++) {
        const double p = (j + 0.5) / 2000;
        const double y = is_gamma ? gsl_cdf_gamma_Pinv(p, 1 / (cv * cv), cv * cv)
                                  : exp(sigma * (gsl_cdf_ugaussian_Pinv(p) - sigma / 2));

        spot_moments_add(&measured->spread[what], y);
        spot_moments_add(&measured->log_spread[what], log(y));
    }
}

/* Each law is told from the other one; a time of 0 is never lognormal, and times that
 * are constant have the least cv. */
static void test_spread(void **state)
{
    static const double cvs[] = {0.1, 0.4, 1};
    spot_measured_row_t rows[NUM_ROWS];
    spot_measured_runs_t measured;
    spot_loader_fit_t fit;

    (void) state;
    for (size_t j = 0; j < sizeof(cvs) / sizeof(cvs[0]); j++) {
        fill_rows(rows, &measured);
        fill_spread(&measured, 0, false, cvs[j]);
        fill_spread(&measured, 1, true, cvs[j]);
        assert_int_equal(spot_loader_fit(&fit, false, 1, &measured, 0), 0);
        assert_string_equal(fit.laws[0], "lognormal");
        assert_string_equal(fit.laws[1], "gamma");
        assert_true(fabs(fit.cvs[0] / cvs[j] - 1) < 0.02);
        assert_true(fabs(fit.cvs[1] / cvs[j] - 1) < 0.02);
        spot_loader_fit_free(&fit);
        spot_moments_add(&measured.spread[0], 0);
        assert_int_equal(spot_loader_fit(&fit, false, 1, &measured, 0), 0);
        assert_string_equal(fit.laws[0], "gamma");
        spot_loader_fit_free(&fit);
    }
    fill_rows(rows, &measured);
    spot_moments_add(&measured.spread[0], 1);
    spot_moments_add(&measured.log_spread[0], 0);
    assert_int_equal(spot_loader_fit(&fit, false, 1, &measured, 0), 0);
    assert_true(fit.cvs[0] == 1e-6 && fit.cvs[1] == 1e-6); /* none at all */
    spot_loader_fit_free(&fit);
}

/* ---- A known truth ---- */

enum { NUM_RUNS = 24, NUM_PROBES = 6 };

static const spot_loader_t truth = {.samples = 20000,
    .deal = SPOT_LOADER_DEAL_SAMPLES,
    .processes = 6,
    .prefetch = 2,
    .threads = 1,
    .block = 1,
    .cost = {.decode_ns = 5000000,
        .open_ns = {500000, 3000000},
        .read_ns = {700000, 900000},
        .merged_ns = 1500000,
        .thread_growth = 0.04,
        .collate_ns = 600000000,
        .collate_batch = 400,
        .start_ns = 1500000000,
        .handover_ns = 7000000,
        .compute_ns = 60000000,
        .merged_compute_ns = 100000000,
        .half_block = 80,
        .exponent = 3}};

static double true_completion_s(
    spot_site_t site, double sim_s, int64_t threads, int64_t block, int64_t num_samples)
{
    const spot_loader_work_t work = {400, num_samples, sim_s};
    spot_loader_prediction_t prediction;
    spot_loader_t loader = truth;

    loader.local_share = site == SPOT_SITE_LOCAL;
    loader.threads = threads;
    loader.block = block;
    assert_int_equal(spot_loader_predict(&prediction, &loader, &work), 0);
    return prediction.completion_s;
}

typedef struct {
    spot_measured_run_t runs[NUM_RUNS];
    spot_measured_probe_t probes[NUM_RUNS][NUM_PROBES];
    spot_measured_row_t rows[1];
    spot_measured_runs_t measured;
} made_t;

/* Runs 1 to 3 at 4 sims of both kinds, ours with probes. */
static void make_runs(made_t *self, spot_site_t site)
{
    memset(self, 0, sizeof(*self));
    for (size_t j = 0; j < NUM_RUNS; j++) {
        spot_measured_run_t *run = &self->runs[j];
        const int64_t threads = j < NUM_RUNS / 2 ? 1 : (int64_t) (1 + j % 3);
        const int64_t block = j < NUM_RUNS / 2 ? 1 : (int64_t) (20 + 12 * j % 150);

        run->kind = j < NUM_RUNS / 2 ? SPOT_KIND_BASELINE : SPOT_KIND_OURS;
        run->run = 1 + (int) (j % 3);
        run->sim_s = 0.15 * (double) (1 + j / 3 % 4);
        run->figures.threads = (double) threads;
        run->figures.true_block = (double) block;
        run->figures.completion_s =
            true_completion_s(site, run->sim_s, threads, block, truth.samples);
        run->probes = self->probes[j];
        run->num_probes = run->kind == SPOT_KIND_OURS ? NUM_PROBES : 0;
        for (size_t k = 0; k < run->num_probes; k++) {
            spot_measured_probe_t *probe = &self->probes[j][k];

            probe->threads = (int64_t) 1 << (j + k) % 4;
            probe->block = (int64_t) (20 + 20 * ((3 * j + 5 * k) % 15));
            probe->completion_s = true_completion_s(
                site, run->sim_s, probe->threads, probe->block, truth.samples / 2);
        }
    }
    self->rows[0] = (spot_measured_row_t){.kind = SPOT_KIND_BASELINE, .sim_s = 0.15, .num_runs = 3};
    self->rows[0].mean.completion_s = self->runs[0].figures.completion_s;
    self->rows[0].mean.num_batches = 50;
    self->rows[0].mean.samples = (double) truth.samples;
    self->measured = (spot_measured_runs_t){
        .mode = site == SPOT_SITE_LOCAL ? "local" : "remote",
        .batch = 400,
        .processes = truth.processes,
        .num_runs = NUM_RUNS,
        .runs = self->runs,
        .num_rows = 1,
        .rows = self->rows,
    };
}

static void test_truth(void **state)
{
    static made_t made[SPOT_NUM_SITES];
    spot_measured_runs_t measured[SPOT_NUM_SITES];
    spot_loader_fit_t fit;
    double mean, max;

    (void) state;
    for (int site = 0; site < SPOT_NUM_SITES; site++) {
        make_runs(&made[site], (spot_site_t) site);
        measured[site] = made[site].measured;
    }
    assert_int_equal(spot_loader_fit(&fit, true, 2, measured, 0), 0);
    assert_int_equal(fit.num_constants, 13);
    for (int k = 0; k < 4; k++) { /* runs and probes, known and left out */
        spot_loader_fit_errors(&fit, k / 2 == 1, k % 2 == 1, &mean, &max);
        assert_true(mean < 0.003 && max < 0.01);
    }
    /* Settings that no run had. */
    for (int64_t block = 10; block <= 250; block += 60) {
        const spot_loader_work_t work = {400, truth.samples, 0.4};
        spot_loader_prediction_t prediction;

        fit.loader.threads = 2;
        fit.loader.block = block;
        assert_int_equal(spot_loader_predict(&prediction, &fit.loader, &work), 0);
        assert_float_equal(prediction.completion_s,
            true_completion_s(SPOT_SITE_REMOTE, 0.4, 2, block, truth.samples), 0.006);
    }
    spot_loader_fit_free(&fit);
}

/* Runs of one number cannot be left out; of one mode, both sites get its costs. */
static void test_one_mode(void **state)
{
    static made_t made;
    spot_loader_fit_t fit;
    double mean, max;

    (void) state;
    make_runs(&made, SPOT_SITE_REMOTE);
    for (size_t j = 0; j < NUM_RUNS; j++) {
        made.runs[j].run = 1;
    }
    assert_int_equal(spot_loader_fit(&fit, true, 1, &made.measured, 9999), 0);
    assert_int_equal(fit.loader.samples, 9999);
    spot_loader_fit_errors(&fit, false, true, &mean, &max);
    assert_true(isnan(mean) && isnan(max));
    assert_int_equal(fit.loader.cost.open_ns[0], fit.loader.cost.open_ns[1]);
    assert_int_equal(fit.loader.cost.read_ns[0], fit.loader.cost.read_ns[1]);
    spot_loader_fit_free(&fit);
}

static void test_too_few(void **state)
{
    static made_t made;
    spot_measured_row_t rows[NUM_ROWS];
    spot_measured_runs_t measured;
    spot_loader_fit_t fit;

    (void) state;
    fill_rows(rows, &measured);
    measured.num_rows = 2;
    assert_int_equal(spot_loader_fit(&fit, false, 1, &measured, 0), SPOT_ERR_BAD_PARAM);
    assert_int_equal(fit.num_points, 2);
    assert_int_equal(fit.num_constants, 3);
    spot_loader_fit_free(&fit);
    make_runs(&made, SPOT_SITE_LOCAL);
    made.measured.num_runs = 10; /* without probes */
    assert_int_equal(spot_loader_fit(&fit, true, 1, &made.measured, 0), SPOT_ERR_BAD_PARAM);
    spot_loader_fit_free(&fit);
    made.measured.num_rows = 0;
    assert_int_equal(spot_loader_fit(&fit, true, 1, &made.measured, 0), SPOT_ERR_BAD_PARAM);
    spot_loader_fit_free(&fit);
}

/* The shared runs: thinned arrays, and errors of both forms. */
static void test_shared(void **state)
{
    static const char root[] = SHARED_DATA "input/librispeech_remote";
    spot_measured_runs_t measured;
    spot_loader_fit_t fit;
    spot_diag_t diag;
    double mean, max;

    (void) state;
    need_data(root);
    spot_diag_init(&diag);
    assert_int_equal(spot_measured_runs_read(&measured, root, NULL, NULL, 512, 8, &diag), 0);
    assert_int_equal(spot_loader_fit(&fit, false, 1, &measured, 0), 0);
    assert_true(fit.is_thinned);
    assert_int_equal(fit.loader.samples, 56 * 512);
    assert_float_equal(fit.values[0], 1.0439, 1.0439e-3);
    assert_float_equal(fit.values[1], 1.77997, 1.77997e-2);
    assert_float_equal(fit.values[2], 1.05563e-3, 1.05563e-5);
    spot_loader_fit_errors(&fit, false, false, &mean, &max);
    assert_true(max <= 0.0071);
    spot_loader_fit_free(&fit);
    assert_int_equal(spot_loader_fit(&fit, true, 1, &measured, 28539), 0);
    spot_loader_fit_errors(&fit, false, false, &mean, &max);
    assert_true(mean < 0.017 && max < 0.06);
    spot_loader_fit_errors(&fit, true, true, &mean, &max);
    assert_true(mean < 0.055);
    spot_loader_fit_free(&fit);
    spot_measured_runs_free(&measured);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_by_hand, setup, teardown),
        cmocka_unit_test(test_period),
        cmocka_unit_test_setup_teardown(test_warnings, setup, teardown),
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_three),
        cmocka_unit_test(test_no_merging),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_truth),
        cmocka_unit_test(test_one_mode),
        cmocka_unit_test(test_too_few),
        cmocka_unit_test(test_shared),
    };

    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
