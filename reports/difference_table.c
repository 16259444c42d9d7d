/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/difference_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "reports/mean_table.h"
#include "reports/text_cell.h"
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
fill_cells(spot_differences_t *self)
{
    const spot_study_head_t *head = self->head;

    for (size_t j = 0; j < head->num_points; j++) {
        for (size_t k = 0; k < head->num_listed; k++) {
            self->cells[j * head->num_listed + k] =
                spot_study_is_baseline(head, j)
                    ? SPOT_MEAN_CELL_LEFT_OUT
                    : spot_mean_cell_of_pair(&head->metrics[k], pair_at(self, j, k));
        }
    }
    self->marks = spot_mean_cells_marks(head, self->cells);
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

/* Points without a partner, which where: or a list of points has left out. */
static void
write_alone(const spot_differences_t *self, FILE *out)
{
    const spot_study_head_t *head = self->head;
    size_t num_alone = 0, num_others = 0;

    for (size_t j = 0; j < head->num_points; j++) {
        num_alone += self->base_ids[j] == SPOT_NO_POINT;
        num_others += !spot_study_is_baseline(head, j);
    }
    if (num_alone > 0) {
        fprintf(out, "%zu of %zu points have no point with ", num_alone, num_others);
        spot_baseline_write(head, out);
        fputs(" to be compared with\n", out);
    }
}

void
spot_differences_notes_write(const spot_differences_t *self, FILE *out)
{
    const spot_study_head_t *head = self->head;

    write_alone(self, out);
    if (self->marks.has_star) {
        fputs("* " SPOT_STAR_NOTE "\n", out);
    }
    if (self->marks.has_heavy) {
        fputs("! " SPOT_HEAVY_NOTE "\n", out);
    }
    for (size_t k = 0; k < head->num_listed; k++) {
        int64_t num_pairs = 0, num_left_out = 0;

        for (size_t j = 0; j < head->num_points; j++) {
            num_pairs += spot_paired_num_pairs(pair_at(self, j, k));
            num_left_out += pair_at(self, j, k)->num_left_out;
        }
        if (num_left_out > 0) {
            fprintf(out,
                "null in %" PRId64 " of %" PRId64 " pairs: %s; its differences are of "
                "the others\n",
                num_left_out, num_pairs, head->metrics[k].name);
        }
    }
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

void
spot_differences_metric_gain_write(spot_differences_t *self, size_t metric_id, FILE *out)
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

/* Nothing, if no point has an interval to compare. */
static void
write_gains(spot_differences_t *self, FILE *out)
{
    const spot_study_head_t *head = self->head;
    int name_width = 0;

    if (!spot_differences_have_gain(self)) {
        return;
    }
    spot_differences_gain_write(self, out);
    fputs(":\n", out);
    for (size_t j = 0; j < head->num_listed; j++) {
        spot_text_widen(&name_width, head->metrics[j].name);
    }
    for (size_t j = 0; j < head->num_listed; j++) {
        fprintf(out, "%*s  ", name_width, head->metrics[j].name);
        spot_differences_metric_gain_write(self, j, out);
        fputc('\n', out);
    }
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
    self->cells = spot_calloc(num_cells, sizeof(*self->cells));
    self->gains = spot_calloc(num_cells, sizeof(*self->gains));
    if (self->cells == NULL || self->gains == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    fill_cells(self);
    count_pairs(self);
    return 0;
}

void
spot_differences_free(spot_differences_t *self)
{
    free(self->gains);
    free(self->cells);
    free(self->base_ids);
    *self = (spot_differences_t){0};
}

/* What stands below the table, with an empty line before it if there is anything. */
static int
write_foot(spot_differences_t *self, FILE *out)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *stream = open_memstream(&text, &num_bytes);
    int ret = 0;

    if (stream == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    spot_differences_notes_write(self, stream);
    write_gains(self, stream);
    if (fclose(stream) != 0) {
        ret = SPOT_ERR_NO_MEMORY;
    } else if (num_bytes > 0) {
        fprintf(out, "\n%s", text);
    }
    free(text);
    return ret;
}

int
spot_difference_table_write(
    const spot_store_t *store, const spot_terminal_t *terminal, FILE *out)
{
    spot_paired_t *pairs = NULL;
    spot_differences_t self = {0};
    int ret = spot_store_differences(store, &pairs);

    if (ret == 0) {
        ret = spot_differences_init(&self, store->head, pairs);
    }
    if (ret == 0) {
        const spot_mean_table_t table = {
            .head = store->head, .terminal = terminal, .cells = self.cells};

        fputc('\n', out);
        spot_differences_title_write(&self, out);
        fputc('\n', out);
        ret = spot_mean_table_write(&table, out);
    }
    if (ret == 0) {
        ret = write_foot(&self, out);
    }
    spot_differences_free(&self);
    free(pairs);
    return ret;
}
