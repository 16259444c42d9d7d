/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/side_by_side_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "reports/study_words.h"
#include "reports/table/table_terminal.h"
#include "reports/table/text_cell.h"
#include "reports/value_label.h"

/* Points of one store only that are listed by name; the others are counted. */
#define MAX_LISTED 20

static const char *const side_titles[] = {"A, before:", "B, after: "};
static const char *const side_names[] = {"A", "B"};

/* ---- The table of a metric ---- */

/* The largest of both decides the unit. */
spot_shown_unit_t
spot_change_shown(const spot_side_by_side_t *self, size_t metric_id)
{
    double largest = 0;

    for (size_t j = 0; j < self->match.num_pairs; j++) {
        const double *means = self->changes[j * self->num_metrics + metric_id].means;

        for (int side = 0; side < SPOT_NUM_SIDES; side++) {
            largest = isfinite(means[side]) ? fmax(largest, fabs(means[side])) : largest;
        }
    }
    return spot_metric_shown(spot_side_by_side_metric(self, metric_id), largest);
}

static void
add_columns(const spot_side_by_side_t *self, spot_point_voice_t voice, size_t metric_id,
    spot_table_t *table)
{
    const spot_shown_unit_t shown = spot_change_shown(self, metric_id);
    const bool is_percent = shown.factor == 100 && voice == SPOT_POINTS_BY_WORDS;
    const double factor = shown.factor == 100 && !is_percent ? 1 : shown.factor;

    for (size_t j = 0; j < self->match.num_keys; j++) {
        spot_table_add_column(table,
            (spot_table_column_t){.name = self->match.keys[j].path, .is_key = true});
    }
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        spot_table_add_column(table, (spot_table_column_t){.name = side_names[side],
                                         .unit = is_percent ? "%" : NULL,
                                         .factor = factor});
    }
    spot_table_add_column(table, (spot_table_column_t){.name = "B - A",
                                     .unit = is_percent ? "% points" : NULL,
                                     .has_sign = true,
                                     .factor = factor});
    spot_table_add_column(table, (spot_table_column_t){.name = "change",
                                     .unit = "%",
                                     .has_sign = true,
                                     .is_fixed = true,
                                     .num_decimals = 1,
                                     .factor = 100});
}

/* The values of a pair of points: those of the study that sweeps the key. */
static void
add_keys(const spot_side_by_side_t *self, size_t pair_id, spot_table_t *table)
{
    char label[SPOT_VALUE_LABEL_BYTES];

    for (size_t j = 0; j < self->match.num_keys; j++) {
        const size_t *axis_ids = self->match.keys[j].axis_ids;
        const int side =
            axis_ids[SPOT_BEFORE] == SPOT_NO_AXIS ? SPOT_AFTER : SPOT_BEFORE;

        const spot_study_head_t *head = self->sides[side].report->head;
        const size_t point_id = self->match.point_ids[side][pair_id];

        spot_table_add_text(
            table, spot_point_label(head, point_id, axis_ids[side], label));
        spot_table_set_value(
            table, head->axes[axis_ids[side]]
                       .numbers[spot_study_value_id(head, point_id, axis_ids[side])]);
    }
}

static void
add_row(const spot_side_by_side_t *self, size_t pair_id, size_t metric_id,
    spot_table_t *table)
{
    const spot_metric_change_t *change =
        &self->changes[pair_id * self->num_metrics + metric_id];
    const spot_style_t style = change->is_marked ? SPOT_STYLE_BOLD : SPOT_STYLE_PLAIN;

    spot_table_add_row(table);
    add_keys(self, pair_id, table);
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        spot_table_add_estimate(table, change->means[side], change->half_widths[side]);
    }
    spot_table_add_estimate(table, change->difference, change->half_width);
    spot_table_add_marks(table, change->is_marked ? "*" : "");
    spot_table_set_style(table, style);
    spot_table_add_number(table, change->ratio);
    spot_table_set_style(table, style);
}

void
spot_side_by_side_table_fill(const spot_side_by_side_t *self, size_t metric_id,
    spot_point_voice_t voice, size_t max_rows, spot_table_t *table)
{
    add_columns(self, voice, metric_id, table);
    for (size_t j = 0; j < self->match.num_pairs && j < max_rows; j++) {
        add_row(self, j, metric_id, table);
    }
}

/* ---- What they are ---- */

static void
write_side(const spot_side_t *side, const char *title, FILE *out)
{
    const spot_report_t *report = side->report;
    char words[SPOT_WORDS_BYTES];

    spot_replications_words(report->head, report->min_rows, report->max_rows, words);
    fprintf(out, "%s ", title);
    spot_text_write(out, side->path);
    fputs(" (", out);
    spot_text_write(out, report->head->name);
    fprintf(out, ", %zu point%s, %s, seed %" PRIu64 ")\n", report->head->num_points,
        report->head->num_points == 1 ? "" : "s", words, report->head->seed);
}

static void
write_title(const spot_side_by_side_t *self, const spot_terminal_t *terminal, FILE *out)
{
    const char *question = spot_study_title(self->sides[SPOT_BEFORE].report->head);

    fputs(spot_style_on(terminal, SPOT_STYLE_BOLD), out);
    spot_text_write(out, question);
    fprintf(out, "%s\n", spot_style_off(terminal, SPOT_STYLE_BOLD));
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        write_side(&self->sides[side], side_titles[side], out);
    }
    if (self->num_sentences == 0) {
        fputs("\nB has the same scenario and the same points as A\n", out);
        return;
    }
    fputs("\nB differs from A in:\n", out);
    for (size_t j = 0; j < self->num_sentences; j++) {
        fputs("  ", out);
        spot_text_write(out, self->sentences[j]);
        fputc('\n', out);
    }
}

/* ---- Metrics ---- */

static int
write_metric(const spot_side_by_side_t *self, size_t metric_id,
    const spot_terminal_t *terminal, FILE *out)
{
    const spot_metric_t *metric = spot_side_by_side_metric(self, metric_id);
    const spot_shown_unit_t shown = spot_change_shown(self, metric_id);
    const bool has_unit = shown.unit[0] != '\0';
    spot_table_t table = {.name = metric->name};
    int ret;

    spot_side_by_side_table_fill(self, metric_id, SPOT_POINTS_BY_NAME, SIZE_MAX, &table);
    fprintf(out, "\n%s%s%s%s%s%s: %zu of %zu points differ\n",
        spot_style_on(terminal, SPOT_STYLE_BOLD), metric->name, has_unit ? " (" : "",
        shown.unit, has_unit ? ")" : "", spot_style_off(terminal, SPOT_STYLE_BOLD),
        spot_side_by_side_num_marked(self, metric_id), self->match.num_pairs);
    ret = spot_table_write_terminal(&table, terminal, out);
    spot_table_free(&table);
    return ret;
}

/* ---- The rest ---- */

static void
write_notes(const spot_side_by_side_t *self, FILE *out)
{
    char basis[SPOT_BASIS_BYTES];

    spot_side_by_side_basis(self, basis);
    fprintf(out, "\n±: half width of the 95 %% confidence interval; %s\n", basis);
    fputs("*: 0 is outside of the interval; where nothing differs, chance does that in "
          "1 of 20\n",
        out);
}

static void
write_alone(const spot_side_by_side_t *self, int side, FILE *out)
{
    const size_t num_alone = self->match.num_alone[side];
    char words[SPOT_POINT_BYTES];

    if (num_alone == 0) {
        return;
    }
    fprintf(out, "\nonly in %s, not compared: %zu point%s\n", side_names[side],
        num_alone, num_alone == 1 ? "" : "s");
    for (size_t j = 0; j < num_alone && j < MAX_LISTED; j++) {
        spot_point_words(self->sides[side].report->head, self->match.alone_ids[side][j],
            SPOT_POINT_BYTES - 8, words);
        fputs("  ", out);
        spot_text_write(out, words);
        fputc('\n', out);
    }
    if (num_alone > MAX_LISTED) {
        fprintf(out, "  and %zu more\n", num_alone - MAX_LISTED);
    }
}

/* The metric to look at first comes first, as on the page. */
static int
write_metrics(
    const spot_side_by_side_t *self, const spot_terminal_t *terminal, FILE *out)
{
    int ret = write_metric(self, self->main_id, terminal, out);

    for (size_t j = 0; ret == 0 && j < self->num_metrics; j++) {
        ret = j == self->main_id ? 0 : write_metric(self, j, terminal, out);
    }
    return ret;
}

int
spot_side_by_side_write(
    const spot_side_by_side_t *self, const spot_terminal_t *terminal, FILE *out)
{
    const char *problem = spot_side_by_side_problem(self);
    int ret = 0;

    write_title(self, terminal, out);
    if (problem != NULL) {
        fprintf(out, "\n%s: there is nothing to compare\n", problem);
    } else {
        ret = write_metrics(self, terminal, out);
        write_notes(self, out);
    }
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        write_alone(self, side, out);
    }
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}
