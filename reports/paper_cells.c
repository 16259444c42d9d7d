/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/paper_cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

#define METRIC_CHARS 13 /* of a usual cell */

/* ---- Rows ---- */

/* A half width that is nothing but rounding has no digits to show. */
static double
without_rounding(double half_width, double mean)
{
    return half_width <= 1e-9 * fabs(mean) ? 0 : half_width;
}

const spot_mean_cell_t *
spot_paper_cell(const spot_paper_cells_t *self, size_t point_id, size_t metric_id)
{
    return &self->cells[point_id * self->head->num_listed + metric_id];
}

static void
fill_cells(spot_paper_cells_t *self)
{
    const spot_study_head_t *head = self->head;

    for (size_t j = 0; j < head->num_points; j++) {
        const bool is_left_out = self->is_difference && spot_study_is_baseline(head, j);

        self->num_rows += !is_left_out;
        for (size_t k = 0; k < head->num_listed; k++) {
            spot_mean_cell_t *cell = &self->cells[j * head->num_listed + k];

            *cell = is_left_out ? SPOT_MEAN_CELL_LEFT_OUT
                    : self->is_difference
                        ? spot_mean_cell_of_pair(&head->metrics[k],
                              &self->report->pairs[j * head->num_metrics + k])
                        : spot_mean_cell_of(spot_report_summary(self->report, j, k));
            cell->half_width = without_rounding(cell->half_width, cell->mean);
        }
    }
    self->mean_marks = spot_mean_cells_marks(head, self->cells);
}

/* ---- Columns ---- */

/* "a" to "z", then "aa". */
static void
next_letters(spot_paper_cells_t *self, char letters[SPOT_PAPER_LETTERS_BYTES])
{
    const size_t id = self->num_letters++;
    const char last = (char) ('a' + id % 26);

    if (id < 26) {
        snprintf(letters, SPOT_PAPER_LETTERS_BYTES, "%c", last);
    } else {
        snprintf(letters, SPOT_PAPER_LETTERS_BYTES, "%c%c",
            (char) ('a' + (id / 26 - 1) % 26), last);
    }
}

void
spot_paper_key_text(const spot_paper_cells_t *self, size_t point_id, size_t key_id,
    char text[SPOT_VALUE_LABEL_BYTES])
{
    const spot_store_t *store = self->report->store;

    if (key_id == self->head->num_axes) {
        snprintf(
            text, SPOT_VALUE_LABEL_BYTES, "%" PRId64, store->num_rows(store, point_id));
    } else if (self->keys[key_id].is_number) {
        const size_t value_id = spot_study_value_id(self->head, point_id, key_id);

        snprintf(text, SPOT_VALUE_LABEL_BYTES, "%.10g",
            self->head->axes[key_id].numbers[value_id]);
    } else {
        (void) spot_point_label(self->head, point_id, key_id, text);
    }
}

/* A long head takes two lines, broken where both are short. */
static void
measure_head(spot_paper_column_t *column)
{
    const size_t num_bytes = strlen(column->head);

    column->num_first = num_bytes;
    column->num_chars = spot_utf8_count(column->head, num_bytes);
    for (size_t j = 0; j < num_bytes; j++) {
        const size_t first = spot_utf8_count(column->head, j);
        const size_t second = spot_utf8_count(column->head + j, num_bytes - j);
        const size_t longer = first > second ? first : second - 1;

        if (column->head[j] == ' ' && longer < column->num_chars) {
            column->num_first = j;
            column->num_chars = longer;
        }
    }
}

/* A key whose values are all numbers has their unit in its head; others have units of
 * their own, "30 s". */
static void
measure_key(spot_paper_cells_t *self, size_t key_id)
{
    spot_paper_column_t *column = &self->keys[key_id];
    char text[SPOT_VALUE_LABEL_BYTES];

    column->is_number = true;
    if (key_id == self->head->num_axes) {
        snprintf(column->head, sizeof(column->head), "replications");
    } else {
        const spot_axis_t *axis = &self->head->axes[key_id];

        for (size_t j = 0; j < axis->num_values; j++) {
            column->is_number = column->is_number && isfinite(axis->numbers[j]);
        }
        if (column->is_number) {
            spot_axis_words(axis, column->head);
        } else {
            spot_key_words(axis, column->head);
        }
    }
    measure_head(column);
    for (size_t j = 0; j < self->head->num_points; j++) {
        size_t num_chars;

        spot_paper_key_text(self, j, key_id, text);
        num_chars = spot_utf8_count(text, strlen(text));
        column->num_chars =
            num_chars > column->num_chars ? num_chars : column->num_chars;
    }
}

static void
measure_metric(spot_paper_cells_t *self, size_t metric_id)
{
    spot_paper_column_t *column = &self->metrics[metric_id];
    const spot_metric_t *metric = &self->head->metrics[metric_id];
    char text[SPOT_DECIMAL_TEXT_BYTES];
    size_t count_chars = 0;

    column->is_number = true;
    column->shown = spot_mean_cells_unit(self->head, self->cells, metric_id);
    if (spot_fraction_words_in(metric, column->shown.unit, column->head)) {
        column->shown.factor = 100;
        strcat(column->head, self->is_difference ? " (% points)" : " (%)");
    }
    measure_head(column);
    if (column->num_chars < METRIC_CHARS) {
        column->num_chars = METRIC_CHARS;
    }
    for (size_t j = 0; j < self->head->num_points; j++) {
        const spot_mean_cell_t *cell = spot_paper_cell(self, j, metric_id);
        const size_t num_chars = strlen(spot_mean_cell_count(cell, text));

        count_chars = num_chars > count_chars ? num_chars : count_chars;
        column->num_nulls += cell->num_left_out;
        column->has_values = column->has_values || !isnan(cell->mean);
    }
    if (count_chars > 0 && column->num_chars < METRIC_CHARS + count_chars + 1) {
        column->num_chars = METRIC_CHARS + count_chars + 1;
    }
    if (column->num_nulls > 0) {
        next_letters(self, column->letters);
    }
}

static void
measure(spot_paper_cells_t *self)
{
    for (size_t j = 0; self->marks != NULL && j < self->head->num_warnings; j++) {
        self->num_letters += spot_warning_count(self->report->store, j) > 0;
    }
    for (size_t j = 0; j < self->num_keys; j++) {
        measure_key(self, j);
    }
    for (size_t j = 0; j < self->head->num_listed; j++) {
        measure_metric(self, j);
    }
}

int
spot_paper_cells_init(
    spot_paper_cells_t *self, const spot_report_t *report, bool is_difference)
{
    const spot_study_head_t *head = report->head;
    int ret = SPOT_ERR_NO_MEMORY;

    *self = (spot_paper_cells_t){.report = report,
        .head = head,
        .is_difference = is_difference,
        .num_keys = head->num_axes + (report->min_rows < report->max_rows)};
    self->cells = spot_calloc(head->num_points * head->num_listed, sizeof(*self->cells));
    self->keys = spot_calloc(self->num_keys + 1, sizeof(*self->keys));
    self->metrics = spot_calloc(head->num_listed, sizeof(*self->metrics));
    if (self->cells != NULL && self->keys != NULL && self->metrics != NULL) {
        ret = is_difference ? 0 : spot_row_marks(report->store, &self->marks);
    }
    if (ret == 0) {
        fill_cells(self);
        measure(self);
    }
    return ret;
}

void
spot_paper_cells_free(spot_paper_cells_t *self)
{
    free(self->marks);
    free(self->metrics);
    free(self->keys);
    free(self->cells);
    memset(self, 0, sizeof(*self));
}
