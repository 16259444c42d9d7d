/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a picture of a study calls things. */
#pragma once

#include <stdbool.h>

#include "base/diag.h"
#include "reports/metric_words.h"
#include "reports/study_curves.h"

/* The question, or the name of a study without one. */
const char *spot_study_title(const spot_study_head_t *head);

/* The metric that a sentence or a picture speaks of: what the study optimises, or names
 * a winner by, or draws, else the first one. */
size_t spot_main_metric(const spot_study_head_t *head);

/* The metric that pictures draw: what the study draws, else its main one. */
size_t spot_drawn_metric(const spot_study_head_t *head);

/* Why there is nothing to draw of these metrics, which must be defined together at a
 * point, or NULL. */
const char *spot_metrics_problem(
    const spot_report_t *report, size_t num_metrics, const size_t *metric_ids);

/* The same for a picture that was asked for by its path: an error about it that names
 * the metrics without a value. BAD_PARAM where there is nothing to draw. */
SPOT_MUST_CHECK int spot_metrics_check(const spot_report_t *report, size_t num_metrics,
    const size_t *metric_ids, const char *picture_path, spot_diag_t *diag);

/* "1000 replications at each point"; of fewer, what there is. */
void spot_replications_words(const spot_study_head_t *head, int64_t min_rows,
    int64_t max_rows, char text[SPOT_WORDS_BYTES]);

/* " (1 at 4 points without chance)", or nothing: fixed points beside others. */
void spot_fixed_words(const spot_study_head_t *head, char text[SPOT_WORDS_BYTES]);

/* "checkpoint", or where several keys are swept "checkpoint, per minute 0.05": what
 * tells a point from others, in max_chars characters at most. */
#define SPOT_POINT_BYTES 512
void spot_point_words(const spot_study_head_t *head, size_t point_id, size_t max_chars,
    char text[SPOT_POINT_BYTES]);

/* The same without an axis: what tells a curve along it from others. */
void spot_panel_words(const spot_study_head_t *head, size_t point_id, size_t left_out_id,
    size_t max_chars, char text[SPOT_POINT_BYTES]);

/* "idle-vs-preemption · 1000 replications at each point · seed 1": what was run. */
#define SPOT_NOTE_BYTES 640
void spot_study_run_words(const spot_report_t *report, char text[SPOT_NOTE_BYTES]);

/* What reports call a key, with its unit: "checkpoint interval (s)". */
void spot_axis_words(const spot_axis_t *axis, char text[SPOT_WORDS_BYTES]);

/* What reports call a key: "pipeline depth"; its path where its table has no label. */
void spot_key_words(const spot_axis_t *axis, char text[SPOT_WORDS_BYTES]);

/* x in a sentence: "the " and what the study calls it, else "preemption per minute".
 * What does not fit in text is as if the study called it nothing, here and below x. */
void spot_x_subject(
    const spot_study_head_t *head, size_t axis_id, char text[SPOT_WORDS_BYTES]);

/* What stands below x: as the study calls it, else the words of the axis. */
void spot_x_words(
    const spot_study_head_t *head, size_t axis_id, char text[SPOT_WORDS_BYTES]);
