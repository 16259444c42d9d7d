/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/loader/fit.h"

#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef spot_loader_fit_t fit_t;
typedef spot_loader_point_t point_t;
typedef spot_loader_constant_t constant_t;

#define RIDGE 0.05  /* the pull to the starts: far below the errors */
#define MIN_CV 1e-6 /* hardly any spread; of no times, too */
#define MAX_CV 10.0

#define TIME(key, member) key, offsetof(spot_loader_cost_t, member), true
#define RATIO(key, member) key, offsetof(spot_loader_cost_t, member), false
enum { NUM_THREE = 3, NUM_COMMON = 9, MAX_CONSTANTS = 13 };

/* Those of the form three, those of all modes, and two for each site. */
static const constant_t constants[] = {
    {TIME("collate.time", collate_ns), 0, 5, 1},
    {TIME("start", start_ns), 0, 5, 0.5},
    {TIME("merged", merged_ns), -0.01, 0.02, 0},
    {TIME("decode", decode_ns), 0, 0.1, 0.008},
    {RATIO("thread_growth", thread_growth), -0.08, 1, 0},
    {TIME("compute.added", compute_ns), 0, 1, 0.07},
    {TIME("compute.merged", merged_compute_ns), 0, 1, 0.2},
    {RATIO("compute.half_block", half_block), 1, 1000, 100},
    {RATIO("compute.exponent", exponent), 0, 20, 4},
    {TIME("open.local", open_ns[SPOT_SITE_LOCAL]), 0, 0.1, 0.003},
    {TIME("read.local", read_ns[SPOT_SITE_LOCAL]), 0, 0.1, 0.001},
    {TIME("open.remote", open_ns[SPOT_SITE_REMOTE]), 0, 0.1, 0.003},
    {TIME("read.remote", read_ns[SPOT_SITE_REMOTE]), 0, 0.1, 0.001},
};

static int64_t whole_ns(double s)
{
    return llround(s * 1e9);
}

/* ---- Points ---- */

spot_site_t spot_loader_fit_site(const char *mode)
{
    return strcmp(mode, "local") == 0 ? SPOT_SITE_LOCAL : SPOT_SITE_REMOTE;
}

static void add_points(fit_t *self, const spot_measured_runs_t *measured)
{
    const spot_site_t site = spot_loader_fit_site(measured->mode);

    for (size_t j = 0; !self->is_predictive && j < measured->num_rows; j++) {
        const spot_measured_row_t *row = &measured->rows[j];

        SPOT_ARRAY_PUSH(self, points,
            (point_t){&row->mean, row->kind, site, false, 0, llround(row->mean.threads),
                llround(row->mean.block), row->sim_s, 1, row->mean.completion_s, 0, 0});
    }
    for (size_t j = 0; self->is_predictive && j < measured->num_runs; j++) {
        const spot_measured_run_t *run = &measured->runs[j];
        point_t point = {NULL, run->kind, site, false, run->run, llround(run->figures.threads),
            llround(run->figures.true_block), run->sim_s, 1, run->figures.completion_s, 0, 0};

        SPOT_ARRAY_PUSH(self, points, point);
        point.is_probe = true;
        point.weight = 1 / sqrt((double) run->num_probes);
        for (size_t k = 0; k < run->num_probes; k++) {
            point.threads = run->probes[k].threads;
            point.block = run->probes[k].block;
            point.measured_s = run->probes[k].completion_s;
            SPOT_ARRAY_PUSH(self, points, point);
        }
    }
}

static double predict(fit_t *self, const point_t *point)
{
    const spot_measured_figures_t *row = point->row;
    spot_loader_t loader = self->loader;
    spot_loader_cost_t *cost = &loader.cost;
    spot_loader_work_t work = {cost->collate_batch, loader.samples, point->sim_s};
    spot_loader_prediction_t prediction = {.completion_s = 0};

    loader.threads = point->threads;
    loader.block = point->block;
    loader.local_share = point->site == SPOT_SITE_LOCAL;
    if (point->is_probe) {
        work.samples = (work.samples + 1) / 2; /* as the published search does */
    }
    if (row != NULL) { /* its times are of samples, merged or not */
        const int64_t merged_ns = loader.block > 1 ? cost->merged_ns : 0;

        work.samples = llround(row->num_batches) * work.batch;
        work.compute_s = row->compute_s;
        cost->compute_ns = 0;
        cost->read_ns[point->site] = whole_ns(row->io_s);
        cost->decode_ns =
            whole_ns(fmax(row->io_s + row->processing_s + 1e-9 * (double) merged_ns, 0));
        loader.block = 1;
    }
    self->error = spot_error_first(self->error, spot_loader_predict(&prediction, &loader, &work));
    return prediction.completion_s;
}

/* ---- Least squares ---- */

/* Constants are sines of what is searched, which keeps them within their bounds. */
static double start_of(const constant_t *constant)
{
    const double range = constant->high - constant->low;

    return asin(2 * (constant->start - constant->low) / range - 1);
}

static void set_costs(fit_t *self, const gsl_vector *x)
{
    spot_loader_cost_t *cost = &self->loader.cost;

    for (size_t j = 0; j < self->num_constants; j++) {
        const constant_t *constant = self->constants[j];
        const double share = (1 + sin(gsl_vector_get(x, j))) / 2;
        void *place = (char *) cost + constant->offset;

        self->values[j] = (constant->is_time ? self->scale : 1) *
                          (constant->low + (constant->high - constant->low) * share);
        if (constant->is_time) {
            *(int64_t *) place = whole_ns(self->values[j]);
        } else {
            *(double *) place = self->values[j];
        }
    }
    if (cost->merged_ns < -cost->decode_ns) {
        cost->merged_ns = -cost->decode_ns;
    }
}

static int find_residuals(const gsl_vector *x, void *context, gsl_vector *residuals)
{
    fit_t *self = context;
    const double ridge = self->is_predictive ? RIDGE : 0;

    set_costs(self, x);
    for (size_t j = 0; j < self->num_points; j++) {
        const point_t *point = &self->points[j];
        const double weight = point->run == self->left_out ? 0 : point->weight;

        gsl_vector_set(residuals, j, weight * (predict(self, point) / point->measured_s - 1));
    }
    for (size_t j = 0; j < self->num_constants; j++) {
        gsl_vector_set(residuals, self->num_points + j,
            ridge * (gsl_vector_get(x, j) - start_of(self->constants[j])));
    }
    return GSL_SUCCESS;
}

/* Finds the costs without the runs of a number, then predicts these, if enough is left;
 * below 0: with all, and predicts all. */
static void fit_without(fit_t *self, int left_out)
{
    gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_fdf system = {.f = find_residuals,
        .n = self->num_points + self->num_constants,
        .p = self->num_constants,
        .params = self};
    double starts[MAX_CONSTANTS];
    gsl_vector_view x = gsl_vector_view_array(starts, system.p);
    gsl_multifit_nlinear_workspace *work;
    size_t num_kept = 0;
    int info;

    parameters.h_df = 1e-3; /* costs are whole nanoseconds */
    parameters.fdtype = GSL_MULTIFIT_NLINEAR_CTRDIFF;
    work = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, system.n, system.p);
    self->left_out = left_out;
    for (size_t j = 0; j < system.p; j++) {
        starts[j] = start_of(self->constants[j]);
    }
    if (work == NULL || gsl_multifit_nlinear_init(&x.vector, &system, work) != 0) {
        self->error = SPOT_ERR_NO_MEMORY;
    } else {
        /* Without progress it ends at the best so far. */
        (void) gsl_multifit_nlinear_driver(200, 1e-9, 1e-9, 0, NULL, NULL, &info, work);
        set_costs(self, gsl_multifit_nlinear_position(work));
    }
    gsl_multifit_nlinear_free(work); /* takes NULL */
    for (size_t j = 0; j < self->num_points; j++) {
        num_kept += self->points[j].run != left_out;
    }
    for (size_t j = 0; j < self->num_points; j++) {
        point_t *point = &self->points[j];

        if (left_out < 0) {
            point->predicted_s = predict(self, point);
        } else if (point->run == left_out) {
            point->left_out_s =
                num_kept < self->num_constants ? (double) NAN : predict(self, point);
        }
    }
}

/* ---- The fit ---- */

/* The law of y = time / mean of the run: its cv by moments, its form by likelihood. */
static void find_law(
    const spot_moments_t *y, const spot_moments_t *logs, const char **law, double *cv)
{
    const double num = (double) y->num_values, mean = logs->mean;
    double k, variance, lognormal, gamma;

    *cv = fmin(MAX_CV, fmax(MIN_CV, sqrt(y->sum_squares / num)));
    k = 1 / (*cv * *cv);
    variance = log1p(*cv * *cv);
    lognormal = -mean - log(2 * M_PI * variance) / 2 -
                (logs->sum_squares / num + pow(mean + variance / 2, 2)) / variance / 2;
    gamma = (k - 1) * mean - k + k * log(k) - lgamma(k);
    /* A time of 0 is likelier of gamma. */
    *law = lognormal > gamma && logs->num_values == y->num_values ? "lognormal" : "gamma";
}

/* Sets what is taken as it was measured: samples, and costs in the form three. Returns
 * the number of mean rows of the baseline. */
static double measure(fit_t *self, const spot_measured_runs_t *measured)
{
    spot_loader_cost_t *cost = &self->loader.cost;
    double samples = 0, batches = 0, read_s = 0, decode_s = 0, added_s = 0, num = 0;

    for (size_t j = 0; j < measured->num_rows; j++) {
        const spot_measured_figures_t *mean = &measured->rows[j].mean;

        samples = fmax(samples, mean->samples);
        batches = fmax(batches, mean->num_batches);
        if (measured->rows[j].kind == SPOT_KIND_BASELINE && mean->is_merged == 0) {
            read_s += mean->io_per_sample_s;
            decode_s += mean->decode_per_sample_s;
            added_s += mean->compute_s - measured->rows[j].sim_s;
            num++;
        }
        if (self->is_predictive) {
            self->scale = fmax(self->scale, mean->completion_s);
        }
    }
    self->is_thinned = samples < 0.9 * (batches - 1) * (double) measured->batch;
    self->loader.samples = self->is_thinned ? llround(batches) * measured->batch : llround(samples);
    cost->read_ns[SPOT_SITE_LOCAL] = cost->read_ns[SPOT_SITE_REMOTE] = whole_ns(read_s / num);
    cost->decode_ns = whole_ns(decode_s / num);
    cost->compute_ns = whole_ns(fmax(added_s / num, 0));
    for (int j = 0; j < 2; j++) {
        find_law(&measured->spread[j], &measured->log_spread[j], &self->laws[j], &self->cvs[j]);
    }
    return num;
}

int spot_loader_fit(spot_loader_fit_t *self, bool is_predictive, size_t num_measured,
    const spot_measured_runs_t *measured, int64_t samples)
{
    const spot_site_t site = spot_loader_fit_site(measured->mode);
    spot_loader_cost_t *cost = &self->loader.cost;
    bool has_site[SPOT_NUM_SITES] = {false, false};

    *self = (fit_t){.is_predictive = is_predictive,
        .scale = 1,
        .loader = {.processes = measured->processes,
            .prefetch = 2,
            .threads = 1,
            .block = 1,
            .deal = is_predictive ? SPOT_LOADER_DEAL_SAMPLES : SPOT_LOADER_DEAL_BATCHES,
            .cost = {.collate_batch = measured->batch,
                .handover_ns = 7000000,
                .half_block = 1,
                .exponent = 1}}};
    if (measure(self, measured) == 0) {
        return SPOT_ERR_BAD_PARAM;
    }
    self->loader.samples = samples > 0 ? samples : self->loader.samples;
    for (size_t j = 0; j < num_measured; j++) {
        add_points(self, &measured[j]);
        has_site[spot_loader_fit_site(measured[j].mode)] = true;
    }
    for (size_t j = 0; j < (is_predictive ? MAX_CONSTANTS : NUM_THREE); j++) {
        if (j < NUM_COMMON || has_site[(j - NUM_COMMON) / 2]) {
            self->constants[self->num_constants++] = &constants[j];
        }
    }
    if (self->error != 0 || self->num_points < self->num_constants) {
        return spot_error_first(self->error, SPOT_ERR_BAD_PARAM);
    }
    for (size_t j = 0; is_predictive && j < self->num_points; j++) {
        if (self->points[j].left_out_s == 0) {
            fit_without(self, self->points[j].run);
        }
    }
    fit_without(self, -1);
    if (is_predictive && !has_site[!site]) { /* it is as the other one */
        cost->open_ns[!site] = cost->open_ns[site];
        cost->read_ns[!site] = cost->read_ns[site];
    }
    return self->error;
}

void spot_loader_fit_free(spot_loader_fit_t *self)
{
    free(self->points);
    memset(self, 0, sizeof(*self));
}

/* ---- What it is worth ---- */

void spot_loader_fit_errors(
    const spot_loader_fit_t *self, bool is_probe, bool is_left_out, double *mean, double *max)
{
    double sum = 0, num = 0;

    *max = (double) NAN;
    for (size_t j = 0; j < self->num_points; j++) {
        const point_t *point = &self->points[j];
        const double predicted_s = is_left_out ? point->left_out_s : point->predicted_s;

        if (point->is_probe == is_probe) {
            sum += fabs(predicted_s / point->measured_s - 1);
            *max = fmax(*max, fabs(predicted_s / point->measured_s - 1));
            num++;
        }
    }
    *mean = sum / num;
}

double spot_loader_fit_percent(const spot_loader_fit_t *self, spot_site_t site, double sim_s)
{
    spot_moments_t batches_per_s[SPOT_NUM_KINDS] = {0};

    for (size_t j = 0; j < self->num_points; j++) {
        const point_t *point = &self->points[j];

        if (!point->is_probe && point->site == site && point->sim_s == sim_s) {
            spot_moments_add(&batches_per_s[point->kind], 1 / point->predicted_s);
        }
    }
    return 100 * (batches_per_s[SPOT_KIND_OURS].mean / batches_per_s[SPOT_KIND_BASELINE].mean - 1);
}
