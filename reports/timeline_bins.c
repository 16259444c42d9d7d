/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/timeline_bins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The end of a segment: the start of the next one, or of nothing. */
static int64_t
segment_end_ms(const spot_timeline_t *timeline, size_t segment_id)
{
    return segment_id + 1 < timeline->num_segments
               ? timeline->segments[segment_id + 1].start_ms
               : timeline->end_ms;
}

static double
total_height(const spot_timeline_t *timeline, const spot_timeline_segment_t *segment)
{
    double total = 0;

    for (size_t j = 0; j < timeline->num_categories; j++) {
        total += segment->heights[j];
    }
    return total;
}

static void
copy_segments(spot_timeline_bins_t *self, const spot_timeline_t *timeline)
{
    for (size_t j = 0; j < timeline->num_segments; j++) {
        const spot_timeline_segment_t *segment = &timeline->segments[j];
        spot_timeline_bin_t *bin = &self->bins[self->num_bins];

        if (segment_end_ms(timeline, j) > segment->start_ms) {
            bin->start_ms = (double) segment->start_ms;
            bin->peak = total_height(timeline, segment);
            bin->dip = bin->peak;
            memcpy(bin->heights, segment->heights, sizeof(bin->heights));
            self->num_bins++;
        }
    }
}

/* Adds to a bin what a segment holds for share of the bin's time. */
static void
blend(spot_timeline_bin_t *bin, const spot_timeline_t *timeline,
    const spot_timeline_segment_t *segment, double share)
{
    const double total = total_height(timeline, segment);

    for (size_t k = 0; k < timeline->num_categories; k++) {
        bin->heights[k] += segment->heights[k] * share;
    }
    bin->peak = fmax(bin->peak, total);
    bin->dip = fmin(bin->dip, total);
}

static void
average_segments(
    spot_timeline_bins_t *self, const spot_timeline_t *timeline, size_t num_bins)
{
    const double bin_ms = (double) timeline->end_ms / (double) num_bins;
    size_t bin_id = 0;

    self->num_bins = num_bins;
    for (size_t j = 0; j < num_bins; j++) {
        self->bins[j].start_ms = (double) j * bin_ms;
        self->bins[j].dip = (double) INFINITY;
    }
    for (size_t j = 0; j < timeline->num_segments; j++) {
        double from_ms = (double) timeline->segments[j].start_ms;
        const double to_ms = (double) segment_end_ms(timeline, j);

        while (from_ms < to_ms && bin_id < num_bins) {
            const double bin_end_ms = (double) (bin_id + 1) * bin_ms;
            const double until_ms = fmin(to_ms, bin_end_ms);

            blend(&self->bins[bin_id], timeline, &timeline->segments[j],
                (until_ms - from_ms) / bin_ms);
            bin_id += until_ms == bin_end_ms;
            from_ms = until_ms;
        }
    }
}

static void
sum_up(spot_timeline_bins_t *self, const spot_timeline_t *timeline)
{
    for (size_t j = 0; j < self->num_bins; j++) {
        self->peak = fmax(self->peak, self->bins[j].peak);
    }
    for (size_t j = 0; j < timeline->num_segments; j++) {
        const double length_ms =
            (double) (segment_end_ms(timeline, j) - timeline->segments[j].start_ms);

        for (size_t k = 0; k < timeline->num_categories; k++) {
            self->shares[k] += timeline->segments[j].heights[k] * length_ms;
        }
    }
    for (size_t k = 0; k < timeline->num_categories; k++) {
        self->area += self->shares[k];
    }
    for (size_t k = 0; self->area > 0 && k < timeline->num_categories; k++) {
        self->shares[k] /= self->area;
    }
}

int
spot_timeline_bins_init(
    spot_timeline_bins_t *self, const spot_timeline_t *timeline, size_t max_bins)
{
    memset(self, 0, sizeof(*self));
    self->is_thinned = timeline->num_segments > max_bins;
    self->bins = spot_calloc(
        self->is_thinned ? max_bins : timeline->num_segments, sizeof(*self->bins));
    if (self->bins == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (self->is_thinned) {
        average_segments(self, timeline, max_bins);
    } else {
        copy_segments(self, timeline);
    }
    sum_up(self, timeline);
    return 0;
}

void
spot_timeline_bins_free(spot_timeline_bins_t *self)
{
    free(self->bins);
    memset(self, 0, sizeof(*self));
}

/* The bin of an instant; the end belongs to the last one. */
static size_t
bin_at(const spot_timeline_t *timeline, int64_t time_ms, size_t num_bins)
{
    const double place =
        (double) time_ms * (double) num_bins / (double) timeline->end_ms;

    return (size_t) fmax(fmin(place, (double) (num_bins - 1)), 0);
}

size_t
spot_timeline_bin_marks(const spot_timeline_t *timeline, int32_t mark_kind,
    size_t num_bins, spot_timeline_mark_bin_t *bins)
{
    size_t num_marks = 0;

    memset(bins, 0, num_bins * sizeof(*bins));
    for (size_t j = 0; j < timeline->num_marks; j++) {
        const spot_timeline_mark_t *mark = &timeline->marks[j];

        if (mark->mark_kind == mark_kind) {
            spot_timeline_mark_bin_t *bin =
                &bins[bin_at(timeline, mark->time_ms, num_bins)];

            if (bin->num_marks++ == 0) {
                bin->first_ms = mark->time_ms;
            }
            bin->count += mark->count;
            num_marks++;
        }
    }
    return num_marks;
}
