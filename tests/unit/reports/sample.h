/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made-up studies and runs to report on, and comparing texts with golden files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "reports/report.h"
#include "reports/run_series.h"
#include "sim/bench/store/stored_study.h"

/* An axis of numbers; texts are the numbers. */
spot_axis_t sample_axis(const char *path, size_t num_values, const double *numbers);

/* Puts an axis in place of one of the head, which has as many points then as its axes
 * make. */
void sample_replace_axis(spot_study_head_t *head, size_t axis_id, spot_axis_t axis);

/* Idle time against preemption probability, 11 x 2 points. The store borrows the head;
 * free both. */
void sample_idle_head(spot_study_head_t *head, int64_t num_replications);
spot_store_t *sample_idle_store(const spot_study_head_t *head);

/* A study without axes whose only metric, "wait_s", has these values. */
void sample_plain_head(spot_study_head_t *head, int64_t num_replications);
spot_store_t *sample_plain_store(
    const spot_study_head_t *head, size_t num_values, const double *values);

/* Two points, the first of which is the baseline, with metrics whose cells have marks
 * and remarks: a quantile above all that is known, a mean over finished runs alone, a
 * heavy tail, and a quantile without an upper end. */
void sample_marked_head(spot_study_head_t *head);
spot_store_t *sample_marked_store(const spot_study_head_t *head);

/* What is in a store, for pictures; free it with spot_report_free(). */
spot_report_t sample_report(const spot_store_t *store);

/* A run with the series that its picture shows, in ms. */
typedef struct {
    spot_recording_t recording;
    spot_run_series_t run;
} sample_run_t;

/* What the series are; NULL, or none: no such series. */
typedef struct {
    const char *title;
    size_t num_levels;
    const char *const *levels;
    const char *unit;         /* of levels */
    const char *const *marks; /* up to NULL */
    const char *signs;        /* of marks; may be NULL */
    const char *curve;
} sample_words_t;

/* Texts are borrowed. Add rows in order of time, then end the run; a level that starts
 * where the last one does replaces it. heights: [num_levels]. */
void sample_run_begin(sample_run_t *self, const sample_words_t *words);
void sample_run_level(sample_run_t *self, int64_t time_ms, const double *heights);
void sample_run_mark(sample_run_t *self, int64_t time_ms, const char *mark, int64_t count);
void sample_run_point(sample_run_t *self, int64_t time_ms, double value);
void sample_run_end(sample_run_t *self, int64_t end_ms, const spot_colour_t *colours);
void sample_run_free(sample_run_t *self);

/* A fleet that loses and gains instances, num_events times. */
void sample_run(sample_run_t *self, int64_t end_ms, int num_events);

/* Path of a temporary file with that name; valid until the next call. */
const char *sample_path(const char *name);

/* The text of a file, or NULL; the caller frees it. */
char *sample_read(const char *path);

/* Fails the test if text differs from tests/golden/reports/NAME, and then keeps it
 * beside the temporary files. */
void sample_assert_golden(const char *name, const char *text);

/* The file is an SVG picture. Removes it. */
void sample_assert_svg(const char *path);

/* What a call that draws returned: 0 without a message, and the file is a whole picture,
 * which is removed. Frees diag. */
void sample_assert_drawn(int ret, spot_diag_t *diag, const char *path);

/* How often a word is in a text. */
size_t sample_count(const char *text, const char *word);
