/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/study_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "reports/figure.h"
#include "reports/value_label.h"

#define SHORT_VALUE 8 /* bytes of a number that are not rounded */

const char *
spot_study_title(const spot_study_head_t *head)
{
    return head->question != NULL ? head->question : head->name;
}

void
spot_replications_words(const spot_study_head_t *head, int64_t min_rows,
    int64_t max_rows, char text[SPOT_WORDS_BYTES])
{
    const int64_t wanted = head->num_replications;

    if (min_rows == wanted) {
        snprintf(text, SPOT_WORDS_BYTES, "%" PRId64 " replication%s at each point",
            wanted, wanted == 1 ? "" : "s");
    } else {
        snprintf(text, SPOT_WORDS_BYTES,
            "%" PRId64 " to %" PRId64 " of %" PRId64 " replications at each point",
            min_rows, max_rows, wanted);
    }
}

void
spot_point_words(const spot_study_head_t *head, size_t point_id, size_t max_chars,
    char text[SPOT_POINT_BYTES])
{
    char words[SPOT_WORDS_BYTES], value[SPOT_VALUE_LABEL_BYTES];
    size_t used = 0;

    text[0] = '\0';
    for (size_t j = 0; j < head->num_axes && used + 8 < SPOT_POINT_BYTES; j++) {
        const spot_axis_t *axis = &head->axes[j];
        const size_t value_id = spot_study_value_id(head, point_id, j);
        const char *dot = strrchr(axis->path, '.');
        const bool is_bare = head->num_axes == 1 || isnan(axis->numbers[value_id]);

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
spot_study_note(
    const spot_curves_t *curves, size_t num_panels_drawn, char text[SPOT_NOTE_BYTES])
{
    char shown[SPOT_UTF8_SHOWN_BYTES], replications[SPOT_WORDS_BYTES];
    size_t used;

    spot_replications_words(
        curves->head, curves->report->min_rows, curves->report->max_rows, replications);
    used = (size_t) snprintf(text, SPOT_NOTE_BYTES,
        "%s · %s · seed %" PRIu64 " · %s: its 95 %% confidence interval",
        spot_utf8_shown(curves->head->name, shown), replications, curves->head->seed,
        curves->is_scattered ? "dot: mean, bar" : "curve: mean, band");
    if (num_panels_drawn < curves->num_panels) {
        snprintf(text + used, SPOT_NOTE_BYTES - used, " · the first %zu of %zu panels",
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

void
spot_x_words(const spot_study_head_t *head, size_t axis_id, char text[SPOT_WORDS_BYTES])
{
    if (head->plot.x_label != NULL) {
        snprintf(text, SPOT_WORDS_BYTES, "%s", head->plot.x_label);
    } else {
        spot_axis_words(&head->axes[axis_id], text);
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

void
spot_metric_words(const spot_metric_t *metric, char text[SPOT_WORDS_BYTES])
{
    const char *unit = metric->unit;
    const bool is_sign = strlen(unit) <= 3; /* "s", not "steps" */

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
