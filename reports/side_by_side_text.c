/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two stores side by side in words and tables. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "reports/side_by_side.h"
#include "reports/words.h"

#define MAX_NAMED 3         /* things in which they differ, in the answer */
#define DIFFERENCE_CHARS 80 /* of each of them */
#define MAX_LISTED 20       /* points of one store only that a terminal lists */

const char *spot_side_by_side_title(
    const spot_side_by_side_t *self, size_t metric_id, bool is_difference, spot_texts_t *texts)
{
    const spot_metric_t *metric = spot_side_by_side_metric(self, metric_id);
    const spot_shown_unit_t shown = spot_side_by_side_shown(self, metric_id);

    if (shown.factor == 100) {
        return spot_texts_add(texts, "%s%s", spot_words_subject(texts, metric),
            is_difference ? ": B − A (percentage points)" : " (%)");
    }
    return spot_texts_add(texts, "%s%s", spot_words_metric(texts, metric, shown.unit),
        is_difference ? ": B − A" : "");
}

/* ---- What the differences rest on ---- */

const char *spot_side_by_side_basis(const spot_side_by_side_t *self, spot_texts_t *texts)
{
    int64_t fewest = INT64_MAX, most = 0; /* pairs, of what has any */
    size_t num_defined = 0, num_unpaired = 0;

    for (size_t j = 0; j < self->match.num_pairs * self->num_metrics; j++) {
        const int64_t num_pairs = self->changes[j].num_pairs;

        if (isfinite(self->changes[j].difference)) {
            num_defined++;
            num_unpaired += num_pairs == 0;
            fewest = num_pairs > 0 && num_pairs < fewest ? num_pairs : fewest;
            most = num_pairs > most ? num_pairs : most;
        }
    }
    if (num_defined == 0) {
        return "no metric has a value in both at any point";
    }
    if (most == 0) {
        return self->sides[0].report->head->seed == self->sides[1].report->head->seed
                   ? "differences of independent samples: no two replications are the "
                     "same"
                   : "differences of independent samples: the seeds differ";
    }
    return spot_texts_add(texts, "differences within %s%s of replications%s",
        fewest < most ? spot_texts_add(texts, "%" PRId64 " to ", fewest) : "",
        spot_words_count(texts, most, "pair"),
        num_unpaired > 0 ? ", some of independent samples" : "");
}

/* ---- What comes of it ---- */

/* Differences of the main metric that are sure, up or down: "higher at 5 by 0.3 to 5.5
 * percentage points". */
static const char *move_words(const spot_side_by_side_t *self, bool is_up, spot_texts_t *texts)
{
    size_t num_points = 0;
    double least = HUGE_VAL, most = 0;

    for (size_t j = 0; j < self->match.num_pairs; j++) {
        const spot_metric_change_t *change = spot_side_by_side_change(self, j);
        const double size = fabs(change->difference);

        if (change->is_marked && is_up == (change->difference > 0)) {
            num_points++;
            least = fmin(least, size);
            most = fmax(most, size);
        }
    }
    return num_points == 0
               ? ""
               : spot_texts_add(texts, "%s at %zu by %s", is_up ? "higher" : "lower", num_points,
                     spot_words_change(
                         texts, spot_side_by_side_metric(self, self->main_id), least, most));
}

static const char *capitalised(spot_texts_t *texts, const char *text)
{
    return spot_texts_add(texts, "%c%s", toupper((unsigned char) text[0]), text + 1);
}

const char *spot_side_by_side_outcome(const spot_side_by_side_t *self, spot_texts_t *texts)
{
    const char *problem = spot_side_by_side_problem(self), *noun, *moves;
    const size_t num_pairs = self->match.num_pairs;
    size_t num_both = 0, num_any = 0; /* points with a value in both, or in one of them */

    if (problem != NULL) {
        return spot_texts_add(
            texts, "%s: there is nothing to compare.", capitalised(texts, problem));
    }
    noun = spot_words_subject(texts, spot_side_by_side_metric(self, self->main_id));
    for (size_t j = 0; j < num_pairs; j++) {
        const spot_metric_change_t *change = spot_side_by_side_change(self, j);

        num_both += isfinite(change->difference) ? 1 : 0;
        num_any +=
            isfinite(change->means[SPOT_BEFORE]) || isfinite(change->means[SPOT_AFTER]) ? 1 : 0;
    }
    if (num_any == 0) {
        return spot_texts_add(
            texts, "%s has no value at any point that both have.", capitalised(texts, noun));
    }
    if (num_both == 0) {
        return spot_texts_add(
            texts, "At no point that both have is there a value of %s in both.", noun);
    }
    moves = spot_texts_join(
        texts, move_words(self, true, texts), " and ", move_words(self, false, texts));
    return spot_texts_add(texts, "Of the %s %s, %s %s%s.",
        spot_words_count(texts, (int64_t) num_both, "point"),
        num_both == num_pairs
            ? "that both have"
            : spot_texts_add(texts, "of %zu at which both have a value", num_pairs),
        noun, moves[0] == '\0' ? "differs surely at none" : "in B is surely ", moves);
}

const char *spot_side_by_side_answer(const spot_side_by_side_t *self, spot_texts_t *texts)
{
    const char *words = "B differs from A", *end = ".";

    for (size_t j = 0; j < self->num_sentences && j < MAX_NAMED; j++) {
        char *text = spot_texts_room(texts, strlen(self->sentences[j]) + 5);

        if (text != NULL) {
            strcpy(text, self->sentences[j]);
            spot_utf8_cut(text, DIFFERENCE_CHARS);
            /* dots of a cut end the sentence, too */
            end = strcmp(text, self->sentences[j]) == 0 ? "." : "";
            words = spot_texts_add(texts, "%s%s %s", words, j == 0 ? ":" : ";", text);
        }
    }
    if (self->num_sentences == 0) {
        words = "B has the same scenario and the same points as A";
    } else if (self->num_sentences > MAX_NAMED) {
        end = spot_texts_add(texts, "; and in %zu more.", self->num_sentences - MAX_NAMED);
    }
    return spot_texts_add(texts, "%s%s %s", words, end, spot_side_by_side_outcome(self, texts));
}

/* ---- Tables ---- */

static void add_columns(
    const spot_side_by_side_t *self, const spot_shown_unit_t *shown, spot_table_t *table)
{
    const bool is_percent = shown->factor == 100;
    const spot_table_column_t columns[] = {
        {.name = "A", .unit = is_percent ? "%" : NULL, .factor = shown->factor},
        {.name = "B", .unit = is_percent ? "%" : NULL, .factor = shown->factor},
        {.name = "B - A",
            .unit = is_percent ? "% points" : NULL,
            .has_sign = true,
            .factor = shown->factor},
        {.name = "change",
            .unit = "%",
            .has_sign = true,
            .is_fixed = true,
            .num_decimals = 1,
            .factor = 100}};

    for (size_t j = 0; j < self->match.num_keys; j++) {
        spot_table_add_column(
            table, (spot_table_column_t){.name = self->match.keys[j].path, .is_key = true});
    }
    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
}

/* The values of keys are those of the study that sweeps them. */
static void add_row(const spot_side_by_side_t *self, size_t pair_id,
    const spot_metric_change_t *change, spot_table_t *table)
{
    const spot_style_t style = change->is_marked ? SPOT_STYLE_BOLD : SPOT_STYLE_PLAIN;

    spot_table_add_row(table);
    for (size_t j = 0; j < self->match.num_keys; j++) {
        const size_t *axis_ids = self->match.keys[j].axis_ids;
        const int side = axis_ids[SPOT_BEFORE] == SPOT_NO_AXIS ? SPOT_AFTER : SPOT_BEFORE;
        const spot_study_head_t *head = self->sides[side].report->head;
        const size_t value_id =
            spot_study_value_id(head, self->match.point_ids[side][pair_id], axis_ids[side]);
        const spot_axis_t *axis = &head->axes[axis_ids[side]];

        spot_table_add_text(table, spot_words_label(&table->texts, axis, value_id));
        spot_table_set_value(table, axis->numbers[value_id]);
    }
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        spot_table_add_estimate(table, change->means[side], change->half_widths[side]);
    }
    spot_table_add_estimate(table, change->difference, change->half_width);
    spot_table_add_marks(table, change->is_marked ? "*" : "");
    spot_table_set_style(table, style);
    spot_table_add_number(table, change->ratio);
    spot_table_set_style(table, style);
}

/* Rows that are not there are counted, and so are those of them that differ. */
static void write_metric(
    const spot_side_by_side_t *self, size_t metric_id, size_t max_rows, spot_document_t *document)
{
    const spot_shown_unit_t shown = spot_side_by_side_shown(self, metric_id);
    const size_t num_pairs = self->match.num_pairs;
    spot_table_t table = {.name = "metric"};
    size_t num_marked = 0, num_left = 0;

    add_columns(self, &shown, &table);
    for (size_t j = 0; j < num_pairs; j++) {
        const spot_metric_change_t *change = &self->changes[j * self->num_metrics + metric_id];

        num_marked += change->is_marked;
        num_left += change->is_marked && j >= max_rows;
        if (j < max_rows) {
            add_row(self, j, change, &table);
        }
    }
    table.caption = spot_texts_add(&table.texts, "%s: %zu of %zu points differ",
        spot_side_by_side_title(self, metric_id, false, &table.texts), num_marked, num_pairs);
    if (max_rows < num_pairs) {
        spot_table_add_note(&table, "",
            spot_texts_add(&table.texts,
                "The first %zu of %zu points; %zu of the others differ. The terminal "
                "has them all.",
                max_rows, num_pairs, num_left));
    }
    spot_document_gap(document);
    spot_document_table(
        document, spot_texts_add(&document->texts, "metric-%zu", metric_id), &table);
}

/* ---- The report ---- */

static void write_alone(
    const spot_side_by_side_t *self, int side, size_t max_listed, spot_document_t *document)
{
    const size_t num_alone = self->match.num_alone[side];
    spot_texts_t *texts = &document->texts;

    if (num_alone == 0) {
        return;
    }
    spot_document_fold(document, spot_texts_add(texts, "Only in %c, not compared: %s", "AB"[side],
                                     spot_words_count(texts, (int64_t) num_alone, "point")));
    for (size_t j = 0; j < num_alone && j < max_listed; j++) {
        const char *words = spot_words_point(
            texts, self->sides[side].report->head, self->match.alone_ids[side][j], SIZE_MAX);

        spot_document_item(document, "%s", words[0] == '\0' ? "the only point" : words);
    }
    if (num_alone > max_listed) {
        spot_document_note(document, "And %zu more.", num_alone - max_listed);
    }
    spot_document_end_fold(document);
}

void spot_side_by_side_write_sides(const spot_side_by_side_t *self, spot_document_t *document)
{
    static const char *const titles[] = {"A, before", "B, after"};

    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        const spot_side_t *read = &self->sides[side];

        spot_document_note(document, "%s: %s (%s · %zu points)", titles[side], read->path,
            spot_words_run(&document->texts, read->report), read->report->head->num_points);
    }
}

void spot_side_by_side_write(
    const spot_side_by_side_t *self, size_t max_rows, spot_document_t *document)
{
    const size_t max_listed = spot_document_is_page(document) ? max_rows : MAX_LISTED;

    spot_document_section(document, "differs", "In what they differ");
    if (self->num_sentences == 0) {
        spot_document_paragraph(document, "B has the same scenario and the same points as A.");
    }
    for (size_t j = 0; j < self->num_sentences; j++) {
        spot_document_item(document, "%s", self->sentences[j]);
    }
    if (spot_side_by_side_problem(self) == NULL) {
        spot_document_section(document, "tables", "Every point that both have");
        spot_document_note(document,
            "±: half width of the 95 %% confidence interval; %s. *: 0 is outside of the "
            "interval; where nothing differs, chance does that in 1 of 20.",
            spot_side_by_side_basis(self, &document->texts));
        write_metric(self, self->main_id, max_rows, document);
        for (size_t j = 0; j < self->num_metrics; j++) {
            if (j != self->main_id) {
                write_metric(self, j, max_rows, document);
            }
        }
    }
    write_alone(self, SPOT_BEFORE, max_listed, document);
    write_alone(self, SPOT_AFTER, max_listed, document);
}

int spot_side_by_side_print(const void *context, const spot_terminal_t *terminal, FILE *out)
{
    const spot_side_by_side_t *self = context;
    spot_document_t document;

    spot_document_to_terminal(&document, terminal, out);
    fputs(spot_style_on(terminal, SPOT_STYLE_BOLD), out);
    spot_document_paragraph(
        &document, "%s", spot_study_title(self->sides[SPOT_BEFORE].report->head));
    fputs(spot_style_off(terminal, SPOT_STYLE_BOLD), out);
    spot_side_by_side_write_sides(self, &document);
    spot_document_gap(&document);
    spot_document_paragraph(&document, "%s", spot_side_by_side_outcome(self, &document.texts));
    spot_side_by_side_write(self, SIZE_MAX, &document);
    return spot_document_end(&document);
}
