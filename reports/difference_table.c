/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/difference_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "reports/mean_table.h"
#include "reports/text_cell.h"
#include "reports/value_label.h"
#include "sim/store/difference.h"
#include "sim/store/point_groups.h"
#include "sim/store/summary.h"

/* Beyond this gain the differences of a point are all the same but for rounding. */
#define MAX_GAIN 1e9

/* Widths up to this ratio are shown as the same. */
#define SAME_RATIO 1.005

typedef struct {
    const spot_study_head_t *head;
    FILE *out;
    size_t *base_ids;        /* [num_points] or SPOT_NO_POINT */
    spot_paired_t *pairs;    /* [num_points][num_metrics] */
    spot_mean_cell_t *cells; /* [num_points][num_listed] */
    double *gains;           /* [num_points * num_listed] room for those of a line */
    int64_t fewest, most;    /* pairs of a point */
    bool has_marks;
    bool has_notes;
} differences_t;

static const spot_paired_t *
pair_at(const differences_t *self, size_t point_id, size_t metric_id)
{
    return &self->pairs[point_id * self->head->num_metrics + metric_id];
}

/* What others are compared with has no difference to show. */
static bool
is_baseline(const spot_study_head_t *head, size_t point_id)
{
    return spot_study_value_id(head, point_id, head->baseline_axis_id) ==
           head->baseline_value_id;
}

static void
fill_cells(differences_t *self)
{
    const spot_study_head_t *head = self->head;

    for (size_t j = 0; j < head->num_points; j++) {
        for (size_t k = 0; k < head->num_listed; k++) {
            const spot_paired_t *pair = pair_at(self, j, k);
            spot_mean_cell_t *cell = &self->cells[j * head->num_listed + k];

            if (is_baseline(head, j)) {
                *cell = SPOT_MEAN_CELL_LEFT_OUT;
                continue;
            }
            cell->mean = spot_paired_mean(pair);
            cell->half_width = spot_paired_half_width(pair, SPOT_CONFIDENCE);
            cell->is_marked = fabs(cell->mean) > cell->half_width;
            self->has_marks = self->has_marks || cell->is_marked;
        }
    }
}

static void
count_pairs(differences_t *self)
{
    self->fewest = INT64_MAX;
    for (size_t j = 0; j < self->head->num_points; j++) {
        if (!is_baseline(self->head, j) && self->base_ids[j] != SPOT_NO_POINT) {
            const int64_t num = spot_paired_num_pairs(pair_at(self, j, 0));

            self->fewest = num < self->fewest ? num : self->fewest;
            self->most = num > self->most ? num : self->most;
        }
    }
}

/* "difference to job.pipeline_depth = 16: mean of 256 to 9984 pairs of replications"; a
 * mean of one pair is none. */
static void
write_title(const differences_t *self)
{
    const spot_study_head_t *head = self->head;
    const spot_axis_t *axis = &head->axes[head->baseline_axis_id];
    char label[SPOT_VALUE_LABEL_BYTES];

    fprintf(self->out, "\ndifference to %s = %s", axis->path,
        spot_value_label(axis, head->baseline_value_id, label));
    if (self->most == 1) {
        fprintf(self->out, " in the same %s\n",
            head->keep == SPOT_KEEP_ROWS ? "replication" : "batch of replications");
        return;
    }
    fputs(": mean of ", self->out);
    if (self->fewest < self->most) {
        fprintf(self->out, "%" PRId64 " to ", self->fewest);
    }
    fprintf(self->out, "%" PRId64 " pairs of %s\n", self->most,
        head->keep == SPOT_KEEP_ROWS ? "replications" : "batches");
}

/* Notes have an empty line before the first of them. */
static FILE *
begin_note(differences_t *self)
{
    if (!self->has_notes) {
        fputc('\n', self->out);
        self->has_notes = true;
    }
    return self->out;
}

/* Points without a partner, which where: or a list of points has left out. */
static void
write_alone(differences_t *self)
{
    const spot_study_head_t *head = self->head;
    const spot_axis_t *axis = &head->axes[head->baseline_axis_id];
    char label[SPOT_VALUE_LABEL_BYTES];
    size_t num_alone = 0, num_others = 0;

    for (size_t j = 0; j < head->num_points; j++) {
        num_alone += self->base_ids[j] == SPOT_NO_POINT;
        num_others += !is_baseline(head, j);
    }
    if (num_alone > 0) {
        fprintf(begin_note(self),
            "%zu of %zu points have no point with %s = %s to be compared with\n",
            num_alone, num_others, axis->path,
            spot_value_label(axis, head->baseline_value_id, label));
    }
}

/* What is to be known of the cells. */
static void
write_notes(differences_t *self)
{
    const spot_study_head_t *head = self->head;

    write_alone(self);
    if (self->has_marks) {
        fputs("* 0 is outside of the interval; where nothing differs, chance does that "
              "in 1 of 20\n",
            begin_note(self));
    }
    if (head->keep == SPOT_KEEP_SUMMARIES && self->fewest < 2) {
        fprintf(begin_note(self),
            "no interval from fewer than 2 batches of %d replications: use more of "
            "them, or "
            "keep: rows\n",
            SPOT_BATCH_SUMMARISED);
    }
    for (size_t k = 0; k < head->num_listed; k++) {
        int64_t num_pairs = 0, num_left_out = 0;

        for (size_t j = 0; j < head->num_points; j++) {
            num_pairs += spot_paired_num_pairs(pair_at(self, j, k));
            num_left_out += pair_at(self, j, k)->num_left_out;
        }
        if (num_left_out > 0) {
            fprintf(begin_note(self),
                "null in %" PRId64 " of %" PRId64 " pairs: %s; its differences are of "
                "the others\n",
                num_left_out, num_pairs, head->metrics[k].name);
        }
    }
}

/* Puts the gains of metrics into self->gains, sorted; *num_exact are those of
 * differences that are all the same. Those without spread are none. */
static size_t
sort_gains(differences_t *self, size_t first_id, size_t end_id, size_t *num_exact)
{
    size_t num_gains = 0;

    *num_exact = 0;
    for (size_t j = 0; j < self->head->num_points; j++) {
        for (size_t k = first_id; k < end_id; k++) {
            const double gain = spot_paired_gain(pair_at(self, j, k), SPOT_CONFIDENCE);

            if (gain > MAX_GAIN) {
                (*num_exact)++;
            } else if (!isnan(gain)) {
                self->gains[num_gains++] = gain;
            }
        }
    }
    spot_sort(self->gains, num_gains);
    return num_gains;
}

/* "paired intervals are 2.63 times narrower than unpaired ones ...". */
static void
write_overall_gain(differences_t *self, size_t num_gains)
{
    const double median = spot_quantile(self->gains, num_gains, 0.5);
    const double ratio = median < 1 ? 1 / median : median;

    fputs("paired intervals are ", begin_note(self));
    if (ratio < SAME_RATIO) {
        fputs("as wide as", self->out);
    } else {
        fprintf(self->out, ratio < 100 ? "%.2f times %s than" : "%.3g times %s than",
            ratio, median < 1 ? "wider" : "narrower");
    }
    fprintf(self->out, " unpaired ones of the same replications (median of %zu):\n",
        num_gains);
}

/* "2.81 (2.60 to 4.27)". */
static void
write_metric_gain(const differences_t *self, size_t num_gains, size_t num_exact)
{
    if (num_gains > 0) {
        fprintf(self->out, "%.2f", spot_quantile(self->gains, num_gains, 0.5));
    }
    if (num_gains > 1) {
        fprintf(
            self->out, " (%.2f to %.2f)", self->gains[0], self->gains[num_gains - 1]);
    }
    if (num_gains > 0 && self->gains[0] <= 1 / SAME_RATIO) {
        fputs(", wider where below 1", self->out);
    }
    if (num_exact > 0) {
        fprintf(self->out, "%sthe same difference in all pairs of %zu point%s",
            num_gains > 0 ? "; " : "", num_exact, num_exact == 1 ? "" : "s");
    } else if (num_gains == 0) {
        fputs("-", self->out);
    }
    fputc('\n', self->out);
}

/* Nothing, if no point has an interval to compare. */
static void
write_gains(differences_t *self)
{
    const spot_study_head_t *head = self->head;
    size_t num_exact, num_gains = sort_gains(self, 0, head->num_listed, &num_exact);
    int name_width = 0;

    if (num_gains == 0) {
        return;
    }
    write_overall_gain(self, num_gains);
    for (size_t j = 0; j < head->num_listed; j++) {
        spot_text_widen(&name_width, head->metrics[j].name);
    }
    for (size_t j = 0; j < head->num_listed; j++) {
        num_gains = sort_gains(self, j, j + 1, &num_exact);
        fprintf(self->out, "%*s  ", name_width, head->metrics[j].name);
        write_metric_gain(self, num_gains, num_exact);
    }
}

int
spot_difference_table_write(
    const spot_store_t *store, const spot_terminal_t *terminal, FILE *out)
{
    const spot_study_head_t *head = store->head;
    const size_t num_cells = head->num_points * head->num_listed;
    differences_t self = {.head = head, .out = out};
    spot_mean_table_t table = {.head = head, .terminal = terminal};
    int ret = spot_store_differences(store, &self.pairs);

    ret = ret == 0 ? spot_baseline_points(head, &self.base_ids) : ret;
    self.cells = spot_calloc(num_cells, sizeof(*self.cells));
    self.gains = spot_calloc(num_cells, sizeof(*self.gains));
    if (ret == 0 && (self.cells == NULL || self.gains == NULL)) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0) {
        fill_cells(&self);
        table.cells = self.cells;
        count_pairs(&self);
        write_title(&self);
        ret = spot_mean_table_write(&table, out);
        write_notes(&self);
        write_gains(&self);
    }
    free(self.gains);
    free(self.cells);
    free(self.base_ids);
    free(self.pairs);
    return ret;
}
