/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of measured runs: how they follow from arrays, their means, improvements. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#include "models/loader/loader.h"
#include "models/loader/measured.h"

#define MIN_RUNS 3               /* that a mean should have */
#define MAX_PERIODIC_WAITS 20000 /* of more a period is not looked for */

/* NAN where it is undefined. */
static double ratio(double dividend, double divisor)
{
    return divisor > 0 ? dividend / divisor : (double) NAN;
}

/* Whether waits repeat, as published: they are standardised, and of their
 * autocorrelation sums over all lags the largest is above mean + 2 standard deviations.
 * It finds a period, which need not be a stall. */
static void find_period(
    const spot_measured_run_t *run, const spot_moments_t *waits, spot_measured_figures_t *figures)
{
    spot_moments_t sums = {0};
    double largest = (double) -INFINITY, deviation;

    figures->is_periodic = figures->periodic_lag =
        run->num_waits > MAX_PERIODIC_WAITS ? (double) NAN : 0;
    if (waits->sum_squares <= 0 || run->num_waits > MAX_PERIODIC_WAITS) {
        return;
    }
    for (size_t lag = 1; lag < run->num_waits; lag++) {
        double sum = 0;

        for (size_t j = lag; j < run->num_waits; j++) {
            sum += (run->waits[j] - waits->mean) * (run->waits[j - lag] - waits->mean);
        }
        sum /= waits->sum_squares;
        spot_moments_add(&sums, sum);
        if (sum > largest) {
            largest = sum;
            figures->periodic_lag = (double) lag;
        }
    }
    /* that of all sums, as numpy.std is: not of a sample */
    deviation = sqrt(sums.sum_squares / (double) sums.num_values);
    figures->is_periodic = largest > sums.mean + 2 * deviation ? 1 : 0;
}

void spot_measured_derive(spot_measured_run_t *run, const spot_measured_arrays_t *arrays,
    int64_t batch, int64_t processes)
{
    const double samples = (double) arrays->processing.num_values;
    const double io_entries = (double) arrays->io.num_values;
    const double block = (double) arrays->setting.block;
    const double load_s = arrays->waits.mean, compute_s = arrays->computes.mean;
    const double processing_s = arrays->processing.mean;
    const double io_per_sample_s = arrays->io.mean * (io_entries / samples);
    const double steady_s =
        spot_loader_steady_wait_s(run->waits, (int64_t) run->num_waits, processes);
    const double stall_share = ratio(steady_s, steady_s + compute_s);
    const bool is_merged = io_entries != samples;

    run->figures = (spot_measured_figures_t){
        .threads = (double) arrays->setting.threads,
        .block = block,
        .io_s = arrays->io.mean / block,
        .processing_s = processing_s - arrays->io.mean / block,
        .load_s = load_s,
        .compute_s = compute_s,
        .completion_s = load_s + compute_s,
        .memory_mib = arrays->memory_mib,
        .throughput = ratio((double) batch, load_s + compute_s),
        .num_batches = (double) run->num_waits,
        .samples = samples,
        .io_entries = io_entries,
        .true_block = is_merged ? block : 1,
        .io_per_sample_s = io_per_sample_s,
        .decode_per_sample_s = is_merged ? (double) NAN : processing_s,
        .future_wait_per_sample_s = is_merged ? processing_s : (double) NAN,
        .worker_per_sample_s = io_per_sample_s + processing_s,
        .fill_s = run->waits[0],
        .steady_load_s = steady_s,
        .steady_completion_s = steady_s + compute_s,
        .steady_throughput = ratio((double) batch, steady_s + compute_s),
        .stall_share = stall_share,
        .is_merged = is_merged,
        .is_stalled = isnan(stall_share) ? (double) NAN : stall_share > SPOT_LOADER_STALLED,
    };
    find_period(run, &arrays->waits, &run->figures);
}

/* ---- Means over runs ---- */

/* Of the figure at that offset, over the runs that have it. */
static spot_moments_t moments_of(const spot_measured_row_t *row, size_t offset)
{
    spot_moments_t moments = {0};

    for (size_t j = 0; j < row->num_runs; j++) {
        double value;

        memcpy(&value, (const char *) &row->runs[j].figures + offset, sizeof(value));
        if (isfinite(value)) {
            spot_moments_add(&moments, value);
        }
    }
    return moments;
}

static void fill_row(spot_measured_row_t *row, int64_t batch)
{
    spot_measured_figures_t *mean = &row->mean;

    for (size_t offset = 0; offset < sizeof(*mean); offset += sizeof(double)) {
        const spot_moments_t moments = moments_of(row, offset);
        double value = spot_moments_mean(&moments);

        if (offset >= offsetof(spot_measured_figures_t, is_merged)) {
            value *= (double) moments.num_values;
        }
        memcpy((char *) mean + offset, &value, sizeof(value));
    }
    row->throughput_of_means = ratio((double) batch, mean->completion_s);
}

static double percent_more(double value, double base)
{
    return 100 * ratio(value - base, base);
}

static void improve(spot_measured_row_t *ours, const spot_measured_row_t *base)
{
    const size_t offset = offsetof(spot_measured_figures_t, throughput);
    const spot_moments_t x = moments_of(ours, offset), y = moments_of(base, offset);
    const double a = pow(spot_moments_stderr(&x), 2);
    const double b = pow(spot_moments_stderr(&y), 2);
    spot_improvement_t *self = &ours->improvement;

    self->percent = percent_more(ours->mean.throughput, base->mean.throughput);
    self->percent_of_means = percent_more(ours->throughput_of_means, base->throughput_of_means);
    self->percent_steady = percent_more(ours->mean.steady_throughput, base->mean.steady_throughput);
    self->merged_runs = ours->mean.is_merged;
    /* Welch, Biometrika 34, 1947. */
    self->welch_t = ratio(x.mean - y.mean, sqrt(a + b));
    self->welch_df = ratio((a + b) * (a + b),
        a * a / (double) (x.num_values - 1) + b * b / (double) (y.num_values - 1));
    self->welch_p = isfinite(self->welch_t) && isfinite(self->welch_df)
                        ? 2 * gsl_cdf_tdist_Q(fabs(self->welch_t), self->welch_df)
                        : (double) NAN;
}

/* Joins the kinds by sim, and reports what means lack. */
static void join(
    const spot_measured_runs_t *self, spot_measured_row_t *row, const char *root, spot_diag_t *diag)
{
    const char *kind = spot_measured_kind_names[row->kind];
    const spot_measured_row_t *partner = NULL;

    for (size_t j = 0; j < self->num_rows; j++) {
        if (self->rows[j].kind != row->kind && self->rows[j].sim_s == row->sim_s) {
            partner = &self->rows[j];
        }
    }
    if (partner == NULL) {
        spot_diag_warn(diag, root, 0, 0,
            "%s alone has runs at sim %.6g s, which gives no improvement", kind, row->sim_s);
    } else if (row->kind == SPOT_KIND_OURS) {
        improve(row, partner);
        row->base = partner;
    }
    if (row->num_runs < MIN_RUNS) {
        spot_diag_warn(diag, root, 0, 0, "%s has fewer than %d runs at sim %.6g s: %zu", kind,
            MIN_RUNS, row->sim_s, row->num_runs);
    }
}

int spot_measured_runs_summarise(spot_measured_runs_t *self, const char *root, spot_diag_t *diag)
{
    size_t least = self->runs[0].num_waits, most = least;

    if (SPOT_ARRAY_ROOM(self, rows, self->num_runs) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->num_runs; j++) {
        const spot_measured_run_t *run = &self->runs[j];

        if (j == 0 || run->kind != run[-1].kind || run->sim_s != run[-1].sim_s) {
            self->rows[self->num_rows++] =
                (spot_measured_row_t){.kind = run->kind, .sim_s = run->sim_s, .runs = run};
        }
        self->rows[self->num_rows - 1].num_runs++;
        least = run->num_waits < least ? run->num_waits : least;
        most = run->num_waits > most ? run->num_waits : most;
    }
    for (size_t j = 0; j < self->num_rows; j++) {
        fill_row(&self->rows[j], self->batch);
    }
    for (size_t j = 0; j < self->num_rows; j++) {
        join(self, &self->rows[j], root, diag);
    }
    if (least < most) {
        spot_diag_warn(diag, root, 0, 0, "runs have from %zu to %zu batches", least, most);
    }
    return 0;
}
