/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/mean_cell.h"

#include <inttypes.h>
#include <math.h>

spot_mean_cell_t
spot_mean_cell_of(const spot_summary_t *summary)
{
    return (spot_mean_cell_t){.mean = summary->value,
        .half_width = summary->half_width,
        .least = summary->least,
        .num_left_out = summary->num_nulls,
        .num_cut_off = summary->num_cut_off,
        .num_all = summary->num_values + summary->num_nulls,
        .is_heavy = summary->is_heavy};
}

/* A quantile or a probability has no tail. */
spot_mean_cell_t
spot_mean_cell_of_pair(const spot_metric_t *metric, const spot_paired_t *pair)
{
    const double mean = spot_paired_mean(pair);
    const double half_width = spot_paired_half_width(pair, SPOT_CONFIDENCE);

    return (spot_mean_cell_t){.mean = mean,
        .half_width = half_width,
        .num_left_out = pair->num_left_out,
        .num_all = spot_paired_num_pairs(pair),
        .is_marked = fabs(mean) > half_width,
        .is_heavy = spot_metric_estimator(metric) < SPOT_ESTIMATOR_PROBABILITY &&
                    spot_paired_is_heavy(pair)};
}

const char *
spot_mean_cell_count(const spot_mean_cell_t *self, char text[SPOT_DECIMAL_TEXT_BYTES])
{
    text[0] = '\0';
    if (self->num_left_out > 0 && isfinite(self->mean)) {
        snprintf(text, SPOT_DECIMAL_TEXT_BYTES, "(%" PRId64 " of %" PRId64 ")",
            self->num_all - self->num_left_out, self->num_all);
    } else if (self->num_cut_off > 0 && isfinite(self->mean)) {
        snprintf(text, SPOT_DECIMAL_TEXT_BYTES, "(%" PRId64 " of %" PRId64 " cut off)",
            self->num_cut_off, self->num_all);
    }
    return text;
}

/* The largest magnitude decides. */
spot_shown_unit_t
spot_mean_cells_unit(
    const spot_study_head_t *head, const spot_mean_cell_t *cells, size_t metric_id)
{
    double largest = 0;

    for (size_t j = 0; j < head->num_points; j++) {
        const spot_mean_cell_t *cell = &cells[j * head->num_listed + metric_id];

        largest = isfinite(cell->mean) ? fmax(largest, fabs(cell->mean))
                  : isinf(cell->mean)  ? fmax(largest, cell->least)
                                       : largest;
    }
    return spot_shown_unit(&head->metrics[metric_id], largest);
}

spot_mean_marks_t
spot_mean_cells_marks(const spot_study_head_t *head, const spot_mean_cell_t *cells)
{
    spot_mean_marks_t marks = {false, false, false};

    for (size_t j = 0; j < head->num_points * head->num_listed; j++) {
        marks.has_star = marks.has_star || cells[j].is_marked;
        marks.has_heavy = marks.has_heavy || cells[j].is_heavy;
        marks.has_open =
            marks.has_open || (isfinite(cells[j].mean) && isinf(cells[j].half_width));
    }
    return marks;
}
