/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "reports/table/decimals.h"

#define SHORT_VALUE 8 /* bytes of a number that is not rounded */

/* ---- Numbers ---- */

/* "1234567.8" becomes "1,234,567.8"; "1e+15" stays. */
static const char *with_separators(spot_texts_t *texts, const char *text)
{
    const size_t first = text[0] == '-';
    const size_t num_digits = strspn(text + first, "0123456789");
    const size_t num_bytes = strlen(text);
    char *room;

    if (strchr(text, 'e') != NULL || num_digits <= 3) {
        return text;
    }
    room = spot_texts_room(texts, num_bytes + num_digits / 3 + 1);
    if (room == NULL) {
        return "";
    }
    for (size_t j = 0, used = 0; j < num_bytes; j++) {
        const size_t num_left = first + num_digits - j; /* digits from this one on */

        if (j > first && num_left > 0 && j < first + num_digits && num_left % 3 == 0) {
            room[used++] = ',';
        }
        room[used++] = text[j];
    }
    return room;
}

const char *spot_words_number(spot_texts_t *texts, double value)
{
    const double size = fabs(value);
    const bool is_plain = size >= 1 && size < 1e15;

    if (!isfinite(value)) {
        return "";
    }
    return with_separators(texts, is_plain ? spot_texts_add(texts, "%.*f",
                                                 size < 10    ? 2
                                                 : size < 100 ? 1
                                                              : 0,
                                                 value)
                                           : spot_texts_add(texts, "%.3g", value));
}

/* A number with two digits of resolution, but at least one of its own. */
static const char *number_in(spot_texts_t *texts, double value, double resolution)
{
    const double size = fabs(value);
    int num_decimals = size > 0 ? (int) fmax(0, -floor(log10(size))) : 0;
    const char *text;

    if (resolution > 0 && spot_decimals_for(resolution) > num_decimals) {
        num_decimals = spot_decimals_for(resolution);
    }
    if (size >= 1e15 || num_decimals > 6) {
        text = spot_texts_add(texts, "%.3g", value);
    } else if (resolution > 0 || size == 0) {
        text = spot_texts_add(texts, "%.*f", size == 0 ? 0 : num_decimals, value);
    } else {
        text = spot_texts_add(texts, size < 1e6 ? "%.6g" : "%.0f", value);
    }
    return with_separators(texts, text);
}

/* ---- Metrics ---- */

/* Whether words say the unit themselves: "steps kept", not "status" of "s". */
static bool has_unit(const char *words, const char *unit)
{
    return strlen(unit) > 3 && strstr(words, unit) != NULL;
}

const char *spot_words_metric(spot_texts_t *texts, const spot_metric_t *metric, const char *unit)
{
    const char *label = spot_metric_label(metric);
    const bool is_own = unit == NULL || strcmp(unit, metric->unit) == 0;

    if (strcmp(metric->unit, "1") == 0 || (is_own && has_unit(label, metric->unit))) {
        return label;
    }
    return spot_texts_add(texts, "%s (%s)", label, unit == NULL ? metric->unit : unit);
}

const char *spot_words_subject(spot_texts_t *texts, const spot_metric_t *metric)
{
    (void) texts;
    return spot_metric_noun(metric);
}

/* What values up to a magnitude are multiplied by, and what stands behind them: "" where
 * the noun says it. */
static double value_scale(
    spot_texts_t *texts, const spot_metric_t *metric, double largest, const char **unit)
{
    const spot_shown_unit_t shown = spot_metric_shown(metric, largest);

    if (metric->kind == SPOT_METRIC_SHARE) {
        *unit = " %";
    } else if (shown.unit[0] == '\0' || has_unit(spot_metric_noun(metric), shown.unit)) {
        *unit = "";
    } else {
        *unit = spot_texts_add(texts, " %s", shown.unit);
    }
    return shown.factor;
}

const char *spot_words_value(
    spot_texts_t *texts, const spot_metric_t *metric, double value, double resolution)
{
    const char *unit;
    const double factor = value_scale(texts, metric, fabs(value), &unit);

    return isfinite(value) ? spot_texts_add(texts, "%s%s",
                                 number_in(texts, factor * value, factor * resolution), unit)
                           : "undefined";
}

const char *spot_words_value_before(
    spot_texts_t *texts, const spot_metric_t *metric, double value, double next)
{
    const double resolution = fabs(value - next);
    const char *text = spot_words_value(texts, metric, value, resolution);
    const char *unit = strchr(text, ' ');
    const char *next_unit = strchr(spot_words_value(texts, metric, next, resolution), ' ');

    return unit != NULL && next_unit != NULL && strcmp(unit, next_unit) == 0 &&
                   strcmp(unit, " %") != 0
               ? spot_texts_add(texts, "%.*s", (int) (unit - text), text)
               : text;
}

const char *spot_words_interval(
    spot_texts_t *texts, const spot_metric_t *metric, double value, double half_width)
{
    const char *unit;
    const double factor = value_scale(texts, metric, fabs(value), &unit);

    if (!(isfinite(value) && half_width > 0 && isfinite(half_width))) {
        return spot_words_value(texts, metric, value, 0);
    }
    return spot_texts_add(texts, "%s ±%s%s", number_in(texts, factor * value, factor * half_width),
        number_in(texts, factor * half_width, factor * half_width), unit);
}

const char *spot_words_one_sided(
    spot_texts_t *texts, double value, double low, double high, double factor)
{
    if (!spot_interval_is_one_sided(value, low, high)) {
        return NULL;
    }
    return value == 0 ? spot_texts_add(texts, "0, at most %.3g", factor * high)
                      : spot_texts_add(texts, "%.3g, at least %.3g", factor, factor * low);
}

const char *spot_words_change(
    spot_texts_t *texts, const spot_metric_t *metric, double low, double high)
{
    const char *unit, *from, *to;
    const double factor = value_scale(texts, metric, fabs(high), &unit);
    bool is_one;

    if (!isfinite(low) || !isfinite(high)) {
        return "undefined";
    }
    from = number_in(texts, factor * low, factor * fabs(high));
    to = number_in(texts, factor * high, factor * fabs(high));
    is_one = strcmp(from, to) == 0;
    if (metric->kind == SPOT_METRIC_SHARE) {
        unit = strcmp(to, "1.0") == 0 ? " percentage point" : " percentage points";
    }
    return spot_texts_add(texts, "%s%s%s%s", is_one ? "" : from, is_one ? "" : " to ", to, unit);
}

const char *spot_words_second(
    spot_texts_t *texts, const spot_study_head_t *head, size_t metric_id, const char *unit)
{
    return head->plot.second_x_label != NULL
               ? head->plot.second_x_label
               : spot_words_metric(texts, &head->metrics[metric_id], unit);
}

/* ---- Keys and points ---- */

const char *spot_words_key(spot_texts_t *texts, const spot_axis_t *axis)
{
    (void) texts;
    return axis->label == NULL ? axis->path : axis->label;
}

const char *spot_words_axis(spot_texts_t *texts, const spot_axis_t *axis)
{
    return axis->unit[0] == '\0'
               ? spot_words_key(texts, axis)
               : spot_texts_add(texts, "%s (%s)", spot_words_key(texts, axis), axis->unit);
}

const char *spot_words_x(spot_texts_t *texts, const spot_study_head_t *head, size_t axis_id)
{
    return head->plot.x_label != NULL ? head->plot.x_label
                                      : spot_words_axis(texts, &head->axes[axis_id]);
}

const char *spot_words_x_subject(spot_texts_t *texts, const spot_study_head_t *head, size_t axis_id)
{
    return head->plot.x_label != NULL ? spot_texts_add(texts, "the %s", head->plot.x_label)
                                      : spot_words_key(texts, &head->axes[axis_id]);
}

const char *spot_words_point_label(
    spot_texts_t *texts, const spot_study_head_t *head, size_t point_id, size_t axis_id)
{
    return spot_words_label(
        texts, &head->axes[axis_id], spot_study_value_id(head, point_id, axis_id));
}

const char *spot_words_panel(spot_texts_t *texts, const spot_study_head_t *head, size_t point_id,
    size_t left_out_id, size_t max_chars)
{
    const char *text = "";
    char *cut;

    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_axis_t *axis = &head->axes[j];
        const size_t value_id = spot_study_value_id(head, point_id, j);
        const double number = axis->numbers[value_id];
        const bool is_bare = head->num_axes == 1 || isnan(number);
        const char *value = spot_words_label(texts, axis, value_id);

        if (j == left_out_id) {
            continue;
        }
        if (strlen(value) > SHORT_VALUE && axis->unit[0] == '\0' && isfinite(number)) {
            value = spot_texts_add(texts, "%.4g", number);
        }
        text = spot_texts_add(texts, "%s%s%s%s%s", text, text[0] == '\0' ? "" : ", ",
            is_bare ? "" : spot_words_key(texts, axis), is_bare ? "" : " ", value);
    }
    cut = spot_texts_room(texts, strlen(text) + 5);
    if (cut == NULL) {
        return "";
    }
    memcpy(cut, text, strlen(text));
    spot_utf8_cut(cut, max_chars);
    return cut;
}

const char *spot_words_point(
    spot_texts_t *texts, const spot_study_head_t *head, size_t point_id, size_t max_chars)
{
    return spot_words_panel(texts, head, point_id, SIZE_MAX, max_chars);
}

/* ---- Replications ---- */

const char *spot_words_fixed(spot_texts_t *texts, const spot_study_head_t *head)
{
    size_t num_fixed = 0, num_unable = 0;

    for (size_t j = 0; j < head->num_points; j++) {
        num_fixed += spot_study_is_fixed(head, j) ? 1 : 0;
        num_unable += spot_study_cannot_run(head, j) != NULL ? 1 : 0;
    }
    return spot_texts_add(texts, "%s%s",
        num_fixed == 0 ? ""
                       : spot_texts_add(texts, " (1 at %s without chance)",
                             spot_words_count(texts, (int64_t) num_fixed, "point")),
        num_unable == 0 ? "" : spot_texts_add(texts, " (none at %zu that cannot run)", num_unable));
}

const char *spot_words_replications(spot_texts_t *texts, const spot_report_t *report)
{
    const int64_t wanted = report->head->num_replications;
    const int64_t least = report->min_rows, most = report->max_rows;
    const char *fixed = spot_words_fixed(texts, report->head);

    if (least == wanted) {
        return spot_texts_add(
            texts, "%s at each point%s", spot_words_count(texts, wanted, "replication"), fixed);
    }
    return spot_texts_add(texts, "%" PRId64 "%s of %" PRId64 " replications at each point%s", least,
        least == most ? "" : spot_texts_add(texts, " to %" PRId64, most), wanted, fixed);
}

const char *spot_words_run(spot_texts_t *texts, const spot_report_t *report)
{
    return spot_texts_add(texts, "%s · %s · seed %" PRIu64,
        spot_words_shown(texts, report->head->name), spot_words_replications(texts, report),
        report->head->seed);
}

/* ---- Others ---- */

const char *spot_words_shown(spot_texts_t *texts, const char *text)
{
    char shown[SPOT_UTF8_SHOWN_BYTES];

    return spot_texts_add(texts, "%s", spot_utf8_shown(text, shown));
}

const char *spot_words_count(spot_texts_t *texts, int64_t count, const char *word)
{
    return spot_texts_add(texts, "%" PRId64 " %s%s", count, word, count == 1 ? "" : "s");
}
