/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/winner_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "reports/break_even.h"
#include "reports/plan_json.h"
#include "reports/shown_unit.h"
#include "reports/study_words.h"
#include "reports/table/table_terminal.h"
#include "reports/value_label.h"

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

static void
add_columns(const spot_winners_t *winners, spot_point_voice_t voice, spot_table_t *table)
{
    const spot_study_head_t *head = winners->head;
    const spot_metric_t *metric = &head->metrics[head->best.metric_id];
    const bool has_words = voice == SPOT_POINTS_BY_WORDS;
    const spot_shown_unit_t unit = unit_of(winners);
    char words[SPOT_WORDS_BYTES];

    for (size_t j = 0; j < head->num_axes; j++) {
        if (j != head->best.axis_id) {
            spot_axis_words(&head->axes[j], words);
            spot_table_add_column(table,
                (spot_table_column_t){.name = has_words ? words : head->axes[j].path,
                    .kind = spot_axis_is_numeric(&head->axes[j]) ? SPOT_TABLE_NUMBER
                                                                 : SPOT_TABLE_TEXT,
                    .is_key = true});
        }
    }
    spot_metric_words_in(metric, unit.unit, words);
    spot_table_add_column(
        table, (spot_table_column_t){.name = "best", .kind = SPOT_TABLE_TEXT});
    spot_table_add_column(
        table, (spot_table_column_t){.name = has_words ? words : metric->name,
                   .unit = has_words ? NULL : unit.unit,
                   .factor = unit.factor});
    spot_table_add_column(
        table, (spot_table_column_t){.name = "next", .kind = SPOT_TABLE_TEXT});
    spot_table_add_column(
        table, (spot_table_column_t){.name = "ahead by", .factor = unit.factor});
}

/* The value of the key that is best, "-" where there is none. */
static void
add_value(const spot_study_head_t *head, size_t point_id, spot_table_t *table)
{
    char label[SPOT_VALUE_LABEL_BYTES];

    spot_table_add_text(
        table, point_id == SPOT_NO_POINT
                   ? "-"
                   : spot_point_label(head, point_id, head->best.axis_id, label));
}

static void
add_row(const spot_winners_t *winners, const spot_winner_t *winner, spot_table_t *table)
{
    const spot_study_head_t *head = winners->head;
    char label[SPOT_VALUE_LABEL_BYTES];

    spot_table_add_row(table);
    for (size_t j = 0; j < head->num_axes; j++) {
        if (j != head->best.axis_id) {
            spot_table_add_text(
                table, spot_point_label(head, winner->first_id, j, label));
        }
    }
    add_value(head, winner->best_id, table);
    if (winner->best_id == SPOT_NO_POINT) {
        spot_table_add_number(table, (double) NAN);
    } else {
        const spot_summary_t *summary = spot_winners_summary(winners, winner->best_id);

        spot_table_add_estimate(table, summary->value, summary->half_width);
    }
    add_value(head, winner->next_id, table);
    if (winner->next_id == SPOT_NO_POINT) {
        spot_table_add_number(table, (double) NAN);
    } else {
        spot_table_add_estimate(table, spot_winner_lead(winner, &head->best),
            spot_paired_half_width(&winner->lead, SPOT_CONFIDENCE));
        spot_table_add_marks(table, winner->is_sure ? "*" : "");
    }
}

void
spot_winner_table_fill(const spot_winners_t *winners, spot_point_voice_t voice,
    size_t max_rows, spot_table_t *table)
{
    const size_t num_groups = winners->groups.num_groups;
    bool has_sure = false;

    add_columns(winners, voice, table);
    for (size_t j = 0; j < num_groups; j++) {
        has_sure = has_sure || winners->winners[j].is_sure;
        if (j < max_rows) {
            add_row(winners, &winners->winners[j], table);
        }
    }
    if (has_sure) {
        char text[128];

        snprintf(text, sizeof(text),
            "ahead of all others with %g %% confidence in all of them (paired)",
            100 * SPOT_CONFIDENCE);
        spot_table_add_note(table, "*", text);
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

static void
write_above(const spot_study_head_t *head, FILE *out)
{
    fputc('\n', out);
    spot_winner_title_write(head, out);
    fputc('\n', out);
    if (spot_winner_unmeasured_write(head, "", out)) {
        fputc('\n', out);
    }
    fputc('\n', out);
}

/* Between which values the winner changes. */
static void
write_below(const spot_winners_t *winners, FILE *out)
{
    if (winners->num_crossings > 0 || winners->head->best.num_keys > 0) {
        fputc('\n', out);
    }
    for (size_t j = 0; j < winners->num_crossings; j++) {
        spot_winner_crossing_write(winners, &winners->crossings[j], out);
        fputc('\n', out);
    }
    spot_break_evens_write(winners, "", out);
}

int
spot_winner_table_write(
    const spot_report_t *report, const spot_terminal_t *terminal, FILE *out)
{
    const spot_winners_t *winners;
    spot_table_t table = {.name = "winners"};
    int ret = spot_report_winners(report, &winners);

    if (ret == 0) {
        write_above(report->head, out);
        spot_winner_table_fill(winners, SPOT_POINTS_BY_NAME, SIZE_MAX, &table);
        ret = spot_table_write_terminal(&table, terminal, out);
    }
    if (ret == 0) {
        write_below(winners, out);
    }
    spot_table_free(&table);
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

/* All keys but the one that is best. */
static void
write_values(spot_json_t *json, const spot_study_head_t *head, size_t point_id)
{
    spot_json_open(json, "values", '{');
    for (size_t j = 0; j < head->num_axes; j++) {
        if (j != head->best.axis_id) {
            spot_axis_value_json(
                json, &head->axes[j], spot_study_value_id(head, point_id, j));
        }
    }
    spot_json_close(json, '}');
}

static void
write_winner(
    spot_json_t *json, const spot_winners_t *winners, const spot_winner_t *winner)
{
    const spot_study_head_t *head = winners->head;
    const double lead = spot_winner_lead(winner, &head->best);
    const double half_width = spot_paired_half_width(&winner->lead, SPOT_CONFIDENCE);

    spot_json_open(json, NULL, '{');
    write_values(json, head, winner->first_id);
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
    write_values(json, head, item->best_id);
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
