/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "reports/plan_report.h"
#include "reports/point_table.h"
#include "reports/study_parts.h"
#include "reports/words.h"

#define MAX_PAGE_ROWS 500 /* more rows are in the JSON of the study */

/* ---- The table ---- */

static void add_columns(const spot_report_t *report, spot_document_t *document, spot_table_t *table)
{
    const spot_study_head_t *head = report->head;
    const spot_metric_t *metric = &head->metrics[head->best.metric_id];
    const spot_shown_unit_t unit =
        spot_shown_unit(metric, spot_report_largest(report, head->best.metric_id));
    const bool is_page = spot_document_is_page(document);
    const spot_table_column_t columns[] = {
        {.name = "best", .kind = SPOT_TABLE_TEXT},
        {.name = is_page ? spot_words_metric(&document->texts, metric, unit.unit) : metric->name,
            .unit = is_page ? NULL : unit.unit,
            .factor = unit.factor},
        {.name = "next", .kind = SPOT_TABLE_TEXT},
        {.name = "ahead by", .factor = unit.factor},
    };

    spot_table_add_keys(table, head, head->best.axis_id, spot_document_voice(document));
    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
}

/* The value of the key that is best or next, "-" where there is none. */
static void add_value(
    const spot_study_head_t *head, size_t point_id, spot_texts_t *texts, spot_table_t *table)
{
    spot_table_add_text(table, point_id == SPOT_NO_POINT ? "-"
                                                         : spot_words_point_label(texts, head,
                                                               point_id, head->best.axis_id));
}

static spot_summary_t best_of(const spot_winners_t *winners, const spot_winner_t *winner)
{
    return winner->best_id == SPOT_NO_POINT
               ? (spot_summary_t){.value = (double) NAN, .half_width = (double) NAN}
               : *spot_winners_summary(winners, winner->best_id);
}

static void add_row(const spot_winners_t *winners, const spot_winner_t *winner,
    spot_document_t *document, spot_table_t *table)
{
    const spot_study_head_t *head = winners->head;
    const spot_summary_t best = best_of(winners, winner);

    spot_table_add_row(table);
    spot_table_add_point(
        table, head, winner->first_id, head->best.axis_id, spot_document_voice(document));
    add_value(head, winner->best_id, &document->texts, table);
    spot_table_add_estimate(table, best.value, best.half_width);
    add_value(head, winner->next_id, &document->texts, table);
    if (winner->next_id == SPOT_NO_POINT) {
        spot_table_add_number(table, (double) NAN);
    } else {
        spot_table_add_estimate(table, spot_winner_lead(winner, &head->best),
            spot_paired_half_width(&winner->lead, SPOT_CONFIDENCE));
        spot_table_add_marks(table, winner->is_sure ? "*" : "");
    }
}

/* "best recovery: the highest samples_per_usd; without ideal". */
static const char *caption_of(const spot_study_head_t *head, spot_texts_t *texts)
{
    const spot_best_t *best = &head->best;
    const spot_axis_t *axis = &head->axes[best->axis_id];
    const char *left_out = "";

    for (size_t j = 0; j < axis->num_values; j++) {
        if (best->is_left_out[j]) {
            left_out = spot_texts_join(texts, left_out, ", ", spot_words_label(texts, axis, j));
        }
    }
    return spot_texts_add(texts, "best %s: the %s %s%s%s", axis->path,
        best->is_maximised ? "highest" : "lowest", head->metrics[best->metric_id].name,
        left_out[0] == '\0' ? "" : "; without ", left_out);
}

static void write_table(
    const spot_report_t *report, const spot_winners_t *winners, spot_document_t *document)
{
    const size_t num_groups = winners->groups.num_groups;
    const size_t num_rows =
        spot_document_is_page(document) && num_groups > MAX_PAGE_ROWS ? MAX_PAGE_ROWS : num_groups;
    spot_table_t table = {
        .name = "winners", .caption = caption_of(winners->head, &document->texts)};
    bool has_sure = false;

    add_columns(report, document, &table);
    for (size_t j = 0; j < num_rows; j++) {
        has_sure = has_sure || winners->winners[j].is_sure;
        add_row(winners, &winners->winners[j], document, &table);
    }
    if (has_sure) {
        spot_table_add_note(&table, "*",
            spot_texts_add(&document->texts,
                "ahead of all others with %g %% confidence in all of them (paired)",
                100 * SPOT_CONFIDENCE));
    }
    spot_document_table(document, "winners-table", &table);
    if (num_rows < num_groups) {
        spot_document_note(document, "The first %zu of %zu rows.", num_rows, num_groups);
    }
}

/* ---- Beside the table ---- */

/* What points with a value of the key rest on that was not measured and are left out
 * for, or NULL. is_all: no other point with it competes. */
static const char *unmeasured_of(const spot_winners_t *winners, size_t value_id, bool *is_all)
{
    const spot_study_head_t *head = winners->head;
    const char *text = NULL, *beyond = NULL;

    *is_all = true;
    for (size_t j = 0; j < head->num_points; j++) {
        if (spot_study_value_id(head, j, head->best.axis_id) != value_id) {
            continue;
        }
        *is_all = *is_all && (!spot_study_competes(head, j) || winners->is_beyond[j]);
        text = text == NULL ? spot_study_unmeasured(head, j) : text;
        beyond =
            beyond == NULL && winners->is_beyond[j] ? spot_study_beyond(head, j).words : beyond;
    }
    return text == NULL ? beyond : text;
}

const char *spot_winners_unmeasured(const spot_winners_t *winners, spot_texts_t *texts)
{
    const spot_study_head_t *head = winners->head;
    const spot_axis_t *axis = &head->axes[head->best.axis_id];
    const char *text = "";

    for (size_t j = 0; j < axis->num_values; j++) {
        bool is_all;
        const char *unmeasured = unmeasured_of(winners, j, &is_all);

        if (unmeasured != NULL && !head->best.is_left_out[j]) {
            text = spot_texts_join(texts, text, ", ",
                spot_texts_add(texts, "%s%s (%s)", is_all ? "" : "some points of ",
                    spot_words_label(texts, axis, j), unmeasured));
        }
    }
    return text[0] == '\0' ? "" : spot_texts_add(texts, "not measured, so without %s", text);
}

const char *spot_winners_beyond(const spot_winners_t *winners, spot_texts_t *texts)
{
    const spot_study_head_t *head = winners->head;
    size_t num_beyond = 0, num_won = 0, first_id = SPOT_NO_POINT;

    for (size_t j = 0; j < winners->groups.num_groups; j++) {
        const size_t best_id = winners->winners[j].best_id;

        num_won += best_id != SPOT_NO_POINT;
        if (best_id != SPOT_NO_POINT && spot_winners_rests_beyond(winners, best_id)) {
            num_beyond++;
            first_id = first_id == SPOT_NO_POINT ? best_id : first_id;
        }
    }
    if (num_beyond == 0) {
        return "";
    }
    return spot_texts_add(texts, "the winner %s%s%s",
        num_won == 1 ? "" : spot_texts_add(texts, "at %zu of %zu points ", num_beyond, num_won),
        spot_study_beyond(head, first_id).words,
        spot_study_beyond(head, first_id).only_warns ? "" : "; there is no other");
}

/* "between trace.preemption.per_minute = 0.2 and 0.25, about 0.221, checkpoint gives way
 * to on-demand". */
static void write_crossing(
    const spot_winners_t *winners, const spot_crossing_t *crossing, spot_document_t *document)
{
    const spot_study_head_t *head = winners->head;
    const spot_axis_t *x = &head->axes[winners->x_id];
    const size_t key_id = head->best.axis_id;
    const spot_winner_t *before = &winners->winners[crossing->before_id];
    const spot_winner_t *after = &winners->winners[crossing->after_id];
    spot_texts_t *texts = &document->texts;
    const char *about = "";

    if (isfinite(crossing->number)) {
        about = spot_texts_add(
            texts, ", about %.3g%s%s", crossing->number, x->unit[0] == '\0' ? "" : " ", x->unit);
    }
    spot_document_item(document, "between %s = %s and %s%s, %s gives way to %s%s", x->path,
        spot_words_point_label(texts, head, before->first_id, winners->x_id),
        spot_words_point_label(texts, head, after->first_id, winners->x_id), about,
        spot_words_point_label(texts, head, before->best_id, key_id),
        spot_words_point_label(texts, head, after->best_id, key_id),
        before->is_sure && after->is_sure ? "" : " (not sure)");
}

void spot_winners_write(const spot_report_t *report, spot_document_t *document)
{
    const spot_winners_t *winners;
    const int ret = spot_report_winners(report, &winners);
    const char *unmeasured, *beyond;

    spot_document_fail(document, ret);
    if (ret != 0) {
        return;
    }
    unmeasured = spot_winners_unmeasured(winners, &document->texts);
    beyond = spot_winners_beyond(winners, &document->texts);
    if (beyond[0] != '\0') {
        spot_document_paragraph(document, "%s", beyond);
    }
    write_table(report, winners, document);
    if (unmeasured[0] != '\0' || winners->num_crossings + report->head->best.num_keys > 0) {
        spot_document_gap(document);
    }
    if (unmeasured[0] != '\0') {
        spot_document_paragraph(document, "%s", unmeasured);
    }
    for (size_t j = 0; j < winners->num_crossings; j++) {
        if (j == 0) {
            spot_document_paragraph(document, "The winner changes:");
        }
        write_crossing(winners, &winners->crossings[j], document);
    }
    if (report->head->best.num_keys > 0) {
        spot_document_paragraph(document, "Break-evens:");
        spot_break_evens_write(winners, document);
    }
}

/* ---- JSON ---- */

static void write_value(spot_json_t *json, const char *name, const spot_study_head_t *head,
    size_t point_id, size_t axis_id)
{
    spot_json_text(json, name,
        point_id == SPOT_NO_POINT
            ? NULL
            : head->axes[axis_id].texts[spot_study_value_id(head, point_id, axis_id)]);
}

static void write_winner(
    spot_json_t *json, const spot_winners_t *winners, const spot_winner_t *winner)
{
    const spot_study_head_t *head = winners->head;
    const double lead = spot_winner_lead(winner, &head->best);
    const double half_width = spot_paired_half_width(&winner->lead, SPOT_CONFIDENCE);

    spot_json_open(json, NULL, '{');
    spot_values_json(json, head, winner->first_id, head->best.axis_id);
    write_value(json, "best", head, winner->best_id, head->best.axis_id);
    spot_json_number(json, "mean", best_of(winners, winner).value);
    write_value(json, "next", head, winner->next_id, head->best.axis_id);
    spot_json_number(json, "ahead", lead);
    spot_json_number(json, "ahead_ci95_low", lead - half_width);
    spot_json_number(json, "ahead_ci95_high", lead + half_width);
    spot_json_boolean(json, "is_sure", winner->is_sure);
    spot_json_close(json, '}');
}

static void write_crossing_json(
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

static void write_side_json(spot_json_t *json, const char *name, const spot_break_even_side_t *side)
{
    spot_json_open(json, name, '{');
    spot_json_number(json, "at", side->at);
    spot_json_number(json, "ci95_near", side->near);
    spot_json_number(json, "ci95_far", side->far);
    spot_json_number(json, "tried_to", side->reach);
    spot_json_close(json, '}');
}

static void write_break_even_json(
    spot_json_t *json, const spot_winners_t *winners, const spot_break_even_t *item)
{
    const spot_study_head_t *head = winners->head;

    spot_json_open(json, NULL, '{');
    spot_values_json(json, head, item->best_id, head->best.axis_id);
    write_value(json, "best", head, item->best_id, head->best.axis_id);
    write_value(json, "next", head, item->next_id, head->best.axis_id);
    spot_json_text(json, "key", head->best.keys[item->key_id]);
    spot_json_text(json, "unit", item->unit);
    spot_json_number(json, "is", item->number);
    write_side_json(json, "below", &item->sides[SPOT_BREAK_EVEN_BELOW]);
    write_side_json(json, "above", &item->sides[SPOT_BREAK_EVEN_ABOVE]);
    spot_json_close(json, '}');
}

int spot_winner_json(spot_json_t *json, const spot_store_t *store)
{
    const spot_best_t *best = &store->head->best;
    spot_winners_t winners;
    const int ret = spot_winners_init(&winners, store);
    const size_t num_groups = ret == 0 ? winners.groups.num_groups : 0;

    spot_json_open(json, "best", '{');
    spot_json_text(json, "key", store->head->axes[best->axis_id].path);
    spot_json_text(json, best->is_maximised ? "maximise" : "minimise",
        store->head->metrics[best->metric_id].name);
    spot_json_open(json, "winners", '[');
    for (size_t j = 0; j < num_groups; j++) {
        write_winner(json, &winners, &winners.winners[j]);
    }
    spot_json_close(json, ']');
    spot_json_open(json, "crossings", '[');
    for (size_t j = 0; ret == 0 && j < winners.num_crossings; j++) {
        write_crossing_json(json, &winners, &winners.crossings[j]);
    }
    spot_json_close(json, ']');
    spot_json_open(json, "break_evens", '[');
    for (size_t j = 0; j < num_groups * best->num_keys; j++) {
        const spot_break_even_t *item = spot_winners_break_even(
            &winners, &winners.winners[j / best->num_keys], j % best->num_keys);

        if (item != NULL) {
            write_break_even_json(json, &winners, item);
        }
    }
    spot_json_close(json, ']');
    spot_json_close(json, '}');
    spot_winners_free(&winners);
    return ret;
}
