/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/metric_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/decimals.h"
#include "reports/figure.h"

/* "text (unit)". */
static void
add_unit(char text[SPOT_WORDS_BYTES], const char *unit)
{
    const size_t used = strlen(text);

    snprintf(text + used, SPOT_WORDS_BYTES - used, " (%s)", unit);
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

/* Takes the words of a unit off the end of those of a name: "hour", "instance ms". */
static void
cut_unit(char *text, const char *unit)
{
    char words[SPOT_WORDS_BYTES];

    spot_figure_words(unit, words, sizeof(words));
    for (char *dash = strchr(words, '-'); dash != NULL; dash = strchr(dash, '-')) {
        *dash = ' ';
    }
    (void) cut_last_word(text, words);
}

/* The words of "p95(cost_usd)" are "p95 of" those of cost_usd. Returns false for a name
 * of another form. */
static bool
form_words(const spot_metric_t *metric, const char *unit, char text[SPOT_WORDS_BYTES])
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
    spot_metric_words_in(&other, unit, words);
    snprintf(text, SPOT_WORDS_BYTES, "%.*s of %.*s", (int) head_bytes, metric->name,
        (int) (SPOT_WORDS_BYTES - head_bytes - 5), words);
    return true;
}

void
spot_metric_words_in(
    const spot_metric_t *metric, const char *unit, char text[SPOT_WORDS_BYTES])
{
    const bool is_sign = strlen(metric->unit) <= 3; /* "s", not "steps" */
    const bool is_other = strcmp(unit, metric->unit) != 0;

    if (form_words(metric, unit, text)) {
        return;
    }
    spot_figure_words(metric->name, text, SPOT_WORDS_BYTES);
    if (strcmp(metric->unit, "1") == 0 || strstr(text, " per ") != NULL) {
        return;
    }
    if (is_sign || is_other) {
        cut_unit(text, metric->unit);
    }
    if (is_sign || is_other || strstr(text, unit) == NULL) {
        add_unit(text, unit);
    }
}

void
spot_metric_words(const spot_metric_t *metric, char text[SPOT_WORDS_BYTES])
{
    spot_metric_words_in(metric, metric->unit, text);
}

bool
spot_fraction_words_in(
    const spot_metric_t *metric, const char *unit, char text[SPOT_WORDS_BYTES])
{
    spot_metric_words_in(metric, unit, text);
    return cut_last_word(text, "fraction");
}

bool
spot_fraction_words(const spot_metric_t *metric, char text[SPOT_WORDS_BYTES])
{
    return spot_fraction_words_in(metric, metric->unit, text);
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
