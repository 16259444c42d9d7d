/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/verb/table.h"

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

/* Whether an interval has one end only, as the other one is 0 or 1 and the value too:
 * nothing, or nothing else, was seen. It reads "0, at most 0.0312". */
static bool interval_is_one_sided(double value, double low, double high)
{
    return (value == 0 && low == 0 && high > 0 && isfinite(high)) ||
           (value == 1 && high == 1 && low < 1 && isfinite(low));
}

const char *spot_words_one_sided(
    spot_texts_t *texts, double value, double low, double high, double factor)
{
    if (!interval_is_one_sided(value, low, high)) {
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

const char *spot_words_setting(spot_texts_t *texts, const spot_study_head_t *head, size_t point_id)
{
    const char *text = "";

    for (size_t j = 0; j < head->num_axes; j++) {
        text = spot_texts_join(texts, text, ", ",
            spot_texts_add(texts, "%s = %s", head->axes[j].path,
                spot_words_point_label(texts, head, point_id, j)));
    }
    return text;
}

/* ---- What tables and pictures call the values of a swept key ---- */

/* What tables and pictures call the values of a swept key. */

/* Beyond these whole texts are shown. */
#define MAX_VALUES 1000
#define MAX_ITEMS 32

typedef struct {
    const char *text;
    size_t num_bytes;
} span_t;

/* A value as YAML on one line: a map, or a scalar, which is short for a map with the
 * first key alone. */
typedef struct {
    bool is_map;
    span_t key;  /* the first one; of a map */
    span_t name; /* its value, or the scalar */
    size_t num_items;
    span_t items[MAX_ITEMS]; /* [num_items] the others, "detection: 30 s" */
} value_t;

static size_t chars_of(const char *text)
{
    return spot_utf8_count(text, strlen(text));
}

static bool is_same(span_t a, span_t b)
{
    return a.num_bytes == b.num_bytes && memcmp(a.text, b.text, a.num_bytes) == 0;
}

/* Behind the text in quotes that starts at place. */
static const char *skip_quoted(const char *place, const char *end)
{
    place++;
    while (place < end && *place != '"') {
        place += *place == '\\' && place + 1 < end ? 2 : 1;
    }
    return place < end ? place + 1 : end;
}

/* What stands before the next comma that is neither in brackets nor in quotes. */
static span_t next_item(const char *text, const char *end)
{
    const char *place = text;
    int depth = 0;

    while (place < end && (depth > 0 || *place != ',')) {
        depth += *place == '{' || *place == '[';
        depth -= *place == '}' || *place == ']';
        place = *place == '"' ? skip_quoted(place, end) : place + 1;
    }
    return (span_t){text, (size_t) (place - text)};
}

/* "system: checkpoint" into its two parts; false: it has no colon. */
static bool split_item(span_t item, span_t *key, span_t *value)
{
    const char *colon = memchr(item.text, ':', item.num_bytes);

    if (colon == NULL || colon + 2 >= item.text + item.num_bytes || colon[1] != ' ') {
        return false;
    }
    *key = (span_t){item.text, (size_t) (colon - item.text)};
    *value = (span_t){colon + 2, (size_t) (item.text + item.num_bytes - (colon + 2))};
    return true;
}

/* false: it is not to be shortened. */
static bool read_value(const char *text, value_t *value)
{
    const size_t num_bytes = strlen(text);
    const char *end;
    span_t item;

    *value = (value_t){.name = {text, num_bytes}};
    if (num_bytes < 2 || text[0] != '{' || text[num_bytes - 1] != '}') {
        return true;
    }
    end = text + num_bytes - 1;
    value->is_map = true;
    item = next_item(text + 1, end);
    if (!split_item(item, &value->key, &value->name)) {
        return false;
    }
    while (item.text + item.num_bytes + 1 < end) {
        item = next_item(item.text + item.num_bytes + 1, end);
        if (item.num_bytes < 2 || item.text[0] != ' ' || value->num_items == MAX_ITEMS) {
            return false;
        }
        value->items[value->num_items++] = (span_t){item.text + 1, item.num_bytes - 1};
    }
    return true;
}

static bool has_item(const value_t *value, span_t item)
{
    for (size_t j = 0; j < value->num_items; j++) {
        if (is_same(value->items[j], item)) {
            return true;
        }
    }
    return false;
}

/* Marks the options of a value that another one with its name has not. false: nothing
 * tells the two apart. */
static bool tell_apart(const value_t *value, const value_t *other, bool *is_telling)
{
    bool is_other = value->num_items != other->num_items;

    for (size_t j = 0; j < value->num_items; j++) {
        if (!has_item(other, value->items[j])) {
            is_telling[j] = true;
            is_other = true;
        }
    }
    return is_other;
}

/* Finds what of a value is to be shown; false: all of it. */
static bool find_telling(const spot_axis_t *axis, size_t value_id, value_t *value, bool *is_telling)
{
    if (axis->num_values > MAX_VALUES || !read_value(axis->texts[value_id], value) ||
        !value->is_map) {
        return false;
    }
    for (size_t j = 0; j < axis->num_values; j++) {
        value_t other;

        if (j == value_id) {
            continue;
        }
        if (!read_value(axis->texts[j], &other) ||
            (other.is_map && !is_same(other.key, value->key)) ||
            (is_same(other.name, value->name) && !tell_apart(value, &other, is_telling))) {
            return false;
        }
    }
    return true;
}

static size_t num_lacking(const value_t *value, const value_t *other)
{
    size_t num = 0;

    for (size_t j = 0; j < other->num_items; j++) {
        num += !has_item(value, other->items[j]);
    }
    return num;
}

/* The value of this name with the most options, the first of several. *has_all: those of
 * all values of this name. All values can be read. */
static value_t longest_of(const spot_axis_t *axis, span_t name, bool *has_all)
{
    value_t longest = {.num_items = 0}, other;

    for (size_t j = 0; j < axis->num_values; j++) {
        if (read_value(axis->texts[j], &other) && is_same(other.name, name) &&
            other.num_items > longest.num_items) {
            longest = other;
        }
    }
    *has_all = true;
    for (size_t j = 0; j < axis->num_values; j++) {
        if (read_value(axis->texts[j], &other) && is_same(other.name, name)) {
            *has_all = *has_all && num_lacking(&longest, &other) == 0;
        }
    }
    return longest;
}

/* What a value lacks of the longest of its name: "varuna without f, g". NULL: it has
 * options that the longest has not, or a name that could be mistaken for such a label;
 * or it lacks more than num_told options and the label is to be cut. */
static const char *lacking_label(
    spot_texts_t *texts, const spot_axis_t *axis, const value_t *value, size_t num_told)
{
    const char *before = " without ", *text;
    bool has_all;
    const value_t longest = longest_of(axis, value->name, &has_all);
    const size_t num = num_lacking(value, &longest);

    if (memchr(value->name.text, ' ', value->name.num_bytes) != NULL ||
        num_lacking(&longest, value) > 0 || (num == 0 && !has_all)) {
        return NULL;
    }
    text = spot_texts_add(texts, "%.*s%s", (int) value->name.num_bytes, value->name.text,
        num == 0 ? " with all options" : "");
    for (size_t j = 0; j < longest.num_items; j++) {
        span_t key, option;

        if (has_item(value, longest.items[j])) {
            continue;
        }
        if (!split_item(longest.items[j], &key, &option)) {
            return NULL;
        }
        text = spot_texts_add(texts, "%s%s%.*s", text, before, (int) key.num_bytes, key.text);
        before = ", ";
    }
    return num <= num_told || chars_of(text) <= SPOT_UTF8_SHOWN_CHARS ? text : NULL;
}

/* The label before it is cut. *is_part: it lacks options. */
static const char *whole_label(
    spot_texts_t *texts, const spot_axis_t *axis, size_t value_id, bool *is_part)
{
    bool is_telling[MAX_ITEMS] = {false};
    const char *text, *lacking;
    size_t num_told = 0;
    value_t value;

    *is_part = false;
    if (!find_telling(axis, value_id, &value, is_telling)) {
        return axis->texts[value_id];
    }
    text = spot_texts_add(texts, "%.*s", (int) value.name.num_bytes, value.name.text);
    for (size_t j = 0; j < value.num_items; j++) {
        if (is_telling[j]) {
            text = spot_texts_add(
                texts, "%s, %.*s", text, (int) value.items[j].num_bytes, value.items[j].text);
        }
        num_told += is_telling[j];
        *is_part = *is_part || !is_telling[j];
    }
    lacking = chars_of(text) > SPOT_UTF8_SHOWN_CHARS ? lacking_label(texts, axis, &value, num_told)
                                                     : NULL;
    *is_part = *is_part || lacking != NULL;
    return lacking != NULL ? lacking : text;
}

/* Bytes of the first characters of a text, of which there are so many at least. */
static size_t first_bytes(const char *text, size_t num_characters)
{
    size_t num_bytes = 0;

    for (size_t j = 0; j < num_characters; j++) {
        const size_t length = spot_utf8_length(text + num_bytes, strlen(text + num_bytes));

        num_bytes += length == 0 ? 1 : length;
    }
    return num_bytes;
}

/* *is_part: what it says is not all. */
static const char *label_of(
    spot_texts_t *texts, const spot_axis_t *axis, size_t value_id, bool *is_part)
{
    const char *whole = whole_label(texts, axis, value_id, is_part), *number;

    if (chars_of(whole) <= SPOT_UTF8_SHOWN_CHARS) {
        return spot_words_shown(texts, whole);
    }
    *is_part = true;
    number = spot_texts_add(texts, "... (%zu)", value_id + 1);
    whole = spot_texts_add(
        texts, "%.*s", (int) first_bytes(whole, SPOT_UTF8_SHOWN_CHARS - strlen(number)), whole);
    return spot_texts_add(texts, "%s%s", spot_words_shown(texts, whole), number);
}

const char *spot_words_label(spot_texts_t *texts, const spot_axis_t *axis, size_t value_id)
{
    bool is_part;

    return label_of(texts, axis, value_id, &is_part);
}

const char *spot_words_explained(spot_texts_t *texts, const spot_axis_t *axis, size_t value_id)
{
    const char *whole = axis->texts[value_id], *label = "";
    bool is_part = false;

    if (whole[0] == '{' || strlen(whole) > SPOT_UTF8_SHOWN_CHARS) {
        label = label_of(texts, axis, value_id, &is_part);
    } /* else a short scalar, which is all there is */
    return is_part ? spot_texts_add(texts, "%s: %s is %s", axis->path, label, whole) : NULL;
}

/* ---- Units in which people read values ---- */

#define INSTANCE "instance-"

/* From the longest on; a unit is used from two of it on. */
static const struct {
    const char *name;
    double seconds;
} units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}, {"ms", 0.001}};

#define NUM_UNITS (sizeof(units) / sizeof(units[0]))

spot_shown_unit_t spot_shown_unit(const spot_metric_t *metric, double largest)
{
    const bool is_paid = strncmp(metric->unit, INSTANCE, strlen(INSTANCE)) == 0;
    const char *name = metric->unit + (is_paid ? strlen(INSTANCE) : 0);
    spot_shown_unit_t shown = {.factor = 1};
    size_t own = 0, best = 0;

    while (own < NUM_UNITS && strcmp(units[own].name, name) != 0) {
        own++;
    }
    if (own == NUM_UNITS || metric->kind != SPOT_METRIC_TIME) {
        snprintf(shown.unit, sizeof(shown.unit), "%s",
            strcmp(metric->unit, "1") == 0 ? "" : metric->unit);
        return shown;
    }
    while (best < own && largest * units[own].seconds < 2 * units[best].seconds) {
        best++;
    }
    shown.factor = units[own].seconds / units[best].seconds;
    snprintf(shown.unit, sizeof(shown.unit), "%s%s", is_paid ? INSTANCE : "", units[best].name);
    return shown;
}

double spot_metric_factor(const spot_metric_t *metric)
{
    return metric->kind == SPOT_METRIC_SHARE ? 100 : 1;
}

spot_shown_unit_t spot_metric_shown(const spot_metric_t *metric, double largest)
{
    spot_shown_unit_t shown = spot_shown_unit(metric, largest);

    shown.factor *= spot_metric_factor(metric);
    return shown;
}

double spot_report_largest(const spot_report_t *report, size_t metric_id)
{
    double largest = 0;

    for (size_t j = 0; j < report->head->num_points; j++) {
        const double value = spot_report_summary(report, j, metric_id)->value;

        largest = isfinite(value) ? fmax(largest, fabs(value)) : largest;
    }
    return largest;
}

spot_shown_unit_t spot_report_shown(const spot_report_t *report, size_t metric_id)
{
    return spot_metric_shown(
        &report->head->metrics[metric_id], spot_report_largest(report, metric_id));
}

spot_shown_unit_t spot_second_shown(const spot_report_t *report, size_t metric_id)
{
    const bool is_named = report->head->plot.second_x_label != NULL;

    return spot_shown_unit(
        &report->head->metrics[metric_id], is_named ? 0 : spot_report_largest(report, metric_id));
}

const char *spot_estimate_words(const spot_metric_t *metric)
{
    static const char *const words[SPOT_NUM_ESTIMATORS] = {
        [SPOT_ESTIMATOR_MEAN] = "mean",
        [SPOT_ESTIMATOR_RATIO] = "ratio of totals",
        [SPOT_ESTIMATOR_PROBABILITY] = "probability",
        [SPOT_ESTIMATOR_QUANTILE] = "quantile",
    };

    return words[spot_metric_estimator(metric)];
}

/* ---- Units of values in YAML ---- */

/* How a key ends, and the unit that this says. The longer ending comes first. */
static const char *const endings[][2] = {
    {"bytes_per_s", "bytes/s"},
    {"per_minute", "1/min"},
    {"per_hour", "1/h"},
    {"per_h", "1/h"},
    {"bytes", "bytes"},
    {"gbps", "Gbit/s"},
    {"ms", "ms"},
    {"s", "s"},
};

/* "mean_s" ends with the word s, "samples" does not. */
static bool ends_with_word(const char *key, const char *word)
{
    const size_t num_bytes = strlen(key), word_bytes = strlen(word);
    const char *place = key + num_bytes - word_bytes;

    return num_bytes >= word_bytes && strcmp(place, word) == 0 &&
           (place == key || place[-1] == '_' || place[-1] == '.');
}

/* The unit of prices: that of a cost by the hour, where the study has such a metric. */
static const char *unit_of_prices(const spot_study_head_t *head)
{
    for (size_t j = 0; head != NULL && j < head->num_metrics; j++) {
        const char *per = strchr(head->metrics[j].unit, '/');

        if (head->metrics[j].kind == SPOT_METRIC_COST && per != NULL && strcmp(per, "/h") == 0) {
            return head->metrics[j].unit;
        }
    }
    return "USD/h";
}

static const char *unit_of_number(const spot_study_head_t *head, const char *path)
{
    if (ends_with_word(path, "usd_per_h")) {
        return unit_of_prices(head);
    }
    for (size_t j = 0; j < sizeof(endings) / sizeof(endings[0]); j++) {
        if (ends_with_word(path, endings[j][0])) {
            return endings[j][1];
        }
    }
    return strstr(path, ".price.") != NULL || ends_with_word(path, "price") ? unit_of_prices(head)
                                                                            : "";
}

const char *spot_key_unit(
    const spot_study_head_t *head, const char *path, const char *text, size_t *num_bytes)
{
    char *end;

    (void) strtod(text, &end);
    *num_bytes = strlen(text);
    if (end == text) {
        return "";
    }
    if (*end == '\0') {
        return unit_of_number(head, path);
    }
    if (*end != ' ' || strlen(end + 1) > 8 || strpbrk(end + 1, " ,:{}[]\"'") != NULL) {
        return "";
    }
    *num_bytes = (size_t) (end - text);
    return end + 1;
}

/* ---- What a study speaks of: its title, and the metrics that come first ---- */

const char *spot_study_title(const spot_study_head_t *head)
{
    return head->question != NULL ? head->question : head->name;
}

size_t spot_main_metric(const spot_study_head_t *head)
{
    const char *name = head->optimise.metric != NULL ? head->optimise.metric : head->plot.y;
    const size_t metric_id = head->optimise.metric == NULL && head->best.is_asked
                                 ? head->best.metric_id
                                 : spot_study_metric_id(head, name);

    return metric_id < head->num_metrics ? metric_id : 0;
}

size_t spot_drawn_metric(const spot_study_head_t *head)
{
    const size_t y_id = spot_study_metric_id(head, head->plot.y);

    return y_id < head->num_metrics ? y_id : spot_main_metric(head);
}

const char *spot_metrics_problem(
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
                isfinite(spot_report_summary(report, point_id, metric_ids[j])->value) ? 1 : 0;
        }
        if (num_there > 0 && num_defined == num_there) {
            return NULL;
        }
    }
    return "what it would draw is undefined at all points";
}
