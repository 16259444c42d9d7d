/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured runs of a loader: figures of a small tree by hand, every warning, and the
 * published runs where they are present. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/yaml.h"
#include "fixture.h"
#include "models/loader/measured.h"
#include "tests/unit/base/shared_data.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_by_hand, setup, teardown),
        cmocka_unit_test(test_period),
        cmocka_unit_test_setup_teardown(test_warnings, setup, teardown),
        cmocka_unit_test(test_published),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
