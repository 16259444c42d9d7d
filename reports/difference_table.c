/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/difference_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "reports/point_table.h"
#include "reports/study_words.h"
#include "reports/table/table_terminal.h"
#include "reports/value_label.h"
#include "sim/analysis/difference.h"
#include "sim/analysis/point_groups.h"
#include "sim/analysis/summary.h"

/* Beyond this gain the differences of a point are all the same but for rounding. */
#define MAX_GAIN 1e9

/* Widths up to this ratio are shown as the same. */
#define SAME_RATIO 1.005

static const spot_paired_t *
pair_at(const spot_differences_t *self, size_t point_id, size_t metric_id)
{
    return &self->pairs[point_id * self->head->num_metrics + metric_id];
}

static void
count_pairs(spot_differences_t *self)
{
    self->fewest = INT64_MAX;
    for (size_t j = 0; j < self->head->num_points; j++) {
        if (!spot_study_is_baseline(self->head, j) &&
            self->base_ids[j] != SPOT_NO_POINT &&
            spot_study_cannot_run(self->head, j) == NULL) {
            const int64_t num = spot_paired_num_pairs(pair_at(self, j, 0));

            self->fewest = num < self->fewest ? num : self->fewest;
            self->most = num > self->most ? num : self->most;
        }
    }
}

void
spot_differences_title_write(const spot_differences_t *self, FILE *out)
{
    const spot_study_head_t *head = self->head;

    fputs("difference to ", out);
    spot_baseline_write(head, out);
    if (self->most == 1) {
        fputs(" in the same replication", out);
        return;
    }
    fputs(": mean of ", out);
    if (self->fewest < self->most) {
        fprintf(out, "%" PRId64 " to ", self->fewest);
    }
    fprintf(out, "%" PRId64 " pairs of replications", self->most);
}

/* Puts the gains of metrics into self->gains, sorted; *num_exact are those of
 * differences that are all the same. Those without spread are none. */
static size_t
sort_gains(spot_differences_t *self, size_t first_id, size_t end_id, size_t *num_exact)
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

bool
spot_differences_have_gain(spot_differences_t *self)
{
    size_t num_exact;

    return sort_gains(self, 0, self->head->num_listed, &num_exact) > 0;
}

void
spot_differences_gain_write(spot_differences_t *self, FILE *out)
{
    size_t num_exact;
    const size_t num_gains = sort_gains(self, 0, self->head->num_listed, &num_exact);
    const double median = spot_quantile(self->gains, num_gains, 0.5);
    const double ratio = median < 1 ? 1 / median : median;

    fputs("paired intervals are ", out);
    if (ratio < SAME_RATIO) {
        fputs("as wide as", out);
    } else {
        fprintf(out, ratio < 100 ? "%.2f times %s than" : "%.3g times %s than", ratio,
            median < 1 ? "wider" : "narrower");
    }
    fprintf(out, " unpaired ones of the same replications (median of %zu)", num_gains);
}

/* "2.81 (2.60 to 4.27)". */
static void
write_metric_gain(spot_differences_t *self, size_t metric_id, FILE *out)
{
    size_t num_exact;
    const size_t num_gains = sort_gains(self, metric_id, metric_id + 1, &num_exact);

    if (num_gains > 0) {
        fprintf(out, "%.2f", spot_quantile(self->gains, num_gains, 0.5));
    }
    if (num_gains > 1) {
        fprintf(out, " (%.2f to %.2f)", self->gains[0], self->gains[num_gains - 1]);
    }
    if (num_gains > 0 && self->gains[0] <= 1 / SAME_RATIO) {
        fputs(", wider where below 1", out);
    }
    if (num_exact > 0) {
        fprintf(out, "%sthe same difference in all pairs of %zu point%s",
            num_gains > 0 ? "; " : "", num_exact, num_exact == 1 ? "" : "s");
    } else if (num_gains == 0) {
        fputs("-", out);
    }
}

void
spot_gain_table_fill(
    spot_differences_t *self, spot_point_voice_t voice, spot_table_t *table)
{
    const spot_study_head_t *head = self->head;
    char words[SPOT_WORDS_BYTES];

    spot_table_add_column(
        table, (spot_table_column_t){.name = "metric", .kind = SPOT_TABLE_TEXT});
    spot_table_add_column(
        table, (spot_table_column_t){.name = "times narrower, median (from to)",
                   .kind = SPOT_TABLE_PROSE});
    for (size_t j = 0; j < head->num_listed; j++) {
        FILE *stream;

        spot_table_add_row(table);
        (void) spot_fraction_words(&head->metrics[j], words);
        spot_table_add_text(
            table, voice == SPOT_POINTS_BY_WORDS ? words : head->metrics[j].name);
        stream = spot_table_begin_text(table);
        if (stream != NULL) {
            write_metric_gain(self, j, stream);
        }
        spot_table_end_cell(table, stream);
    }
}

/* Nothing, if no point has an interval to compare. */
static int
write_gains(spot_differences_t *self, const spot_terminal_t *terminal, FILE *out)
{
    spot_table_t table = {.name = "gains"};
    int ret;

    if (!spot_differences_have_gain(self)) {
        return 0;
    }
    fputc('\n', out);
    spot_differences_gain_write(self, out);
    fputs("\n\n", out);
    spot_gain_table_fill(self, SPOT_POINTS_BY_NAME, &table);
    ret = spot_table_write_terminal(&table, terminal, out);
    spot_table_free(&table);
    return ret;
}

int
spot_differences_init(
    spot_differences_t *self, const spot_study_head_t *head, const spot_paired_t *pairs)
{
    const size_t num_cells = head->num_points * head->num_listed;
    int ret;

    *self = (spot_differences_t){.head = head, .pairs = pairs};
    ret = spot_baseline_points(head, &self->base_ids);
    if (ret != 0) {
        return ret;
    }
    self->gains = spot_calloc(num_cells, sizeof(*self->gains));
    if (self->gains == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    count_pairs(self);
    return 0;
}

void
spot_differences_free(spot_differences_t *self)
{
    free(self->gains);
    free(self->base_ids);
    *self = (spot_differences_t){0};
}

static int
write_table(spot_differences_t *self, const spot_report_t *report,
    const spot_terminal_t *terminal, FILE *out)
{
    spot_table_t table = {.name = "differences"};
    int ret;

    spot_point_table_fill(
        &(spot_point_table_t){.report = report, .is_difference = true}, &table);
    fputc('\n', out);
    spot_differences_title_write(self, out);
    fputs("\n\n", out);
    ret = spot_table_write_terminal(&table, terminal, out);
    spot_table_free(&table);
    return ret == 0 ? write_gains(self, terminal, out) : ret;
}

int
spot_difference_table_write(
    const spot_report_t *report, const spot_terminal_t *terminal, FILE *out)
{
    spot_report_t with_pairs = *report;
    spot_differences_t self = {0};
    int ret = report->pairs != NULL
                  ? 0
                  : spot_store_differences(report->store, &with_pairs.pairs);

    if (ret == 0) {
        ret = spot_differences_init(&self, report->head, with_pairs.pairs);
    }
    if (ret == 0) {
        ret = write_table(&self, &with_pairs, terminal, out);
    }
    spot_differences_free(&self);
    if (report->pairs == NULL) {
        free(with_pairs.pairs);
    }
    return ret;
}
