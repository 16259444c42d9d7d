/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/metric_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "reports/table/decimals.h"

/* Whether words say the unit themselves: "steps kept", not "status" of "s". */
static bool
has_unit(const char *words, const char *unit)
{
    return strlen(unit) > 3 && strstr(words, unit) != NULL;
}

static bool
is_share(const spot_metric_t *metric)
{
    return metric->kind == SPOT_METRIC_SHARE;
}

bool
spot_fraction_words_in(
    const spot_metric_t *metric, const char *unit, char text[SPOT_WORDS_BYTES])
{
    const char *label = spot_metric_label(metric);
    const bool is_bare = strcmp(metric->unit, "1") == 0 ||
                         (strcmp(unit, metric->unit) == 0 && has_unit(label, unit));

    snprintf(text, SPOT_WORDS_BYTES, is_bare ? "%s" : "%s (%s)", label, unit);
    spot_utf8_end_whole(text);
    return is_share(metric);
}

void
spot_metric_words_in(
    const spot_metric_t *metric, const char *unit, char text[SPOT_WORDS_BYTES])
{
    (void) spot_fraction_words_in(metric, unit, text);
}

void
spot_metric_words(const spot_metric_t *metric, char text[SPOT_WORDS_BYTES])
{
    (void) spot_fraction_words_in(metric, metric->unit, text);
}

bool
spot_fraction_words(const spot_metric_t *metric, char text[SPOT_WORDS_BYTES])
{
    return spot_fraction_words_in(metric, metric->unit, text);
}

void
spot_metric_subject(const spot_metric_t *metric, char text[SPOT_WORDS_BYTES])
{
    snprintf(text, SPOT_WORDS_BYTES, "%s", spot_metric_noun(metric));
    spot_utf8_end_whole(text);
}

double
spot_metric_factor(const spot_metric_t *metric)
{
    return is_share(metric) ? 100 : 1;
}

spot_shown_unit_t
spot_metric_shown(const spot_metric_t *metric, double largest)
{
    spot_shown_unit_t shown = spot_shown_unit(metric, largest);

    shown.factor *= spot_metric_factor(metric);
    return shown;
}

double
spot_report_largest(const spot_report_t *report, size_t metric_id)
{
    double largest = 0;

    for (size_t j = 0; j < report->head->num_points; j++) {
        const double value = spot_report_summary(report, j, metric_id)->value;

        largest = isfinite(value) ? fmax(largest, fabs(value)) : largest;
    }
    return largest;
}

spot_shown_unit_t
spot_report_shown(const spot_report_t *report, size_t metric_id)
{
    return spot_metric_shown(
        &report->head->metrics[metric_id], spot_report_largest(report, metric_id));
}

spot_shown_unit_t
spot_second_shown(const spot_report_t *report, size_t metric_id)
{
    const bool is_named = report->head->plot.second_x_label != NULL;

    return spot_shown_unit(&report->head->metrics[metric_id],
        is_named ? 0 : spot_report_largest(report, metric_id));
}

void
spot_second_words(const spot_study_head_t *head, size_t metric_id, const char *unit,
    char text[SPOT_WORDS_BYTES])
{
    if (head->plot.second_x_label != NULL) {
        snprintf(text, SPOT_WORDS_BYTES, "%s", head->plot.second_x_label);
    } else {
        spot_metric_words_in(&head->metrics[metric_id], unit, text);
    }
}

const char *
spot_estimate_words(const spot_metric_t *metric)
{
    static const char *const words[SPOT_NUM_ESTIMATORS] = {
        [SPOT_ESTIMATOR_MEAN] = "mean",
        [SPOT_ESTIMATOR_RATIO] = "ratio of totals",
        [SPOT_ESTIMATOR_PROBABILITY] = "probability",
        [SPOT_ESTIMATOR_QUANTILE] = "quantile",
    };

    return words[spot_metric_estimator(metric)];
}

/* ---- Numbers ---- */

/* "1234567.8" becomes "1,234,567.8"; "1e+15" stays. */
static void
add_separators(char text[SPOT_LABEL_BYTES])
{
    const size_t first = text[0] == '-';
    const size_t num_digits = strspn(text + first, "0123456789");
    size_t used = strlen(text);

    if (strchr(text, 'e') != NULL) {
        return;
    }
    for (size_t j = 3; j < num_digits && used + 2 < SPOT_LABEL_BYTES; j += 3) {
        char *place = text + first + num_digits - j;

        memmove(place + 1, place, used + 1 - (size_t) (place - text));
        *place = ',';
        used++;
    }
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
    if (size >= 1e15 || num_decimals > 6) {
        snprintf(text, SPOT_LABEL_BYTES, "%.3g", value);
    } else if (resolution > 0 || size == 0) {
        snprintf(text, SPOT_LABEL_BYTES, "%.*f", size == 0 ? 0 : num_decimals, value);
    } else {
        snprintf(text, SPOT_LABEL_BYTES, size < 1e6 ? "%.6g" : "%.0f", value);
    }
    add_separators(text);
}

int
spot_short_number(double value, char text[SPOT_LABEL_BYTES])
{
    const double size = fabs(value);
    const int num_decimals = size < 10 ? 2 : size < 100 ? 1 : 0;

    text[0] = '\0';
    if (isfinite(value)) {
        snprintf(text, SPOT_LABEL_BYTES, size >= 1 && size < 1e15 ? "%.*f" : "%.*g",
            size >= 1 && size < 1e15 ? num_decimals : 3, value);
        add_separators(text);
    }
    return (int) strlen(text);
}

void
spot_value_words(
    const spot_shown_unit_t *shown, double value, char text[SPOT_LABEL_BYTES])
{
    if (!isfinite(value)) {
        snprintf(text, SPOT_LABEL_BYTES, "undefined");
    } else if (shown->factor == 100) {
        snprintf(text, SPOT_LABEL_BYTES, "%.1f %%", 100 * value);
    } else {
        (void) spot_short_number(shown->factor * value, text);
    }
}

/* ---- Values in sentences ---- */

/* What values up to a magnitude are multiplied by, and what stands behind them: "" where
 * the noun says it. */
static double
value_scale(const spot_metric_t *metric, double largest, char unit[SPOT_LABEL_BYTES])
{
    const spot_shown_unit_t shown = spot_metric_shown(metric, largest);

    if (is_share(metric)) {
        snprintf(unit, SPOT_LABEL_BYTES, " %%");
    } else if (shown.unit[0] == '\0' || has_unit(spot_metric_noun(metric), shown.unit)) {
        unit[0] = '\0';
    } else {
        snprintf(unit, SPOT_LABEL_BYTES, " %s", shown.unit);
    }
    return shown.factor;
}

const char *
spot_metric_value_words(const spot_metric_t *metric, double value, double resolution,
    char text[SPOT_WORDS_BYTES])
{
    char number[SPOT_LABEL_BYTES], unit[SPOT_LABEL_BYTES];
    const double factor = value_scale(metric, fabs(value), unit);

    number_words(factor * value, factor * resolution, number);
    snprintf(text, SPOT_WORDS_BYTES, "%s%s", isfinite(value) ? number : "undefined",
        isfinite(value) ? unit : "");
    return text;
}

void
spot_metric_pair_words(const spot_metric_t *metric, double first, double second,
    char first_text[SPOT_WORDS_BYTES], char second_text[SPOT_WORDS_BYTES])
{
    const double resolution = fabs(first - second);
    const char *unit =
        strchr(spot_metric_value_words(metric, second, resolution, second_text), ' ');
    char *first_unit;

    (void) spot_metric_value_words(metric, first, resolution, first_text);
    first_unit = strchr(first_text, ' ');
    if (unit != NULL && first_unit != NULL && strcmp(unit, first_unit) == 0 &&
        strcmp(unit, " %") != 0) {
        *first_unit = '\0';
    }
}

const char *
spot_metric_interval_words(const spot_metric_t *metric, double value, double half_width,
    char text[SPOT_WORDS_BYTES])
{
    char number[SPOT_LABEL_BYTES], half[SPOT_LABEL_BYTES], unit[SPOT_LABEL_BYTES];
    const double factor = value_scale(metric, fabs(value), unit);

    if (!(isfinite(value) && half_width > 0 && isfinite(half_width))) {
        return spot_metric_value_words(metric, value, 0, text);
    }
    number_words(factor * value, factor * half_width, number);
    number_words(factor * half_width, factor * half_width, half);
    snprintf(text, SPOT_WORDS_BYTES, "%s ±%s%s", number, half, unit);
    return text;
}

const char *
spot_metric_change_words(
    const spot_metric_t *metric, double low, double high, char text[SPOT_WORDS_BYTES])
{
    char from[SPOT_LABEL_BYTES], to[SPOT_LABEL_BYTES], unit[SPOT_LABEL_BYTES];
    const double factor = value_scale(metric, fabs(high), unit);

    number_words(factor * low, factor * fabs(high), from);
    number_words(factor * high, factor * fabs(high), to);
    if (is_share(metric)) {
        snprintf(unit, sizeof(unit), " percentage point%s",
            strcmp(to, "1.0") == 0 ? "" : "s");
    }
    if (!isfinite(low) || !isfinite(high)) {
        snprintf(text, SPOT_WORDS_BYTES, "undefined");
    } else {
        const bool is_one = strcmp(from, to) == 0;

        snprintf(text, SPOT_WORDS_BYTES, "%s%s%s%s", is_one ? "" : from,
            is_one ? "" : " to ", to, unit);
    }
    return text;
}
