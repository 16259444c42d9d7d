/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/words.h"

#include <inttypes.h>

#include "base/utf8.h"
#include "reports/metric_words.h"
#include "reports/study_words.h"
#include "reports/value_label.h"

const char *
spot_words_metric(spot_texts_t *texts, const spot_metric_t *metric, const char *unit)
{
    char text[SPOT_WORDS_BYTES];

    if (unit == NULL) {
        spot_metric_words(metric, text);
    } else {
        spot_metric_words_in(metric, unit, text);
    }
    return spot_texts_add(texts, "%s", text);
}

const char *
spot_words_subject(spot_texts_t *texts, const spot_metric_t *metric)
{
    char text[SPOT_WORDS_BYTES];

    spot_metric_subject(metric, text);
    return spot_texts_add(texts, "%s", text);
}

const char *
spot_words_value(
    spot_texts_t *texts, const spot_metric_t *metric, double value, double resolution)
{
    char text[SPOT_WORDS_BYTES];

    return spot_texts_add(
        texts, "%s", spot_metric_value_words(metric, value, resolution, text));
}

const char *
spot_words_interval(
    spot_texts_t *texts, const spot_metric_t *metric, double value, double half_width)
{
    char text[SPOT_WORDS_BYTES];

    return spot_texts_add(
        texts, "%s", spot_metric_interval_words(metric, value, half_width, text));
}

const char *
spot_words_change(
    spot_texts_t *texts, const spot_metric_t *metric, double low, double high)
{
    char text[SPOT_WORDS_BYTES];

    return spot_texts_add(
        texts, "%s", spot_metric_change_words(metric, low, high, text));
}

const char *
spot_words_number(spot_texts_t *texts, double value)
{
    char text[SPOT_LABEL_BYTES];

    (void) spot_short_number(value, text);
    return spot_texts_add(texts, "%s", text);
}

const char *
spot_words_key(spot_texts_t *texts, const spot_axis_t *axis)
{
    char text[SPOT_WORDS_BYTES];

    spot_key_words(axis, text);
    return spot_texts_add(texts, "%s", text);
}

const char *
spot_words_axis(spot_texts_t *texts, const spot_axis_t *axis)
{
    char text[SPOT_WORDS_BYTES];

    spot_axis_words(axis, text);
    return spot_texts_add(texts, "%s", text);
}

const char *
spot_words_x(spot_texts_t *texts, const spot_study_head_t *head, size_t axis_id)
{
    char text[SPOT_WORDS_BYTES];

    spot_x_words(head, axis_id, text);
    return spot_texts_add(texts, "%s", text);
}

const char *
spot_words_x_subject(spot_texts_t *texts, const spot_study_head_t *head, size_t axis_id)
{
    char text[SPOT_WORDS_BYTES];

    spot_x_subject(head, axis_id, text);
    return spot_texts_add(texts, "%s", text);
}

const char *
spot_words_label(spot_texts_t *texts, const spot_axis_t *axis, size_t value_id)
{
    char text[SPOT_VALUE_LABEL_BYTES];

    return spot_texts_add(texts, "%s", spot_value_label(axis, value_id, text));
}

const char *
spot_words_point_label(
    spot_texts_t *texts, const spot_study_head_t *head, size_t point_id, size_t axis_id)
{
    char text[SPOT_VALUE_LABEL_BYTES];

    return spot_texts_add(texts, "%s", spot_point_label(head, point_id, axis_id, text));
}

const char *
spot_words_point(spot_texts_t *texts, const spot_study_head_t *head, size_t point_id,
    size_t max_chars)
{
    char text[SPOT_POINT_BYTES];

    spot_point_words(head, point_id, max_chars, text);
    return spot_texts_add(texts, "%s", text);
}

const char *
spot_words_panel(spot_texts_t *texts, const spot_study_head_t *head, size_t point_id,
    size_t left_out_id, size_t max_chars)
{
    char text[SPOT_POINT_BYTES];

    spot_panel_words(head, point_id, left_out_id, max_chars, text);
    return spot_texts_add(texts, "%s", text);
}

const char *
spot_words_replications(spot_texts_t *texts, const spot_report_t *report)
{
    char text[SPOT_WORDS_BYTES];

    spot_replications_words(report->head, report->min_rows, report->max_rows, text);
    return spot_texts_add(texts, "%s", text);
}

const char *
spot_words_shown(spot_texts_t *texts, const char *text)
{
    char shown[SPOT_UTF8_SHOWN_BYTES];

    return spot_texts_add(texts, "%s", spot_utf8_shown(text, shown));
}

const char *
spot_words_count(spot_texts_t *texts, int64_t count, const char *word)
{
    return spot_texts_add(texts, "%" PRId64 " %s%s", count, word, count == 1 ? "" : "s");
}
