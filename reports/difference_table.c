/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/difference_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "reports/mean_table.h"
#include "sim/store/difference.h"
#include "sim/store/summary.h"

#define RATIO_BYTES 48

/* Beyond this gain the differences of a point are all the same but for rounding. */
#define MAX_GAIN 1e9

typedef struct {
    const spot_study_head_t *head;
    FILE *out;
    spot_paired_t *pairs;    /* [num_points][num_metrics] */
    spot_mean_cell_t *cells; /* [num_points][num_listed] */
    double *gains;           /* [num_points * num_listed] room for those of a line */
    bool has_marks;
} differences_t;

static const spot_paired_t *
pair_at(const differences_t *self, size_t point_id, size_t metric_id)
{
    return &self->pairs[point_id * self->head->num_metrics + metric_id];
}

static void
fill_cells(differences_t *self)
{
    const spot_study_head_t *head = self->head;

    for (size_t j = 0; j < head->num_points; j++) {
        for (size_t k = 0; k < head->num_listed; k++) {
            const spot_paired_t *pair = pair_at(self, j, k);
            spot_mean_cell_t *cell = &self->cells[j * head->num_listed + k];

            cell->mean = spot_paired_mean(pair);
            cell->half_width = spot_paired_half_width(pair, SPOT_CONFIDENCE);
            cell->is_marked = fabs(cell->mean) > cell->half_width;
            self->has_marks = self->has_marks || cell->is_marked;
        }
    }
}

/* "difference to job.pipeline_depth = 16: mean of 256 to 9984 pairs of replications". */
static void
write_title(const differences_t *self, const spot_mean_table_t *table)
{
    const spot_study_head_t *head = self->head;
    const spot_axis_t *axis = &head->axes[head->baseline_axis_id];
    int64_t fewest = INT64_MAX, most = 0;
    char shown[SPOT_UTF8_SHOWN_BYTES];

    for (size_t j = 0; j < head->num_points; j++) {
        if (spot_mean_table_shows(table, j)) {
            const int64_t num = spot_paired_num_pairs(pair_at(self, j, 0));

            fewest = num < fewest ? num : fewest;
            most = num > most ? num : most;
        }
    }
    fprintf(self->out, "\ndifference to %s = %s", axis->path,
        spot_utf8_shown(axis->texts[head->baseline_value_id], shown));
    if (fewest < most) {
        fprintf(self->out, ": mean of %" PRId64 " to %" PRId64 " pairs", fewest, most);
    } else {
        fprintf(self->out, ": mean of %" PRId64 " pair%s", most, most == 1 ? "" : "s");
    }
    fprintf(self->out, " of %s\n",
        head->keep == SPOT_KEEP_ROWS ? "replications" : "batches");
}

/* What is to be known of the cells. */
static void
write_notes(const differences_t *self)
{
    const spot_study_head_t *head = self->head;

    if (self->has_marks) {
        fputs(
            "\n* 0 is outside of the interval; where nothing differs, chance does that "
            "in 1 of 20\n",
            self->out);
    }
    for (size_t k = 0; k < head->num_listed; k++) {
        int64_t num_pairs = 0, num_left_out = 0;

        for (size_t j = 0; j < head->num_points; j++) {
            num_pairs += spot_paired_num_pairs(pair_at(self, j, k));
            num_left_out += pair_at(self, j, k)->num_left_out;
        }
        if (num_left_out > 0) {
            fprintf(self->out,
                "null in %" PRId64 " of %" PRId64 " pairs: %s; its differences are of "
                "the others\n",
                num_left_out, num_pairs, head->metrics[k].name);
        }
    }
}

/* "3.10 times narrower". */
static void
ratio_text(double gain, char text[RATIO_BYTES])
{
    const double ratio = gain < 1 ? 1 / gain : gain;

    snprintf(text, RATIO_BYTES, ratio < 100 ? "%.2f times %s" : "%.3g times %s", ratio,
        gain < 1 ? "wider" : "narrower");
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

/* "3.10 times narrower (median of 10: 1.42 times narrower to 9.81 times narrower)", and
 * how many of the differences have no spread. */
static void
write_gains(differences_t *self, size_t first_id, size_t end_id)
{
    size_t num_exact;
    const size_t num_gains = sort_gains(self, first_id, end_id, &num_exact);
    char median[RATIO_BYTES], lowest[RATIO_BYTES], highest[RATIO_BYTES];

    if (num_gains > 0) {
        ratio_text(spot_quantile(self->gains, num_gains, 0.5), median);
        ratio_text(self->gains[0], lowest);
        ratio_text(self->gains[num_gains - 1], highest);
        fprintf(self->out, "%s", median);
        if (num_gains > 1) {
            fprintf(self->out, " (median of %zu: %s to %s)", num_gains, lowest, highest);
        }
    }
    if (num_exact > 0) {
        fprintf(self->out, "%s%zu the same in all pairs", num_gains > 0 ? "; " : "",
            num_exact);
    } else if (num_gains == 0) {
        fputs("no spread", self->out);
    }
    fputc('\n', self->out);
}

static void
write_all_gains(differences_t *self)
{
    const spot_study_head_t *head = self->head;
    size_t name_bytes = 0;

    fputs(
        "paired intervals against unpaired ones of the same replications: ", self->out);
    write_gains(self, 0, head->num_listed);
    for (size_t j = 0; j < head->num_listed; j++) {
        const size_t num_bytes = strlen(head->metrics[j].name);

        name_bytes = num_bytes > name_bytes ? num_bytes : name_bytes;
    }
    for (size_t j = 0; head->num_listed > 1 && j < head->num_listed; j++) {
        fprintf(self->out, "%*s  ", (int) name_bytes + 2, head->metrics[j].name);
        write_gains(self, j, j + 1);
    }
}

int
spot_difference_table_write(const spot_store_t *store, FILE *out)
{
    const spot_study_head_t *head = store->head;
    const size_t num_cells = head->num_points * head->num_listed;
    differences_t self = {.head = head, .out = out};
    spot_mean_table_t table = {.head = head, .is_without_baseline = true};
    int ret = spot_store_differences(store, &self.pairs);

    self.cells = spot_calloc(num_cells, sizeof(*self.cells));
    self.gains = spot_calloc(num_cells, sizeof(*self.gains));
    if (ret == 0 && (self.cells == NULL || self.gains == NULL)) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0) {
        fill_cells(&self);
        table.cells = self.cells;
        write_title(&self, &table);
        ret = spot_mean_table_write(&table, out);
        fputc('\n', out);
        write_notes(&self);
        write_all_gains(&self);
    }
    free(self.gains);
    free(self.cells);
    free(self.pairs);
    return ret;
}
