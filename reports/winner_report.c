/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/winner_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "reports/break_even.h"
#include "reports/interval_text.h"
#include "reports/plan_json.h"
#include "reports/shown_unit.h"
#include "reports/study_words.h"
#include "reports/text_cell.h"
#include "reports/value_label.h"

#define GAP 2 /* between cells */

typedef struct {
    const spot_winners_t *winners;
    const spot_study_head_t *head;
    FILE *out;
    int *widths; /* [num_axes + SPOT_WINNER_COLUMNS]; that of the key is not used */
} table_t;

/* The unit of the best values. */
static spot_shown_unit_t
unit_of(const spot_winners_t *winners)
{
    const spot_study_head_t *head = winners->head;
    double largest = 0;

    for (size_t j = 0; j < winners->groups.num_groups; j++) {
        const size_t best_id = winners->winners[j].best_id;

        if (best_id != SPOT_NO_POINT) {
            largest = fmax(largest, fabs(spot_winners_summary(winners, best_id)->value));
        }
    }
    return spot_shown_unit(&head->metrics[head->best.metric_id], largest);
}

/* What stands in a row; "-" where nobody competes. */
static void
cell_text(const spot_winners_t *winners, const spot_winner_t *winner, int column,
    char text[SPOT_VALUE_LABEL_BYTES])
{
    const spot_study_head_t *head = winners->head;
    const size_t point_id = column == SPOT_WINNER_NEXT || column == SPOT_WINNER_LEAD
                                ? winner->next_id
                                : winner->best_id;
    const double factor = unit_of(winners).factor;
    const spot_summary_t *summary;

    if (point_id == SPOT_NO_POINT) {
        snprintf(text, SPOT_VALUE_LABEL_BYTES, "-");
        return;
    }
    summary = spot_winners_summary(winners, point_id);
    switch (column) {
        case SPOT_WINNER_MEAN:
            (void) spot_interval_text(
                factor * summary->value, factor * summary->half_width, text);
            break;
        case SPOT_WINNER_LEAD:
            (void) spot_interval_text(factor * spot_winner_lead(winner, &head->best),
                factor * spot_paired_half_width(&winner->lead, SPOT_CONFIDENCE), text);
            strcat(text, winner->is_sure ? "*" : " ");
            break;
        default:
            (void) spot_point_label(head, point_id, head->best.axis_id, text);
    }
}

/* A unit that is not that of the metric stands behind its name. */
static void
head_text(const spot_winners_t *winners, int column, char text[SPOT_VALUE_LABEL_BYTES])
{
    const spot_study_head_t *head = winners->head;
    const spot_best_t *best = &head->best;
    const spot_shown_unit_t unit = unit_of(winners);
    const char *const names[SPOT_WINNER_COLUMNS] = {[SPOT_WINNER_BEST] = "best",
        [SPOT_WINNER_MEAN] = head->metrics[best->metric_id].name,
        [SPOT_WINNER_NEXT] = "next",
        [SPOT_WINNER_LEAD] = "ahead by "}; /* the marks stand behind the numbers */

    snprintf(text, SPOT_VALUE_LABEL_BYTES, "%s%s%s", names[column],
        column == SPOT_WINNER_MEAN && unit.factor != 1 ? ", " : "",
        column == SPOT_WINNER_MEAN && unit.factor != 1 ? unit.unit : "");
}

const char *
spot_winner_cell(const spot_winners_t *winners, const spot_winner_t *winner,
    size_t place, char text[SPOT_VALUE_LABEL_BYTES])
{
    const spot_study_head_t *head = winners->head;
    const size_t num_axes = head->num_axes;

    if (place == head->best.axis_id) {
        return NULL;
    }
    if (place >= num_axes && winner == NULL) {
        head_text(winners, (int) (place - num_axes), text);
    } else if (place >= num_axes) {
        cell_text(winners, winner, (int) (place - num_axes), text);
    } else if (winner == NULL) {
        (void) spot_utf8_shown(head->axes[place].path, text);
    } else {
        (void) spot_point_label(head, winner->first_id, place, text);
    }
    return text;
}

/* Measures the cells of a row, or writes them. */
static void
do_row(const table_t *self, const spot_winner_t *winner, bool is_written)
{
    char text[SPOT_VALUE_LABEL_BYTES];
    bool is_first = true;

    for (size_t j = 0; j < self->head->num_axes + SPOT_WINNER_COLUMNS; j++) {
        if (spot_winner_cell(self->winners, winner, j, text) == NULL) {
            continue;
        }
        if (is_written) {
            fprintf(self->out, "%*s", is_first ? 0 : GAP, "");
            spot_text_cell(self->out, text, strlen(text), self->widths[j]);
        } else {
            spot_text_widen(&self->widths[j], text);
        }
        is_first = false;
    }
    if (is_written) {
        fputc('\n', self->out);
    }
}

void
spot_winner_title_write(const spot_study_head_t *head, FILE *out)
{
    const spot_best_t *best = &head->best;
    const spot_axis_t *axis = &head->axes[best->axis_id];
    char label[SPOT_VALUE_LABEL_BYTES];
    const char *before = "; without ";

    fprintf(out, "best %s: the %s %s", axis->path,
        best->is_maximised ? "highest" : "lowest", head->metrics[best->metric_id].name);
    for (size_t j = 0; j < axis->num_values; j++) {
        if (best->is_left_out[j]) {
            fprintf(out, "%s%s", before, spot_value_label(axis, j, label));
            before = ", ";
        }
    }
}

/* The first point with a value of the key that rests on what was not measured, or
 * num_points. */
static size_t
find_unmeasured(const spot_study_head_t *head, size_t value_id)
{
    size_t point_id = 0;

    while (point_id < head->num_points &&
           (spot_study_value_id(head, point_id, head->best.axis_id) != value_id ||
               spot_study_unmeasured(head, point_id) == NULL)) {
        point_id++;
    }
    return point_id;
}

bool
spot_winner_unmeasured_write(
    const spot_study_head_t *head, const char *before, FILE *out)
{
    const spot_best_t *best = &head->best;
    const spot_axis_t *axis = &head->axes[best->axis_id];
    bool has_any = false;
    char label[SPOT_VALUE_LABEL_BYTES];

    for (size_t j = 0; j < axis->num_values; j++) {
        const size_t point_id = find_unmeasured(head, j);

        if (point_id < head->num_points && !best->is_left_out[j]) {
            fprintf(out, "%s%s%s%s (%s)", has_any ? ", " : before,
                has_any ? "" : "not measured, so without ",
                spot_study_value_competes(head, j) ? "some points of " : "",
                spot_value_label(axis, j, label), spot_study_unmeasured(head, point_id));
            has_any = true;
        }
    }
    return has_any;
}

void
spot_winner_crossing_write(
    const spot_winners_t *winners, const spot_crossing_t *crossing, FILE *out)
{
    const spot_study_head_t *head = winners->head;
    const spot_axis_t *x = &head->axes[winners->x_id];
    const size_t axis_id = head->best.axis_id;
    const spot_winner_t *before = &winners->winners[crossing->before_id];
    const spot_winner_t *after = &winners->winners[crossing->after_id];
    char label[SPOT_VALUE_LABEL_BYTES];

    fprintf(out, "between %s = %s", x->path,
        spot_point_label(head, before->first_id, winners->x_id, label));
    fprintf(
        out, " and %s", spot_point_label(head, after->first_id, winners->x_id, label));
    if (isfinite(crossing->number)) {
        fprintf(out, ", about %.3g%s%s", crossing->number, x->unit[0] == '\0' ? "" : " ",
            x->unit);
    }
    fprintf(out, ", %s", spot_point_label(head, before->best_id, axis_id, label));
    fprintf(
        out, " gives way to %s", spot_point_label(head, after->best_id, axis_id, label));
    if (!before->is_sure || !after->is_sure) {
        fputs(" (not sure)", out);
    }
}

void
spot_winner_mark_write(FILE *out)
{
    fprintf(out, "* ahead of all others with %g %% confidence in all of them (paired)",
        100 * SPOT_CONFIDENCE);
}

static void
write_table(const table_t *self)
{
    const spot_winners_t *winners = self->winners;
    const size_t num_groups = winners->groups.num_groups;
    bool has_sure = false;

    fputc('\n', self->out);
    spot_winner_title_write(self->head, self->out);
    fputc('\n', self->out);
    if (spot_winner_unmeasured_write(self->head, "", self->out)) {
        fputc('\n', self->out);
    }
    fputc('\n', self->out);
    do_row(self, NULL, false);
    for (size_t j = 0; j < num_groups; j++) {
        do_row(self, &winners->winners[j], false);
        has_sure = has_sure || winners->winners[j].is_sure;
    }
    do_row(self, NULL, true);
    for (size_t j = 0; j < num_groups; j++) {
        do_row(self, &winners->winners[j], true);
    }
    if (winners->num_crossings > 0 || has_sure || self->head->best.num_keys > 0) {
        fputc('\n', self->out);
    }
    for (size_t j = 0; j < winners->num_crossings; j++) {
        spot_winner_crossing_write(winners, &winners->crossings[j], self->out);
        fputc('\n', self->out);
    }
    spot_break_evens_write(winners, "", self->out);
    if (has_sure) {
        spot_winner_mark_write(self->out);
        fputc('\n', self->out);
    }
}

int
spot_winner_table_write(const spot_store_t *store, FILE *out)
{
    spot_winners_t winners;
    table_t table = {.winners = &winners, .head = store->head, .out = out};
    int ret = spot_winners_init(&winners, store);

    if (ret == 0) {
        table.widths = spot_calloc(
            store->head->num_axes + SPOT_WINNER_COLUMNS, sizeof(*table.widths));
        ret = table.widths == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    if (ret == 0) {
        write_table(&table);
    }
    free(table.widths);
    spot_winners_free(&winners);
    return ret;
}

/* ---- JSON ---- */

static void
write_value(spot_json_t *json, const char *name, const spot_study_head_t *head,
    size_t point_id, size_t axis_id)
{
    spot_json_text(json, name,
        point_id == SPOT_NO_POINT
            ? NULL
            : head->axes[axis_id].texts[spot_study_value_id(head, point_id, axis_id)]);
}

static void
write_winner(
    spot_json_t *json, const spot_winners_t *winners, const spot_winner_t *winner)
{
    const spot_study_head_t *head = winners->head;
    const double lead = spot_winner_lead(winner, &head->best);
    const double half_width = spot_paired_half_width(&winner->lead, SPOT_CONFIDENCE);

    spot_json_open(json, NULL, '{');
    spot_json_open(json, "values", '{');
    for (size_t j = 0; j < head->num_axes; j++) {
        if (j != head->best.axis_id) {
            spot_axis_value_json(
                json, &head->axes[j], spot_study_value_id(head, winner->first_id, j));
        }
    }
    spot_json_close(json, '}');
    write_value(json, "best", head, winner->best_id, head->best.axis_id);
    spot_json_number(json, "mean",
        winner->best_id == SPOT_NO_POINT
            ? (double) NAN
            : spot_winners_summary(winners, winner->best_id)->value);
    write_value(json, "next", head, winner->next_id, head->best.axis_id);
    spot_json_number(json, "ahead", lead);
    spot_json_number(json, "ahead_ci95_low", lead - half_width);
    spot_json_number(json, "ahead_ci95_high", lead + half_width);
    spot_json_boolean(json, "is_sure", winner->is_sure);
    spot_json_close(json, '}');
}

static void
write_crossing_json(
    spot_json_t *json, const spot_winners_t *winners, const spot_crossing_t *crossing)
{
    const spot_study_head_t *head = winners->head;
    const spot_winner_t *before = &winners->winners[crossing->before_id];
    const spot_winner_t *after = &winners->winners[crossing->after_id];

    spot_json_open(json, NULL, '{');
    spot_json_text(json, "key", head->axes[winners->x_id].path);
    write_value(json, "low", head, before->first_id, winners->x_id);
    write_value(json, "high", head, after->first_id, winners->x_id);
    spot_json_number(json, "about", crossing->number);
    write_value(json, "before", head, before->best_id, head->best.axis_id);
    write_value(json, "after", head, after->best_id, head->best.axis_id);
    spot_json_boolean(json, "is_sure", before->is_sure && after->is_sure);
    spot_json_close(json, '}');
}

static void
write_side_json(spot_json_t *json, const char *name, const spot_break_even_side_t *side)
{
    spot_json_open(json, name, '{');
    spot_json_number(json, "at", side->at);
    spot_json_number(json, "ci95_near", side->near);
    spot_json_number(json, "ci95_far", side->far);
    spot_json_number(json, "tried_to", side->reach);
    spot_json_close(json, '}');
}

static void
write_break_even_json(
    spot_json_t *json, const spot_winners_t *winners, const spot_break_even_t *item)
{
    const spot_study_head_t *head = winners->head;

    spot_json_open(json, NULL, '{');
    spot_json_open(json, "values", '{');
    for (size_t j = 0; j < head->num_axes; j++) {
        if (j != head->best.axis_id) {
            spot_axis_value_json(
                json, &head->axes[j], spot_study_value_id(head, item->best_id, j));
        }
    }
    spot_json_close(json, '}');
    write_value(json, "best", head, item->best_id, head->best.axis_id);
    write_value(json, "next", head, item->next_id, head->best.axis_id);
    spot_json_text(json, "key", head->best.keys[item->key_id]);
    spot_json_text(json, "unit", item->unit);
    spot_json_number(json, "is", item->number);
    write_side_json(json, "below", &item->sides[SPOT_BREAK_EVEN_BELOW]);
    write_side_json(json, "above", &item->sides[SPOT_BREAK_EVEN_ABOVE]);
    spot_json_close(json, '}');
}

static void
write_break_evens_json(spot_json_t *json, const spot_winners_t *winners)
{
    const size_t num_keys = winners->head->best.num_keys;

    spot_json_open(json, "break_evens", '[');
    for (size_t j = 0; j < winners->groups.num_groups * num_keys; j++) {
        const spot_break_even_t *item = spot_winners_break_even(
            winners, &winners->winners[j / num_keys], j % num_keys);

        if (item != NULL) {
            write_break_even_json(json, winners, item);
        }
    }
    spot_json_close(json, ']');
}

int
spot_winner_json(spot_json_t *json, const spot_store_t *store)
{
    const spot_study_head_t *head = store->head;
    spot_winners_t winners;
    const int ret = spot_winners_init(&winners, store);

    if (ret == 0) {
        spot_json_open(json, "best", '{');
        spot_json_text(json, "key", head->axes[head->best.axis_id].path);
        spot_json_text(json, head->best.is_maximised ? "maximise" : "minimise",
            head->metrics[head->best.metric_id].name);
        spot_json_open(json, "winners", '[');
        for (size_t j = 0; j < winners.groups.num_groups; j++) {
            write_winner(json, &winners, &winners.winners[j]);
        }
        spot_json_close(json, ']');
        spot_json_open(json, "crossings", '[');
        for (size_t j = 0; j < winners.num_crossings; j++) {
            write_crossing_json(json, &winners, &winners.crossings[j]);
        }
        spot_json_close(json, ']');
        write_break_evens_json(json, &winners);
        spot_json_close(json, '}');
    }
    spot_winners_free(&winners);
    return ret;
}
