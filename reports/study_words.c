/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/study_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "reports/decimals.h"
#include "reports/figure.h"
#include "reports/shown_unit.h"
#include "reports/value_label.h"

#define SHORT_VALUE 8 /* bytes of a number that are not rounded */

const char *
spot_study_title(const spot_study_head_t *head)
{
    return head->question != NULL ? head->question : head->name;
}

size_t
spot_main_metric(const spot_study_head_t *head)
{
    const char *name =
        head->optimise.metric != NULL ? head->optimise.metric : head->plot.y;
    const size_t metric_id = head->optimise.metric == NULL && head->best.is_asked
                                 ? head->best.metric_id
                                 : spot_study_metric_id(head, name);

    return metric_id < head->num_metrics ? metric_id : 0;
}

size_t
spot_drawn_metric(const spot_study_head_t *head)
{
    const size_t y_id = spot_study_metric_id(head, head->plot.y);

    return y_id < head->num_metrics ? y_id : spot_main_metric(head);
}

const char *
spot_metrics_problem(
    const spot_report_t *report, size_t num_metrics, const size_t *metric_ids)
{
    if (report->num_rows == 0) {
        return "no point has replications yet";
    }
    for (size_t point_id = 0; point_id < report->head->num_points; point_id++) {
        size_t num_defined = 0, num_there = 0;

        for (size_t j = 0; j < num_metrics; j++) {
            num_there += spot_study_has_metric(report->head, point_id, metric_ids[j]);
            num_defined +=
                isfinite(spot_report_summary(report, point_id, metric_ids[j])->value)
                    ? 1
                    : 0;
        }
        if (num_there > 0 && num_defined == num_there) {
            return NULL;
        }
    }
    return "what it would draw is undefined at all points";
}

static bool
is_anywhere(const spot_report_t *report, size_t metric_id)
{
    for (size_t j = 0; j < report->head->num_points; j++) {
        if (isfinite(spot_report_summary(report, j, metric_id)->value)) {
            return true;
        }
    }
    return false;
}

/* ": idle_fraction, usd_per_h", those that have no value at any point; none where all
 * have one, but nowhere together. */
static void
name_undefined(const spot_report_t *report, size_t num_metrics, const size_t *metric_ids,
    char text[SPOT_NOTE_BYTES])
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t j = 0; j < num_metrics && used < SPOT_NOTE_BYTES; j++) {
        if (!is_anywhere(report, metric_ids[j])) {
            used += (size_t) snprintf(text + used, SPOT_NOTE_BYTES - used, "%s%s",
                used == 0 ? ": " : ", ", report->head->metrics[metric_ids[j]].name);
        }
    }
}

int
spot_metrics_check(const spot_report_t *report, size_t num_metrics,
    const size_t *metric_ids, const char *picture_path, spot_diag_t *diag)
{
    const char *problem = spot_metrics_problem(report, num_metrics, metric_ids);
    char names[SPOT_NOTE_BYTES] = "";

    if (problem == NULL) {
        return 0;
    }
    if (report->num_rows > 0) {
        name_undefined(report, num_metrics, metric_ids, names);
    }
    spot_diag_error(
        diag, picture_path, 0, 0, "nothing can be drawn: %s%s", problem, names);
    return SPOT_ERR_BAD_PARAM;
}

void
spot_fixed_words(const spot_study_head_t *head, char text[SPOT_WORDS_BYTES])
{
    size_t num_fixed = 0, num_unable = 0, used = 0;

    for (size_t j = 0; j < head->num_points; j++) {
        num_fixed += spot_study_is_fixed(head, j) ? 1 : 0;
        num_unable += spot_study_cannot_run(head, j) != NULL ? 1 : 0;
    }
    text[0] = '\0';
    if (num_fixed > 0) {
        used = (size_t) snprintf(text, SPOT_WORDS_BYTES,
            " (1 at %zu point%s without chance)", num_fixed, num_fixed == 1 ? "" : "s");
    }
    if (num_unable > 0 && used < SPOT_WORDS_BYTES) {
        snprintf(text + used, SPOT_WORDS_BYTES - used, " (none at %zu that cannot run)",
            num_unable);
    }
}

void
spot_replications_words(const spot_study_head_t *head, int64_t min_rows,
    int64_t max_rows, char text[SPOT_WORDS_BYTES])
{
    const int64_t wanted = head->num_replications;
    char fixed[SPOT_WORDS_BYTES];

    spot_fixed_words(head, fixed);
    if (min_rows == wanted) {
        snprintf(text, SPOT_WORDS_BYTES, "%" PRId64 " replication%s at each point%s",
            wanted, wanted == 1 ? "" : "s", fixed);
    } else if (min_rows == max_rows) {
        snprintf(text, SPOT_WORDS_BYTES,
            "%" PRId64 " of %" PRId64 " replications at each point%s", min_rows, wanted,
            fixed);
    } else {
        snprintf(text, SPOT_WORDS_BYTES,
            "%" PRId64 " to %" PRId64 " of %" PRId64 " replications at each point%s",
            min_rows, max_rows, wanted, fixed);
    }
}

/* Takes the first bytes of a character off the end, where it did not fit. */
static void
drop_partial(char *text)
{
    size_t used = 0, length;

    while (text[used] != '\0') {
        length = spot_utf8_length(text + used, strlen(text + used));
        if (length == 0) {
            text[used] = '\0';
            return;
        }
        used += length;
    }
}

void
spot_key_words(const spot_axis_t *axis, char text[SPOT_WORDS_BYTES])
{
    spot_figure_words(axis->path, text, SPOT_WORDS_BYTES);
    drop_partial(text);
}

void
spot_panel_words(const spot_study_head_t *head, size_t point_id, size_t left_out_id,
    size_t max_chars, char text[SPOT_POINT_BYTES])
{
    char words[SPOT_WORDS_BYTES], value[SPOT_VALUE_LABEL_BYTES];
    size_t used = 0;

    text[0] = '\0';
    for (size_t j = 0; j < head->num_axes && used + 8 < SPOT_POINT_BYTES; j++) {
        const spot_axis_t *axis = &head->axes[j];
        const size_t value_id = spot_study_value_id(head, point_id, j);
        const char *dot = strrchr(axis->path, '.');
        const bool is_bare = head->num_axes == 1 || isnan(axis->numbers[value_id]);

        if (j == left_out_id) {
            continue;
        }
        spot_figure_words(dot == NULL ? axis->path : dot + 1, words, sizeof(words));
        (void) spot_value_label(axis, value_id, value);
        if (strlen(value) > SHORT_VALUE && axis->unit[0] == '\0' &&
            isfinite(axis->numbers[value_id])) {
            snprintf(value, sizeof(value), "%.4g", axis->numbers[value_id]);
        }
        used += (size_t) snprintf(text + used, SPOT_POINT_BYTES - 4 - used, "%s%s%s%s",
            used == 0 ? "" : ", ", is_bare ? "" : words, is_bare ? "" : " ", value);
    }
    spot_figure_cut(text, max_chars);
}

void
spot_point_words(const spot_study_head_t *head, size_t point_id, size_t max_chars,
    char text[SPOT_POINT_BYTES])
{
    spot_panel_words(head, point_id, SIZE_MAX, max_chars, text);
}

void
spot_study_run_words(const spot_report_t *report, char text[SPOT_NOTE_BYTES])
{
    char shown[SPOT_UTF8_SHOWN_BYTES], replications[SPOT_WORDS_BYTES];

    spot_replications_words(
        report->head, report->min_rows, report->max_rows, replications);
    snprintf(text, SPOT_NOTE_BYTES, "%s · %s · seed %" PRIu64,
        spot_utf8_shown(report->head->name, shown), replications, report->head->seed);
}

void
spot_study_note(
    const spot_curves_t *curves, size_t num_panels_drawn, char text[SPOT_NOTE_BYTES])
{
    size_t used;

    spot_study_run_words(curves->report, text);
    used = strlen(text);
    used += (size_t) snprintf(text + used, SPOT_NOTE_BYTES - used,
        " · %s: its 95 %% confidence interval",
        curves->is_scattered ? "dot: mean, bar" : "curve: mean, band");
    if (num_panels_drawn < curves->num_panels) {
        snprintf(text + used, SPOT_NOTE_BYTES - used, " · only %zu of %zu curves",
            num_panels_drawn, curves->num_panels);
    }
}

/* "text (unit)". */
static void
add_unit(char text[SPOT_WORDS_BYTES], const char *unit)
{
    const size_t used = strlen(text);

    snprintf(text + used, SPOT_WORDS_BYTES - used, " (%s)", unit);
}

void
spot_axis_words(const spot_axis_t *axis, char text[SPOT_WORDS_BYTES])
{
    spot_figure_words(axis->path, text, SPOT_WORDS_BYTES);
    if (strcmp(axis->unit, "") != 0) {
        add_unit(text, axis->unit);
    }
}

/* Whether the study calls x anything, and that briefly enough. */
static bool
has_x_label(const spot_study_head_t *head, const char *before)
{
    return head->plot.x_label != NULL &&
           strlen(before) + strlen(head->plot.x_label) < SPOT_WORDS_BYTES;
}

void
spot_x_words(const spot_study_head_t *head, size_t axis_id, char text[SPOT_WORDS_BYTES])
{
    if (has_x_label(head, "")) {
        snprintf(text, SPOT_WORDS_BYTES, "%s", head->plot.x_label);
    } else {
        spot_axis_words(&head->axes[axis_id], text);
    }
}

void
spot_x_subject(
    const spot_study_head_t *head, size_t axis_id, char text[SPOT_WORDS_BYTES])
{
    if (has_x_label(head, "the ")) {
        snprintf(text, SPOT_WORDS_BYTES, "the %s", head->plot.x_label);
    } else {
        spot_key_words(&head->axes[axis_id], text);
    }
}

/* Takes word off the end of text; whether it was there. */
static bool
cut_last_word(char *text, const char *word)
{
    const size_t num_bytes = strlen(text), word_bytes = strlen(word);
    char *place;

    if (num_bytes < word_bytes + 2) {
        return false;
    }
    place = text + num_bytes - word_bytes - 1;
    if (*place != ' ' || strcmp(place + 1, word) != 0) {
        return false;
    }
    *place = '\0';
    return true;
}

/* The words of "p95(cost_usd)" are "p95 of" those of cost_usd. Returns false for a name
 * of another form. */
static bool
form_words(const spot_metric_t *metric, char text[SPOT_WORDS_BYTES])
{
    const size_t head_bytes = strcspn(metric->name, "(");
    const size_t num_bytes = strlen(metric->name);
    char inside[SPOT_WORDS_BYTES], words[SPOT_WORDS_BYTES];
    spot_metric_t other = *metric;

    if (metric->estimator == SPOT_ESTIMATOR_USUAL || head_bytes + 2 > num_bytes ||
        num_bytes - head_bytes > sizeof(inside)) {
        return false;
    }
    memcpy(inside, metric->name + head_bytes + 1, num_bytes - head_bytes - 2);
    inside[num_bytes - head_bytes - 2] = '\0';
    other.name = inside;
    other.estimator = SPOT_ESTIMATOR_USUAL;
    spot_metric_words(&other, words);
    snprintf(text, SPOT_WORDS_BYTES, "%.*s of %.*s", (int) head_bytes, metric->name,
        (int) (SPOT_WORDS_BYTES - head_bytes - 5), words);
    return true;
}

void
spot_metric_words(const spot_metric_t *metric, char text[SPOT_WORDS_BYTES])
{
    const char *unit = metric->unit;
    const bool is_sign = strlen(unit) <= 3; /* "s", not "steps" */

    if (form_words(metric, text)) {
        return;
    }
    spot_figure_words(metric->name, text, SPOT_WORDS_BYTES);
    if (strcmp(unit, "1") == 0 || strstr(text, " per ") != NULL) {
        return;
    }
    if (is_sign) {
        (void) cut_last_word(text, unit);
    }
    if (is_sign || strstr(text, unit) == NULL) {
        add_unit(text, unit);
    }
}

bool
spot_fraction_words(const spot_metric_t *metric, char text[SPOT_WORDS_BYTES])
{
    spot_metric_words(metric, text);
    return cut_last_word(text, "fraction");
}

/* Fractions with a noun for a name; the others say what the time was spent on. */
static bool
is_noun(const char *words)
{
    return strcmp(words, "goodput") == 0;
}

void
spot_metric_subject(const spot_metric_t *metric, char text[SPOT_WORDS_BYTES])
{
    char unit[SPOT_LABEL_BYTES];

    if (spot_fraction_words(metric, text)) {
        const size_t used = strlen(text);

        snprintf(text + used, SPOT_WORDS_BYTES - used, is_noun(text) ? "" : " time");
        return;
    }
    snprintf(unit, sizeof(unit), "(%s)", metric->unit);
    (void) cut_last_word(text, unit);
}

/* "samples", not "loss", "status" or "s". */
static bool
is_plural_word(const char *word, size_t num_bytes)
{
    return num_bytes > 3 && word[num_bytes - 1] == 's' &&
           strchr("sui", word[num_bytes - 2]) == NULL;
}

/* The subject ends where a word begins that tells of it, or of what, or since when. */
static bool
is_joint(const char *word, size_t num_bytes)
{
    static const char *const joints[] = {
        "at", "by", "for", "from", "in", "of", "on", "once", "per", "to", "with"};

    for (size_t j = 0; j < sizeof(joints) / sizeof(joints[0]); j++) {
        if (strlen(joints[j]) == num_bytes && memcmp(joints[j], word, num_bytes) == 0) {
            return true;
        }
    }
    return false;
}

/* The noun is the first word, "steps kept", or the last one, "mean instances". */
bool
spot_metric_is_plural(const spot_metric_t *metric)
{
    char words[SPOT_WORDS_BYTES];
    bool is_first = false, is_last = false;

    if (spot_fraction_words(metric, words)) {
        return false; /* some time */
    }
    spot_metric_subject(metric, words);
    for (const char *word = words; *word != '\0';) {
        const size_t num_bytes = strcspn(word, " ");

        if (is_joint(word, num_bytes)) {
            break;
        }
        is_last = is_plural_word(word, num_bytes);
        is_first = is_first || (word == words && is_last);
        word += num_bytes + strspn(word + num_bytes, " ");
    }
    return is_first || is_last;
}

/* What stands behind its values: "" where its words say the unit, or it has none. */
static void
value_unit(const spot_metric_t *metric, char unit[SPOT_LABEL_BYTES])
{
    char words[SPOT_WORDS_BYTES];
    size_t used;

    unit[0] = '\0';
    if (spot_fraction_words(metric, words)) {
        strcpy(unit, " %");
        return;
    }
    used = strlen(words);
    snprintf(unit, SPOT_LABEL_BYTES, "(%s)", metric->unit);
    if (cut_last_word(words, unit) && used > 0) {
        snprintf(unit, SPOT_LABEL_BYTES, " %s", metric->unit);
    } else {
        unit[0] = '\0';
    }
}

/* The same for values up to a magnitude: what they are multiplied by, and what stands
 * behind them. */
static double
value_scale(const spot_metric_t *metric, double largest, char unit[SPOT_LABEL_BYTES])
{
    const spot_shown_unit_t shown = spot_shown_unit(metric, largest);

    if (shown.factor == 1) {
        value_unit(metric, unit);
        return spot_metric_factor(metric);
    }
    snprintf(unit, SPOT_LABEL_BYTES, " %s", shown.unit);
    return shown.factor;
}

double
spot_metric_factor(const spot_metric_t *metric)
{
    char words[SPOT_WORDS_BYTES];

    return spot_fraction_words(metric, words) ? 100 : 1;
}

/* A number with two digits of resolution, but at least one of its own. */
static void
number_words(double value, double resolution, char text[SPOT_LABEL_BYTES])
{
    const double size = fabs(value);
    int num_decimals = size > 0 ? (int) fmax(0, -floor(log10(size))) : 0;

    if (resolution > 0 && spot_decimals_for(resolution) > num_decimals) {
        num_decimals = spot_decimals_for(resolution);
    }
    if (size >= 1e9 || num_decimals > 6) {
        snprintf(text, SPOT_LABEL_BYTES, "%.3g", value);
    } else if (resolution > 0 || size == 0) {
        snprintf(text, SPOT_LABEL_BYTES, "%.*f", size == 0 ? 0 : num_decimals, value);
    } else {
        snprintf(text, SPOT_LABEL_BYTES, "%.6g", value);
    }
}

void
spot_metric_value_words(const spot_metric_t *metric, double value, double resolution,
    char text[SPOT_WORDS_BYTES])
{
    char number[SPOT_LABEL_BYTES], unit[SPOT_LABEL_BYTES];
    const double factor = value_scale(metric, fabs(value), unit);

    if (!isfinite(value)) {
        snprintf(text, SPOT_WORDS_BYTES, "undefined");
        return;
    }
    number_words(factor * value, factor * resolution, number);
    snprintf(text, SPOT_WORDS_BYTES, "%s%s", number, unit);
}

void
spot_metric_pair_words(const spot_metric_t *metric, double first, double second,
    char first_text[SPOT_WORDS_BYTES], char second_text[SPOT_WORDS_BYTES])
{
    const double resolution = fabs(first - second);
    char *unit, *second_unit;

    spot_metric_value_words(metric, first, resolution, first_text);
    spot_metric_value_words(metric, second, resolution, second_text);
    unit = strchr(first_text, ' ');
    second_unit = strchr(second_text, ' ');
    if (unit != NULL && second_unit != NULL && strcmp(unit, second_unit) == 0 &&
        strcmp(unit, " %") != 0) {
        *unit = '\0';
    }
}

void
spot_metric_interval_words(const spot_metric_t *metric, double value, double half_width,
    char text[SPOT_WORDS_BYTES])
{
    char number[SPOT_LABEL_BYTES], half[SPOT_LABEL_BYTES], unit[SPOT_LABEL_BYTES];
    const double factor = value_scale(metric, fabs(value), unit);

    if (!(isfinite(value) && half_width > 0 && isfinite(half_width))) {
        spot_metric_value_words(metric, value, 0, text);
        return;
    }
    number_words(factor * value, factor * half_width, number);
    number_words(factor * half_width, factor * half_width, half);
    snprintf(text, SPOT_WORDS_BYTES, "%s ±%s%s", number, half, unit);
}

void
spot_metric_change_words(
    const spot_metric_t *metric, double low, double high, char text[SPOT_WORDS_BYTES])
{
    char from[SPOT_LABEL_BYTES], to[SPOT_LABEL_BYTES], unit[SPOT_LABEL_BYTES];
    const double factor = value_scale(metric, fabs(high), unit);
    const bool is_known = isfinite(low) && isfinite(high);

    number_words(factor * low, factor * fabs(high), from);
    number_words(factor * high, factor * fabs(high), to);
    if (strcmp(unit, " %") == 0) {
        snprintf(unit, sizeof(unit), " percentage point%s",
            strcmp(to, "1.0") == 0 ? "" : "s");
    }
    if (!is_known) {
        snprintf(text, SPOT_WORDS_BYTES, "undefined");
    } else if (strcmp(from, to) == 0) {
        snprintf(text, SPOT_WORDS_BYTES, "%s%s", to, unit);
    } else {
        snprintf(text, SPOT_WORDS_BYTES, "%s to %s%s", from, to, unit);
    }
}

int
spot_short_number(double value, char text[SPOT_LABEL_BYTES])
{
    const double size = fabs(value);
    const int num_decimals = size < 10 ? 2 : size < 100 ? 1 : 0;

    if (!isfinite(value)) {
        text[0] = '\0';
        return 0;
    }
    if (size >= 1 && size < 1e6) {
        return snprintf(text, SPOT_LABEL_BYTES, "%.*f", num_decimals, value);
    }
    return snprintf(text, SPOT_LABEL_BYTES, "%.3g", value);
}

void
spot_value_words(const spot_metric_t *metric, double value, char text[SPOT_LABEL_BYTES])
{
    char words[SPOT_WORDS_BYTES];

    if (!isfinite(value)) {
        snprintf(text, SPOT_LABEL_BYTES, "undefined");
    } else if (spot_fraction_words(metric, words)) {
        snprintf(text, SPOT_LABEL_BYTES, "%.1f %%", 100 * value);
    } else {
        (void) spot_short_number(value, text);
    }
}
