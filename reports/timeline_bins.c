/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/timeline_bins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The end of a row of levels: the start of the next one, or of nothing. */
static double
row_end_ms(const spot_run_series_t *run, size_t row_id)
{
    return row_id + 1 < run->levels->num_rows ? spot_run_time_ms(run->levels, row_id + 1)
                                              : run->end_ms;
}

static double
total_height(const spot_run_series_t *run, size_t row_id)
{
    double total = 0;

    for (size_t j = 0; j < run->num_levels; j++) {
        total += spot_run_value(run->levels, row_id, j + 1);
    }
    return total;
}

static void
copy_rows(spot_timeline_bins_t *self, const spot_run_series_t *run)
{
    for (size_t j = 0; j < run->levels->num_rows; j++) {
        const double start_ms = spot_run_time_ms(run->levels, j);
        spot_timeline_bin_t *bin = &self->bins[self->num_bins];

        if (row_end_ms(run, j) > start_ms) {
            bin->start_ms = start_ms;
            bin->peak = total_height(run, j);
            bin->dip = bin->peak;
            for (size_t k = 0; k < run->num_levels; k++) {
                bin->heights[k] = spot_run_value(run->levels, j, k + 1);
            }
            self->num_bins++;
        }
    }
}

/* Adds to a bin what a row holds for share of the bin's time. */
static void
blend(
    spot_timeline_bin_t *bin, const spot_run_series_t *run, size_t row_id, double share)
{
    const double total = total_height(run, row_id);

    for (size_t k = 0; k < run->num_levels; k++) {
        bin->heights[k] += spot_run_value(run->levels, row_id, k + 1) * share;
    }
    bin->peak = fmax(bin->peak, total);
    bin->dip = fmin(bin->dip, total);
}

static void
average_rows(spot_timeline_bins_t *self, const spot_run_series_t *run, size_t num_bins)
{
    const double bin_ms = run->end_ms / (double) num_bins;
    size_t bin_id = 0;

    self->num_bins = num_bins;
    for (size_t j = 0; j < num_bins; j++) {
        self->bins[j].start_ms = (double) j * bin_ms;
        self->bins[j].dip = (double) INFINITY;
    }
    for (size_t j = 0; j < run->levels->num_rows; j++) {
        double from_ms = spot_run_time_ms(run->levels, j);
        const double to_ms = row_end_ms(run, j);

        while (from_ms < to_ms && bin_id < num_bins) {
            const double bin_end_ms = (double) (bin_id + 1) * bin_ms;
            const double until_ms = fmin(to_ms, bin_end_ms);

            if (until_ms > from_ms) { /* not before the first row */
                blend(&self->bins[bin_id], run, j, (until_ms - from_ms) / bin_ms);
                from_ms = until_ms;
            }
            bin_id += until_ms == bin_end_ms;
        }
    }
    for (size_t j = 0; j < num_bins; j++) {
        self->bins[j].dip = fmin(self->bins[j].dip, self->bins[j].peak);
    }
}

static void
sum_up(spot_timeline_bins_t *self, const spot_run_series_t *run)
{
    for (size_t j = 0; j < self->num_bins; j++) {
        self->peak = fmax(self->peak, self->bins[j].peak);
    }
    for (size_t j = 0; j < run->levels->num_rows; j++) {
        const double length_ms = row_end_ms(run, j) - spot_run_time_ms(run->levels, j);

        for (size_t k = 0; k < run->num_levels; k++) {
            self->shares[k] += spot_run_value(run->levels, j, k + 1) * length_ms;
        }
    }
    for (size_t k = 0; k < run->num_levels; k++) {
        self->area += self->shares[k];
    }
    for (size_t k = 0; self->area > 0 && k < run->num_levels; k++) {
        self->shares[k] /= self->area;
    }
}

int
spot_timeline_bins_init(
    spot_timeline_bins_t *self, const spot_run_series_t *run, size_t max_bins)
{
    const size_t num_rows = run->levels == NULL ? 0 : run->levels->num_rows;
    const size_t num_bins = num_rows > max_bins ? max_bins : num_rows;
    double *heights = NULL;

    memset(self, 0, sizeof(*self));
    self->is_thinned = num_rows > max_bins;
    self->bins = spot_calloc(num_bins, sizeof(*self->bins));
    self->shares = spot_calloc((num_bins + 1) * run->num_levels, sizeof(*self->shares));
    if (self->bins == NULL || self->shares == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    heights = self->shares + run->num_levels;
    for (size_t j = 0; j < num_bins; j++) {
        self->bins[j].heights = heights + j * run->num_levels;
    }
    if (self->is_thinned) {
        average_rows(self, run, max_bins);
    } else if (num_rows > 0) {
        copy_rows(self, run);
    }
    if (num_rows > 0) {
        sum_up(self, run);
    }
    return 0;
}

void
spot_timeline_bins_free(spot_timeline_bins_t *self)
{
    free(self->bins);
    free(self->shares);
    memset(self, 0, sizeof(*self));
}

/* The bin of an instant; the end belongs to the last one. */
static size_t
bin_at(const spot_run_series_t *run, double time_ms, size_t num_bins)
{
    const double place = time_ms * (double) num_bins / run->end_ms;

    return (size_t) fmax(fmin(place, (double) (num_bins - 1)), 0);
}

size_t
spot_timeline_bin_marks(const spot_run_series_t *run, int32_t mark_kind, size_t num_bins,
    spot_timeline_mark_bin_t *bins)
{
    const size_t num_rows = run->events == NULL ? 0 : run->events->num_rows;
    size_t num_marks = 0;

    memset(bins, 0, num_bins * sizeof(*bins));
    for (size_t j = 0; j < num_rows; j++) {
        if (run->mark_kinds[j] == mark_kind) {
            const double time_ms = spot_run_time_ms(run->events, j);
            spot_timeline_mark_bin_t *bin = &bins[bin_at(run, time_ms, num_bins)];

            if (bin->num_marks++ == 0) {
                bin->first_ms = time_ms;
            }
            bin->count += (int64_t) spot_run_value(run->events, j, 2);
            num_marks++;
        }
    }
    return num_marks;
}
