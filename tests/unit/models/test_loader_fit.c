/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits of a loader: the published table, a known truth, and runs with too little. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "models/loader/measured.h"
#include "tests/unit/base/shared_data.h"

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
