/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/side_by_side_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "reports/decimals.h"
#include "reports/study_words.h"
#include "reports/text_cell.h"
#include "reports/text_table.h"
#include "reports/value_label.h"

/* Points of one store only that are listed by name; the others are counted. */
#define MAX_LISTED 20

static const char *const side_titles[] = {"A, before:", "B, after: "};
static const char *const side_names[] = {"A", "B"};

/* ---- Numbers ---- */

static void
widen(double half_width, double *narrowest, double *widest)
{
    if (half_width > 0) {
        *narrowest = fmin(*narrowest, half_width);
        *widest = fmax(*widest, half_width);
    }
}

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

/* Both stores are shown alike, so that they can be compared. */
spot_change_decimals_t
spot_change_decimals(
    const spot_side_by_side_t *self, size_t metric_id, double factor, bool is_short)
{
    double narrowest = HUGE_VAL, widest = 0;
    double narrowest_difference = HUGE_VAL, widest_difference = 0;
    spot_change_decimals_t decimals;

    for (size_t j = 0; j < self->match.num_pairs; j++) {
        const spot_metric_change_t *change =
            &self->changes[j * self->num_metrics + metric_id];

        widen(factor * change->half_widths[SPOT_BEFORE], &narrowest, &widest);
        widen(factor * change->half_widths[SPOT_AFTER], &narrowest, &widest);
        widen(factor * change->half_width, &narrowest_difference, &widest_difference);
    }
    decimals.means[SPOT_BEFORE] = spot_decimals_of_column(narrowest, widest);
    decimals.means[SPOT_AFTER] = decimals.means[SPOT_BEFORE];
    /* where room is short one digit of the narrowest will do */
    decimals.difference = spot_decimals_of_column(
        is_short ? fmin(10 * narrowest_difference, widest_difference)
                 : narrowest_difference,
        widest_difference);
    decimals.factor = factor;
    decimals.is_short = is_short;
    return decimals;
}

/* "12.3 ±0.4", "-" where undefined; sign: with a + before what is above 0. */
static void
write_mean(double mean, double half_width, int num_decimals, bool has_sign, char *text,
    size_t num_bytes)
{
    char number[SPOT_DECIMAL_TEXT_BYTES], width[SPOT_DECIMAL_TEXT_BYTES];

    if (!isfinite(mean)) {
        snprintf(text, num_bytes, "-");
        return;
    }
    spot_decimal_text(mean, num_decimals, number);
    if (isfinite(half_width)) {
        spot_decimal_text(half_width, num_decimals, width);
    }
    snprintf(text, num_bytes, "%s%s%s%s", has_sign && mean > 0 ? "+" : "", number,
        isfinite(half_width) ? " ±" : "", isfinite(half_width) ? width : "");
}

void
spot_change_words(const spot_metric_change_t *change,
    const spot_change_decimals_t *decimals, spot_change_words_t *words)
{
    const double factor = decimals->factor;

    memset(words, 0, sizeof(*words));
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        write_mean(factor * change->means[side],
            decimals->is_short ? (double) NAN : factor * change->half_widths[side],
            decimals->means[side], false, words->means[side],
            sizeof(words->means[side]));
    }
    write_mean(factor * change->difference, factor * change->half_width,
        decimals->difference, true, words->difference, sizeof(words->difference));
    if (change->is_marked) {
        strcat(words->difference, "*");
    }
    if (isfinite(change->ratio)) {
        snprintf(words->ratio, sizeof(words->ratio),
            fabs(change->ratio) < 10 ? "%+.1f %%" : "%+.3g %%", 100 * change->ratio);
    } else {
        snprintf(words->ratio, sizeof(words->ratio), "-");
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
add_head(const spot_side_by_side_t *self, spot_text_table_t *table)
{
    static const char *const titles[] = {"A", "B", "B - A", "change"};
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < self->match.num_keys; j++) {
        ret = spot_text_table_add(table, self->match.keys[j].path, SPOT_STYLE_PLAIN);
    }
    for (size_t j = 0; ret == 0 && j < sizeof(titles) / sizeof(titles[0]); j++) {
        ret = spot_text_table_add(table, titles[j], SPOT_STYLE_PLAIN);
    }
    return ret;
}

/* The values of a pair of points: those of the study that sweeps the key. */
static int
add_keys(const spot_side_by_side_t *self, size_t pair_id, spot_text_table_t *table)
{
    char label[SPOT_VALUE_LABEL_BYTES];
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < self->match.num_keys; j++) {
        const size_t *axis_ids = self->match.keys[j].axis_ids;
        const int side =
            axis_ids[SPOT_BEFORE] == SPOT_NO_AXIS ? SPOT_AFTER : SPOT_BEFORE;

        ret = spot_text_table_add(table,
            spot_point_label(self->sides[side].report->head,
                self->match.point_ids[side][pair_id], axis_ids[side], label),
            SPOT_STYLE_PLAIN);
    }
    return ret;
}

static int
add_row(const spot_side_by_side_t *self, size_t pair_id, size_t metric_id,
    const spot_change_decimals_t *decimals, spot_text_table_t *table)
{
    const spot_metric_change_t *change =
        &self->changes[pair_id * self->num_metrics + metric_id];
    const spot_style_t style = change->is_marked ? SPOT_STYLE_BOLD : SPOT_STYLE_PLAIN;
    spot_change_words_t words;
    int ret = add_keys(self, pair_id, table);

    spot_change_words(change, decimals, &words);
    for (int side = 0; ret == 0 && side < SPOT_NUM_SIDES; side++) {
        ret = spot_text_table_add(table, words.means[side], SPOT_STYLE_PLAIN);
    }
    if (ret == 0) {
        ret = spot_text_table_add(table, words.difference, style);
    }
    return ret == 0 ? spot_text_table_add(table, words.ratio, style) : ret;
}

static int
fill_table(const spot_side_by_side_t *self, size_t metric_id, double factor,
    bool is_short, spot_text_table_t *table)
{
    const spot_change_decimals_t decimals =
        spot_change_decimals(self, metric_id, factor, is_short);
    int ret;

    *table = (spot_text_table_t){.num_columns = self->match.num_keys + 4};
    ret = add_head(self, table);
    for (size_t j = 0; ret == 0 && j < self->match.num_pairs; j++) {
        ret = add_row(self, j, metric_id, &decimals, table);
    }
    return ret;
}

/* The short form where that, and not the whole one, fits on the terminal. */
static int
choose_table(const spot_side_by_side_t *self, size_t metric_id, double factor,
    const spot_terminal_t *terminal, spot_text_table_t *table)
{
    spot_text_table_t shorter = {.num_columns = 0};
    int ret = fill_table(self, metric_id, factor, false, table);

    if (ret != 0 || spot_text_table_fits(table, terminal)) {
        return ret;
    }
    ret = fill_table(self, metric_id, factor, true, &shorter);
    if (ret == 0 && spot_text_table_fits(&shorter, terminal)) {
        const spot_text_table_t whole = *table;

        *table = shorter;
        shorter = whole;
    }
    spot_text_table_free(&shorter);
    return ret;
}

static int
write_metric(const spot_side_by_side_t *self, size_t metric_id,
    const spot_terminal_t *terminal, FILE *out)
{
    const spot_metric_t *metric = spot_side_by_side_metric(self, metric_id);
    const spot_shown_unit_t shown = spot_change_shown(self, metric_id);
    const double factor = shown.factor == 100 ? 1 : shown.factor;
    const bool has_unit = shown.unit[0] != '\0';
    spot_text_table_t table;
    const int ret = choose_table(self, metric_id, factor, terminal, &table);

    if (ret == 0) {
        fprintf(out, "\n%s%s%s%s%s%s: %zu of %zu points differ\n",
            spot_style_on(terminal, SPOT_STYLE_BOLD), metric->name, has_unit ? " (" : "",
            shown.unit, has_unit ? ")" : "", spot_style_off(terminal, SPOT_STYLE_BOLD),
            spot_side_by_side_num_marked(self, metric_id), self->match.num_pairs);
        spot_text_table_write(&table, terminal, out);
    }
    spot_text_table_free(&table);
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
