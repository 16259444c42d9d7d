/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/study/progress.h"

#include <inttypes.h>
#include <math.h>

#include "base/json.h"

/* With a precision or a race the number of runs is not known in advance. */
static void write_done(
    const spot_study_progress_t *progress, const spot_study_speed_t *speed, FILE *line)
{
    const spot_study_head_t *head = &progress->study->head;
    const bool is_known = head->min_replications == head->num_replications;

    if (is_known) {
        fprintf(
            line, "%.1f %%  ", 100 * (double) progress->num_done / (double) progress->num_wanted);
    }
    fprintf(line, "%zu of %zu points, %" PRId64, progress->num_points_done, head->num_points,
        progress->num_done);
    if (is_known) {
        fprintf(line, " of %" PRId64, progress->num_wanted);
    }
    fprintf(line, " runs, %.0f/s", speed->runs_per_s);
    if (is_known && isfinite(speed->left_s) &&
        progress->num_break_evens == progress->num_break_evens_wanted) {
        fprintf(line, ", %.0f s left", speed->left_s);
    }
}

void spot_study_progress_text(const spot_study_progress_t *progress,
    const spot_study_speed_t *speed, bool is_utf8, FILE *line)
{
    const spot_study_head_t *head = &progress->study->head;
    size_t point_id;
    double half_width;

    write_done(progress, speed, line);
    if (progress->num_break_evens_wanted > 0) {
        fprintf(line, ", %zu of %zu break-evens", progress->num_break_evens,
            progress->num_break_evens_wanted);
    }
    if (progress->num_series_wanted > 0) {
        fprintf(line, ", %zu of %zu timelines", progress->num_series, progress->num_series_wanted);
    } else if (spot_study_widest(progress, &point_id, &half_width)) {
        fprintf(line, ", %s %s%.2g at worst", head->metrics[spot_study_watched_metric(head)].name,
            is_utf8 ? "±" : "+-", half_width);
        if (head->until.half_width > 0) {
            fprintf(line, " (goal %.2g)", head->until.half_width);
        }
    }
}

static void write_widest(spot_json_t *json, const spot_study_progress_t *progress)
{
    const spot_study_head_t *head = &progress->study->head;
    size_t point_id;
    double half_width;

    if (!spot_study_widest(progress, &point_id, &half_width)) {
        return;
    }
    spot_json_open(json, "widest", '{');
    spot_json_text(json, "metric", head->metrics[spot_study_watched_metric(head)].name);
    spot_json_number(json, "half_width", half_width);
    spot_json_integer(json, "point", (int64_t) point_id);
    spot_json_open(json, "values", '{');
    for (size_t j = 0; j < head->num_axes; j++) {
        spot_json_text(
            json, head->axes[j].path, head->axes[j].texts[spot_study_value_id(head, point_id, j)]);
    }
    spot_json_close(json, '}');
    spot_json_close(json, '}');
}

void spot_study_progress_json(
    const spot_study_progress_t *progress, const spot_study_speed_t *speed, FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 0);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "event", "progress");
    spot_json_integer(&json, "points_done", (int64_t) progress->num_points_done);
    spot_json_integer(&json, "points", (int64_t) progress->study->head.num_points);
    spot_json_integer(&json, "runs_done", progress->num_done);
    spot_json_integer(&json, "runs_wanted", progress->num_wanted);
    spot_json_integer(&json, "runs_made", progress->num_run);
    spot_json_number(&json, "runs_per_s", speed->runs_per_s);
    spot_json_number(&json, "passed_s", speed->passed_s);
    spot_json_number(&json, "left_s", speed->left_s);
    if (progress->num_break_evens_wanted > 0) {
        spot_json_integer(&json, "break_evens_found", (int64_t) progress->num_break_evens);
        spot_json_integer(&json, "break_evens_wanted", (int64_t) progress->num_break_evens_wanted);
    }
    if (progress->num_series_wanted > 0) {
        spot_json_integer(&json, "timelines_made", (int64_t) progress->num_series);
        spot_json_integer(&json, "timelines_wanted", (int64_t) progress->num_series_wanted);
    }
    write_widest(&json, progress);
    spot_json_close(&json, '}');
}
