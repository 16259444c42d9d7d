/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/study_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
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

void
spot_key_words(const spot_axis_t *axis, char text[SPOT_WORDS_BYTES])
{
    snprintf(
        text, SPOT_WORDS_BYTES, "%s", axis->label == NULL ? axis->path : axis->label);
    spot_utf8_end_whole(text);
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
        const bool is_bare = head->num_axes == 1 || isnan(axis->numbers[value_id]);

        if (j == left_out_id) {
            continue;
        }
        spot_key_words(axis, words);
        (void) spot_value_label(axis, value_id, value);
        if (strlen(value) > SHORT_VALUE && axis->unit[0] == '\0' &&
            isfinite(axis->numbers[value_id])) {
            snprintf(value, sizeof(value), "%.4g", axis->numbers[value_id]);
        }
        used += (size_t) snprintf(text + used, SPOT_POINT_BYTES - 4 - used, "%s%s%s%s",
            used == 0 ? "" : ", ", is_bare ? "" : words, is_bare ? "" : " ", value);
    }
    spot_utf8_cut(text, max_chars);
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
spot_axis_words(const spot_axis_t *axis, char text[SPOT_WORDS_BYTES])
{
    size_t used;

    spot_key_words(axis, text);
    used = strlen(text);
    if (axis->unit[0] != '\0') {
        snprintf(text + used, SPOT_WORDS_BYTES - used, " (%s)", axis->unit);
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
