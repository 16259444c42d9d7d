/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/result_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "reports/difference_table.h"
#include "reports/mean_table.h"
#include "reports/race_text.h"
#include "reports/result_title.h"
#include "reports/row_warnings.h"
#include "reports/sensitivity_report.h"
#include "reports/unable.h"
#include "reports/value_label.h"
#include "reports/winner_report.h"
#include "sim/analysis/summary.h"

typedef struct {
    const spot_store_t *store;
    const spot_study_head_t *head;
    FILE *out;
    const spot_terminal_t *terminal; /* NULL: a file */
    const spot_summary_t *summaries; /* [num_points][num_metrics] */
    spot_mean_marks_t marks;
    bool has_notes;
} table_t;

static const spot_summary_t *
summary_at(const table_t *self, size_t point_id, size_t metric_id)
{
    return &self->summaries[point_id * self->head->num_metrics + metric_id];
}

/* Points that lost a race say little of it; answer NULL: there is none. */
static void
leave_out_losers(
    const table_t *self, const spot_race_answer_t *answer, spot_mean_cell_t *cells)
{
    const spot_study_head_t *head = self->head;

    for (size_t j = 0; answer != NULL && j < head->num_points; j++) {
        if (answer->race.num_racing == 0 ||
            answer->race.runners[j].fate == SPOT_FATE_RACING) {
            continue;
        }
        for (size_t k = 0; k < head->num_listed; k++) {
            cells[j * head->num_listed + k] = SPOT_MEAN_CELL_LEFT_OUT;
        }
    }
}

static int
write_means(table_t *self, const spot_race_answer_t *answer)
{
    const spot_study_head_t *head = self->head;
    spot_mean_cell_t *cells =
        spot_calloc(head->num_points * head->num_listed, sizeof(*cells));
    spot_row_marks_t *marks = NULL;
    spot_mean_table_t table = {.head = head, .cells = cells, .terminal = self->terminal};
    int ret = cells == NULL ? SPOT_ERR_NO_MEMORY : spot_row_marks(self->store, &marks);

    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        for (size_t k = 0; k < head->num_listed; k++) {
            cells[j * head->num_listed + k] = spot_mean_cell_of(summary_at(self, j, k));
        }
    }
    if (ret == 0) {
        leave_out_losers(self, answer, cells);
        self->marks = spot_mean_cells_marks(head, cells);
        table.marks = marks;
        ret = spot_mean_table_write(&table, self->out);
    }
    free(marks);
    free(cells);
    return ret;
}

static int64_t
total_rows(const table_t *self)
{
    int64_t num_rows = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        num_rows += self->store->num_rows(self->store, j);
    }
    return num_rows;
}

/* "null in 12 of 22000 replications: ...", "a: in 3 of ..."; nothing for a count of 0.
 */
static void
write_note(table_t *self, const char *prefix, int64_t count, const char *text)
{
    if (count > 0) {
        fprintf(self->out, "%s%s in %" PRId64 " of %" PRId64 " replications: %s\n",
            self->has_notes ? "" : "\n", prefix, count, total_rows(self), text);
        self->has_notes = true;
    }
}

/* "  with recovery = checkpoint in 12, ideal in 3": replications that met a warning, by
 * what is compared. */
static void
write_warned_values(table_t *self, size_t warning_id)
{
    const spot_study_head_t *head = self->head;
    const spot_axis_t *axis = &head->axes[head->baseline_axis_id];
    const char *before = "";
    char label[SPOT_VALUE_LABEL_BYTES];

    fprintf(self->out, "  with %s = ", axis->path);
    for (size_t j = 0; j < axis->num_values; j++) {
        int64_t num_warned = 0;

        for (size_t k = 0; k < head->num_points; k++) {
            if (spot_study_value_id(head, k, head->baseline_axis_id) == j) {
                num_warned += self->store->num_warned(self->store, k, warning_id);
            }
        }
        if (num_warned > 0) {
            fprintf(self->out, "%s%s in %" PRId64, before,
                spot_value_label(axis, j, label), num_warned);
            before = "; ";
        }
    }
    fputc('\n', self->out);
}

/* Explains a mark, if there is one. */
static void
write_mark_note(table_t *self, bool has_any, const char *text)
{
    if (has_any) {
        fprintf(self->out, "%s%s\n", self->has_notes ? "" : "\n", text);
        self->has_notes = true;
    }
}

/* What makes results doubtful, counted over all points, and which points have none. */
static void
write_notes(table_t *self)
{
    const spot_study_head_t *head = self->head;
    char unable[SPOT_UNABLE_BYTES];

    for (size_t kind_id = 0; spot_unable_next(head, &kind_id, unable);) {
        fprintf(self->out, "%s%s\n", self->has_notes ? "" : "\n", unable);
        self->has_notes = true;
    }
    for (size_t j = 0; j < head->num_listed; j++) {
        int64_t num_nulls = 0, num_values = 0;
        char text[128];

        for (size_t k = 0; k < head->num_points; k++) {
            num_nulls += summary_at(self, k, j)->num_nulls;
            num_values += summary_at(self, k, j)->num_values;
        }
        snprintf(text, sizeof(text), "%s%s", head->metrics[j].name,
            num_values == 0 ? "" : "; its figures are of the others");
        write_note(self, "null", num_nulls, text);
    }
    write_mark_note(self, self->marks.has_heavy, "! " SPOT_HEAVY_NOTE);
    write_mark_note(self, self->marks.has_open, "±? " SPOT_OPEN_NOTE);
    for (size_t j = 0; j < head->num_warnings; j++) {
        const int64_t num_warned = spot_warning_count(self->store, j);
        const char letter[] = {spot_warning_letter(self->store, j), ':', '\0'};

        write_note(self, letter, num_warned, head->warnings[j].text);
        if (num_warned > 0 && head->has_baseline) {
            write_warned_values(self, j);
        }
    }
}

/* The answer of the race, if there is one, and the means. */
static int
write_answer_and_means(table_t *self)
{
    const bool is_race = self->head->optimise.metric != NULL;
    spot_race_answer_t answer = {0};
    int ret = is_race ? spot_race_answer_init(&answer, self->store) : 0;

    if (ret == 0 && is_race) {
        spot_race_text_write(&answer, self->out);
    }
    if (ret == 0) {
        ret = write_means(self, is_race ? &answer : NULL);
    }
    if (is_race) {
        spot_race_answer_free(&answer);
    }
    return ret;
}

/* All but the title. */
static int
write_tables(table_t *self)
{
    const spot_store_t *store = self->store;
    FILE *out = self->out;
    int ret = store->head->plan.kind == SPOT_PLAN_SENSITIVITY
                  ? spot_sensitivity_table_write(store, out)
                  : 0;

    if (ret == 0) {
        ret = write_answer_and_means(self);
    }
    if (ret == 0 && store->head->has_baseline) {
        ret = spot_difference_table_write(store, self->terminal, out);
    }
    if (ret == 0 && store->head->best.is_asked) {
        ret = spot_winner_table_write(store, out);
    }
    if (ret == 0) {
        spot_value_labels_explain(store->head, out);
        write_notes(self);
    }
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

int
spot_result_table_write_on(
    const spot_store_t *store, const spot_terminal_t *terminal, FILE *out)
{
    spot_summary_t *summaries;
    table_t table = {
        .store = store, .head = store->head, .out = out, .terminal = terminal};
    int ret = spot_summarise_all(store, &summaries);

    if (ret == 0) {
        table.summaries = summaries;
        spot_result_title_write(store, summaries, out);
        ret = write_tables(&table);
    }
    free(summaries);
    return ret;
}

int
spot_result_table_write(const spot_store_t *store, FILE *out)
{
    return spot_result_table_write_on(store, NULL, out);
}

int
spot_result_tables_write(
    const spot_report_t *report, const spot_terminal_t *terminal, FILE *out)
{
    table_t table = {.store = report->store,
        .head = report->head,
        .out = out,
        .terminal = terminal,
        .summaries = report->summaries};

    spot_result_basis_write(report->store, report->summaries, out);
    return write_tables(&table);
}
